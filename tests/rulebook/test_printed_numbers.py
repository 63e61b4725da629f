"""The sheets against a second reading: tables of the printed numbers, made from the rules without the sheets."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from inspect_kit.rulebook.clause import Clause
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.rulebook.sheet import Sheet, SheetAuthority
from inspect_kit.values.quantity import UNITS, Quantity

PRINTED: Final = Path(__file__).with_name("printed")
COLUMNS: Final = ("clause", "characteristic", "lower", "upper", "nominal", "unit")

COUNTED: Final[dict[str, dict[str, int]]] = {
    "fistf-4.0": {"referee.cards": 3},
    "icf-1991-de": {"basecircle.count": 8, "equipment.parts": 8, "pocket.count": 4},
    "icf-2001-it": {"basecircle.count": 8, "equipment.parts": 8},
    "icf-cs": {"basecircle.count": 8, "equipment.parts": 8},
}
"""By sheet, what the rules list or place one by one without printing how many there are."""

DERIVED: Final[frozenset[str]] = frozenset({
    "baseline.length.spread", "coin.diameter_spread", "coin.mass_spread", "penalty.spot.inside", "rel.pack_in_outer",
    "rel.queen_covers_centre", "rel.striker_clears_arrow", "rel.striker_covers_circle", "rel.striker_lines",
    "rel.striker_pocket", "surface.diagonal_difference", "surface.side_spread",
})  # fmt: skip
"""Differences that we work out from other measurements; the only number they are held against is zero."""

READ_IN: Final = {("icf-cs", "board.area"): "ft"}
"""Prints whose unit cannot be meant, and the one in which the sheet reads them: square feet as feet of side."""

Numbers = tuple[Decimal | None, Decimal | None, Decimal | None]
"""Lower limit, upper limit, nominal."""


@dataclass(frozen=True)
class Row:
    """One printed requirement, in the unit the rules print."""

    sheet_id: str
    clause: str
    characteristic: str
    numbers: Numbers
    unit: str

    def __str__(self) -> str:
        return f"{self.sheet_id}-{self.clause}-{self.characteristic}".replace(" ", "_")

    @property
    def read_in(self) -> str:
        """The unit in which the number is understood; nearly always the printed one."""
        return READ_IN.get((self.sheet_id, self.characteristic), self.unit)

    @property
    def bounds(self) -> Numbers:
        """The numbers as a sheet holds them: a count that is stated exactly is its own lower and upper limit."""
        lower, upper, nominal = self.numbers
        exact = self.unit == "count" and nominal is not None
        return (nominal, nominal, nominal) if exact else (lower, upper, nominal)


def table(sheet_id: str) -> tuple[Row, ...]:
    with (PRINTED / f"{sheet_id}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_row(sheet_id, fields) for fields in csv.DictReader(file))


def _row(sheet_id: str, fields: dict[str, str]) -> Row:
    lower, upper, nominal = (Decimal(text) if (text := fields[name]) else None for name in COLUMNS[2:5])
    return Row(sheet_id, fields["clause"], fields["characteristic"], (lower, upper, nominal), fields["unit"])


SHEETS: Final = tuple(sorted(path.stem for path in PRINTED.glob("*.csv")))
ROWS: Final = tuple(row for sheet_id in SHEETS for row in table(sheet_id))


@cache
def sheet(sheet_id: str) -> Sheet:
    return load(sheet_id)


def own_clauses(sheet_id: str) -> tuple[Clause, ...]:
    """Those that the sheet itself states, not the ones it takes over from another."""
    return tuple(clause for clause in sheet(sheet_id).clauses if clause.source == sheet_id)


def numbers_in(clause: Clause, unit: str) -> Numbers | None:
    """The clause's numbers in that unit, or nothing where it speaks of something else."""
    if clause.unit is None or clause.unit.base != UNITS[unit].base:
        return None
    bounds = clause.bounds
    return _number(bounds.lower, unit), _number(bounds.upper, unit), _number(bounds.nominal, unit)


def _number(quantity: Quantity | None, unit: str) -> Decimal | None:
    return quantity.to(unit).number if quantity else None


def says_the_same(clause: Clause, row: Row) -> bool:
    named = clause.characteristic == row.characteristic and clause.number == row.clause
    return named and numbers_in(clause, row.read_in) == row.bounds


