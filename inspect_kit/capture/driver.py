"""Reading an instrument: asks until a stable value with a known unit has come, or says in a sentence why none did."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from inspect_kit.capture.connections import Connection
from inspect_kit.capture.conversation import Conversation
from inspect_kit.capture.line import Address, Frame
from inspect_kit.capture.protocols.reply import Detail, Protocol, Reply, Status, UnitFrom
from inspect_kit.capture.protocols.table import protocol_named, spoken_by
from inspect_kit.capture.readings import InstrumentReading, in_base
from inspect_kit.errors import BadInput

DEFAULT_SECONDS: Final = 10.0
MAX_SECONDS: Final = 3600.0
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
_PATIENCE: Final = {
    Status.UNSTABLE: 0.2, Status.BUSY: 0.2, Status.ERROR: 0.2, Status.UNKNOWN: 0.3, Status.OTHER: 1.0,
}  # fmt: skip
"""Seconds of silence after such a line before asking again."""
_FIRST_PATIENCE: Final = 1.0

Clock = Callable[[], datetime]
Watch = Callable[[Reply], None]


def local_time() -> datetime:
    """Now, with the desk's own offset from UTC."""
    return datetime.now(UTC).astimezone()


def _unwatched(_: Reply) -> None:
    """Nobody looks on."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A reply and the line it came in."""

    reply: Reply
    raw: str


@dataclass(slots=True)
class _Troubles:
    """What came instead of a value, the latest of each kind."""

    lines: dict[Status, str] = field(default_factory=dict)
    noise: str = ""
    errors: int = 0

    def note(self, status: Status, line: str) -> None:
        """Keep the line, unless one is kept that tells which protocol it really is."""
        if status is not Status.UNKNOWN or not spoken_by(self.lines.get(status, "")):
            self.lines[status] = line


def read_stable(
    port: Address | str,
    protocol: str,
    unit: str | None = None,
    timeout: float = DEFAULT_SECONDS,
    now: Clock = local_time,
) -> InstrumentReading:
    """One stable reading. `unit` (mm or in) is for frames that carry none and never overrides one that is stated.

    `timeout` holds for the whole reading, with the questions for name and serial number.
    """
    address = port if isinstance(port, Address) else Address(port)
    return read_live(Connection(address, protocol, unit), _unwatched, timeout, now)


def read_live(
    line: Connection, watch: Watch, timeout: float = DEFAULT_SECONDS, now: Clock = local_time
) -> InstrumentReading:
    """One stable reading; `watch` is shown every value on the way there: for the eye, never for a record."""
    spoken, unit = protocol_named(line.protocol), line.unit
    if spoken.unit_from is UnitFrom.SETTING and unit is None:
        raise BadInput(
            f"a {spoken.name} line does not say its unit", hint="add --unit mm or --unit in, as the display shows"
        )
    address = line.address.using(spoken.settings[0])
    with Conversation(address, timeout, marked_start=spoken.marked_start) as talk:
        listener = _Listener(talk, spoken, watch)
        heard = listener.stable()
        at = now()
        details = listener.details()
    return _reading(heard, at, details, _Context(spoken, address.port, unit))


