"""What a maker's records say together, month by month: means, capability with its limits, and which faults are many."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from decimal import Decimal
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from inspect_kit.errors import BadInput, UsageError, nearest
from inspect_kit.inspection.record import Line, Record, open_record
from inspect_kit.quality.lot.record import Lot, LotRecord, MeasuredSeries, open_lot_record
from inspect_kit.quality.process.capability import CONFIDENCE, Interval, bissell_interval
from inspect_kit.quality.sample import Floats

PERIODS: Final = ("month", "week", "day", "lot")
STRATA: Final = ("machine", "cavity", "gauge", "operator", "shift", "tray")
"""By what values can be told apart: where the pieces come from, and what they were measured with."""
_ANSWERS: Final = ("yes", "no")


@dataclass(frozen=True, slots=True)
class RecordedSeries:
    """One characteristic of one record: its numbers, where each comes from, and the faults that were found."""

    on: date
    source: str
    characteristic: str
    unit: str
    limits: tuple[Decimal | None, Decimal | None]
    values: Floats
    failing: NDArray[np.bool_]
    """Of each value, whether its piece was judged to fail: a value beyond a limit may lie within U of it."""
    strata: Mapping[str, tuple[str, ...]]
    inspected: int
    faults: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One period of one stratum; σ within is inside the lots, pooled, σ overall that of all values together."""

    period: str
    stratum: str
    lots: int
    inspected: int
    failed: int
    n: int
    mean: float | None = None
    s_within: float | None = None
    s_overall: float | None = None
    cpk: float | None = None
    ppk: float | None = None
    mean_interval: Interval | None = None
    cpk_interval: Interval | None = None
    ppk_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Trend:
    """One characteristic over time; where lots had different limits there are no indices."""

    characteristic: str
    unit: str
    limits: tuple[Decimal | None, Decimal | None] | None
    points: tuple[TrendPoint, ...]


@dataclass(frozen=True, slots=True)
class FaultCount:
    """A kind of fault, how often, and which share of all faults it and the more frequent ones have."""

    characteristic: str
    reason: str
    count: int
    cumulative: float


@dataclass(frozen=True, slots=True)
class TrendQuestion:
    """What is asked: which characteristics (all if none), over which periods, told apart by what."""

    characteristics: tuple[str, ...] = ()
    period: str = "month"
    by: str = ""

    def __post_init__(self) -> None:
        _refuse_unknown(self.period, PERIODS, "period")
        _refuse_unknown(self.by or STRATA[0], STRATA, "by")


def _refuse_unknown(word: str, known: Sequence[str], where: str) -> None:
    if word not in known:
        facts = {"place": where, "known": ", ".join(known), "word": word[:30]}
        raise UsageError("cell-not-one-of", hint=nearest(word, known), **facts)


# What a record yields.


def yields_of(record: Record | LotRecord, source: str) -> Iterator[RecordedSeries]:
    """Every characteristic of a record, of a lot or of a single thing."""
    on = date.fromisoformat(record.inspected_on)
    if isinstance(record, LotRecord):
        faults = _faults(record.lot)
        for series in record.lot.series:
            yield _of_series(series, record.lot, (on, source), faults.get(series.characteristic, Counter()))
        return
    for line in record.lines:
        if line.value is not None or line.verdict == "fails":
            yield _of_line(line, on, source)


def read_yields(content: bytes, source: str) -> tuple[RecordedSeries, ...]:
    """The yields of a record as it is kept; of one that this program cannot read, none."""
    try:
        opened = (open_lot_record if b'"lot":{' in content else open_record)(content)
        return tuple(yields_of(opened, source))
    except (BadInput, ValueError):
        return ()


def _faults(lot: Lot) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for piece in lot.nonconforming:
        if piece.verdict == "fails":
            found.setdefault(piece.characteristic, Counter())[piece.reason] += 1
    return found


