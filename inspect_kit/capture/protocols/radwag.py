"""Radwag: first `S A`, accepted, and then the mass in a second line, `S        123.45 g  `; `?` not stable."""

from __future__ import annotations

import re
from typing import Final

from inspect_kit.capture.protocols.reply import (
    COUNTS,
    UNKNOWN,
    InstrumentKind,
    Protocol,
    Reply,
    Status,
    plain,
    right_justified,
)

_MASS: Final = re.compile(r"(?:(?:S|SI|SU) |SUI(?=[ ?^v])) {0,3}([?^v]?) *([\-]?)([ 0-9.]{1,16}) (\S{1,3}) *", re.ASCII)
_WIDTH: Final = 20
"""Characters of a whole line: command, mark, sign, nine for the mass, three for the unit, and blanks between."""
_STATE: Final = re.compile(r"(?:S|SI|SU|SUI) ([AEI^v])", re.ASCII)
_STATES: Final = {
    "A": Status.ACCEPTED, "E": Status.UNSTABLE, "I": Status.BUSY, "^": Status.OVERLOAD, "v": Status.UNDERLOAD,
    " ": Status.STABLE, "?": Status.UNSTABLE,
}  # fmt: skip
"""`E`: the balance gave up waiting for a stable value, which is for us to wait on."""


def parse(line: str) -> Reply:
    """One line; `ACCEPTED` tells that the mass is still to come."""
    match = _MASS.fullmatch(line)
    if match is not None:
        return _mass(match)
    state = _STATE.fullmatch(line)
    if state is not None:
        return Reply(_STATES[state.group(1)])
    return Reply(Status.ERROR) if line == "ES" else UNKNOWN


def _mass(match: re.Match[str]) -> Reply:
    mark, sign, field, unit = match.groups()
    digits = right_justified(field)
    if digits is None or digits[0]:
        return UNKNOWN
    status = _STATES[mark or " "]
    if status in (Status.OVERLOAD, Status.UNDERLOAD):
        return Reply(status)
    status = Status.COUNTING if unit in COUNTS else status
    return Reply(status, plain(sign, digits[1]), unit, whole=len(match.string) >= _WIDTH)


RADWAG: Final = Protocol("radwag", "Radwag", InstrumentKind.SCALE, parse, (b"S\r\n", b"SI\r\n"))
