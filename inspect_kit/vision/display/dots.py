"""The second opinion on a dot-matrix digit: its dots compared with the usual five by seven letters, one by one."""

from __future__ import annotations

from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]

_LETTERS: Final = {
    "0": ("0E11131519110E", "0E11111111110E", "0E11191513110E"),
    "1": ("040C040404040E", "040C1404040404", "02060202020202"),
    "2": ("0E11010204081F", "0E11010608101F", "0E11010E10101F", "0E11010611101F"),
    "3": ("1F02040201110E", "0E11010601110E", "0E11010E01110E", "1E01010E01011E"),
    "4": ("02060A121F0202", "1111111F010101", "101012121F0202"),
    "5": ("1F101E0101110E", "1F101E0101011E", "1F10101E01110E"),
    "6": ("0608101E11110E", "0E10101E11110E", "0E11101E11110E"),
    "7": ("1F010204080808", "1F010202040404", "1F010101010101", "1F110102040404"),
    "8": ("0E11110E11110E",),
    "9": ("0E11110F01020C", "0E11110F01110E", "0E11110F01010E"),
}  # fmt: skip
"""Rows of dots from the top, each as two hexadecimal figures, the leftmost dot the highest of five bits."""
_LIKE: Final = 0.8
"""Correlation from which a digit is told."""
_CLEARER: Final = 0.07
"""By so much the next digit must be less like it."""
_CELL: Final = 8
"""Pixels of a dot's cell where the two are compared."""
_SOFT: Final = 0.3
"""Blur of the letters, in cells: a camera joins neighbouring dots."""


def dotted(band: Plane, left: float, right: float) -> str | None:
    """The digit whose dots these columns show; nothing where none is clearly the likest."""
    part = band[:, max(0, round(left)) : max(1, round(right))]
    rows = np.flatnonzero((part > 0.4).any(axis=1))
    if part.shape[1] < 8 or not rows.size:
        return None
    part = np.clip(part[rows[0] : rows[-1] + 1], 0, 1)
    likeness: dict[str, float] = {}
    for digit, letter in _drawn():
        seen = cv2.resize(part, letter.shape[::-1], interpolation=cv2.INTER_AREA)
        shape = part.shape[1] / part.shape[0] / (letter.shape[1] / letter.shape[0])
        alike = _correlation(np.asarray(seen, np.float32), letter) if 0.5 < shape < 1.5 else 0.0
        likeness[digit] = max(alike, likeness.get(digit, 0.0))
    best, second = sorted(likeness, key=lambda digit: -likeness[digit])[:2]
    return best if likeness[best] > _LIKE and likeness[best] - likeness[second] > _CLEARER else None


def _correlation(one: Plane, two: Plane) -> float:
    a, b = one - one.mean(), two - two.mean()
    return float((a * b).sum() / max(1e-6, float(np.sqrt((a * a).sum() * (b * b).sum()))))


@cache
def _drawn() -> tuple[tuple[str, Plane], ...]:
    """Every letter as a picture, cut to its own dots."""
    return tuple((digit, _picture(text)) for digit, texts in _LETTERS.items() for text in texts)


def _picture(text: str) -> Plane:
    rows = [int(text[at : at + 2], 16) for at in range(0, 14, 2)]
    dots = np.array([[row >> (4 - column) & 1 for column in range(5)] for row in rows], np.float32)
    columns = np.flatnonzero(dots.any(axis=0))
    cut = np.kron(dots[:, columns[0] : columns[-1] + 1], np.ones((_CELL, _CELL), np.float32))
    return np.asarray(cv2.GaussianBlur(cut, (0, 0), _SOFT * _CELL), np.float32)
