"""The uncertainty of a model in Python: correlated inputs, degrees of freedom, second-order terms (GUM 5, G.4)."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class InputEstimate:
    """An input of a model: its value, standard uncertainty and degrees of freedom."""

    value: float
    standard: float
    dof: float = math.inf

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and 0 <= self.standard < math.inf):
            raise ValueError("an estimate has a finite value and a standard uncertainty that is not negative")
        if not self.dof > 0:
            raise ValueError("degrees of freedom are positive")


Model = Callable[..., float]
"""Called with the inputs by name; must be defined one standard uncertainty to either side of them."""

Correlations = Mapping[tuple[str, str], float]
"""Pairs of inputs, in either order, with their correlation coefficient; a pair that is not there is uncorrelated."""

_UNCORRELATED: Final[Correlations] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PropagationResult:
    """A value, its combined standard uncertainty, and what each input contributed (c_i u_i, with its sign)."""

    value: float
    standard: float
    dof: float
    contributions: Mapping[str, float]
    correlations: Correlations = field(repr=False)

    def expanded(self, level: float = 0.95) -> float:
        """U for a level of confidence, with the coverage factor of the t-distribution (GUM G.4.1)."""
        return coverage_factor(self.dof, level) * self.standard


def propagate(
    model: Model,
    inputs: Mapping[str, InputEstimate],
    correlations: Correlations = _UNCORRELATED,
    *,
    second_order: bool = False,
) -> PropagationResult:
    """The model's value with its uncertainty; the second order (GUM 5.1.2, note) is for uncorrelated inputs only."""
    _check_correlations(inputs, correlations)
    if second_order and any(correlations.values()):
        raise ValueError("the second-order terms are known for uncorrelated inputs only")
    at = _displaced(model, inputs)
    contributions = {name: _slope(at, name) for name, estimate in inputs.items() if estimate.standard}
    variance = _covariance(contributions, contributions, correlations)
    extra = _second_order(at, contributions) if second_order else 0.0
    return PropagationResult(
        value=at({}),
        standard=math.sqrt(max(0.0, variance + extra)),
        dof=_effective_dof(inputs, contributions, correlations),
        contributions=contributions,
        correlations=correlations,
    )


def correlation(left: PropagationResult, right: PropagationResult) -> float:
    """Correlation coefficient of two results of the same inputs (GUM H.2, table H.3)."""
    if left.contributions.keys() != right.contributions.keys() or left.correlations != right.correlations:
        raise ValueError("only results of the same inputs can be correlated through them")

    def between(a: PropagationResult, b: PropagationResult) -> float:
        return _covariance(a.contributions, b.contributions, left.correlations)

    scale = math.sqrt(between(left, left) * between(right, right))
    if scale == 0:
        raise ValueError("a result without uncertainty is not correlated with anything")
    return max(-1.0, min(1.0, between(left, right) / scale))


def welch_satterthwaite(parts: Iterable[tuple[float, float]]) -> float:
    """Effective degrees of freedom of a sum of independent variances, each with its own (GUM G.4.1)."""
    known = tuple(parts)
    total = math.fsum(variance for variance, _ in known)
    weight = math.fsum((variance / total) ** 2 / dof for variance, dof in known) if total else 0.0
    return 1 / weight if weight else math.inf


def truncated(dof: float) -> float:
    """The next lower whole number, with which the GUM enters the table of t; never rounded up."""
    return dof if math.isinf(dof) else float(math.floor(dof))


def coverage_factor(dof: float = math.inf, level: float = 0.95) -> float:
    """k for a level of confidence: t of the truncated degrees of freedom, or of the normal distribution."""
    if not 0 < level < 1:
        raise ValueError(f"a level of confidence lies between 0 and 1, not at {level}")
    if not dof >= 1:
        raise ValueError(f"no coverage factor with less than one degree of freedom ({dof})")
    from scipy.special import ndtri, stdtrit

    quantile = (1 + level) / 2
    return float(ndtri(quantile) if math.isinf(dof) else stdtrit(truncated(dof), quantile))


def _check_correlations(inputs: Mapping[str, InputEstimate], correlations: Correlations) -> None:
    for (left, right), coefficient in correlations.items():
        if left not in inputs or right not in inputs or left == right:
            raise ValueError(f"{left} and {right} are not two inputs")
        if not -1 <= coefficient <= 1:
            raise ValueError(f"a correlation coefficient lies between -1 and 1, not at {coefficient}")
        if correlations.get((right, left), coefficient) != coefficient:
            raise ValueError(f"{left} and {right} have two correlation coefficients")


