"""A backdrop that is not flat: its bend from its own corners, and the view as the sheet's middle has it.

A card that stands against a wall bends around the upright axis. Seen as a plane it seems nearer or farther than it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.figure import tuning
from inspect_kit.vision.fitting.least_squares import inverse
from inspect_kit.vision.optics.camera import COUNT
from inspect_kit.vision.optics.pose import pixels_of, view_slopes
from inspect_kit.vision.reference.find import Placed

_ROUNDS: Final = 6
"""Steps of Gauss–Newton."""
_CORNER: Final = 0.1
"""Pixels to which corners are known, at least."""


def unbent(placed: Placed) -> Placed:
    """The reference with its bend and the view that its middle gives; as it is where no bend is certain."""
    sheet, seen = placed.known.sheet, placed.known.image
    half = np.abs(sheet[:, 0]).max()
    shape = np.column_stack([(sheet[:, 0] / half) ** 2, (sheet[:, 1] / half) ** 2])
    vector, bend = placed.view.vector.copy(), np.zeros(2)
    for _ in range(_ROUNDS):
        points = sheet + (shape @ bend)[:, None] * np.array([0.0, 0.0, 1.0])
        left = (seen - pixels_of(vector, points)).ravel()
        slopes = _slopes(vector, points, shape)
        covariance = inverse(slopes.T @ slopes + 1e-9 * np.eye(slopes.shape[1]))
        step = covariance @ slopes.T @ left
        vector[COUNT:] += step[:6]
        bend += step[6:]
    standard = float(np.sqrt(covariance[6, 6])) * max(float(left.std()), _CORNER)
    if abs(bend[0]) < max(tuning.BENT, tuning.BENT_SURELY * standard):
        return placed
    return replace(placed, view=replace(placed.view, vector=vector), bend=abs(float(bend[0])))


def _slopes(vector: Floats, points: Floats, shape: Floats) -> Floats:
    """How the corners' pixels move with the pose and with the bends around both axes."""
    by_view = view_slopes(vector, points)
    ahead = (pixels_of(vector, points + np.array([0.0, 0.0, 0.01])) - pixels_of(vector, points)) / 0.01
    by_bend = ahead[:, :, None] * shape[:, None, :]
    return np.concatenate([by_view[:, :, COUNT:], by_bend], axis=2).reshape(-1, 8)
