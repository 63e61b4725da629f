"""Pieces of a known height, and how they fall onto pages: heads repeated, headings never left alone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.content.model import Columned, Facts, Field, Listing, ListingColumn, Paragraph
from inspect_kit.certificate.pages import styles
from inspect_kit.certificate.pages.shapes import draw_rule
from inspect_kit.certificate.pages.styles import LEFT, MM, WIDTH
from inspect_kit.certificate.pages.tags import Element, marked
from inspect_kit.certificate.pages.text import baseline, height_of, put, put_block, settled, wrapped

Draw = Callable[[Canvas, float], None]
"""Draws below a given top edge."""

Split = Callable[[float], "tuple[Piece, Piece] | None"]
"""Parts a piece in two, the first not taller than that; nothing if it cannot be parted so."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that is never broken. `space` is white above it, dropped at the head of a page.

    `keep` holds it on one page with what follows; `head` is drawn again above it where it starts a page.
    """

    height: float
    draw: Draw
    space: float = 0.0
    keep: bool = False
    head: Piece | None = None
    new_page: bool = False
    split: Split | None = None


@dataclass(frozen=True, slots=True)
class PlacedPiece:
    """A piece and the distance of its top edge from the top of the page's body."""

    piece: Piece
    offset: float


Page = tuple[PlacedPiece, ...]


def paginate(pieces: Iterable[Piece], height: float, first: float | None = None) -> tuple[Page, ...]:
    """Fill pages of that height from top to bottom; the first may have another."""
    pages: list[list[PlacedPiece]] = [[]]
    used = 0.0
    room = height if first is None else first
    for bundle in _bundles(pieces):
        rest = bundle
        while used + tall(rest) > room or (rest[0].new_page and pages[-1]):
            # The first page has its own end, the signature: no text is broken off there.
            begun, rest = _begun(rest, room - used if len(pages) > 1 or first is None else 0.0)
            if not begun and not pages[-1]:
                break
            for piece in begun:
                used = _place(piece, pages[-1], used)
            pages.append([])
            used, room = 0.0, height
            rest = [replace(rest[0], new_page=False), *rest[1:]] if rest[0].new_page else rest
        for piece in rest:
            if pages[-1] and used + piece.space + piece.height > room + 0.01:
                pages.append([])
                used, room = 0.0, height
            used = _place(piece, pages[-1], used)
    return tuple(tuple(page) for page in pages if page)


def _begun(bundle: list[Piece], room: float) -> tuple[list[Piece], list[Piece]]:
    """What of a bundle still finds room on a page, if one of its pieces can be parted, and what does not."""
    for number, piece in enumerate(bundle):
        before = bundle[:number]
        if piece.split is not None and not bundle[0].new_page:
            parts = piece.split(room - tall(before) - piece.space)
            if parts:
                return [*before, replace(parts[0], space=piece.space)], [parts[1], *bundle[number + 1 :]]
    return [], bundle


def _place(piece: Piece, page: list[PlacedPiece], used: float) -> float:
    if not page and piece.head is not None:
        page.append(PlacedPiece(piece.head, 0.0))
        used = piece.head.height
    top = used + (piece.space if page else 0.0)
    page.append(PlacedPiece(piece, top))
    return top + piece.height


