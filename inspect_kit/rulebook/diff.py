"""Two editions side by side: what a referee has to know when the other one is in force."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from inspect_kit.rulebook.clause import Clause
from inspect_kit.rulebook.sheet import Sheet


class Change(StrEnum):
    """What differs, the weightiest first."""

    LIMITS = "limits"
    ONLY_A = "only-in-a"
    ONLY_B = "only-in-b"
    REQUIREMENT = "requirement"
    FORCE = "force"
    PRINT = "print"
    CLAUSE = "clause"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: either side's clause, and either side in words."""

    change: Change
    characteristic: str
    item: str
    before: str
    after: str
    clause_a: Clause | None = None
    clause_b: Clause | None = None


def diff(left: Sheet, right: Sheet) -> tuple[Difference, ...]:
    """All differences, numbers first, each group in the order of the sheets."""
    ours = {(clause.item, clause.characteristic): clause for clause in left.clauses}
    theirs = {(clause.item, clause.characteristic): clause for clause in right.clauses}
    found = [entry for key in {**ours, **theirs} for entry in _compare(ours.get(key), theirs.get(key))]
    order = list(Change)
    return tuple(sorted(found, key=lambda entry: order.index(entry.change)))


def _compare(left: Clause | None, right: Clause | None) -> Iterator[Difference]:
    if left is None or right is None:
        yield from _lone(left, right)
        return
    sides = (left, right)
    if _numbers(left) != _numbers(right):
        yield _difference(Change.LIMITS, sides, left.printed or left.kind, right.printed or right.kind)
    elif left.printed != right.printed:
        yield _difference(Change.PRINT, sides, left.printed, right.printed)
    if left.requires != right.requires:
        yield _difference(Change.REQUIREMENT, sides, left.requires, right.requires)
    if left.force != right.force or left.binding != right.binding:
        yield _difference(Change.FORCE, sides, _force(left), _force(right))
    if left.number != right.number:
        yield _difference(Change.CLAUSE, sides, left.number, right.number)


def _lone(left: Clause | None, right: Clause | None) -> Iterator[Difference]:
    if left is not None:
        yield _difference(Change.ONLY_A, (left, None), left.printed or left.requires, "")
    if right is not None:
        yield _difference(Change.ONLY_B, (None, right), "", right.printed or right.requires)


def _difference(change: Change, sides: tuple[Clause | None, Clause | None], before: str, after: str) -> Difference:
    known = sides[0] or sides[1]
    assert known is not None
    return Difference(change, known.characteristic, known.item, before, after, *sides)


def _numbers(clause: Clause) -> tuple[object, ...]:
    """What decides, in base units, so that 4.45 cm and 44.5 mm are the same."""
    return clause.limits, clause.bounds.nominal_in_base, clause.unit.base if clause.unit else ""


def _force(clause: Clause) -> str:
    return clause.force.value if clause.binding else f"{clause.force.value}, not binding"
