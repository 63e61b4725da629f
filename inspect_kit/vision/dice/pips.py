"""Pips: small round spots that stand out from what is around them, light or dark, seen as ellipses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Mask, Pixels
from inspect_kit.vision.fitting.edge_peaks import steepness
from inspect_kit.vision.fitting.edge_step import profiles
from inspect_kit.vision.optics.pose import View

LEAST_SIDE: Final = 5
"""Pixels: smaller spots are noise."""
LARGEST_SHARE: Final = 0.2
"""Longest side of a pip over the longer side of the picture: an ace of a die that fills it."""

_LEVELS: Final = tuple(range(12, 250, 11))
"""Codes at which the picture is cut into light and dark."""
_SEVERAL: Final = 4
"""Levels, every second one looked at, on which a spot was found."""
_NEARBY: Final = np.ones((3, 3), np.uint8)
"""Neighbours of a pixel."""
_FLATTEST: Final = 5.5
"""Ratio of axes beyond which a spot is no circle seen obliquely."""
_SOLID: Final = 0.78
"""Share of its hull that a spot fills."""
_ROUND: Final = 0.9
"""Share of its ellipse that a spot's hull fills."""
_COMPACT: Final = 0.022
"""Area over the squared number of pixels of the outline; 0.08 to 0.1 for a circle."""
_FURTHEST: Final = 1.15
"""How far out of its ellipse a spot may reach, in its radii."""
_LEAST_CONTRAST: Final = 16.0
"""Codes between a spot and what is around it."""
_MOST: Final = 500
"""Spots that are kept, the sharpest first."""
_GREY: Final = 5.0
"""Codes between red and blue below which a picture is grey."""
_FARTHEST: Final = 20_000.0
"""Pixels: bounds places far outside of the picture."""
_BEYOND: Final = 80
"""Pixels around the part that is searched, into which faces reach whose middle lies in it."""


@dataclass(frozen=True)
class Pip:
    """An ellipse: centre, the matrix whose eigenvalues are the squared half axes, and the colours inside and around."""

    x: float
    y: float
    shape: Floats
    inner: Floats
    around: Floats

    @property
    def centre(self) -> Floats:
        """As a point."""
        return np.array([self.x, self.y])

    @property
    def radius(self) -> float:
        """Of the circle of the same area."""
        return float(np.linalg.det(self.shape) ** 0.25)

    @property
    def longest(self) -> float:
        """The longer half axis: what foreshortening leaves as it is."""
        return float(np.sqrt(np.linalg.eigvalsh(self.shape)[1]))

    @property
    def contrast(self) -> float:
        """Distance between the colours inside and around."""
        return float(np.linalg.norm(self.inner - self.around))


@dataclass(frozen=True)
class _Spot:
    """A closed level line that may be a pip's outline, and how steep the light is along it."""

    x: float
    y: float
    axes: tuple[float, float, float]
    area: float
    sharpness: float

    @property
    def shape(self) -> Floats:
        """The matrix whose eigenvalues are the squared half axes."""
        long, short, angle = self.axes
        c, s = math.cos(angle), math.sin(angle)
        a, b = long * long, short * short
        return np.array([[a * c * c + b * s * s, (a - b) * c * s], [(a - b) * c * s, a * s * s + b * c * c]])


def find_pips(picture: Pixels, colours: AnyArray, corners: Floats | None = None) -> list[Pip]:
    """Pips of a picture, strongest first; the picture's noise should be smoothed away, `colours` are its own in Lab.

    With corners, pips in the hull of these alone, and as far beyond as a face in it may reach.
    """
    if corners is None:
        return _with_colours(colours, _strongest(_lines_like_pips(picture, None)))
    hull = hull_of(corners)
    left, top, right, bottom = _box(hull, picture.shape)
    if right - left < LEAST_SIDE or bottom - top < LEAST_SIDE:
        return []
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(hull).astype(np.int32), 255)
    cv2.polylines(mask, [np.round(hull).astype(np.int32)], True, 255, 2 * _BEYOND)
    part = (slice(top, bottom), slice(left, right))
    found = (replace(spot, x=spot.x + left, y=spot.y + top) for spot in _lines_like_pips(picture[part], mask[part]))
    inside = [spot for spot in found if cv2.pointPolygonTest(hull, (spot.x, spot.y), True) > -_BEYOND]
    return _with_colours(colours, _strongest(inside))


