"""A die as a solid: a cube with rounded edges lying on the sheet, and what lines across its four sides meet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.optics.camera import COUNT
from inspect_kit.vision.optics.pose import View, pixels_of, rotation_of

SIDES: Final = 4
"""Sides of a face."""
X, Y, YAW, FIRST, SECOND, HEIGHT, ROUNDING = range(7)
"""Where each of a die's numbers stands."""
_ARC: Final = np.linspace(0, 1, 9)
"""Shares of a rounded edge at which its surface is computed."""


@dataclass(frozen=True)
class Cube:
    """Middle of the upper face on the sheet, yaw, the two edges of the upper face, height, radius of the edges; mm."""

    vector: Floats

    @property
    def top(self) -> Floats:
        """The middle of the upper face."""
        return np.array([self.vector[X], self.vector[Y], self.vector[HEIGHT]])

    @property
    def hull(self) -> Floats:
        """All eight corners."""
        upper = self.corners
        return np.concatenate([upper, upper * [1, 1, 0]])

    @property
    def corners(self) -> Floats:
        """Of the upper face, as if they were sharp."""
        x, y, yaw, first, second, height, _ = self.vector
        u, v = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
        signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
        return np.array([[*(np.array([x, y]) + i * first / 2 * u + j * second / 2 * v), height] for i, j in signs])


@dataclass(frozen=True)
class Course:
    """Lines across the sides: the surface each one meets from the ground on inwards, as points of the sheet's frame.

    `points` is lines × nodes × 3; the first node lies on the outline. `angle` is the elevation of the surface's normal,
    `low` how far down the wall a node lies, from 0 at its upper end to 1.
    """

    points: Floats
    angle: Floats
    low: Floats
    near: Mask


def course(vector: Floats, camera: Floats, shares: Floats) -> Course:
    """The surface across all four sides, at these shares of half their lengths.

    A plane through the camera that touches a rounded edge has the normal (cos β, sin β) across it. The cube is a
    smaller one swept by a ball, so touching gives β in closed form, at the upper edge where the plane rises (the far
    sides) and at the lower one where the camera sees the wall.
    """
    r = _rounding(vector)
    sides = [_across_side(vector, camera, side, r) for side in range(SIDES)]
    angle, level = np.array([side[1] for side in sides]), np.array([side[2] for side in sides])
    height = float(vector[HEIGHT])
    low = (height - r - level) / max(height - 2 * r, 1e-6)
    near = np.array([side[0] for side in sides])
    return Course(
        _points(vector, r, (angle, level), shares),
        np.repeat(angle, len(shares), axis=0),
        np.repeat(low, len(shares), axis=0),
        np.repeat(near, len(shares)),
    )


def _rounding(vector: Floats) -> float:
    """The radius of the edges, which is no more than a die has room for."""
    *_, first, second, height, r = vector.tolist()
    return float(min(max(r, 1e-3), 0.45 * min(first, second, height)))


def _points(vector: Floats, r: float, section: tuple[Floats, Floats], shares: Floats) -> Floats:
    """Where the normal has these elevations on arcs of these levels (sides × nodes), at all shares of the sides."""
    angle, level = section
    x, y, yaw, first, second, _, _ = vector.tolist()
    way = _ways(yaw)
    half = np.array([first, second, first, second]) / 2
    out = (half - r)[:, None] + r * np.cos(angle)
    along = shares * (half[[1, 0, 3, 2]] - r)[:, None]
    aside = np.stack([-way[:, 1], way[:, 0]], axis=1)
    points = np.empty((SIDES, len(shares), angle.shape[1], 3))
    points[..., :2] = (
        out[:, None, :, None] * way[:, None, None, :] + (along[:, :, None] * aside[:, None, :])[:, :, None, :]
    )
    points[..., :2] += (x, y)
    points[..., 2] = (level + r * np.sin(angle))[:, None, :]
    return points.reshape(-1, angle.shape[1], 3)


def _ways(yaw: float) -> Floats:
    """Outwards across the four sides."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, s], [-s, c], [-c, -s], [s, -c]])


def _across_side(vector: Floats, camera: Floats, side: int, r: float) -> tuple[bool, Floats, Floats]:
    """Whether the camera sees a side's wall, and the section through its surface."""
    near, upper, lower = _touching(vector, camera, side, r)
    return near, *_section(near, upper, lower, float(vector[HEIGHT]), r)


def _touching(vector: Floats, camera: Floats, side: int, r: float) -> tuple[bool, float, float]:
    """Whether the camera sees a side's wall, and the elevations at which its planes touch the upper and lower edge."""
    x, y, yaw, first, second, height, _ = vector.tolist()
    half = (first if side % 2 == 0 else second) / 2
    turn = yaw + side * math.pi / 2
    away = (float(camera[0]) - x) * math.cos(turn) + (float(camera[1]) - y) * math.sin(turn) - (half - r)
    upper = _touch(away, float(camera[2]) - (height - r), r)
    return upper < 0, upper, min(_touch(away, float(camera[2]) - r, r), 0.0)


