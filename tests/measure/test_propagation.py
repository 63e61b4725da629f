"""What the propagation of uncertainty promises for our budgets."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from GTC import ureal
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.measure.derived import propagate_budget
from inspect_kit.uncertainty.model import InputEstimate, propagate
from inspect_kit.values.formula import parse_formula
from inspect_kit.values.measurement import Budget, Component, combined, effective_dof

LENGTH, WIDTH = ("pitch.length", ""), ("pitch.width", "")
standards = st.decimals(min_value=0, max_value=10, places=4)
slopes = st.decimals(min_value=-10, max_value=10, places=3)
dofs = st.none() | st.decimals(min_value=1, max_value=100, places=0)


def tape(u: str) -> Component:
    return Component("scale of the tape", Decimal(u), shared="tape-7")


def reading(u: str, dof: str | None = None) -> Component:
    return Component("reading", Decimal(u), None if dof is None else Decimal(dof))


# Budgets


def test_a_shared_scale_error_cancels_in_a_difference() -> None:
    budgets: dict[tuple[str, str], Budget] = {LENGTH: (tape("0.5"),), WIDTH: (tape("0.5"),)}
    assert propagate_budget({LENGTH: Decimal(1), WIDTH: Decimal(-1)}, budgets) == ()


def test_a_shared_scale_error_adds_up_in_a_sum() -> None:
    budgets: dict[tuple[str, str], Budget] = {LENGTH: (tape("0.5"),), WIDTH: (tape("0.3"),)}
    (line,) = propagate_budget({LENGTH: Decimal(1), WIDTH: Decimal(1)}, budgets)
    assert line == Component("scale of the tape", Decimal("0.8"), shared="tape-7")


def test_two_tapes_do_not_cancel() -> None:
    other = Component("scale of the tape", Decimal("0.5"), shared="tape-8")
    budgets: dict[tuple[str, str], Budget] = {LENGTH: (tape("0.5"),), WIDTH: (other,)}
    budget = propagate_budget({LENGTH: Decimal(1), WIDTH: Decimal(-1)}, budgets)
    assert combined(budget) ** 2 == pytest.approx(Decimal("0.5"))


def test_a_label_alone_does_not_make_two_effects_one() -> None:
    budgets: dict[tuple[str, str], Budget] = {LENGTH: (reading("0.3"),), WIDTH: (reading("0.4"),)}
    budget = propagate_budget({LENGTH: Decimal(1), WIDTH: Decimal(-1)}, budgets)
    assert combined(budget) == Decimal("0.5")


@given(standards, slopes, slopes)
def test_a_fully_shared_effect_adds_by_its_signed_slopes(standard: Decimal, one: Decimal, other: Decimal) -> None:
    budgets: dict[tuple[str, str], Budget] = {LENGTH: (tape(str(standard)),), WIDTH: (tape(str(standard)),)}
    budget = propagate_budget({LENGTH: one, WIDTH: other}, budgets)
    assert float(combined(budget)) == pytest.approx(float(abs(one + other) * standard), abs=1e-12)


@given(standards, standards, slopes, slopes)
def test_independent_effects_add_by_their_squares(a: Decimal, b: Decimal, one: Decimal, other: Decimal) -> None:
    budgets: dict[tuple[str, str], Budget] = {LENGTH: (reading(str(a)),), WIDTH: (reading(str(b)),)}
    budget = propagate_budget({LENGTH: one, WIDTH: other}, budgets)
    assert float(combined(budget)) == pytest.approx(math.hypot(one * a, other * b), abs=1e-12)


@given(standards, standards, dofs, slopes, slopes)
def test_budgets_agree_with_gtc(
    scale: Decimal, own: Decimal, dof: Decimal | None, one: Decimal, other: Decimal
) -> None:
    component = Component("reading", own, dof)
    budgets = {LENGTH: (tape(str(scale)), component), WIDTH: (tape(str(scale)), component)}
    budget = propagate_budget({LENGTH: one, WIDTH: other}, budgets)
    df = math.inf if dof is None else float(dof)
    shared, first, second = ureal(0, float(scale)), ureal(0, float(own), df), ureal(0, float(own), df)
    theirs = float(one) * (shared + first) + float(other) * (shared + second)
    assert float(combined(budget)) == pytest.approx(theirs.u, abs=1e-12)
    if theirs.u and effective_dof(budget) is not None:
        assert float(effective_dof(budget) or 0) == pytest.approx(theirs.df, rel=1e-9)


@given(st.lists(st.tuples(slopes, standards, dofs), min_size=1, max_size=6))
def test_merging_instances_keeps_the_uncertainty_and_its_degrees_of_freedom(
    rows: list[tuple[Decimal, Decimal, Decimal | None]],
) -> None:
    sides = [("surface.side", str(i)) for i in range(len(rows))]
    gradient = {side: slope for side, (slope, _, _) in zip(sides, rows, strict=True)}
    budgets = {side: (Component("reading", u, dof),) for side, (_, u, dof) in zip(sides, rows, strict=True)}
    apart = tuple(Component("", abs(slope) * u, dof) for slope, u, dof in rows)
    merged = propagate_budget(gradient, budgets)
    assert len(merged) <= 1
    assert float(combined(merged)) == pytest.approx(float(combined(apart)), rel=1e-12)
    assert float(effective_dof(merged) or -1) == pytest.approx(float(effective_dof(apart) or -1), rel=1e-12)


def test_one_instance_is_named_and_several_are_one_line() -> None:
    north, south = ("surface.side", "north"), ("surface.side", "south")
    one = propagate_budget({north: Decimal(1)}, {north: (reading("0.1"),)})
    two = propagate_budget({north: Decimal(1), south: Decimal(1)}, {north: (reading("0.3"),), south: (reading("0.4"),)})
    assert [line.source for line in one] == ["surface.side north: reading"]
    assert [(line.source, line.standard) for line in two] == [("surface.side: reading", Decimal("0.5"))]


def test_a_characteristic_without_instance_is_named_alone() -> None:
    (line,) = propagate_budget({LENGTH: Decimal(2)}, {LENGTH: (reading("0.1", "5"),)})
    assert line == Component("pitch.length: reading", Decimal("0.2"), Decimal(5))


def test_the_largest_contribution_comes_first() -> None:
    budgets: dict[tuple[str, str], Budget] = {LENGTH: (reading("0.1"), tape("0.3")), WIDTH: (reading("0.9"), tape("0"))}
    budget = propagate_budget({LENGTH: Decimal(1), WIDTH: Decimal(1)}, budgets)
    assert [line.standard for line in budget] == [Decimal("0.9"), Decimal("0.3"), Decimal("0.1")]


def test_a_shared_effect_is_known_as_badly_as_where_it_is_known_worst() -> None:
    known = Component("scale", Decimal("0.1"), Decimal(50), "tape-7")
    guessed = Component("scale", Decimal("0.1"), Decimal(8), "tape-7")
    (line,) = propagate_budget({LENGTH: Decimal(1), WIDTH: Decimal(1)}, {LENGTH: (known,), WIDTH: (guessed,)})
    assert line.dof == Decimal(8)


def test_an_input_whose_slope_is_zero_leaves_no_line() -> None:
    budgets: dict[tuple[str, str], Budget] = {LENGTH: (reading("0.1"),), WIDTH: (reading("0.2"),)}
    assert len(propagate_budget({LENGTH: Decimal(1), WIDTH: Decimal(0)}, budgets)) == 1


def test_an_input_without_a_budget_is_an_error_and_not_a_zero() -> None:
    with pytest.raises(KeyError):
        propagate_budget({LENGTH: Decimal(1)}, {})


def test_the_mean_of_four_sides_keeps_the_scale_and_halves_the_readings() -> None:
    sides = {name: Decimal("738.2") for name in ("n", "e", "s", "w")}
    (mean,) = parse_formula("mean(surface.side)").evaluate({"surface.side": dict(sides)}).values()
    budgets = {("surface.side", name): (tape("0.4"), reading("0.2")) for name in sides}
    budget = propagate_budget(mean.gradient, budgets)
    assert [(line.source, line.standard) for line in budget] == [
        ("scale of the tape", Decimal("0.4")), ("surface.side: reading", Decimal("0.1")),
    ]  # fmt: skip


def test_the_gradient_of_a_formula_gives_the_same_as_the_model_in_python() -> None:
    given_inputs = {"pitch.length": {"": Decimal(120)}, "pitch.width": {"": Decimal(60)}}
    (ratio,) = parse_formula("pitch.length / pitch.width").evaluate(given_inputs).values()
    budget = propagate_budget(ratio.gradient, {LENGTH: (reading("0.3"),), WIDTH: (reading("0.2"),)})
    model = propagate(lambda a, b: a / b, {"a": InputEstimate(120, 0.3), "b": InputEstimate(60, 0.2)})
    assert float(combined(budget)) == pytest.approx(model.standard, rel=1e-12)
