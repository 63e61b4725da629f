"""Capability of what is not normal, and charts that remember, against SciPy and Montgomery's examples."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from inspect_kit.cli.app import app, run
from inspect_kit.errors import BadInput
from inspect_kit.quality.process.capability import pooled_spread
from inspect_kit.quality.process.charts import KnownProcess, Readings, draw_up
from inspect_kit.quality.process.distributions import by_percentiles, cpm, resolved_sigma
from inspect_kit.quality.sample import as_sample
from inspect_kit.values.limits import limits_from

LIMITS = limits_from(Decimal(1), Decimal(30))
assert LIMITS is not None


def drawn(family: str, count: int, *shape: float, **more: float) -> np.ndarray:
    return np.asarray(getattr(stats, family)(*shape, **more).rvs(count, random_state=np.random.default_rng(7)))


def test_normal_readings_keep_the_normal_distribution_and_its_indices() -> None:
    values = drawn("norm", 200, loc=15, scale=2)
    found = by_percentiles(values, LIMITS)
    assert found is not None
    assert found.chosen.name == "normal"
    assert found.pp == pytest.approx(29 / (6 * values.std(ddof=1)), rel=1e-3)
    assert found.ppk == pytest.approx(min(30 - values.mean(), values.mean() - 1) / (3 * values.std(ddof=1)), rel=1e-3)


@pytest.mark.parametrize(
    ("family", "shape", "likely"),
    [
        ("weibull_min", (1.4,), {"weibull", "box-cox"}),
        ("lognorm", (0.5,), {"box-cox", "johnson-su", "johnson-sb"}),
        ("expon", (), {"weibull", "box-cox"}),
        ("johnsonsu", (-2.0, 1.6), {"johnson-su", "box-cox"}),
    ],
)
def test_the_percentiles_of_what_is_not_normal_are_those_of_its_own_distribution(
    family: str, shape: tuple[float, ...], likely: set[str]
) -> None:
    law = getattr(stats, family)(
        *shape, loc=4 if family == "johnsonsu" else 0, scale=3 if family != "johnsonsu" else 0.5
    )
    values = law.rvs(3000, random_state=np.random.default_rng(11))
    found = by_percentiles(values, LIMITS)
    assert found is not None
    assert found.chosen.name in likely
    assert found.percentiles[1] == pytest.approx(law.ppf(0.5), rel=0.05)
    assert found.percentiles[2] == pytest.approx(law.ppf(0.99865), rel=0.15)
    assert found.chosen.aicc <= found.tried["normal"]


def test_the_weibull_fit_and_the_box_cox_power_are_scipys() -> None:
    values = drawn("weibull_min", 500, 1.8, scale=3)
    found = by_percentiles(values, LIMITS, "weibull")
    assert found is not None
    shape, _, scale = stats.weibull_min.fit(values, floc=0)
    assert found.percentiles[2] == pytest.approx(stats.weibull_min(shape, scale=scale).ppf(0.99865), rel=1e-9)
    powered = by_percentiles(values, LIMITS, "box-cox")
    assert powered is not None
    assert powered.chosen.parameters["lambda"] == pytest.approx(stats.boxcox(values)[1], abs=1e-6)


def test_one_limit_gives_one_side_and_no_potential() -> None:
    found = by_percentiles(drawn("expon", 300), limits_from(None, Decimal(12)))  # type: ignore[arg-type]
    assert found is not None
    assert found.pp is None
    assert found.ppk > 0


def test_too_few_readings_choose_no_distribution() -> None:
    assert by_percentiles(np.arange(10.0), LIMITS) is None


def test_cpm_is_cp_on_target_and_less_beside_it() -> None:
    limits = limits_from(Decimal(10), Decimal(22))
    assert limits is not None
    assert cpm(16, 1, limits) == pytest.approx(2.0)
    assert cpm(17, 1, limits) == pytest.approx(2 / 2**0.5)


def test_pooled_spread_is_the_root_of_the_mean_square_within() -> None:
    groups = [np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0]), np.array([0.0, 1.0, 5.0, 2.0])]
    within = sum(((group - group.mean()) ** 2).sum() for group in groups)
    assert pooled_spread(groups).sigma == pytest.approx((within / 6) ** 0.5)


def test_what_a_coarse_display_hides_is_worked_in() -> None:
    true = drawn("norm", 4000, scale=0.01)
    coarse = np.round(true / 0.03) * 0.03
    assert abs(resolved_sigma(coarse, 0.03) - 0.01) < 0.0006
    assert coarse.std(ddof=1) > 0.0105


CUSUM_DATA = (
    9.45, 7.99, 9.29, 11.66, 12.16, 10.18, 8.04, 11.46, 9.20, 10.34, 9.03, 11.47, 10.51, 9.40, 10.08, 9.37, 10.62,
    10.31, 8.52, 10.84, 10.90, 9.33, 12.29, 11.50, 10.60, 11.08, 10.38, 11.62, 11.31, 10.52,
)  # fmt: skip
"""Montgomery, Introduction to Statistical Quality Control, table 9.1: mean 10, from the 21st on 11; σ = 1."""


def test_cusum_agrees_with_montgomery_table_9_2() -> None:
    chart = draw_up("cusum", Readings(as_sample(CUSUM_DATA)), KnownProcess(10.0, 1.0))
    assert chart.upper.points[[3, 4, 22, 28, 29]] == pytest.approx([1.16, 2.82, 1.79, 5.28, 5.30], abs=0.006)
    assert [signal.points for signal in chart.signals] == [(29, 30)]


def test_ewma_is_the_weighted_sum_of_all_that_came_before() -> None:
    chart = draw_up("ewma", Readings(as_sample(CUSUM_DATA), weight=0.1, width=2.7), KnownProcess(10.0, 1.0))
    weights = 0.1 * 0.9 ** np.arange(29, -1, -1)
    assert chart.upper.points[-1] == pytest.approx(float(weights @ np.array(CUSUM_DATA)) + 10 * 0.9**30)
    # Montgomery, table 9.10: the first two points and limits.
    assert chart.upper.points[[0, 1]] == pytest.approx([9.945, 9.7495], abs=0.0001)
    assert chart.upper.ucl[[0, 29]] == pytest.approx([10.27, 10.62], abs=0.006)


def test_np_is_p_times_the_size_and_wants_one_size() -> None:
    counts = as_sample([3.0, 5.0, 2.0, 8.0])
    p, np_chart = (draw_up(kind, Readings(counts, tuple("abcd"), (50,) * 4)) for kind in ("p", "np"))
    assert np_chart.upper.ucl == pytest.approx(50 * p.upper.ucl)
    with pytest.raises(BadInput, match="one size"):
        draw_up("np", Readings(counts, tuple("abcd"), (50, 50, 50, 60)))


def test_u_limits_follow_the_size_of_each_sample() -> None:
    chart = draw_up("u", Readings(as_sample([9.0, 11.0, 30.0]), tuple("abc"), (10, 10, 20)))
    centre = 50 / 40
    assert chart.upper.ucl == pytest.approx([centre + 3 * (centre / n) ** 0.5 for n in (10, 10, 20)])


def test_phase_two_judges_by_the_limits_of_phase_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("value\n" + "\n".join(str(10 + (n % 5) / 10) for n in range(30)) + "\n")
    Path("two.csv").write_text("value\n" + "\n".join(["10.2"] * 5 + ["12"]) + "\n")
    assert run(app, ["qa", "chart", "one.csv", "--rules", "1", "--save-limits", "limits.json", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert run(app, ["qa", "chart", "two.csv", "--rules", "1", "--limits", "limits.json", "--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert (second["ucl"], second["centre"]) == pytest.approx((first["ucl"], first["centre"]))
    assert second["signals"][0]["points"] == [6]
    assert run(app, ["qa", "chart", "two.csv", "--type", "ewma", "--limits", "limits.json"]) == 2


def test_readings_of_a_narrow_range_have_figures_though_no_power_makes_them_normal() -> None:
    readings = np.array([float(f"5.{250 + 7 * n % 11}") for n in range(50)])
    found = by_percentiles(readings, limits_from(Decimal(5), Decimal("5.5")))
    assert found is not None
    assert np.isfinite(list(found.tried.values())).all()
