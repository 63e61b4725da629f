"""A row of digits laid straight: cut out of the photo, its lines level, its lean taken off, its strokes light."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from inspect_kit.vision.display.networks import DIGIT_SIZE, MARGIN, evened
from inspect_kit.vision.display.rows import Row, strokes

Plane = NDArray[np.float32]

TALL: Final = 96
"""Pixels of a digit's height in the strip."""
SIDE: Final = 72
"""Pixels above and below the digits, for marks and units."""
_REACH: Final = 7.0
"""Heights of a digit by which the strip goes on beyond the row on either side."""
_LEANS: Final = np.linspace(-0.08, 0.34, 22)
"""Leans tried: the upper end's shift to the right, in heights. Makers lean digits by up to 15 degrees."""
_OVER: Final = 0.16
"""Heights by which something may go beyond the digits' lines and still be a digit or a point."""
_SQUARE: Final = 43
"""Pixels of the top-hat's square: wider than the thickest stroke, 0.2 heights with blur."""


@dataclass(frozen=True, slots=True)
class Strip:
    """The straightened row. `light` is the contrast of strokes, 1 where they are fully lit."""

    light: Plane
    raw: Plane
    """The same with frames and whatever else crosses the digits' lines."""
    row: Row
    back: NDArray[np.float64]
    """Takes a point of the strip to the photo."""
    inside: NDArray[np.bool_]
    """Columns that lie inside the photo."""

    @property
    def band(self) -> Plane:
        """The digits alone, from their upper line to their lower one."""
        return self.light[SIDE : SIDE + TALL]

    def window(self, centre: float, *, raw: bool = False) -> Plane:
        """What the network sees around a column."""
        width, height = DIGIT_SIZE
        tall = TALL * (1 + 2 * MARGIN)
        wide = tall * width / height
        corner = (centre - wide / 2, SIDE + TALL / 2 - tall / 2)
        move = np.array([[width / wide, 0, -corner[0] * width / wide], [0, height / tall, -corner[1] * height / tall]])
        soft = cv2.GaussianBlur(self.raw if raw else self.light, (0, 0), 0.4 * tall / height)
        return evened(cv2.warpAffine(soft, move, (width, height)).astype(np.float32))


def straightened(both: tuple[Plane, Plane], row: Row) -> Strip | None:
    """The strip around a row of these planes of a photo, or nothing where no stroke stands out."""
    level, inside, warp = _level(both[int(row.light)], row)
    level = level if row.light else 255 - level
    light = strokes(level, _SQUARE)
    lit = float(np.percentile(light[SIDE : SIDE + TALL, _row_columns(light.shape[1])], 97))
    if lit < 8:
        return None
    light = np.clip(light / lit, 0, 1.2)
    lean = _lean(light)
    back = np.linalg.inv(warp) @ np.array([[1, -lean, lean * light.shape[0] / 2], [0, 1, 0], [0, 0, 1]])
    upright = _sheared(light, lean)
    return Strip(_unframed(upright), upright, row, back, inside)


def _unframed(light: Plane) -> Plane:
    """Without what crosses the digits' lines: the display's frame, a wire, a crack; digits end at their lines."""
    for level in (0.5, 0.35, 0.22):
        light = _uncrossed(light, level)
    return light


def _uncrossed(light: Plane, level: float) -> Plane:
    _, labels, stats, _ = cv2.connectedComponentsWithStats((light > level).astype(np.uint8), connectivity=8)
    top, end = stats[:, 1], stats[:, 1] + stats[:, 3]
    over, reach = round(_OVER * TALL), SIDE + TALL
    crossing = (top < reach) & (end > SIDE) & ((top < SIDE - over) & (end > SIDE + over) | (end > reach + over))
    crossing[0] = False
    return np.asarray(np.where(crossing[labels], 0, light), np.float32)


def _columns(row: Row) -> int:
    return round((row.length / row.height + 2 * _REACH) * TALL)


def _row_columns(width: int) -> slice:
    """The columns of the row itself."""
    start = round(_REACH * TALL)
    return slice(start, max(start + 1, width - start))


