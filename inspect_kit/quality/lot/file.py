"""Lots as files: one row a piece (wide), one row a reading (long), a measurement file, or what `batch` wrote."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from inspect_kit.capture.files import read_text
from inspect_kit.capture.measurement_file import MeasurementFile, Photo, read_measurements
from inspect_kit.errors import BadInput, Notice, nearest, notice, sentences
from inspect_kit.inspection.walk import refuse_seen_twice
from inspect_kit.quality.batch.lines import NOT_MEASURED, begins_as_batch, measured_photos, natural, tray_names
from inspect_kit.quality.table import STAR, Table, opened, read_table
from inspect_kit.values.measurement import Component, Reading, combined
from inspect_kit.values.quantity import parse_number
from inspect_kit.values.words import piece_key

PIECE_COLUMNS: Final = ("piece", "instance", "serial", "part", "id")
ORDER_COLUMNS: Final = ("time", "made", "order", "sequence", "date")
"""Columns that tell in which order pieces were made."""
DEFECT_COLUMNS: Final = ("defect", "defects")
_HEAD: Final = re.compile(r"([^\s\[(]+)\s*[\[(]\s*([^\])]{1,12}?)\s*[\])]")
"""A header that states the unit: `coin.diameter [mm]`."""
_MOST_WARNINGS: Final = 20
"""Remarks on one file that are told; the rest is counted."""
_KEYS: Final = ("unit", "u", "instrument")


@dataclass(frozen=True, slots=True)
class RepeatedText(Sequence[str]):
    """The same text for every piece."""

    text: str
    number: int

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, place: int) -> str:  # type: ignore[override]
        if not -self.number <= place < self.number:
            raise IndexError(place)
        return self.text


@dataclass(frozen=True, slots=True)
class LotColumn:
    """What a file says of one characteristic, a cell a piece; an empty one is a piece without a value."""

    characteristic: str
    values: Sequence[str]
    units: Sequence[str]
    standards: Sequence[str]
    instruments: Sequence[str]
    lines: Sequence[int] = ()
    where: str = ""
    confidences: Sequence[str] = ()

    def place(self, row: int) -> str:
        """Where a cell stands."""
        return f"{self.where}: line {self.lines[row]}" if self.lines and self.lines[row] else self.where

    def reordered(self, order: Sequence[int]) -> LotColumn:
        """The same cells in another order of the pieces."""
        lines = [self.lines[row] for row in order] if self.lines else ()
        return self._changed(lambda cells: _taken(cells, order, copied=True), lines)

    def longer(self, more: int) -> LotColumn:
        """The same with so many empty cells behind it."""
        lines = (*self.lines, *(0,) * more) if self.lines else ()
        return self._changed(lambda cells: (*cells, *("",) * more), lines)

    def _changed(self, change: Callable[[Sequence[str]], Sequence[str]], lines: Sequence[int]) -> LotColumn:
        values, units, standards, instruments = map(change, (self.values, self.units, self.standards, self.instruments))
        confidences = change(self.confidences) if self.confidences else ()
        return LotColumn(self.characteristic, values, units, standards, instruments, lines, self.where, confidences)

    def reading(self, row: int, piece: str) -> Reading:
        """One cell with what belongs to it."""
        return Reading(
            self.characteristic, self.values[row], piece, self.units[row], self.standards[row], self.instruments[row],
            where=self.place(row), confidence=self.confidences[row] if self.confidences else "",
        )  # fmt: skip


@dataclass(frozen=True)
class LotFile:
    """The pieces of a lot and what was recorded of them, column by column."""

    where: str
    pieces: tuple[str, ...]
    columns: Mapping[str, LotColumn]
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Every further column, one cell a piece: subgroups, machines, times."""
    photos: tuple[Photo, ...] = ()
    warnings: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    missed: tuple[str, ...] = ()
    """Photos that could not be measured: each stands among the pieces, which are nobody knows how many."""

    @property
    def measured(self) -> int:
        """Pieces that were looked at."""
        return len(self.pieces) - len(self.missed)

    @cached_property
    def digest(self) -> str:
        """What tells this lot's readings from another lot's."""
        found = hashlib.sha256()
        for cells in (self.pieces, *(column.values for column in self.columns.values())):
            found.update("\x1f".join(cells).encode())
        return found.hexdigest()[:16]

    def sorted_by(self, column: str) -> LotFile:
        """The same pieces in the order of a column: of numbers by size, of times and names as people order them."""
        if not column:
            return self
        keys = [natural(cell) for cell in self.group_of(column)]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        if order == list(range(len(order))):
            return self
        return replace(
            self, pieces=tuple(_taken(self.pieces, order, copied=True)),
            columns={name: each.reordered(order) for name, each in self.columns.items()},
            groups={name: _taken(cells, order, copied=True) for name, cells in self.groups.items()},
        )  # fmt: skip

    def group_of(self, column: str) -> tuple[str, ...]:
        """A column that tells which pieces were made together."""
        found = self.groups.get(column.strip().lower())
        if found is None or not all(found):
            code = "no-such-column" if found is None else "column-with-gaps"
            raise BadInput(code, where=self.where, hint=nearest(column, self.groups), name=column[:40])
        return tuple(found)


