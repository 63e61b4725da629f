"""From a lot's content to the pages of its PDF, with the parts that every certificate is drawn with."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate import pages as house
from inspect_kit.certificate.blocks import heading_piece
from inspect_kit.certificate.content import Content, Paragraph
from inspect_kit.certificate.flow import Piece, paginate
from inspect_kit.certificate.fonts import SANS, drawing_alone, font
from inspect_kit.certificate.front import FIRST_HEIGHT, draw_authorisation, front_pieces
from inspect_kit.certificate.grid import BODY_HEIGHT, PAGE_HEIGHT, PAGE_WIDTH
from inspect_kit.certificate.issue import Issue
from inspect_kit.certificate.lot_content import ControlChart, Histogram, LotBlock, LotSection
from inspect_kit.certificate.lot_drawing import chart_pieces, histogram_pieces
from inspect_kit.certificate.lot_sections import lot_sections
from inspect_kit.certificate.sections import sections_of
from inspect_kit.certificate.source import Source
from inspect_kit.certificate.spaces import bound
from inspect_kit.certificate.styles import HEADING, REPORT_HEADING
from inspect_kit.certificate.wording import Wording
from inspect_kit.quality.lot_record import LotRecord
from inspect_kit.quality.lot_study import Study

_MOST_PHOTOS: Final = 60
"""Photographs that are named one by one; of more, their number."""


@drawing_alone
def draw_lot_pages(
    content: Content, record: LotRecord, studies: Sequence[Study], words: Wording, issue: Issue
) -> bytes:
    """The whole document, not yet fit for the archive."""
    font(SANS)
    content = bound(content, content.language)
    own = bound(lot_sections(record, studies, words), content.language)
    common = bound(tuple(_common(record, words, issue)), content.language)
    sections = (replace(own[0], new_page=True), *own[1:], *common)
    buffer = io.BytesIO()
    canvas = Canvas(
        buffer, pagesize=(PAGE_WIDTH, PAGE_HEIGHT), pageCompression=1, invariant=1, initialFontName=SANS,
        lang=content.language,
    )  # fmt: skip
    flowed = paginate(_pieces(content, sections), BODY_HEIGHT, FIRST_HEIGHT)
    for number, page in enumerate(flowed, 1):
        house.draw_page(canvas, content, page, number, len(flowed))
        if number == 1:
            draw_authorisation(canvas, content.cover.authorisation)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _common(record: LotRecord, words: Wording, issue: Issue) -> Iterator[LotSection]:
    """What every certificate has; when a single piece must be inspected again is no matter of a lot."""
    for section in sections_of(Source(record, words, issue, ())):
        if section.heading == words.say("heading.photos") and len(record.photos) > _MOST_PHOTOS:
            yield LotSection(section.heading, (Paragraph(words.say("pieces.photos", number=len(record.photos))),))
        elif section.heading != words.say("heading.again"):
            yield LotSection(section.heading, section.blocks)


def _pieces(content: Content, sections: Iterable[LotSection]) -> Iterator[Piece]:
    """The first page, then the sections from the second on."""
    good = content.is_certificate
    yield from front_pieces(content.cover, good=good, close=not good)
    flow = [
        piece for number, section in enumerate(sections, 1) for piece in _section_pieces(section, number, good=good)
    ]
    *rest, last = flow
    yield from (*rest, replace(last, keep=True), house.end_piece(content.end_mark))


def _section_pieces(section: LotSection, number: int, *, good: bool) -> Iterator[Piece]:
    heading = heading_piece(number, section.heading, HEADING if good else REPORT_HEADING)
    yield replace(heading, new_page=section.new_page)
    for block, following in zip(section.blocks, (*section.blocks[1:], None), strict=True):
        introduces = isinstance(block, Paragraph) and following is not None and not isinstance(following, Paragraph)
        for piece in _block_pieces(block):
            yield replace(piece, keep=True) if introduces else piece


def _block_pieces(block: LotBlock) -> Iterable[Piece]:
    match block:
        case Histogram():
            return histogram_pieces(block)
        case ControlChart():
            return chart_pieces(block)
        case _:
            return house.block_pieces(block, {})
