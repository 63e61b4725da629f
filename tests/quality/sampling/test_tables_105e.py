"""Every cell of the three single-sampling tables against a second method: the diagonals that the tables are built on."""

from __future__ import annotations

from decimal import Decimal

import pytest

from inspect_kit.errors import UsageError
from inspect_kit.quality.sampling.attributes import STANDARD, Plan, Severity, code_letter, look_up, plan_of
from inspect_kit.quality.sampling.operating_curve import acceptance
from inspect_kit.quality.sampling.tables import aqls, levels_of

LETTERS = "ABCDEFGHJKLMNPQR"
SIZES = (2, 3, 5, 8, 13, 20, 32, 50, 80, 125, 200, 315, 500, 800, 1250, 2000)
LADDERS = {
    Severity.NORMAL: (0, 1, 2, 3, 5, 7, 10, 14, 21, 30, 44),
    Severity.TIGHTENED: (0, 1, 2, 3, 5, 8, 12, 18, 27, 41),
}
"""Acceptance numbers along a row, as n · AQL grows by the series' steps."""


def ideal(severity: Severity, row: int, column: int) -> int | None:
    """The acceptance number where a row and a column meet, by the constancy of n · AQL along diagonals."""
    step = row + column
    first = 14 if severity is Severity.NORMAL else 15
    if step == first:
        # The tables print no Ac 0 for two pieces on tightened inspection.
        return None if severity is Severity.TIGHTENED and row == 0 else 0
    place = step - 17 + (severity is Severity.NORMAL)
    ladder = LADDERS[severity]
    longest = len(ladder) if row <= 4 else len(ladder) - 2
    return ladder[place] if 1 <= place < longest else None


def resolved(severity: Severity, row: int, column: int) -> tuple[int, int]:
    """Follow the arrows: down until the first plan, up from a larger letter, over the gap between Ac 0 and 1 both ways."""
    if severity is Severity.TIGHTENED and column == 2 and row >= 14:
        return 3150, 1
    first = 14 if severity is Severity.NORMAL else 15
    if ideal(severity, row, column) is None:
        steps = row + column
        upwards = steps > first + 3 or (steps == first + 1 and severity is Severity.NORMAL and row > 0)
        upwards = upwards or (row == 15 and steps > first)
        while ideal(severity, row, column) is None:
            row += -1 if upwards else 1
    accept = ideal(severity, row, column)
    assert accept is not None
    return SIZES[row], accept


@pytest.mark.parametrize("severity", [Severity.NORMAL, Severity.TIGHTENED])
def test_every_cell_of_the_normal_and_tightened_tables_follows_from_the_diagonals(severity: Severity) -> None:
    for row, letter in enumerate(LETTERS):
        for column, aql in enumerate(aqls(STANDARD)):
            plan = plan_of(letter, Decimal(aql), severity).plan
            assert (plan.size, plan.accept) == resolved(severity, row, column), (letter, aql)
            assert plan.reject == plan.accept + 1


REDUCED_LADDER = ((0, 2), (1, 3), (1, 4), (2, 5), (3, 6), (5, 8), (7, 10), (10, 13), (14, 17), (21, 24))
REDUCED_TOP = {
    "A": ((1, 2), (2, 3), (3, 4), (5, 6), (7, 8), (10, 11), (14, 15), (21, 22), (30, 31)),
    "B": ((0, 2), (1, 3), (2, 4), (3, 5), (5, 6), (7, 8), (10, 11), (14, 15), (21, 22), (30, 31)),
}
"""The two smallest letters have ladders of their own, because their sample of two cannot shrink."""


def reduced_cell(row: int, column: int) -> tuple[int, int] | None:
    step = row + column
    if step == 14:
        return 0, 1
    ladder = REDUCED_TOP.get(LETTERS[row], REDUCED_LADDER if row <= 4 else REDUCED_LADDER[:8])
    place = step - 17
    return ladder[place] if 0 <= place < len(ladder) else None


