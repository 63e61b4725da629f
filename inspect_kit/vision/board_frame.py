"""The foot of the frame's inner wall: told apart from the wall's top edge, shadows and the dark gap along it.

Going outwards across a wall the light passes the surface (perhaps shadow or powder on it), perhaps a dark gap, the
wall's face, its top edge and the frame's top. All edges that run along the wall are collected; which of them is the
foot is decided for the four walls together, since one frame has one height and so each view predicts how far the top
edge stands off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from scipy.special import ndtr

from inspect_kit.vision import board_layout as layout
from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board_layout import OUTWARDS, SIDES, Placement
from inspect_kit.vision.board_marks import Absent, Trace, correlation
from inspect_kit.vision.board_profile import Ribbon, Shot, binned, fit_steps, ribbon
from inspect_kit.vision.estimation import robust_deviation

HEIGHT: Final = 22.2
HEIGHT_U: Final = 1.85
"""mm: the laws' 19 to 25.4, all alike."""
_ENDS: Final = 64.0
"""mm at both ends of a side that pockets and rounded corners may take."""
_INSIDE, _OUTSIDE = -17.0, 31.0
_BIN: Final = 6
_GAP: Final = 2.6
WIDTHS: Final = np.concatenate([[0.0], np.arange(0.2, 2.55, 0.1)])
"""mm: widths of a gap that are tried."""
_SLOPES: Final = np.linspace(-0.012, 0.012, 25)


@dataclass(frozen=True)
class Edge:
    """An edge along a wall: offset at the side's middle, slope, and the share of the wall on which it is seen."""

    offset: float
    slope: float
    support: float


@dataclass(frozen=True)
class Wall:
    """One side in one photo: its profiles and the edges along it, from the inside outwards."""

    side: str
    lines: Ribbon
    places: Floats
    usable: Mask
    edges: tuple[Edge, ...]
    strips: tuple[Floats, ...]
    """Light between the edges over the surface's light, colour by colour; one more than edges."""
    camera: float
    """Where the camera stands, mm inwards of the path along the side's normal (negative: beyond the wall)."""
    above: float
    """The camera's height over the surface."""


def look_at_walls(shot: Shot, placement: Placement, half: Mapping[str, float]) -> Mapping[str, Wall | Absent]:
    """The walls of one photo; `half` is about how far each foot is from the board's middle."""
    return {side: _wall(shot, placement, side, half[side]) for side in SIDES}


def _wall(shot: Shot, placement: Placement, side: str, half: float) -> Wall | Absent:
    out = np.array(OUTWARDS[side])
    along = np.array([out[1], -out[0]])
    reach = layout.HALF - _ENDS
    places = np.arange(-reach, reach, 1.0) + 0.5
    feet = placement.to_plane(out * half + places[:, None] * along)
    outwards = placement.to_plane(np.stack([np.zeros(2), out]))
    normal = outwards[1] - outwards[0]
    lines = binned(ribbon(shot, feet, np.tile(normal, (len(feet), 1)), (_INSIDE, _OUTSIDE)), _BIN)
    # Only the part near the foot must be in the picture.
    core = (lines.steps > -10) & (lines.steps < 8)
    usable = np.asarray(np.isfinite(lines.light[:, core]).all(axis=(1, 2)))
    if usable.sum() < 12:
        return Absent("hidden or out of the picture")
    lines = replace(lines, light=np.where(np.isfinite(lines.light), lines.light, 0.0))
    middle = placement.to_plane((out * half)[None])[0]
    camera = float((middle - shot.view.centre[:2]) @ normal)
    coarse = places[: len(lines.feet) * _BIN].reshape(-1, _BIN).mean(axis=1)
    edges = _edges_along(shot, lines, coarse, usable)
    if not edges:
        return Absent("missing")
    strips = _strips(lines, coarse, usable, edges)
    return Wall(side, lines, coarse, usable, edges, strips, camera, float(shot.view.centre[2]))


