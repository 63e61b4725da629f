"""Yes, no and none as people write them in the four languages, in files and at the desk."""

import unicodedata
from typing import Final

YES: Final = frozenset({"yes", "ja", "ano", "sì", "si", "true"})
NO: Final = frozenset({"no", "nein", "ne", "false"})
_LONGEST_NUMBER: Final = 40
"""Digits of a piece's number that are read as one."""
NONE: Final = frozenset({"none", "keine", "keiner", "keines", "žádný", "žádná", "žádné", "nessuno", "nessuna"})


def plain_word(text: str) -> str:
    """`yes`, `no` or `none` for such a word of any of the languages; anything else as it was written."""
    folded = text.strip().casefold()
    return "yes" if folded in YES else "no" if folded in NO else "none" if folded in NONE else text


def piece_key(label: str) -> str:
    """What tells pieces apart by their names: `01`, wide digits and invisible signs make no other piece of `1`."""
    if label.isascii() and not label.startswith("0"):
        return label
    seen = "".join(sign for sign in unicodedata.normalize("NFKC", label) if unicodedata.category(sign) != "Cf")
    return str(int(seen)) if seen.isdecimal() and len(seen) < _LONGEST_NUMBER else seen.strip()
