"""Rendering a board: rays met with the frame's top and walls, the surface, and the holes; markings from a fine texture."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import cv2
import numpy as np
from PIL import Image

from tests.scenes.board import CIRCLES, CORNERS, SIDES, TURNS, Board, Card, Colour, Shot, turned
from tests.scenes.render import FINE, _draw_piece, _unbent, to_codes, to_linear
from tests.scenes.scene import Scene

PER_MM = 8.0
MARGIN = 16.0
TILE = 144
Array = np.ndarray


class Canvas:
    """The surface's reflectance, linear, 8 pixels a mm, drawn with exact edges."""

    def __init__(self, board: Board, seed: int) -> None:
        self.half = max(abs(v) for corner in board.corners for v in corner) + MARGIN
        self.size = int(2 * self.half * PER_MM)
        self.random = np.random.default_rng(seed)
        wood = np.array(board.look.wood, np.float32)
        grain = self._noise(12, 90) * 0.7 + self._noise(60, 200) * 0.5
        small = np.clip((1 + board.look.grain * grain)[:, :, None] * wood * 255, 0, 255).astype(np.uint8)
        self.pixels = cv2.resize(small, (self.size, self.size), interpolation=cv2.INTER_LINEAR)
        self.worn = self._noise(500, 500) if board.look.wear else None
        self.wear = board.look.wear

    def _noise(self, down: int, across: int) -> Array:
        small = self.random.standard_normal((down, across)).astype(np.float32)
        return cv2.resize(small, (1000, 1000), interpolation=cv2.INTER_CUBIC)

    def _wear_at(self, rows: slice, columns: slice) -> Array:
        down = (np.arange(rows.start, rows.stop) * 1000 // self.size)[:, None]
        across = (np.arange(columns.start, columns.stop) * 1000 // self.size)[None, :]
        return self.worn[down, across]

    def window(self, low: Array, high: Array) -> tuple[slice, slice, Array, Array]:
        left, right = (
            int(np.clip((v + self.half) * PER_MM + d, 0, self.size)) for v, d in ((low[0], -4), (high[0], 4))
        )
        top, bottom = (
            int(np.clip((self.half - v) * PER_MM + d, 0, self.size)) for v, d in ((high[1], -4), (low[1], 4))
        )
        x = (np.arange(left, right, dtype=np.float32) + 0.5) / PER_MM - self.half
        y = self.half - (np.arange(top, bottom, dtype=np.float32) + 0.5) / PER_MM
        return slice(top, bottom), slice(left, right), x[None, :], y[:, None]

    def paint(
        self,
        low: Array,
        high: Array,
        outside: Callable[[Array, Array], Array],
        colour: Colour,
        strength: float = 1.0,
        worn: bool = True,
    ) -> None:
        """`outside(x, y)` is the distance from the shape in mm, negative inside."""
        rows, columns, x, y = self.window(np.asarray(low), np.asarray(high))
        cover = np.clip(0.5 - outside(x, y) * PER_MM, 0, 1) * strength
        if worn and self.worn is not None:
            cover = cover * np.clip(1 - self.wear * np.clip(self._wear_at(rows, columns) * 0.8 + 0.3, 0, 1.6), 0, 1)
        part = self.pixels[rows, columns]
        ink = np.array(colour, np.float32) * 255
        part[:] = np.round(part * (1 - cover[:, :, None]) + ink * cover[:, :, None]).astype(np.uint8)

    def ring(self, centre: Array, outer: float, inner: float, colour: Colour) -> None:
        r = outer + 0.5
        middle, half = (outer + inner) / 2, (outer - inner) / 2
        self.paint(centre - r, centre + r,
                   lambda x, y: np.abs(np.hypot(x - centre[0], y - centre[1]) - middle) - half, colour)  # fmt: skip

    def disc(self, centre: Array, radius: float, colour: Colour) -> None:
        self.paint(centre - radius - 0.5, centre + radius + 0.5,
                   lambda x, y: np.hypot(x - centre[0], y - centre[1]) - radius, colour)  # fmt: skip

    def bar(self, start: Array, end: Array, width: float, colour: Colour) -> None:
        length = float(np.linalg.norm(end - start))
        way = (end - start) / length
        low, high = np.minimum(start, end) - width, np.maximum(start, end) + width

        def outside(x: Array, y: Array) -> Array:
            along = (x - start[0]) * way[0] + (y - start[1]) * way[1]
            across = np.abs((y - start[1]) * way[0] - (x - start[0]) * way[1]) - width / 2
            return np.maximum(across, np.maximum(-along, along - length))

        self.paint(low, high, outside, colour)

    def triangle(self, points: Array, colour: Colour) -> None:
        if np.cross(np.append(points[1] - points[0], 0), np.append(points[2] - points[0], 0))[2] < 0:
            points = points[::-1]

        def outside(x: Array, y: Array) -> Array:
            value = np.full(np.broadcast_shapes(x.shape, y.shape), -1e9, np.float32)
            for a, b in zip(points, np.roll(points, -1, axis=0), strict=True):
                way = (b - a) / np.linalg.norm(b - a)
                value = np.maximum(value, (x - a[0]) * way[1] - (y - a[1]) * way[0])
            return value

        self.paint(points.min(axis=0) - 0.5, points.max(axis=0) + 0.5, outside, colour)


@lru_cache(maxsize=2)
def surface(board: Board, seed: int = 0) -> Canvas:
    canvas = Canvas(board, seed)
    if board.look.star and "outer" not in board.missing:
        _star(canvas, board)
    for side in SIDES:
        _side(canvas, board, side)
    for corner in CORNERS:
        _corner(canvas, board, corner)
    _middle(canvas, board)
    _dirt(canvas, board)
    return canvas


def _star(canvas: Canvas, board: Board) -> None:
    radius = board.outer / 2 - 2.0
    for arm in range(8):
        way = turned(np.array([1.0, 0.0]), arm * math.pi / 4)
        flank = turned(way, math.pi / 8) * radius * 0.3
        other = turned(way, -math.pi / 8) * radius * 0.3
        canvas.triangle(np.array([[0.0, 0.0], way * radius, flank]), board.look.red if arm % 2 else board.look.ink)
        canvas.bar(other, way * radius, 0.5, board.look.ink)


def _side(canvas: Canvas, board: Board, side: str) -> None:
    look, index, turn = board.look, SIDES.index(side), TURNS[side]
    names = [name for name, (own, _) in CIRCLES.items() if own == side]
    reach = board.length[index] / 2 - board.circle[0] / 2
    edge, thick = board.lower_edge[index], board.lower_thickness[index]
    if f"baseline.lower:{side}" not in board.missing and "baseline" not in board.missing:
        canvas.bar(
            turned(np.array([-reach, edge - thick / 2]), turn),
            turned(np.array([reach, edge - thick / 2]), turn),
            thick,
            look.ink,
        )
    upper = edge - board.spacing[index] + board.thin / 2
    if f"baseline.upper:{side}" not in board.missing and "baseline" not in board.missing:
        canvas.bar(
            turned(np.array([-reach, upper]), turn), turned(np.array([reach, upper]), turn), board.thin, look.ink
        )
    if look.lettering and side in "ew":
        _letters(canvas, board, side)
    for name in names:
        if "basecircle" in board.missing or f"basecircle:{name}" in board.missing:
            continue
        number = list(CIRCLES).index(name)
        centre, radius = board.circle_centre(name), board.circle[number] / 2
        canvas.disc(centre, radius, look.wood)
        canvas.ring(centre, radius, radius - board.thin, look.ink)
        canvas.disc(centre, board.inner[number] / 2, look.red)
        if look.disc_outline:
            canvas.ring(centre, board.inner[number] / 2, board.inner[number] / 2 - look.disc_outline, look.ink)


def _letters(canvas: Canvas, board: Board, side: str) -> None:
    image = np.zeros((110, 720), np.uint8)
    cv2.putText(image, "Champion Bulldog", (10, 80), cv2.FONT_HERSHEY_SCRIPT_COMPLEX, 2.3, 255, 6, cv2.LINE_AA)
    image = cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE if side == "e" else cv2.ROTATE_90_COUNTERCLOCKWISE)
    middle = turned(np.array([0.0, board.lower_edge[SIDES.index(side)] - 16.0]), TURNS[side])
    reach = np.array([6.5, 45.0])
    rows, columns, x, y = canvas.window(middle - reach, middle + reach)
    stamp = cv2.resize(image, (x.shape[1], y.shape[0]), interpolation=cv2.INTER_AREA)[:, :, None] / 255
    canvas.pixels[rows, columns] = (
        canvas.pixels[rows, columns] * (1 - stamp) + np.array(board.look.red) * 255 * stamp
    ).astype(np.uint8)


def _corner(canvas: Canvas, board: Board, corner: str) -> None:
    look = board.look
    if look.gap_circles and "basecircle" not in board.missing:
        near = {"nw": ("n.w", "w.n"), "ne": ("n.e", "e.n"), "se": ("s.e", "e.s"), "sw": ("s.w", "w.s")}[corner]
        centre = (board.circle_centre(near[0]) + board.circle_centre(near[1])) / 2
        canvas.ring(centre, 6.35, 6.35 - 0.6, look.ink)
    if "arrow" in board.missing or f"arrow:{corner}" in board.missing:
        return
    tail, tip = board.arrow(corner)
    way = (tip - tail) / np.linalg.norm(tip - tail)
    across = np.array([-way[1], way[0]])
    width = board.arrow_thin
    if look.filled_head:
        canvas.bar(tail, tip - 4 * way, width, look.ink)
        canvas.triangle(np.array([tip, tip - 7 * way + 2.4 * across, tip - 7 * way - 2.4 * across]), look.ink)
    else:
        canvas.bar(tail, tip - 1.2 * way, width, look.ink)
        for sign in (-1, 1):
            wing = -way * math.cos(0.4) + sign * across * math.sin(0.4)
            canvas.triangle(np.array([tip, tip + 8 * wing, tip + 8 * wing - sign * across * 1.6]), look.ink)
    if look.arcs:
        centre = tail + 31.75 * way
        for start in (0.4, 0.4 + math.pi):
            angles = np.linspace(start, start + 2.5, 40) + math.atan2(way[1], way[0])
            points = centre + 25 * np.column_stack([np.cos(angles), np.sin(angles)])
            for a, b in pairwise(points):
                canvas.bar(a, b, 0.7, look.ink)


def _middle(canvas: Canvas, board: Board) -> None:
    origin = np.zeros(2)
    if "outer" not in board.missing:
        canvas.ring(origin, board.outer / 2, board.outer / 2 - board.thin, board.look.ink)
    if "centre" not in board.missing:
        if board.look.filled_centre:
            canvas.disc(origin, board.centre / 2, board.look.red)
        canvas.ring(origin, board.centre / 2, board.centre / 2 - board.thin, board.look.ink)


def _dirt(canvas: Canvas, board: Board) -> None:
    r = canvas.random
    for _ in range(board.look.powder):
        centre, size = r.uniform(-330, 330, 2), r.uniform(5, 30)
        canvas.paint(centre - size, centre + size,
                     lambda x, y, c=centre, s=size: (np.hypot(x - c[0], y - c[1]) - s * 0.4) / s / 2, (0.8, 0.8, 0.78), 0.35, worn=False)  # fmt: skip


@lru_cache(maxsize=30)
def _card_light(number: int) -> Array:
    import pypdfium2

    from inspect_kit.certificate.pages.targets import draw_targets
    from inspect_kit.vision.reference.sheets import card

    document = pypdfium2.PdfDocument(draw_targets([card(number)]))
    codes = document[0].render(scale=2 * PER_MM * 25.4 / 72).to_numpy()[:, :, :3][:, :, ::-1]
    document.close()
    # The page is stretched to whole pixels: brought back to its exact size.
    size = (round(148 * 2 * PER_MM), round(105 * 2 * PER_MM))
    light = to_linear(np.ascontiguousarray(codes))
    if light.shape[1::-1] != size:
        light = cv2.resize(light, size, interpolation=cv2.INTER_AREA)
    return (0.04 + 0.82 * light) * 255


def _lay_card(pixels: Array, half: float, shot: Shot, card: Card) -> None:
    """A card lies its thickness above the surface: seen from the camera it is larger and further from its nadir."""
    image = _card_light(card.number)
    place = shot.stand.place()
    lift = place[2] / (place[2] - shot.card_thickness)
    scale = shot.print_scale * lift
    middle = place[:2] + lift * (np.array([card.x, card.y]) - place[:2])
    c, s = math.cos(card.angle) * scale / 2, math.sin(card.angle) * scale / 2
    column, row = (middle[0] + half) * PER_MM - 0.5, (half - middle[1]) * PER_MM - 0.5
    width, height = image.shape[1], image.shape[0]
    matrix = np.array([[c, s, column - c * (width - 1) / 2 - s * (height - 1) / 2],
                       [-s, c, row + s * (width - 1) / 2 - c * (height - 1) / 2]])  # fmt: skip
    box = [matrix @ [a, b, 1] for a in (0, width) for b in (0, height)]
    low = np.maximum(np.floor(np.min(box, axis=0)).astype(int) - 3, 0)
    high = np.minimum(np.ceil(np.max(box, axis=0)).astype(int) + 3, pixels.shape[0])
    # Twice as fine, then averaged: edges keep their place.
    fine = np.array([[2, 0, 0.5 - 2 * low[0]], [0, 2, 0.5 - 2 * low[1]]]) @ np.vstack([matrix, [0, 0, 1]])
    size = (2 * int(high[0] - low[0]), 2 * int(high[1] - low[1]))
    drawn = cv2.warpAffine(
        image, fine, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(-1e4,) * 3
    )
    cover = cv2.resize((drawn[:, :, 0] > -1).astype(np.float32), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    small = cv2.resize(np.maximum(drawn, 0), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    part = pixels[low[1] : high[1], low[0] : high[0]]
    part[:] = np.where(cover[:, :, None] > 0.99, np.round(small), part).astype(np.uint8)


class _Frame:
    """Distances from the inner faces, corners rounded."""

    def __init__(self, board: Board) -> None:
        self.radius = board.corner_radius
        self.lines = []
        for side in SIDES:
            start, end = board.wall(side)
            way = (end - start) / np.linalg.norm(end - start)
            outwards = np.array([-way[1], way[0]])
            self.lines.append((*outwards, float(outwards @ start)))

    def outside(self, x: Array, y: Array, radius: float | None = None, grow: float = 0.0) -> Array:
        r = np.float32(self.radius if radius is None else radius)
        n, e, s, w = (np.float32(a) * x + np.float32(b) * y - np.float32(c + grow) for a, b, c in self.lines)
        along, up = np.maximum(e, w), np.maximum(n, s)
        rounded = np.hypot(np.maximum(along + r, 0), np.maximum(up + r, 0)) - r
        return np.where((along > -r) & (up > -r), rounded, np.maximum(along, up))


def _rays(shot: Shot, box: tuple[int, int, int, int]) -> tuple[Array, Array]:
    """x ÷ z and y ÷ z of the rays of a box's fine samples, on the board's frame: between nodes that enclose the box."""
    left, top, width, height = box
    step = 8
    across, down = (np.arange(-1, math.ceil(size / step) + 1) + 0.5 for size in (width, height))
    x, y = np.meshgrid(left - 0.5 + step * across, top - 0.5 + step * down)
    flat = _unbent(shot.lens, (x - shot.lens.centre[0]) / shot.lens.focal, (y - shot.lens.centre[1]) / shot.lens.focal)
    directions = np.dstack([*flat, np.ones_like(x)]) @ shot.stand.rotation()
    slopes = (directions[:, :, :2] / directions[:, :, 2:]).astype(np.float32)
    # Resizing weighs exactly; remapping would round places to a 32nd of eight pixels.
    many = step * FINE
    bent = cv2.resize(slopes, None, fx=many, fy=many, interpolation=cv2.INTER_LINEAR)
    inner = bent[many : many + height * FINE, many : many + width * FINE]
    return np.ascontiguousarray(inner[:, :, 0]), np.ascontiguousarray(inner[:, :, 1])


def _tile(shot: Shot, texture: Array, half: float, box: tuple[int, int, int, int]) -> Array:
    board, look = shot.board, shot.board.look
    frame = _Frame(board)
    slope_x, slope_y = _rays(shot, box)
    place = shot.stand.place().astype(np.float32)
    x, y = place[0] - place[2] * slope_x, place[1] - place[2] * slope_y
    high = np.float32(board.frame_height)
    top_x, top_y = x + high * slope_x, y + high * slope_y
    way = np.array(shot.lamp.way) / np.linalg.norm(shot.lamp.way)
    lean = (way[:2] / way[2]).astype(np.float32)
    strong, soft = np.float32(shot.lamp.strength * way[2]), np.float32(shot.lamp.everywhere)
    ends = np.ix_([0, -1], [0, -1])
    if frame.outside(top_x[ends], top_y[ends], 0.0, board.frame_width).min() > 120:
        texture_floor = 1 + 0.5 * np.sin(x * 0.2) * np.sin(y * 0.13)
        return np.array(look.floor, np.float32) * texture_floor[:, :, None] * (strong + soft)
    inside_low = frame.outside(x, y)
    per = np.float32(PER_MM)
    value = cv2.remap(texture, (x + np.float32(half)) * per - np.float32(0.5), (np.float32(half) - y) * per - np.float32(0.5),
                      cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32) / 255  # fmt: skip
    if inside_low.max() < -90:
        return value * (strong + soft)
    inside_top = frame.outside(top_x, top_y)
    light = np.full_like(x, strong + soft)
    near = inside_low > -90
    if near.any():
        px, py, edge = x[near], y[near], inside_low[near]
        blocked = frame.outside(px + lean[0] * high, py + lean[1] * high)
        width = np.float32(0.3 + shot.lamp.softness * board.frame_height * 0.5)
        lit = np.clip(0.5 - blocked / (2 * width), 0, 1)
        sky = 1 - np.float32(0.5) * np.exp(np.minimum(edge, 0) / (0.5 * high))
        light[near] = strong * lit + soft * sky
    value *= light[:, :, None]
    if board.gap:
        value[(inside_low > -board.gap) & (inside_low <= 0)] *= 0.02
    if look.foot_powder:
        noise = np.sin(x * 0.31) + np.sin(y * 0.27) + np.sin((x + y) * 0.11)
        value[(inside_low > -board.gap - look.foot_powder * (1 + 0.5 * noise)) & (inside_low <= -board.gap)] = 0.5
    _holes(shot, value, (x, y, slope_x, slope_y), (lean, strong, soft))
    wall = (inside_low > 0) & (inside_top <= 0)
    _walls(shot, frame, value, wall, (x, y, slope_x, slope_y, inside_low))
    on_top = inside_top > 0
    value[on_top] = np.array(look.frame_top, np.float32) * (strong + soft)
    beyond = on_top & (frame.outside(top_x, top_y, 0.0, board.frame_width) > 0)
    texture_floor = 1 + 0.5 * np.sin(x[beyond] * 0.2) * np.sin(y[beyond] * 0.13)
    value[beyond] = np.array(look.floor, np.float32) * texture_floor[:, None] * (strong + soft)
    return value


def _holes(shot: Shot, value: Array, rays: tuple[Array, ...], lamp: tuple) -> None:
    x, y, slope_x, slope_y = rays
    lean, strong, soft = lamp
    board, look = shot.board, shot.board.look
    for index, corner in enumerate(CORNERS):
        centre, radius = board.pocket_centre(corner).astype(np.float32), board.pocket[index] / 2
        if np.hypot(x[0, 0] - centre[0], y[0, 0] - centre[1]) > 260:
            continue
        around = np.hypot(x - centre[0], y - centre[1])
        if look.rim:
            value[(around > radius) & (around <= radius + look.rim)] = np.array(look.rim_colour, np.float32) * (
                0.7 * strong + soft
            )
        hole = around <= radius
        if not hole.any():
            continue
        deep = np.float32(board.hole_depth)
        hx, hy = x[hole] - deep * slope_x[hole], y[hole] - deep * slope_y[hole]
        below = np.hypot(hx - centre[0], hy - centre[1]) <= radius
        shade = np.empty((int(hole.sum()), 3), np.float32)
        shade[~below] = np.array(look.wood, np.float32) * 0.35 * (soft * 0.6)
        far = np.float32(board.hole_depth + 8)
        nx, ny = x[hole] - far * slope_x[hole], y[hole] - far * slope_y[hole]
        lit = np.clip(
            0.5 - (np.hypot(nx + lean[0] * far - centre[0], ny + lean[1] * far - centre[1]) - radius) / 2, 0, 1
        )
        strands = np.clip(
            0.25 + 0.9 * (np.abs(np.sin(0.8 * (nx + ny))) > 0.5) * (np.abs(np.sin(0.8 * (nx - ny))) > 0.3), 0, 1
        )
        net = (strong * lit + soft * 0.35) * strands
        shade[below] = (np.array(look.net, np.float32)[None] * net[:, None])[below]
        value[hole] = shade


def _walls(shot: Shot, frame: _Frame, value: Array, wall: Array, rays: tuple[Array, ...]) -> None:
    """The face between foot and top: where each ray meets it, by its share of the way."""
    if not wall.any():
        return
    x, y, slope_x, slope_y, low = (part[wall] for part in rays)
    high = np.float32(shot.board.frame_height)
    top = frame.outside(x + high * slope_x, y + high * slope_y)
    share = np.clip(low / np.maximum(low - top, 1e-6), 0, 1)
    zx, zy = x + share * high * slope_x, y + share * high * slope_y
    step = np.float32(0.5)
    nx = frame.outside(zx + step, zy) - frame.outside(zx - step, zy)
    ny = frame.outside(zx, zy + step) - frame.outside(zx, zy - step)
    way = np.array(shot.lamp.way) / np.linalg.norm(shot.lamp.way)
    facing = np.maximum(-(nx * way[0] + ny * way[1]), 0)
    sky = 0.25 + 0.45 * share
    value[wall] = (
        np.array(shot.board.look.frame_wall, np.float32)
        * (shot.lamp.strength * facing + shot.lamp.everywhere * sky)[:, None]
    )


def render(shot: Shot) -> Array:
    """The picture in linear light, before noise."""
    canvas = surface(shot.board)
    texture = canvas.pixels.copy()
    for card in shot.cards:
        _lay_card(texture, canvas.half, shot, card)
    lens = shot.lens
    fine = np.empty((lens.height * FINE, lens.width * FINE, 3), np.float32)
    for top in range(0, lens.height, TILE):
        for left in range(0, lens.width, TILE):
            box = (left, top, min(TILE, lens.width - left), min(TILE, lens.height - top))
            rows, columns = slice(top * FINE, (top + box[3]) * FINE), slice(left * FINE, (left + box[2]) * FINE)
            fine[rows, columns] = _tile(shot, texture, canvas.half, box)
    scene = Scene(lens, shot.stand, shot.pieces, shot.lamp, shot.sensor)
    for piece in shot.pieces:
        _draw_piece(fine, scene, piece, (0, 0, lens.width, lens.height))
    soft = cv2.GaussianBlur(fine, (0, 0), shot.sensor.blur * FINE)
    light = cv2.resize(soft, (lens.width, lens.height), interpolation=cv2.INTER_AREA)
    x = np.linspace(-1, 1, lens.width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, lens.height, dtype=np.float32)[:, None]
    even = (1 + shot.lamp.slope[0] * x + shot.lamp.slope[1] * y) * (1 - shot.lamp.vignette * (x * x + y * y) / 2)
    return light * even[:, :, None] * np.array(shot.lamp.tint, np.float32)


def photograph(shot: Shot) -> bytes:
    """The shot as a JPEG file."""
    light = render(shot)
    random = np.random.default_rng(shot.seed)
    spread = np.sqrt(np.maximum(light, 0) * shot.sensor.noise**2 + shot.sensor.read_noise**2).astype(np.float32)
    light = light + spread * random.standard_normal(light.shape, dtype=np.float32)
    codes = np.clip(np.round(to_codes(light)), 0, 255).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(codes).save(buffer, "JPEG", quality=shot.sensor.jpeg)
    return buffer.getvalue()
