"""The probability that the true value conforms, given what was measured and how well (JCGM 106:2012, clause 7)."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from inspect_kit.values.limits import Limits, lower_of, upper_of

Tail = Callable[[float], float]
"""Probability that a symmetric standard variable exceeds a score."""

_ROOT_TWO: Final = math.sqrt(2)
"""Between the score of the standard normal distribution and the argument of erfc."""


def conformance_probability(value: Decimal, standard: Decimal, limits: Limits, dof: Decimal | None = None) -> float:
    """The probability that the true value lies within the limits.

    Normal with mean `value` and standard deviation `standard`; a t-distribution scaled to them where `dof` is finite.
    Without uncertainty the value itself decides, and a value on the limit conforms.
    """
    tail = _tail(dof)
    return inside(*_scores(value, standard, limits), tail)


def nonconformance_probability(value: Decimal, standard: Decimal, limits: Limits, dof: Decimal | None = None) -> float:
    """The complement, computed by itself: one minus a probability near one would lose the small digits."""
    tail = _tail(dof)
    return outside(*_scores(value, standard, limits), tail)


def normal_tail(score: float) -> float:
    """Probability that a standard normal variable exceeds `score`; keeps its digits far out in the tail."""
    return 0.5 * math.erfc(score / _ROOT_TWO)


def inside(low: float, high: float, tail: Tail = normal_tail) -> float:
    """Probability that a standard variable lies between two scores.

    The smaller pair of tails is subtracted, so that an interval far from zero keeps its digits.
    """
    if low > 0:
        return max(0.0, tail(low) - tail(high))
    if high < 0:
        return max(0.0, tail(-high) - tail(-low))
    return max(0.0, 1 - tail(high) - tail(-low))


def outside(low: float, high: float, tail: Tail = normal_tail) -> float:
    """Probability that a standard variable lies below `low` or above `high`."""
    return min(1.0, tail(-low) + tail(high))


def _tail(dof: Decimal | None) -> Tail:
    if dof is None:
        return normal_tail
    if dof.is_nan() or dof <= 0:
        raise ValueError(f"degrees of freedom are positive, not {dof}")
    if dof.is_infinite():
        return normal_tail
    # Imported here because most results have infinitely many degrees of freedom and need not wait for scipy.
    from scipy.special import stdtr

    number = float(dof)
    return lambda score: float(stdtr(number, -score))


def _scores(value: Decimal, standard: Decimal, limits: Limits) -> tuple[float, float]:
    """How far either limit lies from the value, in standard uncertainties; a missing limit lies infinitely far."""
    if not (value.is_finite() and standard.is_finite() and standard >= 0):
        raise ValueError(f"a finite value and an uncertainty that is not negative are needed, not {value}, {standard}")
    lower, upper = lower_of(limits), upper_of(limits)
    low = -math.inf if lower is None else _score(lower, value, standard, -math.inf)
    high = math.inf if upper is None else _score(upper, value, standard, math.inf)
    return low, high


def _score(limit: Decimal, value: Decimal, standard: Decimal, on_limit: float) -> float:
    # Subtracted in decimal: in binary 4 − 1.6 lies above 2.4.
    if not limit.is_finite():
        raise ValueError("a limit is a finite number; no limit is AtLeast or AtMost")
    if standard:
        return float((limit - value) / standard)
    return on_limit if limit == value else math.copysign(math.inf, limit.compare(value))
