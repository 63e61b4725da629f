"""Text that an instrument types like a keyboard, with Return at its end: `14,82 g`, `+0041.27`, `ST,+00014.82  g`."""

import re
from dataclasses import dataclass
from typing import Final

from inspect_kit.capture.protocols.forms import plain
from inspect_kit.capture.protocols.reply import Reply, Status
from inspect_kit.capture.protocols.table import spoken_by
from inspect_kit.capture.readings import in_base
from inspect_kit.errors import BadInput, Notice, notice

MAX_TEXT: Final = 80
"""Characters of one entry; a longer one is refused."""
_TYPED: Final = re.compile(
    r"([+\-−]?) {0,12}([0-9]{1,12}(?:[.,][0-9]{1,9})?) {0,8}(kg|mg|g|oz|ct|GN|mm|in|MM|IN|\")?( *\?)?", re.ASCII
)
_SPELLINGS: Final = {"MM": "mm", "IN": "in", '"': "in"}
_LAYOUTS: Final = {"French": frozenset("&é\"'(-è_çà;:)"), "Czech": frozenset("+ěščřžýáíé=,.")}
"""What the digit keys give on keyboards where digits need the shift key."""
_REFUSED: Final = frozenset(
    {Status.UNSTABLE, Status.OVERLOAD, Status.UNDERLOAD, Status.COUNTING, Status.BUSY, Status.ACCEPTED}
)


@dataclass(frozen=True, slots=True)
class TypedReading:
    """What was typed: `number` with a decimal point and the digits as sent; `unit` is g, mm, or empty."""

    number: str
    unit: str
    raw: str

    def __str__(self) -> str:
        return f"{self.number} {self.unit}".strip()


def typed_by_instrument(text: str) -> TypedReading:
    """One value as a keyboard wedge types it; anything that is not exactly one stable value is refused."""
    raw = text.strip("\r\n\t")
    if len(raw) > MAX_TEXT:
        raise BadInput("entry-characters", count=f"{len(raw):,}")
    if any(sign in raw for sign in "\r\n\t"):
        raise BadInput("two-values-one-entry", raw=raw[:MAX_TEXT])
    reply = _framed(raw) or _plain(raw)
    if reply is None:
        raise BadInput("expected-value-from-instrument-got", hint=_hint(raw), raw=raw[:40])
    if reply.status is not Status.STABLE:
        raise BadInput(f"typed-{reply.status.value}", raw=raw)
    number, unit = in_base(reply.number, reply.unit) if reply.unit else (reply.number, "")
    return TypedReading(number, unit, raw)


def _framed(raw: str) -> Reply | None:
    """A whole line of a protocol, with its state; a bare number is left to `_plain`, which also knows the comma."""
    replies = {protocol.name: protocol.parse(raw) for protocol in spoken_by(raw)}
    telling = (reply for name, reply in replies.items() if reply.unit or reply.status in _REFUSED or name == "mitutoyo")
    return next(telling, None)


def _plain(raw: str) -> Reply | None:
    match = _TYPED.fullmatch(raw.strip(" \u00a0\u202f").replace("\u00a0", " ").replace("\u202f", " "))
    if match is None:
        return None
    sign, digits, unit, doubt = match.groups()
    number = plain("-" if sign == "−" else sign, digits.replace(",", "."))
    status = Status.UNSTABLE if doubt else Status.STABLE
    return Reply(status, number, _SPELLINGS.get(unit or "", unit or ""))


def _hint(raw: str) -> Notice:
    """Where the signs are those of another keyboard's digit keys, say so; the number is not guessed back."""
    signs = set(raw.replace(" ", ""))
    for language, keys in _LAYOUTS.items():
        if signs and signs <= keys:
            return notice("keyboard-set-to", language=language)
    return notice("for-example", example="14.82 g / 41,27")
