"""Control charts: individuals, means with range or s, fractions (p, np), counts (c, u), EWMA and CUSUM."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from math import inf, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.process import capability
from inspect_kit.quality.process.run_rules import NELSON, Rule, Signal, signals
from inspect_kit.quality.sample import Floats, Sample, as_sample
from inspect_kit.quality.table import Table


@dataclass(frozen=True)
class Track:
    """One of the two drawings of a chart: its points, centre and limits; limits may differ from point to point."""

    name: str
    points: Floats
    centre: Floats
    ucl: Floats
    lcl: Floats
    first: int = 1
    """The number of the first point: a moving range belongs to the second of its two pieces."""

    @property
    def places(self) -> NDArray[np.int64]:
        """The numbers of the points."""
        return np.arange(self.first, self.first + len(self.points))

    @property
    def outside(self) -> tuple[int, ...]:
        """The numbers of the points beyond a limit."""
        room = 1e-9 * np.maximum(self.ucl - self.lcl, 1e-300)
        beyond = (self.points > self.ucl + room) | (self.points < self.lcl - room)
        return tuple(int(place) for place in self.places[beyond])


@dataclass(frozen=True)
class Chart:
    """A chart with what its rules found on the upper track, and the points of the lower one outside its limits."""

    kind: str
    upper: Track
    lower: Track | None
    sigma: float | None
    signals: tuple[Signal, ...]
    labels: tuple[str, ...] = ()

    @property
    def flagged(self) -> tuple[int, ...]:
        """The numbers of the points that a rule points out."""
        return tuple(sorted({point for signal in self.signals for point in signal.points}))

    def called(self, point: int) -> str:
        """A point by its subgroup's name, or by its number where subgroups have none."""
        named = len(self.labels) == len(self.upper.points)
        return (self.labels[point - self.upper.first] if named else "") or str(point)


@dataclass(frozen=True, slots=True)
class KnownProcess:
    """What is known beforehand: the centre, and σ of a single reading. What is `None` comes from the readings."""

    centre: float | None = None
    sigma: float | None = None


UNKNOWN: Final = KnownProcess()


@dataclass(frozen=True)
class Readings:
    """The input of a chart: readings, the subgroup of each, and for p charts the sizes of the samples counted."""

    sample: Sample
    labels: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    where: str = ""
    groups: Mapping[str, Floats] = field(default_factory=dict)
    weight: float | None = None
    """EWMA: the weight of the newest point."""
    width: float | None = None
    """EWMA: limits in its standard deviations; CUSUM: the decision interval h in σ."""


def draw_up(kind: str, readings: Readings, known: KnownProcess = UNKNOWN, rules: tuple[Rule, ...] = NELSON) -> Chart:
    """The chart of that kind."""
    return CHARTS[kind](readings, known, rules)


def _constant(value: float, like: Floats) -> Floats:
    """One number for every point, kept once."""
    return np.broadcast_to(np.float64(value), like.shape)


def _by_size(constant: Callable[[int], float], sizes: NDArray[np.int64]) -> Floats:
    """A chart's constant for each size of subgroup, looked up once a size."""
    if len(sizes) and (sizes == sizes[0]).all():
        return np.broadcast_to(np.float64(constant(int(sizes[0]))), sizes.shape)
    known, place = np.unique(sizes, return_inverse=True)
    return np.array([constant(int(size)) for size in known])[place]


def _individuals(readings: Readings, known: KnownProcess, rules: tuple[Rule, ...]) -> Chart:
    sample = readings.sample
    if len(sample) < 2:
        raise BadInput("chart-individuals-needs-least-two", where=readings.where)
    ranges = capability.moving_ranges(sample.offsets)
    sigma = _positive(known.sigma, capability.spread_of_moving_ranges(sample.offsets).sigma, readings)
    mean_range = float(ranges.mean()) if known.sigma is None else capability.d2(2) * sigma
    pairs = np.broadcast_to(np.int64(2), ranges.shape)
    lower = _range_track("moving range", ranges, pairs, _constant(mean_range / capability.d2(2), ranges))
    lower = replace(lower, first=2)
    upper, standard = _value_track("individuals", sample, sample.offsets, known, _constant(sigma, sample.offsets))
    return Chart("imr", upper, lower, sigma, signals(standard, rules))


