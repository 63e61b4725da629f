"""The desk from sign-in to certificate, as a browser without scripts walks it."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from collections.abc import Callable
from threading import Thread

import pikepdf
import pytest

from inspect_kit.capture.connections import Connection, connections_file, connections_text
from inspect_kit.capture.line import Address
from inspect_kit.capture.simulated_replies import Display
from inspect_kit.capture.simulator import Simulation, script_of, simulated
from inspect_kit.certificate.issue.verify import TrustContext, verify_pdf
from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import RawReading, open_record
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.checkin.store import inspection
from inspect_kit.station.station import CertificateWorker, Station
from tests.station.conftest import NOW, Person, names_of, striker_form

Join = Callable[[str], Person]


def made(station: Station) -> int:
    return CertificateWorker(station).make_all()


def test_a_striker_that_conforms_ends_in_a_certificate_that_verifies(
    referee: Person, station: Station, photo: bytes
) -> None:
    ticket = referee.inspect(files={"photo": ("../../etc/passwd", photo, "text/html")})
    assert "Conforms" in referee.last.text
    referee.decide(ticket, "approve")
    assert made(station) == 1
    page = referee.get(referee.at(f"/tickets/{ticket}"))
    assert "Certificate PCK-2026-000001-" in page
    pdf = referee.client.get(referee.at(f"/tickets/{ticket}/certificate.pdf"))
    assert pdf.headers["content-type"] == "application/pdf"
    seen = verify_pdf(pdf.content, TrustContext(station.keyrings, "PCK", station.registry, NOW.date()))
    assert seen.holds, seen.checks
    assert seen.event == "Czech Open"
    label = referee.client.get(referee.at(f"/tickets/{ticket}/label.pdf"))
    assert label.content.startswith(b"%PDF")
    picture = referee.client.get(referee.at(f"/tickets/{ticket}/photo"))
    assert picture.headers["content-type"] == "image/jpeg"
    assert audit(station.registry, lambda _: lambda _: None).faults == ()


def test_a_photo_approves_one_piece_and_no_other(referee: Person, station: Station, photo: bytes) -> None:
    first = referee.inspect(files={"photo": ("first.jpg", photo, "image/jpeg")})
    referee.decide(first, "approve")
    other = referee.inspect(files={"photo": ("other.jpg", photo, "image/jpeg")}, owner="Jana Dvořáková")
    referee.decide(other, "approve", status=409)
    assert first in referee.last.text
    assert made(station) == 1
    referee.decide(other, "reject", because="Not photographed")


def test_a_certificate_is_made_once_however_often_the_maker_looks(referee: Person, station: Station) -> None:
    referee.decide(referee.inspect(), "approve")
    assert [made(station), made(station)] == [1, 0]


def test_a_heavy_striker_gets_a_slip_that_says_what_to_change(referee: Person) -> None:
    ticket = referee.inspect(mass="15.40")
    assert "Does not conform" in referee.last.text
    assert "above the upper limit" in referee.last.text
    assert "ICF C" in referee.last.text
    referee.decide(ticket, "reject")
    slip = referee.get(referee.at(f"/tickets/{ticket}/slip"))
    assert "Not admitted" in slip
    assert "It is too much: bring it within ≤ 15" in re.sub(r"\s", " ", slip)


def test_what_is_handed_in_again_is_counted(referee: Person) -> None:
    first = referee.inspect(mass="15.40")
    referee.decide(first, "reject")
    assert f"/desk/striker?again={first}" in referee.get(referee.at(f"/tickets/{first}"))
    referee.inspect(mass="14.70", again=first)
    assert "attempt 2" in referee.last.text
    # Another striker of the same player is another piece, whatever it is called.
    referee.inspect(mass="14.70")
    assert "attempt 2" not in referee.last.text


def test_a_second_test_needs_a_second_instrument_and_is_linked_to_the_first(referee: Person, station: Station) -> None:
    first = referee.inspect(mass="15.01")
    page = referee.get(referee.at(f"/desk/striker?retest={first}"))
    data = {**striker_form(page, "Jan Novák"), "retest": first}
    referee.post(referee.at("/desk/striker"), data, 422)
    assert "another instrument than" in referee.last.text
    data |= {"gauge_g": "scale-3kg", "gauge_mm": "micrometer-25"}
    data |= {names_of(page)["diameter"]: "", "gauge_mm": ""}
    referee.post(referee.at("/desk/striker"), data)
    second = str(referee.last.url).rsplit("/", 1)[-1]
    with station.registry.reading() as connection:
        linked, was = inspection(connection, second), inspection(connection, first)
    assert linked is not None
    assert was is not None
    assert (linked.retest_of, was.retested, linked.attempt) == (first, second, 1)
    referee.decide(first, "reject", 409)


def test_a_doubtful_striker_may_play_on_a_condition_and_stays_in_view(referee: Person, station: Station) -> None:
    ticket = referee.inspect(mass="14.99")
    assert "Not decided" in referee.last.text
    referee.decide(ticket, "condition", after="Match 12")
    assert "Match 12" in referee.get(referee.at())
    assert "Match 12" in referee.get(referee.at("/desk/striker"))
    referee.decide(ticket, "reject", because="too heavy on the second scale")
    assert "Match 12" not in referee.get(referee.at())
    assert made(station) == 0


def test_a_form_that_arrives_twice_is_entered_once(referee: Person) -> None:
    page = referee.get(referee.at("/desk/striker"))
    data = striker_form(page, "Jan Novák")
    tickets = set()
    for _ in range(2):
        referee.post(referee.at("/desk/striker"), data)
        tickets.add(str(referee.last.url))
    assert len(tickets) == 1
    assert "waits for a decision" in referee.get(referee.at())
    assert referee.last.text.count("Jan Novák") == 2  # once in the queue, once in the list of everything


def test_a_decision_that_arrives_twice_is_entered_once(referee: Person, station: Station) -> None:
    ticket = referee.inspect()
    referee.decide(ticket, "approve")
    page = referee.decide(ticket, "approve")
    assert page.count("<b>Decided</b>") == 1


def test_a_value_that_cannot_be_used_is_said_beside_its_field_and_nothing_is_lost(referee: Person) -> None:
    referee.inspect(mass="heavy", status=422)
    assert 'value="Jan Novák"' in referee.last.text
    assert 'value="heavy"' in referee.last.text
    assert 'aria-invalid="true"' in referee.last.text


@pytest.mark.parametrize("typed", ["14,82", "14.82 g", "0.01482 kg", "ST,+00014.82  g"])
def test_mass_is_taken_as_people_and_keyboard_wedges_type_it(referee: Person, typed: str) -> None:
    referee.inspect(mass=typed)
    assert "14.82" in referee.last.text
    assert "Conforms" in referee.last.text


def test_an_unstable_line_of_a_scale_is_refused(referee: Person) -> None:
    referee.inspect(mass="US,+00014.82  g", status=422)


def test_a_badge_gives_the_players_name(referee: Person) -> None:
    referee.inspect(owner="MECARD:N:Novák,Jan;TEL:1;;")
    assert "Jan Novák" in referee.last.text


def test_a_scale_on_a_port_fills_in_the_mass(referee: Person, station: Station, scale_port: str) -> None:
    link = Connection(Address(scale_port), "mt-sics")
    connections_file(station.home).write_text(connections_text({"scale-200g": link}))
    page = referee.get(referee.at("/desk/striker"))
    assert "Weigh" in page
    data = {**striker_form(page, "Jan Novák"), names_of(page)["mass"]: "", "weigh": "1"}
    page = referee.post(referee.at("/desk/striker"), data)
    assert 'value="14.82 g"' in page
    sent = f"sent_{names_of(page)['mass']}"
    carried = re.search(rf'name="{sent}" value="([^"]+)"', page)
    assert carried is not None
    data = {**striker_form(page, "Jan Novák"), names_of(page)["mass"]: "14.82 g", sent: carried[1]}
    broken = {sent: carried[1][:-8] + "AAAAAAA=", "ticket": station.ticket()}
    for extra, raw in (({}, "S S      14.82 g"), ({"ticket": station.ticket()}, "14.82 g"), (broken, "14.82 g")):
        # A line that does not carry the station's seal, or was read for another piece, is nobody's.
        referee.post(referee.at("/desk/striker"), {**data, **extra})
        reading = _recorded(referee, station, "striker.mass")
        assert reading.raw == raw
        assert bool(reading.time) == (raw != "14.82 g")
        assert reading.instrument == "scale-200g"


def _recorded(person: Person, station: Station, characteristic: str) -> RawReading:
    ticket = str(person.last.url).rpartition("/")[2]
    with station.registry.reading() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        record = open_record(station.registry.shelf.take(connection, seen.record))
    return next(each for each in record.readings if each.characteristic == characteristic)


def test_the_scale_is_seen_settling_and_then_standing_still(referee: Person, station: Station) -> None:
    shown = Simulation("mt-sics", Display("14.82"), script_of("unstable,unstable,stable"))
    with simulated(shown) as scale:
        link = Connection(Address(scale.port), "mt-sics")
        connections_file(station.home).write_text(connections_text({"scale-200g": link}))
        referee.get(referee.at("/desk/striker"))
        lines = [json.loads(line) for line in referee.post(referee.at("/desk/striker/weigh"), {}).splitlines()]
    # The stable value is read once more before it counts.
    assert list(dict.fromkeys(line["moving"] for line in lines[:-1])) == ["14.84 g", "14.85 g", "14.82 g"]
    assert lines[-1].pop("sent")
    assert lines[-1] == {"value": "14.82 g", "raw": "S S      14.82 g", "instrument": "scale-200g"}


@pytest.mark.parametrize(
    ("values", "came"), [(("0.00", "0.00", "14.82"), "14.82"), (("0.00",), "nothing lies on the scale")]
)
def test_an_empty_pan_is_no_mass(station: Station, values: tuple[str, ...], came: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        Thread(target=_shows, args=(door, values), daemon=True).start()
        link = Connection(Address(f"socket://127.0.0.1:{door.getsockname()[1]}"), "mt-sics")
        connections_file(station.home).write_text(connections_text({"scale-200g": link}))
        try:
            told = station.read("g", seconds=4 if len(values) > 1 else 0.5)[1].value
        except BadInput as problem:
            told = str(problem)
    assert came in told


def _shows(door: socket.socket, values: tuple[str, ...]) -> None:
    """A scale that shows one value after the other, each time it is asked; the last one stays."""
    asked = 0
    with contextlib.suppress(OSError):
        while True:
            line = door.accept()[0]
            with line:
                while sent := line.recv(64):
                    weighs = sent[:1] == b"S"
                    value = values[min(asked, len(values) - 1)]
                    line.sendall(f"S S {value:>10} g\r\n".encode() if weighs else b"ES\r\n")
                    asked += weighs


def test_a_scale_that_is_overloaded_or_gone_is_a_sentence(referee: Person, station: Station) -> None:
    for port, words in (("overload", "overloaded"), ("", "no such port")):
        with simulated(Simulation("mt-sics", Display("14.82"), script_of(port or "stable"))) as scale:
            link = Connection(Address(scale.port if port else "/dev/nowhere"), "mt-sics")
            connections_file(station.home).write_text(connections_text({"scale-200g": link}))
            referee.get(referee.at("/desk/striker"))
            told = json.loads(referee.post(referee.at("/desk/striker/weigh"), {}).splitlines()[-1])
            assert words in told["fault"]


def test_a_quota_is_kept_per_player(referee: Person) -> None:
    for label in ("1", "2"):
        referee.decide(referee.inspect(text=label), "approve")
    third = referee.inspect(text="3")
    assert "at most 2 are allowed" in referee.decide(third, "approve", 409)


def test_progress_shows_what_is_approved_failed_waiting_and_not_yet_seen(referee: Person) -> None:
    referee.decide(referee.inspect("A"), "approve")
    referee.decide(referee.inspect("B", mass="16"), "reject")
    referee.inspect("C")
    page = referee.get(referee.at())
    assert "approved 1, not admitted 1, may play, inspection after the match 0, waits for a decision 1" in page
    assert "not yet seen 3" in page
    printed = referee.get(referee.at("/list"))
    assert printed.count('class="line"') == 6 + 1
    assert "Signature" in printed


def test_the_reason_of_an_override_is_printed(referee: Person, station: Station) -> None:
    ticket = referee.inspect(mass="15.40")
    referee.decide(ticket, "approve", 409)
    assert "say why" in referee.last.text
    referee.decide(ticket, "approve", because="Scale of the hall was found 0.5 g off")
    assert made(station) == 1
    pdf = referee.client.get(referee.at(f"/tickets/{ticket}/certificate.pdf")).content
    assert b"Scale of the hall was found 0.5 g off" in _record_in(pdf)
    seen = verify_pdf(pdf, TrustContext(station.keyrings, "PCK", station.registry, NOW.date()))
    assert seen.holds
    assert seen.verdict == "fails"


def _record_in(pdf: bytes) -> bytes:
    import io

    with pikepdf.open(io.BytesIO(pdf)) as document:
        return bytes(document.attachments["record.json"].get_file().read_bytes())


def test_house_rules_of_the_event_are_applied(referee: Person) -> None:
    house = """
