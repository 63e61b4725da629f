"""A carrom board drawn to scale, with what fails or is open marked at its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.board_tables import COLUMN, TALL, draw_key, draw_tables, everywhere
from inspect_kit.certificate.content import Plan, Tag
from inspect_kit.certificate.flow import Piece
from inspect_kit.certificate.fonts import BOLD
from inspect_kit.certificate.grid import FAINT, HAIR, INK, LEFT, MM, PAPER, WASH, WIDTH
from inspect_kit.certificate.lettering import Style, measured, put_centred
from inspect_kit.certificate.signs import draw_sign
from inspect_kit.places import shipped
from inspect_kit.tomlfile import read_toml

SIDES: Final = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
CORNERS: Final = {"nw": (-1, 1), "ne": (1, 1), "se": (1, -1), "sw": (-1, -1)}
_DRAWN: Final = WIDTH - 2 * COLUMN
_VALUE: Final = Style(BOLD, 6.8, 8)
_MARK: Final = 1.5 * MM

Point = tuple[float, float]


@cache
def _layout() -> dict[str, float]:
    data = read_toml(shipped("reports") / "layout" / "carrom-board.toml")
    return {key: float(str(number)) for key, number in data.items()}


@dataclass(frozen=True, slots=True)
class Board:
    """A canvas with the board's centre and scale on it."""

    canvas: Canvas
    x: float
    y: float
    scale: float

    def at(self, point: Point) -> Point:
        """Millimetres on the board to points on the paper."""
        return self.x + point[0] * self.scale, self.y + point[1] * self.scale

    def line(self, start: Point, end: Point, width: float) -> None:
        """A line; `width` in points."""
        self.canvas.setLineWidth(width)
        self.canvas.line(*self.at(start), *self.at(end))

    def circle(self, centre: Point, diameter: float, *, stroke: bool = True, fill: bool = False) -> None:
        """A circle."""
        self.canvas.circle(*self.at(centre), diameter / 2 * self.scale, stroke=stroke, fill=fill)


def plan_pieces(plan: Plan) -> Iterator[Piece]:
    """The drawing with its tables around it, and the key."""
    plan = everywhere(plan)

    def draw(canvas: Canvas, top: float) -> None:
        top -= 2 * MM
        layout = _layout()
        scale = _DRAWN / (layout["side"] + 2 * layout["frame"])
        board = Board(canvas, LEFT + WIDTH / 2, top - TALL - _DRAWN / 2, scale)
        canvas.saveState()
        _draw_board(board)
        _draw_values(board, plan)
        canvas.restoreState()
        draw_tables(canvas, plan, top, _DRAWN)
        draw_key(canvas, plan, top - 2 * TALL - _DRAWN)

    yield Piece(2 * TALL + _DRAWN + 10 * MM, draw)


# The board


def _draw_board(board: Board) -> None:
    layout, canvas = _layout(), board.canvas
    half, frame = layout["side"] / 2, layout["frame"]
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.8)
    canvas.setFillColor(WASH)
    canvas.rect(*board.at((-half - frame, -half - frame)), *(2 * [2 * (half + frame) * board.scale]), stroke=1, fill=1)
    canvas.setFillColor(PAPER)
    canvas.rect(*board.at((-half, -half)), *(2 * [2 * half * board.scale]), stroke=1, fill=1)
    for turn in range(4):
        canvas.saveState()
        canvas.translate(board.x, board.y)
        canvas.rotate(90 * turn)
        quarter = Board(canvas, 0, 0, board.scale)
        _draw_side(quarter)
        _draw_corner(quarter)
        canvas.restoreState()
    _draw_middle(board)


def _draw_side(board: Board) -> None:
    """The base lines of the north side with their circles."""
    layout, canvas = _layout(), board.canvas
    along, thick = layout["circle_along"], layout["lower_thickness"]
    canvas.setStrokeColor(INK)
    lower = layout["lower_line"] - thick / 2
    board.line((-along, lower), (along, lower), thick * board.scale)
    board.line((-along, layout["upper_line"]), (along, layout["upper_line"]), 0.5)
    for x in (-along, along):
        centre = (x, layout["circle_across"])
        canvas.setLineWidth(0.6)
        canvas.setFillColor(PAPER)
        board.circle(centre, layout["circle"], fill=True)
        canvas.setFillColor(FAINT)
        board.circle(centre, layout["disc"], stroke=False, fill=True)


