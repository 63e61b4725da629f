"""From lot to lot by variables: the switching rules where a lot is accepted by its measured values, not by a count.

Tightened after two of five or fewer lots in a row refused, normal again after five accepted, stopped after five refused
on tightened inspection. Reduced inspection is not switched to: the limits that Z1.9 asks for are not in our tables.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from inspect_kit.errors import BadInput
from inspect_kit.quality.sampling.attributes import Plan, Severity
from inspect_kit.quality.sampling.switching import Presented, Scheme, SwitchingState, counted, refuse_stopped, switched
from inspect_kit.quality.table import read_table

COLUMNS: Final = ("lot", "accepted", "aql", "level", "severity", "next", "name", "readings", "resubmitted")
_NO_COUNT: Final = Plan(1, 0, 1)
"""Where nothing is counted; the rules ask for it on reduced inspection only."""


@dataclass(frozen=True, slots=True)
class VariablesLot:
    """One lot of a series: how it was inspected, what came out, and how the next one is."""

    presented: Presented
    severity: Severity
    accepted: bool
    after: SwitchingState
    because: str = ""


@dataclass(frozen=True, slots=True)
class VariablesSeries:
    """Lots in order, and where the series stands after them."""

    lots: tuple[VariablesLot, ...] = ()
    state: SwitchingState = field(default_factory=SwitchingState)

    def add(self, scheme: Scheme, lot: Presented, *, accepted: bool) -> VariablesSeries:
        """The series with one lot more."""
        refuse_stopped(self.state)
        after, because = self.state, ""
        if not lot.resubmitted:
            after, because = switched(scheme, counted(self.state, accepted), _NO_COUNT, 0)
        return VariablesSeries((*self.lots, VariablesLot(lot, self.state.severity, accepted, after, because)), after)

    def before(self, readings: str) -> VariablesSeries | None:
        """The series as it stood before a lot with the same readings, if it has one."""
        for place, lot in enumerate(self.lots):
            if readings and lot.presented.readings == readings:
                start = SwitchingState(self.lots[0].severity)
                return VariablesSeries(self.lots[:place], self.lots[place - 1].after if place else start)
        return None


def read_variables_ledger(path: Path, scheme: Scheme, start: Severity = Severity.NORMAL) -> VariablesSeries:
    """The series so far, replayed: where the ledger says otherwise than the rules, it was changed."""
    if not path.exists():
        return VariablesSeries(state=SwitchingState(start))
    table = read_table(path)
    first = table.texts("severity")[0]
    if first not in set(Severity):
        raise BadInput("severity-unknown", where=str(path), stated=first[:20])
    series = VariablesSeries(state=SwitchingState(Severity(first)))
    for place, size in enumerate(table.counts("lot")):
        cells = {name: table.columns.get(name, ("",) * len(table))[place] for name in COLUMNS}
        lot = Presented(size, 0, cells["name"], cells["readings"], cells["resubmitted"] == "yes")
        series = series.add(scheme, lot, accepted=cells["accepted"] == "yes")
        _same(series.lots[-1], cells, scheme, f"{path}: line {table.lines[place]}")
    return series


def _same(lot: VariablesLot, cells: dict[str, str], scheme: Scheme, place: str) -> None:
    for name, text in _row(lot, scheme).items():
        if name in ("accepted", "severity", "next", "level") and cells[name] != text:
            raise BadInput("ledger-contradicts", where=place, name=name, cell=cells[name][:20], worked_out=text)


def _row(lot: VariablesLot, scheme: Scheme) -> dict[str, str]:
    after = "stopped" if lot.after.stopped else lot.after.severity.value
    shown = lot.presented
    cells = (
        shown.lot, "yes" if lot.accepted else "no", scheme.aql, scheme.level, lot.severity.value, after, shown.name,
        shown.readings, "yes" if shown.resubmitted else "",
    )  # fmt: skip
    return dict(zip(COLUMNS, map(str, cells), strict=True))


def variables_ledger_text(series: VariablesSeries, scheme: Scheme) -> str:
    """The whole ledger as CSV."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_row(lot, scheme) for lot in series.lots)
    return stream.getvalue()
