"""Tables of numbers as spreadsheets write them: named columns, every fault with its line."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from itertools import chain, islice
from pathlib import Path
from typing import Final, TextIO

from inspect_kit.capture.spreadsheet import is_spreadsheet, read_table_text
from inspect_kit.errors import BadInput, nearest, notice
from inspect_kit.quality.sample import Sample
from inspect_kit.values.quantity import Unit, scaled, unit

MAX_ROWS: Final = 1_000_000
"""Rows of a table that is read."""
MAX_BYTES: Final = 512_000_000
"""A million rows of a long table with some columns to spare."""
MAX_LINE: Final = 200_000
"""Characters of one line."""
MAX_CELL: Final = 200
"""Characters of one cell."""
_CHUNK: Final = 200
"""Rows turned into columns at a time: with more of them, Python's collector of garbage takes as long as the reading."""
_MOST_KEPT: Final = 50_000
"""Different texts of a column that are remembered: values and units repeat, serial numbers do not."""
STAR: Final = "*"
"""What Minitab writes where nothing was measured."""
MAX_SIZE: Final = Decimal(10) ** 15
"""Largest number that a cell may hold, without its sign."""
MAX_COUNT: Final = 10**9
"""Largest count that a cell may hold."""
_CELL: Final = re.compile(
    r"([+\-−]?(?:\d{1,16}(?:[.,]\d{0,40})?|[.,]\d{1,40})(?:[eE][+\-]?\d{1,3})?)\s*([^\s\d.,;+\-−±]\S{0,11})?"
)
_EXACT: Final = Context(prec=80)
"""Decimal digits of a conversion: so many that no cell is rounded."""


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a file as text, each cell with the line it stands on."""

    where: str
    columns: Mapping[str, tuple[str, ...]]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.lines)

    def has(self, name: str) -> bool:
        """Whether there is a column of that name."""
        return name.strip().lower() in self.columns

    def texts(self, name: str) -> tuple[str, ...]:
        """A column that must be there, with no empty cell."""
        cells = self._column(name)
        for cell, line in zip(cells, self.lines, strict=True):
            if not cell:
                raise BadInput("column-empty-here", where=f"{self.where}: line {line}", name=name)
        return cells

    def numbers(self, name: str) -> tuple[Decimal, ...]:
        """A column of finite numbers, in base units (mm, g, …) where the cells or a column `unit` state one."""
        stated = self._column("unit") if self.has("unit") else ("",) * len(self)
        return tuple(
            _number(cell, default, f"{self.where}: line {line}")
            for cell, default, line in zip(self._column(name), stated, self.lines, strict=True)
        )

    def sample(self, name: str) -> Sample:
        """A column of numbers for statistics."""
        return Sample.of(self.numbers(name))

    def counts(self, name: str) -> tuple[int, ...]:
        """A column of whole numbers that are not negative."""
        return tuple(
            _count(cell, f"{self.where}: line {line}")
            for cell, line in zip(self._column(name), self.lines, strict=True)
        )

    @property
    def unit(self) -> str:
        """The base unit of the values, as far as the cells or a column `unit` state one and the same."""
        stated = {cell for cell in self.columns.get("unit", ()) if cell}
        stated |= {
            found[2] for cell in self.columns.get("value", ())[:1000] if (found := _CELL.fullmatch(cell)) and found[2]
        }
        bases = {unit(symbol, where=self.where).base for symbol in stated}
        return bases.pop() if len(bases) == 1 else ""

    def where_is(self, name: str, wanted: str) -> Table:
        """The rows that have `wanted` in a column."""
        kept = [row for row, cell in enumerate(self._column(name)) if cell == wanted]
        if not kept:
            known = dict.fromkeys(self._column(name))
            raise BadInput("no-row-of", where=self.where, hint=nearest(wanted, known), name=name, wanted=wanted[:40])
        return self.rows(kept)

    def measured(self, name: str) -> Table:
        """The rows without a star in a column, which is how Minitab marks a missing value."""
        cells = self._column(name)
        return self if STAR not in cells else self.rows([row for row, cell in enumerate(cells) if cell != STAR])

    def rows(self, kept: Sequence[int]) -> Table:
        """Some of the rows."""
        columns = {key: tuple(cells[row] for row in kept) for key, cells in self.columns.items()}
        return Table(self.where, columns, [self.lines[row] for row in kept])

    def _column(self, name: str) -> tuple[str, ...]:
        found = self.columns.get(name.strip().lower())
        if found is None:
            there = ", ".join(self.columns)[:120]
            hint = nearest(name, self.columns) or notice("there-are", names=there)
            raise BadInput("no-such-column", where=f"{self.where}: line 1", hint=hint, name=name[:40])
        return found


_HEAD: Final = re.compile(r"(?P<name>.+?)\s*\[(?P<unit>[^\]]{1,8})\]")
"""A head that states its unit: `coin.diameter [mm]`."""
_REPEATED: Final = re.compile(
    r"(?:x|y|value|reading|trial|wert|messung|versuch|měření|hodnota|misura|prova)?[ _.-]*(\d{1,2})"
)
"""A head of one of several readings of the same: `x1`, `trial 2`, `3`."""


def long_form(table: Table, characteristic: str | None = None) -> Table:
    """A wide table as a long one, with its numbers in a column `value`; one that has such a column is left alone.

    Wide is a column for each characteristic (`coin.diameter [mm]`), or several readings side by side (`x1,x2,x3`): then
    each row is a subgroup, and its readings are trials.
    """
    if table.has("value") or table.has("characteristic") or table.has("face"):
        return table
    repeated = {name: found[1] for name in table.columns if (found := _REPEATED.fullmatch(name))}
    if len(repeated) > 1 and characteristic is None:
        return _side_by_side(table, repeated)
    name = _one_column(table, characteristic)
    if name is None:
        return table
    found = _HEAD.fullmatch(name)
    columns = {key: cells for key, cells in table.columns.items() if key != name}
    if found is not None and "unit" not in columns:
        columns["unit"] = (found["unit"],) * len(table)
    return Table(table.where, {**columns, "value": table.columns[name]}, table.lines)


def _one_column(table: Table, characteristic: str | None) -> str | None:
    """The column that is asked for, or the only one that can be meant."""
    heads = {name: found["name"] if (found := _HEAD.fullmatch(name)) else name for name in table.columns}
    if characteristic is not None:
        wanted = characteristic.strip().lower()
        return next((name for name, head in heads.items() if wanted in (name, head)), None)
    likely = [
        name for name, head in heads.items() if _HEAD.fullmatch(name) or re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", head)
    ]
    if len(likely) > 1:
        raise BadInput("several-characteristics", where=table.where, names=heads[likely[0]])
    return likely[0] if likely else None


def _side_by_side(table: Table, repeated: Mapping[str, str]) -> Table:
    """One row a reading; an empty cell is a reading that was not taken."""
    kept = [(row, name) for row in range(len(table)) for name in repeated if table.columns[name][row] not in ("", STAR)]
    columns = {key: tuple(cells[row] for row, _ in kept) for key, cells in table.columns.items() if key not in repeated}
    columns.setdefault("subgroup", tuple(str(row + 1) for row, _ in kept))
    columns.setdefault("trial", tuple(repeated[name] for _, name in kept))
    columns["value"] = tuple(table.columns[name][row] for row, name in kept)
    return Table(table.where, columns, [table.lines[row] for row, _ in kept])


def read_table(path: Path) -> Table:
    """A CSV file or spreadsheet with a header; `;` and tab divide cells as well; decimal commas and UTF-16 are read."""
    if not path.is_file() or is_spreadsheet(path):
        return table_from(read_table_text(path), str(path))
    try:
        with opened(path) as stream:
            return table_from(stream, str(path))
    except UnicodeDecodeError as problem:
        raise BadInput("not-utf-8", where=str(path), start=problem.start) from None


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """The file as lines of text, however it is encoded; what is no text of a bearable size is refused."""
    try:
        if path.is_dir():
            raise BadInput("is-folder", where=str(path))
        with path.open("rb") as stream:
            if path.is_file() and path.stat().st_size > MAX_BYTES:
                raise BadInput("table-too-large", where=str(path), max_bytes=MAX_BYTES // 1_000_000)
            yield io.TextIOWrapper(stream, encoding_of(stream.peek(4)[:4]), newline="")
    except FileNotFoundError:
        raise BadInput("no-such-file", where=str(path)) from None
    except OSError as problem:
        raise BadInput("not-readable", where=str(path), reason=problem.strerror) from None


def encoding_of(start: bytes) -> str:
    """UTF-16 is what Minitab and Excel's "Unicode text" write: told by its mark, or by the zero in every other byte."""
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    if len(start) == 4 and start.count(b"\0") == 2:
        return "utf-16-be" if start[0] == 0 else "utf-16-le"
    return "utf-8-sig"


