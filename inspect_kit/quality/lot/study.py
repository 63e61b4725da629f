"""What the values of a lot say about the process that made it: capability and control chart, from the record alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from inspect_kit.errors import InspectKitError
from inspect_kit.quality.lot.record import Lot, LotRecord, MeasuredSeries
from inspect_kit.quality.process.capability import Capability, capability
from inspect_kit.quality.process.charts import Chart, Readings, draw_up
from inspect_kit.quality.process.run_rules import RULE_SETS
from inspect_kit.quality.process.subgroups import grouped
from inspect_kit.quality.sample import Floats, Sample
from inspect_kit.values.limits import Limits, limits_from

LARGEST_FOR_RANGES = 10
"""Subgroups of more than ten are charted by their s, as the range then wastes what they know."""


@dataclass(frozen=True)
class LotStudy:
    """One characteristic's statistics; what the values do not allow is `None`."""

    series: MeasuredSeries
    limits: Limits
    sample: Sample
    capability: Capability | None
    chart: Chart | None


def studies_of(record: LotRecord) -> tuple[LotStudy, ...]:
    """The study of every characteristic."""
    return tuple(study_of(series, record.lot) for series in record.lot.series)


def study_of(series: MeasuredSeries, lot: Lot) -> LotStudy:
    """A lot that cannot be studied, of one piece or of equal ones, is still a lot."""
    kept = [place for place, value in enumerate(series.values) if value is not None]
    sample = Sample.of([Decimal(value) for value in series.values if value is not None])
    limits = limits_of(series)
    groups = _groups(sample, [lot.groups[place] for place in kept]) if lot.groups else {}
    try:
        study = capability(sample, limits, list(groups.values()))
        chart = draw_up(
            _kind(groups), Readings(sample, labels=tuple(groups), groups=groups), rules=RULE_SETS[lot.rules]
        )
    except InspectKitError:
        return LotStudy(series, limits, sample, None, None)
    return LotStudy(series, limits, sample, study, chart)


def limits_of(series: MeasuredSeries) -> Limits:
    """The limits that the series was judged by."""
    lower, upper = (None if text is None else Decimal(text) for text in (series.lower, series.upper))
    limits = limits_from(lower, upper)
    assert limits is not None, "a series is judged by limits"
    return limits


def _groups(sample: Sample, labels: list[str]) -> Mapping[str, Floats]:
    return grouped(sample, labels, "subgroups")


def _kind(groups: Mapping[str, Floats]) -> str:
    if not groups:
        return "imr"
    return "xbar-r" if max(map(len, groups.values())) <= LARGEST_FOR_RANGES else "xbar-s"
