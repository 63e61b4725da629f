"""Whether a photo is fit for measuring: light, contrast and sharpness at its reference, glare at the pieces' edges."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.sharpness import blur_of
from inspect_kit.vision.view import Known

DARKEST_WHITE: Final = 40
"""Code of the paper's white below which noise and the coarse steps of dark codes rule the edges."""
LEAST_CONTRAST: Final = 25
BLURRED: Final = 0.6
"""mm of blur (standard deviation) beyond which light of one edge runs into the next."""
BLURRED_PIXELS: Final = 7.0
FULL: Final = 253
GLARE_SHARE: Final = 0.12
_REACH: Final = 4


def check_condition(pixels: Pixels, known: Known, file: str) -> float | None:
    """Refuse a photo that is too dark, too flat or too blurred, each with what to do; gives its blur in pixels."""
    black, white = _levels(pixels, known)
    if white < DARKEST_WHITE:
        raise BadInput("is too dark to be measured", where=file, hint="more light, or a longer exposure")
    if white - black < LEAST_CONTRAST:
        raise BadInput(
            "shows the sheet with too little contrast", where=file,
            hint="avoid glare and fog on the lens; light from the side, no flash",
        )  # fmt: skip
    blur = blur_of(pixels, known)
    if blur is not None and (blur * _millimetres(known) > BLURRED or blur > BLURRED_PIXELS):
        raise BadInput(
            f"is blurred: edges are {2 * blur * _millimetres(known):.1f} mm wide", where=file,
            hint="hold the camera still, tap on the pieces to focus, wipe the lens",
        )  # fmt: skip
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
    full = [_full(pixels, outline + step * outward) for step in (-_REACH, _REACH)]
    return bool((full[0] & full[1]).mean() > GLARE_SHARE)


def _full(pixels: Pixels, points: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    height, width = pixels.shape[:2]
    x = np.clip(np.round(points[:, 0]).astype(int), 0, width - 1)
    y = np.clip(np.round(points[:, 1]).astype(int), 0, height - 1)
    return np.asarray((pixels[y, x] >= FULL).all(axis=1))
