"""Certificate numbers: short enough to read out, with a check letter, and typed alike on every keyboard.

`PCC-2026-000123-J`: issuer's code, year, serial, check letter; a report has an `R` before its serial. The letters
are seventeen that no common layout moves (A, M, Q, W, Y, Z do) and that look like no digit. Separators may be left
out, and digits that a scanner sent through a Czech or French keyboard layout are read for what they were.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from inspect_kit.errors import Notice, UsageError, notice

LETTERS: Final = "BCDEFGHJKLNPRSTUV"
_DIGITS: Final = "0123456789"
_SHAPE: Final = re.compile(rf"([{LETTERS}]{{2,6}})(2[0-2]\d\d)(R?)(\d{{6,9}})([{LETTERS}])")
DIGIT_ROWS: Final = ("0123456789", "é+ěščřžýáí", "à&é\"'(-è_ç", '=!"§$%&/()')
"""What the keys 0–9 give: as they should, on a Czech, on a French, and (with shift) on a German keyboard."""

_LONGEST: Final = 60
"""Characters of a text that may be a certificate's number."""


@dataclass(frozen=True, slots=True)
class Number:
    """A place in the series of an issuer's year; reports are counted apart from certificates."""

    issuer: str
    year: int
    serial: int
    report: bool = False

    @property
    def kind(self) -> str:
        """`certificate`, or `report` for what fails or is undecided."""
        return "report" if self.report else "certificate"

    def __str__(self) -> str:
        middle = f"{'R' if self.report else ''}{self.serial:06d}"
        return f"{self.issuer}-{self.year:04d}-{middle}-{_check(f'{self.issuer}{self.year:04d}{middle}')}"


def _check(text: str) -> str:
    """A letter that changes with any one character and with any two of a kind that are swapped."""
    # 3 is a primitive root of the prime 17, so neighbouring places never weigh the same.
    worth = (int(sign) if sign in _DIGITS else LETTERS.index(sign) for sign in text)
    return LETTERS[sum(each * pow(3, place, 17) for place, each in enumerate(worth)) % 17]


def number_of(text: str) -> Number:
    """The number that was typed or scanned, in whatever dress; a misread one is refused."""
    if len(text) <= _LONGEST:
        for shown in _readings(text):
            match = _SHAPE.fullmatch(shown)
            if match and _check(shown[:-1]) == match[5]:
                return Number(match[1], int(match[2]), int(match[4]), report=bool(match[3]))
    raise UsageError("not-certificate-number", hint=_hint(text), text=text[:_LONGEST])


def shaped_like_number(text: str) -> bool:
    """Whether somebody meant a number, though a character of it may be wrong."""
    return len(text) <= _LONGEST and any(_SHAPE.fullmatch(shown) for shown in _readings(text))


def _readings(text: str) -> Iterator[str]:
    """The text without separators; if it has no digit at all, as each other keyboard layout would have changed it."""
    plain = unicodedata.normalize("NFC", text).strip().lower()
    for row in DIGIT_ROWS[:1] if any(digit in plain for digit in _DIGITS) else DIGIT_ROWS:
        typed = plain.translate({ord(sign): _DIGITS[place] for place, sign in enumerate(row)})
        yield "".join(character for character in typed.upper() if character in LETTERS + _DIGITS)


def _hint(text: str) -> Notice:
    shown = next(_readings(text[:_LONGEST]))
    if _SHAPE.fullmatch(shown):
        return notice("check-letter")
    return notice("looks-like", example="PCC-2026-000123-J")


def code_for(name: str) -> str:
    """A code out of an issuer's name: the initials, or else its first letters, as far as they are safe ones."""
    letters = (letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    plain = "".join(letters).upper()
    initials = "".join(word[0] for word in re.findall(r"[A-Z]+", plain) if word[0] in LETTERS)
    safe = "".join(character for character in plain if character in LETTERS)
    return initials[:5] if len(initials) >= 2 else safe[:3]


def check_code(code: str) -> str:
    """An issuer's code as it may stand in a number."""
    if not re.fullmatch(rf"[{LETTERS}]{{2,6}}", code):
        raise UsageError("cannot-issuer-code", where="--code", sign=code[:20], letters=LETTERS)
    return code
