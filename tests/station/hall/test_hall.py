"""The queue, decisions taken back, players and their roster, papers and screens, and the look-up for everybody."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from openpyxl import Workbook

from inspect_kit.checkin.roster import listed, resembling, rows_in
from inspect_kit.errors import InspectKitError
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.checkin.roster import player_entries
from inspect_kit.registry.checkin.store import inspection, queue
from inspect_kit.station.desk import numbered_label
from inspect_kit.station.station import CertificateWorker, Station
from tests.capture.test_spreadsheet import open_document
from tests.station.conftest import NOW, PINS, Person, new_client, striker_form

Join = Callable[[str], Person]
NUMBER = re.compile(r"PCK-2026-R?\d{6}-\w")


def number_on(page: str) -> str:
    found = NUMBER.search(page)
    assert found is not None, page[:3000]
    return found[0]


def test_the_queue_shows_the_oldest_first_and_counts_all(referee: Person, station: Station) -> None:
    first = referee.inspect("First Player")
    for number in range(13):
        referee.inspect(f"Other {number}")
    page = referee.get(referee.at("/queue"))
    assert '<span class="count">14</span>' in page
    assert page.index("First Player") < page.index("Other 0") < page.index("Other 12")
    assert '<meta http-equiv="refresh"' in page
    shown = referee.get(referee.at())
    assert '<span class="count">14</span>' in shown
    assert "and 2 more" in shown
    with station.registry.reading() as connection:
        assert queue(connection, referee.event, "")[0].ticket == first


def test_after_the_decision_the_banner_is_the_decision(referee: Person) -> None:
    ticket = referee.inspect("Jan")
    page = referee.decide(ticket, "reject", because="chipped")
    banner = re.search(r'<h1 id="verdict"[^>]*><span class="cap">([^<]+)', page)
    assert banner is not None
    assert banner[1] == "Not admitted"
    assert 'class="verdict undecided against"' in page
    assert "Measured: <b>Conforms</b>" in page


def test_an_override_never_looks_like_a_certificate(referee: Person, station: Station) -> None:
    ticket = referee.inspect("Jan", mass="15.2")
    page = referee.decide(ticket, "approve", because="no other striker")
    assert "Admitted against the verdict" in page
    assert 'class="verdict conforms' not in page
    CertificateWorker(station).make_all()
    page = referee.get(referee.at(f"/tickets/{ticket}"))
    assert re.search(r"Report PCK-2026-R\d+-\w \(no certificate\)", page)
    found = referee.get(f"/look-up?q={ticket}")
    assert "Admitted by the referee" in found
    assert 'class="verdict undecided"' in found


def test_a_decision_taken_back_revokes_its_certificate_and_can_be_made_anew(referee: Person, station: Station) -> None:
    ticket = referee.inspect("Jan")
    referee.decide(ticket, "approve")
    CertificateWorker(station).make_all()
    old = number_on(referee.get(referee.at(f"/tickets/{ticket}")))
    where = referee.at(f"/tickets/{ticket}/withdraw")
    assert "please fill this in" in referee.post(where, {"because": "", "pin": PINS["Renata"]}, 409)
    referee.post(where, {"because": "wrong striker", "pin": "999999"}, 403)
    page = referee.post(where, {"because": "wrong striker", "pin": PINS["Renata"]})
    assert "Decision taken back" in page
    assert "waits for a decision" in page
    assert "Revoked" in referee.get(f"/check?q={old}")
    assert "Not valid" in referee.get(f"/look-up?q={old}")
    referee.decide(ticket, "approve")
    CertificateWorker(station).make_all()
    new = number_on(referee.get(referee.at(f"/tickets/{ticket}")))
    assert new != old
    assert "Valid" in referee.get(f"/look-up?q={new}")
    assert audit(station.registry, lambda _: lambda _: None).faults == ()


def test_a_certificate_made_while_its_decision_was_taken_back_is_revoked(referee: Person, station: Station) -> None:
    ticket = referee.inspect("Jan")
    referee.decide(ticket, "approve")
    late = CertificateWorker(station)
    with station.registry.reading() as connection:
        seen = inspection(connection, ticket)
    assert seen is not None
    referee.post(referee.at(f"/tickets/{ticket}/withdraw"), {"because": "race", "pin": PINS["Renata"]})
    late._make(seen)
    late.make_all()
    with station.registry.reading() as connection:
        again = inspection(connection, ticket)
    assert again is not None
    assert again.decision == "withdraw"
    assert "Valid" not in referee.get(referee.at(f"/tickets/{ticket}"))


def test_a_tester_takes_no_decision_back(referee: Person, joined: Join) -> None:
    ticket = referee.inspect("Jan")
    referee.decide(ticket, "reject", because="x")
    joined("Tomáš").post(f"/events/{referee.event}/tickets/{ticket}/withdraw", {"because": "x", "pin": "1"}, 403)


def test_a_mistyped_player_is_corrected_and_the_history_kept(referee: Person, station: Station) -> None:
    ticket = referee.inspect("Jan Nowak")
    where = referee.at(f"/tickets/{ticket}/player")
    page = referee.post(where, {"owner": "Jan Novák", "because": "misheard"})
    new = str(referee.last.url).rsplit("/", 1)[-1]
    assert new != ticket
    assert "Jan Novák" in page
    assert "Player corrected" in page
    assert "misheard" in page
    assert "counts instead" in referee.get(referee.at(f"/tickets/{ticket}"))
    assert "Jan Nowak" not in referee.get(referee.at("/list"))
    referee.decide(new, "approve")
    CertificateWorker(station).make_all()
    assert "Jan Novák" in referee.get(f"/look-up?q={ticket}")
    referee.post(referee.at(f"/tickets/{new}/player"), {"owner": "Eva", "because": "x"}, 409)
    assert audit(station.registry, lambda _: lambda _: None).faults == ()


def test_four_eyes_hold_for_the_one_who_measured_though_another_corrected_the_name(
    referee: Person, joined: Join
) -> None:
    referee.announce(four_eyes="on")
    ticket = referee.inspect("Jan Nowak")
    other = joined("Oskar")
    other.event = referee.event
    other.get(other.at(f"/tickets/{ticket}"))
    other.post(other.at(f"/tickets/{ticket}/player"), {"owner": "Jan Novák", "because": "misheard"})
    new = str(other.last.url).rsplit("/", 1)[-1]
    assert "four eyes" in referee.decide(new, "approve", 409)


LIST = "Name;Team;Badge;Striker\nNovák Jan;Praha;A-17;resin, blue rim\nEva Malá;Brno;B-2;\n"


def _imported(person: Person, content: bytes = LIST.encode(), status: int = 200) -> str:
    person.get(person.at("/players"))
    return person.post(person.at("/players/import"), {}, status, files={"list": ("l.csv", content, "text/csv")})


def test_a_roster_is_imported_once_and_searched_without_accents(referee: Person, station: Station) -> None:
    assert "2 new players" in _imported(referee)
    assert "2 as before" in _imported(referee)
    assert "Novák Jan" in referee.get(referee.at("/players?q=novak"))
    assert "Novák Jan" not in referee.get(referee.at("/players?q=mala"))
    found = referee.client.get(referee.at("/players/find?item=striker&q=NOVAK")).json()
    assert found == [{"name": "Novák Jan", "team": "Praha", "badge": "A-17", "pieces": ["resin, blue rim"]}]
    assert "<svg" in referee.get(referee.at("/players/badges"))
    with station.registry.reading() as connection:
        assert len(player_entries(connection, referee.event)) == 2


def test_an_import_says_who_may_be_one_person_twice(referee: Person) -> None:
    page = _imported(referee, "name,team\nJan Novák,Praha\nNovak Jan,Brno\nEva Malá,Praha\n".encode())
    assert "3 new players" in page
    assert "May be one person twice: Jan Novák = Novak Jan." in page
    assert "one person twice" not in _imported(referee.announce(name="Other"), b"name\nJan Nov\nEva Mala\n")


def test_a_player_is_corrected_and_what_they_were_called_stays(referee: Person) -> None:
    _imported(referee)
    page = referee.get(referee.at("/players?q=mala"))
    player = re.search(r"\?player=(\w+)", page)
    assert player is not None
    referee.post(referee.at("/players"), {"player": player[1], "name": "Eva Malá-Nová", "team": "Brno", "badge": "B-2"})
    assert "Was: Eva Malá" in referee.get(referee.at(f"/players?player={player[1]}"))
    taken = {"name": "Someone Else", "badge": "b-2"}
    assert "belongs to Eva Malá-Nová" in referee.post(referee.at("/players"), taken, 422)
    assert "is on the list already" in referee.post(referee.at("/players"), {"name": "Jan Novak"}, 422)
    referee.post(referee.at("/players"), {"name": "Jan Novak", "other_player": "1"})


def test_a_badges_code_names_its_player_and_an_unknown_name_is_asked_about(referee: Person) -> None:
    _imported(referee)
    referee.inspect("a-17")
    assert "Novák Jan" in referee.last.text
    referee.inspect("Nobody Known", 422)
    assert "is not on the list of players" in referee.last.text
    referee.inspect("Eva Mala", 422)
    assert "Is this Eva Malá?" in referee.last.text
    referee.inspect("Nobody Known", other_player="1")


def test_nobody_sees_the_roster_of_another_event(referee: Person, station: Station) -> None:
    _imported(referee)
    old = referee.event
    referee.announce(name="Other Cup")
    referee.get("/people")
    data = {"name": "Guest", "role": "tester", "event": referee.event, "pin": "815264", "own_pin": PINS["Renata"]}
    referee.post("/people", data)
    guest = Person(new_client(station))
    guest.get("/sign-in")
    guest.post("/sign-in", {"name": "Guest", "pin": "815264", "back": "/"})
    assert "Novák" not in guest.get(f"/events/{referee.event}/players")
    for rest in ("/players", "/players/find?q=n", "/players/badges", "/papers", "/export.csv", "/screen", "/queue"):
        guest.get(f"/events/{old}{rest}", 404)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("Příjmení,Jméno,Tým\nNovák,Jan,Praha\n", ["Jan Novák"]),
        ("Jméno;Příjmení\nJan;Novák\n", ["Jan Novák"]),
        ("Cognome,Nome\nRossi,Anna\n", ["Anna Rossi"]),
        ("Name,Nachname\nEva Müller,Müller\n", ["Eva Müller"]),
        ("surname\nPelé\n", ["Pelé"]),
        ("Nachname\tVorname\nMüller\tEva\n", ["Eva Müller"]),
        ("player\nPelé\n\n", ["Pelé"]),
    ],
)
def test_lists_as_clubs_send_them(content: str, names: list[str]) -> None:
    assert [player.name for player in listed(rows_in(content.encode()), {})] == names


TABLE = [("Name", "Team", "Badge", "Striker"), ("Jana Dvořáková", "Praha", 101, "resin"), ("Luca Rossi", None, 7, None)]


def _as_workbook(path: Path) -> Path:
    book = Workbook()
    for row in TABLE:
        book.active.append(row)
    book.save(path)
    return path


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_a_roster_comes_from_a_spreadsheet_too(referee: Person, tmp_path: Path, kind: str) -> None:
    file = _as_workbook(tmp_path / "l.xlsx") if kind == "xlsx" else open_document(tmp_path / "l.ods", TABLE)
    assert "2 new players" in _imported(referee, file.read_bytes())
    found = referee.client.get(referee.at("/players/find?item=striker&q=dvorak")).json()
    assert found == [{"name": "Jana Dvořáková", "team": "Praha", "badge": "101", "pieces": ["resin"]}]
    assert referee.client.get(referee.at("/players/find?item=striker&q=7")).json()[0]["name"] == "Luca Rossi"


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PK\x03\x04broken", b"\xff\xfe\x00"])
def test_a_list_that_is_none_is_refused_in_a_sentence(referee: Person, content: bytes) -> None:
    _imported(referee, content, 422)
    with pytest.raises(InspectKitError):
        listed(rows_in(content), {})


@pytest.mark.parametrize(
    ("name", "known", "like"),
    [
        ("Jan Novak", ["Jan Novák"], "Jan Novák"),
        ("Novák Jan", ["Jan Novák"], "Jan Novák"),
        ("Jan Nowák", ["Jan Novák"], "Jan Novák"),
        ("Jan Novák", ["Eva Novák", "Jan Malý"], ""),
        ("Left Desk", ["Right Desk"], ""),
        ("Player 2", ["Player 1"], ""),
    ],
)
def test_a_name_that_resembles_a_known_one(name: str, known: list[str], like: str) -> None:
    assert resembling(name, known) == like


@pytest.mark.parametrize(
    ("text", "taken", "label"),
    [
        ("Striker", set(), "Striker"),
        ("Striker", {"Striker"}, "Striker 2"),
        ("resin, blue rim", {"Striker"}, "Striker 2, resin, blue rim"),
        ("resin", {"Striker, resin", "Striker 2"}, "Striker 3, resin"),
        ("Striker 7, red", set(), "Striker 7, red"),
        ("Striker 2", {"Striker 2, old"}, "Striker"),
    ],
)
def test_a_label_says_what_which_one_and_what_was_said_of_it(text: str, taken: set[str], label: str) -> None:
    assert numbered_label("Striker", text, frozenset(taken)) == label


def test_a_certificate_of_the_desk_names_the_issuing_body_and_the_piece(referee: Person, station: Station) -> None:
    from inspect_kit.inspection.record import open_record

    referee.inspect("Jan")
    ticket = referee.inspect("Jan", text="resin, blue rim")
    referee.decide(ticket, "approve")
    with station.registry.reading() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        record = open_record(station.registry.shelf.take(connection, seen.final))
    assert record.subject.text == "Striker 2, resin, blue rim"
    assert record.subject.issuer == "Pražský carrom klub"
    assert CertificateWorker(station).make_all() == 1


def test_papers_and_screens_of_an_event(referee: Person, station: Station) -> None:
    good, bad = referee.inspect("Eva Malá"), referee.inspect("=Jan", mass="15.3")
    referee.decide(good, "approve")
    referee.decide(bad, "reject", because="too heavy")
    CertificateWorker(station).make_all()
    assert number_on(referee.get(referee.at("/list")))
    assert "too heavy" in referee.get(referee.at("/rejections"))
    assert "15.3" in referee.last.text
    assert "Eva Malá" in referee.get(referee.at("/sheet?owner=Eva Malá"))
    assert "41" in referee.last.text
    assert "Striker, mass" in referee.get(referee.at("/statistics"))
    screen = referee.get(referee.at("/screen"))
    assert "Eva Malá" in screen[screen.index("Ready to be fetched") :]
    assert "too heavy" not in screen
    assert referee.client.get(referee.at("/labels.pdf?stock=a4-24&skip=3")).content.startswith(b"%PDF")
    answer = referee.client.get(referee.at("/export.csv"))
    rows = list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff"))))
    assert [row["state"] for row in rows] == ["approved", "failed"]
    assert rows[1]["player"] == "'=Jan"
    assert "Only" not in referee.get(referee.at("/papers"))


def test_anybody_learns_valid_or_not_and_nothing_private(referee: Person, station: Station) -> None:
    ticket = referee.inspect("Secret Player")
    referee.decide(ticket, "approve")
    CertificateWorker(station).make_all()
    number = number_on(referee.get(referee.at(f"/tickets/{ticket}")))
    stranger = Person(new_client(station))
    page = stranger.get(f"/check?q={number}")
    assert "Valid" in page
    for private in ("Secret", "Renata", "Czech Open", ticket):
        assert private not in page
    assert "Not known here" in stranger.get(f"/check?q={ticket}")
    assert "Not known here" in stranger.get("/check?q=PCK-2026-000999-X")
    again = referee.get(referee.at(f"/desk/striker?again={ticket}"))
    form = {**striker_form(again, "Secret Player"), "again": ticket, "text": "Striker"}
    mass = next(name for name, value in form.items() if value == "14.82")
    referee.post(referee.at("/desk/striker"), {**form, mass: "15.4"})
    referee.decide(str(referee.last.url).rsplit("/", 1)[-1], "reject")
    assert "Not valid" in stranger.get(f"/check?q={number}")


def test_an_event_that_is_over_warns(referee: Person, station: Station) -> None:
    later = replace(station, now=lambda: NOW + timedelta(days=30))
    person = Person(new_client(later)).sign_in("Renata")
    for rest in ("", "/desk/striker", "/guided/board"):
        assert "This event ended on" in person.get(f"/events/{referee.event}{rest}")


def test_a_desk_on_the_network_without_encryption_says_so(station: Station) -> None:
    open_desk = Person(new_client(replace(station, loopback=False)))
    assert "not encrypted" in open_desk.get("/sign-in")
    assert "not encrypted" not in Person(new_client(station)).get("/sign-in")
