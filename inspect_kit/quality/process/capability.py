"""Process capability: the spread within readings taken together, and how it fits between limits, and how surely."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, pi, sqrt
from typing import Final

import numpy as np
from scipy.special import chdtri, ndtr, ndtri

from inspect_kit.errors import BadInput
from inspect_kit.quality.sample import Floats, Sample
from inspect_kit.values.limits import Limits, lower_of, upper_of

_REACH: Final = 9.5
"""Beyond this many standard deviations nothing of a double is left."""


def c4(size: int) -> float:
    """Mean of s ÷ σ in samples of `size`."""
    return sqrt(2 / (size - 1)) * exp(lgamma(size / 2) - lgamma((size - 1) / 2))


@lru_cache(maxsize=256)
def d2(size: int) -> float:
    """Mean range ÷ σ: ∫ 1 − Φⁿ − (1 − Φ)ⁿ dx, by the trapezoidal rule, which is exact for such smooth tails."""
    points, step = np.linspace(-_REACH, _REACH, 2001, retstep=True)
    below = ndtr(points)
    return float(np.sum(1 - below**size - ndtr(-points) ** size) * step)


@lru_cache(maxsize=256)
def d3(size: int) -> float:
    """Standard deviation of the range ÷ σ, from E[W²] = 2 ∫ w (1 − F(w)) dw."""
    nodes, weights = np.polynomial.legendre.leggauss(160)
    widths = (nodes + 1) * _REACH
    points, step = np.linspace(-_REACH, _REACH, 1201, retstep=True)
    density = np.exp(-(points**2) / 2) / sqrt(2 * np.pi)
    inside = ndtr(points[None, :] + widths[:, None]) - ndtr(points)[None, :]
    reached = size * np.sum(density * inside ** (size - 1), axis=1) * step
    second = 2 * _REACH * float(np.sum(weights * widths * (1 - reached)))
    return sqrt(second - d2(size) ** 2)


def d2_star(size: int, groups: int) -> float:
    """The divisor of a mean range of few groups, √(d2² + d3²/g), for which its square is unbiased."""
    return sqrt(d2(size) ** 2 + d3(size) ** 2 / groups)


def range_factors(size: int) -> tuple[float, float]:
    """D3 and D4: limits of a range chart ÷ mean range."""
    spread = 3 * d3(size) / d2(size)
    return max(0.0, 1 - spread), 1 + spread


_PAIR_VARIANCE: Final = 2 * (1 - 2 / pi)
"""Variance of |x₁ − x₂|, for σ = 1."""
_PAIR_COVARIANCE: Final = 4 / pi * (sqrt(3) / 2 + pi / 12 - 1)
"""Covariance of |x₁ − x₂| with |x₂ − x₃|, for σ = 1."""


@dataclass(frozen=True, slots=True)
class SigmaEstimate:
    """An estimate of σ, and how many degrees of freedom an s of the same precision would have."""

    sigma: float
    dof: float
    method: str


def grouped(sample: Sample, labels: Sequence[str], where: str) -> dict[str, Floats]:
    """The offsets by subgroup, in order of appearance; each subgroup needs two readings."""
    groups: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        groups.setdefault(label, []).append(row)
    for label, rows in groups.items():
        if len(rows) < 2:
            raise BadInput("subgroup-single-reading", where=where, label=label[:40])
    if len(groups) < 2:
        raise BadInput("only-one-subgroup", where=where)
    return {label: sample.offsets[rows] for label, rows in groups.items()}


def spread_of_ranges(groups: Sequence[Floats]) -> SigmaEstimate:
    """Mean range ÷ d2; with unequal subgroups the mean of each range ÷ its own d2."""
    ranges = np.array([np.ptp(group) for group in groups])
    divisors = np.array([d2(len(group)) for group in groups])
    sizes = {len(group) for group in groups}
    sigma = ranges.mean() / divisors[0] if len(sizes) == 1 else (ranges / divisors).mean()
    variance = sum((d3(len(group)) / d2(len(group))) ** 2 for group in groups) / len(groups) ** 2
    return SigmaEstimate(float(sigma), 1 / (2 * variance), "mean range ÷ d2")


def pooled_spread(groups: Sequence[Floats]) -> SigmaEstimate:
    """The pooled standard deviation within subgroups, √(Σ(nᵢ − 1)sᵢ² ÷ Σ(nᵢ − 1)): all of what they know."""
    dof = sum(len(group) - 1 for group in groups)
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    return SigmaEstimate(sqrt(squares / dof), float(dof), "pooled s of the subgroups")


def moving_ranges(offsets: Floats) -> Floats:
    """The distances of neighbours."""
    return np.abs(np.diff(offsets))


def spread_of_moving_ranges(offsets: Floats) -> SigmaEstimate:
    """Mean moving range of two ÷ d2; its precision allows for neighbours sharing a reading."""
    steps = len(offsets) - 1
    variance = (steps * _PAIR_VARIANCE + 2 * (steps - 1) * _PAIR_COVARIANCE) / (steps * d2(2)) ** 2
    return SigmaEstimate(
        float(moving_ranges(offsets).mean()) / d2(2), 1 / (2 * variance), "mean moving range of two ÷ d2"
    )


def one_way(groups: Sequence[Floats]) -> tuple[float, float]:
    """Whether subgroups differ by more than their scatter (one-way analysis of variance): F and its p-value.

    The offsets of all groups must have one origin.
    """
    from scipy.special import fdtrc

    everything = np.concatenate(groups)
    centre = everything.mean()
    between = sum(len(group) * (group.mean() - centre) ** 2 for group in groups)
    within = sum(((group - group.mean()) ** 2).sum() for group in groups)
    above, below = len(groups) - 1, len(everything) - len(groups)
    if within == 0:
        raise BadInput("no-spread-in-groups")
    f = float(between / above / (within / below))
    return f, float(fdtrc(above, below, f))


def subgroup_data(groups: Sequence[Floats]) -> dict[str, object]:
    """Whether subgroups differ, in the form that scripts rely on."""
    if not groups:
        return {}
    f, p_value = one_way(groups)
    return {"subgroups": len(groups), "subgroup_f": f, "subgroup_p": p_value}


# How the spread of a process fits between its limits, with the confidence the sample allows.


CONFIDENCE: Final = 0.95
"""Of the intervals, two-sided."""
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Index:
    """Potential (Cp, Pp; `None` with one limit) and actual capability (Cpk, Ppk) with their confidence limits."""

    potential: float | None
    actual: float
    potential_interval: Interval | None
    actual_interval: Interval


@dataclass(frozen=True, slots=True)
class Capability:
    """All that a capability study says."""

    count: int
    mean: float
    within: SigmaEstimate
    overall: SigmaEstimate
    short_term: Index
    long_term: Index
    outside: int
    expected_fraction: float
    normality_p: float | None


def capability(
    sample: Sample, limits: Limits, groups: Sequence[Floats] = (), where: str = "", *, pooled: bool = False
) -> Capability:
    """The study of readings in order of making; with `groups`, σ within comes from their ranges or is pooled."""
    count = len(sample)
    if count < 2:
        raise BadInput("capability-study-needs-least-two", where=where)
    by_groups = pooled_spread if pooled else spread_of_ranges
    within = by_groups(groups) if groups else spread_of_moving_ranges(sample.offsets)
    overall = SigmaEstimate(sample.deviation, count - 1, "s with n − 1")
    if within.sigma == 0 or overall.sigma == 0:
        raise BadInput("no-spread", where=where)
    room = _room(sample, limits)
    return Capability(
        count, sample.mean, within, overall,
        _index(room, within, count), _index(room, overall, count),
        outside=_outside(sample, limits),
        expected_fraction=sum(float(ndtr(-side / overall.sigma)) for side in room if side is not None),
        normality_p=anderson_darling(sample.offsets),
    )  # fmt: skip


Room = tuple[float | None, float | None]
"""Distance of the mean from the lower and to the upper limit."""


def _room(sample: Sample, limits: Limits) -> Room:
    lower, upper = lower_of(limits), upper_of(limits)
    centre = float(sample.offsets.mean())
    return (
        None if lower is None else centre - sample.offset(lower),
        None if upper is None else sample.offset(upper) - centre,
    )


def _outside(sample: Sample, limits: Limits) -> int:
    lower, upper = lower_of(limits), upper_of(limits)
    low = sample.offsets < sample.offset(lower) if lower is not None else np.False_
    high = sample.offsets > sample.offset(upper) if upper is not None else np.False_
    return int(np.count_nonzero(low | high))


def _index(room: Room, spread: SigmaEstimate, count: int) -> Index:
    sides = [side for side in room if side is not None]
    potential = sum(sides) / (6 * spread.sigma) if len(sides) == 2 else None
    actual = min(sides) / (3 * spread.sigma)
    return Index(
        potential,
        actual,
        None if potential is None else potential_interval(potential, spread.dof),
        bissell_interval(actual, count, spread.dof),
    )


def potential_interval(index: float, dof: float) -> Interval:
    """Confidence limits of Cp or Pp: index · √(χ²/ν), exact for normal readings."""
    tail = (1 - CONFIDENCE) / 2
    return index * sqrt(float(chdtri(dof, 1 - tail)) / dof), index * sqrt(float(chdtri(dof, tail)) / dof)


def bissell_interval(index: float, count: int, dof: float) -> Interval:
    """Confidence limits of Cpk or Ppk: index ± z √(1/(9n) + index²/(2ν)) (Bissell 1990)."""
    half = float(ndtri((1 + CONFIDENCE) / 2)) * sqrt(1 / (9 * count) + index**2 / (2 * dof))
    return index - half, index + half


def anderson_darling(offsets: Floats) -> float | None:
    """How well a normal distribution fits (p-value after D'Agostino and Stephens); `None` below eight readings."""
    count = len(offsets)
    if count < 8:
        return None
    standard = (offsets - offsets.mean()) / offsets.std(ddof=1)
    standard.sort()
    terms = _log_share(standard.copy())
    terms += _log_share(np.negative(standard, out=standard))[::-1]
    terms *= np.arange(1, 2 * count, 2, dtype=np.float64)
    statistic = -count - float(terms.sum()) / count
    return _normality_p(statistic * (1 + 0.75 / count + 2.25 / count**2))


def _log_share(places: Floats) -> Floats:
    """The logarithm of the normal distribution's share below each place, written over the places."""
    ndtr(places, out=places)
    # Its tails run out of double precision; the bound keeps one wild reading finite.
    np.maximum(places, 1e-300, out=places)
    return np.log(places, out=places)


def _normality_p(adjusted: float) -> float:
    if adjusted >= 0.6:
        return exp(1.2937 - 5.709 * adjusted + 0.0186 * adjusted**2) if adjusted < 13 else 0.0
    if adjusted > 0.34:
        return exp(0.9177 - 4.279 * adjusted - 1.38 * adjusted**2)
    if adjusted > 0.2:
        return 1 - exp(-8.318 + 42.796 * adjusted - 59.938 * adjusted**2)
    return 1 - exp(-13.436 + 101.14 * adjusted - 223.73 * adjusted**2)


def capability_data(study: Capability, limits: Limits) -> dict[str, object]:
    """The study in the form that scripts rely on."""
    short, long = study.short_term, study.long_term
    lower, upper = lower_of(limits), upper_of(limits)
    return {
        "n": study.count, "mean": study.mean, "s_within": study.within.sigma, "s_overall": study.overall.sigma,
        "cp": short.potential, "cpk": short.actual, "pp": long.potential, "ppk": long.actual,
        "cp_ci": short.potential_interval, "cpk_ci": short.actual_interval,
        "pp_ci": long.potential_interval, "ppk_ci": long.actual_interval,
        "lower": None if lower is None else float(lower), "upper": None if upper is None else float(upper),
        "outside": study.outside, "expected_fraction": study.expected_fraction, "normality_p": study.normality_p,
        "within_method": study.within.method, "within_dof": study.within.dof,
    }  # fmt: skip


# Readings told apart by where they come from, such as machine or cavity: do the strata differ, and how good is each?

MOST_STRATA: Final = 16
"""More groups than these are no strata: a serial number tells every piece apart."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """The readings of one machine, cavity, …; no Ppk where there are too few of them."""

    name: str
    count: int
    mean: float
    deviation: float | None
    ppk: float | None
    ppk_interval: Interval | None


@dataclass(frozen=True, slots=True)
class Stratified:
    """All strata by one column, and the p-value of the test that their means are one (analysis of variance)."""

    by: str
    strata: tuple[Stratum, ...]
    p_value: float | None


def stratified(by: str, values: Floats, labels: Sequence[str], limits: Limits | None) -> Stratified | None:
    """The strata in the order of their first reading; nothing where there is one, or where each reading is its own."""
    names = list(dict.fromkeys(labels))
    if not 2 <= len(names) <= MOST_STRATA:
        return None
    numbers = {name: number for number, name in enumerate(names)}
    told = np.fromiter(map(numbers.__getitem__, labels), np.int8, len(labels))
    groups = {name: values[told == number] for name, number in numbers.items()}
    return Stratified(by, tuple(_stratum(name or "—", group, limits) for name, group in groups.items()), _p(groups))


def _p(groups: Mapping[str, Floats]) -> float | None:
    several = [group for group in groups.values() if len(group) > 1]
    if len(several) < 2:
        return None
    try:
        return one_way(several)[1]
    except BadInput:
        return None


def _stratum(name: str, group: Floats, limits: Limits | None) -> Stratum:
    count, mean = len(group), float(group.mean())
    deviation = float(group.std(ddof=1)) if count > 1 else 0.0
    if not deviation or limits is None:
        return Stratum(name, count, mean, deviation or None, None, None)
    lower, upper = lower_of(limits), upper_of(limits)
    sides = [mean - float(lower)] if lower is not None else []
    sides += [float(upper) - mean] if upper is not None else []
    index = min(sides) / (3 * deviation)
    return Stratum(name, count, mean, deviation, index, bissell_interval(index, count, count - 1))


def stratified_data(found: Stratified) -> dict[str, object]:
    """Strata in the form that scripts rely on."""
    return {
        "by": found.by, "p_value": found.p_value,
        "strata": [
            {"stratum": each.name, "n": each.count, "mean": each.mean, "s": each.deviation, "ppk": each.ppk,
             "ppk_ci": each.ppk_interval}
            for each in found.strata
        ],
    }  # fmt: skip
