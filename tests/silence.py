"""Inputs that conform in full, made from the sheets, and what becomes of them when one answer is spoiled.

`python -m tests.silence` prints every binding clause with the verdict it gets when it is left out, given in a wrong
unit, answered by an unknown word, or far off its nominal; and counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import product
from typing import Final

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.errors import BadInput
from inspect_kit.inspection.walk import Outcome, Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.rulebook.clause import Clause, Kind, answered_by_looking
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.values.measurement import Reading
from inspect_kit.values.quantity import EXACT_UNITS

DAY: Final = date(2026, 11, 16)
KINDS: Final = ("left out", "wrong unit", "unknown word", "nominal far off")
NO_CASE: Final = "–"
REFUSED: Final = "refused"

SIZES: Final[Mapping[str, Mapping[str, str]]] = {
    "flat": {"fig.base.diameter": "17.5", "fig.height": "37"},
    "h0": {"fig.base.diameter": "19.5", "fig.height": "29.5"},
    "sports": {"fig.base.diameter": "20.8", "fig.height": "36"},
    "toccer": {"fig.base.diameter": "20.8", "fig.height": "35"},
    "woodentop": {"fig.base.diameter": "19.5", "fig.base.height": "6", "fig.height": "37"},
}
"""Dimensions that meet both the general limits and those of a type."""


@dataclass(frozen=True)
class Case:
    """An item of a sheet under one answer to each of its conditions."""

    sheet: Sheet
    item: str
    answers: Mapping[str, str]

    def __str__(self) -> str:
        return ":".join((self.sheet.id, self.item, *self.answers.values()))

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The binding clauses of the item and of its pieces that apply, and those that conditions hang on."""
        return tuple(clause for clause in _clauses(self.sheet, self.item) if clause.binding and self.applies(clause))

    def applies(self, clause: Clause) -> bool:
        when = clause.when
        return when is None or (self.answers[when.characteristic] in when.words) is when.wanted

    def judged(self, readings: Sequence[Reading]) -> Outcome:
        task = Task(self.sheet, self.sheet.item(self.item), RuleName.GUARDED, DAY)
        return inspect(task, [MeasurementFile(tuple(readings))])

    def given_for(self, clause: Clause) -> tuple[str, ...]:
        """What is stated so that a clause can be judged: itself, or what it is worked out from."""
        asked = {other.characteristic for other in self.clauses}
        formulas = {entry.characteristic: entry.formula for entry in self.sheet.derived}
        formula = formulas.get(clause.characteristic)
        if formula is None or not set(formula.names) <= asked:
            return (clause.characteristic,)
        return formula.names

    def readings(self) -> list[Reading]:
        """Everything that a conforming item needs, and nothing else."""
        rows = [Reading(name, word) for name, word in self.answers.items()]
        stated = dict.fromkeys(name for clause in self.clauses for name in self.given_for(clause))
        by_name = {clause.characteristic: clause for clause in _clauses(self.sheet, self.item)}
        rows += [row for name in stated if name not in self.answers for row in self._rows(by_name[name])]
        return rows

    def _rows(self, clause: Clause) -> Iterator[Reading]:
        if not clause.numeric:
            yield Reading(clause.characteristic, "yes")
            return
        fine = "0.005" if clause.unit and clause.unit.base == "deg" else "0.0001"
        standard = "" if clause.unit and clause.unit.base in EXACT_UNITS else fine
        for name in self._instances(clause):
            yield Reading(clause.characteristic, self._value(clause), name, standard=standard)

    def _instances(self, clause: Clause) -> tuple[str, ...]:
        instances = clause.instances
        if instances.counted_by:
            pieces = [str(n) for n in range(1, self._dice + 1)]
            return tuple(f"{piece}.{part}" for piece in pieces for part in instances.parts) or tuple(pieces)
        if instances.several:
            return instances.names or tuple(str(n) for n in range(1, instances.number + 1))
        figures = self.item == "team" and clause.item == "figure"
        return (*(str(n) for n in range(1, 11)), "spare") if figures else ("",)

    @property
    def _dice(self) -> int:
        return 2 if self.answers.get("dice.mode") == "two" else 4

    def _value(self, clause: Clause) -> str:
        sizes = SIZES.get(self.answers.get("fig.type", ""), {})
        if clause.characteristic in sizes:
            return sizes[clause.characteristic]
        if clause.characteristic == "dice.count":
            return str(self._dice)
        return f"{_middle(clause, self.sheet):f}"


