"""The second opinion on a dot-matrix digit: each of its dots is on or off, and together they are a usual letter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from inspect_kit.vision.display import tuning

Plane = NDArray[np.float32]
Pattern = NDArray[np.bool_]

_ROWS: Final = 7
"""Rows of dots of a letter."""
_LETTERS: Final = {
    "0": ("0E11131519110E", "0E11111111110E", "0E11191513110E"),
    "1": ("040C040404040E", "040C1404040404", "02060202020202"),
    "2": ("0E11010204081F", "0E11010608101F", "0E11010E10101F", "0E11010611101F"),
    "3": ("1F02040201110E", "0E11010601110E", "0E11010E01110E", "1E01010E01011E"),
    "4": ("02060A121F0202", "101012121F0202"),
    "5": ("1F101E0101110E", "1F101E0101011E", "1F10101E01110E"),
    "6": ("0608101E11110E", "0E10101E11110E", "0E11101E11110E"),
    "7": ("1F010204080808", "1F010202040404", "1F110102040404"),
    "8": ("0E11110E11110E",),
    "9": ("0E11110F01020C", "0E11110F01110E", "0E11110F01010E"),
}  # fmt: skip
"""Rows of dots from the top, each as two hexadecimal figures, the leftmost dot the highest of five bits.

A four and a seven of straight strokes alone are left out: seven bars draw them too.
"""


@dataclass(frozen=True, slots=True)
class Dots:
    """A digit told by its dots, and how many columns of dots it is wide."""

    digit: str
    columns: int


def digit_of_dots(band: Plane, left: float, right: float, pitch: float | None = None) -> Dots | None:
    """The digit whose dots are all on here and all others off; nothing where that is not plain for every one of them.

    The columns from left to right are the letter's own; where the distance of two dots is known, they are told by it.
    """
    best = max(_letters(), key=lambda each: _margin(band, left, _end(each[1], left, right, pitch), each[1]))
    end = _end(best[1], left, right, pitch)
    return Dots(best[0], best[1].shape[1]) if _margin(band, left, end, best[1]) > tuning.DOT_MARGIN else None


def _end(letter: Pattern, left: float, right: float, pitch: float | None) -> float:
    return right if pitch is None else left + letter.shape[1] * pitch


def _margin(band: Plane, left: float, right: float, letter: Pattern) -> float:
    """The faintest dot that must be on less the strongest that must be off; -1 where the shape is another."""
    across = (right - left) / letter.shape[1] / (band.shape[0] / letter.shape[0])
    levels = (
        _levels(band, round(left), round(right), letter.shape[1])
        if tuning.SLIM_PITCH < across < tuning.BROAD_PITCH
        else None
    )
    return float(levels[letter].min() - levels[~letter].max()) if levels is not None else -1.0


def _levels(band: Plane, left: int, right: int, columns: int) -> Plane | None:
    """How lit each dot is, from the digit's first row to its last."""
    part = band[:, max(0, left) : right]
    rows = np.flatnonzero((part > 0.4).any(axis=1))
    if part.shape[1] < columns or not rows.size or rows[-1] - rows[0] < tuning.WHOLE_HEIGHT * len(band):
        return None
    size = (columns * tuning.DOT_CELL, _ROWS * tuning.DOT_CELL)
    seen = cv2.resize(np.clip(part[rows[0] : rows[-1] + 1], 0, 1), size, interpolation=cv2.INTER_AREA)
    inner = slice(tuning.DOT_CELL // 4, tuning.DOT_CELL - tuning.DOT_CELL // 4)
    return np.asarray(
        seen.reshape(_ROWS, tuning.DOT_CELL, columns, tuning.DOT_CELL)[:, inner, :, inner].mean(axis=(1, 3)), np.float32
    )


@cache
def _letters() -> tuple[tuple[str, Pattern], ...]:
    """Every letter, cut to its own columns."""
    return tuple((digit, _pattern(text)) for digit, texts in _LETTERS.items() for text in texts)


def _pattern(text: str) -> Pattern:
    rows = [int(text[at : at + 2], 16) for at in range(0, 2 * _ROWS, 2)]
    on = np.array([[row >> (4 - column) & 1 for column in range(5)] for row in rows], np.bool_)
    columns = np.flatnonzero(on.any(axis=0))
    return on[:, columns[0] : columns[-1] + 1]