def _positive(known: float | None, estimated: float, readings: Readings) -> float:
    if known is not None:
        return known
    if estimated == 0:
        raise BadInput("no-chart-limits", where=readings.where)
    return estimated


def _value_track(
    name: str, sample: Sample, offsets: Floats, known: KnownProcess, sigmas: Floats, weights: Floats | None = None
) -> tuple[Track, Floats]:
    """Points with 3-sigma limits around the centre, and the same points in units of their sigma."""
    centre = float(np.average(offsets, weights=weights)) if known.centre is None else sample.offset(known.centre)
    standard = (offsets - centre) / sigmas
    origin = float(sample.origin)
    middle = sample.absolute(centre) if known.centre is None else known.centre
    track = Track(name, origin + offsets, _constant(middle, offsets), middle + 3 * sigmas, middle - 3 * sigmas)
    return track, standard


def _range_track(name: str, ranges: Floats, sizes: NDArray[np.int64], sigmas: Floats) -> Track:
    """Ranges around d2·σ with limits 3·d3·σ away."""
    return _spread_track(name, ranges, _by_size(capability.d2, sizes) * sigmas, _by_size(capability.d3, sizes) * sigmas)


def _spread_track(name: str, points: Floats, means: Floats, spreads: Floats) -> Track:
    return Track(name, points, means, means + 3 * spreads, np.maximum(0, means - 3 * spreads))


def _means(readings: Readings, known: KnownProcess, rules: tuple[Rule, ...], *, by_range: bool) -> Chart:
    groups = list(readings.groups.values())
    sizes = np.array([len(group) for group in groups])
    deviations, factors = np.array([group.std(ddof=1) for group in groups]), _by_size(capability.c4, sizes)
    estimated = capability.spread_of_ranges(groups).sigma if by_range else float(np.mean(deviations / factors))
    sigma = _positive(known.sigma, estimated, readings)
    means = np.array([group.mean() for group in groups])
    upper, standard = _value_track("means", readings.sample, means, known, sigma / np.sqrt(sizes), sizes)
    if by_range:
        ranges = np.array([np.ptp(group) for group in groups])
        lower = _range_track("range", ranges, sizes, _constant(sigma, ranges))
    else:
        lower = _spread_track("standard deviation", deviations, factors * sigma, np.sqrt(1 - factors**2) * sigma)
    kind = "xbar-r" if by_range else "xbar-s"
    return Chart(kind, upper, lower, sigma, signals(standard, rules), tuple(readings.groups))


def _rates(
    readings: Readings, known: KnownProcess, rules: tuple[Rule, ...], kind: str, name: str, highest: float = inf
) -> Chart:
    """What was counted per piece: limits from the binomial distribution where 1 is the most, else from Poisson's."""
    if known.sigma is not None:
        raise UsageError("sigma-no-meaning-chart", kind=kind)
    counts = readings.sample.values
    sizes = np.array(readings.sizes if kind != "c" else (1,) * len(counts), dtype=float)
    rates = counts / sizes
    centre = float(counts.sum() / sizes.sum()) if known.centre is None else known.centre
    if len(readings.sample) < 2:
        raise BadInput("chart-needs-least-two-points", where=readings.where)
    if not 0 < centre < highest:
        raise BadInput("nothing-nonconforming", where=readings.where)
    sigmas = np.sqrt((centre if highest == inf else centre * (1 - centre)) / sizes)
    limits = np.minimum(highest, centre + 3 * sigmas), np.maximum(0, centre - 3 * sigmas)
    track = Track(name, rates, _constant(centre, rates), *limits)
    sigma = sqrt(centre) if kind == "c" else None
    return Chart(kind, track, None, sigma, signals((rates - centre) / sigmas, rules), readings.labels)


