"""The outline of a die in a photo: which edges run along its four sides, and one of them to a fraction of a pixel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.dice.solid import ROUNDING, Sight, corner_point, lines_across, sight
from inspect_kit.vision.fitting.edge_peaks import peaks_of, significant, steepness
from inspect_kit.vision.fitting.edge_shading import Shading
from inspect_kit.vision.fitting.edge_step import TOGETHER, Edges, Optics, Profiles, averaged, fit_edges, profiles
from inspect_kit.vision.optics.light import linear, window_of
from inspect_kit.vision.optics.pose import View
from inspect_kit.vision.reference.corners import sample

LINES: Final = 12
"""On each side."""
SHARES: Final = np.linspace(-0.8, 0.8, LINES)
"""Shares of half a side at which lines cross it."""
_GAP: Final = (SHARES[1] - SHARES[0]) / TOGETHER
"""Shares between the lines that are averaged into one."""
_DEPTHS: Final = np.arange(0, 14.0, 0.25) + 0.125
"""Pixels inside the outline at which the normal is told."""
_MOST: Final = 4
"""Edges on each side that are kept as candidates."""
_BORDER: Final = 4.0
"""Pixels from the picture's border within which a die counts as cut off."""
_CORNERS: Final = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
"""mm: roundings whose corners are compared with the photo's."""
_CORNER_BLUR: Final = 0.77
"""Share of the photo's blur by which a corner looks cut."""
_BESIDE: Final = 0.4
"""Pixels between lines across a corner: further apart they would meet the sides."""
_FINE: Final = 0.1
"""Pixels between samples across a corner."""
_CLOSE: Final = np.arange(-4.0, 5.0, _FINE)
"""Pixels: samples across a corner."""
_INSIDE, _OUTSIDE = (_CLOSE > -3.5) & (_CLOSE < -2.0), (_CLOSE > 2.5) & (_CLOSE < 4.5)
"""Samples that are the die's, and those that are the ground's."""
_TRUST: Final = 2.0
"""Half the number of independent steps a side's light is worth, when roundings are compared."""


@dataclass(frozen=True)
class DieCandidate:
    """An edge along one side: how far outwards from the supposed outline (pixels), and how much speaks for it."""

    offset: float
    weight: float


@dataclass(frozen=True)
class Seen:
    """Offsets of the outline's edge on all lines, side by side, and how much each counts."""

    offset: Floats
    contrast: Floats
    misfit: Floats
    variance: Floats


def _shares(side: Floats) -> Floats:
    """Several lines close together for each one, to be averaged."""
    return np.asarray((side[:, None] + _GAP * (np.arange(TOGETHER) - (TOGETHER - 1) / 2)[None, :]).ravel())


def inside_picture(pixels: Pixels, view: View, vector: Floats, margin: float) -> bool:
    """Whether the outline and some room around it lie in the photo."""
    feet = lines_across(view, vector, SHARES).feet
    limit = np.array([pixels.shape[1], pixels.shape[0]]) - 1 - margin - _BORDER
    return bool(np.all(feet > margin + _BORDER) and np.all(feet < limit))


def candidates(pixels: Pixels, view: View, vector: Floats, reach: float) -> list[list[DieCandidate]]:
    """For each side the edges within `reach` pixels that run along it."""
    lines = lines_across(view, vector, _shares(SHARES))
    profile = averaged(profiles(pixels, lines.feet, lines.normals, reach))
    found = []
    for side in range(4):
        part = Profiles(profile.steps, profile.codes[side * LINES : (side + 1) * LINES])
        slope = steepness(part)
        height = np.where(peaks_of(slope) & (slope > significant(part, slope, 3.0)), slope, 0.0)
        found.append(_along(part.steps, height))
    return found


