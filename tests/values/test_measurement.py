from __future__ import annotations

from decimal import Decimal

import pytest

from inspect_kit.values.limits import AtLeast, AtMost, Between, limits_from, lower_of, upper_of
from inspect_kit.values.measurement import Component, Measurement, combined, effective_dof


def test_components_add_up_as_the_root_of_squares() -> None:
    assert combined((Component("a", Decimal(3)), Component("b", Decimal(4)))) == 5


def test_the_expanded_uncertainty_is_twice_the_standard_one() -> None:
    found = Measurement("x", Decimal(1), "mm", (Component("a", Decimal("0.03")), Component("b", Decimal("0.04"))))
    assert found.expanded_uncertainty == Decimal("0.10")


def test_an_unknown_uncertainty_stays_unknown() -> None:
    assert Measurement("x", Decimal(1), "mm", None).expanded_uncertainty is None


def test_a_count_is_exact() -> None:
    assert Measurement("x", Decimal(9), "count", ()).expanded_uncertainty == 0


def test_degrees_of_freedom_follow_welch_and_satterthwaite() -> None:
    budget = (Component("a", Decimal(1), Decimal(4)), Component("b", Decimal(1)))
    assert effective_dof(budget) == 16
    assert effective_dof((Component("b", Decimal(1)),)) is None


@pytest.mark.parametrize("size", ["-0.1", "NaN", "Infinity"])
def test_an_impossible_uncertainty_cannot_be_made(size: str) -> None:
    with pytest.raises(ValueError, match="standard uncertainty"):
        Component("a", Decimal(size))


def test_a_missing_limit_is_a_type_and_not_a_number() -> None:
    assert limits_from(Decimal(1), None) == AtLeast(Decimal(1))
    assert limits_from(None, Decimal(1)) == AtMost(Decimal(1))
    assert limits_from(None, None) is None
    assert lower_of(AtMost(Decimal(1))) is None
    assert upper_of(AtLeast(Decimal(1))) is None


def test_limits_in_the_wrong_order_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="above the upper limit"):
        Between(Decimal(2), Decimal(1))