def table_from(text: str | Iterable[str], where: str) -> Table:
    """The table in a text, or in its lines."""
    stream = io.StringIO(text, newline="") if isinstance(text, str) else text
    body, first, delimiter = _begun(_text_lines(stream, where), where)
    rows = _split(body, delimiter, first, where)
    names = _header(next(rows, []), where)
    cells = _Cells(where, len(names))
    while some := list(islice(rows, _CHUNK)):
        first += cells.add(some, first + 1)
    if not cells.places:
        raise BadInput("header-no-row", where=where)
    return Table(where, dict(zip(names, cells.taken(), strict=True)), cells.places)


def _split(lines: Iterator[str], delimiter: str, first: int, where: str) -> Iterator[list[str]]:
    """Lines as rows of cells; `first` is the number of the first line."""
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        yield from rows
    except csv.Error:
        raise BadInput("not-csv", where=f"{where}: line {rows.line_num + first - 1}") from None


def _text_lines(stream: Iterable[str], where: str) -> Iterator[str]:
    for line in stream:
        if "\0" in line:
            raise BadInput("nul-bytes", where=where)
        if len(line) > MAX_LINE:
            raise BadInput("line-too-long", where=where, max_line=f"{MAX_LINE:,}")
        yield line


def _begun(lines: Iterator[str], where: str) -> tuple[Iterator[str], int, str]:
    """The lines from the header on, the header's line number, and what divides its cells."""
    first, head = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if not head:
        raise BadInput("is-empty", where=where)
    told = re.fullmatch(r'"?sep=([,;\t])"?', head.strip())
    after = next(lines, "") if told else ""
    if told and after.strip():
        return chain((after,), lines), first + 1, told.group(1)
    found = max(",;\t", key=head.count)
    # With a single column nothing divides cells, and a comma is a decimal sign.
    return chain((head.lstrip(" \t"),), lines), first, found if found in head else "\t"


