"""A carrom board for the second way to draw: plain, or with the habits of other makers; cards as they are printed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from inspect_kit.vision.reference.sheets import card
from tests.scenes.painted import Colour, Painting, eye

INK: Colour = (0.01, 0.01, 0.01)
RED: Colour = (0.46, 0.012, 0.017)
WALLS: tuple[Colour, ...] = ((0.09, 0.025, 0.01), (0.19, 0.068, 0.022), (0.042, 0.013, 0.006), (0.009, 0.008, 0.008))
WOODS: tuple[Colour, ...] = ((0.74, 0.51, 0.27), (0.62, 0.38, 0.17), (0.83, 0.65, 0.41))
GAPS = (0.0, 0.5, 1.0, 0.8)
SIDES, CORNERS = "senw", ("sw", "se", "ne", "nw")
ENDS = {"s": "we", "e": "sn", "n": "ew", "w": "ns"}
_AROUND = np.linspace(0, 2 * np.pi, 480, endpoint=False)

Key = tuple[str, str]


@dataclass(frozen=True)
class Sizes:
    """What a board's makers get a little wrong, mm; sides are equal and corners right."""

    side: float
    pocket: float
    distance: float
    spacing: float
    lower: float
    length: float
    circle: float
    disc: float
    arrow: float
    shaft: float
    tip: float
    centre: float
    outer: float

    @property
    def truth(self) -> dict[Key, float]:
        """By characteristic and instance."""
        half = self.side * math.sqrt(2)
        found: dict[Key, float] = {("centre.diameter", ""): self.centre, ("outer.diameter", ""): self.outer,
                                   ("surface.diagonal", "nw-se"): half, ("surface.diagonal", "ne-sw"): half}  # fmt: skip
        for side in SIDES:
            found |= {("surface.side", side): self.side, ("baseline.length", side): self.length,
                      ("baseline.lower.distance", side): self.distance, ("baseline.spacing", side): self.spacing,
                      ("baseline.lower.thickness", side): self.lower}  # fmt: skip
            for end in ENDS[side]:
                found |= {
                    ("basecircle.diameter", f"{side}.{end}"): self.circle,
                    ("basecircle.inner", f"{side}.{end}"): self.disc,
                }
        for corner in CORNERS:
            found |= {("surface.angle", corner): 90.0, ("pocket.diameter", corner): self.pocket, ("arrow.tip", corner): self.tip,
                      ("arrow.length", corner): self.arrow, ("arrow.thickness", corner): self.shaft}  # fmt: skip
        return found


@dataclass(frozen=True)
class Habit:
    """What makers do differently, and light: none of it changes a size that is asked for."""

    gap: float
    """mm of darkness before the walls."""
    head: str = "plain"
    arc: float = 0.0
    """mm: stroke of an arc across an arrow's start."""
    counted: float = 0.5
    """Share of the arc that its maker counts as a part of the arrow."""
    thin: float = 0.9
    """mm: upper lines."""
    ring: float = 0.8
    """mm: outlines of circles."""
    ink: Colour = INK
    shade: float = 0.0
    """What the corner between surface and wall takes of the light, on both."""
    cast: float = 0.0
    """mm of shadow that two walls throw."""
    phone: bool = False


HEADS = ("through", "barbed", "cut", "round", "plain", "hollow")
INKS: tuple[Colour, ...] = (INK, (0.05, 0.03, 0.02), (0.03, 0.03, 0.06))


