"""A row of digits laid straight: cut out of the photo, its lines level, its lean taken off, its strokes light."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from inspect_kit.vision.display import tuning
from inspect_kit.vision.display.networks import DIGIT_SIZE, MARGIN, Plane, evened
from inspect_kit.vision.display.rows import DigitRow, strokes

TALL: Final = 96
"""Pixels of a digit's height in the strip."""
SIDE: Final = 72
"""Pixels above and below the digits, for marks and units."""


_NO_ROOF: Final = "14"
"""Digits without a lying bar at the upper line."""
_NO_FLOOR: Final = "147"
"""Digits without a lying bar at the lower line."""


@dataclass(frozen=True, slots=True)
class PlacedDigit:
    """A digit and the columns of the strip it stands in."""

    character: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Strip:
    """The straightened row. `light` is the contrast of strokes, 1 where they are fully lit."""

    light: Plane
    raw: Plane
    """The same with frames and whatever else crosses the digits' lines."""
    row: DigitRow
    back: NDArray[np.float64]
    """Takes a point of the strip to the photo."""
    inside: NDArray[np.bool_]
    """Columns that lie inside the photo."""
    ground: Plane
    """The photo's grey levels behind the strokes."""
    contrast: float
    """Grey levels of a lit stroke."""

    @property
    def band(self) -> Plane:
        """The digits alone, from their upper line to their lower one."""
        return self.light[SIDE : SIDE + TALL]

    def as_printed(self, part: Plane, column: float) -> Plane:
        """A part of the strip with the lean that it has on the display; words are printed upright or lean less."""
        middle = SIDE + TALL / 2
        cross = [[column, SIDE], [column, SIDE + TALL], [column - TALL / 2, middle], [column + TALL / 2, middle]]
        top, foot, left, right = cv2.perspectiveTransform(np.array([cross], np.float64), self.back)[0]
        down, along = foot - top, (right - left) / np.linalg.norm(right - left)
        lean = float(down @ along) / max(1e-6, float(abs(down[1] * along[0] - down[0] * along[1])))
        side = part.shape[0] // 2
        return _sheared(np.pad(part, ((0, 0), (side, side))), lean)

    def window(self, centre: float, *, raw: bool = False) -> Plane:
        """What the network sees around a column."""
        width, height = DIGIT_SIZE
        tall = TALL * (1 + 2 * MARGIN)
        wide = tall * width / height
        corner = (centre - wide / 2, SIDE + TALL / 2 - tall / 2)
        move = np.array([[width / wide, 0, -corner[0] * width / wide], [0, height / tall, -corner[1] * height / tall]])
        soft = cv2.GaussianBlur(self.raw if raw else self.light, (0, 0), 0.4 * tall / height)
        return evened(cv2.warpAffine(soft, move, (width, height)).astype(np.float32))


def straightened(both: tuple[Plane, Plane], row: DigitRow) -> Strip | None:
    """The strip around a row of these planes of a photo, or nothing where no stroke stands out."""
    level, inside, warp = _level(both[int(row.light)], row)
    level = level if row.light else 255 - level
    light = strokes(level, tuning.STRIP_SQUARE)
    lit = float(np.percentile(light[SIDE : SIDE + TALL, _row_columns(light.shape[1])], 97))
    if lit < 8:
        return None
    ground = level - light if row.light else 255 - level + light
    light = np.clip(light / lit, 0, 1.2)
    upright_from = _lean(light)
    back = np.linalg.inv(warp) @ upright_from
    upright = _turned(light, upright_from)
    return Strip(_unframed(upright), upright, row, back, inside, _turned(ground, upright_from), lit)


def _unframed(light: Plane) -> Plane:
    """Without what crosses the digits' lines: the display's frame, a wire, a crack; digits end at their lines."""
    for level in (0.5, 0.35, 0.22):
        light = _uncrossed(light, level)
    return light


def _uncrossed(light: Plane, level: float) -> Plane:
    _, labels, stats, _ = cv2.connectedComponentsWithStats((light > level).astype(np.uint8), connectivity=8)
    top, end = stats[:, 1], stats[:, 1] + stats[:, 3]
    over, reach = round(tuning.OVERSHOOT * TALL), SIDE + TALL
    crossing = (top < reach) & (end > SIDE) & ((top < SIDE - over) & (end > SIDE + over) | (end > reach + over))
    crossing[0] = False
    return np.asarray(np.where(crossing[labels], 0, light), np.float32)


def _columns(row: DigitRow) -> int:
    return round((row.length / row.height + 2 * tuning.STRIP_REACH) * TALL)


def _row_columns(width: int) -> slice:
    """The columns of the row itself."""
    start = round(tuning.STRIP_REACH * TALL)
    return slice(start, max(start + 1, width - start))


