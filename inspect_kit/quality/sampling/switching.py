"""From lot to lot: when inspection is tightened, relaxed, reduced or stopped.

Tables are MIL-STD-105E's. To tightened: two of five or fewer consecutive lots refused on normal inspection. Back to
normal: five in a row accepted. Stopped: five lots refused on tightened inspection. To reduced: a switching score of 30
(ISO 2859-1), which has taken the place of 105E's limit numbers, and only where production is steady and the responsible
body agrees. Back from reduced: a lot refused, or accepted with more than Ac found.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.sampling.attributes import Lookup, Plan, Severity, aql_column, look_up, plan_data, plan_of
from inspect_kit.quality.sampling.tables_105e import AQLS
from inspect_kit.quality.table import Table, read_table

REFUSED_OF_FIVE: Final = 2
"""Lots refused of the last five or fewer, from which on normal inspection is tightened."""
ACCEPTED_IN_ROW: Final = 5
"""Lots accepted in a row after which tightened inspection is normal again; so many are remembered."""
REFUSED_TIGHTENED: Final = 5
"""Lots refused under tightened inspection after which inspection stops."""
SCORE_FOR_REDUCED: Final = 30
"""Switching score (ISO 2859-1) from which on normal inspection may be reduced."""
LARGEST_PERCENTAGE: Final = Decimal(10)
"""Larger AQLs count nonconformities, of which one piece may have several."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """What was agreed for all lots of a series."""

    aql: Decimal
    level: str = "II"
    reduced_allowed: bool = False


@dataclass(frozen=True, slots=True)
class SwitchingState:
    """Where a series stands before its next lot."""

    severity: Severity = Severity.NORMAL
    recent: tuple[bool, ...] = ()
    score: int = 0
    refused_tightened: int = 0
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class PresentedLot:
    """A lot as it is presented: its size, what was found, its name, and the digest of its readings.

    A lot that was refused, sorted and presented again is judged like any other and does not count for the switching.
    """

    lot: int
    found: int
    name: str = ""
    readings: str = ""
    resubmitted: bool = False
    inspected: int = 0
    """Pieces looked at where they are more than the plan's own: of several classes one may ask for a larger sample."""


@dataclass(frozen=True, slots=True)
class JudgedLot:
    """One lot of a series: how it was inspected, what came out, and how the next one is.

    `lookup` is the plan where nonconforming pieces are counted; by measured values there is none.
    """

    presented: PresentedLot
    severity: Severity
    accepted: bool
    after: SwitchingState
    because: str = ""
    lookup: Lookup | None = None

    @property
    def next_severity(self) -> str:
        """How the next lot is inspected, as a ledger says it."""
        return "stopped" if self.after.stopped else self.after.severity.value


@dataclass(frozen=True, slots=True)
class LotSeries:
    """Lots in order, and where the series stands after them."""

    lots: tuple[JudgedLot, ...] = ()
    state: SwitchingState = field(default_factory=SwitchingState)

    def add(self, scheme: Scheme, lot: PresentedLot) -> LotSeries:
        """The series with one lot more."""
        return self.then(judge_lot(scheme, self.state, lot))

    def then(self, judged: JudgedLot) -> LotSeries:
        """The series with one lot more that was judged."""
        return LotSeries((*self.lots, judged), judged.after)

    def before(self, readings: str) -> LotSeries | None:
        """The series as it stood before a lot with the same readings, if it has one."""
        for place, lot in enumerate(self.lots):
            if readings and lot.presented.readings == readings:
                first = self.lots[0].severity
                return LotSeries(self.lots[:place], self.lots[place - 1].after if place else SwitchingState(first))
        return None


def judge_series(
    scheme: Scheme, lots: Iterable[PresentedLot | tuple[int, int]], start: Severity = Severity.NORMAL
) -> LotSeries:
    """Judge lots (size, nonconforming pieces found) one after the other, switching as the rules say."""
    series = LotSeries(state=SwitchingState(start))
    for lot in lots:
        series = series.add(scheme, lot if isinstance(lot, PresentedLot) else PresentedLot(*lot))
    return series


