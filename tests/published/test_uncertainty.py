"""The examples of the GUM's annex H, to the digits that it prints and to all digits that others computed."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from GTC import cos, get_correlation, sin, type_a, type_b, ureal

from inspect_kit.uncertainty.model import (
    Correlations,
    InputEstimate,
    PropagationResult,
    correlation,
    coverage_factor,
    propagate,
    truncated,
)
from inspect_kit.uncertainty.readings import (
    FittedLine,
    Repeated,
    arcsine,
    correlation_of_means,
    dof_from_reliability,
    fit_line,
    rectangular,
    repeated,
)

Published = Callable[[str], Any]


# H.1: calibration of an end gauge


def end_gauge(**x: float) -> float:
    expansion = x["delta_alpha"] * (x["theta_bar"] + x["Delta"]) + x["alpha_s"] * x["delta_theta"]
    return x["l_s"] + x["d0"] + x["d1"] + x["d2"] - x["l_s"] * expansion


def as_estimate(given: list[Any] | dict[str, Any]) -> InputEstimate:
    if isinstance(given, dict):
        shapes = {"rectangular": rectangular, "arcsine": arcsine}
        given = [given["value"], shapes[given["dist"]](given["half_width"]), given.get("dof")]
    value, standard, dof = given
    return InputEstimate(float(value), float(standard), math.inf if dof is None else float(dof))


def gauge_inputs(published: Published) -> dict[str, InputEstimate]:
    given = published("GUM-H1").inputs
    return {name: as_estimate(value) for name, value in given.items() if name not in {"unit", "model", "p"}}


@pytest.fixture
def gauge(published: Published) -> PropagationResult:
    return propagate(end_gauge, gauge_inputs(published))


def test_the_end_gauge_has_the_published_length_and_uncertainty(published: Published, gauge: PropagationResult) -> None:
    vector = published("GUM-H1")
    assert vector.agrees("l", gauge.value)
    assert vector.agrees("u_c_published_rounded", gauge.standard)


def test_the_end_gauge_has_the_published_uncertainty_to_all_digits(
    published: Published, gauge: PropagationResult
) -> None:
    assert published("GUM-H1").agrees("u_c_full", gauge.standard)


def test_the_end_gauge_has_the_published_degrees_of_freedom(published: Published, gauge: PropagationResult) -> None:
    vector = published("GUM-H1")
    assert vector.agrees("nu_eff_full", gauge.dof)
    assert vector.agrees("nu_eff_published_truncated", truncated(gauge.dof))


def test_the_end_gauge_has_the_published_expanded_uncertainty(published: Published, gauge: PropagationResult) -> None:
    vector = published("GUM-H1")
    assert vector.agrees("U99_published", gauge.expanded(float(vector.inputs["p"])))
    assert published("GUM-H1-table").agrees("k99", coverage_factor(gauge.dof, 0.99))


def test_the_end_gauge_has_the_published_contributions(published: Published, gauge: PropagationResult) -> None:
    vector, parts = published("GUM-H1-table"), gauge.contributions
    assert vector.agrees("contribution_l_s", abs(parts["l_s"]))
    assert vector.agrees("contribution_d", math.hypot(parts["d0"], parts["d1"], parts["d2"]))
    assert vector.agrees("contribution_delta_alpha", abs(parts["delta_alpha"]))
    assert vector.agrees("contribution_delta_theta", abs(parts["delta_theta"]))


def test_the_temperature_and_the_expansion_contribute_nothing_in_first_order(gauge: PropagationResult) -> None:
    for name in ("alpha_s", "theta_bar", "Delta"):
        assert gauge.contributions[name] == pytest.approx(0, abs=1e-6)


def test_the_second_order_raises_the_end_gauge_from_32_to_34_nanometres(published: Published) -> None:
    second = propagate(end_gauge, gauge_inputs(published), second_order=True)
    assert published("GUM-H1").agrees("u_c_second_order_published", second.standard)


def test_the_second_order_of_the_end_gauge_is_that_of_its_two_products(
    published: Published, gauge: PropagationResult
) -> None:
    """l_s u(δα) u(θ) = 11.7 nm and l_s u(α_s) u(δθ) = 1.7 nm, as in GUM H.1.7; those with u(l_s) are below 1e-4."""
    given = gauge_inputs(published)
    length, theta = given["l_s"].value, math.hypot(given["theta_bar"].standard, given["Delta"].standard)
    terms = (
        length * given["delta_alpha"].standard * theta,
        length * given["alpha_s"].standard * given["delta_theta"].standard,
    )
    assert terms == pytest.approx((11.7, 1.7), abs=0.1)
    second = propagate(end_gauge, gauge_inputs(published), second_order=True)
    assert second.standard == pytest.approx(math.hypot(gauge.standard, *terms), rel=1e-7)


def test_gtc_agrees_on_the_end_gauge(published: Published, gauge: PropagationResult) -> None:
    inputs = {name: ureal(e.value, e.standard, e.dof) for name, e in gauge_inputs(published).items()}
    other: Any = end_gauge(**inputs)
    assert gauge.value == pytest.approx(other.x, rel=1e-15)
    assert gauge.standard == pytest.approx(other.u, rel=1e-9)
    assert gauge.dof == pytest.approx(other.df, rel=1e-9)


# H.2: resistance and reactance from readings taken together

MODELS: dict[str, Callable[..., float]] = {
    "R": lambda **x: x["V"] / x["I"] * math.cos(x["phi"]),
    "X": lambda **x: x["V"] / x["I"] * math.sin(x["phi"]),
    "Z": lambda **x: x["V"] / x["I"],
}
NAMES = ("V", "I", "phi")


def together(published: Published) -> tuple[dict[str, Repeated], Correlations]:
    readings = published("GUM-H2").inputs
    pairs = (("V", "I"), ("V", "phi"), ("I", "phi"))
    coefficients = {(a, b): float(correlation_of_means(readings[a], readings[b])) for a, b in pairs}
    return {name: repeated(readings[name]) for name in NAMES}, coefficients


@pytest.fixture
def impedance(published: Published) -> dict[str, PropagationResult]:
    means, coefficients = together(published)
    inputs = {name: InputEstimate(float(m.mean), float(m.standard), float(m.dof)) for name, m in means.items()}
    return {name: propagate(model, inputs, coefficients) for name, model in MODELS.items()}


@pytest.mark.parametrize("name", NAMES)
def test_the_readings_have_the_published_means_and_uncertainties(published: Published, name: str) -> None:
    vector, (means, _) = published("GUM-H2-inputs"), together(published)
    assert vector.agrees(name, means[name].mean)
    assert vector.agrees(f"u_{name}", means[name].standard)


def test_the_readings_have_the_published_correlations(published: Published) -> None:
    vector, (_, coefficients) = published("GUM-H2-inputs"), together(published)
    for (left, right), coefficient in coefficients.items():
        assert vector.agrees(f"r_{left}{right}", coefficient)


@pytest.mark.parametrize("name", MODELS)
def test_the_impedance_has_the_published_values_and_uncertainties(
    published: Published, impedance: dict[str, PropagationResult], name: str
) -> None:
    vector, got = published("GUM-H2"), impedance[name]
    assert vector.agrees(name, got.value)
    assert vector.agrees(f"u_{name}", got.standard)
    assert vector.agrees(f"u_{name}_full", got.standard)


@pytest.mark.parametrize("pair", ["RX", "RZ", "XZ"])
def test_the_impedance_has_the_published_correlations(
    published: Published, impedance: dict[str, PropagationResult], pair: str
) -> None:
    assert published("GUM-H2").agrees(f"r_{pair}", correlation(impedance[pair[0]], impedance[pair[1]]))


@pytest.mark.parametrize("name", MODELS)
def test_results_of_readings_taken_together_have_the_degrees_of_freedom_of_one_series(
    impedance: dict[str, PropagationResult], name: str
) -> None:
    assert impedance[name].dof == pytest.approx(4, rel=1e-12)


def test_gtc_agrees_on_the_impedance(published: Published, impedance: dict[str, PropagationResult]) -> None:
    readings = published("GUM-H2").inputs
    voltage, current, phase = type_a.multi_estimate_real([[float(x) for x in readings[name]] for name in NAMES])
    other = {"R": voltage / current * cos(phase), "X": voltage / current * sin(phase), "Z": voltage / current}
    for name, got in impedance.items():
        assert got.value == pytest.approx(other[name].x, rel=1e-12)
        assert got.standard == pytest.approx(other[name].u, rel=1e-9)
        assert got.dof == pytest.approx(other[name].df, rel=1e-9)
    assert correlation(impedance["R"], impedance["X"]) == pytest.approx(
        get_correlation(other["R"], other["X"]), rel=1e-8
    )


def test_the_impedance_comes_out_alike_from_the_rounded_table(published: Published) -> None:
    """GUM table H.2 carries two digits of each uncertainty: the result agrees to those."""
    table = published("GUM-H2-inputs").expected
    inputs = {name: InputEstimate(float(table[name]), float(table[f"u_{name}"]), 4) for name in NAMES}
    coefficients = {("V", "I"): -0.36, ("V", "phi"): 0.86, ("I", "phi"): -0.65}
    assert propagate(MODELS["Z"], inputs, coefficients).standard == pytest.approx(0.236, abs=0.0015)


# H.3: a thermometer's calibration line


@pytest.fixture
def thermometer(published: Published) -> FittedLine:
    given = published("GUM-H3").inputs
    return fit_line(given["t"], given["b"], given["t0"])


def test_the_thermometer_has_the_published_line(published: Published, thermometer: FittedLine) -> None:
    vector = published("GUM-H3")
    assert vector.agrees("y1", thermometer.intercept)
    assert vector.agrees("u_y1", thermometer.standard_intercept)
    assert vector.agrees("y2", thermometer.slope)
    assert vector.agrees("u_y2", thermometer.standard_slope)
    assert thermometer.correlation is not None
    assert vector.agrees("r", thermometer.correlation)
    assert vector.agrees("dof", thermometer.dof)


def test_the_thermometer_has_the_published_correction_at_30_degrees(
    published: Published, thermometer: FittedLine
) -> None:
    vector = published("GUM-H3")
    predicted = thermometer.at(vector.inputs["predict_at"])
    assert vector.agrees("b30", predicted.value)
    assert vector.agrees("u_b30", predicted.standard)
    assert vector.agrees("dof", predicted.dof)


def test_gtc_agrees_on_the_thermometer(published: Published, thermometer: FittedLine) -> None:
    given = published("GUM-H3").inputs
    other = type_a.line_fit([float(t - given["t0"]) for t in given["t"]], [float(b) for b in given["b"]])
    intercept, slope = other.a_b
    predicted, correction = thermometer.at(given["predict_at"]), intercept + 10 * slope
    assert float(thermometer.intercept) == pytest.approx(intercept.x, rel=1e-12)
    assert float(thermometer.slope) == pytest.approx(slope.x, rel=1e-10)
    assert float(thermometer.correlation or 0) == pytest.approx(get_correlation(intercept, slope), rel=1e-10)
    assert float(predicted.standard) == pytest.approx(correction.u, rel=1e-10)
    assert float(predicted.dof) == pytest.approx(correction.df, rel=1e-10)


# G.4: degrees of freedom and t


def test_an_uncertainty_reliable_to_a_quarter_has_eight_degrees_of_freedom(published: Published) -> None:
    vector = published("GUM-G4")
    dof = dof_from_reliability(vector.inputs["relative_reliability"])
    assert dof is not None
    assert vector.agrees("dof", dof)


def test_coverage_factors_are_those_of_table_g2(published: Published) -> None:
    vector = published("GUM-G4")
    for dof, row in zip(vector.inputs["dof"], vector.expected["t"], strict=True):
        for level, expected in zip(vector.inputs["level"], row, strict=True):
            got = coverage_factor(math.inf if dof is None else float(dof), float(level))
            assert vector.close(expected, got), (dof, level, got)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(rectangular, type_b.uniform), (arcsine, type_b.arcsine)], ids=["rectangular", "arcsine"]
)
def test_gtc_agrees_on_half_widths(ours: Callable[[Decimal], Decimal], theirs: Callable[[float], float]) -> None:
    assert float(ours(Decimal("0.05"))) == pytest.approx(theirs(0.05), rel=1e-14)
