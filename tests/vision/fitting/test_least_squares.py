"""Least squares with prior knowledge, and outliers, on numbers alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from inspect_kit.vision.fitting.least_squares import agreeing, inverse, reweighted, robust_deviation, slopes, solve
from inspect_kit.vision.fitting.nearest_point import nearest_of
from inspect_kit.vision.fitting.normal import normal_share

NOTHING = np.zeros(2)


def test_without_a_prior_the_answer_is_that_of_linear_least_squares() -> None:
    random = np.random.default_rng(1)
    design, wanted = random.normal(size=(40, 2)), np.array([3.0, -2.0])
    values = design @ wanted + random.normal(0, 0.1, 40)
    found = solve(lambda at: (design @ at - values) / 0.1, NOTHING, np.ones(2), NOTHING, NOTHING)
    assert found.parameters == pytest.approx(np.linalg.lstsq(design, values, rcond=None)[0], abs=1e-8)
    assert found.covariance == pytest.approx(np.linalg.inv(design.T @ design) * 0.01, rel=1e-6)


def test_a_prior_and_one_reading_meet_by_their_variances() -> None:
    mean, information = np.array([10.0]), np.array([1 / 2.0**2])
    found = solve(lambda at: (at - 13.0) / 1.0, mean, np.ones(1), information, mean)
    assert found.parameters[0] == pytest.approx(12.4)
    assert found.covariance[0, 0] == pytest.approx(0.8)


def test_a_curved_problem_is_solved_from_afar() -> None:
    x = np.linspace(0, 4, 30)
    values = 2.5 * np.exp(-0.7 * x)
    found = solve(lambda at: at[0] * np.exp(-at[1] * x) - values, np.array([1.0, 0.1]), np.ones(2), NOTHING, NOTHING)
    assert found.parameters == pytest.approx([2.5, 0.7], abs=1e-6)


def test_slopes_are_the_functions_own_where_it_knows_them() -> None:
    class Known:
        def __call__(self, at: np.ndarray) -> np.ndarray:
            return at**2

        def slopes(self, at: np.ndarray) -> np.ndarray:
            return np.diag(2 * at)

    at = np.array([1.0, 3.0])
    assert slopes(Known(), at, np.ones(2)).tolist() == [[2, 0], [0, 6]]
    assert slopes(lambda p: p**2, at, np.ones(2)) == pytest.approx(np.diag(2 * at), abs=1e-6)


def test_a_matrix_of_very_different_sizes_is_inverted() -> None:
    matrix = np.diag([1e-8, 1.0, 1e10])
    assert inverse(matrix) @ matrix == pytest.approx(np.eye(3), abs=1e-9)


def test_the_robust_deviation_is_that_of_the_many() -> None:
    values = np.concatenate([np.random.default_rng(2).normal(0, 0.1, 200), np.full(40, 9.0)])
    assert robust_deviation(values) == pytest.approx(0.1, rel=0.4)
    assert robust_deviation(np.array([])) == 0.0


def _line(outliers: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.linspace(-1, 1, 50)
    values = 2 + 3 * x + np.random.default_rng(4).normal(0, 0.05, 50)
    values[::4][:outliers] += 5.0
    return np.column_stack([np.ones(50), x]), values


def test_rows_off_the_common_line_are_left_out_and_only_they() -> None:
    design, values = _line(6)
    good = agreeing(design, values, np.ones(50, dtype=bool), least=10, floor=0.03)
    assert not good[::4][:6].any()
    assert good.sum() >= 42


def test_rows_that_were_never_candidates_stay_out_even_on_the_line() -> None:
    design, values = _line(0)
    base = np.arange(50) % 2 == 0
    assert not agreeing(design, values, base, least=5, floor=0.1)[~base].any()


def test_too_few_rows_are_handed_back_as_they_are() -> None:
    design, values = _line(0)
    base = np.arange(50) < 4
    assert agreeing(design, values, base, least=5, floor=0.001).tolist() == base.tolist()


def test_the_tabled_share_of_the_normal_distribution_is_scipys() -> None:
    places = np.linspace(-12, 12, 20_001)
    assert normal_share(places) == pytest.approx(ndtr(places), abs=1e-15)


def test_the_nearest_of_points_far_from_the_origin_is_told_to_a_hundredth() -> None:
    random = np.random.default_rng(4)
    points, among = random.uniform(4000, 4100, (60, 2)), random.uniform(4000, 4100, (300, 2))
    apart = np.linalg.norm(points[:, None] - among[None], axis=2)
    distance, index = nearest_of(points, among)
    assert distance == pytest.approx(apart.min(axis=1), abs=1e-3)
    assert apart[np.arange(60), index] == pytest.approx(apart.min(axis=1), abs=1e-2)


def test_a_model_of_weighted_values_follows_the_many_and_not_the_few() -> None:
    places = np.linspace(-1, 1, 41)
    values = 2 + 3 * places
    values[::8] += 5
    design = np.column_stack([np.ones(41), places])
    fit = reweighted(design, values, lambda left: 1 / np.maximum(1, np.abs(left) / 0.01) ** 2, 20)
    assert fit.factors == pytest.approx([2, 3], abs=1e-3)
    assert fit.weights[::8].max() < 1e-4
    assert np.abs(fit.left[::8] - 5).max() < 0.01


def test_several_columns_are_fitted_with_the_same_weights() -> None:
    design = np.column_stack([np.ones(9), np.arange(9.0)])
    values = design @ np.array([[1.0, -1.0], [0.5, 2.0]])
    fit = reweighted(design, values, lambda left: np.ones(len(left)), 1)
    assert fit.factors == pytest.approx(np.array([[1.0, -1.0], [0.5, 2.0]]))
