"""Finding a plan: the smallest sample that keeps both the producer's and the consumer's risk."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Final

from scipy.special import bdtr, nctdtr, ndtr, ndtri
from scipy.stats import nct

from inspect_kit.errors import UsageError
from inspect_kit.quality.attributes import Plan

MAX_ACCEPT: Final = 10_000
MAX_VARIABLES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Risk:
    """At this fraction nonconforming, at most this probability of the wrong decision."""

    fraction: float
    risk: float


@dataclass(frozen=True, slots=True)
class Risks:
    """Good quality that must seldom be refused, and bad quality that must seldom be accepted."""

    producer: Risk
    consumer: Risk

    def __post_init__(self) -> None:
        for side in (self.producer, self.consumer):
            if not (0 < side.fraction < 1 and 0 < side.risk < 1):
                raise UsageError("fractions and risks lie between 0 and 1", hint="for example 0.01:0.05")
        if self.producer.fraction >= self.consumer.fraction:
            raise UsageError("the producer's fraction must be smaller than the consumer's")
        if self.producer.risk + self.consumer.risk >= 1:
            raise UsageError("the two risks together must stay below 1")


def smallest_plan(risks: Risks) -> Plan:
    """The smallest single plan by attributes, binomial.

    For each acceptance number the smallest sample that protects the consumer is found; the first that the producer can
    live with is the smallest of all, because that sample grows with the acceptance number.
    """
    size = 1
    for accept in range(MAX_ACCEPT + 1):
        size = _consumer_size(risks.consumer, accept, size)
        if bdtr(float(accept), size, risks.producer.fraction) >= 1 - risks.producer.risk:
            return Plan(size, accept, accept + 1)
    raise UsageError(
        f"no plan with an acceptance number up to {MAX_ACCEPT:,} keeps both risks",
        hint="let the two fractions lie further apart, or allow larger risks",
    )


def _consumer_size(consumer: Risk, accept: int, start: int) -> int:
    """The smallest sample, not below `start`, whose acceptance of bad lots is rare enough."""

    def protects(size: int) -> bool:
        return size > accept and float(bdtr(float(accept), size, consumer.fraction)) <= consumer.risk

    below, step = start - 1, 1
    while not protects(below + step):
        below, step = below + step, 2 * step
    above = below + step
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if protects(middle) else (middle, above)
    return above


@dataclass(frozen=True, slots=True)
class VariablesPlan:
    """Measure `size` pieces; accept if the quality index reaches `k` (one limit)."""

    size: int
    k: float
    sigma_known: bool


def smallest_variables_plan(risks: Risks, *, sigma_known: bool) -> VariablesPlan:
    """The smallest plan by variables for one limit; `k` is the smallest that still protects the consumer."""
    if sigma_known:
        return _known_plan(risks)
    below, above = 1, 2
    while not _unknown_keeps(risks, above):
        below, above = above, 2 * above
        if above > MAX_VARIABLES:
            raise UsageError(f"no plan up to {MAX_VARIABLES:,} pieces keeps both risks")
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if _unknown_keeps(risks, middle) else (middle, above)
    return VariablesPlan(above, _consumer_k(risks.consumer, above), sigma_known=False)


def _known_plan(risks: Risks) -> VariablesPlan:
    good, bad = -float(ndtri(risks.producer.fraction)), -float(ndtri(risks.consumer.fraction))
    reach = -float(ndtri(risks.producer.risk)) - float(ndtri(risks.consumer.risk))
    size = max(1, ceil((reach / (good - bad)) ** 2 - 1e-9))
    if size > MAX_VARIABLES:
        raise UsageError(f"no plan up to {MAX_VARIABLES:,} pieces keeps both risks")
    return VariablesPlan(size, bad - float(ndtri(risks.consumer.risk)) / sqrt(size), sigma_known=True)


def _consumer_k(consumer: Risk, size: int) -> float:
    """The k at which a lot of the consumer's fraction passes with exactly the consumer's risk (noncentral t)."""
    shift = -float(ndtri(consumer.fraction)) * sqrt(size)
    return float(nct.ppf(1 - consumer.risk, size - 1, shift)) / sqrt(size)


def _unknown_keeps(risks: Risks, size: int) -> bool:
    k = _consumer_k(risks.consumer, size)
    return variables_acceptance(size, k, risks.producer.fraction, sigma_known=False) >= 1 - risks.producer.risk


def variables_acceptance(size: int, k: float, fraction: float, *, sigma_known: bool) -> float:
    """Probability that a lot with this fraction beyond one limit is accepted."""
    if fraction <= 0 or fraction >= 1:
        return 1.0 if fraction <= 0 else 0.0
    quantile = -float(ndtri(fraction))
    if sigma_known:
        return float(ndtr((quantile - k) * sqrt(size)))
    if quantile * sqrt(size) > 37:
        # The noncentral t routine underflows there; the lot is accepted but for rounding unless k is absurd.
        return float(nct.sf(k * sqrt(size), size - 1, quantile * sqrt(size)))
    return 1 - float(nctdtr(size - 1, quantile * sqrt(size), k * sqrt(size)))
