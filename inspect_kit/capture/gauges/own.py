"""Reading a gauge of one's own: the instrument on the line must be the one whose sheet vouches for it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from inspect_kit.capture.connections import Connection
from inspect_kit.capture.conversation import Conversation
from inspect_kit.capture.driver import DEFAULT_SECONDS, Watch, read_conversation, read_live
from inspect_kit.capture.instruments import Instrument
from inspect_kit.capture.line import BROWSER, Framer, LineFrame
from inspect_kit.capture.protocols.table import protocol_named
from inspect_kit.capture.readings import InstrumentReading
from inspect_kit.errors import BadInput


def read_gauge(
    gauge: Instrument, line: Connection, timeout: float = DEFAULT_SECONDS, watch: Watch = lambda _: None
) -> InstrumentReading:
    """One stable reading of this gauge; refused if the instrument says it is another one."""
    return own_reading(gauge, read_live(replace(line, auxiliary_counts=gauge.auxiliary_digit), watch, timeout))


def own_reading(gauge: Instrument, reading: InstrumentReading) -> InstrumentReading:
    """The reading, unless it comes from another instrument than the sheet's."""
    if reading.is_anothers(gauge.serial):
        raise BadInput("another-instrument", where=gauge.id, serial=str(reading.serial)[:40], own=gauge.serial[:40])
    return reading


# Bytes that another computer received from an instrument and passed on raw: read by the same protocols as a port's.

_PARITIES: Final = {"N": "none", "E": "even", "O": "odd"}
"""As a browser names them."""
MOST_BYTES: Final = 20_000
"""Of one reading: ten seconds at 19200 baud."""


class ReplayedConversation(Conversation):
    """What was received, heard again; nothing can be asked any more."""

    def __init__(self, data: bytes, line: Connection, *, ended: bool) -> None:
        framer = Framer()
        if not protocol_named(line.protocol).marked_start:
            framer.skip_line()
        self.address, self.seconds, self.interruptions, self.keep_trying = line.address, 10.0, 0, False
        self._frames = framer.feed(data)
        self._framer = framer
        self._silence = 2 if ended else 0
        """Rounds in which nothing more comes: only at the end is a value that came once all there is."""

    @property
    def left(self) -> float:
        """Until everything was heard."""
        return 1.0 if self._frames or self._silence else 0.0

    def ask(self, command: bytes) -> None:
        """The one who received it has asked already."""
        del command

    def hear(self, patience: float) -> LineFrame | None:
        """The next line."""
        del patience
        if self._frames:
            return self._frames.pop(0)
        self._silence = max(0, self._silence - 1)
        return None


def read_received(gauge: Instrument, line: Connection, data: bytes, watch: Watch, *, ended: bool) -> InstrumentReading:
    """One stable reading out of what was received; a sentence why there is none."""
    return own_reading(
        gauge, read_conversation(ReplayedConversation(data[:MOST_BYTES], line, ended=ended), line, watch)
    )


def at_browser(line: Connection) -> bool:
    """Whether the instrument hangs at the computer that shows the page, and not at the station's."""
    return line.address.port == BROWSER


def at_this_browser(gauges: Mapping[str, Connection]) -> dict[str, dict[str, object]]:
    """How a browser opens those gauges that hang at its own computer, and what it sends to ask."""
    found: dict[str, dict[str, object]] = {}
    for name, line in gauges.items():
        if at_browser(line):
            spoken = protocol_named(line.protocol)
            settings = line.address.settings or spoken.settings[0]
            found[name] = {
                "baudRate": settings.baud, "dataBits": settings.bits, "parity": _PARITIES[settings.parity],
                "stopBits": settings.stop, "ask": spoken.requests[0].hex() if spoken.requests else "",
            }  # fmt: skip
    return found
