"""The name somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable

from inspect_kit.notices import Notice, notice


def nearest(wrong: str, names: Iterable[str]) -> str | Notice:
    """A hint such as `did you mean "coin.mass"?`, or nothing where no name comes close."""
    from difflib import get_close_matches

    found = get_close_matches(wrong[:80], list(names), n=1, cutoff=0.6)
    return notice("did-you-mean", name=found[0]) if found else ""