def _outline(vector: Floats, camera: Floats, shares: Floats) -> Floats:
    """The first nodes of the course, which is all that a fit of the outline needs."""
    r = _rounding(vector)
    touching = [_touching(vector, camera, side, r) for side in range(SIDES)]
    angle = np.array([[lower if near else upper] for near, upper, lower in touching])
    level = np.array([[r if near else float(vector[HEIGHT]) - r] for near, _, _ in touching])
    return _points(vector, r, (angle, level), shares)[:, 0]


def corner_point(vector: Floats, camera: Floats, side: int, radius: float) -> Floats:
    """The outline's outermost point at the upper corner between a side and the next one, were it rounded so much."""
    x, y, yaw, first, second, height, _ = vector
    one, other = (first / 2, second / 2) if side % 2 == 0 else (second / 2, first / 2)
    way = np.array([np.cos(yaw + side * np.pi / 2), np.sin(yaw + side * np.pi / 2)])
    inner = np.array([x, y]) + (one - radius) * way + (other - radius) * np.array([-way[1], way[0]])
    out = (way + np.array([-way[1], way[0]])) / np.sqrt(2)
    rise = _touch(float((camera[:2] - inner) @ out), camera[2] - (height - radius), radius) if radius > 0 else 0.0
    return np.array([*(inner + radius * np.cos(rise) * out), height - radius + radius * np.sin(rise)])


def _touch(away: float, above: float, r: float) -> float:
    distance = math.hypot(away, above)
    return math.atan2(above, away) - math.acos(min(max(r / max(distance, 1e-9), -1.0), 1.0))


def _section(near: bool, upper: float, lower: float, height: float, r: float) -> tuple[Floats, Floats]:
    """Elevations of the normal and levels of the arc's middle, from the outline inwards: foot, wall, upper edge."""
    low = lower * (1 - _ARC[::2]) if near else np.full(5, upper)
    high = (0.0 if near else upper) + (np.pi / 2 - (0.0 if near else upper)) * _ARC
    level = np.concatenate([np.full(5, r if near else height - r), np.full(len(high), height - r)])
    return np.concatenate([low, high]), level


@dataclass(frozen=True)
class EdgeLines:
    """Lines in the photo, fixed while a die is fitted: feet, outward normals, and the shares of the sides."""

    feet: Floats
    normals: Floats
    shares: Floats


def lines_across(view: View, vector: Floats, shares: Floats) -> EdgeLines:
    """Lines across the outline of a die, at right angles to it in the photo."""
    beside = np.concatenate([shares, shares + 0.02, shares - 0.02])
    outline = _outline(vector, view.centre, beside)
    seen = view.pixels(outline).reshape(SIDES, 3, len(shares), 2).transpose(1, 0, 2, 3).reshape(3, -1, 2)
    along = seen[1] - seen[2]
    normals = np.column_stack([-along[:, 1], along[:, 0]]) / np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    middle = seen[0].mean(axis=0)
    return EdgeLines(seen[0], normals * np.sign(((seen[0] - middle) * normals).sum(axis=1))[:, None], shares)


@dataclass(frozen=True)
class Sight:
    """A die on given lines: where its outline and its face begin (pixels outwards), and the surface in between."""

    outline: Floats
    face: Floats
    depth: Floats
    """Of the nodes, pixels outwards from the foot, falling."""
    angle: Floats
    low: Floats
    near: Mask


def sight(view_vector: Floats, vector: Floats, lines: EdgeLines) -> Sight:
    """The die of these seven numbers, seen by this camera and pose, on the lines."""
    across = course(vector, _camera(view_vector), lines.shares)
    seen = pixels_of(view_vector, across.points.reshape(-1, 3)).reshape(*across.points.shape[:2], 2)
    depth = ((seen - lines.feet[:, None, :]) * lines.normals[:, None, :]).sum(axis=2)
    falling = np.minimum.accumulate(depth, axis=1)
    return Sight(falling[:, 0], falling[:, -1], falling, across.angle, across.low, across.near)


def _camera(view_vector: Floats) -> Floats:
    return np.asarray(-rotation_of(view_vector[COUNT : COUNT + 3]).T @ view_vector[COUNT + 3 :])


def outline_on(view_vector: Floats, vector: Floats, lines: EdgeLines) -> Floats:
    """Where the outline of such a die crosses the lines, pixels outwards; what `sight` says of it, and quicker."""
    seen = pixels_of(view_vector, _outline(vector, _camera(view_vector), lines.shares))
    return np.asarray(((seen - lines.feet) * lines.normals).sum(axis=1))
