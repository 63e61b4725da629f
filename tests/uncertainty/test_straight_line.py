"""What a calibration line promises."""

from __future__ import annotations

import random
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inspect_kit.uncertainty.readings import fit_line

numbers = st.decimals(min_value=-100, max_value=100, places=2)
points = st.lists(st.tuples(numbers, numbers), min_size=3, max_size=10)


def decimals(*values: str) -> list[Decimal]:
    return [Decimal(value) for value in values]


def test_points_on_a_line_give_that_line_without_uncertainty() -> None:
    line = fit_line(decimals("1", "2", "3", "4"), decimals("3.5", "5.5", "7.5", "9.5"))
    assert (line.intercept, line.slope, line.deviation) == (Decimal("1.5"), Decimal(2), Decimal(0))
    assert line.correlation is None
    assert line.at(Decimal(10)).standard == 0


@given(points, numbers)
def test_the_fit_is_that_of_numpy(pairs: list[tuple[Decimal, Decimal]], origin: Decimal) -> None:
    x, y = zip(*pairs, strict=True)
    assume(max(x) - min(x) > 1)
    line = fit_line(x, y, origin)
    theirs, scatter, *_ = np.linalg.lstsq(
        np.column_stack([np.ones(len(x)), [float(a - origin) for a in x]]), [float(b) for b in y], rcond=None
    )
    assert [float(line.intercept), float(line.slope)] == pytest.approx(theirs.tolist(), rel=1e-6, abs=1e-6)
    if scatter.size:
        assert float(line.deviation) ** 2 * (len(x) - 2) == pytest.approx(scatter[0], rel=1e-6, abs=1e-9)


@given(points, numbers, numbers)
def test_where_the_origin_lies_changes_no_prediction(
    pairs: list[tuple[Decimal, Decimal]], origin: Decimal, x: Decimal
) -> None:
    xs, ys = zip(*pairs, strict=True)
    assume(len(set(xs)) > 1)
    here, there = fit_line(xs, ys).at(x), fit_line(xs, ys, origin).at(x)
    assert abs(here.value - there.value) < Decimal("1e-20")
    assert abs(here.standard - there.standard) < Decimal("1e-12")


@given(points)
def test_the_line_is_known_best_in_the_middle_of_its_points(pairs: list[tuple[Decimal, Decimal]]) -> None:
    xs, ys = zip(*pairs, strict=True)
    assume(len(set(xs)) > 1)
    line, middle = fit_line(xs, ys), sum(xs, Decimal(0)) / len(xs)
    least = line.at(middle).standard
    assert float(least) == pytest.approx(float(line.deviation) / len(xs) ** 0.5, abs=1e-12)
    assert least <= line.at(max(xs)).standard + Decimal("1e-15")


def test_the_slope_is_uncertain_by_as_much_as_it_scatters() -> None:
    """The stated uncertainty against the scatter of a thousand simulated calibrations."""
    chance = random.Random(7)
    x = [Decimal(i) for i in range(10)]
    lines = [fit_line(x, [2 * a + Decimal(chance.gauss(0, 0.1)) for a in x]) for _ in range(1000)]
    stated = (sum(float(line.variance_slope) for line in lines) / 1000) ** 0.5
    assert np.std([float(line.slope) for line in lines]) == pytest.approx(stated, rel=0.08)


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        (("1", "2"), ("1", "2"), "three points"),
        (("1", "1", "1"), ("1", "2", "3"), "above one another"),
        (("1", "2", "3"), ("1", "2"), "an x and a y"),
        (("1", "2", "NaN"), ("1", "2", "3"), "finite"),
    ],
)
def test_points_that_make_no_line_are_refused(x: tuple[str, ...], y: tuple[str, ...], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        fit_line(decimals(*x), decimals(*y))