def refuse_stopped(state: SwitchingState) -> None:
    """Five lots refused on tightened inspection end the series."""
    if state.stopped:
        raise UsageError("inspection-stopped")


def judge_lot(scheme: Scheme, state: SwitchingState, lot: PresentedLot) -> JudgedLot:
    """The next lot of a series."""
    refuse_stopped(state)
    size, found = lot.lot, lot.found
    lookup = look_up(size, scheme.aql, scheme.level, state.severity)
    seen = max(lookup.plan.size, lot.inspected)
    if found > seen and scheme.aql <= LARGEST_PERCENTAGE:
        raise UsageError("nonconforming-pieces-not-found-sample", found=found, size=seen)
    accepted = lookup.plan.accepts(found)
    if lot.resubmitted:
        return JudgedLot(lot, state.severity, accepted, state, lookup=lookup)
    tallied = counted(state, accepted)
    if state.severity is Severity.NORMAL:
        tallied = replace(tallied, score=_score(scheme, state, lookup, found))
    after, because = switched(scheme, tallied, lookup.plan, found)
    return JudgedLot(lot, state.severity, accepted, after, because, lookup)


def counted(state: SwitchingState, accepted: bool) -> SwitchingState:
    """The state with one lot more behind it."""
    refused = state.severity is Severity.TIGHTENED and not accepted
    return replace(
        state, recent=(*state.recent, accepted)[-ACCEPTED_IN_ROW:], refused_tightened=state.refused_tightened + refused
    )


def _score(scheme: Scheme, state: SwitchingState, lookup: Lookup, found: int) -> int:
    """The switching score: +3 if the lot would have passed one AQL step tighter (Ac of 2 or more), +2 for Ac 0 or 1."""
    if lookup.plan.accept < 2:
        return state.score + 2 if lookup.plan.accepts(found) else 0
    tighter = Decimal(AQLS[max(0, aql_column(scheme.aql) - 1)])
    return state.score + 3 if plan_of(lookup.code, tighter).plan.accepts(found) else 0


def switched(scheme: Scheme, state: SwitchingState, plan: Plan, found: int) -> tuple[SwitchingState, str]:
    """The state for the next lot, and why it is another."""
    accepted = state.recent[-1]
    if state.severity is Severity.NORMAL:
        if state.recent.count(False) >= REFUSED_OF_FIVE:
            return SwitchingState(Severity.TIGHTENED), "two of five lots in a row were refused"
        if state.score >= SCORE_FOR_REDUCED and scheme.reduced_allowed:
            return SwitchingState(Severity.REDUCED), f"the switching score reached {SCORE_FOR_REDUCED}"
    elif state.severity is Severity.TIGHTENED:
        if state.refused_tightened >= REFUSED_TIGHTENED:
            return replace(state, stopped=True), "five lots were refused on tightened inspection"
        if len(state.recent) == ACCEPTED_IN_ROW and all(state.recent):
            return SwitchingState(Severity.NORMAL), "five lots in a row were accepted"
    elif not accepted or found > plan.accept:
        refused = "the lot was refused on reduced inspection"
        return SwitchingState(Severity.NORMAL), "more than Ac were found on reduced inspection" if accepted else refused
    return state, ""


def may_be_reduced(scheme: Scheme, state: SwitchingState) -> bool:
    """Whether only the agreement is missing for reduced inspection."""
    return state.severity is Severity.NORMAL and state.score >= SCORE_FOR_REDUCED and not scheme.reduced_allowed


# The ledger of a series of lots: a CSV file that people can read, replayed each time so that nothing hides in it.

COLUMNS: Final = (
    "lot", "found", "aql", "level", "severity", "code", "n", "ac", "re", "accepted", "next", "name", "readings",
    "resubmitted",
)  # fmt: skip
_REPLAYED: Final = COLUMNS[2:11]
"""What follows from the lots before, and must be as it is written."""


