"""Where the board lies: the markings' pattern looked for at all angles on the surface seen from above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Light
from inspect_kit.vision.board_layout import Placement, template
from inspect_kit.vision.board_mosaic import Mosaic
from inspect_kit.vision.view import View

_COARSE: Final = 2
"""Pixels of the mosaic that are joined for the search."""
_PEAKS: Final = 4
_FINE_TURNS: Final = np.radians(np.array([-1.0, 0.0, 1.0]))
_LAST_TURNS: Final = np.radians(np.array([-0.6, -0.4, -0.2, 0.2, 0.4, 0.6]))


@dataclass(frozen=True)
class Match:
    """A placement and how clearly the pattern stands out there (ink on the strokes less ink beside them, 0 to 1)."""

    placement: Placement
    clarity: float


def find_pattern(mosaic: Mosaic, turns: Floats | None = None) -> Match:
    """The best place of the pattern; `turns` are the angles to try, else the picture's main directions."""
    coarse = _pooled(mosaic.ink)
    directions = main_directions(mosaic) if turns is None else turns
    best, place, angle = -1.0, (0, 0), 0.0
    base = template(mosaic.per_mm / _COARSE)
    for turn in np.unique(np.round(np.concatenate([direction + _FINE_TURNS for direction in directions]), 4)):
        value, at = _correlated(coarse, _turned(base, float(turn)))
        if value > best:
            best, place, angle = value, at, float(turn)
    for turn in angle + _LAST_TURNS:
        value, at = _correlated(coarse, _turned(base, float(turn)))
        if value > best:
            best, place, angle = value, at, float(turn)
    middle = mosaic.place((np.array([place], dtype=np.float64) + 0.5) * _COARSE - 0.5)[0]
    return Match(Placement(float(middle[0]), float(middle[1]), angle), best)


def _pooled(ink: Light) -> Light:
    """The largest of each block: a thin line is as good as a thick one."""
    height, width = (size // _COARSE * _COARSE for size in ink.shape)
    blocks = ink[:height, :width].reshape(height // _COARSE, _COARSE, width // _COARSE, _COARSE)
    return np.asarray(blocks.max(axis=(1, 3)), dtype=np.float32)


def main_directions(mosaic: Mosaic) -> Floats:
    """Angles below a quarter turn along which most edges run."""
    eye = np.sqrt(np.maximum(mosaic.light, 0)).mean(axis=2)
    soft = cv2.GaussianBlur(eye, (0, 0), 1.5)
    along, down = cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)
    size = np.minimum(np.hypot(along, down), 0.2)
    size[~mosaic.seen] = 0
    angles = np.arctan2(-down, along) % (np.pi / 2)
    histogram, _ = np.histogram(angles, 180, (0, np.pi / 2), weights=size)
    smooth = np.convolve(np.tile(histogram, 3), [0.25, 0.5, 1, 0.5, 0.25], "same")[180:360]
    found = []
    for _ in range(_PEAKS):
        top = int(smooth.argmax())
        found.append((top + 0.5) / 180 * np.pi / 2)
        smooth[np.arange(top - 5, top + 6) % 180] = 0
    return np.array(found)


def _turned(base: Floats, angle: float) -> Light:
    size = base.shape[0]
    middle = (size - 1) / 2
    matrix = cv2.getRotationMatrix2D((middle, middle), np.degrees(angle), 1.0)
    return np.asarray(
        cv2.warpAffine(base.astype(np.float32), matrix, (size, size), flags=cv2.INTER_LINEAR), dtype=np.float32
    )


def _correlated(ink: Light, pattern: Light) -> tuple[float, tuple[int, int]]:
    # The middle of the board is somewhere in the window; a part of the board may lie outside of it.
    half = pattern.shape[0] // 2
    border = max(half - min(ink.shape) // 4, 0)
    padded = cv2.copyMakeBorder(ink, border, border, border, border, cv2.BORDER_CONSTANT, value=0)
    values = cv2.matchTemplate(padded, pattern, cv2.TM_CCORR)
    _, most, _, at = cv2.minMaxLoc(values)
    return float(most), (int(at[0]) + half - border, int(at[1]) + half - border)


def upright(placement: Placement, view: View) -> Placement:
    """The same placement, turned by quarters so that north is at the top of the photo."""
    best, most = placement, -np.inf
    for quarter in range(4):
        turned = Placement(placement.x, placement.y, placement.angle + quarter * np.pi / 2)
        ends = turned.to_plane(np.array([[0.0, -150.0], [0.0, 150.0]]))
        seen = view.pixels(np.column_stack([ends, [0.0, 0.0]]))
        rise = float((seen[0, 1] - seen[1, 1]) / np.linalg.norm(seen[1] - seen[0]))
        if rise > most:
            best, most = turned, rise
    return best
