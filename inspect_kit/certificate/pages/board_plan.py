"""A carrom board drawn to scale, with what fails or is open marked at its place."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.model import BoardPlan, Tag
from inspect_kit.certificate.content.sections import board_layout
from inspect_kit.certificate.pages import styles
from inspect_kit.certificate.pages.flow import Piece, as_figure
from inspect_kit.certificate.pages.fonts import BOLD, SANS
from inspect_kit.certificate.pages.shapes import draw_rule, draw_sign, draw_verdict_box
from inspect_kit.certificate.pages.styles import LEFT, MM, RIGHT, WIDTH
from inspect_kit.certificate.pages.text import measured, put, put_centred, put_right, shrunk

# The values of a carrom board in small tables around its drawing, each at its side or corner.

COLUMN: Final = 33 * MM
"""Width of the tables beside the drawing."""

TALL: Final = 17 * MM
"""Height of the strips above and below the drawing."""

_ROW: Final = 3.45 * MM
"""Height of a row of the tables beside the drawing, in points."""
_NAME: Final = styles.Style(SANS, 7.2, 8, styles.QUIET)
"""Names in the tables beside the drawing: size and distance of lines in points."""
_TEXT: Final = styles.Style(SANS, 7.3, 8)
"""Values in the tables beside the drawing."""
_PLACE: Final = styles.Style(BOLD, 7.4, 8.6)
"""Headings of the tables beside the drawing."""
_LEAST: Final = 7.0
"""Points: smaller type is not read at arm's length."""

Row = tuple[str, Tag]

_ENDS: Final = {"n": "we", "s": "we", "w": "ns", "e": "ns"}
"""The sides, and towards which two others the ends of each lie."""
_PLACES: Final = {
    "corner": ("nw", "ne", "se", "sw"), "side": tuple(_ENDS), "middle": ("",),
    "circle": tuple(f"{side}.{end}" for side, ends in _ENDS.items() for end in ends),
}  # fmt: skip
"""The instances that a mark is shown at, by where it stands."""


def _marks_at(where: str) -> dict[str, Any]:
    """The marks that stand at corners, sides or base circles, by characteristic."""
    return {name: mark for name, mark in board_layout()["marks"].items() if mark["at"] == where}


def everywhere(plan: BoardPlan) -> BoardPlan:
    """A value without an instance speaks for all places of its characteristic, and is shown at each."""
    tags = [
        replace(tag, instance=place) if place else tag
        for tag in plan.tags
        for place in ((tag.instance,) if tag.instance else _PLACES[board_layout()["marks"][tag.characteristic]["at"]])
    ]
    return replace(plan, tags=tuple(tags))


def rows_at(plan: BoardPlan, place: str) -> Iterator[Row]:
    """The values that belong to a side or a corner, with their short names."""
    found = {(tag.characteristic, tag.instance): tag for tag in plan.tags}
    for characteristic, mark in _marks_at("corner" if len(place) == 2 else "side").items():
        if (characteristic, place) in found:
            yield plan.words[mark["word"]], found[characteristic, place]
    for characteristic, mark in _marks_at("circle").items():
        for end in _ENDS.get(place, ""):
            if tag := found.get((characteristic, f"{place}.{end}")):
                yield f"{plan.words[mark['word']]} {plan.words[f'short_{end}']}", tag


def draw_tables(canvas: Canvas, plan: BoardPlan, top: float, drawn: float) -> None:
    """West and east beside the drawing with their corners, north above, south below."""
    bottom = top - 2 * TALL - drawn
    for places, x in ((("nw", "w", "sw"), LEFT), (("ne", "e", "se"), RIGHT - COLUMN + 3 * MM)):
        tables = [(place, list(rows_at(plan, place))) for place in places]
        heights = [_ROW * (len(rows) + 1.4) if rows else 0.0 for _, rows in tables]
        tops = (top, (top + bottom + heights[1]) / 2, bottom + heights[2])
        for (place, rows), start in zip(tables, tops, strict=True):
            _draw_table(canvas, plan.words[place], rows, (x, start, COLUMN - 3 * MM))
    _draw_strip(canvas, plan, "n", top)
    _draw_strip(canvas, plan, "s", bottom + TALL - 3 * MM)


