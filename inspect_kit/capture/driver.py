"""Reading an instrument: asks until a stable value with a known unit has come, or says in a sentence why none did."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final

from inspect_kit import clock
from inspect_kit.capture.connections import Connection, answering
from inspect_kit.capture.conversation import Conversation
from inspect_kit.capture.line import LineFrame
from inspect_kit.capture.protocols.reply import UNKNOWN, Detail, InstrumentKind, Load, Protocol, Reply, Status, UnitFrom
from inspect_kit.capture.protocols.table import protocol_named, spoken_by
from inspect_kit.capture.readings import InstrumentReading, in_base
from inspect_kit.errors import BadInput, notice

DEFAULT_SECONDS: Final = 10.0
"""Seconds that a reading may take, unless another time is asked for."""
MAX_SECONDS: Final = 3600.0
"""Seconds that may be asked for at most: an hour."""
_ROUND: Final = 2.0
"""Seconds after which a request is repeated even if something keeps coming."""
_ERRORS: Final = 3
"""Error replies that are taken for damage on the way; one more in a row is meant."""
_DETAIL: Final = 0.6
"""Seconds for an answer to a question that is not about the value."""
_TRIES: Final = {"unit": 3}
"""Without its unit a value is worth nothing, so this one is asked for again."""
_LENGTH_LIMIT: Final = Decimal(2000)
"""The longest caliper, in mm: a larger number is in another unit."""
_INCH_DECIMALS: Final = 4
"""Millimetre displays have up to three decimals, inch displays four or five."""
_BASES: Final = {InstrumentKind.SCALE: "g", InstrumentKind.CALIPER: "mm"}
"""The unit of what each kind of instrument measures."""
_PATIENCE: Final = {
    Status.STABLE: 1.0,
    Status.UNSTABLE: 0.2, Status.BUSY: 0.2, Status.ERROR: 0.2, Status.UNKNOWN: 0.3, Status.OTHER: 1.0,
}  # fmt: skip
"""Seconds of silence after such a line before asking again."""
_FIRST_PATIENCE: Final = 1.0
"""Seconds of silence after a request before it is repeated."""

Clock = Callable[[], datetime]
Watch = Callable[[Reply], None]


def _unwatched(_: Reply) -> None:
    """Nobody looks on."""


@dataclass(slots=True)
class _Troubles:
    """What came instead of a value, the latest of each kind."""

    lines: dict[Status, str] = field(default_factory=dict)
    noise: str = ""
    gross: str = ""
    """A gross weight, of which nobody knows whether a tare belongs to it."""
    errors: int = 0

    def note(self, status: Status, line: str) -> None:
        """Keep the line, unless one is kept that tells which protocol it really is."""
        if status is not Status.UNKNOWN or not spoken_by(self.lines.get(status, "")):
            self.lines[status] = line


def read_live(
    line: Connection, watch: Watch, timeout: float = DEFAULT_SECONDS, now: Clock = clock.now
) -> InstrumentReading:
    """One stable reading; `watch` is shown every value on the way there: for the eye, never for a record."""
    spoken = protocol_named(line.protocol)
    _check_setting(spoken, line.unit)
    address = line.address.using(spoken.settings[0])
    with Conversation(address, timeout, marked_start=spoken.marked_start) as talk:
        return _read(_Listener(talk, spoken, watch), line, now)


def read_unknown_protocol(
    line: Connection, kind: InstrumentKind, timeout: float = DEFAULT_SECONDS, now: Clock = clock.now
) -> InstrumentReading:
    """One stable reading from an instrument whose protocol is not known; `line.protocol` does not count."""
    with answering(line.address, timeout, kind) as (talk, found):
        spoken = protocol_named(found.protocols[0])
        _check_setting(spoken, line.unit)
        talk.keep_trying = True
        return _read(_Listener(talk, spoken, _unwatched, found.lines), line, now)


def read_conversation(talk: Conversation, line: Connection, watch: Watch, now: Clock = clock.now) -> InstrumentReading:
    """One stable reading out of a conversation that somebody else has opened."""
    spoken = protocol_named(line.protocol)
    _check_setting(spoken, line.unit)
    return _read(_Listener(talk, spoken, watch), line, now)


def _check_setting(spoken: Protocol, unit: str | None) -> None:
    if spoken.unit_from is UnitFrom.SETTING and unit is None:
        raise BadInput("line-does-not-say-unit", spoken=spoken.name)


def _read(listener: _Listener, line: Connection, now: Clock) -> InstrumentReading:
    heard = listener.stable()
    at = now()
    return _reading(heard, at, listener.details(), listener.spoken, line)


class _Listener:
    """Asks for the value again and again, and notes what came instead."""

    def __init__(self, talk: Conversation, spoken: Protocol, watch: Watch, earlier: tuple[str, ...] = ()) -> None:
        self._talk = talk
        self.spoken = spoken
        self._earlier = earlier
        self._watch = watch
        self._troubles = _Troubles()
        self._noted: dict[str, str] = {}
        self._confirmation = Confirmation()

    def stable(self) -> ReceivedReply:
        """The first stable value before the deadline."""
        for text in self._earlier:
            settled = self._confirmation.hear(self._understood(LineFrame(text)))
            if settled is not None:
                return settled
        turn, requests = 0, self.spoken.requests or (b"",)
        while self._talk.left:
            request = requests[turn % len(requests)]
            heard, answered = self._round(request)
            if heard is not None:
                return heard
            if not answered:
                turn += 1
        raise self._refusal()

    def _round(self, request: bytes) -> tuple[ReceivedReply | None, bool]:
        """Ask once and listen. Also tells whether this request was understood, so that another need not be tried."""
        interruptions = self._talk.interruptions
        self._talk.ask(request)
        patience, until, answered, silent = _FIRST_PATIENCE, self._talk.left - _ROUND, False, True
        while (frame := self._talk.hear(patience)) is not None:
            heard, silent = self._understood(frame), False
            status = heard.reply.status
            settled = self._confirmation.hear(heard)
            if settled is not None:
                return settled, True
            if status is Status.STABLE and self.spoken.requests:
                return None, True
            answered = answered or status in (Status.UNSTABLE, Status.BUSY, Status.ACCEPTED)
            # After "accepted" the value itself is on its way: asking again would only disturb.
            accepted = status is Status.ACCEPTED
            patience, until = (self._talk.left, 0.0) if accepted else (_PATIENCE[status], until)
            if self._talk.left <= until:
                break
        if self._talk.interruptions > interruptions:
            self._confirmation.forget()
        return (self._unconfirmed() if silent else None), answered

    def _understood(self, frame: LineFrame) -> ReceivedReply:
        reply = self.spoken.parse(frame.text) if frame.clean else UNKNOWN
        if not frame.clean:
            self._troubles.noise = frame.text
            return ReceivedReply(reply, frame.text)
        if reply.load is Load.GROSS:
            self._troubles.gross = frame.text
        if reply.status is Status.OTHER:
            self._note(frame.text)
        elif reply.status is not Status.STABLE:
            self._troubles.note(reply.status, frame.text)
        self._troubles.errors = self._troubles.errors + 1 if reply.status is Status.ERROR else 0
        if reply.status in _AT_ONCE or self._troubles.errors > _ERRORS:
            raise self._sentence(reply.status, frame.text)
        if reply.number:
            self._watch(reply)
        return ReceivedReply(reply, frame.text)

    def _note(self, line: str) -> None:
        """A name or serial number that was sent unasked, as balances do when they are switched on."""
        for detail in self.spoken.details:
            value = detail.read(line)
            if value is not None:
                self._noted[detail.name] = value

    def _unconfirmed(self) -> ReceivedReply | None:
        """A value that was sent at the press of a key and is not sent again when asked for.

        From a scale only a line in its full width, and no gross weight: it may be the first line of a ticket.
        """
        value = self._confirmation.only_value
        if value is None or Status.UNSTABLE in self._troubles.lines:
            return None
        certain = value.reply.whole and value.reply.load is not Load.GROSS and self.spoken.requests
        return value if certain or not self.spoken.says_stable else None

    def details(self) -> dict[str, str]:
        """What else the instrument tells about itself; an answer that does not come costs nothing but its time."""
        self._talk.keep_trying = False
        with contextlib.suppress(BadInput):
            for detail in self.spoken.details:
                for _ in range(_TRIES.get(detail.name, 1)):
                    if detail.name not in self._noted and self._talk.left:
                        self._ask_detail(detail)
        return self._noted

    def _ask_detail(self, detail: Detail) -> None:
        self._talk.ask(detail.command)
        until = self._talk.left - _DETAIL
        while self._talk.left > until and (frame := self._talk.hear(_DETAIL)) is not None:
            value = detail.read(frame.text) if frame.clean else None
            if value is not None:
                self._noted[detail.name] = value
                return
            if frame.clean and self.spoken.parse(frame.text).status is Status.ERROR:
                return

    def _refusal(self) -> BadInput:
        """The most telling of what came instead of a value."""
        for status in _BY_WEIGHT:
            if status in self._troubles.lines and not (status is Status.UNKNOWN and self._confirmation.last):
                return self._sentence(status, self._troubles.lines[status])
        where, port = self._talk.address.port, self._talk.address
        once = self._confirmation.only_value
        if self._confirmation.moved:
            return self._sentence(Status.UNSTABLE, self._confirmation.last)
        if once is not None:
            return BadInput("value-came-once", where=where, raw=once.raw[:40])
        if self._troubles.gross:
            return BadInput("gross-weight-only", where=where, raw=self._troubles.gross[:40])
        if self._troubles.noise or _ESCAPED in self._talk.pending:
            noise = (self._troubles.noise or self._talk.pending)[:40]
            return BadInput("comes-over-line-garbled", where=where, noise=noise, settings=port.settings)
        if self._talk.pending:
            return BadInput("line-broke-off-middle", where=where, pending=self._talk.pending[:40])
        if self._talk.interruptions:
            return BadInput("connection-lost-again-again", where=where)
        return BadInput("nothing-came-within-s", where=where, seconds=f"{self._talk.seconds:g}")

    def _sentence(self, status: Status, line: str) -> BadInput:
        others = [p.name for p in spoken_by(line)] if status is Status.UNKNOWN else []
        hint = notice("speaks-otherwise", names=" / ".join(others), first=others[0]) if others else ""
        facts = {"seconds": f"{self._talk.seconds:g}", "protocol": self.spoken.name, "line": line[:40]}
        return BadInput(f"instrument-{status.value}", where=self._talk.address.port, hint=hint, **facts)


_ESCAPED: Final = "\\x"
"""How a byte that is no letter is written out."""
_AT_ONCE: Final = (Status.OVERLOAD, Status.UNDERLOAD, Status.COUNTING)
_BY_WEIGHT: Final = (Status.UNSTABLE, Status.ACCEPTED, Status.BUSY, Status.ERROR, Status.UNKNOWN)


def _reading(
    heard: ReceivedReply, at: datetime, details: dict[str, str], spoken: Protocol, line: Connection
) -> InstrumentReading:
    unit, port = _unit(heard, details.get("unit"), spoken, line), line.address.port
    number = heard.reply.number + (heard.reply.auxiliary if line.auxiliary_counts else "")
    with BadInput.located(port):
        value, base = in_base(number, unit)
    if base != _BASES[spoken.kind]:
        raise BadInput("unit-of-another-kind", where=port, raw=heard.raw[:40], unit=unit, kind=spoken.kind)
    return InstrumentReading(
        value, base, heard.raw, spoken.name, at, details.get("instrument"), details.get("serial"),
        details.get("battery"), details.get("next_calibration"), auxiliary=heard.reply.auxiliary,
    )  # fmt: skip


def _unit(heard: ReceivedReply, told: str | None, spoken: Protocol, line: Connection) -> str:
    """The unit the instrument states; only where it states none, the one that was set, if it can be true."""
    if spoken.unit_from is UnitFrom.FRAME:
        return heard.reply.unit
    if told is not None:
        return told
    if line.unit is None:
        raise BadInput("instrument-does-not-say-unit", where=line.address.port)
    check_unit(heard, line.unit, line.address.port)
    return line.unit


def check_unit(heard: ReceivedReply, unit: str, port: str) -> None:
    """Refuse a set unit that the digits speak against: a caliper switched to inches sends other decimals."""
    decimals = len(heard.reply.number.partition(".")[2])
    length = abs(Decimal(heard.reply.number)) * (Decimal("25.4") if unit == "in" else 1)
    looks = "in" if decimals >= _INCH_DECIMALS else "mm"
    if unit != looks or length > _LENGTH_LIMIT:
        if unit == looks:
            raise BadInput("longer-than-calipers", where=port, raw=heard.raw, length=f"{length:f}")
        raise BadInput("decimals-of-another-unit", where=port, raw=heard.raw, decimals=decimals, looks=looks, unit=unit)


# When a value counts: once it came twice alike, so that one damaged line never does; and never gross for net.

_PASSING: Final = frozenset({Status.UNKNOWN, Status.OTHER, Status.ACCEPTED, Status.ERROR})
"""What may stand between two equal values: text of a ticket, an echo, a garbled line."""


@dataclass(frozen=True, slots=True)
class ReceivedReply:
    """A reply and the line it came in."""

    reply: Reply
    raw: str


class Confirmation:
    """Watches the replies and says which value counts.

    A gross weight counts only where nothing else comes between: on a ticket it stands beside the tare, and what was
    asked for is the net weight.
    """

    def __init__(self) -> None:
        self._candidate: ReceivedReply | None = None
        self._ticket = False
        self.moved = False
        """Whether two stable values differed: it is not still, or one of them is damaged."""

    def hear(self, heard: ReceivedReply) -> ReceivedReply | None:
        """The value, if this line confirms it."""
        reply = heard.reply
        self._ticket = self._ticket or reply.load in (Load.TARE, Load.NET)
        if self._ticket and reply.load is Load.GROSS:
            return None
        if reply.status is Status.STABLE:
            return self._compared(heard)
        candidate = self._candidate
        if candidate and (reply.status not in _PASSING or candidate.reply.load is Load.GROSS):
            self._candidate = None
        return None

    def _compared(self, heard: ReceivedReply) -> ReceivedReply | None:
        previous, self._candidate = self._candidate, heard
        if previous is None:
            return None
        alike = previous == heard
        self.moved = self.moved or not alike
        return heard if alike else None

    @property
    def last(self) -> str:
        """The line of the latest value."""
        return self._candidate.raw if self._candidate else ""

    @property
    def only_value(self) -> ReceivedReply | None:
        """The one value that came, if no other did and nothing may be missing: for what is sent at a key's press."""
        return self._candidate if not self.moved else None

    def forget(self) -> None:
        """Begin anew, as after unplugging."""
        self._candidate = None
