"""Discs, a striker and dice on the printed mat."""

from __future__ import annotations

import itertools
from typing import Any

import bpy
import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.cycles import scene
from benchmarks.cycles.camera import Camera, framing, phone
from benchmarks.cycles.prints import Prints
from benchmarks.cycles.shapes import disc_profile

Array = NDArray[np.float64]
Rng = np.random.Generator
Shot = tuple[Camera, Array, Array, dict[str, Any]]
"""Camera, point in focus, points around the subject, truth."""

SHEET = np.array([(x, y, z) for x in (-106, 106) for y in (-149, 149) for z in (0, 10)], float)
"""Around mat and pieces, mm."""

COLOURS = {
    "white": (0.78, 0.72, 0.58), "black": (0.015, 0.014, 0.014), "red": (0.45, 0.03, 0.025), "grey": (0.3, 0.3, 0.3),
    "slate": (0.09, 0.11, 0.13), "brown": (0.16, 0.07, 0.03), "yellow": (0.7, 0.45, 0.05),
    "sky blue": (0.22, 0.45, 0.68), "green": (0.04, 0.25, 0.08), "ivory": (0.8, 0.76, 0.66),
    "navy": (0.01, 0.02, 0.12), "purple": (0.15, 0.03, 0.25),
}  # fmt: skip
FREE = (68.0, 104.0)
"""Half width and half height of the mat's plain middle, mm, a little less than printed."""
FREE_MIDDLE = (0.0, 7.5)
"""Where that middle lies from the sheet's own, mm; the text is below."""


def surface(rng: Rng, colour: tuple[float, float, float], **more: float) -> tuple[Any, str]:
    """Wood, lacquer or plastic of a colour."""
    light = rng.uniform(0.8, 1.2)
    colour = tuple(float(np.clip(c * light, 0, 0.9)) for c in colour)
    look = str(rng.choice(["wood", "lacquer", "plastic"]))
    if look == "wood":
        shade = rng.uniform(0.5, 0.85)
        dark = tuple(c * shade for c in colour)
        long = rng.uniform(0.03, 0.08)
        return scene.veined(colour, dark, (long, 10 * long, 10 * long), Roughness=rng.uniform(0.3, 0.7), **more), look
    if look == "lacquer":
        return scene.plain(
            colour, Roughness=rng.uniform(0.3, 0.6), Coat_Weight=1.0, Coat_Roughness=rng.uniform(0.02, 0.15), **more
        ), look
    return scene.plain(colour, Roughness=rng.uniform(0.15, 0.55), Subsurface_Weight=0.0, **more), look


def table(rng: Rng, level: float) -> None:
    """A large table whose top is at a level."""
    tone = np.array([(0.35, 0.2, 0.1), (0.6, 0.58, 0.55), (0.08, 0.06, 0.05), (0.5, 0.4, 0.28)][rng.integers(4)])
    wood = scene.veined(tuple(tone), tuple(0.7 * tone), (0.002, 0.03, 0.03), Roughness=rng.uniform(0.3, 0.7))
    scene.box("table", (-1500, -1500, level - 30), (1500, 1500, level), wood)


def mat(rng: Rng, prints: Prints) -> dict[str, Any]:
    """The mat on its table, upper side at height 0 but for corners that stand up a little."""
    true = float(rng.uniform(0.995, 1.005))
    width, height = (true * v for v in prints.size("mat"))
    curl = float(rng.choice([0.0, rng.uniform(0.05, 0.4)]))
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, 43), np.linspace(0.5, -0.5, 61))
    rise = curl * np.clip(np.hypot(2 * x, 2 * y) - 1, 0, 1) ** 2 / 0.17
    points = np.dstack([x * width, y * height, rise])
    paper = tuple(float(v) for v in rng.uniform(0.72, 0.84) * np.array([1, rng.uniform(0.97, 1), rng.uniform(0.92, 1)]))
    look = scene.printed(prints.page("mat"), paper, rng.uniform(0.02, 0.05), Roughness=rng.uniform(0.35, 0.8))
    scene.sheet("mat", points, look)
    table(rng, -0.1)
    return {"print_scale_true": true, "print_scale": round(true + float(rng.normal(0, 0.00015)), 4), "curl": curl}


