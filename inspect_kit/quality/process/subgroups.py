"""Readings taken together, the standard deviation within them, and the constants of Shewhart charts behind it.

The constants hold for normal data and are worked out from their definitions, not from rounded tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, pi, sqrt
from typing import Final

import numpy as np
from scipy.special import ndtr

from inspect_kit.errors import BadInput
from inspect_kit.quality.sample import Floats, Sample

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
