"""Bluetooth LE calipers of the Sylvac family: what a notification says, and a port that gives each as a line.

Source: the maker's developer folder (SylvacDev/BluetoothDevTools) names the service; service 0x5000, characteristic
0x5020 with a 32-bit integer and its presentation format are as recorded from an instrument in a public example
(`10 f9 01 27 01 00 00`, value `ff ff ff 7f` for none). How the number is meant is read from that descriptor
(Bluetooth SIG, Characteristic Presentation Format 0x2904) and never assumed: sources differ by powers of ten.
"""

import contextlib
import re
from decimal import Decimal
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Final

from inspect_kit.capture.line import SLICE, Unplugged
from inspect_kit.capture.protocols.reply import UNKNOWN, InstrumentKind, Protocol, Reply, Status
from inspect_kit.errors import BadInput, UsageError

SCHEME: Final = "ble://"
SERVICE: Final = "00005000-0000-1000-8000-00805f9b34fb"
MEASUREMENT: Final = "00005020-0000-1000-8000-00805f9b34fb"
PRESENTATION: Final = "00002904-0000-1000-8000-00805f9b34fb"
_LINE: Final = re.compile(r"BLE ([0-9A-F]{14}) ([0-9A-F]{8})", re.ASCII)
_INTEGER: Final = 0x10
"""Format code of a signed 32-bit integer."""
_METRE: Final = 0x2701
"""Unit code of the metre."""
_POWERS: Final = range(-9, -3)
"""Powers of ten of a metre that a caliper can state: nanometres to tenths of a millimetre."""
_NONE: Final = 0x7FFFFFFF
"""What stands for no value."""
_SECONDS: Final = 12.0
"""How long connecting may take."""
_ADDRESS: Final = re.compile(r"ble://([0-9A-Fa-f:-]{12,40})", re.ASCII)


def parse(line: str) -> Reply:
    """One notification behind its presentation format: format, exponent, unit, then the integer, low byte first."""
    match = _LINE.fullmatch(line)
    if match is None:
        return UNKNOWN
    form, value = bytes.fromhex(match[1]), int.from_bytes(bytes.fromhex(match[2]), "little", signed=True)
    power = int.from_bytes(form[1:2], "little", signed=True)
    if form[0] != _INTEGER or int.from_bytes(form[2:4], "little") != _METRE or power not in _POWERS:
        return UNKNOWN
    if value == _NONE:
        return Reply(Status.BUSY)
    return Reply(Status.STABLE, f"{Decimal(value).scaleb(power + 3):f}", "mm", whole=True)


BLE_CALIPER: Final = Protocol(
    "sylvac-ble", "Sylvac and its family by Bluetooth LE", InstrumentKind.CALIPER, parse, (), says_stable=False
)


def ble_calipers(seconds: float = 4.0) -> tuple[tuple[str, str], ...]:
    """Calipers in reach; none where the optional `bleak` is not installed or there is no Bluetooth."""
    try:
        import asyncio

        from bleak import BleakScanner
    except ImportError:
        return ()
    try:
        found = asyncio.run(BleakScanner.discover(timeout=seconds, service_uuids=[SERVICE]))
    except Exception:  # bleak raises its own kinds on every system: no adaptor, switched off, no right
        return ()
    return tuple((f"{SCHEME}{each.address}", str(each.name or "caliper")) for each in found)


class BlePort:
    """A caliper's notifications as lines; nothing is written to it but the wish to be notified."""

    def __init__(self, place: str) -> None:
        match = _ADDRESS.fullmatch(place)
        if match is None:
            raise UsageError("no-ble-address", place=place[:80])
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._ready, self._stop = Event(), Event()
        self._trouble = ""
        Thread(target=self._run, args=(match[1],), name="bluetooth", daemon=True).start()
        if not self._ready.wait(_SECONDS) or self._trouble:
            self._stop.set()
            raise BadInput(self._trouble or "ble-silent", where=place)

    def _run(self, address: str) -> None:
        import asyncio

        try:
            asyncio.run(self._listen(address))
        except ImportError:
            self._trouble = "bleak-missing"
        except Exception:  # bleak raises its own kinds on every system
            self._trouble = self._trouble or "ble-not-reached"
        finally:
            self._lines.put(None)
            self._ready.set()

    async def _listen(self, address: str) -> None:
        import asyncio

        from bleak import BleakClient

        async with BleakClient(address) as client:
            form = await _presentation(client)
            head = b"BLE " + form.hex().upper().encode() + b" "
            await client.start_notify(
                MEASUREMENT, lambda _, data: self._lines.put(head + bytes(data).hex().upper().encode() + b"\r\n")
            )
            self._ready.set()
            while not self._stop.is_set() and client.is_connected:
                await asyncio.sleep(SLICE)
            with contextlib.suppress(Exception):
                await client.stop_notify(MEASUREMENT)

    def read(self) -> bytes:
        """What came within one `SLICE`."""
        try:
            line = self._lines.get(timeout=SLICE)
        except Empty:
            return b""
        if line is None:
            raise Unplugged
        return line

    def write(self, data: bytes) -> None:
        """Nothing: the caliper sends by its key or while it moves."""

    def close(self) -> None:
        """Let go of it."""
        self._stop.set()


async def _presentation(client: Any) -> bytes:
    """How its number is meant, as the caliper itself states it; empty where it does not, and then nothing is read."""
    found = client.services.get_characteristic(MEASUREMENT)
    for descriptor in found.descriptors if found else ():
        if str(descriptor.uuid) == PRESENTATION:
            return bytes(await client.read_gatt_descriptor(descriptor.handle))
    return b""
