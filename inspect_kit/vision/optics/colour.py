"""Colours of pieces against the white of the reference, so that warm and cold light give the same answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.disc.fit import Disc
from inspect_kit.vision.optics import tuning
from inspect_kit.vision.optics.light import linear, window_of
from inspect_kit.vision.optics.pose import Known, View

BRIGHTNESS: Final = np.array([0.2126, 0.7152, 0.0722])
"""Weights of linear red, green and blue in brightness (ITU-R BT.709)."""
PAPER: Final = 0.86
"""Share of the light that white paper sends back."""


@dataclass(frozen=True)
class White:
    """Linear light of the reference's white in places of the photo."""

    places: Floats
    light: Floats

    def near(self, pixel: Floats) -> Floats:
        """White as it would look at this pixel, the nearest places counting most."""
        distance = np.linalg.norm(self.places - pixel, axis=1)
        weights = 1 / (distance + np.median(distance)) ** 2
        return np.asarray((self.light * weights[:, None]).sum(axis=0) / weights.sum())


@dataclass(frozen=True)
class Colour:
    """A name, the confidence in it (0 to 1), and the share of light sent back in red, green and blue."""

    name: str
    confidence: float
    reflectance: Floats


def white_of(pixels: Pixels, view: View, known: Known) -> White:
    """The lightest of the four quarters around each crossing is paper."""
    arm = 0.5 * known.strip if known.strip else 0.25 * known.cells
    found = []
    for way in ((1, 1), (1, -1), (-1, -1), (-1, 1)):
        at = view.pixels(known.sheet + arm * np.array([*way, 0.0]))
        found.append(_sampled(pixels, at))
    light = np.stack(found)
    best = (light @ BRIGHTNESS).argmax(axis=0)
    return White(known.image, light[best, np.arange(light.shape[1])])


def _sampled(pixels: Pixels, places: Floats) -> Floats:
    x = np.clip(np.round(places[:, 0]).astype(int), 0, pixels.shape[1] - 1)
    y = np.clip(np.round(places[:, 1]).astype(int), 0, pixels.shape[0] - 1)
    return np.asarray(linear(pixels[y, x][None])[0], dtype=np.float64)


def face_of(pixels: Pixels, disc: Disc, share: float) -> tuple[Floats, Floats, Floats]:
    """Linear light of the face within a share of its outline, the pixels' places, and the window's corner."""
    middle = disc.outline.mean(axis=0)
    ring = middle + share * (disc.outline - middle)
    part, origin = window_of(pixels, ring, 1)
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(ring - origin).astype(np.int32)], 255)
    rows, columns = np.nonzero(mask)
    return np.asarray(linear(part)[rows, columns], dtype=np.float64), np.column_stack([columns, rows]) + origin, origin


def colour_of(pixels: Pixels, disc: Disc, white: White) -> Colour:
    """By the middle of the face's pixels, so that grooves, prints and glints do not count."""
    light, _, _ = face_of(pixels, disc, 0.8)
    paper = np.maximum(white.near(disc.centre), 1e-3)
    reflectance = np.median(light, axis=0) / paper * PAPER
    # Wood and yellow have little blue as well; only red has little green.
    ratio = reflectance[0] / max(float(reflectance[1:].max()), 0.004)
    redness = _sure(
        4 * math.log(max(ratio, 1e-3) / tuning.RED_RATIO) + 2 * min(0.0, math.log(max(reflectance[0], 1e-3) / 0.08))
    )
    lightness = _sure(2.5 * math.log(max(float(reflectance @ BRIGHTNESS), 1e-3) / tuning.LIGHT))
    chances = {"red": redness, "white": (1 - redness) * lightness, "black": (1 - redness) * (1 - lightness)}
    name = max(chances, key=lambda each: chances[each])
    return Colour(name, chances[name], reflectance)


def _sure(value: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))
