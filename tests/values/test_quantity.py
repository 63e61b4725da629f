from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.errors import BadInput
from inspect_kit.values.quantity import UNITS, Quantity, parse_number, parse_quantity, parse_strict

MM = UNITS["mm"]


@pytest.mark.parametrize(
    ("typed", "millimetres"),
    [
        ("8.1mm", "8.1"),
        ("8,1 mm", "8.1"),
        ("0.81 cm", "8.1"),
        ("0,81cm", "8.1"),
        ("8.1", "8.1"),
        (" 8.10 ", "8.10"),
        ("+8.1 mm", "8.1"),
        ("0.750 in", "19.05"),
        ('0.75"', "19.05"),
        ("8100 µm", "8.1"),
        ("8.1\u00a0mm", "8.1"),
        ("1e1 mm", "10"),
    ],
)
def test_a_length_is_understood_as_people_write_it(typed: str, millimetres: str) -> None:
    assert parse_quantity(typed, MM).in_base == Decimal(millimetres)


@pytest.mark.parametrize(
    "typed",
    [
        "", "mm", "8.1.2 mm", "1,234.5 mm", "nan", "NaN mm", "inf", "-Infinity", "8 1", "1e999999", "0x10", "8.1 furlong",
        "8.1 mm 9", "٨ mm;", "8.1 mm\x00", "1" * 40, "8_1", "--8",
    ],
)  # fmt: skip
def test_what_is_not_a_quantity_is_refused_in_a_sentence(typed: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_quantity(typed, MM)
    assert len(str(caught.value)) < 300


def test_a_bare_number_without_a_known_unit_is_refused() -> None:
    with pytest.raises(BadInput, match="has no unit"):
        parse_quantity("8.1")


def test_a_limit_prints_as_it_was_typed() -> None:
    assert str(parse_strict("4.45 cm")) == "4.45 cm"
    assert str(parse_strict("73.50 cm")) == "73.50 cm"


@pytest.mark.parametrize(
    "text", ["50,8mm", "50.8mm", "50,8 mm", "50.8  mm", "50.8 MM", ".5 mm", "5. mm", "1e3 mm", " 5 mm"]
)
def test_a_sheet_states_limits_in_one_form_only(text: str) -> None:
    with pytest.raises(BadInput, match="expected"):
        parse_strict(text)


def test_a_mass_is_not_a_length() -> None:
    with pytest.raises(BadInput, match="cannot be turned into"):
        parse_strict("5 g").to("mm")


@given(st.decimals(min_value=-100000, max_value=100000, allow_nan=False, allow_infinity=False, places=4))
def test_every_decimal_survives_a_round_trip_through_centimetres(number: Decimal) -> None:
    quantity = Quantity(number, MM)
    assert quantity.to("cm").to("mm").number == number


@given(st.decimals(min_value=-100000, max_value=100000, allow_nan=False, allow_infinity=False, places=3))
def test_point_and_comma_mean_the_same(number: Decimal) -> None:
    assert parse_number(f"{number:f}") == parse_number(f"{number:f}".replace(".", ",")) == number


@given(st.text(max_size=60))
def test_no_text_makes_the_parser_do_anything_but_answer_or_refuse(text: str) -> None:
    try:
        quantity = parse_quantity(text, MM)
    except BadInput:
        return
    assert quantity.number.is_finite()
