"""The protocols by name."""

from __future__ import annotations

from typing import Final

from inspect_kit.capture.devices.ble_caliper import BLE_CALIPER
from inspect_kit.capture.devices.hid_scale import HID_SCALE
from inspect_kit.capture.protocols.and_scales import AND
from inspect_kit.capture.protocols.indicators import INDICATOR
from inspect_kit.capture.protocols.kcp import KCP
from inspect_kit.capture.protocols.mitutoyo import MITUTOYO
from inspect_kit.capture.protocols.mt_sics import MT_SICS
from inspect_kit.capture.protocols.ohaus import OHAUS
from inspect_kit.capture.protocols.radwag import RADWAG
from inspect_kit.capture.protocols.reply import Protocol, Status
from inspect_kit.capture.protocols.sbi import SBI
from inspect_kit.capture.protocols.shimadzu import SHIMADZU
from inspect_kit.capture.protocols.sylvac import SYLVAC
from inspect_kit.capture.protocols.tickets import TICKET
from inspect_kit.capture.protocols.vibra import VIBRA
from inspect_kit.errors import UsageError
from inspect_kit.nearest import nearest
from inspect_kit.notices import notice

_ALL: Final = (
    MT_SICS, KCP, AND, SBI, OHAUS, RADWAG, INDICATOR, VIBRA, SHIMADZU, TICKET, MITUTOYO, SYLVAC, HID_SCALE, BLE_CALIPER,
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
