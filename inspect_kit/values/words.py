"""Yes, no and none as people write them in the four languages, in files and at the desk."""

from __future__ import annotations

from typing import Final

YES: Final = frozenset({"yes", "ja", "ano", "sì", "si", "true"})
NO: Final = frozenset({"no", "nein", "ne", "false"})
NONE: Final = frozenset({"none", "keine", "keiner", "keines", "žádný", "žádná", "žádné", "nessuno", "nessuna"})


def plain_word(text: str) -> str:
    """`yes`, `no` or `none` for such a word of any of the languages; anything else as it was written."""
    folded = text.strip().casefold()
    return "yes" if folded in YES else "no" if folded in NO else "none" if folded in NONE else text
