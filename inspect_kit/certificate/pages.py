"""From content to the pages of a PDF: the flow of pieces, and what stands at the head and foot of each page."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from reportlab import rl_config
from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.blocks import fact_pieces, heading_piece, listing_pieces, paragraph_pieces
from inspect_kit.certificate.board import plan_pieces
from inspect_kit.certificate.columns import columned_pieces
from inspect_kit.certificate.content import (
    Block,
    Columned,
    Content,
    Facts,
    Listing,
    Paragraph,
    Pictures,
    Plan,
    Results,
    Running,
    Section,
)  # fmt: skip
from inspect_kit.certificate.flow import Page, Piece, paginate, tall
from inspect_kit.certificate.fonts import SANS, drawing_alone, font
from inspect_kit.certificate.front import FIRST_HEIGHT, draw_authorisation, front_pieces
from inspect_kit.certificate.grid import (
    BODY_HEIGHT,
    BOTTOM,
    HAIR,
    HAIRLINE,
    HEAVY_RULE,
    INK,
    LEFT,
    MM,
    PAGE_HEIGHT,
    PAGE_WIDTH,
    RIGHT,
    SEAL,
    THIN_RULE,
    TOP,
)  # fmt: skip
from inspect_kit.certificate.lettering import clipped, measured, put, put_centred, put_right, shrunk
from inspect_kit.certificate.photos import picture_pieces
from inspect_kit.certificate.spaces import bound
from inspect_kit.certificate.styles import BAND, END, HEADING, REPORT_HEADING, RUNNING, RUNNING_STRONG
from inspect_kit.certificate.table import result_pieces

Photos = Mapping[str, bytes]
_FRAME: Final = 7 * MM
_BAND: Final = 9 * MM

rl_config.useA85 = 0  # Streams as bytes, not as text: a quarter smaller.


@drawing_alone
def draw_pages(content: Content, photos: Photos) -> bytes:
    """The whole document, not yet fit for the archive."""
    font(SANS)
    content = bound(content, content.language)
    buffer = io.BytesIO()
    canvas = Canvas(
        buffer, pagesize=(PAGE_WIDTH, PAGE_HEIGHT), pageCompression=1, invariant=1, initialFontName=SANS,
        lang=content.language,
    )  # fmt: skip
    pages = paginate(_pieces(content, photos), BODY_HEIGHT, FIRST_HEIGHT)
    for number, page in enumerate(pages, 1):
        draw_page(canvas, content, page, number, len(pages))
        if number == 1:
            draw_authorisation(canvas, content.cover.authorisation)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def draw_page(canvas: Canvas, content: Content, page: Page, number: int, count: int) -> None:
    """One page: what was flowed onto it, and what runs around every page."""
    if not content.is_certificate:
        _draw_band(canvas, content.running.band)
    _draw_running(canvas, content, number, count)
    for placed in page:
        placed.piece.draw(canvas, TOP - placed.offset)


def _draw_band(canvas: Canvas, text: str) -> None:
    """A heavy frame and a black band on every page of a report."""
    canvas.setStrokeColor(INK)
    canvas.setFillColor(INK)
    canvas.setLineWidth(2.4)
    canvas.rect(_FRAME, _FRAME, PAGE_WIDTH - 2 * _FRAME, PAGE_HEIGHT - 2 * _FRAME, stroke=1, fill=0)
    top = PAGE_HEIGHT - _FRAME
    canvas.rect(_FRAME, top - _BAND, PAGE_WIDTH - 2 * _FRAME, _BAND, stroke=0, fill=1)
    put_centred(canvas, PAGE_WIDTH / 2, top - _BAND + 2.9 * MM, text, BAND)


def _draw_running(canvas: Canvas, content: Content, number: int, count: int) -> None:
    running = content.running
    y = PAGE_HEIGHT - 24.6 * MM
    reference = measured(running.reference, RUNNING_STRONG)
    put_right(canvas, RIGHT, y, running.reference, RUNNING_STRONG)
    put_right(canvas, RIGHT, y + 4.2 * MM, running.reference_label, RUNNING)
    room = RIGHT - LEFT - reference - 8 * MM
    issuer = shrunk(running.issuer, RUNNING_STRONG, room, 6.5)
    put(canvas, LEFT, y, clipped(running.issuer, issuer, room), issuer)
    if number > 1:
        put(canvas, LEFT, y + 4.2 * MM, running.title, RUNNING)
    _draw_head_rule(canvas, first=number == 1, good=content.is_certificate)
    _draw_foot(canvas, running, number, count)


def _draw_head_rule(canvas: Canvas, *, first: bool, good: bool) -> None:
    canvas.setStrokeColor(SEAL if good else INK)
    canvas.setLineWidth(HEAVY_RULE if first else THIN_RULE)
    canvas.line(LEFT, PAGE_HEIGHT - 26.6 * MM, RIGHT, PAGE_HEIGHT - 26.6 * MM)


def _draw_foot(canvas: Canvas, running: Running, number: int, count: int) -> None:
    y = BOTTOM - 10.5 * MM
    canvas.setStrokeColor(HAIR)
    canvas.setLineWidth(HAIRLINE)
    canvas.line(LEFT, y + 4 * MM, RIGHT, y + 4 * MM)
    put(canvas, LEFT, y, running.digest, RUNNING)
    put_right(canvas, RIGHT, y, running.page.format(page=number, pages=count), RUNNING)


# The flow


def _pieces(content: Content, photos: Photos) -> Iterator[Piece]:
    """The front, with the results on the same page if their table finds room there; the rest from the next page on."""
    good = content.is_certificate
    first, *sections = [
        _section_pieces(section, number, content, photos) for number, section in enumerate(content.sections, 1)
    ]
    close = tuple(front_pieces(content.cover, good=good, close=True))
    table = _section_pieces(replace(content.sections[0], blocks=content.sections[0].blocks[:1]), 1, content, photos)
    small = isinstance(content.sections[0].blocks[0], Results) and tall((*close, *table)) <= FIRST_HEIGHT
    if small:
        yield from (*close, *first)
        sections[:1] = [_on_new_page(part) if tall((*close, *first)) <= FIRST_HEIGHT else part for part in sections[:1]]
    else:
        yield from (*front_pieces(content.cover, good=good, close=not good), *_on_new_page(first))
    *rest, last = [piece for section in sections for piece in section]
    yield from (*rest, replace(last, keep=True), end_piece(content.end_mark))


def _on_new_page(pieces: Sequence[Piece]) -> list[Piece]:
    return [replace(pieces[0], new_page=True), *pieces[1:]]


def _section_pieces(section: Section, number: int, content: Content, photos: Photos) -> list[Piece]:
    pieces = [heading_piece(number, section.heading, HEADING if content.is_certificate else REPORT_HEADING)]
    for block, following in zip(section.blocks, (*section.blocks[1:], None), strict=True):
        introduces = isinstance(block, Paragraph) and following is not None and not isinstance(following, Paragraph)
        pieces += [replace(piece, keep=True) if introduces else piece for piece in block_pieces(block, photos)]
    return pieces


def block_pieces(block: Block, photos: Photos) -> Iterable[Piece]:
    """A block of the content as pieces that fit on pages."""
    match block:
        case Paragraph():
            return paragraph_pieces(block)
        case Columned():
            return columned_pieces(block)
        case Facts():
            return fact_pieces(block)
        case Listing():
            return listing_pieces(block)
        case Results():
            return result_pieces(block)
        case Plan():
            return plan_pieces(block)
        case Pictures():
            return picture_pieces(block, photos)


def end_piece(text: str) -> Piece:
    """The mark below which nothing follows."""

    def draw(canvas: Canvas, top: float) -> None:
        middle, wide = (LEFT + RIGHT) / 2, measured(text, END) / 2 + 3 * MM
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(THIN_RULE)
        for start, end in ((middle - wide - 22 * MM, middle - wide), (middle + wide, middle + wide + 22 * MM)):
            canvas.line(start, top - 3 * MM, end, top - 3 * MM)
        put_centred(canvas, middle, top - 4 * MM, text, replace(END, colour=INK))

    return Piece(5 * MM, draw, space=6 * MM)
