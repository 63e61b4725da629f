"""Operating characteristics and the search for plans, against exact fractions and brute force."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspect_kit.errors import UsageError
from inspect_kit.quality.sampling.operating_curve import (
    Model,
    Risk,
    Risks,
    acceptance,
    acceptance_of_lot,
    curve,
    curve_of_lot,
    quality_at,
    smallest_plan,
    smallest_variables_plan,
    variables_acceptance,
)


def exact_binomial(size: int, accept: int, fraction: Fraction) -> float:
    return float(sum(comb(size, x) * fraction**x * (1 - fraction) ** (size - x) for x in range(accept + 1)))


@given(st.integers(1, 60), st.integers(0, 10), st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_the_binomial_chance_is_the_sum_of_its_terms(size: int, accept: int, percent: int) -> None:
    expected = exact_binomial(size, min(accept, size), Fraction(percent, 100))
    assert acceptance(size, accept, percent / 100) == pytest.approx(expected, abs=1e-12)


@given(st.integers(2, 60), st.integers(0, 8), st.data())
@settings(max_examples=60, deadline=None)
def test_the_hypergeometric_chance_is_the_sum_of_its_terms(lot: int, accept: int, data: st.DataObject) -> None:
    size, bad = data.draw(st.integers(1, lot)), data.draw(st.integers(0, lot))
    terms = (Fraction(comb(bad, x) * comb(lot - bad, size - x), comb(lot, size)) for x in range(min(accept, size) + 1))
    assert acceptance_of_lot(size, accept, bad, lot) == pytest.approx(float(sum(terms)), abs=1e-12)


def test_a_curve_falls_from_one_and_stands_at_round_fractions() -> None:
    fractions, probabilities = curve(80, 2)
    assert probabilities[0] == 1
    assert np.all(np.diff(probabilities) <= 0)
    assert probabilities[-1] < 0.001
    assert 0.01 in fractions
    assert 100 <= len(fractions) <= 260


@pytest.mark.parametrize(("size", "accept"), [(1, 0), (2, 1), (5, 4), (2000, 0), (2000, 21), (10**6, 50)])
def test_a_curve_of_any_plan_has_enough_points_and_not_too_many(size: int, accept: int) -> None:
    fractions, _ = curve(size, accept)
    assert 50 <= len(fractions) <= 2000
    assert fractions[-1] <= 1


def test_a_curve_of_a_lot_stands_at_whole_pieces() -> None:
    fractions, probabilities = curve_of_lot(20, 1, 50)
    assert list(fractions) == [bad / 50 for bad in range(51)]
    assert probabilities[1] == 1
    assert probabilities[-1] == 0


def test_the_quality_at_a_probability_is_the_inverse_of_the_chance() -> None:
    for model in (Model.BINOMIAL, Model.POISSON):
        for wanted in (0.99, 0.5, 0.1):
            assert acceptance(125, 3, quality_at(125, 3, wanted, model), model) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("size", "accept", "lot"), [(0, 0, 10), (5, 5, 10), (5, -1, 10), (11, 1, 10)])
def test_plans_that_make_no_sense_are_wrong_usage(size: int, accept: int, lot: int) -> None:
    with pytest.raises(UsageError):
        curve_of_lot(size, accept, lot)


def brute_force(risks: Risks) -> tuple[int, int]:
    for size in range(1, 400):
        for accept in range(size):
            good = exact_binomial(size, accept, Fraction(risks.producer.fraction).limit_denominator(10**6))
            bad = exact_binomial(size, accept, Fraction(risks.consumer.fraction).limit_denominator(10**6))
            if bad > risks.consumer.risk:
                break
            if good >= 1 - risks.producer.risk:
                return size, accept
    raise AssertionError("no plan")


@pytest.mark.parametrize(
    ("good", "alpha", "bad", "beta"),
    [(0.01, 0.05, 0.06, 0.10), (0.02, 0.05, 0.10, 0.10), (0.05, 0.05, 0.30, 0.05), (0.001, 0.1, 0.2, 0.1), (0.1, 0.2, 0.3, 0.2)],
)  # fmt: skip
def test_the_plan_found_is_the_smallest_there_is(good: float, alpha: float, bad: float, beta: float) -> None:
    risks = Risks(Risk(good, alpha), Risk(bad, beta))
    plan = smallest_plan(risks)
    assert (plan.size, plan.accept) == brute_force(risks)
    assert plan.reject == plan.accept + 1


def test_fractions_too_close_to_tell_apart_are_refused_and_do_not_hang() -> None:
    with pytest.raises(UsageError, match="no plan"):
        smallest_plan(Risks(Risk(0.01, 0.05), Risk(0.01001, 0.05)))
    with pytest.raises(UsageError, match="no plan"):
        smallest_variables_plan(Risks(Risk(0.01, 0.05), Risk(0.01001, 0.05)), sigma_known=False)


@pytest.mark.parametrize(
    ("producer", "consumer"),
    [((0.05, 0.05), (0.01, 0.1)), ((0.01, 0.0), (0.1, 0.1)), ((0.01, 0.6), (0.1, 0.6)), ((0.0, 0.05), (0.1, 0.1))],
)  # fmt: skip
def test_risks_that_contradict_one_another_are_wrong_usage(
    producer: tuple[float, float], consumer: tuple[float, float]
) -> None:
    with pytest.raises(UsageError):
        Risks(Risk(*producer), Risk(*consumer))


@pytest.mark.parametrize("sigma_known", [True, False])
def test_a_plan_by_variables_keeps_both_risks_and_one_piece_less_does_not(sigma_known: bool) -> None:
    risks = Risks(Risk(0.01, 0.05), Risk(0.06, 0.10))
    plan = smallest_variables_plan(risks, sigma_known=sigma_known)
    assert variables_acceptance(plan.size, plan.k, 0.01, sigma_known=sigma_known) >= 0.95
    assert variables_acceptance(plan.size, plan.k, 0.06, sigma_known=sigma_known) <= 0.10 + 1e-9
    assert plan.size < smallest_plan(risks).size
    assert (plan.size, sigma_known) in {(42, False), (15, True)}


def test_the_noncentral_t_chance_agrees_with_simulated_lots() -> None:
    generator = np.random.default_rng(20)
    size, k, draws = 15, 1.65, 40_000
    samples = generator.standard_normal((draws, size))
    index = (1.8 - samples.mean(axis=1)) / samples.std(axis=1, ddof=1)
    fraction = 0.03593031911292579
    chance = variables_acceptance(size, k, fraction, sigma_known=False)
    assert chance == pytest.approx(float(np.mean(index >= k)), abs=4 * (0.25 / draws) ** 0.5)
