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
from inspect_kit.vision.board import tuning
from inspect_kit.vision.board.lines import Absent, Trace, correlation
from inspect_kit.vision.board.walls import peaks
from inspect_kit.vision.fitting.circle import Circle, fit_circle
from inspect_kit.vision.fitting.least_squares import agreeing, robust_deviation
from inspect_kit.vision.fitting.stripe import BRIGHTNESS, Ribbon, Shot, binned, fit_steps, ribbon

# A round edge in the surface: lines across a circle, and steps fitted to those that show it.

BINS: Final = 180
"""Directions around a pocket, two degrees each."""

Walls = tuple[Floats, Floats]
"""The two walls' outward normals and offsets, as rows (nx, ny, distance)."""


@dataclass(frozen=True)
class Corner:
    """About where a pocket is: middle and radius, between two walls; `found`: it was seen there, like the others."""

    circle: Floats
    walls: Walls
    found: bool = False


def _ways() -> Floats:
    azimuths = (np.arange(BINS * 3) + 0.5) / (BINS * 3) * 2 * np.pi
    return np.column_stack([np.cos(azimuths), np.sin(azimuths)])


def _around(shot: Shot, circle: Floats, reach: tuple[float, float]) -> Ribbon:
    return binned(ribbon(shot, circle[:2] + circle[2] * _ways(), _ways(), reach), 3)


def lines_around(shot: Shot, circle: Floats, reach: tuple[float, float]) -> Ribbon:
    """Lines across a circle, in brightness only: a JPEG stores colour too coarsely to tell a rim from its hole."""
    lines = _around(shot, circle, reach)
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
        return max(0.45, 1.25 * blur) if self.narrow else max(tuning.WINDOW, 1.8 * blur)


def settle(shot: Shot, circle: Floats, walls: Walls, way: Way) -> Settled | None:
    """The edge near a circle, line by line; nothing where most lines do not agree."""
    result, start = None, circle[:2]
    for _ in range(3):
        lines = lines_around(shot, circle, (-3.5, 3.5))
        usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2)))
        usable &= on_surface(lines.feet + 0.8 * lines.normals, walls) & free_arc(lines, walls)
        lines = lines if way.around == 1 else _averaged(lines, usable, way.around)
        blur = lines.blur(shot)
        fits, contrast = fit_steps(lines, np.zeros(BINS), way.half(blur), blur, 3)
        # Where a lit net is as light as the wood, or the hole as dark as the rim, a step is anything but the edge.
        least = max(0.012, tuning.LEAST_CONTRAST * float(np.percentile(contrast[usable], 80))) if usable.any() else 1.0
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
    return agreeing(np.column_stack([lines.normals, np.ones(len(offsets))]), offsets, base, least=12, floor=0.06)


# Round holes near a guess: where the lines around it leave the wood, and whether a ring of one colour lies inside.


@dataclass(frozen=True)
class Hole:
    """A round edge in the surface, the circle inside it if there is one, and how evenly coloured the ring between is.

    `even` is the deviation of the ring's light along the arc over its mean: a rim's is small, a hole's never.
    """

    outer: Floats
    inner: Floats | None
    even: float


def find_hole(shot: Shot, corner: Corner) -> Hole | Absent:
    """The outermost round edge near a guess, and a concentric one inside of it."""
    walls = corner.walls
    if corner.found:
        circle = where_wood_ends(shot, corner)
        return Absent("not one clean circle") if circle is None else _ringed(shot, circle, walls)
    lines = lines_around(shot, corner.circle, (tuning.LOW, tuning.HIGH))
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2))) & free_arc(lines, walls)
    if usable.sum() < 0.25 * BINS:
        return Absent("hidden or out of the picture")
    # Seen from outside, the wood is plain up to the hole's edge or rim: where most lines leave its colour is that.
    circles = best_circles(lines, _departures(lines, usable, walls), 0.5 * float(usable.mean()))
    edges = best_circles(lines, edges_across(shot, lines, usable, walls), 0.2)
    # A lit net as light as the wood lets lines leave it too far inside; of the other edges, larger ones may be right.
    circles += [circle for circle in edges if circle[2] > circles[0][2] + tuning.LARGER] if circles else edges[:1]
    return _ringed(shot, _clearest(shot, circles, walls), walls) if circles else Absent("missing")


