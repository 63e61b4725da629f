"""How round the edges of a die are, from its outline at upper corners and from the light on the edges over its walls.

Between two sides that face away the outline is that of a ball as large as the edges are round, unless a larger ball has
cut the corners. Over a wall that is seen the light turns from that of the face to that of the wall within the edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.dice.outline import LINES, SHARES, edge_half, outermost, shading_of, with_none
from inspect_kit.vision.dice.solid import (
    ROUNDING,
    SIDES,
    Cube,
    Sight,
    corner_body,
    half_sizes,
    lines_across,
    placed_at,
    sight,
)
from inspect_kit.vision.fitting.edge_step import Edges, Optics, averaged, fit_edges, profiles
from inspect_kit.vision.optics.light import linear, window_of
from inspect_kit.vision.optics.pose import View
from inspect_kit.vision.reference.corners import sample

RADII: Final = np.array([0.03, 0.2, 0.4, 0.6, 0.8, 1.05, 1.35, 1.7, 2.1, 2.6])
"""mm: roundings whose outlines and light are computed."""
_FINE: Final = np.linspace(RADII[0], RADII[-1], 78)
"""mm: roundings that are compared with the photo."""
_BALLS: Final = np.array([2.0, 0.9, 0.87, 0.84, 0.81, 0.78])
"""Radii of balls that cut the corners, over half the die's diagonal; the first cuts nothing."""
_CUT: Final = np.log([0.7, *[0.3 / (len(_BALLS) - 1)] * (len(_BALLS) - 1)])
"""How likely each is beforehand: both kinds are common, nobody counted them."""
_FOOT, _WALL = 4, 5
"""Nodes across a near side at which its foot's rounding ends and its upper one begins."""
_FLAT: Final = 5.0
"""Pixels of face and wall beside the largest rounding that are looked at."""
_STEPS: Final = 4.0
"""Independent steps that the light across a wall's edge is worth."""
_ASTRAY: Final = 0.03
"""How likely the light or the outline at one place is something else than an edge: a pip, a shadow, a neighbour."""
_TURNS: Final = np.radians(np.linspace(-36, 36, 9))
"""Radians off the diagonal of lines from inside the corner outwards: the outer ones meet the straight sides."""
_INSIDE: Final = np.array([3.0, 3.0, 2.0])
"""mm from the corner's three faces to where these lines begin."""
_BESIDE: Final = np.array([-0.5, 0.0, 0.5])
"""Pixels between lines that are averaged into one."""
_SOFTENED: Final = 1.86
"""Radius of a sharp corner seen through a blur, over the blur: it is half as light 0.77 blurs inside."""
_EDGE: Final = 0.23
"""Pixels by which each line errs; more than they scatter, for neighbours err together."""
_SHIFT: Final = 0.5
"""Pixels by which the sides beside a corner are off: only the corner's form shall tell."""
_STRAY: Final = 0.8
"""Pixels off the best outline at which a line counts half."""
_LEAST: Final = 0.06
"""mm: standard uncertainty of a rounding, at least."""


@dataclass(frozen=True)
class _Rays:
    """Lines in the photo from inside a corner outwards: where they begin, and their directions."""

    origin: Floats
    ways: Floats

    def crossings(self, points: Floats) -> Floats:
        """How far out each line leaves the hull of some points; 0 where it does not meet it."""
        hull = cv2.convexHull(points.astype(np.float32)).reshape(-1, 2) - self.origin
        along = np.roll(hull, -1, axis=0) - hull
        turned = np.stack([self.ways[:, 1], -self.ways[:, 0]])
        share = -(hull @ turned) / np.where(np.abs(along @ turned) < 1e-12, 1e-12, along @ turned)
        far = hull @ self.ways.T + share * (along @ self.ways.T)
        return np.asarray(np.where((share >= 0) & (share <= 1), far, 0.0).max(axis=0))


