"""What risks and guard bands promise, for any production, measurement and rule."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import owens_t
from scipy.stats import norm

from inspect_kit.judgement.risk import (
    Assumptions,
    GlobalRisk,
    dobbert_factor,
    global_risk,
    narrowed,
    ratio_for_worst_case,
    rss_factor,
    specific_consumer_risk,
    specific_producer_risk,
    worst_case_risk,
)
from inspect_kit.values.limits import AtLeast, AtMost, Between, Limits

values = st.decimals(min_value=-20, max_value=20, places=2)
spreads = st.decimals(min_value=Decimal("0.05"), max_value=10, places=2)
noises = st.decimals(min_value=0, max_value=10, places=2)


@st.composite
def two_sided(draw: st.DrawFn) -> Between:
    return Between(*sorted((draw(values), draw(values))))


limits_of_any_kind = st.builds(AtLeast, values) | st.builds(AtMost, values) | two_sided()
any_assumptions = st.builds(Assumptions, values, spreads, noises, limits_of_any_kind, limits_of_any_kind)


def coins(limits: Limits, acceptance: Limits, standard: str = "0.1") -> Assumptions:
    return Assumptions(Decimal("8.1"), Decimal("0.2"), Decimal(standard), limits, acceptance)


# Specific risks


@given(values, noises, limits_of_any_kind)
def test_the_specific_risks_add_up_to_one(value: Decimal, standard: Decimal, limits: Limits) -> None:
    consumer = specific_consumer_risk(value, standard, limits)
    assert consumer + specific_producer_risk(value, standard, limits) == pytest.approx(1, abs=1e-12)


def test_a_tiny_consumer_risk_keeps_its_digits() -> None:
    risk = specific_consumer_risk(Decimal(0), Decimal(1), AtMost(Decimal(12)))
    assert risk == pytest.approx(norm.sf(12), rel=1e-13)


def test_few_degrees_of_freedom_raise_the_consumers_risk() -> None:
    measured = (Decimal("8.1"), Decimal("0.1"), AtMost(Decimal("8.4")))
    assert specific_consumer_risk(*measured, Decimal(5)) > specific_consumer_risk(*measured)


# Guard bands


def test_a_guard_band_narrows_from_both_sides() -> None:
    assert narrowed(Between(Decimal("7.9"), Decimal("8.5")), Decimal("0.10")) == Between(Decimal("8.0"), Decimal("8.4"))


@pytest.mark.parametrize(
    ("limits", "expected"),
    [(AtMost(Decimal(15)), AtMost(Decimal("14.98"))), (AtLeast(Decimal(15)), AtLeast(Decimal("15.02")))],
)
def test_a_guard_band_of_a_one_sided_limit_leaves_the_other_side_open(limits: Limits, expected: Limits) -> None:
    assert narrowed(limits, Decimal("0.02")) == expected


def test_a_negative_guard_band_relaxes() -> None:
    assert narrowed(AtMost(Decimal(15)), Decimal("-0.02")) == AtMost(Decimal("15.02"))


def test_a_guard_band_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="above the upper limit"):
        narrowed(Between(Decimal(7), Decimal(8)), Decimal("0.6"))


@given(st.floats(min_value=1e-9, max_value=0.999), st.floats(min_value=0.5, max_value=4))
def test_the_guard_band_for_a_risk_gives_that_risk(risk: float, coverage: float) -> None:
    assert worst_case_risk(ratio_for_worst_case(risk, coverage), coverage) == pytest.approx(risk, rel=1e-9)


def test_five_percent_needs_a_guard_band_of_082_expanded_uncertainties() -> None:
    assert ratio_for_worst_case(0.05) == pytest.approx(0.8224268, abs=1e-7)


@pytest.mark.parametrize(("ratio", "coverage"), [(math.nan, 2), (math.inf, 2), (1, 0), (1, -2), (1, math.inf)])
def test_an_impossible_guard_band_is_refused(ratio: float, coverage: float) -> None:
    with pytest.raises(ValueError, match="coverage factor"):
        worst_case_risk(ratio, coverage)


@pytest.mark.parametrize(("risk", "coverage"), [(0, 2), (1, 2), (-0.1, 2), (math.nan, 2), (0.05, 0)])
def test_an_impossible_risk_is_refused(risk: float, coverage: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        ratio_for_worst_case(risk, coverage)


@pytest.mark.parametrize(("ratio", "expected"), [(1.5, 0.75988), (2, 0.85918), (4, 0.98672)])
def test_dobberts_factor_is_that_of_its_formula(ratio: float, expected: float) -> None:
    written_out = 1 - (1.04 - ratio**0.38 * math.exp(-0.54)) / ratio
    assert dobbert_factor(ratio) == pytest.approx(written_out, rel=1e-12)
    assert dobbert_factor(ratio) == pytest.approx(expected, abs=6e-6)


@pytest.mark.parametrize(("ratio", "expected"), [(1, 0.0), (2, 0.8660254), (4, 0.9682458)])
def test_the_rss_factor_is_that_of_its_formula(ratio: float, expected: float) -> None:
    assert rss_factor(ratio) == pytest.approx(expected, abs=1e-7)


@given(st.floats(min_value=1, max_value=1000))
def test_no_guard_band_factor_accepts_beyond_the_tolerance(ratio: float) -> None:
    assert 0 <= dobbert_factor(ratio) <= 1
    assert 0 <= rss_factor(ratio) <= 1


@given(st.floats(min_value=1, max_value=50), st.floats(min_value=1, max_value=50))
def test_a_better_measurement_needs_a_smaller_guard_band(one: float, other: float) -> None:
    worse, better = sorted((one, other))
    assert dobbert_factor(worse) <= dobbert_factor(better) + 1e-12
    assert rss_factor(worse) <= rss_factor(better) + 1e-12


@pytest.mark.parametrize("factor", [dobbert_factor, rss_factor])
@pytest.mark.parametrize("ratio", [0, -1, math.nan, math.inf])
def test_an_impossible_ratio_is_refused(factor: object, ratio: float) -> None:
    assert callable(factor)
    with pytest.raises(ValueError, match="is positive"):
        factor(ratio)


@pytest.mark.parametrize("factor", [dobbert_factor, rss_factor])
def test_a_measurement_too_poor_to_accept_anything_is_refused(factor: object) -> None:
    assert callable(factor)
    with pytest.raises(ValueError, match="leaves nothing"):
        factor(0.5)


# Global risks


@given(any_assumptions)
@settings(max_examples=60, deadline=None)
def test_global_risks_are_probabilities(assumptions: Assumptions) -> None:
    risk = global_risk(assumptions)
    for number in (risk.consumer, risk.producer, risk.accepted, risk.conforming):
        assert 0 <= number <= 1
    assert risk.conditional_consumer is None or 0 <= risk.conditional_consumer <= 1


@given(any_assumptions)
@settings(max_examples=60, deadline=None)
def test_what_is_accepted_is_what_conforms_less_the_false_rejects_plus_the_false_accepts(
    assumptions: Assumptions,
) -> None:
    """Two integrals on one side, two closed forms on the other."""
    risk = global_risk(assumptions)
    assert risk.accepted == pytest.approx(risk.conforming - risk.producer + risk.consumer, abs=1e-13)


@given(values, spreads, st.decimals(min_value=Decimal("0.01"), max_value=10, places=2), values, values)
@settings(max_examples=60, deadline=None)
def test_one_sided_risks_agree_with_owens_closed_form(
    mean: Decimal, spread: Decimal, noise: Decimal, limit: Decimal, accept: Decimal
) -> None:
    risk = global_risk(Assumptions(mean, spread, noise, AtMost(limit), AtMost(accept)))
    total = math.hypot(float(spread), float(noise))
    both = bivariate(float((limit - mean) / spread), float(accept - mean) / total, float(spread) / total)
    assert risk.producer == pytest.approx(risk.conforming - both, abs=1e-12)
    assert risk.consumer == pytest.approx(risk.accepted - both, abs=1e-12)


def bivariate(h: float, k: float, rho: float) -> float:
    """P(X < h, Y < k) of two standard normal variables, by Owen's T (1956)."""
    root = math.sqrt((1 - rho) * (1 + rho))

    def part(a: float, b: float) -> float:
        return float(owens_t(a, (b - rho * a) / (a * root))) if a else math.copysign(0.25, b)

    if h == k == 0:
        return 0.25 + math.asin(rho) / (2 * math.pi)
    correction = 0.5 if h * k < 0 or (h * k == 0 and h + k < 0) else 0.0
    return float(norm.cdf(h) + norm.cdf(k)) / 2 - part(h, k) - part(k, h) - correction


