"""Double and multiple plans, limiting quality, finite lots, and what goes out when refused lots are sorted."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from scipy.stats import binom, hypergeom

from inspect_kit.cli.app import app, run
from inspect_kit.errors import UsageError
from inspect_kit.quality.sampling.attributes import Severity, look_up, staged
from inspect_kit.quality.sampling.operating_curve import (
    Risk,
    Risks,
    acceptance,
    plan_for_ltpd,
    quality_at,
    rectified,
    smallest_plan_of_lot,
)


def test_a_double_plan_of_105e_as_printed() -> None:
    plan = staged(1000, Decimal("1.0"))
    assert [(stage.size, stage.accept, stage.reject) for stage in plan.stages] == [(50, 0, 3), (50, 3, 4)]


def test_a_multiple_plan_of_105e_as_printed() -> None:
    plan = staged(1000, Decimal("1.0"), multiple=True)
    assert [(s.size, s.accept, s.reject) for s in plan.stages][-1] == (20, 4, 5)
    assert len(plan.stages) == 7


@pytest.mark.parametrize(("multiple", "size"), [(False, 2000), (True, 800)])
def test_letter_s_of_tightened_inspection_has_plans_in_stages_too(multiple: bool, size: int) -> None:
    plan = staged(600_000, Decimal("0.025"), "II", Severity.TIGHTENED, multiple=multiple)
    assert {stage.size for stage in plan.stages} == {size}
    assert plan.stages[-1].accept == (2 if multiple else 1)


@pytest.mark.parametrize("multiple", [False, True])
@pytest.mark.parametrize("severity", [Severity.NORMAL, Severity.TIGHTENED])
@pytest.mark.parametrize("lot", [200, 1000, 5000, 100_000])
@pytest.mark.parametrize("aql", ["0.65", "1.0", "2.5", "4.0", "6.5"])
def test_a_plan_in_stages_protects_as_its_single_plan_does(
    lot: int, aql: str, severity: Severity, multiple: bool
) -> None:
    single = look_up(lot, Decimal(aql), "II", severity).plan
    if single.accept == 0:
        with pytest.raises(UsageError, match="use the single plan"):
            staged(lot, Decimal(aql), "II", severity, multiple=multiple)
        return
    plan = staged(lot, Decimal(aql), "II", severity, multiple=multiple)
    for level in (0.95, 0.5, 0.1):
        fraction = quality_at(single.size, single.accept, level)
        assert plan.acceptance(fraction) == pytest.approx(level, abs=0.07)
    assert plan.mean_sample(0.0) < single.size


def test_the_zero_acceptance_plan_for_a_limiting_quality_is_the_smallest() -> None:
    plan = plan_for_ltpd(Risk(0.05, 0.10))
    assert (plan.size, plan.accept) == (45, 0)
    assert binom.cdf(0, 45, 0.05) <= 0.10 < binom.cdf(0, 44, 0.05)


@pytest.mark.parametrize(("lot", "fraction"), [(50, 0.10), (200, 0.05), (1000, 0.02)])
def test_a_finite_lot_needs_fewer_pieces(lot: int, fraction: float) -> None:
    plan, endless = plan_for_ltpd(Risk(fraction, 0.10), 0, lot), plan_for_ltpd(Risk(fraction, 0.10))
    bad = round(fraction * lot)
    assert plan.size <= endless.size
    assert hypergeom.cdf(0, lot, bad, plan.size) <= 0.10 < hypergeom.cdf(0, lot, bad, plan.size - 1)


def test_a_plan_found_for_a_finite_lot_keeps_both_risks() -> None:
    plan = smallest_plan_of_lot(Risks(Risk(0.01, 0.05), Risk(0.06, 0.10)), 500)
    assert hypergeom.cdf(plan.accept, 500, 5, plan.size) >= 0.95
    assert hypergeom.cdf(plan.accept, 500, 30, plan.size) <= 0.10


def test_aoql_of_montgomerys_plan() -> None:
    """Montgomery, section 15.2: N = 10 000, n = 89, c = 2: AOQ at 1 % is 0.0093, the AOQL (from a graph) 1.55 %, ATI 687."""
    found = rectified(89, 2, 10_000)
    passed = acceptance(89, 2, 0.01)
    assert passed * 0.01 * (10_000 - 89) / 10_000 == pytest.approx(0.0093, abs=0.00005)
    assert 89 + (1 - passed) * (10_000 - 89) == pytest.approx(687, abs=3)
    assert found.aoql == pytest.approx(0.0155, abs=0.0005)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("--ltpd", "0.05:0.10"), {"n": 45, "ac": 0}),
        (("--ltpd", "0.05:0.10", "--lot", "100"), {"n": 37, "ac": 0}),
        (("--lot", "1000", "--aql", "1.0", "--stages", "double"), {"code": "J"}),
    ],
)
def test_the_command_gives_such_plans(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], wanted: dict[str, object]
) -> None:
    assert run(app, ["qa", "sampling", *arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {key: found[key] for key in wanted} == wanted
