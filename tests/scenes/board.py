"""Carrom boards of known millimetres: frame as a solid, pockets as holes, every marking, wear, and cards lying on it.

Origin in the middle, x to the right, y away from the south player, z up from the playing surface.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from tests.scenes.scene import Lamp, Lens, Piece, Sensor, Stand, phone

SIDES = ("n", "e", "s", "w")
CORNERS = ("nw", "ne", "se", "sw")
TURNS = {"n": 0.0, "w": 0.5 * math.pi, "s": math.pi, "e": 1.5 * math.pi}
"""Quarter turns that take the north side to each side."""
CORNER_SIGNS = {"nw": (-1, 1), "ne": (1, 1), "se": (1, -1), "sw": (-1, -1)}
CIRCLES = {"n.w": ("n", -1), "n.e": ("n", 1), "e.n": ("e", -1), "e.s": ("e", 1),
           "s.e": ("s", -1), "s.w": ("s", 1), "w.s": ("w", -1), "w.n": ("w", 1)}  # fmt: skip
"""Instance → side and sign along x of the side turned to the north."""
BLACK, RED = (0.02, 0.02, 0.022), (0.42, 0.03, 0.03)

Colour = tuple[float, float, float]
Point = tuple[float, float]


@dataclass(frozen=True)
class Card:
    """A printed card of ours lying at a place, turned by an angle."""

    number: int
    x: float
    y: float
    angle: float


@dataclass(frozen=True)
class Look:
    """Everything that has no millimetres in the laws."""

    wood: Colour = (0.55, 0.36, 0.19)
    ink: Colour = BLACK
    red: Colour = RED
    frame_top: Colour = (0.02, 0.022, 0.025)
    frame_wall: Colour = (0.03, 0.025, 0.022)
    wear: float = 0.1
    grain: float = 0.05
    star: bool = True
    gap_circles: bool = True
    lettering: bool = True
    arcs: bool = True
    filled_centre: bool = True
    disc_outline: float = 0.4
    powder: int = 4
    foot_powder: float = 0.0
    net: Colour = (0.35, 0.35, 0.33)
    rim: float = 0.0
    rim_colour: Colour = (0.25, 0.25, 0.26)
    filled_head: bool = True
    floor: Colour = (0.15, 0.05, 0.05)


@dataclass(frozen=True)
class Board:
    """All true dimensions in mm. Sides' numbers stand in the order of `SIDES`, corners' in that of `CORNERS`."""

    corners: tuple[Point, ...]
    frame_height: float = 22.0
    frame_width: float = 70.0
    corner_radius: float = 20.0
    gap: float = 0.0
    pocket: tuple[float, ...] = (44.5,) * 4
    pocket_inset: tuple[float, ...] = (0.0,) * 4
    """How far the rim stands off the walls; negative: partly under the frame."""
    hole_depth: float = 10.0
    lower_edge: tuple[float, ...] = (266.8,) * 4
    """Distance of the lower line's frame-side edge from the board's middle."""
    lower_thickness: tuple[float, ...] = (5.6,) * 4
    spacing: tuple[float, ...] = (31.8,) * 4
    length: tuple[float, ...] = (470.0,) * 4
    circle: tuple[float, ...] = (31.8,) * 8
    inner: tuple[float, ...] = (25.4,) * 8
    thin: float = 0.8
    arrow_thin: float = 1.0
    arrow_tip: tuple[float, ...] = (50.0,) * 4
    arrow_length: tuple[float, ...] = (255.0,) * 4
    arrow_turn: tuple[float, ...] = (0.0,) * 4
    """Degrees off 45, about the arrow's middle."""
    centre: float = 31.8
    outer: float = 170.0
    missing: frozenset[str] = frozenset()
    look: Look = field(default_factory=Look)

    def wall(self, side: str) -> tuple[np.ndarray, np.ndarray]:
        """The two ends of a side's foot, seen from inside from left to right."""
        ends = {"n": (0, 1), "e": (1, 2), "s": (2, 3), "w": (3, 0)}[side]
        return np.array(self.corners[ends[0]]), np.array(self.corners[ends[1]])

    def pocket_centre(self, corner: str) -> np.ndarray:
        """Stands off both walls by the same inset."""
        index = CORNERS.index(corner)
        walls = {"nw": ("w", "n"), "ne": ("n", "e"), "se": ("e", "s"), "sw": ("s", "w")}[corner]
        rows, values = [], []
        for side in walls:
            start, end = self.wall(side)
            way = (end - start) / np.linalg.norm(end - start)
            outwards = np.array([-way[1], way[0]])
            rows.append(outwards)
            values.append(outwards @ start - self.pocket[index] / 2 - self.pocket_inset[index])
        return np.linalg.solve(np.array(rows), np.array(values))

    def circle_centre(self, name: str) -> np.ndarray:
        side, sign = CIRCLES[name]
        index, number = SIDES.index(side), list(CIRCLES).index(name)
        radius = self.circle[number] / 2
        along = sign * (self.length[index] / 2 - radius)
        return turned(np.array([along, self.lower_edge[index] - radius]), TURNS[side])

    def arrow(self, corner: str) -> tuple[np.ndarray, np.ndarray]:
        """Tail and tip."""
        index = CORNERS.index(corner)
        way = np.array(CORNER_SIGNS[corner]) / math.sqrt(2)
        tip = self.pocket_centre(corner) - (self.pocket[index] / 2 + self.arrow_tip[index]) * way
        off = turned(way, math.radians(self.arrow_turn[index]))
        return tip - self.arrow_length[index] * off, tip

    def truth(self) -> dict[tuple[str, str], float]:
        """Every characteristic and instance that can be measured on this board."""
        found: dict[tuple[str, str], float] = {}
        for index, side in enumerate(SIDES):
            start, end = self.wall(side)
            way = (end - start) / np.linalg.norm(end - start)
            outwards = np.array([-way[1], way[0]])
            found["surface.side", side] = float(np.linalg.norm(end - start))
            middle = turned(np.array([0.0, self.lower_edge[index]]), TURNS[side])
            found["baseline.lower.distance", side] = float((start - middle) @ outwards)
            found["baseline.lower.thickness", side] = self.lower_thickness[index]
            found["baseline.spacing", side] = self.spacing[index]
            found["baseline.length", side] = self.length[index]
        c = [np.array(corner) for corner in self.corners]
        found["surface.diagonal", "nw-se"] = float(np.linalg.norm(c[0] - c[2]))
        found["surface.diagonal", "ne-sw"] = float(np.linalg.norm(c[1] - c[3]))
        for index, corner in enumerate(CORNERS):
            before, after = c[index - 1] - c[index], c[(index + 1) % 4] - c[index]
            found["surface.angle", corner] = math.degrees(
                math.acos(before @ after / np.linalg.norm(before) / np.linalg.norm(after)))  # fmt: skip
            found["pocket.diameter", corner] = self.pocket[index]
            tail, tip = self.arrow(corner)
            found["arrow.length", corner] = float(np.linalg.norm(tip - tail))
            found["arrow.tip", corner] = (
                float(np.linalg.norm(tip - self.pocket_centre(corner))) - self.pocket[index] / 2
            )
            found["arrow.thickness", corner] = self.arrow_thin
            names = {"nw": ("n.w", "w.n"), "ne": ("n.e", "e.n"), "se": ("s.e", "e.s"), "sw": ("s.w", "w.s")}[corner]
            apart = np.linalg.norm(self.circle_centre(names[0]) - self.circle_centre(names[1]))
            radii = sum(self.circle[list(CIRCLES).index(name)] / 2 for name in names)
            found["basecircle.gap", corner] = float(apart - radii)
        for index, name in enumerate(CIRCLES):
            found["basecircle.diameter", name] = self.circle[index]
            found["basecircle.inner", name] = self.inner[index]
        found["centre.diameter", ""] = self.centre
        found["outer.diameter", ""] = self.outer
        return {key: value for key, value in found.items() if not self._lacks(*key)}

    def _lacks(self, characteristic: str, instance: str) -> bool:
        gone = self.missing
        if characteristic in gone or f"{characteristic}:{instance}" in gone:
            return True
        if characteristic == "baseline.length" and "basecircle" in gone:
            return True
        return characteristic.split(".", maxsplit=1)[0] in gone


