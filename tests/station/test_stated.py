"""What a desk's papers state besides the findings: who read a value, what the issuer, the event and a decision say."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import msgspec
import pypdfium2
import pytest
from msgspec import structs

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.checkin.certify import decided_record, desk_record
from inspect_kit.inspection.record import Record, Subject, about_of, open_record
from inspect_kit.inspection.walk import Task
from inspect_kit.judgement.rules import RuleName
from inspect_kit.registry.chain import append
from inspect_kit.registry.checkin.entries import Decided, EventSet, File
from inspect_kit.registry.checkin.store import event_of, inspection
from inspect_kit.rulebook.library import load
from inspect_kit.station.station import CertificateWorker, Station
from inspect_kit.values.measurement import Reading
from tests.station.conftest import NOW, Person

DAY = date(2026, 11, 16)
EVENT = EventSet("open", "Open", "2026-11-16", "2026-11-17", "icf-2001-it", "guarded", "Referee", "Hall")
READINGS = (
    Reading("striker.mass", "14.8", unit="g", standard="0.01"),
    Reading("striker.shape", "yes", by="Jana"),
    Reading("striker.visible_metal", "none", photo="a.jpg", pixel=(1.0, 2.0)),
)


def judged(home: Path, event: EventSet = EVENT) -> Record:
    sheet = load("icf-2001-it")
    task = Task(sheet, sheet.item("striker"), RuleName.GUARDED, DAY, (), home)
    return desk_record(task, event, MeasurementFile(READINGS), Subject("Striker"), "Ota Novák")


def test_whoever_is_signed_in_read_what_no_photo_and_nobody_else_did(tmp_path: Path) -> None:
    readers = [reading.by or "" for reading in judged(tmp_path).readings]
    assert readers == ["Ota Novák", "Jana", ""]


def test_what_the_issuer_states_everywhere_is_stated_at_the_desk_too(tmp_path: Path) -> None:
    assert about_of(judged(tmp_path)).environment == ""
    (tmp_path / "about.toml").write_text('environment = "21 °C"\nprotest = "until 18:00"\nremarks = ["Indoors."]\n')
    about = about_of(judged(tmp_path))
    assert (about.environment, about.protest, about.remarks) == ("21 °C", "until 18:00", ("Indoors.",))


OF_EVENT = {"environment": "21 °C, 45 % <dry>", "customer": "Svaz & syn", "contact": "svaz@example.org",
            "protest": "jury, until 18:00"}  # fmt: skip
OF_PIECE = {"maker": "Synco <Mumbai>", "serial": "SY-77", "received_on": "2026-11-15",
            "remarks": "Rim polished.\r\n\r\nSmall scratch & dent."}  # fmt: skip


def printed(person: Person, ticket: str) -> str:
    """All words of the signed PDF, in one line."""
    person.get(person.at(f"/tickets/{ticket}/certificate.pdf"))
    pages = (page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(person.last.content))
    return " ".join(" ".join(pages).split())


def test_what_event_and_decision_state_stands_on_the_signed_paper(referee: Person, station: Station) -> None:
    referee.announce(**OF_EVENT)
    ticket = referee.inspect()
    referee.decide(ticket, "approve", **OF_PIECE)
    maker = CertificateWorker(station)
    assert (maker.make_all(), maker.troubles) == (1, {})
    text = printed(referee, ticket)
    for said in (*OF_EVENT.values(), "Synco <Mumbai>", "SY-77", "15 November 2026", "Rim polished.",
                 "Small scratch & dent."):  # fmt: skip
        assert said in text, said


def test_an_events_own_words_go_before_the_issuers(tmp_path: Path) -> None:
    (tmp_path / "about.toml").write_text('environment = "21 °C"\nprotest = "until 18:00"\n')
    record = judged(tmp_path, structs.replace(EVENT, environment="24 °C"))
    assert (about_of(record).environment, about_of(record).protest) == ("24 °C", "until 18:00")


def test_the_form_shows_what_the_issuer_states_and_stays_folded_until_something_is_typed(
    referee: Person, station: Station
) -> None:
    (station.home / "about.toml").write_text('environment = "21 °C <hall>"\n')
    page = referee.get(referee.at("/settings"))
    assert 'placeholder="21 °C &lt;hall&gt;"' in page
    assert '<details class="full"><summary>On the certificate' in page
    referee.announce(**OF_EVENT)
    page = referee.get(referee.at("/settings"))
    assert '<details class="full" open><summary>On the certificate' in page
    assert 'value="21 °C, 45 % &lt;dry&gt;"' in page


def test_an_event_that_states_nothing_is_entered_as_before(referee: Person, station: Station) -> None:
    with station.registry.reading() as connection:
        event = event_of(connection, referee.event)
    assert event is not None
    assert not re.search("environment|protest|customer|contact", encoded(event))


def encoded(event: EventSet) -> str:
    return msgspec.json.encode(event).decode()


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("environment", "x" * 201, "Environment"),
        ("protest", "jury \u202e", "Protests"),
    ],
)
def test_what_cannot_be_printed_is_refused_at_its_field(referee: Person, field: str, typed: str, said: str) -> None:
    form = {"sheet": "icf-2001-it", "name": "Cup", "since": "2026-11-16", "until": "2026-11-17", field: typed}
    page = referee.post("/events/new", form, 422)
    fault = re.search(rf'id="{field}fault">([^<]+)', page)
    assert fault is not None
    assert said in fault[1]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"received_on": "2026-11-17"}, "Date of receipt: lies after the inspection"),
        ({"received_on": "yesterday"}, "Give a day such as"),
        ({"remarks": "x\n" * 13}, "there are 13 remarks, at most 12 are printed"),
        ({"remarks": "x" * 4001}, "4000"),
        ({"serial": "\u202e12"}, "Serial number"),
    ],
)
def test_a_decision_that_states_what_cannot_be_is_not_taken(referee: Person, typed: dict[str, str], said: str) -> None:
    ticket = referee.inspect()
    page = referee.decide(ticket, "approve", 409, maker="Synco", **typed)
    fault = re.search(r'role="alert">(.+?)</div>', page, re.DOTALL)
    assert fault is not None
    assert said in fault[1]
    assert 'value="Synco"' in page


def test_what_was_stated_is_still_there_when_the_decision_is_made_anew(referee: Person) -> None:
    ticket = referee.inspect()
    referee.decide(ticket, "condition", because="wet", after="1", **OF_PIECE)
    page = referee.get(referee.at(f"/tickets/{ticket}"))
    assert 'value="Synco &lt;Mumbai&gt;"' in page
    assert "Rim polished.\nSmall scratch &amp; dent.</textarea>" in page


def test_a_paper_that_states_more_than_the_signed_decision_is_not_made(referee: Person, station: Station) -> None:
    ticket = referee.inspect()
    with station.registry.writing() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        record = open_record(station.registry.shelf.take(connection, seen.record))
        said = Decided(ticket, seen.event, "approve", "Renata")
        content = decided_record(record, seen, structs.replace(said, remarks=("Best of all.",)), "en").canonical()
        kept = File("record", station.registry.shelf.put(connection, content), len(content))
        append(connection, structs.replace(said, record=kept.sha256, evidence=(kept,)), NOW, station.seal)
    maker = CertificateWorker(station)
    assert maker.make_all() == 0
    assert "something else than the inspection's" in " ".join(map(str, maker.troubles.values()))