def _level(plane: Plane, row: DigitRow) -> tuple[Plane, NDArray[np.bool_], NDArray[np.float64]]:
    width, height = _columns(row), TALL + 2 * SIDE
    start, end = tuning.STRIP_REACH * TALL, width - tuning.STRIP_REACH * TALL
    here = np.array([*row.top, *row.bottom], np.float32)
    there = np.array([[start, SIDE], [end, SIDE], [start, SIDE + TALL], [end, SIDE + TALL]], np.float32)
    warp = np.asarray(cv2.getPerspectiveTransform(here, there), np.float64)
    small, shift = _nearby(plane, row)
    move = warp @ np.linalg.inv(shift)
    level = cv2.warpPerspective(small, move, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    whole = cv2.warpPerspective(np.ones(small.shape, np.uint8), move, (width, height))
    inside = np.asarray(whole[SIDE : SIDE + TALL].min(axis=0) > 0, np.bool_)
    return np.asarray(level, np.float32), inside, warp


def _nearby(plane: Plane, row: DigitRow) -> tuple[Plane, NDArray[np.float64]]:
    """The photo around the row, no finer than the strip needs it, and how it was moved and made smaller."""
    reach = (tuning.STRIP_REACH + 1) * row.height
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


def _lean(light: Plane) -> NDArray[np.float64]:
    """From the upright strip to this one: leans differ along a row that is seen from the side, one at each end."""
    height, width = light.shape
    row = _row_columns(width)
    middle = (row.start + row.stop) / 2
    halves = (slice(row.start, round(middle)), slice(round(middle), row.stop))
    if row.stop - row.start < tuning.LONG_ROW * TALL:
        lean, turn = _best_lean(light[:, row], tuning.LEANS), 0.0
    else:
        whole = _best_lean(light[:, row], tuning.LEANS)
        near = tuning.LEANS[np.abs(tuning.LEANS - whole) < tuning.LEAN_DIFFERENCE]
        one, two = (_best_lean(light[:, half], near) for half in halves)
        lean, turn = (one + two) / 2, (one - two) / (middle - row.start)
    centre = np.array([[1, 0, middle], [0, 1, height / 2], [0, 0, 1]])
    return np.asarray(centre @ np.array([[1, -lean, 0], [0, 1, 0], [0, -turn, 1]]) @ np.linalg.inv(centre), np.float64)


def _best_lean(part: Plane, leans: NDArray[np.float64]) -> float:
    """The lean at which the columns are told apart best."""
    return float(max(leans, key=lambda lean: float(np.var(_sheared(part, lean)[SIDE : SIDE + TALL].mean(axis=0)))))


def _sheared(light: Plane, lean: float) -> Plane:
    height, width = light.shape
    move = np.array([[1, lean, -lean * height / 2], [0, 1, 0]])
    return np.asarray(cv2.warpAffine(light, move, (width, height), flags=cv2.INTER_LINEAR), np.float32)


def _turned(light: Plane, upright_from: NDArray[np.float64]) -> Plane:
    size = light.shape[::-1]
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(light, upright_from, size, flags=flags), np.float32)


def refitted(strip: Strip, digits: list[PlacedDigit]) -> DigitRow | None:
    """The row with its two lines drawn through the heads and feet of these digits; nothing where they do not fit."""
    ends = [(each, _ends(strip, each)) for each in digits]
    whole = [(each, rows) for each, rows in ends if rows is not None and rows[1] - rows[0] > 0.8 * TALL]
    if len(whole) < 2:
        return None
    heads = [(each, rows[0]) for each, rows in whole]
    feet = [(each, rows[1]) for each, rows in whole]
    slopes = [_slope(heads, _NO_ROOF), _slope(feet, _NO_FLOOR)]
    known = [slope for slope in slopes if slope is not None]
    spare = float(np.mean(known)) if known else 0.0
    across = np.array([digits[0].left, digits[-1].right])
    corners = [
        _drawn(points, spare if slope is None else slope, across)
        for points, slope in zip((heads, feet), slopes, strict=True)
    ]
    photo = cv2.perspectiveTransform(np.array(corners).reshape(1, -1, 2), strip.back)[0]
    a, b, c, d = ((float(x), float(y)) for x, y in photo)
    return DigitRow((a, b), (c, d), strip.row.light, len(whole))


def _ends(strip: Strip, digit: PlacedDigit) -> tuple[float, float] | None:
    """The digit's first row and the one behind its last, from its body outwards: a mark over it is beyond a gap."""
    lit = (strip.light[:, round(digit.left) : round(digit.right) + 1] > 0.5).sum(axis=1) >= 2
    reach = TALL // 6
    rows = np.flatnonzero(lit[SIDE - reach : SIDE + TALL + reach]) + SIDE - reach
    upper, lower = rows[rows < SIDE + TALL // 2], rows[rows >= SIDE + TALL // 2]
    if not (upper.size and lower.size):
        return None
    return float(_last_before_gap(upper[::-1], TALL // 4)), float(_last_before_gap(lower, TALL // 4) + 1)


def _last_before_gap(rows: NDArray[np.intp], within: int) -> int:
    """The row where the stroke ends, going outwards; within the digit, gaps between bars do not count."""
    start, last = int(rows[0]), int(rows[0])
    for row in rows[1:]:
        if abs(int(row) - last) > tuning.BAR_GAP * TALL and abs(last - start) > within:
            break
        last = int(row)
    return last


def _slope(points: list[tuple[PlacedDigit, float]], without: str) -> float | None:
    """The median slope between digits that reach this line with a lying bar; nothing where fewer than two do."""
    firm = [((each.left + each.right) / 2, row) for each, row in points if each.character not in without]
    slopes = [(b - a) / (q - p) for (p, a), (q, b) in combinations(firm, 2)]
    return float(np.median(slopes)) if len(firm) > 2 else 0.0 if len(firm) == 2 else None


def _drawn(points: list[tuple[PlacedDigit, float]], slope: float, across: NDArray[np.float64]) -> NDArray[np.float64]:
    """A line of that slope through the points, at both ends, by the median: a mark at one digit does not lift it."""
    offsets = [row - slope * (each.left + each.right) / 2 for each, row in points]
    return np.stack([across, np.median(offsets) + slope * across], axis=1)
