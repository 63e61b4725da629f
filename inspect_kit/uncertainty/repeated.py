"""Type A: what repeated readings of the same thing say about its value and the uncertainty (GUM 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from typing import Final

from inspect_kit.values.quantity import PRECISION

_CONTEXT: Final = Context(prec=PRECISION)
_ONE: Final = Decimal(1)
"""Bound of a correlation, which rounding may not pass."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """The mean of n readings, the deviation s of a single one and the standard uncertainty s/√n of the mean."""

    mean: Decimal
    deviation: Decimal
    standard: Decimal
    count: int

    @property
    def dof(self) -> Decimal:
        """n − 1."""
        return Decimal(self.count - 1)


def repeated(readings: Sequence[Decimal]) -> Repeated:
    """Mean, experimental standard deviation and its share for the mean, of at least two readings."""
    count = _paired(readings, readings)
    with localcontext(_CONTEXT):
        squares = _products(readings, readings)
        return Repeated(
            mean=_mean(readings),
            deviation=(squares / (count - 1)).sqrt(),
            standard=(squares / (count * (count - 1))).sqrt(),
            count=count,
        )


def covariance_of_means(left: Sequence[Decimal], right: Sequence[Decimal]) -> Decimal:
    """Covariance of the means of two quantities that were observed together, reading by reading (GUM 5.2.3)."""
    count = _paired(left, right)
    with localcontext(_CONTEXT):
        return _products(left, right) / (count * (count - 1))


def correlation_of_means(left: Sequence[Decimal], right: Sequence[Decimal]) -> Decimal:
    """Correlation coefficient of the means of two quantities that were observed together (GUM H.2)."""
    with localcontext(_CONTEXT):
        scale = (covariance_of_means(left, left) * covariance_of_means(right, right)).sqrt()
        if scale == 0:
            raise ValueError("readings that never vary are not correlated with anything")
        # Forty digits round too: a coefficient of 1.000…1 would make a variance negative further on.
        return max(-_ONE, min(_ONE, covariance_of_means(left, right) / scale))


def _paired(left: Sequence[Decimal], right: Sequence[Decimal]) -> int:
    if len(left) != len(right):
        raise ValueError(f"quantities observed together have equally many readings, not {len(left)} and {len(right)}")
    if len(left) < 2:
        raise ValueError("repeatability needs at least two readings")
    if not all(reading.is_finite() for reading in (*left, *right)):
        raise ValueError("a reading is a finite number")
    return len(left)


def _products(left: Sequence[Decimal], right: Sequence[Decimal]) -> Decimal:
    """Sum of the products of the deviations from the means."""
    centre_left, centre_right = _mean(left), _mean(right)
    return sum(((a - centre_left) * (b - centre_right) for a, b in zip(left, right, strict=True)), Decimal(0))


def _mean(readings: Sequence[Decimal]) -> Decimal:
    return sum(readings, Decimal(0)) / len(readings)
