"""A round piece on ground that nobody chose: the circle on which, coming from outside, the first sharp edges lie.

A coin's rim has edges of its own, clearer than its outline where that stands in the shade, and beyond the outline a
shadow ends softly. So each line across the outline gives its edges from outside inwards, each with the probability that
it is the first of the piece (it is one, by how sharp it is, and none before it was); the circle is that on which most
of this lies. Where two circles are about as likely, the spread of the radius holds both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.disc import tuning
from inspect_kit.vision.disc.fit import Disc, Shape
from inspect_kit.vision.disc.solid import Solid, outline, surface_slopes
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.fitting.edge_peaks import peaks_of
from inspect_kit.vision.fitting.edge_step import STEP, Profiles, profiles
from inspect_kit.vision.fitting.least_squares import robust_deviation
from inspect_kit.vision.optics.camera import COUNT
from inspect_kit.vision.optics.light import decoded
from inspect_kit.vision.optics.pose import View, view_slopes

_LINES: Final = 144
"""Lines across the outline."""
_AZIMUTHS: Final = np.linspace(0, 2 * np.pi, _LINES, endpoint=False)
"""Radians, where on the outline each line lies."""
_DESIGN: Final = np.column_stack([np.cos(_AZIMUTHS), np.sin(_AZIMUTHS), np.ones(_LINES)])
"""How the outline moves on each line with place and radius."""
_FIRST: Final = 8
"""Edges of a line that are kept, from outside."""
_FINE: Final = 9
"""Places each way around a likely circle at which it is looked at closely."""


@dataclass(frozen=True)
class _Around:
    """Lines across an outline: edges from outside inwards (mm outwards of it), how likely each is the piece's first,
    the picture along the lines, and pixels a mm on each."""

    edges: Floats
    first: Floats
    profile: Profiles
    scale: Floats

    @property
    def resolution(self) -> float:
        return float(np.median(self.scale))

    @property
    def width(self) -> float:
        """mm by which an edge may lie off its circle."""
        return float(np.hypot(tuning.FIRST_EDGE_WIDTH, tuning.FIRST_EDGE_PIXELS / self.resolution))


def fit_silhouette(pixels: Pixels, view: View, guess: Solid, shape: Shape) -> Disc | Unfit:
    """The disc around the guess; `Unfit` where too little of a circle is seen."""
    solid, reach, spread = replace(guess, rim=0.0), tuning.GUESS_REACH * guess.radius, 0.0
    for _ in range(2):
        around = _looked(pixels, view, solid, reach)
        if np.isfinite(around.edges).any(axis=1).mean() < tuning.LEAST_COVER:
            return Unfit("its outline is not seen clearly enough")
        move, spread = _likeliest(around, reach)
        solid = _moved(solid, move)
        reach /= 2
    return _described(pixels, view, solid, spread, shape)


def _moved(solid: Solid, move: Floats) -> Solid:
    x, y, radius = (float(each) for each in move)
    return replace(solid, x=solid.x + x, y=solid.y + y, radius=solid.radius + radius)


def _across(view: View, solid: Solid) -> tuple[Floats, Floats, Floats]:
    """Points of the outline in the photo, the ways that they move with the radius, and pixels a mm there."""
    feet = view.pixels(outline(solid, view.centre, _AZIMUTHS))
    wider = view.pixels(outline(replace(solid, radius=solid.radius + 0.5), view.centre, _AZIMUTHS))
    scale = np.maximum(2 * np.linalg.norm(wider - feet, axis=1), 1e-6)
    return feet, 2 * (wider - feet) / scale[:, None], scale


def _looked(pixels: Pixels, view: View, solid: Solid, reach: float) -> _Around:
    feet, ways, scale = _across(view, solid)
    middle = float(np.median(scale))
    profile = profiles(pixels, feet, ways, 1.5 * reach * middle, smooth=max(0.8, tuning.FIRST_EDGE_WIDTH * middle))
    slope = np.linalg.norm(np.gradient(profile.codes, axis=1), axis=2)
    slope = (np.roll(slope, 1, axis=0) + 2 * slope + np.roll(slope, -1, axis=0)) / 4
    slope /= max(float(np.median(slope.max(axis=1))), 1e-9)
    edges, sharp = _outside_first(slope, profile.steps)
    one = 1 - np.exp(-tuning.CERTAIN_EDGE * np.maximum(sharp - tuning.SOFT_EDGE, 0.0))
    before = np.cumprod(np.column_stack([np.ones(_LINES), 1 - one[:, :-1]]), axis=1)
    return _Around(edges / scale[:, None], one * before, profile, scale)


def _outside_first(slope: Floats, steps: Floats) -> tuple[Floats, Floats]:
    """Places of each line's edges in pixels, the outermost first, and how steep they are; NaN and 0 beyond the last."""
    peak = peaks_of(slope) & (slope > tuning.SOFT_EDGE)
    order = np.argsort(~peak[:, ::-1], axis=1, kind="stable")[:, :_FIRST]
    at = np.clip(slope.shape[1] - 1 - order, 1, slope.shape[1] - 2)
    before, here, after = (np.take_along_axis(slope, at + shift, axis=1) for shift in (-1, 0, 1))
    between = 0.5 * (before - after) / np.minimum(before - 2 * here + after, -1e-12)
    kept = np.take_along_axis(peak, at, axis=1)
    return np.where(kept, steps[at] + np.clip(between, -1, 1) * STEP, np.nan), np.where(kept, here, 0.0)


