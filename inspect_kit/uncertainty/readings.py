"""Type A from repeated readings, type B from half-widths and certificates, and a line through calibration points."""

from collections.abc import Iterable, Sequence
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


# Type B: standard uncertainties from what is known otherwise.


def rectangular(half_width: Decimal) -> Decimal:
    """Anywhere within ± a with equal probability: a/√3 (GUM 4.3.7)."""
    return _shrunk(half_width, 3)


def triangular(half_width: Decimal) -> Decimal:
    """Within ± a, the middle more likely than the ends: a/√6 (GUM 4.3.9)."""
    return _shrunk(half_width, 6)


def arcsine(half_width: Decimal) -> Decimal:
    """U-shaped within ± a, as for a cycling temperature: a/√2 (GUM H.1.3.3)."""
    return _shrunk(half_width, 2)


def from_expanded(expanded: Decimal, coverage: Decimal = Decimal(2)) -> Decimal:
    """From a certificate that states U and its coverage factor k: U/k (GUM 4.3.3)."""
    if not (coverage.is_finite() and coverage > 0):
        raise ValueError(f"a coverage factor is a positive number, not {coverage}")
    with localcontext(_CONTEXT):
        return _checked(expanded) / coverage


def from_resolution(step: Decimal) -> Decimal:
    """From a display that moves in steps: rectangular within half a step (GUM F.2.2.1)."""
    with localcontext(_CONTEXT):
        return rectangular(step / 2)


def dof_from_reliability(relative: Decimal) -> Decimal | None:
    """Degrees of freedom of a standard uncertainty believed to within `relative` of itself (GUM G.4.2).

    ½ (Δu/u)⁻²: 0.25 gives 8. `None` means infinitely many, for an uncertainty that is known exactly.
    """
    _checked(relative)
    with localcontext(_CONTEXT):
        return 1 / (2 * relative * relative) if relative else None


def _shrunk(half_width: Decimal, divisor: int) -> Decimal:
    with localcontext(_CONTEXT):
        return _checked(half_width) / Decimal(divisor).sqrt()


def _checked(width: Decimal) -> Decimal:
    if not width.is_finite() or width < 0:
        raise ValueError(f"a width is a finite number that is not negative, not {width}")
    return width


# A straight line through calibration points by least squares, and what it predicts how well (GUM H.3).


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