@pytest.mark.parametrize("far", ["-1e6", "-1e9", "-1e30"])
def test_a_far_limit_gives_the_risk_of_no_limit(far: str) -> None:
    """The trap in which other software prints a probability of 3.8, or of 0."""
    one_sided = global_risk(coins(AtMost(Decimal("8.5")), AtMost(Decimal("8.3"))))
    two_sided = global_risk(
        coins(Between(Decimal(far), Decimal("8.5")), Between(Decimal(far), Decimal("8.3"))),
    )
    assert one_sided.producer > 0.05
    assert two_sided.producer == pytest.approx(one_sided.producer, rel=1e-12)
    assert two_sided.consumer == pytest.approx(one_sided.consumer, rel=1e-12)


def test_no_lower_limit_is_not_a_lower_limit_of_zero() -> None:
    """Readings of a small run-out fall below zero by chance: a limit of zero rejects them, no limit does not."""
    run_out = Assumptions(
        Decimal("0.3"), Decimal("0.1"), Decimal("0.15"), AtMost(Decimal("0.8")), AtMost(Decimal("0.7"))
    )
    open_below = global_risk(run_out)
    closed = global_risk(replace(run_out, acceptance=Between(Decimal(0), Decimal("0.7"))))
    assert closed.producer > 3 * open_below.producer