def rounding_of(
    pixels: Pixels, view: View, die: tuple[Cube, Floats], usual: tuple[float, float], optics: Optics
) -> tuple[float, float]:
    """Radius of the edges and its standard uncertainty, mm.

    The die comes with how its numbers change with its rounding, its outline staying where it is; `usual` is what was
    thought before, and how surely.
    """
    cube, drift = die
    lines = lines_across(view, cube.vector, SHARES)
    dice = [cube.vector + drift * (radius - cube.vector[ROUNDING]) for radius in RADII]
    seen = [sight(view.vector, each, lines) for each in dice]
    near = seen[0].near[::LINES]
    corners = [side for side in range(SIDES) if not near[side] and not near[(side + 1) % SIDES]]
    cost = -_CUT + ((_FINE - usual[0]) / usual[1])[:, None] ** 2 / 2
    for side in corners:
        cost = cost + _at_corner(pixels, view, dice, side, optics)
    for side in np.nonzero(near)[0].tolist():
        rows = slice(side * LINES, (side + 1) * LINES)
        cost = cost + _at_wall(
            pixels, _Rays(lines.feet[rows], lines.normals[rows]), [each.part(rows) for each in seen], optics.blur or 1.0
        )
    chance = np.exp(cost.min() - cost).sum(axis=1)
    chance /= chance.sum()
    mean = float(chance @ _FINE)
    return mean, float(np.sqrt(chance @ (_FINE - mean) ** 2 + _LEAST**2))


def _doubted(cost: Floats) -> Floats:
    """Half a chi-square as far as it is believed: what is seen may be something else."""
    return np.asarray(-np.log(np.exp(cost.min() - cost) + _ASTRAY))


def _at_wall(pixels: Pixels, lines: _Rays, seen: Sequence[Sight], blur: float) -> Floats:
    """How badly each rounding explains the light from the upper face over its edge to a wall that is seen."""
    wall, face = (np.array([each.depth[:, node].mean() for each in seen]) for node in (_WALL, -1))
    places = np.arange(face.min() - _FLAT, wall.max() + _FLAT)
    if wall.max() + _FLAT > seen[0].depth[:, _FOOT].mean() - 1.0:
        return np.zeros((len(_FINE), 1))
    points = (lines.origin[:, None, :] + places[None, :, None] * lines.ways[:, None, :]).reshape(-1, 2)
    part, origin = window_of(pixels, points, 2)
    # Pips and veins are on some of the lines only; the root makes bright and dark count more alike.
    light = np.median(np.sqrt(sample(linear(part), points - origin)).reshape(len(lines.origin), -1, 3), axis=0)
    left = [
        light - table @ np.linalg.lstsq(table, light, rcond=None)[0]
        for table in (_turning(each, places, blur) for each in seen)
    ]
    cost = _STEPS / 2 * np.log([float((each**2).mean()) + 1e-9 for each in left])
    return _doubted(np.interp(_FINE, RADII, cost))[:, None]


def _turning(seen: Sight, places: Floats, blur: float) -> Floats:
    """Parts of the light at places across a wall's upper edge: even, by the surface's slope, and falling steadily."""
    angle = np.stack([np.interp(-places, -depth, turn) for depth, turn in zip(seen.depth, seen.angle, strict=True)])
    along = np.linspace(-1, 1, len(places))
    plain = np.column_stack([np.ones_like(along), np.sin(angle).mean(axis=0), np.cos(angle).mean(axis=0), along])
    return np.asarray(cv2.GaussianBlur(plain, (1, 0), 1.0, sigmaY=blur, borderType=cv2.BORDER_REPLICATE))