def read_ledger(path: Path, scheme: Scheme, start: Severity = Severity.NORMAL) -> LotSeries:
    """The series so far; a file that is not there yet is an empty one that begins with `start`.

    Only `lot` and `found` are needed. Where the ledger states how a lot was inspected, the replay must come to the
    same, or the file was changed.
    """
    if not path.exists():
        return LotSeries(state=SwitchingState(start))
    table = read_table(path)
    if table.has("class"):
        raise BadInput("ledger-of-classes", where=str(path))
    first = first_severity(table, start)
    lots = presented_in(table)
    with BadInput.located(str(path)):
        series = judge_series(scheme, lots, first)
    for row, judged in enumerate(series.lots):
        refuse_changed(judged, table, row, scheme)
    return series


def presented_in(table: Table) -> tuple[PresentedLot, ...]:
    """The lots of a ledger as they were presented."""
    names, readings, again = (
        table.columns.get(name, ("",) * len(table)) for name in ("name", "readings", "resubmitted")
    )
    seen = table.counts("inspected") if table.has("inspected") else (0,) * len(table)
    rows = zip(table.counts("lot"), table.counts("found"), names, readings, again, seen, strict=True)
    return tuple(
        PresentedLot(lot, found, name, key, word == "yes", all_of) for lot, found, name, key, word, all_of in rows
    )


def first_severity(table: Table, start: Severity, row: int = 0) -> Severity:
    """A series that was stopped begins again tightened, so the first lot's own word counts."""
    stated = table.columns["severity"][row] if table.has("severity") else ""
    if stated and stated not in set(Severity):
        raise BadInput("severity-unknown", where=f"{table.where}: line {table.lines[row]}", stated=stated[:20])
    return Severity(stated) if stated else start


def refuse_changed(judged: JudgedLot, table: Table, row: int, scheme: Scheme) -> None:
    """A row that states otherwise than what follows from the lots before it."""
    worked_out = row_of(judged, scheme)
    place = f"{table.where}: line {table.lines[row]}"
    for name in filter(table.has, _REPLAYED):
        cell = table.columns[name][row]
        if cell and cell != worked_out[name] and not _equal_number(cell, worked_out[name]):
            raise BadInput("ledger-contradicts", where=place, name=name, cell=cell[:20], worked_out=worked_out[name])


def _equal_number(left: str, right: str) -> bool:
    """Spreadsheets turn 1.0 into 1."""
    try:
        return Decimal(left.replace(",", ".")) == Decimal(right)
    except InvalidOperation:
        return False


def row_of(judged: JudgedLot, scheme: Scheme) -> dict[str, str]:
    """One line of the ledger."""
    assert judged.lookup is not None  # Where pieces are counted there is a plan.
    plan, lot = judged.lookup.plan, judged.presented
    cells = (
        lot.lot, lot.found, scheme.aql, scheme.level, judged.severity.value, judged.lookup.code,
        plan.size, plan.accept, plan.reject, "yes" if judged.accepted else "no", judged.next_severity,
        lot.name, lot.readings, "yes" if lot.resubmitted else "",
    )  # fmt: skip
    return dict(zip(COLUMNS, map(str, cells), strict=True))


def ledger_text(series: LotSeries, scheme: Scheme) -> str:
    """The whole ledger as CSV."""
    return as_csv(COLUMNS, (row_of(judged, scheme) for judged in series.lots))


def as_csv(columns: Sequence[str], rows: Iterable[dict[str, str]]) -> str:
    """Lines of a ledger under their heading."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def lookup_data(lookup: Lookup, scheme: Scheme, severity: Severity) -> dict[str, Any]:
    """The plan of a scheme in the form that scripts rely on."""
    return {
        "code": lookup.code, **plan_data(lookup.plan), "row": lookup.row, "whole_lot": lookup.whole_lot,
        "aql": float(scheme.aql), "level": scheme.level, "severity": severity.value,
    }  # fmt: skip
