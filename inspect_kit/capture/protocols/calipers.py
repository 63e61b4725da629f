"""How calipers send a length: Mitutoyo's frames without a unit, and the commands of Sylvac's family."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from inspect_kit.capture.protocols.forms import NUMBER, always, first_match, plain
from inspect_kit.capture.protocols.reply import Detail, InstrumentKind, Protocol, Reply, Settings, Status, UnitFrom

# Mitutoyo virtual COM ports and multiplexers: `01A+0000.125`, ended by CR, without any unit: code 0, channel, item,
# sign, eight characters with the point; code 9 is an error, such as a gauge switched off.

MITUTOYO: Final = Protocol(
    "mitutoyo", "Mitutoyo", InstrumentKind.CALIPER,
    first_match(
        (rf"0[0-9][A-Z]([+-])(?=.{{8}}$)({NUMBER})", lambda found: Reply(Status.STABLE, plain(found[1], found[2]))),
        (r"9[0-9]{2}", always(Status.ERROR)),
    ),
    (b"1\r",), unit_from=UnitFrom.SETTING, says_stable=False,
)  # fmt: skip
"""Eight characters for the number with its decimal point."""

# Sylvac and its family (Bowers, Tesa, Mahr, Teclock): short ASCII commands ended by CR, answers likewise. `<` `=` `>`
# stand behind the value while the tolerance mode is on, an echoed `?` before it.

_UNITS: Final = {"MM": "mm", "IN": "in"}
_BATTERY: Final = {"BAT1": "ok", "BAT0": "low"}
_DAY: Final = re.compile(r"[0-9]{2}\.[0-9]{2}\.[0-9]{4}", re.ASCII)
_SYLVAC: Final = first_match(
    (rf" *\??([+-]?)(?=[0-9]*\.)({NUMBER})[<=>]? *", lambda found: Reply(Status.STABLE, plain(found[1], found[2]))),
    (r" *\??(?i:ERR) ?[0-9]{0,2} *", always(Status.ERROR)),
    (r" *(?:\?|[A-Za-z]{2,4}\?) *", always(Status.OTHER)),
)
"""A value, an error with its number, and an echoed command."""


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
        refused = late or not text or len(text) > 80 or _SYLVAC(text).status is not Status.UNKNOWN
        return None if refused else text

    return read


def _word(command: str, words: Mapping[str, str]) -> Callable[[str], str | None]:
    def read(line: str) -> str | None:
        text = _answer(line, command).upper()
        return words.get(text) or words.get(text.removeprefix(command).strip(" "))

    return read


def _day(line: str) -> str | None:
    text = _answer(line, "NCAL").upper().removeprefix("NCAL").strip(" ")
    try:
        return datetime.strptime(text, "%d.%m.%Y").date().isoformat() if _DAY.fullmatch(text) else None
    except ValueError:
        return None


SYLVAC: Final = Protocol(
    "sylvac", "Sylvac, Bowers, Tesa, Mahr, Teclock", InstrumentKind.CALIPER, _SYLVAC, (b"?\r",),
    (Settings(4800, 7, "E", 2), Settings(9600, 7, "E", 2), Settings()),
    (
        Detail("unit", b"UNI?\r", _word("UNI", _UNITS)),
        Detail("instrument", b"ID?\r", _text("ID")),
        Detail("serial", b"NUM?\r", _text("NUM")),
        Detail("battery", b"BAT?\r", _word("BAT", _BATTERY)),
        Detail("next_calibration", b"NCAL?\r", _day),
    ),
    UnitFrom.ASKED, marked_start=False, says_stable=False,
)  # fmt: skip
"""Sylvac's family, with the settings of a line that are tried in turn and what else can be asked."""
