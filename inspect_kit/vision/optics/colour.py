"""Colours of pieces against the white of the reference, so that warm and cold light give the same answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.optics.light import linear
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
