"""The risks of deciding: accepting what does not conform, rejecting what does, and the guard bands that limit them.

Specific risks speak of one measured piece. Global risks speak of the next piece from a known production, before it is
measured (JCGM 106:2012, clause 9), and mean nothing without their assumptions: those are kept beside the number.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import pairwise
from typing import Final

from inspect_kit.values.limits import Limits, limits_from, lower_of, upper_of

Tail = Callable[[float], float]
"""Probability that a symmetric standard variable exceeds a score."""

_LAST_DIGITS: Final = 1e-15
"""Relative change below which a continued fraction is done: the last digits of a double."""
_NEARLY_NORMAL: Final = 1e5
"""Degrees of freedom from which on Student's tail is a normal one at a moved score (Abramowitz and Stegun 26.7.8)."""


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
    return 0.5 * math.erfc(score / math.sqrt(2))


def student_tail(score: float, dof: float) -> float:
    """Probability that Student's t exceeds `score`: half an incomplete beta function, in digits as far out as above.

    Written here because a verdict on repeated readings need not wait until scipy is loaded, longer than all else.
    """
    if score < 0:
        return 1 - student_tail(-score, dof)
    square, a = score / dof * score, dof / 2
    if math.isinf(square):
        return 0.0
    if dof > _NEARLY_NORMAL:
        return normal_tail(score * (1 - 1 / (4 * dof)) / math.sqrt(1 + square / 2))
    x = 1 / (1 + square)
    front = math.exp(-a * math.log1p(square)) * math.sqrt(square * x / math.pi) * _gamma_ratio(a)
    if x < (a + 1) / (a + 2.5):
        return front * _beta_fraction(a, 0.5, x) / dof
    return 0.5 - front * _beta_fraction(0.5, a, square * x)


def _gamma_ratio(a: float) -> float:
    """Γ(a + ½) / Γ(a); from 100 on by its series, whose next term is below the last digit of a double."""
    if a < 100:
        return math.gamma(a + 0.5) / math.gamma(a)
    return math.sqrt(a) * (1 - (1 - (1 + (5 - 21 / (32 * a)) / (8 * a)) / (16 * a)) / (8 * a))


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    found, change, m = d, 2.0, 0
    while abs(change - 1) > _LAST_DIGITS:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for term in (even, odd):
            c, d = 1 + term / c, 1 / (1 + term * d)
            change *= c * d
        found *= change
    return found


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
    number = float(dof)
    return lambda score: student_tail(score, number)


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


# The risks of deciding: accepting what does not conform, rejecting what does, and the guard bands that limit them.


_FARTHEST: Final = 38
"""Standard deviations beyond which a normal density is zero in double precision."""

_NODES: Final = 16
"""Gauss–Legendre nodes on a panel one standard deviation wide: exact to the last digits of a double."""


def specific_consumer_risk(value: Decimal, standard: Decimal, limits: Limits, dof: Decimal | None = None) -> float:
    """The probability that this piece, if accepted, does not conform: 1 − p_c."""
    return nonconformance_probability(value, standard, limits, dof)


def specific_producer_risk(value: Decimal, standard: Decimal, limits: Limits, dof: Decimal | None = None) -> float:
    """The probability that this piece, if rejected, conforms after all: p_c."""
    return conformance_probability(value, standard, limits, dof)


def narrowed(limits: Limits, width: Decimal) -> Limits:
    """The acceptance interval behind a guard band: A_U = T_U − w, A_L = T_L + w; a negative width relaxes it."""
    lower, upper = lower_of(limits), upper_of(limits)
    result = limits_from(None if lower is None else lower + width, None if upper is None else upper - width)
    assert result is not None
    return result


def worst_case_risk(ratio: float, coverage: float = 2.0) -> float:
    """Consumer's risk of a value on a one-sided acceptance limit, with a guard band w = ratio · U and U = coverage · u.

    ILAC-G8:09/2019, 4.2: 50 % without a guard band, below 2.5 % with w = U.
    """
    if not (math.isfinite(ratio) and 0 < coverage < math.inf):
        raise ValueError("the ratio is a number and the coverage factor a positive one")
    return normal_tail(ratio * coverage)


def ratio_for_worst_case(risk: float, coverage: float = 2.0) -> float:
    """The guard band w/U that keeps the worst case at `risk`: 0.82 for 5 % and U = 2u."""
    if not (0 < risk < 1 and 0 < coverage < math.inf):
        raise ValueError("a risk lies between 0 and 1, and a coverage factor is positive")
    from statistics import NormalDist

    return -NormalDist().inv_cdf(risk) / coverage


def dobbert_factor(ratio: float) -> float:
    """Acceptance ÷ tolerance half-width by Dobbert's Method 6, from the ratio of tolerance to U = 2u.

    Keeps the global consumer's risk at 2 % or less, whatever the production: 1 − (1.04 − e^(0.38 ln TUR − 0.54)) / TUR.
    """
    _check_ratio(ratio)
    factor = 1 - (1.04 - math.exp(0.38 * math.log(ratio) - 0.54)) / ratio
    # Above TUR 4.6 the formula would accept beyond the tolerance; no band is needed there, and none is a relaxation.
    return min(1.0, _left(factor, ratio))


def rss_factor(ratio: float) -> float:
    """Acceptance ÷ tolerance half-width by root-sum-square, √(1 − 1/TUR²), from the ratio of tolerance to U = 2u."""
    _check_ratio(ratio)
    return math.sqrt(_left(1 - 1 / ratio**2, ratio))


