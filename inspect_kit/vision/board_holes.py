"""Round holes near a guess: where the lines around it leave the wood, and whether a ring of one colour lies inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board_marks import Absent
from inspect_kit.vision.board_profile import Ribbon, Shot
from inspect_kit.vision.board_rim import BINS, Walls, Way, free_arc, lines_around, on_surface, settle
from inspect_kit.vision.circle import Circle, fit_circle
from inspect_kit.vision.estimation import robust_deviation

LOW, HIGH, MIDDLE = -10.5, 8.5, 22.25
"""mm around the usual radius in which edges are looked for."""
_RADII: Final = (19.8, 27.5)
"""mm: pockets of 40 to 49, and a rim around them; anything else is reported as not found."""
_TRIALS: Final = 1500
_TOLERANCE: Final = 0.35
_PEAKS: Final = 5
_CANDIDATES: Final = 4
_NEARLY: Final = 0.7
"""Share of the best circle's edges that another one needs to be looked at too."""
_DISTINCT: Final = 0.6
"""mm: circles nearer to each other are one."""
_LARGER: Final = 0.3
_LOOSE: Final = 0.4
"""mm: scatter at which an edge says nothing."""
_LEAVES: Final = 0.12
"""Difference from the wood's brightness, on the eye's scale and over it, that is no longer wood."""
_RING: Final = (0.7, 4.0)
"""mm: widths a rim can have."""
EVEN: Final = 0.3
"""Deviation of a ring's light along the arc, over its mean, above which it is no rim."""


@dataclass(frozen=True)
class Hole:
    """A round edge in the surface, the circle inside it if there is one, and how evenly coloured the ring between is.

    `even` is the deviation of the ring's light along the arc over its mean: a rim's is small, a hole's never.
    """

    outer: Floats
    inner: Floats | None
    even: float


def find_hole(shot: Shot, centre: Floats, walls: Walls) -> Hole | Absent:
    """The outermost round edge near a guess, and a concentric one inside of it."""
    lines = lines_around(shot, centre, MIDDLE, (LOW, HIGH))
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2))) & free_arc(lines, walls)
    if usable.sum() < 0.25 * BINS:
        return Absent("hidden or out of the picture")
    # Seen from outside, the wood is plain up to the hole's edge or rim: where most lines leave its colour is that.
    circles = best_circles(lines, _departures(lines, usable, walls), 0.5 * float(usable.mean()))
    edges = best_circles(lines, edges_across(shot, lines, usable, walls), 0.2)
    # A lit net as light as the wood lets lines leave it too far inside; of the other edges, larger ones may be right.
    circles += [circle for circle in edges if circle[2] > circles[0][2] + _LARGER] if circles else edges[:1]
    return _ringed(shot, _clearest(shot, circles, walls), walls) if circles else Absent("missing")


def _clearest(shot: Shot, circles: list[Floats], walls: Walls) -> Floats:
    """The circle on which many lines show an edge at the same place: where a lit net is as light as wood, few do."""
    best, found = -np.inf, circles[0]
    for circle in circles if len(circles) > 1 else ():
        settled = settle(shot, circle, walls, Way(narrow=True))
        if settled is None:
            continue
        score = float(settled.good.sum() * np.log(_LOOSE / settled.scatter))
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
        off = np.nonzero(away > _LEAVES)[0]
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
    peak = (steep >= np.roll(steep, 1, axis=1)) & (steep > np.roll(steep, -1, axis=1)) & (steep > strong)
    peak &= usable[:, None]
    peak[:, :3] = peak[:, -3:] = False
    height = np.where(peak, steep, 0)
    best = np.argsort(-height, axis=1)[:, :_PEAKS]
    found = np.where(np.take_along_axis(height, best, axis=1) > 0, lines.steps[best], np.nan)
    for column in range(_PEAKS):
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
    chosen = random.integers(0, len(rows), (_TRIALS, 3))
    circles = _through(places[rows[chosen], columns[chosen]])
    middle = lines.feet.mean(axis=0)
    good = np.isfinite(circles).all(axis=1) & (circles[:, 2] > _RADII[0]) & (circles[:, 2] < _RADII[1])
    good &= np.hypot(circles[:, 0] - middle[0], circles[:, 1] - middle[1]) < 7
    circles = circles[good]
    if not len(circles):
        return []
    everywhere = np.nan_to_num(places, nan=1e6)
    x, y, radius = circles.T[:, :, None, None]
    away = np.abs(np.hypot(everywhere[None, :, :, 0] - x, everywhere[None, :, :, 1] - y) - radius)
    votes = (away.min(axis=2) < _TOLERANCE).sum(axis=1)
    if ring > 0:
        within = np.abs(np.hypot(everywhere[None, :, :, 0] - x, everywhere[None, :, :, 1] - y) - radius + ring)
        votes = votes + (within.min(axis=2) < _TOLERANCE).sum(axis=1)
    found: list[Floats] = []
    needed = max(least * BINS, _NEARLY * float(votes.max()))
    while len(found) < _CANDIDATES and votes.max() >= needed:
        best = int(votes.argmax())
        found.append(_through_all(everywhere, away[best], circles[best]))
        votes[np.abs(circles - circles[best]).max(axis=1) < _DISTINCT] = 0
    return found


def _through_all(places: Floats, away: Floats, circle: Floats) -> Floats:
    """The circle through the nearest edge of every line that has one on it."""
    on = away.min(axis=1) < _TOLERANCE
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
    lines = lines_around(shot, circle[:2], circle[2], (-5.0, 4.5))
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
    inside = (lines.steps < -_RING[0]) & (lines.steps > -_RING[1])
    near = (lines.steps < -_RING[0] + 0.15) & (lines.steps > -_RING[0] - 0.15)
    even = float((spread[near] / np.maximum(level[near], 1e-6)).mean())
    deep = float(np.percentile(spread[inside], 80))
    calm = float(spread[near].mean())
    if even > EVEN or deep < 2 * calm:
        return None, even
    over = np.nonzero(inside & (spread > (calm + deep) / 2))[0]
    return (float(lines.steps[over[-1]]), even) if len(over) else (None, even)
