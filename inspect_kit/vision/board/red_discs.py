"""The eight red discs of a board, whatever its maker's sizes, and from them where its surface ends on four sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.board import layout, tuning
from inspect_kit.vision.board.layout import CIRCLES
from inspect_kit.vision.board.locate import Mosaic
from inspect_kit.vision.fitting.stripe import seen_median

_ENOUGH: Final = 6
"""Discs that fix the square they lie on, with one or two hidden under a piece."""


def red_discs(mosaic: Mosaic) -> Mapping[str, Floats]:
    """Places of the discs on the plan by the name of their circle; nothing where fewer than six lie on one square."""
    spots = _red_spots(mosaic)
    if len(spots) < _ENOUGH:
        return {}
    # A red frame or a maker's red lettering may lie outside: the board's middle is that of the spots, or the plan's.
    middles = (np.median([spots.min(axis=0), spots.max(axis=0)], axis=0), np.median(spots, axis=0), np.zeros(2))
    return max((_on_one_square(spots, middle) for middle in middles), key=len)


def _on_one_square(spots: Floats, middle: Floats) -> Mapping[str, Floats]:
    """All eight places where enough spots about this middle lie on one square, the unseen ones by the others."""
    named = _named(spots, middle)
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


def off_square(discs: Mapping[str, Floats]) -> float:
    """mm by which discs lie off the square that fits them best, root mean square: a view that is wrong bends it."""
    square = _square(discs) if discs else np.zeros(5)
    away = [place - _at(square, name) for name, place in discs.items()]
    return float(np.sqrt(np.mean(np.square(away)))) if away else 0.0


def turn_of(discs: Mapping[str, Floats]) -> float:
    """Radians by which the square that fits the discs best is turned."""
    return float(_square(discs)[4])


def _ways(name: str) -> tuple[Floats, Floats]:
    side, towards = name.split(".")
    return np.array(layout.OUTWARDS[side], dtype=np.float64), np.array(layout.OUTWARDS[towards], dtype=np.float64)


def _at(square: Floats, name: str) -> Floats:
    out, along = _ways(name)
    usual = layout.circle_place(name)
    return np.asarray(square[:2] + square[2] * out + square[3] * along + square[4] * np.array([-usual[1], usual[0]]))


# Where the surface ends, going outwards from the discs: wood up to there, and something else beyond.


def surface_corners(mosaic: Mosaic, discs: Mapping[str, Floats]) -> Floats | None:
    """Corners on the plan, clockwise from the north-west; nothing where a side does not show its end."""
    middle = np.mean(list(discs.values()), axis=0)
    ends = {side: _surface_end(mosaic, middle, side, discs) for side in layout.SIDES}
    n, e, s, w = (ends[side] for side in layout.SIDES)
    if n is None or e is None or s is None or w is None:
        return None
    return np.asarray(middle + np.array([[-w, n], [e, n], [e, -s], [-w, -s]]))


def _surface_end(mosaic: Mosaic, middle: Floats, side: str, discs: Mapping[str, Floats]) -> float | None:
    """mm from the middle, where what lies inside is most like the wood beside the lines and what lies outside least."""
    out = np.array(layout.OUTWARDS[side], dtype=np.float64)
    level = float(np.mean([(place - middle) @ out for name, place in discs.items() if name.startswith(side)]))
    away = np.arange(level + tuning.BESIDE_DISC, level + tuning.FAR_OF_DISC, 1.0)
    wood_like = _like_wood(mosaic, middle, out, away)
    total = np.concatenate([[0.0], np.cumsum(wood_like)])
    places = np.arange(tuning.END_STRIP, len(away) - tuning.END_STRIP)
    inside = total[places] / places
    outside = (total[places + tuning.END_STRIP] - total[places]) / tuning.END_STRIP
    best = int((inside - outside).argmax())
    return float(away[places[best]]) if (inside - outside)[best] > tuning.CLEAR_END else None


def _like_wood(mosaic: Mosaic, middle: Floats, out: Floats, away: Floats) -> Floats:
    """For each distance from the middle: 1 where the light along the side is that of the wood, 0 where it is not."""
    along = np.arange(-tuning.END_REACH, tuning.END_REACH + 1, 4.0)
    places = middle + away[:, None, None] * out + along[None, :, None] * np.array([out[1], -out[0]])
    at = np.round(mosaic.pixel(places.reshape(-1, 2))).astype(int)
    height, width = mosaic.seen.shape
    inside = (at >= 0).all(axis=1) & (at[:, 0] < width) & (at[:, 1] < height)
    light = np.full((len(at), 3), np.nan)
    light[inside] = np.sqrt(np.maximum(mosaic.light[at[inside, 1], at[inside, 0]], 0))
    # Outside of the picture is no wood.
    course = seen_median(np.nan_to_num(light).reshape(len(away), len(along), 3), 1)
    wood = np.maximum(np.median(course[: tuning.END_STRIP], axis=0), 1e-3)
    unlike = np.linalg.norm(course / wood - 1, axis=1) / np.sqrt(3)
    return np.asarray(np.exp(-((unlike / tuning.WOOD_VARIES) ** 2)))
