"""From lot to lot: when inspection is tightened, relaxed, reduced or stopped.

Tables are MIL-STD-105E's. To tightened: two of five or fewer consecutive lots refused on normal inspection. Back to
normal: five in a row accepted. Stopped: five lots refused on tightened inspection. To reduced: a switching score of 30
(ISO 2859-1), which has taken the place of 105E's limit numbers, and only where production is steady and the responsible
body agrees. Back from reduced: a lot refused, or accepted with more than Ac found.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from inspect_kit.errors import UsageError
from inspect_kit.quality.sampling.attributes import STANDARD, Lookup, Severity, aql_column, look_up, plan_data, plan_of
from inspect_kit.quality.sampling.tables import aqls

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


def refuse_stopped(state: SwitchingState) -> None:
    """Five lots refused on tightened inspection end the series."""
    if state.stopped:
        raise UsageError("inspection-stopped")


def judge_lot(scheme: Scheme, state: SwitchingState, lot: PresentedLot, *, by_values: bool | None = None) -> JudgedLot:
    """The next lot of a series, by the pieces found on it; `by_values` says whether measured values accept it instead.

    By values inspection is never reduced: the limits that Z1.9 asks for are not in our tables.
    """
    refuse_stopped(state)
    lookup = _plan_for(scheme, state, lot) if by_values is None else None
    accepted = lookup.plan.accepts(lot.found) if lookup else bool(by_values)
    if lot.resubmitted:
        return JudgedLot(lot, state.severity, accepted, state, lookup=lookup)
    tallied = _counted(state, accepted)
    if lookup and state.severity is Severity.NORMAL:
        tallied = replace(tallied, score=_score(scheme, state, lookup, lot.found))
    after, because = _switched(scheme, tallied, too_many=lookup is not None and lot.found > lookup.plan.accept)
    return JudgedLot(lot, state.severity, accepted, after, because, lookup)


def _plan_for(scheme: Scheme, state: SwitchingState, lot: PresentedLot) -> Lookup:
    lookup = look_up(lot.lot, scheme.aql, scheme.level, state.severity)
    seen = max(lookup.plan.size, lot.inspected)
    if lot.found > seen and scheme.aql <= LARGEST_PERCENTAGE:
        raise UsageError("nonconforming-pieces-not-found-sample", found=lot.found, size=seen)
    return lookup


def _counted(state: SwitchingState, accepted: bool) -> SwitchingState:
    """The state with one lot more behind it."""
    refused = state.severity is Severity.TIGHTENED and not accepted
    return replace(
        state, recent=(*state.recent, accepted)[-ACCEPTED_IN_ROW:], refused_tightened=state.refused_tightened + refused
    )


def _score(scheme: Scheme, state: SwitchingState, lookup: Lookup, found: int) -> int:
    """The switching score: +3 if the lot would have passed one AQL step tighter (Ac of 2 or more), +2 for Ac 0 or 1."""
    if lookup.plan.accept < 2:
        return state.score + 2 if lookup.plan.accepts(found) else 0
    tighter = Decimal(aqls(STANDARD)[max(0, aql_column(scheme.aql) - 1)])
    return state.score + 3 if plan_of(lookup.code, tighter).plan.accepts(found) else 0


def _switched(scheme: Scheme, state: SwitchingState, *, too_many: bool) -> tuple[SwitchingState, str]:
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
    elif not accepted or too_many:
        refused = "the lot was refused on reduced inspection"
        return SwitchingState(Severity.NORMAL), "more than Ac were found on reduced inspection" if accepted else refused
    return state, ""


def may_be_reduced(scheme: Scheme, state: SwitchingState) -> bool:
    """Whether only the agreement is missing for reduced inspection."""
    return state.severity is Severity.NORMAL and state.score >= SCORE_FOR_REDUCED and not scheme.reduced_allowed


def lookup_data(lookup: Lookup, scheme: Scheme, severity: Severity) -> dict[str, Any]:
    """The plan of a scheme in the form that scripts rely on."""
    return {
        "code": lookup.code, **plan_data(lookup.plan), "row": lookup.row, "whole_lot": lookup.whole_lot,
        "aql": float(scheme.aql), "level": scheme.level, "severity": severity.value,
    }  # fmt: skip
