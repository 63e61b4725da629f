"""A gauge found bad afterwards: what a record's verdict would be with the gauge's error taken off its values."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from inspect_kit.inspection.record import Line, Record
from inspect_kit.judgement.rules import RULES, RuleName
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.values.limits import limits_from


@dataclass(frozen=True, slots=True)
class SuspectLine:
    """One clause that was decided by the gauge: its value as read and corrected, and both verdicts."""

    clause: str
    characteristic: str
    instance: str
    value: str
    corrected: str
    unit: str
    verdict: str
    would_be: str


def suspect_lines(record: Record, gauge: str, error: Decimal | None) -> tuple[SuspectLine, ...]:
    """The clauses that hang on the gauge; without a known error what they would be is undecided."""
    return tuple(_suspect(record, line, error) for line in record.lines if gauge in line.instruments and line.value)


def _suspect(record: Record, line: Line, error: Decimal | None) -> SuspectLine:
    value = Decimal(line.value or "0")
    corrected = value - error if error is not None else value
    would_be = _verdict(record, line, corrected) if error is not None else Verdict.UNDECIDED.value
    numbers = (f"{value:f}", f"{corrected:f}")
    return SuspectLine(line.clause, line.characteristic, line.instance, *numbers, line.unit, line.verdict, would_be)


def _verdict(record: Record, line: Line, value: Decimal) -> str:
    limits = limits_from(_number(line.lower), _number(line.upper))
    expanded = _number(line.u)
    if limits is None or line.verdict not in (Verdict.CONFORMS, Verdict.FAILS, Verdict.UNDECIDED):
        return Verdict.UNDECIDED.value if line.binding else line.verdict
    rule = RuleName(record.rule)
    if expanded is None and rule is RuleName.GUARDED:
        return Verdict.UNDECIDED.value
    factor = _number(record.coverage_factor) or Decimal(2)
    return RULES[rule](value, (expanded or Decimal(0)) * factor, limits)[0].value


def _number(text: str | None) -> Decimal | None:
    try:
        return Decimal(text) if text else None
    except InvalidOperation:
        return None


def verdict_without(record: Record, gauge: str, lines: tuple[SuspectLine, ...]) -> str:
    """Over all: what the gauge did not decide stays, what it decided is taken as it would be."""
    verdicts = {line.verdict for line in record.lines if line.binding and gauge not in line.instruments}
    verdicts |= {line.would_be for line in lines}
    for verdict in (Verdict.FAILS, Verdict.UNDECIDED):
        if verdict.value in verdicts:
            return verdict.value
    return record.verdict