class _Listener:
    """Asks for the value again and again, and notes what came instead."""

    def __init__(self, talk: Conversation, spoken: Protocol, watch: Watch) -> None:
        self._talk = talk
        self._spoken = spoken
        self._watch = watch
        self._troubles = _Troubles()
        self._noted: dict[str, str] = {}
        self._candidate: Heard | None = None

    def stable(self) -> Heard:
        """The first stable value before the deadline."""
        turn = 0
        while self._talk.left:
            request = self._spoken.requests[turn % len(self._spoken.requests)]
            heard, answered = self._round(request)
            if heard is not None:
                return heard
            if not answered:
                turn += 1
        raise self._refusal()

    def _round(self, request: bytes) -> tuple[Heard | None, bool]:
        """Ask once and listen. Also tells whether this request was understood, so that another need not be tried."""
        interruptions = self._talk.interruptions
        self._talk.ask(request)
        patience, until, answered, silent = _FIRST_PATIENCE, self._talk.left - _ROUND, False, True
        while (frame := self._talk.hear(patience)) is not None:
            heard, silent = self._understood(frame), False
            status = heard.reply.status
            if status is Status.STABLE:
                return self._settled(heard), True
            answered = answered or status in (Status.UNSTABLE, Status.BUSY, Status.ACCEPTED)
            # After "accepted" the value itself is on its way: asking again would only disturb.
            accepted = status is Status.ACCEPTED
            patience, until = (self._talk.left, 0.0) if accepted else (_PATIENCE[status], until)
            if self._talk.left <= until:
                break
        if self._talk.interruptions > interruptions:
            self._candidate = None
        return (self._unconfirmed() if silent else None), answered

    def _understood(self, frame: Frame) -> Heard:
        reply = self._spoken.parse(frame.text) if frame.clean else Reply(Status.UNKNOWN)
        if not frame.clean:
            self._troubles.noise = frame.text
            return Heard(reply, frame.text)
        if reply.status is Status.OTHER:
            self._note(frame.text)
        elif reply.status is not Status.STABLE:
            self._troubles.note(reply.status, frame.text)
        self._troubles.errors = self._troubles.errors + 1 if reply.status is Status.ERROR else 0
        if reply.status in _AT_ONCE or self._troubles.errors > _ERRORS:
            raise self._sentence(reply.status)
        if reply.number:
            self._watch(reply)
        return Heard(reply, frame.text)

    def _note(self, line: str) -> None:
        """A name or serial number that was sent unasked, as balances do when they are switched on."""
        for detail in self._spoken.details:
            value = detail.read(line)
            if value is not None:
                self._noted[detail.name] = value

    def _settled(self, heard: Heard) -> Heard | None:
        """The value, if the instrument itself says that it is stable, or if it came twice."""
        previous, self._candidate = self._candidate, heard
        if self._spoken.says_stable or (previous is not None and previous.reply == heard.reply):
            return heard
        if previous is not None:
            self._troubles.lines[Status.UNSTABLE] = heard.raw
        return None

    def _unconfirmed(self) -> Heard | None:
        """A value that was sent at the press of a key and is not sent again when asked for."""
        return None if Status.UNSTABLE in self._troubles.lines else self._candidate

    def details(self) -> dict[str, str]:
        """What else the instrument tells about itself; an answer that does not come costs nothing but its time."""
        self._talk.keep_trying = False
        with contextlib.suppress(BadInput):
            for detail in self._spoken.details:
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
            if frame.clean and self._spoken.parse(frame.text).status is Status.ERROR:
                return

    def _refusal(self) -> BadInput:
        """The most telling of what came instead of a value."""
        for status in _BY_WEIGHT:
            if status in self._troubles.lines:
                return self._sentence(status)
        where, port = self._talk.address.port, self._talk.address
        if self._troubles.noise or _ESCAPED in self._talk.pending:
            return BadInput(
                f"what comes over the line is garbled: {(self._troubles.noise or self._talk.pending)[:40]!r}",
                where=where,
                hint=f"compare baud rate and parity with the instrument's menu, here {port.settings}; check the cable",
            )
        if self._talk.pending:
            return BadInput(
                f"a line broke off in the middle: {self._talk.pending[:40]!r}",
                where=where,
                hint="check the plug and read again",
            )
        if self._talk.interruptions:
            return BadInput("the connection is lost again and again", where=where, hint="check the plug and the cable")
        return BadInput(f"nothing came within {self._talk.seconds:g} s", where=where, hint=_SILENCE)

    def _sentence(self, status: Status) -> BadInput:
        why, hint = _SENTENCES[status]
        line = self._troubles.lines[status]
        why = why.format(seconds=f"{self._talk.seconds:g}", protocol=self._spoken.name)
        if status is Status.UNKNOWN:
            others = [p.name for p in spoken_by(line)]
            hint = f"that is how {' or '.join(others)} talks: use --protocol {others[0]}" if others else hint
        return BadInput(f"{why}: {line[:40]!r}", where=self._talk.address.port, hint=hint)


