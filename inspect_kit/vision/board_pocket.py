"""Pockets: the edge of a hole in the surface, from the arc of it that is seen, whatever is lit or black inside.

The arc towards the board's corner is left out: there the frame ends the view, not the hole. A metal or rubber rim
shows as a ring of one colour between two concentric edges; since all pockets of a board are made alike, whether there
is one is decided for the four together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board_marks import Absent, Trace, correlation
from inspect_kit.vision.board_profile import BRIGHTNESS, Ribbon, Shot, binned, fit_steps, ribbon
from inspect_kit.vision.circle import Circle, fit_circle
from inspect_kit.vision.estimation import robust_deviation

_BINS: Final = 180
_LOW, _HIGH, _MIDDLE = -10.5, 8.5, 22.25
"""mm around the usual radius in which edges are looked for."""
_RADII: Final = (19.8, 27.5)
"""mm: pockets of 40 to 49, and a rim around them; anything else is reported as not found."""
_WINDOW: Final = 0.65
"""mm to both sides of the rim: narrower than a metal or rubber rim is wide."""
_TRIALS: Final = 1500
_TOLERANCE: Final = 0.35
_PEAKS: Final = 5
_LEAVES: Final = 0.12
"""Difference from the wood's colour, on the eye's scale and over it, that is no longer wood."""
_RING: Final = (0.7, 4.0)
"""mm: widths a rim can have."""
_EVEN: Final = 0.3
_CLEAR: Final = 0.1
"""mm: scatter of a hole's edge below which its rim is seen clearly."""
_LEAST_CONTRAST: Final = 0.35
_SMOOTH: Final = 13
"""Lines averaged around the hole, so that the meshes of a net do not count as edges."""

Walls = tuple[Floats, Floats]
"""The two walls' outward normals and offsets, as rows (nx, ny, distance)."""


@dataclass(frozen=True)
class Hole:
    """A round edge in the surface, the circle inside it if there is one, and how evenly coloured the ring between is.

    `even` is the deviation of the ring's light along the arc over its mean: a rim's is small, a hole's never.
    """

    outer: Floats
    inner: Floats | None
    even: float


def trace_pockets(shot: Shot, corners: Mapping[str, tuple[Floats, Walls]]) -> dict[str, Trace | Absent]:
    """The pockets near their guesses, each between its two walls."""
    holes = {name: find_hole(shot, centre, walls) for name, (centre, walls) in corners.items()}
    found = [hole for hole in holes.values() if isinstance(hole, Hole)]
    rimmed = 2 * sum(hole.inner is not None for hole in found) >= max(1, len(found))
    edges = {name: hole if isinstance(hole, Absent) else _edge(shot, hole, corners[name][1], rimmed)
             for name, hole in holes.items()}  # fmt: skip
    width = _common_width(edges) if rimmed else 0.0
    for name, edge in edges.items():
        if width > 0 and (isinstance(edge, Absent) or edge.outer.scatter > _CLEAR):
            again = _by_width(shot, corners[name], width)
            edges[name] = edge if isinstance(again, Absent) and not isinstance(edge, Absent) else again
    return {name: edge if isinstance(edge, Absent) else _trace(shot, edge, width) for name, edge in edges.items()}


@dataclass(frozen=True)
class _Edge:
    """The settled outer edge of a pocket, and that of the hole inside its rim (None: has none, or is not seen)."""

    outer: _Settled
    inner: _Settled | None
    doubt: float

    @property
    def width(self) -> float:
        """Of the rim."""
        return float("nan") if self.inner is None else float(self.outer.circle[2] - self.inner.circle[2])


def _edge(shot: Shot, hole: Hole, walls: Walls, rimmed: bool) -> _Edge | Absent:
    outer = _settled(shot, hole.outer, walls, _Way(narrow=rimmed))
    if outer is None:
        return Absent("missing")
    if outer.usable.sum() < 0.25 * _BINS:
        return Absent("hidden or out of the picture")
    inner = None
    if rimmed and hole.inner is not None:
        inner = _settled(shot, hole.inner, walls, _Way(around=_SMOOTH))
    apart = 0.0 if hole.inner is None else float(hole.outer[2] - hole.inner[2])
    return _Edge(outer, inner, apart / np.sqrt(3) if not rimmed and hole.even < _EVEN else 0.0)


