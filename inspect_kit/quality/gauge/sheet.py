"""From a gauge study to an instrument sheet: the uncertainty that `judge` then uses for its guard band."""

from dataclasses import dataclass
from decimal import Decimal
from math import floor, log10

from inspect_kit.capture.instruments import DistributionShape, Effect, Instrument, is_instrument_id, sheet_text
from inspect_kit.errors import UsageError
from inspect_kit.quality.gauge.bias import TypeOne
from inspect_kit.quality.gauge.study import GaugeResult
from inspect_kit.values.quantity import UNITS, Quantity, Unit


@dataclass(frozen=True, slots=True)
class GaugeDescription:
    """What a study does not know about its gauge and a sheet must say."""

    id: str
    name: str
    kind: str
    resolution: Quantity
    calibration: Quantity | None = None
    """Expanded uncertainty (k = 2) from the calibration certificate, if there is one."""

    def __post_init__(self) -> None:
        if not is_instrument_id(self.id):
            raise UsageError("cannot-name-instrument", id=self.id[:40])
        for stated in (self.resolution, self.calibration):
            if stated is not None and (stated.number < 0 or stated.unit.base != self.resolution.unit.base):
                raise UsageError("does-not-go-gauge-shows", stated=stated, resolution=self.resolution)

    @property
    def unit(self) -> Unit:
        """The base unit of its readings."""
        return UNITS[self.resolution.unit.base]

    def with_effects(self, effects: tuple[Effect, ...]) -> Instrument:
        """The gauge with what the study found, in base units."""
        if self.calibration is not None:
            stated = Quantity(self.calibration.in_base, self.unit)
            effects = (Effect("calibration", stated, coverage=Decimal(2), shared=True), *effects)
        resolution = Quantity(self.resolution.in_base, self.unit)
        return Instrument(self.id, _printable(self.name), _printable(self.kind), resolution, effects)


def effects_of_study(result: GaugeResult, unit: Unit) -> tuple[Effect, ...]:
    """Repeatability, operators and interaction: what a single reading by any of the operators scatters with."""
    named = (
        ("repeatability", "ev", result.ev),
        ("operators", "av", result.av),
        ("operator × part", "interaction", result.interaction),
    )
    return tuple(
        Effect(source, _size(size, unit), dof=Decimal(f"{result.dof.get(key, 0):.6g}") or None)
        for source, key, size in named if size > 0
    )  # fmt: skip


def effects_of_type_one(result: TypeOne, unit: Unit) -> tuple[Effect, ...]:
    """Repeatability on one part, and the bias as an effect that nobody corrects."""
    found = []
    if result.deviation > 0:
        found.append(Effect("repeatability", _size(result.deviation, unit), dof=Decimal(result.count - 1)))
    if result.bias:
        bias = _size(abs(result.bias), unit)
        found.append(Effect("bias, not corrected", bias, DistributionShape.RECTANGULAR, shared=True))
    return tuple(found)


def study_sheet(gauge: Instrument, about: str) -> str:
    """The sheet as TOML, with a remark where it comes from."""
    remark = "A gauge study does not see what all its readings have in common: state the calibration as well."
    return f"# {_printable(about)}\n# {remark}\n\n{sheet_text(gauge)}"


def _size(size: float, unit: Unit) -> Quantity:
    """Four significant digits, written out: sheets have no exponents."""
    places = min(15, max(0, 3 - floor(log10(size))))
    return Quantity(Decimal(f"{size:.{places}f}"), unit)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)[:300]