@dataclass(frozen=True)
class Shot:
    """One photograph of a board: camera, light, cards and pieces lying about."""

    board: Board
    lens: Lens
    stand: Stand
    cards: tuple[Card, ...] = ()
    pieces: tuple[Piece, ...] = ()
    lamp: Lamp = field(default_factory=Lamp)
    sensor: Sensor = field(default_factory=Sensor)
    print_scale: float = 1.0
    card_thickness: float = 0.1
    seed: int = 0

    def visible(self) -> dict[tuple[str, str], float]:
        """The board's true dimensions, but those of arrows whose start a card lies on."""
        starts = {corner: self.board.arrow(corner)[0] for corner in CORNERS}
        hidden = {corner for corner, start in starts.items() if any(_under(card, start) for card in self.cards)}
        return {key: value for key, value in self.board.truth().items()
                if not (key[0] == "arrow.length" and key[1] in hidden)}  # fmt: skip


def _under(card: Card, point: np.ndarray) -> bool:
    """Whether a point lies under a card, or so near to it that the line's end cannot be told from the card's."""
    away = turned(point - np.array([card.x, card.y]), -card.angle)
    return bool(abs(away[0]) < 74 + 6 and abs(away[1]) < 52.5 + 6)


def turned(point: np.ndarray, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]])


