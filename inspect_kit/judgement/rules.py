"""Decision rules: how a value, its uncertainty and the limits become a verdict. Decided in decimal, ties included."""

from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from typing import Final

from inspect_kit.judgement.verdict import Reason, Verdict
from inspect_kit.values.limits import Limits, lower_of, upper_of

Decision = tuple[Verdict, Reason]
Rule = Callable[[Decimal, Decimal, Limits], Decision]
"""Value, expanded uncertainty U and limits → verdict and reason."""


class RuleName(StrEnum):
    """The rules a federation can choose from."""

    SIMPLE = "simple"
    GUARDED = "guarded"


def simple(value: Decimal, expanded: Decimal, limits: Limits) -> Decision:
    """Simple acceptance (JCGM 106, 8.2): the value decides, a value on the limit conforms."""
    del expanded
    lower, upper = lower_of(limits), upper_of(limits)
    if lower is not None and value < lower:
        return Verdict.FAILS, Reason.BELOW_LOWER
    if upper is not None and value > upper:
        return Verdict.FAILS, Reason.ABOVE_UPPER
    return Verdict.CONFORMS, Reason.WITHIN


def guarded(value: Decimal, expanded: Decimal, limits: Limits) -> Decision:
    """Guard bands of U on both sides of each limit (JCGM 106, 8.3; the non-binary rule of ILAC-G8).

    Conforms inside the limits by at least U, fails outside by more than U, undecided between.
    """
    verdict, reason = simple(value, expanded, limits)
    distance = _distance(value, limits)
    if verdict is Verdict.CONFORMS:
        return (verdict, reason) if distance >= expanded else (Verdict.UNDECIDED, Reason.CONDITIONAL_PASS)
    return (verdict, reason) if distance > expanded else (Verdict.UNDECIDED, Reason.CONDITIONAL_FAIL)


def _distance(value: Decimal, limits: Limits) -> Decimal:
    """How far the value is from the limit that is nearest to it, or that it is beyond."""
    lower, upper = lower_of(limits), upper_of(limits)
    gaps = [abs(value - limit) for limit in (lower, upper) if limit is not None]
    return min(gaps)


RULES: Final[dict[RuleName, Rule]] = {RuleName.SIMPLE: simple, RuleName.GUARDED: guarded}
NEEDS_UNCERTAINTY: Final = frozenset({RuleName.GUARDED})
"""Rules that say nothing about a value whose uncertainty nobody knows."""
