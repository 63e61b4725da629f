"""A whole carrom board: frame, surface with holes, nets, print and four cards."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.cycles import scene
from benchmarks.cycles.camera import framing, phone
from benchmarks.cycles.layout import CORNERS, Layout, painted, places, random_layout, values
from benchmarks.cycles.pieces import Shot, table
from benchmarks.cycles.prints import Prints
from benchmarks.cycles.shapes import filleted

Array = NDArray[np.float64]
Rng = np.random.Generator

RING = ("sw", "se", "ne", "nw")
FRAMES = {
    "black": (0.012, 0.012, 0.013), "brown": (0.12, 0.045, 0.02), "light wood": (0.5, 0.3, 0.13),
    "red": (0.3, 0.02, 0.02), "dark wood": (0.05, 0.025, 0.015),
    "blue": (0.02, 0.04, 0.2), "rosewood": (0.16, 0.03, 0.02),
}  # fmt: skip
WOODS = [(0.72, 0.48, 0.24), (0.78, 0.6, 0.38), (0.62, 0.36, 0.15), (0.8, 0.66, 0.46), (0.7, 0.55, 0.3)]


def board(rng: Rng, prints: Prints, size: tuple[int, int]) -> Shot:
    """One board with four cards, looked at from above."""
    layout = random_layout(rng)
    truth: dict[str, Any] = {"values": values(layout)}
    tall, wide = float(rng.uniform(19, 25.4)), float(rng.uniform(63.5, 76))
    gap = float(rng.choice([0.0, 0.0, rng.uniform(0.1, 1.0)]))
    truth["frame"] = _frame(rng, layout, tall, wide) | {"gap": gap}
    truth["print"] = _surface(rng, layout, prints, gap)
    truth["nets"] = _nets(rng, layout)
    truth |= _cards(rng, prints)
    table(rng, -45.0)
    truth["light"] = scene.lights(rng, 600)
    tilt, turn, roll = np.radians(rng.uniform(0, 25)), rng.uniform(0, 2 * np.pi), np.radians(rng.normal(0, 4))
    toward = np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
    reach = 372 + wide
    subject = np.array([(x, y, z) for x in (-reach, reach) for y in (-reach, reach) for z in (-20, tall)], float)
    camera = framing(
        phone(rng, size), size, subject, (toward, np.array([np.sin(roll), np.cos(roll), 0])), rng.uniform(0.9, 0.97)
    )
    truth["tilt_deg"] = float(np.degrees(tilt))
    truth["pixels"] = {key: camera.project(np.array([*p, 0]))[0].tolist() for key, p in places(layout).items()}
    return camera, np.array([0.0, 0, 0]), subject, truth


def _miters(layout: Layout) -> list[tuple[Array, Array]]:
    """For each corner its foot and by how much it moves for each mm outwards."""
    feet = [layout.feet[c] for c in RING]
    normals = []
    for a, b in zip(feet, feet[1:] + feet[:1], strict=True):
        d = (b - a) / np.linalg.norm(b - a)
        normals.append(np.array([d[1], -d[0]]))
    return [(feet[i], np.linalg.solve(np.array([normals[i - 1], normals[i]]), np.ones(2))) for i in range(4)]


def _frame(rng: Rng, layout: Layout, tall: float, wide: float) -> dict[str, Any]:
    name = str(rng.choice(list(FRAMES)))
    colour = tuple(float(c * rng.uniform(0.85, 1.15)) for c in FRAMES[name])
    rough, inner = float(rng.uniform(0.08, 0.5)), float(rng.uniform(0.5, 5))
    more = {
        "Roughness": rough,
        "Coat_Weight": float(rng.choice([0, 1])),
        "Coat_Roughness": float(rng.uniform(0.03, 0.2)),
    }
    plain = name in ("black", "red", "blue")
    look = (
        scene.plain(colour, **more)
        if plain
        else scene.veined(colour, tuple(0.6 * c for c in colour), (0.01, 0.05, 0.05), **more)
    )
    profile = filleted([(0, -40, 0), (0, tall, inner), (wide, tall, float(rng.uniform(1, 8))), (wide, -40, 0)])
    miters = _miters(layout)
    points = [(*(foot + o * out), z) for foot, out in miters for o, z in profile]
    n, m = len(profile), 4 * len(profile)
    faces = [
        [i * n + k, (i * n + n + k) % m, (i * n + n + (k + 1) % n) % m, i * n + (k + 1) % n]
        for i in range(4)
        for k in range(n)
    ]
    scene.mesh("frame", points, [f[::-1] for f in faces], [look])
    rounded = bool(rng.random() < 0.6)
    if rounded:
        for corner in CORNERS:
            _corner_piece(layout, corner, tall - inner, look)
    return {
        "height": tall,
        "width": wide,
        "colour": name,
        "roughness": rough,
        "inner_edge_radius": inner,
        "rounded_corners": rounded,
    }


def _corner_piece(layout: Layout, corner: str, tall: float, look: Any) -> None:
    """Wood that fills the frame's corner behind the pocket."""
    foot, (middle, _) = layout.feet[corner], layout.pockets[corner]
    signs = np.array(CORNERS[corner], float)
    radius = float(abs((foot - middle) @ signs) / 2)
    start = np.arctan2(signs[1], signs[0])
    arc = [
        middle + radius * np.array([np.cos(start + t), np.sin(start + t)])
        for t in np.linspace(-np.pi / 4, np.pi / 4, 24)
    ]
    outside = foot + signs * 3
    first, last = ([p[0], outside[1]] if abs(p[1] - foot[1]) < 2 else [outside[0], p[1]] for p in (arc[0], arc[-1]))
    outline = np.array([*arc[::-1], first, outside, last])
    turning = np.sum(outline[:, 0] * np.roll(outline[:, 1], -1) - outline[:, 1] * np.roll(outline[:, 0], -1))
    scene.prism("corner", outline if turning > 0 else outline[::-1], -40, tall - 0.02, look)


