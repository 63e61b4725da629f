"""What a line from an instrument says, whoever made it: a value with its state, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final


class Status(StrEnum):
    """What a line means for the one who waits for a value."""

    STABLE = "stable"
    UNSTABLE = "unstable"
    OVERLOAD = "overload"
    UNDERLOAD = "underload"
    COUNTING = "counting"
    """The scale counts pieces: the number is no mass."""
    BUSY = "busy"
    ACCEPTED = "accepted"
    """The request was understood and a second line will follow."""
    ERROR = "error"
    OTHER = "other"
    """A line of this protocol without a value: a name, a serial number, an echo."""
    UNKNOWN = "unknown"


class Load(StrEnum):
    """Which weight a line gives, where it says so: the net one is the piece, the tare never is."""

    UNSAID = ""
    NET = "net"
    GROSS = "gross"
    TARE = "tare"


@dataclass(frozen=True, slots=True)
class Reply:
    """One line understood. `number` has the digits as sent, without leading zeros and `+`.

    `auxiliary` is a last digit that the scale sets off as not verified; `whole` tells that the line has the full
    width its maker documents, so that a lost character would have been seen.
    """

    status: Status
    number: str = ""
    unit: str = ""
    load: Load = Load.UNSAID
    auxiliary: str = ""
    whole: bool = field(default=False, compare=False)

    def unsettled(self) -> Reply:
        """The same where the line says that the value still moves."""
        return replace(self, status=Status.UNSTABLE) if self.number else self


UNKNOWN: Final = Reply(Status.UNKNOWN)

Parser = Callable[[str], Reply]


class InstrumentKind(StrEnum):
    """What an instrument measures."""

    SCALE = "scale"
    CALIPER = "caliper"


class UnitFrom(StrEnum):
    """Who says the unit."""

    FRAME = "frame"
    ASKED = "asked"
    SETTING = "setting"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a serial port talks: `9600 8N1`."""

    baud: int = 9600
    bits: int = 8
    parity: str = "N"
    stop: int = 1

    def __str__(self) -> str:
        return f"{self.baud} {self.bits}{self.parity}{self.stop}"


@dataclass(frozen=True, slots=True)
class Detail:
    """Something else to ask the instrument for; `read` takes its answer out of a line, or `None` if it is not in it."""

    name: str
    command: bytes
    read: Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Protocol:
    """A way of talking. The requests only read: none zeroes, tares, presets, changes the unit or locks keys."""

    name: str
    makers: str
    kind: InstrumentKind
    parse: Parser
    requests: tuple[bytes, ...]
    settings: tuple[Settings, ...] = (Settings(),)
    details: tuple[Detail, ...] = ()
    unit_from: UnitFrom = UnitFrom.FRAME
    marked_start: bool = True
    """A line's beginning is recognisable, so that the rest of a line cannot pass for a whole one."""
    says_stable: bool = True
    """The line tells whether it is stable; else two equal values in a row are asked for."""
