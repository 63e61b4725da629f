"""Operating characteristics: how often a plan accepts lots of a given quality."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, sqrt
from typing import Any, Final

import numpy as np
from scipy.special import bdtr, bdtri, nctdtr, ndtr, ndtri, pdtr

from inspect_kit.errors import UsageError
from inspect_kit.quality.sample import Floats
from inspect_kit.quality.sampling.attributes import Plan

MAX_SIZE: Final = 10**7
"""Pieces of the largest sample, and of the largest finite lot, of which a curve is computed."""
MAX_POINTS: Final = 2_000
"""Points of a curve at most."""
_NEGLIGIBLE: Final = 0.0005
"""Probability of acceptance at which a curve ends."""
_STEPS: Final = (1, 2, 5, 10)
"""Round numbers, times a power of ten, between the fractions of a curve."""


class Model(StrEnum):
    """What is counted: nonconforming pieces of a long series or of a finite lot, or nonconformities per piece."""

    BINOMIAL = "binomial"
    HYPERGEOMETRIC = "hypergeometric"
    POISSON = "poisson"


Curve = tuple[Floats, Floats]
"""Points of an operating characteristic: fractions nonconforming, and their probabilities of acceptance."""


def acceptance(size: int, accept: int, fraction: float, model: Model = Model.BINOMIAL) -> float:
    """Probability that at most `accept` are found in a sample of `size`."""
    if model is Model.POISSON:
        return float(pdtr(accept, size * fraction))
    return float(bdtr(float(accept), size, fraction)) if accept < size else 1.0


def acceptance_of_lot(size: int, accept: int, bad: int, lot: int) -> float:
    """The same for a lot of `lot` pieces of which `bad` are nonconforming (hypergeometric)."""
    from scipy.stats import hypergeom

    return float(hypergeom.cdf(accept, lot, bad, size))


def quality_at(size: int, accept: int, probability: float, model: Model = Model.BINOMIAL) -> float:
    """The fraction nonconforming that is accepted with a given probability."""
    if model is Model.POISSON:
        from scipy.optimize import brentq

        top = (accept + 10) * 10 / size
        return float(brentq(lambda p: acceptance(size, accept, p, model) - probability, 0, top, xtol=1e-14))
    return float(bdtri(accept, size, probability))


def curve(size: int, accept: int, model: Model = Model.BINOMIAL) -> Curve:
    """The curve of a plan for a long series, at round fractions down to where hardly a lot passes."""
    _checked(size, accept, model)
    end = quality_at(size, accept, _NEGLIGIBLE, model)
    step = _round_step(end / 100)
    count = min(int(end / step) + 2, MAX_POINTS)
    fractions = np.round(np.arange(count) * step, 12)
    fractions = fractions[fractions <= 1] if model is Model.BINOMIAL else fractions
    return fractions, np.array([acceptance(size, accept, p, model) for p in fractions])


def _round_step(rough: float) -> float:
    power = 10.0 ** np.floor(np.log10(rough))
    return float(max(step for step in _STEPS if step * power <= rough * (1 + 1e-12)) * power)


def curve_of_lot(size: int, accept: int, lot: int) -> Curve:
    """The curve for a finite lot, at fractions that are whole pieces; of a very large lot, not every piece."""
    from scipy.stats import hypergeom

    _checked(size, accept, Model.HYPERGEOMETRIC)
    if not size <= lot <= MAX_SIZE:
        raise UsageError("sample-does-not-come-from", size=size, lot=lot)
    stride = -(-lot // MAX_POINTS)
    bad = np.arange(0, lot + 1, stride)
    return bad / lot, np.asarray(hypergeom.cdf(accept, lot, bad, size))


def _checked(size: int, accept: int, model: Model) -> None:
    if not 1 <= size <= MAX_SIZE:
        raise UsageError("sample-size-range", max_size=f"{MAX_SIZE:,}", size=size)
    if accept < 0 or (accept >= size and model is not Model.POISSON):
        raise UsageError("acceptance-range", size=size - 1, accept=accept)


# Finding a plan: the smallest sample that keeps both the producer's and the consumer's risk.

MAX_ACCEPT: Final = 10_000
"""Acceptance numbers that are tried before a plan is given up."""
MAX_VARIABLES: Final = 100_000
"""Pieces of the largest sample by variables that is tried."""


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
                raise UsageError("fractions-and-risks")
        if self.producer.fraction >= self.consumer.fraction:
            raise UsageError("producer-fraction-must-smaller-than")
        if self.producer.risk + self.consumer.risk >= 1:
            raise UsageError("two-risks-together-must-stay")


@dataclass(frozen=True, slots=True)
class Rectified:
    """Where refused lots are sorted piece by piece: what goes out on average, at worst, and how much is inspected."""

    aoql: float
    """The worst average outgoing fraction nonconforming,"""
    at: float
    """and the incoming fraction at which it comes about."""
    points: tuple[tuple[float, float, float], ...]
    """Incoming fraction, average outgoing fraction, pieces inspected on average."""


def rectified(size: int, accept: int, lot: int) -> Rectified:
    """AOQ = Pa·p·(N − n)/N and ATI = n + (1 − Pa)(N − n); bad pieces found are replaced by good ones."""
    _checked(size, accept, Model.BINOMIAL)
    if size > lot:
        raise UsageError("sample-does-not-come-from", size=size, lot=lot)
    fractions = np.linspace(0, min(1.0, 4 * quality_at(size, accept, 0.5)), 2001)
    passed = np.array([acceptance(size, accept, float(p)) for p in fractions])
    outgoing, inspected = passed * fractions * (lot - size) / lot, size + (1 - passed) * (lot - size)
    worst = int(outgoing.argmax())
    points = tuple(zip(fractions[::40].tolist(), outgoing[::40].tolist(), inspected[::40].tolist(), strict=True))
    return Rectified(float(outgoing[worst]), float(fractions[worst]), points)


def plan_for_ltpd(worst: Risk, accept: int = 0, lot: int | None = None) -> Plan:
    """The smallest sample that lets lots of this quality pass at most so often; with Ac = 0 a zero-acceptance plan."""
    if not (0 < worst.fraction < 1 and 0 < worst.risk < 1):
        raise UsageError("fractions-and-risks-consumer")
    if lot is None:
        size = _consumer_size(worst, accept, 1)
        return Plan(size, accept, accept + 1)
    bad = ceil(worst.fraction * lot - 1e-9)
    if acceptance_of_lot(lot, accept, bad, lot) > worst.risk:
        raise UsageError("lot-passes-anyway", lot=lot, bad=bad, accept=accept)
    size = 1 + bisect_left(range(1, lot), True, key=lambda n: acceptance_of_lot(n, accept, bad, lot) <= worst.risk)
    return Plan(size, accept, accept + 1)


def smallest_plan_of_lot(risks: Risks, lot: int) -> Plan:
    """The smallest single plan for lots of one size, hypergeometric: finite lots need fewer pieces."""
    good = int(risks.producer.fraction * lot + 1e-9)
    for accept in range(lot):
        plan = plan_for_ltpd(risks.consumer, accept, lot)
        if acceptance_of_lot(plan.size, accept, good, lot) >= 1 - risks.producer.risk:
            return plan
    raise UsageError("no-plan-for-lot", lot=lot)


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
    raise UsageError("no-plan-keeps-risks", max_accept=f"{MAX_ACCEPT:,}")


def _consumer_size(consumer: Risk, accept: int, start: int) -> int:
    """The smallest sample, not below `start`, whose acceptance of bad lots is rare enough."""

    def protects(size: int) -> bool:
        return size > accept and float(bdtr(float(accept), size, consumer.fraction)) <= consumer.risk

    return _smallest(protects, start)


def _smallest(keeps: Callable[[int], bool], start: int) -> int:
    """The smallest sample, not below `start`, that keeps a risk; all larger ones do."""
    below, step = start - 1, 1
    while not keeps(below + step):
        below, step = below + step, 2 * step
    return below + 1 + bisect_left(range(below + 1, below + step), True, key=keeps)


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
    size = _smallest(lambda n: _unknown_keeps(risks, n), 2)
    return VariablesPlan(size, _consumer_k(risks.consumer, size), sigma_known=False)


def _known_plan(risks: Risks) -> VariablesPlan:
    good, bad = -float(ndtri(risks.producer.fraction)), -float(ndtri(risks.consumer.fraction))
    reach = -float(ndtri(risks.producer.risk)) - float(ndtri(risks.consumer.risk))
    size = max(1, ceil((reach / (good - bad)) ** 2 - 1e-9))
    _refuse_larger(size)
    return VariablesPlan(size, bad - float(ndtri(risks.consumer.risk)) / sqrt(size), sigma_known=True)


def _consumer_k(consumer: Risk, size: int) -> float:
    """The k at which a lot of the consumer's fraction passes with exactly the consumer's risk (noncentral t)."""
    from scipy.stats import nct

    shift = -float(ndtri(consumer.fraction)) * sqrt(size)
    return float(nct.ppf(1 - consumer.risk, size - 1, shift)) / sqrt(size)


def _refuse_larger(size: int) -> None:
    if size > MAX_VARIABLES:
        raise UsageError("no-plan-of-size", max_variables=f"{MAX_VARIABLES:,}")


def _unknown_keeps(risks: Risks, size: int) -> bool:
    _refuse_larger(size)
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
        from scipy.stats import nct

        # The noncentral t routine underflows there; the lot is accepted but for rounding unless k is absurd.
        return float(nct.sf(k * sqrt(size), size - 1, quantile * sqrt(size)))
    return 1 - float(nctdtr(size - 1, quantile * sqrt(size), k * sqrt(size)))


def attributes_oc(
    size: int, accept: int, lot: int | None = None, *, poisson: bool = False, at: Sequence[float] = ()
) -> tuple[Curve, dict[str, Any]]:
    """The curve of a plan by attributes, and what is told of it in the form that scripts rely on."""
    if lot is not None and poisson:
        raise UsageError("lot-excludes-poisson")
    model = Model.POISSON if poisson else Model.BINOMIAL if lot is None else Model.HYPERGEOMETRIC
    found = curve(size, accept, model) if lot is None else curve_of_lot(size, accept, lot)
    data: dict[str, Any] = {"n": size, "ac": accept, "lot": lot, "model": model.value}
    if lot is None:
        data["quality_at"] = {f"{level:g}": quality_at(size, accept, level, model) for level in (0.95, 0.5, 0.1)}
    data["at"] = [[fraction, _chance(size, accept, fraction, model, lot)] for fraction in at]
    if lot is not None and size < lot:
        sorted_out = rectified(size, accept, lot)
        data |= {"aoql": sorted_out.aoql, "aoql_at": sorted_out.at, "aoq": [list(row) for row in sorted_out.points]}
    return found, data


def _chance(size: int, accept: int, fraction: float, model: Model, lot: int | None) -> float:
    if lot is None:
        return acceptance(size, accept, fraction, model)
    bad = fraction * lot
    if abs(bad - round(bad)) > 1e-6:
        raise UsageError("not-whole-pieces", fraction=f"{fraction:g}", lot=lot)
    return acceptance_of_lot(size, accept, round(bad), lot)
