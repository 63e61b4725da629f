"""Coins and pieces without a printed sheet: on plain paper, beside a bank card, beside a coin alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.cycles import scene
from benchmarks.cycles.camera import Camera, framing, phone
from benchmarks.cycles.pieces import COLOURS, Shot, surface, table
from benchmarks.cycles.prints import Prints
from benchmarks.cycles.shapes import disc_profile

Array = NDArray[np.float64]
Rng = np.random.Generator

GOLD, SILVER, COPPER = (0.62, 0.47, 0.2), (0.6, 0.58, 0.55), (0.5, 0.24, 0.13)
COINS = {
    "2eur": (25.75, 2.20, SILVER, GOLD), "1eur": (23.25, 2.33, GOLD, SILVER), "50c": (24.25, 2.38, GOLD, GOLD),
    "20c": (22.25, 2.14, GOLD, GOLD), "10c": (19.75, 1.93, GOLD, GOLD), "5c": (21.25, 1.67, COPPER, COPPER),
    "2c": (18.75, 1.67, COPPER, COPPER), "1c": (16.25, 1.67, COPPER, COPPER),
}  # fmt: skip
"""Diameter and thickness in mm (European Central Bank), metal of the ring and of the middle."""
SIZES = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}


def paper(rng: Rng, prints: Prints, size: tuple[int, int]) -> Shot:
    """Coins on a loose sheet that is cut to within a millimetre and stands up at its border."""
    del prints
    name = str(rng.choice(list(SIZES), p=[0.7, 0.3]))
    width, height = (side + float(rng.normal(0, 0.4)) for side in SIZES[name])
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, 43), np.linspace(0.5, -0.5, 61))
    bend, wave = rng.uniform(0, 2.0, 2), rng.uniform(0, 0.4)
    rise = bend[0] * 4 * x**2 + bend[1] * 4 * y**2 + wave * np.abs(2 * x) ** 3 * np.sin(9 * y + rng.uniform(0, 6))
    white = tuple(float(v) for v in rng.uniform(0.7, 0.84) * np.array([1, 1, rng.uniform(0.94, 1.02)]))
    look = scene.plain(white, Roughness=rng.uniform(0.5, 0.9))
    scene.sheet("paper", np.dstack([x * width, y * height, np.maximum(rise, 0.0)]), look)
    table(rng, -0.1)
    camera = _above(rng, size, (width / 2, height / 2), (0.6, 0.8), 15)
    laid = _scattered(rng, camera, (0.3 * width, 0.33 * height))
    truth = {"reference": f"paper:{name}", "sheet": [width, height], "bend": bend.tolist()} | laid
    return camera, np.zeros(3), _corners(width / 2, height / 2), truth | {"light": scene.lights(rng, 300)}


def card(rng: Rng, prints: Prints, size: tuple[int, int]) -> Shot:
    """Pieces beside a bank card with a printed picture."""
    del prints
    table(rng, 0.0)
    ground = COLOURS[str(rng.choice(["white", "navy", "green", "red", "sky blue"]))]
    body = scene.prism("card", _rounded(85.6, 53.98, 3.18), 0.0, 0.76, scene.plain(ground, Roughness=0.25))
    parts = [((-27, 4), (12, 9.5), GOLD), ((0, 19), (85.6, 9), (0.03, 0.03, 0.03)), ((12, -14), (40, 3), SILVER)]
    turn, at = float(rng.uniform(0, 2 * np.pi)), np.array([-48.0, float(rng.uniform(-10, 10))])
    for (x, y), (w, h), colour in parts:
        patch = scene.box("print", (x - w / 2, y - h / 2, 0.7), (x + w / 2, y + h / 2, 0.765), scene.plain(colour))
        scene.place(patch, (*at, 0), turn)
    scene.place(body, (*at, 0), turn)
    camera = _above(rng, size, (98, 60), (0.55, 0.75), 25)
    laid = _scattered(rng, camera, (36, 44), (52, 0))
    truth = {"reference": "card", "card": {"position": at.tolist(), "turn": turn}} | laid
    return camera, np.zeros(3), _corners(98, 60), truth | {"light": scene.lights(rng, 200)}


def coin(rng: Rng, prints: Prints, size: tuple[int, int]) -> Shot:
    """Wooden pieces of one thickness around a coin of two metals."""
    del prints
    table(rng, 0.0)
    camera = _above(rng, size, (70, 52), (0.6, 0.8), 12)
    thickness, name = float(rng.uniform(7, 9)), str(rng.choice(["2eur", "1eur"]))
    places = [np.array(at) + rng.uniform(-2, 2, 2) for at in ((-45, 22), (-45, -22), (45, 22), (45, -22), (0, 34))]
    pieces = [_man(rng, camera, (float(rng.uniform(28, 33)), thickness), at) for at in places]
    reference = _coin(rng, camera, name, np.array([0.0, -10.0]))
    truth = {"reference": f"coin:{name}", "coin": reference, "discs": pieces, "thickness_stated": round(thickness, 1)}
    return camera, np.zeros(3), _corners(70, 52), truth | {"light": scene.lights(rng, 200)}


def _corners(x: float, y: float) -> Array:
    return np.array([(sx * x, sy * y, 0.0) for sx in (-1, 1) for sy in (-1, 1)])


def _rounded(width: float, height: float, radius: float) -> Array:
    turns = np.linspace(0, np.pi / 2, 13)
    middles = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    return np.array(
        [
            (sx * (width / 2 - radius) + radius * np.cos(t + k * np.pi / 2),
             sy * (height / 2 - radius) + radius * np.sin(t + k * np.pi / 2))
            for k, (sx, sy) in enumerate(middles)
            for t in turns
        ]
    )  # fmt: skip


def _above(
    rng: Rng, size: tuple[int, int], half: tuple[float, float], fill: tuple[float, float], most: float
) -> Camera:
    """A phone held above, its longer side along the subject's."""
    tilt, turn = np.radians(rng.uniform(0, most)), rng.uniform(0, 2 * np.pi)
    toward = np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
    roll = np.radians(rng.normal(0, 5)) + (np.pi / 2 if half[1] > half[0] else 0.0)
    right = np.array([np.cos(roll), np.sin(roll), 0])
    return framing(phone(rng, size), size, _corners(*half), (toward, right), rng.uniform(*fill))


