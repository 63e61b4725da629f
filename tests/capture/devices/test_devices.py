"""USB scales of the HID class and Bluetooth calipers: real reports are read, anything else is refused. No hardware here."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.capture.connections import Connection, available_ports
from inspect_kit.capture.devices.ble_caliper import MEASUREMENT, PRESENTATION
from inspect_kit.capture.devices.ble_caliper import parse as parse_caliper
from inspect_kit.capture.devices.hid_scale import WEIGHING_PAGE
from inspect_kit.capture.devices.hid_scale import parse as parse_scale
from inspect_kit.capture.driver import read_unknown_protocol
from inspect_kit.capture.line import Address
from inspect_kit.capture.protocols.reply import InstrumentKind, Status
from inspect_kit.errors import BadInput, UsageError
from tests.capture.stable import read_stable

OUNCES = "03 04 0B FF 31 00"
"""A report of a Dymo M10 as published by a user: 4.9 oz, stable."""
GRAMS = "03 04 02 00 14 00"
"""20 g, after the layout published for Dymo M10 and M25."""


@pytest.mark.parametrize(
    ("report", "number", "unit", "status"),
    [
        (OUNCES, "4.9", "oz", Status.STABLE), (GRAMS, "20", "g", Status.STABLE),
        ("03 02 02 00 00 00", "0", "g", Status.STABLE), ("03 03 02 FF 94 00", "14.8", "g", Status.UNSTABLE),
        ("03 04 0B FF 34 19", "645.2", "oz", Status.STABLE), ("03 04 02 FE CA 05", "14.82", "g", Status.STABLE),
        ("03 06 02 00 00 00", "", "", Status.OVERLOAD), ("03 05 02 00 05 00", "", "", Status.UNDERLOAD),
        ("03 01 02 00 05 00", "", "", Status.ERROR), ("03 07 02 00 05 00", "", "", Status.BUSY),
    ],
)  # fmt: skip
def test_a_data_report_says_its_weight_unit_and_state(report: str, number: str, unit: str, status: Status) -> None:
    reply = parse_scale(f"HID {report}")
    assert (reply.number, reply.unit, reply.status) == (number, unit, status)


@pytest.mark.parametrize("line", ["HID 02 04 02 00 14 00", "HID 03 04 02 00 14", "HID 03 09 02 00 14 00",
                                  "HID 03 04 02 40 14 00", "03 04 02 00 14 00", ""])  # fmt: skip
def test_what_is_no_data_report_is_not_read(line: str) -> None:
    assert parse_scale(line).status is Status.UNKNOWN


@given(st.binary(min_size=6, max_size=6))
def test_only_stable_reports_in_a_known_unit_give_a_number_that_counts(report: bytes) -> None:
    reply = parse_scale(f"HID {report.hex(' ').upper()}")
    if reply.status is Status.STABLE and reply.unit:
        assert report[0] == 3
        assert report[1] in (2, 4)
        assert report[2] in (1, 2, 3, 4, 6, 11)


class Scale:
    """As `hid.device()` behaves."""

    reports: ClassVar[list[bytes]] = []

    def open(self, vendor: int, product: int) -> None:
        if (vendor, product) != (0x0922, 0x8003):
            raise OSError("open failed")

    def read(self, size: int, timeout_ms: int) -> list[int]:  # noqa: ARG002
        return list(self.reports.pop(0)) if self.reports else []

    def close(self) -> None:
        pass


@pytest.fixture
def hid(monkeypatch: pytest.MonkeyPatch) -> type[Scale]:
    module: Any = ModuleType("hid")
    module.device = Scale
    seen = {"vendor_id": 0x0922, "product_id": 0x8003, "usage_page": WEIGHING_PAGE, "product_string": "M10"}
    module.enumerate = lambda: [seen, {**seen, "usage_page": 1}]
    monkeypatch.setitem(sys.modules, "hid", module)
    return Scale


def test_a_usb_scale_is_read_as_a_scale_on_a_port_with_its_report_as_evidence(hid: type[Scale]) -> None:
    moving = bytes.fromhex("030302ff9000")
    hid.reports = [moving, *[bytes.fromhex(OUNCES)] * 3]
    reading = read_stable("hid://0922:8003", "hid-pos", timeout=5)
    assert (reading.value, reading.unit, reading.raw) == ("138.9126633125", "g", f"HID {OUNCES}")


def test_a_usb_scale_is_found_without_naming_its_protocol(hid: type[Scale]) -> None:
    hid.reports = [bytes.fromhex(GRAMS)] * 40
    reading = read_unknown_protocol(Connection(Address("hid://0922:8003"), ""), InstrumentKind.SCALE, timeout=5)
    assert (reading.value, reading.protocol) == ("20", "hid-pos")
    assert [place.port for place in available_ports() if place.port.startswith("hid")] == ["hid://0922:8003"]


def test_a_pound_is_refused(hid: type[Scale]) -> None:
    hid.reports = [bytes.fromhex("03040c003100")] * 3
    with pytest.raises(BadInput, match="unit"):
        read_stable("hid://0922:8003", "hid-pos", timeout=2)


def test_a_scale_that_is_not_there_or_no_address_is_a_sentence(hid: type[Scale]) -> None:
    with pytest.raises(BadInput, match="no such scale"):
        read_stable("hid://0922:9999", "hid-pos", timeout=1)
    with pytest.raises(UsageError, match="is not a port"):
        read_stable("hid://scale", "hid-pos", timeout=1)


def test_without_the_library_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hid", None)
    monkeypatch.setitem(sys.modules, "bleak", None)
    with pytest.raises(BadInput, match="hidapi"):
        read_stable("hid://0922:8003", "hid-pos", timeout=1)
    with pytest.raises(BadInput, match="bleak"):
        read_stable("ble://C4:BE:B8:A5:15:C8", "sylvac-ble", timeout=1)


FORM = "10F90127010000"
"""The presentation format as recorded from an instrument: 32-bit integer, 10⁻⁷ of a metre."""


@pytest.mark.parametrize(
    ("line", "number"),
    [(f"BLE {FORM} 2C4C0600", "41.2716"), (f"BLE {FORM} D4B3F9FF", "-41.2716"), ("BLE 10F70127010000 F8BA7502", "41.270008"),
     (f"BLE {FORM} 00000000", "0.0000")],
)  # fmt: skip
def test_a_notification_is_read_by_the_format_the_caliper_states(line: str, number: str) -> None:
    reply = parse_caliper(line)
    assert (reply.number, reply.unit, reply.status) == (number, "mm", Status.STABLE)


def test_the_sign_for_no_value_is_no_value() -> None:
    assert parse_caliper(f"BLE {FORM} FFFFFF7F").status is Status.BUSY


@pytest.mark.parametrize("line", ["BLE  2C4C0600", "BLE 06F90127010000 2C4C0600", "BLE 10F90227010000 2C4C0600",
                                  "BLE 10050127010000 2C4C0600", f"BLE {FORM} 2C4C06"])  # fmt: skip
def test_another_format_or_unit_is_not_read(line: str) -> None:
    assert parse_caliper(line).status is Status.UNKNOWN


class Client:
    """As `bleak.BleakClient` behaves, with a caliper whose key is pressed twice."""

    is_connected = True

    def __init__(self, address: str) -> None:  # noqa: ARG002
        descriptor = SimpleNamespace(uuid=PRESENTATION, handle=7)
        self.services = SimpleNamespace(get_characteristic=lambda _: SimpleNamespace(descriptors=[descriptor]))

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def read_gatt_descriptor(self, handle: int) -> bytearray:  # noqa: ARG002
        return bytearray.fromhex(FORM)

    async def start_notify(self, characteristic: str, told: Callable[[object, bytearray], None]) -> None:
        assert characteristic == MEASUREMENT
        for delay in (0.3, 0.6):
            asyncio.get_running_loop().call_later(delay, told, None, bytearray.fromhex("2C4C0600"))

    async def stop_notify(self, characteristic: str) -> None:
        pass


def test_a_bluetooth_caliper_is_read_as_a_caliper_on_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("bleak")
    module.BleakClient = Client
    monkeypatch.setitem(sys.modules, "bleak", module)
    reading = read_stable("ble://C4:BE:B8:A5:15:C8", "sylvac-ble", timeout=5)
    assert (reading.value, reading.unit, reading.raw) == ("41.2716", "mm", f"BLE {FORM} 2C4C0600")
