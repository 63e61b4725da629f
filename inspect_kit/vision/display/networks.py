"""Two small networks, taught on drawn glyphs alone: which digit a window shows, and which word stands beside it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]

DIGITS: Final = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-", "")
"""The first network's answers; the last one is "no digit"."""
WORDS: Final = ("g", "kg", "mg", "oz", "ct", "mm", "in", "lb", "ring", "hold", "junk")
"""The second network's answers: units, the sign of stability, HOLD, anything else."""
DIGIT_SIZE: Final = (24, 32)
"""Width and height of a digit's window in pixels."""
WORD_SIZE: Final = (64, 24)
"""Width and height of a word's window in pixels."""
MARGIN: Final = 0.12
"""What a window shows above and below a digit, in its heights."""


def evened(window: Plane) -> Plane:
    """Dark 0 and light 1, whatever the exposure: between the 5th percentile and the 98th."""
    low, high = np.percentile(window, (5, 98))
    return np.asarray(np.clip((window - low) / max(float(high - low), 1e-3), 0, 1), np.float32)


def digit_chances(windows: list[Plane]) -> Plane:
    """For each window the probability of each of `DIGITS`."""
    return _chances("digits.onnx", windows)


def word_chances(windows: list[Plane]) -> Plane:
    """For each window the probability of each of `WORDS`."""
    return _chances("words.onnx", windows)


def _chances(name: str, windows: list[Plane]) -> Plane:
    network = _network(name)
    rows = []
    for window in windows:
        network.setInput(window[None, None])
        rows.append(network.forward()[0])
    scores = np.stack(rows).astype(np.float64)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


@cache
def _network(name: str) -> cv2.dnn.Net:
    content = np.frombuffer(files(__package__).joinpath(name).read_bytes(), np.uint8)
    return cv2.dnn.readNetFromONNX(content)
