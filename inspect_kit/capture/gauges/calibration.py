"""A calibration as its certificate states it: points with error and uncertainty, and what a sheet makes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Final

from inspect_kit.capture.instruments import DistributionShape, Effect, Instrument
from inspect_kit.errors import BadInput
from inspect_kit.values.quantity import Quantity

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
