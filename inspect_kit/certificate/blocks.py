"""Running text, labelled facts, plain tables and headings as pieces for the flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content import Column, Facts, Field, Listing, Paragraph
from inspect_kit.certificate.flow import Piece
from inspect_kit.certificate.grid import HAIR, HAIRLINE, INK, LEFT, MM, RIGHT, THIN_RULE, WIDTH
from inspect_kit.certificate.lettering import Style, baseline, put, put_block, wrapped
from inspect_kit.certificate.styles import BODY, HEAD, HEADING, LABEL, SMALL_INK

_MEASURE: Final = 148 * MM
"""Width of running text: lines that are longer are hard to read."""

_CHUNK: Final = 40
"""Lines after which even one paragraph may be broken over pages."""

_GUTTER: Final = 3 * MM


def heading_piece(number: int, text: str, style: Style = HEADING) -> Piece:
    """A numbered heading, held together with what follows."""

    def draw(canvas: Canvas, top: float) -> None:
        canvas.bookmarkHorizontal(f"section-{number}", 0, top + 4 * MM)
        canvas.addOutlineEntry(f"{number} {text}", f"section-{number}", 0)
        put(canvas, LEFT, baseline(top, style), str(number), style)
        put_block(canvas, LEFT + 8 * MM, top, text, style, WIDTH - 8 * MM)

    height = len(wrapped(text, style.font, style.size, WIDTH - 8 * MM)) * style.leading
    return Piece(height + 1.4 * MM, draw, space=6.5 * MM, keep=True)


def paragraph_pieces(block: Paragraph) -> Iterator[Piece]:
    """A paragraph, in one piece unless it is very long."""
    lines = wrapped(block.text, BODY.font, BODY.size, _MEASURE)
    for start in range(0, len(lines), _CHUNK):
        text = "\n".join(lines[start : start + _CHUNK])
        yield _text_piece(text, min(_CHUNK, len(lines) - start), 1.5 * MM if start == 0 else 0)


def _text_piece(text: str, count: int, space: float) -> Piece:
    def draw(canvas: Canvas, top: float) -> None:
        put_block(canvas, LEFT, top, text, BODY, _MEASURE + MM)

    return Piece(count * BODY.leading, draw, space)


def fact_pieces(block: Facts) -> Iterator[Piece]:
    """Labels left, texts right."""
    space = 1.6 * MM
    for field in block.fields:
        for piece in fact_rows(field, WIDTH * block.label_share):
            yield replace(piece, space=space)
            space = 0.0


def fact_rows(
    field: Field, label_width: float, label_style: Style = LABEL, text_style: Style = BODY
) -> Iterator[Piece]:
    """One label with its text, in as many pieces as it is long, a hairline above."""
    labels = wrapped(field.label, label_style.font, label_style.size, label_width - _GUTTER)
    texts = wrapped(field.text, text_style.font, text_style.size, WIDTH - label_width)
    for start in range(0, max(len(labels), len(texts)), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        columns = ((LEFT, labels[chunk], label_style), (LEFT + label_width, texts[chunk], text_style))
        yield columns_piece(columns, rule=start == 0)


def columns_piece(columns: Sequence[tuple[float, Sequence[str], Style]], *, rule: bool) -> Piece:
    """Lines side by side, each column with its place and style."""
    pad = 0.7 * MM
    height = max(len(lines) * style.leading for _, lines, style in columns) + 2 * pad

    def draw(canvas: Canvas, top: float) -> None:
        if rule:
            canvas.setStrokeColor(HAIR)
            canvas.setLineWidth(HAIRLINE)
            canvas.line(LEFT, top, RIGHT, top)
        for x, lines, style in columns:
            put_block(canvas, x, top - pad, "\n".join(lines), style, WIDTH * 2)

    return Piece(height, draw)


def listing_pieces(block: Listing) -> Iterator[Piece]:
    """A table head and its rows, the head repeated on every page."""
    head = _listing_head(block.columns)
    yield replace(head, keep=True, space=1.5 * MM)
    last = len(block.rows) - 1
    for number, row in enumerate(block.rows):
        # Neither the first nor the last row stands alone on a page.
        yield replace(_listing_row(row, block.columns), head=head, keep=number < last and number in (0, last - 1))


def _starts(columns: Sequence[Column]) -> list[float]:
    starts = [LEFT]
    for column in columns:
        starts.append(starts[-1] + column.share * WIDTH)
    return starts


def _listing_head(columns: Sequence[Column]) -> Piece:
    height = 6 * MM

    def draw(canvas: Canvas, top: float) -> None:
        for x, column in zip(_starts(columns), columns, strict=False):
            put(canvas, x, top - height + 2 * MM, column.title, HEAD)
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(THIN_RULE)
        canvas.line(LEFT, top - height, RIGHT, top - height)

    return Piece(height, draw)


def _listing_row(row: Sequence[str], columns: Sequence[Column]) -> Piece:
    cells = [
        (x, wrapped(text, SMALL_INK.font, SMALL_INK.size, column.share * WIDTH - 2 * MM), SMALL_INK)
        for x, column, text in zip(_starts(columns), columns, row, strict=False)
    ]
    piece = columns_piece(cells, rule=False)
    return replace(piece, height=piece.height - 0.8 * MM)
