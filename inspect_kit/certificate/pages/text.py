"""Setting text: lines broken at the right places, right-to-left scripts in visual order, drawn run by run."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from inspect_kit.certificate.pages.fonts import SOFT_HYPHEN, runs, width_of
from inspect_kit.certificate.pages.styles import Style
from inspect_kit.certificate.pages.tags import Tag, marked

_RIGHT_TO_LEFT: Final = frozenset({"R", "AL"})
_DROPPED: Final = dict.fromkeys(map(ord, "\u200c\u200d\ufe0e\ufe0f"))
_SPACES: Final = " \t\n\r\x0b\x0c"
"""Where a line may be broken; narrow and no-break spaces hold."""

_BREAK_AFTER: Final = "-/_"
_STRAY: Final = 0.16
"""A last line shorter than this share of the width looks lost."""

_NARROWER: Final = (0.97, 0.94, 0.91, 0.88, 0.85, 0.82)
"""Shares of the width that are tried in turn so that no stray word is left."""


@lru_cache(4096)
def prepared(text: str) -> str:
    """Composed characters, Arabic letters joined; still in the order in which it is read."""
    line = unicodedata.normalize("NFC", text).translate(_DROPPED)
    if not _turns(line):
        return line
    from arabic_reshaper import reshape

    return str(reshape(line))


@lru_cache(4096)
def _turns(text: str) -> bool:
    return any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)


def _visual(line: str) -> str:
    if not _turns(line):
        return line
    from bidi.algorithm import get_display

    return str(get_display(line))


@lru_cache(4096)
def wrapped(text: str, font: str, size: float, width: float) -> tuple[str, ...]:
    """The lines of a text that fit the width. `\\n` breaks; a word that is too long is broken where it must be."""
    paragraphs = prepared(text).split("\n")
    return tuple(line for paragraph in paragraphs for line in _filled(paragraph, font, size, width))


def settled(text: str, style: Style, width: float) -> tuple[str, ...]:
    """As `wrapped`, but the last line is no stray word, if slightly shorter lines can prevent that."""
    lines = wrapped(text, style.font, style.size, width)
    for share in _NARROWER:
        if len(lines) == 1 or measured(lines[-1], style) >= _STRAY * width:
            break
        tried = wrapped(text, style.font, style.size, width * share)
        if len(tried) > len(lines):
            break
        lines = tried
    return lines


def _filled(text: str, font: str, size: float, width: float) -> Iterator[str]:
    """Greedy line breaking."""
    line = ""
    for word in (word for word in text.translate(dict.fromkeys(map(ord, _SPACES), " ")).split(" ") if word):
        tried = f"{line} {word}" if line else word
        if width_of(tried.replace(SOFT_HYPHEN, ""), font, size) <= width:
            line = tried
            continue
        *full, line = _hyphenated(line, word, font, size, width)
        yield from (part.replace(SOFT_HYPHEN, "") for part in full if part)
    yield line.replace(SOFT_HYPHEN, "")


def _hyphenated(line: str, word: str, font: str, size: float, width: float) -> list[str]:
    """The lines that come of a word which does not fit: whole on the next line, split if even that is too short."""
    done: list[str] = []
    while True:
        head, tail = _longest_start(f"{line} " if line else "", word, font, size, width)
        if head:
            done.append(f"{line} {head}".strip())
            line, word = "", tail
        elif line:
            done.append(line)
            line = ""
        else:
            cut = max(1, _fitting(word, font, size, width))
            done.append(word[:cut])
            word = word[cut:]
            if not word:
                return done


def _longest_start(before: str, word: str, font: str, size: float, width: float) -> tuple[str, str]:
    """The longest part of a word, up to a soft hyphen or after a sign, that still fits behind `before`."""
    fitting = _fitting(word, font, size, width)
    if fitting == len(word) and not before:
        return "", word
    for place in range(min(fitting, len(word) - 1), 0, -1):
        soft = word[place] == SOFT_HYPHEN
        if not soft and not (word[place - 1] in _BREAK_AFTER and word[place].isalnum() and place > 2):
            continue
        head = word[:place].replace(SOFT_HYPHEN, "") + ("-" if soft else "")
        if width_of(before + head, font, size) <= width:
            return head, word[place + 1 :] if soft else word[place:]
    return "", word


def _fitting(word: str, font: str, size: float, width: float) -> int:
    """How many characters of a word fit; soft hyphens take no room. Looks no further than it must."""
    total = 0.0
    for place, character in enumerate(word):
        total += 0.0 if character == SOFT_HYPHEN else width_of(character, font, 1)
        if total * size > width:
            return place
    return len(word)


def measured(text: str, style: Style) -> float:
    """The width of a text on one line."""
    return width_of(prepared(text).replace(SOFT_HYPHEN, ""), style.font, style.size)


def height_of(text: str, style: Style, width: float) -> float:
    """The height that a wrapped text takes."""
    return len(wrapped(text, style.font, style.size, width)) * style.leading if text else 0.0


def shrunk(text: str, style: Style, width: float, least: float) -> Style:
    """The style, smaller if the text needs it to stay on one line, but never below `least`."""
    full = measured(text, style)
    if full <= width:
        return style
    factor = max(width / full, least / style.size)
    return Style(style.font, style.size * factor, style.leading * factor, style.colour)


def put(canvas: Canvas, x: float, y: float, text: str, style: Style, tag: Tag = None) -> None:
    """One line with its baseline at `y`."""
    with marked(canvas, tag):
        pen = canvas.beginText(x, y)
        pen.setFillColor(style.colour)
        for name, letters in runs(_visual(prepared(text).replace(SOFT_HYPHEN, "")), style.font):
            pen.setFont(name, style.size)
            pen.textOut(letters)
        canvas.drawText(pen)


def baseline(top: float, style: Style) -> float:
    """Where the first line below `top` stands, with the white of its line evenly above and below."""
    return top - style.leading + (style.leading - style.size) / 2 + style.size * 0.2


def put_right(canvas: Canvas, x: float, y: float, text: str, style: Style) -> None:
    """One line that ends at `x`."""
    put(canvas, x - measured(text, style), y, text, style)


def put_centred(canvas: Canvas, x: float, y: float, text: str, style: Style) -> None:
    """One line with its middle at `x`."""
    put(canvas, x - measured(text, style) / 2, y, text, style)


def put_block(canvas: Canvas, x: float, top: float, text: str, style: Style, width: float, tag: Tag = None) -> None:
    """A wrapped text below `top`."""
    y = baseline(top, style)
    with marked(canvas, tag):
        for line in wrapped(text, style.font, style.size, width) if text else ():
            put(canvas, x, y, line, style)
            y -= style.leading


def clipped(text: str, style: Style, width: float) -> str:
    """The text as far as it fits on one line, with an ellipsis where something had to be left out."""
    if measured(text, style) <= width:
        return text
    kept = next(end for end in range(len(text), -1, -1) if measured(text[:end] + "…", style) <= width or end == 0)
    return text[:kept].rstrip() + "…"
