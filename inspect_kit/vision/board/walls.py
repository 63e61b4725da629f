"""The inner walls of the frame in one photo: profiles across them, and every edge that runs along them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board import layout, tuning
from inspect_kit.vision.board.layout import OUTWARDS, SIDES, Placement
from inspect_kit.vision.board.lines import Absent
from inspect_kit.vision.fitting.stripe import STEP, Ribbon, Shot, binned, ribbon, shifted_rows

_BIN: Final = 6
"""Profiles, 1 mm apart, averaged into one."""
_SLOPES: Final = np.linspace(-0.012, 0.012, 25)
"""Slopes against the guess that are tried for the edges of a wall."""

_BESIDE: Final = (0.25, 0.9)
"""mm off an edge between which the light beside it is looked at."""


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
    reach = layout.HALF - tuning.ENDS
    places = np.arange(-reach, reach, 1.0) + 0.5
    feet = placement.to_plane(out * half + places[:, None] * along)
    outwards = placement.to_plane(np.stack([np.zeros(2), out]))
    normal = outwards[1] - outwards[0]
    lines = binned(ribbon(shot, feet, np.tile(normal, (len(feet), 1)), (tuning.WALLS_INSIDE, tuning.OUTSIDE)), _BIN)
    # Only the part near the foot must be in the picture.
    core = (lines.steps > -10) & (lines.steps < 8)
    usable = np.asarray(np.isfinite(lines.light[:, core]).all(axis=(1, 2)))
    if usable.sum() < 12:
        return Absent("hidden or out of the picture")
    lines = replace(lines, light=np.where(np.isfinite(lines.light), lines.light, 0.0))
    middle = placement.to_plane((out * half)[None])[0]
    camera = float((middle - shot.view.centre[:2]) @ normal)
    coarse = places[: len(lines.feet) * _BIN].reshape(-1, _BIN).mean(axis=1)
    edges = edges_along(shot, lines, coarse, usable)
    if not edges:
        return Absent("missing")
    strips = _strips(lines, coarse, usable, edges)
    clear = tuple(edge for edge, both in zip(edges, pairwise(strips), strict=True)
                  if not _faint(edge, _beside(lines, coarse, usable, edge), both))  # fmt: skip
    if 0 < len(clear) < len(edges):
        edges, strips = clear, _strips(lines, coarse, usable, clear)
    return Wall(side, lines, coarse, usable, edges, strips, camera, float(shot.view.centre[2]))


def _faint(edge: Edge, own: tuple[Floats, Floats], strips: tuple[Floats, Floats]) -> bool:
    """Seen on a part of the wall only and hardly a change of light, as dirt or grain, which would part a wall in two.

    Or the light changes farther off, as in the soft shadow of the wall, and not at this edge.
    """
    change, whole = (float(np.linalg.norm(outside - inside)) for inside, outside in (own, strips))
    brighter = max(float(np.linalg.norm(light)) for light in own)
    return change < tuning.FAINT * (max(whole, brighter) if edge.support < tuning.PARTLY else whole)


def _beside(lines: Ribbon, places: Floats, usable: Mask, edge: Edge) -> tuple[Floats, Floats]:
    """Light right inside and right outside of an edge, over the surface's."""
    away = lines.steps[None, :] - edge.offset - edge.slope * places[:, None]
    near = (np.abs(away) > _BESIDE[0]) & (np.abs(away) < _BESIDE[1]) & usable[:, None]
    surface = _surface(lines, usable)
    inside, outside = (np.median(lines.light[near & (side * away > 0)], axis=0) / surface for side in (-1, 1))
    return inside, outside


def _surface(lines: Ribbon, usable: Mask) -> Floats:
    """The surface's light, well inside of any edge at a wall."""
    return np.maximum(np.median(lines.light[usable][:, lines.steps < -12], axis=(0, 1)), 1e-4)


def edges_along(shot: Shot, lines: Ribbon, places: Floats, usable: Mask) -> tuple[Edge, ...]:
    """Edges of the mean profile of the whole wall; all of them run along it, so one slope serves for all."""
    eye = np.sqrt(np.maximum(lines.light, 0))
    slope = _common_slope(shot, lines, places, usable)
    moved = shifted_rows(eye[usable], slope * places[usable] / STEP).transpose(0, 2, 1)
    mean = np.median(moved, axis=0).T
    soft = cv2.GaussianBlur(mean.astype(np.float32)[None], (0, 0), max(0.7 * lines.blur(shot) / STEP, 1.5))[0].astype(
        np.float64
    )
    change = np.gradient(soft, STEP, axis=0)
    steep = np.linalg.norm(change, axis=1)
    found = []
    for top in np.nonzero(peaks(steep[None])[0])[0]:
        if steep[top] < 0.004 or steep[top] < 1.6 * _valley(steep, int(top), int(1.5 / STEP)):
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
    near = (np.abs(steps - offset) > _BESIDE[0]) & (np.abs(steps - offset) < _BESIDE[1])
    before, after = near & (steps < offset), near & (steps > offset)
    if not before.any() or not after.any():
        return 0.0
    own = (moved[:, :, after].mean(axis=2) - moved[:, :, before].mean(axis=2)) @ change
    return float((own > 0.4 * np.median(own)).mean()) if np.median(own) > 0 else 0.0


