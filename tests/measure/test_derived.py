from __future__ import annotations

from decimal import Decimal

import pytest

from inspect_kit.measure.derived import derive
from inspect_kit.values.formula import parse_formula
from inspect_kit.values.measurement import Component, Measurement, Observation

ONE = (Component("reading", Decimal(1)),)


def _derive(
    formulas: dict[str, str], *measured: Measurement, seen: tuple[Observation, ...] = ()
) -> dict[str, Measurement]:
    parsed = [(name, parse_formula(text)) for name, text in formulas.items()]
    return {found.characteristic: found for found in derive(parsed, {}, measured, seen)}


def test_a_value_built_on_a_derived_value_keeps_their_correlation() -> None:
    x, y = Measurement("x", Decimal(3), "mm", ONE), Measurement("y", Decimal(4), "mm", ONE)
    found = _derive({"s": "x + y", "t": "s + x", "d": "s - y"}, x, y)
    assert float(found["t"].standard_uncertainty or 0) == pytest.approx(5**0.5)
    assert found["d"].standard_uncertainty == 1


def test_what_was_measured_itself_is_not_derived_again() -> None:
    measured = Measurement("s", Decimal(9), "mm", ONE)
    assert _derive({"s": "x + 1"}, measured, Measurement("x", Decimal(1), "mm", ONE)) == {}


def test_a_formula_with_a_missing_input_gives_nothing() -> None:
    assert _derive({"s": "x - y"}, Measurement("x", Decimal(1), "mm", ONE)) == {}


def test_one_unknown_uncertainty_makes_the_result_unknown() -> None:
    found = _derive({"s": "x - y"}, Measurement("x", Decimal(3), "mm", ONE), Measurement("y", Decimal(1), "mm", None))
    assert found["s"].value == 2
    assert found["s"].budget is None


def test_a_count_of_observations_is_exact() -> None:
    seen = (Observation("coin.colour", "red", "1"), Observation("coin.colour", "white", "2"))
    found = _derive({"n": 'count(coin.colour == "red")'}, seen=seen)
    assert (found["n"].value, found["n"].budget) == (1, ())


def test_a_derived_value_tells_how_it_was_worked_out_and_from_which_gauges() -> None:
    x = Measurement("x", Decimal(3), "mm", ONE, instruments=("rule",))
    y = Measurement("y", Decimal(1), "mm", ONE, instruments=("tape",))
    found = _derive({"s": "x - y"}, x, y)["s"]
    assert (found.formula, found.instruments, found.unit) == ("x - y", ("rule", "tape"), "mm")
