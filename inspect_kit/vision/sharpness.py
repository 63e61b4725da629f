"""How sharp a photo is, from the straight black and white edges of its reference."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from scipy.special import ndtr

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.corners import sample
from inspect_kit.vision.light import decoded, window_of
from inspect_kit.vision.view import Known

_WIDTHS: Final = np.geomspace(0.35, 8.0, 48)
_PLACES: Final = np.arange(-1.25, 1.26, 0.25)
_MOST: Final = 48
_SAMPLING: Final = 0.88
"""Lines sampled between pixels, and ink that spreads, make the sheet's edges this much wider than the pieces' are."""
_DARK_REACH, _LIGHT_REACH = 0.2, 0.08
"""Shares of a square's side to look into the black square, and beyond the white strip (or into the plain white)."""


def blur_of(pixels: Pixels, known: Known) -> float | None:
    """Standard deviation of the photo's blur in pixels; `None` where no edge is long enough to tell."""
    feet, normals, side = _edges(known)
    if not len(feet):
        return None
    strip = known.strip / known.cells * side
    reach = min(max(_DARK_REACH * side, strip + _LIGHT_REACH * side), 24.0)
    steps = np.arange(-reach, reach + 0.01, 0.5)
    light = _light(pixels, feet, normals, steps)
    # Along each line first the black square, then white.
    flip = light[:, steps < -1].mean(axis=1) > light[:, (steps > 1) & (steps < max(strip, 3.0))].mean(axis=1)
    light = np.where(flip[:, None], light[:, ::-1], light)
    inside = (steps > -_DARK_REACH * side) & (steps < (strip + _LIGHT_REACH * side if strip else _DARK_REACH * side))
    widths = [_width(steps[inside], row[inside], strip) for row in light if np.ptp(row[inside]) > 0.08]
    if len(widths) < 3:
        return None
    ordered = np.sort(np.log(widths))
    return _SAMPLING * float(np.exp(ordered[len(ordered) // 4 : len(ordered) - len(ordered) // 4].mean()))


def _light(pixels: Pixels, feet: Floats, normals: Floats, steps: Floats) -> Floats:
    part, origin = window_of(pixels, feet, float(steps[-1]) + 4)
    luma = cv2.cvtColor(part, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255
    points = (feet - origin)[:, None, :] + steps[None, :, None] * normals[:, None, :]
    return decoded(sample(luma, points.reshape(-1, 2)).reshape(len(feet), -1))


def _edges(known: Known) -> tuple[Floats, Floats, float]:
    """Points on edges between neighbouring crossings, the edges' normals in the photo, and the length of an edge."""
    apart = known.sheet[None, :, :2] - known.sheet[:, None, :2]
    along_x = (np.abs(apart[:, :, 0] - known.cells) < 0.01) & (np.abs(apart[:, :, 1]) < 0.01)
    along_y = (np.abs(apart[:, :, 1] - known.cells) < 0.01) & (np.abs(apart[:, :, 0]) < 0.01)
    first, second = np.nonzero(along_x | along_y)
    if not len(first):
        return np.zeros((0, 2)), np.zeros((0, 2)), 0.0
    chosen = np.linspace(0, len(first) - 1, min(_MOST, len(first))).astype(int)
    start, end = known.image[first[chosen]], known.image[second[chosen]]
    length = np.linalg.norm(end - start, axis=1)
    along = (end - start) / length[:, None]
    return start + 0.45 * (end - start), np.column_stack([-along[:, 1], along[:, 0]]), float(np.median(length))


def _width(steps: Floats, light: Floats, strip: float) -> float:
    """The blur whose step (or bright strip) fits one profile best; place and levels are free."""
    away = steps[None, None, :] - _PLACES[None, :, None]
    model = ndtr(away / _WIDTHS[:, None, None])
    if strip:
        model = model - ndtr((away - strip) / _WIDTHS[:, None, None])
    model = model - model.mean(axis=2, keepdims=True)
    fit = (model @ (light - light.mean())) ** 2 / np.maximum((model**2).sum(axis=2), 1e-9)
    return float(_WIDTHS[int(fit.max(axis=1).argmax())])