def _draw_table(canvas: Canvas, title: str, rows: list[Row], box: tuple[float, float, float]) -> None:
    if not rows:
        return
    x, top, width = box
    put(canvas, x, top - 2.6 * MM, title, _PLACE)
    y = top - 3.6 * MM
    for name, tag in rows:
        _draw_row(canvas, name, tag, (x, y, width))
        y -= _ROW


def _draw_row(canvas: Canvas, name: str, tag: Tag, box: tuple[float, float, float]) -> None:
    """Name left, value right; white on black where it fails, framed where it is open."""
    x, top, width = box
    failed = tag.verdict == "fails"
    draw_rule(canvas, top, styles.HAIR, styles.HAIRLINE, left=x, right=x + width)
    if failed or tag.verdict == "undecided":
        filled = (x - 0.6 * MM, top - _ROW + 0.6, width + 1.2 * MM, _ROW - 1)
        draw_verdict_box(canvas, tag.verdict, filled, 0.8)
    value = replace(_TEXT, font=BOLD, colour=styles.PAPER) if failed else _TEXT
    room = width - measured(tag.text, value) - 1.2 * MM
    label = shrunk(name, replace(_NAME, colour=styles.PAPER) if failed else _NAME, room, _LEAST)
    put(canvas, x, top - _ROW + 1.05 * MM, name, label)
    put_right(canvas, x + width, top - _ROW + 1.05 * MM, tag.text, value)


