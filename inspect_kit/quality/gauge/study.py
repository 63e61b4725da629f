"""Gauge repeatability and reproducibility: how much of the spread is gauge, people, parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, floor, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, fdtrc, fdtri

from inspect_kit.errors import BadInput
from inspect_kit.quality.process.capability import Interval, d2, d2_star
from inspect_kit.quality.sample import Floats, Sample

# Confidence limits of variance components by the modified large sample method (Graybill and Wang; Ting and others).

_TAIL: Final = 0.05
"""Beyond each of the two limits: AIAG prints them for 90 %."""


@dataclass(frozen=True, slots=True)
class AnovaLine:
    """One line of the analysis of variance."""

    name: str
    dof: int
    sum_of_squares: float
    f: float | None = None
    p_value: float | None = None

    @property
    def mean_square(self) -> float:
        """Sum of squares ÷ degrees of freedom."""
        return self.sum_of_squares / self.dof if self.dof else 0.0

    def tested(self, against: AnovaLine) -> AnovaLine:
        """The line with F and its p-value against another; as it is where that does not scatter."""
        if not self.dof or not against.mean_square:
            return self
        f = self.mean_square / against.mean_square
        return replace(self, f=f, p_value=float(fdtrc(self.dof, against.dof, f)))

    def down(self) -> float:
        """1 − ν/χ² at the upper tail: how far, relatively, the true mean square may lie below."""
        return 1 - self.dof / float(chdtri(self.dof, _TAIL))

    def up(self) -> float:
        """ν/χ² at the lower tail − 1: how far, relatively, the true mean square may lie above."""
        return self.dof / float(chdtri(self.dof, 1 - _TAIL)) - 1


Term = tuple[float, AnovaLine]


def interval_of_sum(terms: Sequence[Term]) -> Interval:
    """Limits of √(Σ c·MS), all c positive."""
    estimate = sum(factor * line.mean_square for factor, line in terms)
    below = sum((factor * line.mean_square * line.down()) ** 2 for factor, line in terms)
    above = sum((factor * line.mean_square * line.up()) ** 2 for factor, line in terms)
    return sqrt(max(0.0, estimate - sqrt(below))), sqrt(estimate + sqrt(above))


def interval_of_difference(first: Term, second: Term) -> Interval:
    """Limits of √(c₁·MS₁ − c₂·MS₂); a negative lower limit is 0."""
    (one, left), (two, right) = first, second
    a, b = one * left.mean_square, two * right.mean_square
    down, up = left.down(), right.up()
    high = float(fdtri(left.dof, right.dof, 1 - _TAIL))
    cross = ((high - 1) ** 2 - (down * high) ** 2 - up**2) / high
    below = (down * a) ** 2 + (up * b) ** 2 + cross * a * b
    rise, fall = left.up(), right.down()
    low = float(fdtri(left.dof, right.dof, _TAIL))
    cross = ((1 - low) ** 2 - (rise * low) ** 2 - fall**2) / low
    above = (rise * a) ** 2 + (fall * b) ** 2 + cross * a * b
    estimate = a - b
    low, high = estimate - sqrt(max(0.0, below)), estimate + sqrt(max(0.0, above))
    return sqrt(max(0.0, low)), sqrt(max(0.0, high))


POOLING_P: Final = 0.25
"""The interaction is pooled with the repeatability if its p-value is larger (AIAG)."""
DISTINCT: Final = 1.41
"""√2, as AIAG rounds it: distinct categories are 1.41 PV / GRR."""
MAX_CELLS: Final = 1_000_000
"""Readings of one study: parts × operators × trials."""


@dataclass(frozen=True)
class GaugeStudy:
    """A crossed study: readings by part, operator and trial, seen from one origin."""

    parts: tuple[str, ...]
    operators: tuple[str, ...]
    readings: NDArray[np.float64]
    origin: float = 0.0

    @property
    def trials(self) -> int:
        """Readings of one part by one operator."""
        return int(self.readings.shape[2])


@dataclass(frozen=True)
class GaugeResult:
    """Standard deviations: repeatability `ev`, operators `av`, interaction, gauge `grr`, parts `pv`, total `tv`."""

    method: str
    ev: float
    av: float
    interaction: float
    pv: float
    dof: Mapping[str, float]
    anova: tuple[AnovaLine, ...] = ()
    interaction_p: float | None = None
    pooled: bool | None = None
    intervals: Mapping[str, Interval] | None = None

    @property
    def grr(self) -> float:
        """Repeatability and reproducibility together."""
        return sqrt(self.ev**2 + self.av**2 + self.interaction**2)

    @property
    def tv(self) -> float:
        """Gauge and parts together."""
        return sqrt(self.grr**2 + self.pv**2)

    @property
    def ndc(self) -> int | None:
        """Number of distinct categories, cut to a whole number; `None` if the gauge does not scatter at all."""
        return floor(DISTINCT * self.pv / self.grr) if self.grr else None

    def percent(self, deviation: float) -> float:
        """Share of the total variation, in standard deviations: the shares do not add up to 100."""
        return 100 * deviation / self.tv


def arranged(sample: Sample, keys: Sequence[tuple[str, str, str]], where: str) -> GaugeStudy:
    """Rows of (part, operator, trial) as a complete crossed study; what is missing or doubled is an error."""
    parts = tuple(dict.fromkeys(key[0] for key in keys))
    operators = tuple(dict.fromkeys(key[1] for key in keys))
    trials = tuple(dict.fromkeys(key[2] for key in keys))
    if len(parts) < 2 or len(trials) < 2:
        raise BadInput("gauge-study-needs-two-parts", where=where)
    if len(parts) * len(operators) * len(trials) > MAX_CELLS:
        raise BadInput("not-crossed-study-too-many", where=where)
    readings = np.full((len(parts), len(operators), len(trials)), np.nan)
    places = [{name: place for place, name in enumerate(names)} for names in (parts, operators, trials)]
    for key, offset in zip(keys, sample.offsets, strict=True):
        cell = tuple(place[name] for place, name in zip(places, key, strict=True))
        if not np.isnan(readings[cell]):
            raise BadInput("two-readings-of", where=where, **_named(key))
        readings[cell] = offset
    gap = np.argwhere(np.isnan(readings))
    if len(gap):
        names = tuple(names[place] for names, place in zip((parts, operators, trials), gap[0], strict=True))
        raise BadInput("no-reading-of-part", where=where, **_named(names))
    return GaugeStudy(parts, operators, readings, float(sample.origin))


def _named(key: Sequence[str]) -> dict[str, str]:
    return {what: name[:30] for what, name in zip(("part", "operator", "trial"), key, strict=True)}


def by_anova(study: GaugeStudy, pooling_p: float = POOLING_P) -> GaugeResult:
    """The two-way analysis of variance with random effects; with one operator the one-way."""
    readings = study.readings
    parts, operators, trials = readings.shape
    grand = readings.mean()
    part_ss = operators * trials * ((readings.mean(axis=(1, 2)) - grand) ** 2).sum()
    operator_ss = parts * trials * ((readings.mean(axis=(0, 2)) - grand) ** 2).sum()
    cells = readings.mean(axis=2)
    residual = cells - readings.mean(axis=(1, 2))[:, None] - readings.mean(axis=(0, 2))[None, :] + grand
    repeat_ss = float(((readings - cells[:, :, None]) ** 2).sum())
    part, operator = (
        AnovaLine("part", parts - 1, float(part_ss)),
        AnovaLine("operator", operators - 1, float(operator_ss)),
    )
    interaction = AnovaLine("interaction", (parts - 1) * (operators - 1), float(trials * (residual**2).sum()))
    repeat = AnovaLine("repeatability", parts * operators * (trials - 1), repeat_ss)
    p_value = _p_value(interaction, repeat) if operators > 1 else None
    pooled = p_value is None or p_value > pooling_p
    both = AnovaLine("repeatability", interaction.dof + repeat.dof, interaction.sum_of_squares + repeat_ss)
    error = both if pooled else repeat
    return _components((part, operator, interaction, repeat), error, error if pooled else interaction, study, p_value)


def _p_value(effect: AnovaLine, against: AnovaLine) -> float:
    if against.mean_square == 0:
        return 0.0 if effect.mean_square > 0 else 1.0
    return float(fdtrc(effect.dof, against.dof, effect.mean_square / against.mean_square))


def _components(
    effects: tuple[AnovaLine, AnovaLine, AnovaLine, AnovaLine],
    error: AnovaLine,
    against: AnovaLine,
    study: GaugeStudy,
    p_value: float | None,
) -> GaugeResult:
    """Variance components from the expected mean squares; a negative one is 0."""
    part, operator, interaction, repeat = effects
    parts, operators, trials = study.readings.shape
    kept = error is repeat and operators > 1
    variance_interaction = max(0.0, (interaction.mean_square - error.mean_square) / trials) if kept else 0.0
    variance_operator = (
        max(0.0, (operator.mean_square - against.mean_square) / (parts * trials)) if operators > 1 else 0.0
    )
    variance_part = max(0.0, (part.mean_square - against.mean_square) / (operators * trials))
    result = GaugeResult(
        "anova", sqrt(error.mean_square), sqrt(variance_operator), sqrt(variance_interaction), sqrt(variance_part),
        dof={"ev": error.dof, "av": operator.dof, "interaction": interaction.dof},
        # Parts and operators against interaction or pooled error, interaction against error.
        anova=(part.tested(against), operator.tested(against), interaction.tested(repeat), repeat),
        interaction_p=p_value, pooled=not kept,
        intervals=_intervals(operator, error, against, study),
    )  # fmt: skip
    _varies(result)
    return result


def _intervals(
    operator: AnovaLine, error: AnovaLine, against: AnovaLine, study: GaugeStudy
) -> Mapping[str, Interval] | None:
    """90 % limits after the modified large sample method, for the pooled model that AIAG prints them for."""
    if error.mean_square == 0:
        return None
    parts, _, trials = study.readings.shape
    found = {"ev": interval_of_sum([(1.0, error)])}
    if operator.dof and against is error:
        share = 1 / (parts * trials)
        found["av"] = interval_of_difference((share, operator), (share, error))
        found["grr"] = interval_of_sum([(share, operator), (1 - share, error)])
    return found


def by_average_and_range(study: GaugeStudy) -> GaugeResult:
    """The average-and-range method: mean range ÷ d2 for the gauge, range of means ÷ d2* for operators and parts."""
    readings = study.readings
    parts, operators, trials = readings.shape
    mean_range = float(np.ptp(readings, axis=2).mean())
    ev = mean_range / d2(trials)
    between = float(np.ptp(readings.mean(axis=(0, 2)))) / d2_star(operators, 1) if operators > 1 else 0.0
    av = sqrt(max(0.0, between**2 - ev**2 / (parts * trials)))
    pv = float(np.ptp(readings.mean(axis=(1, 2)))) / d2_star(parts, 1)
    dof = {"ev": 0.9 * parts * operators * (trials - 1), "av": float(operators - 1), "interaction": 0.0}
    result = GaugeResult("average-range", ev, av, 0.0, pv, dof)
    _varies(result)
    return result


def _varies(result: GaugeResult) -> None:
    if result.tv == 0:
        raise BadInput("readings-all-same")


METHODS: Final = {"anova": by_anova, "average-range": by_average_and_range}


def study_data(result: GaugeResult, tolerance: float | None) -> dict[str, object]:
    """The study in the form that scripts rely on."""
    parts = {"ev": result.ev, "av": result.av, "grr": result.grr, "pv": result.pv, "tv": result.tv}
    return {
        "method": result.method, **parts, "interaction": result.interaction,
        **{f"{name}_pct": result.percent(value) for name, value in parts.items()},
        "interaction_p": result.interaction_p, "pooled": result.pooled, "ndc": result.ndc,
        "grr_contribution_pct": 100 * (result.grr / result.tv) ** 2,
        "grr_tolerance_pct": None if tolerance is None else 600 * result.grr / tolerance,
        "intervals_90": result.intervals,
        "anova": [
            {"source": e.name, "dof": e.dof, "ss": e.sum_of_squares, "ms": e.mean_square, "f": e.f, "p": e.p_value}
            for e in result.anova
        ],
    }  # fmt: skip


# Gauge studies that are not crossed and complete: nested parts, and parts measured unequally often.


def balanced(keys: Sequence[tuple[str, str, str]]) -> bool:
    """Whether every operator has measured every part equally often."""
    counts = Counter((part, operator) for part, operator, _ in keys)
    parts, operators = {part for part, _ in counts}, {operator for _, operator in counts}
    return len(set(counts.values())) == 1 and len(counts) == len(parts) * len(operators)


def by_nested_anova(sample: Sample, keys: Sequence[tuple[str, str]], where: str = "") -> GaugeResult:
    """Every operator with parts of his own, as where measuring destroys them: operator, part within operator, rest."""
    groups: dict[str, dict[str, list[float]]] = {}
    for (operator, part), value in zip(keys, sample.offsets, strict=True):
        groups.setdefault(operator, {}).setdefault(part, []).append(float(value))
    trials = {len(values) for parts in groups.values() for values in parts.values()}
    sizes = {len(parts) for parts in groups.values()}
    if len(groups) < 2 or len(sizes) != 1 or len(trials) != 1 or min(trials) < 2 or min(sizes) < 2:
        raise BadInput("nested-study-needs-two-operators", where=where)
    cube = np.array([list(parts.values()) for parts in groups.values()])
    operators, parts, repeats = cube.shape
    inside = cube.mean(axis=2) - cube.mean(axis=(1, 2))[:, None]
    between_ss = parts * repeats * ((cube.mean(axis=(1, 2)) - cube.mean()) ** 2).sum()
    error_ss = ((cube - cube.mean(axis=2)[..., None]) ** 2).sum()
    between = AnovaLine("operator", operators - 1, float(between_ss))
    within = AnovaLine("part (operator)", operators * (parts - 1), float(repeats * (inside**2).sum()))
    error = AnovaLine("repeatability", operators * parts * (repeats - 1), float(error_ss))
    av = max(0.0, (between.mean_square - within.mean_square) / (parts * repeats))
    pv = max(0.0, (within.mean_square - error.mean_square) / repeats)
    return GaugeResult(
        "nested", sqrt(error.mean_square), sqrt(av), 0.0, sqrt(pv),
        dof={"ev": error.dof, "av": between.dof, "interaction": 0},
        anova=(between.tested(within), within.tested(error), error),
    )  # fmt: skip


def by_reml(sample: Sample, keys: Sequence[tuple[str, str]], where: str = "") -> GaugeResult:
    """Parts and operators crossed, with gaps or unequal numbers: components by restricted maximum likelihood."""
    from scipy.optimize import minimize

    parts, operators = (
        {name: place for place, name in enumerate(dict.fromkeys(names))} for names in zip(*keys, strict=True)
    )
    count = len(keys)
    if len(parts) < 2 or count > 3_000 or count < len(parts) + len(operators) + 1:
        raise BadInput("unbalanced-study-needs-two-parts", where=where)
    scale = sample.deviation
    if scale == 0:
        raise BadInput("readings-all-same", where=where)
    values = sample.offsets / scale
    shared = [_same([part for part, _ in keys])]
    shared += [_same([operator for _, operator in keys]), _same(list(keys))] if len(operators) > 1 else []

    def lost(guess: Floats) -> float:
        return -restricted_likelihood(values, shared, [exp(min(30.0, 2 * entry)) for entry in guess])

    start = np.full(len(shared) + 1, log(0.5))
    found = minimize(lost, start, method="Nelder-Mead", options={"maxiter": 6000, "xatol": 1e-7, "fatol": 1e-10})
    sizes = [scale * exp(min(15.0, float(entry))) for entry in found.x]
    sizes = [0.0 if size < 1e-6 * scale else size for size in sizes]
    error, part, operator, interaction = (*sizes, 0.0, 0.0)[:4]
    dof = {"ev": float(count - len(set(keys))), "av": float(len(operators) - 1), "interaction": 0.0}
    return GaugeResult("reml", error, operator, interaction, part, dof=dof)


def _same(names: Sequence[object]) -> Floats:
    """Which readings share a part, an operator, or both: 1 where they do."""
    numbers = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = np.array([numbers[name] for name in names])
    return np.asarray(codes[:, None] == codes[None, :], dtype=np.float64)


def restricted_likelihood(values: Floats, shared: Sequence[Floats], variances: Sequence[float]) -> float:
    """The logarithm of the restricted likelihood of a mean and these variances (the first is the repeatability's)."""
    covariance = variances[0] * np.eye(len(values))
    for square, variance in zip(shared, variances[1:], strict=True):
        covariance += variance * square
    try:
        factor = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return -1e12
    whitened, ones = np.linalg.solve(factor, values), np.linalg.solve(factor, np.ones(len(values)))
    weight = float(ones @ ones)
    rest = whitened - ones * float(ones @ whitened) / weight
    return -(float(np.log(np.diag(factor)).sum()) + 0.5 * log(weight) + 0.5 * float(rest @ rest))
