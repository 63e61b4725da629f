"""The second opinion on a digit: which of the seven bars are lit, measured one by one."""

from __future__ import annotations

from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from inspect_kit.vision.display import tuning

Plane = NDArray[np.float32]

_BARS: Final = {
    "a": (0.5, 0.06), "b": (0.91, 0.27), "c": (0.91, 0.73), "d": (0.5, 0.94), "e": (0.09, 0.73), "f": (0.09, 0.27),
    "g": (0.5, 0.5),
}  # fmt: skip
"""Middle of each bar, in widths and heights of the digit."""
_LIES: Final = frozenset("adg")
_PATTERNS: Final = {
    "abcdef": "0", "abged": "2", "abgcd": "3", "fgbc": "4", "afgcd": "5", "afgedc": "6", "fgedc": "6", "abc": "7",
    "abcf": "7", "abcdefg": "8", "abcdfg": "9", "abcfg": "9",
}  # fmt: skip
_KNOWN: Final = {frozenset(pattern): digit for pattern, digit in _PATTERNS.items()}


def seven_segment(band: Plane, left: float, right: float) -> str | None:
    """The digit that the lit bars make; empty if they make none, nothing if bars neither on nor off leave two."""
    height = band.shape[0]
    if right - left < tuning.ONE_WIDTH * height:
        column = band[:, max(0, round(left)) : max(1, round(right))].max(axis=1)
        halves = column[round(0.1 * height) : round(0.42 * height)], column[round(0.58 * height) : round(0.9 * height)]
        return "1" if min(float(np.median(half)) for half in halves) > tuning.BAR_ON else ""
    levels = {name: _level(band, name, left, right) for name in _BARS}
    lit = frozenset(name for name, level in levels.items() if level >= tuning.BAR_ON)
    unclear = [name for name, level in levels.items() if tuning.BAR_OFF < level < tuning.BAR_ON]
    possible = {_KNOWN.get(lit | set(more)) for count in range(3) for more in combinations(unclear, count)} - {None}
    if not unclear:
        return _KNOWN.get(lit, "")
    return possible.pop() if len(unclear) < 3 and len(possible) == 1 else None


def dash(band: Plane, left: float, right: float) -> bool:
    """Whether these columns hold one lying bar at half height and nothing else: a minus sign."""
    rows = np.flatnonzero((band[:, max(0, round(left)) : max(1, round(right))] > tuning.BAR_ON).any(axis=1))
    if not rows.size:
        return False
    high, middle = rows[-1] - rows[0] + 1, (rows[0] + rows[-1]) / 2 / band.shape[0]
    return bool(right - left > 1.6 * high and abs(middle - 0.5) < 0.15)


def _level(band: Plane, name: str, left: float, right: float) -> float:
    """The bar's light: along the bar the median, across it the strongest, so that its exact place does not matter."""
    height, width = band.shape[0], right - left
    x, y = left + _BARS[name][0] * width, _BARS[name][1] * height
    along, across = (0.18 * width, 0.1 * height) if name in _LIES else (0.1 * height, 0.14 * width)
    half_x, half_y = (along, across) if name in _LIES else (across, along)
    rows = slice(max(0, round(y - half_y)), round(y + half_y) + 1)
    columns = slice(max(0, round(x - half_x)), round(x + half_x) + 1)
    patch = band[rows, columns]
    return float(np.median(patch.max(axis=0 if name in _LIES else 1))) if patch.size else 0.0
