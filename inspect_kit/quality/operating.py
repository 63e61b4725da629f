"""Operating characteristics: how often a plan accepts lots of a given quality."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from scipy.optimize import brentq
from scipy.special import bdtr, bdtri, pdtr

from inspect_kit.errors import UsageError
from inspect_kit.quality.sample import Floats

MAX_SIZE: Final = 10**7
MAX_POINTS: Final = 2_000
_NEGLIGIBLE: Final = 0.0005
_STEPS: Final = (1, 2, 5, 10)


class Model(StrEnum):
    """What is counted: nonconforming pieces of a long series or of a finite lot, or nonconformities per piece."""

    BINOMIAL = "binomial"
    HYPERGEOMETRIC = "hypergeometric"
    POISSON = "poisson"


@dataclass(frozen=True)
class Curve:
    """Points of an operating characteristic: fraction nonconforming → probability of acceptance."""

    size: int
    accept: int
    model: Model
    fractions: Floats
    probabilities: Floats


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
    return Curve(size, accept, model, fractions, np.array([acceptance(size, accept, p, model) for p in fractions]))


def _round_step(rough: float) -> float:
    power = 10.0 ** np.floor(np.log10(rough))
    return float(max(step for step in _STEPS if step * power <= rough * (1 + 1e-12)) * power)


def curve_of_lot(size: int, accept: int, lot: int) -> Curve:
    """The curve for a finite lot, at fractions that are whole pieces; of a very large lot, not every piece."""
    from scipy.stats import hypergeom

    _checked(size, accept, Model.HYPERGEOMETRIC)
    if not size <= lot <= MAX_SIZE:
        raise UsageError(f"a sample of {size} does not come from a lot of {lot}")
    stride = -(-lot // MAX_POINTS)
    bad = np.arange(0, lot + 1, stride)
    probabilities = np.asarray(hypergeom.cdf(accept, lot, bad, size))
    return Curve(size, accept, Model.HYPERGEOMETRIC, bad / lot, probabilities)


def _checked(size: int, accept: int, model: Model) -> None:
    if not 1 <= size <= MAX_SIZE:
        raise UsageError(f"a sample has from 1 to {MAX_SIZE:,} pieces, not {size}")
    if accept < 0 or (accept >= size and model is not Model.POISSON):
        raise UsageError(f"the acceptance number lies between 0 and {size - 1}, not {accept}")