def is_our_own(clause: Clause) -> bool:
    """Whether the number is ours: counted from the text, or the zero of a difference."""
    counted = COUNTED.get(clause.source, {}).get(clause.characteristic)
    if counted is not None:
        return set(numbers_in(clause, "count")) <= {Decimal(counted), None}
    stated = (clause.bounds.lower, clause.bounds.upper, clause.bounds.nominal)
    return clause.characteristic in DERIVED and all(number.in_base == 0 for number in stated if number)


def shown(clause: Clause) -> str:
    return f"{clause.number} {clause.characteristic}: {clause.bounds}"


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_printed_number_stands_in_the_sheet_under_its_clause(row: Row) -> None:
    candidates = [clause for clause in own_clauses(row.sheet_id) if clause.characteristic == row.characteristic]
    assert any(says_the_same(clause, row) for clause in candidates), [shown(clause) for clause in candidates]


@pytest.mark.parametrize("sheet_id", SHEETS)
def test_a_sheet_has_no_number_that_is_not_printed(sheet_id: str) -> None:
    # An overlay may change the force of a clause and leave its number as the sheet below prints it.
    below = {clause.source for clause in sheet(sheet_id).clauses} & set(SHEETS)
    rows = [row for name in below for row in table(name)]
    strays = [clause for clause in own_clauses(sheet_id) if not any(says_the_same(clause, row) for row in rows)]
    assert [shown(clause) for clause in strays if clause.numeric and not is_our_own(clause)] == []


@pytest.mark.parametrize("sheet_id", SHEETS)
def test_what_is_listed_as_counted_is_in_the_sheet_and_not_in_the_print(sheet_id: str) -> None:
    counted = set(COUNTED.get(sheet_id, {}))
    assert counted <= {clause.characteristic for clause in own_clauses(sheet_id)}
    assert not counted & {row.characteristic for row in table(sheet_id)}


def test_what_is_listed_as_derived_is_in_some_sheet_and_nowhere_in_print() -> None:
    assert {clause.characteristic for name in SHEETS for clause in own_clauses(name)} >= DERIVED
    assert not DERIVED & {row.characteristic for row in ROWS}


@pytest.mark.parametrize("row", [row for row in ROWS if row.read_in != row.unit], ids=str)
def test_a_print_read_in_another_unit_is_marked_suspect_and_explained(row: Row) -> None:
    clauses = [clause for clause in own_clauses(row.sheet_id) if says_the_same(clause, row)]
    assert clauses
    assert all(clause.suspect and clause.note for clause in clauses)


@pytest.mark.parametrize("sheet_id", SHEETS)
def test_a_clause_taken_over_from_another_sheet_is_that_sheets_clause(sheet_id: str) -> None:
    taken = [clause for clause in sheet(sheet_id).clauses if clause.source != sheet_id]
    assert all(clause in sheet(clause.source).clauses for clause in taken)


@pytest.mark.parametrize("sheet_id", SHEETS)
def test_a_number_of_an_overlay_takes_the_place_of_the_one_below(sheet_id: str) -> None:
    changed = {row.characteristic for row in table(sheet_id)}
    taken = {clause.characteristic for clause in sheet(sheet_id).clauses if clause.source != sheet_id}
    assert not changed & taken


def test_every_sheet_of_a_federation_has_its_table_of_printed_numbers() -> None:
    assert {name for name in sheet_ids() if sheet(name).standing is SheetAuthority.FEDERATION} == set(SHEETS)


@pytest.mark.parametrize("sheet_id", SHEETS)
def test_a_table_has_the_agreed_columns_and_each_requirement_once(sheet_id: str) -> None:
    header = (PRINTED / f"{sheet_id}.csv").read_text(encoding="utf-8").partition("\n")[0]
    names = [(row.clause, row.characteristic) for row in table(sheet_id)]
    assert header == ",".join(COLUMNS)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_states_ordered_numbers_in_a_known_unit(row: Row) -> None:
    lower, upper, nominal = row.numbers
    stated = [number for number in (lower, nominal, upper) if number is not None]
    assert stated
    assert stated == sorted(stated)
    assert row.unit in UNITS
