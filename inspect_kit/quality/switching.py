"""From lot to lot: when inspection is tightened, relaxed, reduced or stopped.

Tables are MIL-STD-105E's. To tightened: two of five or fewer consecutive lots refused on normal inspection. Back to
normal: five in a row accepted. Stopped: five lots refused on tightened inspection. To reduced: a switching score of 30
(ISO 2859-1), which has taken the place of 105E's limit numbers, and only where production is steady and the responsible
body agrees. Back from reduced: a lot refused, or accepted with more than Ac found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from inspect_kit.errors import UsageError
from inspect_kit.quality.attributes import Lookup, Plan, Severity, aql_column, look_up, plan_of
from inspect_kit.quality.master_tables import AQLS

REFUSED_OF_FIVE: Final = 2
ACCEPTED_IN_ROW: Final = 5
REFUSED_TIGHTENED: Final = 5
SCORE_FOR_REDUCED: Final = 30
LARGEST_PERCENTAGE: Final = Decimal(10)
"""Larger AQLs count nonconformities, of which one piece may have several."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """What was agreed for all lots of a series."""

    aql: Decimal
    level: str = "II"
    reduced_allowed: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """Where a series stands before its next lot."""

    severity: Severity = Severity.NORMAL
    recent: tuple[bool, ...] = ()
    score: int = 0
    refused_tightened: int = 0
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """One lot of a series: how it was inspected, what came out, and how the next one is."""

    lot: int
    found: int
    severity: Severity
    lookup: Lookup
    accepted: bool
    after: State
    because: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Lots in order, and where the series stands after them."""

    lots: tuple[Judged, ...] = ()
    state: State = field(default_factory=State)


def follow(scheme: Scheme, lots: Iterable[tuple[int, int]], start: Severity = Severity.NORMAL) -> Series:
    """Judge lots (size, nonconforming pieces found) one after the other, switching as the rules say."""
    series = Series(state=State(start))
    for size, found in lots:
        judged = judge_lot(scheme, series.state, size, found)
        series = Series((*series.lots, judged), judged.after)
    return series


def judge_lot(scheme: Scheme, state: State, size: int, found: int) -> Judged:
    """The next lot of a series."""
    if state.stopped:
        raise UsageError(
            "inspection was stopped after five lots refused on tightened inspection",
            hint="put the process right, then start a new ledger with --severity tightened",
        )
    lookup = look_up(size, scheme.aql, scheme.level, state.severity)
    if found > lookup.plan.size and scheme.aql <= LARGEST_PERCENTAGE:
        raise UsageError(f"{found} nonconforming pieces were not found in a sample of {lookup.plan.size}")
    accepted = lookup.plan.accepts(found)
    counted = _counted(state, accepted)
    if state.severity is Severity.NORMAL:
        counted = replace(counted, score=_score(scheme, state, lookup, found))
    after, because = _switched(scheme, counted, lookup.plan, found)
    return Judged(size, found, state.severity, lookup, accepted, after, because)


def _counted(state: State, accepted: bool) -> State:
    refused = state.severity is Severity.TIGHTENED and not accepted
    return replace(
        state,
        recent=(*state.recent, accepted)[-ACCEPTED_IN_ROW:],
        refused_tightened=state.refused_tightened + refused,
    )


def _score(scheme: Scheme, state: State, lookup: Lookup, found: int) -> int:
    """The switching score: +3 if the lot would have passed one AQL step tighter (Ac of 2 or more), +2 for Ac 0 or 1."""
    if lookup.plan.accept < 2:
        return state.score + 2 if lookup.plan.accepts(found) else 0
    tighter = Decimal(AQLS[max(0, aql_column(scheme.aql) - 1)])
    return state.score + 3 if plan_of(lookup.code, tighter).plan.accepts(found) else 0


def _switched(scheme: Scheme, state: State, plan: Plan, found: int) -> tuple[State, str]:
    accepted = state.recent[-1]
    if state.severity is Severity.NORMAL:
        if state.recent.count(False) >= REFUSED_OF_FIVE:
            return State(Severity.TIGHTENED), "two of five lots in a row were refused"
        if state.score >= SCORE_FOR_REDUCED and scheme.reduced_allowed:
            return State(Severity.REDUCED), f"the switching score reached {SCORE_FOR_REDUCED}"
    elif state.severity is Severity.TIGHTENED:
        if state.refused_tightened >= REFUSED_TIGHTENED:
            return replace(state, stopped=True), "five lots were refused on tightened inspection"
        if len(state.recent) == ACCEPTED_IN_ROW and all(state.recent):
            return State(Severity.NORMAL), "five lots in a row were accepted"
    elif not accepted or found > plan.accept:
        why = "more than Ac were found" if accepted else "the lot was refused"
        return State(Severity.NORMAL), f"{why} on reduced inspection"
    return state, ""


def may_be_reduced(scheme: Scheme, state: State) -> bool:
    """Whether only the agreement is missing for reduced inspection."""
    return state.severity is Severity.NORMAL and state.score >= SCORE_FOR_REDUCED and not scheme.reduced_allowed