def _bundles(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces that belong together: each keeps hold of the next."""
    bundle: list[Piece] = []
    for piece in pieces:
        bundle.append(piece)
        if not piece.keep:
            yield bundle
            bundle = []
    if bundle:
        yield bundle


def as_figure(piece: Piece, alt: str) -> Piece:
    """A drawing, with what it shows in words."""
    element = Element("Figure", alt=alt)

    def draw(canvas: Canvas, top: float) -> None:
        with marked(canvas, element):
            piece.draw(canvas, top)

    return replace(piece, draw=draw)


def tall(pieces: Iterable[Piece]) -> float:
    """What pieces take below each other."""
    return sum(piece.space + piece.height for piece in pieces)


# Running text, labelled facts, plain tables and headings as pieces for the flow.

_MEASURE: Final = 160 * MM
"""Width of running text: lines that are longer are hard to read."""

_CHUNK: Final = 40
"""Lines after which even one paragraph may be broken over pages."""

_GUTTER: Final = 3 * MM
"""White between a column's text and the next column, in points."""
_FEW: Final = 4
"""So many rows below a small title are not worth a new page."""


def heading_piece(number: int, text: str, style: styles.Style = styles.HEADING) -> Piece:
    """A numbered heading, held together with what follows."""

    element = Element("H2")

    def draw(canvas: Canvas, top: float) -> None:
        mark_section(canvas, number, text, top)
        with marked(canvas, element):
            put(canvas, LEFT, baseline(top, style), str(number), style)
            put_block(canvas, LEFT + 8 * MM, top, text, style, WIDTH - 8 * MM)

    height = len(wrapped(text, style.font, style.size, WIDTH - 8 * MM)) * style.leading
    return Piece(height + 1.0 * MM, draw, space=3.4 * MM, keep=True)


def mark_section(canvas: Canvas, number: int, text: str, top: float) -> None:
    """An entry in the list of contents that a reader of PDF files shows beside the pages."""
    place = f"section-{canvas.getPageNumber()}-{number}"
    canvas.bookmarkHorizontal(place, 0, top + 4 * MM)
    canvas.addOutlineEntry(f"{number} {text}", place, 0)


def paragraph_pieces(block: Paragraph) -> Iterator[Piece]:
    """A paragraph, in one piece unless it is very long."""
    lines = settled(block.text, styles.FINE, _MEASURE)
    for start in range(0, len(lines), _CHUNK):
        text = "\n".join(lines[start : start + _CHUNK])
        yield replace(text_piece(text, styles.FINE, _MEASURE + MM), space=1.2 * MM if start == 0 else 0)


def text_piece(
    text: str, style: styles.Style, width: float, *, left: float = LEFT, element: Element | None = None
) -> Piece:
    """A wrapped text; without an element of its own it is a paragraph."""
    tag = element or Element("P")

    def draw(canvas: Canvas, top: float) -> None:
        put_block(canvas, left, top, text, style, width, tag)

    return Piece(height_of(text, style, width), draw)


def fact_pieces(block: Facts) -> Iterator[Piece]:
    """Labels left, texts right; where there is a title, it stands above them and they stay together."""
    if block.title:
        yield from _titled_facts(block)
        return
    pieces = _fact_rows(block, styles.FINE_LABEL, styles.FINE)
    last = len(pieces) - 1
    for number, piece in enumerate(pieces):
        # Neither the first nor the last row stands alone on a page.
        yield replace(piece, space=0.0 if number else 1.6 * MM, keep=number < last and number in (0, last - 1))


def _titled_facts(block: Facts) -> Iterator[Piece]:
    title = text_piece(block.title, styles.HEAD, WIDTH)
    yield replace(title, height=styles.HEAD.leading + 0.8 * MM, space=3.2 * MM, keep=True)
    *pieces, last = _fact_rows(block, styles.SMALL, styles.SMALL_INK)
    yield from (replace(piece, keep=len(pieces) < _FEW) for piece in pieces)
    yield last


def _fact_rows(block: Facts, label: styles.Style, text: styles.Style) -> list[Piece]:
    width, listed = WIDTH * block.label_share, Element("L")
    return [piece for field in block.fields for piece in fact_rows(field, width, label, text, listed)]


def fact_rows(
    field: Field,
    label_width: float,
    label_style: styles.Style = styles.LABEL,
    text_style: styles.Style = styles.BODY,
    listed: Element | None = None,
) -> Iterator[Piece]:
    """One label with its text, in as many pieces as it is long, a hairline above."""
    labels = wrapped(field.label, label_style.font, label_style.size, label_width - _GUTTER)
    texts = settled(field.text, text_style, WIDTH - label_width)
    for start in range(0, max(len(labels), len(texts)), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        columns = ((LEFT, labels[chunk], label_style), (LEFT + label_width, texts[chunk], text_style))
        yield columns_piece(columns, rule=start == 0, tags=labelled(listed or Element("L")))


def labelled(listed: Element) -> tuple[Element, Element]:
    """A label and its text as an entry of a list."""
    entry = listed.child("LI")
    return entry.child("Lbl"), entry.child("LBody")


def columns_piece(
    columns: Sequence[tuple[float, Sequence[str], styles.Style]], *, rule: bool, tags: Sequence[Element]
) -> Piece:
    """Lines side by side, each column with its place, style and tag."""
    pad = 0.7 * MM
    height = max(len(lines) * style.leading for _, lines, style in columns) + 2 * pad

    def draw(canvas: Canvas, top: float) -> None:
        if rule:
            draw_rule(canvas, top, styles.HAIR, styles.HAIRLINE)
        for (x, lines, style), element in zip(columns, tags, strict=True):
            put_block(canvas, x, top - pad, "\n".join(lines), style, WIDTH * 2, element)

    return Piece(height, draw)


def listing_pieces(block: Listing) -> Iterator[Piece]:
    """A table head and its rows, the head repeated on every page."""
    table = Element("Table")
    head = _listing_head(block.columns, table)
    yield replace(head, keep=True, space=1.5 * MM)
    last = len(block.rows) - 1
    for number, row in enumerate(block.rows):
        *parts, end = _listing_row(row, block.columns, table, rule=block.ruled and number > 0)
        yield from (replace(part, head=head) for part in parts)
        # Neither the first nor the last row stands alone on a page.
        yield replace(end, head=head, keep=number < last and number in (0, last - 1))


def _starts(columns: Sequence[ListingColumn]) -> list[float]:
    starts = [LEFT]
    for column in columns:
        starts.append(starts[-1] + column.share * WIDTH)
    return starts


def _listing_head(columns: Sequence[ListingColumn], table: Element) -> Piece:
    titles = [
        wrapped(column.title, styles.HEAD.font, styles.HEAD.size, column.share * WIDTH - 2 * MM) for column in columns
    ]
    height = 2.6 * MM + max(len(lines) for lines in titles) * styles.HEAD.leading
    row = table.child("TR")
    cells = [row.child("TH") for _ in columns]

    def draw(canvas: Canvas, top: float) -> None:
        for x, lines, cell in zip(_starts(columns), titles, cells, strict=False):
            # Titles stand on the rule, however many lines they have.
            above = height - 1.3 * MM - len(lines) * styles.HEAD.leading
            put_block(canvas, x, top - above, "\n".join(lines), styles.HEAD, WIDTH, cell)
        draw_rule(canvas, top - height)

    return Piece(height, draw)


def _listing_row(
    row: Sequence[str], columns: Sequence[ListingColumn], table: Element, *, rule: bool
) -> Iterator[Piece]:
    """One row, in as many pieces as it is long."""
    cells = [
        (x, wrapped(text, styles.SMALL_INK.font, styles.SMALL_INK.size, column.share * WIDTH - _GUTTER))
        for x, column, text in zip(_starts(columns), columns, row, strict=False)
    ]
    for start in range(0, max(len(lines) for _, lines in cells), _CHUNK):
        chunk = [(x, lines[start : start + _CHUNK], styles.SMALL_INK) for x, lines in cells]
        part = table.child("TR")
        yield columns_piece(chunk, rule=rule and start == 0, tags=[part.child("TD") for _ in chunk])


# Running text in two balanced columns: short lines read well, and the page is used.

_BETWEEN: Final = 7 * MM
"""White between the two columns, in points."""
_WIDE: Final = (WIDTH - _BETWEEN) / 2
"""Width of one of the two columns, in points."""
_GAP: Final = 1.0 * MM
"""White between paragraphs."""

_ABOVE: Final = 2.6 * MM
"""White above a heading within a column, in points."""
_BELOW: Final = 0.6 * MM
"""White below a heading within a column, in points."""

_AT_LEAST: Final = 4
"""Lines of such a text that may stand on a page of their own, two in each column."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line and its place in its paragraph: so many lines before it, so many from it on."""

    text: str
    before: int
    left: int
    tag: Element
    style: styles.Style = styles.FINE
    number: int = 0
    """Of the heading that it is; of running text 0."""

    @property
    def white(self) -> float:
        """What is left free above it, except at the head of a column."""
        return 0.0 if self.before else _ABOVE if self.number else _GAP

    @property
    def height(self) -> float:
        """What it takes, with the white below a heading."""
        return self.style.leading + (_BELOW if self.number and self.left == 1 else 0.0)


Chapter = tuple[int, str, Columned]
"""Number, heading and paragraphs."""


def columned_pieces(block: Columned) -> Iterator[Piece]:
    """The paragraphs, first down the left column, then down the right; parted wherever a page ends."""
    yield replace(_columns(tuple(_lines(block))), space=1.2 * MM)


def chaptered_piece(chapters: Iterable[Chapter], style: styles.Style) -> Piece:
    """Several texts with their headings as one flow in two columns."""
    lines: list[_Line] = []
    for number, heading, block in chapters:
        tag, titles = Element("H2"), wrapped(heading, style.font, style.size, _WIDE - 7 * MM)
        lines += [_Line(text, place, len(titles) - place, tag, style, number) for place, text in enumerate(titles)]
        lines += _lines(block)
    return replace(_columns(tuple(lines)), space=3.4 * MM)


def _lines(block: Columned) -> Iterator[_Line]:
    for text in block.paragraphs:
        texts, tag = settled(text, styles.FINE, _WIDE), Element("P")
        yield from (_Line(line, number, len(texts) - number, tag) for number, line in enumerate(texts))


def _columns(lines: Sequence[_Line]) -> Piece:
    cut = _cut(lines)
    columns = (lines[:cut], lines[cut:])

    def draw(canvas: Canvas, top: float) -> None:
        for number, column in enumerate(columns):
            _draw_column(canvas, column, LEFT + number * (_WIDE + _BETWEEN), top)

    def split(room: float) -> tuple[Piece, Piece] | None:
        ends = [place for place in range(_AT_LEAST, len(lines) - _AT_LEAST + 1) if _may_part(lines, place)]
        fitting = bisect_right(ends, room, key=lambda place: _columns(lines[:place]).height)
        place = ends[fitting - 1] if fitting else 0
        return (_columns(lines[:place]), _columns(lines[place:])) if place else None

    return Piece(max(map(_height, columns)), draw, split=split)


def _cut(lines: Sequence[_Line]) -> int:
    """Where the right column begins: as level as possible, and no line of a paragraph left alone."""
    allowed = [place for place in range(1, len(lines)) if _may_part(lines, place)] or [len(lines)]
    return min(allowed, key=lambda place: (max(_height(lines[:place]), _height(lines[place:])), -place))


def _may_part(lines: Sequence[_Line], place: int) -> bool:
    """No heading stands at the end of a column, nor does one line of a paragraph stand alone."""
    line, above = lines[place], lines[place - 1]
    return not above.number and (line.before == 0 or (line.before > 1 and line.left > 1))


def _height(lines: Sequence[_Line]) -> float:
    return sum(line.white for line in lines[1:]) + sum(line.height for line in lines)


def _draw_column(canvas: Canvas, lines: Sequence[_Line], x: float, top: float) -> None:
    for place, line in enumerate(lines):
        top -= line.white if place else 0.0
        with marked(canvas, line.tag):
            _draw_column_line(canvas, line, x, top)
        top -= line.height


def _draw_column_line(canvas: Canvas, line: _Line, x: float, top: float) -> None:
    y = baseline(top, line.style)
    if line.number and not line.before:
        mark_section(canvas, line.number, line.text, top)
        put(canvas, x, y, str(line.number), line.style)
    put(canvas, x + (7 * MM if line.number else 0.0), y, line.text, line.style)