def _clearest(shot: Shot, circles: list[Floats], walls: Walls) -> Floats:
    """The circle on which many lines show an edge at the same place: where a lit net is as light as wood, few do."""
    best, found = -np.inf, circles[0]
    for circle in circles if len(circles) > 1 else ():
        settled = settle(shot, circle, walls, Way(narrow=True))
        if settled is None:
            continue
        score = float(settled.good.sum() * np.log(tuning.LOOSE / settled.scatter))
        if score > best:
            best, found = score, settled.circle
    return found


def _departures(lines: Ribbon, usable: Mask, walls: Walls) -> Floats:
    """Where each line, coming from outside, first leaves the colour that it has there; NaN where it does not."""
    eye = np.sqrt(np.maximum(np.nan_to_num(lines.light), 0))
    places = lines.feet[:, None, :] + lines.steps[None, :, None] * lines.normals[:, None, :]
    on = on_surface(places.reshape(-1, 2), walls).reshape(places.shape[:2])
    found = np.full((len(eye), 1), np.nan)
    for row in np.nonzero(usable)[0]:
        last = int(np.nonzero(on[row])[0].max(initial=0))
        if lines.steps[last] < 1.5:
            continue
        wood = np.median(eye[row, max(last - 16, 0) : last + 1], axis=0)
        away = np.linalg.norm(eye[row, :last] - wood, axis=1) / max(float(np.linalg.norm(wood)), 1e-3)
        off = np.nonzero(away > tuning.LEAVES)[0]
        if len(off):
            found[row, 0] = lines.steps[off[-1]]
    return found


def edges_across(shot: Shot, lines: Ribbon, usable: Mask, walls: Walls) -> Floats:
    """Up to five edges a line, as offsets; NaN where there are fewer."""
    eye = np.sqrt(np.maximum(np.nan_to_num(lines.light), 0)).astype(np.float32)
    size = lines.steps[1] - lines.steps[0]
    width = max(lines.blur(shot) / size, 2.0)
    soft = np.stack([cv2.GaussianBlur(eye[:, :, c], (0, 0), width, sigmaY=1.0) for c in range(3)], axis=2)
    steep = np.linalg.norm(np.gradient(soft.astype(np.float64), size, axis=1), axis=2)
    strong = np.maximum(0.25 * steep.max(axis=1, keepdims=True), 0.02)
    height = np.where(peaks(steep) & (steep > strong) & usable[:, None], steep, 0)
    best = np.argsort(-height, axis=1)[:, : tuning.POCKETS_PEAKS]
    found = np.where(np.take_along_axis(height, best, axis=1) > 0, lines.steps[best], np.nan)
    for column in range(tuning.POCKETS_PEAKS):
        points = lines.feet + np.nan_to_num(found[:, column])[:, None] * lines.normals
        found[~on_surface(points, walls), column] = np.nan
    return np.asarray(found, dtype=np.float64)


def best_circles(lines: Ribbon, offsets: Floats, least: float, ring: float = 0.0) -> list[Floats]:
    """Of circles through three edges each those on which most lines have an edge; `least` is the share they need.

    With a `ring`, edges count also on the circle that is so much smaller.
    """
    random = np.random.default_rng(7)
    places = np.asarray(lines.feet[:, None, :] + offsets[:, :, None] * lines.normals[:, None, :])
    rows, columns = np.nonzero(np.isfinite(offsets))
    if len(np.unique(rows)) < 0.2 * BINS:
        return []
    chosen = random.integers(0, len(rows), (tuning.TRIALS, 3))
    circles = _through(places[rows[chosen], columns[chosen]])
    middle = lines.feet.mean(axis=0)
    usual = float(np.median(np.linalg.norm(lines.feet - middle, axis=1)))
    good = np.isfinite(circles).all(axis=1) & (circles[:, 2] > usual - tuning.SMALLER_HOLE)
    good &= circles[:, 2] < usual + tuning.LARGER_HOLE
    good &= np.hypot(circles[:, 0] - middle[0], circles[:, 1] - middle[1]) < 7
    circles = circles[good]
    if not len(circles):
        return []
    everywhere = np.nan_to_num(places, nan=1e6)
    x, y, radius = circles.T[:, :, None, None]
    away = np.abs(np.hypot(everywhere[None, :, :, 0] - x, everywhere[None, :, :, 1] - y) - radius)
    votes = (away.min(axis=2) < tuning.TOLERANCE).sum(axis=1)
    if ring > 0:
        within = np.abs(np.hypot(everywhere[None, :, :, 0] - x, everywhere[None, :, :, 1] - y) - radius + ring)
        votes = votes + (within.min(axis=2) < tuning.TOLERANCE).sum(axis=1)
    found: list[Floats] = []
    needed = max(least * BINS, tuning.NEARLY * float(votes.max()))
    while len(found) < tuning.CANDIDATES and votes.max() >= needed:
        best = int(votes.argmax())
        found.append(_through_all(everywhere, away[best], circles[best]))
        votes[np.abs(circles - circles[best]).max(axis=1) < tuning.DISTINCT] = 0
    return found