def square(side: float) -> tuple[Point, ...]:
    h = side / 2
    return ((-h, h), (h, h), (h, -h), (-h, -h))


# ------------------------------------------------------------------------------------------------- boards by chance

FRAMES: tuple[tuple[Colour, Colour], ...] = (
    ((0.02, 0.022, 0.025), (0.03, 0.025, 0.022)), ((0.015, 0.015, 0.017), (0.12, 0.04, 0.025)),
    ((0.10, 0.035, 0.02), (0.11, 0.04, 0.022)), ((0.05, 0.025, 0.015), (0.05, 0.025, 0.015)),
    ((0.3, 0.18, 0.09), (0.28, 0.17, 0.085)), ((0.02, 0.05, 0.12), (0.02, 0.05, 0.12)),
)  # fmt: skip


def any_board(seed: int) -> Board:
    """A board somewhere in or near the laws."""
    r = np.random.default_rng(seed)
    side = r.uniform(733, 742)
    corners = tuple((x + r.normal(0, 0.7), y + r.normal(0, 0.7)) for x, y in square(side))
    half = side / 2
    lower = tuple(half - r.normal(101.5, 0.7) for _ in range(4))
    length = tuple(side - 266.6 + r.normal(0, 1.0) for _ in range(4))
    top, wall = FRAMES[int(r.integers(len(FRAMES)))]
    shade = r.uniform(0.75, 1.15)
    return Board(
        corners, r.uniform(19, 25.4), r.uniform(63.5, 76), r.uniform(5, 24), float(r.choice([0.0, 0.0, 0.4, 0.8, 1.2])),
        tuple(r.uniform(43, 46.5, 4)), (float(r.uniform(-1.5, 1.0)),) * 4, r.uniform(8, 12), lower, tuple(r.uniform(4.6, 6.8, 4)),
        tuple(r.normal(31.8, 0.3, 4)), length, tuple(r.normal(31.8, 0.25, 8)), tuple(r.normal(25.4, 0.25, 8)),
        r.uniform(0.5, 1.5), r.uniform(0.6, 1.6), tuple(r.normal(50, 1, 4)), tuple(r.uniform(235, 267, 4)), tuple(r.normal(0, 0.4, 4)),
        r.normal(31.8, 0.5), r.normal(170, 1.0), frozenset(),
        Look(
            tuple(shade * v for v in (0.55, 0.36, 0.19)), BLACK if r.random() < 0.75 else tuple(r.uniform(0.02, 0.15, 3)),
            RED, top, wall, r.uniform(0, 0.35), r.uniform(0.02, 0.08), r.random() < 0.7, r.random() < 0.6, r.random() < 0.7,
            r.random() < 0.7, r.random() < 0.7, float(r.choice([0.0, 0.4, 0.7])), int(r.integers(0, 9)),
            float(r.choice([0.0, 0.0, 0.5])), tuple(r.uniform(0.1, 0.6) * np.array([1, 1, 0.95])),
            float(r.choice([0.0, 0.0, 1.5])), (0.2, 0.2, 0.21), r.random() < 0.6, tuple(r.uniform(0.03, 0.3, 3)),
        ),
    )  # type: ignore[arg-type]  # fmt: skip


