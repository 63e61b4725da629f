"""Where digits stand in a row: strokes lighter or darker than their ground, at every size, joined into glyphs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from inspect_kit.vision.display import tuning

Plane = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class DigitRow:
    """Glyphs of one height side by side: ends of their upper and lower line in the photo's pixels, and the polarity."""

    top: tuple[tuple[float, float], tuple[float, float]]
    bottom: tuple[tuple[float, float], tuple[float, float]]
    light: bool
    """Whether the strokes are lighter than their ground."""
    glyphs: int

    @property
    def height(self) -> float:
        """Pixels of a glyph's height."""
        return float(np.linalg.norm(np.mean(self.bottom, axis=0) - np.mean(self.top, axis=0)))

    @property
    def middle(self) -> NDArray[np.float64]:
        """The row's centre."""
        return np.asarray(np.mean([*self.top, *self.bottom], axis=0), np.float64)

    @property
    def length(self) -> float:
        """Pixels from the first glyph to the last."""
        return float(np.linalg.norm(np.subtract(self.top[1], self.top[0])))


@dataclass(frozen=True, slots=True)
class _Box:
    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        return self.x + self.w

    @property
    def middle(self) -> float:
        return self.y + self.h / 2


def planes(photo: NDArray[np.uint8]) -> tuple[Plane, Plane]:
    """The photo for dark strokes (grey) and for light ones (the strongest colour, as of an LED)."""
    grey = cv2.cvtColor(photo, cv2.COLOR_RGB2GRAY).astype(np.float32)
    return grey, photo.max(axis=2).astype(np.float32)


def without_shade(both: tuple[Plane, Plane]) -> tuple[Plane, Plane]:
    """The planes with dark strokes by their share of the light around them: as dark in a shadow as beside it."""
    return np.asarray(
        255 * np.log1p(both[0] / tuning.CAMERA_NOISE) / np.log1p(255 / tuning.CAMERA_NOISE), np.float32
    ), both[1]


def find_rows(both: tuple[Plane, Plane]) -> list[DigitRow]:
    """Every row of glyphs of one height in the planes of a photo; one glyph is enough to look for others beside it."""
    found: list[DigitRow] = []
    for light, plane in zip((False, True), both, strict=True):
        scale = min(1.0, tuning.FINEST_LEVEL / max(plane.shape))
        while min(plane.shape) * scale > 2 * tuning.GLYPH_HEIGHTS[1]:
            level = np.asarray(cv2.resize(plane, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.float32)
            found += _level(level if light else 255 - level, scale, light=light)
            scale /= tuning.PYRAMID_STEP
    return found


def strokes(plane: Plane, square: int) -> Plane:
    """How much lighter than its ground each pixel is, where it belongs to something narrower than the square."""
    return np.asarray(cv2.morphologyEx(plane, cv2.MORPH_TOPHAT, np.ones((square, square), np.uint8)), np.float32)


def _level(plane: Plane, scale: float, *, light: bool) -> list[DigitRow]:
    contrast = strokes(np.asarray(cv2.GaussianBlur(plane, (0, 0), 0.6), np.float32), tuning.STROKE_SQUARE)
    around = cv2.dilate(contrast, np.ones((2 * tuning.STROKE_SQUARE + 1,) * 2, np.uint8))
    lit = ((contrast > tuning.STROKE_SHARE * around) & (contrast > tuning.FAINTEST_STROKE)).astype(np.uint8)
    found: list[DigitRow] = []
    for shape in ((3, 3), (5, 1)):
        joined = cv2.morphologyEx(lit, cv2.MORPH_CLOSE, np.ones(shape, np.uint8))
        _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
        boxes = [_Box(*(float(v) for v in row[:4])) for row in stats[1:]]
        boxes = [box for box in boxes if box.h <= tuning.GLYPH_HEIGHTS[1] and box.w <= 1.2 * tuning.GLYPH_HEIGHTS[1]]
        if len(boxes) <= tuning.MOST_PIECES:
            tall = [
                box
                for box in _stacked(boxes)
                if tuning.GLYPH_HEIGHTS[0] <= box.h and 0.06 * box.h <= box.w <= 1.2 * box.h
            ]
            found += [_row(group, scale, light=light) for group in _groups(tall)]
    return found


def _stacked(boxes: list[_Box]) -> list[_Box]:
    """The boxes, and those that two halves make together: a one, or a digit whose middle bar is off."""
    halves = [
        box
        for box in boxes
        if 0.25 * tuning.GLYPH_HEIGHTS[0] <= box.h <= 0.62 * tuning.GLYPH_HEIGHTS[1]
        and box.w <= 0.75 * tuning.GLYPH_HEIGHTS[1]
    ]
    if not 1 < len(halves) <= tuning.MOST_PIECES:
        return boxes
    x, y, w, h = np.array([(box.x, box.y, box.w, box.h) for box in halves]).T
    gap = y[None, :] - (y + h)[:, None]
    left, right = np.minimum(x[:, None], x[None, :]), np.maximum((x + w)[:, None], (x + w)[None, :])
    shared = w[:, None] + w[None, :] - (right - left)
    pairs = np.argwhere((gap >= -1) & (gap <= 4) & (shared >= 0.2 * np.minimum(w[:, None], w[None, :])))
    return boxes + [
        _Box(left[a, b], halves[a].y, right[a, b] - left[a, b], halves[b].y + halves[b].h - halves[a].y)
        for a, b in pairs
    ]


def _groups(boxes: list[_Box]) -> list[list[_Box]]:
    """Boxes of like height, each beside the one before."""
    left = sorted(boxes, key=lambda box: box.x)
    groups: list[list[_Box]] = []
    for box in left:
        home = next((g for g in groups[-tuning.MOST_PIECES :] if _beside(g, box)), None)
        if home is None:
            groups.append([box])
        else:
            home.append(box)
    return groups


def _beside(group: list[_Box], box: _Box) -> bool:
    last = group[-1]
    height = (last.h + box.h) / 2
    slope = 0.0
    if len(group) > 1:
        first = group[0]
        slope = (last.middle - first.middle) / max(last.x + last.w / 2 - first.x - first.w / 2, 1.0)
    along = box.x + box.w / 2 - last.x - last.w / 2
    return (
        abs(last.h - box.h) < 0.2 * height
        and -0.2 * height < box.x - last.right < 1.5 * height
        and along > 0.15 * height
        and abs(box.middle - last.middle - slope * along) < 0.12 * height + 0.25 * abs(along) * (len(group) < 2)
    )


def _row(group: list[_Box], scale: float, *, light: bool) -> DigitRow:
    """Two parallel lines: a frame taken for a glyph must not make a wedge of the row."""
    x = np.array([box.x + box.w / 2 for box in group])
    middle = np.array([box.middle for box in group])
    half = float(np.median([box.h for box in group])) / 2
    slope = _slope(x, middle)
    ends = np.array([group[0].x, group[-1].right])
    line = np.median(middle - slope * x) + slope * ends
    upper, lower = (
        tuple((float(a / scale), float(b / scale)) for a, b in zip(ends, line + shift, strict=True))
        for shift in (-half, half)
    )
    return DigitRow((upper[0], upper[1]), (lower[0], lower[1]), light, len(group))


def _slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The median of the slopes between neighbours and over all, so that one odd glyph does not tilt the line."""
    steps = [(b - a) / (q - p) for (p, a), (q, b) in pairwise(zip(x, y, strict=True)) if q - p > 1]
    whole = (y[-1] - y[0]) / max(x[-1] - x[0], 1.0)
    return float(np.median([*steps, whole, whole]))