def _common_slope(shot: Shot, lines: Ribbon, places: Floats, usable: Mask) -> float:
    """The slope with which the edges along the wall, all together, are sharpest in the mean of its profiles."""
    eye, along = np.sqrt(np.maximum(lines.light[usable], 0)), places[usable] / STEP
    means = np.array([shifted_rows(eye, slope * along).mean(axis=0) for slope in _SLOPES], dtype=np.float32)
    soft = cv2.GaussianBlur(means, (0, 0), max(lines.blur(shot) / STEP, 2.5), sigmaY=0.01)
    sharp = (np.diff(soft, axis=1).astype(np.float64) ** 2).sum(axis=(1, 2))
    top = int(np.clip(sharp.argmax(), 1, len(_SLOPES) - 2))
    left, middle, right = sharp[top - 1 : top + 2]
    beside = 0.5 * (left - right) / min(left - 2 * middle + right, -1e-12)
    return float(_SLOPES[top] + np.clip(beside, -1, 1) * (_SLOPES[1] - _SLOPES[0]))


def peaks(slope: Floats) -> Mask:
    """Places steeper than their neighbours on the line."""
    peak = (slope >= np.roll(slope, 1, axis=1)) & (slope > np.roll(slope, -1, axis=1))
    peak[:, :3] = peak[:, -3:] = False
    return np.asarray(peak)


def _strips(lines: Ribbon, places: Floats, usable: Mask, edges: tuple[Edge, ...]) -> tuple[Floats, ...]:
    surface = _surface(lines, usable)
    bounds = [tuning.WALLS_INSIDE, *(edge.offset for edge in edges), tuning.OUTSIDE]
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


def stand_off(wall: Wall, offset: float, height: float) -> float:
    """How far outwards of the foot the wall's top edge is seen on the surface's plane."""
    return (wall.camera + offset) * height / (wall.above - height)


def stand_offs(wall: Wall, offsets: Floats, heights: Floats) -> Floats:
    """The same for many feet and heights."""
    return np.asarray((wall.camera + offsets) * heights / (wall.above - heights), dtype=np.float64)


# Which edge along each wall is the foot: told apart from the wall's top edge, shadows and the dark gap along it.
#
# Going outwards across a wall the light passes the surface (perhaps shadow or powder on it), perhaps a dark gap, the
# wall's face, its top edge and the frame's top. Which of the edges is the foot is decided for the four walls together,
# since one frame has one height and so each view predicts how far the top edge stands off.


def _like_surface(strip: Floats) -> bool:
    """The surface's own tint, lit or in shadow; or powder or sheen, which only add light."""
    bright = float(strip.mean())
    if float(strip.min()) > tuning.NO_DARKER:
        return True
    tint = strip / max(bright, 1e-6)
    return bright > 0.12 and float(np.abs(tint - 1).max()) < 0.16


def _powder(wall: Wall, index: int) -> bool:
    """Whether the strip outside of an edge is powder swept against the wall: narrow, nowhere darker than before it."""
    if index + 1 >= len(wall.edges) or wall.edges[index + 1].offset - wall.edges[index].offset > tuning.WALLS_POWDER:
        return False
    before, own, after = wall.strips[index : index + 3]
    return bool((own > 1.05 * before).all() and (after < 0.5 * own).all())


def after_gap(wall: Wall, index: int) -> bool:
    """Whether a narrow strip darker than both its neighbours lies just inside of an edge and is not the wall."""
    if index == 0:
        return False
    before, edge = wall.edges[index - 1], wall.edges[index]
    inside, outside = wall.strips[index], wall.strips[index + 1]
    tight = edge.offset - before.offset < min(tuning.GAP, 0.6 * stand_off(wall, before.offset, tuning.HEIGHT))
    return (
        tight
        and edge.support > 0.5
        and inside.mean() < min(outside.mean() / tuning.WALLS_LIGHTER, 0.35)
        and inside.mean() < tuning.GAP_DARKER * wall.strips[index - 1].mean()
        and _like_surface(wall.strips[index - 1])
    )


def lit_top(wall: Wall, index: int) -> bool:
    """Whether an edge may be a wall's top with an unseen foot: shade before it, and something lighter beyond.

    The wall that throws the shade has its face turned away from the lamp: it is as dark as the surface before it, and
    the first thing that is lighter is its upper side.
    """
    inside, outside = (float(strip.mean()) for strip in wall.strips[index : index + 2])
    hides_nothing = stand_off(wall, wall.edges[index].offset, tuning.HEIGHT) > 0
    shaded = inside < tuning.SHADED and outside > tuning.WALLS_LIGHTER * inside
    return hides_nothing and shaded and not after_gap(wall, index)


def mirrors_wood(walls: Mapping[str, Wall], feet: Mapping[str, ChosenFoot]) -> bool:
    """Whether a face of the frame, seen between its foot and its top edge, shows the wood's tint, and its top does not.

    The more obliquely such a face is looked along, the more it mirrors: until nothing parts it from the wood.
    """
    return any(_tinted(walls[side], foot.index) for side, foot in feet.items())


