"""Scenes laid out by chance, as a referee would: pieces on the free middle of the mat, camera somewhere above."""

from __future__ import annotations

import math

import numpy as np

from tests.scenes.scene import Lamp, Lens, Piece, Scene, Sensor, Stand, phone

COLOURS = {
    "white": (0.72, 0.62, 0.44), "black": (0.025, 0.025, 0.027), "red": (0.38, 0.025, 0.03), "ivory": (0.8, 0.78, 0.7),
    "wood": (0.45, 0.28, 0.13), "yellow": (0.7, 0.5, 0.04), "green": (0.05, 0.22, 0.08), "blue": (0.03, 0.06, 0.3),
    "grey": (0.22, 0.22, 0.22), "orange": (0.75, 0.25, 0.03),
}  # fmt: skip
BEND = (0.06, -0.11, 0.0006, -0.0004, 0.04)


def scattered(
    seed: int,
    *,
    lens: Lens | None = None,
    count: tuple[int, int] = (6, 20),
    distance: tuple[float, float] = (350.0, 900.0),
    tilt: float = math.radians(25),
    diameter: tuple[float, float] = (28.0, 42.0),
    thickness: tuple[float, float] = (2.0, 9.0),
    rim: tuple[float, float] = (0.0, 2.0),
    colours: tuple[str, ...] = tuple(COLOURS),
) -> Scene:
    """A scene of one kind of piece (thickness and rim alike), in several colours and sizes."""
    random = np.random.default_rng(seed)
    high = random.uniform(*thickness)
    round_off = min(random.uniform(*rim), 0.45 * high)
    wide = random.uniform(*diameter)
    pieces = tuple(
        _piece(random, place, wide * random.uniform(0.97, 1.03), high, round_off, colours)
        for place in _places(random, int(random.integers(count[0], count[1] + 1)), wide * 1.03)
    )
    lens = lens or phone(12.0, bend=BEND)
    reach = random.uniform(*distance)
    stand = Stand(reach, random.uniform(0, tilt), random.uniform(0, 2 * math.pi), random.choice([0, math.pi / 2]) +
                  random.normal(0, 0.05), tuple(random.uniform(-12, 12, 2)))  # fmt: skip
    return Scene(lens, stand, pieces, _lamp(random), _sensor(random), seed=seed)


def _piece(random: np.random.Generator, place: tuple[float, float], wide: float, high: float, rim: float,
           colours: tuple[str, ...]) -> Piece:  # fmt: skip
    name = str(random.choice(colours))
    shade = random.uniform(0.85, 1.1)
    colour = tuple(min(0.92, value * shade) for value in COLOURS[name])
    rings = ((0.45, 0.5, 0.6), (0.7, 0.74, 0.7)) if random.random() < 0.4 else ()
    return Piece(*place, wide, high, rim, colour, name, rings, gloss=random.uniform(0, 0.15))  # type: ignore[arg-type]


def _places(random: np.random.Generator, count: int, wide: float) -> list[tuple[float, float]]:
    """Places on the middle of the mat, some pieces touching."""
    found: list[tuple[float, float]] = []
    for _ in range(4000):
        if len(found) == count:
            break
        x, y = random.uniform(-70 + wide / 2, 70 - wide / 2), random.uniform(-98 + wide / 2, 113 - wide / 2)
        if all(math.hypot(x - a, y - b) > wide * 1.002 for a, b in found):
            found.append((x, y))
    return found


def _lamp(random: np.random.Generator) -> Lamp:
    angle, lean = random.uniform(0, 2 * math.pi), random.uniform(0.1, 0.8)
    warm = random.uniform(-0.12, 0.12)
    return Lamp(
        (math.sin(lean) * math.cos(angle), math.sin(lean) * math.sin(angle), math.cos(lean)),
        random.uniform(0.25, 0.7), random.uniform(0.25, 0.5), random.uniform(0.05, 0.5),
        tuple(random.uniform(-0.15, 0.15, 2)), random.uniform(0, 0.3), (1 + warm, 1.0, 1 - warm),
    )  # type: ignore[arg-type]  # fmt: skip


def _sensor(random: np.random.Generator) -> Sensor:
    return Sensor(random.uniform(0.6, 1.3), random.uniform(0.003, 0.012), 0.002, int(random.integers(85, 96)))


def calibration_scenes(lens: Lens, count: int = 9, seed: int = 5, sheet: str = "charuco") -> list[Scene]:
    """Views of a sheet from all sides, as the instructions ask for."""
    random = np.random.default_rng(seed)
    scenes = []
    for index in range(count):
        # Held so that the sheet about fills the picture.
        long_way = 297 if sheet != "card" else 148
        reach = lens.focal / lens.width * long_way * random.uniform(0.85, 1.15)
        stand = Stand(
            reach, math.radians(random.uniform(12, 35)) if index else 0.05, 2 * math.pi * index / count,
            math.pi / 2 + random.normal(0, 0.2) + (math.pi / 2 if index % 4 == 3 else 0),
            tuple(random.uniform(-45, 45, 2)),
        )  # type: ignore[arg-type]  # fmt: skip
        scenes.append(Scene(lens, stand, (), Lamp(), Sensor(0.9, 0.006), seed=seed * 100 + index))
    return scenes