format = 1
id = "club"
title = "Club rules"
over = "icf-2001-it"
standing = "house"
because = "Our boards are slow."
disclaimer = "Rules of the club, not of the federation."

[[clause]]
characteristic = "striker.mass"
limits = { upper = "14.5 g" }
because = "Lighter strikers suit our boards."
"""
    referee.announce(house=house)
    page = referee.get(referee.at())
    if "House rules" not in page:
        pytest.fail(referee.last.text[:500])
    referee.inspect(mass="14.82")
    assert "Does not conform" in referee.last.text


def test_house_rules_with_a_fault_are_refused_with_its_place(referee: Person) -> None:
    referee.get("/events/new?sheet=icf-2001-it")
    data = {"sheet": "icf-2001-it", "name": "X", "since": "2026-11-16", "until": "2026-11-16", "house": "nonsense = 1"}
    page = referee.post("/events/new", data, 422)
    assert "house.toml" in page
    assert "/tmp/" not in page


def test_marks_and_validity_go_by_the_day(referee: Person, station: Station) -> None:
    page = referee.get(referee.at("/settings"))
    data = {"name": "Czech Open", "since": "2026-11-16", "until": "2026-11-18", "daily": "on",
            "mark_2026-11-16": "blue dot", "quota_striker": "2"}  # fmt: skip
    assert "mark_2026-11-17" in page
    referee.post(referee.at("/settings"), data)
    assert "blue dot" in referee.get(referee.at())
    ticket = referee.inspect()
    referee.decide(ticket, "approve")
    made(station)
    number = re.search(r"PCK-2026-\d{6}-\w", referee.get(referee.at(f"/tickets/{ticket}")))
    assert number is not None
    answer = referee.get(f"/look-up?q={number[0]}")
    assert "blue dot" in answer
    assert "16\u00a0November 2026" in answer


def test_a_photo_that_is_none_is_refused_and_the_rest_kept(referee: Person) -> None:
    referee.inspect(files={"photo": ("a.jpg", b"<script>alert(1)</script>", "image/jpeg")}, status=422)
    assert '<a href="#photo">This is no photo' in referee.last.text
    assert 'value="Jan Novák"' in referee.last.text
