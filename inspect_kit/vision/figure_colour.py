"""The colour of a figure's base as a word, so that the bases of a team can be compared."""

from __future__ import annotations

import colorsys
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.colour import BRIGHTNESS, PAPER, Colour, white_of
from inspect_kit.vision.light import encoded, linear, window_of
from inspect_kit.vision.references import Placed

_HUES: Final = ((14.0, "red"), (40.0, "orange"), (70.0, "yellow"), (165.0, "green"), (260.0, "blue"),
                (335.0, "violet"), (361.0, "red"))  # fmt: skip
"""Upper ends, in degrees, of what is called by each name."""
_COLOURED: Final = 0.38
"""Saturation of the coded colour from which a colour has a hue."""
_SHADED: Final = ("blue", "green")
_DARK, _LIGHT = 0.23, 0.62
"""Names that have a dark and a light shade (navy and sky are two colours), and the shares of light in the strongest
colour below and above which they are called so."""
_GREYS: Final = ((0.09, "black"), (0.4, "grey"), (np.inf, "white"))
"""Upper ends of the share of light sent back."""


def base_colour(pixels: Pixels, outline: Floats, placed: Placed) -> Colour:
    """By the lighter parts of the base's side: what lies in its own shade says little."""
    middle = outline.mean(axis=0)
    ring = middle + 0.8 * (outline - middle)
    part, origin = window_of(pixels, ring, 1)
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(ring - origin).astype(np.int32)], 1)
    light = np.asarray(linear(part)[mask > 0], dtype=np.float64)
    bright = light @ BRIGHTNESS
    # The lightest tenth may be a glint.
    low, high = np.quantile(bright, [0.6, 0.9])
    seen = np.median(light[(bright >= low) & (bright <= high)], axis=0)
    paper = np.maximum(white_of(pixels, placed.view, placed.known).near(middle), 1e-3)
    return named_colour(np.asarray(seen / paper * PAPER))


def _shade(strongest: float) -> tuple[str, float]:
    """The word before the name, and how far it is from the next one."""
    near = min(abs(float(np.log(max(strongest, 1e-3) / end))) for end in (_DARK, _LIGHT)) / 0.25
    return "dark " if strongest < _DARK else "light " if strongest > _LIGHT else "", near


def named_colour(reflectance: Floats) -> Colour:
    """The name of a share of light sent back, and how far it is from the next name."""
    coded = np.clip(encoded(np.clip(reflectance, 0.0, 1.0)), 0, 1)
    hue, saturation, _ = colorsys.rgb_to_hsv(*(float(value) for value in coded))
    level = float(reflectance @ BRIGHTNESS)
    # What is nearly black has a hue of noise.
    coloured = (saturation / _COLOURED) * min(1.0, float(reflectance.max()) / 0.025)
    if coloured > 1:
        ends = np.array([0.0, *(end for end, _ in _HUES)])
        name = next(name for end, name in _HUES if 360 * hue < end)
        near = float(np.abs(360 * hue - ends[1:-1]).min()) / 12
        if name in _SHADED:
            word, apart = _shade(float(reflectance.max()))
            name, near = f"{word}{name}", min(near, apart)
    else:
        name = next(name for end, name in _GREYS if level < end)
        near = min(abs(float(np.log(max(level, 1e-3) / end))) for end, _ in _GREYS[:-1]) / 0.5
    sure = min(near, abs(float(np.log(max(coloured, 1e-3)))) / 0.25)
    return Colour(name, float(0.5 + 0.49 * np.tanh(sure)), reflectance)
