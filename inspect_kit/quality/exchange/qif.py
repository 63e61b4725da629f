"""QIF 3.0 (ISO 23952) measurement results: one MeasurementResults a piece, each characteristic with value and status.

Valid against the schema of 3.0.0, which is not part of this program. Mass, angle and time are QIF's user-defined
characteristics of that unit, and what is judged by eye its user-defined attributes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from inspect_kit.errors import BadInput
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.exchange.rows import uncertainty
from inspect_kit.quality.exchange.xml_template import filled
from inspect_kit.quality.lot.record import Delivery, LotRecord, MeasuredSeries

_BY_NAME: Final = {
    "diameter": "Diameter", "thickness": "Thickness", "height": "Height", "length": "Length", "width": "Width",
}  # fmt: skip
_BY_UNIT: Final = {
    "mm": "UserDefinedLinear", "g": "UserDefinedMass", "deg": "UserDefinedAngular", "s": "UserDefinedTime",
}  # fmt: skip
_UNITS: Final = {
    "deg": ("AngularUnit", "radian", "degree", "0.017453292519943295"),
    "mm": ("LinearUnit", "meter", "mm", "0.001"),
    "g": ("MassUnit", "kilogram", "g", "0.001"),
    "s": ("TimeUnit", "second", "s", "1"),
}
"""In the order in which PrimaryUnits has them."""
_CHARACTERISTIC_STATUS: Final = {
    Verdict.CONFORMS: "PASS", Verdict.FAILS: "FAIL", Verdict.UNDECIDED: "INDETERMINATE",
}  # fmt: skip
_INSPECTION_STATUS: Final = {Verdict.CONFORMS: "PASS", Verdict.FAILS: "FAIL", Verdict.UNDECIDED: "UNKNOWN"}

_Verdicts = dict[str, dict[str, Verdict]]
"""What does not conform: piece → characteristic → verdict."""


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A series with QIF's name for its kind, the ids of its definition, nominal and item, and those of its gauges."""

    series: MeasuredSeries
    kind: str
    definition: int
    nominal: int
    item: int
    devices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _MeasuredValue:
    """One value of one piece; `told` unless it is an open answer, which neither passes nor fails."""

    entry: _Numbered
    id: int
    status: str
    text: str | None
    u: str | None
    told: bool


@dataclass(frozen=True, slots=True)
class _Piece:
    """One piece; its results, its component and its measurements are numbered in a row."""

    id: int
    component: int
    serial: str
    status: str
    origin: dict[str, str]
    values: tuple[_MeasuredValue, ...]


def qif_lines(record: LotRecord) -> Iterator[bytes]:
    """The document, some pieces at a time."""
    ids = count(1)
    part, standard = next(ids), next(ids)
    devices = {gauge.id: next(ids) for gauge in record.instruments}
    numbered = [_numbered(series, ids, devices) for series in _told(record)]
    first = next(ids)
    verdicts = _verdicts(record)
    used = {"mm", "deg", *(series.unit for series in record.lot.series)}
    return filled(
        "qif.xml", record=record, part=part, standard=standard, devices=devices, numbered=numbered,
        largest_id=first + len(record.lot.pieces) * (2 + len(numbered)), identity=partial(_identity, record),
        order=record.lot.delivery.order if isinstance(record.lot.delivery, Delivery) else "",
        units=[names for unit, names in _UNITS.items() if unit in used], answers=partial(_answers, record, verdicts),
        pieces=partial(_pieces, record, numbered, verdicts, first),
    )  # fmt: skip


def _numbered(series: MeasuredSeries, ids: Iterator[int], devices: dict[str, int]) -> _Numbered:
    used = tuple(devices[name] for name in series.instruments if name in devices)
    return _Numbered(series, _kind(series), next(ids), next(ids), next(ids), used)


def _kind(series: MeasuredSeries) -> str:
    if not series.measured:
        return "UserDefinedAttribute"
    last = series.characteristic.rpartition(".")[2]
    if series.unit == "mm" and last in _BY_NAME:
        return _BY_NAME[last]
    if series.unit not in _BY_UNIT:
        raise BadInput("qif-no-characteristic", where=series.characteristic, unit=series.unit or "counts")
    return _BY_UNIT[series.unit]


def _told(record: LotRecord) -> tuple[MeasuredSeries, ...]:
    """The characteristics that have numbers, or were judged by eye."""
    found = tuple(series for series in record.lot.series if series.numbers or not series.measured)
    if not found:
        raise BadInput("lot-no-measured-values-qif", where=record.subject.text)
    return found


def _identity(record: LotRecord, of: str) -> UUID:
    """An identity that follows from the record, so that the same record is the same file."""
    return uuid5(NAMESPACE_URL, f"{record.digest}#{of}")


def _verdicts(record: LotRecord) -> _Verdicts:
    found: _Verdicts = {}
    for piece in record.lot.nonconforming:
        found.setdefault(piece.piece, {})[piece.characteristic] = Verdict(piece.verdict)
    return found


def _answers(record: LotRecord, verdicts: _Verdicts, series: MeasuredSeries) -> list[tuple[str, dict[str, None]]]:
    """The words by which pieces pass and fail, as they were found; none where something was measured."""
    found: dict[Verdict, dict[str, None]] = {}
    for piece, word in zip(record.lot.pieces, () if series.measured else series.values, strict=False):
        if word is not None:
            verdict = verdicts.get(piece, {}).get(series.characteristic, Verdict.CONFORMS)
            found.setdefault(verdict, {})[word] = None
    named = (("PassValues", Verdict.CONFORMS), ("FailValues", Verdict.FAILS))
    return [(name, found[verdict]) for name, verdict in named if verdict in found]


def _pieces(record: LotRecord, numbered: list[_Numbered], verdicts: _Verdicts, first: int) -> Iterator[_Piece]:
    trace = record.lot.traced
    for place, piece in enumerate(record.lot.pieces):
        odd, number = verdicts.get(piece, {}), first + place * (2 + len(numbered))
        origin = {name: cells[place] for name, cells in trace.items() if cells[place]}
        serial = origin.pop("serial", "") or piece
        measured = [entry for entry in numbered if _has_value(entry.series, place)]
        values = tuple(_value(entry, place, odd, number + offset) for offset, entry in enumerate(measured, 2))
        yield _Piece(number, number + 1, serial, _INSPECTION_STATUS[_worst(odd)], origin, values)


def _has_value(series: MeasuredSeries, place: int) -> bool:
    return series.values[place] not in ((None, "yes", "no") if series.measured else (None,))


def _value(entry: _Numbered, place: int, odd: dict[str, Verdict], number: int) -> _MeasuredValue:
    series = entry.series
    verdict = odd.get(series.characteristic, Verdict.CONFORMS)
    return _MeasuredValue(
        entry, number, _CHARACTERISTIC_STATUS[verdict], series.values[place], uncertainty(series, place),
        told=series.measured or verdict is not Verdict.UNDECIDED,
    )  # fmt: skip


def _worst(odd: dict[str, Verdict]) -> Verdict:
    if Verdict.FAILS in odd.values():
        return Verdict.FAILS
    return Verdict.UNDECIDED if odd else Verdict.CONFORMS