_fractions = partial(_rates, kind="p", name="fraction nonconforming", highest=1)


def _numbers(readings: Readings, known: KnownProcess, rules: tuple[Rule, ...]) -> Chart:
    """np chart: numbers nonconforming in samples of one size."""
    if len(set(readings.sizes)) != 1:
        raise BadInput("np-chart-needs-samples-one", where=readings.where)
    size = readings.sizes[0]
    share = replace(known, centre=None if known.centre is None else known.centre / size)
    chart = _fractions(readings, share, rules)
    track = chart.upper
    scaled = Track("nonconforming", track.points * size, track.centre * size, track.ucl * size, track.lcl * size)
    return replace(chart, kind="np", upper=scaled)


WEIGHT: Final = 0.2
"""Weight of the newest point on an EWMA chart (Montgomery: 0.05 to 0.25)."""
WIDTH: Final = 3.0
"""Limits of an EWMA chart in its own standard deviations."""
SLACK, DECISION = 0.5, 5.0
"""Allowance k and decision interval h of a CUSUM chart in σ: an in-control run of about 465 points (Montgomery)."""


def _averages(readings: Readings, known: KnownProcess, rules: tuple[Rule, ...]) -> Chart:
    """EWMA: every point remembers those before it, so that small lasting shifts show."""
    del rules
    sample, sigma = readings.sample, _single_sigma(readings, known)
    centre = float(sample.offsets.mean()) if known.centre is None else sample.offset(known.centre)
    weight, width = readings.weight or WEIGHT, readings.width or WIDTH
    points = _running(lambda last, value: weight * value + (1 - weight) * last, sample.offsets, centre)
    steps = np.arange(1, len(sample) + 1)
    half = width * sigma * np.sqrt(weight / (2 - weight) * (1 - (1 - weight) ** (2 * steps)))
    origin = float(sample.origin)
    track = Track(
        "EWMA", origin + points, _constant(origin + centre, points), origin + centre + half, origin + centre - half
    )
    return Chart("ewma", track, None, sigma, _outside_as_signal(track, "EWMA beyond its limits"))


def _sums(readings: Readings, known: KnownProcess, rules: tuple[Rule, ...]) -> Chart:
    """Tabular CUSUM: what adds up above (upper track) and below the centre (lower track), in the readings' unit."""
    del rules
    sample, sigma = readings.sample, _single_sigma(readings, known)
    centre = float(sample.offsets.mean()) if known.centre is None else sample.offset(known.centre)
    high = _running(lambda up, value: max(0.0, up + value - centre - SLACK * sigma), sample.offsets, 0.0)
    low = _running(lambda down, value: max(0.0, down + centre - value - SLACK * sigma), sample.offsets, 0.0)
    limit, zero = _constant((readings.width or DECISION) * sigma, high), _constant(0.0, high)
    upper, lower = Track("sum above", high, zero, limit, zero), Track("sum below", low, zero, limit, zero)
    found = (*_outside_as_signal(upper, "sum above h"), *_outside_as_signal(lower, "sum below h", 2))
    return Chart("cusum", upper, lower, sigma, found)


def _running(step: Callable[[float, float], float], values: Floats, start: float) -> Floats:
    """What each point makes of the one before it and of its own reading."""
    return np.array(list(accumulate(values, step, initial=start))[1:])


def _single_sigma(readings: Readings, known: KnownProcess) -> float:
    if len(readings.sample) < 2:
        raise BadInput("chart-needs-least-two-readings", where=readings.where)
    return _positive(known.sigma, capability.spread_of_moving_ranges(readings.sample.offsets).sigma, readings)


def _outside_as_signal(track: Track, text: str, number: int = 1) -> tuple[Signal, ...]:
    return (Signal(number, text, track.outside),) if track.outside else ()


