"""How a lot is decided: every piece inspected, a sample counted, or a sample measured."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.judgement.finding import Verdict
from inspect_kit.quality.attributes import Lookup, Severity, look_up
from inspect_kit.quality.variables import Standard, VariablesLookup, Wanted, look_up_variables


class Sampling(StrEnum):
    """The three ways."""

    ALL = "all"
    ATTRIBUTES = "attributes"
    VARIABLES = "variables"


@dataclass(frozen=True, slots=True)
class LotPlan:
    """The plan for one lot. Without an AQL every piece is inspected and none may fail."""

    size: int
    kind: Sampling = Sampling.ALL
    aql: Decimal | None = None
    level: str = ""
    severity: Severity = Severity.NORMAL
    attributes: Lookup | None = None
    variables: VariablesLookup | None = None
    standard: Standard = Standard.Z19
    sigma: float | None = None

    @property
    def sample(self) -> int:
        """How many pieces the plan wants to see."""
        if self.attributes is not None:
            return self.attributes.plan.size
        return min(self.variables.size, self.size) if self.variables is not None else self.size


@dataclass(frozen=True, slots=True)
class Agreed:
    """What maker and buyer agreed on; nothing means that all pieces are inspected."""

    aql: Decimal | None = None
    level: str = ""
    severity: Severity = Severity.NORMAL
    by_variables: bool = False
    standard: Standard = Standard.Z19
    sigma: float | None = None


def plan_for(size: int, agreed: Agreed) -> LotPlan:
    """The plan that the tables give for a lot of that size."""
    if agreed.aql is None:
        if agreed.by_variables:
            raise UsageError("a plan by variables needs --aql")
        return LotPlan(size)
    if not agreed.by_variables:
        found = look_up(size, agreed.aql, agreed.level or "II", agreed.severity)
        return LotPlan(size, Sampling.ATTRIBUTES, agreed.aql, agreed.level or "II", agreed.severity, found)
    wanted = Wanted(size, agreed.aql, agreed.level, agreed.severity, sigma_known=agreed.sigma is not None)
    measured = look_up_variables(wanted, agreed.standard)
    return LotPlan(
        size, Sampling.VARIABLES, agreed.aql, agreed.level, agreed.severity, None, measured, agreed.standard,
        agreed.sigma,
    )  # fmt: skip


def check_sample(plan: LotPlan, pieces: int, where: str) -> None:
    """The sample must be the plan's, no smaller and no larger: a plan's risks hold for its own size only."""
    if pieces == plan.sample:
        return
    if plan.kind is Sampling.ALL:
        raise BadInput(
            f"has {pieces} pieces of a lot of {plan.size}", where=where, hint="give --aql to decide by a sample"
        )
    raise BadInput(f"has {pieces} pieces, the plan wants a sample of {plan.sample}", where=where)


def decided(plan: LotPlan, failed: int, still_open: int) -> Verdict:
    """The verdict on a lot by counted pieces.

    Pieces that are still open may turn out either way: only if that cannot change the outcome is there a verdict.
    """
    if plan.attributes is None:
        return Verdict.FAILS if failed else Verdict.UNDECIDED if still_open else Verdict.CONFORMS
    accepts = plan.attributes.plan.accepts
    if accepts(failed + still_open):
        return Verdict.CONFORMS
    return Verdict.UNDECIDED if accepts(failed) else Verdict.FAILS