def _at_corner(pixels: Pixels, view: View, dice: Sequence[Floats], side: int, optics: Optics) -> Floats:
    """How badly each rounding and cut explain the outline at a corner: half a chi-square, roundings × cuts."""
    vector = dice[len(dice) // 2]
    rays = _rays(view, vector, side)
    soft = _SOFTENED * (optics.blur or 1.0) / view.resolution(Cube(vector).top)
    expected = _expected(view, dice, side, rays, soft)
    middle, reach = (expected.max(axis=(0, 1)) + expected.min(axis=(0, 1))) / 2, np.ptp(expected, axis=(0, 1)) / 2 + 1.5
    begun = _Rays(rays.origin + middle[:, None] * rays.ways, rays.ways)
    edges = _edges(pixels, view, vector, side, begun, reach, optics)
    weights = np.where(edges.contrast > 0, 1 / (1 + (edges.misfit / 0.2) ** 4), 1e-3)
    away, by_shift = middle + edges.offset - expected, _by_shift(rays, expected[len(_FINE) // 3, 0])
    for _ in range(3):
        covariance = np.diag((_EDGE**2 + edges.variance) / weights) + _SHIFT**2 * by_shift @ by_shift.T
        precision = np.linalg.inv(covariance)
        chi = np.einsum("rbi,ij,rbj->rb", away, precision, away)
        best = away[np.unravel_index(chi.argmin(), chi.shape)]
        own = best - _SHIFT**2 * by_shift @ (by_shift.T @ precision @ best)
        weights = np.maximum(weights / (1 + (own / _STRAY) ** 4), 1e-3)
    # An outline that none explains says less.
    return _doubted(chi / 2 / max(1.0, float(chi.min()) / (len(_TURNS) - 6)))


def _rays(view: View, vector: Floats, side: int) -> _Rays:
    """Lines around the diagonal of a corner."""
    inside, corner = view.pixels(placed_at(vector, side, half_sizes(vector, side) - np.stack([_INSIDE, 0 * _INSIDE])))
    ahead = (corner - inside) / np.linalg.norm(corner - inside)
    aside = np.array([-ahead[1], ahead[0]])
    return _Rays(inside, np.outer(np.cos(_TURNS), ahead) + np.outer(np.sin(_TURNS), aside))


def _expected(view: View, dice: Sequence[Floats], side: int, rays: _Rays, soft: float) -> Floats:
    """Where the lines leave dice of all roundings and cuts, pixels outwards: roundings × cuts × lines."""
    bodies = [
        [corner_body(each, side, float(np.hypot(each[ROUNDING], soft)), ball) for ball in _BALLS] for each in dice
    ]
    seen = view.pixels(np.reshape(bodies, (-1, 3))).reshape(len(dice) * len(_BALLS), -1, 2)
    coarse = np.array([rays.crossings(points) for points in seen]).reshape(len(dice), -1)
    fine = np.stack([np.interp(_FINE, RADII, column) for column in coarse.T], axis=1)
    return fine.reshape(len(_FINE), len(_BALLS), -1)


def _edges(pixels: Pixels, view: View, vector: Floats, side: int, rays: _Rays, reach: Floats, optics: Optics) -> Edges:
    """The outermost edge on each line within reach of where it begins."""
    half = edge_half(optics)
    aside = np.stack([-rays.ways[:, 1], rays.ways[:, 0]], axis=1)
    feet = (rays.origin[:, None] + _BESIDE[None, :, None] * aside[:, None]).reshape(-1, 2)
    profile = averaged(
        profiles(pixels, feet, np.repeat(rays.ways, len(_BESIDE), axis=0), float(reach.max()) + 1.6 * half + 1.0)
    )
    start = outermost(profile, reach, half)
    lit = shading_of(sight(view.vector, vector, lines_across(view, vector, np.zeros(1)))).part(
        np.full(len(start), side)
    )
    return with_none(fit_edges(profile, np.nan_to_num(start), half, lit, optics), np.isfinite(start))


def _by_shift(rays: _Rays, outline: Floats) -> Floats:
    """How far an outline moves along each line with a shift of the whole corner."""
    points = rays.origin + outline[:, None] * rays.ways
    along = np.gradient(points, axis=0)
    normals = np.column_stack([along[:, 1], -along[:, 0]])
    return np.asarray(normals / (normals * rays.ways).sum(axis=1)[:, None])
