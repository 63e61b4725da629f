"""A second way to draw scenes, which shares nothing with the first but the sheets as they are printed.

The sheet is the raster of its PDF; solids are painted polygon by polygon over it, in linear light, finer than the
picture, and then seen through blur, noise and JPEG. What both ways agree on is not a fault of either.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import cv2
import numpy as np
import pypdfium2
from PIL import Image

from inspect_kit.certificate.pages.targets import draw_targets
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.reference.sheets import PrintedSheet

WIDTH, HEIGHT, FOCAL = 4032, 3024, 3050.0
FINER = 2
_DOTS = 400.0
_AROUND = np.linspace(0, 2 * np.pi, 480, endpoint=False)
_CIRCLE = np.column_stack([np.cos(_AROUND), np.sin(_AROUND)])
_DISC = cv2.resize((np.hypot(*np.mgrid[-24:25, -24:25]) < 13).astype(np.float32), (5, 5), interpolation=cv2.INTER_AREA)
_DISC /= _DISC.sum()
"""A lens's circle of confusion of 2.6 pixels across."""

Colour = tuple[float, float, float]
"""Linear light, 0 to 1."""


@dataclass(frozen=True)
class Eye:
    """A camera without a lens's faults: where it is, and its axes (right, down, ahead) as rows."""

    place: np.ndarray
    axes: np.ndarray

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Points of the world, n × 3, in the picture."""
        own = (points - self.place) @ self.axes.T
        return FOCAL * own[:, :2] / own[:, 2:] + [(WIDTH - 1) / 2, (HEIGHT - 1) / 2]


def eye(place: Sequence[float], target: Sequence[float], up: Sequence[float] = (0, 1, 0)) -> Eye:
    """Looking from one place to another."""
    ahead = np.subtract(target, place) / np.linalg.norm(np.subtract(target, place))
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    return Eye(np.array(place, dtype=float), np.stack([right, np.cross(ahead, right), ahead]))


def calibrated() -> Camera:
    """What a calibration would say of this camera."""
    parameters = np.array([FOCAL, FOCAL, (WIDTH - 1) / 2, (HEIGHT - 1) / 2, 0, 0, 0, 0, 0])
    standard = np.array([0.3, 0.3, 0.5, 0.5, 2e-4, 5e-4, 1e-5, 1e-5, 5e-4])
    return Camera(WIDTH, HEIGHT, parameters, np.diag(standard**2), "calibration")


@cache
def _printed(sheet: PrintedSheet) -> np.ndarray:
    """The sheet's page in linear light."""
    page = pypdfium2.PdfDocument(draw_targets([sheet]))[0]
    codes = page.render(scale=_DOTS / 72).to_numpy()[:, :, ::-1].astype(np.float32) / 255
    return codes ** np.float32(2.2)