# --------------------------------------------------------------------------------------------- the likeliest circle


def _likeliest(around: _Around, reach: float) -> tuple[Floats, float]:
    """By how much place and radius differ from the guess, and the radius's standard deviation."""
    width = around.width
    grid = np.arange(-1.5 * reach, 1.5 * reach, width / 2)
    apart = (grid[None, None, :] - np.nan_to_num(around.edges, nan=1e6)[:, :, None]) / width
    likely = np.einsum("nk,nkg->ng", around.first, np.exp(-0.5 * apart**2))
    table = np.log(tuning.STRAY_EDGE + likely) * tuning.FREE_LINES / _LINES
    coarse = max(2 * width, 0.15)
    sideways, outwards = np.arange(-0.6 * reach, 0.6 * reach, coarse), np.arange(-0.8 * reach, 0.8 * reach, width)
    moves = _grid(sideways, sideways, outwards)
    best = moves[np.argsort(-_total(table, grid, moves))[:40]]
    near = np.linspace(-coarse, coarse, _FINE)
    close = (best[:, None] + _grid(near, near, np.linspace(-1.5, 1.5, _FINE) * width)[None]).reshape(-1, 3)
    close = close[np.unique(np.round(close * 3 / width).astype(int), axis=0, return_index=True)[1]]
    odds = _total(table, grid, close)
    shares = np.exp(odds - odds.max())
    mean = shares @ close / shares.sum()
    return mean, float(np.sqrt(shares @ (close[:, 2] - mean[2]) ** 2 / shares.sum()))


def _grid(*axes: Floats) -> Floats:
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


def _total(table: Floats, grid: Floats, moves: Floats) -> Floats:
    """The logarithm of each circle's likelihood."""
    at = np.clip((moves @ _DESIGN.T - grid[0]) / (grid[1] - grid[0]), 0, len(grid) - 1.01)
    index = at.astype(np.intp)
    rows = np.arange(_LINES)[None, :]
    low = table[rows, index]
    return np.asarray((low + (table[rows, index + 1] - low) * (at - index)).sum(axis=1))


# ------------------------------------------------------------------------------------------------- to sub-pixels


