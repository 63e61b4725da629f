"""A gauge against known values: the Type 1 study on one reference part, and linearity over several."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from scipy.special import stdtr, stdtrit

from inspect_kit.errors import BadInput
from inspect_kit.quality.process.capability import CONFIDENCE, Interval
from inspect_kit.quality.sample import Floats, Sample

SHARE_OF_TOLERANCE: Final = 0.2
"""Cg asks that six standard deviations of the gauge fit into a fifth of the tolerance."""


@dataclass(frozen=True, slots=True)
class TypeOne:
    """Repeated readings of one part of known size: scatter, bias, and both against the tolerance."""

    count: int
    mean: float
    deviation: float
    bias: float
    t: float | None
    p_value: float
    bias_interval: Interval
    cg: float | None
    cgk: float | None


def type_one(sample: Sample, reference: float, tolerance: float | None, where: str = "") -> TypeOne:
    """Cg = 0.2 T/(6 s) and Cgk = (0.1 T − |bias|)/(3 s); T is the whole width of the tolerance."""
    count = len(sample)
    if count < 2:
        raise BadInput("type-1-study-needs-least", where=where)
    bias = float(sample.offsets.mean()) - sample.offset(reference)
    spread = sample.deviation
    error = spread / sqrt(count)
    half = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * error
    t = bias / error if error else None
    room = None if tolerance is None else SHARE_OF_TOLERANCE * tolerance
    measurable = room is not None and spread > 0
    return TypeOne(
        count, sample.mean, spread, bias, t, _two_sided(t, count - 1, bias), (bias - half, bias + half),
        cg=room / (6 * spread) if room is not None and measurable else None,
        cgk=(room / 2 - abs(bias)) / (3 * spread) if room is not None and measurable else None,
    )  # fmt: skip


def _two_sided(t: float | None, dof: int, bias: float) -> float:
    if t is None:
        return 1.0 if bias == 0 else 0.0
    return 2 * float(stdtr(dof, -abs(t)))


@dataclass(frozen=True)
class Linearity:
    """Bias as a straight line over the reference value."""

    count: int
    slope: float
    intercept: float
    deviation: float
    r_squared: float
    slope_p: float
    intercept_p: float
    references: Floats
    biases: Floats
    part_biases: tuple[tuple[float, float, float], ...]
    """Reference, mean bias and its p-value, part by part."""

    @property
    def dof(self) -> int:
        """Degrees of freedom of the scatter about the line."""
        return self.count - 2

    def band(self, reference: Floats) -> Floats:
        """Half-width of the 95 % confidence band of the line."""
        spread = ((self.references - self.references.mean()) ** 2).sum()
        lever = 1 / self.count + (reference - self.references.mean()) ** 2 / spread
        factor = float(stdtrit(self.dof, (1 + CONFIDENCE) / 2)) * self.deviation
        return np.asarray(factor * np.sqrt(lever), dtype=np.float64)


def linearity(references: Floats, readings: Floats, where: str = "") -> Linearity:
    """The least-squares line of bias = reading − reference."""
    levels = np.unique(references)
    if len(levels) < 2 or len(references) < 4:
        raise BadInput("linearity-needs-two-reference-values", where=where)
    biases = readings - references
    centre = references.mean()
    spread = ((references - centre) ** 2).sum()
    slope = float(((references - centre) * (biases - biases.mean())).sum() / spread)
    intercept = float(biases.mean() - slope * centre)
    left = biases - intercept - slope * references
    count = len(biases)
    deviation = sqrt(float((left**2).sum()) / (count - 2))
    total = float(((biases - biases.mean()) ** 2).sum())
    return Linearity(
        count, slope, intercept, deviation,
        r_squared=1 - float((left**2).sum()) / total if total else 0.0,
        slope_p=_line_p(slope, deviation / sqrt(spread), count - 2),
        intercept_p=_line_p(intercept, deviation * sqrt(1 / count + centre**2 / spread), count - 2),
        references=references, biases=biases,
        part_biases=tuple(_part_bias(float(level), biases[references == level]) for level in levels),
    )  # fmt: skip


def _line_p(value: float, error: float, dof: int) -> float:
    return _two_sided(value / error if error else None, dof, value)


def _part_bias(level: float, biases: Floats) -> tuple[float, float, float]:
    mean = float(biases.mean())
    if len(biases) < 2:
        return level, mean, 1.0
    error = float(biases.std(ddof=1)) / sqrt(len(biases))
    return level, mean, _two_sided(mean / error if error else None, len(biases) - 1, mean)
