"""Weighing indicators: `ST,GS    20.7g  ` and `US,NT,   0.0,kg`; ST stable, US moving, OL over, UL under, TL not level.

With or without commas and padding: T-Scale, Tiger TI-02, Dini Argeo and many that copy them.
"""

from __future__ import annotations

import re
from typing import Final

from inspect_kit.capture.protocols.reply import (  # fmt: skip
    CAPITALS,
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

_HEAD: Final = r"(?:[0-9]{2})?(ST|US|OL|UL|TL)(?:[, ]? *([A-Z]{2}))?"
"""State and kind of weight; two digits before them are the address on an RS-485 line."""
_WEIGHT: Final = re.compile(rf"{_HEAD}[, ]? *([+-]?) *({NUMBER})(?: *, *| *)([A-Za-z%]{{1,3}}) *", re.ASCII)
_NO_WEIGHT: Final = re.compile(rf"{_HEAD}(?:[, ].{{0,20}})?", re.ASCII)
_WIDTH: Final = 16
"""Characters of a whole line with its padding: state, kind, sign, seven for the weight, unit."""
_LOADS: Final = {
    None: Load.UNSAID, "GS": Load.GROSS, "GR": Load.GROSS, "NT": Load.NET, "TR": Load.TARE, "PT": Load.TARE,
}  # fmt: skip
"""Anything else under these headers (microvolts, converter points) is no weight."""
_STATES: Final = {
    "ST": Status.STABLE, "US": Status.UNSTABLE, "OL": Status.OVERLOAD, "UL": Status.UNDERLOAD, "TL": Status.BUSY,
}  # fmt: skip
_OUT: Final = frozenset({Status.OVERLOAD, Status.UNDERLOAD, Status.BUSY})


def parse(line: str) -> Reply:
    """One line."""
    match = _WEIGHT.fullmatch(line)
    if match is not None:
        return _weight(match)
    state = _NO_WEIGHT.fullmatch(line)
    status = _STATES[state.group(1)] if state else Status.UNKNOWN
    return Reply(status) if state and status in _OUT and state.group(2) in _LOADS else UNKNOWN


def _weight(match: re.Match[str]) -> Reply:
    state, kind, sign, digits, unit = match.groups()
    status = _STATES[state]
    if kind not in _LOADS:
        return UNKNOWN
    load = _LOADS[kind]
    if load is Load.TARE:
        return Reply(Status.OTHER, load=load)
    if status in _OUT:
        return Reply(status)
    status = Status.COUNTING if unit in COUNTS else status
    return Reply(status, plain(sign, digits), CAPITALS.get(unit, unit), load, whole=len(match.string) >= _WIDTH)


INDICATOR: Final = Protocol(
    "st-gs", "T-Scale, Tiger, Dini Argeo", InstrumentKind.SCALE, parse, (), (Settings(), Settings(2400, 7, "E", 1))
)
"""Indicators that send by themselves, with the settings of a line that are tried in turn."""
