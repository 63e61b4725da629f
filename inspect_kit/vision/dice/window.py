"""The part of a photo in which dice are looked for, at the size in which they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels

WORKING_SIDE: Final = 1400
"""Pixels of the longer side of the picture in which dice are looked for first."""

MOST_ENLARGED: Final = 2.0
"""Pixels of the working picture for one of a small photo, at most."""


@dataclass(frozen=True)
class Window:
    """The part of a photo that is looked at: its upper left pixel and size, and by how much it is enlarged."""

    left: int
    top: int
    width: int
    height: int
    factor: float

    def in_photo(self, points: Floats) -> Floats:
        """Points of the working picture in the photo's own pixels."""
        return np.asarray((points + 0.5) / self.factor - 0.5 + (self.left, self.top), dtype=np.float64)

    def from_photo(self, points: Floats) -> Floats:
        """The photo's pixels in the working picture."""
        return np.asarray((points - (self.left, self.top) + 0.5) * self.factor - 0.5, dtype=np.float64)


def whole_photo(pixels: Pixels, side: float = WORKING_SIDE) -> Window:
    """All of a photo at the size in which dice are looked for."""
    height, width = pixels.shape[:2]
    return Window(0, 0, width, height, min(side / max(width, height), MOST_ENLARGED))


def working_picture(pixels: Pixels, window: Window) -> Pixels:
    """A part of the photo, its noise smoothed."""
    part = pixels[window.top : window.top + window.height, window.left : window.left + window.width]
    size = max(2, round(window.width * window.factor)), max(2, round(window.height * window.factor))
    way = cv2.INTER_AREA if window.factor < 1 else cv2.INTER_CUBIC
    small = cv2.resize(part, size, interpolation=way) if window.factor != 1 else part
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 1.1), dtype=np.uint8)
