"""Running text in two balanced columns: short lines read well, and the page is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content import Columned
from inspect_kit.certificate.flow import Piece
from inspect_kit.certificate.grid import LEFT, MM, WIDTH
from inspect_kit.certificate.lettering import baseline, put, settled
from inspect_kit.certificate.styles import FINE

_BETWEEN: Final = 8 * MM
_WIDE: Final = (WIDTH - _BETWEEN) / 2
_GAP: Final = 1.3 * MM
"""White between paragraphs."""

_MOST: Final = 90
"""Lines that are balanced at once; longer texts continue below in further columns."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line and its place in its paragraph: so many lines before it, so many from it on."""

    text: str
    before: int
    left: int


def columned_pieces(block: Columned) -> Iterator[Piece]:
    """The paragraphs, first down the left column, then down the right."""
    lines = [line for text in block.paragraphs for line in _lines(text)]
    for start in range(0, len(lines), _MOST):
        yield _piece(lines[start : start + _MOST])


def _lines(text: str) -> Iterator[_Line]:
    texts = settled(text, FINE, _WIDE)
    return (_Line(line, number, len(texts) - number) for number, line in enumerate(texts))


def _piece(lines: Sequence[_Line]) -> Piece:
    cut = _cut(lines)
    columns = (lines[:cut], lines[cut:])

    def draw(canvas: Canvas, top: float) -> None:
        for number, column in enumerate(columns):
            _draw_column(canvas, column, LEFT + number * (_WIDE + _BETWEEN), top)

    return Piece(max(map(_height, columns)), draw, space=1.2 * MM)


def _cut(lines: Sequence[_Line]) -> int:
    """Where the right column begins: as level as possible, and no line of a paragraph left alone."""
    allowed = [place for place in range(1, len(lines)) if _may_part(lines[place])] or [len(lines)]
    return min(allowed, key=lambda place: (max(_height(lines[:place]), _height(lines[place:])), -place))


def _may_part(line: _Line) -> bool:
    return line.before == 0 or (line.before > 1 and line.left > 1)


def _height(lines: Sequence[_Line]) -> float:
    return len(lines) * FINE.leading + sum(_GAP for line in lines[1:] if line.before == 0)


def _draw_column(canvas: Canvas, lines: Sequence[_Line], x: float, top: float) -> None:
    y = baseline(top, FINE)
    for number, line in enumerate(lines):
        y -= _GAP if number and line.before == 0 else 0
        put(canvas, x, y, line.text, FINE)
        y -= FINE.leading
