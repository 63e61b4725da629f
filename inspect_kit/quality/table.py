"""Tables of numbers as spreadsheets write them: named columns, every fault with its line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from pathlib import Path
from typing import Final

from inspect_kit.capture.spreadsheet import read_table_text
from inspect_kit.errors import BadInput
from inspect_kit.nearest import nearest
from inspect_kit.quality.sample import Sample
from inspect_kit.values.quantity import Unit, scaled, unit

MAX_ROWS: Final = 1_000_000
MAX_CELL: Final = 200
MAX_SIZE: Final = Decimal(10) ** 15
MAX_COUNT: Final = 10**9
_CELL: Final = re.compile(
    r"([+\-−]?(?:\d{1,16}(?:[.,]\d{0,40})?|[.,]\d{1,40})(?:[eE][+\-]?\d{1,3})?)\s*([^\s\d.,;+\-−±]\S{0,11})?"
)
_EXACT: Final = Context(prec=80)


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a file as text, each cell with the line it stands on."""

    where: str
    columns: Mapping[str, tuple[str, ...]]
    lines: tuple[int, ...]

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
                raise BadInput(f'the column "{name}" is empty here', where=f"{self.where}: line {line}")
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

    def where_is(self, name: str, wanted: str) -> Table:
        """The rows that have `wanted` in a column."""
        kept = [row for row, cell in enumerate(self._column(name)) if cell == wanted]
        if not kept:
            known = dict.fromkeys(self._column(name))
            raise BadInput(f'no row has the {name} "{wanted[:40]}"', where=self.where, hint=nearest(wanted, known))
        columns = {key: tuple(cells[row] for row in kept) for key, cells in self.columns.items()}
        return Table(self.where, columns, tuple(self.lines[row] for row in kept))

    def _column(self, name: str) -> tuple[str, ...]:
        found = self.columns.get(name.strip().lower())
        if found is None:
            there = ", ".join(self.columns)[:120]
            hint = nearest(name, self.columns) or f"it has {there}"
            raise BadInput(f'the header has no column "{name[:40]}"', where=f"{self.where}: line 1", hint=hint)
        return found


def read_table(path: Path) -> Table:
    """A CSV file or spreadsheet with a header; `;` and tab divide cells as well, a decimal comma is understood."""
    return table_from(read_table_text(path), str(path))


def table_from(text: str, where: str) -> Table:
    """The table in a text."""
    body, first, delimiter = _opened(text)
    lines = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter, strict=True)
    try:
        names = _header(next(lines), where)
        rows = list(_rows(lines, len(names), first, where))
    except csv.Error as problem:
        raise BadInput(f"is not CSV: {problem}", where=f"{where}: line {lines.line_num + first - 1}") from None
    if not rows:
        raise BadInput("has a header and no row", where=where)
    cells = zip(*(row for _, row in rows), strict=True)
    return Table(where, dict(zip(names, cells, strict=True)), tuple(line for line, _ in rows))


def _opened(text: str) -> tuple[str, int, str]:
    """The text from its header on, the header's line number, and what divides its cells."""
    body = text.lstrip("\r\n\t ")
    first = text[: len(text) - len(body)].count("\n") + 1
    head, _, rest = body.partition("\n")
    told = re.fullmatch(r'"?sep=([,;\t])"?', head.strip())
    if told and rest.strip():
        return rest, first + 1, told.group(1)
    found = max(",;\t", key=head.count)
    # With a single column nothing divides cells, and a comma is a decimal sign.
    return body, first, found if found in head else "\t"


def _header(cells: list[str], where: str) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    named = [name for name in names if name]
    if len(set(named)) < len(named):
        raise BadInput("a column stands twice in the header", where=f"{where}: line 1")
    if len(names) > 1000:
        raise BadInput(f"has {len(names):,} columns", where=where)
    return [name or f"column {number}" for number, name in enumerate(names, 1)]


def _rows(lines: Iterator[list[str]], width: int, first: int, where: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    for number, cells in enumerate(lines, first + 1):
        if number > MAX_ROWS + first:
            raise BadInput(f"has more than {MAX_ROWS:,} rows", where=where)
        row = [cell.strip() for cell in cells]
        if not any(row):
            continue
        place = f"{where}: line {number}"
        if len(row) > width and any(row[width:]):
            hint = "write 8.1, or put 8,1 into quotes"
            raise BadInput(f"has {len(row)} cells, the header has {width}", where=place, hint=hint)
        if max(map(len, row)) > MAX_CELL:
            raise BadInput(f"a cell has more than {MAX_CELL} characters", where=place)
        yield number, tuple((row + [""] * width)[:width])


def _number(cell: str, default: str, place: str) -> Decimal:
    match = _CELL.fullmatch(cell.replace("\u00a0", " ").replace("\u202f", " "))
    if match is None:
        raise BadInput(f"expected a number, got {cell[:40]!r}" if cell else "a number is missing", where=place)
    value = Decimal(match.group(1).replace(",", ".").replace("−", "-"))
    if abs(value) > MAX_SIZE:
        raise BadInput(f"{cell[:40]!r} is too large", where=place)
    symbol = match.group(2) or default
    return _in_base(value, unit(symbol, where=place)) if symbol else value


def _in_base(value: Decimal, of: Unit) -> Decimal:
    with localcontext(_EXACT):
        return scaled(value, of.factor)


def _count(cell: str, place: str) -> int:
    # Spreadsheets turn 12 into 12.0, so whole numbers are taken by value and not by spelling.
    value = _number(cell, "", place)
    if value != value.to_integral_value() or value < 0 or value > MAX_COUNT:
        raise BadInput(f"expected a whole number from 0 on, got {cell[:40]!r}", where=place)
    return int(value)
