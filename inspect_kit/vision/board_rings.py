"""Rings looked for on the surface seen from above: where base circles, centre and outer circle about are."""

from __future__ import annotations

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Light
from inspect_kit.vision.board_mosaic import Mosaic


def find_ring(
    mosaic: Mosaic, centre: Floats, radii: tuple[float, float], reach: float, disc: float = 0.0
) -> tuple[Floats, float, float]:
    """Middle, radius and clarity of the ring with most ink near a place of the surface.

    `disc` is the radius of a filled disc that usually lies in it, over the ring's.
    """
    best, where, size = -1.0, np.asarray(centre, dtype=np.float64), radii[0]
    window = _cut(mosaic, centre, radii[1] + reach + 4)
    for radius in np.arange(radii[0], radii[1] + 0.01, 0.5):
        ring = _ring(float(radius), mosaic.per_mm, disc)
        border = (window.shape[0] - ring.shape[0]) / 2
        values = cv2.matchTemplate(window, ring, cv2.TM_CCORR)
        grid_y, grid_x = np.mgrid[: values.shape[0], : values.shape[1]]
        far = np.hypot(grid_x - border, grid_y - border) > reach * mosaic.per_mm + 1
        values[far] = -1
        _, most, _, at = cv2.minMaxLoc(values)
        if most > best:
            best, size = float(most), float(radius)
            where = np.asarray(centre) + np.array([at[0] - border, border - at[1]]) / mosaic.per_mm
    return where, size, best


def _cut(mosaic: Mosaic, centre: Floats, half: float) -> Light:
    """A square of the mosaic around a place, exactly centred on it."""
    size = int(2 * half * mosaic.per_mm) | 1
    middle = mosaic.pixel(np.asarray(centre)[None])[0]
    return np.asarray(
        cv2.getRectSubPix(mosaic.ink, (size, size), (float(middle[0]), float(middle[1]))), dtype=np.float32
    )


def _ring(radius: float, per_mm: float, disc: float) -> Light:
    """Ink on the ring, none beside it, and ink again on the disc, each weighing as much."""
    size = int(2 * (radius + 3.5) * per_mm) | 1
    middle = (size - 1) / 2
    y, x = np.mgrid[:size, :size] - middle
    apart = np.hypot(x, y) / per_mm - radius
    on = np.exp(-0.5 * (apart / 0.6) ** 2)
    outside, inside = (
        (apart > 1.2) & (apart < 2.6),
        (apart < -1.1) & (apart > (disc - 1) * radius + 0.6 if disc else apart > -2.6),
    )
    kernel = on / on.sum() - 0.5 * outside / outside.sum() - 0.5 * inside / max(int(inside.sum()), 1)
    if disc:
        edge = (apart < (disc - 1) * radius - 0.4) & (apart > (disc - 1) * radius - 2.4)
        kernel = kernel + 0.4 * edge / edge.sum() - 0.4 * inside / max(int(inside.sum()), 1)
    return np.asarray(kernel, dtype=np.float32)
