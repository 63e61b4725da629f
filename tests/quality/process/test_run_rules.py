"""Run rules: each pattern just complete, just not, and where it is reported."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.quality.process.run_rules import NELSON, RULE_SETS, WESTERN_ELECTRIC, Rule, signals


def points(rules: tuple[Rule, ...], number: int, values: list[float]) -> tuple[int, ...]:
    return next((s.points for s in signals(np.array(values), rules) if s.rule == number), ())


def test_a_point_on_a_limit_is_not_beyond_it() -> None:
    assert points(NELSON, 1, [3.0, -3.0, 3.0001, -3.0001]) == (3, 4)


def test_nelson_needs_nine_on_one_side_and_western_electric_eight() -> None:
    eight = [0.1] * 8
    assert points(NELSON, 2, eight) == ()
    assert points(NELSON, 2, [*eight, 0.1]) == (9,)
    assert points(WESTERN_ELECTRIC, 4, eight) == (8,)


def test_a_point_on_the_centre_ends_a_run() -> None:
    assert points(NELSON, 2, [0.1] * 8 + [0.0] + [0.1] * 8) == ()


def test_a_trend_counts_points_and_not_moves() -> None:
    assert points(NELSON, 3, [0.1, 0.2, 0.3, 0.4, 0.5]) == ()
    assert points(NELSON, 3, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) == (6,)
    assert points(NELSON, 3, [0.6, 0.5, 0.4, 0.3, 0.2, 0.1]) == (6,)


def test_two_equal_points_end_a_trend() -> None:
    assert points(NELSON, 3, [0.1, 0.2, 0.3, 0.3, 0.4, 0.5, 0.6]) == ()


def test_alternation_counts_points_and_not_moves() -> None:
    zigzag = [0.1, -0.1] * 7
    assert points(NELSON, 4, zigzag[:13]) == ()
    assert points(NELSON, 4, zigzag) == (14,)
    assert points(NELSON, 4, [*zigzag, 0.1]) == (14, 15)


@pytest.mark.parametrize(("rules", "number"), [(NELSON, 5), (WESTERN_ELECTRIC, 2)])
def test_two_of_three_beyond_two_sigma_must_lie_on_one_side(rules: tuple[Rule, ...], number: int) -> None:
    assert points(rules, number, [2.1, 0.0, 2.1]) == (3,)
    assert points(rules, number, [2.1, 2.1, 0.0]) == (2,)
    assert points(rules, number, [2.1, -2.1, 0.0]) == ()
    assert points(rules, number, [2.1, 0.0, 0.0, 2.1]) == ()


@pytest.mark.parametrize(("rules", "number"), [(NELSON, 6), (WESTERN_ELECTRIC, 3)])
def test_four_of_five_beyond_one_sigma_must_lie_on_one_side(rules: tuple[Rule, ...], number: int) -> None:
    assert points(rules, number, [-1.1, -1.1, 0.5, -1.1, -1.1]) == (5,)
    assert points(rules, number, [-1.1, -1.1, 1.5, 1.1, -1.1]) == ()
    assert points(rules, number, [1.1, 1.1, 1.1]) == ()


def test_fifteen_points_that_hug_the_centre_are_a_signal_on_either_side_of_it() -> None:
    calm = [0.5, -0.9, 0.2] * 5
    assert points(NELSON, 7, calm[:14]) == ()
    assert points(NELSON, 7, calm) == (15,)
    assert points(NELSON, 7, [*calm[:14], 1.0]) == ()


def test_eight_points_that_avoid_the_centre_are_a_signal() -> None:
    torn = [1.5, -1.5] * 4
    assert points(NELSON, 8, torn) == (8,)
    assert points(NELSON, 8, [*torn[:7], 0.5]) == ()


def test_steady_noise_gives_few_signals_and_a_shift_is_found() -> None:
    generator = np.random.default_rng(5)
    noise = generator.standard_normal(1000)
    found = signals(noise, WESTERN_ELECTRIC)
    assert sum(len(signal.points) for signal in found) < 40
    shifted = np.concatenate([noise[:50], noise[50:80] + 2])
    assert any(point > 50 for signal in signals(shifted, NELSON) for point in signal.points)


def test_one_point_alone_is_no_trouble() -> None:
    for rules in RULE_SETS.values():
        assert signals(np.array([0.0]), rules) == ()