def _edges_along(shot: Shot, lines: Ribbon, places: Floats, usable: Mask) -> tuple[Edge, ...]:
    """Edges of the mean profile of the whole wall; all of them run along it, so one slope serves for all."""
    size = lines.steps[1] - lines.steps[0]
    eye = np.sqrt(np.maximum(lines.light, 0))
    slope = _common_slope(shot, lines, places, usable)
    moved = np.stack([[np.interp(lines.steps + slope * place, lines.steps, row[:, c]) for c in range(3)]
                      for place, row in zip(places[usable], eye[usable], strict=True)])  # fmt: skip
    mean = np.median(moved, axis=0).T
    soft = cv2.GaussianBlur(mean.astype(np.float32)[None], (0, 0), max(0.7 * lines.blur(shot) / size, 1.5))[0].astype(
        np.float64
    )
    change = np.gradient(soft, size, axis=0)
    steep = np.linalg.norm(change, axis=1)
    found = []
    for top in np.nonzero(_peaks(steep[None])[0])[0]:
        if steep[top] < 0.004 or steep[top] < 1.6 * _valley(steep, int(top), int(1.5 / size)):
            continue
        share = _support(lines.steps, moved, float(lines.steps[top]), change[top])
        if share > 0.45:
            found.append(Edge(float(lines.steps[top]), slope, share))
    return tuple(found)


def _valley(steep: Floats, top: int, reach: int) -> float:
    """The higher of the lowest values on both sides of a peak."""
    left, right = steep[max(top - reach, 0) : top + 1], steep[top : top + reach + 1]
    return float(max(left.min(), right.min()))


def _support(steps: Floats, moved: Floats, offset: float, change: Floats) -> float:
    """The share of the wall on which the light changes here as it does in the mean."""
    before, after = (steps > offset - 0.9) & (steps < offset - 0.25), (steps > offset + 0.25) & (steps < offset + 0.9)
    if not before.any() or not after.any():
        return 0.0
    own = (moved[:, :, after].mean(axis=2) - moved[:, :, before].mean(axis=2)) @ change
    return float((own > 0.4 * np.median(own)).mean()) if np.median(own) > 0 else 0.0


def _common_slope(shot: Shot, lines: Ribbon, places: Floats, usable: Mask) -> float:
    """The slope of the strongest edge along the wall."""
    size = lines.steps[1] - lines.steps[0]
    eye = np.sqrt(np.maximum(lines.light, 0)).astype(np.float32)
    width = max(lines.blur(shot) / size, 2.5)
    soft = np.stack([cv2.GaussianBlur(eye[:, :, c], (0, 0), width, sigmaY=0.01) for c in range(3)], axis=2)
    steep = np.linalg.norm(np.gradient(soft.astype(np.float64), size, axis=1), axis=2)
    peak = _peaks(steep) & (steep > max(3.0 * float(np.median(steep[usable])), 0.01)) & usable[:, None]
    rows, columns = np.nonzero(peak)
    if not len(rows):
        return 0.0
    weights = np.minimum(steep[rows, columns], 0.3)
    return _best_edge(lines.steps[columns], weights, places[rows], np.ones(len(rows), dtype=bool))[0][1]


def _peaks(slope: Floats) -> Mask:
    """Places steeper than their neighbours on the line."""
    peak = (slope >= np.roll(slope, 1, axis=1)) & (slope > np.roll(slope, -1, axis=1))
    peak[:, :3] = peak[:, -3:] = False
    return np.asarray(peak)


def _best_edge(offsets: Floats, weights: Floats, places: Floats, free: Mask) -> tuple[tuple[float, float], Mask]:
    """Slope and offset with most weight, then least squares on the points that agree."""
    best, where = -1.0, (0.0, 0.0)
    bins = np.arange(_INSIDE - 4, _OUTSIDE + 4, 0.25)
    for slope in _SLOPES:
        votes, _ = np.histogram(offsets[free] - slope * places[free], bins, weights=weights[free])
        joined = np.convolve(votes, [1, 1, 1], "same")
        top = int(joined.argmax())
        if joined[top] > best:
            best, where = float(joined[top]), (float(bins[top] + 0.125), float(slope))
    on = free & (np.abs(offsets - where[0] - where[1] * places) < 0.6)
    for _ in range(2):
        if on.sum() < 4:
            break
        design = np.column_stack([np.ones(int(on.sum())), places[on]])
        found = np.linalg.lstsq(design, offsets[on], rcond=None)[0]
        where = (float(found[0]), float(found[1]))
        on = free & (np.abs(offsets - where[0] - where[1] * places) < 0.4)
    return where, on