def _level(plane: Plane, row: Row) -> tuple[Plane, NDArray[np.bool_], NDArray[np.float64]]:
    width, height = _columns(row), TALL + 2 * SIDE
    start, end = _REACH * TALL, width - _REACH * TALL
    here = np.array([*row.top, *row.bottom], np.float32)
    there = np.array([[start, SIDE], [end, SIDE], [start, SIDE + TALL], [end, SIDE + TALL]], np.float32)
    warp = np.asarray(cv2.getPerspectiveTransform(here, there), np.float64)
    small, shift = _nearby(plane, row)
    move = warp @ np.linalg.inv(shift)
    level = cv2.warpPerspective(small, move, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    whole = cv2.warpPerspective(np.ones(small.shape, np.uint8), move, (width, height))
    inside = np.asarray(whole[SIDE : SIDE + TALL].min(axis=0) > 0, np.bool_)
    return np.asarray(level, np.float32), inside, warp


def _nearby(plane: Plane, row: Row) -> tuple[Plane, NDArray[np.float64]]:
    """The photo around the row, no finer than the strip needs it, and how it was moved and made smaller."""
    reach = (_REACH + 1) * row.height
    points = np.array([*row.top, *row.bottom])
    low = np.clip(points.min(axis=0) - reach, 0, None).astype(int)
    high = np.ceil(points.max(axis=0) + reach).astype(int)
    part = plane[low[1] : high[1], low[0] : high[0]]
    scale = min(1.0, 1.3 * TALL / row.height)
    if scale < 1:
        part = np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.float32)
    # Pixels count from their middles.
    offset = (0.5 - low) * scale - 0.5
    return part, np.array([[scale, 0, offset[0]], [0, scale, offset[1]], [0, 0, 1]])


def _lean(light: Plane) -> float:
    """The lean at which the columns are told apart best."""
    part = light[:, _row_columns(light.shape[1])]
    best = max(_LEANS, key=lambda lean: float(np.var(_sheared(part, lean)[SIDE : SIDE + TALL].mean(axis=0))))
    return float(best)


def _sheared(light: Plane, lean: float) -> Plane:
    height, width = light.shape
    move = np.array([[1, lean, -lean * height / 2], [0, 1, 0]])
    return np.asarray(cv2.warpAffine(light, move, (width, height), flags=cv2.INTER_LINEAR), np.float32)


def refitted(strip: Strip, spans: list[tuple[float, float]]) -> Row | None:
    """The row with its two lines drawn through the heads and feet of these glyphs; nothing where they do not fit."""
    heads, feet = [], []
    for left, right in spans:
        lit = (strip.light[:, round(left) : round(right) + 1] > 0.5).sum(axis=1) >= 2
        rows = np.flatnonzero(lit[SIDE - TALL // 6 : SIDE + TALL + TALL // 6]) + SIDE - TALL // 6
        if rows.size and rows[-1] - rows[0] > 0.8 * TALL:
            middle = (left + right) / 2
            heads.append((middle, float(rows[0])))
            feet.append((middle, float(rows[-1] + 1)))
    if len(heads) < 2:
        return None
    ends = np.array([spans[0][0], spans[-1][1]])
    corners = [_drawn(points, ends) for points in (heads, feet)]
    photo = cv2.perspectiveTransform(np.array(corners).reshape(1, -1, 2), strip.back)[0]
    a, b, c, d = ((float(x), float(y)) for x, y in photo)
    return Row((a, b), (c, d), strip.row.light, len(heads))


def _drawn(points: list[tuple[float, float]], ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """A line through the points, at both ends, by medians: a mark above one digit does not tilt it.

    Level where there are too few points for a slope.
    """
    slopes = [(b - a) / (q - p) for (p, a), (q, b) in combinations(points, 2)]
    slope = float(np.median(slopes)) if len(points) > 2 else 0.0
    x, y = np.array(points).T
    return np.stack([ends, np.median(y - slope * x) + slope * ends], axis=1)