def habit_of(seed: int) -> Habit:
    """A maker by chance; every second one leaves no gap."""
    random = np.random.default_rng(seed + 5000)
    return Habit(
        gap=float(random.choice([0.0, 0.0, 0.0, 0.3, 0.6, 1.0])), head=HEADS[seed % len(HEADS)],
        arc=random.uniform(0.6, 1.4) * (seed // 2 % 2), counted=float(random.choice([0.0, 0.5, 1.0])),
        thin=random.uniform(0.5, 1.3), ring=random.uniform(0.5, 1.2), ink=INKS[seed % len(INKS)],
        shade=random.uniform(0.0, 0.6), cast=float(random.choice([0.0, random.uniform(3, 14)])), phone=seed % 2 == 1,
    )  # fmt: skip


def sizes_of(seed: int) -> Sizes:
    """A board that is legal or nearly so."""
    random = np.random.default_rng(seed)
    side = random.uniform(735, 740)
    return Sizes(
        side=side, pocket=random.uniform(43, 46), distance=101.5 + random.normal(0, 0.5),
        spacing=31.8 + random.normal(0, 0.3), lower=random.uniform(5.0, 6.5), length=side - 266.6 + random.normal(0, 0.4),
        circle=31.8 + random.normal(0, 0.2), disc=25.4 + random.normal(0, 0.2), arrow=random.uniform(250, 267),
        shaft=random.uniform(1.0, 1.5), tip=50 + random.normal(0, 0.5), centre=31.8 + random.normal(0, 0.3),
        outer=170 + random.normal(0, 0.8),
    )  # fmt: skip


def painted_board(seed: int, habit: Habit | None = None) -> tuple[bytes, Sizes]:
    """A photo of 12 megapixels from up to 24° off the vertical, and the truth."""
    random, sizes = np.random.default_rng(seed + 1000), sizes_of(seed)
    habit = habit or Habit(GAPS[seed % 4])
    tilt, way = math.radians(random.uniform(3, 24)), random.uniform(0, 2 * math.pi)
    far = random.uniform(1060, 1130)
    place = far * np.array([math.sin(tilt) * math.cos(way), math.sin(tilt) * math.sin(way), math.cos(tilt)])
    turn = random.uniform(-0.25, 0.25)
    painting = Painting(eye(place, (0, 0, 0), (math.sin(turn), math.cos(turn), 0)), (0.1, 0.11, 0.13))
    half, high, wide = sizes.side / 2, random.uniform(19, 25.4), random.uniform(64, 76)
    painting.flat(_square(half + wide, 0), (0.05, 0.02, 0.01))
    painting.flat(_square(half, 0), (0.005, 0.004, 0.004))
    painting.flat(_square(half - habit.gap, 0), WOODS[seed % 3])
    _shade(painting, half - habit.gap, habit, WOODS[seed % 3])
    _markings(painting, sizes, WOODS[seed % 3], habit)
    for number, spot in enumerate(((-165, 30), (30, 165), (165, -30), (-30, -165)), 1):
        _card(painting, number, np.add(spot, random.uniform(-8, 8, 2)), random.uniform(0, 2 * math.pi))
    _frame(painting, (half, high, wide), WALLS[(seed // 4 + seed) % 4], habit)
    return painting.photograph(seed, habit.phone), sizes


def habitual_board(seed: int) -> tuple[bytes, dict[Key, float], Habit]:
    """The same by a maker with habits of his own: what he calls an arrow's length counts so much of the arc."""
    habit = habit_of(seed)
    content, sizes = painted_board(seed, habit)
    counted = replace(sizes, arrow=sizes.arrow + (habit.counted - 0.5) * habit.arc)
    return content, counted.truth, habit


def _shade(painting: Painting, half: float, habit: Habit, wood: Colour) -> None:
    """Darker towards the walls, and the shadow of two of them with a soft edge."""
    for side in range(4):
        cast = habit.cast if side < 2 else 0.0
        for away in np.arange(0, max(16 * (habit.shade > 0), cast + 2), 0.25)[::-1]:
            left = (1 - habit.shade * math.exp(-away / 3)) * (1 - 0.5 * float(np.clip(cast - away, 0, 1)))
            low, high = -half + away, -half + away + 0.25
            band = np.array([[-half + away, low], [half - away, low], [half - away, high], [-half + away, high]])
            _on_surface(painting, _turned(band, side), (left * wood[0], left * wood[1], left * wood[2]))


def _square(half: float, height: float) -> np.ndarray:
    return np.array([[-half, half, height], [half, half, height], [half, -half, height], [-half, -half, height]])


def _turned(points: np.ndarray, quarters: int) -> np.ndarray:
    for _ in range(quarters):
        points = points[:, ::-1] * [-1, 1]
    return points


def _on_surface(painting: Painting, points: np.ndarray, colour: Colour) -> None:
    painting.flat(np.column_stack([points, np.zeros(len(points))]), colour)


def _circle(painting: Painting, middle: np.ndarray, diameter: float, colour: Colour) -> None:
    _on_surface(painting, middle + diameter / 2 * np.column_stack([np.cos(_AROUND), np.sin(_AROUND)]), colour)


def _markings(painting: Painting, sizes: Sizes, wood: Colour, habit: Habit) -> None:
    half, x = sizes.side / 2, (sizes.length - sizes.circle) / 2
    low, y = -(half - sizes.distance), -(half - sizes.distance - sizes.spacing / 2)
    for quarter in range(4):
        for first, last in ((low, low + sizes.lower), (low + sizes.spacing - habit.thin, low + sizes.spacing)):
            line = np.array([[-x, first], [x, first], [x, last], [-x, last]])
            _on_surface(painting, _turned(line, quarter), habit.ink)
    for quarter in range(4):
        for middle in (np.array([[-x, y]]), np.array([[x, y]])):
            at = _turned(middle, quarter)[0]
            for diameter, colour in (
                (sizes.circle, habit.ink),
                (sizes.circle - 2 * habit.ring, wood),
                (sizes.disc, RED),
            ):
                _circle(painting, at, diameter, colour)
        _corner(painting, sizes, quarter, habit)
    for diameter, colour in ((sizes.outer, habit.ink), (sizes.outer - 2, wood), (sizes.centre, habit.ink),
                             (sizes.centre - 2 * habit.ring, wood), (sizes.centre - 6, RED)):  # fmt: skip
        _circle(painting, np.zeros(2), diameter, colour)


def _corner(painting: Painting, sizes: Sizes, quarter: int, habit: Habit) -> None:
    """Arrow and pocket on a diagonal, by distances from the centre."""
    pocket = (sizes.side - sizes.pocket) / math.sqrt(2)
    tip = pocket - sizes.pocket / 2 - sizes.tip
    diagonal = np.array([[-1, 1], [-1, -1]]) / math.sqrt(2)
    for points in (*_arc(tip - sizes.arrow, habit.arc), *_arrow(tip, sizes, habit.head)):
        _on_surface(painting, _turned(np.array(points) @ diagonal.T, quarter), habit.ink)
    _circle(painting, _turned(np.array([[pocket, 0.0]]) @ diagonal.T, quarter)[0], sizes.pocket, (0.018, 0.009, 0.006))


Outline = list[list[float]]


def _arc(start: float, stroke: float) -> list[Outline]:
    """Short pieces of a circle of 63 mm around the way to the tip, its stroke's middle at the arrow's start."""
    if not stroke:
        return []
    turns, middle = np.radians(np.arange(-110, 110, 4.0)), start + 31.75
    rings = [(31.75 + sign * stroke / 2) for sign in (-1, 1)]
    return [
        [
            [middle - r * math.cos(a), r * math.sin(a)]
            for r, a in zip((*rings, *rings[::-1]), (t, t, t + 0.08, t + 0.08), strict=True)
        ]
        for t in turns
    ]


def _arrow(tip: float, sizes: Sizes, head: str) -> list[Outline]:
    """Shaft and head, of convex pieces."""
    end = tip - {"through": 1.0, "hollow": 0.4}.get(head, 5.0)
    back, wide = tip - 9, sizes.shaft / 2
    shaft = [[tip - sizes.arrow, wide], [end, wide], [end, -wide], [tip - sizes.arrow, -wide]]
    match head:
        case "barbed":
            return [shaft, *([[tip, 0.0], [back, sign * 3.0], [back + 2.5, 0.0]] for sign in (-1, 1))]
        case "cut":
            return [shaft, [[tip, 0.5], [back, 3.0], [back, -3.0], [tip, -0.5]]]
        case "round":
            nose = [[tip - 0.7 + 0.7 * math.cos(t), 0.7 * math.sin(t)] for t in np.linspace(1.3, -1.3, 16)]
            return [shaft, [*nose, [back, -3.0], [back, 3.0]]]
        case "hollow":
            return [
                shaft,
                *([[tip, 0.0], [back, sign * 3.2], [back - 1, sign * 2.0], [tip - 3.2, 0.0]] for sign in (-1, 1)),
            ]
    return [shaft, [[tip, 0], [back, 3], [back, -3]]]


def _card(painting: Painting, number: int, place: np.ndarray, turn: float) -> None:
    across, up = np.array([math.cos(turn), math.sin(turn), 0]), np.array([-math.sin(turn), math.cos(turn), 0])
    painting.sheet(card(number), across, up, np.array([*place, 0.0]))


def _frame(painting: Painting, size: tuple[float, float, float], wall: Colour, habit: Habit) -> None:
    """Inner walls that face the camera, darker at the foot; then the frame's top over what it hides."""
    half, high, wide = size
    edge, outside = _square(half, high), _square(half + wide, high)
    levels = np.linspace(0, high, 17 if habit.shade else 2)
    for one in range(4):
        two = (one + 1) % 4
        middle = (edge[one] + edge[two]) / 2
        if (painting.view.place - middle) @ -middle > 0:
            for low, top in pairwise(levels):
                left = 1 - habit.shade * math.exp(-low / 5)
                foot, upper = _square(half, low), _square(half, top)
                tone = (left * wall[0], left * wall[1], left * wall[2])
                painting.flat(np.array([foot[one], foot[two], upper[two], upper[one]]), tone)
    for one in range(4):
        two = (one + 1) % 4
        painting.flat(np.array([edge[one], edge[two], outside[two], outside[one]]), (0.155, 0.047, 0.02))
