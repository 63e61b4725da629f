"""Boards as makers in the shops make them: any sizes, nets, plates, frames, rings, stars and lettering, under film.

A third way to draw: the surface and the frame's top are sheets laid in space, seen by a camera without a lens's faults,
whole or cut out of a larger picture. Made after seeing what strangers' boards look like; sizes and looks are by chance.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image

from inspect_kit.vision.reference.sheets import card
from tests.scenes.painted import _printed, _rows

PER_MM = 4
Colour = tuple[float, float, float]
WOODS: tuple[Colour, ...] = ((0.74, 0.55, 0.32), (0.83, 0.68, 0.46), (0.62, 0.42, 0.22))
FRAMES: tuple[Colour, ...] = ((0.012, 0.012, 0.014), (0.22, 0.012, 0.018), (0.13, 0.05, 0.02), (0.02, 0.03, 0.09))
NETS: tuple[Colour, ...] = ((0.02, 0.09, 0.38), (0.16, 0.09, 0.06), (0.03, 0.03, 0.03), (0.32, 0.32, 0.3))
RED: Colour = (0.5, 0.02, 0.03)
INK: Colour = (0.015, 0.015, 0.017)
SIDES = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
CORNERS = {"nw": (-1, 1), "ne": (1, 1), "se": (1, -1), "sw": (-1, -1)}


@dataclass(frozen=True)
class MakersBoard:
    """Sizes in mm and the look of one board."""

    side: float
    pocket: float
    inset: float
    out: float
    along: float
    circle: float
    outline: float
    disc: float
    lower: float
    thin: float
    shaft: float
    tail: float
    tip: float
    outer: float
    ring: str
    wood: Colour
    frame: Colour
    net: Colour
    frame_width: float
    plates: bool
    stars: bool
    lettering: bool
    gap_circles: bool
    film: bool
    discs: Colour = RED
    """In the base circles; the wood's own: rings that are not filled."""

    @property
    def truth(self) -> dict[tuple[str, str], float]:
        """By characteristic and instance: what was drawn."""
        found: dict[tuple[str, str], float] = {("outer.diameter", ""): self.outer}
        apart = math.sqrt(2) * (self.out - self.along) - self.circle
        for side, way in SIDES.items():
            found |= {("baseline.length", side): 2 * self.along + self.circle, ("baseline.spacing", side): self.circle,
                      ("baseline.lower.thickness", side): self.lower}  # fmt: skip
            for end in SIDES:
                if SIDES[end][0] * way[0] + SIDES[end][1] * way[1] == 0:
                    found["basecircle.diameter", f"{side}.{end}"] = self.circle
        middle = math.sqrt(2) * (self.side / 2 - self.inset - self.pocket / 2)
        for corner in CORNERS:
            found |= {("pocket.diameter", corner): self.pocket, ("basecircle.gap", corner): apart,
                      ("arrow.thickness", corner): self.shaft, ("arrow.length", corner): self.tip - self.tail,
                      ("arrow.tip", corner): middle - self.pocket / 2 - self.tip}  # fmt: skip
        return found


def makers_board(seed: int) -> MakersBoard:
    """Some maker's board: nothing of it is a law's."""
    r = np.random.default_rng(seed)
    side = float(r.uniform(640, 760))
    circle = float(r.uniform(0.042, 0.075) * side)
    along = float(r.uniform(0.255, 0.29) * side)
    out = along + circle / 2 + float(r.uniform(0.045, 0.06) * side)
    gap = (out + along) / math.sqrt(2)
    broad = circle > 0.055 * side
    ring = str(r.choice(["line", "two", "red"]))
    return MakersBoard(
        side, float(r.uniform(0.06, 0.105) * side), float(r.uniform(0.5, 14)), out, along, circle,
        float(r.uniform(3, 6) if broad else r.uniform(0.9, 1.8)), circle * float(r.uniform(0.6, 0.78)),
        float(r.uniform(3.2, 8.5)), float(r.uniform(1.0, 2.6)), float(r.uniform(1.2, 2.8)),
        gap - float(r.uniform(100, 150)), gap + float(r.uniform(72, 88)), float(r.uniform(0.22, 0.34) * side), ring,
        WOODS[int(r.integers(3))], FRAMES[int(r.integers(4))], NETS[int(r.integers(4))], float(r.uniform(28, 75)),
        bool(r.random() < 0.4), bool(r.random() < 0.4), bool(r.random() < 0.6), bool(r.random() < 0.6), bool(r.random() < 0.3),
    )  # fmt: skip


