"""What a conformance probability promises, for any value, uncertainty and limits."""

from __future__ import annotations

import math
import subprocess
import sys
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from inspect_kit.judgement.risk import (
    conformance_probability,
    inside,
    nonconformance_probability,
    normal_tail,
    student_tail,
)
from inspect_kit.values.limits import AtLeast, AtMost, Between, Limits

values = st.decimals(min_value=-1000, max_value=1000, places=4)
standards = st.decimals(min_value=Decimal("0.0001"), max_value=100, places=4)
anything_standard = st.decimals(min_value=0, max_value=100, places=4)
dofs = st.none() | st.decimals(min_value=1, max_value=200, places=1)
ROUNDING = 1e-12


@st.composite
def two_sided(draw: st.DrawFn) -> Between:
    return Between(*sorted((draw(values), draw(values))))


limits_of_any_kind = st.builds(AtLeast, values) | st.builds(AtMost, values) | two_sided()


@given(values, anything_standard, limits_of_any_kind, dofs)
def test_it_is_a_probability(value: Decimal, standard: Decimal, limits: Limits, dof: Decimal | None) -> None:
    assert 0 <= conformance_probability(value, standard, limits, dof) <= 1
    assert 0 <= nonconformance_probability(value, standard, limits, dof) <= 1


@given(values, anything_standard, limits_of_any_kind, dofs)
def test_conforming_and_not_conforming_are_complementary(
    value: Decimal, standard: Decimal, limits: Limits, dof: Decimal | None
) -> None:
    conforming = conformance_probability(value, standard, limits, dof)
    assert conforming + nonconformance_probability(value, standard, limits, dof) == pytest.approx(1, abs=ROUNDING)


@given(values, values, standards, values, dofs)
def test_a_larger_value_is_less_likely_to_stay_below_an_upper_limit(
    one: Decimal, other: Decimal, standard: Decimal, limit: Decimal, dof: Decimal | None
) -> None:
    small, large = sorted((one, other))
    limits = AtMost(limit)
    assert conformance_probability(large, standard, limits, dof) <= (
        conformance_probability(small, standard, limits, dof) + ROUNDING
    )


@given(values, standards, two_sided(), dofs)
def test_two_sided_is_the_difference_of_the_one_sided(
    value: Decimal, standard: Decimal, limits: Between, dof: Decimal | None
) -> None:
    below_upper = conformance_probability(value, standard, AtMost(limits.upper), dof)
    below_lower = conformance_probability(value, standard, AtMost(limits.lower), dof)
    both = conformance_probability(value, standard, limits, dof)
    assert both == pytest.approx(below_upper - below_lower, abs=ROUNDING)


@given(values, standards, values, dofs)
def test_at_least_is_at_most_in_the_mirror(
    value: Decimal, standard: Decimal, limit: Decimal, dof: Decimal | None
) -> None:
    mirrored = conformance_probability(-value, standard, AtMost(-limit), dof)
    assert conformance_probability(value, standard, AtLeast(limit), dof) == mirrored


@given(values, standards, values)
def test_a_far_limit_is_no_limit(value: Decimal, standard: Decimal, limit: Decimal) -> None:
    """A lower limit of minus a million, which made other software print a probability of 3.8."""
    for far in (Decimal("-1e6"), Decimal("-1e9"), Decimal("-1e300")):
        with_far_limit = conformance_probability(value, standard, Between(far, limit))
        assert with_far_limit == pytest.approx(conformance_probability(value, standard, AtMost(limit)), abs=1e-15)


@given(values, standards, limits_of_any_kind, values)
def test_it_does_not_depend_on_where_zero_is(value: Decimal, standard: Decimal, limits: Limits, shift: Decimal) -> None:
    moved = type(limits)(*(getattr(limits, name) + shift for name in limits.__slots__))
    original = conformance_probability(value, standard, limits)
    assert conformance_probability(value + shift, standard, moved) == original


@given(values, limits_of_any_kind)
def test_without_uncertainty_the_value_itself_decides(value: Decimal, limits: Limits) -> None:
    low = getattr(limits, "lower", -math.inf)
    high = getattr(limits, "upper", math.inf)
    assert conformance_probability(value, Decimal(0), limits) == float(low <= value <= high)


@pytest.mark.parametrize(
    "limits",
    [AtMost(Decimal("2.4")), AtLeast(Decimal("2.4")), Between(Decimal("2.4"), Decimal("2.4"))],
    ids=["at most", "at least", "exactly"],
)
def test_a_value_on_the_limit_conforms(limits: Limits) -> None:
    """In binary, 4 − 1.6 lies above 2.4."""
    assert conformance_probability(Decimal(4) - Decimal("1.6"), Decimal(0), limits) == 1.0
    assert nonconformance_probability(Decimal(4) - Decimal("1.6"), Decimal(0), limits) == 0.0


def test_a_value_on_the_limit_is_a_toss_of_a_coin() -> None:
    assert conformance_probability(Decimal("15.0"), Decimal("0.01"), AtMost(Decimal(15))) == 0.5