def _along(steps: Floats, height: Floats) -> list[DieCandidate]:
    """Places where most lines have a peak, strongest first; neighbours within a pixel or two are one."""
    width = max(1, round(1.5 / float(steps[1] - steps[0])))
    kernel = np.ones(2 * width + 1)
    around = np.concatenate([height[:, -width:], height, height[:, :width]], axis=1) > 0
    support = sliding_window_view(around, 2 * width + 1, axis=1).any(axis=2).mean(axis=0)
    strength = np.convolve(height.sum(axis=0), kernel, mode="same") / len(height)
    score = np.where(support >= 0.5, support * strength, 0.0)
    chosen: list[DieCandidate] = []
    for index in np.argsort(-score):
        if score[index] <= 0.04 * score.max() or len(chosen) == _MOST:
            break
        near = slice(max(0, index - width), index + width + 1)
        mass = height[:, near].sum(axis=0)
        place = float((steps[near] * mass).sum() / max(float(mass.sum()), 1e-12))
        if all(abs(place - other.offset) > 2.5 for other in chosen):
            chosen.append(DieCandidate(place, float(score[index])))
    return chosen


def outline_edges(pixels: Pixels, view: View, vector: Floats, reach: float, optics: Optics) -> Seen:
    """The outline's edge on every line, to a fraction of a pixel; contrast 0 where no edge is near."""
    dense = lines_across(view, vector, _shares(SHARES))
    middle = lines_across(view, vector, SHARES)
    normals = shading_of(sight(view.vector, vector, middle))
    half = 4.0 if optics.blur is None else float(np.clip(3.0 * optics.blur, 3.0, 9.0))
    profile = averaged(profiles(pixels, dense.feet, dense.normals, reach + 1.6 * half + 1.0))
    parts = []
    for side in range(4):
        rows = np.arange(side * LINES, (side + 1) * LINES)
        part = Profiles(profile.steps, profile.codes[rows])
        start = _outermost(part, reach, half)
        edges = fit_edges(part, np.nan_to_num(start), half, normals.part(rows), optics)
        parts.append(_kept(edges, np.isfinite(start)))
    return Seen(
        np.concatenate([part.offset for part in parts]),
        np.concatenate([part.contrast for part in parts]),
        np.concatenate([part.misfit for part in parts]),
        np.concatenate([part.variance for part in parts]),
    )


def _outermost(part: Profiles, reach: float, half: float) -> Floats:
    """The outermost edge of each line within reach, or NaN: pips and the edges of the wall lie inside the outline."""
    slope = steepness(part)
    peak = peaks_of(slope) & (slope > significant(part, slope, 0.5 * half)) & (np.abs(part.steps) <= reach)[None, :]
    place = np.where(peak, part.steps[None, :], -np.inf).max(axis=1)
    return np.where(np.isfinite(place), place, np.nan)


def _kept(edges: Edges, seen: Mask) -> Edges:
    return Edges(edges.offset, np.where(seen, edges.contrast, 0.0), edges.misfit, edges.variance, edges.blur)


def falling_off(pixels: Pixels, view: View, vector: Floats, radii: Floats, optics: Optics) -> list[Floats]:
    """For each far side, how badly each rounding of the edge explains the light along it (half a chi-square)."""
    dense, middle = lines_across(view, vector, _shares(SHARES)), lines_across(view, vector, SHARES)
    seen = sight(view.vector, vector, middle)
    half = float(np.clip(2.2 * view.resolution(vector[[0, 1, 5]]), 5.0, 13.0))
    profile = averaged(profiles(pixels, dense.feet, dense.normals, 2 + 1.6 * half))
    normals = [_rounded(view, np.append(vector[:6], radius)) for radius in radii]
    curves = []
    for side in np.nonzero(~seen.near[::LINES])[0]:
        rows = np.arange(side * LINES, (side + 1) * LINES)
        part = Profiles(profile.steps, profile.codes[rows])
        misfits = np.stack([fit_edges(part, np.zeros(LINES), half, each.part(rows), optics).misfit for each in normals])
        good = misfits.min(axis=0) < 0.08
        if good.mean() > 0.4:
            curves.append(_TRUST * np.log(misfits[:, good] ** 2 + 0.004**2).mean(axis=1))
    return curves


