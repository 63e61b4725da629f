from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.judgement.rules import guarded, simple
from inspect_kit.judgement.verdict import Reason, Verdict, overall
from inspect_kit.values.limits import AtLeast, AtMost, Between, Limits

D = Decimal
BAND = Between(D("30.2"), D("31.8"))


@pytest.mark.parametrize(
    ("value", "verdict", "reason"),
    [
        ("30.19", Verdict.FAILS, Reason.BELOW_LOWER),
        ("30.2", Verdict.CONFORMS, Reason.WITHIN),
        ("31.8", Verdict.CONFORMS, Reason.WITHIN),
        ("31.81", Verdict.FAILS, Reason.ABOVE_UPPER),
    ],
)
def test_under_the_simple_rule_the_value_decides_and_a_tie_conforms(
    value: str, verdict: Verdict, reason: Reason
) -> None:
    assert simple(D(value), D("99"), BAND) == (verdict, reason)


@pytest.mark.parametrize(
    ("value", "verdict", "reason"),
    [
        ("30.09", Verdict.FAILS, Reason.BELOW_LOWER),
        ("30.10", Verdict.UNDECIDED, Reason.CONDITIONAL_FAIL),
        ("30.19", Verdict.UNDECIDED, Reason.CONDITIONAL_FAIL),
        ("30.20", Verdict.UNDECIDED, Reason.CONDITIONAL_PASS),
        ("30.29", Verdict.UNDECIDED, Reason.CONDITIONAL_PASS),
        ("30.30", Verdict.CONFORMS, Reason.WITHIN),
        ("31.70", Verdict.CONFORMS, Reason.WITHIN),
        ("31.71", Verdict.UNDECIDED, Reason.CONDITIONAL_PASS),
        ("31.80", Verdict.UNDECIDED, Reason.CONDITIONAL_PASS),
        ("31.81", Verdict.UNDECIDED, Reason.CONDITIONAL_FAIL),
        ("31.90", Verdict.UNDECIDED, Reason.CONDITIONAL_FAIL),
        ("31.91", Verdict.FAILS, Reason.ABOVE_UPPER),
    ],
)
def test_the_guard_band_is_U_wide_on_both_sides_of_each_limit(value: str, verdict: Verdict, reason: Reason) -> None:
    assert guarded(D(value), D("0.1"), BAND) == (verdict, reason)


def test_a_band_narrower_than_the_uncertainty_never_conforms() -> None:
    narrow = Between(D("1.0"), D("1.1"))
    assert guarded(D("1.05"), D("0.1"), narrow) == (Verdict.UNDECIDED, Reason.CONDITIONAL_PASS)


def test_a_binary_tie_is_decided_in_decimal() -> None:
    value = D("4") - D("1.6")
    assert simple(value, D(0), AtMost(D("2.4"))) == (Verdict.CONFORMS, Reason.WITHIN)


def test_one_sided_limits_have_only_one_side() -> None:
    assert guarded(D("-1000000"), D("0.1"), AtMost(D("15")))[0] is Verdict.CONFORMS
    assert guarded(D("1000000"), D("0.1"), AtLeast(D("8")))[0] is Verdict.CONFORMS


values = st.decimals(min_value=-50, max_value=50, places=3, allow_nan=False, allow_infinity=False)
spreads = st.decimals(min_value=0, max_value=5, places=3, allow_nan=False, allow_infinity=False)
limits = st.one_of(
    values.map(AtLeast),
    values.map(AtMost),
    st.tuples(values, values).map(lambda pair: Between(min(pair), max(pair))),
)


@given(values, spreads, limits)
def test_the_two_rules_never_contradict_each_other(value: Decimal, expanded: Decimal, band: Limits) -> None:
    strict, plain = guarded(value, expanded, band)[0], simple(value, expanded, band)[0]
    assert strict in (plain, Verdict.UNDECIDED)


@given(values, limits)
def test_without_uncertainty_the_two_rules_agree(value: Decimal, band: Limits) -> None:
    assert guarded(value, D(0), band)[0] is simple(value, D(0), band)[0]


@given(values, spreads, spreads, limits)
def test_more_uncertainty_never_makes_a_decision(value: Decimal, less: Decimal, more: Decimal, band: Limits) -> None:
    small, large = sorted((less, more))
    if guarded(value, small, band)[0] is Verdict.UNDECIDED:
        assert guarded(value, large, band)[0] is Verdict.UNDECIDED


def test_a_failure_outweighs_everything_and_silence_never_conforms() -> None:
    assert overall([Verdict.CONFORMS, Verdict.FAILS, Verdict.UNDECIDED]) is Verdict.FAILS
    assert overall([Verdict.CONFORMS, Verdict.UNDECIDED, Verdict.REPORTED]) is Verdict.UNDECIDED
    assert overall([Verdict.CONFORMS, Verdict.REPORTED, Verdict.NOT_APPLICABLE]) is Verdict.CONFORMS
    assert overall([Verdict.REPORTED, Verdict.NOT_APPLICABLE]) is Verdict.UNDECIDED
    assert overall([]) is Verdict.UNDECIDED
