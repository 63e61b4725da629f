"""Gauge studies, capability, charts, sampling and dice against published figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspect_kit.quality.dice import exact_p, fairness, ln_e, noncentrality, rolls_needed
from inspect_kit.quality.gauge.bias import linearity
from inspect_kit.quality.gauge.study import GaugeResult, GaugeStudy, arranged, by_anova, by_average_and_range
from inspect_kit.quality.process.capability import c4, capability, d2, one_way, range_factors
from inspect_kit.quality.process.charts import Readings, draw_up
from inspect_kit.quality.process.run_rules import NELSON, signals
from inspect_kit.quality.sample import Sample
from inspect_kit.quality.sampling.attributes import STANDARD, Severity, look_up, plan_of
from inspect_kit.quality.sampling.operating_curve import Model, acceptance, quality_at
from inspect_kit.quality.sampling.tables import aqls
from inspect_kit.quality.sampling.variables import PlanRequest, Standard, decide, estimated_fraction, look_up_variables
from inspect_kit.values.limits import AtMost, Between

Published = Callable[[str], Any]
UPPER_END = {"2-8": 8, "26-50": 50, "91-150": 150, "281-500": 500, "501-1200": 1200, "1201-3200": 3200}


@pytest.fixture
def aiag(published: Published) -> GaugeStudy:
    data = published("AIAG-GRR-ANOVA").inputs["data_operator_trial_part"]
    rows = [
        ((str(part), operator, str(trial)), value)
        for operator, trials in data.items()
        for trial, values in enumerate(trials)
        for part, value in enumerate(values)
    ]
    return arranged(Sample.of([value for _, value in rows]), [key for key, _ in rows], "AIAG")


def named(result: GaugeResult) -> dict[str, float | int | None]:
    parts = {"EV": result.ev, "AV": result.av, "GRR": result.grr, "PV": result.pv, "TV": result.tv}
    shares = {f"pct_{name}": result.percent(value) for name, value in parts.items()}
    return {**parts, **shares, "contrib_GRR": 100 * (result.grr / result.tv) ** 2, "ndc": result.ndc}


def test_the_anova_of_the_aiag_study_is_reached_to_its_printed_digits(published: Published, aiag: GaugeStudy) -> None:
    vector, result = published("AIAG-GRR-ANOVA"), by_anova(aiag)
    sums = {f"SS_{effect.name[:6]}": effect.sum_of_squares for effect in result.anova}
    assert vector.agrees("SS_operator", sums["SS_operat"])
    assert vector.agrees("SS_part", sums["SS_part"])
    assert vector.agrees("SS_interaction", sums["SS_intera"])
    assert vector.agrees("SS_repeat", sums["SS_repeat"])
    assert vector.agrees("SS_total", sum(sums.values()))
    interaction = next(effect for effect in result.anova if effect.name == "interaction")
    assert interaction.f is not None
    assert vector.agrees("F_interaction", interaction.f)
    assert result.interaction_p is not None
    assert vector.agrees("p_interaction", result.interaction_p)
    assert result.pooled
    for name, value in named(result).items():
        if name in vector.expected:
            assert vector.agrees(name, Decimal(value or 0)), name
    assert result.intervals is not None
    for got, expected in zip(result.intervals["ev"], vector.expected["EV_CI90"], strict=True):
        assert vector.close(expected, got, "EV_CI90")


def test_the_average_and_range_figures_of_the_aiag_study_are_reached(published: Published, aiag: GaugeStudy) -> None:
    vector, got = published("AIAG-GRR-ranges"), named(by_average_and_range(aiag))
    for name in vector.expected:
        assert vector.agrees(name, Decimal(got[name] or 0)), name


def test_the_linearity_example_of_aiag_is_reached(published: Published) -> None:
    vector = published("AIAG-linearity")
    readings = np.array([[float(value) for value in row] for row in vector.inputs["readings"]])
    references = np.repeat([float(value) for value in vector.inputs["references"]], readings.shape[1])
    result = linearity(references, readings.ravel())
    for name in vector.expected:
        assert vector.agrees(name, getattr(result, name)), name


def test_the_capability_example_of_the_handbook_is_reached(published: Published) -> None:
    vector = published("NIST-Cpk-example")
    given = vector.inputs
    # Two readings that have the example's mean and s.
    away = given["s"] / Decimal(2).sqrt()
    sample = Sample.of([given["mean"] - away, given["mean"] + away])
    found = capability(sample, Between(given["LSL"], given["USL"])).long_term
    assert found.potential is not None
    assert vector.agrees("Cp", found.potential)
    assert vector.agrees("Cpk", found.actual)
    assert vector.agrees("CPU", capability(sample, AtMost(given["USL"])).long_term.actual)


def test_the_chart_constants_agree_with_the_printed_tables(published: Published) -> None:
    vector = published("chart-constants")
    for place, size in enumerate(int(n) for n in vector.inputs["n"]):
        assert vector.close(vector.expected["d2"][place], d2(size), "d2")
        assert vector.close(vector.expected["A2"][place], 3 / d2(size) / size**0.5, "A2")
        assert vector.close(vector.expected["c4"][place], c4(size), "c4")
    assert [round(range_factors(size)[1], 3) for size in range(2, 11)] == pytest.approx(
        [3.267, 2.575, 2.282, 2.114, 2.004, 1.924, 1.864, 1.816, 1.777], abs=0.001
    )


@pytest.mark.parametrize(("name", "rule"), [("qcc-NEL1", 1), ("qcc-NEL2", 2), ("qcc-NEL3", 3)])
def test_nelsons_rules_mark_the_same_points_as_qcc(published: Published, name: str, rule: int) -> None:
    vector = published(name)
    found = signals(np.array([float(z) for z in vector.inputs["z"]]), NELSON)
    marked = next(signal.points for signal in found if signal.rule == rule)
    assert list(marked) == [int(point) for point in vector.expected["violations_1based"]]


def test_the_individuals_chart_of_the_handbook_is_reached(published: Published) -> None:
    vector = published("NIST-individuals")
    chart = draw_up("imr", Readings(Sample.of(vector.inputs["values"])))
    assert chart.lower is not None
    assert vector.agrees("centre", chart.upper.centre[0])
    assert vector.agrees("ucl", chart.upper.ucl[0])
    assert vector.agrees("lcl", chart.upper.lcl[0])
    assert vector.agrees("mean_moving_range", chart.lower.centre[0])


def test_the_counts_chart_of_the_handbook_is_reached(published: Published) -> None:
    vector = published("NIST-counts")
    chart = draw_up("c", Readings(Sample.of(vector.inputs["values"])))
    for name, line in (("centre", chart.upper.centre), ("ucl", chart.upper.ucl), ("lcl", chart.upper.lcl)):
        assert vector.agrees(name, line[0]), name
    assert chart.upper.outside == (24,)


def test_the_fraction_chart_of_montgomery_is_reached(published: Published) -> None:
    vector = published("Montgomery-juice")
    found = vector.inputs["found"]
    chart = draw_up("p", Readings(Sample.of(found), sizes=(int(vector.inputs["n"]),) * len(found)))
    for name, line in (("centre", chart.upper.centre), ("ucl", chart.upper.ucl), ("lcl", chart.upper.lcl)):
        assert vector.agrees(name, line[0]), name
    assert chart.upper.outside == tuple(int(point) for point in vector.expected["outside"])


def test_the_operating_characteristic_of_105e_is_reached(published: Published) -> None:
    vector = published("105E-XJ-n80-c2")
    for probability, expected in zip(vector.inputs["Pa"], vector.expected["p_pct"], strict=True):
        assert vector.close(expected, 100 * quality_at(80, 2, float(probability)))


def test_the_operating_characteristic_of_the_federal_regulations_is_reached(published: Published) -> None:
    vector = published("7CFR42.140-oc6")
    for per_hundred, expected in zip(vector.inputs["dphu"], vector.expected["Pa"], strict=True):
        assert vector.close(expected, acceptance(500, 3, float(per_hundred) / 100, Model.POISSON))


def test_published_plans_of_the_normal_table_are_found(published: Published) -> None:
    vector = published("Z14-normal-samples")
    for (level, lots, aql), expected in zip(vector.inputs["cases"], vector.expected["plans"], strict=True):
        plan = look_up(UPPER_END[lots], Decimal(aql), level).plan
        assert [plan.size, plan.accept, plan.reject] == [int(number) for number in expected]


@pytest.mark.parametrize("severity", list(Severity))
def test_every_cell_of_the_105e_tables_is_that_of_an_independent_transcription(severity: Severity) -> None:
    document = json.loads((Path(__file__).parent / "sampling_105e.json").read_text("utf-8"))
    rows = document["plans"][severity.value]
    assert len(rows) == 16
    for letter, cells in rows.items():
        for aql, cell in zip(aqls(STANDARD), cells, strict=True):
            plan = plan_of(letter, Decimal(aql), severity).plan
            assert f"{plan.size} {plan.accept} {plan.reject}" == cell, (letter, aql)


def test_the_examples_of_mil_std_414_are_reached(published: Published) -> None:
    vector = published("414-B-example")
    given = vector.inputs
    plan = look_up_variables(PlanRequest(int(given["lot"]), given["aql"], given["level"]), Standard.MIL_414)
    assert (plan.code, plan.size) == (vector.expected["code"], vector.expected["n"])
    assert vector.agrees("k", plan.k)
    assert vector.agrees("M", plan.m_percent)
    sample = Sample.of(given["values"])
    both = decide(plan, sample, Between(given["lower"], given["upper"]))
    one = decide(plan, sample, AtMost(given["upper"]))
    assert both.index_upper is not None
    assert both.index_lower is not None
    for name, got in (("mean", both.mean), ("s", both.sigma), ("Q_upper", both.index_upper), ("Q_lower", both.index_lower),
                      ("p_upper", one.percent), ("p_both", both.percent)):  # fmt: skip
        assert vector.agrees(name, got), name
    assert both.accepted
    assert one.accepted
    rounded = [100 * estimated_fraction(index, 5) for index in (1.59, 1.70)]
    assert rounded[0] == pytest.approx(2.19, abs=0.005)
    assert sum(rounded) == pytest.approx(2.85, abs=0.01)


def test_wolfs_white_die_has_the_chi_square_that_it_has(published: Published) -> None:
    vector = published("Wolf-white")
    result = fairness([int(count) for count in vector.inputs["counts"]])
    assert vector.agrees("n", result.rolls)
    assert vector.agrees("chi2", result.chi2)
    assert vector.agrees("p_value", result.p_value)
    assert result.exact_p is None


def test_the_exact_p_of_sixty_rolls_is_that_of_full_enumeration(published: Published) -> None:
    vector = published("dice-exact-60")
    counts = [int(count) for count in vector.inputs["counts"]]
    got = exact_p(counts)
    assert got is not None
    assert vector.agrees("p_exact_chi2_order", got)
    assert vector.agrees("chi2", fairness(counts).chi2)
    assert vector.agrees("p_asym", fairness(counts).p_value)


def test_the_e_value_agrees_with_lindon_and_malek(published: Published) -> None:
    vector = published("evalue-fair60-k100")
    counts = [int(count) for count in vector.inputs["counts"]]
    assert vector.agrees("ln_e", ln_e(counts, float(vector.inputs["concentration_k"])))


def test_the_number_of_rolls_for_a_bias_is_that_of_the_noncentral_chi_square(published: Published) -> None:
    vector = published("dice-power")
    assert vector.agrees("lambda", noncentrality(0.05, 0.8))
    for bias, expected in zip(vector.inputs["relative_bias"], vector.expected["n"], strict=True):
        assert vector.close(expected, rolls_needed(float(bias)), "n")


@pytest.mark.parametrize("name", ["StRD-SiRstv", "StRD-AtmWtAg"])
def test_the_analysis_of_variance_has_the_digits_that_nist_certifies(published: Published, name: str) -> None:
    vector = published(name)
    groups = [[Decimal(value) for value in values] for values in vector.inputs["groups"].values()]
    whole = Sample.of([value for group in groups for value in group]).offsets
    ends = np.cumsum([len(group) for group in groups])[:-1]
    got, _ = one_way(np.split(whole, ends))
    assert vector.agrees("F_exact_rational", got)


def test_the_mean_and_deviation_of_numacc_are_certified_to_the_last_digit(published: Published) -> None:
    vector = published("StRD-NumAcc1")
    sample = Sample.of([Decimal(value) for value in vector.inputs["pattern"].split(",")])
    assert vector.agrees("mean", sample.mean)
    assert vector.agrees("sd", sample.deviation)


def test_the_deviation_of_numacc4_keeps_its_digits_where_binary_numbers_lose_them() -> None:
    # NIST StRD NumAcc4: 10000000.2, then 500 pairs 10000000.1, 10000000.3; certified mean 10000000.2, s 0.1.
    values = [Decimal("10000000.2"), *[Decimal("10000000.1"), Decimal("10000000.3")] * 500]
    sample = Sample.of(values)
    assert sample.mean == 10000000.2
    assert sample.deviation == pytest.approx(0.1, rel=1e-14)
    assert np.std([float(value) for value in values], ddof=1) != pytest.approx(0.1, rel=1e-10)