def _rounded(view: View, vector: Floats) -> Shading:
    """The normals on lines across a die of its own rounding."""
    return shading_of(sight(view.vector, vector, lines_across(view, vector, SHARES)))


def corner_radii(pixels: Pixels, view: View, vector: Floats, drift: Floats, blur: float) -> list[float]:
    """Rounding of the corners between two far sides, from how far the outline stays away from where they would meet.

    `drift` is how the die's numbers change with the rounding. A sharp corner seen through a blur is half as light 0.77
    blurs inside. An edge that is not inside at all belongs to something else.
    """
    seen = sight(view.vector, vector, lines_across(view, vector, np.zeros(1)))
    corners = [side for side in range(4) if not seen.near[side] and not seen.near[(side + 1) % 4]]
    found = [_corner_radius(pixels, view, (vector, drift), side, _CORNER_BLUR * blur) for side in corners]
    return [radius for radius in found if radius is not None]


def _corner_radius(pixels: Pixels, view: View, die: tuple[Floats, Floats], side: int, soft: float) -> float | None:
    vector, drift = die
    trials = [vector + drift * (radius - vector[ROUNDING]) for radius in _CORNERS]
    points = np.stack([corner_point(trial, view.centre, side, float(trial[ROUNDING])) for trial in trials])
    at = view.pixels(np.concatenate([points, vector[None, [0, 1, 5]]]))
    way = at[0] - at[-1]
    way /= np.linalg.norm(way)
    places = (at[:-1] - at[0]) @ way
    reach = float(-places[-1]) + 2.0
    feet = at[0] + np.outer(_BESIDE * np.arange(-1, 2), [-way[1], way[0]])
    profile = profiles(pixels, feet, np.repeat(way[None], 3, axis=0), reach + 6)
    part = Profiles(profile.steps, profile.codes.mean(axis=0, keepdims=True))
    rough = float(_outermost(part, reach, 4.0)[0])
    if not np.isfinite(rough) or np.any(np.diff(places) >= 0):
        return None
    edge = _half_way(pixels, feet, way, rough)
    seen, blurred = np.interp([-edge, soft], -places, _CORNERS)
    return float(np.sqrt(max(seen**2 - blurred**2, 0.0))) if seen > 0.02 else None


def _half_way(pixels: Pixels, feet: Floats, way: Floats, rough: float) -> float:
    """Where the light is half way between inside and outside, in linear light: codes would shift it to the dark."""
    points = feet[:, None, :] + (rough + _CLOSE)[None, :, None] * way
    part, origin = window_of(pixels, points.reshape(-1, 2), 2)
    light = sample(linear(part), points.reshape(-1, 2) - origin).reshape(len(feet), len(_CLOSE), 3).mean(axis=0)
    inner, outer = (light[zone].mean(axis=0) for zone in (_INSIDE, _OUTSIDE))
    step = inner - outer
    share = (light - outer) @ step / max(float(step @ step), 1e-12)
    crossing = np.nonzero((share[:-1] >= 0.5) & (share[1:] < 0.5))[0]
    if not len(crossing):
        return rough
    first = int(crossing[np.abs(_CLOSE[crossing]).argmin()])
    return rough + float(_CLOSE[first] + (share[first] - 0.5) / (share[first] - share[first + 1]) * _FINE)


def shading_of(seen: Sight) -> Shading:
    """The surface's normals at depths inside the outline."""
    nodes = np.maximum.accumulate(seen.depth[:, :1] - seen.depth, axis=1)
    at = np.stack([np.interp(_DEPTHS, depth, angle) for depth, angle in zip(nodes, seen.angle, strict=True)])
    return Shading(_DEPTHS, 1 - np.sin(at), np.cos(at))