class Sheet:
    """A square of the plane around the origin, drawn finely in linear light."""

    def __init__(self, half: float, colour: Colour) -> None:
        self.half = half
        self.light = np.empty((int(2 * half * PER_MM),) * 2 + (3,), np.float32)
        self.light[:] = colour

    def _at(self, points: np.ndarray) -> np.ndarray:
        pixels = (np.column_stack([points[:, 0] + self.half, self.half - points[:, 1]])) * PER_MM - 0.5
        return np.asarray(pixels)

    def fill(self, points: np.ndarray, colour: Colour) -> None:
        # Pixels whose middle lies inside, no others: a filled polygon of OpenCV's is broader by a pixel.
        for row, first, last in _rows(self._at(np.asarray(points, dtype=float)), self.light.shape[:2]):
            self.light[row, first:last] = colour

    def disc(self, middle: np.ndarray, diameter: float, colour: Colour) -> None:
        turns = np.linspace(0, 2 * np.pi, 360, endpoint=False)
        self.fill(middle + diameter / 2 * np.column_stack([np.cos(turns), np.sin(turns)]), colour)

    def bar(self, start: np.ndarray, end: np.ndarray, width: float, colour: Colour) -> None:
        # By the share of each pixel that it covers: whole pixels would make it broader or narrower by up to a quarter of a mm.
        ends = self._at(np.stack([start, end]))
        reach = width * PER_MM / 2 + 2
        (left, upper), (right, lower) = np.floor(ends.min(axis=0) - reach), np.ceil(ends.max(axis=0) + reach)
        down, across = np.mgrid[int(upper) : int(lower), int(left) : int(right)]
        length = float(np.linalg.norm(ends[1] - ends[0]))
        (x, y), middle = (ends[1] - ends[0]) / length, ends.mean(axis=0)
        along, beside = (
            (across - middle[0]) * x + (down - middle[1]) * y,
            (down - middle[1]) * x - (across - middle[0]) * y,
        )
        share = np.clip(length / 2 + 0.5 - abs(along), 0, 1) * np.clip(width * PER_MM / 2 + 0.5 - abs(beside), 0, 1)
        part = self.light[int(upper) : int(lower), int(left) : int(right)]
        part += share[:, :, None].astype(np.float32) * (np.array(colour, np.float32) - part)

    def letters(self, words: str, middle: np.ndarray, size: float, colour: Colour) -> None:
        x, y = (int(v) for v in self._at(middle[None])[0])
        stamp = np.zeros(self.light.shape[:2], np.uint8)
        left = x - int(len(words) * size * 9)
        cv2.putText(stamp, words, (left, y), cv2.FONT_HERSHEY_DUPLEX, size, 255, 5, cv2.LINE_AA)
        self.light[stamp > 127] = colour


def _star(sheet: Sheet, middle: np.ndarray, size: float, colours: tuple[Colour, Colour], arms: int = 8) -> None:
    for arm in range(arms):
        turn = 2 * math.pi * arm / arms + math.pi / 4
        way, beside = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
        for sign, colour in zip((1, -1), colours, strict=True):
            sheet.fill(
                np.array([middle, middle + 0.28 * size * (way + 0.5 * sign * beside), middle + size * way]), colour
            )


def _rings(sheet: Sheet, board: MakersBoard) -> None:
    """Around the centre: one line, two, or a red ring with an outline."""
    colours = {"line": (INK, board.wood), "two": (INK, board.wood), "red": (INK, RED)}[board.ring]
    sheet.disc(np.zeros(2), board.outer, colours[0])
    sheet.disc(np.zeros(2), board.outer - 2 * board.thin, colours[1])
    if board.ring != "line":
        for less, colour in ((16, INK), (18, board.wood)):
            sheet.disc(np.zeros(2), board.outer - less, colour)


def _surface(board: MakersBoard, seed: int) -> Sheet:
    r = np.random.default_rng(seed)
    sheet = Sheet(board.side / 2 + 2, board.wood)
    grain = cv2.resize(
        r.normal(0, 0.05, (12, 160)).astype(np.float32), sheet.light.shape[1::-1], interpolation=cv2.INTER_CUBIC
    )
    sheet.light *= 1 + grain[:, :, None]
    level, radius = board.out + board.circle / 2, board.circle / 2
    for side, way in SIDES.items():
        out, along = np.array(way, dtype=float), np.array([way[1], -way[0]], dtype=float)
        for middle, width in (
            (level - board.lower / 2, board.lower),
            (level - board.circle + board.thin / 2, board.thin),
        ):
            sheet.bar(out * middle - along * board.along, out * middle + along * board.along, width, INK)
        if board.lettering and side in "nw":
            sheet.letters("MADE IN", out * board.out, 1.6, RED if side == "w" else INK)
    for way in SIDES.values():
        out, along = np.array(way, dtype=float), np.array([way[1], -way[0]], dtype=float)
        for sign in (-1, 1):
            middle = out * board.out + sign * along * board.along
            sheet.disc(middle, board.circle, INK)
            sheet.disc(middle, board.circle - 2 * board.outline, board.wood)
            sheet.disc(middle, min(board.disc, board.circle - 2 * board.outline), board.discs)
    for sign in CORNERS.values():
        way = np.array(sign) / math.sqrt(2)
        beside = np.array([-way[1], way[0]])
        if board.gap_circles:
            middle = way * (board.out + board.along) / math.sqrt(2)
            size = 0.8 * (math.sqrt(2) * (board.out - board.along) - 2 * radius)
            sheet.disc(middle, size, INK)
            sheet.disc(middle, size - 2, board.wood)
        sheet.bar(way * board.tail, way * (board.tip - 8), board.shaft, INK)
        sheet.fill(
            np.array([way * board.tip, way * (board.tip - 12) + 4 * beside, way * (board.tip - 12) - 4 * beside]), INK
        )
        if board.stars:
            _star(sheet, way * (board.tail - 22), 18, (RED, INK), 4)
    _rings(sheet, board)
    _star(sheet, np.zeros(2), board.outer / 2 - 16, (RED, INK))
    sheet.disc(np.zeros(2), 34, INK)
    sheet.disc(np.zeros(2), 30, RED)
    return sheet


