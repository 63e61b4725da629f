"""Gauge studies: components of variance, pooling, gaps, bias, linearity and the sheet that follows."""

from __future__ import annotations

from decimal import Decimal
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from inspect_kit.capture.instruments import read_instrument
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.gauge.bias import linearity, type_one
from inspect_kit.quality.gauge.sheet import (
    GaugeDescription,
    effects_of_study,
    effects_of_type_one,
    study_sheet,
)
from inspect_kit.quality.gauge.study import (
    METHODS,
    AnovaLine,
    GaugeResult,
    GaugeStudy,
    arranged,
    by_anova,
    by_average_and_range,
    interval_of_difference,
    interval_of_sum,
)
from inspect_kit.quality.sample import as_sample
from inspect_kit.values.quantity import UNITS, parse_strict

MM = UNITS["mm"]


def simulated(seed: int, shape: tuple[int, int, int], interaction: float) -> GaugeStudy:
    """Known standard deviations: parts 1, operators 0.3, repeatability 0.2."""
    generator = np.random.default_rng(seed)
    parts, operators, _ = shape
    readings = (
        generator.normal(0, 1, (parts, 1, 1))
        + generator.normal(0, 0.3, (1, operators, 1))
        + generator.normal(0, interaction, (parts, operators, 1))
        + generator.normal(0, 0.2, shape)
    )
    names = [tuple(str(number) for number in range(count)) for count in (parts, operators)]
    return GaugeStudy(names[0], names[1], readings)


def test_the_anova_finds_the_components_that_were_put_in() -> None:
    results = [by_anova(simulated(seed, (20, 6, 3), 0.15)) for seed in range(250)]
    for name, truth in (("ev", 0.2), ("av", 0.3), ("interaction", 0.15), ("pv", 1.0)):
        variances = [getattr(result, name) ** 2 for result in results]
        assert np.mean(variances) == pytest.approx(truth**2, rel=0.12), name


def test_both_methods_agree_about_a_study_without_interaction() -> None:
    anova = [by_anova(simulated(seed, (10, 3, 3), 0)).ev for seed in range(60)]
    ranges = [by_average_and_range(simulated(seed, (10, 3, 3), 0)).ev for seed in range(60)]
    assert np.mean(anova) == pytest.approx(np.mean(ranges), rel=0.02)


def test_an_interaction_is_kept_when_it_is_there_and_pooled_when_it_is_not() -> None:
    kept, pooled = by_anova(simulated(1, (10, 3, 3), 0.5)), by_anova(simulated(1, (10, 3, 3), 0))
    assert kept.pooled is False
    assert kept.interaction > 0
    assert kept.grr == pytest.approx(sqrt(kept.ev**2 + kept.av**2 + kept.interaction**2))
    assert pooled.pooled is True
    assert pooled.interaction == 0
    assert kept.dof["ev"] == 60
    assert pooled.dof["ev"] == 78


def test_the_kept_interaction_has_the_textbook_components() -> None:
    study = simulated(3, (10, 3, 3), 0.5)
    result = by_anova(study)
    squares = {effect.name: effect.mean_square for effect in result.anova}
    assert result.ev**2 == pytest.approx(squares["repeatability"])
    assert result.interaction**2 == pytest.approx((squares["interaction"] - squares["repeatability"]) / 3)
    assert result.av**2 == pytest.approx(max(0, (squares["operator"] - squares["interaction"]) / 30))
    assert result.pv**2 == pytest.approx((squares["part"] - squares["interaction"]) / 9)


def test_a_negative_component_is_zero() -> None:
    readings = np.array([[[1.0, 1.2], [1.2, 1.0]], [[1.1, 1.1], [1.0, 1.2]], [[1.2, 1.0], [1.1, 1.1]]])
    result = by_anova(GaugeStudy(("1", "2", "3"), ("A", "B"), readings))
    assert result.av == 0
    assert result.pv == 0
    assert result.ndc == 0


def test_one_operator_is_a_study_of_the_gauge_alone() -> None:
    study = simulated(5, (10, 1, 3), 0)
    result = by_anova(study)
    assert (result.av, result.interaction_p) == (0, None)
    assert result.ev == pytest.approx(float(np.sqrt(study.readings.var(axis=2, ddof=1).mean())))
    assert by_average_and_range(study).av == 0


def test_a_gauge_without_scatter_has_no_end_of_categories() -> None:
    readings = np.broadcast_to(np.arange(4.0)[:, None, None], (4, 2, 2)).copy()
    result = by_anova(GaugeStudy(tuple("1234"), ("A", "B"), readings))
    assert result.grr == 0
    assert result.ndc is None


@pytest.mark.parametrize("method", METHODS)
def test_readings_that_are_all_the_same_are_refused(method: str) -> None:
    with pytest.raises(BadInput):
        METHODS[method](GaugeStudy(("1", "2"), ("A", "B"), np.zeros((2, 2, 2))))


KEYS = [(part, operator, trial) for part in "12" for operator in "AB" for trial in "xy"]


def test_rows_in_any_order_make_the_same_study() -> None:
    values = [1.0, 1.1, 1.2, 1.0, 2.0, 2.1, 2.2, 2.0]
    forward = arranged(as_sample(values), KEYS, "x")
    backward = arranged(as_sample(values[::-1]), KEYS[::-1], "x")
    assert by_anova(forward).grr == pytest.approx(by_anova(backward).grr)


def test_a_missing_reading_is_named() -> None:
    with pytest.raises(BadInput, match="no reading of part 2 by B in trial y"):
        arranged(as_sample([1.0] * 7), KEYS[:7], "x")