def _common_width(edges: Mapping[str, _Edge | Absent]) -> float:
    """All rims of a board are alike: the median of their widths, of those seen clearly if there are several."""
    inner = [edge for edge in edges.values() if isinstance(edge, _Edge) and edge.inner is not None]
    clear = [edge.width for edge in inner if edge.inner is not None and edge.inner.scatter < _CLEAR]
    widths = clear if len(clear) > 1 else [edge.width for edge in inner]
    return float(np.median(widths)) if widths else 0.0


def _by_width(shot: Shot, corner: tuple[Floats, Walls], width: float) -> _Edge | Absent:
    """A pocket whose rim was not seen clearly: looked for again as two circles that are as far apart as the others'."""
    centre, walls = corner
    lines = _around(shot, centre, _MIDDLE, (_LOW, _HIGH))
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2))) & _free_arc(lines, walls)
    circle = _best_circle(lines, _peaks(shot, lines, usable, walls), 0.2, width)
    outer = None if circle is None else _settled(shot, circle, walls, _Way(narrow=True))
    if outer is None or outer.scatter > 2 * _CLEAR:
        return Absent("its rim and its hole cannot be told apart")
    inner = _settled(shot, outer.circle - np.array([0.0, 0.0, width]), walls, _Way(around=_SMOOTH))
    return _Edge(outer, inner, 0.0)


def _trace(shot: Shot, edge: _Edge, width: float) -> Trace:
    """The hole's edge: a rim's is seen best all around, and the hole begins its width further in."""
    found, inwards, u_rim = edge.outer, 0.0, 0.04
    if width > 0:
        agrees = edge.inner is not None and abs(edge.width - width) < 0.15
        inwards, u_rim = (edge.width, 0.12) if agrees else (width, 0.18)
    good, residuals = found.good, found.residuals[found.good]
    points = found.lines.feet + (found.places - inwards)[:, None] * found.lines.normals
    pixels = shot.view.pixels(np.column_stack([points[good], np.zeros(int(good.sum()))]))
    share = float(good.sum() / max(int(found.usable.sum()), 1))
    return Trace(
        shot.index, pixels, found.scatter, correlation(residuals), 0.0, float(np.hypot(u_rim, 2 * edge.doubt)), share
    )


def find_hole(shot: Shot, centre: Floats, walls: Walls) -> Hole | Absent:
    """The outermost round edge near a guess, and a concentric one inside of it."""
    lines = _around(shot, centre, _MIDDLE, (_LOW, _HIGH))
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2))) & _free_arc(lines, walls)
    if usable.sum() < 0.25 * _BINS:
        return Absent("hidden or out of the picture")
    # Seen from outside, the wood is plain up to the hole's edge or rim: where most lines leave its colour is that.
    circle = _best_circle(lines, _departures(lines, usable, walls), 0.5 * float(usable.mean()))
    if circle is None:
        circle = _best_circle(lines, _peaks(shot, lines, usable, walls), 0.2)
    return Absent("missing") if circle is None else _ringed(shot, circle, walls)


def _departures(lines: Ribbon, usable: Mask, walls: Walls) -> Floats:
    """Where each line, coming from outside, first leaves the colour that it has there; NaN where it does not."""
    eye = np.sqrt(np.maximum(np.nan_to_num(lines.light), 0))
    places = lines.feet[:, None, :] + lines.steps[None, :, None] * lines.normals[:, None, :]
    on = _on_surface(places.reshape(-1, 2), walls).reshape(places.shape[:2])
    found = np.full((len(eye), 1), np.nan)
    for row in np.nonzero(usable)[0]:
        last = int(np.nonzero(on[row])[0].max(initial=0))
        if lines.steps[last] < 1.5:
            continue
        wood = np.median(eye[row, max(last - 16, 0) : last + 1], axis=0)
        away = np.linalg.norm(eye[row, :last] - wood, axis=1) / max(float(np.linalg.norm(wood)), 1e-3)
        off = np.nonzero(away > _LEAVES)[0]
        if len(off):
            found[row, 0] = lines.steps[off[-1]]
    return found


def _around(shot: Shot, centre: Floats, radius: float, reach: tuple[float, float]) -> Ribbon:
    """Lines across a circle, in brightness only: a JPEG stores colour too coarsely to tell a rim from its hole."""
    lines = binned(ribbon(shot, centre + radius * _ways(), _ways(), reach), 3)
    return replace(lines, light=np.repeat((lines.light @ BRIGHTNESS)[:, :, None], 3, axis=2))


