"""USB scales of the HID point-of-sale class: what a data report says, and a port that gives each report as a line.

Source: USB-IF, HID Point of Sale Usage Tables 1.02, chapter 4, Weighing Devices page (0x8D): data report with status,
weight unit, data scaling (a power of ten) and data weight.
"""

import re
from decimal import Decimal
from typing import Any, Final

from inspect_kit.capture.line import SLICE, Unplugged
from inspect_kit.capture.protocols.reply import UNKNOWN, InstrumentKind, Protocol, Reply, Status
from inspect_kit.errors import BadInput, UsageError

SCHEME: Final = "hid://"
WEIGHING_PAGE: Final = 0x8D
"""Usage page of weighing devices."""
_DATA_REPORT: Final = 3
"""Number of the report that carries a weight, by the HID class of point-of-sale scales."""
_LINE: Final = re.compile(r"HID((?: [0-9A-F]{2}){6})", re.ASCII)
_STATES: Final = {
    1: Status.ERROR, 2: Status.STABLE, 3: Status.UNSTABLE, 4: Status.STABLE, 5: Status.UNDERLOAD, 6: Status.OVERLOAD,
    7: Status.BUSY, 8: Status.BUSY,
}  # fmt: skip
"""Fault, stable at zero, in motion, stable, under zero, over the limit, requires calibration, requires re-zeroing."""
_UNITS: Final = {1: "mg", 2: "g", 3: "kg", 4: "ct", 6: "GN", 11: "oz"}
"""Of the table's units those that are converted exactly; tael, pennyweight, tons, troy ounce and pound are refused."""
_POWERS: Final = range(-9, 4)
"""Powers of ten that a scale of this world can state."""
_ADDRESS: Final = re.compile(r"hid://([0-9a-fA-F]{4}):([0-9a-fA-F]{4})", re.ASCII)


def parse(line: str) -> Reply:
    """One data report: number, status, unit, power of ten, and the weight, its lower byte first."""
    match = _LINE.fullmatch(line)
    if match is None:
        return UNKNOWN
    report, state, unit, power, low, high = bytes.fromhex(match[1])
    power = power - 256 if power > 127 else power
    if report != _DATA_REPORT or state not in _STATES or power not in _POWERS:
        return UNKNOWN
    status = _STATES[state]
    if status not in (Status.STABLE, Status.UNSTABLE):
        return Reply(status)
    number = f"{Decimal(low + 256 * high).scaleb(power):f}"
    # A unit that is not in the list stays empty, and the reading is refused for it.
    return Reply(status, number, _UNITS.get(unit, ""), whole=True)


HID_SCALE: Final = Protocol("hid-pos", "USB scales of the HID class, as Dymo's", InstrumentKind.SCALE, parse, ())


def hid_scales() -> tuple[tuple[str, str], ...]:
    """The scales of the HID class that are plugged in; none where the optional `hidapi` is not installed."""
    try:
        import hid
    except ImportError:
        return ()
    return tuple(
        (f"{SCHEME}{each['vendor_id']:04x}:{each['product_id']:04x}", each.get("product_string") or "scale")
        for each in hid.enumerate()
        if each.get("usage_page") == WEIGHING_PAGE
    )


class HidPort:
    """A scale's reports as lines; nothing is ever sent to it."""

    def __init__(self, place: str) -> None:
        self._device: Any = _opened(place)

    def read(self) -> bytes:
        """One report within one `SLICE`, or nothing."""
        try:
            data = bytes(self._device.read(64, timeout_ms=int(1000 * SLICE)))
        except (OSError, ValueError) as problem:
            raise Unplugged from problem
        return b"HID " + data[:6].hex(" ").upper().encode() + b"\r\n" if data else b""

    def write(self, data: bytes) -> None:
        """Nothing: a scale of this class sends by itself."""

    def close(self) -> None:
        """Let go of it."""
        self._device.close()


def _opened(place: str) -> Any:
    match = _ADDRESS.fullmatch(place)
    if match is None:
        raise UsageError("no-hid-address", place=place[:80])
    try:
        import hid
    except ImportError:
        raise BadInput("hidapi-missing", where=place) from None
    device = hid.device()
    try:
        device.open(int(match[1], 16), int(match[2], 16))
    except OSError:
        raise BadInput("hid-not-opened", where=place) from None
    return device