def _draw_corner(board: Board) -> None:
    """Pocket, arrow and arc of the north-east corner."""
    layout, canvas = _layout(), board.canvas
    pocket = layout["side"] / 2 - layout["pocket"] / 2
    canvas.setFillColor(HAIR)
    canvas.setLineWidth(0.8)
    board.circle((pocket, pocket), layout["pocket"], fill=True)
    tip, tail = layout["arrow_tip"], layout["arrow_tail"]
    board.line((tail, tail), (tip, tip), 0.5)
    for turned in (200, 250):
        angle = math.radians(turned)
        board.line((tip, tip), (tip + 16 * math.cos(angle), tip + 16 * math.sin(angle)), 0.5)
    centre = tail + layout["arc"] / 2 / math.sqrt(2)
    radius = layout["arc"] / 2
    low, high = board.at((centre - radius, centre - radius)), board.at((centre + radius, centre + radius))
    canvas.arc(*low, *high, startAng=90, extent=270)


def _draw_middle(board: Board) -> None:
    layout, canvas = _layout(), board.canvas
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.6)
    board.circle((0, 0), layout["outer"])
    canvas.setFillColor(FAINT)
    board.circle((0, 0), layout["centre"], fill=True)


# Values and marks


def _draw_values(board: Board, plan: Plan) -> None:
    for tag in plan.tags:
        _draw_value(board, tag)
    for tag in plan.tags:
        if tag.verdict in ("fails", "undecided"):
            draw_sign(board.canvas, tag.verdict, *board.at(_place(tag)), _MARK)


def _draw_value(board: Board, tag: Tag) -> None:
    """Lengths of sides and base lines along them, the circles in the middle below their outlines."""
    layout = _layout()
    half, frame = layout["side"] / 2, layout["frame"]
    if tag.characteristic == "surface.side" and tag.instance in SIDES:
        _along(board, tag, half + frame / 2)
    elif tag.characteristic == "baseline.length" and tag.instance in SIDES:
        _along(board, tag, (layout["upper_line"] + layout["lower_line"] - layout["lower_thickness"]) / 2)
    elif tag.characteristic == "centre.diameter":
        _level(board, f"Ø {tag.text}", (0, -layout["centre"] / 2 - 26))
    elif tag.characteristic == "outer.diameter":
        _level(board, f"Ø {tag.text}", (0, -layout["outer"] / 2 - 26))


def _level(board: Board, text: str, point: Point) -> None:
    x, y = board.at(point)
    put_centred(board.canvas, x, y, text, _VALUE)


def _along(board: Board, tag: Tag, distance: float) -> None:
    """Text along a side: level on the north and south, upright on the others, always readable from below or right."""
    across, up = SIDES[tag.instance]
    canvas = board.canvas
    canvas.saveState()
    canvas.translate(*board.at((across * distance, up * distance)))
    canvas.rotate(90 if across else 0)
    wide = measured(tag.text, _VALUE) + 3
    if tag.characteristic == "baseline.length":
        canvas.setFillColor(PAPER)
        canvas.rect(-wide / 2, -2.6, wide, 5.4, stroke=0, fill=1)
    put_centred(canvas, 0, -2.3, tag.text, _VALUE)
    canvas.restoreState()


def _place(tag: Tag) -> Point:
    """Where on the board a value belongs."""
    layout = _layout()
    side, _, end = tag.instance.partition(".")
    if end in SIDES and side in SIDES:
        return _sum(SIDES[side], layout["circle_across"], SIDES[end], layout["circle_along"])
    distance = _DISTANCES.get(tag.characteristic, 0.0)
    if side in CORNERS:
        return CORNERS[side][0] * distance, CORNERS[side][1] * distance
    if side in SIDES:
        aside = {"n": "e", "e": "s", "s": "w", "w": "n"}[side]
        return _sum(SIDES[side], distance, SIDES[aside], _ASIDE.get(tag.characteristic, 0.0))
    return (0.0, distance) if tag.characteristic == "outer.diameter" else (0.0, 0.0)


def _sum(first: tuple[int, int], far: float, second: tuple[int, int], near: float) -> Point:
    return first[0] * far + second[0] * near, first[1] * far + second[1] * near


_DISTANCES: Final = {
    "surface.side": 368.3, "surface.angle": 362.0, "pocket.diameter": 346.0, "baseline.length": 251.0,
    "baseline.lower.thickness": 263.8, "baseline.lower.distance": 317.0, "baseline.spacing": 251.0,
    "basecircle.gap": 235.0, "arrow.thickness": 170.0, "arrow.length": 200.0, "arrow.angle": 262.0, "arrow.tip": 312.0,
    "arc.diameter": 128.6, "outer.diameter": 85.0, "frame.height": 403.0, "frame.width": 403.0,
}  # fmt: skip
"""How far from the middle of the board, along one axis, the mark of a characteristic stands."""

_ASIDE: Final = {
    "surface.side": 60.0, "baseline.length": 110.0, "baseline.lower.thickness": 150.0, "baseline.lower.distance": 150.0,
    "baseline.spacing": 185.0, "frame.height": 150.0, "frame.width": 200.0,
}  # fmt: skip
"""And how far to the side, so that marks do not lie on each other or on the values."""
