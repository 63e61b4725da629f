"""Linear light: what the sensor saw before the picture's gamma, in which edges stand where they are (IEC 61966-2-1)."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Light, Pixels


def decoded(code: Floats) -> Floats:
    """Codes from 0 to 1 → linear light."""
    safe = np.maximum(code, 0)
    return np.asarray(np.where(code <= 0.04045, safe / 12.92, ((safe + 0.055) / 1.055) ** 2.4))


def encoded(light: Floats) -> Floats:
    """Linear light → codes from 0 to 1."""
    safe = np.maximum(light, 0)
    return np.asarray(np.where(light <= 0.0031308, 12.92 * safe, 1.055 * np.power(safe, 1 / 2.4) - 0.055))


_LINEAR: Final = decoded(np.arange(256) / 255).astype(np.float32)
"""Linear light of each code."""


def linear(pixels: AnyArray) -> Light:
    """A part of a picture in linear light, 0 to 1."""
    return np.asarray(cv2.LUT(np.ascontiguousarray(pixels), _LINEAR), dtype=np.float32)


def window_of(pixels: Pixels, points: Floats, margin: float) -> tuple[Pixels, Floats]:
    """The part of a picture around some points, and where its upper left pixel lies."""
    height, width = pixels.shape[:2]
    low = np.floor(points.min(axis=0) - margin).astype(int)
    high = np.ceil(points.max(axis=0) + margin).astype(int) + 1
    left, top = (int(np.clip(value, 0, limit - 2)) for value, limit in zip(low, (width, height), strict=True))
    right, bottom = (int(np.clip(value, 2, limit)) for value, limit in zip(high, (width, height), strict=True))
    right, bottom = max(right, left + 2), max(bottom, top + 2)
    return pixels[top:bottom, left:right], np.array([left, top], dtype=np.float64)