def _through_all(places: Floats, away: Floats, circle: Floats) -> Floats:
    """The circle through the nearest edge of every line that has one on it."""
    on = away.min(axis=1) < tuning.TOLERANCE
    fitted = fit_circle(places[np.arange(len(places)), away.argmin(axis=1)][on])
    return np.array([fitted.x, fitted.y, fitted.radius]) if isinstance(fitted, Circle) else circle


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


def _ringed(shot: Shot, circle: Floats, walls: Walls) -> Hole:
    """Which concentric edges there are around a circle, and what lies between the outermost two."""
    settled = settle(shot, circle, walls, Way(narrow=True))
    circle = circle if settled is None else settled.circle
    lines = lines_around(shot, circle, (-5.0, 4.5))
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2))) & free_arc(lines, walls)
    usable &= on_surface(lines.feet + 2.5 * lines.normals, walls)
    if usable.sum() < 0.2 * BINS:
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
    inside = (lines.steps < -tuning.RING[0]) & (lines.steps > -tuning.RING[1])
    near = (lines.steps < -tuning.RING[0] + 0.15) & (lines.steps > -tuning.RING[0] - 0.15)
    even = float((spread[near] / np.maximum(level[near], 1e-6)).mean())
    deep = float(np.percentile(spread[inside], 80))
    calm = float(spread[near].mean())
    if even > tuning.EVEN or deep < 2 * calm:
        return None, even
    over = np.nonzero(inside & (spread > (calm + deep) / 2))[0]
    return (float(lines.steps[over[-1]]), even) if len(over) else (None, even)


# Where the wood ends: colours tell it whatever the net looks like, to half a pixel; edges then tell it finer.


def where_wood_ends(shot: Shot, corner: Corner) -> Floats | None:
    """The circle around which wood ends near a guess; nothing where it ends on no circle."""
    circle = corner.circle
    for reach, strip, arc, floor in tuning.WOOD_ENDS:
        lines, places, clear = _wood_ends(shot, replace(corner, circle=circle), (reach, strip, arc))
        design = np.column_stack([lines.normals, np.ones(BINS)])
        good = agreeing(design, places, clear, least=12, floor=floor)
        if good.sum() < tuning.WOOD_AROUND * BINS:
            return None
        circle = circle + np.linalg.lstsq(design[good], places[good], rcond=None)[0]
    return np.asarray(circle, dtype=np.float64)


def _wood_ends(shot: Shot, corner: Corner, look: tuple[float, float, float]) -> tuple[Ribbon, Floats, Mask]:
    """Lines across the circle, where wood ends on each going inwards, and which of them show it.

    `look` is mm to both sides of the circle, the strip of wood and of none beside its end, and degrees off the way to
    the board's middle.
    """
    reach, strip, arc = look
    lines = _around(shot, corner.circle, (-reach - strip, reach + strip))
    inwards = -(corner.walls[0][:2] + corner.walls[1][:2]) / np.sqrt(2)
    usable = np.isfinite(lines.light).all(axis=(1, 2)) & (lines.normals @ inwards > np.cos(np.radians(arc)))
    count = round(strip / (lines.steps[1] - lines.steps[0]))
    if usable.sum() < tuning.WOOD_AROUND * BINS:
        return lines, np.zeros(BINS), np.zeros(BINS, dtype=bool)
    eye = np.sqrt(np.maximum(np.nan_to_num(lines.light), 0))
    wood = np.maximum(np.median(eye[usable][:, -count:].reshape(-1, 3), axis=0), 1e-3)
    like = np.exp(-((np.linalg.norm(eye / wood - 1, axis=2) / np.sqrt(3) / tuning.WOOD_VARIES) ** 2))
    total = np.concatenate([np.zeros((BINS, 1)), np.cumsum(like, axis=1)], axis=1)
    at = np.arange(count, like.shape[1] - count + 1)
    gain = (total[:, at + count] - 2 * total[:, at] + total[:, at - count]) / count
    places = lines.steps[0] + (at[gain.argmax(axis=1)] - 0.5) * (lines.steps[1] - lines.steps[0])
    return lines, places, np.asarray(usable & (gain.max(axis=1) > tuning.WOOD_CLEAR))


