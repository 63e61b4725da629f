"""The name somebody probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(wrong: str, names: Iterable[str]) -> str:
    """A hint such as `did you mean "coin.mass"?`, or nothing where no name comes close."""
    found = difflib.get_close_matches(wrong[:80], list(names), n=1, cutoff=0.6)
    return f'did you mean "{found[0]}"?' if found else ""
