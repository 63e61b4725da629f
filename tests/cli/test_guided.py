from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Kit

CALL = ("inspect", "--spec", "icf-cs", "--item", "striker", "--instrument", "caliper-150", "--instrument", "scale-200g")


def test_the_guided_way_ends_in_a_file_that_can_be_certified(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "striker.json"
    result = kit(*CALL, "-o", out, typed="yes\n4,11 cm\n14.82\nano\nja\nnone\n\n\n")
    assert result.code == 0
    assert "CONFORMS" in result.out
    data = json.loads(out.read_text())
    diameter = next(m for m in data["measurements"] if m["characteristic"] == "striker.diameter")
    assert (diameter["value"], diameter["unit"], diameter["raw"]) == (41.1, "mm", "4,11 cm")
    assert kit("judge", out, "--spec", "icf-cs", "--item", "striker").code == 0


def test_each_answer_shows_the_running_verdict(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", typed="yes\n42 mm\nq\n")
    assert "fails: above the upper limit" in result.err
    assert "1 fail" in result.err


def test_an_entry_can_be_left_and_taken_up_again(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    left = kit(*CALL, "-o", out, typed="yes\n41.1\nq\n")
    assert left.code == 3
    assert not out.exists()
    assert (tmp_path / "s.json.draft").is_file()
    again = kit(*CALL, "-o", out, typed="14.82\nyes\nyes\nnone\n\n\n")
    assert again.code == 0
    assert "2 answers are there" in again.err
    assert not (tmp_path / "s.json.draft").exists()


def test_the_end_of_the_input_keeps_every_answer(kit: Kit, tmp_path: Path) -> None:
    kit(*CALL, "-o", tmp_path / "s.json", typed="yes\n41.1")
    assert len(json.loads((tmp_path / "s.json.draft").read_text())["answers"]) == 2


def test_the_last_answer_can_be_undone(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    result = kit(*CALL, "-o", out, typed="no\n<\nyes\n41.1\n14.82\nyes\nyes\nnone\n\n\n")
    assert result.code == 0
    assert "undone" in result.err


def test_a_wrong_answer_is_explained_and_asked_again(kit: Kit, tmp_path: Path) -> None:
    typed = "41\nperhaps\nyes\n14 g\nbig\n41.1\n-3\n14.82\nyes\nyes\nnone\n\n\n"
    result = kit(*CALL, "-o", tmp_path / "s.json", typed=typed)
    assert result.code == 0
    assert "is given in g, expected mm" in result.err
    assert "cannot be negative" in result.err


def test_a_question_mark_explains_how_to_measure(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", typed="yes\n?\nq\n")
    assert "Enter        pass it over" in result.err
    assert "aliper" in result.err


def test_named_places_and_numbered_pieces_are_asked_one_by_one(kit: Kit, tmp_path: Path) -> None:
    result = kit("inspect", "--spec", "icf-cs", "--item", "board", "-o", tmp_path / "b.json", typed="yes\n8\n737\nq\n")
    assert "length, north" in result.err
    assert "length, east" in result.err


def test_a_condition_is_asked_for_and_rules_out_what_does_not_apply(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "f.json"
    kit("inspect", "--spec", "fistf-4.0", "--item", "figure", "-o", out, typed="\n" * 11 + "flat\n" + "\n" * 60)
    result = kit("inspect", "--spec", "fistf-4.0", "--item", "figure", "-o", tmp_path / "g.json", typed="\n" * 80)
    assert "moulded" not in result.err.lower()


def test_a_draft_of_something_else_is_refused(kit: Kit, tmp_path: Path) -> None:
    (tmp_path / "s.json.draft").write_text('{"format": 1, "spec": "icf-cs", "item": "board"}')
    result = kit(*CALL, "-o", tmp_path / "s.json")
    assert result.code == 4
    assert "is a draft for icf-cs board" in result.err


@pytest.mark.parametrize(
    "content", ["", "x", "[]", "{}", '{"format": 1, "spec": "icf-cs", "item": "striker", "answers": 3}']
)
def test_a_spoilt_draft_is_told_and_kept(kit: Kit, tmp_path: Path, content: str) -> None:
    draft = tmp_path / "s.json.draft"
    draft.write_text(content)
    assert kit(*CALL, "-o", tmp_path / "s.json").code == 4
    assert draft.read_text() == content


def test_the_findings_come_as_one_json_document_if_asked_for(kit: Kit, tmp_path: Path) -> None:
    result = kit(*CALL, "-o", tmp_path / "s.json", "--json", typed="yes\n41.1\n14.82\nyes\nyes\nnone\n\n\n")
    assert result.data["verdict"] == "conforms"


def test_a_slip_of_the_unit_is_named_and_a_confirmed_value_is_taken(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    result = kit(*CALL, "-o", out, typed="yes\n4.11\n25.1 mm !\n14.82\nyes\nyes\nnone\n\n\n\n\n")
    assert "4.11 mm? 4.11 cm is 41.1 mm" in result.err
    assert "≤ 41.3 mm  (≤ 4.13 cm)" in result.err
    (diameter,) = [m for m in json.loads(out.read_text())["measurements"] if m["characteristic"] == "striker.diameter"]
    assert (diameter["value"], diameter["confirmed"]) == (25.1, "yes")


def test_a_person_decides_where_the_text_prints_no_tolerance(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "ball.json"
    call = ("inspect", "--spec", "fistf-4.0", "--item", "ball", "--instrument", "caliper-150", "-o", out)
    result = kit(*call, typed="yes\n22.9\naccept: A. Referee: within what the maker states\n\n\n\n\n\n")
    assert "type accept: NAME: WHY" in result.err
    (ball,) = json.loads(out.read_text())["measurements"]
    assert (ball["decision"], ball["by"], ball["because"]) == ("accept", "A. Referee", "within what the maker states")
