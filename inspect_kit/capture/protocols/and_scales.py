"""A&D: `ST,+00123.45  g`; ST stable, US unstable, OL out of range, QT a count, `EC,E01` an error.

Its CSV format has one more comma, `ST,+000.1278,  g`."""

from __future__ import annotations

import re
from typing import Final

from inspect_kit.capture.protocols.reply import (
    COUNTS,
    NUMBER,
    UNKNOWN,
    InstrumentKind,
    Protocol,
    Reply,
    Settings,
    Status,
    plain,
)

_WEIGHT: Final = re.compile(rf"(ST|US|QT),([+-])({NUMBER})(,? *)([A-Za-z%]{{0,3}})", re.ASCII)
_OUT_OF_RANGE: Final = re.compile(r"OL,([+-])[0-9.E+ ]{5,14} {0,4}\S{0,3}", re.ASCII)
_ERROR: Final = re.compile(r"EC,E[0-9]{2}", re.ASCII)
_DIGITS: Final = 8
"""Sign and eight characters at least; some models send one digit more."""
_UNIT: Final = 3
"""Characters of the unit with the blanks before it; with fewer the line is not whole."""
_STATES: Final = {"ST": Status.STABLE, "US": Status.UNSTABLE, "QT": Status.COUNTING}


def parse(line: str) -> Reply:
    """One line."""
    match = _WEIGHT.fullmatch(line)
    if match is not None:
        return _weight(match)
    out = _OUT_OF_RANGE.fullmatch(line)
    if out is not None:
        return Reply(Status.OVERLOAD if out.group(1) == "+" else Status.UNDERLOAD)
    return Reply(Status.ERROR) if _ERROR.fullmatch(line) else UNKNOWN


def _weight(match: re.Match[str]) -> Reply:
    header, sign, digits, blanks, unit = match.groups()
    status = Status.COUNTING if unit in COUNTS else _STATES[header]
    whole = len(digits) >= _DIGITS and len(blanks + unit) >= _UNIT
    return Reply(status, plain(sign, digits), unit, whole=whole)


AND: Final = Protocol(
    "and", "A&D", InstrumentKind.SCALE, parse, (b"Q\r\n", b"SI\r\n", b"S\r\n"), (Settings(2400, 7, "E", 1), Settings())
)
"""A&D's scales, with the settings of a line that are tried in turn."""
