"""The diameter of a pip, from the light that it takes away or adds, whatever the blur."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.corners import sample
from inspect_kit.vision.light import linear, window_of
from inspect_kit.vision.view import View

_GRID: Final = 41
_REACH: Final = 1.6
"""Radii around the middle in which a pip's light is summed."""
_CROWDED: Final = 2.9
"""Radii below which a neighbour's light reaches into that."""
_TRIALS: Final = 6
_SETTLED: Final = 0.04
"""Change of the diameter, as a share, at which it is taken."""
_SECTOR: Final = float(np.cos(np.radians(55)))


@dataclass(frozen=True)
class Spot:
    """A pip on the upper face: place on the sheet, height and rough radius, mm."""

    place: Floats
    height: float
    radius: float


def pip_diameter(pixels: Pixels, view: View, spot: Spot, others: Floats) -> float | None:
    """Of the circle of the same area, mm; `None` where it does not stand out, or its size stays open."""
    for _ in range(_TRIALS):
        found = _summed(pixels, view, spot, others)
        if found is None or abs(found / (2 * spot.radius) - 1) < _SETTLED:
            return found
        # The light must be summed as far as the pip reaches, and no further.
        spot = replace(spot, radius=found / 2)
    return None


def _summed(pixels: Pixels, view: View, spot: Spot, others: Floats) -> float | None:
    """The diameter from the light around a pip of about this radius.

    Linear light adds up: what a blurred pip lacks inside its outline lies outside, so the sum over both is its area.
    Towards neighbouring pips, at `others`, nothing is summed.
    """
    steps = np.linspace(-1.7, 1.7, _GRID) * spot.radius
    x, y = np.meshgrid(steps, steps)
    points = np.column_stack([spot.place[0] + x.ravel(), spot.place[1] + y.ravel(), np.full(x.size, spot.height)])
    seen = view.pixels(points)
    part, origin = window_of(pixels, seen, 2)
    light = sample(linear(part), seen - origin).reshape(_GRID, _GRID, 3)
    far = np.hypot(x, y) / spot.radius
    free = _free(x, y, spot, others)
    inner, outer = (np.median(light[zone], axis=0) for zone in (far < 0.6, free & (far > 1.5) & (far < 1.7)))
    step = inner - outer
    if float(np.linalg.norm(step)) < 0.02:
        return None
    summed = free & (far < _REACH)
    share = np.clip((light - outer) @ step / (step @ step), -0.2, 1.0)[summed].mean()
    return float(2 * _REACH * spot.radius * np.sqrt(max(float(share), 0.0)))


def _free(x: Floats, y: Floats, spot: Spot, others: Floats) -> Mask:
    """Directions in which no neighbour is near."""
    free = np.ones(x.shape, dtype=bool)
    length = np.maximum(np.hypot(x, y), 1e-9)
    for across, down in others - spot.place:
        away = float(np.hypot(across, down))
        if away < _CROWDED * spot.radius:
            free &= (x * across + y * down) / (length * max(away, 1e-9)) < _SECTOR
    return free if free.mean() > 0.2 else np.ones(x.shape, dtype=bool)