def _strips(lines: Ribbon, places: Floats, usable: Mask, edges: tuple[Edge, ...]) -> tuple[Floats, ...]:
    surface = np.maximum(np.median(lines.light[usable][:, lines.steps < -12], axis=(0, 1)), 1e-4)
    bounds = [_INSIDE, *(edge.offset for edge in edges), _OUTSIDE]
    mean_slope = float(np.mean([edge.slope for edge in edges]))
    away = lines.steps[None, :] - mean_slope * places[:, None]
    strips = []
    for low, high in pairwise(bounds):
        margin = min(0.5, 0.3 * (high - low))
        # Far strips fade into each other; what stands next to the edge counts.
        chosen = (away > max(low + margin, high - 4)) & (away < high - margin) & usable[:, None]
        light = np.median(lines.light[chosen], axis=0) if chosen.any() else surface
        strips.append(np.asarray(light / surface, dtype=np.float64))
    return tuple(strips)


def _like_surface(strip: Floats) -> bool:
    """The surface's own tint, lit or in shadow; or powder, which is lighter."""
    bright = float(strip.mean())
    if bright > 1.08:
        return True
    tint = strip / max(bright, 1e-6)
    return bright > 0.12 and float(np.abs(tint - 1).max()) < 0.16


def _after_gap(wall: Wall, index: int) -> bool:
    """Whether a narrow strip darker than both its neighbours lies just inside of an edge and is not the wall."""
    if index == 0:
        return False
    before, edge = wall.edges[index - 1], wall.edges[index]
    inside, outside = wall.strips[index], wall.strips[index + 1]
    tight = edge.offset - before.offset < min(_GAP, 0.6 * stand_off(wall, before.offset, HEIGHT))
    return (
        tight
        and edge.support > 0.5
        and inside.mean() < min(outside.mean(), 0.35)
        and _like_surface(wall.strips[index - 1])
    )


def _score(wall: Wall, index: int) -> float:
    """How much an edge looks like the foot, by what lies on both sides of it."""
    edge, inside, outside = wall.edges[index], wall.strips[index], wall.strips[index + 1]
    score = edge.support
    if _after_gap(wall, index):
        score += 0.8
    elif not _like_surface(inside):
        score -= 1.0
    if not _like_surface(outside):
        score += 1.0
    if index + 1 < len(wall.edges) and _after_gap(wall, index + 1):
        score -= 1.0
    drop = float(np.abs(outside - inside).mean())
    score += 0.5 * min(drop / 0.3, 1.0)
    return score - 0.02 * abs(edge.offset)


def stand_off(wall: Wall, offset: float, height: float) -> float:
    """How far outwards of the foot the wall's top edge is seen on the surface's plane."""
    return (wall.camera + offset) * height / (wall.above - height)


@dataclass(frozen=True)
class Feet:
    """The chosen edge of each wall of one photo, and the frame's height that goes with them best (None: not seen)."""

    chosen: Mapping[str, int]
    height: float | None


def choose_feet(walls: Mapping[str, Wall]) -> Feet:
    """The edges that are the feet of all walls of one photo, by a common height of the frame."""
    best, chosen, found = -np.inf, {}, None
    bases = {side: [_score(wall, index) for index in range(len(wall.edges))] for side, wall in walls.items()}
    for height in np.arange(16.0, 29.1, 0.5):
        total, picks, pairs = -0.5 * ((height - HEIGHT) / 4) ** 2 * 0.2, {}, 0.0
        for side, wall in walls.items():
            scores = [base + _pair(wall, index, float(height)) for index, base in enumerate(bases[side])]
            picks[side] = int(np.argmax(scores))
            total += max(scores)
            pairs += _pair(wall, picks[side], float(height))
        if total > best:
            best, chosen, found = total, picks, float(height) if pairs > 0.5 else None
    return Feet(chosen, found)