def _middle(clause: Clause, sheet: Sheet) -> Decimal:
    """A value well inside the limits, or what is printed."""
    bounds, usual = clause.bounds, sheet.plausible.get(clause.characteristic)
    lower, upper = (limit.in_base if limit else None for limit in (bounds.lower, bounds.upper))
    if bounds.nominal is not None:
        return bounds.nominal.in_base
    if clause.unit is not None and clause.unit.base == "count":
        return lower if lower is not None else upper or Decimal(0)
    if lower is not None and upper is not None:
        return (lower + upper) / 2
    if lower is not None:
        return lower * Decimal("1.2") + 1
    assert upper is not None
    return (max(usual.lower.in_base if usual else Decimal(0), upper * Decimal("0.8")) + upper) / 2


def _clauses(sheet: Sheet, item: str) -> tuple[Clause, ...]:
    pieces = [part.item for part in sheet.item(item).pieces]
    return tuple(clause for name in (item, *pieces) for clause in sheet.clauses_of(name))


def cases() -> Iterator[Case]:
    """Every item of every shipped sheet, under every answer to its conditions; a team in one type only."""
    for sheet in map(load, sheet_ids()):
        for item in sheet.items:
            yield from _cases_of(sheet, item.id)


def _cases_of(sheet: Sheet, item: str) -> Iterator[Case]:
    names = dict.fromkeys(c.when.characteristic for c in _clauses(sheet, item) if c.when is not None and c.binding)
    words = [sheet.words_of(name) if name in _chosen(sheet) else ("yes", "no") for name in names]
    if item == "team":
        words = [("h0",) if name == "fig.type" else ("toccer",) if name == "gk.type" else ("no",) for name in names]
    for chosen in product(*words):
        yield Case(sheet, item, dict(zip(names, chosen, strict=True)))


def _chosen(sheet: Sheet) -> frozenset[str]:
    return frozenset(choice.characteristic for choice in sheet.choices)


# What becomes of a spoiled answer.


def spoiled(case: Case, clause: Clause, kind: str) -> list[Reading] | None:
    """The conforming input with one clause's answers spoiled; `None` where there is no such case."""
    names = case.given_for(clause)
    rows = case.readings()
    if kind == "left out":
        return [row for row in rows if row.characteristic not in names]
    changed = [_spoiled(row, clause, kind) if row.characteristic in names else row for row in rows]
    return None if changed == rows else changed


def _spoiled(row: Reading, clause: Clause, kind: str) -> Reading:
    measured = clause.unit is not None and clause.unit.base not in EXACT_UNITS
    if kind == "wrong unit" and measured and row.standard:
        # Ten times too small, as when centimetres are typed where millimetres are asked for.
        return replace(row, value=f"{Decimal(row.value) / 10:f}")
    if kind == "unknown word" and answered_by_looking(clause) and not clause.numeric:
        return replace(row, value="foo")
    if kind == "nominal far off" and clause.kind is Kind.NOMINAL_WITHOUT_TOLERANCE:
        return replace(row, value=f"{Decimal(row.value) * Decimal('1.25'):f}")
    return row


def outcome_of(case: Case, clause: Clause, kind: str) -> str:
    """The verdict over all, or that the input is refused."""
    rows = spoiled(case, clause, kind)
    if rows is None:
        return NO_CASE
    if not rows:
        return Verdict.UNDECIDED.value
    try:
        return case.judged(rows).judgement.verdict.value
    except BadInput:
        return REFUSED


def table() -> Iterator[tuple[str, Clause, tuple[str, ...]]]:
    """Every binding clause once, with what becomes of it in each kind of case."""
    seen: set[tuple[str, str, str]] = set()
    for case in cases():
        for clause in case.clauses:
            key = (case.sheet.id, case.item, clause.characteristic)
            if key not in seen:
                seen.add(key)
                yield str(case), clause, tuple(outcome_of(case, clause, kind) for kind in KINDS)


def main() -> None:
    """Print the table and its counts."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for name, clause, results in table():
        for kind, result in zip(KINDS, results, strict=True):
            counts[kind][result] += 1
        print(f"{name:<40} {clause.number:<14} {clause.characteristic:<32} " + "  ".join(f"{r:<10}" for r in results))
    for kind, found in counts.items():
        print(f"{kind:<16} " + ", ".join(f"{number} {result}" for result, number in found.most_common()))


if __name__ == "__main__":
    main()
