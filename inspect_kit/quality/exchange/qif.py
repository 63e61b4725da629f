"""QIF 3.0 (ISO 23952) measurement results: one MeasurementResults a piece, each characteristic with value and status.

Valid against the schema of 3.0.0, which is not part of this program. Mass, angle and time are QIF's user-defined
characteristics of that unit, and what is judged by eye its user-defined attributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from inspect_kit.errors import BadInput
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.exchange.markup import Markup
from inspect_kit.quality.exchange.rows import uncertainty
from inspect_kit.quality.lot.record import Delivery, LotRecord, MeasuredSeries

NAMESPACE: Final = "http://qifstandards.org/xsd/qif3"
_CHUNK: Final = 500
"""Pieces after which what was written is handed on, so that a long lot is never whole in memory."""
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


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A series with QIF's name for its kind, and the ids of its definition, nominal and item."""

    series: MeasuredSeries
    kind: str
    definition: int
    nominal: int
    item: int


def qif_lines(record: LotRecord) -> Iterator[bytes]:
    """The document, some pieces at a time."""
    ids = count(1)
    part, standard = next(ids), next(ids)
    devices = {gauge.id: next(ids) for gauge in record.instruments}
    numbered = [_Numbered(series, _kind(series), next(ids), next(ids), next(ids)) for series in _told(record)]
    pieces, each = len(record.lot.pieces), 2 + len(numbered)
    first = next(ids)
    sheet = Markup()
    with sheet.element(
        "QIFDocument", xmlns=NAMESPACE, xmlns__xsi="http://www.w3.org/2001/XMLSchema-instance",
        xsi__schemaLocation=f"{NAMESPACE} QIFDocument.xsd", idMax=first + pieces * each, versionQIF="3.0.0",
    ):  # fmt: skip
        _head(sheet, record, devices, (part, standard))
        _characteristics(sheet, numbered, devices, standard, record)
        yield sheet.taken()
        yield from _results(sheet, record, numbered, first)
    yield sheet.taken()


def _kind(series: MeasuredSeries) -> str:
    if not series.measured:
        return _ATTRIBUTE
    last = series.characteristic.rpartition(".")[2]
    if series.unit == "mm" and last in _BY_NAME:
        return _BY_NAME[last]
    if series.unit not in _BY_UNIT:
        raise BadInput("qif-no-characteristic", where=series.characteristic, unit=series.unit or "counts")
    return _BY_UNIT[series.unit]


_NO_NUMBER: Final = (None, "yes", "no")
_ATTRIBUTE: Final = "UserDefinedAttribute"


def _told(record: LotRecord) -> tuple[MeasuredSeries, ...]:
    """The characteristics that have numbers, or were judged by eye."""
    found = tuple(series for series in record.lot.series if series.numbers or not series.measured)
    if not found:
        raise BadInput("lot-no-measured-values-qif", where=record.subject.text)
    return found


def _identity(record: LotRecord, of: str) -> UUID:
    """An identity that follows from the record, so that the same record is the same file."""
    return uuid5(NAMESPACE_URL, f"{record.digest}#{of}")


def _head(sheet: Markup, record: LotRecord, devices: dict[str, int], ids: tuple[int, int]) -> None:
    part, standard = ids
    sheet.leaf("QPId", _identity(record, "document"))
    sheet.leaf("Version/TimeCreated", f"{record.inspected_on}T00:00:00")
    sheet.leaf("Header/Application/Name", record.software or "inspect-kit")
    with sheet.element("StandardsDefinitions", n=1), sheet.element("Standard", id=standard):
        issuer = record.sheet.body or record.sheet.publisher or "not stated"
        sheet.leaf("Organization/OtherStandardsOrganization", issuer)
        sheet.leaf("Designator", record.sheet.id)
        sheet.leaf("Title", f"{record.sheet.title}, {record.sheet.edition}")
    _traceability(sheet, record, standard)
    with sheet.element("FileUnits/PrimaryUnits"):
        for unit in _UNITS:
            if unit in {"mm", "deg", *(series.unit for series in record.lot.series)}:
                _unit(sheet, *_UNITS[unit])
    if devices:
        with sheet.element("MeasurementResources/MeasurementDevices", n=len(devices)):
            for gauge in record.instruments:
                with sheet.element("MeasurementDevice", id=devices[gauge.id]):
                    sheet.leaf("Name", gauge.name or gauge.id)
    with sheet.element("Product"), sheet.element("PartSet", n=1), sheet.element("Part", id=part, label=record.item.id):
        sheet.leaf("UUID", _identity(record, "part"))
        sheet.leaf("ModelNumber", record.subject.text)


