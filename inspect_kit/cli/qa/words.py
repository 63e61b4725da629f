"""What records name, in the language of the terminal; in English as scripts know it."""

from __future__ import annotations

from inspect_kit.certificate.content.wording import lot_wording_for
from inspect_kit.cli.judge import plain
from inspect_kit.cli.terminal import lang
from inspect_kit.notices import ENGLISH


def name_of(section: str, key: str) -> str:
    """A characteristic, an item, an instance."""
    return key if lang() == ENGLISH else lot_wording_for(lang()).name(section, key)


def word_of(section: str, key: str) -> str:
    """A verdict, reason or severity."""
    words = lot_wording_for(lang())
    return key if lang() == ENGLISH else plain(words.frame.get(f"{section}.{key}", key))
