"""One door to the room: a record in, a finished PDF out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

import msgspec

from inspect_kit.certificate.cover import content_of, reference_of
from inspect_kit.certificate.issue import Issue
from inspect_kit.certificate.wording import wording_for
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import Record

if TYPE_CHECKING:
    from inspect_kit.certificate.content import Picture

_NO_PHOTOS: Mapping[str, bytes] = {}
_UNPRINTED = frozenset({"raw"})
_PLAIN = Issue()


def make_certificate(
    record: Record, *, language: str, photos: Mapping[str, bytes] = _NO_PHOTOS, issue: Issue = _PLAIN
) -> bytes:
    """A certificate if the record conforms, else a report: PDF/A-3b with the record attached.

    `photos` are JPEG or PNG files by their SHA-256 or file name as in the record, or by a name of their own; with the
    measurements drawn in, by `OVERLAY` and their SHA-256. The same arguments give the same bytes.
    """
    # The drawing room is entered only here, so that judging alone never waits for reportlab.
    from inspect_kit.certificate.archive import Label, archived
    from inspect_kit.certificate.pages import draw_pages

    _refuse_unprintable(record, issue)
    overlaid = wording_for(language).say("photos.overlay")
    content = content_of(record, language, issue, tuple(_pictures(record, photos, overlaid)))
    pages = draw_pages(content, photos)
    label = Label(
        content.document_title, content.author, language, content.day, record.software or "inspect-kit",
        issue.number or reference_of(record),
    )  # fmt: skip
    return archived(pages, record.canonical(), label)


def _pictures(record: Record, photos: Mapping[str, bytes], overlaid: str) -> Iterator[Picture]:
    """What was given, each checked against the record if the record knows it; drawn over rather than bare."""
    from inspect_kit.certificate.content import OVERLAY, Picture
    from inspect_kit.certificate.photos import digest_of

    names = {photo.sha256: photo.file for photo in record.photos}
    digests = {photo.file: photo.sha256 for photo in record.photos}
    for key, content in photos.items():
        if OVERLAY + key in photos:
            continue
        if key.startswith(OVERLAY):
            digest = key.removeprefix(OVERLAY)
            yield Picture(key, f"{overlaid} · {names.get(digest, '')} · SHA-256 {digest}")
            continue
        digest = digest_of(content)
        if digests.get(key, digest) != digest or (key in names and key != digest):
            raise BadInput("is not the photo of the record: its SHA-256 differs", where=names.get(key, key))
        yield Picture(key, f"{names.get(key, key)} · SHA-256 {digest}")


def _refuse_unprintable(record: Record, issue: Issue) -> None:
    """Say early, and with its place, which character cannot be printed."""
    from inspect_kit.certificate.fonts import check_printable

    for where, text in texts_in(msgspec.to_builtins(record), ""):
        check_printable(text, where=where)
    for field in fields(issue):
        check_printable(getattr(issue, field.name), where=f"issue.{field.name}")


def texts_in(value: object, where: str) -> Iterator[tuple[str, str]]:
    """Every text of a record with its path."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in _UNPRINTED:
                yield from texts_in(part, f"{where}.{key}" if where else key)
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from texts_in(part, f"{where}[{number}]")
