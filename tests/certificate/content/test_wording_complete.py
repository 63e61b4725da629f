"""The wording of the shipped sheets: nothing missing, nothing left over, no number lost in translation."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

import pytest

from inspect_kit.capture.instruments import read_instrument
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.errors import LANGUAGES
from inspect_kit.inspection.catalogue import all_names
from inspect_kit.judgement.verdict import Reason, Verdict
from inspect_kit.places import shipped
from inspect_kit.rulebook.clause import WordMeaning
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.rulebook.sheet import Sheet
from tests.certificate.content.wanted import missing_wording

TRANSLATED: Final = tuple(language for language in LANGUAGES if language != "en")
PHOTO_SOURCES: Final = ("scale", "print", "height", "edge", "fit", "lens", "pose", "camera", "standoff", "edge radius")
NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


@cache
def sheets() -> tuple[Sheet, ...]:
    return tuple(load(sheet_id) for sheet_id in sheet_ids())


def sentences_of(sheet: Sheet) -> Iterator[str]:
    yield from (sheet.title, sheet.edition, sheet.disclaimer, sheet.prevails, sheet.superseded)
    for overlay in sheet.overlays:
        yield from (overlay.title, overlay.because)
    for item in sheet.items:
        yield from (entry.when for entry in item.check_again)
    for left in sheet.left_out:
        yield from (left.says, left.because)
    for clause in sheet.clauses:
        yield from (clause.requires, clause.how, clause.note, clause.because, clause.name)


@cache
def sentences() -> frozenset[str]:
    return frozenset(text for sheet in sheets() for text in sentences_of(sheet) if text) | gauges_texts()


@cache
def gauges_texts() -> frozenset[str]:
    """What a paper says of the shipped kinds of gauges and of the demo's own."""
    folders = (shipped("specs") / "instruments", shipped("reports") / "examples" / "instruments")
    gauges = [read_instrument(path) for folder in folders for path in sorted(folder.glob("*.toml"))]
    return frozenset(text for gauge in gauges for text in (gauge.name, gauge.calibration) if text)


def characteristics() -> set[str]:
    """What a certificate may have to name: asked for by a clause, worked out, or measured besides."""
    return {*all_names(), *(derived.characteristic for sheet in sheets() for derived in sheet.derived)}


def numbers(text: str) -> list[str]:
    """Every number of a text, a decimal comma read as a point: `5,25 g` is `5.25 g`."""
    return sorted(number.replace(",", ".") for number in NUMBER.findall(text))


def shown(faults: Mapping[str, str]) -> str:
    return "\n".join(f"{text}\n    {fault}" for text, fault in faults.items())


def test_no_name_and_no_sentence_of_a_shipped_sheet_is_missing_in_any_language() -> None:
    assert missing_wording(sheets()) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_characteristic_has_a_name_and_no_name_is_left_over(language: str) -> None:
    assert wording_for(language).names["characteristic"].keys() == characteristics()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_item_has_a_name_and_no_name_is_left_over(language: str) -> None:
    items = {item.name for sheet in sheets() for item in sheet.items}
    assert wording_for(language).names["item"].keys() == items


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_translation_is_left_over_that_no_sheet_uses(language: str) -> None:
    assert wording_for(language).sentences.keys() - sentences() == set()


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_shipped_gauge_has_a_name_in_every_language(language: str) -> None:
    assert len(gauges_texts()) > 12
    assert {text for text in gauges_texts() if wording_for(language).sentence(text) == text} == set()


def test_english_sentences_stand_in_the_sheets_alone() -> None:
    assert wording_for("en").sentences == {}


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_numbers_of_a_sentence_recur_in_its_translation(language: str) -> None:
    said = {text: wording_for(language).sentence(text) for text in sentences()}
    lost = {text: translation for text, translation in said.items() if numbers(text) != numbers(translation)}
    assert not lost, shown(lost)


@pytest.mark.parametrize("language", TRANSLATED)
def test_quantities_are_translated_with_a_decimal_comma(language: str) -> None:
    words = wording_for(language)
    quantity = re.compile(r"\d\.\d+(?: (?:mm|cm|m|in|g|W|s|Zoll|pollici)\b|°)")
    pointed = {text: found.group() for text in sentences() if (found := quantity.search(words.sentence(text)))}
    assert not pointed, shown(pointed)


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_ends_as_its_sentence_ends(language: str) -> None:
    said = {text: wording_for(language).sentence(text) for text in sentences()}
    open_ended = {
        text: translation
        for text, translation in said.items()
        if text.endswith(".") != translation.endswith(".") or translation != translation.strip()
    }
    assert not open_ended, shown(open_ended)


@pytest.mark.parametrize("language", LANGUAGES)
def test_apostrophes_and_quotation_marks_are_the_printers_not_the_typewriters(language: str) -> None:
    words = wording_for(language)
    texts = {*map(words.sentence, sentences()), *words.names["characteristic"].values(), *words.names["item"].values()}
    assert {text for text in texts if "'" in text or '"' in text} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_characteristics_name_fits_its_column_and_no_two_are_the_same(language: str) -> None:
    names = wording_for(language).names["characteristic"]
    assert {name for name in names.values() if not name[0].isupper() or len(name) > 48} == set()
    assert len(set(names.values())) == len(names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_instance_code_of_the_sheets_has_words(language: str) -> None:
    codes = {code for sheet in sheets() for clause in sheet.clauses for code in clause.instances.names}
    quoted = {
        code
        for sheet in sheets()
        for derived in sheet.derived
        for code in re.findall(r'\["([^"]+)"\]', derived.formula.text)
    }
    assert (codes | quoted) - wording_for(language).names["instance"].keys() == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_component_of_a_budget_has_words(language: str) -> None:
    folder = shipped("reports") / "examples" / "instruments"
    sheets_of_gauges = [tomllib.loads(path.read_text()) for path in folder.glob("*.toml")]
    named = {effect["source"] for sheet in sheets_of_gauges for effect in sheet.get("uncertainty", ())}
    by_studies = {"repeatability", "operators", "operator × part", "bias, not corrected"}
    by_the_program = {"resolution", "stated", *PHOTO_SOURCES}
    assert named
    assert {*named, *by_studies, *by_the_program} - wording_for(language).names["source"].keys() == set()


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("section", ["instrument", "source", "instance", "unit", "word"])
def test_every_language_names_the_same_things(section: str, language: str) -> None:
    assert wording_for(language).names[section].keys() == wording_for("en").names[section].keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_verdict_every_reason_and_every_answer_of_the_sheets_has_words(language: str) -> None:
    words = wording_for(language)
    answers = {word for sheet in sheets() for clause in sheet.clauses for word in clause.answers}
    assert {f"verdict.{verdict}" for verdict in Verdict} - words.frame.keys() == set()
    assert {f"reason.{reason}" for reason in Reason} - words.frame.keys() == set()
    observed = {key.removeprefix("observed.") for key in words.frame if key.startswith("observed.")}
    assert {*answers, *WordMeaning} - {*observed, *words.names["word"]} == set()
