"""Sampling by variables: deciding a lot from measured values, with σ estimated from the sample or known beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache
from math import sqrt
from typing import Final

from scipy.special import betainc, betaincinv, ndtr, ndtri

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.sample import Sample
from inspect_kit.quality.sampling import tables_z19 as tables
from inspect_kit.quality.sampling.attributes import MAX_LOT, MIN_LOT, Severity
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


@dataclass(frozen=True, slots=True)
class _Tables:
    aqls: tuple[str, ...]
    letters: str
    sizes: str
    reduced: str
    default_level: str


_STANDARDS: Final[Mapping[Standard, _Tables]] = {
    Standard.Z19: _Tables(tables.AQLS_Z19, tables.LETTERS_Z19, tables.SIZES_Z19, tables.REDUCED_Z19, "II"),
    Standard.MIL_414: _Tables(tables.AQLS_414, tables.LETTERS_414, tables.SIZES_414, "", "IV"),
}
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
    source = _STANDARDS[standard]
    if standard is Standard.MIL_414 and (wanted.sigma_known or wanted.severity is Severity.REDUCED):
        raise UsageError("mil-std-414-scope")
    code = _letter(wanted, source)
    column = _column(wanted, source)
    row_size = _sizes(source.reduced if wanted.severity is Severity.REDUCED else source.sizes)[code]
    if wanted.sigma_known:
        size, m_percent = _known_cell(row_size, column)
        k = sqrt((size - 1) / size) * -float(ndtri(m_percent / 100))
    elif standard is Standard.MIL_414:
        size, k = _cell(tables.K_414, row_size, column)
        _, m_percent = _cell(tables.M_414, row_size, column)
    else:
        size, m_percent = _cell(tables.M_Z19, row_size, column)
        k = index_for(m_percent / 100, size)
    return VariablesLookup(code, size, k, m_percent, wanted.sigma_known)


def _letter(wanted: PlanRequest, source: _Tables) -> str:
    head, *lines = (line.split() for line in source.letters.splitlines())
    levels = head[2:]
    level = wanted.level or source.default_level
    if level not in levels:
        raise UsageError("not-inspection-level-table", level=level[:20], levels=", ".join(levels))
    if not MIN_LOT <= wanted.lot <= MAX_LOT:
        raise UsageError("lot-too-small", min_lot=MIN_LOT, lot=wanted.lot)
    row = next(line for line in lines if line[0] == "more" or wanted.lot <= int(line[0]))
    return row[1 + levels.index(level)]


def _column(wanted: PlanRequest, source: _Tables) -> int:
    usable = source.aqls[1:-1] if source.reduced else source.aqls
    known = [place for place, printed in enumerate(source.aqls) if Decimal(printed) == wanted.aql and printed in usable]
    column = known[0] + _SHIFT[wanted.severity] if known else -1
    if column < 0:
        raise UsageError("not-aql-table-inspection", aql=wanted.aql, severity=wanted.severity, usable=", ".join(usable))
    return column


def _sizes(text: str) -> dict[str, int]:
    return {entry[0]: int(entry[1:]) for entry in text.split()}


@cache
def _parsed(text: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    return tuple((int(size), tuple(cells)) for size, *cells in (line.split() for line in text.splitlines()))


def _entry(text: str, row_size: int, column: int) -> tuple[int, str]:
    """The cell, or the first below it that is not an arrow, with the size of its row."""
    return next((size, cells[column]) for size, cells in _parsed(text) if size >= row_size and cells[column] != "-")


def _cell(text: str, row_size: int, column: int) -> tuple[int, float]:
    size, cell = _entry(text, row_size, column)
    return size, float(cell)


def _known_cell(row_size: int, column: int) -> tuple[int, float]:
    size, m_percent = _entry(tables.KNOWN_Z19, row_size, column)[1].split(":")
    return int(size), float(m_percent)


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