_ESCAPED: Final = "\\x"
"""How a byte that is no letter is written out."""
_SILENCE: Final = (
    "is it switched on and plugged in, and set to send when asked? press its DATA or PRINT key, "
    "or look for it with inspect-kit instruments find"
)
_AT_ONCE: Final = (Status.OVERLOAD, Status.UNDERLOAD, Status.COUNTING)
_BY_WEIGHT: Final = (Status.UNSTABLE, Status.ACCEPTED, Status.BUSY, Status.ERROR, Status.UNKNOWN)
_SENTENCES: Final = {
    Status.UNSTABLE: (
        "the reading did not become stable within {seconds} s",
        "keep draught, hands and vibrations away, wait for the sign of stability, and read again",
    ),
    Status.ACCEPTED: (
        "the request was accepted and no value followed within {seconds} s",
        "wait for the sign of stability and read again",
    ),
    Status.BUSY: (
        "the instrument cannot measure now",
        "leave its menu, let it finish warming up or adjusting, and read again",
    ),
    Status.OVERLOAD: ("the scale is overloaded", "take the load off and use a scale with a larger range"),
    Status.UNDERLOAD: (
        "the scale is below its range",
        "put the pan in place, switch the scale off and on with the pan empty, and read again",
    ),
    Status.COUNTING: ("the scale counts pieces instead of weighing", "set it to weighing in g"),
    Status.ERROR: (
        "the instrument answers with an error",
        "look at its display; if it shows nothing wrong, the protocol may be another: inspect-kit instruments find",
    ),
    Status.UNKNOWN: (
        "what comes is not {protocol}",
        "choose the right --protocol, or look for it with inspect-kit instruments find",
    ),
}


@dataclass(frozen=True, slots=True)
class _Context:
    """What the unit of a value is decided by."""

    spoken: Protocol
    port: str
    unit: str | None


def _reading(heard: Heard, at: datetime, details: dict[str, str], context: _Context) -> InstrumentReading:
    unit = _unit(heard, details.get("unit"), context)
    try:
        value, base = in_base(heard.reply.number, unit)
    except BadInput as problem:
        raise BadInput(problem.fault.why, where=context.port, hint=problem.fault.hint) from None
    return InstrumentReading(
        value, base, heard.raw, context.spoken.name, at, details.get("instrument"), details.get("serial"),
        details.get("battery"), details.get("next_calibration"),
    )  # fmt: skip


def _unit(heard: Heard, told: str | None, context: _Context) -> str:
    """The unit the instrument states; only where it states none, the one that was set, if it can be true."""
    if context.spoken.unit_from is UnitFrom.FRAME:
        return heard.reply.unit
    if told is not None:
        return told
    if context.unit is None:
        raise BadInput(
            "the instrument does not say its unit", where=context.port, hint="add --unit mm or --unit in, as it shows"
        )
    check_unit(heard, context.unit, context.port)
    return context.unit


def check_unit(heard: Heard, unit: str, port: str) -> None:
    """Refuse a set unit that the digits speak against: a caliper switched to inches sends other decimals."""
    decimals = len(heard.reply.number.partition(".")[2])
    length = abs(Decimal(heard.reply.number)) * (Decimal("25.4") if unit == "in" else 1)
    looks = "in" if decimals >= _INCH_DECIMALS else "mm"
    if unit != looks or length > _LENGTH_LIMIT:
        why = f"{heard.raw!r} has {decimals} decimals, as a display in {looks} has, and not {unit}"
        if unit == looks:
            why = f"{heard.raw!r} would be {length:f} mm, longer than any caliper"
        raise BadInput(why, where=port, hint="look at the display and set --unit to what it shows")
