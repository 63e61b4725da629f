from __future__ import annotations

import ctypes

import msgspec
import pypdfium2
import pytest

from inspect_kit.certificate.content.model import Issue
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.pages.render import make_certificate
from inspect_kit.certificate.pages.styles import NOTE_MARK
from inspect_kit.errors import LANGUAGES
from inspect_kit.inspection.record import Record
from tests.certificate.reading import pages_of, text_of
from tests.certificate.records import ALL, board, coins, failing_striker, record, striker
from tests.samples import example


def made(record: Record, language: str = "en") -> bytes:
    return make_certificate(record, language=language)


def too_heavy() -> Record:
    return record(failing_striker().lines[1:2], verdict="fails")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("made_of", [striker(), too_heavy()], ids=["certificate", "report"])
def test_the_results_of_a_small_item_stand_on_the_first_page_above_the_signature(
    made_of: Record, language: str
) -> None:
    words = wording_for(language)
    first, *others = pages_of(made(made_of, language))
    results = f"1 {words.say('heading.results')} {words.say('column.clause')}"
    assert results in first
    assert words.say("authorisation.heading") in first
    assert len(others) == 1
    assert words.say("heading.decision") in others[0]


def test_long_results_begin_on_the_first_page_and_go_on() -> None:
    first, second, *_ = pages_of(made(coins()))
    assert first.index("1 Results") < first.index("Requirement")
    assert "Requirement" in second or "Inspected and authorised by" in first


@pytest.mark.parametrize("name", ALL)
def test_the_signature_stands_on_the_first_page_and_the_end_mark_never_alone(name: str) -> None:
    subject = msgspec.structs.replace(ALL[name].subject, owner="Long name " * 60)
    first, *others = pages_of(made(msgspec.structs.replace(ALL[name], subject=subject)))
    assert "Inspected and authorised by" in first
    assert not any("Inspected and authorised by" in page for page in others)
    assert "Software" in others[-1]


def test_nineteen_coins_stand_in_a_grid_with_every_value() -> None:
    text = text_of(made(coins()))
    assert "U = 0.040 mm" in text
    assert all(f"{(30.2 + 31.8) / 2 + coin / 100:.3f}" in text for coin in range(1, 20))


_PAGES = {"striker": 2, "failing-striker": 2, "coins": 2, "failing-coins": 2, "board": 5, "failing-board": 5}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", _PAGES)
def test_paper_is_not_wasted(name: str, language: str) -> None:
    assert len(pages_of(made(ALL[name], language))) <= _PAGES[name]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ALL)
def test_no_page_but_the_last_is_half_empty_and_none_has_only_hashes(name: str, language: str) -> None:
    pages = pypdfium2.PdfDocument(made(ALL[name], language))
    for number, page in enumerate(pages):
        picture = page.render(scale=0.5).to_pil().convert("L").point(lambda value: 255 if value < 190 else 0)
        width, height = picture.size
        body = picture.crop((int(width * 0.09), int(height * 0.1), int(width * 0.92), int(height * 0.93))).getbbox()
        assert body is not None
        assert number == len(pages) - 1 or body[3] > 0.5 * height
    assert wording_for(language).say("statements.accreditation")[:20] in text_of(made(ALL[name], language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["coin-set-12", "board-3"])
def test_a_real_coin_set_takes_two_pages_and_a_real_board_five_with_a_code_and_its_number(
    name: str, language: str
) -> None:
    issue = Issue("OF-2026-000042-K", "IK1:" + "A7" * 150, "Open Federation", "2026-11-16", "2027-11-16")
    pdf = make_certificate(example(name), language=language, issue=issue)
    assert len(pypdfium2.PdfDocument(pdf)) == {"coin-set-12": 2, "board-3": 5}[name]


def sizes_of(pdf: bytes) -> set[float]:
    """Every size of type, in points; where text lies on its side too."""
    found = set()
    for page in pypdfium2.PdfDocument(pdf):
        for part in page.get_objects([pypdfium2.raw.FPDF_PAGEOBJ_TEXT]):
            size = ctypes.c_float()
            pypdfium2.raw.FPDFTextObj_GetFontSize(part.raw, ctypes.byref(size))
            found.add(round(size.value, 2))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_set_smaller_than_seven_points_but_the_numbers_of_notes(language: str) -> None:
    assert min(sizes_of(made(example("board-3"), language)) - {NOTE_MARK.size}) >= 7


@pytest.mark.parametrize("name", ["Spolek " * 28, "Verein" * 30], ids=["words", "one-word"])
@pytest.mark.parametrize("made_of", [striker(), too_heavy()], ids=["certificate", "report"])
def test_a_long_issuer_is_wrapped_in_the_head_of_every_page_and_never_cut(name: str, made_of: Record) -> None:
    issuer = name[:200].strip()
    subject = msgspec.structs.replace(made_of.subject, issuer=issuer)
    for page in pages_of(made(msgspec.structs.replace(made_of, subject=subject))):
        assert issuer.replace(" ", "") in page.replace(" ", "")
        assert "…" not in page.replace("B …", "")


def test_a_table_of_many_pages_repeats_its_head() -> None:
    pages = pages_of(made(board()))
    assert sum("Requirement" in text and "Verdict" in text for text in pages) >= 2
