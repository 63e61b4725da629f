"""From the lines of a record to the groups of the results table: requirement, result and verdict in words."""

from collections.abc import Iterable, Mapping
from decimal import Context, Decimal, localcontext
from itertools import groupby
from typing import Final

from inspect_kit.certificate.content.means import means_of
from inspect_kit.certificate.content.model import Field, Group, Result, ResultRow, Scale, VerdictMark, applied, unjudged
from inspect_kit.certificate.content.wording import THIN, Wording, number_of, stated
from inspect_kit.inspection.record import Line, Record, left_out_of
from inspect_kit.inspection.record import stated as stated_text
from inspect_kit.judgement.verdict import Reason
from inspect_kit.values.quantity import EXACT_UNITS, UNITS, scaled

_IN_BASE: Final = frozenset({"mm", "g", "deg", "count", "runs", "%"})
_CONDITIONAL: Final = frozenset({Reason.CONDITIONAL_PASS, Reason.CONDITIONAL_FAIL})
_CONTEXT: Final = Context(prec=40)
"""Decimal digits in which printed numbers are worked out: many more than are printed."""
_PLAIN: Final = frozenset({Reason.WITHIN, Reason.OBSERVED_YES, Reason.OBSERVED_NO})
"""Reasons that the verdict and the column of means say already."""
_NO_VALUE: Final = "–"


def numbered_notes(lines: Iterable[Line]) -> dict[str, int]:
    """The notes of a sheet in the order of their first appearance, numbered from 1."""
    notes = dict.fromkeys(line.note for line in lines if line.note)
    return {note: number for number, note in enumerate(notes, 1)}


def groups_of(record: Record, words: Wording, *, full: bool = False) -> tuple[Group, ...]:
    """The lines that apply, in their order, those of one clause and characteristic together."""
    lines = applied(record)
    notes = numbered_notes(lines)
    together = groupby(lines, key=lambda line: (line.clause, line.characteristic, line.sheet))
    return tuple(_group(tuple(members), record, words, notes, full=full) for _, members in together)


def omitted_of(record: Record, words: Wording) -> tuple[Field, ...]:
    """What was not judged: for each reason the clauses with the names of their characteristics."""
    found: dict[tuple[str, str], dict[str, dict[str, None]]] = {}
    for line in record.lines:
        why = unjudged(line)
        if why:
            name = words.name("characteristic", line.characteristic, line.name)
            said = _answer(line, record, words) if why == "condition" else ""
            found.setdefault((why, said), {}).setdefault(line.clause, {})[name] = None
    fields = [
        Field(words.say(f"omitted.{why}"), ": ".join(part for part in (said, cited(clauses)) if part))
        for (why, said), clauses in found.items()
    ]
    return (*fields, *_left_out(record, words))


def _answer(line: Line, record: Record, words: Wording) -> str:
    """The answer because of which a clause does not apply: figure, type: flat."""
    answers = [each for each in record.readings if each.characteristic == line.condition]
    said = ", ".join(dict.fromkeys(observed(each.value, words) for each in answers))
    return f"{words.name('characteristic', answers[0].characteristic)} = {said}" if said else ""


def _left_out(record: Record, words: Wording) -> Iterable[Field]:
    """Sentences of the text that have no clause, by their numbers; what they say stands in the full detail."""
    clauses = "; ".join(each.clause.replace(" ", "\u00a0") for each in left_out_of(record.sheet))
    if clauses:
        yield Field(words.say("omitted.left_out"), words.say("omitted.left_out_text", clauses=clauses))


def cited(clauses: Mapping[str, Iterable[str]]) -> str:
    """Clauses with names in running text, each clause once, before its first name."""
    held = {clause.replace(" ", "\u00a0"): "; ".join(names) for clause, names in clauses.items()}
    return "; ".join(f"{clause}\u00a0{names}".strip() for clause, names in held.items())


def _group(lines: tuple[Line, ...], record: Record, words: Wording, notes: Mapping[str, int], *, full: bool) -> Group:
    first = lines[0]
    return Group(
        clause=first.clause,
        characteristic=first.characteristic,
        name=words.name("characteristic", first.characteristic, first.name),
        requirement=requirement(first, words),
        sentence=words.sentence(first.requires) if first.requires else "",
        details=tuple(_details(first, record, words, full=full)),
        notes=tuple(dict.fromkeys(notes[line.note] for line in lines if line.note)),
        rows=tuple(_row(line, record, words) for line in lines),
        spread=_spread(lines, record, words),
    )


def _details(line: Line, record: Record, words: Wording, *, full: bool) -> Iterable[str]:
    if line.printed and (line.suspect or (full and shown_unit(line) != line.printed_unit)):
        yield words.say("detail.printed", printed=words.localised(line.printed))
    if line.suspect:
        yield words.say("detail.suspect")
    if line.confirmed is True:
        yield words.say("detail.confirmed")
    if not line.binding:
        yield words.say("detail.not_binding")
    if line.sheet and line.sheet != record.sheet.id:
        yield words.say("detail.sheet", sheet=line.sheet)


# Numbers in the unit that is shown


def shown_unit(line: Line) -> str:
    """Lengths, masses and angles in mm, g and degrees; areas, times and the rest in the unit the text prints."""
    printed = UNITS.get(line.printed_unit)
    if line.unit in _IN_BASE or printed is None or printed.base != line.unit:
        return line.unit
    return line.printed_unit