def _described(pixels: Pixels, view: View, solid: Solid, spread: float, shape: Shape) -> Disc | Unfit:
    """The circle through the edges in linear light, for a blurred dark edge lies too far inwards in a picture's codes;
    and what its uncertainty is made of."""
    around = _looked(pixels, view, solid, max(8 * _off(view, solid), 1.0))
    for _ in range(2):
        offset = _in_light(pixels, view, solid)
        seen = np.isfinite(offset)
        if seen.mean() < tuning.LEAST_COVER:
            return Unfit(f"only {seen.mean():.0%} of its outline is seen")
        weights, scatter = _robust(offset, seen, around.resolution)
        slopes, by_view = _slopes(view, solid)
        kept = slopes[:, :3] * weights[:, None]
        gain = np.linalg.solve(kept.T @ slopes[:, :3], kept.T)
        move = np.asarray(gain @ np.where(seen, offset * around.scale, 0.0), dtype=np.float64)
        left = offset - _DESIGN @ move
        solid = _moved(solid, move)
    edge = np.hypot(spread, scatter * float(np.sqrt(tuning.SYSTEMATIC * (gain[2] ** 2).sum())) * around.resolution)
    contrast = _contrast(around)
    good = weights > 0
    patchy = contrast[good].std() > tuning.PATCHY * contrast[good].mean()
    if patchy or float(np.median(contrast[good])) < tuning.FAINT_PIECE:
        return Unfit("its outline is not seen clearly enough")
    return Disc(
        solid=replace(solid, rim=0.0),
        edge=float(edge),
        by_thickness=-float(gain[2] @ slopes[:, 3]) * shape.u_thickness,
        by_rim=0.0,
        by_view=-gain[2] @ by_view,
        resolution=around.resolution,
        contrast=float(np.median(contrast[good])),
        azimuths=_AZIMUTHS,
        deviations=np.where(good, left, np.nan),
        scatter=scatter * around.resolution,
        outline=_across(view, solid)[0],
        centre=view.pixels(solid.centre[None])[0],
    )


def _off(view: View, solid: Solid) -> float:
    """mm around the circle within which an edge belongs to it."""
    return max(0.15, 1.5 / view.resolution(solid.centre))


def _in_light(pixels: Pixels, view: View, solid: Solid) -> Floats:
    """mm from the outline to the nearest edge of each line, NaN where there is none."""
    feet, ways, scale = _across(view, solid)
    middle = float(np.median(scale))
    plain = profiles(pixels, feet, ways, max(0.6 * middle, 6.0), smooth=max(0.8, tuning.FIRST_EDGE_WIDTH * middle))
    slope = np.abs(np.gradient(decoded(plain.codes[:, :, 0]), axis=1))
    slope += np.linalg.norm(np.gradient(plain.codes[:, :, 1:], axis=1), axis=2)
    edges, sharp = _outside_first(slope / max(float(np.median(slope.max(axis=1))), 1e-9), plain.steps)
    apart = np.where(sharp > 0, np.abs(edges), np.inf) / scale[:, None]
    nearest = apart.argmin(axis=1)[:, None]
    found = np.take_along_axis(edges, nearest, axis=1)[:, 0] / scale
    return np.where(np.take_along_axis(apart, nearest, axis=1)[:, 0] < _off(view, solid), found, np.nan)


def _robust(offset: Floats, seen: Mask, resolution: float) -> tuple[Floats, float]:
    """Tukey's weights around the circle through the offsets, and their scatter, mm."""
    weights, scatter = seen.astype(np.float64), 0.0
    known = np.where(seen, offset, 0.0)
    for _ in range(5):
        kept = _DESIGN * weights[:, None]
        left = known - _DESIGN @ np.linalg.solve(kept.T @ _DESIGN, kept.T @ known)
        scatter = max(robust_deviation(left[seen]), 0.2 / resolution)
        weights = np.where(seen, np.clip(1 - (left / (4 * scatter)) ** 2, 0, 1) ** 2, 0.0)
    return weights, scatter


def _slopes(view: View, solid: Solid) -> tuple[Floats, Floats]:
    """How the outline moves across the lines (pixels): with the solid's five numbers, and with camera and pose."""
    ways = _across(view, solid)[1]
    by_view = np.einsum("nij,ni->nj", view_slopes(view.vector, outline(solid, view.centre, _AZIMUTHS)), ways)
    by_place = by_view[:, COUNT + 3 :] @ view.rotation
    return np.einsum("nj,njk->nk", by_place, surface_slopes(solid, view.centre, _AZIMUTHS)), by_view


def _contrast(around: _Around) -> Floats:
    """Codes (0 to 1) between piece and ground beside the outline."""
    away = around.profile.steps / around.resolution
    inside, outside = ((away > low) & (away < low + 0.6) for low in (-0.8, 0.2))
    step = around.profile.codes[:, inside].mean(axis=1) - around.profile.codes[:, outside].mean(axis=1)
    return np.asarray(np.linalg.norm(step, axis=1))
