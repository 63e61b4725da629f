"""The constants of Shewhart charts for normal data, worked out from their definitions and not from rounded tables."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, sqrt
from typing import Final

import numpy as np
from scipy.special import ndtr

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