def any_shot(board: Board, seed: int, lens: Lens, cards: int = 4, tilt: float = 25.0) -> Shot:
    """A view of the whole board from up to `tilt` degrees off the vertical."""
    r = np.random.default_rng(seed)
    lean = math.radians(r.uniform(0, tilt))
    reach = 940 * lens.focal / lens.height * r.uniform(1.02, 1.15) * (1 + 0.35 * math.sin(lean))
    stand = Stand(reach, lean, r.uniform(0, 2 * math.pi), r.normal(0, 0.08), tuple(r.uniform(-15, 15, 2)))
    angle, high = r.uniform(0, 2 * math.pi), r.uniform(0.15, 0.9)
    lamp = Lamp(
        (math.sin(high) * math.cos(angle), math.sin(high) * math.sin(angle), math.cos(high)), r.uniform(0.25, 0.6),
        r.uniform(0.25, 0.45), r.uniform(0.1, 0.6), tuple(r.uniform(-0.12, 0.12, 2)), r.uniform(0, 0.3),
        (1 + r.uniform(-0.1, 0.1), 1.0, 1 + r.uniform(-0.1, 0.1)),
    )  # type: ignore[arg-type]  # fmt: skip
    sensor = Sensor(r.uniform(0.6, 1.2), r.uniform(0.003, 0.01), 0.002, int(r.integers(86, 96)))
    return Shot(board, lens, stand, laid_cards(seed, cards), lying_pieces(seed), lamp, sensor, seed=seed)


def laid_cards(seed: int, count: int) -> tuple[Card, ...]:
    """Cards on the free parts of the surface: near the middle of the four quarters and along the sides."""
    r = np.random.default_rng(seed + 1000)
    spots = [(-165, 60), (165, -60), (60, 165), (-60, -165), (-165, -100), (165, 100), (-80, 165), (80, -165)]
    wide = [(-310, 0), (310, 0), (0, 310), (0, -310)]
    chosen = (wide + spots)[:count] if r.random() < 0.5 else spots[:count]
    return tuple(
        Card(index + 1, x + r.uniform(-8, 8), y + r.uniform(-8, 8),
             (math.pi / 2 if abs(x) > abs(y) else 0.0) + r.choice([0, math.pi]) + r.normal(0, 0.05 if abs(x) + abs(y) > 300 else 0.4))
        for index, (x, y) in enumerate(chosen)
    )  # fmt: skip


def lying_pieces(seed: int) -> tuple[Piece, ...]:
    """A few pieces forgotten on the board, off the markings."""
    r = np.random.default_rng(seed + 2000)
    spots = [(-330, 150), (330, -180), (200, 330), (-180, -330), (-120, 0), (110, 20)]
    kinds = [((0.72, 0.62, 0.44), "white"), ((0.025, 0.025, 0.027), "black")]
    chosen = r.choice(len(spots), int(r.integers(0, 3)), replace=False)
    return tuple(
        Piece(spots[i][0] + r.uniform(-5, 5), spots[i][1] + r.uniform(-5, 5), r.uniform(30.2, 31.8), 8.0, 1.0,
              kinds[k][0], kinds[k][1])
        for i, k in zip(chosen, r.integers(0, 2, len(chosen)), strict=True)
    )  # fmt: skip


@lru_cache(maxsize=1)
def phone_lens(megapixels: float = 12.0) -> Lens:
    return phone(megapixels, bend=(0.05, -0.09, 0.0005, -0.0004, 0.03))


def without(board: Board, *names: str) -> Board:
    return replace(board, missing=frozenset(names))
