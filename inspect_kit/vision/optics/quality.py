"""Whether a photo is fit for measuring: light, contrast and sharpness at its reference, glare at the pieces' edges."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.fitting.normal import normal_share
from inspect_kit.vision.optics import tuning
from inspect_kit.vision.optics.light import decoded, window_of
from inspect_kit.vision.optics.pose import Known
from inspect_kit.vision.reference.corners import sample

# How sharp a photo is, from the straight black and white edges of its reference.

_WIDTHS: Final = np.geomspace(0.35, 8.0, 48)
"""Pixels: blurs that are tried."""
_FINE: Final = 0.25
"""Pixels between the places of the edge that are tried; steps along a line are whole multiples of it."""
_PLACES: Final = np.arange(-5, 6) * _FINE
"""Pixels: places of the edge that are tried."""


def blur_of(pixels: Pixels, known: Known) -> float | None:
    """Standard deviation of the photo's blur in pixels; `None` where no edge is long enough to tell."""
    feet, normals, scales, side = _edges(known)
    if not len(feet):
        return None
    strips = known.strip * scales
    reach = min(max(tuning.DARK_REACH * side, float(strips.max()) + tuning.LIGHT_REACH * side), 24.0)
    steps = np.arange(-reach, reach + 0.01, 0.5)
    light = _light(pixels, feet, normals, steps)
    # Along each line first the black square, then white.
    flip = light[:, steps < -1].mean(axis=1) > light[:, (steps > 1) & (steps < max(strips.min(), 3.0))].mean(axis=1)
    light = np.where(flip[:, None], light[:, ::-1], light)
    ends = strips + tuning.LIGHT_REACH * side if known.strip else np.full(len(strips), tuning.DARK_REACH * side)
    inside = (steps > -tuning.DARK_REACH * side) & (steps < ends[:, None])
    rows = zip(light, inside, strips, strict=True)
    widths = [width_of(steps[own], row[own], strip) for row, own, strip in rows if np.ptp(row[own]) > 0.08]
    if len(widths) < 3:
        return None
    ordered = np.sort(np.log(widths))
    return tuning.SAMPLING * float(np.exp(ordered[len(ordered) // 4 : len(ordered) - len(ordered) // 4].mean()))


def _light(pixels: Pixels, feet: Floats, normals: Floats, steps: Floats) -> Floats:
    part, origin = window_of(pixels, feet, float(steps[-1]) + 4)
    luma = cv2.cvtColor(part, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255
    points = (feet - origin)[:, None, :] + steps[None, :, None] * normals[:, None, :]
    return decoded(sample(luma, points.reshape(-1, 2)).reshape(len(feet), -1))


def _edges(known: Known) -> tuple[Floats, Floats, Floats, float]:
    """Points on edges between neighbouring crossings, the edges' normals in the photo, pixels a mm along those, and
    the length of an edge."""
    apart = known.sheet[None, :, :2] - known.sheet[:, None, :2]
    along_x = (np.abs(apart[:, :, 0] - known.cells) < 0.01) & (np.abs(apart[:, :, 1]) < 0.01)
    along_y = (np.abs(apart[:, :, 1] - known.cells) < 0.01) & (np.abs(apart[:, :, 0]) < 0.01)
    first, second = np.nonzero(along_x | along_y)
    if not len(first):
        return np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), 0.0
    chosen = np.linspace(0, len(first) - 1, min(tuning.MOST, len(first))).astype(int)
    start, end = known.image[first[chosen]], known.image[second[chosen]]
    length = np.linalg.norm(end - start, axis=1)
    along = (end - start) / length[:, None]
    feet, normals = start + 0.45 * (end - start), np.column_stack([-along[:, 1], along[:, 0]])
    return feet, normals, _across(known, feet, normals), float(np.median(length))


def _across(known: Known, feet: Floats, normals: Floats) -> Floats:
    """Pixels a mm of the sheet along lines in the photo: obliquely seen strips differ in width from place to place."""
    flat, _ = cv2.findHomography(known.image, known.sheet[:, :2])
    ends = np.concatenate([feet - normals, feet + normals])[:, None].astype(np.float64)
    before, after = np.split(cv2.perspectiveTransform(ends, flat)[:, 0], 2)
    return np.asarray(2 / np.maximum(np.linalg.norm(after - before, axis=1), 1e-6), dtype=np.float64)


def width_of(steps: Floats, light: Floats, strip: float) -> float:
    """The blur whose step (or bright strip) fits one profile best; place and levels are free."""
    # Steps and places share a fine grid, so that each distance from the edge is worked out once for all of them.
    away = np.arange(steps[0] - _PLACES[-1], steps[-1] - _PLACES[0] + _FINE / 2, _FINE)
    rise = normal_share(away / _WIDTHS[:, None])
    if strip:
        rise = rise - normal_share((away - strip) / _WIDTHS[:, None])
    at = np.rint((steps[None, :] - _PLACES[:, None] - away[0]) / _FINE).astype(np.intp)
    model = rise[:, at]
    model = model - model.mean(axis=2, keepdims=True)
    fit = (model @ (light - light.mean())) ** 2 / np.maximum((model**2).sum(axis=2), 1e-9)
    return float(_WIDTHS[int(fit.max(axis=1).argmax())])


FULL: Final = 253
"""Code from which on a pixel counts as fully lit."""


def check_condition(pixels: Pixels, known: Known, file: str, *, printed: bool = True) -> float | None:
    """Refuse a photo that is too dark, too flat or too blurred, each with what to do; gives its blur in pixels.

    Only what is `printed` has black and white beside each other; of anything else the light alone can be told.
    """
    black, white = _levels(pixels, known)
    if white < tuning.DARKEST_WHITE:
        raise BadInput("too-dark-measured", where=file)
    if not printed:
        return None
    if white - black < tuning.LEAST_CONTRAST:
        raise BadInput("too-little-contrast", where=file)
    blur = blur_of(pixels, known)
    if blur is not None and (blur * _millimetres(known) > tuning.BLURRED or blur > tuning.BLURRED_PIXELS):
        raise BadInput("photo-blurred", where=file, value=f"{2 * blur * _millimetres(known):.1f}")
    return blur


def _levels(pixels: Pixels, known: Known) -> tuple[float, float]:
    """Codes of the reference's black and white, from the surroundings of its corners."""
    reach = max(3, round(0.3 * known.cells / _millimetres(known)))
    samples = []
    for x, y in known.image[:: max(1, len(known.image) // 60)]:
        left, top = max(0, round(x) - reach), max(0, round(y) - reach)
        part = pixels[top : top + 2 * reach : 2, left : left + 2 * reach : 2]
        if part.size:
            samples.append(np.percentile(cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_RGB2GRAY), [10, 90]))
    black, white = np.median(samples, axis=0) if samples else (0.0, 255.0)
    return float(black), float(white)


def _millimetres(known: Known) -> float:
    """mm a pixel, over the whole of the reference."""
    on_sheet = float(np.linalg.norm(np.ptp(known.sheet[:, :2], axis=0)))
    in_photo = float(np.linalg.norm(np.ptp(known.image, axis=0)))
    return on_sheet / max(in_photo, 1.0)


def glaring(pixels: Pixels, outline: Floats) -> bool:
    """Whether a good part of an outline lies in light that is full on both sides, so that its edge is guessed."""
    middle = outline.mean(axis=0)
    reach = np.maximum(np.linalg.norm(outline - middle, axis=1, keepdims=True), 1.0)
    outward = (outline - middle) / reach
    full = [_full(pixels, outline + step * outward) for step in (-tuning.REACH, tuning.REACH)]
    return bool((full[0] & full[1]).mean() > tuning.GLARE_SHARE)


def _full(pixels: Pixels, points: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    height, width = pixels.shape[:2]
    x = np.clip(np.round(points[:, 0]).astype(int), 0, width - 1)
    y = np.clip(np.round(points[:, 1]).astype(int), 0, height - 1)
    return np.asarray((pixels[y, x] >= FULL).all(axis=1))