@given(values, spreads, noises, values, values)
@settings(max_examples=40, deadline=None)
def test_at_least_is_at_most_in_the_mirror(
    mean: Decimal, spread: Decimal, noise: Decimal, limit: Decimal, accept: Decimal
) -> None:
    above = global_risk(Assumptions(mean, spread, noise, AtLeast(limit), AtLeast(accept)))
    below = global_risk(Assumptions(-mean, spread, noise, AtMost(-limit), AtMost(-accept)))
    assert above.consumer == pytest.approx(below.consumer, abs=1e-14)
    assert above.producer == pytest.approx(below.producer, abs=1e-14)


@pytest.mark.parametrize("standard", ["0.1", "0.01", "0.001", "0.00001", "1", "30"])
def test_two_sided_risks_agree_with_adaptive_quadrature(standard: str) -> None:
    limits, acceptance = Between(Decimal("7.8"), Decimal("8.5")), Between(Decimal("7.85"), Decimal("8.45"))
    risk = global_risk(coins(limits, acceptance, standard))
    u = float(standard)

    def rejected(x: float) -> float:
        accepted = norm.cdf((8.45 - x) / u) - norm.cdf((7.85 - x) / u)
        return float(norm.pdf(x, 8.1, 0.2) * (1 - accepted))

    steps = [edge + sign * 8 * u for edge in (7.85, 8.45) for sign in (-1, 1)]
    points = [7.85, 8.45, *(step for step in steps if 7.8 < step < 8.5)]
    expected, _ = quad(rejected, 7.8, 8.5, points=points, epsabs=1e-13, limit=500)
    assert risk.producer == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("standard", ["1e-300", "1e-12", "1e3", "1e12", "1e300"])
@pytest.mark.parametrize("mean", ["0", "50", "-50", "1e6"])
@pytest.mark.parametrize("limits", [AtMost(Decimal(1)), AtLeast(Decimal(1)), Between(Decimal(-1), Decimal("1e300"))])
def test_extreme_assumptions_give_probabilities_that_add_up(standard: str, mean: str, limits: Limits) -> None:
    risk = global_risk(Assumptions(Decimal(mean), Decimal(1), Decimal(standard), limits, limits))
    assert 0 <= risk.consumer <= 1
    assert 0 <= risk.producer <= 1
    assert risk.accepted == pytest.approx(risk.conforming - risk.producer + risk.consumer, abs=1e-12)


