"""Figures photographed by chance, as a referee would: any base of the rules' form, any colours, camera about level."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tests.scenes.figure import Base, Figure, FigureLamp, FigureScene, Top
from tests.scenes.scene import Lens, Sensor, Stand, phone

COLOURS = {
    "white": (0.8, 0.79, 0.75), "black": (0.03, 0.03, 0.03), "red": (0.45, 0.03, 0.04), "yellow": (0.75, 0.55, 0.05),
    "green": (0.04, 0.25, 0.08), "navy": (0.02, 0.03, 0.15), "orange": (0.75, 0.25, 0.03), "grey": (0.3, 0.3, 0.3),
    "sky": (0.2, 0.45, 0.75), "ivory": (0.7, 0.62, 0.45),
}  # fmt: skip
TABLES = {"white": (0.8, 0.8, 0.78), "wood": (0.3, 0.2, 0.12), "baize": (0.05, 0.22, 0.08), "grey": (0.35, 0.35, 0.36),
          "black": (0.04, 0.04, 0.045)}  # fmt: skip


def stand_at(distance: float, raised: float, aside: float, roll: float, aim: tuple[float, float]) -> Stand:
    """A camera raised and moved aside by these angles, looking at a point of the sheet."""
    way = np.array([math.sin(aside) * math.cos(raised), math.sin(raised), math.cos(aside) * math.cos(raised)])
    return Stand(distance, math.acos(way[2]), math.atan2(way[1], way[0]), roll, aim)


def any_base(random: np.random.Generator) -> Base:
    """Sharp, cut or rounded; within the rules and somewhat beyond."""
    wide, height = random.uniform(8.0, 10.6), random.uniform(5.0, 7.0)
    edge = str(random.choice(["sharp", "cut", "round"]))
    centre = height - random.uniform(-0.6, 1.6)
    tall = centre * random.uniform(1.05, 1.5)
    if edge == "sharp":
        return Base(wide, max(tall, 1.02 * abs(height - centre)), centre, height)
    size = random.uniform(0.3, 1.2)
    if edge == "cut":
        return Base(wide, tall, max(centre, height - size - 0.8), height, "cut", size, random.uniform(0.2, 1.0))
    return Base(wide, tall, max(centre, height - size - 0.8), height, "round", size)


def any_top(random: np.random.Generator) -> Top:
    return Top(random.uniform(27.5, 38.5), random.uniform(6.5, 12.5), random.uniform(2.0, 5.8), random.uniform(0.3, 2.0),
               random.uniform(0, 0.9), random.uniform(-0.8, 0.8))  # fmt: skip


def any_figure(random: np.random.Generator, colours: tuple[str, ...] = tuple(COLOURS)) -> Figure:
    disc = COLOURS[str(random.choice(colours))] if random.random() < 0.3 else None
    return Figure(
        any_base(random), any_top(random), random.uniform(-8, 8), 20.0 + random.normal(0, 1.0), 0.0,
        random.normal(0, math.radians(0.3)), (COLOURS[str(random.choice(colours))], COLOURS[str(random.choice(colours))]),
        disc, random.uniform(0, 0.3),
    )  # fmt: skip


def posed(seed: int, *, megapixels: float = 8.0, lens: Lens | None = None, table: str | None = None,
          colours: tuple[str, ...] = tuple(COLOURS)) -> FigureScene:  # fmt: skip
    """One photo; white on white where the names say so."""
    random = np.random.default_rng(seed)
    field_width = random.uniform(0.6, 1.3)
    lens = lens or phone(
        megapixels, field_width, (random.normal(0, 0.03), random.normal(0, 0.04), 0.0005, -0.0004, 0.0)
    )
    distance = lens.focal / lens.width * 148 * random.uniform(1.05, 1.6)
    stand = stand_at(
        distance, math.radians(random.uniform(0.5, 9)), math.radians(random.uniform(-12, 12)), random.normal(0, 0.02),
        (random.uniform(-8, 8), random.uniform(-42, -20)),
    )  # fmt: skip
    lamp = FigureLamp(
        (random.uniform(-0.8, 0.8), random.uniform(0.5, 1.0), random.uniform(0.2, 0.9)), random.uniform(0.25, 0.7),
        random.uniform(0.25, 0.5), random.uniform(0.05, 0.5),
    )  # fmt: skip
    sensor = Sensor(random.uniform(0.6, 1.3), random.uniform(0.003, 0.012), 0.002, int(random.integers(85, 96)))
    name = table or str(random.choice(list(TABLES)))
    figure = any_figure(random, colours)
    return FigureScene(lens, stand, figure, lamp, sensor, TABLES[name], random.choice([0.0, 0.12]),
                       random.normal(0, math.radians(0.3)), seed=seed)  # fmt: skip


def turned(scene: FigureScene, degrees: float, seed: int) -> FigureScene:
    """The same figure, turned and put down anew."""
    random = np.random.default_rng(seed)
    figure = replace(
        scene.figure, turn=math.radians(degrees), x=random.uniform(-6, 6), standoff=20 + random.normal(0, 1.0)
    )
    return replace(scene, figure=figure, seed=seed)
