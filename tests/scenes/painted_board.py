"""A carrom board for the second way to draw: plain wood, a frame with or without a dark gap, cards as they are printed."""

from __future__ import annotations

import math
from dataclasses import dataclass

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


def painted_board(seed: int) -> tuple[bytes, Sizes]:
    """A photo of 12 megapixels from up to 24° off the vertical, and the truth."""
    random, sizes = np.random.default_rng(seed + 1000), sizes_of(seed)
    tilt, way = math.radians(random.uniform(3, 24)), random.uniform(0, 2 * math.pi)
    far = random.uniform(1060, 1130)
    place = far * np.array([math.sin(tilt) * math.cos(way), math.sin(tilt) * math.sin(way), math.cos(tilt)])
    turn = random.uniform(-0.25, 0.25)
    painting = Painting(eye(place, (0, 0, 0), (math.sin(turn), math.cos(turn), 0)), (0.1, 0.11, 0.13))
    half, high, wide = sizes.side / 2, random.uniform(19, 25.4), random.uniform(64, 76)
    painting.flat(_square(half + wide, 0), (0.05, 0.02, 0.01))
    painting.flat(_square(half, 0), (0.005, 0.004, 0.004))
    painting.flat(_square(half - GAPS[seed % 4], 0), WOODS[seed % 3])
    _markings(painting, sizes, WOODS[seed % 3])
    for number, spot in enumerate(((-165, 30), (30, 165), (165, -30), (-30, -165)), 1):
        _card(painting, number, np.add(spot, random.uniform(-8, 8, 2)), random.uniform(0, 2 * math.pi))
    _frame(painting, half, high, wide, WALLS[(seed // 4 + seed) % 4])
    return painting.photograph(seed), sizes


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


def _markings(painting: Painting, sizes: Sizes, wood: Colour) -> None:
    half, x = sizes.side / 2, (sizes.length - sizes.circle) / 2
    low, y = -(half - sizes.distance), -(half - sizes.distance - sizes.spacing / 2)
    for quarter in range(4):
        for first, last in ((low, low + sizes.lower), (low + sizes.spacing - 0.9, low + sizes.spacing)):
            line = np.array([[-x, first], [x, first], [x, last], [-x, last]])
            _on_surface(painting, _turned(line, quarter), INK)
    for quarter in range(4):
        for middle in (np.array([[-x, y]]), np.array([[x, y]])):
            at = _turned(middle, quarter)[0]
            for diameter, colour in ((sizes.circle, INK), (sizes.circle - 1.6, wood), (sizes.disc, RED)):
                _circle(painting, at, diameter, colour)
        _corner(painting, sizes, quarter)
    for diameter, colour in ((sizes.outer, INK), (sizes.outer - 2, wood), (sizes.centre, INK), (sizes.centre - 1.6, wood),
                             (sizes.centre - 6, RED)):  # fmt: skip
        _circle(painting, np.zeros(2), diameter, colour)


def _corner(painting: Painting, sizes: Sizes, quarter: int) -> None:
    """Arrow and pocket on a diagonal, by distances from the centre."""
    pocket = (sizes.side - sizes.pocket) / math.sqrt(2)
    tip = pocket - sizes.pocket / 2 - sizes.tip
    shaft = [[tip - sizes.arrow, sizes.shaft / 2], [tip - 5, sizes.shaft / 2], [tip - 5, -sizes.shaft / 2],
             [tip - sizes.arrow, -sizes.shaft / 2]]  # fmt: skip
    diagonal = np.array([[-1, 1], [-1, -1]]) / math.sqrt(2)
    for points in (shaft, [[tip, 0], [tip - 9, 3], [tip - 9, -3]]):
        _on_surface(painting, _turned(np.array(points) @ diagonal.T, quarter), INK)
    _circle(painting, _turned(np.array([[pocket, 0.0]]) @ diagonal.T, quarter)[0], sizes.pocket, (0.018, 0.009, 0.006))


def _card(painting: Painting, number: int, place: np.ndarray, turn: float) -> None:
    across, up = np.array([math.cos(turn), math.sin(turn), 0]), np.array([-math.sin(turn), math.cos(turn), 0])
    painting.sheet(card(number), across, up, np.array([*place, 0.0]))


def _frame(painting: Painting, half: float, high: float, wide: float, wall: Colour) -> None:
    """Inner walls that face the camera, then the frame's top over what it hides."""
    foot, edge, outside = (_square(*size)[:, :] for size in ((half, 0.0), (half, high), (half + wide, high)))
    for one in range(4):
        two = (one + 1) % 4
        middle = (foot[one] + foot[two]) / 2
        if (painting.view.place - middle) @ -middle > 0:
            painting.flat(np.array([foot[one], foot[two], edge[two], edge[one]]), wall)
    for one in range(4):
        two = (one + 1) % 4
        painting.flat(np.array([edge[one], edge[two], outside[two], outside[one]]), (0.155, 0.047, 0.02))