def _surface(rng: Rng, layout: Layout, prints: Prints, gap: float) -> dict[str, Any]:
    wood = np.array(WOODS[int(rng.integers(len(WOODS)))]) * rng.uniform(0.9, 1.1)
    rough, wear = float(rng.uniform(0.12, 0.5)), float(rng.choice([0.0, rng.uniform(0.02, 0.25)]))
    scale = (0.004, 0.08, 0.05) if rng.choice([0, 1]) else (0.08, 0.004, 0.05)
    light, dark = (tuple(map(float, tone)) for tone in (wood, wood * rng.uniform(0.7, 0.92)))
    coat = {"Coat_Weight": float(rng.choice([0, 0.6])), "Coat_Roughness": 0.1}
    look = scene.veined(light, dark, scale, 4, Roughness=rough, **coat)
    black = (0.015, 0.014, 0.013) if rng.random() < 0.75 else (0.06, 0.02, 0.012)
    tones = rng.uniform([0.35, 0.01, 0.01], [0.6, 0.06, 0.05]), rng.uniform(0.02, 0.5, 3)
    inks = [black, *(tuple(map(float, tone)) for tone in tones)]
    masks, side = prints.file("board-masks.png"), 752.0
    cv2.imwrite(str(masks), painted(layout, side, rng), [cv2.IMWRITE_PNG_COMPRESSION, 1])
    scene.inked(look, masks, side, inks, wear)
    outline = np.array([foot - out * (gap if gap else -0.5) for foot, out in _miters(layout)])
    plate = scene.prism("surface", outline, -float(rng.uniform(8, 12)), 0.0, look)
    raw = scene.plain((0.35, 0.22, 0.1), Roughness=0.8)
    for middle, diameter in layout.pockets.values():
        turns = np.arange(360) * np.pi / 180
        tool = scene.prism(
            "hole", middle + diameter / 2 * np.column_stack([np.cos(turns), np.sin(turns)]), -30, 30, raw
        )
        scene.cut(plate, tool)
    told = {key: getattr(layout, key) for key in ("head", "arc", "outline", "star", "lettering")}
    return told | {"upper_thickness": layout.lines["n"].upper_thickness, "roughness": rough, "wear": wear, "inks": inks}


def _nets(rng: Rng, layout: Layout) -> str:
    """Cords, or a bag of cloth, under each pocket."""
    kind = str(rng.choice(["white cord", "black cord", "yellow cord", "dark cloth", "red cloth"]))
    colours = {
        "white": (0.7, 0.7, 0.66),
        "black": (0.02, 0.02, 0.02),
        "yellow": (0.6, 0.45, 0.1),
        "dark": (0.03, 0.03, 0.04),
        "red": (0.3, 0.02, 0.02),
    }
    look = scene.plain(colours[kind.split(maxsplit=1)[0]], Roughness=0.9)
    for middle, diameter in layout.pockets.values():
        depth = np.linspace(0, 1, 9)
        profile = np.column_stack([diameter / 2 * (1.04 - 0.6 * depth**2), -12.5 - 30 * depth])[::-1]
        cord = kind.endswith("cord")
        bag = scene.turned("net", profile, look, segments=20 if cord else 96)
        bag.modifiers.clear()
        bag.data.polygons.foreach_set("use_smooth", [True] * len(bag.data.polygons))
        if cord:
            wire = bag.modifiers.new("cords", "WIREFRAME")
            wire.thickness = float(rng.uniform(0.8, 1.8))
        scene.place(bag, (*middle, 0), rng.uniform(0, 6.28))
    return kind


def _cards(rng: Rng, prints: Prints) -> dict[str, Any]:
    """Four cards beside the markings, one before each side."""
    true, thick = float(rng.uniform(0.995, 1.005)), float(rng.uniform(0.1, 0.25))
    width, height = (true * v for v in prints.size("cards"))
    level, placed = float(rng.uniform(0.72, 0.84)), []
    for number in range(4):
        turn = number * np.pi / 2 + np.radians(rng.normal(0, 3))
        middle = 160 * np.array([np.sin(number * np.pi / 2), np.cos(number * np.pi / 2)]) + rng.uniform(-6, 6, 2)
        x, y = np.meshgrid(np.linspace(-0.5, 0.5, 13) * width, np.linspace(0.5, -0.5, 9) * height)
        c, s = np.cos(turn), np.sin(turn)
        points = np.dstack([middle[0] + c * x - s * y, middle[1] + s * x + c * y, np.full_like(x, thick)])
        look = scene.printed(
            prints.page("cards", number + 1), (level,) * 3, rng.uniform(0.02, 0.05), Roughness=rng.uniform(0.4, 0.8)
        )
        scene.sheet("card", points, look)
        placed.append({"middle": middle.tolist(), "turn_deg": float(np.degrees(turn))})
    return {
        "print_scale_true": true,
        "print_scale": round(true + float(rng.normal(0, 0.00015)), 4),
        "cards": placed,
        "card_thickness": thick,
    }