def shown(number: str | None, line: Line) -> Decimal | None:
    """A number of the line in its shown unit."""
    if number is None:
        return None
    value = number_of(number, where=f"{line.characteristic} {line.instance}".strip())
    unit = UNITS.get(shown_unit(line))
    return value if unit is None or unit.factor == 1 else scaled(value, 1 / unit.factor)


def expanded_of(line: Line, record: Record) -> Decimal | None:
    """U = k·u in the shown unit."""
    standard = shown(line.u, line)
    if standard is None:
        return None
    with localcontext(_CONTEXT):
        return standard * number_of(record.coverage_factor, where="coverage_factor")


def requirement(line: Line, words: Wording) -> str:
    """The limits in words and signs; empty where the clause has no number."""
    lower, upper, nominal = shown(line.lower, line), shown(line.upper, line), shown(line.nominal, line)
    if lower is not None and upper is not None:
        return _two_sided(lower, upper, nominal, line, words)
    if lower is not None:
        return f"≥{THIN}{_quantity(lower, line, words)}"
    if upper is not None:
        return f"≤{THIN}{_quantity(upper, line, words)}"
    return "" if nominal is None else words.say("limits.nominal", nominal=_quantity(nominal, line, words))


def _two_sided(lower: Decimal, upper: Decimal, nominal: Decimal | None, line: Line, words: Wording) -> str:
    if lower == upper:
        return words.say("limits.exactly", nominal=_quantity(lower, line, words))
    if nominal is not None and upper - nominal == nominal - lower:
        return f"{words.number(nominal)} ±\u00a0{_quantity(upper - nominal, line, words)}"
    between = words.say("limits.between", lower=words.number(lower), upper=_quantity(upper, line, words))
    return between if nominal is None else f"{_quantity(nominal, line, words)} ({between})"


def _quantity(number: Decimal, line: Line, words: Wording) -> str:
    return words.quantity(words.number(number), shown_unit(line))


# One row


def _row(line: Line, record: Record, words: Wording) -> ResultRow:
    found = result_of(line, record, words), mark_of(line, words), _scale(line, record)
    return ResultRow(words.instance(line.instance), *found, means_of(line, record, words))


def result_of(line: Line, record: Record, words: Wording) -> Result:
    """Value ± U, rounded and with its unit; an observed word; or a dash."""
    value = shown(line.value, line)
    if value is None:
        return Result(word=_NO_VALUE if line.word is None else observed(line.word, words))
    figures = stated(value, expanded_of(line, record))
    spread = f"±\u00a0{words.number(figures.expanded)}" if figures.expanded else ""
    return Result(words.number(figures.value), spread, words.quantity("", shown_unit(line)))


def observed(word: str, words: Wording) -> str:
    """An answer in the reader's language."""
    return words.frame.get(f"observed.{word}") or words.name("word", word)


def mark_of(line: Line, words: Wording) -> VerdictMark:
    """Verdict and reason in words, unless it goes without saying; where it is conditional, with the probability."""
    reason = "" if line.reason in _PLAIN else words.frame.get(f"reason.{line.reason}", line.reason)
    if line.missing > 1:
        reason = words.say("reason.missing", number=line.missing)
    if line.reason in _CONDITIONAL and line.probability is not None:
        reason += "; " + words.say("reason.probability", probability=percent(line.probability, words))
    if stated_text(line.decided_because):
        named = {"name": stated_text(line.decided_by), "because": stated_text(line.decided_because)}
        reason = words.say("reason.decided", **named)
    if _unknown(line) and line.reason != Reason.UNCERTAINTY_UNKNOWN:
        reason = "; ".join(part for part in (reason, words.say("detail.no_uncertainty")) if part)
    return VerdictMark(line.verdict, words.frame.get(f"verdict.{line.verdict}", line.verdict), reason)


def _unknown(line: Line) -> bool:
    """Whether a number was measured and nobody knows how well."""
    return line.value is not None and line.u is None and line.unit not in EXACT_UNITS


def percent(share: float, words: Wording) -> str:
    """A probability in per cent; what would round to certainty is not called certain."""
    if share > 0.99:
        return f">{THIN}99{THIN}%"
    if share < 0.01:
        return f"<{THIN}1{THIN}%"
    return words.number(Decimal(round(share * 100))) + f"{THIN}%"


def _scale(line: Line, record: Record) -> Scale | None:
    value = shown(line.value, line)
    bounds = [shown(number, line) for number in (line.lower, line.upper, line.nominal)]
    if value is None or all(bound is None for bound in bounds):
        return None
    lower, upper, nominal = (None if bound is None else float(bound) for bound in bounds)
    if lower is not None and lower == upper:
        return None
    return Scale(float(value), float(expanded_of(line, record) or 0), lower, upper, nominal, record.rule == "guarded")


def _spread(lines: tuple[Line, ...], record: Record, words: Wording) -> str:
    """The uncertainty that all values of a grid share, as it is printed."""
    values = [(shown(line.value, line), expanded_of(line, record)) for line in lines]
    known = {stated(value, expanded).expanded for value, expanded in values if value is not None}
    if len(lines) == 1 or len(known) != 1:
        return ""
    (expanded,) = known
    return words.say("detail.common_uncertainty", expanded=_quantity(expanded, lines[0], words)) if expanded else ""
