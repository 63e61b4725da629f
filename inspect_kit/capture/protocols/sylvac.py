"""Sylvac and its family (Bowers, Tesa, Mahr, Teclock): short ASCII commands ended by CR, answers likewise."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Final

from inspect_kit.capture.protocols.reply import (  # fmt: skip
    NUMBER,
    UNKNOWN,
    Detail,
    InstrumentKind,
    Protocol,
    Reply,
    Settings,
    Status,
    UnitFrom,
    plain,
)

_VALUE: Final = re.compile(rf"\??([+-]?)({NUMBER})[<=>]?", re.ASCII)
_ECHO: Final = re.compile(r"(?:\?|[A-Z]{2,4}\?)", re.ASCII | re.IGNORECASE)
_ERROR: Final = re.compile(r"\??ERR ?[0-9]{0,2}", re.ASCII | re.IGNORECASE)
_DAY: Final = re.compile(r"([0-9]{2})\.([0-9]{2})\.([0-9]{4})", re.ASCII)
_UNITS: Final = {"MM": "mm", "IN": "in"}
_BATTERY: Final = {"BAT1": "ok", "BAT0": "low"}


def parse(line: str) -> Reply:
    """One line; `<` `=` `>` stand behind the value while the tolerance mode is on, an echoed `?` before it."""
    text = line.strip(" ")
    match = _VALUE.fullmatch(text)
    if match is not None and "." in match.group(2):
        return Reply(Status.STABLE, plain(*match.groups()))
    if _ERROR.fullmatch(text):
        return Reply(Status.ERROR)
    return Reply(Status.OTHER) if _ECHO.fullmatch(text) else UNKNOWN


def _answer(line: str, command: str) -> str:
    """The line without the command that older units echo, and without the key that some repeat."""
    text = line.strip(" ")
    if text.upper().startswith(f"{command}?"):
        text = text[len(command) + 1 :].strip(" ")
    return text


def _text(command: str) -> Callable[[str], str | None]:
    """Free text; what is plainly the late answer to another question, or a value sent by a key, is not it."""

    def read(line: str) -> str | None:
        text = _answer(line, command)
        late = text.upper() in _UNITS or text.upper() in _BATTERY or _DAY.fullmatch(text) is not None
        refused = late or not text or len(text) > 80 or parse(text).status is not Status.UNKNOWN
        return None if refused else text

    return read


def _word(command: str, words: dict[str, str]) -> Callable[[str], str | None]:
    def read(line: str) -> str | None:
        text = _answer(line, command).upper()
        return words.get(text) or words.get(text.removeprefix(command).strip(" "))

    return read


def _day(command: str) -> Callable[[str], str | None]:
    def read(line: str) -> str | None:
        text = _answer(line, command).upper().removeprefix(command).strip(" ")
        match = _DAY.fullmatch(text)
        if match is None:
            return None
        day, month, year = (int(part) for part in match.groups())
        try:
            return date(year, month, day).isoformat()
        except ValueError:
            return None

    return read


SYLVAC: Final = Protocol(
    "sylvac",
    "Sylvac, Bowers, Tesa, Mahr, Teclock",
    InstrumentKind.CALIPER,
    parse,
    (b"?\r",),
    (Settings(4800, 7, "E", 2), Settings(9600, 7, "E", 2), Settings()),
    (
        Detail("unit", b"UNI?\r", _word("UNI", _UNITS)),
        Detail("instrument", b"ID?\r", _text("ID")),
        Detail("serial", b"NUM?\r", _text("NUM")),
        Detail("battery", b"BAT?\r", _word("BAT", _BATTERY)),
        Detail("next_calibration", b"NCAL?\r", _day("NCAL")),
    ),
    UnitFrom.ASKED,
    marked_start=False,
    says_stable=False,
)
"""Sylvac's family, with the settings of a line that are tried in turn and what else can be asked."""
