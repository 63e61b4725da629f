"""Where the board lies: the markings' pattern looked for at all angles on the surface seen from above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Light, Mask
from inspect_kit.vision.board import tuning
from inspect_kit.vision.board.layout import Placement, template
from inspect_kit.vision.optics.pose import View

# The playing surface seen straight from above, put together from all photos at one pixel a millimetre.

Window = tuple[float, float, float, float]
"""Left, lower, right, upper."""


@dataclass(frozen=True)
class Mosaic:
    """Linear light over a window of the surface; `left`, `upper` are where its first pixel's corner lies."""

    light: Light
    seen: Mask
    left: float
    upper: float
    per_mm: float
    covered: Sequence[Floats] = ()
    """Quadrilaterals of the surface under cards."""

    @cached_property
    def ink(self) -> Light:
        """How unlike its surroundings each place is, 0 to 1; nothing under cards."""
        ink = _ink(self.light, self.seen)
        for quad in self.covered:
            cv2.fillConvexPoly(ink, np.round(self.pixel(_grown(quad, 2.0))).astype(np.int32), 0.0)
        return ink

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

    def cut(self, place: Floats, half: float) -> Mosaic:
        """The part around a place, so far to all sides."""
        (x, y), size = np.round(self.pixel(place[None])[0]).astype(int), int(half * self.per_mm)
        left, upper = max(x - size, 0), max(y - size, 0)
        rows, columns = slice(upper, max(y + size + 1, 0)), slice(left, max(x + size + 1, 0))
        corner = self.left + left / self.per_mm, self.upper - upper / self.per_mm
        return Mosaic(self.light[rows, columns], self.seen[rows, columns], *corner, self.per_mm)

    def turned(self, own: Placement) -> Mosaic:
        """The same plan along the axes of a placement, around its origin."""
        height, width = self.seen.shape
        left, upper = -width / 2 / self.per_mm, height / 2 / self.per_mm
        here = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [-0.5, height - 0.5]])
        there = self.pixel(own.to_plane(replace(self, left=left, upper=upper).place(here)))
        matrix = cv2.getAffineTransform(here.astype(np.float32), there.astype(np.float32))
        light, seen = (
            cv2.warpAffine(each, matrix, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
            for each in (self.light, self.seen.astype(np.uint8))
        )
        return Mosaic(np.asarray(light, np.float32), seen > 0, left, upper, self.per_mm)


def make_mosaic(lights: Sequence[Light], views: Sequence[View], window: Window, per_mm: float,
                covered: Sequence[Floats] = ()) -> Mosaic:  # fmt: skip
    """`window` is left, lower, right, upper in mm; each place is taken from the photo that resolves it best."""
    left, lower, right, upper = window
    width, height = (int(min(np.ceil(size * per_mm), tuning.MOST)) for size in (right - left, upper - lower))
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    points = np.column_stack([left + (columns.ravel() + 0.5) / per_mm, upper - (rows.ravel() + 0.5) / per_mm])
    light = np.zeros((height, width, 3), np.float32)
    best = np.zeros((height, width), np.float32)
    for picture, view in zip(lights, views, strict=True):
        part, sharp = _one(picture, view, points, (height, width), per_mm)
        chosen = sharp > best
        light[chosen], best[chosen] = part[chosen], sharp[chosen]
    return Mosaic(light, best > 0, left, upper, per_mm, covered)


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
    ink = np.clip(away / bright / np.sqrt(3), 0, tuning.INK_CAP) / tuning.INK_CAP
    return np.asarray(np.where(seen, ink, 0), dtype=np.float32)


_FINE_TURNS: Final = np.radians(np.array([-1.0, 0.0, 1.0]))
"""Turns around the frame's own directions that are tried."""
_LAST_TURNS: Final = np.radians(np.array([-0.6, -0.4, -0.2, 0.2, 0.4, 0.6]))
"""Turns around the best of them."""


@dataclass(frozen=True)
class Match:
    """A placement and how clearly the pattern stands out there (ink on the strokes less ink beside them, 0 to 1)."""

    placement: Placement
    clarity: float


def find_pattern(mosaic: Mosaic) -> Match:
    """The best place of the pattern, along the picture's main directions."""
    coarse, base = _pooled(mosaic.ink), template(mosaic.per_mm / tuning.COARSE)

    def best_of(turns: Floats) -> tuple[float, tuple[int, int], float]:
        tried = ((*_correlated(coarse, _turned(base, float(turn))), float(turn)) for turn in turns)
        return max(tried, key=lambda each: each[0])

    first = best_of(np.unique(np.round(main_directions(mosaic)[:, None] + _FINE_TURNS, 4)))
    best, place, angle = max(first, best_of(first[2] + _LAST_TURNS), key=lambda each: each[0])
    middle = mosaic.place((np.array([place], dtype=np.float64) + 0.5) * tuning.COARSE - 0.5)[0]
    return Match(Placement(float(middle[0]), float(middle[1]), angle), best)


def _pooled(ink: Light) -> Light:
    """The largest of each block: a thin line is as good as a thick one."""
    height, width = (size // tuning.COARSE * tuning.COARSE for size in ink.shape)
    blocks = ink[:height, :width].reshape(height // tuning.COARSE, tuning.COARSE, width // tuning.COARSE, tuning.COARSE)
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
    for _ in range(tuning.LOCATE_PEAKS):
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
