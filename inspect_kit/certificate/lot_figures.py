"""From a study to what its drawings show: bars, ticks, tracks and the names of lines."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

import numpy as np

from inspect_kit.certificate.lot_content import Bound, ChartTrack, ControlChart, Histogram
from inspect_kit.certificate.lot_drawing import MOST_FRAMES, stride_of
from inspect_kit.certificate.lot_wording import figure, fixed
from inspect_kit.certificate.wording import Wording
from inspect_kit.quality.charts import Chart, Track
from inspect_kit.quality.drawing import bins_of
from inspect_kit.quality.lot_record import LotRecord
from inspect_kit.quality.lot_study import Study
from inspect_kit.values.limits import lower_of, upper_of


def histogram_of(study: Study, words: Wording) -> Histogram:
    """The values against the limits."""
    values = study.sample.values
    edges = bins_of(values, study.limits)
    counts = np.histogram(values, edges)[0].astype(np.float64)
    sigma = study.sample.deviation if len(values) > 1 else 0.0
    bounds = tuple(_bounds(study, words))
    places = [float(edges[0]), float(edges[-1]), *(bound.value for bound in bounds)]
    return Histogram(
        edges, counts, study.sample.mean, sigma, bounds, ticks(min(places), max(places), words),
        ticks(0, float(counts.max()), words), words.say("figure.histogram"), words.unit(study.series.unit),
        words.say("figure.pieces"),
    )  # fmt: skip


def _bounds(study: Study, words: Wording) -> list[Bound]:
    limits = (("lower", lower_of(study.limits)), ("upper", upper_of(study.limits)))
    return [
        Bound(float(value), f"{words.say(f'figure.{key}')} {words.number(value)}")
        for key, value in limits
        if value is not None
    ]


def ticks(least: float, most: float, words: Wording) -> tuple[Bound, ...]:
    """About five round numbers with the places that they need."""
    span = most - least
    if span <= 0:
        return (Bound(least, figure(least, 6, words) if least else "0"),)
    power = floor(log10(span / 5))
    step = next(size for size in (1, 2, 5, 10) if size * 10.0**power * 6 >= span) * 10.0**power
    places = max(0, -floor(log10(step) + 1e-9))
    first, last = ceil(least / step - 1e-9), floor(most / step + 1e-9)
    return tuple(Bound(number * step, fixed(number * step, places, words)) for number in range(first, last + 1))


def chart_of(record: LotRecord, study: Study, words: Wording) -> ControlChart:
    """Both tracks of the chart."""
    chart = study.chart
    assert chart is not None
    framed = tuple(sorted({point - 1 for signal in chart.signals for point in signal.points}))
    tracks = [_track(chart.upper, framed, words)]
    if chart.lower is not None:
        outside = tuple(point - chart.lower.first for point in chart.lower.outside)
        tracks.append(_track(chart.lower, outside, words))
    length = len(chart.upper.points)
    return ControlChart(tuple(tracks), length, _caption(tracks, length, words), _counted(record, chart, words))


def _caption(tracks: Sequence[ChartTrack], length: int, words: Wording) -> str:
    """What is drawn, and only that."""
    said = [words.say("figure.chart")]
    if any(0 < len(track.framed) <= MOST_FRAMES for track in tracks):
        said.append(words.say("figure.framed"))
    if stride_of(length) > 1:
        said.append(words.say("figure.crowded", number=stride_of(length)))
    return " ".join(said)


def _counted(record: LotRecord, chart: Chart, words: Wording) -> str:
    return words.say("figure.point" if chart.kind == "imr" or not record.lot.groups else "figure.subgroup")


def _places(span: float) -> int:
    """Decimal places that show a thousandth of the distance between the lines."""
    return max(0, 2 - floor(log10(span))) if span > 0 else 6


def _track(track: Track, framed: tuple[int, ...], words: Wording) -> ChartTrack:
    places = _places(float(track.ucl.max() - track.lcl.min()))
    labels = tuple(
        Bound(float(line[-1]), f"{name} {fixed(float(line[-1]), places, words) if line[-1] else '0'}")
        for name, line in (("UCL", track.ucl), ("CL", track.centre), ("LCL", track.lcl))
    )
    name = words.say(f"figure.{track.name.replace(' ', '_')}")
    return ChartTrack(name, track.points, track.centre, track.ucl, track.lcl, labels, framed, track.first - 1)
