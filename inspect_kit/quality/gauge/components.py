"""Gauge studies that are not crossed and complete: nested parts, and parts measured unequally often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, log, sqrt

import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.quality.gauge.study import AnovaLine, GaugeResult
from inspect_kit.quality.sample import Floats, Sample


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
