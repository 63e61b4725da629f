"""Tickets of several lines: each weight under its name (gross, tare, net), among dates, times and other text."""

from __future__ import annotations

import re
from typing import Final

from inspect_kit.capture.protocols.reply import (
    CAPITALS,
    COUNTS,
    NUMBER,
    UNKNOWN,
    InstrumentKind,
    Load,
    Protocol,
    Reply,
    Status,
    plain,
)

_LETTERS: Final = {"N": Load.NET, "G": Load.GROSS, "B": Load.GROSS, "T": Load.TARE, "PT": Load.TARE}
_WORDS: Final = {
    "NET": Load.NET, "NETT": Load.NET, "NETTO": Load.NET, "NET WT": Load.NET, "NET WEIGHT": Load.NET, "NT": Load.NET,
    "GROSS": Load.GROSS, "BRUTTO": Load.GROSS, "LORDO": Load.GROSS, "GROSS WT": Load.GROSS,
    "GROSS WEIGHT": Load.GROSS, "GS": Load.GROSS,
    "TARE": Load.TARE, "TARA": Load.TARE, "PRESET TARE": Load.TARE, "TARE WT": Load.TARE, "TARE WEIGHT": Load.TARE,
}  # fmt: skip
"""What scales print before a weight in English, German, Czech and Italian."""
_LINE: Final = re.compile(
    rf" *([A-Za-z]+(?: [A-Za-z]+)?)(?:\.| *[:=]| ) *([+-]?) *({NUMBER}) *([A-Za-z%]{{1,5}})( *\?)? *", re.ASCII
)
_PRINTED: Final = 24
"""Characters of a line that a Mettler Toledo balance prints; seen in recordings of an MS204TS."""


def parse(line: str) -> Reply:
    """One line under a word."""
    return _labelled(line, _WORDS)


def parse_letter(line: str) -> Reply:
    """One line under a letter: `     N       0.3749 g   `."""
    return _labelled(line, _LETTERS)


def _labelled(line: str, labels: dict[str, Load]) -> Reply:
    match = _LINE.fullmatch(line)
    load = labels.get(match.group(1).upper()) if match else None
    if match is None or load is None:
        return UNKNOWN
    _, sign, digits, unit, doubt = match.groups()
    if load is Load.TARE:
        return Reply(Status.OTHER, load=load)
    status = Status.UNSTABLE if doubt else Status.COUNTING if unit in COUNTS else Status.STABLE
    return Reply(status, plain(sign, digits), CAPITALS.get(unit, unit), load, whole=len(line) == _PRINTED)


TICKET: Final = Protocol("ticket", "scales that print tickets", InstrumentKind.SCALE, parse, ())
