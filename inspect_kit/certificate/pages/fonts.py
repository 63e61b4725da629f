"""The shipped typefaces: registering them once, and choosing for every character a font that has it."""

import threading
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache, wraps
from itertools import groupby
from typing import Final, ParamSpec, TypeVar

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from inspect_kit.errors import BadInput
from inspect_kit.places import shipped

_Given = ParamSpec("_Given")
_Drawn = TypeVar("_Drawn")
DRAWING: Final = threading.RLock()
"""Held while a page is drawn: reportlab keeps the letters that a document uses in the font itself."""
SANS: Final = "SourceSans3-Regular"
BOLD: Final = "SourceSans3-SemiBold"
ITALIC: Final = "SourceSans3-Italic"
SERIF: Final = "SourceSerif4-SemiBold"
FALLBACK: Final = "DejaVuSans"
"""Hebrew, Arabic, symbols and emoticons; read only when a text needs it."""

SOFT_HYPHEN: Final = "\u00ad"
_ITALIC_CAPITALS, _ITALIC_SMALL = 0x1D434, 0x1D44E
"""Where Unicode's mathematical italic letters begin: A to Z, then a to z."""
_JOINERS: Final = frozenset("\u200c\u200d\ufe0e\ufe0f")

Run = tuple[str, str]
"""A font and the characters to set in it."""


@cache
def font(name: str) -> TTFont:
    """The font of that name, registered on first use."""
    loaded = TTFont(name, str(shipped("reports") / "fonts" / f"{name}.ttf"))
    pdfmetrics.registerFont(loaded)
    return loaded


@lru_cache(8192)
def _placed(base: str, character: str) -> Run | None:
    """Font and character for one character of a text set in `base`; `None` where no shipped font has it."""
    italic = _plain_of_italic(character)
    if italic:
        return ITALIC, italic
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return None
    found = (name for name in (base, SANS, FALLBACK) if ord(character) in font(name).face.charToGlyph)
    name = next(found, None)
    return (name, character) if name else None


def _plain_of_italic(character: str) -> str:
    """The letter behind a mathematical italic, which stands for a quantity and is set in our own italic."""
    code = ord(character)
    if _ITALIC_CAPITALS <= code < _ITALIC_SMALL:
        return chr(code - _ITALIC_CAPITALS + ord("A"))
    return chr(code - _ITALIC_SMALL + ord("a")) if _ITALIC_SMALL <= code < _ITALIC_SMALL + 26 else ""


def runs(text: str, base: str) -> list[Run]:
    """The text in pieces of one font each."""
    placed = [_placed(base, character) for character in text]
    if None in placed:
        check_printable(text, where="text")
    pairs = [pair for pair in placed if pair is not None]
    return [(name, "".join(letter for _, letter in group)) for name, group in groupby(pairs, key=lambda pair: pair[0])]


@lru_cache(8192)
def _advance(base: str, character: str) -> float:
    placed = _placed(base, character)
    if placed is None:
        check_printable(character, where="text")
        return 0.0
    name, letter = placed
    return float(font(name).stringWidth(letter, 1000)) / 1000


def width_of(text: str, base: str, size: float) -> float:
    """How wide a text is, over all its fonts."""
    return sum(_advance(base, character) for character in text) * size


def check_printable(text: str, *, where: str) -> None:
    """Refuse a character that no shipped font can print, by name and place."""
    for character in text:
        if character.isspace() or character in _JOINERS or character == SOFT_HYPHEN:
            continue
        if _placed(SANS, character) is None:
            name = unicodedata.name(character, "unnamed")
            raise BadInput(
                "character-not-printed", where=where, character=character, ord=f"{ord(character):04X}", name=name
            )


def drawing_alone(function: Callable[_Given, _Drawn]) -> Callable[_Given, _Drawn]:
    """The same function, one thread at a time."""

    @wraps(function)
    def alone(*arguments: _Given.args, **named: _Given.kwargs) -> _Drawn:
        with DRAWING:
            return function(*arguments, **named)

    return alone
