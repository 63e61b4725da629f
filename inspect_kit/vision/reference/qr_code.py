"""QR codes in photographs."""

from __future__ import annotations

import cv2
import numpy as np

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.errors import BadInput

_SIDES = (1600, 1000, 2400)
"""Long sides in pixels at which a code is looked for; small noise is gone in a smaller picture."""


def read_code(content: bytes) -> str:
    """The text of the one QR code in a photograph."""
    pixels = open_photograph(content, "photo", where="photo").pixels
    for side in _SIDES:
        text = _decoded(pixels, side)
        if text:
            return text
    raise BadInput("no-code-can-read-photo", where="photo")


def _decoded(pixels: np.ndarray, side: int) -> str:
    factor = side / max(pixels.shape[:2])
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    fitted = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else grey
    # The second gives up on one long code in ten, even a clean one; the first may on some that are bent or blurred.
    for detector in (cv2.QRCodeDetectorAruco(), cv2.QRCodeDetector()):
        try:
            text, _, _ = detector.detectAndDecode(fitted)
        except cv2.error:
            continue
        if text:
            return str(text)
    return ""
