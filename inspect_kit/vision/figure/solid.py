"""The base of a figure as a solid of revolution: a truncated ellipsoid, fuller above its widest place than below or the
other way, whose upper edge is sharp, cut or rounded (DSTFB VI 1.3), and the outline that it shows to a camera."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats

WIDE, HEIGHT, CENTRE, SHARE, TALL, DEEP, EDGE, INWARDS = range(8)
"""Places of a base's numbers: largest radius, height, height of the widest place, that height over the upright
half-axis of the wall below it, the upright half-axis of the wall above it, the level half-axis of that wall over the
largest radius, depth of the cut or radius of the rounding, width of the cut."""

_ARC: Final = np.linspace(0, 1, 70)
"""Shares of an arc at which a profile is computed."""
_FAN: Final = np.linspace(0, 1, 60)
"""Shares of the turn at a corner at which its tangents are computed."""
_SAME: Final = np.zeros(len(_FAN))
_RUNGS: Final = np.linspace(0, 1, 24)
"""Shares of a straight side at which a profile is computed."""
_STEEP: Final = 1e5
"""A slope that stands for upright."""
FALL: Final = 0.05
"""mm below the upper face at which a rounded edge ends it: the thinnest usual feeler blade, pushed under a straightedge
that lies on the face, stops there. A corner, where there is one, is the end itself."""


@dataclass(frozen=True)
class SolidPart:
    """A stretch of the profile, upwards: radius, height and the tangent of the normal's elevation.

    A corner has one place and normals from `slopes[0]` to `slopes[-1]`.
    """

    radii: Floats
    heights: Floats
    slopes: Floats

    @property
    def corner(self) -> bool:
        """Whether it is a single place."""
        return len(self.radii) == 1


@dataclass(frozen=True)
class Sizes:
    """What the rules ask of a base, in mm."""

    height: float
    diameter: float
    depth: float
    """From the upper face down to the largest diameter."""
    top_diameter: float
    """Of the upper face: up to its corner or, where the edge is rounded, to where it has fallen by `FALL`."""


def _corner(radius: float, height: float, low: float, high: float) -> SolidPart:
    return SolidPart(np.array([radius]), np.array([height]), np.array([low, max(low, high)]))


def radius_at(base: Floats, height: Floats | float) -> Floats:
    """Of the wall."""
    share = (np.asarray(height) - base[CENTRE]) / _tall(base, height)
    level = np.sqrt(np.maximum(1 - share * share, 1e-6))
    return np.asarray(base[WIDE] * (1 - _deep(base, height) * (1 - level)))


def _tall(base: Floats, height: Floats | float) -> Floats:
    """The upright half-axis at a height: another one above the widest place than below it."""
    upper, centre, share, tall = base[HEIGHT : TALL + 1].tolist()
    above = max(tall, 1.02 * (upper - centre))
    return np.asarray(np.where(np.asarray(height) > centre, above, centre / min(max(share, 0.05), 0.999)))


def _deep(base: Floats, height: Floats | float) -> Floats:
    """The level half-axis over the largest radius: 1 below the widest place, where little is seen."""
    return np.asarray(np.where(np.asarray(height) > base[CENTRE], base[DEEP], 1.0))


def _slopes(base: Floats, heights: Floats) -> Floats:
    """Tangent of the normal's elevation: −dr/dy."""
    tall = _tall(base, heights)
    share = (heights - base[CENTRE]) / tall
    return np.asarray(base[WIDE] * _deep(base, heights) / tall * share / np.sqrt(np.maximum(1 - share * share, 1e-6)))


def _side(base: Floats, upto: float) -> list[SolidPart]:
    """Underside's rim and wall."""
    # Points are spread by the ellipse's angle, so that they are dense where it turns.
    centre = float(base[CENTRE])
    low, high = (math.asin(min(max((y - centre) / float(_tall(base, y)), -1.0), 1.0)) for y in (0.0, upto))
    angles = low + (high - low) * _ARC
    heights = centre + _tall(base, centre + angles) * np.sin(angles)
    radii = radius_at(base, heights)
    slopes = _slopes(base, heights)
    return [_corner(float(radii[0]), 0.0, -_STEEP, float(slopes[0])), SolidPart(radii, heights, slopes)]


def _sharp(base: Floats) -> list[SolidPart]:
    side = _side(base, float(base[HEIGHT]))
    return [*side, _corner(float(side[1].radii[-1]), float(base[HEIGHT]), float(side[1].slopes[-1]), _STEEP)]


