"""How round the edges of dice are, from the light at their far sides and from their corners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.dice_outline import corner_radii, falling_off
from inspect_kit.vision.dice_solid import Cube
from inspect_kit.vision.edges import Optics
from inspect_kit.vision.view import View

RADII: Final = np.array([0.03, 0.15, 0.3, 0.5, 0.7, 0.95, 1.2, 1.5, 1.85, 2.3])
_MOST_CURVES: Final = 2
_USUAL: Final = (0.7, 0.8)
_LEAST_ROUNDING: Final = 0.1
_ONE_MAKE: Final = 0.6
"""mm by which corners of dice of one make differ at most, as measured."""


def rounding_of(pixels: Pixels, view: View, cubes: Sequence[Cube], optics: Optics) -> tuple[float, float] | None:
    """Radius of the edges that explains best how the light falls off towards the far sides, with its uncertainty.

    Dice of one photo are taken to be of one make. `None` where no far side is seen well.
    """
    curves = [curve for cube in cubes[:_MOST_CURVES] for curve in falling_off(pixels, view, cube.vector, RADII, optics)]
    corners = [radius for cube in cubes for radius in corner_radii(pixels, view, cube.vector, optics.blur or 1.0)]
    if corners and np.ptp(np.quantile(corners, [0.25, 0.75])) < _ONE_MAKE:
        curves.append(_corner_curve(float(np.median(corners))))
    if not curves:
        return None
    total = np.sum(curves, axis=0) + ((RADII - _USUAL[0]) / _USUAL[1]) ** 2 / 2
    chance = np.exp(total.min() - total)
    chance /= chance.sum()
    mean = float(chance @ RADII)
    return mean, float(np.sqrt(chance @ (RADII - mean) ** 2 + _LEAST_ROUNDING**2))


def _corner_curve(radius: float) -> Floats:
    """Corners are rounded as much as edges, or more."""
    return np.where(radius < RADII, ((RADII - radius) / 0.12) ** 2, ((RADII - radius) / 0.3) ** 2) / 2