def above(rng: Rng, size: tuple[int, int], fill: tuple[float, float]) -> Camera:
    """A phone held over the mat, tilted by up to 25 degrees."""
    tilt, turn, roll = np.radians(rng.uniform(0, 25)), rng.uniform(0, 2 * np.pi), np.radians(rng.normal(0, 6))
    toward = np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
    roll += rng.choice([0, np.pi / 2, np.pi, 3 * np.pi / 2], p=[0.45, 0.05, 0.45, 0.05])
    return framing(
        phone(rng, size), size, SHEET, (toward, np.array([np.cos(roll), np.sin(roll), 0])), rng.uniform(*fill)
    )


def scattered(rng: Rng, radii: Array, gap: float) -> Array:
    """Places on the free middle with some air between; a crowded throw is thrown again."""
    while True:
        placed: list[Array] = []
        for radius in radii:
            for _ in range(200):
                at = FREE_MIDDLE + rng.uniform(-1, 1, 2) * (np.array(FREE) - radius)
                if all(np.hypot(*(at - p)) > radius + r + gap for p, r in zip(placed, radii, strict=False)):
                    placed.append(at)
                    break
        if len(placed) == len(radii):
            return np.array(placed)


def discs(rng: Rng, prints: Prints, size: tuple[int, int]) -> Shot:
    """Six to twelve loose round pieces of one thickness and rim, each of its own diameter and look."""
    thickness, rim = float(rng.uniform(6, 10)), float(rng.uniform(0.2, 1.2))
    truth = mat(rng, prints) | {"light": scene.lights(rng, 300)}
    camera = above(rng, size, (0.5, 0.76))
    count = int(rng.integers(6, 13))
    nominal = float(rng.uniform(27, 33))
    diameters = np.clip(nominal + rng.normal(0, rng.choice([0.15, 2.5]), count), 26, 34)
    names = ["white", "black", "red", "grey", "slate", "brown", "yellow", "sky blue"]
    truth["discs"] = [
        _disc(rng, camera, (float(d), thickness, rim), at, names[int(rng.integers(len(names)))])
        for d, at in zip(diameters, scattered(rng, diameters / 2, 2.5), strict=True)
    ]
    return camera, np.array([0, 0, thickness]), SHEET, truth | _stated(rng, thickness, rim)


def _disc(rng: Rng, camera: Camera, form: tuple[float, float, float], at: Array, name: str) -> dict[str, Any]:
    diameter, thickness, rim = (
        form[0],
        form[1] + float(rng.normal(0, 0.05)),
        max(0.1, form[2] + float(rng.normal(0, 0.06))),
    )
    outer = diameter / 2 - rim - 0.8
    grooves = [(r, float(rng.uniform(0.5, 1.4)), float(rng.uniform(0.15, 0.5)))
               for r in sorted(rng.uniform(3, outer, rng.integers(0, 5)), reverse=True)]  # fmt: skip
    grooves = [g for i, g in enumerate(grooves) if i == 0 or grooves[i - 1][0] - g[0] > 2]
    oval, barrel = (float(rng.uniform(0, 0.025)), float(rng.uniform(0, np.pi))), float(rng.choice([0, 0, 0.06]))
    look, kind = surface(rng, COLOURS[name])
    body = scene.turned("disc", disc_profile(diameter, thickness, rim, grooves, barrel), look, oval)
    scene.place(body, (*at, 0), rng.uniform(0, 6.28))
    return {"diameter": diameter, "roundness": 2 * oval[0], "thickness": thickness, "edge_radius": rim,
            "barrel": barrel, "colour": name, "look": kind, "grooves": grooves, "position": at.tolist(),
            "pixel": camera.project(np.array([*at, thickness]))[0].tolist()}  # fmt: skip


def _stated(rng: Rng, thickness: float, rim: float) -> dict[str, Any]:
    """What the user says, to a tenth of a millimetre."""
    return {"thickness_stated": round(thickness + float(rng.normal(0, 0.05)), 1),
            "edge_radius_stated": max(0.1, round(rim + float(rng.normal(0, 0.06)), 1))}  # fmt: skip


def striker(rng: Rng, prints: Prints, size: tuple[int, int]) -> Shot:
    """One striker with printed decoration."""
    truth = mat(rng, prints) | {"light": scene.lights(rng, 300)}
    camera = above(rng, size, (0.5, 0.78))
    thickness, rim, diameter = float(rng.uniform(8, 10)), float(rng.uniform(0.3, 1.2)), float(rng.uniform(38, 42))
    name = str(rng.choice([n for n in COLOURS if n not in ("brown", "slate")]))
    one = _disc(rng, camera, (diameter, thickness, rim), rng.uniform(-20, 20, 2), name)
    masks = prints.file("decoration.png")
    cv2.imwrite(str(masks), _decoration(rng, diameter))
    body = bpy.data.objects["disc"]
    inks = [COLOURS[n] for n in rng.choice(list(COLOURS), 3, replace=False)]
    scene.inked(body.data.materials[0], masks, diameter, inks, rng.uniform(0, 0.3))
    return camera, np.array([0, 0, thickness]), SHEET, truth | {"discs": [one]} | _stated(rng, thickness, rim)


