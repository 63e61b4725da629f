"""Process capability: how the spread of a process fits between its limits, with the confidence the sample allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import exp, sqrt
from typing import Final

import numpy as np
from scipy.special import chdtri, ndtr, ndtri

from inspect_kit.errors import BadInput
from inspect_kit.quality.process import subgroups
from inspect_kit.quality.process.subgroups import one_way
from inspect_kit.quality.sample import Floats, Sample
from inspect_kit.values.limits import Limits, lower_of, upper_of

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
    within: subgroups.SigmaEstimate
    overall: subgroups.SigmaEstimate
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
    by_groups = subgroups.pooled_spread if pooled else subgroups.spread_of_ranges
    within = by_groups(groups) if groups else subgroups.spread_of_moving_ranges(sample.offsets)
    overall = subgroups.SigmaEstimate(sample.deviation, count - 1, "s with n − 1")
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


def _index(room: Room, spread: subgroups.SigmaEstimate, count: int) -> Index:
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


def indices(mean: Decimal | float, sigma: Decimal | float, limits: Limits) -> tuple[float | None, float]:
    """Potential and actual capability of a process that is known."""
    lower, upper = lower_of(limits), upper_of(limits)
    below = None if lower is None else float(Decimal(mean) - lower)
    above = None if upper is None else float(upper - Decimal(mean))
    index = _index((below, above), subgroups.SigmaEstimate(float(sigma), 1e9, "known"), 2)
    return index.potential, index.actual


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
