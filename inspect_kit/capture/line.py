"""The line to an instrument: opening a serial port or a socket, cutting what comes into lines, and what frames them."""

from __future__ import annotations

import contextlib
import errno
import re
import socket
import time
from dataclasses import dataclass, replace
from functools import reduce
from operator import xor
from typing import Final, Protocol
from urllib.parse import urlsplit

from inspect_kit.capture.protocols.reply import Settings
from inspect_kit.errors import BadInput, UsageError

STX: Final = 0x02
"""Start of text, ASCII."""
ETX: Final = 0x03
"""End of text, ASCII."""
_FILL: Final = bytes((*range(0x20), *range(0x7F, 0x100)))
"""Bytes that are no part of a line's text where they stand before or behind it."""

_LAMPS: Final = re.compile(rb"((?:ST|US|OL),(?:GS|NT),)[^,][\x80-\xff],(?=[ +\-0-9])")
"""Head of CAS's line of 22 bytes: before the weight a byte for the address, and one for the lamps that is no text."""


def without_status_lamps(line: bytes) -> bytes:
    """CAS's line without the two bytes that are no part of the weight; any other line as it is."""
    return _LAMPS.sub(rb"\1", line, count=1) if _LAMPS.match(line) else line


def without_parity(line: bytes) -> bytes:
    """The line without the parity bits of a 7E1 or 7O1 instrument on a port set to eight bits.

    Only where every byte has the same parity: then the bit is one, and each byte has been checked by it.
    """
    if not any(byte & 0x80 for byte in line):
        return line
    parities = {byte.bit_count() % 2 for byte in line}
    return bytes(byte & 0x7F for byte in line) if len(parities) == 1 else line


def unframed(line: bytes) -> bytes:
    """The text of a line without its framing; empty if it has a checksum that does not hold."""
    start, end = line.rfind(bytes([STX])), line.find(bytes([ETX]))
    if start < 0 or end < start:
        return line.strip(_FILL)
    text, checksum = line[start + 1 : end], line[end + 1 :]
    return text.strip(_FILL) if not checksum or checksum in _checksums(text) else b""


def _checksums(text: bytes) -> frozenset[bytes]:
    """The checksums in use for this text: exclusive or, or sum, with and without STX and ETX, as a byte or in hex."""
    spans = (text, bytes([STX]) + text, text + bytes([ETX]), bytes([STX]) + text + bytes([ETX]))
    values = {value for span in spans for value in (reduce(xor, span, 0), sum(span) & 0xFF, -sum(span) & 0xFF)}
    return frozenset(form for value in values for form in (bytes([value]), b"%02X" % value, b"%02x" % value))


MAX_LINE: Final = 200
"""Far longer than any instrument's line: what is longer is noise and is thrown away up to the next line end."""
SLICE: Final = 0.05
"""Seconds that one look at the port takes at most."""
_CHUNK: Final = 4096
"""Bytes asked of a port at a time."""
_CONNECT_SECONDS: Final = 5.0
"""Seconds in which a socket must be open."""
_SOCKET: Final = "socket://"
BROWSER: Final = "browser"
"""The port of an instrument that hangs at the computer of a desk's browser."""


class Unplugged(Exception):
    """The port went away while it was in use."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where an instrument is: a serial port, a pseudo-terminal or `socket://host:port`, and how the port talks.

    `settings` is `None` where the protocol's usual ones are meant.
    """

    port: str
    settings: Settings | None = None

    def using(self, usual: Settings) -> Address:
        """The same place, with these settings unless others were asked for."""
        return self if self.settings else replace(self, settings=usual)


@dataclass(frozen=True, slots=True)
class LineFrame:
    """One line without its end; `clean` if every byte of it is printable ASCII, but for what frames it.

    Framing is what stands before or behind the line: STX and ETX, a checksum that holds, fill bytes, parity bits.
    """

    text: str
    clean: bool = True


