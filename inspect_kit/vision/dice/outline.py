"""The outline of a die in a photo: which edges run along its four sides, and one of them to a fraction of a pixel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.dice.solid import Sight, lines_across, sight
from inspect_kit.vision.fitting.edge_peaks import peaks_of, significant, steepness
from inspect_kit.vision.fitting.edge_shading import Shading
from inspect_kit.vision.fitting.edge_step import TOGETHER, Edges, Optics, Profiles, averaged, fit_edges, profiles
from inspect_kit.vision.optics.pose import View

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
    half = edge_half(optics)
    profile = averaged(profiles(pixels, dense.feet, dense.normals, reach + 1.6 * half + 1.0))
    parts = []
    for side in range(4):
        rows = np.arange(side * LINES, (side + 1) * LINES)
        part = Profiles(profile.steps, profile.codes[rows])
        start = outermost(part, np.full(LINES, reach), half)
        edges = fit_edges(part, np.nan_to_num(start), half, normals.part(rows), optics)
        parts.append(with_none(edges, np.isfinite(start)))
    return Seen(
        np.concatenate([part.offset for part in parts]),
        np.concatenate([part.contrast for part in parts]),
        np.concatenate([part.misfit for part in parts]),
        np.concatenate([part.variance for part in parts]),
    )


def edge_half(optics: Optics) -> float:
    """Pixels to either side of an edge that it is told by."""
    return 4.0 if optics.blur is None else float(np.clip(3.0 * optics.blur, 3.0, 9.0))


def outermost(part: Profiles, reach: Floats, half: float) -> Floats:
    """The outermost edge of each line within reach, or NaN: pips and the edges of the wall lie inside the outline."""
    slope = steepness(part)
    near = np.abs(part.steps)[None, :] <= reach[:, None]
    peak = peaks_of(slope) & (slope > significant(part, slope, 0.5 * half)) & near
    place = np.where(peak, part.steps[None, :], -np.inf).max(axis=1)
    return np.where(np.isfinite(place), place, np.nan)


def with_none(edges: Edges, seen: Mask) -> Edges:
    """Edges, of contrast 0 where none was seen."""
    return Edges(edges.offset, np.where(seen, edges.contrast, 0.0), edges.misfit, edges.variance, edges.blur)


def shading_of(seen: Sight) -> Shading:
    """The surface's normals at depths inside the outline."""
    nodes = np.maximum.accumulate(seen.depth[:, :1] - seen.depth, axis=1)
    at = np.stack([np.interp(_DEPTHS, depth, angle) for depth, angle in zip(nodes, seen.angle, strict=True)])
    return Shading(_DEPTHS, 1 - np.sin(at), np.cos(at))