def _ways() -> Floats:
    azimuths = (np.arange(_BINS * 3) + 0.5) / (_BINS * 3) * 2 * np.pi
    return np.column_stack([np.cos(azimuths), np.sin(azimuths)])


def _free_arc(lines: Ribbon, walls: Walls) -> Mask:
    """Lines that do not run towards the corner: the frame's rounded corner may lie over the hole there."""
    towards = np.stack([lines.normals @ row[:2] for row in walls])
    return np.asarray((towards < 0.25).any(axis=0) & (towards < 0.97).all(axis=0))


def _on_surface(points: Floats, walls: Walls) -> Mask:
    """Points on the surface's side of both walls, half a mm off them."""
    good = np.ones(len(points), dtype=bool)
    for row in walls:
        good &= points @ row[:2] < row[2] - 0.6
    return good


def _peaks(shot: Shot, lines: Ribbon, usable: Mask, walls: Walls) -> Floats:
    """Up to five edges a line, as offsets; NaN where there are fewer."""
    eye = np.sqrt(np.maximum(np.nan_to_num(lines.light), 0)).astype(np.float32)
    size = lines.steps[1] - lines.steps[0]
    width = max(lines.blur(shot) / size, 2.0)
    soft = np.stack([cv2.GaussianBlur(eye[:, :, c], (0, 0), width, sigmaY=1.0) for c in range(3)], axis=2)
    steep = np.linalg.norm(np.gradient(soft.astype(np.float64), size, axis=1), axis=2)
    strong = np.maximum(0.25 * steep.max(axis=1, keepdims=True), 0.02)
    peak = (steep >= np.roll(steep, 1, axis=1)) & (steep > np.roll(steep, -1, axis=1)) & (steep > strong)
    peak &= usable[:, None]
    peak[:, :3] = peak[:, -3:] = False
    height = np.where(peak, steep, 0)
    best = np.argsort(-height, axis=1)[:, :_PEAKS]
    found = np.where(np.take_along_axis(height, best, axis=1) > 0, lines.steps[best], np.nan)
    for column in range(_PEAKS):
        points = lines.feet + np.nan_to_num(found[:, column])[:, None] * lines.normals
        found[~_on_surface(points, walls), column] = np.nan
    return np.asarray(found, dtype=np.float64)


def _best_circle(lines: Ribbon, offsets: Floats, least: float, ring: float = 0.0) -> Floats | None:
    """Of circles through three edges each the one on which most lines have an edge; `least` is the share it needs.

    With a `ring`, edges count also on the circle that is so much smaller.
    """
    random = np.random.default_rng(7)
    places = np.asarray(lines.feet[:, None, :] + offsets[:, :, None] * lines.normals[:, None, :])
    rows, columns = np.nonzero(np.isfinite(offsets))
    if len(np.unique(rows)) < 0.2 * _BINS:
        return None
    chosen = random.integers(0, len(rows), (_TRIALS, 3))
    circles = _through(places[rows[chosen], columns[chosen]])
    middle = lines.feet.mean(axis=0)
    good = np.isfinite(circles).all(axis=1) & (circles[:, 2] > _RADII[0]) & (circles[:, 2] < _RADII[1])
    good &= np.hypot(circles[:, 0] - middle[0], circles[:, 1] - middle[1]) < 7
    circles = circles[good]
    if not len(circles):
        return None
    everywhere = np.nan_to_num(places, nan=1e6)
    x, y, radius = circles.T[:, :, None, None]
    away = np.abs(np.hypot(everywhere[None, :, :, 0] - x, everywhere[None, :, :, 1] - y) - radius)
    votes = (away.min(axis=2) < _TOLERANCE).sum(axis=1)
    if ring > 0:
        within = np.abs(np.hypot(everywhere[None, :, :, 0] - x, everywhere[None, :, :, 1] - y) - radius + ring)
        votes = votes + (within.min(axis=2) < _TOLERANCE).sum(axis=1)
    best = int(votes.argmax())
    if votes[best] < least * _BINS:
        return None
    nearest = away[best].argmin(axis=1)
    on = away[best].min(axis=1) < _TOLERANCE
    fitted = fit_circle(everywhere[np.arange(len(everywhere)), nearest][on])
    return np.array([fitted.x, fitted.y, fitted.radius]) if isinstance(fitted, Circle) else np.asarray(circles[best])


