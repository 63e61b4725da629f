"""Many values of one clause as a compact grid, with what fails or is open marked in its cell and told below."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content import Group, Row
from inspect_kit.certificate.flow import Piece
from inspect_kit.certificate.grid import HAIR, HAIRLINE, INK, MM, PAPER
from inspect_kit.certificate.lettering import Style, height_of, measured, put, put_block, put_right, shrunk
from inspect_kit.certificate.styles import REVERSED, SMALL, SMALL_INK, TABLE

_GAP: Final = 2 * MM
_STACKED: Final = 8.4 * MM
_INLINE: Final = 4.9 * MM
_SHORT_LABEL: Final = 7 * MM
_REVERSED_LABEL: Final = Style(SMALL.font, SMALL.size, SMALL.leading, PAPER)


@dataclass(frozen=True, slots=True)
class Cells:
    """How the cells of one grid are laid out: labels beside their values where they are short, else above."""

    left: float
    columns: int
    width: float
    stacked: bool

    @property
    def height(self) -> float:
        """Of one row."""
        return _STACKED if self.stacked else _INLINE

    def x(self, column: int) -> float:
        """Where a cell starts."""
        return self.left + column * (self.width + _GAP)


def _cells(group: Group, left: float, width: float) -> Cells:
    labels = max(measured(row.label, SMALL) for row in group.rows)
    values = max(measured(_value(row), TABLE) for row in group.rows)
    stacked = labels > _SHORT_LABEL
    needed = (max(labels, values) if stacked else _SHORT_LABEL + values) + 3 * MM
    columns = max(1, min(len(group.rows), int((width + _GAP) / (needed + _GAP)), 5 if not stacked else 4))
    return Cells(left, columns, (width + _GAP) / columns - _GAP, stacked)


def _value(row: Row) -> str:
    """The unit stands in the requirement; repeating it nineteen times helps nobody."""
    result = row.result
    return f"{result.number} {result.expanded}".strip() if result.number else result.word


def grid_pieces(group: Group, left: float, width: float) -> Iterator[Piece]:
    """Rows of cells, then what was found in words."""
    cells = _cells(group, left, width)
    for start in range(0, len(group.rows), cells.columns):
        yield _cell_row(group.rows[start : start + cells.columns], cells)
    yield _told(group, left, width)


def _cell_row(rows: tuple[Row, ...], cells: Cells) -> Piece:
    def draw(canvas: Canvas, top: float) -> None:
        for column, row in enumerate(rows):
            _draw_cell(canvas, row, cells, cells.x(column), top)

    return Piece(cells.height, draw, keep=True)


def _draw_cell(canvas: Canvas, row: Row, cells: Cells, x: float, top: float) -> None:
    failed = row.mark.verdict == "fails"
    _draw_frame(canvas, row.mark.verdict, (x, top, cells.width, cells.height))
    label, value = (_REVERSED_LABEL, REVERSED) if failed else (SMALL, TABLE)
    inner = x + 1.2 * MM
    if cells.stacked:
        room = cells.width - 2.4 * MM
        put(canvas, inner, top - 3.1 * MM, row.label, shrunk(row.label, label, room, 5))
        put(canvas, inner, top - 6.9 * MM, _value(row), shrunk(_value(row), value, room, 5))
        return
    room = cells.width - _SHORT_LABEL - 1.6 * MM
    put_right(canvas, x + 5.4 * MM, top - 3.45 * MM, row.label, label)
    put(canvas, x + _SHORT_LABEL, top - 3.5 * MM, _value(row), shrunk(_value(row), value, room, 5))


def _draw_frame(canvas: Canvas, verdict: str, frame: tuple[float, float, float, float]) -> None:
    """Black where it fails, a heavy frame where it is open, a hairline below otherwise."""
    x, top, width, height = frame
    canvas.setStrokeColor(HAIR)
    canvas.setLineWidth(HAIRLINE)
    if verdict == "fails":
        canvas.setFillColor(INK)
        canvas.rect(x, top - height + 0.8, width, height - 1.2, stroke=0, fill=1)
    elif verdict == "undecided":
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(1.1)
        canvas.rect(x + 0.5, top - height + 1.1, width - 1, height - 1.8, stroke=1, fill=0)
    else:
        canvas.line(x, top - height + 0.3, x + width, top - height + 0.3)


def _told(group: Group, left: float, width: float) -> Piece:
    text = "   ".join(part for part in (_marks_in_words(group), group.spread) if part)
    pad = 1.2 * MM

    def draw(canvas: Canvas, top: float) -> None:
        put_block(canvas, left, top - pad, text, SMALL_INK, width)

    return Piece(height_of(text, SMALL_INK, width) + 2 * pad, draw)


def _marks_in_words(group: Group) -> str:
    """Each verdict with its reason, and which pieces it speaks of."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in group.rows:
        found.setdefault((row.mark.word, row.mark.reason), []).append(row.label)
    if len(found) == 1:
        ((word, reason),) = found
        return f"{len(group.rows)} × {word}: {reason}."
    return " ".join(
        f"{len(labels)} × {word}: {reason}"
        + (f" ({', '.join(labels)})." if len(labels) <= len(group.rows) / 2 else ".")
        for (word, reason), labels in found.items()
    )
