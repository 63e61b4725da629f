"""What stands around a line on the wire: STX and ETX, checksums, fill bytes, and parity bits left on."""

from __future__ import annotations

import re
from functools import reduce
from operator import xor
from typing import Final

STX: Final = 0x02
"""Start of text, ASCII."""
ETX: Final = 0x03
"""End of text, ASCII."""
_FILL: Final = bytes((*range(0x20), *range(0x7F, 0x100)))
"""Bytes that are no part of a line's text where they stand before or behind it."""

_LAMPS: Final = re.compile(rb"((?:ST|US|OL),(?:GS|NT),)[^,][\x80-\xff],(?=[ +\-0-9])")
"""Head of CAS's line of 22 bytes: before the weight a byte for the address, and one for the lamps that is no text."""


def without_lamps(line: bytes) -> bytes:
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
