"""The playing surface seen straight from above, put together from all photos at one pixel a millimetre."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Light, Mask, Pixels
from inspect_kit.vision.light import linear
from inspect_kit.vision.view import View

Window = tuple[float, float, float, float]
"""Left, lower, right, upper."""

_MOST: Final = 1700
_INK_CAP: Final = 0.25


@dataclass(frozen=True)
class Mosaic:
    """Linear light over a window of the surface; `left`, `upper` are where its first pixel's corner lies."""

    light: Light
    seen: Mask
    ink: Light
    """How unlike its surroundings each place is, 0 to 1."""
    left: float
    upper: float
    per_mm: float

    def pixel(self, points: Floats) -> Floats:
        """Surface → pixel of the mosaic."""
        return (
            np.column_stack([(points[:, 0] - self.left) * self.per_mm, (self.upper - points[:, 1]) * self.per_mm]) - 0.5
        )

    def place(self, pixels: Floats) -> Floats:
        """Pixel of the mosaic → surface."""
        return np.column_stack(
            [(pixels[:, 0] + 0.5) / self.per_mm + self.left, self.upper - (pixels[:, 1] + 0.5) / self.per_mm]
        )


def make_mosaic(lights: Sequence[Light], views: Sequence[View], window: Window, per_mm: float,
                covered: Sequence[Floats] = ()) -> Mosaic:  # fmt: skip
    """`window` is left, lower, right, upper in mm; each place is taken from the photo that resolves it best."""
    left, lower, right, upper = window
    width, height = (int(min(np.ceil(size * per_mm), _MOST)) for size in (right - left, upper - lower))
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    points = np.column_stack([left + (columns.ravel() + 0.5) / per_mm, upper - (rows.ravel() + 0.5) / per_mm])
    light = np.zeros((height, width, 3), np.float32)
    best = np.zeros((height, width), np.float32)
    for picture, view in zip(lights, views, strict=True):
        part, sharp = _one(picture, view, points, (height, width), per_mm)
        chosen = sharp > best
        light[chosen], best[chosen] = part[chosen], sharp[chosen]
    seen = best > 0
    ink = _ink(light, seen)
    mosaic = Mosaic(light, seen, ink, left, upper, per_mm)
    for quad in covered:
        cv2.fillConvexPoly(ink, np.round(mosaic.pixel(_grown(quad, 2.0))).astype(np.int32), 0.0)
    return mosaic


def _grown(quad: Floats, by: float) -> Floats:
    middle = quad.mean(axis=0)
    away = quad - middle
    return np.asarray(middle + away * (1 + by / np.linalg.norm(away, axis=1, keepdims=True)), dtype=np.float64)


def _one(picture: Light, view: View, points: Floats, shape: tuple[int, int], per_mm: float) -> tuple[Light, Light]:
    """One photo's part, and pixels a mm there (0 where it does not look)."""
    coarse = 16
    width = shape[1]
    grid_rows, grid_columns = (np.unique(np.append(np.arange(0, size, coarse), size - 1)) for size in shape)
    index = (grid_rows[:, None] * width + grid_columns[None, :]).ravel()
    space = np.column_stack([points[index], np.zeros(len(index))])
    ahead = (space - view.centre) @ view.rotation[2] > 1.0
    nodes = np.where(ahead[:, None], view.pixels(space), -1e6)
    map_x, map_y = (
        _dense(nodes[:, axis].reshape(len(grid_rows), -1), grid_rows, grid_columns, shape) for axis in (0, 1)
    )
    scale = float(np.clip(view.resolution(np.array([*points[index].mean(axis=0), 0.0])), 0.05, 50))
    factor = min(1.0, 1.3 * per_mm / scale)
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 0.8 else picture
    zoom_x, zoom_y = small.shape[1] / picture.shape[1], small.shape[0] / picture.shape[0]
    part = cv2.remap(small, (map_x + 0.5) * zoom_x - 0.5, (map_y + 0.5) * zoom_y - 0.5, cv2.INTER_LINEAR)
    inside = (map_x > 1) & (map_y > 1) & (map_x < picture.shape[1] - 2) & (map_y < picture.shape[0] - 2)
    return np.asarray(part, dtype=np.float32), np.where(inside, scale, 0).astype(np.float32)


def _dense(nodes: Floats, rows: Floats, columns: Floats, shape: tuple[int, int]) -> Light:
    """Values between the nodes of a grid, linearly."""
    across = np.stack([np.interp(np.arange(shape[1]), columns, row) for row in nodes])
    at = np.interp(np.arange(shape[0]), rows, np.arange(len(rows)))
    low = np.minimum(at.astype(int), len(rows) - 2)
    share = (at - low)[:, None]
    return np.asarray(across[low] * (1 - share) + across[low + 1] * share, dtype=np.float32)


def _ink(light: Light, seen: Mask) -> Light:
    """Distance in colour from the surroundings' median, over their brightness, on a scale like the eye's."""
    eye = np.sqrt(np.maximum(light, 0))
    codes = np.clip(eye * 255, 0, 255).astype(np.uint8)
    ground = cv2.medianBlur(codes, 31).astype(np.float32) / 255
    away = np.linalg.norm(eye - ground, axis=2)
    bright = np.maximum(ground.mean(axis=2), 0.08)
    ink = np.clip(away / bright / np.sqrt(3), 0, _INK_CAP) / _INK_CAP
    return np.asarray(np.where(seen, ink, 0), dtype=np.float32)


def whole_light(pixels: Pixels) -> Light:
    """A whole photo in linear light."""
    return linear(pixels)
