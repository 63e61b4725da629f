"""Shimadzu and what is built like it (CAS CBL): `S-  1000.00g  `: S stable or U moving, sign, weight, unit at once."""

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

_WEIGHT: Final = re.compile(rf"([SU])([ \-]) *({NUMBER})([A-Za-z%]{{1,3}}) {{0,2}}", re.ASCII)
_OUT: Final = re.compile(r"[SU]([ \-]) *oL *", re.ASCII)


def parse(line: str) -> Reply:
    """One line; without the letter in front the balance was set not to tell whether it is stable."""
    out = _OUT.fullmatch(line)
    if out is not None:
        return Reply(Status.UNDERLOAD if out.group(1) == "-" else Status.OVERLOAD)
    match = _WEIGHT.fullmatch(line)
    if match is None:
        return UNKNOWN
    state, sign, digits, unit = match.groups()
    status = Status.COUNTING if unit in COUNTS else Status.STABLE if state == "S" else Status.UNSTABLE
    return Reply(status, plain(sign, digits), unit)


SHIMADZU: Final = Protocol(
    "shimadzu", "Shimadzu, CAS CBL", InstrumentKind.SCALE, parse, (), (Settings(1200), Settings(), Settings(2400))
)
"""Balances that send by themselves, with the settings of a line that are tried in turn."""
