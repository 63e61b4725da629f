"""Dice of several sizes and makes in the second way of drawing: rounded boxes as facets, soft shadows, gloss."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from inspect_kit.vision.reference.sheets import Paper, mat
from tests.scenes.painted import FINER, Colour, Painting, eye

X, Y, Z = np.eye(3)
PIPS = {
    1: ((0, 0),), 2: ((-1, -1), (1, 1)), 3: ((-1, -1), (0, 0), (1, 1)), 4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)), 6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}  # fmt: skip
BESIDE = {1: (2, 3, 5, 4), 2: (1, 4, 6, 3), 3: (1, 2, 6, 5), 4: (1, 5, 6, 2), 5: (1, 3, 6, 4), 6: (2, 4, 5, 3)}
BODIES: dict[str, Colour] = {
    "white": (0.8, 0.79, 0.74), "ivory": (0.72, 0.65, 0.48), "black": (0.015, 0.015, 0.017), "red": (0.45, 0.02, 0.025),
    "blue": (0.03, 0.07, 0.38), "green": (0.02, 0.22, 0.07), "yellow": (0.75, 0.55, 0.06), "orange": (0.72, 0.22, 0.03),
    "violet": (0.18, 0.05, 0.28), "grey": (0.28, 0.28, 0.29), "pink": (0.65, 0.25, 0.35), "sky": (0.2, 0.45, 0.65),
}  # fmt: skip
ARC = np.linspace(0, math.pi / 2, 9)


@dataclass(frozen=True)
class PaintedDie:
    """Where it lies, its edge and rounding (mm), turn, number on top, colour, gloss, and its pips as shares."""

    place: tuple[float, float]
    edge: float
    rounding: float
    yaw: float
    up: int
    body: str
    gloss: float
    pip: float
    spread: float
    softness: float
    """Of its shadow, in coarse pixels."""

    @property
    def turn(self) -> np.ndarray:
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    @property
    def foot(self) -> np.ndarray:
        corners = np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]]) * self.edge / 2
        return np.asarray(corners @ self.turn.T + np.array([*self.place, 0]))

    @property
    def top(self) -> np.ndarray:
        return np.array([*self.place, self.edge])


@dataclass(frozen=True)
class Light:
    """The way to the lamp, and the share of the light that comes from everywhere."""

    lamp: np.ndarray
    everywhere: float


def any_dice(random: np.random.Generator, sizes: tuple[float, float]) -> list[PaintedDie]:
    """Five to nine dice of these sizes, of any colour and rounding, on the middle of the mat."""
    laid: list[PaintedDie] = []
    count = int(random.integers(5, 10))
    while len(laid) < count:
        edge, place = random.uniform(*sizes), (random.uniform(-58, 58), random.uniform(-75, 75))
        if all(math.dist(place, other.place) > 0.72 * (edge + other.edge) + 2 for other in laid):
            laid.append(
                PaintedDie(place, edge, random.uniform(0.15, 1.7), random.uniform(0, 1.57), int(random.integers(1, 7)),
                           str(random.choice(list(BODIES))), float(random.choice([0, 0.3, 0.8])),
                           random.uniform(0.075, 0.11), random.uniform(0.22, 0.28), random.uniform(2, 9))
            )  # fmt: skip
    return laid


def painted_dice(
    seed: int, steepest: float = 25.0, sizes: tuple[float, float] = (12, 19)
) -> tuple[bytes, list[tuple[PaintedDie, np.ndarray]]]:
    """A photo of dice on the mat, tilted by up to so many degrees, and each die with the pixel of its top."""
    random = np.random.default_rng(seed)
    dice = any_dice(random, sizes)
    tilt, aside, far = math.radians(random.uniform(0, steepest)), random.uniform(0, 6.28), random.uniform(275, 380)
    view = eye(far * np.array([math.sin(tilt) * math.cos(aside), math.sin(tilt) * math.sin(aside), math.cos(tilt)]),
               (0, 0, 0), (1, 0, 0))  # fmt: skip
    around, lean = random.uniform(0, 6.28), random.uniform(0.1, 0.8)
    lamp = np.array([math.sin(lean) * math.cos(around), math.sin(lean) * math.sin(around), math.cos(lean)])
    light = Light(lamp, random.uniform(0.35, 0.65))
    painting = Painting(view, (0.3, 0.2, 0.12))
    painting.sheet(mat(Paper.A4), X, Y, np.zeros(3))
    _shade_ground(painting, dice, light)
    for die in sorted(dice, key=lambda each: -float(np.linalg.norm(each.top - view.place))):
        _paint(painting, die, light)
    return painting.photograph(seed), [(die, view.pixels(die.top[None])[0]) for die in dice]


def _shade_ground(painting: Painting, dice: list[PaintedDie], light: Light) -> None:
    """Cast shadows and the dark at the feet, a quarter as fine as the painting."""
    share = np.ones((painting.light.shape[0] // 4, painting.light.shape[1] // 4), np.float32)
    for die in dice:
        cast = die.foot - die.edge * light.lamp / light.lamp[2] * [1, 1, 0]
        share *= 1 - 0.85 * (1 - light.everywhere) * _patch(painting, np.vstack([die.foot, cast]), share, die.softness)
        share *= 1 - 0.5 * _patch(painting, die.foot, share, 5.0)
    for top in range(0, len(painting.light), 512):
        part = painting.light[top : top + 512]
        part *= cv2.resize(share[top // 4 : (top + 512) // 4], part.shape[1::-1])[:, :, None]


def _patch(painting: Painting, points: np.ndarray, like: np.ndarray, softness: float) -> np.ndarray:
    mask = np.zeros_like(like)
    seen = painting.view.pixels(points) * FINER / 4
    cv2.fillConvexPoly(mask, np.round(cv2.convexHull(seen.astype(np.float32))).astype(np.int32), 1.0)
    return cv2.GaussianBlur(mask, (0, 0), softness)


def _facets(die: PaintedDie) -> tuple[np.ndarray, np.ndarray]:
    """Points and normals of a rounded box, rows from below, columns around."""
    lat = np.concatenate([ARC - math.pi / 2, ARC])
    lon = np.concatenate([ARC + quarter * math.pi / 2 for quarter in range(4)])
    normals = np.stack([np.outer(np.cos(lat), np.cos(lon)), np.outer(np.cos(lat), np.sin(lon)),
                        np.outer(np.sin(lat), np.ones_like(lon))], axis=2)  # fmt: skip
    corner = np.repeat(np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]), len(ARC), axis=0)
    signs = np.empty_like(normals)
    signs[..., :2], signs[..., 2] = corner, np.repeat([-1, 1], len(ARC))[:, None]
    points = (die.edge / 2 - die.rounding) * signs + die.rounding * normals
    return points @ die.turn.T + die.top - [0, 0, die.edge / 2], normals @ die.turn.T


def _lit(painting: Painting, die: PaintedDie, light: Light, at: tuple[np.ndarray, np.ndarray], own: Colour) -> Colour:
    """Lamp, sky, light from the paper near the foot, and a gleam."""
    point, normal = at
    foot = 0.075 * (1 - normal[2]) * math.exp(-max(point[2], 0.0) / 6)
    sky = light.everywhere * (0.5 + 0.5 * normal[2])
    matt = sky + (1 - light.everywhere) * max(float(normal @ light.lamp), 0.0) + foot
    way = (painting.view.place - point) / np.linalg.norm(painting.view.place - point) + light.lamp
    gleam = 0.5 * die.gloss * max(float(normal @ way) / float(np.linalg.norm(way)), 0.0) ** 40
    return own[0] * matt + gleam, own[1] * matt + gleam, own[2] * matt + gleam


def _paint(painting: Painting, die: PaintedDie, light: Light) -> None:
    points, normals = _facets(die)
    body = BODIES[die.body]
    rows, columns = points.shape[:2]
    for row in range(rows - 1):
        for column in range(columns):
            beside = (column + 1) % columns
            corners = ((row, column), (row, beside), (row + 1, beside), (row + 1, column))
            facet, normal = np.array([points[at] for at in corners]), np.mean([normals[at] for at in corners], axis=0)
            _patch_of(painting, facet, normal / np.linalg.norm(normal), die, light, body)
    _patch_of(painting, points[-1], Z, die, light, body)
    pip: Colour = (0.85, 0.85, 0.82) if np.mean(body) < 0.25 else (0.02, 0.02, 0.02)
    first, second = die.turn[:, 0], die.turn[:, 1]
    ways = ((first, second), (second, -first), (-first, -second), (-second, first))
    faces = [(out, along, Z, number) for (out, along), number in zip(ways, BESIDE[die.up], strict=True)]
    around = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    for out, u, v, number in [*faces, (Z, first, second, die.up)]:
        middle = die.top - [0, 0, die.edge / 2] + out * die.edge / 2
        for a, b in PIPS[number]:
            ring = die.pip * die.edge * (np.outer(np.cos(around), u) + np.outer(np.sin(around), v))
            _patch_of(painting, middle + die.spread * die.edge * (a * u + b * v) + ring, out, die, light, pip)


def _patch_of(
    painting: Painting, points: np.ndarray, normal: np.ndarray, die: PaintedDie, light: Light, colour: Colour
) -> None:
    """A flat patch, if it faces the camera; the box is convex, so that nothing of it hides another."""
    middle = points.mean(axis=0)
    if (painting.view.place - middle) @ normal > 0:
        painting.flat(points, _lit(painting, die, light, (middle, normal), colour))
