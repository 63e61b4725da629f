from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.certificate.content.wording import number_of, place_of, stated, two_digits, written
from inspect_kit.errors import BadInput

positive = st.decimals("0.000001", "100000", allow_nan=False, places=8).filter(lambda number: number > 0)
values = st.decimals("-100000", "100000", allow_nan=False, places=8)


@pytest.mark.parametrize(
    ("value", "expanded", "shown", "shown_expanded"),
    [
        ("41.02", "0.0404", "41.020", "0.040"),
        ("14.8", "0.016", "14.800", "0.016"),
        ("737.456", "0.48", "737.46", "0.48"),
        ("31.02", "0.0996", "31.02", "0.10"),
        ("31.026", "0.996", "31.0", "1.0"),
        ("1234.5", "123", "1230", "120"),
        ("0.004", "0.30", "0.00", "0.30"),
        ("-0.001", "0.20", "0.00", "0.20"),
        ("2.5", "1.05", "2.5", "1.1"),
    ],
)
def test_u_has_two_significant_digits_and_the_value_the_same_place(
    value: str, expanded: str, shown: str, shown_expanded: str
) -> None:
    figures = stated(Decimal(value), Decimal(expanded))
    assert (written(figures.value), written(figures.expanded or Decimal(0))) == (shown, shown_expanded)


def test_a_value_without_uncertainty_keeps_its_digits() -> None:
    assert written(stated(Decimal("14.820"), None).value) == "14.820"
    assert written(stated(Decimal("4"), Decimal(0)).value) == "4"


@given(positive)
def test_rounding_never_loses_more_than_five_percent_of_u(expanded: Decimal) -> None:
    shown = two_digits(expanded)
    assert Decimal("0.95") * expanded < shown <= Decimal("1.05") * expanded


@given(positive)
def test_u_is_written_with_exactly_two_significant_digits(expanded: Decimal) -> None:
    shown = two_digits(expanded)
    assert shown.adjusted() - place_of(shown) == 1


@given(values, positive)
def test_value_and_u_end_at_the_same_place_and_the_value_moves_by_half_of_it_at_most(
    value: Decimal, expanded: Decimal
) -> None:
    figures = stated(value, expanded)
    assert figures.expanded is not None
    assert place_of(figures.value) == place_of(figures.expanded)
    assert abs(figures.value - value) <= Decimal(5).scaleb(place_of(figures.value) - 1)


@given(values)
def test_what_is_written_reads_back_as_the_same_number(number: Decimal) -> None:
    text = written(number, ",").replace("\u202f", "").replace("−", "-").replace(",", ".")
    assert Decimal(text) == number


def test_five_digits_are_grouped_and_four_are_not() -> None:
    assert written(Decimal("1830")) == "1830"
    assert written(Decimal("540225.5"), ",") == "540\u202f225,5"
    assert written(Decimal("-12345")) == "−12\u202f345"


@pytest.mark.parametrize("text", ["abc", "NaN", "Infinity", "1e400", ""])
def test_what_is_not_a_printable_number_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(BadInput, match=r"striker\.mass"):
        number_of(text, where="striker.mass")