def _tinted(wall: Wall, foot: int) -> bool:
    top = top_of(wall, foot)
    return top is not None and _like_surface(wall.strips[top]) and not _like_surface(wall.strips[top + 1])


def top_of(wall: Wall, foot: int) -> int | None:
    """The first edge about where a frame of the usual height has its top, given the foot's; nothing where none is."""
    start = wall.edges[foot].offset
    low, high = (stand_off(wall, start, tuning.HEIGHT + sign * 2 * tuning.HEIGHT_U) for sign in (-1, 1))
    after = (index for index, edge in enumerate(wall.edges) if index > foot and low < edge.offset - start < high)
    return next(after, None)


def _score(wall: Wall, index: int) -> float:
    """How much an edge looks like the foot, by what lies on both sides of it."""
    edge, inside, outside = wall.edges[index], wall.strips[index], wall.strips[index + 1]
    score = edge.support
    if after_gap(wall, index):
        score += 0.8
    elif not _like_surface(inside):
        score -= 1.0
    if _powder(wall, index):
        score -= 1.0
    elif not _like_surface(outside):
        score += 1.0
    if index + 1 < len(wall.edges) and after_gap(wall, index + 1):
        score -= 1.0
    drop = float(np.abs(outside - inside).mean())
    score += 0.5 * min(drop / 0.3, 1.0)
    return score - 0.02 * abs(edge.offset)


_HEIGHTS: Final = np.arange(14.0, 31.1, 0.5)
"""mm: heights of a frame that are tried, in coarse steps."""
_SHIFTS: Final = np.arange(-12.0, 13.1, 0.5)
"""mm: by how much all feet together may lie off their guesses."""


@dataclass(frozen=True)
class ChosenFoot:
    """The edge that is a wall's foot, and another that may be it as well, if any."""

    index: int
    rival: int | None = None


def choose_feet(walls: Mapping[str, Wall]) -> dict[str, ChosenFoot]:
    """The edges that are the feet of all walls of one photo; walls that show none are left out.

    One frame has one height, which tells where each wall's top must be seen; and its markings, from which the feet are
    guessed, stand off all four walls about alike. A glossy wall mirrors the wood and then looks like shaded surface:
    by its own looks alone its top edge passes for the foot.
    """
    bases = {side: np.array([_score(wall, index) for index in range(len(wall.edges))]) for side, wall in walls.items()}
    starts = {side: _starts(wall) for side, wall in walls.items()}
    reached = {side: np.full(len(base), -np.inf) for side, base in bases.items()}
    for height in _HEIGHTS:
        usual = -0.5 * ((height - tuning.HEIGHT) / tuning.HEIGHT_U) ** 2 * 0.2
        tops = {side: base + _pairs(walls[side], float(height)) for side, base in bases.items()}
        for shift in _SHIFTS:
            scores = {side: top - unlike(starts[side] - shift) for side, top in tops.items()}
            total = usual + sum(float(score.max()) for score in scores.values())
            for side, score in scores.items():
                reached[side] = np.maximum(reached[side], total - score.max() + score)
    chosen = {side: _chosen(starts[side], totals) for side, totals in reached.items()}
    return {side: foot for side, foot in chosen.items() if bases[side][foot.index] > tuning.LEAST}


def _chosen(starts: Floats, totals: Floats) -> ChosenFoot:
    """The best edge by what all walls together say with it, and the best one far from it if it is nearly as good."""
    best = int(totals.argmax())
    apart = np.abs(starts - starts[best]) > tuning.RIVAL_APART
    if not apart.any():
        return ChosenFoot(best)
    rival = int(np.where(apart, totals, -np.inf).argmax())
    return ChosenFoot(best, rival if totals[rival] > totals[best] - tuning.RIVAL else None)


def unlike(away: Floats) -> Floats:
    """What it costs each edge to lie elsewhere than the feet of the other walls do."""
    return np.minimum(0.5 * (away / tuning.SIDE_ALIKE) ** 2, tuning.SIDE_MOST)


def _starts(wall: Wall) -> Floats:
    """Where the surface ends for each edge taken as the foot: before the gap, if there is one."""
    return np.array([wall.edges[start_of(wall, index)].offset for index in range(len(wall.edges))])


def start_of(wall: Wall, index: int) -> int:
    """The edge at which the surface ends, given the one at which the wall begins."""
    return index - 1 if after_gap(wall, index) else index


def _pairs(wall: Wall, height: float) -> Floats:
    return np.array([_pair(wall, index, height) for index in range(len(wall.edges))])


def _pair(wall: Wall, index: int, height: float) -> float:
    """Whether the top edge is seen where this height puts it."""
    foot = wall.edges[index].offset
    shift = stand_off(wall, foot, height)
    if shift < 1.5 or foot + shift > tuning.OUTSIDE - 1:
        return 0.0
    near = [edge.support for edge in wall.edges if abs(edge.offset - foot - shift) < 0.25 + 0.03 * shift]
    return 0.6 * max(near) if near else -tuning.UNSEEN_TOP