class Painting:
    """A picture that is painted from the back to the front."""

    def __init__(self, view: Eye, background: Colour) -> None:
        self.view = view
        self.light = np.empty((HEIGHT * FINER, WIDTH * FINER, 3), np.float32)
        self.light[:] = background

    def sheet(self, sheet: PrintedSheet, across: np.ndarray, up: np.ndarray, middle: np.ndarray) -> None:
        """The printed page in space: its middle and the directions of its sides."""
        page = _printed(sheet)
        high, wide = page.shape[:2]
        half_x, half_y = np.array([wide, high]) * 25.4 / _DOTS / 2
        corners = np.array(
            [middle + a * half_x * across + b * half_y * up for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1))]
        )
        there = self._fine(self.view.pixels(corners)).astype(np.float32)
        here = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - 0.5
        corner = np.maximum(np.floor(there.min(axis=0)), 0).astype(int)
        beyond = np.minimum(np.ceil(there.max(axis=0)) + 1, [WIDTH * FINER, HEIGHT * FINER]).astype(int)
        turned = cv2.getPerspectiveTransform(here, there - corner.astype(np.float32))
        size = (int(beyond[0] - corner[0]), int(beyond[1] - corner[1]))
        drawn = cv2.warpPerspective(page, turned, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for row, first, last in _rows(there, self.light.shape[:2]):
            self.light[row, first:last] = drawn[row - corner[1], first - corner[0] : last - corner[0]]

    def flat(self, points: np.ndarray, colour: Colour) -> None:
        """A polygon in space."""
        self._fill(self._fine(self.view.pixels(points)), colour)

    def _fill(self, outline: np.ndarray, colour: Colour) -> None:
        for row, first, last in _rows(outline, self.light.shape[:2]):
            self.light[row, first:last] = colour

    def turned_solid(self, profile: Sequence[tuple[float, float]], place: tuple[float, float], colour: Colour) -> None:
        """A solid of revolution by heights and radii, slice by slice from below; steeper slices are darker."""
        for (low, first), (high, second) in pairwise(profile):
            facing = (first - second) / max(math.hypot(high - low, first - second), 1e-9)
            points = np.concatenate([_ring(place, low, first), _ring(place, high, second)])
            hull = cv2.convexHull(self._fine(self.view.pixels(points)).astype(np.float32))[:, 0]
            shade = 0.45 + 0.4 * max(-0.6, facing)
            self._fill(hull, (shade * colour[0], shade * colour[1], shade * colour[2]))
        self.flat(_ring(place, *profile[-1]), colour)

    def photograph(self, seed: int, phone: bool = False) -> bytes:
        """Blurred, noisy, unevenly lit, as JPEG; `phone`: as phones do it, with a round blur, sharpened and smoothed."""
        random = np.random.default_rng(seed)
        small = cv2.resize(self.light, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
        soft = cv2.filter2D(small, -1, _DISC) if phone else cv2.GaussianBlur(small, (0, 0), 0.8)
        ramp = np.linspace(-0.1, 0.1, WIDTH)[None, :, None] * random.uniform(-1, 1)
        codes = 255 * np.clip(soft * (0.85 + ramp), 0, 1) ** (1 / 2.2)
        noisy = codes + random.normal(0, 2.0, (HEIGHT, WIDTH, 1)) + random.normal(0, 1.0, codes.shape)
        if phone:
            smooth = cv2.bilateralFilter(noisy.astype(np.float32), 5, 12.0, 1.2)
            noisy = smooth + random.uniform(0.3, 0.8) * (smooth - cv2.GaussianBlur(smooth, (0, 0), 1.3))
        buffer = io.BytesIO()
        finish = {"quality": 86, "subsampling": 2} if phone else {"quality": 92}
        Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8)).save(buffer, "JPEG", **finish)
        return buffer.getvalue()

    @staticmethod
    def _fine(pixels: np.ndarray) -> np.ndarray:
        return np.asarray((pixels + 0.5) * FINER - 0.5)


def _rows(outline: np.ndarray, shape: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """Rows of a convex outline: those whose middles it crosses, each with the first pixel inside and the one beyond."""
    low, high = max(0, math.ceil(outline[:, 1].min())), min(shape[0] - 1, math.floor(outline[:, 1].max()))
    rows = np.arange(low, high + 1)
    left, right = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
    for (x0, y0), (x1, y1) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        crossed = (rows >= min(y0, y1)) & (rows <= max(y0, y1))
        if crossed.any():
            share = (rows[crossed] - y0) / (y1 - y0) if y1 != y0 else np.zeros(int(crossed.sum()))
            x = x0 + share * (x1 - x0)
            left[crossed], right[crossed] = np.minimum(left[crossed], x), np.maximum(right[crossed], x)
    for row, first, last in zip(rows, left, right, strict=True):
        if math.isfinite(first) and math.ceil(first) <= math.floor(last):
            yield int(row), max(0, math.ceil(first)), min(shape[1], math.floor(last) + 1)


def _ring(place: tuple[float, float], height: float, radius: float) -> np.ndarray:
    return np.column_stack([radius * _CIRCLE + place, np.full(len(_CIRCLE), height)])