def _of_series(series: MeasuredSeries, lot: Lot, where: tuple[date, str], faults: Counter[str]) -> RecordedSeries:
    # What is judged by eye has words, not numbers.
    numbers = enumerate(series.values if series.measured else ())
    kept = [place for place, value in numbers if value is not None and value not in _ANSWERS]
    strata = {name: tuple(cells[place] for place in kept) for name, cells in lot.traced.items() if name in STRATA}
    if series.instruments:
        strata["gauge"] = (" + ".join(series.instruments),) * len(kept)
    values = np.array([float(series.values[place] or "nan") for place in kept])
    bad = {
        piece.piece for piece in lot.nonconforming
        if piece.verdict == "fails" and piece.characteristic == series.characteristic
    }  # fmt: skip
    failing = np.array([lot.pieces[place] in bad for place in kept], dtype=np.bool_)
    on, source = where
    seen = sum(value is not None for value in series.values)
    limits = (_decimal(series.lower), _decimal(series.upper))
    return RecordedSeries(on, source, series.characteristic, series.unit, limits, values, failing, strata, seen, faults)


def _of_line(line: Line, on: date, source: str) -> RecordedSeries:
    values = np.array([] if line.value is None else [float(line.value)])
    strata = {"gauge": (" + ".join(line.instruments),)} if line.instruments and len(values) else {}
    limits = (_decimal(line.lower), _decimal(line.upper))
    failing = np.full(len(values), line.verdict == "fails")
    faults = {line.reason: 1} if line.verdict == "fails" else {}
    return RecordedSeries(on, source, line.characteristic, line.unit, limits, values, failing, strata, 1, faults)


def _decimal(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


# What they say together.


@dataclass(slots=True)
class _Heap:
    """Values of one period and stratum, lot by lot."""

    blocks: list[Floats] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)
    inspected: int = 0
    failed: int = 0


def trends(yields: Iterable[RecordedSeries], question: TrendQuestion) -> tuple[Trend, ...]:
    """One trend a characteristic, in the order of their names."""
    kinds: dict[str, list[RecordedSeries]] = {}
    for each in yields:
        if not question.characteristics or each.characteristic in question.characteristics:
            kinds.setdefault(each.characteristic, []).append(each)
    return tuple(_trend(name, kinds[name], question) for name in sorted(kinds))


def _trend(name: str, yields: list[RecordedSeries], question: TrendQuestion) -> Trend:
    heaps: dict[tuple[str, str], _Heap] = {}
    for each in yields:
        for stratum, mine in _told_apart(each, question.by):
            heap = heaps.setdefault((_period(each, question.period), stratum), _Heap())
            heap.blocks.append(each.values[mine])
            heap.sources.add(each.source)
            # Told apart by stratum, only pieces that have a value can be counted.
            heap.inspected += int(mine.sum()) if question.by else each.inspected
            heap.failed += int(each.failing[mine].sum()) if question.by else sum(each.faults.values())
    limits = {each.limits for each in yields if len(each.values)}
    one = next(iter(limits)) if len(limits) == 1 else None
    points = tuple(_point(key, heap, one) for key, heap in sorted(heaps.items()))
    unit = next((each.unit for each in yields if each.unit), "")
    return Trend(name, unit, one, points)