def _pair(wall: Wall, index: int, height: float) -> float:
    """Whether the top edge is seen where this height puts it."""
    foot = wall.edges[index].offset
    shift = stand_off(wall, foot, height)
    if shift < 1.5:
        return 0.0
    near = [edge.support for edge in wall.edges if abs(edge.offset - foot - shift) < 0.25 + 0.03 * shift]
    return 0.6 * max(near, default=0.0)


@dataclass(frozen=True)
class _Line:
    """A foot's edge, line by line, and how well each width of a gap beside it explains the mean profile."""

    wall: Wall
    offsets: Floats
    good: Mask
    shift: float
    """How far outwards the top edge is seen; negative where it hides the foot."""
    misfits: Floats
    starts: Floats


def trace_feet(shot: Shot, walls: Mapping[str, Wall], feet: Feet) -> Mapping[str, Trace | Absent]:
    """The feet in pixels; where a wall's top hides its foot, the top edge, at its height."""
    tall = HEIGHT if feet.height is None else feet.height
    lines = {side: _line(shot, wall, feet.chosen[side], tall) for side, wall in walls.items()}
    common = _common_gap([line for line in lines.values() if line is not None and len(line.misfits)])
    return {
        side: Absent("missing") if line is None else _traced(shot, line, common, tall) for side, line in lines.items()
    }


def _line(shot: Shot, wall: Wall, index: int, tall: float) -> _Line | None:
    # The gap is fitted from its inner edge on, which is the sharper one.
    edge = wall.edges[index - 1 if _after_gap(wall, index) else index]
    shift = stand_off(wall, edge.offset, tall)
    offsets, good = _refine(shot, wall, edge.offset + edge.slope * wall.places)
    if good.sum() < 10:
        return None
    beyond = [each.offset - edge.offset for each in wall.edges if each.offset > edge.offset + _GAP]
    misfits, starts = (
        (np.zeros(0), np.zeros(0)) if shift < 3.2 else _gap_misfits(shot, wall, offsets, good, min([shift, *beyond]))
    )
    return _Line(wall, offsets, good, shift, misfits, starts)


def _common_gap(lines: Sequence[_Line]) -> float:
    """The width of gap that explains all walls best, 0 where none is needed: a frame is made in one way all around."""
    if not lines:
        return 0.0
    count = min(len(line.misfits) for line in lines)
    total = sum(np.log(line.misfits[:count] / line.misfits[:count].min()) for line in lines)
    best = int(np.argmin(total))
    return float(WIDTHS[best]) if total[0] - total[best] > 0.2 * len(lines) + 0.2 else 0.0


def _traced(shot: Shot, line: _Line, common: float, tall: float) -> Trace:
    wall, places, good = line.wall, line.wall.places, line.good
    outwards, u_gap = _outwards(line, common)
    points = wall.lines.feet + (line.offsets + outwards)[:, None] * wall.lines.normals
    design = np.column_stack([np.ones(len(places)), places])
    fitted = np.linalg.lstsq(design[good], line.offsets[good], rcond=None)[0]
    residuals = (line.offsets - design @ fitted)[good]
    space = np.column_stack([points[good], np.zeros(int(good.sum()))])
    vague = abs(line.shift) / 3 if abs(line.shift) < 1.0 else u_gap
    cover = float(good.sum() / max(int(wall.usable.sum()), 1))
    scatter = max(robust_deviation(residuals), 0.02)
    raised = tall if line.shift < -0.3 else 0.0
    return Trace(shot.index, shot.view.pixels(space), scatter, correlation(residuals), 0.0, vague, cover, height=raised)


def _outwards(line: _Line, common: float) -> tuple[float, float]:
    """From the edge that lines show to the wall: over the gap; and the uncertainty of that."""
    if not len(line.misfits):
        return (common, 0.15) if line.shift > 0.3 else (0.0, 0.08)
    index = int(np.argmin(np.abs(WIDTHS[: len(line.misfits)] - common)))
    near = np.abs(WIDTHS[: len(line.misfits)] - common) < 0.35 if common else np.arange(len(line.misfits)) == 0
    own = int(np.argmin(np.where(near, line.misfits, np.inf)))
    if np.log(line.misfits[index] / line.misfits[own]) > 0.25:
        index = own
    # A wall as dark as a gap could hide one.
    dark = float(line.wall.strips[-2].mean()) < 0.06
    return float(line.starts[index] + WIDTHS[index]), 0.18 if common else 0.25 if dark else 0.06


