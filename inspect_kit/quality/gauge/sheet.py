"""From a gauge study to an instrument sheet: the uncertainty that `judge` then uses for its guard band."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log10

from inspect_kit.errors import UsageError
from inspect_kit.quality.gauge.bias import TypeOne
from inspect_kit.quality.gauge.study import GaugeResult
from inspect_kit.values.quantity import Quantity

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


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
        if not _ID.fullmatch(self.id):
            raise UsageError("cannot-name-instrument", id=self.id[:40])
        for stated in (self.resolution, self.calibration):
            if stated is not None and (stated.number < 0 or stated.unit.base != self.resolution.unit.base):
                raise UsageError("does-not-go-gauge-shows", stated=stated, resolution=self.resolution)


@dataclass(frozen=True, slots=True)
class GaugeComponent:
    """One entry of the sheet: a standard deviation with its degrees of freedom, or limits of an effect."""

    source: str
    form: str
    size: float
    dof: float | None = None
    shared: bool = False


def components_of_study(result: GaugeResult) -> tuple[GaugeComponent, ...]:
    """Repeatability, operators and interaction: what a single reading by any of the operators scatters with."""
    named = (
        ("repeatability", "ev", result.ev),
        ("operators", "av", result.av),
        ("operator × part", "interaction", result.interaction),
    )
    return tuple(
        GaugeComponent(source, "standard", size, result.dof.get(key)) for source, key, size in named if size > 0
    )


def components_of_type_one(result: TypeOne) -> tuple[GaugeComponent, ...]:
    """Repeatability on one part, and the bias as an effect that nobody corrects."""
    found = [GaugeComponent("repeatability", "standard", result.deviation, result.count - 1)]
    if result.bias:
        found.append(GaugeComponent("bias, not corrected", "half_width", abs(result.bias), shared=True))
    return tuple(component for component in found if component.size > 0)


def sheet_text(gauge: GaugeDescription, components: Iterable[GaugeComponent], about: str) -> str:
    """The instrument sheet as TOML, in base units."""
    base = gauge.resolution.unit.base
    lines = [
        f"# {_plain(about)}",
        "# A gauge study does not see what all its readings have in common: state the calibration as well.",
        "",
        "format = 1",
        f'id = "{gauge.id}"',
        f"name = {_quoted(gauge.name)}",
        f"kind = {_quoted(gauge.kind)}",
        f'resolution = "{gauge.resolution.in_base:f} {base}"',
    ]
    if gauge.calibration is not None:
        lines += _entry(
            "calibration", f'expanded = "{gauge.calibration.in_base:f} {base}"', "coverage = 2", "shared = true"
        )
    for component in components:
        extra = [f"dof = {component.dof:.6g}"] if component.dof else []
        extra += ["shared = true"] if component.shared else []
        lines += _entry(component.source, f'{component.form} = "{_digits(component.size)} {base}"', *extra)
    return "\n".join(lines) + "\n"


def _entry(source: str, *lines: str) -> list[str]:
    return ["", "[[uncertainty]]", f"source = {_quoted(source)}", *lines]


def _digits(size: float) -> str:
    """Four significant digits, written out: sheets have no exponents."""
    places = min(15, max(0, 3 - floor(log10(size))))
    return f"{size:.{places}f}"


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)[:300]


def _quoted(text: str) -> str:
    safe = _plain(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"'
