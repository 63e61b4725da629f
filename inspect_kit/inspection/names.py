"""Text from people that ends up on paper: names of players, clubs, boards. Bounded, visible, one line."""

import unicodedata
from functools import lru_cache
from typing import Final

from inspect_kit.errors import BadInput

MAX_LENGTH: Final = 200
"""Characters of a name, unless its reader says otherwise."""
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS: Final = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""Zero-width joiners and variation selectors: part of honest names and emoji, and dropped, not refused."""


def clean(text: str, *, where: str, needed: bool = False, longest: int = MAX_LENGTH) -> str:
    """One visible line in NFC; control and direction-override characters are refused, as they can fake a name."""
    line = unicodedata.normalize("NFC", " ".join(text.split()))
    line = "".join(character for character in line if character not in _JOINERS)
    if len(line) > longest:
        raise BadInput("name-too-long", where=where, count=f"{len(line):,}", longest_name=longest)
    for character in line:
        if unicodedata.category(character) in _HIDDEN:
            raise BadInput("invisible-character", where=where, ord=f"{ord(character):04X}")
    if needed and not line:
        raise BadInput("is-empty", where=where)
    return line


@lru_cache(maxsize=10_000)
def name_key(name: str) -> tuple[str, ...]:
    """A person's name without accents, case, and the order of its parts: `Novák Jan` and `Jan Novak` have the same."""
    bare = (sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return tuple(sorted("".join(bare).casefold().replace(",", " ").split()))
