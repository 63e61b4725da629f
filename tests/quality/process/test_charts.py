"""Control charts: limits against the factors of textbooks, known centres, unequal samples."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.process.capability import c4, d2, d2_star, d3, grouped
from inspect_kit.quality.process.charts import Chart, KnownProcess, Readings, draw_up, pieces_to_samples
from inspect_kit.quality.sample import Sample, as_sample


def subgrouped(rows: list[list[float]]) -> Readings:
    labels = tuple(str(number) for number, row in enumerate(rows) for _ in row)
    sample = as_sample([value for row in rows for value in row])
    return Readings(sample, groups=grouped(sample, labels, "test"))


@pytest.fixture
def rows() -> list[list[float]]:
    generator = np.random.default_rng(1)
    return [[round(float(value), 3) for value in generator.normal(31, 0.1, 5)] for _ in range(25)]


def test_means_and_ranges_have_the_limits_of_the_factors(rows: list[list[float]]) -> None:
    chart = draw_up("xbar-r", subgrouped(rows))
    means, ranges = np.mean(rows, axis=1), np.ptp(rows, axis=1)
    assert chart.lower is not None
    assert chart.upper.centre[0] == pytest.approx(means.mean(), abs=1e-9)
    assert chart.upper.ucl[0] == pytest.approx(means.mean() + 0.5768 * ranges.mean(), abs=1e-5)
    assert chart.upper.lcl[0] == pytest.approx(means.mean() - 0.5768 * ranges.mean(), abs=1e-5)
    assert chart.lower.centre[0] == pytest.approx(ranges.mean())
    assert chart.lower.ucl[0] == pytest.approx(2.1145 * ranges.mean(), rel=1e-4)
    assert chart.lower.lcl[0] == 0


def test_means_and_deviations_have_the_limits_of_the_factors(rows: list[list[float]]) -> None:
    chart = draw_up("xbar-s", subgrouped(rows))
    means, deviations = np.mean(rows, axis=1), np.std(rows, axis=1, ddof=1)
    assert chart.lower is not None
    assert chart.upper.ucl[0] == pytest.approx(means.mean() + 1.427 * deviations.mean(), abs=1e-4)
    assert chart.lower.centre[0] == pytest.approx(deviations.mean())
    assert chart.lower.ucl[0] == pytest.approx(2.089 * deviations.mean(), rel=1e-3)


def test_what_is_known_beforehand_is_not_estimated(rows: list[list[float]]) -> None:
    chart = draw_up("xbar-r", subgrouped(rows), KnownProcess(31.0, 0.1))
    assert chart.lower is not None
    assert chart.upper.centre[0] == 31
    assert chart.upper.ucl[0] == pytest.approx(31 + 0.3 / 5**0.5)
    assert chart.lower.centre[0] == pytest.approx(0.2326, abs=1e-4)
    single = draw_up("imr", Readings(as_sample([0, 3.2, -3.4, 3])), KnownProcess(0.0, 1.0))
    assert single.signals[0].points == (2, 3)
    assert single.upper.ucl[0] == 3
    assert single.lower is not None
    assert single.lower.centre[0] == pytest.approx(1.128379, abs=1e-6)


def test_zones_of_a_chart_of_means_are_those_of_means_and_not_of_readings() -> None:
    rows = [[9.0, 11.0, 10.0, 10.0]] * 20 + [[11.0, 13.0, 12.0, 12.0]]
    chart = draw_up("xbar-r", subgrouped(rows), KnownProcess(10.0, 1.0))
    assert chart.signals[0].rule == 1
    assert chart.signals[0].points == (21,)


def test_unequal_subgroups_have_limits_of_their_own() -> None:
    chart = draw_up("xbar-r", subgrouped([[1, 2, 3], [2, 3], [1, 3, 2, 4]]))
    assert len(set(np.round(chart.upper.ucl, 9))) == 3
    assert chart.lower is not None
    assert chart.lower.centre[1] < chart.lower.centre[2]


def test_a_fraction_chart_with_unequal_samples_has_wider_limits_for_smaller_ones() -> None:
    sample = as_sample([5, 3, 8])
    chart = draw_up("p", Readings(sample, sizes=(100, 50, 200)))
    assert chart.upper.centre[0] == pytest.approx(16 / 350)
    assert chart.upper.ucl[1] > chart.upper.ucl[0] > chart.upper.ucl[2]
    assert chart.upper.lcl[1] == 0


def test_a_moving_range_belongs_to_the_second_of_its_pieces() -> None:
    values = [10.0, 10.1] * 10 + [13.0]
    chart = draw_up("imr", Readings(as_sample(values)))
    assert chart.lower is not None
    assert chart.lower.outside == (21,)


@pytest.mark.parametrize("kind", ["imr", "c"])
def test_a_single_reading_makes_no_chart(kind: str) -> None:
    with pytest.raises(BadInput):
        draw_up(kind, Readings(as_sample([1.0])))


def test_readings_that_do_not_vary_have_no_limits() -> None:
    with pytest.raises(BadInput, match="vary"):
        draw_up("imr", Readings(as_sample([2.0] * 10)))
    assert [s.rule for s in draw_up("imr", Readings(as_sample([2.0] * 15)), KnownProcess(2.0, 0.1)).signals] == [7]


@pytest.mark.parametrize("kind", ["p", "c"])
def test_attribute_charts_without_anything_found_or_with_a_sigma_are_refused(kind: str) -> None:
    nothing = Readings(as_sample([0.0, 0.0]), sizes=(10, 10))
    with pytest.raises(BadInput):
        draw_up(kind, nothing)
    with pytest.raises(UsageError):
        draw_up(kind, nothing, KnownProcess(sigma=1.0))


def test_pieces_are_added_up_by_sample() -> None:
    assert pieces_to_samples([0, 1, 1, 0], ["a", "a", "b", "b"], "x") == ({"a": 1, "b": 1}, {"a": 2, "b": 2})
    with pytest.raises(BadInput, match="column n"):
        pieces_to_samples([2, 0], ["a", "a"], "x")


def test_a_large_offset_does_not_blur_the_limits() -> None:
    values = [Decimal("10000000.2") + Decimal(step) / 10 for step in (0, 1, -1, 2, 0, 1)]
    near = [value - 10_000_000 for value in values]

    def width(chart: Chart) -> float:
        return float(chart.sigma or 0)

    far_chart = draw_up("imr", Readings(Sample.of(values)))
    near_chart = draw_up("imr", Readings(Sample.of(near)))
    assert width(far_chart) == width(near_chart)


def test_constants_agree_with_simulation_and_with_their_limits() -> None:
    generator = np.random.default_rng(11)
    for size in (2, 5, 12):
        ranges = np.ptp(generator.standard_normal((200_000, size)), axis=1)
        deviations = generator.standard_normal((100_000, size)).std(axis=1, ddof=1)
        assert d2(size) == pytest.approx(ranges.mean(), abs=0.01)
        assert d3(size) == pytest.approx(ranges.std(), abs=0.01)
        assert c4(size) == pytest.approx(deviations.mean(), abs=0.005)
    assert d2_star(2, 1) == pytest.approx(2**0.5, rel=1e-9)
    assert d2_star(3, 10**9) == pytest.approx(d2(3), rel=1e-8)
    assert d2(2) == pytest.approx(2 / np.pi**0.5, rel=1e-12)
    assert d3(2) == pytest.approx((2 - 4 / np.pi) ** 0.5, rel=1e-8)