@dataclass(frozen=True, slots=True)
class WantedCharacteristics:
    """Which characteristics to take from a file: all of these, or those of them that it has.

    `besides` are taken if the file has them, for what they may say against a piece.
    """

    names: tuple[str, ...]
    needed: bool = True
    besides: tuple[str, ...] = ()

    def present(self, found: Mapping[str, object], there: Iterable[str], where: str) -> tuple[str, ...]:
        """The names that were found; one that is needed and missing is an error, and so is none at all."""
        kept = tuple(name for name in self.names if found.get(name))
        also = tuple(name for name in self.besides if name not in kept and found.get(name))
        if kept and (len(kept) == len(self.names) or not self.needed):
            return (*kept, *also)
        missing = next(name for name in self.names if name not in kept)
        names = dict.fromkeys(there)
        hint = nearest(missing, names) or notice("there-are", names=", ".join(names)[:120] or "–")
        raise BadInput("no-reading-of" if self.needed else "nothing-limited", where=where, hint=hint, name=missing)


def read_lot(path: Path, wanted: WantedCharacteristics) -> LotFile:
    """The lot in a file; which form it has is told by its content."""
    lot = _read_lot(path, wanted)
    keys = [piece_key(piece) for piece in lot.pieces]
    if not all_different(keys):
        first = dict(zip(reversed(keys), reversed(lot.pieces), strict=True))
        twice = next(piece for piece, key in zip(lot.pieces, keys, strict=True) if first[key] != piece)
        raise BadInput("pieces-named-alike", where=lot.where, piece=twice[:40], other=first[piece_key(twice)][:40])
    return lot


def _read_lot(path: Path, wanted: WantedCharacteristics) -> LotFile:
    if begins_as_batch(path):
        return _from_batch(path, wanted)
    if _begins_as_json(path):
        read_text(path)
        return _from_readings(read_measurements(path), str(path), wanted)
    table = read_table(path)
    return _long(table, wanted) if table.has("characteristic") else _wide(table, wanted)


def _begins_as_json(path: Path) -> bool:
    if not path.is_file():
        return False
    with opened(path) as stream:
        try:
            return stream.read(1_000).lstrip()[:1] in ("{", "[")
        except UnicodeDecodeError:
            return False


def _from_batch(path: Path, wanted: WantedCharacteristics) -> LotFile:
    """One tray a photo: piece 3 of IMG_7.jpg is `IMG_7 3`."""
    readings: list[Reading] = []
    photos: list[Photo] = []
    told: list[Notice] = []
    written: list[str] = []
    missed: list[str] = []
    trays = tray_names(name for name, _ in measured_photos(path))
    for name, found in measured_photos(path):
        if isinstance(found, str):
            missed.append(trays[name])
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
    return _with_missed(_from_readings(file, str(path), wanted), tuple(missed))


def _with_missed(lot: LotFile, missed: tuple[str, ...]) -> LotFile:
    """A photo that could not be measured has pieces on it that nobody has looked at."""
    if not missed:
        return lot
    columns = {name: column.longer(len(missed)) for name, column in lot.columns.items()}
    return replace(lot, pieces=(*lot.pieces, *missed), columns=columns, missed=missed)


def on_tray(reading: Reading, tray: str) -> Reading:
    """A reading under a name that holds for the whole lot."""
    return replace(reading, instance=f"{tray} {reading.instance}".strip())


def _from_readings(file: MeasurementFile, where: str, wanted: WantedCharacteristics) -> LotFile:
    """One reading at a time: pieces in the order in which they first appear."""
    refuse_seen_twice(file.readings)
    by_name: dict[str, dict[str, Reading]] = {}
    names = frozenset((*wanted.names, *wanted.besides))
    for reading in file.readings:
        if reading.characteristic in names:
            _put(by_name.setdefault(reading.characteristic, {}), reading, where)
    kept = wanted.present(by_name, (reading.characteristic for reading in file.readings), where)
    pieces = tuple(dict.fromkeys(piece for name in kept for piece in by_name[name]))
    columns = {name: _column_of(name, [by_name[name].get(piece) for piece in pieces], where) for name in kept}
    return LotFile(where, pieces, columns, photos=file.photos, warnings=file.warnings, notices=file.notices)