def _through(triple: Floats) -> Floats:
    """Circles through three points each: middle and radius."""
    a, b, c = triple[:, 0], triple[:, 1], triple[:, 2]
    ab, ac = b - a, c - a
    twice = 2 * (ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0])
    twice = np.where(np.abs(twice) < 1.0, np.nan, twice)
    p, q = (ab**2).sum(axis=1), (ac**2).sum(axis=1)
    x = (ac[:, 1] * p - ab[:, 1] * q) / twice
    y = (ab[:, 0] * q - ac[:, 0] * p) / twice
    return np.column_stack([a[:, 0] + x, a[:, 1] + y, np.hypot(x, y)])


# ---------------------------------------------------------------------------------------------------------------- rims


def _ringed(shot: Shot, circle: Floats, walls: Walls) -> Hole:
    """Which concentric edges there are around a circle, and what lies between the outermost two."""
    settled = _settled(shot, circle, walls, _Way(narrow=True))
    circle = circle if settled is None else settled.circle
    lines = _around(shot, circle[:2], circle[2], (-5.0, 4.5))
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2))) & _free_arc(lines, walls)
    usable &= _on_surface(lines.feet + 2.5 * lines.normals, walls)
    if usable.sum() < 0.2 * _BINS:
        return Hole(circle, None, 1.0)
    bounds, even = _ring(lines, usable)
    if bounds is None:
        return Hole(circle, None, even)
    return Hole(circle, np.array([*circle[:2], circle[2] + bounds]), even)


def _ring(lines: Ribbon, usable: Mask) -> tuple[float | None, float]:
    """Where a ring of one colour inside the edge ends (None: there is none), and how uneven it is."""
    light = lines.light.sum(axis=2)[usable]
    level = np.median(light, axis=0)
    spread = np.array([robust_deviation(column - middle) for column, middle in zip(light.T, level, strict=True)])
    inside = (lines.steps < -_RING[0]) & (lines.steps > -_RING[1])
    near = (lines.steps < -_RING[0] + 0.15) & (lines.steps > -_RING[0] - 0.15)
    even = float((spread[near] / np.maximum(level[near], 1e-6)).mean())
    deep = float(np.percentile(spread[inside], 80))
    calm = float(spread[near].mean())
    if even > _EVEN or deep < 2 * calm:
        return None, even
    over = np.nonzero(inside & (spread > (calm + deep) / 2))[0]
    return (float(lines.steps[over[-1]]), even) if len(over) else (None, even)


# ------------------------------------------------------------------------------------------------------------ refining


@dataclass(frozen=True)
class _Settled:
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
class _Way:
    """How an edge is settled: so many lines averaged, so that the meshes of a net become one tone; or on narrow steps.

    Narrow steps keep the edge of a rim apart from that of the hole inside it.
    """

    around: int = 1
    narrow: bool = False

    def half(self, blur: float) -> float:
        """mm to both sides of the edge that are fitted."""
        return max(0.45, 1.25 * blur) if self.narrow else max(_WINDOW, 1.8 * blur)


def _settled(shot: Shot, circle: Floats, walls: Walls, way: _Way) -> _Settled | None:
    """The edge near a circle, line by line; nothing where most lines do not agree."""
    result, start = None, circle[:2]
    for _ in range(3):
        lines = _around(shot, circle[:2], circle[2], (-3.5, 3.5))
        usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2)))
        usable &= _on_surface(lines.feet + 0.8 * lines.normals, walls) & _free_arc(lines, walls)
        lines = lines if way.around == 1 else _averaged(lines, usable, way.around)
        blur = lines.blur(shot)
        fits, contrast = fit_steps(lines, np.zeros(_BINS), way.half(blur), blur, 3)
        # Where a lit net is as light as the wood, or the hole as dark as the rim, a step is anything but the edge.
        least = max(0.012, _LEAST_CONTRAST * float(np.percentile(contrast[usable], 80))) if usable.any() else 1.0
        clear = usable & (fits.misfit < 0.45) & (contrast > least) & (np.abs(fits.place) < 1.2)
        good = _agreeing(lines, fits.place, clear)
        if good.sum() < max(0.2 * usable.sum(), 0.1 * _BINS):
            return None
        design = np.column_stack([lines.normals, np.ones(_BINS)])
        move = _move(design[good], fits.place[good], circle[:2] - start if way.around > 1 else None)
        circle = circle + move
        result = _Settled(circle, lines, fits.place, usable, good, fits.place - design @ move)
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
