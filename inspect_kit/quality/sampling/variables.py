"""Sampling by variables: deciding a lot from measured values, with σ estimated from the sample or known beforehand."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from math import sqrt
from typing import Final

from scipy.special import betainc, betaincinv, ndtr, ndtri

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.sample import Sample
from inspect_kit.quality.sampling.attributes import Severity
from inspect_kit.quality.sampling.tables import aqls, letter_of, levels_of, printed, rows_of
from inspect_kit.values.limits import Limits, lower_of, upper_of


class Standard(StrEnum):
    """Whose tables."""

    Z19 = "z1.9"
    MIL_414 = "mil-std-414"


@dataclass(frozen=True, slots=True)
class VariablesLookup:
    """Measure `size` pieces; accept if the estimated percentage nonconforming is at most `m_percent`.

    For a single limit this is the same as a quality index of at least `k`.
    """

    code: str
    size: int
    k: float
    m_percent: float
    sigma_known: bool


@dataclass(frozen=True, slots=True)
class VariablesDecision:
    """What a sample says about its lot."""

    mean: float
    sigma: float
    index_lower: float | None
    index_upper: float | None
    percent: float
    accepted: bool


_SHIFT: Final = {Severity.NORMAL: 0, Severity.TIGHTENED: -1, Severity.REDUCED: 1}
"""Tightened inspection reads one column to the left, reduced inspection one to the right."""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What a plan is looked up for; no level means the standard's own usual one."""

    lot: int
    aql: Decimal
    level: str = ""
    severity: Severity = Severity.NORMAL
    sigma_known: bool = False


def look_up_variables(wanted: PlanRequest, standard: Standard = Standard.Z19) -> VariablesLookup:
    """The plan for a lot, arrows followed."""
    if standard is Standard.MIL_414 and (wanted.sigma_known or wanted.severity is Severity.REDUCED):
        raise UsageError("mil-std-414-scope")
    source = printed(standard)
    level, levels = wanted.level or source["level"], levels_of(standard)
    if level not in levels:
        raise UsageError("not-inspection-level-table", level=level[:20], levels=", ".join(levels))
    code = letter_of(standard, wanted.lot, level)
    column = _column(wanted, standard)
    sizes = source["reduced" if wanted.severity is Severity.REDUCED else "sizes"].split()
    row_size = next(int(entry[1:]) for entry in sizes if entry[0] == code)
    if wanted.sigma_known:
        count, cell = _entry(standard, "known", row_size, column)[1].split(":")
        size, m_percent = int(count), float(cell)
        k = sqrt((size - 1) / size) * -float(ndtri(m_percent / 100))
    else:
        size, cell = _entry(standard, "m", row_size, column)
        m_percent = float(cell)
        mil = standard is Standard.MIL_414
        k = float(_entry(standard, "k", row_size, column)[1]) if mil else index_for(m_percent / 100, size)
    return VariablesLookup(code, size, k, m_percent, wanted.sigma_known)


def _column(wanted: PlanRequest, standard: Standard) -> int:
    series = aqls(standard)
    usable = series[1:-1] if "reduced" in printed(standard) else series
    known = [place for place, each in enumerate(series) if Decimal(each) == wanted.aql and each in usable]
    column = known[0] + _SHIFT[wanted.severity] if known else -1
    if column < 0:
        raise UsageError("not-aql-table-inspection", aql=wanted.aql, severity=wanted.severity, usable=", ".join(usable))
    return column


def _entry(standard: Standard, table: str, row_size: int, column: int) -> tuple[int, str]:
    """The cell, or the first below it that is not an arrow, with the size of its row."""
    rows = ((int(size), cells[column]) for size, *cells in rows_of(standard, table))
    return next((size, cell) for size, cell in rows if size >= row_size and cell != "-")


def estimated_fraction(index: float, size: int, *, sigma_known: bool = False) -> float:
    """The unbiased estimate of the fraction beyond a limit from the quality index Q = (limit − x̄)/σ.

    σ unknown: the symmetric beta distribution with n/2 − 1, at ½ − ½ Q √n/(n − 1). σ known: Φ(−Q √(n/(n − 1))).
    """
    if sigma_known:
        return float(ndtr(-index * sqrt(size / (size - 1))))
    place = min(1.0, max(0.0, 0.5 - 0.5 * index * sqrt(size) / (size - 1)))
    return float(betainc(size / 2 - 1, size / 2 - 1, place))


def index_for(fraction: float, size: int) -> float:
    """The quality index at which the estimate is `fraction` (σ unknown)."""
    place = float(betaincinv(size / 2 - 1, size / 2 - 1, fraction))
    return (1 - 2 * place) * (size - 1) / sqrt(size)


def decide(plan: VariablesLookup, sample: Sample, limits: Limits, sigma: float | None = None) -> VariablesDecision:
    """Whether the lot is accepted: the estimates beyond both limits together must not exceed M."""
    size = len(sample)
    if size < (2 if plan.sigma_known else 3):
        raise BadInput("readings-too-few-plan-variables", size=size)
    if plan.sigma_known and sigma is None:
        raise UsageError("sigma-said-known")
    spread = sigma if plan.sigma_known and sigma is not None else sample.deviation
    centre = float(sample.offsets.mean())
    lower, upper = lower_of(limits), upper_of(limits)
    below = None if lower is None else _index(centre - sample.offset(lower), spread)
    above = None if upper is None else _index(sample.offset(upper) - centre, spread)
    estimates = (
        estimated_fraction(side, size, sigma_known=plan.sigma_known) for side in (below, above) if side is not None
    )
    percent = 100 * sum(estimates)
    return VariablesDecision(sample.mean, spread, below, above, percent, percent <= plan.m_percent)


def _index(room: float, spread: float) -> float:
    """Distance to a limit in standard deviations; readings that do not vary are all inside or all outside."""
    if spread > 0:
        return room / spread
    return 1e9 if room >= 0 else -1e9
