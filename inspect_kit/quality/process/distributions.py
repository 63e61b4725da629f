"""Which distribution readings follow, chosen by evidence, and capability by its percentiles (ISO 22514-2)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Any, Final

import numpy as np
from scipy.special import ndtri

from inspect_kit.quality.process.capability import anderson_darling
from inspect_kit.quality.sample import Floats
from inspect_kit.values.limits import Limits, lower_of, upper_of

TAIL: Final = 0.00135
"""Share beyond three standard deviations on each side: ISO 22514-2 takes the percentiles of the same share."""
NORMAL_ENOUGH: Final = 0.05
"""With this p-value of the Anderson–Darling test or more, the normal distribution is kept."""
FEWEST: Final = 20
"""Readings below which four parameters are fitted to noise."""
_MOST: Final = 20_000
"""Readings that a distribution is fitted to; of more, an even selection says the same."""


@dataclass(frozen=True)
class FittedDistribution:
    """A distribution with its parameters, its evidence (AICc: smaller is better) and its percentiles."""

    name: str
    parameters: Mapping[str, float]
    aicc: float
    percentile: Callable[[float], float]


@dataclass(frozen=True)
class PercentileCapability:
    """Capability by percentiles: the chosen distribution, all that were tried, Pp and Ppk."""

    chosen: FittedDistribution
    tried: Mapping[str, float]
    percentiles: tuple[float, float, float]
    """At 0.135 %, 50 % and 99.865 %."""
    pp: float | None
    ppk: float


def by_percentiles(
    values: Floats, limits: Limits, wanted: str = "", *, normality_p: float | None = None
) -> PercentileCapability | None:
    """Pp = (U − L) ÷ (X₉₉.₈₆₅ − X₀.₁₃₅) and Ppk from the median; `None` where there are too few readings.

    `normality_p` where it is known already.
    """
    if len(values) < FEWEST or np.ptp(values) == 0:
        return None
    fits = {fit.name: fit for fit in _fits(values)}
    chosen = fits[wanted] if wanted in fits else _chosen(values, fits, normality_p)
    low, middle, high = (chosen.percentile(share) for share in (TAIL, 0.5, 1 - TAIL))
    lower, upper = (None if limit is None else float(limit) for limit in (lower_of(limits), upper_of(limits)))
    sides = [
        *([] if lower is None else [(middle - lower) / (middle - low)]),
        *([] if upper is None else [(upper - middle) / (high - middle)]),
    ]
    pp = None if lower is None or upper is None else (upper - lower) / (high - low)
    evidence = {name: fit.aicc for name, fit in sorted(fits.items(), key=lambda entry: entry[1].aicc)}
    return PercentileCapability(chosen, evidence, (low, middle, high), pp, min(sides))


def _chosen(values: Floats, fits: Mapping[str, FittedDistribution], known: float | None) -> FittedDistribution:
    """The normal distribution unless the readings speak against it; then the one with the best evidence."""
    p = anderson_darling(values) if known is None else known
    if p is None or p >= NORMAL_ENOUGH:
        return fits["normal"]
    return min(fits.values(), key=lambda fit: fit.aicc)


def _fits(values: Floats) -> list[FittedDistribution]:
    """Normal, Box–Cox, Weibull and Johnson's two systems; the two in the middle only for positive readings."""
    few = values[:: -(-len(values) // _MOST)]
    found = [_normal(few)]
    if few.min() > 0:
        found += [_box_cox(few), *_of_scipy(few, "weibull", "weibull_min", floc=0)]
    found += [*_of_scipy(few, "johnson-su", "johnsonsu"), *_of_scipy(few, "johnson-sb", "johnsonsb")]
    return [fit for fit in found if np.isfinite(fit.aicc) and fit.percentile(1 - TAIL) > fit.percentile(TAIL)]


_MOST_POWER: Final = 5.0
"""Of a Box-Cox transform: beyond it nobody can say what a turned value means; other programs stop there too."""


def _aicc(likelihood: float, parameters: int, count: int) -> float:
    return 2 * parameters - 2 * likelihood + 2 * parameters * (parameters + 1) / (count - parameters - 1)


def _normal_likelihood(values: Floats) -> float:
    count = len(values)
    return -count / 2 * (log(2 * np.pi * float(values.var())) + 1)


def _normal(values: Floats) -> FittedDistribution:
    mean, sigma = float(values.mean()), float(values.std(ddof=1))
    return FittedDistribution(
        "normal", {"mean": mean, "sigma": sigma}, _aicc(_normal_likelihood(values), 2, len(values)),
        lambda share: mean + sigma * float(ndtri(share)),
    )  # fmt: skip


def _box_cox(values: Floats) -> FittedDistribution:
    """The power that makes readings most normal; its percentiles are those of the normal, taken back."""
    from scipy import stats

    # Narrow readings leave the power open: it runs away until every turned value is the same.
    power = float(np.clip(stats.boxcox_normmax(values, method="mle"), -_MOST_POWER, _MOST_POWER))
    turned = np.asarray(stats.boxcox(values, lmbda=power), dtype=np.float64)
    mean, sigma = float(turned.mean()), float(turned.std(ddof=1))
    likelihood = _normal_likelihood(turned) + (power - 1) * float(np.log(values).sum())

    def percentile(share: float) -> float:
        place = mean + sigma * float(ndtri(share))
        if abs(power) < 1e-12:
            return float(np.exp(place))
        base = power * place + 1
        return float(base ** (1 / power)) if base > 0 else (0.0 if power > 0 else inf)

    parameters = {"lambda": power, "mean": mean, "sigma": sigma}
    return FittedDistribution("box-cox", parameters, _aicc(likelihood, 3, len(values)), percentile)


def _of_scipy(values: Floats, name: str, family: str, **fixed: float) -> list[FittedDistribution]:
    """A family of SciPy's fitted by maximum likelihood; one that does not converge is left out."""
    from scipy import stats

    kind: Any = getattr(stats, family)
    # Fitted to standardised readings, where the search starts near its end, unless the origin is fixed.
    shift, scale = (0.0, 1.0) if fixed else (float(values.mean()), float(values.std()))
    try:
        with np.errstate(all="ignore"):
            fitted = kind.fit((values - shift) / scale, **fixed)
            likelihood = float(kind.logpdf((values - shift) / scale, *fitted).sum()) - len(values) * log(scale)
    except (ValueError, RuntimeError, FloatingPointError, stats.FitError):
        return []
    *shapes, location, width = (float(number) for number in fitted)
    law = kind(*shapes, loc=shift + scale * location, scale=scale * width)
    names = ("a", "b")[: len(shapes)]
    parameters = {**dict(zip(names, shapes, strict=True)), "location": shift + scale * location, "scale": scale * width}
    free = len(fitted) - len(fixed)
    return [FittedDistribution(name, parameters, _aicc(likelihood, free, len(values)), lambda q: float(law.ppf(q)))]


def cpm(mean: float, sigma: float, limits: Limits, target: float | None = None) -> float | None:
    """Taguchi's index: (U − L) ÷ 6√(s² + (mean − target)²); the target is the middle if none is given."""
    lower, upper = lower_of(limits), upper_of(limits)
    if lower is None or upper is None:
        return None
    aim = float((lower + upper) / 2) if target is None else target
    return float(upper - lower) / (6 * sqrt(sigma**2 + (mean - aim) ** 2))


def resolved_sigma(offsets: Floats, resolution: float) -> float:
    """σ of a normal process whose readings are known to one step of the display: maximum likelihood over intervals.

    A coarse display hides spread or makes it up; the likelihood counts what each step may have hidden.
    """
    from scipy.optimize import minimize
    from scipy.special import log_ndtr, ndtr

    steps, counts = np.unique(offsets, return_counts=True)
    start = max(float(offsets.std(ddof=1)), resolution / 4)

    def lost(guess: Floats) -> float:
        mean, sigma = guess[0], np.exp(guess[1])
        low, high = (steps - resolution / 2 - mean) / sigma, (steps + resolution / 2 - mean) / sigma
        share = np.maximum(ndtr(high) - ndtr(low), 0)
        safe = np.where(share > 0, np.log(np.maximum(share, 1e-300)), log_ndtr(-np.abs((low + high) / 2)))
        return -float((counts * safe).sum())

    found = minimize(lost, np.array([float(offsets.mean()), log(start)]), method="Nelder-Mead",
                     options={"xatol": 1e-10, "fatol": 1e-10, "maxiter": 4000})  # fmt: skip
    return float(np.exp(found.x[1]))
