"""A face of a die as it was found in a picture, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.dice_body import Square
from inspect_kit.vision.dice_pips import Pip

SURE: Final = 0.5
"""Confidence from which on a face is reported; below, the die is only pointed at."""
SUSPECTED: Final = 0.25
_SAME_BODY, _SAME_PAINT, _SAME_SPACING, _SAME_SIZE = (0.2, 0.12), (0.22, 0.12), 0.18, 0.33
"""How far colours may be off, for several pips and for a lone one, which a side may show; and spacings, and sizes."""


@dataclass(frozen=True, eq=False)
class Face:
    """A face in the picture it was found in: number, middle, frame, square, its pips, and how good all that looks."""

    number: int
    centre: Floats
    frame: Floats
    square: Square
    pips: tuple[int, ...]
    radius: float
    contrast: float
    score: float
    spots: tuple[Pip, ...]
    shape: Floats
    """The ellipse that a circle on this face is seen as: from the pips' places, if many, else their outlines."""

    @cached_property
    def size(self) -> float:
        """Half the edge in pixels, foreshortening averaged."""
        (a, b), (c, d) = self.frame.tolist()
        return math.sqrt(abs(a * d - b * c)) * self.square.half_edge

    @property
    def axes(self) -> Floats:
        """Half edges as columns, in pixels; where the sides were found too near, as far as dice have them at least."""
        return np.asarray(self.frame * max(self.square.half_edge, 1.7 if self.number > 1 else 0.0), dtype=np.float64)

    def inside(self, point: Floats) -> float:
        """How far a point lies from the middle, in half edges: below 1 on the face."""
        (a, b), (c, d) = self.frame.tolist()
        x, y = (point - self.centre).tolist()
        across, down = d * x - b * y, a * y - c * x
        return float(max(abs(across), abs(down)) / max(abs(a * d - b * c), 1e-12) / self.square.half_edge)


def same_make(face: Face, other: Face) -> bool:
    """Whether body, pips and, where there are several, their spacing are those of another face."""
    lone = face.number == 1
    body = float(np.linalg.norm(face.square.colour - other.square.colour)) / other.contrast
    paint = abs(float(np.log(face.contrast / other.contrast)))
    if body > _SAME_BODY[lone] or paint > _SAME_PAINT[lone]:
        return False
    if lone:
        return abs(float(np.log(face.spots[0].longest / other.spots[0].longest))) < _SAME_SIZE
    return abs(float(np.log(face.radius / other.radius))) < _SAME_SPACING