def hull_of(corners: Floats) -> AnyArray:
    """Around points, of which those far outside the picture would not fit into whole pixels."""
    return np.asarray(cv2.convexHull(np.clip(corners, -_FARTHEST, _FARTHEST).astype(np.float32)))


def within(hull: AnyArray, points: Floats) -> Mask:
    """Which points lie in a hull."""
    return np.array([cv2.pointPolygonTest(hull, (x, y), False) >= 0 for x, y in points.tolist()], dtype=bool)


def _box(hull: AnyArray, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Around a hull and what pips may reach beyond it: left, top, right, bottom."""
    low = np.clip(np.floor(hull.min(axis=(0, 1))) - _BEYOND, 0, (shape[1], shape[0])).astype(int)
    high = np.clip(np.ceil(hull.max(axis=(0, 1))) + _BEYOND + 1, 0, (shape[1], shape[0])).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _strongest(spots: list[_Spot]) -> list[_Spot]:
    return sorted(_sharpest(spots), key=lambda spot: -spot.sharpness * spot.area**0.25)[:_MOST]


def _lines_like_pips(picture: Pixels, mask: AnyArray | None) -> list[_Spot]:
    """Closed level lines that look like ellipses; where there is a mask, those of what it shows."""
    spots: list[_Spot] = []
    for layer in _layers(picture):
        steep = _steepness(layer)
        shown = np.asarray(layer if mask is None else cv2.bitwise_and(layer, mask), np.uint8)
        known = np.zeros(layer.shape, np.uint8)
        found = [spot for level in _LEVELS[::2] for spot in _level_spots(shown, steep, level, known)]
        # What stands out over several levels has its steepest line near one of them, which spares those in between.
        for spot in found:
            known[round(spot.y), round(spot.x)] += 1
        several = np.asarray(cv2.dilate(known, _NEARBY)) >= _SEVERAL
        spots += found
        spots += [spot for level in _LEVELS[1::2] for spot in _level_spots(shown, steep, level, several)]
    return spots


def _layers(picture: Pixels) -> Iterator[Pixels]:
    """Red and green, between them they show every usual pip; one of them where the picture is grey anyway."""
    if float(cv2.norm(picture[:, :, 0], picture[:, :, 2], cv2.NORM_L1)) / picture[:, :, 0].size < _GREY:
        yield np.ascontiguousarray(picture[:, :, 1])
        return
    for index in (0, 1):
        yield np.ascontiguousarray(picture[:, :, index])


def _steepness(layer: Pixels) -> AnyArray:
    across = cv2.Sobel(layer, cv2.CV_32F, 1, 0, ksize=3)
    down = cv2.Sobel(layer, cv2.CV_32F, 0, 1, ksize=3)
    return np.asarray(cv2.magnitude(across, down)) / 8


def _level_spots(layer: Pixels, steep: AnyArray, level: int, known: AnyArray) -> Iterator[_Spot]:
    """Closed lines of one level that look like ellipses, but around what is known already."""
    _, above = cv2.threshold(layer, level, 255, cv2.THRESH_BINARY)
    lines, kin = cv2.findContours(above, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    largest = LARGEST_SHARE * max(layer.shape)
    for index, line in enumerate(lines):
        if len(line) < 3 * LEAST_SIDE or len(line) > 4 * largest:
            continue
        left, top, width, height = cv2.boundingRect(line)
        if min(width, height) < LEAST_SIDE or max(width, height) > min(largest, _FLATTEST * min(width, height)):
            continue
        if known[top + height // 2, left + width // 2]:
            continue
        spot = _elliptic(line, grow=-0.5 if kin[0, index, 3] >= 0 else 0.5)
        if spot is not None:
            along = steep[line[:, 0, 1], line[:, 0, 0]]
            yield _Spot(*spot, float(np.add.reduce(along)) / len(along))


def _elliptic(line: AnyArray, grow: float) -> tuple[float, float, tuple[float, float, float], float] | None:
    """Centre, half axes and angle, and area of a line's hull, if that is an ellipse and the line nearly fills it.

    Lines run through the middles of pixels: those around a spot lie half a pixel outside, those of a spot half inside.
    """
    area = cv2.contourArea(line)
    if area < 16 or area < _COMPACT * len(line) ** 2:
        return None
    hull = cv2.convexHull(line)
    whole = cv2.contourArea(hull)
    if area < _SOLID * whole:
        return None
    m = cv2.moments(hull)
    x, y, size = m["m10"] / m["m00"], m["m01"] / m["m00"], m["m00"] / 4
    xx, xy, yy = m["mu20"] / size, m["mu11"] / size, m["mu02"] / size
    middle, apart = (xx + yy) / 2, math.hypot((xx - yy) / 2, xy)
    long, short = math.sqrt(middle + apart), math.sqrt(max(middle - apart, 0.01))
    if long > _FLATTEST * short or whole < _ROUND * math.pi * long * short * (1 - 0.25 / max(short, 1.0)):
        return None
    if short > 5 and _furthest(hull, (x, y), (xx, xy, yy)) > _FURTHEST:
        return None
    axes = long + grow, max(short + grow, 0.5), math.atan2(2 * xy, xx - yy) / 2
    return x, y, axes, math.pi * axes[0] * axes[1]


def _furthest(hull: AnyArray, centre: tuple[float, float], shape: tuple[float, float, float]) -> float:
    """How far the hull reaches beyond the ellipse: 1 for an ellipse, 1.22 for a square, such as a whole die."""
    across, down = hull[:, 0, 0] - centre[0], hull[:, 0, 1] - centre[1]
    xx, xy, yy = shape
    depth = (yy * across**2 - 2 * xy * across * down + xx * down**2) / (xx * yy - xy * xy)
    return math.sqrt(float(depth.max()))


def _sharpest(spots: list[_Spot]) -> list[_Spot]:
    """Of level lines around the same spot the steepest one."""
    kept: list[_Spot] = []
    places: dict[tuple[int, int], list[_Spot]] = {}
    for spot in sorted(spots, key=lambda s: -s.sharpness):
        cell = (int(spot.x // 8), int(spot.y // 8))
        near = (o for i in (-1, 0, 1) for j in (-1, 0, 1) for o in places.get((cell[0] + i, cell[1] + j), ()))
        if any(_same(spot, other) for other in near):
            continue
        kept.append(spot)
        places.setdefault(cell, []).append(spot)
    return kept


def _same(one: _Spot, other: _Spot) -> bool:
    apart2 = (one.x - other.x) ** 2 + (one.y - other.y) ** 2
    return bool(apart2 < 0.16 * min(one.area, other.area) + 1 and 0.3 < one.area / other.area < 3.3)


_ROUNDS: Final = np.linspace(0, 2 * np.pi, 24, endpoint=False)
"""Directions around a spot."""
_CIRCLE: Final = np.column_stack([np.cos(_ROUNDS), np.sin(_ROUNDS)])
_INNER: Final = np.concatenate([share * _CIRCLE for share in (0.05, 0.35, 0.6)])
"""Radii at which a spot's own paint is told."""
_OUTER: Final = np.concatenate([share * _CIRCLE for share in (1.3, 1.45)])
"""Radii at which the paint around it is told."""


def _with_colours(colours: AnyArray, spots: list[_Spot]) -> list[Pip]:
    """Spots whose colours inside and in a ring around differ; those cut off by the picture's border are left out."""
    if not spots:
        return []
    centres = np.array([[spot.x, spot.y] for spot in spots])
    shapes = np.array([spot.shape for spot in spots])
    sizes, ways = np.linalg.eigh(shapes)
    roots = np.einsum("nij,nj,nkj->nik", ways, np.sqrt(sizes), ways)
    inner, _ = _medians(colours, centres, roots, _INNER)
    around, whole = _medians(colours, centres, roots, _OUTER)
    good = whole & (np.linalg.norm(inner - around, axis=1) >= _LEAST_CONTRAST)
    return [Pip(spots[i].x, spots[i].y, shapes[i], inner[i], around[i]) for i in np.nonzero(good)[0]]


def _medians(colours: AnyArray, centres: Floats, roots: Floats, unit: Floats) -> tuple[Floats, Mask]:
    """The median colour at places given for the unit circle, and whether all of them lie in the picture."""
    at = np.round(np.einsum("nij,kj->nki", roots, unit) + centres[:, None, :]).astype(int)
    limit = np.array([colours.shape[1] - 1, colours.shape[0] - 1])
    whole = np.all((at >= 0) & (at <= limit), axis=(1, 2))
    at = np.clip(at, 0, limit)
    return np.median(colours[at[:, :, 1], at[:, :, 0]], axis=1), np.asarray(whole)


# A pip's rim: where the light around it is steepest, way by way. Lit from one side, a hollow is lighter on the other,
# so that a line of one level around it lies off its middle; its rim does not.

_RIM_REACH: Final = 0.45
"""Radii around the supposed rim in which it is looked for."""
_OUTWARDS: Final = 0.05
"""Radii of a step that tells which way is outwards in the photo."""
_TRIALS: Final = 3
"""Times it is looked for, each time where it was found last."""
_OFF_RIM: Final = 2.0
"""Usual distances from the circle at which a way counts half: a neighbour's rim, a gleam."""
_RIM_SLOPES: Final = np.column_stack([np.ones(len(_CIRCLE)), _CIRCLE])
"""How the circle moves outwards on each way with its radius and its middle."""


@dataclass(frozen=True)
class Rim:
    """A pip on the upper face: its middle on the sheet and its radius, mm."""

    place: Floats
    radius: float


def rim_of(pixels: Pixels, view: View, rough: Rim, height: float) -> Rim | None:
    """The rim of a pip at this height over the sheet; `None` where it is not near the rough one."""
    rim = rough
    for _ in range(_TRIALS):
        grown, *moved = _circle_through(_steepest(pixels, view, rim, height)).tolist()
        rim = Rim(rim.place + np.array(moved), rim.radius + grown)
        away = float(np.hypot(*(rim.place - rough.place)))
        if max(away, abs(rim.radius - rough.radius)) > 2 * _RIM_REACH * rough.radius:
            return None
    return rim


def _steepest(pixels: Pixels, view: View, rim: Rim, height: float) -> Floats:
    """How far outside a rim the light is steepest on each way from its middle, mm."""
    feet, beyond = (
        view.pixels(np.column_stack([rim.place + radius * _CIRCLE, np.full(len(_CIRCLE), height)]))
        for radius in (rim.radius, (1 + _OUTWARDS) * rim.radius)
    )
    lengths = np.linalg.norm(beyond - feet, axis=1)
    per_mm = lengths / (_OUTWARDS * rim.radius)
    reach = _RIM_REACH * rim.radius * float(per_mm.mean())
    profile = profiles(pixels, feet, (beyond - feet) / lengths[:, None], reach + 2)
    slope = np.where(np.abs(profile.steps) <= reach, steepness(profile), 0.0)
    return np.asarray(profile.steps[slope.argmax(axis=1)] / per_mm)


def _circle_through(away: Floats) -> Floats:
    """By how much radius and middle must change to meet most of the places on the ways."""
    root = np.ones(len(away))
    for _ in range(5):
        found = np.linalg.lstsq(_RIM_SLOPES * root[:, None], away * root, rcond=None)[0]
        left = np.abs(away - _RIM_SLOPES @ found)
        root = 1 / (1 + (left / (_OFF_RIM * 1.5 * np.median(left) + 1e-3)) ** 2)
    return np.asarray(found)
