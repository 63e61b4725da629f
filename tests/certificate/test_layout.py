from __future__ import annotations

import msgspec
import pytest

from inspect_kit.certificate.content.wording import LANGUAGES, wording_for
from inspect_kit.certificate.pages.render import make_certificate
from inspect_kit.inspection.record import Record
from tests.certificate.reading import pages_of, text_of
from tests.certificate.records import ALL, board, coins, failing_striker, record, striker


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
    assert f"2 {words.say('heading.decision')}" in others[0] or f"2 {words.say('heading.notes')}" in others[0]


def test_long_results_begin_on_a_page_of_their_own() -> None:
    first, second, *_ = pages_of(made(coins()))
    assert "Requirement" not in first
    assert second.index("1 Results") < second.index("Requirement")


@pytest.mark.parametrize("name", ALL)
def test_the_signature_stands_on_the_first_page_and_the_end_mark_never_alone(name: str) -> None:
    subject = msgspec.structs.replace(ALL[name].subject, owner="Long name " * 60)
    first, *others = pages_of(made(msgspec.structs.replace(ALL[name], subject=subject)))
    assert "Inspected and authorised by" in first
    assert not any("Inspected and authorised by" in page for page in others)
    assert "Software" in others[-1]


def test_nineteen_coins_stand_in_a_grid_with_every_value() -> None:
    text = text_of(made(coins()))
    assert "19 × conforms" in text
    assert all(f"{(30.2 + 31.8) / 2 + coin / 100:.3f} ± 0.040" in text for coin in range(1, 20))


def test_a_table_of_many_pages_repeats_its_head() -> None:
    pages = pages_of(made(board()))
    assert sum("Requirement" in text and "Verdict" in text for text in pages) >= 2
