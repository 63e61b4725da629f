"""Numbers as a certificate prints them: rounded by the rules of the GUM, with the signs of the language."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation, localcontext
from typing import Any, Final, TypeVar

from inspect_kit.errors import BadInput

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