def _header(cells: list[str], where: str) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    named = [name for name in names if name]
    if len(set(named)) < len(named):
        raise BadInput("column-stands-twice-header", where=f"{where}: line 1")
    if len(names) > 1000:
        raise BadInput("too-many-columns", where=where, count=f"{len(names):,}")
    return [name or f"column {number}" for number, name in enumerate(names, 1)]


class _Cells:
    """The cells of a table while it is read, column by column, each text kept once: a million rows stay small."""

    def __init__(self, where: str, width: int) -> None:
        self.where, self.width = where, width
        self.columns: list[list[str]] = [[] for _ in range(width)]
        self.seen: list[dict[str, str]] = [{} for _ in range(width)]
        self.places = array("l")

    def add(self, rows: list[list[str]], at: int) -> int:
        """Some rows more, from line `at` on; gives how many lines they were."""
        columns, places = _squared(rows, at, self.width, self.where)
        if len(self.places) + len(places) > MAX_ROWS:
            raise BadInput("more-than-rows", where=self.where, max_rows=f"{MAX_ROWS:,}")
        for column, seen, cells in zip(self.columns, self.seen, columns, strict=False):
            _add(column, seen, cells, places, self.where)
        self.places.extend(places)
        return len(rows)

    def taken(self) -> Iterator[tuple[str, ...]]:
        """The columns; each is let go of as it is taken, so that no two copies stand side by side."""
        while self.columns:
            yield tuple(self.columns.pop(0))


def _add(column: list[str], seen: dict[str, str], cells: Sequence[str], places: Sequence[int], where: str) -> None:
    stripped = list(map(str.strip, cells))
    column.extend(map(seen.setdefault, stripped, stripped))
    if len(seen) > _MOST_KEPT:
        seen.clear()
    if max(map(len, cells)) > MAX_CELL:
        place = next(place for place, cell in zip(places, cells, strict=True) if len(cell) > MAX_CELL)
        raise BadInput("cell-too-large", where=f"{where}: line {place}", max_cell=MAX_CELL)


def _squared(rows: list[list[str]], at: int, width: int, where: str) -> tuple[Sequence[Sequence[str]], Sequence[int]]:
    """Rows of one width as columns, without the empty ones, and their lines; most files need nothing done."""
    if all(len(row) == width and row[0] for row in rows):
        return list(zip(*rows, strict=True)), range(at, at + len(rows))
    kept: list[list[str]] = []
    places: list[int] = []
    for number, row in enumerate(rows, at):
        if len(row) > width and any(cell.strip() for cell in row[width:]):
            hint, place = notice("comma-in-quotes"), f"{where}: line {number}"
            raise BadInput("cells-unlike-header", where=place, hint=hint, count=len(row), count2=width)
        if any(cell.strip() for cell in row):
            kept.append((row + [""] * width)[:width])
            places.append(number)
    return list(zip(*kept, strict=True)), places


def _number(cell: str, default: str, place: str) -> Decimal:
    match = _CELL.fullmatch(cell.replace("\u00a0", " ").replace("\u202f", " "))
    if match is None:
        raise BadInput("expected-number-got" if cell else "number-missing", where=place, text=cell[:40])
    value = Decimal(match.group(1).replace(",", ".").replace("−", "-"))
    if abs(value) > MAX_SIZE:
        raise BadInput("number-too-large", where=place, cell=cell[:40])
    symbol = match.group(2) or default
    return _in_base(value, unit(symbol, where=place)) if symbol else value


def _in_base(value: Decimal, of: Unit) -> Decimal:
    with localcontext(_EXACT):
        return scaled(value, of.factor)


def _count(cell: str, place: str) -> int:
    # Spreadsheets turn 12 into 12.0, so whole numbers are taken by value and not by spelling.
    value = _number(cell, "", place)
    if value != value.to_integral_value() or value < 0 or value > MAX_COUNT:
        raise BadInput("expected-whole-number-from-0", where=place, cell=cell[:40])
    return int(value)
