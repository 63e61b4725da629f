"""One traced scene of each kind, by chance from a seed, with its true millimetres."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tests.scenes.board import CORNERS, Board, any_board, laid_cards
from tests.scenes.board_render import PER_MM, _card_light, surface
from tests.scenes.dice import Body, Die
from tests.scenes.figure import HALF_HEIGHT, Base, Figure
from tests.scenes.figure_poses import COLOURS, TABLES, any_top, stand_at
from tests.scenes.render import project, sheet_light
from tests.scenes.scene import Lamp, Lens, Piece, Scene, Stand
from tests.scenes.throws import BODIES, DARK, LIGHT
from tests.scenes.traced import meshes
from tests.scenes.traced.meshes import Mesh
from tests.scenes.traced.tracer import View

Truth = dict[str, object]
WOOD = (0.3, 0.2, 0.12)


@dataclass(frozen=True)
class Traced:
    """Meshes, camera and what is true of them; `options` is what a user would say to `measure`."""

    meshes: tuple[Mesh, ...]
    view: View
    truth: Truth
    options: tuple[str, ...] = ()


def pinhole(megapixels: float, field_width: float = 1.32) -> Lens:
    """A camera without distortion whose principal point is the middle."""
    width = round(math.sqrt(megapixels * 1e6 * 4 / 3) / 8) * 8
    height = width * 3 // 4
    return Lens(width, height, width / field_width, ((width - 1) / 2, (height - 1) / 2))


def _lamp(random: np.random.Generator) -> Lamp:
    angle, high = random.uniform(0, 2 * math.pi), random.uniform(0.2, 0.95)
    way = (math.sin(high) * math.cos(angle), math.sin(high) * math.sin(angle), math.cos(high))
    tint = 1 + random.uniform(-0.12, 0.12)
    return Lamp(
        way, random.uniform(0.3, 0.9), random.uniform(0.15, 0.5), random.uniform(0.1, 0.45), tint=(tint, 1, 2 - tint)
    )


def _mat(random: np.random.Generator, lens: Lens) -> tuple[list[Mesh], Stand, float]:
    """The mat on a wooden table, seen from nearly above, and its print scale."""
    light, (width, height) = sheet_light("mat")
    scale = 1 + random.normal(0, 0.002)
    x, y = width * scale / 2, height * scale / 2
    corners = np.array([[-x, -y, 0], [x, -y, 0], [x, y, 0], [-x, y, 0]])
    reach = 1.15 * max(width / lens.width, height / lens.height) * lens.focal
    stand = Stand(
        reach, math.radians(random.uniform(1, 16)), random.uniform(0, 6.28), random.normal(0, 0.1) + math.pi / 2
    )
    return [meshes.quad(corners, light), meshes.plane(800, -0.12, WOOD, 0.3)], stand, scale


def _seen(lens: Lens, stand: Stand, places: Sequence[Sequence[float]]) -> list[list[float]]:
    """Pixels of places."""
    return project(Scene(lens, stand), np.array(places, dtype=float)).tolist()


def _pieces(random: np.random.Generator, sizes: Sequence[float], high: float, rim: float) -> list[Piece]:
    names = ["ivory", "black", "red", "grey", "sky", "white", "green", "navy"]
    found = []
    for index, size in enumerate(sizes):
        x, y = (index % 3 - 1) * 38 + random.uniform(-3, 3), (index // 3 - 1) * 42 + random.uniform(-3, 3)
        name = names[int(random.integers(len(names)))]
        found.append(Piece(x, y, size, high, rim, COLOURS[name], name, gloss=float(random.choice([0.0, 0.5, 0.9]))))
    return found


def discs(seed: int, lens: Lens) -> Traced:
    """Eight coins on the mat."""
    random = np.random.default_rng(seed)
    high, rim = random.uniform(7.5, 9), random.uniform(0.5, 1.2)
    pieces = _pieces(random, random.uniform(30, 32, 8), high, rim)
    return _on_mat(random, lens, pieces, seed)


def striker(seed: int, lens: Lens) -> Traced:
    """One striker on the mat."""
    random = np.random.default_rng(seed + 500)
    return _on_mat(random, lens, _pieces(random, [random.uniform(39, 41.5)], random.uniform(7, 10), 1.0), seed)


def _on_mat(random: np.random.Generator, lens: Lens, pieces: Sequence[Piece], seed: int) -> Traced:
    ground, stand, scale = _mat(random, lens)
    seen = _seen(lens, stand, [(p.x, p.y, p.thickness) for p in pieces])
    truth: Truth = {
        "pieces": [{"px": at, "diameter": p.diameter, "gloss": p.gloss, "colour": p.name}
                   for p, at in zip(pieces, seen, strict=True)]
    }  # fmt: skip
    first = pieces[0]
    options = (
        "--print-scale",
        f"{scale:.4f}",
        "--thickness",
        f"{first.thickness:.1f}mm",
        "--edge-radius",
        f"{first.rim:.1f}mm",
    )
    return Traced((*ground, *map(meshes.disc, pieces)), View(lens, stand, _lamp(random), seed=seed), truth, options)


def dice(seed: int, lens: Lens) -> Traced:
    """Six dice of mixed sizes and colours on the mat."""
    random = np.random.default_rng(seed + 1000)
    ground, stand, scale = _mat(random, lens)
    laid = []
    for index in range(6):
        kind = str(random.choice(list(BODIES)))
        colour = BODIES[kind]
        body = Body(random.uniform(0.4, 1.6), 0.0, colour, LIGHT if np.mean(colour) < 0.25 else DARK,
                    random.uniform(0.09, 0.11), random.uniform(0.23, 0.27), gloss=random.uniform(0.3, 0.9))  # fmt: skip
        up = int(random.integers(1, 7))
        front = int(random.choice([n for n in range(1, 7) if n not in (up, 7 - up)]))
        x, y = (index % 2 - 0.5) * 52 + random.uniform(-8, 8), (index // 2 - 1) * 46 + random.uniform(-8, 8)
        laid.append(Die(x, y, (random.uniform(12, 19),) * 3, random.uniform(0, 1.57), up, front, body))
    seen = _seen(lens, stand, [d.top() for d in laid])
    truth: Truth = {"dice": [{"px": at, "edge": d.size[0], "up": d.up} for d, at in zip(laid, seen, strict=True)]}
    view = View(lens, stand, _lamp(random), seed=seed)
    return Traced((*ground, *map(meshes.die, laid)), view, truth, ("--print-scale", f"{scale:.4f}"))


def figure(seed: int, lens: Lens) -> Traced:
    """A figure before the backdrop: any base, also fuller than an ellipse, matt to glossy."""
    random = np.random.default_rng(seed + 2000)
    height = random.uniform(5.2, 7.4)
    depth = random.uniform(0.5, 0.6) * height
    wide, tall = random.uniform(8.6, 10.2), random.uniform(1.1, 1.5) * depth
    base = Base(wide, tall, height - depth, height, power=random.uniform(1.9, 2.5))
    names = list(COLOURS)
    colours = COLOURS[names[int(random.integers(len(names)))]], COLOURS[names[int(random.integers(len(names)))]]
    who = Figure(base, any_top(random), random.uniform(-8, 8), 20 + random.normal(0, 0.4), colours=colours,
                 gloss=float(random.choice([0.0, 0.5, 0.85, 0.97])))  # fmt: skip
    scale = 1 + random.normal(0, 0.002)
    light, (width, tallness) = sheet_light("backdrop")
    x, top = width * scale / 2, tallness * scale - HALF_HEIGHT
    sheet = meshes.quad(np.array([[-x, -HALF_HEIGHT, 0], [x, -HALF_HEIGHT, 0], [x, top, 0], [-x, top, 0]]), light)
    tables = list(TABLES.values())
    table = meshes.plane(400, 0.0, tables[int(random.integers(len(tables)))], float(random.choice([0.0, 0.4])))
    upright = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    ground = table.moved(upright, np.array([0, -HALF_HEIGHT, 0]))
    parts = [part.moved(np.eye(3), np.array([who.x, -HALF_HEIGHT, who.standoff])) for part in meshes.figure(who)]
    reach = 1.15 * lens.focal / lens.width * 148
    stand = stand_at(reach, math.radians(random.uniform(1, 8)), math.radians(random.uniform(-8, 8)), random.normal(0, 0.02),
                     (random.uniform(-5, 5), random.uniform(-38, -25)))  # fmt: skip
    lamp = _lamp(random)
    lamp = replace(lamp, way=(lamp.way[0], lamp.way[2], abs(lamp.way[1]) + 0.2))
    truth: Truth = {"figure": who.truth, "gloss": who.gloss, "colour": colours[0]}
    options = ("--print-scale", f"{scale:.4f}", "--standoff", "20±0.4mm")
    return Traced((sheet, ground, *parts), View(lens, stand, lamp, seed=seed), truth, options)


def board(seed: int, lens: Lens) -> Traced:
    """A whole board with four cards; satin or glossy walls that mirror the surface."""
    random = np.random.default_rng(seed + 3000)
    one = replace(any_board(seed), gap=0.0)
    canvas = surface(one, seed)
    half = canvas.half
    square = np.array([[-half, -half, 0], [half, -half, 0], [half, half, 0], [-half, half, 0]])
    top = meshes.quad(
        square, canvas.pixels.astype(np.float32) / 255, float(random.choice([0.2, 0.6])), _solid(one, half)
    )
    floor = meshes.plane(1500, -one.hole_depth - 20, one.look.floor, 0.0)
    frame = _frame(one, float(random.choice([0.2, 0.6, 0.9])))
    scale = 1 + random.normal(0, 0.002)
    cards = [_card(card.number, card.x, card.y, card.angle, scale) for card in laid_cards(seed, 4)]
    nets = [_net(one, corner) for corner in CORNERS]
    tilt = math.radians(random.uniform(2, 22))
    reach = 960 * lens.focal / lens.height * (1 + 0.3 * math.sin(tilt))
    stand = Stand(reach, tilt, random.uniform(0, 6.28), random.normal(0, 0.08))
    truth: Truth = {"board": [[*key, value] for key, value in one.truth().items()]}
    view = View(lens, stand, _lamp(random), seed=seed)
    return Traced((top, floor, frame, *cards, *nets), view, truth, ("--print-scale", f"{scale:.4f}"))


def _solid(one: Board, half: float) -> np.ndarray:
    """The surface without its pockets."""
    size = int(2 * half * PER_MM) // 2
    at = (np.arange(size) + 0.5) * 2 * half / size - half
    x, y = at[None, :], -at[:, None]
    solid = np.ones((size, size), np.float32)
    for index, corner in enumerate(CORNERS):
        middle = one.pocket_centre(corner)
        solid[np.hypot(x - middle[0], y - middle[1]) < one.pocket[index] / 2] = 0
    return solid


def _net(one: Board, corner: str) -> Mesh:
    """A pocket's wall below the surface and the net's floor."""
    radius, middle = one.pocket[CORNERS.index(corner)] / 2, one.pocket_centre(corner)
    points, faces = meshes.turned(
        np.array([[0.0, -one.hole_depth - 15], [radius, -one.hole_depth - 15], [radius, 0.0]])
    )
    return Mesh(points + np.array([*middle, 0]), faces, one.look.net, smooth=False)


def _loop(one: Board, outwards: float, radius: float) -> np.ndarray:
    """The frame's inner line moved outwards, its corners rounded: as many points whatever is asked."""
    found = []
    for index, angle in enumerate((math.pi / 2, 0.0, -math.pi / 2, -math.pi)):
        corner = np.array(one.corners[index])
        way = corner / np.abs(corner)
        middle = corner + (outwards - radius) * way
        turn = angle + math.pi / 2 - np.linspace(0, math.pi / 2, 13)
        found += [middle + radius * np.array([math.cos(t), math.sin(t)]) for t in turn]
    return np.array(found)


