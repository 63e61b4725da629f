"""Guided inspection in the browser: any item of any sheet, one question after the other."""

from __future__ import annotations

import re

import pytest

from inspect_kit.inspection.guided import GuidedEntry
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.station.pictures import picture_for
from tests.station.conftest import Person


def begin(person: Person, item: str, text: str = "Coins 1") -> str:
    person.get(person.at(f"/guided/{item}"))
    person.post(person.at(f"/guided/{item}"), {"text": text, "owner": ""})
    return str(person.last.url.path)


def asked(page: str) -> str:
    found = re.search(r'name="question" value="([^"]*)"', page)
    return found[1] if found else ""


def answer(person: Person, where: str, value: str, status: int = 200) -> str:
    data = {"question": asked(person.last.text), "value": value, "gauge": ""}
    return person.post(where, data, status)


def test_questions_come_in_the_order_of_the_sheet_with_pictures(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    sheet = load("icf-2001-it")
    expected = [question.characteristic for question in GuidedEntry(sheet, "striker").questions()]
    seen = []
    for characteristic in expected:
        page = referee.last.text
        assert '<svg class="where"' in page
        seen.append(asked(page).split("|")[0])
        if characteristic in ("striker.mass", "striker.diameter"):
            answer(referee, where, "14.8" if characteristic.endswith("mass") else "41")
        elif characteristic.startswith("striker."):
            answer(referee, where, "yes")
        else:
            referee.post(where, {"skip": "1"})
    assert seen == expected
    assert "All questions are answered" in referee.last.text
    referee.post(where, {"finish": "1"})
    assert "/tickets/" in str(referee.last.url)
    assert "14.8" in referee.last.text


def test_an_answer_shows_its_verdict_and_can_be_undone(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    first = asked(referee.last.text)
    page = answer(referee, where, "no")
    assert "fails" in page
    assert asked(page) != first
    page = referee.post(where, {"undo": "1"})
    assert asked(page) == first


def test_a_wrong_answer_is_refused_at_once_and_kept_in_the_field(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    while "striker.mass" not in asked(referee.last.text):
        referee.post(where, {"skip": "1"})
    page = answer(referee, where, "12 mm", 422)
    assert 'value="12 mm"' in page
    assert 'role="alert"' in page


def test_it_can_be_left_and_taken_up_again(referee: Person) -> None:
    where = begin(referee, "board", "Carrom board 1")
    answer(referee, where, "yes")
    second = asked(referee.last.text)
    page = referee.get(referee.at("/guided/board"))
    assert where in page
    assert asked(referee.get(where)) == second


def test_an_answer_does_not_land_on_another_question(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    old = asked(referee.last.text)
    answer(referee, where, "yes")
    page = referee.post(where, {"question": old, "value": "no"}, 422)
    assert "answered already" in page


def test_nobody_takes_up_somebody_elses(referee: Person, joined: object) -> None:
    where = begin(referee, "striker", "S")
    other = joined("Oskar")  # type: ignore[operator]
    other.get(where, 404)


@pytest.mark.parametrize("sheet_id", sheet_ids())
def test_every_question_of_every_sheet_has_a_picture(sheet_id: str) -> None:
    sheet = load(sheet_id)
    for item in sheet.items:
        for question in GuidedEntry(sheet, item.id).questions():
            assert "<svg" in picture_for(question)


@pytest.mark.parametrize("sheet_id", sheet_ids())
def test_every_item_of_every_sheet_can_be_begun(referee: Person, sheet_id: str) -> None:
    sheet = load(sheet_id)
    referee.announce(sheet=sheet_id, count_board="", quota_striker="")
    referee.get(referee.at())
    for item in sheet.items:
        begin(referee, item.id, "One")
        assert asked(referee.last.text) or "All questions" in referee.last.text


def test_a_slip_of_the_unit_is_refused_until_it_is_confirmed(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    answer(referee, where, "yes")
    assert "≤ 41.3 mm (≤ 4.13 cm)" in referee.last.text
    page = answer(referee, where, "4.11", 422)
    assert "4.11 cm is 41.1 mm" in page
    assert 'name="sure"' in page
    data = {"question": asked(page), "value": "25.5", "gauge": "", "sure": "yes"}
    assert asked(referee.post(where, data)).startswith("striker.mass")


def test_a_referee_decides_what_the_text_leaves_open_and_says_why(referee: Person) -> None:
    where = begin(referee, "board", "B")
    while not asked(referee.last.text).startswith("surface.runs.striker_mass"):
        referee.post(where, {"skip": "1"})
    assert 'name="decision"' in referee.last.text
    data = {"question": asked(referee.last.text), "value": "13.9", "gauge": "scale-200g", "decision": "accept"}
    assert "needs its reason" in referee.post(where, data, 422)
    page = referee.post(where, {**data, "because": "It runs as the maker’s own."})
    assert "conforms" in page
