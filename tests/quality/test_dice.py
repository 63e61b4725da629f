"""Dice: the exact test against full enumeration, the e-value against its promise, planning against simulation."""

from __future__ import annotations

import sys
from itertools import product
from math import exp, factorial, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.dice import (
    bounded_exp,
    e_path,
    each_die,
    exact_p,
    fairness,
    holm,
    ln_e,
    rolls_needed,
    simultaneous_intervals,
    with_unread,
)


def enumerated(counts: list[int]) -> float:
    total, observed = sum(counts), sum(count**2 for count in counts)
    chance = 0.0
    for outcome in product(range(total + 1), repeat=5):
        last = total - sum(outcome)
        if last < 0:
            continue
        whole = (*outcome, last)
        if sum(count**2 for count in whole) >= observed:
            ways = factorial(total)
            for count in whole:
                ways //= factorial(count)
            chance += ways / 6**total
    return chance


@given(st.lists(st.integers(0, 2), min_size=6, max_size=6).filter(lambda counts: 1 <= sum(counts) <= 8))
@settings(max_examples=25, deadline=None)
def test_the_exact_p_is_that_of_listing_every_outcome(counts: list[int]) -> None:
    assert exact_p(counts) == pytest.approx(enumerated(counts), rel=1e-10)


def test_the_exact_p_of_rare_outcomes_keeps_its_digits() -> None:
    assert exact_p([20, 0, 0, 0, 0, 0]) == pytest.approx(6 * 6.0**-20, rel=1e-9)
    assert exact_p([1, 1, 1, 1, 1, 1]) == pytest.approx(1)


def test_the_exact_p_approaches_the_chi_square_p_for_many_rolls() -> None:
    counts = [60, 90, 70, 75, 65, 90]
    result = fairness(counts)
    assert result.exact_p == pytest.approx(result.p_value, abs=0.002)
    assert fairness([84] * 6).exact_p is None


def test_the_e_value_roll_by_roll_ends_where_the_counts_say() -> None:
    order = [1, 6, 6, 2, 3, 6, 4, 5, 6, 6]
    counts = [order.count(face) for face in range(1, 7)]
    path = e_path(order, 100)
    assert path[-1] == pytest.approx(ln_e(counts, 100), abs=1e-12)
    result = fairness(counts, 100, order)
    assert result.ln_e_largest == pytest.approx(path.max())
    assert fairness(counts).ln_e_largest is None


def test_the_first_roll_tells_nothing() -> None:
    assert e_path([4], 100)[0] == pytest.approx(0, abs=1e-12)


def test_the_mean_e_value_of_a_fair_die_is_one() -> None:
    """All sequences of four rolls are equally likely; what breaks even on each roll breaks even over all."""
    values = [exp(ln_e([sequence.count(face) for face in range(6)], 6)) for sequence in product(range(6), repeat=4)]
    assert np.mean(values) == pytest.approx(1, rel=1e-12)


def test_looking_after_every_roll_condemns_at_most_one_fair_die_in_twenty() -> None:
    generator = np.random.default_rng(12)
    dice = 400
    alarms = sum(float(e_path(generator.integers(1, 7, 3000), 100).max()) >= log(20) for _ in range(dice))
    assert alarms / dice <= 0.05 + 2 * (0.05 * 0.95 / dice) ** 0.5


def test_a_loaded_die_is_found() -> None:
    generator = np.random.default_rng(13)
    rolls = generator.choice(np.arange(1, 7), 3000, p=[0.15, 0.16, 0.16, 0.16, 0.16, 0.21])
    assert e_path(list(rolls), 100).max() > log(20)


def test_the_planned_number_of_rolls_has_the_promised_power() -> None:
    generator = np.random.default_rng(14)
    bias, trials = 0.25, 4000
    rolls = rolls_needed(bias)
    faces = np.array([1 + bias, 1 - bias / 2, 1 - bias / 2, 1 - bias / 2, 1 - bias / 2, 1 + bias]) / 6
    counts = generator.multinomial(rolls, faces, trials)
    chi2 = 6 * (counts**2).sum(axis=1) / rolls - rolls
    assert np.mean(chi2 > 11.0705) == pytest.approx(0.8, abs=0.03)


def test_more_power_or_less_risk_takes_more_rolls() -> None:
    assert rolls_needed(0.05, power=0.95) > rolls_needed(0.05)
    assert rolls_needed(0.05, alpha=0.01) > rolls_needed(0.05)


@pytest.mark.parametrize(("bias", "alpha", "power"), [(0, 0.05, 0.8), (-1, 0.05, 0.8), (3, 0.05, 0.8), (0.1, 0, 0.8),
                                                      (0.1, 0.05, 1), (0.1, 0.9, 0.8), (float("nan"), 0.05, 0.8)])  # fmt: skip
def test_plans_that_make_no_sense_are_wrong_usage(bias: float, alpha: float, power: float) -> None:
    with pytest.raises(UsageError):
        rolls_needed(bias, alpha, power)


def test_no_roll_and_a_weight_of_nothing_are_refused() -> None:
    with pytest.raises(BadInput):
        fairness([0] * 6)
    for weight in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(UsageError):
            fairness([1] * 6, weight)


def test_evidence_beyond_all_numbers_stays_a_number() -> None:
    assert bounded_exp(1e6) == sys.float_info.max
    assert fairness([100_000, 0, 0, 0, 0, 0]).e_value == sys.float_info.max


def test_two_dice_biased_in_opposite_ways_are_told_apart() -> None:
    rolls = {"red": (150, 100, 100, 100, 100, 50), "blue": (50, 100, 100, 100, 100, 150)}
    together = fairness([sum(pair) for pair in zip(*rolls.values(), strict=True)])
    assert together.p_value == pytest.approx(1.0)
    for die in each_die(rolls):
        assert die.p_adjusted < 1e-6
        assert not die.intervals[0][0] <= 1 / 6 <= die.intervals[0][1]


def test_p_values_of_several_dice_are_those_of_holm() -> None:
    from statsmodels.stats.multitest import multipletests

    p_values = [0.01, 0.04, 0.03, 0.005, 0.8]
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


@pytest.mark.parametrize("counts", [(20, 14, 18, 9, 21, 18), (0, 3, 1, 2, 4, 2), (166, 167, 170, 150, 180, 167)])
def test_intervals_of_faces_are_goodmans(counts: tuple[int, ...]) -> None:
    from statsmodels.stats.proportion import multinomial_proportions_confint

    wanted = multinomial_proportions_confint(np.array(counts), 0.05, method="goodman")
    assert np.array(simultaneous_intervals(counts)) == pytest.approx(wanted, abs=1e-12)


def test_unread_rolls_are_bounded_by_the_most_even_and_the_most_uneven_faces_that_they_can_have_had() -> None:
    from itertools import combinations_with_replacement

    counts, rolls = [12, 9, 10, 14, 8, 7], 3
    every = [
        fairness([count + chosen.count(face) for face, count in enumerate(counts)])
        for chosen in combinations_with_replacement(range(6), rolls)
    ]
    found = with_unread(counts, rolls)
    assert found.p_values == (min(one.p_value for one in every), max(one.p_value for one in every))
    assert found.ln_e_values == (min(one.ln_e_value for one in every), max(one.ln_e_value for one in every))


def test_unread_rolls_turn_a_verdict_only_if_some_faces_of_them_would() -> None:
    assert not with_unread([100] * 6, 5).could_turn(0.05, 20)
    assert with_unread([100] * 6, 60).could_turn(0.05, 20)