def _frame(one: Board, gloss: float) -> Mesh:
    rings = [(_loop(one, 0.0, one.corner_radius), 0.0), (_loop(one, 0.0, one.corner_radius), one.frame_height),
             (_loop(one, one.frame_width, 8.0), one.frame_height), (_loop(one, one.frame_width, 8.0), -30.0)]  # fmt: skip
    points = np.vstack([np.column_stack([loop, np.full(len(loop), z)]) for loop, z in rings])
    count = len(rings[0][0])
    here, there = np.arange(count), (np.arange(count) + 1) % count
    faces = []
    for row in range(3):
        low, high = row * count, (row + 1) * count
        faces += [np.column_stack([low + here, low + there, high + there]),
                  np.column_stack([low + here, high + there, high + here])]  # fmt: skip
    return Mesh(points, np.concatenate(faces), one.look.frame_wall, gloss, smooth=False)


def _card(number: int, x: float, y: float, angle: float, scale: float) -> Mesh:
    light = _card_light(number) / 255
    half = np.array([[-74, -52.5], [74, -52.5], [74, 52.5], [-74, 52.5]]) * scale
    c, s = math.cos(angle), math.sin(angle)
    flat = half @ np.array([[c, s], [-s, c]]) + [x, y]
    return meshes.quad(np.column_stack([flat, np.full(4, 0.1)]), light)


KINDS: dict[str, Callable[[int, Lens], Traced]] = {
    "board": board, "coins": discs, "striker": striker, "figure": figure, "dice": dice,
}  # fmt: skip
