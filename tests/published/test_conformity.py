"""Conformance probabilities, risks and guard bands against published figures and against second methods."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from statistics import NormalDist
from typing import Any

import pytest
from scipy.stats import multivariate_normal

from inspect_kit.judgement.risk import (
    Assumptions,
    GlobalRisk,
    conformance_probability,
    dobbert_factor,
    global_risk,
    narrowed,
    normal_tail,
    specific_consumer_risk,
    specific_producer_risk,
    worst_case_risk,
)
from inspect_kit.values.limits import AtLeast, AtMost, Between, Limits, limits_from

Published = Callable[[str], Any]

FULL = {
    "J106-7.3-zener": 0.9192433407662273,
    "J106-7-burst": 0.9890095473848222,
    "J106-7-oil": 0.6626297864953079,
}
"""All digits of the three examples, as the notes beside the published two digits have them."""


def limits_of(given: dict[str, Any]) -> Limits:
    limits = limits_from(given.get("TL"), given.get("TU"))
    assert limits is not None
    return limits


@pytest.mark.parametrize("name", FULL)
def test_the_conformance_probability_of_jcgm_106_is_reached(published: Published, name: str) -> None:
    vector = published(name)
    got = conformance_probability(vector.inputs["y"], vector.inputs["u"], limits_of(vector.inputs))
    assert vector.agrees("p_c", got)
    assert got == pytest.approx(FULL[name], rel=1e-14)


@pytest.mark.parametrize("name", FULL)
def test_the_specific_risks_of_jcgm_106_are_the_probability_and_its_complement(published: Published, name: str) -> None:
    given = published(name).inputs
    measured = (given["y"], given["u"], limits_of(given))
    assert specific_producer_risk(*measured) == pytest.approx(FULL[name], rel=1e-14)
    assert specific_consumer_risk(*measured) == pytest.approx(1 - FULL[name], rel=1e-13)


@pytest.fixture
def resistors(published: Published) -> GlobalRisk:
    given = published("J106-9.5.3-resistors").inputs
    _, mean, standard = given["prior"]
    limits, acceptance = Between(given["TL"], given["TU"]), Between(given["AL"], given["AU"])
    return global_risk(Assumptions(mean, standard, given["u_m"], limits, acceptance))


def test_the_global_risks_of_the_resistors_of_jcgm_106_are_reached(published: Published, resistors: GlobalRisk) -> None:
    vector = published("J106-9.5.3-resistors")
    assert vector.agrees("p_conform_prior", resistors.conforming)
    assert vector.agrees("R_C", resistors.consumer)
    assert vector.agrees("R_P", resistors.producer)
    assert vector.agrees("R_C_rounded_recalled", resistors.consumer)
    assert vector.agrees("R_P_rounded_recalled", resistors.producer)


def test_the_resistors_come_out_alike_by_the_bivariate_normal(resistors: GlobalRisk) -> None:
    both = by_bivariate_normal(resistors.assumptions)
    assert resistors.producer == pytest.approx(resistors.conforming - both, abs=1e-9)
    assert resistors.consumer == pytest.approx(resistors.accepted - both, abs=1e-9)


def by_bivariate_normal(given: Assumptions) -> float:
    """The probability of conforming and being accepted, by a method of somebody else's."""
    assert isinstance(given.limits, Between)
    assert isinstance(given.acceptance, Between)
    prior, noise = float(given.prior_standard) ** 2, float(given.standard) ** 2
    law = multivariate_normal([float(given.prior_mean)] * 2, [[prior, prior], [prior, prior + noise]])
    upper = [float(given.limits.upper), float(given.acceptance.upper)]
    lower = [float(given.limits.lower), float(given.acceptance.lower)]
    return float(law.cdf(upper, lower_limit=lower))


def process(itp: Decimal, ratio: float = 4.0) -> tuple[Decimal, Decimal]:
    """Spread of a production of which the share `itp` lies within ± 1, and a measurement so many times better."""
    spread = 1 / NormalDist().inv_cdf((1 + float(itp)) / 2)
    return Decimal(spread), Decimal(spread / ratio)


@pytest.mark.parametrize("name", ["RP19-PFA-0.6", "RP19-PFA-0.8", "RP19-PFA-0.95"])
def test_the_false_accept_risks_of_rp_19_are_reached(published: Published, name: str) -> None:
    vector = published(name)
    limits = Between(*vector.inputs["limits"])
    risk = global_risk(Assumptions(Decimal(0), *process(vector.inputs["itp"]), limits, limits))
    assert risk.conditional_consumer is not None
    assert vector.agrees("PFA_unconditional_pct", 100 * risk.consumer)
    assert vector.agrees("PFA_conditional_pct", 100 * risk.conditional_consumer)


def test_the_specific_risk_of_suncal_is_reached(published: Published) -> None:
    vector = published("suncal-specific-10")
    _, mean, standard = vector.inputs["dist"]
    risk = specific_consumer_risk(mean, standard, Between(vector.inputs["LL"], vector.inputs["UL"]))
    assert vector.agrees("risk_total", risk)
    assert vector.close(vector.expected["risk_total"], 2 * normal_tail(3 * float(vector.expected["cpk"])), "risk_total")


def test_the_worst_case_risks_of_ilac_g8_are_reached(published: Published) -> None:
    vector = published("ILAC-G8-guardbands")
    for ratio, expected in zip(vector.inputs["w_over_U"], vector.expected["PFA_at_AL_k2"], strict=True):
        assert vector.close(expected, worst_case_risk(float(ratio), float(vector.inputs["k"])))
    assert vector.agrees("PFA_at_AL_k196_w1", worst_case_risk(1.0, 1.96))


@pytest.mark.parametrize("limits", [AtMost(Decimal(15)), AtLeast(Decimal(15))], ids=["at most", "at least"])
def test_the_worst_case_is_the_specific_risk_on_the_acceptance_limit(published: Published, limits: Limits) -> None:
    vector, standard = published("ILAC-G8-guardbands"), Decimal("0.1")
    for ratio, expected in zip(vector.inputs["w_over_U"], vector.expected["PFA_at_AL_k2"], strict=True):
        acceptance = narrowed(limits, ratio * 2 * standard)
        on_limit = acceptance.lower if isinstance(acceptance, AtLeast) else acceptance.upper
        assert vector.close(expected, specific_consumer_risk(on_limit, standard, limits))


@pytest.mark.parametrize("place", range(5))
def test_dobberts_band_keeps_its_promise_of_two_percent_for_any_process(published: Published, place: int) -> None:
    vector = published("suncal-dobbert-promise")
    ratio, limits = vector.inputs["tur"][place], Between(*vector.inputs["limits"])
    accepted = Decimal(dobbert_factor(float(ratio)))
    worst = max(
        global_risk(
            Assumptions(Decimal(0), process(itp)[0], 1 / (2 * ratio), limits, Between(-accepted, accepted))
        ).consumer
        for itp in vector.inputs["itp"]
    )
    assert worst <= vector.expected["PFA_at_most"] + vector.tolerance["*"]["abs"]
    assert worst > 0.015, "the band is no wider than its promise needs"
