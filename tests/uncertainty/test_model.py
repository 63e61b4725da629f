"""What the propagation of uncertainty through a Python model promises."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.uncertainty.model import (
    InputEstimate,
    correlation,
    coverage_factor,
    propagate,
    truncated,
    welch_satterthwaite,
)

# A model in Python

MODELS: tuple[tuple[Callable[..., float], Callable[[float, float], tuple[float, float]]], ...] = (
    (lambda x, y: x * y, lambda x, y: (y, x)),
    (lambda x, y: x / y, lambda x, y: (1 / y, -x / y**2)),
    (lambda x, y: math.sin(x) * math.exp(y), lambda x, y: (math.cos(x) * math.exp(y), math.sin(x) * math.exp(y))),
    (lambda **v: math.hypot(*v.values()), lambda x, y: (x / math.hypot(x, y), y / math.hypot(x, y))),
    (lambda x, y: math.log(x) + math.sqrt(y), lambda x, y: (1 / x, 0.5 / math.sqrt(y))),
)


@pytest.mark.parametrize("place", range(len(MODELS)))
@pytest.mark.parametrize("share", [1e-6, 1e-4, 1e-2, 0.1])
def test_numerical_derivatives_agree_with_those_on_paper(place: int, share: float) -> None:
    numeric, analytic = MODELS[place]
    result = propagate(numeric, {"x": InputEstimate(1.3, 1.3 * share), "y": InputEstimate(2.1, 2.1 * share)})
    slope_x, slope_y = analytic(1.3, 2.1)
    assert result.contributions["x"] == pytest.approx(slope_x * 1.3 * share, rel=1e-8)
    assert result.contributions["y"] == pytest.approx(slope_y * 2.1 * share, rel=1e-8)


positive = st.floats(min_value=0.001, max_value=10)


@given(positive, positive, st.floats(min_value=-1, max_value=1))
def test_correlated_inputs_of_a_sum_follow_the_law(first: float, second: float, r: float) -> None:
    inputs = {"x": InputEstimate(1, first), "y": InputEstimate(2, second)}
    expected = math.sqrt(max(0.0, first**2 + second**2 + 2 * r * first * second))
    for pair in (("x", "y"), ("y", "x")):
        assert propagate(lambda x, y: x + y, inputs, {pair: r}).standard == pytest.approx(expected, abs=1e-6)


@given(positive)
def test_a_fully_correlated_difference_has_no_uncertainty(standard: float) -> None:
    inputs = {"x": InputEstimate(5, standard), "y": InputEstimate(3, standard)}
    assert propagate(lambda x, y: x - y, inputs, {("x", "y"): 1.0}).standard == pytest.approx(0, abs=1e-6)


def test_an_input_known_exactly_contributes_nothing() -> None:
    result = propagate(lambda x, k: k * x, {"x": InputEstimate(2, 0.1), "k": InputEstimate(3, 0)})
    assert dict(result.contributions) == {"x": pytest.approx(0.3)}


def test_a_model_of_exact_inputs_is_exact() -> None:
    result = propagate(lambda x: 2 * x, {"x": InputEstimate(2, 0)})
    assert (result.value, result.standard, result.dof) == (4, 0, math.inf)


def test_the_second_order_of_a_square_at_zero_is_that_of_chi_square() -> None:
    """First order sees a flat model and no uncertainty; the truth is √2 u²."""
    inputs = {"x": InputEstimate(0, 0.3)}
    assert propagate(lambda x: x * x, inputs).standard == pytest.approx(0, abs=1e-15)
    assert propagate(lambda x: x * x, inputs, second_order=True).standard == pytest.approx(
        math.sqrt(2) * 0.09, rel=1e-9
    )


def test_the_second_order_of_an_exponential_is_that_of_the_lognormal() -> None:
    u = 0.1
    variance = propagate(math_exp, {"x": InputEstimate(0, u)}, second_order=True).standard ** 2
    assert variance == pytest.approx(u**2 + 1.5 * u**4, rel=1e-5)
    assert variance == pytest.approx(math.exp(u**2) * math.expm1(u**2), rel=2e-4)


def math_exp(x: float) -> float:
    return math.exp(x)


@given(positive, positive)
def test_the_second_order_of_a_product_is_exact(u: float, v: float) -> None:
    inputs = {"x": InputEstimate(3, u), "y": InputEstimate(-2, v)}
    expected = math.sqrt((2 * u) ** 2 + (3 * v) ** 2 + (u * v) ** 2)
    assert propagate(lambda x, y: x * y, inputs, second_order=True).standard == pytest.approx(expected, rel=1e-7)


def test_the_second_order_is_refused_for_correlated_inputs() -> None:
    inputs = {"x": InputEstimate(1, 0.1), "y": InputEstimate(1, 0.1)}
    with pytest.raises(ValueError, match="uncorrelated"):
        propagate(lambda x, y: x * y, inputs, {("x", "y"): 0.5}, second_order=True)


# Degrees of freedom and coverage


def test_equal_parts_add_their_degrees_of_freedom() -> None:
    assert welch_satterthwaite([(1.0, 4.0), (1.0, 4.0)]) == pytest.approx(8)


@given(st.lists(st.tuples(positive, st.floats(min_value=1, max_value=200)), min_size=1, max_size=6))
def test_effective_degrees_of_freedom_lie_between_the_smallest_and_the_sum(parts: list[tuple[float, float]]) -> None:
    dof = welch_satterthwaite(parts)
    assert min(nu for _, nu in parts) * (1 - 1e-12) <= dof <= sum(nu for _, nu in parts) * (1 + 1e-12)


def test_tiny_variances_have_degrees_of_freedom_too() -> None:
    assert welch_satterthwaite([(1e-300, 4.0), (1e-300, 4.0)]) == pytest.approx(8)


def test_type_b_parts_have_infinitely_many() -> None:
    assert welch_satterthwaite([(1.0, math.inf)]) == math.inf
    assert welch_satterthwaite([]) == math.inf


def test_correlated_inputs_count_once_beside_an_independent_one() -> None:
    """x and y were read together five times; z is known otherwise, from nine readings."""
    inputs = {"x": InputEstimate(1, 0.3, 4), "y": InputEstimate(2, 0.4, 4), "z": InputEstimate(0, 0.5, 8)}
    result = propagate(lambda x, y, z: x + y + z, inputs, {("x", "y"): 0.5})
    family = 0.3**2 + 0.4**2 + 0.3 * 0.4
    assert result.dof == pytest.approx((family + 0.25) ** 2 / (family**2 / 4 + 0.25**2 / 8))


def test_inputs_correlated_in_a_chain_are_one_family() -> None:
    inputs = {name: InputEstimate(1, 0.1, 6) for name in "abcd"}
    chain = {("a", "b"): 0.2, ("c", "d"): 0.2, ("b", "c"): 0.2}
    assert propagate(lambda a, b, c, d: a + b + c + d, inputs, chain).dof == pytest.approx(6)


def test_degrees_of_freedom_are_never_rounded_up() -> None:
    assert (truncated(16.99), truncated(16.0), truncated(math.inf)) == (16.0, 16.0, math.inf)
    assert coverage_factor(16.99, 0.99) == coverage_factor(16, 0.99)


@given(st.floats(min_value=1, max_value=1e6), st.floats(min_value=0.5, max_value=0.999))
def test_fewer_degrees_of_freedom_need_a_larger_coverage_factor(dof: float, level: float) -> None:
    assert coverage_factor(dof, level) >= coverage_factor(dof + 1, level) - 1e-9
    assert coverage_factor(dof, level) > NormalDist().inv_cdf((1 + level) / 2) - 1e-9


@pytest.mark.parametrize(("dof", "level"), [(0.9, 0.95), (math.nan, 0.95), (4, 0), (4, 1), (4, math.nan)])
def test_an_impossible_coverage_is_refused(dof: float, level: float) -> None:
    with pytest.raises(ValueError, match=r"degree of freedom|level of confidence"):
        coverage_factor(dof, level)


# Correlated results


def test_two_results_that_share_an_input_are_correlated() -> None:
    inputs = {"x": InputEstimate(1, 0.3), "y": InputEstimate(2, 0.4)}
    total, difference = (propagate(model, inputs) for model in (lambda x, y: x + y, lambda x, y: x - y))
    assert correlation(total, total) == pytest.approx(1)
    assert correlation(total, difference) == pytest.approx((0.09 - 0.16) / 0.25)


def test_results_of_other_inputs_are_not_correlated_by_guess() -> None:
    left, right = (propagate(lambda **v: sum(v.values()), {name: InputEstimate(1, 0.1)}) for name in "xy")
    with pytest.raises(ValueError, match="same inputs"):
        correlation(left, right)


def test_a_result_without_uncertainty_has_no_correlation() -> None:
    exact = propagate(lambda x: 0 * x, {"x": InputEstimate(1, 0.1)})
    with pytest.raises(ValueError, match="without uncertainty"):
        correlation(exact, exact)


# Impossible input


@pytest.mark.parametrize(
    ("value", "standard", "dof"),
    [(math.nan, 1, 1), (math.inf, 1, 1), (1, -1, 1), (1, math.inf, 1), (1, math.nan, 1), (1, 1, 0), (1, 1, math.nan)],
)
def test_an_impossible_estimate_is_refused(value: float, standard: float, dof: float) -> None:
    with pytest.raises(ValueError, match=r"estimate|degrees of freedom"):
        InputEstimate(value, standard, dof)


@pytest.mark.parametrize(
    ("correlations", "why"),
    [
        ({("x", "z"): 0.5}, "not two inputs"),
        ({("x", "x"): 1.0}, "not two inputs"),
        ({("x", "y"): 1.1}, "between -1 and 1"),
        ({("x", "y"): math.nan}, "between -1 and 1"),
        ({("x", "y"): 0.5, ("y", "x"): 0.4}, "two correlation"),
    ],
)
def test_impossible_correlations_are_refused(correlations: dict[tuple[str, str], float], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        propagate(lambda x, y: x + y, {"x": InputEstimate(1, 0.1), "y": InputEstimate(1, 0.1)}, correlations)


def test_a_model_without_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="no derivative by x"):
        propagate(lambda x: math.nan * x, {"x": InputEstimate(1, 0.1)})
