"""The protocols by name."""

from decimal import Decimal
from typing import Final

from inspect_kit.capture.devices.ble_caliper import BLE_CALIPER
from inspect_kit.capture.devices.hid_scale import HID_SCALE
from inspect_kit.capture.protocols import calipers, scales
from inspect_kit.capture.protocols.reply import Protocol, Status
from inspect_kit.capture.readings import in_base
from inspect_kit.errors import UsageError, nearest, notice

_ALL: Final = (
    scales.MT_SICS, scales.KCP, scales.AND, scales.SBI, scales.OHAUS, scales.RADWAG, scales.INDICATOR, scales.VIBRA,
    scales.SHIMADZU, scales.TICKET, calipers.MITUTOYO, calipers.SYLVAC, HID_SCALE, BLE_CALIPER,
)  # fmt: skip
PROTOCOLS: Final = {protocol.name: protocol for protocol in _ALL}

_NO_VALUE: Final = (Status.UNKNOWN, Status.ERROR, Status.OTHER)
"""What does not tell one protocol from another: several answer `ES`."""


def adopt(protocol: Protocol) -> Protocol:
    """Make a dialect that a desk was taught one of the protocols, as long as the program runs."""
    PROTOCOLS[protocol.name] = protocol
    return protocol


def protocol_named(name: str) -> Protocol:
    """The protocol of that name, or an error with the names there are."""
    if name not in PROTOCOLS:
        hint = nearest(name, PROTOCOLS) or notice("use-one-of", names=", ".join(PROTOCOLS))
        raise UsageError("no-protocol-called", hint=hint, name=name[:40])
    return PROTOCOLS[name]


def spoken_by(line: str) -> tuple[Protocol, ...]:
    """The protocols in which this line is a value or a state of the instrument."""
    return tuple(p for p in PROTOCOLS.values() if p.parse(line).status not in _NO_VALUE)


def values_in(line: str) -> frozenset[tuple[Decimal, str]]:
    """The stable values that a line states with their units, in g or mm, by every protocol in which it is one."""
    replies = [reply for each in spoken_by(line) if (reply := each.parse(line)).status is Status.STABLE and reply.unit]
    numbers = [(number, reply.unit) for reply in replies for number in {reply.number, reply.number + reply.auxiliary}]
    return frozenset((Decimal(value), unit) for value, unit in (in_base(*number) for number in numbers))