def test_a_perfect_measurement_runs_no_risk() -> None:
    limits = Between(Decimal("7.9"), Decimal("8.5"))
    risk = global_risk(coins(limits, limits, "0"))
    assert (risk.consumer, risk.producer) == (0.0, 0.0)
    assert risk.accepted == pytest.approx(risk.conforming, rel=1e-15)


def test_a_perfect_measurement_behind_a_guard_band_rejects_just_the_band() -> None:
    risk = global_risk(coins(AtMost(Decimal("8.5")), AtMost(Decimal("8.3")), "0"))
    assert risk.consumer == 0.0
    assert risk.producer == pytest.approx(norm.cdf(2) - norm.cdf(1), rel=1e-13)


def test_a_guard_band_moves_the_risk_from_the_consumer_to_the_producer() -> None:
    limits = Between(Decimal("7.9"), Decimal("8.5"))
    simple, guarded = (global_risk(coins(limits, narrowed(limits, Decimal(w)))) for w in ("0", "0.2"))
    assert guarded.consumer < simple.consumer / 10
    assert guarded.producer > simple.producer


def test_a_small_risk_keeps_its_digits() -> None:
    """Subtracting two probabilities near one would leave nothing of it."""
    risk = global_risk(coins(AtMost(Decimal("10.1")), AtMost(Decimal("8.1")), "0.1"))
    expected, _ = quad(lambda z: norm.pdf(z) * norm.sf(z * 2), 10, 14, epsabs=0, epsrel=1e-11)
    assert risk.consumer == pytest.approx(expected, rel=1e-9)
    assert 0 < risk.consumer < 1e-100


def test_the_conditional_risk_is_the_share_of_bad_pieces_among_the_accepted() -> None:
    limits = Between(Decimal("7.9"), Decimal("8.5"))
    risk = global_risk(coins(limits, limits))
    assert risk.conditional_consumer == pytest.approx(risk.consumer / risk.accepted, rel=1e-15)


def test_where_nothing_is_accepted_there_is_no_conditional_risk() -> None:
    only = Between(Decimal("8.1"), Decimal("8.1"))
    assert global_risk(coins(AtMost(Decimal(9)), only)).conditional_consumer is None


def test_a_risk_keeps_its_assumptions_and_prints_them() -> None:
    assumptions = coins(AtMost(Decimal("8.50")), Between(Decimal("7.9"), Decimal("8.3")))
    risk = global_risk(assumptions)
    assert risk.assumptions is assumptions
    assert str(risk.assumptions) == (
        "production normal, mean 8.1, standard deviation 0.2; measurement normal, u = 0.1; "
        "conforming up to 8.50; accepted from 7.9 to 8.3"
    )
    assert "from 7.9" in str(coins(AtLeast(Decimal("7.9")), AtLeast(Decimal("7.9"))))


def test_a_risk_cannot_be_edited() -> None:
    risk = global_risk(coins(AtMost(Decimal("8.5")), AtMost(Decimal("8.3"))))
    assert isinstance(risk, GlobalRisk)
    with pytest.raises(FrozenInstanceError):
        risk.consumer = 0.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"prior_standard": Decimal(0)}, "standard deviation is positive"),
        ({"prior_standard": Decimal(-1)}, "standard deviation is positive"),
        ({"standard": Decimal("-0.1")}, "not negative"),
        ({"standard": Decimal("1e400")}, "too large"),
        ({"prior_mean": Decimal("NaN")}, "finite"),
        ({"standard": Decimal("Infinity")}, "finite"),
        ({"limits": AtMost(Decimal("Infinity"))}, "AtLeast or AtMost"),
        ({"acceptance": AtLeast(Decimal("-Infinity"))}, "AtLeast or AtMost"),
    ],
)
def test_impossible_assumptions_are_refused(change: dict[str, Decimal | Limits], why: str) -> None:
    assumptions = coins(AtMost(Decimal("8.5")), AtMost(Decimal("8.3")))
    with pytest.raises(ValueError, match=why):
        replace(assumptions, **change)  # type: ignore[arg-type]