def _put(found: dict[str, Reading], reading: Reading, where: str) -> None:
    """Readings by piece; if no reading names its piece, they are numbered."""
    piece = reading.instance or str(len(found) + 1)
    named = next(iter(found.values())).instance if found else reading.instance
    if bool(named) != bool(reading.instance):
        raise BadInput("reading-without-piece", where=reading.where or where, characteristic=reading.characteristic)
    if found.setdefault(piece, reading) is not reading:
        raise BadInput(
            "piece-twice", where=reading.where or where, piece=piece[:40], characteristic=reading.characteristic
        )


def _column_of(name: str, readings: Sequence[Reading | None], where: str) -> LotColumn:
    def cells(key: str) -> tuple[str, ...]:
        return tuple(getattr(reading, key) if reading else "" for reading in readings)

    standards = tuple(_standard(reading) if reading else "" for reading in readings)
    confidences = cells("confidence")
    return LotColumn(name, cells("value"), cells("unit"), standards, cells("instrument"), (), where, confidences)


def _standard(reading: Reading) -> str:
    """The uncertainty as stated, or what its stated parts come to."""
    if reading.standard or not reading.budget:
        return reading.standard
    parts = [Component(part.source, parse_number(part.standard, where=reading.where)) for part in reading.budget]
    return f"{combined(parts):f}"


# Tables


def _cells(table: Table, name: str, other: str = "") -> Sequence[str]:
    found = table.columns.get(name) or table.columns.get(other)
    return as_repeated_text(found) if found else RepeatedText("", len(table))


def as_repeated_text(cells: Sequence[str]) -> Sequence[str]:
    """A column that says the same of every piece, in one word."""
    return RepeatedText(cells[0], len(cells)) if cells.count(cells[0]) == len(cells) else cells


def _pieces(table: Table) -> tuple[str, ...]:
    column = next((name for name in PIECE_COLUMNS if table.has(name)), None)
    return table.columns[column] if column else ()


def _long(table: Table, wanted: WantedCharacteristics) -> LotFile:
    """One row a reading. A row without a value is a piece that was not measured; a photo's is one of unknown pieces."""
    rows = _rows_by_name(table.texts("characteristic"))
    table.texts("value") if not table.has("value") else None
    kept = wanted.present(rows, rows, table.where)
    labels = _long_labels(table, {name: rows[name] for name in kept})
    pieces, places = _arranged(table, {name: rows[name] for name in kept}, labels)
    columns = {name: _long_column(table, name, places[name]) for name in kept}
    first = next(iter(places.values()))
    if len(kept) == 1 and labels is not None:
        groups: Mapping[str, Sequence[str]] = {name: _taken(cells, first) for name, cells in table.columns.items()}
    else:
        groups = _first_cells(table, pieces, labels)
    return LotFile(table.where, pieces, columns, groups, missed=_missed(table, pieces, labels))


def _rows_by_name(names: Sequence[str]) -> dict[str, Sequence[int]]:
    """Which rows speak of which characteristic; if all speak of one, no list of them is needed."""
    if len(set(names)) == 1:
        return {names[0]: range(len(names))}
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    return dict(rows)


def _long_labels(table: Table, rows: Mapping[str, Sequence[int]]) -> tuple[str, ...] | None:
    """The pieces' names, row by row; `None` if no row of these has one, and then they are numbered."""
    labels = _pieces(table)
    if labels and all(labels):
        return labels
    if not labels or not any(labels[row] for places in rows.values() for row in places):
        return None
    if not all(labels[row] for places in rows.values() for row in places):
        name, row = next((name, row) for name, places in rows.items() for row in places if not labels[row])
        raise BadInput("reading-without-piece", where=f"{table.where}: line {table.lines[row]}", characteristic=name)
    return labels


def _arranged(
    table: Table, rows: Mapping[str, Sequence[int]], labels: tuple[str, ...] | None
) -> tuple[tuple[str, ...], dict[str, Sequence[int]]]:
    """The pieces, and for each characteristic the row of each piece (−1: none)."""
    if labels is None:
        most = max(map(len, rows.values()))
        numbered: dict[str, Sequence[int]] = {
            name: [*places, *(-1,) * (most - len(places))] for name, places in rows.items()
        }
        return tuple(map(str, range(1, most + 1))), numbered
    if len(rows) == 1:
        ((name, places),) = rows.items()
        pieces = tuple(_taken(labels, places))
        if all_different(pieces):
            return pieces, {name: places}
    return _matched(table, rows, labels)


