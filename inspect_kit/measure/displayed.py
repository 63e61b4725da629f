"""A reading taken from the photo of a gauge's display, checked against what that gauge can show at all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from inspect_kit.capture.instruments import Instrument
from inspect_kit.capture.photographs import Photograph
from inspect_kit.capture.readings import in_base
from inspect_kit.errors import InspectKitError
from inspect_kit.values.quantity import Quantity, parse_strict
from inspect_kit.vision.display.evidence import cut_out
from inspect_kit.vision.display.read import CERTAIN, Shown, read_display

_NOTHING: Final = "no row of digits is seen on a display; verniers and dials are not read"
_DOUBTED: Final = 0.5
"""Confidence of a reading that the gauge speaks against."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """What is known of the gauge whose display it is: one digit, and the ends of its range."""

    resolution: Quantity | None = None
    lower: Quantity | None = None
    upper: Quantity | None = None
    name: str = ""

    @classmethod
    def of(cls, instrument: Instrument) -> Gauge:
        """From the instrument's sheet."""
        return cls(instrument.resolution, instrument.lower, instrument.upper, instrument.id)


@dataclass(frozen=True, slots=True)
class DisplayReading:
    """A proposal: what the display shows, how sure that is, and the part of the photo it was read from."""

    value: str
    unit: str
    confidence: float
    stable: bool
    hold: bool
    photo: str
    sha256: str
    doubt: str = ""
    """Why it is not certain, as a sentence; empty where it is."""
    picture: bytes = field(default=b"", repr=False)
    """The display, cut out of the photo, as JPEG."""

    @property
    def certain(self) -> bool:
        """Whether it may be offered as the reading."""
        return self.confidence >= CERTAIN and not self.doubt

    def as_data(self) -> dict[str, object]:
        """The form that scripts rely on."""
        return {
            "value": self.value or None, "unit": self.unit or None, "confidence": round(self.confidence, 3),
            "stable": self.stable, "hold": self.hold, "photo": self.photo, "sha256": self.sha256,
            "doubt": self.doubt or None,
        }  # fmt: skip


def displayed(photo: Photograph, gauge: Gauge | None = None) -> DisplayReading:
    """The display's reading as a proposal; without one its value is empty and its confidence 0."""
    shown = read_display(photo.pixels)
    if shown is None:
        return DisplayReading(
            "", "", 0.0, False, False, photo.file, photo.sha256, "no row of digits is seen on a display"
        )
    reading = DisplayReading(
        shown.number, shown.unit, shown.confidence, shown.stable, shown.hold, photo.file, photo.sha256, shown.doubt,
        cut_out(photo.pixels, shown),
    )  # fmt: skip
    return _checked(reading, shown, gauge or Gauge())


def _checked(reading: DisplayReading, shown: Shown, gauge: Gauge) -> DisplayReading:
    """The reading, its unit completed by the gauge, and doubted where the gauge cannot show it."""
    resolution = gauge.resolution
    unit = reading.unit or (str(resolution.unit.symbol) if resolution else "")
    reading = replace(reading, unit=unit)
    against = shown.doubt or _against(reading, gauge)
    if not against and reading.confidence < CERTAIN:
        against = "a digit is not clear enough"
    if not against:
        return reading
    return replace(reading, doubt=against, confidence=min(reading.confidence, _DOUBTED))


def _against(reading: DisplayReading, gauge: Gauge) -> str:
    """What speaks against a reading, given the gauge."""
    if not reading.unit:
        return "no unit is seen; say it with --resolution 0.01g or --instrument ID"
    if gauge.resolution is None:
        return "" if "." in reading.value else "no decimal point is seen; say --resolution, as the display counts"
    try:
        value = parse_strict(f"{reading.value} {reading.unit}")
    except InspectKitError:
        return f"{reading.value} {reading.unit} is no quantity"
    return _beyond(value, gauge, gauge.resolution)


def _beyond(value: Quantity, gauge: Gauge, resolution: Quantity) -> str:
    if value.unit.base != resolution.unit.base:
        return f"the display shows {value.unit}, the gauge measures in {resolution.unit}"
    digit, number = resolution.in_base, value.in_base
    if number % digit or _decimals(value) != _decimals(resolution):
        return f"{value} is not a number of whole digits of {resolution}"
    below = gauge.lower is not None and number < min(gauge.lower.in_base, Decimal(0))
    above = gauge.upper is not None and abs(number) > gauge.upper.in_base
    return f"{value} is beyond the range of {gauge.name or 'the gauge'}" if below or above else ""


def _decimals(quantity: Quantity) -> int:
    return -int(Decimal(quantity.number).as_tuple().exponent)


def in_grams_or_millimetres(reading: DisplayReading) -> tuple[str, str]:
    """The value in g or mm, exactly."""
    return in_base(reading.value, reading.unit)
