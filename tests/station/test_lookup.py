"""Look-up at the table: valid or not, for whom, until when."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import segno

from inspect_kit.certificate.issue.seals import TimeAuthorities
from inspect_kit.certificate.issue.verify import verify_qr
from inspect_kit.registry.amendments import revoke
from inspect_kit.registry.checkin.store import inspection, inspections
from inspect_kit.registry.log.cosigner import open_cosigner
from inspect_kit.registry.log.tree import checkpoint, keep_checkpoint, request_since
from inspect_kit.registry.search import find
from inspect_kit.station.station import CertificateWorker, Station
from tests.station.conftest import NOW, Person, new_client, striker_form

Join = Callable[[str], Person]


@pytest.fixture
def number(referee: Person, station: Station, photo: bytes) -> str:
    """An approved striker's certificate."""
    ticket = referee.inspect(files={"photo": ("p.jpg", photo, "image/jpeg")})
    referee.decide(ticket, "approve")
    CertificateWorker(station).make_all()
    found = re.search(r"PCK-2026-\d{6}-\w", referee.get(referee.at(f"/tickets/{ticket}")))
    assert found is not None
    return found[0]


def headline(page: str) -> str:
    found = re.search(r'id="answer"[^>]*>([^<]+)<', page)
    assert found is not None
    return found[1]


def qr_of(station: Station, number: str) -> str:
    with station.registry.reading() as connection:
        standing = find(connection, number)
    assert standing is not None
    return standing.qr


def test_a_viewer_sees_for_whom_and_until_when_with_the_photo(number: str, joined: Join) -> None:
    page = joined("Vera").get(f"/look-up?q={number.lower().replace('-', ' ')}")
    assert headline(page) == "Valid"
    for text in ("Jan Novák", "Czech Open", "18\u00a0November 2026", "/photo"):
        assert text in page


def test_the_text_of_the_code_is_verified(number: str, joined: Join, station: Station) -> None:
    text = qr_of(station, number)
    viewer = joined("Vera")
    assert headline(viewer.get(f"/look-up?q={text}")) == "Valid"
    swapped = text[:-9] + ("B" if text[-9] != "B" else "C") + text[-8:]
    assert headline(viewer.get(f"/look-up?q={swapped}")) != "Valid"


def test_a_photograph_of_the_code_is_read(number: str, joined: Join, station: Station) -> None:
    buffer = io.BytesIO()
    segno.make(qr_of(station, number), error="m").save(buffer, kind="png", scale=12, border=6)
    viewer = joined("Vera")
    viewer.get("/look-up")
    page = viewer.post("/look-up", {}, files={"photo": ("c.png", buffer.getvalue(), "image/png")})
    assert headline(page) == "Valid"


def test_a_photograph_without_a_code_is_refused_in_a_sentence(joined: Join, photo: bytes) -> None:
    viewer = joined("Vera")
    viewer.get("/look-up")
    page = viewer.post("/look-up", {}, 422, files={"photo": ("c.jpg", photo, "image/jpeg")})
    assert "No code can be read" in page


def test_what_was_revoked_is_not_valid(number: str, joined: Join, station: Station) -> None:
    revoke(station.registry, number, "broken in play", "Renata", NOW)
    page = joined("Vera").get(f"/look-up?q={number}")
    assert headline(page) == "Not valid"
    assert "revoked" in page


def test_what_failed_since_is_not_valid(number: str, referee: Person, station: Station) -> None:
    referee.decide(referee.inspect(mass="15.40"), "reject")
    # Another striker of that player says nothing about this one.
    assert headline(referee.get(f"/look-up?q={number}")) == "Valid"
    with station.registry.reading() as connection:
        first = inspections(connection, referee.event, item="striker")[0].ticket
    referee.decide(referee.inspect(mass="15.40", again=first), "reject")
    assert headline(referee.get(f"/look-up?q={number}")) == "Not valid"


def test_a_condition_is_shown_with_its_match(referee: Person, joined: Join) -> None:
    ticket = referee.inspect(mass="14.99")
    referee.decide(ticket, "condition", after="Match 12")
    page = joined("Vera").get(f"/look-up?q={ticket[:4]}-{ticket[4:8]}-{ticket[8:12]}-{ticket[12:]}")
    assert headline(page) == "May play on a condition"
    assert "Match 12" in page


@pytest.mark.parametrize(
    "asked", ["nonsense", "PCK-2026-000999-P", "BCDEFGHJKLNPRSTU", "KIT" + "B" * 300, "%00", "' OR 1=1"]
)
def test_what_is_not_known_is_not_found(referee: Person, asked: str) -> None:
    assert headline(referee.get("/look-up?q=" + asked.replace(" ", "+"))) in ("Not found", "Not valid")


def test_nobody_looks_up_without_signing_in(referee: Person, number: str) -> None:
    referee.client.cookies.clear()
    referee.get(f"/look-up?q={number}")
    assert "/sign-in" in str(referee.last.url)
    assert "Jan Novák" not in referee.last.text


