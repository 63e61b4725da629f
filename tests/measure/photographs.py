"""Photographs for tests that need one and do not look at it."""

from __future__ import annotations

import hashlib

import numpy as np

from inspect_kit.capture.photographs import Photograph


def grey_photo(level: int = 128) -> Photograph:
    """Four grey pixels, known by their level."""
    return Photograph("photo.jpg", hashlib.sha256(bytes([level])).hexdigest(), np.full((2, 2, 3), level, np.uint8))
