"""A straight line through calibration points by least squares, and what it predicts how well (GUM H.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from typing import Final

from inspect_kit.values.quantity import PRECISION

_CONTEXT: Final = Context(prec=PRECISION)
_ZERO: Final = Decimal(0)
"""Start of exact sums, and of what no rounding may make negative."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """A value read off the line, with its standard uncertainty."""

    value: Decimal
    standard: Decimal
    dof: Decimal


@dataclass(frozen=True, slots=True)
class FittedLine:
    """y = intercept + slope · (x − origin). Intercept and slope are correlated: neither travels without the other."""

    origin: Decimal
    intercept: Decimal
    slope: Decimal
    variance_intercept: Decimal
    variance_slope: Decimal
    covariance: Decimal
    deviation: Decimal
    dof: Decimal

    @property
    def standard_intercept(self) -> Decimal:
        """Standard uncertainty of the intercept."""
        return self.variance_intercept.sqrt(_CONTEXT)

    @property
    def standard_slope(self) -> Decimal:
        """Standard uncertainty of the slope."""
        return self.variance_slope.sqrt(_CONTEXT)

    @property
    def correlation(self) -> Decimal | None:
        """Correlation of intercept and slope; `None` where the points lie exactly on the line."""
        with localcontext(_CONTEXT):
            scale = self.standard_intercept * self.standard_slope
            return self.covariance / scale if scale else None

    def at(self, x: Decimal) -> Predicted:
        """The line's value at x. The scatter of a new reading is not in its uncertainty."""
        with localcontext(_CONTEXT):
            away = x - self.origin
            variance = self.variance_intercept + away * (2 * self.covariance + away * self.variance_slope)
            return Predicted(self.intercept + self.slope * away, max(_ZERO, variance).sqrt(), self.dof)


def fit_line(x: Sequence[Decimal], y: Sequence[Decimal], origin: Decimal = _ZERO) -> FittedLine:
    """The least-squares line through at least three points whose x are known much better than their y."""
    _check(x, y)
    with localcontext(_CONTEXT):
        away = tuple(value - origin for value in x)
        count, total, squares = len(away), sum(away, _ZERO), _dot(away, away)
        determinant = count * squares - total * total
        intercept = _dot(y, (squares - total * a for a in away)) / determinant
        slope = _dot(y, (count * a - total for a in away)) / determinant
        residuals = tuple(b - intercept - slope * a for a, b in zip(away, y, strict=True))
        variance = _dot(residuals, residuals) / (count - 2)
        return FittedLine(
            origin, intercept, slope,
            variance_intercept=variance * squares / determinant,
            variance_slope=variance * count / determinant,
            covariance=-variance * total / determinant,
            deviation=variance.sqrt(), dof=Decimal(count - 2),
        )  # fmt: skip


def _check(x: Sequence[Decimal], y: Sequence[Decimal]) -> None:
    if len(x) != len(y):
        raise ValueError(f"every point has an x and a y, not {len(x)} and {len(y)} of them")
    if not all(number.is_finite() for number in (*x, *y)):
        raise ValueError("a point has finite coordinates")
    if len(x) < 3 or len(set(x)) < 2:
        raise ValueError("a line with its uncertainty needs three points, not all above one another")


def _dot(left: Iterable[Decimal], right: Iterable[Decimal]) -> Decimal:
    return sum((a * b for a, b in zip(left, right, strict=True)), _ZERO)
