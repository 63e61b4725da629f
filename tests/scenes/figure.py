"""Subbuteo figures in front of the backdrop, drawn by ray marching, with their true millimetres.

The base is a solid of revolution of any outline, the top a little man of capsules and balls; the sheet stands upright on
the table behind them. Shadows, the sky's light in the corner under the base, the lens, noise and JPEG come as they do in a
photo. Frame: the sheet's (x right, y up from its middle, z towards the camera); the table lies at the sheet's lower edge.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image
from scipy.ndimage import map_coordinates

from tests.scenes.render import FINE, project, ray_grid, sheet_light, to_codes
from tests.scenes.scene import Lens, Scene, Sensor, Stand

HALF_HEIGHT = 52.5
FALL = 0.05
"""mm; a feeler blade this thick, under a straightedge on the upper face, stops where a rounded edge begins to fall."""
_GRID = 0.01
_COARSE = 0.4


@dataclass(frozen=True)
class Base:
    """An ellipsoid of half-axes `wide` and `tall` around `centre`, cut at the table and at `height`, upper edge as told."""

    wide: float = 9.5
    tall: float = 7.0
    centre: float = 5.2
    height: float = 6.0
    edge: str = "sharp"
    """sharp, cut or round."""
    size: float = 0.0
    """Depth of the cut, or radius of the rounding."""
    width: float = 0.0
    """Of the cut, inwards."""
    power: float = 2.0
    """2 is an ellipse; more is fuller."""

    def radius(self, y: np.ndarray | float) -> np.ndarray:
        share = np.clip(np.abs((np.asarray(y) - self.centre) / self.tall), 0, 1)
        return self.wide * (1 - share**self.power) ** (1 / self.power)

    def outline(self) -> np.ndarray:
        """(r, y) from the middle of the underside to the middle of the upper face."""
        side = {"sharp": self._sharp, "cut": self._cut, "round": self._round}[self.edge]()
        return np.vstack([[0.0, 0.0], side, [0.0, self.height]])

    def _sharp(self) -> np.ndarray:
        y = self.height * (1 - np.cos(np.linspace(0, np.pi, 240))) / 2
        return np.column_stack([self.radius(y), y])

    def _cut(self) -> np.ndarray:
        side = replace(self, edge="sharp", height=self.height - self.size)._sharp()
        return np.vstack([side, [side[-1, 0] - self.width, self.height]])

    def _round(self) -> np.ndarray:
        y = np.linspace(0, self.height, 4001)
        r = self.radius(y)
        slope = np.gradient(r, y)
        normal_r = 1 / np.hypot(1, slope)
        normal_y = -slope * normal_r
        ball = y - self.size * normal_y - (self.height - self.size)
        touch = int(np.nonzero(ball >= 0)[0][0])
        middle = r[touch] - self.size * normal_r[touch]
        angle = np.linspace(math.atan2(normal_y[touch], normal_r[touch]), math.pi / 2, 120)
        arc = np.column_stack([middle + self.size * np.cos(angle), self.height - self.size + self.size * np.sin(angle)])
        return np.vstack([np.column_stack([r, y])[: touch + 1 : 16], arc])

    @property
    def truth(self) -> dict[str, float]:
        line = self.outline()
        widest = min(self.centre, self.height - (self.size if self.edge != "sharp" else 0))
        radius = float(self.radius(widest))
        if self.edge == "round" and widest < self.centre:
            radius = float(line[-2, 0]) + self.size
        return {
            "fig.base.height": self.height,
            "fig.base.diameter": 2 * radius,
            "fig.base.dmax_depth": self.height - float(widest),
            "fig.base.top_diameter": 2 * self.face,
        }

    @property
    def face(self) -> float:
        """Radius of the upper face: at a corner it ends, along a rounding it has ended once it fell by 0.05 mm."""
        if self.edge != "round":
            return float(self.outline()[-2, 0])
        arc = self._round()[-120:]
        return float(np.interp(self.height - FALL, arc[:, 1], arc[:, 0]))


@dataclass(frozen=True)
class Top:
    """A man: legs, trunk, arms and head. Heights are from the table, x is across, z is depth; turned with the figure."""

    height: float = 33.0
    width: float = 9.0
    thickness: float = 4.0
    stride: float = 1.2
    raise_arm: float = 0.3
    lean: float = 0.0

    def limbs(self, foot: float) -> list[tuple[np.ndarray, np.ndarray, float]]:
        """Capsules: both ends and the radius."""
        head = min(0.5 * self.thickness, 2.4)
        tall = self.height - foot
        leg, arm = 0.32 * min(self.thickness, 3.6), 0.3 * min(self.thickness, 3.2)
        hip, neck = foot + 0.45 * tall, self.height - 2 * head - 0.3
        half = self.width / 2 - arm
        trunk = 0.5 * self.thickness
        side = max(0.2 * self.width, 0.5)
        hand = np.array([hip + 0.05 * tall + self.raise_arm * (neck - hip), hip + 0.05 * tall])
        shoulder = neck - arm - 0.4
        parts = [
            ([-self.stride - 0.5, foot - 0.3, 0], [-side * 0.7, hip, 0], leg),
            ([self.stride + 0.5, foot - 0.3, 0], [side * 0.7, hip, 0], leg),
            ([-side, hip, 0], [-side, neck - trunk, 0], min(trunk, side + 1.2)),
            ([side, hip, 0], [side, neck - trunk, 0], min(trunk, side + 1.2)),
            ([-side, shoulder, 0], [-half, (shoulder + hand[0]) / 2, 0], arm),
            ([-half, (shoulder + hand[0]) / 2, 0], [-half, hand[0], 0], arm),
            ([side, shoulder, 0], [half, (shoulder + hand[1]) / 2, 0], arm),
            ([half, (shoulder + hand[1]) / 2, 0], [half, hand[1], 0], arm),
            ([0, neck - 0.5, 0], [0, self.height - head, 0], 0.6 * head),
            ([self.lean, self.height - head, 0], [self.lean, self.height - head, 0], head),
        ]
        return [(np.array(a, float), np.array(b, float), float(r)) for a, b, r in parts]

    def truth(self, foot: float) -> dict[str, float]:
        limbs = self.limbs(foot)
        across = [e[0] + s * r for a, b, r in limbs for e in (a, b) for s in (-1, 1)]
        deep = [e[2] + s * r for a, b, r in limbs for e in (a, b) for s in (-1, 1)]
        return {"fig.height": self.height, "fig.top.width": max(across) - min(across),
                "fig.top.thickness": max(deep) - min(deep)}  # fmt: skip


@dataclass(frozen=True)
class Figure:
    base: Base = field(default_factory=Base)
    top: Top = field(default_factory=Top)
    x: float = 0.0
    standoff: float = 20.0
    turn: float = 0.0
    """About the upright axis: 0 seen from the front, 90° from the side."""
    tilt: float = 0.0
    """To the side, as seen from the camera."""
    colours: tuple[tuple[float, float, float], ...] = ((0.75, 0.74, 0.7), (0.3, 0.03, 0.03))
    """Base and top."""
    disc: tuple[float, float, float] | None = None
    """Colour of the upper face and edge, where it is another."""
    gloss: float = 0.0

    @property
    def truth(self) -> dict[str, float]:
        return {**self.base.truth, **self.top.truth(self.base.height)}


@dataclass(frozen=True)
class FigureLamp:
    way: tuple[float, float, float] = (0.3, 0.8, 0.5)
    strength: float = 0.6
    everywhere: float = 0.45
    softness: float = 0.1


@dataclass(frozen=True)
class FigureScene:
    lens: Lens
    stand: Stand
    figure: Figure
    lamp: FigureLamp = field(default_factory=FigureLamp)
    sensor: Sensor = field(default_factory=Sensor)
    table: tuple[float, float, float] = (0.3, 0.2, 0.12)
    grain: float = 0.0
    backdrop_lean: float = 0.0
    """Of the sheet out of the upright, backwards, radians."""
    print_scale: float = 1.0
    seed: int = 0
    board: tuple[float, float] = (0.0, 0.0)
    """Thickness of a board under the figure alone, and how far before the sheet it begins, mm; of an upright sheet."""

    @property
    def flat(self) -> Scene:
        """Lens and stand as the shared renderer wants them."""
        return Scene(self.lens, self.stand)


# ------------------------------------------------------------------------------------------------------------ the solid


@lru_cache(maxsize=8)
def _base_table(base: Base) -> tuple[np.ndarray, float]:
    """Signed distance to the base's outline on a fine grid of (y, r)."""
    line = base.outline()
    line = np.vstack([line, line[-2::-1] * [-1, 1]])
    span, rise = float(line[:, 0].max()) + 2.0, base.height + 3.0
    pad = 1.5
    fine = 4 * _GRID
    r, y = np.meshgrid(np.arange(0, span, fine), np.arange(-pad, rise, fine))
    table = _polygon_distance(line, r.ravel(), y.ravel()).reshape(r.shape).astype(np.float32)
    size = (r.shape[1] * 4 - 3, r.shape[0] * 4 - 3)
    near_r, near_y = np.meshgrid(np.arange(size[0]) * _GRID, np.arange(size[1]) * _GRID - pad)
    big = cv2.remap(
        table, (near_r / fine).astype(np.float32), ((near_y + pad) / fine).astype(np.float32), cv2.INTER_LINEAR
    )
    close = np.abs(big) < 0.06
    big[close] = _polygon_distance(line, near_r[close], near_y[close]).astype(np.float32)
    return big, pad


