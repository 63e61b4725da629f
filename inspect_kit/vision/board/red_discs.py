"""The eight red discs of a board, whatever its maker's sizes: red spots that lie on one square, two to a corner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.board import layout, tuning
from inspect_kit.vision.board.layout import CIRCLES
from inspect_kit.vision.board.locate import Mosaic

_ENOUGH: Final = 6
"""Discs that fix the square they lie on, with one or two hidden under a piece."""


def red_discs(mosaic: Mosaic) -> Mapping[str, Floats]:
    """Places of the discs on the plan by the name of their circle; nothing where fewer than six lie on one square."""
    spots = _red_spots(mosaic)
    if len(spots) < _ENOUGH:
        return {}
    named = _named(spots, np.median([spots.min(axis=0), spots.max(axis=0)], axis=0))
    if len(named) < _ENOUGH:
        return {}
    square = _square(named)
    good = {name: place for name, place in named.items() if np.linalg.norm(place - _at(square, name)) < tuning.RED_OFF}
    return {name: good.get(name, _at(square, name)) for name in CIRCLES} if len(good) >= _ENOUGH else {}


def _red_spots(mosaic: Mosaic) -> Floats:
    """Middles of round red spots about as large as a base circle's disc."""
    light = np.maximum(mosaic.light, 1e-4)
    red = (light[:, :, 0] > tuning.RED * light[:, :, 1:].max(axis=2)) & (light[:, :, 0] > 0.02) & mosaic.seen
    # Lines printed in a dark red run into the discs: what is narrower than a disc is taken away.
    narrow = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (int(tuning.RED_NARROW * mosaic.per_mm) | 1,) * 2)
    closed = cv2.morphologyEx(red.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    _, _, stats, middles = cv2.connectedComponentsWithStats(cv2.morphologyEx(closed, cv2.MORPH_OPEN, narrow))
    width, height, area = (stats[:, column] / mosaic.per_mm for column in (2, 3, 4))
    low, high = tuning.RED_DIAMETERS
    area = area / mosaic.per_mm
    round_ones = (np.maximum(width, height) < high) & (np.minimum(width, height) > low)
    round_ones &= (np.abs(width / np.maximum(height, 1e-6) - 1) < 0.35) & (area > 0.6 * width * height)
    return mosaic.place(middles[round_ones])


def _named(spots: Floats, middle: Floats) -> dict[str, Floats]:
    """Each spot by the circle whose direction from the middle it has, the nearest to the usual distance first."""
    named: dict[str, tuple[float, Floats]] = {}
    usual = {name: layout.circle_place(name) for name in CIRCLES}
    for spot in spots:
        away = spot - middle
        name = min(usual, key=lambda each: float(np.linalg.norm(usual[each] - away)))
        off = float(np.linalg.norm(usual[name] - away))
        if off < tuning.RED_FAR and off < named.get(name, (np.inf, spot))[0]:
            named[name] = off, spot
    return {name: spot for name, (_, spot) in named.items()}


def _square(named: Mapping[str, Floats]) -> Floats:
    """Middle, and how far out and how far along the circles stand, turned a little: linear least squares.

    A place is middle + out · o + along · a, and a small turn adds its quarter-turned place.
    """
    rows, values = [], []
    for name, place in named.items():
        out, along = _ways(name)
        usual = layout.circle_place(name)
        for axis in range(2):
            turned = -usual[1] if axis == 0 else usual[0]
            rows.append([axis == 0, axis == 1, out[axis], along[axis], turned])
            values.append(place[axis])
    return np.asarray(np.linalg.lstsq(np.array(rows, dtype=np.float64), np.array(values), rcond=None)[0])


def _ways(name: str) -> tuple[Floats, Floats]:
    side, towards = name.split(".")
    return np.array(layout.OUTWARDS[side], dtype=np.float64), np.array(layout.OUTWARDS[towards], dtype=np.float64)


def _at(square: Floats, name: str) -> Floats:
    out, along = _ways(name)
    usual = layout.circle_place(name)
    return np.asarray(square[:2] + square[2] * out + square[3] * along + square[4] * np.array([-usual[1], usual[0]]))
