from __future__ import annotations

import io
from collections.abc import Callable

import pikepdf
import pytest

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.certificate.pages.labels import STOCKS, Sticker, draw_labels, sticker_of
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.registry.search import CertificateStatus, known

Issue = Callable[..., Issued]
STICKER = Sticker("PCK-2026-000123-D", "KIT" + "B" * 230, "Striker 42", ("Renata Řeháčková", "icf-cs"))


def _sizes(pdf: bytes) -> list[tuple[float, float]]:
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        boxes = [page.mediabox for page in opened.pages]
        return [(round(float(box[2]) * 25.4 / 72, 1), round(float(box[3]) * 25.4 / 72, 1)) for box in boxes]


@pytest.mark.parametrize(("stock", "count", "skip", "pages"), [
    ("62x29", 3, 0, [(62, 29)] * 3),
    ("a4-21", 21, 0, [(210, 297)]),
    ("a4-21", 21, 1, [(210, 297)] * 2),
    ("a4-24", 49, 0, [(210, 297)] * 3),
])  # fmt: skip
def test_labels_fill_their_sheets(stock: str, count: int, skip: int, pages: list[tuple[float, float]]) -> None:
    assert _sizes(draw_labels([STICKER] * count, STOCKS[stock], skip)) == pages


@pytest.mark.parametrize("stock", ["a4-21", "a4-24"])
def test_every_label_lies_on_the_page_and_on_no_other_one(stock: str) -> None:
    sheet = STOCKS[stock]
    right = sheet.corner[0] + (sheet.across - 1) * sheet.pitch[0] + sheet.size[0]
    bottom = sheet.corner[1] + (sheet.down - 1) * sheet.pitch[1] + sheet.size[1]
    assert right <= 210
    assert bottom <= 297
    assert sheet.pitch[0] >= sheet.size[0]
    assert sheet.pitch[1] >= sheet.size[1]


def test_more_labels_skipped_than_there_are_is_refused() -> None:
    with pytest.raises(UsageError, match="21 labels"):
        draw_labels([STICKER], STOCKS["a4-21"], 21)


def test_the_same_labels_are_the_same_bytes() -> None:
    assert draw_labels([STICKER], STOCKS["62x29"]) == draw_labels([STICKER], STOCKS["62x29"])


@pytest.mark.parametrize("language", ["en", "de", "cs", "it"])
def test_a_label_says_until_when_in_its_language(blank: Desk, issue: Issue, language: str) -> None:
    standing = _standing(blank, issue(blank, valid="2027-06-30").number)
    told = " ".join(sticker_of(standing, "Klub", language).details)
    assert "2027" in told
    assert ("valid until" in told) == (language == "en")


def test_names_of_any_length_and_script_fit(blank: Desk, issue: Issue) -> None:
    for subject in ("x" * 200, "שלום", "Ελληνικά и кириллица", "a <b> & c"):
        issued = issue(blank, subject, owner="y" * 200, event="z" * 200, out=blank.home / "x.pdf")
        sticker = sticker_of(_standing(blank, issued.number), "Klub " * 12, "en")
        assert draw_labels([sticker], STOCKS["62x29"]).startswith(b"%PDF")


def test_what_no_font_can_print_is_refused_in_a_sentence(blank: Desk, issue: Issue) -> None:
    issued = issue(blank, "漢字")
    with pytest.raises(BadInput, match="U\\+6F22"):
        sticker_of(_standing(blank, issued.number), "", "en")


def _standing(desk: Desk, number: str) -> CertificateStatus:
    with desk.registry.reading() as connection:
        return known(connection, number)
