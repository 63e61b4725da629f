"""What is seen of a piece besides its size: its colour, and whether parts of it look like metal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.disc import tuning
from inspect_kit.vision.disc.fit import Disc
from inspect_kit.vision.disc.measure import DiscLook, Spotted
from inspect_kit.vision.optics.colour import BRIGHTNESS, PAPER, Colour, White, white_of
from inspect_kit.vision.optics.light import linear, window_of

_SECTORS, _RINGS = 48, 16
"""Parts around and rings outwards that a face is divided into."""


@dataclass(frozen=True)
class MetalLook:
    """Whether metal is suspected, how sure, and where: left, top, width and height in pixels."""

    suspected: bool
    confidence: float
    region: tuple[float, float, float, float] | None = None


def metal_of(pixels: Pixels, disc: Disc, white: White) -> MetalLook:
    """Rings of the face that are grey and streaky over a good part of their length."""
    light, places, _ = face_of(pixels, disc, 0.93)
    reflected = light / np.maximum(white.near(disc.centre), 1e-3)
    cells, grey = _cells(reflected, places, disc)
    streaky = _streaky(cells, grey)
    area = float((streaky * np.arange(1, _RINGS + 1)[:, None]).sum() / (np.arange(1, _RINGS + 1).sum() * _SECTORS))
    if area < tuning.LEAST_AREA:
        return MetalLook(False, float(np.clip(1 - area / tuning.LEAST_AREA, 0.5, 0.99)))
    return MetalLook(True, float(np.clip(0.5 + 4 * area, 0.5, 0.95)), _bounds(streaky, disc))


def _cells(reflected: Floats, places: Floats, disc: Disc) -> tuple[Floats, Mask]:
    """Mean brightness of rings × sectors, and which cells are grey."""
    middle = disc.outline.mean(axis=0)
    size = np.linalg.norm(disc.outline - middle, axis=1).mean()
    away = (places - middle) / size
    ring = np.minimum((np.hypot(away[:, 0], away[:, 1]) * _RINGS).astype(int), _RINGS - 1)
    sector = ((np.arctan2(away[:, 1], away[:, 0]) / (2 * np.pi) % 1) * _SECTORS).astype(int) % _SECTORS
    index = ring * _SECTORS + sector
    count = np.maximum(np.bincount(index, minlength=_RINGS * _SECTORS), 1)
    sums = [np.bincount(index, weights=reflected[:, c], minlength=_RINGS * _SECTORS) / count for c in range(3)]
    colour = np.stack(sums, axis=1)
    brightness = colour @ BRIGHTNESS
    grey = (np.ptp(colour, axis=1) < tuning.GREY * np.maximum(colour.max(axis=1), 1e-3)) & (brightness > 0.06)
    return brightness.reshape(_RINGS, _SECTORS), np.asarray(grey.reshape(_RINGS, _SECTORS))


def _streaky(cells: Floats, grey: Mask) -> Mask:
    """Grey cells of rings whose brightness varies smoothly and widely around; a glint on plastic is one short peak."""
    result = np.zeros_like(grey)
    for ring in range(2, _RINGS - 1):
        row, chosen = cells[ring], grey[ring]
        if chosen.mean() < 0.4:
            continue
        level = float(np.median(row[chosen]))
        off = np.abs(row - level) > tuning.STREAKS * level
        changes = int((np.diff(np.sign(row - level)) != 0).sum())
        if (off & chosen).mean() > 0.3 and changes <= _SECTORS // 3:
            result[ring] = chosen
    return result


def _bounds(streaky: Mask, disc: Disc) -> tuple[float, float, float, float]:
    rings, sectors = np.nonzero(streaky)
    middle = disc.outline.mean(axis=0)
    size = np.linalg.norm(disc.outline - middle, axis=1).mean()
    radius = (rings + 0.5) / _RINGS * size
    angle = (sectors + 0.5) / _SECTORS * 2 * np.pi
    x, y = middle[0] + radius * np.cos(angle), middle[1] + radius * np.sin(angle)
    return float(x.min()), float(y.min()), float(np.ptp(x)), float(np.ptp(y))


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
    lightness = _sure(2.5 * math.log(max(float(reflectance @ BRIGHTNESS), 1e-3) / tuning.WHITE_FROM))
    chances = {"red": redness, "white": (1 - redness) * lightness, "black": (1 - redness) * (1 - lightness)}
    name = max(chances, key=lambda each: chances[each])
    return Colour(name, chances[name], reflectance)


def _sure(value: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


@dataclass(frozen=True)
class Sighting:
    """Colour, and metal where it was asked for."""

    colour: Colour
    metal: MetalLook | None


def sightings(look: DiscLook, spotted: Spotted, *, metal: bool) -> Sighting:
    """Look at one piece of a photo."""
    white = white_of(look.photo.pixels, look.placed.view, look.placed.known)
    pixels = look.photo.pixels
    return Sighting(colour_of(pixels, spotted.disc, white), metal_of(pixels, spotted.disc, white) if metal else None)
