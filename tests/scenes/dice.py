"""Dice of known size and number: rounded cubes with pips, cast shadows, see-through bodies, on plain and patterned ground.

Lengths in mm, light linear, as in `scene`; nothing is shared with the package under test.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from PIL import Image

from tests.scenes.render import FINE, Ground, project, ray_grid, sheet_light, to_codes
from tests.scenes.scene import Lamp, Lens, Scene, Sensor, Stand

AXES = {1: (0, 0, 1), 6: (0, 0, -1), 2: (1, 0, 0), 5: (-1, 0, 0), 3: (0, 1, 0), 4: (0, -1, 0)}
"""A die as it is spotted: which way each number looks."""
SPOTS = {
    1: ((0, 0),), 2: ((-1, -1), (1, 1)), 3: ((-1, -1), (0, 0), (1, 1)), 4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)), 6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}  # fmt: skip
SKY = 12


@dataclass(frozen=True)
class Body:
    """What a die is made of: the radius of its edges, the ball that cuts its corners, colours, pips, gloss."""

    rounding: float = 0.6
    ball: float = 0.0
    """Radius of a ball that cuts the corners, in half edges; 0: none."""
    colour: tuple[float, float, float] = (0.8, 0.79, 0.74)
    pip_colour: tuple[float, float, float] = (0.02, 0.02, 0.02)
    pip: float = 0.105
    """Radius of a pip, over the edge."""
    spread: float = 0.25
    """Distance of the outer pips from the middle, over the edge."""
    dimple: float = 0.0
    gloss: float = 0.1
    clear: float = 0.0
    """Share of the light that comes through the die."""
    ace: float = 1.0
    """The pip of the one over the others."""
    ace_colour: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Die:
    """A die on the ground: middle, edges along its two sides and up, yaw, the number on top and the one on its front."""

    x: float
    y: float
    size: tuple[float, float, float]
    yaw: float
    up: int
    front: int
    body: Body = field(default_factory=Body)

    @property
    def half(self) -> np.ndarray:
        return np.array(self.size) / 2

    def turn(self) -> np.ndarray:
        """Rows are the die's own axes on the ground's frame."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])

    def numbers(self) -> dict[tuple[int, int], int]:
        """Number by (axis, sign)."""
        up, front = np.array(AXES[self.up]), np.array(AXES[self.front])
        own = {(2, 1): up, (0, 1): front, (1, 1): np.cross(up, front)}
        by_way = {way: number for number, way in AXES.items()}
        return {
            (axis, sign): by_way[tuple(int(v) for v in sign * way)]
            for (axis, _), way in own.items()
            for sign in (1, -1)
        }

    def top(self) -> np.ndarray:
        return np.array([self.x, self.y, self.size[2]])

    def apart(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Distance on the ground from the die's square."""
        turn, half = self.turn(), self.half
        u = np.abs((x - self.x) * turn[0, 0] + (y - self.y) * turn[0, 1]) - half[0]
        v = np.abs((x - self.x) * turn[1, 0] + (y - self.y) * turn[1, 1]) - half[1]
        return np.hypot(np.maximum(u, 0), np.maximum(v, 0)) + np.minimum(np.maximum(u, v), 0)


@dataclass(frozen=True)
class Roll:
    """Dice in front of a camera; `scene` holds camera, lamp and sensor."""

    scene: Scene
    dice: tuple[Die, ...]
    ground: str = "plain"
    tone: tuple[float, float, float] = (0.35, 0.3, 0.24)

    def centres(self) -> np.ndarray:
        """Where the middles of the upper faces are seen."""
        return project(self.scene, np.array([die.top() for die in self.dice]).reshape(-1, 3))


def photograph_roll(roll: Roll) -> bytes:
    """The roll as a JPEG file."""
    scene = roll.scene
    light = render_roll(roll)
    random = np.random.default_rng(scene.seed)
    spread = np.sqrt(np.maximum(light, 0) * scene.sensor.noise**2 + scene.sensor.read_noise**2).astype(np.float32)
    codes = np.clip(np.round(to_codes(light + spread * random.standard_normal(light.shape, dtype=np.float32))), 0, 255)
    buffer = io.BytesIO()
    Image.fromarray(codes.astype(np.uint8)).save(buffer, "JPEG", quality=scene.sensor.jpeg)
    return buffer.getvalue()


def render_roll(roll: Roll) -> np.ndarray:
    """Linear light before noise."""
    scene, lens = roll.scene, roll.scene.lens
    texture = ground_texture(roll.ground, roll.tone, scene.seed)
    shade = _shade_map(roll)
    canvas = np.empty((lens.height * FINE, lens.width * FINE, 3), np.float32)
    depth = np.full(canvas.shape[:2], 1e6, np.float32)
    for top in range(0, lens.height, 256):
        height = min(256, lens.height - top)
        directions = ray_grid(lens, (0, top, lens.width, height), scene.stand.rotation())
        canvas[top * FINE : (top + height) * FINE] = _ground(roll, texture, shade, directions)
    for die in roll.dice:
        _draw(canvas, depth, roll, die, texture)
    soft = cv2.GaussianBlur(canvas, (0, 0), scene.sensor.blur * FINE)
    light = cv2.resize(soft, (lens.width, lens.height), interpolation=cv2.INTER_AREA)
    x, y = np.linspace(-1, 1, lens.width)[None, :], np.linspace(-1, 1, lens.height)[:, None]
    even = (1 + scene.lamp.slope[0] * x + scene.lamp.slope[1] * y) * (1 - scene.lamp.vignette * (x * x + y * y) / 2)
    return light * even[:, :, None].astype(np.float32) * np.array(scene.lamp.tint, np.float32)


# ------------------------------------------------------------------------------------------------------------ the ground


def ground_texture(kind: str, tone: tuple[float, float, float], seed: int) -> Ground:
    """The mat, or 320 mm of what dice are thrown on; with its size in mm."""
    if kind == "mat":
        return sheet_light("mat")
    random = np.random.default_rng(seed + 77)
    y, x = np.mgrid[0:1280, 0:1280].astype(np.float32) / 4
    base = np.array(tone, np.float32)
    pattern = _PATTERNS[kind](random, x, y)
    return np.clip(base[None, None] * pattern[:, :, None], 0, 0.95).astype(np.float32), (320.0, 320.0)


def _noise(random: np.random.Generator, size: float, shape: tuple[int, int] = (1280, 1280)) -> np.ndarray:
    rough = random.standard_normal((max(2, int(shape[0] / size)), max(2, int(shape[1] / size)))).astype(np.float32)
    return cv2.resize(rough, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)


def _plain(random: np.random.Generator, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 1 + 0.015 * _noise(random, 60)


def _card(random: np.random.Generator, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    specks = (random.random(x.shape) > 0.9994).astype(np.float32)
    return 1 + 0.05 * _noise(random, 2) + 0.05 * _noise(random, 7) + 6 * cv2.GaussianBlur(specks, (0, 0), 1.2)


def _leather(random: np.random.Generator, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.maximum(1 + 0.25 * _noise(random, 4) + 0.15 * _noise(random, 9), 0.2)


def _wood(random: np.random.Generator, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    bend = 6 * _noise(random, 300) + 2 * _noise(random, 90)
    return 1 + 0.12 * np.sin((x + bend) * random.uniform(0.3, 1.2)) + 0.05 * _noise(random, 6)


def _checks(random: np.random.Generator, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    cell, low = random.uniform(8, 30), random.uniform(0.25, 0.8)
    return np.where((np.floor(x / cell) + np.floor(y / cell)) % 2 == 0, 1, low)


def _stripes(random: np.random.Generator, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    a, cell, low = random.uniform(0, math.pi), random.uniform(4, 20), random.uniform(0.3, 0.85)
    return np.where(np.floor((x * math.cos(a) + y * math.sin(a)) / cell) % 2 == 0, 1, low)


def _cloth(random: np.random.Generator, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    f = random.uniform(2.5, 6)
    return 1 + 0.15 * np.sin(f * x) * np.sin(f * y) + 0.05 * _noise(random, 3)


def _dots(random: np.random.Generator, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    cell, low, r = random.uniform(6, 25), random.uniform(0.1, 0.7), random.uniform(0.12, 0.3)
    return np.where(np.hypot((x / cell) % 1 - 0.5, (y / cell) % 1 - 0.5) < r, low, 1)


def _print(random: np.random.Generator, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    page = np.full(x.shape, 255, np.uint8)
    size = random.uniform(0.5, 1.6)
    for line in range(40, 1280, int(60 * size)):
        words = "".join(random.choice(list("abcdegop8960 .,BDOQ ")) for _ in range(80))
        cv2.putText(page, words, (20, line), cv2.FONT_HERSHEY_SIMPLEX, size, 40, max(1, int(2 * size)), cv2.LINE_AA)
    return page.astype(np.float32) / 255


_PATTERNS = {"plain": _plain, "card": _card, "leather": _leather, "wood": _wood, "checks": _checks, "stripes": _stripes,
             "cloth": _cloth, "dots": _dots, "print": _print}  # fmt: skip
PLAIN, PATTERNED = ("plain", "card", "leather"), ("wood", "checks", "stripes", "cloth", "dots", "print")


def _shade_map(roll: Roll) -> np.ndarray:
    """Share of lamp and of open sky that reaches the ground, 4 samples a mm over 320 mm."""
    y, x = np.mgrid[0:1280, 0:1280].astype(np.float32)
    x, y = (x + 0.5) / 4 - 160, 160 - (y + 0.5) / 4
    both = np.ones((1280, 1280, 2), np.float32)
    ways = _lamp_ways(roll.scene.lamp)
    for die in roll.dice:
        reach = 4.5 * max(die.size)
        window = tuple(
            slice(max(0, int((c - reach) * 4)), max(0, int((c + reach) * 4))) for c in (160 - die.y, die.x + 160)
        )
        if both[window].size == 0:
            continue
        px, py = x[window], y[window]
        lit = np.mean([~_behind(die, px, py, way) for way in ways], axis=0)
        both[window][:, :, 0] *= cv2.GaussianBlur(lit.astype(np.float32), (0, 0), 1.2)
        apart = np.maximum(die.apart(px, py) + 0.4 * die.body.rounding, 0)
        both[window][:, :, 1] *= 1 - 0.5 * np.exp(-apart / (0.25 * max(die.size)))
    return both


def _lamp_ways(lamp: Lamp) -> np.ndarray:
    way = np.array(lamp.way) / np.linalg.norm(lamp.way)
    around = 2.4 * np.arange(SKY)
    spread = lamp.softness * np.sqrt((np.arange(SKY) + 0.5) / SKY)
    ways = way + np.column_stack([spread * np.cos(around), spread * np.sin(around), 0 * around])
    ways[:, 2] = np.maximum(ways[:, 2], 0.3)
    return ways / np.linalg.norm(ways, axis=1, keepdims=True)


def _behind(die: Die, x: np.ndarray, y: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Whether the ray from a ground point towards the lamp meets the die."""
    turn, half = die.turn(), die.half
    own = turn @ way
    start = [(x - die.x) * turn[0, 0] + (y - die.y) * turn[0, 1], (x - die.x) * turn[1, 0] + (y - die.y) * turn[1, 1]]
    near, far = np.zeros_like(x), np.full_like(x, die.size[2] / own[2])
    for axis in (0, 1):
        step = own[axis] if abs(own[axis]) > 1e-9 else 1e-9
        a, b = (-half[axis] - start[axis]) / step, (half[axis] - start[axis]) / step
        near, far = np.maximum(near, np.minimum(a, b)), np.minimum(far, np.maximum(a, b))
    return near < far


def _ground(roll: Roll, texture: Ground, shade: np.ndarray, directions: np.ndarray) -> np.ndarray:
    place = roll.scene.stand.place().astype(np.float32)
    reach = -place[2] / directions[:, :, 2]
    return _ground_at(
        roll, texture, shade, place[0] + reach * directions[:, :, 0], place[1] + reach * directions[:, :, 1]
    )


def _ground_at(roll: Roll, texture: Ground, shade: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    texture, size = texture
    across = texture.shape[1] / size[0] / roll.scene.print_scale
    down = texture.shape[0] / size[1] / roll.scene.print_scale
    border = cv2.BORDER_CONSTANT if roll.ground == "mat" else cv2.BORDER_REFLECT
    u = (x * across + texture.shape[1] / 2 - 0.5).astype(np.float32)
    v = (-y * down + texture.shape[0] / 2 - 0.5).astype(np.float32)
    value = cv2.remap(texture, u, v, cv2.INTER_LINEAR, borderMode=border, borderValue=(0.35,) * 3)
    at = ((x + 160) * 4 - 0.5).astype(np.float32), ((160 - y) * 4 - 0.5).astype(np.float32)
    both = cv2.remap(shade, *at, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(1, 1))
    lamp = roll.scene.lamp
    high = lamp.way[2] / np.linalg.norm(lamp.way)
    return value * (lamp.strength * high * both[..., :1] + lamp.everywhere * both[..., 1:])


# -------------------------------------------------------------------------------------------------------------- the dice


def _draw(canvas: np.ndarray, depth: np.ndarray, roll: Roll, die: Die, texture: Ground) -> None:
    scene = roll.scene
    signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    corners = (signs * die.half) @ die.turn() + (die.x, die.y, die.size[2] / 2)
    seen = project(scene, corners)
    low = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 3, 0)
    high = np.minimum(np.ceil(seen.max(axis=0)).astype(int) + 4, [scene.lens.width, scene.lens.height])
    if np.any(high - low < 2):
        return
    box = (int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))
    directions = ray_grid(scene.lens, box, scene.stand.rotation()).reshape(-1, 3).astype(np.float64)
    own_ways = directions @ die.turn().T
    own_place = die.turn() @ (scene.stand.place() - (die.x, die.y, die.size[2] / 2))
    hit, reach, normals = _meet(die, own_place, own_ways)
    window = (slice(box[1] * FINE, (box[1] + box[3]) * FINE), slice(box[0] * FINE, (box[0] + box[2]) * FINE))
    nearer = reach < depth[window].reshape(-1)[hit]
    hit, reach, normals = hit[nearer], reach[nearer], normals[nearer]
    points = own_place + reach[:, None] * own_ways[hit]
    part, deep = canvas[window].reshape(-1, 3), depth[window].reshape(-1)
    part[hit], deep[hit] = _shaded(roll, die, points, normals, own_ways[hit], texture), reach
    canvas[window], depth[window] = part.reshape(*canvas[window].shape), deep.reshape(depth[window].shape)


def _gap(die: Die, points: np.ndarray) -> np.ndarray:
    r = die.body.rounding
    out = np.abs(points) - (die.half - r)
    box = np.linalg.norm(np.maximum(out, 0), axis=1) + np.minimum(out.max(axis=1), 0) - r
    return np.maximum(box, np.linalg.norm(points, axis=1) - die.body.ball * die.half.mean()) if die.body.ball else box


def _meet(die: Die, place: np.ndarray, ways: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sphere tracing: which rays hit, after how far, and the normals there."""
    steps = np.where(np.abs(ways) < 1e-12, 1e-12, ways)
    one, two = (-die.half - place) / steps, (die.half - place) / steps
    reach, limit = np.minimum(one, two).max(axis=1), np.maximum(one, two).min(axis=1)
    alive = np.nonzero(reach < limit)[0]
    reach[reach >= limit] = 1e9
    for _ in range(70):
        gap = _gap(die, place + reach[alive, None] * ways[alive])
        reach[alive] += gap
        alive = alive[(gap > 1e-4) & (reach[alive] < limit[alive])]
        if not len(alive):
            break
    points = place + reach[:, None] * ways
    hit = np.nonzero(_gap(die, points) < 1.5e-3)[0]
    at = points[hit]
    slopes = np.stack([_gap(die, at + 1e-4 * axis) - _gap(die, at - 1e-4 * axis) for axis in np.eye(3)], axis=1)
    return hit, reach[hit], slopes / np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-12)


def _shaded(roll: Roll, die: Die, points: np.ndarray, normals: np.ndarray, ways: np.ndarray, texture: Ground
            ) -> np.ndarray:  # fmt: skip
    lamp, body = roll.scene.lamp, die.body
    way = die.turn() @ (np.array(lamp.way) / np.linalg.norm(lamp.way))
    albedo, normals = _spotted(die, points, normals)
    sky = 0.5 + 0.5 * normals[:, 2]
    low = np.clip(0.55 + 0.45 * (points[:, 2] / die.half[2] + 1) / 2, 0, 1)
    sky = np.where(normals[:, 2] < 0.3, (0.35 + 0.65 * sky) * low, sky) * _crowded(roll, die, points)
    value = albedo * (lamp.strength * np.maximum(normals @ way, 0) + lamp.everywhere * sky)[:, None]
    if body.clear:
        value = (1 - body.clear) * value + body.clear * _through(roll, die, points, ways, texture)
        spots, _ = _spotted(die, points, normals)
        opaque = np.linalg.norm(spots - np.array(body.colour), axis=1) > 1e-6
        value[opaque] = (spots * (lamp.strength * np.maximum(normals @ way, 0) + lamp.everywhere * sky)[:, None])[
            opaque
        ]
    mirror = ways - 2 * np.sum(ways * normals, axis=1, keepdims=True) * normals
    return (value + body.gloss * (np.maximum(mirror @ way, 0) ** 40)[:, None]).astype(np.float32)


def _crowded(roll: Roll, die: Die, points: np.ndarray) -> np.ndarray:
    """Neighbours take some of the sky."""
    at = points @ die.turn() + (die.x, die.y, 0)
    share = np.ones(len(points))
    for other in roll.dice:
        if (
            other is not die
            and np.hypot(other.x - die.x, other.y - die.y) < 1.7 * (max(die.size) + max(other.size)) / 2
        ):
            apart = np.maximum(other.apart(at[:, 0], at[:, 1]), 0)
            below = np.clip((die.half[2] - points[:, 2]) / die.half[2], 0, 1)
            share *= 1 - 0.7 * below * np.exp(-apart / 2)
    return share


def _spotted(die: Die, points: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Colour at points of the surface, and normals bent by the hollows of the pips."""
    body, numbers = die.body, die.numbers()
    albedo = np.repeat(np.array(body.colour, np.float64)[None], len(points), axis=0)
    bent = normals.copy()
    side = np.abs(points / die.half).argmax(axis=1)
    for (axis, sign), number in numbers.items():
        on = np.nonzero((side == axis) & (np.sign(points[:, axis]) == sign))[0]
        flat = [index for index in range(3) if index != axis]
        edge = float(np.mean(die.size))
        radius = body.pip * edge * (body.ace if number == 1 else 1.0)
        paint = body.ace_colour if number == 1 and body.ace_colour else body.pip_colour
        swap = (number * 7 + axis) % 2 == 0
        for spot in SPOTS[number]:
            place = np.array(spot[::-1] if swap else spot) * body.spread * edge * np.array([1, -1 if axis == 1 else 1])
            away = points[on][:, flat] - place
            inside = np.linalg.norm(away, axis=1) < radius
            albedo[on[inside]] = paint
            for number_of_axis, index in enumerate(flat):
                bent[on[inside], index] -= body.dimple * away[inside, number_of_axis] / radius
    return albedo, bent / np.linalg.norm(bent, axis=1, keepdims=True)


def _through(roll: Roll, die: Die, points: np.ndarray, ways: np.ndarray, texture: Ground) -> np.ndarray:
    """What is seen through a clear die: bent rays meet the far sides with their pips, and the ground behind."""
    bent = ways * np.array([0.66, 0.66, 1.0])
    bent /= np.linalg.norm(bent, axis=1, keepdims=True)
    steps = np.where(
        bent > 0, (die.half - points) / np.maximum(bent, 1e-9), (-die.half - points) / np.minimum(bent, -1e-9)
    )
    far = points + 0.999 * steps.min(axis=1, keepdims=True) * bent
    colour, _ = _spotted(die, far, np.repeat([[0, 0, 1.0]], len(far), axis=0))
    at = far @ die.turn() + (die.x, die.y, 0)
    light, (width, height) = texture
    rows = ((0.5 - at[:, 1] / height) * light.shape[0]).astype(int) % light.shape[0]
    behind = light[rows, ((0.5 + at[:, 0] / width) * light.shape[1]).astype(int) % light.shape[1]]
    behind = behind * 0.7 * (roll.scene.lamp.strength + roll.scene.lamp.everywhere)
    tint = np.array(die.body.colour)
    spotted = np.linalg.norm(colour - tint, axis=1) > 1e-6
    seen = behind * (tint / max(tint.max(), 0.05)) ** 0.7
    seen[spotted] = 0.5 * seen[spotted] + 0.25 * colour[spotted]
    return seen


def small_lens(width: int = 1600, focal: float = 1.25) -> Lens:
    """A 4 : 3 picture; `focal` over its width."""
    height = width * 3 // 4
    return Lens(width, height, focal * width, (width / 2 - 0.5, height / 2 - 0.5), (0.03, -0.05, 0.0, 0.0, 0.0))


__all__ = [
    "Body",
    "Die",
    "Lamp",
    "Lens",
    "Roll",
    "Scene",
    "Sensor",
    "Stand",
    "photograph_roll",
    "render_roll",
    "small_lens",
]
