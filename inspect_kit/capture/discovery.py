"""Looking for an instrument: which of the known protocols is answered on a port, by questions that change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from inspect_kit.capture.conversation import Conversation
from inspect_kit.capture.line import Address
from inspect_kit.capture.protocols.reply import Kind, Settings
from inspect_kit.capture.protocols.table import PROTOCOLS, spoken_by
from inspect_kit.errors import BadInput

_PROBES: Final = (b"", b"SI\r\n", b"S\r\n", b"Q\r\n", b"IP\r\n", b"1\r", b"?\r", b"\x1bP\r\n")
"""First only listen, then ask. All of these read; the order asks the strictest protocols first, and the search ends at
the first answer, so that an instrument is not sent other makers' commands."""
_PATIENCE: Final = 0.35
_LISTEN: Final = 0.6
"""Seconds per question, however much comes."""


@dataclass(frozen=True, slots=True)
class Found:
    """An instrument that answers: the protocols in which its line is good, the likeliest first."""

    protocols: tuple[str, ...]
    kind: str
    settings: Settings
    raw: str


@dataclass(frozen=True, slots=True)
class Place:
    """A serial port of this computer, with what it says of itself."""

    port: str
    description: str


def find(address: Address, seconds: float, kind: Kind | None = None) -> Found:
    """What answers on this port; an error that says what to try if nothing does."""
    left = seconds
    for settings in _ways(address):
        with Conversation(Address(address.port, settings), left) as talk:
            talk.keep_trying = False
            found = _answered(talk, settings, kind)
            left = talk.left
        if found is not None:
            return found
        if not left:
            break
    raise BadInput(
        "nothing that is known answers",
        where=address.port,
        hint="is it on, and set to its RS-232 or PC mode? for a caliper press DATA while this looks",
    )


def _ways(address: Address) -> Iterator[Settings]:
    """The settings to try: the ones that were asked for, or those usual with the protocols."""
    if address.settings or "://" in address.port:
        yield address.settings or Settings()
        return
    usual = (settings for protocol in PROTOCOLS.values() for settings in protocol.settings)
    yield from dict.fromkeys((Settings(), *usual))


def _answered(talk: Conversation, settings: Settings, kind: Kind | None) -> Found | None:
    for probe in _PROBES:
        if probe:
            talk.ask(probe)
        found = _recognised(_lines(talk), settings, kind)
        if found is not None or not talk.left:
            return found
    return None


def _lines(talk: Conversation) -> Iterator[str]:
    until = talk.left - _LISTEN
    while talk.left > until and (frame := talk.hear(_PATIENCE)) is not None:
        if frame.clean:
            yield frame.text


def _recognised(lines: Iterable[str], settings: Settings, kind: Kind | None) -> Found | None:
    for line in lines:
        speakers = [p for p in spoken_by(line) if kind is None or p.kind is kind]
        if speakers:
            return Found(tuple(p.name for p in speakers), speakers[0].kind.value, settings, line)
    return None


def places() -> tuple[Place, ...]:
    """The serial ports of this computer."""
    from serial.tools.list_ports import comports

    return tuple(Place(port.device, port.description or "") for port in sorted(comports()))
