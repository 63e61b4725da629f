"""Looking for an instrument: which of the known protocols is answered on a port, by questions that change nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from inspect_kit.capture.conversation import Conversation
from inspect_kit.capture.line import Address
from inspect_kit.capture.protocols.reply import InstrumentKind, Settings
from inspect_kit.capture.protocols.table import PROTOCOLS, spoken_by
from inspect_kit.errors import BadInput

_PROBES: Final = (b"", b"SI\r\n", b"S\r\n", b"Q\r\n", b"IP\r\n", b"1\r", b"?\r", b"\x1bP\r\n")
"""First only listen, then ask. All of these read; the order asks the strictest protocols first, and the search ends at
the first answer, so that an instrument is not sent other makers' commands."""
_PATIENCE: Final = 0.35
"""Seconds of silence after which a question counts as not answered."""
_LISTEN: Final = 0.6
"""Seconds per question, however much comes."""
_ENOUGH: Final = 12
"""Lines of a stream that tell what it is."""


@dataclass(frozen=True, slots=True)
class FoundInstrument:
    """An instrument that answers: the protocols in which its line is good, the likeliest first."""

    protocols: tuple[str, ...]
    kind: str
    settings: Settings
    raw: str
    lines: tuple[str, ...] = ()
    """All that was heard while it was recognised."""


@dataclass(frozen=True, slots=True)
class PortDescription:
    """A serial port of this computer, with what it says of itself."""

    port: str
    description: str


def find(address: Address, seconds: float, kind: InstrumentKind | None = None) -> FoundInstrument:
    """What answers on this port; an error that says what to try if nothing does."""
    with answering(address, seconds, kind) as (_, found):
        return found


@contextmanager
def answering(
    address: Address, seconds: float, kind: InstrumentKind | None = None
) -> Iterator[tuple[Conversation, FoundInstrument]]:
    """What answers on this port, with the conversation it answered in still open: some send a value only once."""
    left = seconds
    for settings in _ways(address):
        with Conversation(Address(address.port, settings), left) as talk:
            talk.keep_trying = False
            found = _answered(talk, settings, kind)
            if found is not None:
                yield talk, found
                return
            left = talk.left
        if not left:
            break
    raise BadInput("nothing-known-answers", where=address.port)


def _ways(address: Address) -> Iterator[Settings]:
    """The settings to try: the ones that were asked for, or those usual with the protocols."""
    if address.settings or "://" in address.port:
        yield address.settings or Settings()
        return
    usual = (settings for protocol in PROTOCOLS.values() for settings in protocol.settings)
    yield from dict.fromkeys((Settings(), *usual))


def _answered(talk: Conversation, settings: Settings, kind: InstrumentKind | None) -> FoundInstrument | None:
    for probe in _PROBES:
        if probe:
            talk.ask(probe)
        found = _recognised(tuple(_lines(talk)), settings, kind)
        if found is not None or not talk.left:
            return found
    return None


def _lines(talk: Conversation) -> Iterator[str]:
    until = talk.left - _LISTEN
    for heard in range(_ENOUGH):
        try:
            frame = talk.hear(_PATIENCE) if talk.left > until else None
        except BadInput:
            # It hung up after it had sent something: that may be all there is to hear.
            if not heard:
                raise
            return
        if frame is None:
            return
        if frame.clean:
            yield frame.text


def _recognised(lines: tuple[str, ...], settings: Settings, kind: InstrumentKind | None) -> FoundInstrument | None:
    """The protocols in which all lines are good that are good in any, but for one: a line may be cut or damaged."""
    spoken = ((line, [p for p in spoken_by(line) if kind is None or p.kind is kind]) for line in lines)
    told = [(line, named) for line, named in spoken if named]
    counts = Counter(protocol.name for _, named in told for protocol in named)
    if not told:
        return None
    most = max(counts.values())
    common = [p for p in PROTOCOLS.values() if counts[p.name] == most]
    raw = next(line for line, named in reversed(told) if common[0] in named)
    meanings = {(reply.status, reply.number, reply.unit) for p in common if (reply := p.parse(raw))}
    if len(meanings) != 1 or most < len(told) - 1:
        raise BadInput("protocol-in-doubt", raw=raw[:40], names=" / ".join(counts))
    return FoundInstrument(tuple(p.name for p in common), common[0].kind.value, settings, raw, lines)


def available_ports(bluetooth_seconds: float = 0.0) -> tuple[PortDescription, ...]:
    """Where instruments may be: serial ports, USB scales of the HID class, and calipers by Bluetooth if looked for."""
    from serial.tools.list_ports import comports

    from inspect_kit.capture.devices.ble_caliper import ble_calipers
    from inspect_kit.capture.devices.hid_scale import hid_scales

    wired = [PortDescription(port.device, port.description or "") for port in sorted(comports())]
    others = [*hid_scales(), *(ble_calipers(bluetooth_seconds) if bluetooth_seconds else ())]
    return (*wired, *(PortDescription(port, description) for port, description in others))
