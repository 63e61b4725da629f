"""What the values of a lot say about the process that made it: capability and control chart, from the record alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from inspect_kit.errors import InspectKitError
from inspect_kit.quality.lot.record import Lot, LotRecord, MeasuredSeries
from inspect_kit.quality.process.capability import Capability, Stratified, capability, grouped, stratified
from inspect_kit.quality.process.charts import Chart, Readings, draw_up
from inspect_kit.quality.process.distributions import NORMAL_ENOUGH, PercentileCapability, by_percentiles
from inspect_kit.quality.process.run_rules import false_alarm_rate, rules_named
from inspect_kit.quality.sample import Floats, Sample
from inspect_kit.values.limits import Limits, limits_from

STRATA: Final = ("machine", "cavity", "tray", "operator", "shift")
"""What can tell pieces apart; a serial number or a time tells every single one apart."""
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
    false_alarms: float | None = None
    """How often a chart of a steady process of this length shows a signal by the rules that were chosen."""
    percentiles: PercentileCapability | None = None
    """Where the values are not normal: the indices of the distribution that has the best evidence."""
    strata: tuple[Stratified, ...] = ()


def studies_of(record: LotRecord) -> tuple[LotStudy, ...]:
    """The study of every characteristic that was measured."""
    return tuple(study_of(series, record.lot) for series in record.lot.series if series.measured and series.numbers)


def study_of(series: MeasuredSeries, lot: Lot) -> LotStudy:
    """A lot that cannot be studied, of one piece or of equal ones, is still a lot."""
    sample, limits = Sample.of(series.numbers), limits_of(series)
    groups = grouped(sample, series.beside(lot.groups), "subgroups") if lot.groups else {}
    try:
        study = capability(sample, limits, list(groups.values()))
    except InspectKitError:
        return LotStudy(series, limits, sample, None, None)
    found = LotStudy(
        series, limits, sample, study, None, percentiles=_percentiles(sample, study, limits),
        strata=tuple(_strata(series, lot, sample, limits)),
    )  # fmt: skip
    if not lot.ordered:
        return found
    rules = rules_named(lot.rules)
    chart = draw_up(_kind(groups), Readings(sample, labels=tuple(groups), groups=groups), rules=rules)
    size = max(2, round(len(sample) / len(groups))) if groups else 1
    return replace(found, chart=chart, false_alarms=false_alarm_rate(len(chart.upper.points), rules, size))


def _percentiles(sample: Sample, study: Capability, limits: Limits) -> PercentileCapability | None:
    """Nothing where the normal distribution will do: its percentiles are the usual indices."""
    if study.normality_p is None or study.normality_p >= NORMAL_ENOUGH:
        return None
    return by_percentiles(sample.values, limits, normality_p=study.normality_p)


def _strata(series: MeasuredSeries, lot: Lot, sample: Sample, limits: Limits) -> Iterator[Stratified]:
    charted = series.beside(lot.groups) if lot.groups else ()
    for by in (by for by in STRATA if by in lot.traced):
        told = series.beside(lot.traced[by])
        if told and told != charted:  # What the chart shows as its subgroups is not told twice.
            found = stratified(by, sample.values, told, limits)
            if found is not None:
                yield found


def limits_of(series: MeasuredSeries) -> Limits:
    """The limits that the series was judged by."""
    lower, upper = (None if text is None else Decimal(text) for text in (series.lower, series.upper))
    limits = limits_from(lower, upper)
    assert limits is not None, "a series is judged by limits"
    return limits


def _kind(groups: Mapping[str, Floats]) -> str:
    if not groups:
        return "imr"
    return "xbar-r" if max(map(len, groups.values())) <= LARGEST_FOR_RANGES else "xbar-s"
