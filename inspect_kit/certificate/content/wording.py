"""What a certificate says in each language, as `reports/wording/` and a sheet word it, and how it prints numbers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import date
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation, localcontext
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from inspect_kit.errors import LANGUAGES, BadInput, UsageError, nearest, notice
from inspect_kit.places import shipped
from inspect_kit.tomlfile import read_toml

THIN: Final = "\u202f"
"""Narrow no-break space: between number and unit, and between groups of three digits."""

MINUS: Final = "−"
_WIDE: Final = Context(prec=80)
"""Decimal digits of rounding: so many that only the rounding asked for takes place."""
_GROUPED_FROM: Final = 5
"""Digits before the decimal sign from which on they are set in groups of three."""


@dataclass(frozen=True, slots=True)
class RoundedValue:
    """A value and its expanded uncertainty, rounded to be printed; `None` where the uncertainty is unknown."""

    value: Decimal
    expanded: Decimal | None


def stated(value: Decimal, expanded: Decimal | None) -> RoundedValue:
    """U to two significant digits, the value to the same decimal place (GUM 7.2.6); an exact value stays as typed."""
    if not expanded:
        return RoundedValue(_unsigned_zero(value), expanded)
    shown = two_digits(expanded)
    return RoundedValue(_unsigned_zero(to_place(value, place_of(shown))), shown)


def two_digits(expanded: Decimal) -> Decimal:
    """Rounded to two significant digits. Halves go up; going down never loses more than 5 % (EA-4/02)."""
    with localcontext(_WIDE):
        place = expanded.adjusted() - 1
        shown = expanded.quantize(Decimal(1).scaleb(place), ROUND_HALF_UP)
        # 0.996 becomes 1.00, which has three digits; 1.0 is meant.
        return shown if shown.adjusted() == expanded.adjusted() else shown.quantize(Decimal(1).scaleb(place + 1))


def place_of(number: Decimal) -> int:
    """The power of ten of the last digit that is written."""
    return int(number.as_tuple().exponent)


def to_place(number: Decimal, place: int) -> Decimal:
    """Rounded to a power of ten, halves to even; zeros at the end are kept."""
    with localcontext(_WIDE):
        return number.quantize(Decimal(1).scaleb(place), ROUND_HALF_EVEN)


def _unsigned_zero(number: Decimal) -> Decimal:
    return abs(number) if number == 0 else number


def written(number: Decimal, decimal_sign: str = ".") -> str:
    """Plain digits with a real minus, groups of three from five digits on, and the language's decimal sign."""
    whole, point, fraction = f"{abs(number):f}".partition(".")
    if len(whole) >= _GROUPED_FROM:
        whole = THIN.join(_threes(whole))
    sign = MINUS if number < 0 else ""
    return f"{sign}{whole}{decimal_sign if point else ''}{fraction}"


def _threes(digits: str) -> list[str]:
    first = len(digits) % 3
    groups = [digits[start : start + 3] for start in range(first, len(digits), 3)]
    return [digits[:first], *groups] if first else groups


def number_of(text: str, *, where: str) -> Decimal:
    """A number from a record; a record with something else in its place is not one of ours."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise BadInput("expected-number-got", where=where, text=text[:40]) from None
    if not number.is_finite() or abs(number.adjusted()) > 30:
        raise BadInput("not-printable-number", where=where, text=text[:40])
    return number


# No-break spaces: a number stays with its unit, a day with its month, a short Czech word with the next.

_NO_BREAK: Final = "\u00a0"
_UNITS: Final = (
    "mm[²³]?|cm[²³]?|m²?|µm|in|ft²?|k?g|mg|s|min|W|lx|%|°|×"
    "|inch(?:es)?|degrees?|Zoll|Grad|palc[eů]|stupňů|pollic[ei]|gradi"
)
_BINDINGS: Final = (
    (re.compile("([\U0001d434-\U0001d467]) = (?=\\S)"), rf"\1{_NO_BREAK}={_NO_BREAK}"),
    (re.compile(rf"(?<=\d) (?=(?:{_UNITS})(?!\w))"), _NO_BREAK),
    (re.compile(r"(?<!\d)(\d{1,2}\.?) (?=[^\W\d]{3,} \d{4}\b)"), rf"\1{_NO_BREAK}"),
    (re.compile(r"([±×≤≥=§]|\b[Nn]r\.|\bNo\.|\bč\.|\bArt\.) (?=\d)"), rf"\1{_NO_BREAK}"),
)
"""In an equation of quantities; before a unit; between day and month; after a sign or an abbreviation."""

_CZECH: Final = (re.compile(r"(?<![^\s(„‚])([ksvzouaiKSVZOUAI]) (?=\S)"), rf"\1{_NO_BREAK}")
_CODES: Final = frozenset({
    "qr_text", "qr_words", "key", "logo", "verdict", "characteristic", "instance", "language", "document_title",
    "author", "day",
})  # fmt: skip
"""Fields that nobody sets in type."""

T = TypeVar("T")


def bound(part: T, language: str) -> T:
    """Content with its spaces bound, field by field."""
    return _bound(part, language)  # type: ignore[no-any-return]


def _bound(part: Any, language: str) -> Any:
    if isinstance(part, str):
        return bound_text(part, language)
    if isinstance(part, tuple):
        return tuple(_bound(each, language) for each in part)
    if isinstance(part, dict):
        return {key: _bound(each, language) for key, each in part.items()}
    if is_dataclass(part) and not isinstance(part, type):
        names = [field.name for field in fields(part) if field.name not in _CODES]
        return replace(part, **{name: _bound(getattr(part, name), language) for name in names})
    return part


def bound_text(text: str, language: str) -> str:
    """A text in which no line may break between what belongs together."""
    for pattern, binding in (*_BINDINGS, _CZECH) if language == "cs" else _BINDINGS:
        text = pattern.sub(binding, text)
    return text


# What a certificate says in each language: `reports/wording/<language>/` and what a sheet brings along.


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
