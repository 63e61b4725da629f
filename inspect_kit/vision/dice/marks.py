"""Dice without a number on top: bodies like those of the dice read, of which the network says what they show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Pixels
from inspect_kit.vision.dice.network import LOGO, chances
from inspect_kit.vision.dice.patterns import Face, root_of, turned
from inspect_kit.vision.dice.tops import Outlook

_FINE: Final = 12.0
"""Pixels of half an edge at which bodies are looked for."""
_BINS: Final = (12, 16, 16)
"""Shades of lightness and of the two hues that are told apart."""
_LIKELIER: Final = 4.0
"""How many times likelier a shade is on the dice than on the ground, to be a body's."""
_AROUND: Final = 1.25
"""How far around a die that was read nothing is looked for, in its own extents."""
_FAR: Final = 4.0
"""Half edges from a die's middle beyond which there is ground."""
_SIZES: Final = (0.55, 1.7)
"""Area of a body over that of the dice that were read."""
_SOLID: Final = 0.85
"""Share of its hull that a body fills."""
_TURNS: Final = np.radians([0.0, 22.5, 45.0, 67.5])
"""Turns at which the network is shown a body, as it may lie in any."""
_SQUARE: Final = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
"""Corners of a face, half edges."""


def bodies_without_number(
    colours: AnyArray, levels: Sequence[Pixels], tops: Sequence[Face], plane: Outlook
) -> list[tuple[Floats, bool]]:
    """Middles of upper faces of further dice of the same makes, and whether each shows a mark in place of a number."""
    if not tops:
        return []
    size = float(np.median([face.size for face in tops]))
    found = _bodies(colours, tops, plane, size)
    return [each for each in (_looked_at(levels, centre, plane, size) for centre in found) if each is not None]


def _looked_at(levels: Sequence[Pixels], centre: Floats, plane: Outlook, size: float) -> tuple[Floats, bool] | None:
    """The upper face of a body there, and whether it is a mark; `None` where the network sees no face at all."""
    root = root_of(plane.shape(centre)) * size / 2
    seen = chances(levels, [(centre, root @ turned(float(angle))) for angle in _TURNS]).mean(axis=0)
    return None if seen[0] > 0.5 else (centre, bool(seen[LOGO] > seen[1:LOGO].max()))


def _bodies(colours: AnyArray, tops: Sequence[Face], plane: Outlook, size: float) -> list[Floats]:
    """Where else the picture has a body of the dice's shades and size: the middle of its upper face."""
    scale = _FINE / size
    small = np.asarray(cv2.resize(colours, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    outlines = [_outline(face, plane) * scale for face in tops]
    alike = _alike(small, tops, scale)
    for outline in outlines:
        middle = outline.mean(axis=0)
        cv2.fillConvexPoly(alike, _whole(middle + _AROUND * (outline - middle)), 0)
    lines, _ = cv2.findContours(alike, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    usual = float(np.median([cv2.contourArea(outline.astype(np.float32)) for outline in outlines]))
    middles = [_middle(line) for line in lines if _like_a_die(line, usual)]
    return [middle / scale - plane.down(middle / scale) * size for middle in middles]


def _outline(face: Face, plane: Outlook) -> Floats:
    """The hull of a die as it is seen: its upper face and, an edge below, its lower one."""
    upper = face.centre + _SQUARE @ face.axes.T
    both = np.concatenate([upper, upper + 2 * face.size * plane.down(face.centre)])
    return np.asarray(cv2.convexHull(both.astype(np.float32))[:, 0], dtype=np.float64)


def _whole(points: Floats) -> AnyArray:
    return np.round(points).astype(np.int32)


def _alike(small: AnyArray, tops: Sequence[Face], scale: float) -> AnyArray:
    """Pixels whose shade is much likelier on the upper faces than on the ground, gaps closed."""
    faces, ground = np.zeros(small.shape[:2], np.uint8), np.full(small.shape[:2], 255, np.uint8)
    for face in tops:
        cv2.fillConvexPoly(faces, _whole((face.centre + _SQUARE @ face.axes.T) * scale), 255)
        cv2.circle(ground, _whole(face.centre * scale).tolist(), round(_FAR * _FINE), 0, -1)
    on, off = (_shades(small, mask) for mask in (faces, ground))
    bins = (small.astype(np.int32) * np.array(_BINS) // 256).reshape(-1, 3).T
    likelier = (on > _LIKELIER * off)[tuple(bins)].reshape(small.shape[:2])
    return np.asarray(cv2.morphologyEx(likelier.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)))


def _shades(small: AnyArray, mask: AnyArray) -> AnyArray:
    """Share of each shade among the pixels of a mask, those beside it counting too."""
    counts = cv2.calcHist([small], [0, 1, 2], mask, list(_BINS), [0, 256] * 3)
    return np.asarray(counts / max(float(counts.sum()), 1.0)) + 1e-4


def _like_a_die(line: AnyArray, usual: float) -> bool:
    area = cv2.contourArea(line)
    return bool(_SIZES[0] < area / usual < _SIZES[1] and area > _SOLID * cv2.contourArea(cv2.convexHull(line)))


def _middle(line: AnyArray) -> Floats:
    m = cv2.moments(line)
    return np.array([m["m10"], m["m01"]]) / m["m00"]