def _cut(base: Floats) -> list[SolidPart]:
    depth = float(np.clip(base[EDGE], 1e-3, base[HEIGHT] - 0.5))
    side = _side(base, float(base[HEIGHT]) - depth)
    radius, slope = float(side[1].radii[-1]), float(side[1].slopes[-1])
    width = float(np.clip(base[INWARDS], max(slope, 1e-3) * depth, 0.9 * radius))
    return [
        *side,
        _corner(radius, float(base[HEIGHT]) - depth, slope, width / depth),
        _corner(radius - width, float(base[HEIGHT]), width / depth, _STEEP),
    ]


def _round(base: Floats) -> list[SolidPart]:
    ball = float(np.clip(base[EDGE], 1e-3, base[HEIGHT] - 0.5))
    touch = _touching(base, ball)
    side = _side(base, touch)
    low = float(np.arctan(side[1].slopes[-1]))
    middle = float(side[1].radii[-1]) - ball * np.cos(low)
    angles = low + (np.pi / 2 - 1e-4 - low) * _ARC
    arc = SolidPart(middle + ball * np.cos(angles), base[HEIGHT] - ball + ball * np.sin(angles), np.tan(angles))
    return [*side, arc, _corner(middle, float(base[HEIGHT]), float(np.tan(angles[-1])), _STEEP)]


def _touching(base: Floats, ball: float) -> float:
    """Height where a ball of this radius, rolling under the upper face, touches the ellipsoid from inside."""
    low, high = 0.0, float(base[HEIGHT])
    for _ in range(4):
        heights = low + (high - low) * _RUNGS
        slopes = _slopes(base, heights)
        above = heights - ball * slopes / np.sqrt(1 + slopes * slopes) >= base[HEIGHT] - ball
        first = int(above.argmax()) if above.any() else len(heights) - 1
        low, high = float(heights[max(first - 1, 0)]), float(heights[first])
    return (low + high) / 2


PROFILES: Final[Mapping[str, Callable[[Floats], list[SolidPart]]]] = {"sharp": _sharp, "cut": _cut, "round": _round}
"""Forms of the upper edge."""

NUMBERS: Final[Mapping[str, int]] = {"sharp": 6, "cut": 8, "round": 7}
"""How many numbers each form has."""


def sizes_of(form: str, base: Floats) -> Sizes:
    """What the rules ask for, from the numbers of a base."""
    pieces = PROFILES[form](base)
    height, centre = float(base[HEIGHT]), float(base[CENTRE])
    edge = 0.0 if form == "sharp" else float(np.clip(base[EDGE], 1e-3, height - 0.5))
    level = min(centre, height - edge)
    rounded = form == "round" and centre > level
    radius = float(pieces[-1].radii[0]) + edge if rounded else float(radius_at(base, level))
    return Sizes(height, 2 * radius, height - level, 2 * _face(form, pieces))


def _face(form: str, pieces: list[SolidPart]) -> float:
    """Radius of the upper face."""
    if form != "round":
        return float(pieces[-1].radii[0])
    arc = pieces[-2]
    return float(np.interp(arc.heights[-1] - FALL, arc.heights, arc.radii))


def outline(pieces: list[SolidPart], camera: Floats) -> Floats:
    """Where the camera's rays touch the solid: up the right side, then down the left. Own frame, y along the axis.

    A plane through the camera touches the solid where its normal, of elevation β and azimuth Δ off the camera, meets
    r cos β + y sin β = D cos β cos Δ + e sin β; D and e are the camera's distance from the axis and its height. So each
    place of the profile has its Δ in closed form, on both sides alike.
    """
    x, level, z = camera.tolist()
    distance = math.hypot(x, z)
    parts = [_touched(piece, distance, level) for piece in pieces]
    radii, heights, turns = (np.concatenate([part[index] for part in parts]) for index in range(3))
    ahead, aside = radii * np.cos(turns) / distance, radii * np.sin(turns) / distance
    right = np.stack([x * ahead + z * aside, heights, z * ahead - x * aside], axis=1)
    left = np.stack([x * ahead - z * aside, heights, z * ahead + x * aside], axis=1)
    return np.concatenate([right, left[::-1]])


def _touched(piece: SolidPart, distance: float, level: float) -> tuple[Floats, Floats, Floats]:
    if piece.corner:
        return _fanned(piece, distance, level)
    cosines = (piece.radii + (piece.heights - level) * piece.slopes) / distance
    return piece.radii, piece.heights, np.arccos(np.minimum(np.maximum(cosines, -1), 1))


def _fanned(piece: SolidPart, distance: float, level: float) -> tuple[Floats, Floats, Floats]:
    """A corner, once for each of its normals."""
    radius, height = float(piece.radii[0]), float(piece.heights[0])
    cosines = ((radius + (height - level) * slope) / distance for slope in piece.slopes.tolist())
    first, last = (math.acos(min(max(cosine, -1.0), 1.0)) for cosine in cosines)
    return radius + _SAME, height + _SAME, first + (last - first) * _FAN