def _draw_strip(canvas: Canvas, plan: BoardPlan, place: str, top: float) -> None:
    """A side's table above or below the drawing, in four columns."""
    rows = list(rows_at(plan, place))
    left, gap = LEFT + COLUMN, 3 * MM
    width = (WIDTH - 2 * COLUMN - 3 * gap) / 4
    deep = -(-len(rows) // 4)
    if rows:
        put(canvas, left, top - 2.6 * MM, plan.words[place], _PLACE)
    for number, (name, tag) in enumerate(rows):
        column, line = divmod(number, deep)
        _draw_row(canvas, name, tag, (left + column * (width + gap), top - 3.6 * MM - line * _ROW, width))


def draw_key(canvas: Canvas, plan: BoardPlan, top: float) -> None:
    """What the signs mean, and that the drawing is to scale."""
    y = top - 4.6 * MM
    put(canvas, LEFT, y, plan.words["scale"], styles.SMALL)
    x = RIGHT
    for verdict in ("undecided", "fails"):
        word = plan.words[f"key_{verdict}"]
        put_right(canvas, x, y, word, styles.SMALL)
        x -= measured(word, styles.SMALL) + 3 * MM
        draw_sign(canvas, verdict, x, y + 0.8 * MM, 1.3 * MM)
        x -= 5 * MM


SIDES: Final = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
"""The sides of the board as directions from its centre: across, up."""
CORNERS: Final = {"nw": (-1, 1), "ne": (1, 1), "se": (1, -1), "sw": (-1, -1)}
"""The corners of the board as directions from its centre: across, up."""
_DRAWN: Final = WIDTH - 2 * COLUMN - 4 * MM
"""Side of the drawing in points: what the tables left and right of it leave."""
_VALUE: Final = styles.Style(BOLD, 7.2, 8)
"""Values within the drawing, at their places: size and distance of lines in points."""
_MARK: Final = 1.5 * MM
"""Radius of a sign at its place, in points."""

Point = tuple[float, float]


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


def plan_pieces(plan: BoardPlan) -> Iterator[Piece]:
    """The drawing with its tables around it, and the key."""
    plan = everywhere(plan)

    def draw(canvas: Canvas, top: float) -> None:
        top -= 2 * MM
        layout = board_layout()
        scale = _DRAWN / (layout["side"] + 2 * layout["frame"])
        board = Board(canvas, LEFT + WIDTH / 2, top - TALL - _DRAWN / 2, scale)
        canvas.saveState()
        _draw_board(board)
        _draw_values(board, plan)
        canvas.restoreState()
        draw_tables(canvas, plan, top, _DRAWN)
        draw_key(canvas, plan, top - 2 * TALL - _DRAWN)

    yield as_figure(Piece(2 * TALL + _DRAWN + 9 * MM, draw), plan.words["alt"])


# The board


def _draw_board(board: Board) -> None:
    layout, canvas = board_layout(), board.canvas
    half, frame = layout["side"] / 2, layout["frame"]
    canvas.setStrokeColor(styles.INK)
    canvas.setLineWidth(0.8)
    canvas.setFillColor(styles.WASH)
    canvas.rect(*board.at((-half - frame, -half - frame)), *(2 * [2 * (half + frame) * board.scale]), stroke=1, fill=1)
    canvas.setFillColor(styles.PAPER)
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
    layout, canvas = board_layout(), board.canvas
    along, thick = layout["circle_along"], layout["lower_thickness"]
    canvas.setStrokeColor(styles.INK)
    lower = layout["lower_line"] - thick / 2
    board.line((-along, lower), (along, lower), thick * board.scale)
    board.line((-along, layout["upper_line"]), (along, layout["upper_line"]), 0.5)
    for x in (-along, along):
        centre = (x, layout["circle_across"])
        canvas.setLineWidth(0.6)
        canvas.setFillColor(styles.PAPER)
        board.circle(centre, layout["circle"], fill=True)
        canvas.setFillColor(styles.FAINT)
        board.circle(centre, layout["disc"], stroke=False, fill=True)


def _draw_corner(board: Board) -> None:
    """Pocket, arrow and arc of the north-east corner."""
    layout, canvas = board_layout(), board.canvas
    pocket = layout["side"] / 2 - layout["pocket"] / 2
    canvas.setFillColor(styles.HAIR)
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
    layout, canvas = board_layout(), board.canvas
    canvas.setStrokeColor(styles.INK)
    canvas.setLineWidth(0.6)
    board.circle((0, 0), layout["outer"])
    canvas.setFillColor(styles.FAINT)
    board.circle((0, 0), layout["centre"], fill=True)


# Values and marks


def _draw_values(board: Board, plan: BoardPlan) -> None:
    for tag in plan.tags:
        _draw_value(board, tag)
    for tag in plan.tags:
        if tag.verdict in ("fails", "undecided"):
            draw_sign(board.canvas, tag.verdict, *board.at(_place(tag)), _MARK)


def _draw_value(board: Board, tag: Tag) -> None:
    """Lengths of sides and base lines along them, the circles in the middle below their outlines."""
    layout = board_layout()
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
        canvas.setFillColor(styles.PAPER)
        canvas.rect(-wide / 2, -2.6, wide, 5.4, stroke=0, fill=1)
    put_centred(canvas, 0, -2.3, tag.text, _VALUE)
    canvas.restoreState()


def _place(tag: Tag) -> Point:
    """Where on the board a value belongs."""
    layout = board_layout()
    side, _, end = tag.instance.partition(".")
    if end in SIDES and side in SIDES:
        return _sum(SIDES[side], layout["circle_across"], SIDES[end], layout["circle_along"])
    mark = layout["marks"].get(tag.characteristic, {})
    distance = mark.get("distance", 0.0)
    if side in CORNERS:
        return CORNERS[side][0] * distance, CORNERS[side][1] * distance
    if side in SIDES:
        aside = {"n": "e", "e": "s", "s": "w", "w": "n"}[side]
        return _sum(SIDES[side], distance, SIDES[aside], mark.get("aside", 0.0))
    return (0.0, distance) if tag.characteristic == "outer.diameter" else (0.0, 0.0)


def _sum(first: tuple[int, int], far: float, second: tuple[int, int], near: float) -> Point:
    return first[0] * far + second[0] * near, first[1] * far + second[1] * near
