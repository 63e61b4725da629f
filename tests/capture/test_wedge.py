from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.capture.wedge import TypedReading, typed_by_instrument
from inspect_kit.errors import BadInput


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("14,82 g\r\n", "14.82", "g"),
        ("14.82g", "14.82", "g"),
        ("+0041.27\r", "41.27", ""),
        ("-0,010 mm\n", "-0.010", "mm"),
        ("0.8270 in", "21.0058", "mm"),
        ('0.8270"', "21.0058", "mm"),
        ("0,01482 kg", "14.82", "g"),
        ("  100.01\t", "100.01", ""),
        ("14,82\u00a0g", "14.82", "g"),
        ("S S      14.82 g\r\n", "14.82", "g"),
        ("ST,+00014.82  g\r\n", "14.82", "g"),
        ("+    14.82 g  \r\n", "14.82", "g"),
        ("     14.82 g", "14.82", "g"),
        ("01A+0041.270", "41.270", ""),
        ("14", "14", ""),
    ],
)
def test_what_an_instrument_types_is_one_value(text: str, number: str, unit: str) -> None:
    typed = typed_by_instrument(text)
    assert (typed.number, typed.unit) == (number, unit)
    assert typed.raw == text.strip("\r\n\t")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("US,+00014.82  g", "not stable"),
        ("S D      14.82 g", "not stable"),
        ("14.82 g ?", "not stable"),
        ("+    14.82    ", "not stable|expected a value"),
        ("S +", "overloaded"),
        ("OL,+999999.9  g", "overloaded"),
        ("S -", "below its range"),
        ("QT,+00012345 PC", "counts"),
        ("S I", "cannot measure now"),
        ("S A", "no value"),
        ("14.82 g\r\n14.83 g\r\n", "two values"),
        ("14.82 g\t14.83 g", "two values"),
        ("1,234.5", "expected a value"),
        ("14.82 lb", "unit"),
        ("S S      14.82 lb", "unit"),
        ("14.82 14.83", "expected a value"),
        ("1e3", "expected a value"),
        ("nan", "expected a value"),
        ("", "expected a value"),
        ("١٤", "expected a value"),
        ("9" * 100, "100 characters"),
        ("14.82 g" + " " * 90, "97 characters"),
    ],
)
def test_what_is_not_one_stable_value_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why) as caught:
        typed_by_instrument(text)
    assert caught.value.fault.hint


@pytest.mark.parametrize(("text", "language"), [("č+.ěý", "Czech"), ("'&;éè", "French")])
def test_a_keyboard_of_another_language_is_named_and_nothing_guessed(text: str, language: str) -> None:
    with pytest.raises(BadInput, match=f"set to {language}"):
        typed_by_instrument(text)


def test_a_typed_value_reads_as_people_write_it() -> None:
    assert str(TypedReading("14.82", "g", "")) == "14.82 g"
    assert str(TypedReading("14.82", "", "")) == "14.82"


@given(st.one_of(st.text(max_size=60), st.text(alphabet="0123456789.,+- gkm?\r\n", max_size=20)))
def test_no_text_gives_a_number_that_was_not_typed(text: str) -> None:
    try:
        typed = typed_by_instrument(text)
    except BadInput:
        return
    digits = [sign for sign in typed.raw if sign.isdigit()]
    assert digits
    assert "?" not in typed.raw
    if "k" not in typed.raw and "m" not in typed.raw:
        assert typed.number.lstrip("-") in typed.raw.replace(",", ".")
