"""Mitutoyo virtual COM ports and multiplexers: `01A+0000.125`, ended by CR, without any unit."""

from __future__ import annotations

import re
from typing import Final

from inspect_kit.capture.protocols.reply import (
    NUMBER,
    UNKNOWN,
    InstrumentKind,
    Protocol,
    Reply,
    Status,
    UnitFrom,
    plain,
)

_FRAME: Final = re.compile(rf"0[0-9][A-Z]([+-])({NUMBER})", re.ASCII)
_ERROR: Final = re.compile(r"9[0-9]{2}", re.ASCII)
_WIDTH: Final = 8
"""Characters of the number with its decimal point."""


def parse(line: str) -> Reply:
    """One line: code 0, channel, item, sign, eight characters; code 9 is an error, such as a gauge switched off."""
    match = _FRAME.fullmatch(line)
    if match is not None and len(match.group(2)) == _WIDTH:
        return Reply(Status.STABLE, plain(*match.groups()))
    return Reply(Status.ERROR) if _ERROR.fullmatch(line) else UNKNOWN


MITUTOYO: Final = Protocol(
    "mitutoyo", "Mitutoyo", InstrumentKind.CALIPER, parse, (b"1\r",), unit_from=UnitFrom.SETTING, says_stable=False
)
