"""Sampling by attributes (MIL-STD-105E): which sample a lot needs, what it may show, and when severity switches."""

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from inspect_kit.errors import UsageError
from inspect_kit.quality.sampling.tables import aqls, letter_of, levels_of, rows_of

STANDARD: Final = "mil-std-105e"
"""Whose tables."""


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


def aql_column(aql: Decimal) -> int:
    """The place of an AQL in the series; one that is not in it is an error, not rounded."""
    for column, printed in enumerate(aqls(STANDARD)):
        if Decimal(printed) == aql:
            return column
    raise UsageError("not-aql-series", aql=aql, aqls=", ".join(aqls(STANDARD)))


def code_letter(lot: int, level: str) -> str:
    """The sample size code letter (Table I)."""
    if level not in levels_of(STANDARD):
        raise UsageError("not-inspection-level", level=level[:20], levels=", ".join(levels_of(STANDARD)))
    return letter_of(STANDARD, lot, level)


def look_up(lot: int, aql: Decimal, level: str = "II", severity: Severity = Severity.NORMAL) -> Lookup:
    """The plan for a lot; a sample that would not be smaller than the lot is the whole lot."""
    found = plan_of(code_letter(lot, level), aql, severity)
    if found.plan.size < lot:
        return found
    return replace(found, plan=replace(found.plan, size=lot), whole_lot=True)


def plan_of(code: str, aql: Decimal, severity: Severity = Severity.NORMAL) -> Lookup:
    """The plan at a code letter and an AQL, arrows followed to the row that has one."""
    rows, column = rows_of(STANDARD, severity.value), 2 + aql_column(aql)
    place = next(number for number, row in enumerate(rows) if row[0] == code)
    while rows[place][column] in "v^":
        place += 1 if rows[place][column] == "v" else -1
    letter, size = rows[place][:2]
    accept, _, reject = rows[place][column].partition("/")
    return Lookup(code, letter, Plan(int(size), int(accept), int(reject) if reject else int(accept) + 1))


def plan_data(plan: Plan) -> dict[str, Any]:
    """A plan in the form that scripts rely on."""
    return {"n": plan.size, "ac": plan.accept, "re": plan.reject}


# Double and multiple sampling by attributes (MIL-STD-105E, tables III and IV): clear lots are decided early.

NEVER: Final = -1
"""A lot cannot be accepted at this stage."""


@dataclass(frozen=True, slots=True)
class Stage:
    """After `size` more pieces: accept with up to `accept` found so far, refuse with `reject`, else go on."""

    size: int
    accept: int
    reject: int


@dataclass(frozen=True)
class StagedPlan:
    """A plan in stages; the last one decides."""

    code: str
    stages: tuple[Stage, ...]

    def acceptance(self, fraction: float) -> float:
        """Probability that a lot of this quality is accepted (binomial)."""
        return self._walk(fraction)[0]

    def mean_sample(self, fraction: float) -> float:
        """Pieces inspected on average."""
        return self._walk(fraction)[1]

    def _walk(self, fraction: float) -> tuple[float, float]:
        # Looked up plans need no arithmetic: they do not wait for these.
        import numpy as np
        from scipy.stats import binom

        found = np.array([1.0])
        accepted = inspected = 0.0
        for stage in self.stages:
            inspected += stage.size * float(found.sum())
            found = np.convolve(found, binom.pmf(np.arange(stage.size + 1), stage.size, fraction))
            accepted += float(found[: stage.accept + 1].sum()) if stage.accept != NEVER else 0.0
            numbers = np.arange(len(found))
            found = np.where((numbers > stage.accept) & (numbers < stage.reject), found, 0.0)
        return accepted, inspected


def staged(
    lot: int, aql: Decimal, level: str = "II", severity: Severity = Severity.NORMAL, *, multiple: bool = False
) -> StagedPlan:
    """The double or multiple plan that goes with the single one of the tables."""
    if severity is Severity.REDUCED:
        raise UsageError("stages-not-reduced")
    single = look_up(lot, aql, level, severity)
    row = plan_of(single.code, aql, severity)
    table, before = ("multiple", 3) if multiple else ("double", 1)
    pairs = {int(accept): stages for accept, *stages in rows_of(STANDARD, table)}.get(row.plan.accept)
    samples = {letter: int(size) for letter, size, *_ in rows_of(STANDARD, severity.value)}
    place = list(samples).index(row.row) - before
    if pairs is None or place < 0:
        code = "no-multiple-plan" if multiple else "no-double-plan"
        raise UsageError(code, size=row.plan.size, accept=row.plan.accept)
    # Each stage has the single sample of one letter before, or of three.
    size = list(samples.values())[place]
    numbers = (pair.split("/") for pair in pairs)
    stages = tuple(Stage(size, NEVER if ac == "#" else int(ac), int(re)) for ac, re in numbers)
    if size * len(stages) > lot:
        raise UsageError("lot-too-small-stages", lot=lot, size=size)
    return StagedPlan(single.code, stages)


# From lot to lot: when inspection is tightened, relaxed, reduced or stopped.


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
