"""From a lot's content to the pages of its PDF, with the parts that every certificate is drawn with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from inspect_kit.certificate.content.lot_cover import lot_content
from inspect_kit.certificate.content.lot_sections import MOST_PIECES, lot_sections
from inspect_kit.certificate.content.model import Content, Issue, Paragraph, Section, Source
from inspect_kit.certificate.content.sections import sections_of
from inspect_kit.certificate.content.wording import Wording, bound, lot_wording_for
from inspect_kit.certificate.pages import render
from inspect_kit.certificate.pages.flow import Piece, paginate
from inspect_kit.certificate.pages.fonts import SANS, drawing_alone, font
from inspect_kit.certificate.pages.front import FIRST_HEIGHT, front_pieces
from inspect_kit.certificate.pages.page import BODY_HEIGHT
from inspect_kit.certificate.pages.pdfa import Drawn, with_dcc
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Record
from inspect_kit.quality.exchange.dcc import dcc_lines
from inspect_kit.quality.lot.record import LotRecord
from inspect_kit.quality.lot.study import LotStudy, studies_of

_MOST_PHOTOS: Final = 60
"""Photographs that are named one by one; of more, their number."""


@drawing_alone
def draw_lot_pages(
    content: Content, record: LotRecord, studies: Sequence[LotStudy], words: Wording, issue: Issue
) -> Drawn:
    """The whole document, not yet fit for the archive."""
    font(SANS)
    content = bound(content, content.language)
    own = bound(lot_sections(record, studies, words), content.language)
    common = bound(tuple(_common(record, words, issue)), content.language)
    sections = (replace(own[0], new_page=True), *own[1:], *common)
    return render.drawn([(content, paginate(_lot_pieces(content, sections), BODY_HEIGHT, FIRST_HEIGHT))])


def _common(record: LotRecord, words: Wording, issue: Issue) -> Iterator[Section]:
    """What every certificate has; when a single piece must be inspected again is no matter of a lot."""
    for section in sections_of(Source(record, words, issue, ())):
        if section.heading == words.say("heading.photos") and len(record.photos) > _MOST_PHOTOS:
            yield Section(section.heading, (Paragraph(words.say("pieces.photos", number=len(record.photos))),))
        elif section.heading != words.say("heading.again"):
            yield section


def _lot_pieces(content: Content, sections: Iterable[Section]) -> Iterator[Piece]:
    """The first page, then the sections from the second on."""
    good = content.is_certificate
    yield from front_pieces(content.cover, good=good, close=not good)
    flow: list[Piece] = []
    for number, section in enumerate(sections, 1):
        flow += render.section_pieces(number, section, {}, good=good)
    *rest, last = flow
    yield from (*rest, replace(last, keep=True), render.end_piece(content.end_mark))


# One door for lots: a lot's record in, a finished PDF out.

_NO_FILES: Final[Mapping[str, bytes]] = {}
_NOT_ISSUED: Final = Issue()


@dataclass(frozen=True)
class LotDrawing:
    """The pages of a lot as a desk wants them drawn; studies that are known already are not made while others wait."""

    studies: tuple[LotStudy, ...] | None = None
    dcc: bool = False

    def __call__(
        self, record: Record, *, language: str, photos: Mapping[str, bytes] = _NO_FILES, issue: Issue = _NOT_ISSUED
    ) -> bytes:
        """A certificate if the lot is accepted, else a report, not yet signed: PDF/A-3b with the record attached.

        Photographs of trays are named by their digests and not printed. The same arguments give the same bytes.
        """
        del photos
        if not isinstance(record, LotRecord):
            raise BadInput("no-lot-record", where="record")
        render.refuse_unprintable(_printed_texts(record), issue)
        words = lot_wording_for(language, record.wording)
        content = lot_content(record, words, issue)
        pages = draw_lot_pages(content, record, self.studies or studies_of(record), words, issue)
        pdf = render.finished(pages, record, content, issue)
        return with_dcc(pdf, b"".join(dcc_lines(record))) if self.dcc else pdf


make_lot_certificate: Final = LotDrawing()


def _printed_texts(record: LotRecord) -> Iterator[tuple[str, str]]:
    """Every text of a record that may be printed, with its path; of the pieces only few are."""
    for name in record.__struct_fields__:
        part = getattr(record, name)
        if name != "lot" and part is not msgspec.UNSET:
            yield from render.texts_in(msgspec.to_builtins(part), name)
    yield from (("piece", piece.piece) for piece in record.lot.nonconforming[:MOST_PIECES])
