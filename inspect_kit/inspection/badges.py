"""Players' badges: the name in what a scanner types, whether it is plain text, a MeCard or a vCard."""

from __future__ import annotations

import re
from typing import Final

_PATTERNS: Final = (
    re.compile(r"MECARD:(?:.*?;)?N:([^;]+)", re.IGNORECASE | re.DOTALL),
    re.compile(r"BEGIN:VCARD.*?\bFN[^:]*:([^\r\n;]+)", re.IGNORECASE | re.DOTALL),
    re.compile(r"PLAYER:([^;\r\n]+)", re.IGNORECASE),
)


def name_on_badge(text: str) -> str:
    """The player's name; text that is no badge is a name itself. `Family,Given` of a MeCard is turned round."""
    for pattern in _PATTERNS:
        found = pattern.search(text[:2000])
        if found:
            family, comma, given = found[1].partition(",")
            return f"{given.strip()} {family.strip()}" if comma else family.strip()
    return text
