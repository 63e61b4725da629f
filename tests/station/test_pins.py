"""One's own PIN, the one-time code of a new person, and connections that say nothing."""

from __future__ import annotations

import re
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from inspect_kit.station.station import Station
from inspect_kit.station.web import connections
from tests.station.conftest import PINS, Person, new_client
from tests.station.running import running


def _signed_in(station: Station, name: str, pin: str, status: int = 200) -> Person:
    person = Person(new_client(station))
    person.get("/sign-in")
    person.post("/sign-in", {"name": name, "pin": pin, "back": "/"}, status)
    return person


def _code(page: str) -> str:
    found = re.search(r"One-time code of [^:]+: ([A-Z0-9]{8}) ", page)
    assert found is not None, page[:2000]
    return found[1]


def test_a_new_person_gets_a_code_and_chooses_a_pin_before_anything_else(referee: Person, station: Station) -> None:
    referee.get("/people")
    code = _code(referee.post("/people", {"name": "Nina", "role": "referee", "own_pin": PINS["Renata"]}))
    assert code not in referee.get("/people")
    nina = _signed_in(station, "Nina", code)
    for path in ("/", referee.at(), "/people"):
        nina.get(path)
        assert str(nina.last.url).endswith("/own-pin")
    ticket = referee.inspect()
    nina.client.post(referee.at(f"/tickets/{ticket}/decision"), data={"decision": "approve", "pin": code})
    assert "waits for a decision" in referee.get(referee.at(f"/tickets/{ticket}"))
    nina.get("/own-pin")
    assert "not the same" in nina.post("/own-pin", {"own_pin": code, "pin": "918273", "again": "918274"}, 422)
    assert "another PIN" in nina.post("/own-pin", {"own_pin": code, "pin": code, "again": code}, 422)
    nina.post("/own-pin", {"own_pin": code, "pin": "918273", "again": "918273"})
    assert "Czech Open" in nina.get("/")
    _signed_in(station, "Nina", code, 403)
    _signed_in(station, "Nina", "918273")


def test_its_owner_changes_a_pin_and_keeps_the_part(referee: Person, station: Station) -> None:
    tester = _signed_in(station, "Tomáš", PINS["Tomáš"])
    tester.get("/own-pin")
    assert "wrong" in tester.post("/own-pin", {"own_pin": "000000", "pin": "918273", "again": "918273"}, 422)
    assert "first that anybody" in tester.post(
        "/own-pin", {"own_pin": PINS["Tomáš"], "pin": "111111", "again": "111111"}, 422
    )
    tester.post("/own-pin", {"own_pin": PINS["Tomáš"], "pin": "918273", "again": "918273"})
    assert "Tester" in tester.get("/")
    _signed_in(station, "Tomáš", PINS["Tomáš"], 403)
    assert "Tester" in _signed_in(station, "Tomáš", "918273").get("/")


def test_a_forgotten_pin_is_replaced_by_a_code(referee: Person, station: Station) -> None:
    referee.get("/people")
    form = {"name": "Tomáš", "role": "tester", "renew": "1", "own_pin": PINS["Renata"]}
    code = _code(referee.post("/people", form))
    tester = _signed_in(station, "Tomáš", code)
    tester.get("/")
    assert str(tester.last.url).endswith("/own-pin")


def test_connections_that_say_nothing_do_not_lock_everybody_out(prepared: Path, tmp_path: Path) -> None:
    import shutil

    home = tmp_path / "home"
    shutil.copytree(prepared, home)
    with running(home) as station:
        place = urlsplit(station.url)
        silent = []
        try:
            for number in range(450):
                line = socket.create_connection((place.hostname or "", place.port or 80))
                if number % 2:
                    line.sendall(b"POST /sign-in HTTP/1.1\r\nHost: 127")
                silent.append(line)
            for line in silent[:60]:
                line.close()
            assert _answers(f"{station.url}/sign-in") == 200
        finally:
            for line in silent:
                line.close()


def _answers(url: str) -> int:
    """The status, once the station has room for another connection of this machine."""
    for _ in range(60):
        try:
            return httpx2.get(url, timeout=10).status_code
        except httpx2.HTTPError:
            time.sleep(0.5)
    return 0


@pytest.mark.parametrize("seconds", [connections.FIRST_WORD, connections.WHOLE_REQUEST])
def test_silence_is_bounded(seconds: float) -> None:
    assert 0 < seconds <= 300
