"""Sampling by variables: two printed tables against one another, the estimate against its definition, decisions."""

from __future__ import annotations

from decimal import Decimal
from math import sqrt

import numpy as np
import pytest

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.sample import as_sample
from inspect_kit.quality.sampling.attributes import Severity
from inspect_kit.quality.sampling.tables import aqls, printed
from inspect_kit.quality.sampling.variables import (
    PlanRequest,
    Standard,
    VariablesLookup,
    decide,
    estimated_fraction,
    index_for,
    look_up_variables,
)
from inspect_kit.values.limits import AtLeast, Between


def rows(text: str) -> dict[int, list[str]]:
    return {int(line.split()[0]): line.split()[1:] for line in text.splitlines()}


def test_every_k_of_mil_std_414_is_the_index_at_which_the_estimate_is_its_m() -> None:
    """Tables B-1 and B-3 are printed apart; the beta distribution ties each pair of cells together."""
    k_rows, m_rows = rows(printed("mil-std-414")["k"]), rows(printed("mil-std-414")["m"])
    checked = 0
    for size, k_cells in k_rows.items():
        for aql, k, m in zip(aqls("mil-std-414"), k_cells, m_rows[size], strict=True):
            assert (k == "-") == (m == "-"), (size, aql)
            if k != "-":
                digits = 0.006 if float(k) >= 1 else 0.0011
                assert index_for(float(m) / 100, size) == pytest.approx(float(k), abs=digits), (size, aql)
                checked += 1
    assert checked == 195


def test_m_grows_with_the_aql_and_k_falls_in_every_row() -> None:
    for text, sign in ((printed("mil-std-414")["k"], -1), (printed("mil-std-414")["m"], 1), (printed("z1.9")["m"], 1)):
        for size, cells in rows(text).items():
            numbers = [sign * float(cell) for cell in cells if cell != "-"]
            assert numbers == sorted(numbers), size


def test_z19_and_mil_std_414_allow_nearly_the_same() -> None:
    """Z1.9 was recalculated from MIL-STD-414 at the same sample sizes: k differs by a few hundredths at most."""
    m_414, m_z19 = rows(printed("mil-std-414")["m"]), rows(printed("z1.9")["m"])
    for size in set(m_414) & set(m_z19):
        for aql in set(aqls("mil-std-414")) & set(aqls("z1.9")):
            old, new = m_414[size][aqls("mil-std-414").index(aql)], m_z19[size][aqls("z1.9").index(aql)]
            if "-" not in (old, new):
                assert index_for(float(new) / 100, size) == pytest.approx(index_for(float(old) / 100, size), abs=0.02)


def test_a_known_sigma_takes_the_share_of_the_sample_that_the_theory_gives() -> None:
    """n = nₛ/(1 + k²/2) is how the two methods come to the same operating characteristic."""
    for size, cells in rows(printed("z1.9")["known"]).items():
        for aql, cell, m in zip(aqls("z1.9"), cells, rows(printed("z1.9")["m"])[size], strict=True):
            if size < 15 or "-" in (cell, m):
                continue
            k = index_for(float(m) / 100, size)
            assert int(cell.split(":")[0]) == pytest.approx(size / (1 + k**2 / 2), abs=0.85), (size, aql)
            known = look_up_known(cell)
            assert known.k == pytest.approx(k, abs=0.06), (size, aql)


def look_up_known(cell: str) -> VariablesLookup:
    from scipy.special import ndtri

    first, _, second = cell.partition(":")
    size, m = int(first), float(second)
    return VariablesLookup("", size, sqrt((size - 1) / size) * -float(ndtri(m / 100)), m, sigma_known=True)


@pytest.mark.parametrize(
    ("lot", "level", "severity", "expected"),
    [
        (40, "IV", Severity.NORMAL, ("D", 5, 1.53, 3.32)),
        (500, "IV", Severity.NORMAL, ("I", 25, 1.85, 2.86)),
        (500, "IV", Severity.TIGHTENED, ("I", 25, 1.98, 2.00)),
        (10, "IV", Severity.NORMAL, ("B", 4, 1.45, 1.53)),
        (100_000, "III", Severity.NORMAL, ("N", 75, 1.98, 2.29)),
    ],
)
def test_plans_of_mil_std_414_are_found(
    lot: int, level: str, severity: Severity, expected: tuple[str, int, float, float]
) -> None:
    plan = look_up_variables(PlanRequest(lot, Decimal("1.0"), level, severity), Standard.MIL_414)
    assert (plan.code, plan.size, plan.k, plan.m_percent) == expected


