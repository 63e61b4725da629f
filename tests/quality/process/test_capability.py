"""Capability: definitions, one limit, subgroups, and confidence limits that cover as often as they claim."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from inspect_kit.errors import BadInput
from inspect_kit.quality.process.capability import (
    anderson_darling,
    bissell_interval,
    capability,
    grouped,
    potential_interval,
    spread_of_moving_ranges,
    spread_of_ranges,
)
from inspect_kit.quality.sample import as_sample
from inspect_kit.values.limits import AtLeast, AtMost, Between

LIMITS = Between(Decimal("30.2"), Decimal("31.8"))


@pytest.fixture
def values() -> list[float]:
    return [round(float(value), 2) for value in np.random.default_rng(2).normal(31, 0.2, 60)]


def test_the_indices_are_the_room_over_three_sigma(values: list[float]) -> None:
    study = capability(as_sample(values), LIMITS)
    mean, deviation = np.mean(values), np.std(values, ddof=1)
    within = np.abs(np.diff(values)).mean() / 1.1283791670955126
    assert study.mean == pytest.approx(mean)
    assert study.overall.sigma == pytest.approx(deviation)
    assert study.within.sigma == pytest.approx(within)
    assert study.short_term.potential == pytest.approx(1.6 / (6 * within))
    assert study.short_term.actual == pytest.approx(min(31.8 - mean, mean - 30.2) / (3 * within))
    assert study.long_term.actual == pytest.approx(min(31.8 - mean, mean - 30.2) / (3 * deviation))


def test_subgroups_give_sigma_from_their_mean_range(values: list[float]) -> None:
    sample = as_sample(values)
    groups = list(grouped(sample, [str(number // 5) for number in range(60)], "x").values())
    study = capability(sample, LIMITS, groups)
    ranges = np.ptp(np.array(values).reshape(12, 5), axis=1)
    assert study.within.sigma == pytest.approx(ranges.mean() / 2.325928947, rel=1e-8)


def test_with_one_limit_there_is_no_potential(values: list[float]) -> None:
    for limits in (AtLeast(Decimal("30.2")), AtMost(Decimal("31.8"))):
        study = capability(as_sample(values), limits)
        assert study.short_term.potential is None
        assert study.long_term.potential_interval is None
        assert study.long_term.actual > 0


def test_a_mean_outside_the_limits_has_a_negative_index() -> None:
    assert capability(as_sample([32.0, 32.1, 32.2]), LIMITS).long_term.actual < 0


def test_bissells_interval_is_that_of_the_formula() -> None:
    low, high = bissell_interval(1.2, 50, 49)
    half = 1.959963984540054 * (1 / 450 + 1.44 / 98) ** 0.5
    assert (low, high) == pytest.approx((1.2 - half, 1.2 + half))


def test_the_pieces_outside_are_counted_with_a_piece_on_the_limit_inside() -> None:
    assert capability(as_sample([30.2, 31.8, 30.19, 31.81, 31.0]), LIMITS).outside == 2


def test_confidence_limits_cover_the_truth_as_often_as_they_say() -> None:
    generator = np.random.default_rng(9)
    draws, hits_ppk, hits_pp, hits_cpk = 1500, 0, 0, 0
    limits = Between(Decimal(-4), Decimal(5))
    for _ in range(draws):
        study = capability(as_sample(list(generator.standard_normal(40))), limits)
        hits_ppk += study.long_term.actual_interval[0] <= 4 / 3 <= study.long_term.actual_interval[1]
        hits_cpk += study.short_term.actual_interval[0] <= 4 / 3 <= study.short_term.actual_interval[1]
        assert study.long_term.potential_interval is not None
        hits_pp += study.long_term.potential_interval[0] <= 1.5 <= study.long_term.potential_interval[1]
    for hits in (hits_ppk, hits_cpk, hits_pp):
        assert hits / draws == pytest.approx(0.95, abs=0.025)


def test_the_precision_of_range_estimates_is_that_of_simulation() -> None:
    generator = np.random.default_rng(4)
    moving = [spread_of_moving_ranges(generator.standard_normal(30)).sigma for _ in range(6000)]
    ranged = [spread_of_ranges(list(generator.standard_normal((10, 5)))).sigma for _ in range(6000)]
    claimed_moving = spread_of_moving_ranges(np.arange(30.0)).dof
    claimed_ranged = spread_of_ranges([np.arange(5.0)] * 10).dof
    assert 1 / (2 * np.var(moving)) == pytest.approx(claimed_moving, rel=0.07)
    assert 1 / (2 * np.var(ranged)) == pytest.approx(claimed_ranged, rel=0.07)


def test_the_interval_of_the_potential_shrinks_with_the_readings() -> None:
    few, many = potential_interval(1.0, 10), potential_interval(1.0, 1000)
    assert few[0] < many[0] < 1 < many[1] < few[1]


@pytest.mark.parametrize("values", [[31.0], [31.0, 31.0, 31.0]])
def test_too_few_or_equal_readings_have_no_capability(values: list[float]) -> None:
    with pytest.raises(BadInput):
        capability(as_sample(values), LIMITS)


def test_normality_is_doubted_where_it_should_be_and_not_otherwise() -> None:
    generator = np.random.default_rng(8)
    normal = [anderson_darling(generator.standard_normal(50)) for _ in range(400)]
    assert 0.02 < np.mean([p is not None and p < 0.05 for p in normal]) < 0.09
    skewed = anderson_darling(generator.exponential(size=100))
    assert skewed is not None
    assert skewed < 0.001
    assert anderson_darling(np.arange(7.0)) is None
    wild = anderson_darling(np.array([0.0] * 50 + [1e6]))
    assert wild == 0


def test_a_subgroup_of_one_or_a_single_subgroup_is_refused() -> None:
    sample = as_sample([1.0, 2.0, 3.0])
    with pytest.raises(BadInput, match="single reading"):
        grouped(sample, ["a", "a", "b"], "x")
    with pytest.raises(BadInput, match="one subgroup"):
        grouped(sample, ["a", "a", "a"], "x")
