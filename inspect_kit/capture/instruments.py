"""Gauges and scales as data sheets: resolution, uncertainty, and until when they are calibrated."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from inspect_kit.errors import BadInput, BadSheet, Fault, Notice, UsageError, nearest, notice
from inspect_kit.places import shipped
from inspect_kit.tomlfile import TomlTable, read_toml
from inspect_kit.values.quantity import Quantity, parse_strict

FORMAT: Final = 1
"""Version of an instrument's sheet; another one is refused."""
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class DistributionShape(StrEnum):
    """How an effect is distributed within the half-width that is stated for it."""

    NORMAL = "normal"
    RECTANGULAR = "rectangular"
    TRIANGULAR = "triangular"
    ARCSINE = "arcsine"

    @property
    def square(self) -> int:
        """(Half-width ÷ standard deviation)², GUM 4.3.7, 4.3.9 and H.1.3.3."""
        return {"normal": 1, "rectangular": 3, "triangular": 6, "arcsine": 2}[self.value]


@dataclass(frozen=True, slots=True)
class Effect:
    """One source of uncertainty of an instrument.

    `size` is a standard uncertainty for a normal effect with `coverage` 1, an expanded one with its factor, or a
    half-width for the other shapes. `relative` grows with the value (mm per mm). A `shared` effect is the same in
    every reading taken with this instrument, such as a scale error, and cancels in differences.
    """

    source: str
    size: Quantity
    shape: DistributionShape = DistributionShape.NORMAL
    coverage: Decimal = Decimal(1)
    relative: Decimal = Decimal(0)
    dof: Decimal | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Instrument:
    """One gauge: what it is, how good it is, and until when that is known."""

    id: str
    name: str
    kind: str
    resolution: Quantity
    effects: tuple[Effect, ...] = ()
    maker: str = ""
    serial: str = ""
    lower: Quantity | None = None
    upper: Quantity | None = None
    calibrated_until: date | None = None
    calibration: str = ""
    auxiliary_digit: bool = False
    """Whether a last digit that the display sets off (`123.5[6]`, `12.3/4`) is part of the value."""

    def expired(self, on: date) -> bool:
        """Whether the calibration had run out on that day; one without a date never does."""
        return self.calibrated_until is not None and on > self.calibrated_until

    def reads(self, value: Quantity) -> bool:
        """Whether such a value lies within its range."""
        low, high = (bound.in_base if bound else value.in_base for bound in (self.lower, self.upper))
        return self.resolution.unit.base == value.unit.base and low <= value.in_base <= high

    def calibration_notice(self, on: date) -> Notice | None:
        """What a reader of that day's readings should know of the calibration."""
        until = self.calibrated_until
        if until is None:
            return notice("gauge-undated", gauge=self.id)
        return notice("gauge-expired", gauge=self.id, day=until.isoformat()) if on > until else None


def is_instrument_id(name: str) -> bool:
    """Whether a name can be that of an instrument and of its files."""
    return _ID.fullmatch(name) is not None


def checked_id(instrument: str) -> str:
    """The name, if it can be that of an instrument."""
    if not is_instrument_id(instrument):
        raise UsageError("not-name-instrument", instrument=instrument[:60])
    return instrument


def read_instrument(path: Path) -> Instrument:
    """One instrument sheet; raises `BadSheet` with every fault of it."""
    faults: list[Fault] = []
    root = TomlTable(read_toml(path), f"{path}: ", faults)
    instrument = _instrument(root, path)
    root.done()
    if faults or instrument is None:
        raise BadSheet(tuple(faults))
    return instrument


def _instrument(root: TomlTable, path: Path) -> Instrument | None:
    stated = root.either("format")
    if stated != FORMAT:
        root.fault("format", "expected-instead", format=FORMAT, stated=f"{stated!r:.40}")
    name = root.text("id")
    if name and (not is_instrument_id(name) or name != path.stem):
        root.fault("id", "id-not-file-name", name=name[:40], stem=path.stem)
    resolution = root.parsed("resolution", parse_strict)
    if resolution is None and "resolution" in root.missing:
        root.fault("resolution", "resolution-missing")
    if resolution is not None and resolution.number <= 0:
        root.fault("resolution", "resolution-not-positive")
    span = root.table("range")
    effects = tuple(effect for table in root.tables("uncertainty") if (effect := _effect(table)))
    instrument = Instrument(
        id=name,
        name=root.text("name"),
        kind=root.text("kind"),
        resolution=resolution or Quantity(Decimal(0), parse_strict("0 mm").unit),
        effects=effects,
        maker=root.text("maker", ""),
        serial=root.text("serial", ""),
        lower=span.parsed("lower", parse_strict),
        upper=span.parsed("upper", parse_strict),
        calibrated_until=root.day("calibrated_until"),
        calibration=root.text("calibration", ""),
        auxiliary_digit=root.flag("auxiliary_digit", False),
    )
    span.done()
    _check_units(root, instrument)
    return instrument


def _check_units(root: TomlTable, instrument: Instrument) -> None:
    base = instrument.resolution.unit.base
    stated = [effect.size for effect in instrument.effects] + [
        bound for bound in (instrument.lower, instrument.upper) if bound
    ]
    for quantity in stated:
        if quantity.unit.base != base:
            root.fault("resolution", "unit-unlike-resolution", quantity=quantity, base=base)