def _refine(shot: Shot, wall: Wall, guess: Floats) -> tuple[Floats, Mask]:
    """Sub-pixel steps near the guess, and the bins that agree with a straight line."""
    scale = float(np.median(wall.lines.scale))
    others = [abs(edge.offset - guess.mean()) for edge in wall.edges if abs(edge.offset - guess.mean()) > 0.3]
    half = float(np.clip(0.9 * min(others, default=3.0), 2.2 * shot.blur / scale, 2.2))
    fits, contrast = fit_steps(wall.lines, guess, half, shot.blur / scale)
    offsets = fits.place
    good = wall.usable & (fits.misfit < 0.4) & (contrast > 0.15 * float(np.median(contrast[wall.usable])))
    design = np.column_stack([np.ones(len(guess)), wall.places])
    base = good & (np.abs(offsets - guess) < 1.2)
    good = base
    for _ in range(6):
        if good.sum() < 10:
            break
        fitted = np.linalg.lstsq(design[good], offsets[good], rcond=None)[0]
        residuals = offsets - design @ fitted
        good = base & (np.abs(residuals) < 3 * max(robust_deviation(residuals[good]), 0.03))
    return offsets, np.asarray(good)


def _gap_misfits(shot: Shot, wall: Wall, offsets: Floats, good: Mask, next_edge: float) -> tuple[Floats, Floats]:
    """For every width of a dark gap between the edge and the wall: what it leaves of the mean profile, and its start.

    A gap narrower than the blur only deepens and widens the dip between surface and wall; where surface, gap and wall
    are fitted together it shows, unless the wall is as dark as the gap.
    """
    away = np.arange(-2.6, float(np.clip(next_edge - 0.6, 1.2, 3.4)), 0.06)
    rows, steps = np.nonzero(good)[0], wall.lines.steps
    mean = np.stack([
        np.median([np.interp(away + offsets[row], steps, wall.lines.light[row, :, c]) for row in rows], axis=0)
        for c in range(3)
    ])  # fmt: skip
    mean = mean / np.maximum(mean[:, :10].mean(axis=1, keepdims=True), 1e-6)
    blur = wall.lines.blur(shot)
    starts = np.arange(-0.3, 0.51, 0.05)
    pairs = [min((_gap_misfit(away, mean, blur, (start, width)), start) for start in starts) for width in WIDTHS
             if width < away[-1] - 0.5]  # fmt: skip
    return np.array([misfit for misfit, _ in pairs]), np.array([start for _, start in pairs])


def _gap_misfit(away: Floats, mean: Floats, blur: float, trial: tuple[float, float]) -> float:
    """What surface, gap and wall leave over of the mean profiles, all colours, the dark parts weighing most."""
    start, width = trial
    first, second = ndtr((start - away) / blur), ndtr((away - start - width) / blur)
    on, up = away - start, away - start - width
    columns = [first, first * on, first * on**2, second, second * up]
    if width > 0:
        columns.append(1 - first - second)
    design = np.stack(columns, axis=1)
    prior = np.zeros((1, design.shape[1]))
    if width > 0:
        # A gap sends back a hundredth or two of the surface's light.
        prior[0, 5] = 1 / 0.012
    total = 0.0
    for profile in mean:
        weights = 1 / (0.002 + 0.02 * np.abs(profile))
        rows = np.vstack([design * weights[:, None], prior])
        target = np.append(profile * weights, 0.012 / 0.012 if width > 0 else 0.0)
        found = np.linalg.lstsq(rows, target, rcond=None)[0]
        total += float(((rows @ found - target) ** 2).sum())
        if width > 0 and found[5] > found[3]:
            # Not darker than the wall: no gap.
            total += 1e6
    return total
