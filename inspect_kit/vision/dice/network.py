"""A small network, taught on drawn scenes alone, that looks at a place and says which face of a die is there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Pixels

SIDE: Final = 48
"""Pixels of the square that the network looks at."""
REACH: Final = 3.0
"""Half of that square in halves of the distance between a face's corner pips: the whole face and some ground."""
LOGO: Final = 7
"""The answer for a face with a mark in place of its number; 0 is no face, 1 to 6 are numbers."""
_LEVELS: Final = 6
"""Pictures of halved size that are kept: enough for a die that fills the photo."""
_FLATTEST: Final = 8.0
"""Codes of spread below which a square shows nothing at all, and is not blown up to noise."""
_AT_ONCE: Final = 64
"""Squares that the network is shown at once, which bounds its memory."""

Place = tuple[Floats, Floats]
"""Middle and frame of what may be a face, in pixels of the picture."""


def halved(picture: Pixels) -> list[Pixels]:
    """The picture and ever smaller ones."""
    levels = [picture]
    while len(levels) < _LEVELS and min(levels[-1].shape[:2]) > 2 * SIDE:
        levels.append(np.asarray(cv2.pyrDown(levels[-1]), dtype=np.uint8))
    return levels


def squares(levels: Sequence[Pixels], places: Sequence[Place]) -> AnyArray:
    """What the network is shown of each place: colours less their mean, over their spread."""
    seen = [_square(levels, centre, frame) for centre, frame in places]
    flat = np.array(seen, dtype=np.float32).reshape(-1, SIDE, SIDE, 3)
    mean, spread = flat.mean(axis=(1, 2), keepdims=True), flat.std(axis=(1, 2, 3), keepdims=True)
    return np.ascontiguousarray(((flat - mean) / np.maximum(spread, _FLATTEST)).transpose(0, 3, 1, 2))


def _square(levels: Sequence[Pixels], centre: Floats, frame: Floats) -> Pixels:
    step = 2 * REACH / SIDE * frame
    level = int(np.clip(np.log2(max(np.sqrt(abs(np.linalg.det(step))), 1e-6)), 0, len(levels) - 1))
    scale = 0.5**level
    start = (centre - step @ np.full(2, (SIDE - 1) / 2)) * scale
    way = np.column_stack([step * scale, start])
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    seen = cv2.warpAffine(levels[level], way, (SIDE, SIDE), flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, dtype=np.uint8)


def chances(levels: Sequence[Pixels], places: Sequence[Place]) -> Floats:
    """For each place how likely it shows no whole face (0), each number (1 to 6), and a mark (7)."""
    parts = [_answers(squares(levels, places[at : at + _AT_ONCE])) for at in range(0, len(places), _AT_ONCE)]
    out = np.concatenate([np.zeros((0, LOGO + 1)), *parts])
    odds = np.exp(out - out.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _answers(shown: AnyArray) -> Floats:
    network = _network()
    network.setInput(shown)
    return np.asarray(network.forward(), dtype=np.float64)


@cache
def _network() -> cv2.dnn.Net:
    content = np.frombuffer(files(__package__).joinpath("faces.onnx").read_bytes(), np.uint8)
    return cv2.dnn.readNetFromONNX(content)