def trace_pockets(shot: Shot, corners: Mapping[str, Corner]) -> dict[str, Trace | Absent]:
    """The pockets near their guesses, each between its two walls."""
    holes = {name: find_hole(shot, corner) for name, corner in corners.items()}
    found = [hole for hole in holes.values() if isinstance(hole, Hole)]
    rimmed = 2 * sum(hole.inner is not None for hole in found) >= max(1, len(found))
    edges = {name: hole if isinstance(hole, Absent) else _edge(shot, hole, corners[name].walls, rimmed)
             for name, hole in holes.items()}  # fmt: skip
    width = _common_width(edges) if rimmed else 0.0
    for name, edge in edges.items():
        if width > 0 and (isinstance(edge, Absent) or edge.outer.scatter > tuning.POCKETS_CLEAR):
            again = _by_width(shot, corners[name], width)
            edges[name] = again if isinstance(edge, Absent) or _clearer(again, edge) else edge
        elif isinstance(edge, _Edge) and width > 0 and not edge.agrees(width):
            again = _by_width(shot, corners[name], width)
            # Without a ring of its own inside, what was found may be the hole itself, its rim further out.
            further = isinstance(again, _Edge) and again.outer.circle[2] > edge.outer.circle[2] + 0.6 * width
            edges[name] = again if further else edge
    edges = _doubting(edges, width)
    traced = {name: edge if isinstance(edge, Absent) else _traced(shot, edge, width) for name, edge in edges.items()}
    unsure = {name: edge.outer for name, edge in edges.items()
              if isinstance(edge, _Edge) and corners[name].found and width <= 0}  # fmt: skip
    return {name: perhaps_rimmed(mark, unsure[name].lines, unsure[name].good)
            if isinstance(mark, Trace) and name in unsure else mark for name, mark in traced.items()}  # fmt: skip


def perhaps_rimmed(mark: Trace, lines: Ribbon, good: Mask) -> Trace:
    """A rim as dark as its hole, or of shining metal, may pass for the edge of the hole: U holds it."""
    steps, light = lines.steps, lines.light[good][:, :, 0]
    inside, wood = (light[:, part] for part in (steps < -tuning.RING[0], steps > tuning.RING[0]))
    level = float(np.median(inside))
    uneven = robust_deviation(np.median(inside, axis=1) - level) > tuning.EVEN * level
    hidden = uneven or level < tuning.RIM_DARK * float(np.median(wood))
    return replace(mark, u_width=float(np.hypot(mark.u_width, tuning.RIM_UNSEEN))) if hidden else mark


def _clearer(one: _Edge | Absent, other: _Edge) -> bool:
    return isinstance(one, _Edge) and one.outer.scatter < other.outer.scatter


def _doubting(edges: Mapping[str, _Edge | Absent], width: float) -> dict[str, _Edge | Absent]:
    """A pocket whose own rim was not seen, and which fits the others better without one, may be its hole already."""
    sure = [edge.outer.circle[2] - width for edge in edges.values() if isinstance(edge, _Edge) and edge.agrees(width)]
    if width <= 0 or len(sure) < 2:
        return dict(edges)
    usual = float(np.median(sure))

    def doubted(edge: _Edge) -> bool:
        radius = float(edge.outer.circle[2])
        return not edge.agrees(width) and abs(radius - width - usual) > abs(radius - usual)

    return {name: replace(edge, doubt=width / np.sqrt(3)) if isinstance(edge, _Edge) and doubted(edge) else edge
            for name, edge in edges.items()}  # fmt: skip