def test_a_measured_striker_is_shown_cut_out_with_its_outline(
    referee: Person, joined: Join, plain_striker: bytes
) -> None:
    ticket = referee.inspect(files={"photo": ("p.jpg", plain_striker, "image/jpeg")})
    page = joined("Vera").get(f"/look-up?q={ticket}")
    assert '<polygon class="outline"' in page
    assert f"/tickets/{ticket}/photo" in page


@pytest.fixture
def in_india(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Five and a half hours ahead of the time in which entries are kept."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Kolkata")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_india")
def test_an_approval_for_the_day_just_after_midnight_holds_on_that_day(station: Station) -> None:
    late = replace(station, now=lambda: datetime(2026, 11, 16, 19, 30, tzinfo=UTC))
    referee = Person(new_client(late)).sign_in("Renata").announce(daily="on")
    ticket = referee.inspect()
    referee.decide(ticket, "approve")
    assert headline(referee.get(f"/look-up?q={ticket}")) == "Valid"
    next_day = replace(station, now=lambda: datetime(2026, 11, 17, 19, 30, tzinfo=UTC))
    later = Person(new_client(next_day)).sign_in("Renata")
    assert headline(later.get(f"/look-up?q={ticket}")) == "Not valid"


def test_three_strikers_of_one_player_are_three_pieces_and_each_look_up_answers_for_its_own(
    referee: Person, station: Station
) -> None:
    tickets = [referee.inspect("Jan Novák") for _ in range(3)]
    for ticket, decision in zip(tickets, ("approve", "reject", "approve"), strict=True):
        referee.decide(ticket, decision, because="Chipped" if decision == "reject" else "")
    CertificateWorker(station).make_all()
    with station.registry.reading() as connection:
        seen = [inspection(connection, ticket) for ticket in tickets]
    assert [each.text for each in seen if each] == ["Striker", "Striker 2", "Striker 3"]
    answers = ["Valid" in referee.get(f"/look-up?q={ticket}") for ticket in tickets]
    numbers = [each.number for each in seen if each and each.number]
    assert answers == [True, False, True]
    assert len(numbers) == 2
    for number in numbers:
        assert "Valid" in referee.get(f"/look-up?q={number}")


def test_the_quota_counts_pieces_and_players_however_they_are_written(referee: Person) -> None:
    for name in ("Jan Novák", "Jan Novák"):
        referee.decide(referee.inspect(name), "approve")
    third = referee.inspect("Jan Novák")
    assert "at most 2 are allowed" in referee.decide(third, "approve", 409)
    page = referee.get(referee.at("/desk/striker"))
    data = striker_form(page, "Novak Jan")
    assert "Is this Jan Novák?" in referee.post(referee.at("/desk/striker"), data, 422)
    referee.post(referee.at("/desk/striker"), {**data, "other_player": "1"})
    assert "Novak Jan" in referee.last.text


def test_a_piece_that_is_handed_in_again_stays_that_piece_and_that_players(referee: Person, station: Station) -> None:
    first = referee.inspect("Jan Novák", mass="15.40")
    referee.decide(first, "reject")
    page = referee.get(referee.at(f"/desk/striker?again={first}"))
    data = {**striker_form(page, "Jan Novák"), "again": first}
    assert "belongs to Jan Novák" in referee.post(referee.at("/desk/striker"), {**data, "owner": "Eva Malá"}, 422)
    referee.post(referee.at("/desk/striker"), data)
    with station.registry.reading() as connection:
        texts = {each.text for each in inspections(connection, referee.event, item="striker")}
    assert texts == {"Striker"}


def test_the_look_up_names_the_witnesses_that_verify_names(
    number: str, referee: Person, station: Station, tmp_path: Path
) -> None:
    """Both rest on the same: what the log says, and whom this home believes."""
    assert station.key is not None
    witness = open_cosigner(tmp_path, "sister.example/desk-2")
    with station.registry.writing() as connection:
        asked = request_since(connection, checkpoint(connection, "PCK").signed(station.key.qr_key), 0)
        keep_checkpoint(connection, witness.cosign(asked, NOW + timedelta(seconds=1)))
    believing = replace(station, believed=TimeAuthorities((witness.verifier,)))
    seen = verify_qr(qr_of(station, number), believing.trust)
    (said,) = (check.said() for check in seen.checks if check.name == "log")
    assert "in the log, seen by 1 witness up to" in said
    viewer = Person(new_client(believing)).sign_in("Vera")
    for asked_for in (number, qr_of(station, number)):
        page = viewer.get(f"/look-up?q={asked_for}")
        assert headline(page) == "Valid"
        assert said in page


def test_a_log_that_is_not_the_one_that_was_witnessed_is_valid_to_no_look_up(
    number: str, station: Station, tmp_path: Path
) -> None:
    assert station.key is not None
    with station.registry.writing() as connection:
        true = checkpoint(connection, "PCK")
        keep_checkpoint(connection, replace(true, root=b"x" * 32).signed(station.key.qr_key))
    viewer = Person(new_client(station)).sign_in("Vera")
    assert headline(viewer.get(f"/look-up?q={number}")) == "Not valid"
    assert "verdict top-gap fails" in Person(new_client(station)).get(f"/check?q={number}")
