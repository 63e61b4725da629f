"""The display as evidence: its part of the photo, small enough to keep with a record and to print."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from inspect_kit.vision.display.read import DisplayedNumber

_WIDEST: Final = 640
"""Pixels across, enough to read every bar of a digit again."""

_QUALITY: Final = (cv2.IMWRITE_JPEG_QUALITY, 88)
"""JPEG quality, of 100; chosen."""


def cut_out(photo: NDArray[np.uint8], shown: DisplayedNumber) -> bytes:
    """The display, upright, as JPEG."""
    points = np.array([*shown.row.top, *shown.row.bottom])
    pad = 1.2 * shown.row.height
    low = np.maximum(points.min(axis=0) - np.array([2.5 * pad, pad]), 0).astype(int)
    high = (points.max(axis=0) + np.array([1.5 * pad, pad])).astype(int)
    part = photo[low[1] : high[1], low[0] : high[0]]
    scale = min(1.0, _WIDEST / part.shape[1])
    small = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), _QUALITY)[1])
