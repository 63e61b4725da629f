from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Kit

ITEMS = {
    "icf-1991-de": {"board", "coin-set", "striker", "stand", "seat", "powder", "light"},
    "icf-cs": {"board", "coin-set", "striker", "stand", "seat", "powder", "light"},
    "icf-2001-it": {"board", "coin-set", "striker", "stand", "seat", "powder", "light"},
    "fistf-4.0": {"table", "pitch", "goal", "ball", "figure", "team", "goalkeeper"},
    "dstfb-4.0": {"table", "pitch", "goal", "ball", "figure", "team", "goalkeeper"},
    "wbgf-2.1": {"board", "checkers", "cups", "dice", "baffle-box", "clock", "doubling-cube"},
    "precision-dice": {"dice"},
    "casino-dice": {"dice"},
}


def test_all_sheets_are_listed(kit: Kit) -> None:
    assert {sheet["id"] for sheet in kit("specs", "list", "--json").data} == set(ITEMS)
    assert "icf-cs" in kit("specs", "list").out


@pytest.mark.parametrize("sheet", ITEMS)
def test_each_sheet_has_its_items(kit: Kit, sheet: str) -> None:
    data = kit("specs", "show", sheet, "--json").data
    assert ITEMS[sheet] <= {item["id"] for item in data["items"]} <= ITEMS[sheet] | {"hall"}
    assert {clause["item"] for clause in data["clauses"]} == {item["id"] for item in data["items"]}


def test_a_clause_has_the_form_that_scripts_rely_on(kit: Kit) -> None:
    data = kit("specs", "show", "icf-cs", "--json").data
    assert {"id", "title", "body", "edition", "language", "clauses"} <= set(data)
    pocket = next(c for c in data["clauses"] if c["characteristic"] == "pocket.diameter")
    expected = {
        "clause": "A.3", "item": "board", "kind": "nominal-with-tolerance", "force": "must", "nominal": 44.5,
        "lower": 43, "upper": 46, "unit": "mm", "printed": "4.45 cm ± 0.15 cm",
    }  # fmt: skip
    assert {key: pocket[key] for key in expected} == expected


def test_a_nominal_without_a_tolerance_has_no_limits(kit: Kit) -> None:
    for clause in kit("specs", "show", "fistf-4.0", "--json").data["clauses"]:
        if clause["kind"] == "nominal-without-tolerance":
            assert (clause["lower"], clause["upper"]) == (None, None)


def test_suspect_prints_say_so(kit: Kit) -> None:
    suspects = {
        c["characteristic"] for c in kit("specs", "show", "icf-2001-it", "--json").data["clauses"] if c["suspect"]
    }
    assert {"surface.side", "coin.count.black", "arc.diameter"} <= suspects
    (checkers,) = [c for c in kit("specs", "show", "wbgf-2.1", "--json").data["clauses"] if c["suspect"]]
    assert (checkers["characteristic"], checkers["lower"], checkers["upper"]) == ("checker.size", 37, 50)


def test_one_item_of_a_sheet_is_shown_with_how_to_measure_and_when_to_check_again(kit: Kit) -> None:
    text = kit("specs", "show", "icf-cs", "--item", "striker").out
    assert "≤ 15.00 g" in text
    assert "how:" in text
    assert "check again (143 f)" in text
    assert "pocket.diameter" not in text


@pytest.mark.parametrize("sheet", ["icf-2001-it", "fistf-4.0", "wbgf-2.1", "precision-dice"])
def test_a_sheet_is_shown_in_italian_throughout(kit: Kit, sheet: str) -> None:
    text = kit("specs", "show", sheet, "--lang", "it").out
    own = "\n".join(line for line in text.splitlines() if "[" not in line)
    assert not re.search(r"\b(how|note:|because|check again|left out|must|should|may|the|and)(?!\w)", own)
    assert not re.search(r"\[(must|should|may)|not binding|suspect", text)
    assert "come: " in text


def test_two_editions_side_by_side(kit: Kit) -> None:
    text = kit("specs", "diff", "icf-1991-de", "icf-cs").out
    numbers = text.split("Only in")[0]
    assert "coin.mass" in numbers
    assert "5.25 g – 5.50 g" in numbers
    assert kit("specs", "diff", "icf-cs", "icf-cs").out == "icf-cs and icf-cs ask for the same.\n"


def test_checking_a_sheet_lists_every_fault_and_exits_with_four(kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('format = 3\nid = "mine"\n')
    result = kit("specs", "check", path)
    assert (result.code, result.out) == (4, "")
    assert result.err.count("\n") >= 3
    assert kit("specs", "check", path, "--json").data[0]["where"].endswith("format")


def test_a_sound_sheet_is_said_to_be_sound(kit: Kit, repository: Path) -> None:
    result = kit("specs", "check", repository / "specs" / "icf-cs.toml")
    assert result.code == 0
    assert "is sound: 102 clauses" in result.out


def test_the_list_is_shown_with_the_sheet(kit: Kit) -> None:
    shown = kit("specs", "show", "fistf-4.0").out
    assert "Left out, and why" in shown
    assert "white Subbuteo Tango ball" in shown


def test_check_warns_of_what_a_sound_sheet_lacks(kit: Kit, tmp_path: Path) -> None:
    sheet = tmp_path / "club.toml"
    sheet.write_text("""
format = 1
id = "club"
title = "Club rules"
standing = "house"
disclaimer = "Not a federation's."
[[item]]
id = "puck"
name = "Puck"
[[derived]]
characteristic = "puck.gap"
formula = 'puck.size["n"] - puck.size["x"]'
[[clause]]
characteristic = "puck.size"
clause = "1"
item = "puck"
kind = "max"
force = "must"
limits = { upper = "50 mm" }
instances = ["n", "s"]
how = "Caliper."
when = { characteristic = "puck.kind", is = ["hard"] }
""")
    result = kit("specs", "check", sheet)
    assert result.code == 0
    for said in ("puck.size: has no plausible range", 'picks puck.size "x"', "has no name on paper",
                 "hangs on puck.kind, which no clause and no choice asks for"):  # fmt: skip
        assert said in result.err
    levels = {entry["level"] for entry in kit("specs", "check", sheet, "--json").data}
    assert levels == {"warning"}
