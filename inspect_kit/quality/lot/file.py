"""Lots as files: one row a piece (wide), one row a reading (long), a measurement file, or what `batch` wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Final

from inspect_kit.capture.files import read_text
from inspect_kit.capture.measurement_file import MeasurementFile, Photo, read_measurements
from inspect_kit.errors import BadInput
from inspect_kit.nearest import nearest
from inspect_kit.notices import Notice, notice, sentences
from inspect_kit.quality.batch.lines import begins_as_batch, measured_photos, tray_names
from inspect_kit.quality.table import Table, table_from
from inspect_kit.values.measurement import Reading

PIECE_COLUMNS: Final = ("piece", "instance", "serial", "part", "id")
_HEAD: Final = re.compile(r"([^\s\[(]+)\s*[\[(]\s*([^\])]{1,12}?)\s*[\])]")
"""A header that states the unit: `coin.diameter [mm]`."""
_MOST_WARNINGS: Final = 20


@dataclass(frozen=True)
class LotFile:
    """The pieces of a lot in order of making, and their readings by characteristic; what is missing is `None`."""

    where: str
    pieces: tuple[str, ...]
    readings: Mapping[str, tuple[Reading | None, ...]]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Every further column, one cell a piece: subgroups, machines, times."""
    photos: tuple[Photo, ...] = ()
    warnings: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    def group_of(self, column: str) -> tuple[str, ...]:
        """A column that tells which pieces were made together."""
        found = self.groups.get(column.strip().lower())
        if found is None or not all(found):
            why = f'has no column "{column[:40]}"' if found is None else f'the column "{column[:40]}" has empty cells'
            raise BadInput(why, where=self.where, hint=nearest(column, self.groups))
        return found


@dataclass(frozen=True, slots=True)
class WantedCharacteristics:
    """Which characteristics to take from a file: all of these, or those of them that it has."""

    names: tuple[str, ...]
    needed: bool = True

    def present(self, found: Mapping[str, object], there: Iterable[str], where: str) -> tuple[str, ...]:
        """The names that were found; one that is needed and missing is an error, and so is none at all."""
        kept = tuple(name for name in self.names if found.get(name))
        if kept and (len(kept) == len(self.names) or not self.needed):
            return kept
        missing = next(name for name in self.names if name not in kept)
        names = dict.fromkeys(there)
        hint = nearest(missing, names) or (f"it has {', '.join(names)[:120]}" if names else "it has none at all")
        raise BadInput(
            f"has no reading of {missing if self.needed else 'what the sheet limits'}", where=where, hint=hint
        )


def read_lot(path: Path, wanted: WantedCharacteristics) -> LotFile:
    """The lot in a file; which form it has is told by its content."""
    if begins_as_batch(path):
        return _from_batch(path, wanted)
    text = read_text(path)
    if text.lstrip()[:1] in ("{", "["):
        return _from_readings(read_measurements(path), str(path), wanted)
    return _from_table(table_from(text, str(path)), wanted)


def _from_batch(path: Path, wanted: WantedCharacteristics) -> LotFile:
    """One tray a photo: piece 3 of IMG_7.jpg is `IMG_7 3`."""
    readings: list[Reading] = []
    photos: list[Photo] = []
    told: list[Notice] = []
    written: list[str] = []
    trays = tray_names(name for name, _ in measured_photos(path))
    for name, found in measured_photos(path):
        if isinstance(found, str):
            told.append(notice("photo-not-measured", name, reason=found))
            continue
        readings += (on_tray(reading, trays[name]) for reading in found.readings)
        photos += found.photos
        told += (replace(each, where=f"{name}: {each.where}" if each.where else name) for each in found.notices)
        known = set(sentences(found.notices))
        written += (f"{name}: {warning}" for warning in found.warnings if warning not in known)
    more = len(told) + len(written) - _MOST_WARNINGS
    if more > 0:
        told[_MOST_WARNINGS:] = [notice("more-remarks", count=more, file=path)]
        written[max(_MOST_WARNINGS - len(told) + 1, 0) :] = []
    file = MeasurementFile(tuple(readings), tuple(photos), (*written, *sentences(told)), tuple(told))
    return _from_readings(file, str(path), wanted)


def on_tray(reading: Reading, tray: str) -> Reading:
    """A reading under a name that holds for the whole lot."""
    return replace(reading, instance=f"{tray} {reading.instance}".strip())


def _from_readings(file: MeasurementFile, where: str, wanted: WantedCharacteristics) -> LotFile:
    """One reading at a time: pieces in the order in which they first appear."""
    chosen = [reading for reading in file.readings if reading.characteristic in wanted.names]
    by_name = {
        name: _numbered(list(readings), where) for name, readings in groupby(sorted(chosen, key=_name_of), key=_name_of)
    }
    names = wanted.present(by_name, (reading.characteristic for reading in file.readings), where)
    pieces = tuple(dict.fromkeys(piece for name in names for piece in by_name[name]))
    columns = {name: tuple(by_name[name].get(piece) for piece in pieces) for name in names}
    return LotFile(where, pieces, columns, photos=file.photos, warnings=file.warnings, notices=file.notices)


