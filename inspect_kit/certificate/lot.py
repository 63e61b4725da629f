"""One door for lots: a lot's record in, a finished PDF out."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, fields

import msgspec

from inspect_kit.certificate.cover import reference_of
from inspect_kit.certificate.issue import Issue
from inspect_kit.certificate.lot_wording import lot_wording_for
from inspect_kit.certificate.make import texts_in
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Record
from inspect_kit.quality.exchange.dcc import dcc_lines
from inspect_kit.quality.lot_record import LotRecord
from inspect_kit.quality.lot_study import Study, studies_of

_PLAIN = Issue()
_NO_FILES: Mapping[str, bytes] = {}


def make_lot_certificate(
    record: Record, *, language: str, photos: Mapping[str, bytes] = _NO_FILES, issue: Issue = _PLAIN
) -> bytes:
    """A certificate if the lot is accepted, else a report: PDF/A-3b with the record attached.

    Photographs of trays are named by their digests and not printed. The same arguments give the same bytes.
    """
    return LotDrawing()(record, language=language, photos=photos, issue=issue)


@dataclass(frozen=True)
class LotDrawing:
    """The pages of a lot as a desk wants them drawn; studies that are known already are not made while others wait."""

    studies: tuple[Study, ...] | None = None
    dcc: bool = False

    def __call__(self, record: Record, *, language: str, photos: Mapping[str, bytes], issue: Issue) -> bytes:
        """The PDF, not yet signed."""
        from inspect_kit.certificate.archive import DCC_NAME, Label, archived
        from inspect_kit.certificate.lot_cover import lot_content
        from inspect_kit.certificate.lot_pages import draw_lot_pages

        del photos
        if not isinstance(record, LotRecord):
            raise BadInput("is not the record of a lot", where="record")
        _refuse_unprintable(record, issue)
        words = lot_wording_for(language, record.wording)
        content = lot_content(record, words, issue)
        pages = draw_lot_pages(content, record, self.studies or studies_of(record), words, issue)
        label = Label(
            content.document_title, content.author, language, content.day, record.software or "inspect-kit",
            issue.number or reference_of(record),
        )  # fmt: skip
        pdf = archived(pages, record.canonical(), label)
        return with_attachment(pdf, DCC_NAME, b"".join(dcc_lines(record)), "application/xml") if self.dcc else pdf


def _refuse_unprintable(record: LotRecord, issue: Issue) -> None:
    """Say early, and with its place, which character cannot be printed; of the pieces only few are."""
    from inspect_kit.certificate.fonts import check_printable
    from inspect_kit.certificate.lot_sections import MOST_PIECES

    for name in record.__struct_fields__:
        if name != "lot":
            for where, text in texts_in(msgspec.to_builtins(getattr(record, name)), name):
                check_printable(text, where=where)
    for piece in record.lot.nonconforming[:MOST_PIECES]:
        check_printable(piece.piece, where="piece")
    for field in fields(issue):
        check_printable(getattr(issue, field.name), where=f"issue.{field.name}")


def with_attachment(pdf: bytes, name: str, content: bytes, mime: str) -> bytes:
    """The file with a further attachment; still the same bytes for the same input. Before signing, never after."""
    from pikepdf import AttachedFileSpec, Name, ObjectStreamMode, Pdf

    with Pdf.open(io.BytesIO(pdf)) as document:
        stamp = str(document.docinfo[Name.CreationDate])
        spec = AttachedFileSpec(
            document, content, filename=name, description=name, mime_type=mime, creation_date=stamp, mod_date=stamp
        )
        spec.relationship = Name.Supplement
        before = len(document.Root.AF)
        document.attachments[name] = spec
        # Newer versions of pikepdf enter it among the associated files themselves.
        if len(document.Root.AF) == before:
            document.Root.AF.append(spec.obj)
        buffer = io.BytesIO()
        document.save(buffer, deterministic_id=True, object_stream_mode=ObjectStreamMode.generate)
        return buffer.getvalue()
