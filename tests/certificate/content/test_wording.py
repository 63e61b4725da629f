from __future__ import annotations

import string
from decimal import Decimal

import pytest

from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.errors import LANGUAGES, BadInput, UsageError
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Reason, Verdict
from inspect_kit.rulebook.library import load
from inspect_kit.values.quantity import UNITS
from tests.certificate.content.wanted import missing_wording


def gaps(text: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_words_the_whole_frame_with_the_same_gaps(language: str) -> None:
    english, words = wording_for("en").frame, wording_for(language).frame
    assert words.keys() == english.keys()
    assert {key: gaps(text) for key, text in words.items()} == {key: gaps(text) for key, text in english.items()}
    assert all(text.strip() for text in words.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_verdict_reason_and_rule_has_words(language: str) -> None:
    frame = wording_for(language).frame
    assert {f"verdict.{verdict}" for verdict in Verdict} <= frame.keys()
    assert {f"reason.{reason}" for reason in Reason} <= frame.keys()
    assert {f"rule.{rule}" for rule in RuleName} | {f"decision.{rule}_risk" for rule in RuleName} <= frame.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_unit_and_every_side_and_corner_has_a_name(language: str) -> None:
    names = wording_for(language).names
    assert UNITS.keys() <= names["unit"].keys()
    assert {"n", "e", "s", "w", "nw", "ne", "se", "sw", "n.w", "w.n", "nw-se", "ne-sw"} <= names["instance"].keys()


@pytest.mark.parametrize(
    ("language", "day"),
    [
        ("en", "16 November 2026"),
        ("de", "16. November 2026"),
        ("cs", "16. listopadu 2026"),
        ("it", "16 novembre 2026"),
    ],
)
def test_dates_are_written_as_the_language_has_them(language: str, day: str) -> None:
    assert wording_for(language).day("2026-11-16").replace("\u00a0", " ") == day


@pytest.mark.parametrize(("language", "number"), [("en", "8.10"), ("de", "8,10"), ("cs", "8,10"), ("it", "8,10")])
def test_decimal_signs_are_those_of_the_language(language: str, number: str) -> None:
    assert wording_for(language).number(Decimal("8.10")) == number


def test_a_thin_space_stands_before_a_unit_and_none_before_a_degree_or_after_a_count() -> None:
    words = wording_for("en")
    assert words.quantity("8.1", "mm") == "8.1\u202fmm"
    assert words.quantity("45", "deg") == "45°"
    assert words.quantity("4", "count") == "4"
    assert words.quantity("3", "cm2") == "3\u202fcm²"


def test_names_come_from_the_sheet_first_then_the_wording_then_the_record_then_the_key() -> None:
    words = wording_for("de", {"de": {"puck.mass": "Puck, Masse", "Weigh it.": "Wiegen."}})
    assert words.name("characteristic", "puck.mass", "Mass of the puck") == "Puck, Masse"
    assert words.name("item", "Striker") == words.names["item"]["Striker"]
    assert words.name("characteristic", "puck.size", "Size of the puck") == "Size of the puck"
    assert words.name("characteristic", "puck.size") == "puck.size"
    assert words.sentence("Weigh it.") == "Wiegen."
    assert words.sentence("Nobody translated this.") == "Nobody translated this."


def test_a_language_that_is_not_there_is_a_usage_error_that_names_those_that_are() -> None:
    with pytest.raises(UsageError, match="en"):
        wording_for("fr")


def test_a_date_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="issued_on"):
        wording_for("en").day("16.11.2026", where="issued_on")


def test_missing_wording_names_language_file_and_key() -> None:
    sheet = load("wbgf-2.1")
    assert all("/names.toml: [" in entry or "/sentences.toml: " in entry for entry in missing_wording([sheet]))
    assert missing_wording([]) == ()