CHARTS: Final[Mapping[str, Callable[[Readings, KnownProcess, tuple[Rule, ...]], Chart]]] = {
    "imr": _individuals,
    "xbar-r": partial(_means, by_range=True),
    "xbar-s": partial(_means, by_range=False),
    "p": _fractions,
    "np": _numbers,
    "c": partial(_rates, kind="c", name="nonconformities"),
    "u": partial(_rates, kind="u", name="nonconformities per piece"),
    "ewma": _averages,
    "cusum": _sums,
}


def pieces_to_samples(values: Sequence[int], labels: Sequence[str], where: str) -> tuple[Counter[str], Counter[str]]:
    """Pieces marked 1 (nonconforming) or 0, added up by subgroup: how many were found and how many looked at."""
    found: Counter[str] = Counter()
    for value, label in zip(values, labels, strict=True):
        if value > 1:
            raise BadInput("piece-0-or-1", where=where, value=value)
        found[label] += value
    return found, Counter(labels)


def chart_data(drawn: Chart, rules: str) -> dict[str, object]:
    """The chart in the form that scripts rely on; limits that differ from point to point are lists."""
    upper, lower = drawn.upper, drawn.lower
    return {
        "type": drawn.kind, "rules": rules, "points": len(upper.points),
        "centre": level_data(upper.centre), "ucl": level_data(upper.ucl), "lcl": level_data(upper.lcl),
        "range_centre": level_data(lower.centre) if lower else None,
        "range_ucl": level_data(lower.ucl) if lower else None,
        "range_lcl": level_data(lower.lcl) if lower else None,
        "sigma": drawn.sigma,
        "signals": [{"rule": s.rule, "points": list(s.points), "text": s.text} for s in drawn.signals],
        "range_outside": list(lower.outside) if lower else [],
    }  # fmt: skip


def level_data(values: Floats) -> float | list[float]:
    """A line that does not step as one number."""
    return float(values[0]) if np.ptp(values) <= 1e-12 * np.abs(values).max() else [float(value) for value in values]


# What a control chart is drawn up from, out of a table: single readings, subgroups, fractions or counts.

SIZE_COLUMNS: Final = ("n", "size", "inspected")


def readings_of(table: Table, kind: str, subgroup: str, size: int | None) -> Readings:
    """The readings of a table as this kind of chart takes them."""
    if kind in ("p", "np", "u"):
        return _fractions_in(table, subgroup, size, several=kind == "u")
    if kind == "c":
        return _counts_in(table, subgroup)
    sample = table.sample("value")
    if kind in ("imr", "ewma", "cusum"):
        return Readings(sample, where=table.where)
    return Readings(sample, where=table.where, groups=capability.grouped(sample, table.texts(subgroup), table.where))


def _fractions_in(table: Table, subgroup: str, size: int | None, *, several: bool = False) -> Readings:
    found = table.counts("value")
    column = next((name for name in SIZE_COLUMNS if table.has(name)), None)
    if column is None and size is None:
        by_label, looked_at = pieces_to_samples(found, table.texts(subgroup), table.where)
        return Readings(_whole(by_label.values()), tuple(by_label), tuple(looked_at.values()), table.where)
    sizes = table.counts(column) if column and size is None else (size or 0,) * len(table)
    for count, of, line in zip(found, sizes, table.lines, strict=True):
        if of < 1 or (count > of and not several):
            raise BadInput("more-nonconforming-than-pieces", where=f"{table.where}: line {line}", count=count, of=of)
    labels = table.texts(subgroup) if table.has(subgroup) else tuple(map(str, range(1, len(table) + 1)))
    return Readings(_whole(found), labels, sizes, table.where)


def _counts_in(table: Table, subgroup: str) -> Readings:
    labels = table.texts(subgroup) if table.has(subgroup) else tuple(map(str, range(1, len(table) + 1)))
    totals: Counter[str] = Counter()
    for count, label in zip(table.counts("value"), labels, strict=True):
        totals[label] += count
    return Readings(_whole(totals.values()), tuple(totals), where=table.where)


def _whole(counts: Iterable[int]) -> Sample:
    return as_sample([float(count) for count in counts])
