"""Guided inspection in the browser: any item of any sheet, in few screens; what files and photos tell is not asked."""

from __future__ import annotations

import html
import re

import pytest

from inspect_kit.inspection.guided import GuidedEntry
from inspect_kit.inspection.screens import screens_of
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.station.pictures import picture_for
from tests.station.conftest import Person


def begin(person: Person, item: str, text: str = "Coins 1", files: object = None, status: int = 200) -> str:
    person.get(person.at(f"/guided/{item}"))
    person.post(person.at(f"/guided/{item}"), {"text": text, "owner": ""}, status, files)
    return str(person.last.url.path)


def asked(page: str) -> str:
    found = re.search(r'name="screen" value="([^"]*)"', page)
    return html.unescape(found[1]) if found else ""


def answer(person: Person, where: str, status: int = 200, **values: str) -> str:
    return person.post(where, {"screen": asked(person.last.text), "gauge_mm": "", "gauge_g": "", **values}, status)


def skip(person: Person, where: str) -> str:
    return person.post(where, {"screen": asked(person.last.text), "skip": "1"})


def go_to(person: Person, where: str, characteristic: str) -> None:
    while not asked(person.last.text).startswith(characteristic):
        assert asked(person.last.text), characteristic
        skip(person, where)


def test_a_board_takes_at_most_thirty_screens_with_their_pictures(referee: Person) -> None:
    where = begin(referee, "board", "Carrom board 1")
    seen = 0
    while asked(referee.last.text):
        assert (
            "data-all-yes" in referee.last.text
            or '<svg class="where"' in referee.last.text
            or "segments" in referee.last.text
        )
        seen += 1
        skip(referee, where)
    assert seen == len(screens_of(GuidedEntry(load("icf-2001-it"), "board"))) <= 30
    assert "All questions are answered" in referee.last.text
    assert "Passed over" in referee.last.text


def test_four_sides_are_four_fields_of_one_screen(referee: Person) -> None:
    where = begin(referee, "board", "Carrom board 1")
    go_to(referee, where, "surface.side")
    page = answer(referee, where, 422, a0="738", a1="738.5", a2="x", a3="")
    assert "is not a number" in page
    assert 'value="738.5"' in page
    page = answer(referee, where, a0="738", a1="738.5", a2="738", a3="738")
    assert not asked(page).startswith("surface.side")


def test_an_answer_shows_its_verdict_and_can_be_undone_and_corrected(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    first = asked(referee.last.text)
    page = answer(referee, where, a0="no")
    assert "fails" in page
    assert asked(page) != first
    page = referee.post(where, {"undo": "1"})
    assert asked(page) == first
    answer(referee, where, a0="no")
    page = referee.get(f"{where}?at={first}")
    assert asked(page) == first
    assert re.search(r'value="no" checked', page)
    answer(referee, where, a0="yes")
    assert "fails" not in referee.last.text


def test_a_wrong_answer_is_refused_at_once_and_kept_in_the_field(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    go_to(referee, where, "striker.mass")
    page = answer(referee, where, 422, a0="12 mm")
    assert 'value="12 mm"' in page
    assert 'role="alert"' in page
    assert "Give a value, or pass over" in answer(referee, where, 422, a0=" ")


def test_it_can_be_left_and_taken_up_again(referee: Person) -> None:
    where = begin(referee, "board", "Carrom board 1")
    skip(referee, where)
    second = asked(referee.last.text)
    page = referee.get(referee.at("/guided/board"))
    assert where in page
    assert asked(referee.get(where)) == second


def test_answers_of_a_screen_that_is_gone_land_nowhere(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    page = referee.post(where, {"screen": "nothing|such", "a0": "no"}, 422)
    assert "answered already" in page


def test_an_answer_that_was_lost_after_the_end_leads_to_the_inspection(referee: Person) -> None:
    where = begin(referee, "striker", "S")
    screen = asked(referee.last.text)
    answer(referee, where, a0="yes")
    referee.post(where, {"finish": "1"})
    ticket = str(referee.last.url)
    referee.post(where, {"finish": "1"})
    assert str(referee.last.url) == ticket
    referee.post(where, {"screen": screen, "a0": "yes"})
    assert str(referee.last.url) == ticket


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
    go_to(referee, where, "striker.diameter")
    assert "≤ 41.3 mm (≤ 4.13 cm)" in referee.last.text
    page = answer(referee, where, 422, a0="4.11")
    assert "4.11 cm is 41.1 mm" in page
    assert 'name="sure_a0"' in page
    page = answer(referee, where, a0="25.5", sure_a0="yes")
    assert not asked(page).startswith("striker.diameter")


def test_a_referee_decides_what_the_text_leaves_open_and_says_why(referee: Person) -> None:
    where = begin(referee, "board", "B")
    go_to(referee, where, "surface.runs.striker_mass")
    assert 'name="decision_a0"' in referee.last.text
    data = {"a0": "13.9", "gauge_g": "scale-200g", "decision_a0": "accept"}
    assert "needs its reason" in answer(referee, where, 422, **data)
    page = answer(referee, where, **data, because_a0="It runs as the maker’s own.")
    assert "conforms" in page


TABLE = b"characteristic,instance,value,unit,u\nsurface.side,n,738.0,mm,0.2\nsurface.side,e,738.1,mm,0.2\n" + (
    b"surface.side,s,738.0,mm,0.2\nsurface.side,w,737.9,mm,0.2\n"
)


def test_what_a_measurement_file_tells_is_not_asked_again_and_reaches_the_record(referee: Person) -> None:
    where = begin(referee, "board", "Carrom board 2", {"file": ("b.csv", TABLE, "text/csv")})
    assert "4 values from file or photos" in referee.last.text
    names = []
    while asked(referee.last.text):
        names.append(asked(referee.last.text).split("|")[0])
        skip(referee, where)
    assert "surface.side" not in names
    assert len(names) < len(screens_of(GuidedEntry(load("icf-2001-it"), "board")))
    page = referee.post(where, {"finish": "1"})
    assert "738.1" in page
    assert "/tickets/" in str(referee.last.url)


@pytest.mark.parametrize("content", [b"nonsense", b"characteristic,value\nno.such.thing,1 mm\n", b"{}", b"PK\x03\x04"])
def test_a_file_that_is_none_is_refused_in_a_sentence(referee: Person, content: bytes) -> None:
    begin(referee, "board", "B", {"file": ("b.csv", content, "text/csv")}, 422)
    assert 'role="alert"' in referee.last.text
    assert "/tmp" not in referee.last.text


def test_a_photo_of_the_striker_fills_the_guided_way_too(referee: Person, plain_striker: bytes) -> None:
    where = begin(referee, "striker", "S", {"photos": ("p.jpg", plain_striker, "image/jpeg")})
    assert "values from file or photos" in referee.last.text
    while asked(referee.last.text):
        assert not asked(referee.last.text).startswith("striker.diameter")
        skip(referee, where)
    page = referee.post(where, {"finish": "1"})
    assert re.search(r"41\.\d", page)
    assert "<img src=" in page
