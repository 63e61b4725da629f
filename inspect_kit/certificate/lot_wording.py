"""What a lot certificate says: `reports/wording/<language>/lot.toml`, laid over the wording of every certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache

from inspect_kit.certificate.wording import Wording, Words, wording_for
from inspect_kit.places import shipped
from inspect_kit.tomlfile import read_toml


def lot_wording_for(language: str, own: Mapping[str, Words] | None = None) -> Wording:
    """The wording of a language for lots."""
    words = wording_for(language, own)
    return replace(words, frame={**words.frame, **lot_words(language)})


@cache
def lot_words(language: str) -> Words:
    """The texts for lots alone: `[figure] lower = …` is `figure.lower`."""
    tables = read_toml(shipped("reports") / "wording" / language / "lot.toml")
    return {
        f"{section}.{key}": str(text)
        for section, table in tables.items()
        if isinstance(table, dict)
        for key, text in table.items()
    }


def figure(number: float, digits: int, words: Wording) -> str:
    """A number that was calculated, to so many significant digits and without an exponent."""
    return words.number(Decimal(f"{Decimal(f'{number:.{digits - 1}e}'):f}"))


def fixed(number: float, places: int, words: Wording) -> str:
    """A number with so many decimal places."""
    return words.number(Decimal(f"{number:.{places}f}"))