def _decoration(rng: Rng, diameter: float) -> Array:
    """Rings, petals and letters in three channels, free of the rim."""
    side, middle = 1200, (600, 600)
    per_mm = side / diameter
    masks = np.zeros((side, side, 3), np.uint8)
    for channel in range(3):
        layer = np.zeros((side, side), np.uint8)
        for radius in rng.uniform(3, diameter / 2 - 3, rng.integers(0, 3)):
            cv2.circle(layer, middle, int(radius * per_mm), 255, int(rng.uniform(0.5, 3) * per_mm), cv2.LINE_AA)
        petals, reach = int(rng.integers(3, 13)), rng.uniform(5, diameter / 2 - 4)
        if rng.random() < 0.6:
            for turn in np.arange(petals) * 360 / petals:
                at = (
                    int(600 + np.cos(np.radians(turn)) * reach * per_mm / 2),
                    int(600 + np.sin(np.radians(turn)) * reach * per_mm / 2),
                )
                cv2.ellipse(
                    layer, at, (int(reach * per_mm / 2), int(reach * per_mm / 9)), turn, 0, 360, 255, -1, cv2.LINE_AA
                )
        elif rng.random() < 0.5:
            cv2.putText(layer, "CLUB 7", (330, 700), cv2.FONT_HERSHEY_DUPLEX, 4.5, 255, 14, cv2.LINE_AA)
        masks[..., 2 - channel] = layer
    return masks


# dice -----------------------------------------------------------------------------------------------------------------

_FOUR = [(-1, -1), (1, 1), (-1, 1), (1, -1)]
PIPS = {1: [(0, 0)], 2: _FOUR[:2], 3: [*_FOUR[:2], (0, 0)], 4: _FOUR, 5: [*_FOUR, (0, 0)], 6: [*_FOUR, (-1, 0), (1, 0)]}
TURNS = [
    turn
    for order in itertools.permutations(np.eye(3))
    for signs in itertools.product((1, -1), repeat=3)
    if np.linalg.det(turn := np.array(order) * np.array(signs)[:, None]) > 0
]
"""The 24 ways in which a die can lie square to its faces."""
FACES = {1: (0, 0, 1), 6: (0, 0, -1), 2: (1, 0, 0), 5: (-1, 0, 0), 3: (0, 1, 0), 4: (0, -1, 0)}


def dice(rng: Rng, prints: Prints, size: tuple[int, int]) -> Shot:
    """Four to nine dice of mixed sizes, colours, roundings and pips."""
    truth = mat(rng, prints) | {"light": scene.lights(rng, 300)}
    camera = above(rng, size, (0.55, 0.8))
    edges = (
        rng.uniform(12, 19, rng.integers(4, 10))
        if rng.random() < 0.7
        else np.full(rng.integers(4, 10), rng.uniform(12, 19))
    )
    places = scattered(rng, edges * 0.72, float(rng.choice([0.5, 4])))
    truth["dice"] = [_die(rng, camera, float(edge), at) for edge, at in zip(edges, places, strict=True)]
    return camera, np.array([0, 0, 12.0]), SHEET, truth


