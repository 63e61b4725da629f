"""What an instrument sent, carried by the page under a seal: line, time and serial number reach the record."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from typing import Final

import msgspec

from inspect_kit.capture.readings import InstrumentReading

FIELD: Final = "sent_"
"""Before the name of the field that the value is for."""
_LONGEST: Final = 4_000
"""Characters of a sealed reading."""
_PURPOSE: Final = b"instrument reading\0"

Sent = tuple[str, InstrumentReading]
"""The gauge by the name of its sheet, and what it sent."""


def sealed(secret: bytes, ticket: str, gauge: str, reading: InstrumentReading) -> str:
    """As a page carries it, for the inspection of that ticket and no other."""
    content = msgspec.json.encode((gauge, reading))
    return base64.urlsafe_b64encode(_seal(secret, ticket, content) + content).decode()


def sent_with(secret: bytes, ticket: str, form: Mapping[str, str]) -> dict[str, Sent]:
    """What instruments sent, by field; what does not carry our seal for this ticket is as good as nothing."""
    names = (name for name in form if name.startswith(FIELD))
    found = {name.removeprefix(FIELD): _opened(secret, ticket, form[name]) for name in names}
    return {name: sent for name, sent in found.items() if sent is not None}


def shown(reading: InstrumentReading) -> str:
    """As it stands in its field."""
    return f"{reading.value} {reading.unit}"


def _opened(secret: bytes, ticket: str, text: str) -> Sent | None:
    try:
        content = base64.urlsafe_b64decode(text[:_LONGEST])
        seal, content = content[:32], content[32:]
        if not hmac.compare_digest(seal, _seal(secret, ticket, content)):
            return None
        sent: Sent = msgspec.json.decode(content, type=Sent)
        return sent
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        return None


def _seal(secret: bytes, ticket: str, content: bytes) -> bytes:
    return hmac.new(secret, _PURPOSE + ticket.encode() + b"\0" + content, hashlib.sha256).digest()
