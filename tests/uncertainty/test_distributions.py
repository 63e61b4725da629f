"""What Type B evaluations promise."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import arcsine as arcsine_law
from scipy.stats import triang, uniform

from inspect_kit.uncertainty.readings import (
    arcsine,
    dof_from_reliability,
    from_expanded,
    from_resolution,
    rectangular,
    triangular,
)
from inspect_kit.values.measurement import Component

Shape = Callable[[Decimal], Decimal]
SHAPES: tuple[Shape, ...] = (rectangular, triangular, arcsine)
widths = st.decimals(min_value=0, max_value=1000, places=6)


@pytest.mark.parametrize(
    ("shape", "deviation"),
    [
        (rectangular, uniform(-0.05, 0.1).std()),
        (triangular, triang(0.5, -0.05, 0.1).std()),
        (arcsine, arcsine_law(-0.05, 0.1).std()),
    ],
    ids=["rectangular", "triangular", "arcsine"],
)
def test_a_half_width_gives_the_standard_deviation_of_its_distribution(shape: Shape, deviation: float) -> None:
    assert float(shape(Decimal("0.05"))) == pytest.approx(deviation, rel=1e-14)


@given(widths)
def test_the_ends_weigh_more_the_more_often_they_occur(half_width: Decimal) -> None:
    assert triangular(half_width) <= rectangular(half_width) <= arcsine(half_width) <= half_width


@given(widths)
def test_half_widths_give_uncertainties_exact_to_many_digits(half_width: Decimal) -> None:
    for shape, divisor in zip(SHAPES, (3, 6, 2), strict=True):
        assert abs(shape(half_width) ** 2 * divisor - half_width**2) <= Decimal("1e-20") * (1 + half_width**2)


@given(widths)
def test_a_display_step_is_a_rectangle_of_half_the_step(step: Decimal) -> None:
    assert from_resolution(step) == rectangular(step / 2)


def test_a_caliper_of_a_hundredth_has_an_uncertainty_of_three_micrometres() -> None:
    assert float(from_resolution(Decimal("0.01"))) == pytest.approx(0.01 / math.sqrt(12), rel=1e-15)


@given(widths, st.decimals(min_value=Decimal("0.1"), max_value=5, places=2))
def test_an_expanded_uncertainty_is_divided_by_its_coverage_factor(expanded: Decimal, coverage: Decimal) -> None:
    assert abs(from_expanded(expanded, coverage) * coverage - expanded) < Decimal("1e-20")


def test_a_certificate_without_a_coverage_factor_means_two() -> None:
    assert from_expanded(Decimal("0.030")) == Decimal("0.015")


@pytest.mark.parametrize(("relative", "dof"), [("0.5", "2"), ("0.25", "8"), ("0.10", "50"), ("0.01", "5000")])
def test_reliability_gives_the_degrees_of_freedom_of_gum_g42(relative: str, dof: str) -> None:
    assert dof_from_reliability(Decimal(relative)) == Decimal(dof)


def test_an_uncertainty_known_exactly_has_infinitely_many_degrees_of_freedom() -> None:
    dof = dof_from_reliability(Decimal(0))
    assert dof is None
    assert Component("resolution", from_resolution(Decimal("0.01")), dof).dof is None


@pytest.mark.parametrize("evaluate", [*SHAPES, from_expanded, from_resolution, dof_from_reliability])
@pytest.mark.parametrize("width", ["-0.01", "NaN", "Infinity"])
def test_an_impossible_width_is_refused(evaluate: Shape, width: str) -> None:
    with pytest.raises(ValueError, match="not negative"):
        evaluate(Decimal(width))


@pytest.mark.parametrize("coverage", ["0", "-2", "NaN", "Infinity"])
def test_an_impossible_coverage_factor_is_refused(coverage: str) -> None:
    with pytest.raises(ValueError, match="coverage factor"):
        from_expanded(Decimal("0.03"), Decimal(coverage))
