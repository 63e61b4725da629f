"""Where a value of a thing usually lies, far wider than any limit: outside it, a slip of the pen is likelier."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from inspect_kit.values.quantity import UNITS, Quantity

_ELSEWHERE: Final = ("mm", "cm", "m", "in", "g", "kg", "mg", "s", "min", "s/point", "min/point", "mm3", "cm3")
"""The units people think in while they type a bare number, the likeliest first."""

_SHIFTS: Final = (10, 100, 1000)
"""By how much a lost or doubled digit, or a decimal point in the wrong place, is out."""


@dataclass(frozen=True, slots=True)
class Plausible:
    """The range outside which a value has to be looked at again, and why it is drawn so."""

    lower: Quantity
    upper: Quantity
    because: str = ""

    def __post_init__(self) -> None:
        if self.lower.unit.base != self.upper.unit.base:
            raise ValueError(f"the units of {self.lower} and {self.upper} do not go together")
        if self.lower.in_base >= self.upper.in_base:
            raise ValueError(f"{self.lower} is not below {self.upper}")

    def holds(self, value: Decimal) -> bool:
        """Whether a value in the base unit lies inside."""
        return self.lower.in_base <= value <= self.upper.in_base

    def __str__(self) -> str:
        return f"{self.lower} – {self.upper}"


def likely_meant(stated: Quantity, usual: Plausible) -> tuple[Quantity, bool] | None:
    """What was probably meant, and whether it is the same number in another unit."""
    for symbol in _ELSEWHERE:
        meant = Quantity(stated.number, UNITS[symbol])
        if meant.unit.base == stated.unit.base and symbol != stated.unit.symbol and usual.holds(meant.in_base):
            return meant, True
    for shift in _SHIFTS:
        for number in (stated.number * shift, stated.number / shift):
            meant = Quantity(Decimal(f"{number.normalize():f}"), stated.unit)
            if usual.holds(meant.in_base):
                return meant, False
    return None
