"""A round edge in the surface: lines across a circle, and steps fitted to those that show it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board_profile import BRIGHTNESS, Ribbon, Shot, binned, fit_steps, ribbon
from inspect_kit.vision.estimation import robust_deviation

BINS: Final = 180
_WINDOW: Final = 0.65
"""mm to both sides of the rim: narrower than a metal or rubber rim is wide."""
_LEAST_CONTRAST: Final = 0.35

Walls = tuple[Floats, Floats]
"""The two walls' outward normals and offsets, as rows (nx, ny, distance)."""


def _ways() -> Floats:
    azimuths = (np.arange(BINS * 3) + 0.5) / (BINS * 3) * 2 * np.pi
    return np.column_stack([np.cos(azimuths), np.sin(azimuths)])


def lines_around(shot: Shot, centre: Floats, radius: float, reach: tuple[float, float]) -> Ribbon:
    """Lines across a circle, in brightness only: a JPEG stores colour too coarsely to tell a rim from its hole."""
    lines = binned(ribbon(shot, centre + radius * _ways(), _ways(), reach), 3)
    return replace(lines, light=np.repeat((lines.light @ BRIGHTNESS)[:, :, None], 3, axis=2))


def free_arc(lines: Ribbon, walls: Walls) -> Mask:
    """Lines that do not run towards the corner: the frame's rounded corner may lie over the hole there."""
    towards = np.stack([lines.normals @ row[:2] for row in walls])
    return np.asarray((towards < 0.25).any(axis=0) & (towards < 0.97).all(axis=0))


def on_surface(points: Floats, walls: Walls) -> Mask:
    """Points on the surface's side of both walls, half a mm off them."""
    good = np.ones(len(points), dtype=bool)
    for row in walls:
        good &= points @ row[:2] < row[2] - 0.6
    return good


@dataclass(frozen=True)
class Settled:
    """A circle fitted to steps on the lines around it, and how each line agrees."""

    circle: Floats
    lines: Ribbon
    places: Floats
    usable: Mask
    good: Mask
    residuals: Floats

    @property
    def scatter(self) -> float:
        """Of the lines that agree, mm."""
        return max(robust_deviation(self.residuals[self.good]), 0.03)


@dataclass(frozen=True)
class Way:
    """How an edge is settled: so many lines averaged, so that the meshes of a net become one tone; or on narrow steps.

    Narrow steps keep the edge of a rim apart from that of the hole inside it.
    """

    around: int = 1
    narrow: bool = False

    def half(self, blur: float) -> float:
        """mm to both sides of the edge that are fitted."""
        return max(0.45, 1.25 * blur) if self.narrow else max(_WINDOW, 1.8 * blur)


def settle(shot: Shot, circle: Floats, walls: Walls, way: Way) -> Settled | None:
    """The edge near a circle, line by line; nothing where most lines do not agree."""
    result, start = None, circle[:2]
    for _ in range(3):
        lines = lines_around(shot, circle[:2], circle[2], (-3.5, 3.5))
        usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2)))
        usable &= on_surface(lines.feet + 0.8 * lines.normals, walls) & free_arc(lines, walls)
        lines = lines if way.around == 1 else _averaged(lines, usable, way.around)
        blur = lines.blur(shot)
        fits, contrast = fit_steps(lines, np.zeros(BINS), way.half(blur), blur, 3)
        # Where a lit net is as light as the wood, or the hole as dark as the rim, a step is anything but the edge.
        least = max(0.012, _LEAST_CONTRAST * float(np.percentile(contrast[usable], 80))) if usable.any() else 1.0
        clear = usable & (fits.misfit < 0.45) & (contrast > least) & (np.abs(fits.place) < 1.2)
        good = _agreeing(lines, fits.place, clear)
        if good.sum() < max(0.2 * usable.sum(), 0.1 * BINS):
            return None
        design = np.column_stack([lines.normals, np.ones(BINS)])
        move = _move(design[good], fits.place[good], circle[:2] - start if way.around > 1 else None)
        circle = circle + move
        result = Settled(circle, lines, fits.place, usable, good, fits.place - design @ move)
    return result


def _move(design: Floats, places: Floats, off: Floats | None) -> Floats:
    """How a circle has to move and grow; a rim's hole stays concentric with it to a tenth of a mm (`off` by now)."""
    if off is not None:
        # Lines scatter by a tenth as well: one more of that weight for each direction of the middle.
        design = np.vstack([design, [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0]]])
        places = np.concatenate([places, -3.0 * off])
    return np.asarray(np.linalg.lstsq(design, places, rcond=None)[0], dtype=np.float64)


def _averaged(lines: Ribbon, usable: Mask, around: int) -> Ribbon:
    """Each line the mean of its usable neighbours."""
    weight = usable.astype(np.float64)
    light = np.nan_to_num(lines.light) * weight[:, None, None]
    shifts = range(-(around // 2), around // 2 + 1)
    total = sum(np.roll(light, shift, axis=0) for shift in shifts)
    count = np.maximum(sum(np.roll(weight, shift) for shift in shifts), 1.0)
    return replace(lines, light=np.asarray(total / count[:, None, None], dtype=np.float64))


def _agreeing(lines: Ribbon, offsets: Floats, base: Mask) -> Mask:
    good = base
    design = np.column_stack([lines.normals, np.ones(len(offsets))])
    for _ in range(8):
        if good.sum() < 12:
            return good
        move = np.linalg.lstsq(design[good], offsets[good], rcond=None)[0]
        residuals = offsets - design @ move
        good = base & (np.abs(residuals) < 3 * max(robust_deviation(residuals[good]), 0.06))
    return np.asarray(good)
