"""The carrom board as makers draw it: names of sides, corners and circles, and about where each marking lies.

Origin in the middle, x to the right, y to the north, mm. These numbers only say where to look, never what is measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats

SIDES: Final = ("n", "e", "s", "w")
CORNERS: Final = ("nw", "ne", "se", "sw")
OUTWARDS: Final[Mapping[str, tuple[float, float]]] = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
"""Directions from the middle to the sides."""
TOWARDS: Final[Mapping[str, tuple[float, float]]] = {"nw": (-1, 1), "ne": (1, 1), "se": (1, -1), "sw": (-1, -1)}
"""Directions from the middle to the corners."""
WALLS: Final[Mapping[str, tuple[str, str]]] = {"nw": ("n", "w"), "ne": ("n", "e"), "se": ("s", "e"), "sw": ("s", "w")}
CIRCLES: Final = ("n.w", "n.e", "e.n", "e.s", "s.e", "s.w", "w.s", "w.n")
PAIRS: Final[Mapping[str, tuple[str, str]]] = {
    "nw": ("n.w", "w.n"), "ne": ("n.e", "e.n"), "se": ("s.e", "e.s"), "sw": ("s.w", "w.s")
}  # fmt: skip

HALF: Final = 368.3
"""mm, half a side: where to look first on a usual board, never what is reported."""
LOWER: Final = 101.5
"""mm from the frame to the lower line."""
SPACING: Final = 31.8
"""mm from the lower line's outer edge to the upper line."""
LOWER_THICKNESS: Final = 5.7
"""mm, the lower line's stroke."""
CIRCLE: Final = 31.8
"""mm, diameter of a base circle."""
DISC: Final = 25.4
"""mm, diameter of the red inside of it."""
CENTRE: Final = 31.8
"""mm, diameter of the centre circle."""
OUTER: Final = 170.0
"""mm, diameter of the outer circle."""
POCKET: Final = 44.5
"""mm, diameter of a pocket."""
ARROW_TIP: Final = 417.0
"""mm along the diagonal from the middle to an arrow's tip."""
ARROW_TAIL: Final = 150.0
"""Both along the diagonal from the middle; makers' arrows start where they like."""
REACH: Final = 219.1
"""Half the distance between the two circles of a side."""


@dataclass(frozen=True)
class Placement:
    """Where the board lies on the surface's frame: its middle and the direction of its x axis."""

    x: float
    y: float
    angle: float

    def to_plane(self, points: Floats) -> Floats:
        """Board → frame of the views."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.column_stack(
            [self.x + c * points[:, 0] - s * points[:, 1], self.y + s * points[:, 0] + c * points[:, 1]]
        )

    def to_board(self, points: Floats) -> Floats:
        """Frame of the views → board."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        moved = points - np.array([self.x, self.y])
        return np.column_stack([c * moved[:, 0] + s * moved[:, 1], -s * moved[:, 0] + c * moved[:, 1]])


def circle_place(name: str) -> Floats:
    """About where a base circle's middle is."""
    side, towards = name.split(".")
    out, along = np.array(OUTWARDS[side]), np.array(OUTWARDS[towards])
    return np.asarray(out * (HALF - LOWER - CIRCLE / 2) + along * REACH, dtype=np.float64)


def template(per_mm: float) -> Floats:
    """The markings' strokes as a picture of weights that add up to nothing: ink here, none beside it."""
    size = int(2 * (HALF + 10) * per_mm) | 1
    strokes = np.zeros((size, size), np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        return round((x + HALF + 10) * per_mm * 16), round((HALF + 10 - y) * per_mm * 16)

    def line(a: Floats, b: Floats) -> None:
        cv2.line(strokes, at(*a), at(*b), 255, 1, cv2.LINE_8, 4)

    for side in SIDES:
        out = np.array(OUTWARDS[side])
        along = np.array([out[1], -out[0]])
        for level in (HALF - LOWER - 1, HALF - LOWER - LOWER_THICKNESS + 1, HALF - LOWER - SPACING):
            line(out * level - REACH * along, out * level + REACH * along)
    for corner in CORNERS:
        way = np.array(TOWARDS[corner]) / np.sqrt(2)
        line(way * (ARROW_TAIL + 60), way * (ARROW_TIP - 5))
    for name in CIRCLES:
        for radius in (CIRCLE / 2, DISC / 2):
            cv2.circle(strokes, at(*circle_place(name)), round(radius * per_mm * 16), 255, 1, cv2.LINE_8, 4)
    cv2.circle(strokes, at(0, 0), round(OUTER / 2 * per_mm * 16), 255, 1, cv2.LINE_8, 4)
    ink = (strokes > 0).astype(np.float64)
    beside = cv2.dilate(strokes, np.ones((9, 9), np.uint8)) > 0
    beside &= cv2.dilate(strokes, np.ones((5, 5), np.uint8)) == 0
    return np.asarray(ink / ink.sum() - beside / max(int(beside.sum()), 1), dtype=np.float64)
