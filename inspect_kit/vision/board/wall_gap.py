"""The dark gap between surface and wall: how well each width of it explains the mean profile across a wall.

A gap narrower than the blur only deepens and widens the dip between surface and wall; where surface, powder swept
against the wall, gap and wall are fitted together it shows, unless the wall is as dark as the gap. A wall seen from
straight above hides nothing of its top: there gap and wall are one dark strip between surface and frame, whose width
tells of the gap whatever its tone. Brightness only: a JPEG stores colour too coarsely.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtr

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board import tuning
from inspect_kit.vision.board.walls import Wall, stand_offs
from inspect_kit.vision.fitting.stripe import BRIGHTNESS, Shot

WIDTHS: Final = np.concatenate([[0.0], np.arange(0.2, 1.65, 0.1), np.arange(1.8, 2.5, 0.2)])
"""mm: widths of a gap that are tried."""
HEIGHTS: Final = np.arange(14.0, 31.05, 0.1)
"""mm: heights of the frame that are tried: those of any board, legal or not."""
_SAMPLE: Final = 0.08
"""mm between the samples of a profile."""
_STARTS: Final = np.arange(-0.4, 0.71, 0.05)
"""mm from the edge traced to the surface's end: places that are tried."""
_NEVER: Final = 1e9
"""Weight that holds a part at nothing."""


@dataclass(frozen=True)
class GapFit:
    """For all `WIDTHS` × `HEIGHTS`: what the fitted parts leave over of the profile, and where the gap starts."""

    misfits: Floats
    starts: Floats
    with_top: bool
    """Whether the wall's top edge was fitted too."""


def fit_gap(shot: Shot, wall: Wall, offsets: Floats, good: Mask) -> GapFit | None:
    """From the edge at `offsets` on outwards; None where too little of the wall is seen before something else."""
    middle = float(offsets[good].mean())
    shifts = stand_offs(wall, np.full(len(HEIGHTS), middle), HEIGHTS)
    beyond = [edge.offset - middle for edge in wall.edges]
    if shifts.min() < -tuning.HIDDEN:
        return None
    if shifts[-1] < tuning.NEAR:
        end = min([shifts[-1] + 2.5, *(each - 0.6 for each in beyond if each > shifts[-1] + 2.0)])
        return _with_top(_across(shot, wall, (offsets, good), end), shifts)
    end = min([4.0, shifts[0] - 0.6, *(each - 0.6 for each in beyond if each > 2.6)])
    return _without_top(_across(shot, wall, (offsets, good), end)) if end > 1.4 else None


def _with_top(across: Across, shifts: Floats) -> GapFit:
    count = int(np.ceil(abs(shifts[-1] - shifts[0]) / tuning.NODE)) + 2
    nodes = np.linspace(HEIGHTS[0], HEIGHTS[-1], count)
    tops = np.interp(nodes, HEIGHTS, shifts)
    pairs = np.array([[across.best(float(width), float(top)) for top in tops] for width in WIDTHS])
    between = PchipInterpolator(nodes, pairs, axis=1)(HEIGHTS)
    return GapFit(between[:, :, 0], between[:, :, 1], True)


def _without_top(across: Across) -> GapFit:
    possible = across.away[-1] - 0.5 > WIDTHS
    pairs = np.array([across.best(float(width), None) for width in WIDTHS])
    pairs[~possible, 0] = pairs[possible, 0].max()
    flat = np.repeat(pairs[:, None, :], len(HEIGHTS), axis=1)
    return GapFit(flat[:, :, 0], flat[:, :, 1], False)


def _across(shot: Shot, wall: Wall, edge: tuple[Floats, Mask], end: float) -> Across:
    """The median of all lines, moved onto a smooth course of the edge: powder shifts single lines' edges."""
    offsets, good = edge
    away = np.arange(tuning.WALL_GAP_INSIDE, end, _SAMPLE)
    bright, steps = wall.lines.light @ BRIGHTNESS, wall.lines.steps
    course = np.polyval(np.polyfit(wall.places[good], offsets[good], 2), wall.places)
    moved = np.array([np.interp(away + course[row], steps, bright[row]) for row in np.nonzero(good)[0]])
    mean = np.median(moved, axis=0)
    scatter = 1.2 * np.median(np.abs(np.diff(moved, axis=0)), axis=0) / np.sqrt(len(moved))
    surface = max(float(mean[:8].mean()), 1e-6)
    return Across(away, mean / surface, scatter / surface, wall.lines.blur(shot))