def _die(rng: Rng, camera: Camera, edge: float, at: Array) -> dict[str, Any]:
    edges = edge + rng.normal(0, 0.03, 3)
    rounding = float(rng.choice([rng.uniform(0.15, 0.6), rng.uniform(0.6, 0.13 * edge)]))
    corner = float(rng.choice([1.0, rng.uniform(0.8, 0.9)]))
    name, look, kind = _die_look(rng)
    body = _rounded_box(edges, rounding, corner, look)
    turn, yaw = TURNS[int(rng.integers(len(TURNS)))], float(rng.uniform(0, 2 * np.pi))
    light = sum(COLOURS.get(name, (0.3, 0.3, 0.3))) > 0.8
    pip_ink = scene.plain((0.02, 0.02, 0.025) if light else (0.85, 0.84, 0.8), Roughness=rng.uniform(0.2, 0.6))
    pip, pitch = float(rng.uniform(0.15, 0.21)) * edge, float(rng.uniform(0.24, 0.28)) * edge
    depth = float(rng.uniform(0.25, 0.45)) * pip
    up = next(value for value, normal in FACES.items() if (turn @ np.array(normal))[2] > 0.5)
    _drill(body, edges, turn, (pip, pitch, depth), pip_ink)
    scene.finish(body)
    scene.place(body, (*at, edges[2] / 2), yaw)
    return {"face": up, "edges": edges[:2].tolist(), "height": float(edges[2]), "edge_radius": rounding,
            "ball_corners": corner < 1, "colour": name, "look": kind, "pip_diameter": pip, "yaw_deg": np.degrees(yaw),
            "position": at.tolist(), "pixel": camera.project(np.array([*at, edges[2]]))[0].tolist()}  # fmt: skip


def _die_look(rng: Rng) -> tuple[str, Any, str]:
    name = str(rng.choice([n for n in COLOURS if n != "brown"]))
    colour = tuple(float(np.clip(c * rng.uniform(0.93, 1.07), 0, 0.9)) for c in COLOURS[name])
    kind = str(rng.choice(["glossy", "satin", "clear", "marbled"], p=[0.35, 0.25, 0.2, 0.2]))
    if kind == "clear":
        name = str(rng.choice(["red", "green", "navy", "purple"]))
        tint = tuple(float(np.clip(4 * c + 0.05, 0, 0.95)) for c in COLOURS[name])
        return name, scene.clear(tint, rng.uniform(0.0, 0.08)), kind
    if kind == "marbled":
        other = tuple(float(np.clip(c * rng.choice([0.35, 1.8]) + 0.02, 0, 0.85)) for c in colour)
        scale = float(rng.uniform(0.1, 0.35))
        return name, scene.veined(colour, other, (scale,) * 3, 3, Roughness=0.15, Coat_Weight=0.5), kind
    return (
        name,
        scene.plain(colour, Roughness=rng.uniform(0.03, 0.15) if kind == "glossy" else rng.uniform(0.25, 0.5)),
        kind,
    )


def _rounded_box(edges: Array, rounding: float, corner: float, material: Any) -> Any:
    """A cuboid about the origin with rounded edges; `corner` < 1: cut by a ball of that share of the diagonal."""
    half, steps = edges / 2, 9
    arc = np.tan(np.linspace(0, np.pi / 4, steps))
    line = np.concatenate([-1 - arc[::-1], 1 + arc])
    vertices: list[Array] = []
    faces: list[list[int]] = []
    for axis in range(3):
        for sign in (-1, 1):
            first, n = len(vertices), len(line)
            for u in line:
                for v in line:
                    point = np.empty(3)
                    point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3] = sign * 2, u, v
                    vertices.append(point)
            for i in range(n - 1):
                for j in range(n - 1):
                    ring = [
                        first + i * n + j,
                        first + (i + 1) * n + j,
                        first + (i + 1) * n + j + 1,
                        first + i * n + j + 1,
                    ]
                    faces.append(ring if sign > 0 else ring[::-1])
    points = np.array(vertices)
    core = np.clip(points, -1, 1)
    out = points - core
    points = core * (half - rounding) + rounding * out / np.linalg.norm(out, axis=1, keepdims=True)
    merged, index = np.unique(np.round(points, 6), axis=0, return_inverse=True)
    body = scene.mesh("die", merged, index.reshape(-1)[np.array(faces)].tolist(), [material], smooth=False)
    if corner < 1:
        scene.cut(body, scene.ball(corner * float(np.linalg.norm(half)), material, 96), "INTERSECT")
    return body


def _drill(body: Any, edges: Array, turn: Array, pip: tuple[float, float, float], material: Any) -> None:
    """Take balls out of the faces."""
    diameter, pitch, depth = pip
    radius = (diameter**2 / 4 + depth**2) / (2 * depth)
    tools = []
    for value, normal in FACES.items():
        n = turn @ np.array(normal)
        for a, b in PIPS[value]:
            tools.append(scene.ball(radius, material, 24))
            scene.place(tools[-1], n * (edges / 2 + radius - depth) + (a * np.roll(n, 1) + b * np.roll(n, 2)) * pitch)
    bpy.context.view_layer.update()
    with bpy.context.temp_override(active_object=tools[0], selected_editable_objects=tools):
        bpy.ops.object.join()
    scene.cut(body, tools[0])