def test_every_cell_of_the_reduced_table_follows_from_the_diagonals() -> None:
    sizes = (2, 2, *SIZES[:14])
    for row, letter in enumerate(LETTERS):
        for column, aql in enumerate(aqls(STANDARD)):
            place = row
            upwards = row + column > 17 or (row + column == 15 and row > 0) or (row == 15 and column == 1)
            while reduced_cell(place, column) is None:
                place += -1 if upwards else 1
            plan = plan_of(letter, Decimal(aql), Severity.REDUCED).plan
            assert (plan.accept, plan.reject) == reduced_cell(place, column), (letter, aql)
            assert plan.size == sizes[place], (letter, aql)


def test_a_lot_at_the_aql_is_nearly_always_accepted_and_tightened_accepts_less() -> None:
    """What the tables are for, worked out from the binomial distribution: another check of every numeric cell."""
    for letter in LETTERS:
        for aql in aqls(STANDARD)[:16]:
            quality = Decimal(aql)
            normal, tightened = (plan_of(letter, quality, kind).plan for kind in (Severity.NORMAL, Severity.TIGHTENED))
            chance, sharper = (acceptance(p.size, p.accept, float(quality) / 100) for p in (normal, tightened))
            assert chance > 0.87, (letter, aql)
            assert sharper < chance, (letter, aql)


def test_code_letters_only_grow_with_the_lot_and_the_level() -> None:
    lots = (2, 8, 9, 15, 16, 25, 26, 50, 51, 90, 91, 150, 151, 280, 281, 500, 501, 1200, 1201, 3200, 3201, 10_000,
            10_001, 35_000, 35_001, 150_000, 150_001, 500_000, 500_001, 10**9)  # fmt: skip
    for level in levels_of(STANDARD):
        letters = [LETTERS.index(code_letter(lot, level)) for lot in lots]
        assert letters == sorted(letters), level
    for lot in lots:
        general = [LETTERS.index(code_letter(lot, level)) for level in ("I", "II", "III")]
        special = [LETTERS.index(code_letter(lot, level)) for level in ("S-1", "S-2", "S-3", "S-4")]
        assert general == sorted(general)
        assert special == sorted(special)


@pytest.mark.parametrize(
    ("lot", "level", "letter"),
    [(8, "II", "A"), (9, "II", "B"), (500, "II", "H"), (501, "II", "J"), (1200, "I", "G"), (10**6, "III", "R"),
     (151, "S-2", "C"), (500_001, "S-4", "K"), (35_000, "S-3", "F"), (90, "S-1", "B")],
)  # fmt: skip
def test_code_letters_are_those_of_table_one(lot: int, level: str, letter: str) -> None:
    assert code_letter(lot, level) == letter


def test_an_arrow_takes_the_sample_size_of_the_row_it_leads_to() -> None:
    found = look_up(40, Decimal("0.65"))
    assert (found.code, found.row, found.plan) == ("D", "F", Plan(20, 0, 1))


def test_a_sample_that_is_not_smaller_than_the_lot_is_the_lot_and_the_numbers_stay() -> None:
    found = look_up(10, Decimal("0.65"))
    assert found.whole_lot
    assert found.plan == Plan(10, 0, 1)
    assert not look_up(21, Decimal("0.65")).whole_lot
    assert look_up(20, Decimal("0.65")).whole_lot


def test_the_gap_of_a_reduced_plan_accepts_the_lot() -> None:
    plan = plan_of("J", Decimal("1.0"), Severity.REDUCED).plan
    assert plan == Plan(32, 1, 3)
    assert [plan.accepts(found) for found in range(4)] == [True, True, True, False]


@pytest.mark.parametrize(
    ("lot", "aql", "level"), [(1, "1.0", "II"), (100, "1.1", "II"), (100, "1.0", "IV"), (-5, "1", "I")]
)
def test_what_the_tables_do_not_have_is_wrong_usage(lot: int, aql: str, level: str) -> None:
    with pytest.raises(UsageError):
        look_up(lot, Decimal(aql), level)


def test_an_aql_is_known_by_its_value_and_not_by_its_spelling() -> None:
    assert look_up(500, Decimal("1")) == look_up(500, Decimal("1.00"))
