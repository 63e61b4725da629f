"""What a certificate says in each language: `reports/wording/<language>/` and what a sheet brings along."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from inspect_kit.certificate.content.numbers import THIN, written
from inspect_kit.errors import LANGUAGES, BadInput, UsageError, nearest, notice
from inspect_kit.places import shipped
from inspect_kit.tomlfile import read_toml

_UNSPACED: Final = frozenset({"°"})
"""Units that stand at the number without a space."""

_DECIMAL_POINT: Final = re.compile(r"(?<=\d)\.(?=\d)")
_PIECE: Final = re.compile(r"(w|b|white|black)[-_ ]?(\d{1,3})")
_PIECES: Final = {"w": "white", "b": "black"}
"""How pieces of a set are marked in files."""

Words = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Wording:
    """One language. `own` is what the record's sheet brought along; it goes before everything shipped."""

    language: str
    frame: Words
    names: Mapping[str, Words]
    sentences: Words
    own: Words = field(default_factory=dict)

    def say(self, key: str, /, **values: object) -> str:
        """A fixed text of the certificate, with its gaps filled."""
        return self.frame[key].format_map(values)

    def name(self, section: str, key: str, fallback: str = "") -> str:
        """A name from the sheet's own wording, else from the shipped ones, else the fallback, else the key."""
        found = self.own.get(key) or self.names.get(section, {}).get(key)
        return found or (self.sentence(fallback) if fallback else key)

    def sentence(self, text: str) -> str:
        """A sentence of a sheet; one that nobody has translated stays in English."""
        return self.own.get(text) or self.sentences.get(text) or text

    def instance(self, code: str) -> str:
        """Where or which piece: `n.w` and `b7` in words, as letters mean other colours elsewhere; else as it is."""
        piece = _PIECE.fullmatch(code)
        if piece:
            return self.say(f"piece.{_PIECES[piece[1][0]]}", number=piece[2])
        return self.names.get("instance", {}).get(code) or self.frame.get(f"piece.{code}", code)

    def number(self, number: Decimal) -> str:
        """Digits with the language's decimal sign."""
        return written(number, self.frame["number.decimal"])

    def localised(self, text: str) -> str:
        """A text of numbers with the language's decimal sign."""
        return _DECIMAL_POINT.sub(self.frame["number.decimal"], text)

    def unit(self, symbol: str) -> str:
        """The unit as printed; empty for things that are counted."""
        return self.names.get("unit", {}).get(symbol, symbol)

    def quantity(self, number: str, symbol: str) -> str:
        """A number with its unit, a narrow space between them."""
        unit = self._form(number, symbol) or self.unit(symbol)
        return f"{number}{'' if unit in _UNSPACED or not unit else THIN}{unit}"

    def _form(self, number: str, symbol: str) -> str:
        """A counted unit in the grammatical number it stands in: 1 run, 4 přejezdy."""
        form = {"1": "one", "2": "few", "3": "few", "4": "few"}.get(number, "many")
        return self.names.get("plural", {}).get(f"{symbol}.{form}", "")

    def day(self, iso: str, *, where: str = "date") -> str:
        """A date in words: 16 November 2026."""
        try:
            day = date.fromisoformat(iso)
        except ValueError:
            raise BadInput("not-a-date", where=where, iso=iso[:40]) from None
        return self.say("date.pattern", day=day.day, month=self.frame[f"month.{day.month}"], year=day.year)


def wording_for(language: str, own: Mapping[str, Words] | None = None) -> Wording:
    """The wording of a language, with what a sheet brought along for it."""
    if language not in LANGUAGES:
        hint = nearest(language, LANGUAGES) or notice("there-are", names=", ".join(LANGUAGES))
        raise UsageError("certificates-not-worded", hint=hint, language=language[:20])
    frame, names, sentences = _shipped(language)
    return Wording(language, frame, names, sentences, (own or {}).get(language, {}))


@cache
def _shipped(language: str) -> tuple[Words, Mapping[str, Words], Words]:
    folder = shipped("reports") / "wording" / language
    names = {section: _texts(table) for section, table in read_toml(folder / "names.toml").items()}
    names["characteristic"] = {**names.get("characteristic", {}), **_optional(folder / "characteristics.toml")}
    return _flat(read_toml(folder / "frame.toml")), names, _optional(folder / "sentences.toml")


def _optional(path: Path) -> dict[str, str]:
    return _texts(read_toml(path)) if path.is_file() else {}


def _flat(tables: Mapping[str, object]) -> dict[str, str]:
    """`[verdict] fails = …` becomes `verdict.fails`."""
    return {f"{section}.{key}": text for section, table in tables.items() for key, text in _texts(table).items()}


def _texts(table: object) -> dict[str, str]:
    return {key: str(value) for key, value in table.items()} if isinstance(table, dict) else {}


# What the check-in desk says in each language: `reports/wording/<language>/station.toml`.


@cache
def station_words(language: str) -> Mapping[str, str]:
    """Every text by section and key: `desk.player`."""
    return _flat(read_toml(shipped("reports") / "wording" / language / "station.toml"))


# What a lot certificate says: `reports/wording/<language>/lot.toml`, laid over the wording of every certificate.


def lot_wording_for(language: str, own: Mapping[str, Words] | None = None) -> Wording:
    """The wording of a language for lots."""
    words = wording_for(language, own)
    return replace(words, frame={**words.frame, **lot_words(language)})


@cache
def lot_words(language: str) -> Words:
    """The texts for lots alone: `[figure] point = …` is `figure.point`."""
    return _flat(read_toml(shipped("reports") / "wording" / language / "lot.toml"))


def figure(number: float, digits: int, words: Wording) -> str:
    """A number that was calculated, to so many significant digits and without an exponent."""
    return words.number(Decimal(f"{Decimal(f'{number:.{digits - 1}e}'):f}"))


def fixed(number: float, places: int, words: Wording) -> str:
    """A number with so many decimal places."""
    return words.number(Decimal(f"{number:.{places}f}"))