def _pockets(sheet: Sheet, board: MakersBoard, camera: np.ndarray, lean: np.ndarray, seed: int) -> None:
    """Holes with a net 14 mm below: the cut's far wall shows beside it, and the light falls on a part of the net."""
    r = np.random.default_rng(seed + 7)
    mesh = float(r.uniform(3.5, 7))
    size = int(board.pocket * PER_MM) + 8
    for sign in CORNERS.values():
        middle = np.array(sign) * (board.side / 2 - board.inset - board.pocket / 2)
        x, y = (int(v) for v in sheet._at(middle[None])[0] - size / 2)
        part = sheet.light[y : y + size, x : x + size]
        down, across = np.mgrid[: part.shape[0], : part.shape[1]].astype(np.float64)
        px, py = (across + x + 0.5) / PER_MM - sheet.half, sheet.half - (down + y + 0.5) / PER_MM
        hole = np.hypot(px - middle[0], py - middle[1]) <= board.pocket / 2
        deep = 14.0 / camera[2]
        nx, ny = px + deep * (px - camera[0]), py + deep * (py - camera[1])
        net = np.hypot(nx - middle[0], ny - middle[1]) <= board.pocket / 2
        lit = np.hypot(nx + 14 * lean[0] - middle[0], ny + 14 * lean[1] - middle[1]) <= board.pocket / 2
        threads = 0.35 + 0.65 * (np.cos(2 * np.pi * nx / mesh) * np.cos(2 * np.pi * ny / mesh) > -0.2)
        shade = np.array(board.net) * (threads * np.where(lit, 1.0, 0.3))[:, :, None]
        part[hole] = np.where(net[:, :, None], shade, np.array(board.wood) * 0.3)[hole]


def _top(board: MakersBoard) -> Sheet:
    """The frame's top with plates and lettering; the surface's place stays open."""
    wide = board.frame_width
    sheet = Sheet(board.side / 2 + wide, board.frame)
    if board.plates:
        for sign in CORNERS.values():
            corner, reach = np.array(sign) * (board.side / 2 + wide), 70.0
            for far in ((reach, 0.8 * wide), (0.8 * wide, reach)):
                ends = np.array([[0, 0], [far[0], 0], far, [0, far[1]]]) * -np.array(sign) + corner
                sheet.fill(ends, (0.45, 0.46, 0.48))
    sheet.letters("SUPER CHAMPION", np.array([0.0, board.side / 2 + 0.3 * wide]), wide / 28, (0.6, 0.6, 0.62))
    return sheet


@dataclass(frozen=True)
class MakersShot:
    """One photo: so many megapixels, this much tilt (degrees), cut out of a larger one or not, with cards or without."""

    board: MakersBoard
    seed: int
    megapixels: float = 1.5
    tilt: float = 5.0
    cut: bool = False
    cards: int = 0

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        height = round(math.sqrt(self.megapixels * 1e6 / (1.0 if self.cut else 4 / 3)))
        return round(height * (1.03 if self.cut else 4 / 3)), height

    @property
    def focal(self) -> float:
        """In pixels."""
        share = float(np.random.default_rng(self.seed + 50).uniform(1.0, 1.25))
        return (1.0 if self.cut else 0.8) * max(self.size) * share