def _effect(table: TomlTable) -> Effect | None:
    forms = {
        key: table.parsed(key, parse_strict) for key in ("standard", "expanded", "half_width") if key in table.left()
    }
    effect = None
    if len(forms) != 1:
        table.fault("", "expected-one-standard-expanded-half")
    else:
        ((form, size),) = forms.items()
        effect = _sized(table, form, size)
    table.done()
    return effect


def _sized(table: TomlTable, form: str, size: Quantity | None) -> Effect | None:
    source = table.text("source")
    coverage = table.decimal("coverage", Decimal(2 if form == "expanded" else 1))
    shape = DistributionShape.NORMAL
    if form == "half_width":
        shape = table.word("shape", DistributionShape, DistributionShape.RECTANGULAR, optional=True)
    relative = table.decimal("relative", Decimal(0))
    dof = table.decimal("dof", Decimal(0))
    shared = table.flag("shared", False)
    if size is not None and (size.number < 0 or coverage <= 0 or relative < 0 or dof < 0):
        table.fault("", "uncertainty-not-negative")
        return None
    return Effect(source, size, shape, coverage, relative, dof or None, shared) if size else None


def load_instruments(wanted: Iterable[str], folders: Iterable[Path] = ()) -> Mapping[str, Instrument]:
    """The sheets of the instruments that readings name; one's own folders come before the shipped ones."""
    places = (*folders, shipped("specs") / "instruments")
    return {name: _find(name, places) for name in dict.fromkeys(wanted)}


@cache
def usual_gauges() -> tuple[Instrument, ...]:
    """The gauges that are shipped, as kinds."""
    folder = shipped("specs") / "instruments"
    return tuple(load_instruments(instrument_ids((folder,))).values())


def _find(name: str, places: tuple[Path, ...]) -> Instrument:
    if is_instrument_id(name):
        for folder in places:
            path = folder / f"{name}.toml"
            if path.is_file():
                state = path.stat()
                return _as_it_was(path, (state.st_mtime_ns, state.st_size, state.st_ino))
    known = instrument_ids(places)
    hint = nearest(name, known) or notice("write-a-sheet", names=", ".join(known))
    raise BadInput("no-instrument-called", hint=hint, name=name[:60])


@lru_cache(maxsize=256)
def _as_it_was(path: Path, _: tuple[int, int, int]) -> Instrument:
    """A desk asks for the same few sheets again and again: each is read anew only after its file was changed."""
    return read_instrument(path)


def instrument_ids(places: Iterable[Path]) -> tuple[str, ...]:
    """The names of all instrument sheets in these folders; learned dialects lie there too."""
    paths = (path for folder in places if folder.is_dir() for path in folder.glob("*.toml"))
    return tuple(sorted({path.stem for path in paths if not path.name.endswith(".dialect.toml")}))


# Writing an instrument's sheet: the text that `read_instrument` reads back as the same instrument.


def sheet_text(instrument: Instrument) -> str:
    """The sheet as TOML."""
    return "\n".join(
        (*_head(instrument), *(line for effect in instrument.effects for line in _effect_lines(effect)), "")
    )


def _head(instrument: Instrument) -> Iterator[str]:
    yield f"format = {FORMAT}"
    for key in ("id", "name", "kind", "maker", "serial"):
        if getattr(instrument, key):
            yield f"{key} = {_text(getattr(instrument, key), key)}"
    yield f'resolution = "{instrument.resolution}"'
    bounds = [(key, bound) for key, bound in (("lower", instrument.lower), ("upper", instrument.upper)) if bound]
    if bounds:
        yield "range = { " + ", ".join(f'{key} = "{bound}"' for key, bound in bounds) + " }"
    if instrument.calibrated_until:
        yield f"calibrated_until = {instrument.calibrated_until.isoformat()}"
    if instrument.calibration:
        yield f"calibration = {_text(instrument.calibration, 'calibration')}"
    if instrument.auxiliary_digit:
        yield "auxiliary_digit = true"


def _effect_lines(effect: Effect) -> Iterator[str]:
    yield ""
    yield "[[uncertainty]]"
    yield f"source = {_text(effect.source, 'source')}"
    if effect.shape is not DistributionShape.NORMAL:
        yield f'half_width = "{effect.size}"'
        yield f'shape = "{effect.shape.value}"'
    elif effect.coverage != 1:
        yield f'expanded = "{effect.size}"'
        yield f"coverage = {effect.coverage:f}"
    else:
        yield f'standard = "{effect.size}"'
    if effect.relative:
        yield f'relative = "{effect.relative:f}"'
    if effect.dof is not None:
        yield f'dof = "{Decimal(effect.dof):f}"'
    if effect.shared:
        yield "shared = true"


def _text(text: str, key: str) -> str:
    """A TOML string; JSON writes the same escapes, apart from signs that nobody types."""
    import json

    if not text.isprintable():
        raise BadInput("sign-cannot-printed", where=key)
    return json.dumps(text, ensure_ascii=False)


def checked_sheet(instrument: Instrument) -> str:
    """The sheet's text, read back once: what cannot be read again is refused with every fault."""
    import tempfile

    text = sheet_text(instrument)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{checked_id(instrument.id)}.toml"
        path.write_text(text, encoding="utf-8")
        try:
            read_instrument(path)
        except BadSheet as problem:
            named = (replace(fault, where=fault.where.replace(str(path), instrument.id)) for fault in problem.faults)
            raise BadSheet(tuple(named)) from None
    return text
