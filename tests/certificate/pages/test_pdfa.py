from __future__ import annotations

import io

import pikepdf
import pytest

from inspect_kit.certificate.pages.pdfa import Drawn, Label, archived
from inspect_kit.certificate.pages.tags import Element
from inspect_kit.errors import BadInput

LABEL = Label("A <title> & more", "R. Řeháčková", "cs", "2026-11-16", "inspect-kit 0.1.0", "7F3A")


def blank() -> Drawn:
    buffer = io.BytesIO()
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(buffer)
    return Drawn(buffer.getvalue(), Element("Document"))


def test_the_attachment_is_the_bytes_it_was_given() -> None:
    with pikepdf.open(io.BytesIO(archived(blank(), b'{"a":1}', LABEL))) as pdf:
        spec = pdf.attachments["record.json"]
        assert spec.get_file().read_bytes() == b'{"a":1}'
        assert spec.get_file().mime_type == "application/json"


def test_metadata_escape_what_they_quote() -> None:
    with pikepdf.open(io.BytesIO(archived(blank(), b"{}", LABEL))) as pdf, pdf.open_metadata() as meta:
        assert meta["dc:title"] == "A <title> & more"
        assert meta["dc:creator"] == ["R. Řeháčková"]
        assert meta["xmp:CreateDate"] == "2026-11-16T00:00:00Z"


def test_metadata_stay_readable_without_a_pdf_program() -> None:
    assert b"<pdfaid:part>3</pdfaid:part>" in archived(blank(), b"{}", LABEL)


def test_the_clock_plays_no_part() -> None:
    assert archived(blank(), b"{}", LABEL) == archived(blank(), b"{}", LABEL)


def test_another_record_is_another_file() -> None:
    assert archived(blank(), b"{}", LABEL) != archived(blank(), b"[]", LABEL)


def test_a_date_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="date"):
        archived(blank(), b"{}", Label("t", "a", "en", "today", "s", "i"))