def _traced(shot: Shot, edge: _Edge, width: float) -> Trace | Absent:
    """Nothing where lines agree so badly that the circle is chance: a quarter round cut into a corner, a net's edge."""
    found, pixel = _trace(shot, edge, width), 1 / float(np.median(edge.outer.lines.scale))
    most = max(tuning.RAGGED, 0.3 * edge.outer.lines.blur(shot), tuning.RAGGED_PIXELS * pixel)
    ragged = edge.outer.scatter > most or found.u_width > max(tuning.USELESS, tuning.USELESS_PIXELS * pixel)
    return Absent("not one clean circle") if ragged else found


@dataclass(frozen=True)
class _Edge:
    """The settled outer edge of a pocket, and that of the hole inside its rim (None: has none, or is not seen)."""

    outer: Settled
    inner: Settled | None
    doubt: float

    @property
    def width(self) -> float:
        """Of the rim."""
        return float("nan") if self.inner is None else float(self.outer.circle[2] - self.inner.circle[2])

    def agrees(self, width: float) -> bool:
        """Whether this rim is as wide as the others."""
        return self.inner is not None and abs(self.width - width) < tuning.POCKETS_ALIKE


def _edge(shot: Shot, hole: Hole, walls: Walls, rimmed: bool) -> _Edge | Absent:
    outer = settle(shot, hole.outer, walls, Way(narrow=rimmed))
    if outer is None:
        return Absent("missing")
    if outer.usable.sum() < 0.25 * BINS:
        return Absent("hidden or out of the picture")
    inner = None
    if rimmed and hole.inner is not None:
        inner = settle(shot, hole.inner, walls, Way(around=tuning.SMOOTH))
    apart = 0.0 if hole.inner is None else float(hole.outer[2] - hole.inner[2])
    return _Edge(outer, inner, apart / np.sqrt(3) if not rimmed and hole.even < tuning.EVEN else 0.0)


def _common_width(edges: Mapping[str, _Edge | Absent]) -> float:
    """All rims of a board are alike: the median of their widths, of those seen clearly if there are several."""
    inner = [edge for edge in edges.values() if isinstance(edge, _Edge) and edge.inner is not None]
    clear = [edge.width for edge in inner if edge.inner is not None and edge.inner.scatter < tuning.POCKETS_CLEAR]
    widths = clear if len(clear) > 1 else [edge.width for edge in inner]
    return float(np.median(widths)) if widths else 0.0


def _by_width(shot: Shot, corner: Corner, width: float) -> _Edge | Absent:
    """A pocket whose rim was not seen clearly: looked for again as two circles that are as far apart as the others'."""
    walls = corner.walls
    lines = lines_around(shot, corner.circle, (tuning.LOW, tuning.HIGH))
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2))) & free_arc(lines, walls)
    circles = best_circles(lines, edges_across(shot, lines, usable, walls), 0.2, width)
    outer = settle(shot, circles[0], walls, Way(narrow=True)) if circles else None
    if outer is None or outer.scatter > 2 * tuning.POCKETS_CLEAR:
        return Absent("its rim and its hole cannot be told apart")
    inner = settle(shot, outer.circle - np.array([0.0, 0.0, width]), walls, Way(around=tuning.SMOOTH))
    return _Edge(outer, inner, 0.0)


def _trace(shot: Shot, edge: _Edge, width: float) -> Trace:
    """The hole's edge: a rim's is seen best all around, and the hole begins its width further in."""
    found, inwards, u_rim = edge.outer, 0.0, 0.04
    if width > 0:
        inwards, u_rim = (edge.width, 0.12) if edge.agrees(width) else (width, 0.18)
    if found.scatter > max(tuning.POCKETS_CLEAR, 0.0 if width > 0 else 0.3 * found.lines.blur(shot)):
        u_rim = float(np.hypot(u_rim, (4 if width > 0 else 3) * found.scatter))
    good, residuals = found.good, found.residuals[found.good]
    points = found.lines.feet + (found.places - inwards)[:, None] * found.lines.normals
    pixels = shot.view.pixels(np.column_stack([points[good], np.zeros(int(good.sum()))]))
    u_width = float(np.hypot(u_rim, 2 * edge.doubt))
    return Trace(shot.index, pixels, found.scatter, correlation(residuals), 0.0, u_width)
