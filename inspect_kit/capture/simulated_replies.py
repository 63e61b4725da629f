"""How each simulated instrument answers: its lines in every state, built as the makers document them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


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
    def minus(self) -> str:
        """Minus or a blank."""
        return "-" if self.sign == "-" else " "

    @property
    def digits(self) -> str:
        """The value without its sign."""
        return self.value.lstrip("+-")

    @property
    def three_before_point(self) -> str:
        """The digits with a decimal point and at least three before it."""
        whole, _, decimals = self.digits.partition(".")
        return f"{whole:0>3}.{decimals}"


@dataclass(frozen=True, slots=True)
class SimulatedProtocol:
    """One protocol's way of answering: which commands ask for the value, its lines, and its other answers.

    `lines` has a line for each `ReplyState`, in which `d` is the display; `end` ends every line.
    """

    asks: frozenset[str]
    lines: tuple[str, str, str, str, str, str]
    unknown: str = ""
    """What it says to a command it does not know; many say nothing."""
    about: Callable[[str, Display], str | None] = lambda *_: None
    end: str = "\r\n"
    adapt: Callable[[str, str], str] = lambda _, line: line
    """What changes in the answer with the command that asked for it."""

    def value_line(self, command: str, state: ReplyState, display: Display) -> str:
        """The answer to a request for the value, line ends and all."""
        line = self.lines[list(ReplyState).index(state)].format(d=display)
        return self.adapt(command, line) + self.end

    def answer(self, command: str, display: Display) -> str:
        """The answer to any other command."""
        told = self.about(command, display) or self.unknown
        return told and told + self.end


def _mettler_about(command: str, display: Display) -> str | None:
    about = {"I2": display.model, "I4": display.serial}
    return f'{command} A "{about[command]}"' if command in about else None


def _radwag_at_once(command: str, line: str) -> str:
    """`SI` is answered in one line, under its own name."""
    return line.removeprefix("S A\r\n").replace("S  ", "SI ", 1) if command == "SI" else line


def _sylvac_about(command: str, display: Display) -> str | None:
    return {
        "UNI?": display.unit.upper(), "ID?": display.model, "NUM?": display.serial,
        "BAT?": "BAT1" if display.battery == "ok" else "BAT0", "NCAL?": display.next_calibration,
    }.get(command.upper())  # fmt: skip


_METTLER: Final = SimulatedProtocol(
    frozenset({"S", "SI"}),
    ("S S {d.value:>10} {d.unit}", "S D {d.value:>10} {d.unit}", "S +", "S -", "S I", "ES"), "ES", _mettler_about,
)  # fmt: skip
SIMULATED: Final[Mapping[str, SimulatedProtocol]] = {
    "mt-sics": _METTLER,
    "kcp": _METTLER,
    "and": SimulatedProtocol(
        frozenset({"Q", "S", "SI"}),
        ("ST,{d.sign}{d.digits:0>8}{d.unit:>3}", "US,{d.sign}{d.digits:0>8}{d.unit:>3}", "OL,+999999.9  g",
         "OL,-999999.9  g", "EC,E02", "EC,E01"), "EC,E01",
    ),
    "sbi": SimulatedProtocol(
        frozenset({"\x1bP"}),
        ("{d.sign} {d.digits:>8} {d.unit:<3}", "{d.sign} {d.digits:>8}    ", "Stat        H       ",
         "Stat        L       ", "Stat        AB      ", "Stat     ERR 054    "),
    ),
    "ohaus": SimulatedProtocol(
        frozenset({"IP", "SP", "P"}),
        ("{d.value:>10} {d.unit}", "{d.value:>10} {d.unit} ?", "Err 8.3", "Err 8.4", "ES", "ES"), "ES",
    ),
    "radwag": SimulatedProtocol(
        frozenset({"S", "SI"}),
        ("S A\r\nS     {d.minus}{d.digits:>9} {d.unit:<3}", "S A\r\nS   ? {d.minus}{d.digits:>9} {d.unit:<3}",
         "S ^", "S v", "S I", "ES"), "ES", adapt=_radwag_at_once,
    ),
    "mitutoyo": SimulatedProtocol(
        frozenset({"1"}),
        ("01A{d.sign}{d.digits:0>8}", "01A{d.sign}{d.digits:0>8}", "911", "911", "911", "911"), end="\r",
    ),
    "sylvac": SimulatedProtocol(
        frozenset({"?"}),
        ("{d.sign}{d.three_before_point}", "{d.sign}{d.three_before_point}", "ERR2", "ERR2", "ERR2", "ERR6"),
        "ERR6", _sylvac_about, "\r",
    ),
}  # fmt: skip