def _scattered(
    rng: Rng, camera: Camera, half: tuple[float, float], middle: tuple[float, float] = (0, 0)
) -> dict[str, Any]:
    """Four to six coins with some air between."""
    names = rng.choice(list(COINS), int(rng.integers(4, 7)), replace=False)
    placed: list[Array] = []
    while len(placed) < len(names):
        at = np.array(middle) + rng.uniform(-1, 1, 2) * half
        if all(np.hypot(*(at - other)) > 28 for other in placed):
            placed.append(at)
    return {"discs": [_coin(rng, camera, str(name), at) for name, at in zip(names, placed, strict=True)]}


def _coin(rng: Rng, camera: Camera, name: str, at: Array) -> dict[str, Any]:
    """A raised rim around a sunk face; of two metals the middle is a disc of its own."""
    diameter, thickness, ring, middle = COINS[name]
    rough = float(rng.uniform(0.22, 0.5))
    look = scene.plain(ring, Metallic=1.0, Roughness=rough)
    form = disc_profile(diameter, thickness, 0.2, [(diameter / 2 - 1.6, 1.0, 0.25), (diameter / 4, 0.8, 0.12)])
    scene.place(scene.turned("coin", form, look), (*at, 0), rng.uniform(0, 6.28))
    if middle != ring:
        inner = scene.plain(middle, Metallic=1.0, Roughness=rough)
        core = disc_profile(0.73 * diameter, thickness + 0.02, 0.1, [(diameter / 4, 0.8, 0.12)])
        scene.place(scene.turned("core", core, inner), (*at, 0))
    return {"coin": name, "diameter": diameter, "thickness": thickness, "position": at.tolist(),
            "pixel": camera.project(np.array([*at, thickness]))[0].tolist()}  # fmt: skip


def _man(rng: Rng, camera: Camera, form: tuple[float, float], at: Array) -> dict[str, Any]:
    diameter, thickness = form
    look, kind = surface(rng, COLOURS[str(rng.choice(["white", "black", "red", "brown"]))])
    body = scene.turned("man", disc_profile(diameter, thickness, 0.8, [(diameter / 4, 1.2, 0.3)]), look)
    scene.place(body, (*at, 0), rng.uniform(0, 6.28))
    return {"diameter": diameter, "thickness": thickness, "edge_radius": 0.8, "look": kind, "position": at.tolist(),
            "pixel": camera.project(np.array([*at, thickness]))[0].tolist()}  # fmt: skip
