"""The values of a carrom board in small tables around its drawing, each at its side or corner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content import Plan, Tag
from inspect_kit.certificate.fonts import BOLD, SANS
from inspect_kit.certificate.grid import HAIR, HAIRLINE, INK, LEFT, MM, PAPER, QUIET, RIGHT, WIDTH
from inspect_kit.certificate.lettering import Style, measured, put, put_right, shrunk
from inspect_kit.certificate.signs import draw_sign
from inspect_kit.certificate.styles import SMALL

COLUMN: Final = 31 * MM
"""Width of the tables beside the drawing."""

TALL: Final = 22 * MM
"""Height of the strips above and below the drawing."""

_ROW: Final = 3.45 * MM
_NAME: Final = Style(SANS, 6.6, 8, QUIET)
_TEXT: Final = Style(SANS, 6.9, 8)
_PLACE: Final = Style(BOLD, 7.2, 8.6)

Row = tuple[str, Tag]

_AT_CORNERS: Final = (
    ("surface.angle", "corner"), ("pocket.diameter", "pocket"), ("basecircle.gap", "gap"),
    ("arrow.thickness", "arrow_thickness"), ("arrow.length", "arrow_length"), ("arrow.angle", "arrow_angle"),
    ("arrow.tip", "arrow_tip"), ("arc.diameter", "arc"),
)  # fmt: skip
_AT_SIDES: Final = (
    ("frame.width", "frame_width"), ("frame.height", "frame_height"), ("surface.side", "side"),
    ("baseline.lower.distance", "distance"), ("baseline.lower.thickness", "line"), ("baseline.spacing", "spacing"),
    ("baseline.length", "length"),
)  # fmt: skip
_CIRCLES: Final = {"basecircle.diameter": "circle", "basecircle.inner": "red"}
_ENDS: Final = {"n": "we", "s": "we", "w": "ns", "e": "ns"}


_PLACES: Final = {
    **{name: ("nw", "ne", "se", "sw") for name, _ in _AT_CORNERS},
    **{name: tuple(_ENDS) for name, _ in _AT_SIDES},
    **{name: tuple(f"{side}.{end}" for side, ends in _ENDS.items() for end in ends) for name in _CIRCLES},
}


def everywhere(plan: Plan) -> Plan:
    """A value without an instance speaks for all places of its characteristic, and is shown at each."""
    tags = [
        replace(tag, instance=place) if place else tag
        for tag in plan.tags
        for place in ((tag.instance,) if tag.instance else _PLACES.get(tag.characteristic, ("",)))
    ]
    return replace(plan, tags=tuple(tags))


def rows_at(plan: Plan, place: str) -> Iterator[Row]:
    """The values that belong to a side or a corner, with their short names."""
    found = {(tag.characteristic, tag.instance): tag for tag in plan.tags}
    for characteristic, word in _AT_CORNERS if len(place) == 2 else _AT_SIDES:
        if (characteristic, place) in found:
            yield plan.words[word], found[characteristic, place]
    for characteristic, word in _CIRCLES.items():
        for end in _ENDS.get(place, ""):
            if (characteristic, f"{place}.{end}") in found:
                yield f"{plan.words[word]} {plan.words[f'short_{end}']}", found[characteristic, f"{place}.{end}"]


def draw_tables(canvas: Canvas, plan: Plan, top: float, drawn: float) -> None:
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
    canvas.setStrokeColor(HAIR)
    canvas.setLineWidth(HAIRLINE)
    canvas.line(x, top, x + width, top)
    if failed or tag.verdict == "undecided":
        canvas.setFillColor(INK)
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(0.8)
        canvas.rect(x - 0.6 * MM, top - _ROW + 0.6, width + 1.2 * MM, _ROW - 1, stroke=not failed, fill=failed)
    colour = PAPER if failed else INK
    value = Style(BOLD if failed else SANS, _TEXT.size, _TEXT.leading, colour)
    room = width - measured(tag.text, value) - 1.2 * MM
    label = shrunk(name, Style(_NAME.font, _NAME.size, _NAME.leading, colour if failed else QUIET), room, 5.2)
    put(canvas, x, top - _ROW + 1.05 * MM, name, label)
    put_right(canvas, x + width, top - _ROW + 1.05 * MM, tag.text, value)


def _draw_strip(canvas: Canvas, plan: Plan, place: str, top: float) -> None:
    """A side's table above or below the drawing, in three columns."""
    rows = list(rows_at(plan, place))
    left, gap = LEFT + COLUMN + 3 * MM, 4 * MM
    width = (WIDTH - 2 * COLUMN - 6 * MM - 2 * gap) / 3
    deep = -(-len(rows) // 3)
    if rows:
        put(canvas, left, top - 2.6 * MM, plan.words[place], _PLACE)
    for number, (name, tag) in enumerate(rows):
        column, line = divmod(number, deep)
        _draw_row(canvas, name, tag, (left + column * (width + gap), top - 3.6 * MM - line * _ROW, width))


def draw_key(canvas: Canvas, plan: Plan, top: float) -> None:
    """What the signs mean, and that the drawing is to scale."""
    y = top - 4.6 * MM
    put(canvas, LEFT, y, plan.words["scale"], SMALL)
    x = RIGHT
    for verdict in ("undecided", "fails"):
        word = plan.words[f"key_{verdict}"]
        put_right(canvas, x, y, word, SMALL)
        x -= measured(word, SMALL) + 3 * MM
        draw_sign(canvas, verdict, x, y + 0.8 * MM, 1.3 * MM)
        x -= 5 * MM