def _check_ratio(ratio: float) -> None:
    if not 0 < ratio < math.inf:
        raise ValueError(f"the ratio of tolerance to uncertainty is positive, not {ratio}")


def _left(share: float, ratio: float) -> float:
    if share < 0:
        raise ValueError(f"at a ratio of {ratio} the guard band leaves nothing to accept")
    return share


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What a global risk rests on: a normal production, a normal measurement, and the rule."""

    prior_mean: Decimal
    prior_standard: Decimal
    standard: Decimal
    limits: Limits
    acceptance: Limits

    def __post_init__(self) -> None:
        edges = (lower_of(self.limits), upper_of(self.limits), lower_of(self.acceptance), upper_of(self.acceptance))
        numbers = (self.prior_mean, self.prior_standard, self.standard, *(edge for edge in edges if edge is not None))
        if not all(number.is_finite() for number in numbers):
            raise ValueError("every assumption is a finite number; no limit is AtLeast or AtMost")
        if self.prior_standard <= 0:
            raise ValueError("the production's standard deviation is positive")
        if self.standard < 0:
            raise ValueError("a standard uncertainty is not negative")
        if math.isinf(self.noise):
            raise ValueError("the uncertainty is too large beside the production's standard deviation")

    @property
    def noise(self) -> float:
        """The measurement's standard uncertainty in standard deviations of the production."""
        return float(self.standard / self.prior_standard)

    def __str__(self) -> str:
        return (
            f"production normal, mean {self.prior_mean}, standard deviation {self.prior_standard}; "
            f"measurement normal, u = {self.standard}; "
            f"conforming {_interval(self.limits)}; accepted {_interval(self.acceptance)}"
        )


def _interval(limits: Limits) -> str:
    lower, upper = lower_of(limits), upper_of(limits)
    if lower is None:
        return f"up to {upper}"
    return f"from {lower}" if upper is None else f"from {lower} to {upper}"


@dataclass(frozen=True, slots=True)
class GlobalRisk:
    """The risks of a rule for the next piece, with the assumptions they hold under."""

    assumptions: Assumptions
    consumer: float
    """R_C: does not conform and is accepted."""
    producer: float
    """R_P: conforms and is rejected."""
    conforming: float
    """Share of the production that conforms."""
    accepted: float
    """Share of the production that is accepted."""

    @property
    def conditional_consumer(self) -> float | None:
        """Share of the accepted pieces that do not conform; `None` where none is accepted."""
        return min(1.0, self.consumer / self.accepted) if self.accepted else None


def global_risk(assumptions: Assumptions) -> GlobalRisk:
    """Both global risks, by quadrature over the production."""
    limits = _standardised(assumptions.limits, assumptions)
    acceptance = _standardised(assumptions.acceptance, assumptions)
    noise = assumptions.noise
    spread = math.hypot(1, noise)
    panels = _panels((*limits, *acceptance), acceptance, noise)
    return GlobalRisk(
        assumptions,
        consumer=_integral(_density(acceptance, noise, inside), (p for p in panels if not _within(p, limits))),
        producer=_integral(_density(acceptance, noise, outside), (p for p in panels if _within(p, limits))),
        conforming=inside(*limits),
        accepted=inside(acceptance[0] / spread, acceptance[1] / spread),
    )


Pair = tuple[float, float]


def _standardised(limits: Limits, assumptions: Assumptions) -> Pair:
    """The limits in standard deviations of the production from its mean; a missing one lies at infinity."""
    lower, upper = lower_of(limits), upper_of(limits)
    mean, standard = assumptions.prior_mean, assumptions.prior_standard
    low = -math.inf if lower is None else float((lower - mean) / standard)
    high = math.inf if upper is None else float((upper - mean) / standard)
    return low, high


def _density(acceptance: Pair, noise: float, region: Callable[[float, float], float]) -> Callable[[float], float]:
    """The production's density times the probability that the reading falls inside, or outside, the acceptance."""
    low, high = acceptance

    def density(true: float) -> float:
        weight = math.exp(-true * true / 2) / math.sqrt(2 * math.pi)
        return weight * region(_over(low - true, noise), _over(high - true, noise))

    return density


def _over(distance: float, noise: float) -> float:
    return distance / noise if noise else math.copysign(math.inf, distance)


def _panels(breaks: Iterable[float], acceptance: Pair, noise: float) -> tuple[Pair, ...]:
    """Pieces of the real line on which the integrand is smooth.

    It changes over one standard deviation of the production, and near an acceptance limit over one of the measurement,
    which may be a thousand times less: quadrature that does not know where to look misses that step.
    """
    steps = range(-_FARTHEST, _FARTHEST + 1)
    layers = (edge + noise * step for edge in acceptance if math.isfinite(edge) for step in steps)
    points = {min(max(point, -_FARTHEST), _FARTHEST) for point in (*steps, *breaks, *layers)}
    return tuple(pairwise(sorted(points)))


def _within(panel: Pair, limits: Pair) -> bool:
    return limits[0] <= panel[0] and panel[1] <= limits[1]


def _integral(density: Callable[[float], float], panels: Iterable[Pair]) -> float:
    total = math.fsum(
        (end - start) / 2 * weight * density((start + end) / 2 + (end - start) / 2 * node)
        for start, end in panels
        for node, weight in _gauss_legendre()
    )
    return min(1.0, total)


@cache
def _gauss_legendre() -> tuple[Pair, ...]:
    # Imported here so that deciding about a piece, which needs no quadrature, does not wait for numpy.
    from numpy.polynomial.legendre import leggauss

    nodes, weights = leggauss(_NODES)
    return tuple(zip(nodes.tolist(), weights.tolist(), strict=True))
