"""What a text says about equipment is a clause, an occasion to check again, or a line on why it is left out."""

from __future__ import annotations

import pytest

from inspect_kit.rulebook.library import load, sheet_ids

NAMED = {
    "icf-1991-de": {"61", "88", "138", "29", "143 i"},
    "icf-cs": {"61", "88", "138", "29"},
    "icf-2001-it": {"61", "88", "138", "29"},
    "fistf-4.0": {"I 7", "II 3.1.1", "III 3.3", "IV 1.7"},
    "dstfb-4.0": {"I 7", "II 3.1.1", "III 3.3", "IV 1.7"},
    "wbgf-2.1": {"2.1", "4.4 (i)", "4.7"},
}
ASKED = {
    "fistf-4.0": {"referee.watch", "type.h0.make", "type.toccer.disc", "fence.opening.central", "table.overhang"},
    "wbgf-2.1": {"board.checker_size"},
}


@pytest.mark.parametrize("sheet_id", sheet_ids())
def test_every_sheet_says_what_it_leaves_out_and_why(sheet_id: str) -> None:
    left_out = load(sheet_id).left_out
    assert left_out
    assert all(entry.says.endswith(".") and entry.because.endswith(".") for entry in left_out)
    assert {entry.clause for entry in left_out} >= NAMED.get(sheet_id, set())


@pytest.mark.parametrize("sheet_id", ASKED)
def test_what_can_be_inspected_has_a_clause(sheet_id: str) -> None:
    assert {clause.characteristic for clause in load(sheet_id).clauses} >= ASKED[sheet_id]


def test_a_figure_that_is_legal_within_the_dstfb_does_not_fail_the_fistf_list() -> None:
    sheet = load("dstfb-4.0")
    listed = [clause for clause in sheet.clauses if clause.number.startswith("III 4.3")]
    assert listed
    assert not any(clause.binding for clause in listed)