def _matched(
    table: Table, rows: Mapping[str, Sequence[int]], labels: tuple[str, ...]
) -> tuple[tuple[str, ...], dict[str, Sequence[int]]]:
    numbers: dict[str, int] = {}
    for places in rows.values():
        for row in places:
            numbers.setdefault(labels[row], len(numbers))
    found: dict[str, Sequence[int]] = {}
    for name, places in rows.items():
        found[name] = mine = [-1] * len(numbers)
        for row in places:
            number = numbers[labels[row]]
            if mine[number] >= 0:
                place = f"{table.where}: line {table.lines[row]}"
                raise BadInput("piece-twice", where=place, piece=labels[row][:40], characteristic=name)
            mine[number] = row
    return tuple(numbers), found


def all_different(texts: Sequence[str]) -> bool:
    """Whether no text comes twice; by their hashes, as a set of a million texts is large."""
    hashes = np.fromiter(map(hash, texts), dtype=np.int64, count=len(texts))
    hashes.sort()
    return not (hashes[1:] == hashes[:-1]).any() or len(set(texts)) == len(texts)


def _taken(cells: Sequence[str], rows: Sequence[int], *, copied: bool = False) -> Sequence[str]:
    if isinstance(cells, RepeatedText):
        return RepeatedText(cells.text, len(rows))
    if len(rows) == len(cells) and not copied:
        return cells
    return tuple(cells[row] if row >= 0 else "" for row in rows)


def _long_column(table: Table, name: str, rows: Sequence[int]) -> LotColumn:
    # Where every row is of this characteristic, the table's own columns serve: nothing is copied.
    values = table.columns["value"]
    lines = table.lines if len(rows) == len(table) else [table.lines[row] if row >= 0 else 0 for row in rows]
    units, standards, instruments = (_taken(_cells(table, key), rows) for key in _KEYS)
    return LotColumn(name, _without_stars(_taken(values, rows)), units, standards, instruments, lines, table.where)


def _without_stars(cells: Sequence[str]) -> Sequence[str]:
    return tuple("" if cell == STAR else cell for cell in cells) if STAR in cells else cells


def _first_cells(table: Table, pieces: Sequence[str], labels: tuple[str, ...] | None) -> Mapping[str, Sequence[str]]:
    """Further columns of a long table, by the first row of each piece."""
    if labels is None:
        return {}
    first: dict[str, int] = {}
    for row, label in enumerate(labels):
        first.setdefault(label, row)
    rows = [first[piece] for piece in pieces]
    return {name: _taken(cells, rows) for name, cells in table.columns.items()}


def _missed(table: Table, pieces: tuple[str, ...], labels: tuple[str, ...] | None) -> tuple[str, ...]:
    notes = table.columns.get("note", ())
    if labels is None or not any(note.startswith(NOT_MEASURED) for note in dict.fromkeys(notes)):
        return ()
    there = {label for label, note in zip(labels, notes, strict=True) if note.startswith(NOT_MEASURED)}
    return tuple(piece for piece in pieces if piece in there)


def _wide(table: Table, wanted: WantedCharacteristics) -> LotFile:
    heads = {_HEAD.sub(r"\1", name): (name, _unit_of(name)) for name in table.columns}
    if len(heads) < len(table.columns):
        raise BadInput("characteristic-stands-twice-header-two", where=f"{table.where}: line 1")
    if "value" in heads and len(wanted.names) == 1 and wanted.names[0] not in heads:
        heads[wanted.names[0]] = heads["value"]
    names = wanted.present(heads, heads, table.where)
    pieces = _named_pieces(table)
    columns = {name: _wide_column(table, name, *heads[name]) for name in names}
    return LotFile(table.where, pieces, columns, table.columns)


def _unit_of(name: str) -> str:
    match = _HEAD.fullmatch(name)
    return match.group(2) if match else ""


def _named_pieces(table: Table) -> tuple[str, ...]:
    labels = _pieces(table)
    if not labels:
        return tuple(str(number) for number in range(1, len(table) + 1))
    if all(labels) and all_different(labels):
        return labels
    seen: dict[str, int] = {}
    for label, line in zip(labels, table.lines, strict=True):
        if not label or seen.setdefault(label, line) != line:
            code = "piece-stands-twice" if label else "piece-without-name"
            raise BadInput(code, where=f"{table.where}: line {line}", piece=label[:40], line=seen.get(label, line))
    return labels


def _wide_column(table: Table, characteristic: str, head: str, unit: str) -> LotColumn:
    """One column of a wide table; `u`, `unit` and `instrument` may stand beside it for all, or as `NAME.u` for one."""
    units, standards, instruments = (_cells(table, f"{characteristic}.{key}", key) for key in _KEYS)
    values = _without_stars(table.columns[head])
    units = RepeatedText(unit, len(table)) if unit else units
    return LotColumn(characteristic, values, units, standards, instruments, table.lines, table.where)
