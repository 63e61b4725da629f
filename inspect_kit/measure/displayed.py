"""A reading taken from the photo of a gauge's display, checked against what that gauge can show at all."""

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from inspect_kit.capture.instruments import Instrument
from inspect_kit.capture.photographs import Photograph
from inspect_kit.capture.readings import in_base
from inspect_kit.errors import ENGLISH, InspectKitError, Notice, notice, sentence
from inspect_kit.values.quantity import Quantity, parse_strict
from inspect_kit.vision.display.read import CERTAIN, DisplayedNumber, cut_out, read_display

_DOUBTED: Final = 0.5
"""Confidence of a reading that the gauge speaks against."""


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
    told: Notice | None = None
    """Why it is not certain; nothing where it is."""
    picture: bytes = field(default=b"", repr=False)
    """The display, cut out of the photo, as JPEG."""

    @property
    def certain(self) -> bool:
        """Whether it may be offered as the reading."""
        return self.confidence >= CERTAIN and self.told is None

    @property
    def doubt(self) -> str:
        """Why it is not certain, in English; empty where it is."""
        return self.doubt_in(ENGLISH)

    def doubt_in(self, language: str) -> str:
        """The same in a language."""
        return sentence(self.told, language) if self.told else ""

    def as_data(self) -> dict[str, object]:
        """The form that scripts rely on."""
        return {
            "value": self.value or None, "unit": self.unit or None, "confidence": round(self.confidence, 3),
            "stable": self.stable, "hold": self.hold, "photo": self.photo, "sha256": self.sha256,
            "doubt": self.doubt or None,
        }  # fmt: skip


def displayed(photo: Photograph, gauge: Instrument | None = None) -> DisplayReading:
    """The display's reading as a proposal; without one its value is empty and its confidence 0."""
    shown = read_display(photo.pixels)
    if shown is None:
        return DisplayReading("", "", 0.0, False, False, photo.file, photo.sha256, notice("display-none"))
    reading = DisplayReading(
        shown.number, shown.unit, shown.confidence, shown.stable, shown.hold, photo.file, photo.sha256,
        picture=cut_out(photo.pixels, shown),
    )  # fmt: skip
    return _checked(reading, shown, gauge)


def _checked(reading: DisplayReading, shown: DisplayedNumber, gauge: Instrument | None) -> DisplayReading:
    """The reading, its unit completed by the gauge, and doubted where the gauge cannot show it."""
    reading = replace(reading, unit=reading.unit or (gauge.resolution.unit.symbol if gauge else ""))
    against = notice(shown.doubt) if shown.doubt else _against(reading, gauge)
    if against is None and reading.confidence < CERTAIN:
        against = notice("display-digit-unclear")
    if against is None:
        return reading
    return replace(reading, told=against, confidence=min(reading.confidence, _DOUBTED))


def _against(reading: DisplayReading, gauge: Instrument | None) -> Notice | None:
    """What speaks against a reading, given the gauge."""
    if not reading.unit:
        return notice("display-no-unit")
    try:
        in_base(reading.value, reading.unit)
        if gauge is None:
            return None if "." in reading.value else notice("display-no-point")
        return _beyond(parse_strict(f"{reading.value} {reading.unit}"), gauge)
    except InspectKitError:
        return notice("display-no-quantity", shown=f"{reading.value} {reading.unit}")


def _beyond(value: Quantity, gauge: Instrument) -> Notice | None:
    resolution = gauge.resolution
    if value.unit.base != resolution.unit.base:
        return notice("display-other-unit", unit=str(value.unit), own=str(resolution.unit))
    digit, number = resolution.in_base, value.in_base
    if number % digit or _decimals(value) != _decimals(resolution):
        return notice("display-not-whole-digits", shown=str(value), resolution=str(resolution))
    below = gauge.lower is not None and number < min(gauge.lower.in_base, Decimal(0))
    above = gauge.upper is not None and abs(number) > gauge.upper.in_base
    return notice("display-beyond", shown=str(value), gauge=gauge.id or "the gauge") if below or above else None


def _decimals(quantity: Quantity) -> int:
    return -int(Decimal(quantity.number).as_tuple().exponent)
