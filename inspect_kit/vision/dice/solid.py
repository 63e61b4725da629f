"""A die as a solid: a cube with rounded edges lying on the sheet, and what lines across its four sides meet."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
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
_FROM_EDGES: Final = np.array([0.0, 0.12, 0.25, 0.4, 0.6, 0.85, 1.15, 1.5, 2.0, 2.6, 3.6, 5.0])
"""mm from a sharp corner along its edges at which its surface is computed."""
_AROUND_CORNER: Final = np.concatenate(
    [np.insert(np.stack(np.meshgrid(_FROM_EDGES, _FROM_EDGES), axis=-1).reshape(-1, 2), axis, 0.0, axis=1)
     for axis in range(3)]
)  # fmt: skip
"""The same on its three faces, as distances from them."""


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

    `points` is lines × nodes × 3; the first node lies on the outline. `angle` is the elevation of the surface's normal.
    """

    points: Floats
    angle: Floats
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
    near = np.array([side[0] for side in sides])
    points = _points(vector, r, (angle, level), shares)
    return Course(points, np.repeat(angle, len(shares), axis=0), np.repeat(near, len(shares)))


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


def half_sizes(vector: Floats, side: int) -> Floats:
    """Half the die across a side, across the next one, and upwards."""
    _, _, _, first, second, height, _ = vector
    return np.array([first, second, height] if side % 2 == 0 else [second, first, height]) / 2


def placed_at(vector: Floats, side: int, points: Floats) -> Floats:
    """Points from the die's middle on, across a side, across the next one, and upwards, in the sheet's frame."""
    ways = np.stack([*_ways(float(vector[YAW]))[[side, (side + 1) % SIDES]]])
    return np.column_stack([points[:, :2] @ ways + vector[:YAW], points[:, 2] + vector[HEIGHT] / 2])


def corner_body(vector: Floats, side: int, radius: float, ball: float) -> Floats:
    """Points of the surface around the upper corner between a side and the next one, with edges so round, and cut by a
    ball around the die's middle whose radius is this share of half the diagonal."""
    half = half_sizes(vector, side)
    sharp = half - _AROUND_CORNER
    inner = np.minimum(sharp, half - radius)
    out = sharp - inner
    rounded = inner + radius * out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    away = np.linalg.norm(rounded, axis=1, keepdims=True)
    return placed_at(vector, side, rounded * np.minimum(1.0, ball * np.linalg.norm(half) / away))


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
    """The surface of a die on given lines, from its outline to its face."""

    depth: Floats
    """Of the nodes, pixels outwards from the foot, falling."""
    angle: Floats
    near: Mask

    def part(self, rows: slice) -> Sight:
        """On some of the lines."""
        return Sight(*(getattr(self, each.name)[rows] for each in fields(self)))


def sight(view_vector: Floats, vector: Floats, lines: EdgeLines) -> Sight:
    """The die of these seven numbers, seen by this camera and pose, on the lines."""
    across = course(vector, _camera(view_vector), lines.shares)
    seen = pixels_of(view_vector, across.points.reshape(-1, 3)).reshape(*across.points.shape[:2], 2)
    depth = ((seen - lines.feet[:, None, :]) * lines.normals[:, None, :]).sum(axis=2)
    return Sight(np.minimum.accumulate(depth, axis=1), across.angle, across.near)


def _camera(view_vector: Floats) -> Floats:
    return np.asarray(-rotation_of(view_vector[COUNT : COUNT + 3]).T @ view_vector[COUNT + 3 :])


def outline_on(view_vector: Floats, vector: Floats, lines: EdgeLines) -> Floats:
    """Where the outline of such a die crosses the lines, pixels outwards; what `sight` says of it, and quicker."""
    seen = pixels_of(view_vector, _outline(vector, _camera(view_vector), lines.shares))
    return np.asarray(((seen - lines.feet) * lines.normals).sum(axis=1))
