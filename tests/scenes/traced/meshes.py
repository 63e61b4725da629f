"""Solids as triangles: turned ones, boxes, quads with a picture, dice with sunk pips. Millimetres."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from skimage.measure import marching_cubes

from tests.scenes.dice import Die
from tests.scenes.figure import Figure
from tests.scenes.scene import Piece

AROUND = 256
"""Facets around a turned solid: the chord is 0.002 mm inside the circle at a radius of 20 mm."""
VOXEL = 0.12
"""mm between the places at which a die's body is computed."""
LAYOUT = {1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)], 4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
          5: [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)],
          6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)]}  # fmt: skip


@dataclass(frozen=True)
class Mesh:
    """Vertices, triangles, and what is painted on them: one colour, a colour a vertex, or a picture by places in it."""

    points: np.ndarray
    faces: np.ndarray
    colour: tuple[float, float, float] = (0.5, 0.5, 0.5)
    gloss: float = 0.0
    """0 matt to 1 a mirror-like varnish."""
    smooth: bool = True
    tints: np.ndarray | None = None
    picture: np.ndarray | None = None
    places: np.ndarray | None = None
    opaque: np.ndarray | None = None
    """Where the picture is solid; elsewhere it is cut out."""
    clear: float = 0.0
    """Share of the light that goes through."""
    extra: dict[str, float] = field(default_factory=dict)

    def moved(self, rotation: np.ndarray, shift: np.ndarray) -> Mesh:
        return Mesh(**{**self.__dict__, "points": self.points @ rotation.T + shift})


def turned(profile: np.ndarray, around: int = AROUND) -> tuple[np.ndarray, np.ndarray]:
    """A profile (radius, height) about the z axis."""
    angle = np.linspace(0, 2 * math.pi, around, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.concatenate([np.column_stack([r * ring, np.full(around, z)]) for r, z in profile])
    here = np.arange(around)
    there = (here + 1) % around
    faces = []
    for row in range(len(profile) - 1):
        low, high = row * around, (row + 1) * around
        faces += [np.column_stack([low + here, low + there, high + there]),
                  np.column_stack([low + here, high + there, high + here])]  # fmt: skip
    return points, np.concatenate(faces)


def quad(corners: np.ndarray, picture: np.ndarray, gloss: float = 0.0, opaque: np.ndarray | None = None) -> Mesh:
    """A flat picture; corners from its lower left, counter-clockwise."""
    # A picture's first row is its upper one.
    places = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], float)
    return Mesh(np.asarray(corners, float), np.array([[0, 1, 2], [0, 2, 3]]), gloss=gloss, smooth=False,
                picture=picture, places=places, opaque=opaque)  # fmt: skip


def plane(half: float, level: float, colour: tuple[float, float, float], gloss: float = 0.0) -> Mesh:
    corners = np.array([[-half, -half, level], [half, -half, level], [half, half, level], [-half, half, level]])
    return Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]]), colour, gloss, smooth=False)


def disc(piece: Piece) -> Mesh:
    """A disc with a rounded rim."""
    arc = np.linspace(0, math.pi / 2, 24)
    radius, rim, high = piece.diameter / 2, max(piece.rim, 0.02), piece.thickness
    upper = np.column_stack([radius - rim + rim * np.cos(arc), high - rim + rim * np.sin(arc)])
    lower = upper[::-1] * [1, -1] + [0, high]
    points, faces = turned(np.vstack([[0, 0], lower, upper, [0, high]]))
    return Mesh(points + np.array([piece.x, piece.y, 0]), faces, piece.colour, piece.gloss)


def ball(middle: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    arc = np.linspace(-math.pi / 2, math.pi / 2, 24)
    points, faces = turned(radius * np.column_stack([np.cos(arc), np.sin(arc)]), 48)
    return points + middle, faces


def capsule(start: np.ndarray, end: np.ndarray, radius: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Two balls and the rod between them."""
    parts = [ball(start, radius), ball(end, radius)]
    length = float(np.linalg.norm(end - start))
    if length > 1e-6:
        way = (end - start) / length
        side = np.cross(way, [1.0, 0, 0] if abs(way[0]) < 0.9 else [0, 1.0, 0])
        side /= np.linalg.norm(side)
        points, faces = turned(np.array([[radius, 0], [radius, length]]), 48)
        parts.append((points @ np.stack([side, np.cross(way, side), way]) + start, faces))
    return parts


def joined(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    count = np.cumsum([0, *(len(points) for points, _ in parts)])
    return np.vstack([p for p, _ in parts]), np.vstack([f + n for (_, f), n in zip(parts, count, strict=False)])


def figure(who: Figure) -> list[Mesh]:
    """Base and man in the figure's own frame, y up."""
    upright = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    points, faces = turned(who.base.outline())
    base = Mesh(points @ upright.T, faces, who.colours[0], who.gloss)
    limbs = [part for limb in who.top.limbs(who.base.height) for part in capsule(*limb)]
    return [base, Mesh(*joined(limbs), who.colours[1], 0.2)]


def die(one: Die) -> Mesh:
    """Rounded by a rolling ball, pips sunk as spherical caps, in place on the ground."""
    half, body = one.half, one.body
    axes = [np.arange(-h - 4 * VOXEL, h + 5 * VOXEL, VOXEL) for h in half]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=3)
    away = np.abs(grid) - (half - body.rounding)
    solid = np.linalg.norm(np.maximum(away, 0), axis=3) + np.minimum(away.max(axis=3), 0) - body.rounding
    if body.ball:
        solid = np.maximum(solid, np.linalg.norm(grid, axis=3) - body.ball * half.mean())
    pips = _pips(one)
    caps = np.min([np.linalg.norm(grid - middle, axis=3) - radius for middle, radius, _ in pips], axis=0)
    solid = np.maximum(solid, -caps)
    points, faces, _, _ = marching_cubes(solid, 0.0, spacing=(VOXEL,) * 3)
    points = points + [axis[0] for axis in axes]
    tints = np.tile(body.colour, (len(points), 1))
    for middle, radius, colour in pips:
        tints[np.linalg.norm(points - middle, axis=1) < radius + 0.02] = colour
    mesh = Mesh(points, faces[:, ::-1], gloss=max(body.gloss, 0.2), tints=tints, clear=body.clear)
    return mesh.moved(one.turn().T, np.array([one.x, one.y, half[2]]))


def _pips(one: Die) -> list[tuple[np.ndarray, float, tuple[float, float, float]]]:
    """Balls that sink into the faces: middle, radius, colour."""
    found = []
    size, body = float(np.mean(one.size)), one.body
    for (axis, sign), number in one.numbers().items():
        across = [other for other in range(3) if other != axis]
        for u, v in LAYOUT[number]:
            middle = np.zeros(3)
            middle[across] = np.array([u, v]) * body.spread * size
            pip = body.pip * size * (body.ace if number == 1 else 1.0)
            depth = 0.45 * pip
            radius = (pip * pip + depth * depth) / (2 * depth)
            middle[axis] = sign * (one.half[axis] + radius - depth)
            found.append((middle, radius, (body.ace_colour if number == 1 else None) or body.pip_colour))
    return found
