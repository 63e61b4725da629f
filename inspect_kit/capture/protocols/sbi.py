"""Sartorius SBI: 14 characters `+   123.56 g  `, or 20 with a name in front; a blank unit says "not stable"."""

from __future__ import annotations

import re
from typing import Final

from inspect_kit.capture.protocols.reply import (  # fmt: skip
    COUNTS,
    NUMBER,
    UNKNOWN,
    InstrumentKind,
    Load,
    Protocol,
    Reply,
    Settings,
    Status,
    plain,
)

_VALUE: Final = rf"{NUMBER}|[0-9]{{1,8}}(?:\.[0-9]{{0,8}})?\[[0-9]\]"
_WEIGHT: Final = re.compile(rf"(?:(.{{6}}))?([+\- ]) ( *(?:{_VALUE}))(?: (\S{{1,3}}) {{0,2}}| {{0,4}})", re.ASCII)
_WIDTH: Final = 8
"""Characters of the weight with the blanks before it; with fewer the line is not understood."""
_NAMES: Final = {"": Load.UNSAID, "N": Load.NET, "G": Load.GROSS}
"""Net and gross are weighings; tare, limits, means and counts under other names are not."""
_STATUS: Final = re.compile(r"(?:Stat)? *([A-Za-z.\-]{1,7}(?: ?[0-9]{1,3})?) *", re.ASCII)
_STATES: Final = {
    "H": Status.OVERLOAD, "HH": Status.OVERLOAD, "L": Status.UNDERLOAD, "LL": Status.UNDERLOAD,
    "C": Status.BUSY, "AB": Status.BUSY, "--": Status.BUSY,
}  # fmt: skip
_ERROR: Final = re.compile(r"(?:ERR|Err|APP\.ERR|DIS\.ERR|PRT\.ERR) ?[0-9]{0,3}", re.ASCII)


def parse(line: str) -> Reply:
    """One line. Brackets set off the digit that is not verified: `123.5[6]` reads 123.5 and, beside it, 6."""
    match = _WEIGHT.fullmatch(line)
    if match is not None:
        return _weight(match)
    state = _STATUS.fullmatch(line)
    return _state(state.group(1), line) if state else UNKNOWN


def _weight(match: re.Match[str]) -> Reply:
    name, sign, field, unit = match.groups()
    digits, _, auxiliary = field.strip(" ]").partition("[")
    unsigned = sign == " " and digits.strip("0.")
    label = (name or "").strip(" ")
    if label not in _NAMES or len(field) < _WIDTH or unsigned:
        return UNKNOWN
    status = Status.COUNTING if unit in COUNTS else Status.STABLE if unit else Status.UNSTABLE
    return Reply(status, plain(sign, digits), unit or "", _NAMES[label], auxiliary, whole=True)


def _state(word: str, line: str) -> Reply:
    if _ERROR.fullmatch(word):
        return Reply(Status.ERROR)
    # A state stands in the middle of a line of blanks; a lone letter without them may be the rest of something.
    return Reply(_STATES[word]) if word in _STATES and len(line) >= 8 else UNKNOWN


_SETTINGS: Final = (Settings(1200, 7, "O", 1), Settings(9600, 7, "O", 1), Settings())
"""Baud, data bits, parity and stop bits that are tried in turn."""
SBI: Final = Protocol("sbi", "Sartorius", InstrumentKind.SCALE, parse, (b"\x1bP\r\n",), _SETTINGS)