@pytest.mark.parametrize(
    ("severity", "sigma_known", "expected"),
    [
        (Severity.NORMAL, False, ("J", 35, 2.66)),
        (Severity.TIGHTENED, False, ("J", 35, 1.87)),
        (Severity.REDUCED, False, ("J", 15, 4.32)),
        (Severity.NORMAL, True, ("J", 12, 2.49)),
        (Severity.TIGHTENED, True, ("J", 11, 1.73)),
        (Severity.REDUCED, True, ("J", 6, 3.77)),
    ],
)
def test_plans_of_z19_are_found(severity: Severity, sigma_known: bool, expected: tuple[str, int, float]) -> None:
    plan = look_up_variables(PlanRequest(1000, Decimal("1.0"), "", severity, sigma_known))
    assert (plan.code, plan.size, plan.m_percent) == expected


@pytest.mark.parametrize(
    "wanted",
    [
        PlanRequest(1000, Decimal("0.065")),
        PlanRequest(1000, Decimal(15)),
        PlanRequest(1, Decimal(1)),
        PlanRequest(100, Decimal(1), "V"),
    ],
)
def test_what_z19_does_not_have_is_wrong_usage(wanted: PlanRequest) -> None:
    with pytest.raises(UsageError):
        look_up_variables(wanted)


def test_every_plan_of_every_standard_and_severity_exists() -> None:
    for severity in Severity:
        for aql in aqls("z1.9")[1:-1]:
            for lot in (2, 100, 400, 450, 5000, 10**6):
                for sigma_known in (True, False):
                    plan = look_up_variables(PlanRequest(lot, Decimal(aql), "", severity, sigma_known))
                    assert plan.size >= 2
                    assert 0 < plan.m_percent < 50


def test_the_estimate_is_unbiased() -> None:
    """The mean of the estimates over many samples is the true fraction: that is what the beta distribution is for."""
    generator = np.random.default_rng(7)
    samples = generator.standard_normal((20_000, 7))
    indices = (1.2 - samples.mean(axis=1)) / samples.std(axis=1, ddof=1)
    estimates = [estimated_fraction(float(index), 7) for index in indices]
    error = float(np.std(estimates)) / sqrt(len(estimates))
    assert float(np.mean(estimates)) == pytest.approx(0.11507, abs=4 * error)
    known = [estimated_fraction(float(index), 7, sigma_known=True) for index in 1.2 - samples.mean(axis=1)]
    assert float(np.mean(known)) == pytest.approx(0.11507, abs=4 * float(np.std(known)) / sqrt(len(known)))


def test_for_one_limit_k_and_m_come_to_the_same_decision() -> None:
    plan = look_up_variables(PlanRequest(300, Decimal("2.5")))
    generator = np.random.default_rng(3)
    for _ in range(200):
        values = generator.normal(0, 1, plan.size)
        decision = decide(plan, as_sample(list(values)), AtLeast(Decimal("-1.6")))
        assert decision.index_lower is not None
        assert decision.accepted == (decision.index_lower >= plan.k)


def test_readings_that_do_not_vary_are_judged_by_where_they_lie() -> None:
    plan = look_up_variables(PlanRequest(100, Decimal("1.0")))
    limits = Between(Decimal(1), Decimal(3))
    assert decide(plan, as_sample([2.0] * 10), limits).accepted
    assert not decide(plan, as_sample([4.0] * 10), limits).accepted


def test_a_known_sigma_must_be_stated_and_two_readings_are_too_few_without() -> None:
    limits = AtLeast(Decimal(0))
    with pytest.raises(UsageError):
        decide(look_up_variables(PlanRequest(100, Decimal(1), sigma_known=True)), as_sample([1.0, 2.0, 3.0]), limits)
    with pytest.raises(BadInput):
        decide(look_up_variables(PlanRequest(100, Decimal(1))), as_sample([1.0, 2.0]), limits)
