"""From lot to lot by variables: the switching rules where a lot is accepted by its measured values, not by a count.

Tightened after two of five or fewer lots in a row refused, normal again after five accepted, stopped after five refused
on tightened inspection. Reduced inspection is not switched to: the limits that Z1.9 asks for are not in our tables.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from inspect_kit.errors import BadInput
from inspect_kit.quality.sampling import switching
from inspect_kit.quality.sampling.attributes import Plan, Severity
from inspect_kit.quality.table import read_table

COLUMNS: Final = ("lot", "accepted", "aql", "level", "severity", "next", "name", "readings", "resubmitted")
_NO_COUNT: Final = Plan(1, 0, 1)
"""Where nothing is counted; the rules ask for it on reduced inspection only."""


def add_measured(
    series: switching.LotSeries, scheme: switching.Scheme, lot: switching.PresentedLot, *, accepted: bool
) -> switching.LotSeries:
    """The series with one lot more, accepted or refused by its measured values."""
    state = series.state
    switching.refuse_stopped(state)
    after, because = state, ""
    if not lot.resubmitted:
        after, because = switching.switched(scheme, switching.counted(state, accepted), _NO_COUNT, 0)
    return series.then(switching.JudgedLot(lot, state.severity, accepted, after, because))


def read_variables_ledger(
    path: Path, scheme: switching.Scheme, start: Severity = Severity.NORMAL
) -> switching.LotSeries:
    """The series so far, replayed: where the ledger says otherwise than the rules, it was changed."""
    if not path.exists():
        return switching.LotSeries(state=switching.SwitchingState(start))
    table = read_table(path)
    first = table.texts("severity")[0]
    if first not in set(Severity):
        raise BadInput("severity-unknown", where=str(path), stated=first[:20])
    series = switching.LotSeries(state=switching.SwitchingState(Severity(first)))
    for place, size in enumerate(table.counts("lot")):
        cells = {name: table.columns.get(name, ("",) * len(table))[place] for name in COLUMNS}
        lot = switching.PresentedLot(size, 0, cells["name"], cells["readings"], cells["resubmitted"] == "yes")
        series = add_measured(series, scheme, lot, accepted=cells["accepted"] == "yes")
        _same(series.lots[-1], cells, scheme, f"{path}: line {table.lines[place]}")
    return series


def _same(lot: switching.JudgedLot, cells: dict[str, str], scheme: switching.Scheme, place: str) -> None:
    for name, text in _row(lot, scheme).items():
        if name in ("accepted", "severity", "next", "level") and cells[name] != text:
            raise BadInput("ledger-contradicts", where=place, name=name, cell=cells[name][:20], worked_out=text)


def _row(lot: switching.JudgedLot, scheme: switching.Scheme) -> dict[str, str]:
    shown = lot.presented
    cells = (
        shown.lot, "yes" if lot.accepted else "no", scheme.aql, scheme.level, lot.severity.value, lot.next_severity,
        shown.name, shown.readings, "yes" if shown.resubmitted else "",
    )  # fmt: skip
    return dict(zip(COLUMNS, map(str, cells), strict=True))


def variables_ledger_text(series: switching.LotSeries, scheme: switching.Scheme) -> str:
    """The whole ledger as CSV."""
    return switching.as_csv(COLUMNS, (_row(lot, scheme) for lot in series.lots))