def test_a_doubled_reading_is_named() -> None:
    with pytest.raises(BadInput, match="two readings of part 1 by A in trial x"):
        arranged(as_sample([1.0] * 9), [*KEYS, KEYS[0]], "x")


def test_a_file_that_is_no_crossed_study_is_refused_before_it_fills_the_memory() -> None:
    keys = [(str(number), str(number), str(number)) for number in range(2000)]
    with pytest.raises(BadInput, match="crossed"):
        arranged(as_sample([1.0] * 2000), keys, "x")


def test_confidence_limits_of_components_cover_as_often_as_they_say() -> None:
    generator = np.random.default_rng(1)
    hits, draws = [0, 0, 0], 1500
    for _ in range(draws):
        people = AnovaLine("operator", 2, (0.04 + 30 * 0.05) * generator.chisquare(2))
        repeat = AnovaLine("repeatability", 78, 0.04 * generator.chisquare(78))
        low, high = interval_of_difference((1 / 30, people), (1 / 30, repeat))
        hits[0] += low**2 <= 0.05 <= high**2
        low, high = interval_of_sum([(1 / 30, people), (29 / 30, repeat)])
        hits[1] += low**2 <= 0.09 <= high**2
        low, high = interval_of_sum([(1.0, repeat)])
        hits[2] += low**2 <= 0.04 <= high**2
    for count in hits:
        assert count / draws == pytest.approx(0.90, abs=0.03)


def test_a_type_one_study_compares_scatter_and_bias_with_the_tolerance() -> None:
    values = [10.01, 10.02, 10.00, 10.01, 10.03, 9.99, 10.02, 10.00]
    result = type_one(as_sample(values), 10.0, 1.0)
    deviation, bias = np.std(values, ddof=1), np.mean(values) - 10
    assert result.cg == pytest.approx(0.2 / (6 * deviation))
    assert result.cgk == pytest.approx((0.1 - bias) / (3 * deviation))
    assert result.t == pytest.approx(bias / (deviation / sqrt(8)))
    from scipy.stats import ttest_1samp

    assert result.p_value == pytest.approx(float(ttest_1samp(values, 10.0).pvalue))
    assert type_one(as_sample(values), 10.0, None).cg is None


def test_a_type_one_study_without_scatter_is_no_division_by_zero() -> None:
    assert type_one(as_sample([10.0] * 5), 10.0, 1.0).p_value == 1
    assert type_one(as_sample([10.1] * 5), 10.0, 1.0).p_value == 0
    with pytest.raises(BadInput):
        type_one(as_sample([10.0]), 10.0, 1.0)


def test_linearity_agrees_with_a_second_least_squares() -> None:
    from scipy.stats import linregress

    generator = np.random.default_rng(6)
    references = np.repeat([2.0, 4.0, 6.0, 8.0], 5)
    readings = references * 1.01 + generator.normal(0, 0.05, 20)
    result, second = linearity(references, readings), linregress(references, readings - references)
    assert result.slope == pytest.approx(second.slope)
    assert result.intercept == pytest.approx(second.intercept)
    assert result.slope_p == pytest.approx(second.pvalue)
    assert result.r_squared == pytest.approx(second.rvalue**2)
    with pytest.raises(BadInput):
        linearity(np.ones(5), np.arange(5.0))


def gauge(name: str = "desk-caliper") -> GaugeDescription:
    return GaugeDescription(name, 'A "good" caliper\\', "caliper", parse_strict("0.01 mm"), parse_strict("0.02 mm"))


def test_a_study_becomes_a_sheet_that_the_instrument_reader_takes(tmp_path: Path) -> None:
    result = by_anova(simulated(3, (10, 3, 3), 0.5))
    path = tmp_path / "desk-caliper.toml"
    path.write_text(
        study_sheet(gauge().with_effects(effects_of_study(result, MM)), "a study\nwith a break"), encoding="utf-8"
    )
    sheet = read_instrument(path)
    assert sheet.name == 'A "good" caliper\\'
    assert [effect.source for effect in sheet.effects] == [
        "calibration",
        "repeatability",
        "operators",
        "operator × part",
    ]
    assert float(sheet.effects[1].size.in_base) == pytest.approx(result.ev, rel=1e-3)
    assert sheet.effects[1].dof == 60
    assert sheet.effects[0].shared


def test_a_type_one_study_becomes_a_sheet_with_its_bias(tmp_path: Path) -> None:
    result = type_one(as_sample([10.02, 10.03, 10.01]), 10.0, None)
    path = tmp_path / "desk-caliper.toml"
    path.write_text(study_sheet(gauge().with_effects(effects_of_type_one(result, MM)), "type 1"), encoding="utf-8")
    bias = read_instrument(path).effects[-1]
    assert bias.size.in_base == Decimal("0.02000")
    assert bias.shared


@pytest.mark.parametrize("size", [1e-9, 0.00012345, 0.5, 123.456, 1e5])
def test_sizes_are_written_without_exponents(tmp_path: Path, size: float) -> None:
    path = tmp_path / "desk-caliper.toml"
    result = GaugeResult("anova", ev=size, av=0.0, interaction=0.0, pv=1.0, dof={})
    path.write_text(study_sheet(gauge().with_effects(effects_of_study(result, MM)), "x"), encoding="utf-8")
    assert float(read_instrument(path).effects[-1].size.number) == pytest.approx(size, rel=1e-3)


@pytest.mark.parametrize("name", ["../evil", "", "a b", "-x", 'a"b'])
def test_a_name_that_could_leave_its_folder_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        gauge(name)


def test_a_calibration_in_another_dimension_is_refused() -> None:
    with pytest.raises(UsageError):
        GaugeDescription("x", "x", "x", parse_strict("0.01 mm"), parse_strict("1 g"))