def _traceability(sheet: Markup, record: LotRecord, standard: int) -> None:
    """Who inspected, and for which order."""
    order = record.lot.delivery.order if isinstance(record.lot.delivery, Delivery) else ""
    if not record.subject.issuer and not order:
        return
    with sheet.element("PreInspectionTraceability"):
        if record.subject.issuer:
            sheet.leaf("InspectingOrganization/Name", record.subject.issuer)
        if order:
            sheet.leaf("PurchaseOrderNumber", order)
        sheet.leaf("FormalStandardId", standard)


def _unit(sheet: Markup, name: str, si_name: str, unit_name: str, factor: str) -> None:
    with sheet.element(name):
        sheet.leaf("SIUnitName", si_name)
        sheet.leaf("UnitName", unit_name)
        sheet.leaf("UnitConversion/Factor", factor)


def _characteristics(
    sheet: Markup, numbered: list[_Numbered], devices: dict[str, int], standard: int, record: LotRecord
) -> None:
    size = len(numbered)
    with sheet.element("Characteristics"):
        sheet.leaf("FormalStandardId", standard)
        with sheet.element("CharacteristicDefinitions", n=size):
            for entry in numbered:
                _definition(sheet, entry)
        with sheet.element("CharacteristicNominals", n=size):
            for entry in numbered:
                with sheet.element(f"{entry.kind}CharacteristicNominal", id=entry.nominal):
                    sheet.leaf("CharacteristicDefinitionId", entry.definition)
                    if entry.series.nominal is not None:
                        sheet.leaf("TargetValue", entry.series.nominal)
                    if entry.kind == _ATTRIBUTE:
                        _answers(sheet, entry.series, record)
        with sheet.element("CharacteristicItems", n=size):
            for entry in numbered:
                _item(sheet, entry, [devices[name] for name in entry.series.instruments if name in devices])


def _answers(sheet: Markup, series: MeasuredSeries, record: LotRecord) -> None:
    """The words by which pieces pass and fail, as they were found."""
    verdicts = _verdicts(record)
    found: dict[Verdict, dict[str, None]] = {}
    for piece, word in zip(record.lot.pieces, series.values, strict=True):
        if word is not None:
            verdict = verdicts.get(piece, {}).get(series.characteristic, Verdict.CONFORMS)
            found.setdefault(verdict, {})[word] = None
    for name, verdict in (("PassValues", Verdict.CONFORMS), ("FailValues", Verdict.FAILS)):
        if verdict in found:
            with sheet.element(name, n=len(found[verdict])):
                for word in found[verdict]:
                    sheet.leaf("StringValue", word)


def _tolerance(sheet: Markup, series: MeasuredSeries) -> None:
    with sheet.element("Tolerance"):
        if series.upper is not None:
            sheet.leaf("MaxValue", series.upper)
        if series.lower is not None:
            sheet.leaf("MinValue", series.lower)
        sheet.leaf("DefinedAsLimit", "true")


def _definition(sheet: Markup, entry: _Numbered) -> None:
    with sheet.element(f"{entry.kind}CharacteristicDefinition", id=entry.definition):
        if entry.kind != _ATTRIBUTE:
            _tolerance(sheet, entry.series)
        if entry.kind.startswith("UserDefined"):
            sheet.leaf("WhatToMeasure", entry.series.characteristic)


def _item(sheet: Markup, entry: _Numbered, devices: list[int]) -> None:
    with sheet.element(f"{entry.kind}CharacteristicItem", id=entry.item):
        sheet.leaf("Name", entry.series.characteristic)
        sheet.leaf("CharacteristicDesignator/Designator", entry.series.clause or entry.series.characteristic)
        if devices:
            with sheet.element("MeasurementDeviceIds", n=len(devices)):
                for device in devices:
                    sheet.leaf("Id", device)
        sheet.leaf("CharacteristicNominalId", entry.nominal)


