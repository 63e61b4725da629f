"""Shinko Vibra: `+0012.34 G S`: sign, seven or eight characters, unit in capitals, limit mark, S stable or U moving."""

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

_LINE: Final = re.compile(rf"([+\- ])( *{NUMBER}(?:/[0-9])? ?)( G|KG|MG|[A-Za-z]{{2}}| %)([ LGH])([SUE ])", re.ASCII)
_WIDTHS: Final = (7, 8, 9)
"""Characters of the number: six or seven digits with the point, and one more for `/` before an auxiliary digit."""
_UNITS: Final = {" G": "g", "KG": "kg", "MG": "mg", "CT": "ct", "OZ": "oz", "GR": "GN"}
_STATES: Final = {"S": Status.STABLE, "U": Status.UNSTABLE, "E": Status.ERROR}


def parse(line: str) -> Reply:
    """One line. `/` sets off the auxiliary digit: `  12.3/4` reads 12.3 and, beside it, 4."""
    match = _LINE.fullmatch(line)
    if match is None or len(match.group(2)) not in _WIDTHS:
        return UNKNOWN
    sign, field, unit, _, state = match.groups()
    # Without a mark the balance was set not to tell whether it is stable.
    if state == " " or (auxiliary := _auxiliary(field)) is None:
        return UNKNOWN
    if state == "E":
        return Reply(Status.ERROR)
    number = plain(sign, auxiliary[0])
    if unit in COUNTS:
        return Reply(Status.COUNTING, number, unit)
    return Reply(_STATES[state], number, _UNITS.get(unit, unit.strip(" ")), auxiliary=auxiliary[1], whole=True)


def _auxiliary(field: str) -> tuple[str, str] | None:
    """The verified digits and the auxiliary one; `12./4` has none before its point and is not a number."""
    digits, _, auxiliary = field.strip(" ").partition("/")
    return (digits, auxiliary) if re.fullmatch(NUMBER, digits, re.ASCII) else None


VIBRA: Final = Protocol(
    "vibra", "Shinko Vibra", InstrumentKind.SCALE, parse, (),
    (Settings(1200, 8, "N", 2), Settings(), Settings(2400, 8, "N", 2)),
)  # fmt: skip
"""Vibra's scales, with the settings of a line that are tried in turn."""