def _told_apart(each: RecordedSeries, by: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The strata of a yield, and which of its values belong to each."""
    if not by:
        yield "", np.ones(len(each.values), dtype=np.bool_)
        return
    labels = np.array(each.strata.get(by) or ("—",) * len(each.values))
    for label in dict.fromkeys(labels.tolist()):
        yield label or "—", labels == label


def _period(each: RecordedSeries, period: str) -> str:
    year, week, _ = each.on.isocalendar()
    return {
        "month": f"{each.on:%Y-%m}", "week": f"{year}-W{week:02}", "day": each.on.isoformat(),
        "lot": f"{each.on.isoformat()} {each.source}",
    }[period]  # fmt: skip


def _point(key: tuple[str, str], heap: _Heap, limits: tuple[Decimal | None, Decimal | None] | None) -> TrendPoint:
    values = np.concatenate(heap.blocks)
    count = len(values)
    base: dict[str, Any] = {
        "period": key[0], "stratum": key[1], "lots": len(heap.sources), "inspected": heap.inspected,
        "failed": heap.failed, "n": count,
    }  # fmt: skip
    if count:
        base["mean"] = float(values.mean())
    overall = float(values.std(ddof=1)) if count > 1 else 0.0
    if overall > 0:
        within, dof = _within(heap.blocks, overall)
        half = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * overall / sqrt(count)
        base |= {"mean_interval": (base["mean"] - half, base["mean"] + half), "s_overall": overall, "s_within": within}
        room = _room(base["mean"], limits)
        if room is not None:
            base |= _indices("cpk", room, within, (count, dof)) | _indices("ppk", room, overall, (count, count - 1))
    return TrendPoint(**base)


def _within(blocks: Sequence[Floats], overall: float) -> tuple[float, float]:
    """σ inside the lots, pooled, and its degrees of freedom; where lots are single pieces, that of all of them."""
    dof = sum(len(block) - 1 for block in blocks if len(block) > 1)
    if dof < 1:
        return overall, sum(map(len, blocks)) - 1
    squares = sum((len(block) - 1) * float(block.var(ddof=1)) for block in blocks if len(block) > 1)
    return (sqrt(squares / dof), dof) if squares > 0 else (overall, sum(map(len, blocks)) - 1)


def _room(mean: float, limits: tuple[Decimal | None, Decimal | None] | None) -> float | None:
    """How far the mean is from the nearer limit."""
    if limits is None or limits == (None, None):
        return None
    lower, upper = limits
    sides = [mean - float(lower)] if lower is not None else []
    return min([*sides, float(upper) - mean] if upper is not None else sides)


def _indices(name: str, room: float, sigma: float, size: tuple[int, float]) -> dict[str, Any]:
    index = room / (3 * sigma)
    return {name: index, f"{name}_interval": bissell_interval(index, *size)}


def pareto(yields: Iterable[RecordedSeries], question: TrendQuestion) -> tuple[FaultCount, ...]:
    """The kinds of faults, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    for each in yields:
        if not question.characteristics or each.characteristic in question.characteristics:
            counts.update({(each.characteristic, reason): number for reason, number in each.faults.items()})
    total, sum_so_far, found = counts.total(), 0, []
    for (characteristic, reason), count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        sum_so_far += count
        found.append(FaultCount(characteristic, reason, count, sum_so_far / total))
    return tuple(found)


def trend_data(found: Sequence[Trend], faults: Sequence[FaultCount], question: TrendQuestion) -> dict[str, object]:
    """The trends in the form that scripts and other programs rely on."""
    return {
        "period": question.period,
        "by": question.by or None,
        "characteristics": [
            {"characteristic": trend.characteristic, "unit": trend.unit,
             **{side: None if limit is None else float(limit)
                for side, limit in zip(("lower", "upper"), trend.limits or (None, None), strict=True)},
             "points": [_point_data(point) for point in trend.points]}
            for trend in found
        ],
        "pareto": [
            {"characteristic": fault.characteristic, "reason": fault.reason, "count": fault.count,
             "cumulative": round(fault.cumulative, 4)}
            for fault in faults
        ],
    }  # fmt: skip


def _point_data(point: TrendPoint) -> dict[str, object]:
    data = {name.replace("_interval", "_ci"): _rounded(value) for name, value in asdict(point).items()}
    return {**data, "stratum": point.stratum or None}


def _rounded(value: object) -> object:
    if isinstance(value, tuple):
        return [_rounded(end) for end in value]
    return float(f"{value:.8g}") if isinstance(value, float) else value
