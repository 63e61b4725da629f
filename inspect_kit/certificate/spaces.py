"""No-break spaces: a number stays with its unit, a day with its month, a short Czech word with the next."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeVar

_NO_BREAK: Final = "\u00a0"
_UNITS: Final = (
    "mm[²³]?|cm[²³]?|m²?|µm|in|ft²?|k?g|mg|s|min|W|lx|%|°|×"
    "|inch(?:es)?|degrees?|Zoll|Grad|palc[eů]|stupňů|pollic[ei]|gradi"
)
_BINDINGS: Final = (
    (re.compile("([\U0001d434-\U0001d467]) = (?=\\S)"), rf"\1{_NO_BREAK}={_NO_BREAK}"),
    (re.compile(rf"(?<=\d) (?=(?:{_UNITS})(?!\w))"), _NO_BREAK),
    (re.compile(r"(?<!\d)(\d{1,2}\.?) (?=[^\W\d]{3,} \d{4}\b)"), rf"\1{_NO_BREAK}"),
    (re.compile(r"([±×≤≥=§]|\b[Nn]r\.|\bNo\.|\bč\.|\bArt\.) (?=\d)"), rf"\1{_NO_BREAK}"),
)
"""In an equation of quantities; before a unit; between day and month; after a sign or an abbreviation."""

_CZECH: Final = (re.compile(r"(?<![^\s(„‚])([ksvzouaiKSVZOUAI]) (?=\S)"), rf"\1{_NO_BREAK}")
_CODES: Final = frozenset({
    "qr_text", "key", "verdict", "characteristic", "instance", "language", "document_title", "author", "day",
})  # fmt: skip
"""Fields that nobody sets in type."""

T = TypeVar("T")


def bound(part: T, language: str) -> T:
    """Content with its spaces bound, field by field."""
    return _bound(part, language)  # type: ignore[no-any-return]


def _bound(part: Any, language: str) -> Any:
    if isinstance(part, str):
        return bound_text(part, language)
    if isinstance(part, tuple):
        return tuple(_bound(each, language) for each in part)
    if isinstance(part, dict):
        return {key: _bound(each, language) for key, each in part.items()}
    if is_dataclass(part) and not isinstance(part, type):
        names = [field.name for field in fields(part) if field.name not in _CODES]
        return replace(part, **{name: _bound(getattr(part, name), language) for name in names})
    return part


def bound_text(text: str, language: str) -> str:
    """A text in which no line may break between what belongs together."""
    for pattern, binding in (*_BINDINGS, _CZECH) if language == "cs" else _BINDINGS:
        text = pattern.sub(binding, text)
    return text