@pytest.mark.parametrize("score", [1, 3, 6, 10, 20, 35])
def test_a_far_tail_keeps_its_digits(score: int) -> None:
    limits, measured = AtMost(Decimal(0)), (Decimal(score), Decimal(1))
    assert conformance_probability(*measured, limits) == pytest.approx(norm.sf(score), rel=1e-13)
    assert nonconformance_probability(Decimal(-score), Decimal(1), limits) == pytest.approx(norm.sf(score), rel=1e-13)


@pytest.mark.parametrize("score", [-20, -10, 8, 15])
def test_an_interval_in_a_far_tail_keeps_its_digits(score: int) -> None:
    near, far = sorted((abs(score), abs(score + 1)))
    expected = norm.sf(near) - norm.sf(far)
    got = conformance_probability(Decimal(0), Decimal(1), Between(Decimal(score), Decimal(score + 1)))
    assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("dof", ["1", "2.5", "4", "9", "50"])
@pytest.mark.parametrize("value", ["8.0", "8.4", "9.7", "30"])
def test_few_degrees_of_freedom_give_the_scaled_t(dof: str, value: str) -> None:
    limits, standard = Between(Decimal("7.9"), Decimal("8.5")), Decimal("0.15")
    law = t(float(dof), float(value), 0.15)
    got = conformance_probability(Decimal(value), standard, limits, Decimal(dof))
    assert got == pytest.approx(law.cdf(8.5) - law.cdf(7.9), abs=1e-13)


def test_few_degrees_of_freedom_leave_more_doubt_far_from_the_limit() -> None:
    measured = (Decimal(10), Decimal(1), AtMost(Decimal(13)))
    assert nonconformance_probability(*measured, Decimal(4)) > 10 * nonconformance_probability(*measured)


def test_many_degrees_of_freedom_tend_to_the_normal() -> None:
    measured = (Decimal(10), Decimal(1), AtMost(Decimal(13)))
    normal = conformance_probability(*measured)
    assert conformance_probability(*measured, Decimal("1e12")) == pytest.approx(normal, rel=1e-9)
    assert conformance_probability(*measured, Decimal("Infinity")) == normal


@pytest.mark.parametrize(
    ("value", "standard", "dof"),
    [
        ("NaN", "1", None),
        ("Infinity", "1", None),
        ("1", "-0.1", None),
        ("1", "NaN", None),
        ("1", "Infinity", None),
        ("1", "1", "0"),
        ("1", "1", "-3"),
        ("1", "1", "NaN"),
    ],
)
def test_impossible_input_is_refused(value: str, standard: str, dof: str | None) -> None:
    known = None if dof is None else Decimal(dof)
    with pytest.raises(ValueError, match=r"finite value|degrees of freedom"):
        conformance_probability(Decimal(value), Decimal(standard), AtMost(Decimal(0)), known)


@pytest.mark.parametrize("limit", ["Infinity", "-Infinity", "NaN"])
def test_an_infinite_limit_is_refused_because_no_limit_is_a_type(limit: str) -> None:
    with pytest.raises(ValueError, match="AtLeast or AtMost"):
        conformance_probability(Decimal(1), Decimal(1), AtMost(Decimal(limit)))


def test_an_empty_interval_has_no_probability() -> None:
    assert inside(1.5, 1.5) == 0.0
    assert inside(-1.5, -1.5) == 0.0
    assert inside(0.0, 0.0) == 0.0


def test_the_tail_is_half_at_zero_and_ends_at_infinity() -> None:
    assert (normal_tail(0), normal_tail(math.inf), normal_tail(-math.inf)) == (0.5, 0.0, 1.0)


def test_the_normal_path_does_not_wait_for_scipy_or_numpy() -> None:
    program = (
        "import sys; from decimal import Decimal as D\n"
        "from inspect_kit.judgement import risk\n"
        "from inspect_kit.judgement.risk import conformance_probability\n"
        "from inspect_kit.values.limits import AtMost\n"
        "conformance_probability(D(1), D(1), AtMost(D(2)))\n"
        "print([name for name in ('scipy', 'numpy', 'statistics') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@given(st.floats(-60, 60).filter(lambda score: abs(score) > 1e-6), st.floats(0.5, 1e12))
def test_students_tail_is_scipys_to_eight_digits(score: float, dof: float) -> None:
    assert student_tail(score, dof) == pytest.approx(float(t.sf(score, dof)), rel=1e-8, abs=1e-11)


def test_students_tail_has_its_digits_far_out_and_its_ends() -> None:
    assert student_tail(1e6, 3) == pytest.approx(float(t.sf(1e6, 3)), rel=1e-12, abs=0)
    assert (student_tail(0.0, 4), student_tail(math.inf, 4), student_tail(-math.inf, 4)) == (0.5, 0.0, 1.0)
    assert student_tail(1.0, 1) == pytest.approx(0.25, rel=1e-15)
