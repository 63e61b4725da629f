"""A number with its unit, in decimal, as people write it: `8.1 mm`, `8,1mm`, `0.81 cm`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Final

from inspect_kit.errors import BadInput

PRECISION: Final = 40
"""Digits carried in decimal arithmetic: far more than any caliper, few enough to stay fast."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of one dimension; `factor` turns a number of it into the dimension's base unit, exactly."""

    symbol: str
    base: str
    factor: Fraction

    def __str__(self) -> str:
        return self.symbol


def _units() -> dict[str, Unit]:
    inch, ounce = Fraction(254, 10), Fraction("28.349523125")
    table: tuple[tuple[str, str, Fraction | int], ...] = (
        ("mm", "mm", 1), ("cm", "mm", 10), ("m", "mm", 1000), ("um", "mm", Fraction(1, 1000)), ("in", "mm", inch),
        ("ft", "mm", 12 * inch),
        ("g", "g", 1), ("kg", "g", 1000), ("mg", "g", Fraction(1, 1000)), ("oz", "g", ounce), ("lb", "g", 16 * ounce),
        ("deg", "deg", 1), ("s", "s", 1), ("min", "s", 60), ("s/point", "s/point", 1), ("min/point", "s/point", 60),
        ("mm2", "mm2", 1), ("cm2", "mm2", 100), ("m2", "mm2", 1_000_000), ("ft2", "mm2", (12 * inch) ** 2),
        ("mm3", "mm3", 1), ("cm3", "mm3", 1000),
        ("W", "W", 1), ("lx", "lx", 1), ("count", "count", 1), ("runs", "runs", 1), ("%", "%", 1),
    )  # fmt: skip
    return {symbol: Unit(symbol, base, Fraction(factor)) for symbol, base, factor in table}


UNITS: Final = _units()
_SPELLINGS: Final = {
    "µm": "um", "μm": "um", "micron": "um", '"': "in", "inch": "in", "″": "in", "gr": "g", "gram": "g", "gramm": "g",
    "ounce": "oz", "unze": "oz", "unce": "oz", "oncia": "oz",
    "°": "deg", "sec": "s", "sek": "s", "mm²": "mm2", "cm²": "cm2", "m²": "m2", "mm³": "mm3", "cm³": "cm3",
    "pcs": "count", "pieces": "count", "stk": "count", "ks": "count", "pz": "count", "watt": "W", "w": "W",
}  # fmt: skip
EXACT_UNITS: Final = frozenset({"count", "runs"})
"""Units in which things are counted: a count has no measurement uncertainty unless one is stated."""

_NUMBER: Final = r"[+\-−]?\d{1,12}(?:[.,]\d{1,15})?(?:[eE][+\-]?\d{1,2})?"
_NUMBER_ONLY: Final = re.compile(rf"\s*({_NUMBER})\s*")
_TYPED: Final = re.compile(rf"\s*({_NUMBER})\s*([^\s\d.,;+\-−±]\S{{0,11}})?\s*")
_STRICT: Final = re.compile(r"(-?\d{1,12}(?:\.\d{1,15})?) (\S{1,12})")


def unit(symbol: str, *, where: str = "") -> Unit:
    """The unit people write as `symbol`, or an error that names the ones there are."""
    text = symbol.strip()
    if text == "Mg":
        raise BadInput("tonne-or-milligram", where=where)
    found = UNITS.get(text) or UNITS.get(_SPELLINGS.get(text, _SPELLINGS.get(text.lower(), text.lower())))
    if found is None:
        raise BadInput("unknown-unit", where=where, text=text[:20], units=", ".join(UNITS))
    return found


def parse_number(text: str, *, where: str = "") -> Decimal:
    """A decimal number with a point or a comma; never NaN, infinity or a grouping sign."""
    match = _NUMBER_ONLY.fullmatch(text)
    if match is None:
        raise BadInput("not-a-number", where=where, text=text[:40])
    return _decimal(match.group(1), where)


_FARTHEST: Final = 15
"""Powers of ten that a measured number may have: nothing on a table is larger than a million kilometres."""


def _decimal(text: str, where: str = "") -> Decimal:
    number = Decimal(text.replace(",", ".").replace("−", "-"))
    if number and not -_FARTHEST <= number.adjusted() <= _FARTHEST:
        raise BadInput("beyond-all-measure", where=where, text=text[:40])
    return number


@dataclass(frozen=True, slots=True)
class Quantity:
    """A decimal number of a unit. The digits stay as they were typed: `4.45 cm` prints as `4.45 cm`."""

    number: Decimal
    unit: Unit

    def __post_init__(self) -> None:
        if not self.number.is_finite():
            raise ValueError("a quantity is a finite number")

    def __str__(self) -> str:
        return f"{self.number:f} {self.unit}"

    def to(self, symbol: str) -> Quantity:
        """The same quantity in another unit of its dimension; exact where the decimals end."""
        target = unit(symbol)
        if target.base != self.unit.base:
            raise BadInput("not-convertible", it=self, target=target, base=self.unit.base)
        return Quantity(scaled(self.number, self.unit.factor / target.factor), target)

    @property
    def in_base(self) -> Decimal:
        """The number in the base unit of its dimension (mm, g, deg, s, …)."""
        return scaled(self.number, self.unit.factor)


def scaled(number: Decimal, factor: Fraction) -> Decimal:
    """`number · factor` with trailing zeros of the conversion taken off but none of the typed digits."""
    if factor == 1:
        return number
    with localcontext(Context(prec=PRECISION)):
        product = number * factor.numerator / factor.denominator
        tidy = product.normalize()
        return tidy.quantize(Decimal(1)) if int(tidy.as_tuple().exponent) > 0 else tidy


def parse_quantity(text: str, default: Unit | None = None, *, where: str = "") -> Quantity:
    """What a person typed; a bare number takes `default`, and without one is an error."""
    match = _TYPED.fullmatch(text.replace("\u00a0", " ").replace("\u202f", " "))
    if match is None:
        raise BadInput("not-a-quantity", where=where, text=text[:40])
    symbol = match.group(2)
    if symbol is None and default is None:
        raise BadInput("unit-missing", where=where, text=text.strip()[:40])
    found = unit(symbol, where=where) if symbol else default
    assert found is not None
    return Quantity(_decimal(match.group(1), where), found)


def parse_strict(text: str) -> Quantity:
    """The form in which sheets state limits: `<number> <unit>`, decimal point, one space."""
    match = _STRICT.fullmatch(text)
    if match is None or match.group(2) not in UNITS:
        raise BadInput("not-a-limit", text=text[:40])
    return Quantity(Decimal(match.group(1)), UNITS[match.group(2)])


def json_number(value: Decimal | None) -> float | int | None:
    """A decimal as a JSON number."""
    if value is None:
        return None
    return int(value) if value == value.to_integral_value() and abs(value) < 10**15 else float(value)
