"""Type B: standard uncertainties from what is known otherwise, such as a half-width, a certificate or a display.

All take the half-width `a` of an interval value ± a, never its full width.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from typing import Final

from inspect_kit.values.quantity import PRECISION

_CONTEXT: Final = Context(prec=PRECISION)


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
