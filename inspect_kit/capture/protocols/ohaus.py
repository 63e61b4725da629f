"""Ohaus Navigator, Scout, Explorer: `    192.21 g`, with `?` behind the unit while it is not stable.

Defender 3000 puts the sign first, `-  1.640 kg   ?N`, Defender 5000 the unit at the right of five characters,
`      123.45     g ? N`; they and the Ranger (`   123.45 kg   B/G`) say at the end whether it is gross, net or tare.
"""

from __future__ import annotations

import re
from typing import Final

from inspect_kit.capture.protocols.reply import (  # fmt: skip
    COUNTS,
    UNKNOWN,
    InstrumentKind,
    Load,
    Protocol,
    Reply,
    Settings,
    Status,
    plain,
    right_justified,
)

_WEIGHT: Final = re.compile(r"([ 0-9.\-]{0,13}[0-9]) {1,5}([A-Za-z%]{1,5}) *(\?)? *(NET|B/G|PT|[NGBT])? *", re.ASCII)
_WIDTH: Final = 10
"""Characters of the weight; the Defender's line has 16 in all instead."""
_LEGENDS: Final = {
    "N": Load.NET,
    "NET": Load.NET,
    "G": Load.GROSS,
    "B": Load.GROSS,
    "B/G": Load.GROSS,
    "T": Load.TARE,
    "PT": Load.TARE,
}
_ERROR: Final = re.compile(r" *(?:ES|E[0-9]{1,2}|Err(?:or)? ?[0-9]{1,2}(?:\.[0-9]{1,2})?) *", re.ASCII)
_LOADS: Final = {"Err8.3": Status.OVERLOAD, "Err8.4": Status.UNDERLOAD}


def parse(line: str) -> Reply:
    """One line. `ES` says that a command is unknown, or that nothing was stable in the scale's own time."""
    match = _WEIGHT.fullmatch(line)
    if match is not None:
        return _weight(match)
    if _ERROR.fullmatch(line):
        return Reply(_LOADS.get("".join(line.split()), Status.ERROR))
    return Reply(Status.OTHER) if line.strip() == "OK!" else UNKNOWN


def _weight(match: re.Match[str]) -> Reply:
    field, unit, doubt, legend = match.groups()
    digits, load = right_justified(field), _LEGENDS.get(legend or "", Load.UNSAID)
    # A lone G, N, T or B is a legend whose unit was lost, or the other way round.
    if digits is None or unit in _LEGENDS:
        return UNKNOWN
    if load is Load.TARE:
        return Reply(Status.OTHER, load=load)
    status = Status.UNSTABLE if doubt else Status.COUNTING if unit in COUNTS else Status.STABLE
    return Reply(status, plain(*digits), unit, load, whole=len(field) >= _WIDTH)


OHAUS: Final = Protocol(
    "ohaus", "Ohaus", InstrumentKind.SCALE, parse, (b"IP\r\n", b"SP\r\n"), (Settings(), Settings(2400, 7, "N", 2)),
    marked_start=False,
)  # fmt: skip
"""Ohaus's scales, with the settings of a line that are tried in turn."""
