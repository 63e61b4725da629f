"""From lot to lot where critical, major and minor defects have an AQL each: every class is switched by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from inspect_kit.errors import BadInput
from inspect_kit.quality.sampling import switching
from inspect_kit.quality.sampling.attributes import Severity
from inspect_kit.quality.table import Table, read_table

CLASS_COLUMNS: Final = ("class", *switching.COLUMNS[:2], "inspected", *switching.COLUMNS[2:])
"""A row for each class of each lot; `inspected` is the sample that all classes of it share."""


@dataclass(frozen=True)
class ClassLedger:
    """The lots so far, one row a class, in the order in which they were presented."""

    schemes: Mapping[str, switching.Scheme]
    start: Mapping[str, Severity]
    rows: tuple[tuple[str, switching.JudgedLot], ...] = ()
    series: Mapping[str, switching.LotSeries] = field(default_factory=dict)

    @property
    def lots(self) -> tuple[switching.JudgedLot, ...]:
        """Every class of every lot."""
        return tuple(lot for _, lot in self.rows)

    def of(self, name: str) -> switching.LotSeries:
        """The lots of one class."""
        begun = switching.LotSeries(state=switching.SwitchingState(self.start.get(name, Severity.NORMAL)))
        return self.series.get(name, begun)

    def add(self, name: str, lot: switching.PresentedLot) -> ClassLedger:
        """The ledger with one class of one lot more."""
        mine = self.of(name).add(self.schemes[name], lot)
        return ClassLedger(
            self.schemes, self.start, (*self.rows, (name, mine.lots[-1])), {**self.series, name: mine}
        )  # fmt: skip

    def before(self, readings: str) -> ClassLedger | None:
        """The ledger as it stood before a lot with the same readings, if it has one."""
        known = [lot.presented.readings == readings for _, lot in self.rows]
        if not readings or not any(known):
            return None
        found = ClassLedger(self.schemes, self.start)
        for name, lot in self.rows[: known.index(True)]:
            found = found.add(name, lot.presented)
        return found

    def text(self) -> str:
        """The whole ledger as CSV."""
        return switching.as_csv(CLASS_COLUMNS, (self._row(name, lot) for name, lot in self.rows))

    def _row(self, name: str, lot: switching.JudgedLot) -> dict[str, str]:
        return {"class": name, "inspected": str(lot.presented.inspected), **switching.row_of(lot, self.schemes[name])}


def read_class_ledger(
    path: Path, schemes: Mapping[str, switching.Scheme], start: Severity = Severity.NORMAL
) -> ClassLedger:
    """The ledger so far, replayed: where it says otherwise than the rules, it was changed."""
    if not path.exists():
        return ClassLedger(schemes, dict.fromkeys(schemes, start))
    table = read_table(path)
    names = table.texts("class")
    for name, line in zip(names, table.lines, strict=True):
        if name not in schemes:
            known = ", ".join(schemes)
            raise BadInput("ledger-other-classes", where=f"{path}: line {line}", name=name[:40], known=known)
    first = {name: switching.first_severity(table, start, names.index(name)) for name in schemes if name in names}
    return _replayed(table, names, ClassLedger(schemes, {**dict.fromkeys(schemes, start), **first}))


def _replayed(table: Table, names: tuple[str, ...], ledger: ClassLedger) -> ClassLedger:
    for row, (name, lot) in enumerate(zip(names, switching.presented_in(table), strict=True)):
        place = f"{table.where}: line {table.lines[row]}"
        with BadInput.located(place):
            ledger = ledger.add(name, lot)
        switching.refuse_changed(ledger.rows[-1][1], table, row, ledger.schemes[name])
    return ledger
