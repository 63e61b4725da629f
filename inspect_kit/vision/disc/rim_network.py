"""A small network, taught on computed rims alone, that says how far light at a rim has moved the fitted edge."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats
from inspect_kit.vision.fitting.edge_step import Edges, Profiles

PLACES: Final = np.arange(-8.0, 6.01, 0.5)
"""Pixels from the fitted edge, outwards, at which the picture is shown to it."""
_INNER: Final = (PLACES >= -6) & (PLACES <= -3)
"""Places that show the piece."""
_OUTER: Final = PLACES >= 3
"""Places that show the ground."""
_FAINTEST: Final = 0.03
"""Codes from 0 to 1: a fainter edge is not blown up further."""


def looks(profile: Profiles, edges: Edges, rise: Floats, rim: tuple[float, float]) -> AnyArray:
    """What the network is shown of each line: the picture around the edge, by the contrast, and what is known of it.

    `rise` is that of the surface's normal at the outline, radians; `rim` its radius in mm and pixels a mm.
    """
    codes = _around(profile, edges.offset)
    outer, inner = codes[:, _OUTER].mean(axis=1), codes[:, _INNER].mean(axis=1)
    contrast = np.maximum(np.linalg.norm(inner - outer, axis=1), _FAINTEST)
    picture = (codes - outer[:, None]) / contrast[:, None, None]
    alike = np.log(edges.blur), np.log(rim[1] / 7), rim[0] * rim[1] / 8
    own = outer - 0.5, contrast, rise, np.log(edges.variance + 1e-6) / 5, np.minimum(edges.misfit, 1.0)
    return np.column_stack([picture.reshape(len(codes), -1), *own, np.tile(alike, (len(codes), 1))]).astype(np.float32)


def _around(profile: Profiles, offset: Floats) -> Floats:
    """Codes at the network's places, each line about its own edge."""
    at = (offset[:, None] + PLACES[None, :] - profile.steps[0]) / (profile.steps[1] - profile.steps[0])
    at = np.clip(at, 0, len(profile.steps) - 1.001)
    index = at.astype(np.intp)
    share = (at - index)[:, :, None]
    rows = np.arange(len(offset))[:, None]
    return np.asarray(profile.codes[rows, index] * (1 - share) + profile.codes[rows, index + 1] * share)


def further(shown: AnyArray) -> Floats:
    """For each line by how many pixels the true edge lies outside of the fitted one."""
    network = _network()
    network.setInput(shown)
    return np.asarray(network.forward(), dtype=np.float64)[:, 0]


@cache
def _network() -> cv2.dnn.Net:
    content = np.frombuffer(files(__package__).joinpath("rims.onnx").read_bytes(), np.uint8)
    return cv2.dnn.readNetFromONNX(content)