@dataclass(frozen=True)
class Across:
    """A mean profile over the surface's light, how well it is known, and the photo's blur in mm."""

    away: Floats
    profile: Floats
    scatter: Floats
    blur: float

    @cached_property
    def weights(self) -> Floats:
        """One over the standard deviation of every place's light."""
        return np.asarray(1 / np.sqrt(tuning.FLOOR**2 + (tuning.SHARE * self.profile) ** 2 + self.scatter**2))

    @cached_property
    def on(self) -> Floats:
        """How far outwards of the surface's end every place is, for all ends (by blurs) that are tried."""
        return np.asarray(self.away - np.repeat(_STARTS, len(tuning.BLURS))[:, None])

    @cached_property
    def spread(self) -> Floats:
        """The blurs that go with the ends in `on`, mm."""
        return np.asarray(self.blur * np.tile(tuning.BLURS, len(_STARTS))[:, None])

    @cached_property
    def inside(self) -> tuple[Floats, ...]:
        """The surface, its light falling off in a curve, up to its end."""
        surface, back = ndtr(-self.on / self.spread), np.minimum(self.on, 0)
        return surface, surface * back, surface * back**2

    @cached_property
    def powder(self) -> tuple[Floats, ...]:
        """Strips of every width that end where the surface does."""
        return tuple(
            ndtr((self.on + wide) / self.spread) - ndtr(self.on / self.spread) for wide in tuning.WALL_GAP_POWDER
        )

    @cached_property
    def halo(self) -> tuple[Floats, ...]:
        """What sharpening adds before the edge and takes behind it, per unit of either."""
        change = self.inside[0] - ndtr(-self.on / (tuning.SHARPEN_REACH * self.spread))
        return np.maximum(change, 0), np.minimum(change, 0)

    @cached_property
    def sharpened(self) -> Floats:
        """Standard deviations of these two: phones sharpen codes, in which dark places differ more than in light."""
        beyond = self.profile[self.away > min(4 * self.blur, self.away[-8])]
        dark = float(np.clip(np.median(beyond), 0.0, 1.0))
        step = max(1 - dark ** (1 / tuning.GAMMA), tuning.DARK)
        slopes = np.array([1.0, max(dark, tuning.DARK) ** (1 - 1 / tuning.GAMMA)])
        return np.asarray(tuning.SHARPENED * tuning.GAMMA * step * slopes)

    def best(self, width: float, top: float | None) -> tuple[float, float]:
        """The smallest misfit over all ends of the surface and blurs for a gap of this width, and that end."""
        misfits = self._misfits(width, top)
        best = int(misfits.argmin())
        return float(misfits[best]), float(_STARTS[best // len(tuning.BLURS)])

    def _misfits(self, width: float, top: float | None) -> Floats:
        design, gap = self._parts(width, top)
        across = design.transpose(0, 2, 1)
        target = self.profile * self.weights
        normal, right = across @ design + 1e-6 * np.eye(design.shape[2]), across @ target
        halo = len(self.powder) + 2
        for index, spread in zip((-halo, 1 - halo), self.sharpened, strict=True):
            normal[:, index, index] += 1 / spread**2
        if gap is not None:
            normal[:, gap, gap] += 1 / tuning.DARK**2
            right[:, gap] += 1 / tuning.DARK
        found = _with_bright_powder(normal, right)
        misfit = (((design @ found[:, :, None])[:, :, 0] - target) ** 2).sum(axis=1)
        misfit += ((found[:, -halo : 2 - halo] / self.sharpened) ** 2).sum(axis=1)
        misfit += ((self.spread[:, 0] / self.blur - 1) / tuning.BLUR_SPREAD) ** 2
        misfit += (np.minimum(found[:, 3], 0) / tuning.NO_LIGHT) ** 2
        if gap is not None:
            misfit += (found[:, gap] / tuning.DARK - 1) ** 2
            misfit += np.clip((found[:, gap] - found[:, 3]) / tuning.DARK, 0, tuning.WALL_GAP_LIGHTER) ** 2
        return np.asarray(misfit)

    def _parts(self, width: float, top: float | None) -> tuple[Floats, int | None]:
        """Columns: three of the surface, the wall, one or two beyond, the gap if any (and its place), halo, powder."""
        # A wall that leans over the gap in this view hides as much of it.
        seen = max(width + min(top or 0.0, 0.0), 0.0)
        up = self.on - seen
        wall = ndtr(up / self.spread)
        dark = 1 - self.inside[0] - wall
        outside = [wall, wall * np.maximum(up, 0)]
        if top is not None:
            beyond = up - max(top, 0.0)
            high = ndtr(beyond / self.spread)
            outside = [wall - high, high, high * np.maximum(beyond, 0)]
        columns = [*self.inside, *outside, *([dark] if seen > 0 else []), *self.halo, *self.powder]
        gap = len(self.inside) + len(outside) if seen > 0 else None
        return np.stack(columns, axis=2) * self.weights[:, None], gap


def _with_bright_powder(normal: Floats, right: Floats) -> Floats:
    """The least-squares answer in which powder only adds light: parts that would take some away are left out."""
    count = len(tuning.WALL_GAP_POWDER)
    out = np.zeros(right.shape)
    for _ in range(count + 1):
        held = normal + out[:, :, None] * np.eye(right.shape[1])
        found = np.linalg.solve(held, right[:, :, None])[:, :, 0]
        dark = found[:, -count:] < -1e-6
        if not dark.any():
            break
        out[:, -count:] += _NEVER * dark
    return np.asarray(found)
