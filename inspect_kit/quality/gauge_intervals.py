"""Confidence limits of variance components by the modified large sample method (Graybill and Wang; Ting and others)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from scipy.special import chdtri, fdtri

Interval = tuple[float, float]
CONFIDENCE: Final = 0.90
"""As AIAG prints them."""


@dataclass(frozen=True, slots=True)
class MeanSquare:
    """A mean square with its degrees of freedom."""

    value: float
    dof: int

    def down(self, tail: float) -> float:
        """1 − ν/χ² at the upper tail: how far, relatively, the truth may lie below."""
        return 1 - self.dof / float(chdtri(self.dof, tail))

    def up(self, tail: float) -> float:
        """ν/χ² at the lower tail − 1: how far, relatively, the truth may lie above."""
        return self.dof / float(chdtri(self.dof, 1 - tail)) - 1


Term = tuple[float, MeanSquare]


def interval_of_sum(terms: Sequence[Term], confidence: float = CONFIDENCE) -> Interval:
    """Limits of √(Σ c·MS), all c positive."""
    tail = (1 - confidence) / 2
    estimate = sum(factor * square.value for factor, square in terms)
    below = sum((factor * square.value * square.down(tail)) ** 2 for factor, square in terms)
    above = sum((factor * square.value * square.up(tail)) ** 2 for factor, square in terms)
    return sqrt(max(0.0, estimate - sqrt(below))), sqrt(estimate + sqrt(above))


def interval_of_difference(first: Term, second: Term, confidence: float = CONFIDENCE) -> Interval:
    """Limits of √(c₁·MS₁ − c₂·MS₂); a negative lower limit is 0."""
    tail = (1 - confidence) / 2
    (one, left), (two, right) = first, second
    a, b = one * left.value, two * right.value
    down, up = left.down(tail), right.up(tail)
    high = float(fdtri(left.dof, right.dof, 1 - tail))
    cross = ((high - 1) ** 2 - (down * high) ** 2 - up**2) / high
    below = (down * a) ** 2 + (up * b) ** 2 + cross * a * b
    rise, fall = left.up(tail), right.down(tail)
    low = float(fdtri(left.dof, right.dof, tail))
    cross = ((1 - low) ** 2 - (rise * low) ** 2 - fall**2) / low
    above = (rise * a) ** 2 + (fall * b) ** 2 + cross * a * b
    estimate = a - b
    return (
        sqrt(max(0.0, estimate - sqrt(max(0.0, below)))),
        sqrt(max(0.0, estimate + sqrt(max(0.0, above)))),
    )
