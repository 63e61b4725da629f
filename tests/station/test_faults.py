"""Faults at their field, in the desk's language; a form that is sent twice; a file that is too large."""

from __future__ import annotations

import re

import pytest

from tests.station.conftest import Person, names_of, striker_form

SAID = {"en": "is not a number", "de": "ist keine Zahl", "cs": "není číslo", "it": "non è un numero"}


@pytest.mark.parametrize("language", SAID)
def test_a_fault_stands_at_its_field_in_the_desks_language(referee: Person, language: str) -> None:
    data = striker_form(referee.get(referee.at("/desk/striker")), "Jan")
    mass = names_of(referee.last.text)["mass"]
    referee.client.get(f"/language/{language}?back=/")
    page = referee.post(referee.at("/desk/striker"), {**data, mass: "heavy"}, 422)
    fault = re.search(rf'<p class="wrong" id="{mass}fault">([^<]+)</p>', page)
    assert fault is not None
    assert SAID[language] in fault[1]
    assert re.search(
        rf'<input id="{mass}"[^>]*aria-describedby="{mass}fault [^>]*aria-invalid="true" data-faulty', page
    )
    assert f'<a href="#{mass}">' in page
    assert "striker.mass" not in page


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("14.82 mm", "Das ist in mm; gefragt ist g."),
        ("-3", "Das kann nicht negativ sein."),
        ("1482", "steht das Komma richtig?"),
        ("x" * 300, "Das ist zu lang."),
    ],
)
def test_what_people_mistype_is_told_in_german(referee: Person, typed: str, said: str) -> None:
    data = striker_form(referee.get(referee.at("/desk/striker")), "Jan")
    mass = names_of(referee.last.text)["mass"]
    referee.client.get("/language/de?back=/")
    assert said in referee.post(referee.at("/desk/striker"), {**data, mass: typed}, 422)


def test_an_event_form_with_faults_keeps_all_that_was_typed_and_ticked(referee: Person) -> None:
    referee.get("/events/new?sheet=icf-2001-it")
    data = {
        "sheet": "icf-2001-it", "name": "Cup", "since": "2026-11-20", "until": "2026-11-18", "venue": "Brno",
        "rule": "simple", "language": "cs", "count_board": "many", "quota_striker": "2", "daily": "on",
        "four_eyes": "on", "house": "# ours",
    }  # fmt: skip
    page = referee.post("/events/new", data, 422)
    for kept in ('value="Cup"', 'value="2026-11-20"', 'value="2026-11-18"', 'value="Brno"', 'value="many"', "# ours",
                 '<option value="simple" selected>', '<option value="cs" selected>', 'name="daily" checked',
                 'name="four_eyes" checked'):  # fmt: skip
        assert kept in page, kept
    assert re.search(r'name="quota_striker"[^>]*value="2"', page)
    assert set(re.findall(r'class="wrong" id="(\w+)fault"', page)) == {"until", "count_board", "house"}


def test_what_is_too_large_is_said_on_a_page_of_the_desk_in_its_language(referee: Person) -> None:
    referee.client.get("/language/cs?back=/")
    large = {"photo": ("a.jpg", b"x" * 27_000_000, "image/jpeg")}
    answer = referee.client.post(referee.at("/desk/striker"), files=large)
    assert answer.status_code == 413
    assert '<html lang="cs">' in answer.text
    assert "nejvýše 25 MB" in answer.text


def test_a_form_whose_answer_was_lost_is_one_inspection(referee: Person) -> None:
    data = striker_form(referee.get(referee.at("/desk/striker")), "Jan")
    referee.post(referee.at("/desk/striker"), data)
    first = str(referee.last.url)
    referee.post(referee.at("/desk/striker"), data)
    assert str(referee.last.url) == first
    mass = names_of(referee.get(referee.at("/desk/striker")))["mass"]
    page = referee.post(referee.at("/desk/striker"), {**data, mass: "14.5"})
    assert "This form was recorded before" in page
    assert "14.82" in page
    assert referee.get(referee.at("/list")).count("<td>Jan</td>") == 1


def test_a_piece_that_is_handed_in_again_is_sent_as_that_piece(referee: Person) -> None:
    ticket = referee.inspect("Jan", mass="16.0")
    referee.decide(ticket, "reject")
    page = referee.get(referee.at(f"/desk/striker?again={ticket}"))
    form = page[page.index('<form method="post" enctype') :]
    assert f'<input type="hidden" name="again" value="{ticket}">' in form[: form.index("</form>")]
    page = referee.post(referee.at("/desk/striker"), {**striker_form(page, "Jan"), "again": ticket, "text": "Striker"})
    assert "attempt 2" in page
