"""Ohaus Navigator, Scout, Explorer: `    192.21 g`, with `?` behind the unit while it is not stable."""

from __future__ import annotations

import re
from typing import Final

from inspect_kit.capture.protocols.reply import (  # fmt: skip
    UNKNOWN,
    Kind,
    Protocol,
    Reply,
    Settings,
    Status,
    plain,
    right_justified,
)

_WEIGHT: Final = re.compile(r"([ 0-9.\-]{10,14}) ([A-Za-z]{1,5}) *(\?)? *(?:N|NET|G|B)? *", re.ASCII)
_WIDTH: Final = 10
_ERROR: Final = re.compile(r" *(?:ES|E[0-9]{1,2}|Err(?:or)? ?[0-9]{1,2}(?:\.[0-9]{1,2})?) *", re.ASCII)
_LOADS: Final = {"Err8.3": Status.OVERLOAD, "Err8.4": Status.UNDERLOAD}
_COUNTS: Final = frozenset({"PCS", "pcs", "PC", "pc"})


def parse(line: str) -> Reply:
    """One line. `ES` says that a command is unknown, or that nothing was stable in the scale's own time."""
    match = _WEIGHT.fullmatch(line)
    if match is not None:
        return _weight(match)
    if _ERROR.fullmatch(line):
        return Reply(_LOADS.get("".join(line.split()), Status.ERROR))
    return Reply(Status.OTHER) if line.strip() == "OK!" else UNKNOWN


def _weight(match: re.Match[str]) -> Reply:
    field, unit, doubt = match.groups()
    digits = right_justified(field, _WIDTH)
    if digits is None:
        return UNKNOWN
    status = Status.UNSTABLE if doubt else Status.COUNTING if unit in _COUNTS else Status.STABLE
    return Reply(status, plain(*digits), unit)


OHAUS: Final = Protocol(
    "ohaus", "Ohaus", Kind.SCALE, parse, (b"IP\r\n", b"SP\r\n"), (Settings(), Settings(2400, 7, "N", 2)),
    marked_start=False,
)  # fmt: skip
