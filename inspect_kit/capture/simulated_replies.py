"""How each simulated instrument answers: its lines in every state, built as the makers document them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

CRLF: Final = "\r\n"


class ReplyState(StrEnum):
    """What the instrument is going through when it is asked for its value."""

    STABLE = "stable"
    UNSTABLE = "unstable"
    OVERLOAD = "overload"
    UNDERLOAD = "underload"
    BUSY = "busy"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Display:
    """What the simulated instrument shows and is."""

    value: str = "14.82"
    unit: str = "g"
    model: str = "SIM-2000"
    serial: str = "B021002593"
    battery: str = "ok"
    next_calibration: str = "31.12.2027"

    @property
    def sign(self) -> str:
        """Plus or minus."""
        return "-" if self.value.startswith("-") else "+"

    @property
    def digits(self) -> str:
        """The value without its sign."""
        return self.value.lstrip("+-")


Lines = Mapping[ReplyState, Callable[[Display], str]]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One protocol's way of answering: which commands ask for the value, its lines, and its other answers."""

    asks: frozenset[str]
    lines: Lines
    answers: Callable[[str, Display], str | None]
    unknown: str = ""
    """What it says to a command it does not know; many say nothing."""
    adapt: Callable[[str, str], str] = lambda _, line: line
    """What changes in the answer with the command that asked for it."""

    def value_line(self, command: str, state: ReplyState, display: Display) -> str:
        """The answer to a request for the value, line ends and all."""
        return self.adapt(command, self.lines[state](display))


def _nothing(command: str, display: Display) -> None:
    del command, display


def _mettler_about(command: str, display: Display) -> str | None:
    about = {"I2": display.model, "I4": display.serial}
    return f'{command} A "{about[command]}"{CRLF}' if command in about else None


def _mettler(state: str) -> Callable[[Display], str]:
    return lambda d: f"S {state} {d.value:>10} {d.unit}{CRLF}"


def _said(line: str) -> Callable[[Display], str]:
    return lambda _: f"{line}{CRLF}"


_METTLER: Final = Dialect(
    frozenset({"S", "SI"}),
    {
        ReplyState.STABLE: _mettler("S"), ReplyState.UNSTABLE: _mettler("D"), ReplyState.OVERLOAD: _said("S +"),
        ReplyState.UNDERLOAD: _said("S -"), ReplyState.BUSY: _said("S I"), ReplyState.ERROR: _said("ES"),
    },
    _mettler_about,
    unknown="ES\r\n",
)  # fmt: skip


def _and(header: str) -> Callable[[Display], str]:
    return lambda d: f"{header},{d.sign}{d.digits:0>8}{d.unit:>3}{CRLF}"


_AND: Final = Dialect(
    frozenset({"Q", "S", "SI"}),
    {
        ReplyState.STABLE: _and("ST"), ReplyState.UNSTABLE: _and("US"), ReplyState.OVERLOAD: _said("OL,+999999.9  g"),
        ReplyState.UNDERLOAD: _said("OL,-999999.9  g"), ReplyState.BUSY: _said("EC,E02"),
        ReplyState.ERROR: _said("EC,E01"),
    },
    _nothing,
    unknown="EC,E01\r\n",
)  # fmt: skip


def _sbi(d: Display) -> str:
    return f"{d.sign} {d.digits:>8} {d.unit:<3}{CRLF}"


_SBI: Final = Dialect(
    frozenset({"\x1bP"}),
    {
        ReplyState.STABLE: _sbi, ReplyState.UNSTABLE: lambda d: f"{d.sign} {d.digits:>8}    {CRLF}",
        ReplyState.OVERLOAD: _said("Stat        H       "), ReplyState.UNDERLOAD: _said("Stat        L       "),
        ReplyState.BUSY: _said("Stat        AB      "), ReplyState.ERROR: _said("Stat     ERR 054    "),
    },
    _nothing,
)  # fmt: skip


def _ohaus(mark: str) -> Callable[[Display], str]:
    return lambda d: f"{d.value:>10} {d.unit:<5}{mark}".rstrip() + CRLF


_OHAUS: Final = Dialect(
    frozenset({"IP", "SP", "P"}),
    {
        ReplyState.STABLE: _ohaus(""), ReplyState.UNSTABLE: lambda d: f"{d.value:>10} {d.unit} ?{CRLF}",
        ReplyState.OVERLOAD: _said("Err 8.3"), ReplyState.UNDERLOAD: _said("Err 8.4"), ReplyState.BUSY: _said("ES"),
        ReplyState.ERROR: _said("ES"),
    },
    _nothing,
    unknown="ES\r\n",
)  # fmt: skip


def _radwag(mark: str) -> Callable[[Display], str]:
    return lambda d: (
        f"S A{CRLF}{'S':<3} {mark} {' ' if d.sign == '+' else '-'}{d.digits:>9} {d.unit:<3}{CRLF}"
    )  # fmt: skip


def _radwag_at_once(command: str, line: str) -> str:
    """`SI` is answered in one line, under its own name."""
    return line.removeprefix(f"S A{CRLF}").replace("S  ", "SI ", 1) if command == "SI" else line


_RADWAG: Final = Dialect(
    frozenset({"S", "SI"}),
    {
        ReplyState.STABLE: _radwag(" "), ReplyState.UNSTABLE: _radwag("?"), ReplyState.OVERLOAD: _said("S ^"),
        ReplyState.UNDERLOAD: _said("S v"), ReplyState.BUSY: _said("S I"), ReplyState.ERROR: _said("ES"),
    },
    _nothing,
    unknown="ES\r\n",
    adapt=_radwag_at_once,
)  # fmt: skip


def _mitutoyo(d: Display) -> str:
    return f"01A{d.sign}{d.digits:0>8}\r"


_MITUTOYO: Final = Dialect(
    frozenset({"1"}),
    {
        ReplyState.STABLE: _mitutoyo, ReplyState.UNSTABLE: _mitutoyo, ReplyState.OVERLOAD: lambda _: "911\r",
        ReplyState.UNDERLOAD: lambda _: "911\r", ReplyState.BUSY: lambda _: "911\r",
        ReplyState.ERROR: lambda _: "911\r",
    },
    _nothing,
)  # fmt: skip


def _sylvac(d: Display) -> str:
    whole, _, decimals = d.digits.partition(".")
    return f"{d.sign}{whole:0>3}.{decimals}\r"


def _sylvac_about(command: str, display: Display) -> str | None:
    answers = {
        "UNI?": display.unit.upper(), "ID?": display.model, "NUM?": display.serial,
        "BAT?": "BAT1" if display.battery == "ok" else "BAT0", "NCAL?": display.next_calibration,
    }  # fmt: skip
    answer = answers.get(command.upper())
    return None if answer is None else f"{answer}\r"


_SYLVAC: Final = Dialect(
    frozenset({"?"}),
    {
        ReplyState.STABLE: _sylvac, ReplyState.UNSTABLE: _sylvac, ReplyState.OVERLOAD: lambda _: "ERR2\r",
        ReplyState.UNDERLOAD: lambda _: "ERR2\r", ReplyState.BUSY: lambda _: "ERR2\r",
        ReplyState.ERROR: lambda _: "ERR6\r",
    },
    _sylvac_about,
    unknown="ERR6\r",
)  # fmt: skip

DIALECTS: Final[Mapping[str, Dialect]] = {
    "mt-sics": _METTLER, "kcp": _METTLER, "and": _AND, "sbi": _SBI, "ohaus": _OHAUS, "radwag": _RADWAG,
    "mitutoyo": _MITUTOYO, "sylvac": _SYLVAC,
}  # fmt: skip
