"""How round the edges of dice are, from the light at their far sides and from their corners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.dice.outline import corner_radii, falling_off
from inspect_kit.vision.dice.solid import FIRST, ROUNDING, SECOND, Cube
from inspect_kit.vision.fitting.edge_step import Optics
from inspect_kit.vision.optics.pose import View

RADII: Final = np.array([0.03, 0.15, 0.3, 0.5, 0.7, 0.95, 1.2, 1.5, 1.85, 2.3])
"""mm: roundings whose light is computed."""
_FINE: Final = np.linspace(RADII[0], RADII[-1], 96)
"""mm: roundings among which the likeliest is sought."""
_MOST_CURVES: Final = 2
"""Dice whose light is looked at: it takes long and tells little more."""
_USUAL: Final = np.log(np.interp(_FINE, [0.25, 0.3, 0.4, 1.8, 2.0, 2.3], [1.2, 0.8, 0.4, 0.4, 0.15, 0.02]))
"""Casino dice are sharp; others may be as round as their makers like."""
_LIGHT: Final = 0.4
"""How much the light at the far sides counts: what explains it badly on one side does so on the others."""
_CORNER: Final = 0.15
"""mm to which a corner tells the rounding, where nothing was cut off."""
_CUT: Final = 0.2
"""Share of dice whose corners a ball has cut."""
_DARKENING: Final = 0.05
"""mm by which corners and edges look rounder than they are, as what turns away from the light loses it early; half of
what drawings without bounced light showed, for in a path-traced one there was nothing of it."""
_LEAST_ROUNDING: Final = 0.06
"""mm: standard uncertainty of a rounding, at least."""
_MAKES: Final = 0.4
"""mm by which the roundings of several makes differ, standard deviation: as in one path-traced picture."""
_ALIKE: Final = 0.07
"""mm, standard deviation of the edges of dice of one make, as they are seen."""


def rounding_of(
    pixels: Pixels, view: View, cubes: Sequence[tuple[Cube, Floats]], optics: Optics, *, roughly: bool = False
) -> tuple[float, float] | None:
    """Radius of the edges that explains best how the light falls off towards the far sides, with its uncertainty.

    Dice of one photo are taken to be of one make. `None` where no far side is seen well. `roughly`: from corners alone.
    Each die comes with how its numbers change with its rounding.
    """
    lit = cubes[: 0 if roughly else _MOST_CURVES]
    curves = [curve for cube, _ in lit for curve in falling_off(pixels, view, cube.vector, RADII, optics)]
    blur = optics.blur or 1.0
    corners = [radius for cube, drift in cubes for radius in corner_radii(pixels, view, cube.vector, drift, blur)]
    if not curves and not corners:
        return None
    total = -_USUAL
    if curves:
        total = total + _LIGHT * np.interp(_FINE + _DARKENING, RADII, np.sum(curves, axis=0))
    if corners:
        total = total - np.log(_corner_chance(corners))
    if not roughly:
        total = total + _unlike(cubes)
    chance = np.exp(total.min() - total)
    chance /= chance.sum()
    mean = float(chance @ _FINE)
    return mean, float(np.sqrt(chance @ (_FINE - mean) ** 2 + _LEAST_ROUNDING**2))


def _unlike(cubes: Sequence[tuple[Cube, Floats]]) -> Floats:
    """How badly each rounding makes edges of one make agree, which are seen from various sides (half a chi-square)."""
    sizes = np.array([cube.vector[index] + drift[index] * (_FINE - cube.vector[ROUNDING])
                      for cube, drift in cubes for index in (FIRST, SECOND)])  # fmt: skip
    away = (sizes - np.median(sizes, axis=0)) / _ALIKE
    # A die that is of another make, or badly seen, says little.
    return np.asarray(np.log1p(away**2 / 4).sum(axis=0) * 2, dtype=np.float64)


def _corner_chance(corners: Sequence[float]) -> Floats:
    """Corners are as round as the edges, or a ball has cut them: then they only tell that edges are sharper."""
    middle = max(float(np.median(corners)) - _DARKENING, 0.0)
    spread = float(np.hypot(_CORNER, 0.5 * np.ptp(np.quantile(corners, [0.25, 0.75]))))
    alike = np.exp(-(((middle - _FINE) / spread) ** 2) / 2) / spread
    return np.asarray((1 - _CUT) * alike + _CUT * np.clip((middle - _FINE) / 0.2 + 0.5, 0.02, 1.0), dtype=np.float64)


def among_makes(own: tuple[float, float], common: tuple[float, float]) -> tuple[float, float]:
    """A die's own rounding and that of all, from which makes differ, each with its standard uncertainty."""
    firm, loose = 1 / own[1] ** 2, 1 / (common[1] ** 2 + _MAKES**2)
    return (firm * own[0] + loose * common[0]) / (firm + loose), float(np.sqrt(1 / (firm + loose)))
