"""The ledger of a series of lots: a CSV file that people can read, replayed each time so that nothing hides in it.

Where critical, major and minor defects have an AQL each, every class has rows of its own and is switched by itself.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final

from inspect_kit.errors import BadInput
from inspect_kit.quality.sampling.attributes import JudgedLot, PresentedLot, Scheme, Severity, SwitchingState, judge_lot
from inspect_kit.quality.table import Table, read_table

WHOLE: Final = ""
"""The name under which lots stand that are judged without classes of defects."""
_COUNTED: Final = (
    "lot", "found", "aql", "level", "severity", "code", "n", "ac", "re", "accepted", "next", "name", "readings",
    "resubmitted",
)  # fmt: skip
_BY_CLASS: Final = ("class", "lot", "found", "inspected", *_COUNTED[2:])
"""A row for each class of each lot; `inspected` is the sample that all classes of it share."""
_MEASURED: Final = ("lot", "accepted", "aql", "level", "severity", "next", "name", "readings", "resubmitted")
_REPLAYED: Final = _COUNTED[2:11]
"""What follows from the lots before, and must be as it is written."""


@dataclass(frozen=True)
class Ledger:
    """The lots so far in the order in which they were presented, one row a class of defects."""

    schemes: Mapping[str, Scheme]
    """What was agreed, by class; without classes for the whole lot."""
    start: Mapping[str, Severity]
    rows: tuple[tuple[str, JudgedLot], ...] = ()
    measured: bool = False
    """Lots are accepted by their measured values, not by a count."""

    @property
    def lots(self) -> tuple[JudgedLot, ...]:
        """Every class of every lot."""
        return tuple(lot for _, lot in self.rows)

    def state(self, name: str = WHOLE) -> SwitchingState:
        """Where a class stands before its next lot."""
        last = next((lot for of, lot in reversed(self.rows) if of == name), None)
        return last.after if last else SwitchingState(self.start.get(name, Severity.NORMAL))

    def add(self, lot: PresentedLot, name: str = WHOLE, *, by_values: bool | None = None) -> Ledger:
        """The ledger with one lot more, or one class of it."""
        judged = judge_lot(self.schemes[name], self.state(name), lot, by_values=by_values)
        return replace(self, rows=(*self.rows, (name, judged)))

    def before(self, readings: str) -> Ledger | None:
        """The ledger as it stood before a lot with the same readings, if it has one."""
        known = [lot.presented.readings == readings for lot in self.lots]
        return replace(self, rows=self.rows[: known.index(True)]) if readings and any(known) else None

    def text(self) -> str:
        """The whole ledger as CSV."""
        columns = _MEASURED if self.measured else _COUNTED if WHOLE in self.schemes else _BY_CLASS
        stream = io.StringIO(newline="")
        writer = csv.DictWriter(stream, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(_cells(lot, self.schemes[name], name) for name, lot in self.rows)
        return stream.getvalue()


def _cells(judged: JudgedLot, scheme: Scheme, name: str) -> dict[str, str]:
    """One row; where measured values decide there is no plan by counts."""
    lot, found = judged.presented, judged.lookup
    plan = {"code": found.code, "n": found.plan.size, "ac": found.plan.accept, "re": found.plan.reject} if found else {}
    cells = {
        "class": name, "lot": lot.lot, "found": lot.found, "inspected": lot.inspected, "aql": scheme.aql,
        "level": scheme.level, "severity": judged.severity.value, **plan,
        "accepted": "yes" if judged.accepted else "no", "next": judged.next_severity,
        "name": lot.name, "readings": lot.readings, "resubmitted": "yes" if lot.resubmitted else "",
    }  # fmt: skip
    return {column: str(cell) for column, cell in cells.items()}


def read_ledger(
    path: Path, schemes: Mapping[str, Scheme], start: Severity = Severity.NORMAL, *, measured: bool = False
) -> Ledger:
    """The ledger so far; a file that is not there yet is an empty one that begins with `start`.

    Only the lots and what was found on them are needed. Where the file states how a lot was inspected, the replay must
    come to the same, or the file was changed.
    """
    ledger = Ledger(schemes, dict.fromkeys(schemes, start), measured=measured)
    if not path.exists():
        return ledger
    table = read_table(path)
    names = _classes(table, schemes)
    first = {name: _first_severity(table, start, names.index(name)) for name in schemes if name in names}
    ledger = replace(ledger, start={**ledger.start, **first})
    accepted = [word == "yes" for word in table.texts("accepted")] if measured else [None] * len(table)
    for row, (name, lot) in enumerate(zip(names, _presented(table, measured=measured), strict=True)):
        with BadInput.located(_place(table, row)):
            ledger = ledger.add(lot, name, by_values=accepted[row])
        _refuse_changed(_cells(ledger.rows[-1][1], schemes[name], name), table, row)
    return ledger


def _place(table: Table, row: int) -> str:
    return f"{table.where}: line {table.lines[row]}"


def _classes(table: Table, schemes: Mapping[str, Scheme]) -> tuple[str, ...]:
    """The class of each row, which must be one that was agreed on."""
    if WHOLE in schemes:
        if table.has("class"):
            raise BadInput("ledger-of-classes", where=table.where)
        return (WHOLE,) * len(table)
    names = table.texts("class")
    for row, name in enumerate(names):
        if name not in schemes:
            raise BadInput("ledger-other-classes", where=_place(table, row), name=name[:40], known=", ".join(schemes))
    return names


def _presented(table: Table, *, measured: bool) -> Iterable[PresentedLot]:
    """The lots as they were presented."""
    names, readings, again = (
        table.columns.get(name, ("",) * len(table)) for name in ("name", "readings", "resubmitted")
    )
    found = (0,) * len(table) if measured else table.counts("found")
    seen = table.counts("inspected") if table.has("inspected") else (0,) * len(table)
    rows = zip(table.counts("lot"), found, names, readings, (word == "yes" for word in again), seen, strict=True)
    return (PresentedLot(*row) for row in rows)


def _first_severity(table: Table, start: Severity, row: int) -> Severity:
    """A series that was stopped begins again tightened, so the first lot's own word counts."""
    stated = table.columns["severity"][row] if table.has("severity") else ""
    if stated and stated not in set(Severity):
        raise BadInput("severity-unknown", where=_place(table, row), stated=stated[:20])
    return Severity(stated) if stated else start


def _refuse_changed(worked_out: Mapping[str, str], table: Table, row: int) -> None:
    """A row that states otherwise than what follows from the lots before it."""
    for name in filter(table.has, _REPLAYED):
        cell, right = table.columns[name][row], worked_out.get(name, "")
        if cell and cell != right and not _equal_number(cell, right):
            facts = {"name": name, "cell": cell[:20], "worked_out": right}
            raise BadInput("ledger-contradicts", where=_place(table, row), **facts)


def _equal_number(left: str, right: str) -> bool:
    """Spreadsheets turn 1.0 into 1."""
    try:
        return Decimal(left.replace(",", ".")) == Decimal(right)
    except InvalidOperation:
        return False
