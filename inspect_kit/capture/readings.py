"""One reading of an instrument: the value in g or mm with every digit it sent, and the line it came in as evidence."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Context, Decimal, localcontext
from typing import Final

from inspect_kit.errors import BadInput

_EXACT: Final = Context(prec=80)
"""Decimal digits of a conversion: so many that nothing an instrument can send is rounded."""
_POWERS: Final = {"g": ("g", 0), "kg": ("g", 3), "mg": ("g", -3), "mm": ("mm", 0)}
"""The base unit of each metric unit, and the power of ten between them."""
_FACTORS: Final = {
    "oz": ("g", Decimal("28.349523125")),
    "ct": ("g", Decimal("0.2")),
    "GN": ("g", Decimal("0.06479891")),
    "in": ("mm", Decimal("25.4")),
}
"""By definition exact: international avoirdupois ounce and grain, metric carat, inch."""


@dataclass(frozen=True, slots=True)
class InstrumentReading:
    """A stable value with a known unit. `raw` is the line with the value as received, without its line end."""

    value: str
    unit: str
    raw: str
    protocol: str
    time: datetime
    instrument: str | None = None
    serial: str | None = None
    battery: str | None = None
    next_calibration: str | None = None
    stable: bool = True
    auxiliary: str = ""
    """A last digit that the scale set off as not verified; in `value` only where the instrument's sheet says so."""

    def as_data(self) -> dict[str, object]:
        """The form that scripts rely on."""
        data: dict[str, object] = {
            "value": self.value, "unit": self.unit, "stable": self.stable, "raw": self.raw, "protocol": self.protocol,
            "serial": self.serial, "instrument": self.instrument, "time": self.time.isoformat(timespec="milliseconds"),
        }  # fmt: skip
        if self.auxiliary:
            data["auxiliary"] = self.auxiliary
        if self.protocol == "sylvac":
            data |= {"battery": self.battery, "next_calibration": self.next_calibration}
        return data

    def is_anothers(self, serial: str) -> bool:
        """Whether this came from another instrument than the one whose sheet has that serial number."""
        return bool(serial) and self.serial is not None and self.serial.strip() != serial.strip()


def in_base(number: str, unit: str) -> tuple[str, str]:
    """The number in g or mm, exactly, and that unit; an unknown unit is an error and never guessed."""
    value = Decimal(number)
    if unit in _POWERS:
        base, power = _POWERS[unit]
        return f"{value.scaleb(power, _EXACT):f}", base
    if unit in _FACTORS:
        base, factor = _FACTORS[unit]
        return f"{_converted(value, factor):f}", base
    known = ", ".join((*_POWERS, *_FACTORS))
    raise BadInput("unit-not-known" if unit else "no-unit-stated", unit=unit[:10], known=known)


def _converted(value: Decimal, factor: Decimal) -> Decimal:
    """The exact product, without zeros at its end that were not sent."""
    sent = int(value.as_tuple().exponent)
    with localcontext(_EXACT):
        product = value * factor
        while int(product.as_tuple().exponent) < sent and product.as_tuple().digits[-1] == 0:
            product = product.quantize(Decimal(1).scaleb(int(product.as_tuple().exponent) + 1))
        return product