def _name_of(reading: Reading) -> str:
    return reading.characteristic


def _numbered(readings: list[Reading], where: str) -> dict[str, Reading]:
    """Readings by piece; if no reading names its piece, they are numbered."""
    if not any(reading.instance for reading in readings):
        return {str(number): replace(reading, instance=str(number)) for number, reading in enumerate(readings, 1)}
    found: dict[str, Reading] = {}
    for reading in readings:
        if not reading.instance:
            raise BadInput(f"a reading of {reading.characteristic} names no piece", where=reading.where or where)
        if found.setdefault(reading.instance, reading) is not reading:
            raise BadInput(
                f"piece {reading.instance[:40]} has {reading.characteristic} twice", where=reading.where or where
            )
    return found


# Tables


def _from_table(table: Table, wanted: WantedCharacteristics) -> LotFile:
    if table.has("characteristic"):
        file = MeasurementFile(tuple(_long_rows(table)))
        return _with_groups(_from_readings(file, table.where, wanted), table)
    return _wide(table, wanted)


def _long_rows(table: Table) -> Iterator[Reading]:
    names, values = table.texts("characteristic"), table.columns.get("value") or table.texts("value")
    more = {key: _cells(table, key) for key in ("unit", "u", "instrument")}
    pieces = _pieces(table) or ("",) * len(table)
    for row, (name, value) in enumerate(zip(names, values, strict=True)):
        if value:
            yield Reading(
                name, value, pieces[row], more["unit"][row], more["u"][row], more["instrument"][row],
                where=f"{table.where}: line {table.lines[row]}",
            )  # fmt: skip


def _cells(table: Table, name: str) -> tuple[str, ...]:
    return table.columns.get(name) or ("",) * len(table)


def _pieces(table: Table) -> tuple[str, ...]:
    column = next((name for name in PIECE_COLUMNS if table.has(name)), None)
    return table.columns[column] if column else ()


def _with_groups(lot: LotFile, table: Table) -> LotFile:
    """Further columns of a long table, by the first row of each piece."""
    labels = _pieces(table)
    if not labels or not all(labels):
        return lot
    first = {label: row for row, label in reversed(list(enumerate(labels)))}
    rows = [first[piece] for piece in lot.pieces]
    groups = {name: tuple(cells[row] for row in rows) for name, cells in table.columns.items()}
    return replace(lot, groups=groups)


def _wide(table: Table, wanted: WantedCharacteristics) -> LotFile:
    heads = {_HEAD.sub(r"\1", name): (name, _unit_of(name)) for name in table.columns}
    if len(heads) < len(table.columns):
        raise BadInput("a characteristic stands twice in the header, in two units", where=f"{table.where}: line 1")
    if "value" in heads and len(wanted.names) == 1 and wanted.names[0] not in heads:
        heads[wanted.names[0]] = heads["value"]
    names = wanted.present(heads, heads, table.where)
    pieces = _named_pieces(table)
    readings = {name: tuple(_column(table, pieces, name, *heads[name])) for name in names}
    return LotFile(table.where, pieces, readings, table.columns)


def _unit_of(name: str) -> str:
    match = _HEAD.fullmatch(name)
    return match.group(2) if match else ""


def _named_pieces(table: Table) -> tuple[str, ...]:
    labels = _pieces(table)
    if not labels:
        return tuple(str(number) for number in range(1, len(table) + 1))
    seen: dict[str, int] = {}
    for label, line in zip(labels, table.lines, strict=True):
        if not label or seen.setdefault(label, line) != line:
            why = f"piece {label[:40]} stands here and in line {seen[label]}" if label else "the piece has no name"
            raise BadInput(why, where=f"{table.where}: line {line}")
    return labels


def _column(
    table: Table, pieces: tuple[str, ...], characteristic: str, head: str, unit: str
) -> Iterator[Reading | None]:
    """One column of a wide table; `u`, `unit` and `instrument` may stand beside it for all, or as `NAME.u` for one."""
    values = table.columns[head]
    more = {
        key: table.columns.get(f"{characteristic}.{key}") or _cells(table, key) for key in ("unit", "u", "instrument")
    }
    for row, value in enumerate(values):
        yield None if not value else Reading(
            characteristic, value, pieces[row], unit or more["unit"][row], more["u"][row], more["instrument"][row],
            where=f"{table.where}: line {table.lines[row]}",
        )  # fmt: skip