class Framer:
    """Cuts bytes into lines, however they are chopped; never holds more than one line's length.

    A line ends with CR, LF or both. Within STX and ETX, what follows ETX up to the line end or the next STX is its
    checksum.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self._overlong = False
        self._skipping = False

    def feed(self, data: bytes) -> list[LineFrame]:
        """The lines that are whole now."""
        frames: list[LineFrame] = []
        for byte in data:
            if byte in b"\r\n" or (byte == STX and ETX in self._pending):
                frames += self._ended()
            if byte in b"\r\n":
                continue
            if len(self._pending) < MAX_LINE:
                self._pending.append(byte)
            else:
                self._overlong = True
        return frames

    def _ended(self) -> list[LineFrame]:
        line, self._pending = bytes(self._pending), bytearray()
        overlong, self._overlong = self._overlong, False
        skipped, self._skipping = self._skipping, False
        return [_frame(line, whole=not overlong)] if line and not skipped else []

    def skip_line(self) -> None:
        """What stands here is the rest of a line whose beginning was missed: it must not pass for a whole one."""
        self._skipping = True

    @property
    def pending(self) -> str:
        """The beginning of a line whose end has not come."""
        return _printable(bytes(self._pending))


def _frame(line: bytes, *, whole: bool) -> LineFrame:
    text = without_status_lamps(unframed(without_parity(line)))
    clean = whole and bool(text) and all(0x20 <= byte <= 0x7E for byte in text)
    return LineFrame(text.decode("ascii") if clean else _printable(line), clean)


def _printable(data: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte <= 0x7E else f"\\x{byte:02x}" for byte in data)


class Port(Protocol):
    """What the serial port and the socket have in common. Any of these may raise `Unplugged`."""

    def read(self) -> bytes:
        """What came within one `SLICE`, perhaps nothing."""

    def write(self, data: bytes) -> None:
        """Send."""

    def close(self) -> None:
        """Let go of it."""


class SerialPort:
    """A serial port, a USB adaptor or a pseudo-terminal. What was in its buffer before is thrown away on opening."""

    def __init__(self, path: str, settings: Settings) -> None:
        import serial

        self._silent = serial.SerialTimeoutException
        self._serial = serial.Serial(
            path, settings.baud, settings.bits, settings.parity, settings.stop,
            timeout=SLICE, write_timeout=1.0, exclusive=True,
        )  # fmt: skip

    def read(self) -> bytes:
        """What came within one `SLICE`."""
        try:
            return self._serial.read(_CHUNK)
        except (OSError, TypeError) as problem:
            # TypeError: pyserial's own when the port is closed under it.
            raise Unplugged from problem

    def write(self, data: bytes) -> None:
        """Send; a device that takes nothing for a second counts as silent, not as gone."""
        try:
            self._serial.write(data)
        except self._silent:
            return
        except OSError as problem:
            raise Unplugged from problem

    def close(self) -> None:
        """Let go of it, also if it is gone already."""
        with contextlib.suppress(OSError):
            self._serial.close()


class SocketPort:
    """A scale with an Ethernet plug, or behind a serial device server."""

    def __init__(self, host: str, port: int, seconds: float) -> None:
        self._socket = socket.create_connection((host, port), timeout=seconds)
        self._socket.settimeout(SLICE)

    def read(self) -> bytes:
        """What came within one `SLICE`."""
        try:
            data = self._socket.recv(_CHUNK)
        except TimeoutError:
            return b""
        except OSError as problem:
            raise Unplugged from problem
        if not data:
            raise Unplugged
        return data

    def write(self, data: bytes) -> None:
        """Send."""
        try:
            self._socket.sendall(data)
        except TimeoutError:
            return
        except OSError as problem:
            raise Unplugged from problem

    def close(self) -> None:
        """Let go of it."""
        with contextlib.suppress(OSError):
            self._socket.close()


def open_port(address: Address, deadline: float) -> Port:
    """The open port; raises a sentence that says why it cannot be opened. `deadline` is in monotonic seconds."""
    place = address.port
    try:
        if (opened := _device(place)) is not None:
            return opened
        if "://" in place:
            host, port = socket_address(place)
            left = deadline - time.monotonic()
            return SocketPort(host, port, max(SLICE, min(left, _CONNECT_SECONDS)))
        return SerialPort(place, address.settings or Settings())
    except (OSError, ValueError, OverflowError) as problem:
        raise _not_open(place, problem) from None


def _device(place: str) -> Port | None:
    """A port of the kinds that come with an optional library; they are loaded only where one is named."""
    if place == BROWSER:
        raise BadInput("port-at-browser", where=place)
    if place.startswith("hid://"):
        from inspect_kit.capture.devices.hid_scale import HidPort

        return HidPort(place)
    if place.startswith("ble://"):
        from inspect_kit.capture.devices.ble_caliper import BlePort

        return BlePort(place)
    return None


def socket_address(place: str) -> tuple[str, int]:
    """Host and port of `socket://host:port`; no other kind of address is opened."""
    try:
        parts = urlsplit(place)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not place.startswith(_SOCKET) or not host or not port or place != f"{_SOCKET}{parts.netloc}" or "@" in place:
        raise UsageError("not-port", place=place[:80])
    return host, port


_REASONS: Final = {
    errno.ENOENT: "no-such-port",
    errno.EACCES: "port-not-allowed",
    errno.EPERM: "port-not-allowed",
    errno.EBUSY: "port-in-use",
    errno.EAGAIN: "port-in-use",
    errno.ENOTTY: "not-serial-port",
    errno.EISDIR: "folder-not-port",
    errno.ECONNREFUSED: "address-refuses",
}


def _not_open(place: str, problem: Exception) -> BadInput:
    number = _errno(problem)
    if isinstance(problem, socket.gaierror):
        return BadInput("no-scale-name-known-here", where=place[:80])
    if number in _REASONS:
        return BadInput(_REASONS[number], where=place[:80])
    if isinstance(problem, TimeoutError):
        return BadInput("nobody-answers-address", where=place[:80])
    reason = " ".join(str(problem).split())[:120]
    return BadInput("port-cannot-opened", where=place[:80], reason=reason)


def _errno(problem: Exception) -> int | None:
    """The system's number for what went wrong, also where pyserial wrapped it."""
    seen: BaseException | None = problem
    while seen is not None:
        number = getattr(seen, "errno", None) or (seen.args[0] if seen.args else None)
        if isinstance(number, int):
            return number
        seen = seen.__context__
    return None