def photograph(shot: MakersShot) -> bytes:
    """As JPEG."""
    board, r = shot.board, np.random.default_rng(shot.seed + 50)
    size, whole = np.array(shot.size), board.side + 2 * board.frame_width
    focal, _ = shot.focal, r.uniform()  # the same first draw
    far = focal * whole * 1.06 / shot.size[1]
    lean, way = math.radians(shot.tilt), r.uniform(0, 2 * math.pi)
    place = far * np.array([math.sin(lean) * math.cos(way), math.sin(lean) * math.sin(way), math.cos(lean)])
    # A part of a larger picture: the lens looked elsewhere, and the board lies off its axis.
    aim = np.array([*(r.uniform(-0.1, 0.1, 2) * far if shot.cut else r.uniform(-8, 8, 2)), 0.0])
    ahead = (aim - place) / np.linalg.norm(aim - place)
    right = np.cross(ahead, [0.03, 1, 0])
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(ahead, right), ahead])
    centre = size / 2 - (focal * (-place @ axes[:2].T) / (-place @ ahead) if shot.cut else 0)
    fine = 2

    def pixels(points: np.ndarray) -> np.ndarray:
        own = (points - place) @ axes.T
        return (focal * own[:, :2] / own[:, 2:] + centre) * fine - 0.5

    light = np.empty((size[1] * fine, size[0] * fine, 3), np.float32)
    light[:] = (0.3, 0.31, 0.33)
    sun = r.uniform(-0.9, 0.9, 2)
    surface, high = _surface(board, shot.seed), float(r.uniform(16, 26))
    _pockets(surface, board, place, sun, shot.seed)
    for number in range(shot.cards):
        turn, spot = r.uniform(0, 2 * np.pi), 165 * np.array([(-1, 0.2), (0.2, 1), (1, -0.2), (-0.2, -1)])[number]
        _lay(surface, number + 1, spot, turn)
    _warp(light, _top(board), high, pixels)
    walls = board.side / 2 * np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])
    opening = np.round(pixels(np.column_stack([walls, np.full(4, high)]))).astype(np.int32)
    inside = np.zeros(light.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, opening, 1)
    below = light.copy()
    for one in range(4):
        two = (one + 1) % 4
        wall = np.array([[*walls[one], 0], [*walls[two], 0], [*walls[two], high], [*walls[one], high]])
        cv2.fillPoly(below, [np.round(pixels(wall)).astype(np.int32)], tuple(0.6 * v for v in board.frame))
    _warp(below, surface, 0.0, pixels, keep=board.side / 2)
    light[inside > 0] = below[inside > 0]
    if board.film:
        for _ in range(4):
            a, b = r.uniform(0, 1, (2, 2)) * light.shape[1::-1]
            streak = np.zeros(light.shape[:2], np.float32)
            cv2.line(streak, tuple(a.astype(int)), tuple(b.astype(int)), 0.25, int(r.integers(4, 20)))
            light += cv2.GaussianBlur(streak, (0, 0), 5)[:, :, None]
    small = cv2.resize(light, tuple(int(v) for v in size), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), float(r.uniform(0.5, 0.9)))
    codes = 255 * np.clip(soft * (0.9 + np.linspace(-0.12, 0.12, size[0])[None, :, None] * r.uniform(-1, 1)), 0, 1) ** (
        1 / 2.2
    )
    noisy = codes + r.normal(0, 2.0, (*codes.shape[:2], 1)) + r.normal(0, 1.0, codes.shape)
    buffer = io.BytesIO()
    Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8)).save(buffer, "JPEG", quality=int(r.integers(80, 94)))
    return buffer.getvalue()


def _lay(sheet: Sheet, number: int, middle: np.ndarray, turn: float) -> None:
    page = _printed(card(number))
    high, wide = page.shape[:2]
    across, up = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
    ends = np.array([middle + a * 74 * across + b * 52.5 * up for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1))])
    there = (np.column_stack([ends[:, 0] + sheet.half, sheet.half - ends[:, 1]]) * PER_MM - 0.5).astype(np.float32)
    here = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - 0.5
    turned = cv2.getPerspectiveTransform(here, there)
    cv2.warpPerspective(
        page, turned, sheet.light.shape[1::-1], dst=sheet.light, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT
    )


def _warp(
    light: np.ndarray, sheet: Sheet, height: float, pixels: Callable[[np.ndarray], np.ndarray], keep: float = 0.0
) -> None:
    """The sheet at its height into the picture; of the surface only what the walls leave."""
    half = sheet.half
    ends = np.array([[-half, half, height], [half, half, height], [half, -half, height], [-half, -half, height]])
    edge = sheet.light.shape[0]
    here = np.array([[0, 0], [edge, 0], [edge, edge], [0, edge]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(here, pixels(ends).astype(np.float32))
    drawn = cv2.warpPerspective(sheet.light, matrix, light.shape[1::-1], flags=cv2.INTER_LINEAR)
    bound = ends.copy()
    if keep:
        bound[:, :2] = np.sign(ends[:, :2]) * keep
    mask = np.zeros(light.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(pixels(bound)).astype(np.int32), 1)
    light[mask > 0] = drawn[mask > 0]
