"""Sampling by attributes: which sample a lot needs and how many nonconforming pieces it may show (MIL-STD-105E)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import Any, Final

from inspect_kit.errors import UsageError
from inspect_kit.quality.sampling import tables_105e as master_tables

LEVELS: Final = ("S-1", "S-2", "S-3", "S-4", "I", "II", "III")
MIN_LOT: Final = 2
"""Pieces of the smallest lot that the tables know."""
MAX_LOT: Final = 10**12
"""Pieces of the largest lot that is believed; chosen."""


class Severity(StrEnum):
    """How sharply lots are inspected."""

    NORMAL = "normal"
    TIGHTENED = "tightened"
    REDUCED = "reduced"


@dataclass(frozen=True, slots=True)
class Plan:
    """Inspect `size` pieces; `accept` nonconforming are allowed, at `reject` the lot is refused.

    Between the two, which only reduced plans have, the lot is accepted and normal inspection comes back.
    """

    size: int
    accept: int
    reject: int

    def accepts(self, found: int) -> bool:
        """Whether a lot with so many nonconforming pieces in its sample passes."""
        return found < self.reject


@dataclass(frozen=True, slots=True)
class Lookup:
    """A plan from the tables: the code letter of the lot, and the letter of the row that the arrows led to."""

    code: str
    row: str
    plan: Plan
    whole_lot: bool = False


@dataclass(frozen=True, slots=True)
class _Row:
    letter: str
    size: int
    cells: tuple[str, ...]


@cache
def _rows(severity: Severity) -> tuple[_Row, ...]:
    text = {
        Severity.NORMAL: master_tables.NORMAL,
        Severity.TIGHTENED: master_tables.TIGHTENED,
        Severity.REDUCED: master_tables.REDUCED,
    }[severity]
    rows = (line.split() for line in text.splitlines())
    return tuple(_Row(letter, int(size), tuple(cells)) for letter, size, *cells in rows)


@cache
def _letters() -> tuple[tuple[int | None, Mapping[str, str]], ...]:
    _, *lines = (line.split() for line in master_tables.CODE_LETTERS.splitlines())
    return tuple(
        (None if end == "more" else int(end), dict(zip(LEVELS, letters, strict=True))) for end, *letters in lines
    )


def aql_column(aql: Decimal) -> int:
    """The place of an AQL in the series; one that is not in it is an error, not rounded."""
    for column, printed in enumerate(master_tables.AQLS):
        if Decimal(printed) == aql:
            return column
    raise UsageError("not-aql-series", aql=aql, aqls=", ".join(master_tables.AQLS))


def code_letter(lot: int, level: str) -> str:
    """The sample size code letter (Table I)."""
    if level not in LEVELS:
        raise UsageError("not-inspection-level", level=level[:20], levels=", ".join(LEVELS))
    if not MIN_LOT <= lot <= MAX_LOT:
        raise UsageError("lot-too-small", min_lot=MIN_LOT, lot=lot)
    return next(letters[level] for end, letters in _letters() if end is None or lot <= end)


def look_up(lot: int, aql: Decimal, level: str = "II", severity: Severity = Severity.NORMAL) -> Lookup:
    """The plan for a lot; a sample that would not be smaller than the lot is the whole lot."""
    found = plan_of(code_letter(lot, level), aql, severity)
    if found.plan.size < lot:
        return found
    return replace(found, plan=replace(found.plan, size=lot), whole_lot=True)


def plan_of(code: str, aql: Decimal, severity: Severity = Severity.NORMAL) -> Lookup:
    """The plan at a code letter and an AQL, arrows followed to the row that has one."""
    rows, column = _rows(severity), aql_column(aql)
    place = next(number for number, row in enumerate(rows) if row.letter == code)
    while rows[place].cells[column] in "v^":
        place += 1 if rows[place].cells[column] == "v" else -1
    row = rows[place]
    accept, _, reject = row.cells[column].partition("/")
    plan = Plan(row.size, int(accept), int(reject) if reject else int(accept) + 1)
    return Lookup(code, row.letter, plan)


def plan_data(plan: Plan) -> dict[str, Any]:
    """A plan in the form that scripts rely on."""
    return {"n": plan.size, "ac": plan.accept, "re": plan.reject}