_At = Callable[[Mapping[str, float]], float]
"""The model with some inputs moved, by so many standard uncertainties each."""

_LEVELS: Final = 5
"""Steps of a derivative, each half of the one before."""


def _displaced(model: Model, inputs: Mapping[str, InputEstimate]) -> _At:
    def at(moves: Mapping[str, float]) -> float:
        return float(model(**{name: e.value + moves.get(name, 0.0) * e.standard for name, e in inputs.items()}))

    return at


def _slope(at: _At, name: str) -> float:
    """c u of one input: central differences with halved steps, extrapolated to none (Richardson).

    The first step is a whole standard uncertainty, because that is where the result moves clear of rounding; the row
    whose extrapolation moved least wins.
    """
    row: list[float] = []
    best, doubt = math.nan, math.inf
    for level in range(_LEVELS):
        step = 0.5**level
        new = [(at({name: step}) - at({name: -step})) / (2 * step)]
        for order, older in enumerate(row, start=1):
            new.append(new[-1] + (new[-1] - older) / (4**order - 1))
        if row and abs(new[-1] - row[-1]) < doubt:
            best, doubt = new[-1], abs(new[-1] - row[-1])
        row = new
    if math.isnan(best):
        raise ValueError(f"the model has no derivative by {name} here")
    return best


def _second_order(at: _At, contributions: Mapping[str, float]) -> float:
    """Σ Σ (½ f_ij² + f_i f_ijj) u_i² u_j²: what the curvature of the model adds to the variance."""
    return math.fsum(
        _mixed(at, i, j) ** 2 / 2 + contributions[i] * _third(at, i, j) for i, j in product(contributions, repeat=2)
    )


_STEP: Final = 0.25
"""Of a standard uncertainty: small enough for a derivative, large enough to divide a difference by its cube."""


def _corner(at: _At, i: str, j: str, along: int, across: int) -> float:
    # Moves add up where i and j are the same input: the formulas below then give its pure derivatives.
    moves = {i: along * _STEP}
    moves[j] = moves.get(j, 0.0) + across * _STEP
    return at(moves)


def _mixed(at: _At, i: str, j: str) -> float:
    """f_ij u_i u_j."""
    corners = ((a, b) for a in (-1, 1) for b in (-1, 1))
    return math.fsum(a * b * _corner(at, i, j, a, b) for a, b in corners) / (4 * _STEP**2)


def _third(at: _At, i: str, j: str) -> float:
    """f_ijj u_i u_j²."""
    weights = {-1: 1, 0: -2, 1: 1}
    corners = ((a, b) for a in (-1, 1) for b in weights)
    return math.fsum(a * weights[b] * _corner(at, i, j, a, b) for a, b in corners) / (2 * _STEP**3)


def _covariance(left: Mapping[str, float], right: Mapping[str, float], correlations: Correlations) -> float:
    def coefficient(i: str, j: str) -> float:
        return 1.0 if i == j else correlations.get((i, j), correlations.get((j, i), 0.0))

    return math.fsum(left[i] * right[j] * coefficient(i, j) for i, j in product(left, right))


def _effective_dof(
    inputs: Mapping[str, InputEstimate], contributions: Mapping[str, float], correlations: Correlations
) -> float:
    """Welch–Satterthwaite over families of correlated inputs, each family with the dof of its least-known member.

    The formula itself holds for independent terms only. Inputs observed together share one set of readings, and the
    whole family has the degrees of freedom of that set.
    """
    parts = []
    for family in _families(contributions, correlations):
        own = {name: contributions[name] for name in family}
        parts.append((max(0.0, _covariance(own, own, correlations)), min(inputs[name].dof for name in family)))
    return welch_satterthwaite(parts)


def _families(names: Iterable[str], correlations: Correlations) -> frozenset[frozenset[str]]:
    family = {name: frozenset({name}) for name in names}
    for (left, right), coefficient in correlations.items():
        if coefficient and left in family and right in family:
            joined = family[left] | family[right]
            family.update(dict.fromkeys(joined, joined))
    return frozenset(family.values())