def _polygon_distance(line: np.ndarray, r: np.ndarray, y: np.ndarray) -> np.ndarray:
    half = line[: len(line) // 2 + 1]
    start, end = half[:-1], half[1:]
    best = np.full(len(r), np.inf)
    for a, b in zip(start, end, strict=True):
        way = b - a
        length = float(way @ way)
        if length == 0:
            continue
        share = np.clip(((r - a[0]) * way[0] + (y - a[1]) * way[1]) / length, 0, 1)
        np.minimum(best, (r - a[0] - share * way[0]) ** 2 + (y - a[1] - share * way[1]) ** 2, out=best)
    edge = np.interp(y, *_widths(half))
    inside = (np.abs(r) < edge) & (y > half[0, 1]) & (y < half[-1, 1])
    return np.where(inside, -1, 1) * np.sqrt(best)


def _widths(half: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(half[1:-1, 1], kind="stable")
    return half[1:-1, 1][order], half[1:-1, 0][order]


@dataclass(frozen=True)
class Solid:
    """Distances to base and top in the figure's own frame: foot at the origin, y up."""

    table: np.ndarray
    pad: float
    limbs: tuple[tuple[np.ndarray, np.ndarray, float], ...]
    reach: float
    tall: float
    space: np.ndarray
    """Distances on a coarse grid of 0.4 mm, for the way there and for shadows."""

    def roughly(self, points: np.ndarray) -> np.ndarray:
        at = ((points - [-self.reach - 1, -1.0, -self.reach - 1]) / _COARSE).T
        return map_coordinates(self.space, at, order=1, mode="nearest", prefilter=False)

    def base(self, points: np.ndarray) -> np.ndarray:
        r = np.hypot(points[:, 0], points[:, 2])
        u = (r / _GRID).astype(np.float32)
        v = ((points[:, 1] + self.pad) / _GRID).astype(np.float32)
        rows, columns = self.table.shape
        out = np.hypot(np.maximum(u - (columns - 1), 0), np.maximum(np.maximum(v - (rows - 1), -v), 0)) * _GRID
        return _remapped(self.table, u, v) + out

    def top(self, points: np.ndarray) -> np.ndarray:
        best = np.full(len(points), np.inf)
        for a, b, radius in self.limbs:
            way = b - a
            share = np.clip((points @ way - a @ way) / max(float(way @ way), 1e-9), 0, 1)
            apart = [points[:, axis] - a[axis] - share * way[axis] for axis in range(3)]
            np.minimum(best, np.sqrt(apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2) - radius, out=best)
        return best

    def distance(self, points: np.ndarray) -> np.ndarray:
        return np.minimum(self.base(points), self.top(points))


def _remapped(table: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    if not len(u):
        return np.zeros(0)
    width = 4096
    count = -(-len(u) // width) * width
    wide_u, wide_v = np.zeros(count, np.float32), np.zeros(count, np.float32)
    wide_u[: len(u)], wide_v[: len(v)] = u, v
    found = cv2.remap(table, wide_u.reshape(-1, width), wide_v.reshape(-1, width), cv2.INTER_LINEAR,
                      borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    return found.ravel()[: len(u)].astype(np.float64)


def solid_of(figure: Figure) -> Solid:
    c, s = math.cos(figure.turn), math.sin(figure.turn)
    spin = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    limbs = tuple((spin @ a, spin @ b, r) for a, b, r in figure.top.limbs(figure.base.height))
    table, pad = _base_table(figure.base)
    reach = max(figure.base.wide, *(float(np.hypot(e[0], e[2])) + r for a, b, r in limbs for e in (a, b)))
    solid = Solid(table, pad, limbs, reach + 0.3, figure.top.height + 0.3, np.zeros((1, 1, 1), np.float32))
    axes = [np.arange(-solid.reach - 1, solid.reach + 1.4, _COARSE), np.arange(-1.0, solid.tall + 1.4, _COARSE)]
    cells = np.stack(np.meshgrid(axes[0], axes[1], axes[0], indexing="ij"), axis=-1)
    return replace(solid, space=solid.distance(cells.reshape(-1, 3)).reshape(cells.shape[:3]).astype(np.float32))


def march(solid: Solid, places: np.ndarray, ways: np.ndarray, steps: int = 500) -> np.ndarray:
    """How far along each ray (unit directions) the solid is met; infinite where it is missed. Own frame."""
    near, far = _span(solid, places, ways)
    t = near.copy()
    alive = np.nonzero(near < far)[0]
    hit = np.full(len(ways), np.inf)
    steps = steps if len(alive) else 0
    for _ in range(steps):
        points = places[alive] + t[alive, None] * ways[alive]
        gap = solid.roughly(points) - 0.35
        close = np.nonzero(gap < 0.3)[0]
        gap[close] = solid.distance(points[close])
        done = gap < 4e-4
        hit[alive[done]] = t[alive[done]]
        t[alive] += np.maximum(gap, 4e-4)
        alive = alive[~done & (t[alive] < far[alive])]
        if not len(alive):
            break
    return hit


def _span(solid: Solid, places: np.ndarray, ways: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where rays enter and leave the upright cylinder around the solid."""
    a = ways[:, 0] ** 2 + ways[:, 2] ** 2
    b = places[:, 0] * ways[:, 0] + places[:, 2] * ways[:, 2]
    c = places[:, 0] ** 2 + places[:, 2] ** 2 - solid.reach**2
    root = b * b - a * c
    safe = np.sqrt(np.maximum(root, 0))
    low, high = (-b - safe) / np.maximum(a, 1e-9), (-b + safe) / np.maximum(a, 1e-9)
    rise = np.where(np.abs(ways[:, 1]) < 1e-9, 1e-9, ways[:, 1])
    bottom, top = -places[:, 1] / rise, (solid.tall - places[:, 1]) / rise
    low = np.maximum(np.maximum(low, np.minimum(bottom, top)), 0)
    high = np.minimum(high, np.maximum(bottom, top))
    return low, np.where(root > 0, high, -np.inf)


# ------------------------------------------------------------------------------------------------------------- the light


def _ways_in_cone(way: np.ndarray, spread: float, count: int) -> np.ndarray:
    """Directions spread evenly around one."""
    index = np.arange(count) + 0.5
    radius, angle = spread * np.sqrt(index / count), index * 2.399963
    across = np.cross(way, [0.0, 0.0, 1.0] if abs(way[2]) < 0.9 else [1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    other = np.cross(way, across)
    ways = way + radius[:, None] * (np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * other)
    return ways / np.linalg.norm(ways, axis=1, keepdims=True)


def _sky(normal: np.ndarray, count: int) -> np.ndarray:
    """Directions as a matt surface weighs them."""
    index = np.arange(count) + 0.5
    radius, angle = np.sqrt(index / count), index * 2.399963
    across = np.cross(normal, [0.6, 0.3, 0.74])
    across /= np.linalg.norm(across)
    other = np.cross(normal, across)
    flat = radius[:, None] * (np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * other)
    return flat + np.sqrt(1 - radius**2)[:, None] * normal


@dataclass(frozen=True)
class LightMap:
    """Light on a plane, worked out on a grid: share of the lamp and of the sky that arrive."""

    low: tuple[float, float]
    step: float
    lamp: np.ndarray
    sky: np.ndarray

    def at(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a = (u - np.float32(self.low[0])) * np.float32(1 / self.step)
        b = (v - np.float32(self.low[1])) * np.float32(1 / self.step)
        return tuple(cv2.remap(part, a, b, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
                     for part in (self.lamp, self.sky))  # type: ignore[return-value]  # fmt: skip


def light_map(scene: FigureScene, solid: Solid, grid: tuple[np.ndarray, np.ndarray], normal: np.ndarray,
              place: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> LightMap:  # fmt: skip
    """`place` takes the grid's two coordinates to the figure's frame."""
    u, v = np.meshgrid(*grid)
    points = place(u.ravel(), v.ravel()) + 1e-3 * normal
    way = np.array(scene.lamp.way) / np.linalg.norm(scene.lamp.way)
    lamp = _share(solid, points, _ways_in_cone(way, scene.lamp.softness, 14))
    sky = _share(solid, points, _sky(normal, 24))
    step = float(grid[0][1] - grid[0][0])
    shape = u.shape
    return LightMap((float(grid[0][0]), float(grid[1][0])), step, lamp.reshape(shape).astype(np.float32),
                    sky.reshape(shape).astype(np.float32))  # fmt: skip


def _share(solid: Solid, points: np.ndarray, ways: np.ndarray) -> np.ndarray:
    total = np.zeros(len(points))
    for way in ways:
        total += 1 - _shadowed(solid, points, np.broadcast_to(way, points.shape))
    return total / len(ways)


def _shadowed(solid: Solid, points: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """Whether rays meet the solid, on the coarse grid."""
    near, far = _span(solid, points, ways)
    t = near.copy()
    alive = np.nonzero(near < far)[0]
    hit = np.zeros(len(points))
    for _ in range(40 if len(alive) else 0):
        gap = solid.roughly(points[alive] + t[alive, None] * ways[alive])
        done = gap < 0.02
        hit[alive[done]] = 1
        t[alive] += np.maximum(gap, 0.05)
        alive = alive[~done & (t[alive] < far[alive])]
        if not len(alive):
            break
    return hit


# ------------------------------------------------------------------------------------------------------------ the picture


def render(scene: FigureScene) -> np.ndarray:
    """The picture in linear light, before noise."""
    solid = solid_of(scene.figure)
    lens = scene.lens
    maps = _maps(scene, solid)
    canvas = np.empty((lens.height * FINE, lens.width * FINE, 3), np.float32)
    for top in range(0, lens.height, 256):
        height = min(256, lens.height - top)
        canvas[top * FINE : (top + height) * FINE] = _ground(scene, maps, (0, top, lens.width, height))
    _draw_figure(canvas, scene, solid)
    soft = cv2.GaussianBlur(canvas, (0, 0), scene.sensor.blur * FINE)
    return cv2.resize(soft, (lens.width, lens.height), interpolation=cv2.INTER_AREA)


def _foot(scene: FigureScene) -> np.ndarray:
    """The figure's foot in the sheet's frame."""
    lean, scale = scene.backdrop_lean, scene.print_scale
    down, out = _table_axes(lean)
    low = -HALF_HEIGHT * scale + scene.board[0]
    return np.array([scene.figure.x, low, 0]) + scene.figure.standoff * out + 0 * down


def _table_axes(lean: float) -> tuple[np.ndarray, np.ndarray]:
    """Up and outwards along the table, in the sheet's frame; the sheet leans backwards."""
    return np.array([0, math.cos(lean), math.sin(lean)]), np.array([0, -math.sin(lean), math.cos(lean)])


def _to_own(scene: FigureScene) -> np.ndarray:
    """Rows are the figure's axes (x, up, out) in the sheet's frame."""
    up, out = _table_axes(scene.backdrop_lean)
    c, s = math.cos(scene.figure.tilt), math.sin(scene.figure.tilt)
    x = np.array([1.0, 0, 0])
    return np.stack([c * x - s * up, s * x + c * up, out])


def _maps(scene: FigureScene, solid: Solid) -> tuple[LightMap, LightMap]:
    own, foot = _to_own(scene), _foot(scene)
    up, out = _table_axes(scene.backdrop_lean)
    line = np.array([0, -HALF_HEIGHT * scene.print_scale + scene.board[0], 0])

    def on_table(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return (line + u[:, None] * np.array([1.0, 0, 0]) + v[:, None] * out - foot) @ own.T

    def on_sheet(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return (np.column_stack([u, v, np.zeros_like(u)]) - foot) @ own.T

    middle = scene.figure.x
    table = (np.arange(middle - 28, middle + 28.01, 0.35), np.arange(-1, 50, 0.35))
    sheet = (np.arange(-44, 44.01, 0.7), np.arange(-53, 0, 0.7))
    return (light_map(scene, solid, table, own @ up, on_table),
            light_map(scene, solid, sheet, own @ np.array([0, 0, 1.0]), on_sheet))  # fmt: skip


def _ground(scene: FigureScene, maps: tuple[LightMap, LightMap], box: tuple[int, int, int, int]) -> np.ndarray:
    """Sheet and table behind the figure."""
    ways = ray_grid(scene.lens, box, scene.stand.rotation())
    place = scene.stand.place().astype(np.float32)
    reach = -place[2] / ways[:, :, 2]
    x, y = place[0] + reach * ways[:, :, 0], place[1] + reach * ways[:, :, 1]
    low = -HALF_HEIGHT * scene.print_scale
    picture = np.full(ways.shape, 0.12, np.float32)
    rows = np.nonzero((y > low).any(axis=1))[0]
    if len(rows):
        part = slice(rows[0], rows[-1] + 1)
        picture[part] = _sheet_light(scene, maps[1], x[part], y[part])
        picture[(np.abs(x) > 74 * scene.print_scale) | (y > -low)] = 0.12
    rows = np.nonzero((y <= low + scene.board[0]).any(axis=1))[0]
    if len(rows):
        part = slice(rows[0], rows[-1] + 1)
        below = (y[part] <= low) | _over_board(scene, place, ways[part])
        picture[part][below] = _table_light(scene, maps[0], place, ways[part])[below]
    return picture


def _over_board(scene: FigureScene, place: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """Which rays meet the board that the figure alone stands on; table and board are of one colour."""
    thickness, begins = scene.board
    fall = np.minimum(ways[:, :, 1], np.float32(-1e-6))
    reach = (np.float32(-HALF_HEIGHT * scene.print_scale + thickness) - place[1]) / fall
    return np.asarray((thickness > 0) & (place[2] + reach * ways[:, :, 2] > begins))


def _sheet_light(scene: FigureScene, shade: LightMap, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    texture, size = sheet_light("backdrop")
    rows, columns = texture.shape[:2]
    across, down = columns / size[0] / scene.print_scale, rows / size[1] / scene.print_scale
    value = cv2.remap(texture, x * np.float32(across) + np.float32(columns / 2 - 0.5),
                      y * np.float32(-down) + np.float32(rows / 2 - 0.5), cv2.INTER_LINEAR,
                      borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    lamp, sky = shade.at(x, y)
    facing = scene.lamp.way[2] / np.linalg.norm(scene.lamp.way)
    # Near the table the sheet sees half of the sky replaced by the table.
    low = np.float32(0.75) + np.float32(0.25 / 12) * np.clip(y + np.float32(HALF_HEIGHT), 0, 12)
    value *= (np.float32(scene.lamp.strength * max(facing, 0)) * lamp + np.float32(scene.lamp.everywhere) * sky * low)[
        :, :, None
    ]
    return value


def _table_light(scene: FigureScene, shade: LightMap, place: np.ndarray, ways: np.ndarray) -> np.ndarray:
    up, out = (axis.astype(np.float32) for axis in _table_axes(scene.backdrop_lean))
    line = np.array([0, -HALF_HEIGHT * scene.print_scale + scene.board[0], 0], np.float32)
    fall = ways @ up
    reach = np.float32((line - place) @ up) / np.where(np.abs(fall) < 1e-6, np.float32(-1e-6), fall)
    x = place[0] + reach * ways[:, :, 0]
    z = np.float32((place - line) @ out) + reach * (ways @ out)
    facing = float(np.array(scene.lamp.way) @ up / np.linalg.norm(scene.lamp.way))
    lamp, sky = shade.at(x, z)
    low = np.float32(0.65) + np.float32(0.35 / 15) * np.clip(z, 0, 15)
    light = np.float32(scene.lamp.strength * max(facing, 0)) * lamp + np.float32(scene.lamp.everywhere) * sky * low
    if scene.grain:
        light *= 1 + scene.grain * (np.sin(1.7 * z + 0.6 * np.sin(0.21 * x)) + 0.6 * np.sin(4.1 * z + 0.3 * x)) / 1.6
    return light[:, :, None] * np.array(scene.table, np.float32)


def _draw_figure(canvas: np.ndarray, scene: FigureScene, solid: Solid) -> None:
    own = _to_own(scene)
    box, _, ways, met, points = _met(scene, solid)
    part = canvas[box[1] * FINE : (box[1] + box[3]) * FINE, box[0] * FINE : (box[0] + box[2]) * FINE]
    values = part.reshape(-1, 3).copy()
    values[met] = _shade(scene, solid, own, points, ways[met])
    part[:] = values.reshape(part.shape)


def _met(
    scene: FigureScene, solid: Solid
) -> tuple[tuple[int, int, int, int], tuple[int, int], np.ndarray, np.ndarray, np.ndarray]:
    """The part of the picture around the figure, its fine grid's shape and rays; which of these meet it, and where."""
    own, foot = _to_own(scene), _foot(scene)
    corners = np.array([[a, b, c] for a in (-solid.reach, solid.reach) for b in (0, solid.tall)
                        for c in (-solid.reach, solid.reach)]) @ own + foot  # fmt: skip
    seen = project(scene.flat, corners)
    low = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 3, 0)
    high = np.minimum(np.ceil(seen.max(axis=0)).astype(int) + 4, [scene.lens.width, scene.lens.height])
    box = (int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))
    ways = ray_grid(scene.lens, box, scene.stand.rotation()).astype(np.float64)
    shape = (ways.shape[0], ways.shape[1])
    place = (scene.stand.place() - foot) @ own.T
    flat = ways.reshape(-1, 3) @ own.T
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    wanted = _maybe(solid, place, flat, shape)
    t = march(solid, np.broadcast_to(place, (len(wanted), 3)), flat[wanted])
    met = np.isfinite(t)
    return box, shape, flat, wanted[met], place + t[met, None] * flat[wanted[met]]


def silhouette(scene: FigureScene) -> np.ndarray:
    """Columns and rows of the photo, in pixels, that the figure covers; with their heights above the table, mm."""
    box, shape, _, met, points = _met(scene, solid_of(scene.figure))
    row, column = np.divmod(met, shape[1])
    return np.column_stack([box[0] + (column + 0.5) / FINE - 0.5, box[1] + (row + 0.5) / FINE - 0.5, points[:, 1]])


def _maybe(solid: Solid, place: np.ndarray, ways: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Rays near which a coarse look found the solid."""
    step = 8
    index = np.arange(len(ways)).reshape(shape)[::step, ::step]
    coarse = ways[index.ravel()]
    near, far = _span(solid, np.broadcast_to(place, coarse.shape), coarse)
    t = near.copy()
    closest = np.full(len(coarse), np.inf)
    alive = np.nonzero(near < far)[0]
    for _ in range(40):
        gap = solid.roughly(place + t[alive, None] * coarse[alive]) if len(alive) else np.zeros(0)
        closest[alive] = np.minimum(closest[alive], gap)
        t[alive] += np.maximum(gap, 0.02)
        alive = alive[(t[alive] < far[alive]) & (gap > 1e-3)]
        if not len(alive):
            break
    hit = (closest < 1.0).reshape(index.shape).astype(np.uint8)
    wide = cv2.dilate(hit, np.ones((3, 3), np.uint8))
    full = np.kron(wide, np.ones((step, step), np.uint8))[: shape[0], : shape[1]]
    return np.nonzero(full.ravel())[0]


def _shade(scene: FigureScene, solid: Solid, own: np.ndarray, points: np.ndarray, ways: np.ndarray) -> np.ndarray:
    figure, lamp = scene.figure, scene.lamp
    step = 2e-3
    slopes = [solid.distance(points + step * axis) - solid.distance(points - step * axis) for axis in np.eye(3)]
    normals = np.stack(slopes, axis=1)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    base = solid.base(points) < solid.top(points)
    albedo = np.where(base[:, None], np.array(figure.colours[0]), np.array(figure.colours[1]))
    if figure.disc is not None:
        albedo[base & (points[:, 1] > figure.base.height - 1.2)] = figure.disc
    way = own @ (np.array(lamp.way) / np.linalg.norm(lamp.way))
    lit = np.maximum(normals @ way, 0)
    start = points + 4e-3 * normals
    for index in np.array_split(np.nonzero(lit > 0)[0], 4):
        lit[index] *= 1 - _shadowed(solid, start[index] + 0.3 * normals[index], np.broadcast_to(way, (len(index), 3)))
    sky = 0.5 + 0.5 * normals[:, 1]
    # Under the base only what the table throws back arrives, less the nearer it is.
    open_below = np.clip(points[:, 1] / 5.0, 0.08, 1.0)
    bounce = np.array(scene.table)[None, :] * (0.5 - 0.5 * normals[:, 1:2]) * open_below[:, None]
    value = albedo * (
        lamp.strength * lit[:, None] + lamp.everywhere * (sky[:, None] * np.sqrt(open_below)[:, None] + bounce)
    )
    mirror = ways - 2 * np.sum(ways * normals, axis=1, keepdims=True) * normals
    value += figure.gloss * (np.maximum(mirror @ way, 0) ** 50)[:, None]
    return value.astype(np.float32)


def photograph(scene: FigureScene) -> bytes:
    """The scene as a JPEG file."""
    light = render(scene)
    random = np.random.default_rng(scene.seed)
    spread = np.sqrt(np.maximum(light, 0) * scene.sensor.noise**2 + scene.sensor.read_noise**2).astype(np.float32)
    light = light + spread * random.standard_normal(light.shape, dtype=np.float32)
    codes = np.clip(np.round(to_codes(light)), 0, 255).astype(np.uint8)
    buffer = io.BytesIO()
    exif = Image.Exif()
    Image.fromarray(codes).save(buffer, "JPEG", quality=scene.sensor.jpeg, exif=exif)
    return buffer.getvalue()
