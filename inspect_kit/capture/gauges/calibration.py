"""A calibration as its certificate states it: points with error and uncertainty, and what a sheet makes of them."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element, ParseError, iterparse

from inspect_kit.capture.files import read_bytes
from inspect_kit.capture.instruments import DistributionShape, Effect, Instrument
from inspect_kit.errors import BadInput
from inspect_kit.strict_json import bounded
from inspect_kit.values.quantity import Quantity, parse_strict

CERTIFIED: Final = "calibration"
"""Source of the uncertainty that the certificate states."""
UNCORRECTED: Final = "error not corrected"
"""Source of the errors that the certificate states and nobody takes off the readings."""


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """One point: what was put on or between the jaws, what was shown too much, and its expanded uncertainty."""

    nominal: Quantity
    error: Quantity
    expanded: Quantity
    coverage: Decimal = Decimal(2)


@dataclass(frozen=True, slots=True)
class CalibrationCertificate:
    """What a calibration certificate says of one gauge."""

    number: str
    laboratory: str
    performed: date
    points: tuple[CalibrationPoint, ...]
    serial: str = ""
    maker: str = ""

    @property
    def said(self) -> str:
        """As it stands on a sheet and on certificates."""
        return f"{self.number}, {self.laboratory}, {self.performed.isoformat()}"


def calibrated(gauge: Instrument, found: CalibrationCertificate, until: date | None) -> Instrument:
    """The gauge with this calibration: the largest uncertainty, and the largest error as one that is not corrected."""
    _refuse_another(gauge, found)
    worst = max(found.points, key=lambda point: point.expanded.in_base / point.coverage)
    largest = max((point.error for point in found.points), key=lambda error: abs(error.in_base))
    effects = [Effect(CERTIFIED, worst.expanded, coverage=worst.coverage, shared=True)]
    if largest.in_base:
        size = Quantity(abs(largest.number), largest.unit)
        effects.append(Effect(UNCORRECTED, size, DistributionShape.RECTANGULAR, shared=True))
    others = [effect for effect in gauge.effects if effect.source not in (CERTIFIED, UNCORRECTED)]
    return replace(
        gauge, effects=(*effects, *others), calibration=found.said, calibrated_until=until,
        serial=gauge.serial or found.serial, maker=gauge.maker or found.maker,
    )  # fmt: skip


def _refuse_another(gauge: Instrument, found: CalibrationCertificate) -> None:
    """A certificate of another gauge, of another quantity or without points says nothing about this one."""
    if gauge.serial and found.serial and gauge.serial.strip() != found.serial.strip():
        raise BadInput("calibration-of-another", where=gauge.id, serial=found.serial[:40], own=gauge.serial[:40])
    if not found.points:
        raise BadInput("calibration-without-points", where=gauge.id)
    base = gauge.resolution.unit.base
    for point in found.points:
        if any(each.unit.base != base for each in (point.nominal, point.error, point.expanded)):
            raise BadInput("calibration-in-another-unit", where=gauge.id, nominal=str(point.nominal), unit=base)
        if point.expanded.in_base <= 0 or point.coverage < 1:
            raise BadInput("calibration-without-uncertainty", where=gauge.id, nominal=str(point.nominal))


# Certificates as XML (PTB's DCC 3, D-SI 2): who calibrated what and when, and every point of it. Points are found by
# the published `refType`s of the quantities: reference value, measured value, measurement error. The certificate's
# electronic signature is not checked here, and the one who imports is told so.

_LARGEST: Final = 5_000_000
"""Bytes; a certificate of a caliper has a hundredth of it, without embedded files."""
_DEEPEST: Final = 60
"""Elements within each other; published certificates have fewer than 20."""
_MOST: Final = 2_000
"""Values of one list."""
_DCC: Final = "{https://ptb.de/dcc}"
_SI: Final = "{https://ptb.de/si}"
_DOUBLE: Final = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{0,40})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_FORBIDDEN: Final = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST)", re.IGNORECASE)
_UNITS: Final = {
    r"\gram": "g", r"\kilogram": "kg", r"\kilo\gram": "kg", r"\milli\gram": "mg", r"\metre": "m",
    r"\milli\metre": "mm", r"\micro\metre": "um", r"\centi\metre": "cm",
}  # fmt: skip
_TO_SHEET: Final = {"m": ("mm", 3), "um": ("mm", -3)}
"""Units that sheets do not use, with the power of ten to one that they do."""
_REFERENCE: Final = "basic_referenceValue"
_MEASURED: Final = "basic_measuredValue"
_ERROR: Final = "basic_measurementError"


@dataclass(frozen=True, slots=True)
class _Column:
    """One quantity of a result: its values, and their expanded uncertainties where they are stated."""

    kinds: frozenset[str]
    values: tuple[Quantity, ...]
    expanded: tuple[Quantity, ...] = ()
    coverage: tuple[Decimal, ...] = ()


def read_dcc(path: Path) -> CalibrationCertificate:
    """The calibration that the certificate states; anything but a DCC of version 3 is refused with its reason."""
    root = _parsed(read_bytes(path, _LARGEST), str(path))
    version = root.get("schemaVersion", "")
    if root.tag != f"{_DCC}digitalCalibrationCertificate" or not version.startswith("3."):
        raise BadInput("not-a-dcc", where=str(path))
    points = tuple(point for table in _tables(root) for point in _points(table))
    if not points:
        raise BadInput("dcc-without-points", where=str(path))
    item = root.find(f".//{_DCC}items/{_DCC}item")
    return CalibrationCertificate(
        _text(root, "coreData/uniqueIdentifier"), _text(root, "calibrationLaboratory/contact/name/content"),
        _performed(root, str(path)), points, _serial(item), _text(item, "manufacturer/name/content"),
    )  # fmt: skip


def _parsed(content: bytes, where: str) -> Element:
    """The tree, without a document type: no entities, nothing fetched, no elements stacked without end."""
    if _FORBIDDEN.search(content) or b"\x00" in content[:200]:
        raise BadInput("xml-with-doctype", where=where)
    depth = 0
    root: Element | None = None
    try:
        for event, element in iterparse(io.BytesIO(content), ("start", "end")):  # noqa: S314
            depth += 1 if event == "start" else -1
            if depth > _DEEPEST:
                raise BadInput("not-a-dcc", where=where)
            root = element if root is None else root
    except (ParseError, ValueError, LookupError):
        raise BadInput("not-xml", where=where) from None
    assert root is not None  # What has no element at all is no XML.
    return root


def _text(within: Element | None, path: str) -> str:
    found = within.find(".//" + "/".join(f"{_DCC}{name}" for name in path.split("/"))) if within is not None else None
    text = " ".join((found.text or "").split()) if found is not None else ""
    return "".join(sign for sign in text if sign.isprintable())[:200]


def _performed(root: Element, where: str) -> date:
    stated = _text(root, "coreData/endPerformanceDate") or _text(root, "coreData/beginPerformanceDate")
    try:
        return date.fromisoformat(stated[:10])
    except ValueError:
        raise BadInput("dcc-without-date", where=where) from None


def _serial(item: Element | None) -> str:
    """The number by which the maker knows it; the laboratory's own and the customer's are others."""
    found = item.findall(f".//{_DCC}identification") if item is not None else []
    return next((_text(each, "value") for each in found if _text(each, "issuer") == "manufacturer"), "")


def _tables(root: Element) -> Iterator[list[_Column]]:
    """The quantities that belong together: those of one list, or else of one result."""
    for result in root.iterfind(f".//{_DCC}results/{_DCC}result/{_DCC}data"):
        groups = list(result.iter(f"{_DCC}list")) or [result]
        for group in groups:
            yield [column for each in group.findall(f"{_DCC}quantity") if (column := _column(each)) is not None]


def _column(quantity: Element) -> _Column | None:
    """Its values; a `hybrid` states them in several units, of which the first known one is taken."""
    kinds = frozenset((quantity.get("refType") or "").split())
    places = (quantity, *quantity.iterfind(f"{_SI}hybrid"))
    forms = (("real", ""), ("realListXMLList", "XMLList"))
    read = (
        _read(real, kinds, end) for place in places for name, end in forms for real in place.iterfind(f"{_SI}{name}")
    )
    return next((column for column in read if column is not None), None)


def _read(real: Element, kinds: frozenset[str], ending: str) -> _Column | None:
    values, units = (_words(real, f"{name}{ending}") for name in ("value", "unit"))
    expanded = _words(real, f"valueExpandedMU{ending}") or _words(real, f"uncertainty{ending}")
    coverage = _words(real, f"coverageFactor{ending}")
    if not values or not units or len(values) > _MOST:
        return None
    try:
        numbers = _spread(units, values)
        return _Column(kinds, numbers, _spread(units, expanded), tuple(map(_number, coverage)))
    except (KeyError, ValueError, BadInput):
        return None


def _words(real: Element, name: str) -> list[str]:
    found = next(real.iter(f"{_SI}{name}"), None)
    return (found.text or "").split() if found is not None else []


def _spread(units: list[str], numbers: list[str]) -> tuple[Quantity, ...]:
    """Each number with its unit; one unit may stand for all of them."""
    every = units if len(units) == len(numbers) else units[:1] * len(numbers)
    return tuple(_quantity(number, unit) for number, unit in zip(numbers, every, strict=True))


def _quantity(number: str, unit: str) -> Quantity:
    symbol = _UNITS[unit]
    sheet, power = _TO_SHEET.get(symbol, (symbol, 0))
    return parse_strict(f"{_number(number).scaleb(power):f} {sheet}")


def _number(text: str) -> Decimal:
    """A number as XML writes it: plain digits, no underscores, nothing endless."""
    if not _DOUBLE.fullmatch(text):
        raise ValueError(text[:40])
    return bounded(text)


def _points(table: list[_Column]) -> Iterator[CalibrationPoint]:
    """Reference and error, or reference and measured value, row by row."""
    found = {kind: column for column in table for kind in (_REFERENCE, _MEASURED, _ERROR) if kind in column.kinds}
    reference, measured, error = (found.get(kind) for kind in (_REFERENCE, _MEASURED, _ERROR))
    if reference is None or (error or measured) is None:
        return
    stated = next((column for column in (error, measured) if column is not None and column.expanded), None)
    for row, nominal in enumerate(reference.values):
        off = _off(nominal, row, error, measured)
        if off is None or stated is None:
            continue
        expanded = stated.expanded[row if len(stated.expanded) > 1 else 0]
        factor = stated.coverage[row if len(stated.coverage) > 1 else 0] if stated.coverage else Decimal(2)
        yield CalibrationPoint(nominal, off, expanded, factor)


def _off(nominal: Quantity, row: int, error: _Column | None, measured: _Column | None) -> Quantity | None:
    if error is not None:
        return error.values[row] if row < len(error.values) else None
    if measured is None or row >= len(measured.values):
        return None
    shown = measured.values[row]
    unit = parse_strict(f"0 {nominal.unit.base}").unit
    return Quantity(shown.in_base - nominal.in_base, unit) if shown.unit.base == nominal.unit.base else None
