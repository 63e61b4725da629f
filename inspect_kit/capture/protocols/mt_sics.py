"""Mettler Toledo MT-SICS: `S S     100.00 g`; `S D` dynamic, `S +` overload, `S -` underload, `S I` not now.

Also what the PRINT key sends, `     N       0.3749 g   `, in any order with `G` and `T` lines.
"""

from __future__ import annotations

import re
from typing import Final

from inspect_kit.capture.protocols import tickets
from inspect_kit.capture.protocols.reply import (  # fmt: skip
    COUNTS,
    UNKNOWN,
    Detail,
    InstrumentKind,
    Protocol,
    Reply,
    Status,
    plain,
    right_justified,
)

_WEIGHT: Final = re.compile(r"S ([SD]) ([ 0-9.\-]{1,20}) (\S{1,5})", re.ASCII)
_WIDTH: Final = 10
"""Characters of the weight with the blanks before it; with fewer the line is not whole."""
_STATES: Final = {
    "S +": Status.OVERLOAD, "S -": Status.UNDERLOAD, "S I": Status.BUSY, "S L": Status.ERROR,
    "ES": Status.ERROR, "ET": Status.ERROR, "EL": Status.ERROR,
}  # fmt: skip
_ABOUT: Final = re.compile(r'(I[0-9]{1,2}) [AB](?: [0-9]{1,3})? "([^"]{1,80})".{0,100}', re.ASCII)


def parse(line: str) -> Reply:
    """One line. `SI` answers with the id `S`, like `S`."""
    match = _WEIGHT.fullmatch(line)
    if match is not None:
        return _weight(match)
    if _ABOUT.fullmatch(line):
        return Reply(Status.OTHER)
    return Reply(_STATES[line]) if line in _STATES else tickets.parse_letter(line)


def _weight(match: re.Match[str]) -> Reply:
    state, field, unit = match.groups()
    digits = right_justified(field)
    if digits is None:
        return UNKNOWN
    status = Status.COUNTING if unit in COUNTS else Status.STABLE if state == "S" else Status.UNSTABLE
    return Reply(status, plain(*digits), unit, whole=len(field) >= _WIDTH)


def about(line: str, what: str) -> str | None:
    """The quoted text of `I2 A "…"` or `I4 A "…"`, if that is what the line is."""
    match = _ABOUT.fullmatch(line)
    return match.group(2).strip() or None if match and match.group(1) == what else None


DETAILS: Final = (
    Detail("instrument", b"I2\r\n", lambda line: about(line, "I2")),
    Detail("serial", b"I4\r\n", lambda line: about(line, "I4")),
)
MT_SICS: Final = Protocol(
    "mt-sics", "Mettler Toledo, many Ohaus", InstrumentKind.SCALE, parse, (b"SI\r\n", b"S\r\n"), details=DETAILS
)
