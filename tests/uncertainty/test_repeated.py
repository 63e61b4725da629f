"""What Type A evaluations promise."""

from __future__ import annotations

import statistics
from decimal import Context, Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inspect_kit.uncertainty.readings import correlation_of_means, covariance_of_means, repeated

FORTY = Context(prec=40)
readings = st.lists(st.decimals(min_value=-100, max_value=100, places=3), min_size=2, max_size=12)
pairs = st.lists(
    st.tuples(*[st.decimals(min_value=-100, max_value=100, places=3)] * 2), min_size=2, max_size=12
).map(lambda rows: tuple(zip(*rows, strict=True)))  # fmt: skip


def decimals(*numbers: str) -> list[Decimal]:
    return [Decimal(number) for number in numbers]


def test_five_weighings_give_their_mean_and_its_uncertainty() -> None:
    found = repeated(decimals("5.30", "5.32", "5.31", "5.33", "5.29"))
    assert found.mean == Decimal("5.31")
    assert found.deviation == Decimal("0.00025").sqrt(FORTY)
    assert found.standard == Decimal("0.00005").sqrt(FORTY)
    assert (found.count, found.dof) == (5, Decimal(4))


@given(readings)
def test_the_mean_and_deviation_are_those_of_the_standard_library(given_readings: list[Decimal]) -> None:
    found = repeated(given_readings)
    assert float(found.mean) == pytest.approx(float(statistics.fmean(given_readings)), abs=1e-10)
    assert float(found.deviation) == pytest.approx(float(statistics.stdev(given_readings)), abs=1e-10)


@given(readings)
def test_the_mean_is_known_better_by_the_root_of_the_count(given_readings: list[Decimal]) -> None:
    found = repeated(given_readings)
    assert float(found.standard) == pytest.approx(float(found.deviation) / len(given_readings) ** 0.5, rel=1e-12)


def test_large_numbers_lose_no_digits() -> None:
    """NIST StRD NumAcc1: doubles barely manage."""
    found = repeated(decimals("10000001", "10000003", "10000002"))
    assert (found.mean, found.deviation) == (Decimal(10000002), Decimal(1))


@given(readings, st.decimals(min_value=-1000, max_value=1000, places=2))
def test_an_offset_moves_the_mean_and_nothing_else(given_readings: list[Decimal], offset: Decimal) -> None:
    before, after = repeated(given_readings), repeated([reading + offset for reading in given_readings])
    assert abs(after.mean - before.mean - offset) < Decimal("1e-25")
    assert abs(after.standard - before.standard) < Decimal("1e-15")


def test_equal_readings_have_no_uncertainty_of_type_a() -> None:
    assert repeated(decimals("8.1", "8.1", "8.1")).standard == 0


@given(pairs)
def test_correlation_lies_between_minus_one_and_one(rows: tuple[tuple[Decimal, ...], ...]) -> None:
    left, right = rows
    assume(len(set(left)) > 1 and len(set(right)) > 1)
    assert -1 <= correlation_of_means(left, right) <= 1
    assert correlation_of_means(left, right) == correlation_of_means(right, left)


@given(readings, st.integers(min_value=1, max_value=9))
def test_proportional_quantities_are_fully_correlated(given_readings: list[Decimal], factor: int) -> None:
    assume(len(set(given_readings)) > 1)
    assert float(correlation_of_means(given_readings, [factor * x for x in given_readings])) == pytest.approx(1)
    assert float(correlation_of_means(given_readings, [-factor * x for x in given_readings])) == pytest.approx(-1)


@given(readings)
def test_the_covariance_with_itself_is_the_variance_of_the_mean(given_readings: list[Decimal]) -> None:
    variance = covariance_of_means(given_readings, given_readings)
    assert float(variance) == pytest.approx(float(repeated(given_readings).standard) ** 2, rel=1e-12)


def test_one_reading_says_nothing_about_repeatability() -> None:
    with pytest.raises(ValueError, match="at least two"):
        repeated(decimals("8.1"))


def test_readings_that_were_not_taken_together_have_no_covariance() -> None:
    with pytest.raises(ValueError, match="equally many"):
        covariance_of_means(decimals("1", "2", "3"), decimals("1", "2"))


def test_readings_that_never_vary_have_no_correlation() -> None:
    with pytest.raises(ValueError, match="never vary"):
        correlation_of_means(decimals("1", "1", "1"), decimals("1", "2", "3"))


@pytest.mark.parametrize("wrong", ["NaN", "Infinity"])
def test_a_reading_that_is_no_number_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="finite"):
        repeated(decimals("8.1", wrong))