def _results(sheet: Markup, record: LotRecord, numbered: list[_Numbered], first: int) -> Iterator[bytes]:
    pieces, each = record.lot.pieces, 2 + len(numbered)
    verdicts = _verdicts(record)
    trace = record.lot.traced
    serials = trace.get("serial", ())
    with sheet.element("Results"):
        with sheet.element("MeasurementResultsSet", n=len(pieces)):
            for place, piece in enumerate(pieces):
                _piece(sheet, numbered, place, verdicts.get(piece, {}), first + place * each)
                if place % _CHUNK == 0:
                    yield sheet.taken()
        with sheet.element("ActualComponentSets", n=1), sheet.element("ActualComponentSet", n=len(pieces)):
            for place, piece in enumerate(pieces):
                with sheet.element("ActualComponent", id=first + place * each + 1):
                    _origin(sheet, trace, place)
                    sheet.leaf("SerialNumber", (serials[place] if serials else "") or piece)
                    worst = _worst(verdicts.get(piece, {}))
                    sheet.leaf("Status/InspectionStatusEnum", _INSPECTION_STATUS[worst])
                if place % _CHUNK == 0:
                    yield sheet.taken()


def _origin(sheet: Markup, trace: dict[str, tuple[str, ...]], place: int) -> None:
    """Where a piece comes from, as attributes of its component: QIF has no fields for a cavity or a tray."""
    known = {name: cells[place] for name, cells in trace.items() if name != "serial" and cells[place]}
    if known:
        with sheet.element("Attributes", n=len(known)):
            for name, text in known.items():
                sheet.leaf("AttributeStr", None, **{"name": name, "value": text})


def _verdicts(record: LotRecord) -> dict[str, dict[str, Verdict]]:
    """What does not conform: piece → characteristic → verdict."""
    found: dict[str, dict[str, Verdict]] = {}
    for piece in record.lot.nonconforming:
        found.setdefault(piece.piece, {})[piece.characteristic] = Verdict(piece.verdict)
    return found


def _worst(odd: dict[str, Verdict]) -> Verdict:
    if Verdict.FAILS in odd.values():
        return Verdict.FAILS
    return Verdict.UNDECIDED if odd else Verdict.CONFORMS


def _has_value(entry: _Numbered, place: int) -> bool:
    return entry.series.values[place] not in ((None,) if entry.kind == _ATTRIBUTE else _NO_NUMBER)


def _piece(sheet: Markup, numbered: list[_Numbered], place: int, odd: dict[str, Verdict], number: int) -> None:
    """One piece; its results, its component and its measurements are numbered in a row from `number` on."""
    measured = [entry for entry in numbered if _has_value(entry, place)]
    with sheet.element("MeasurementResults", id=number):
        if measured:
            with sheet.element("MeasuredCharacteristics/CharacteristicMeasurements", n=len(measured)):
                for offset, entry in enumerate(measured, 2):
                    _measurement(sheet, entry, place, odd, (number + offset, number + 1))
        sheet.leaf("InspectionStatus/InspectionStatusEnum", _INSPECTION_STATUS[_worst(odd)])
        with sheet.element("ActualComponentIds", n=1):
            sheet.leaf("Id", number + 1)


def _measurement(sheet: Markup, entry: _Numbered, place: int, odd: dict[str, Verdict], ids: tuple[int, int]) -> None:
    series = entry.series
    standard = uncertainty(series, place)
    with sheet.element(f"{entry.kind}CharacteristicMeasurement", id=ids[0]):
        verdict = odd.get(series.characteristic, Verdict.CONFORMS)
        sheet.leaf("Status/CharacteristicStatusEnum", _CHARACTERISTIC_STATUS[verdict])
        sheet.leaf("CharacteristicItemId", entry.item)
        sheet.leaf("ActualComponentId", ids[1])
        known = {} if standard is None else {"combinedUncertainty": standard}
        if entry.kind != _ATTRIBUTE or verdict is not Verdict.UNDECIDED:  # An open answer neither passes nor fails.
            sheet.leaf("Value", series.values[place], **known)
