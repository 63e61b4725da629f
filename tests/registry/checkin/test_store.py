"""The tables of a check-in desk on both databases: inspections, decisions, people, drafts, and what many desks do to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from inspect_kit.certificate.issue.keys import own_keyring, unlock
from inspect_kit.certificate.issue.seals import desk_key
from inspect_kit.errors import BrokenSeal, UsageError
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.checkin import accounts
from inspect_kit.registry.checkin.accounts import RightPins, pin_holds
from inspect_kit.registry.checkin.entries import AccountSet, Decided, EventSet, ExpectedItem, Recorded
from inspect_kit.registry.checkin.store import (  # fmt: skip
    EvidenceFile,
    acts,
    all_events,
    decide,
    event_of,
    inspection,
    inspections,
    queue,
    record,
    recorded,
    set_event,
    ticket_from,
    unissued,
)
from inspect_kit.registry.opening import Registry, open_registry
from inspect_kit.registry.write_queue import queued
from inspect_kit.station.station import CertificateWorker, Station, open_station
from tests.registry.conftest import NOW
from tests.station.conftest import PINS, ROLES, Person, new_client

EVENT = "BCDFGHJKLNPRSTVW"


@pytest.fixture(autouse=True)
def _quick_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture(params=["sqlite", "postgresql"])
def registry(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Registry]:
    """As the station opens it, with an event."""
    url = request.getfixturevalue("empty_database") if request.param == "postgresql" else ""
    opened = open_registry(tmp_path, url)
    made = queued(opened)
    body = EventSet(EVENT, "Czech Open", "2026-11-16", "2026-11-18", "icf-2001-it", "guarded", "Renata",
                    expected=(ExpectedItem("striker", 0, 2),))  # fmt: skip
    set_event(made, body, b"house", NOW)
    yield made
    made.engine.dispose()
    opened.engine.dispose()


@pytest.fixture
def enter(registry: Registry) -> Callable[..., str]:
    def one(number: int, owner: str = "Jan", text: str = "Striker", retest: str = "") -> str:
        ticket = ticket_from(number)
        content = f"record {number}".encode()
        body = Recorded(ticket, EVENT, "striker", text, owner, "conforms", "", "Tomáš", retest_of=retest)
        photo = EvidenceFile("photo", f"JPEG of {number}".encode(), "p.jpg")
        record(registry, body, [EvidenceFile("record", content), photo], NOW)
        return ticket

    return one


def _decision(ticket: str, decision: str = "approve", by: str = "Renata", digest: str = "") -> Decided:
    return Decided(ticket, EVENT, decision, by, record=digest)


def test_an_event_is_kept_with_its_house_rules_and_its_last_settings_count(registry: Registry) -> None:
    with registry.reading() as connection:
        found = event_of(connection, EVENT)
        assert found is not None
        assert found.house is not None
        assert registry.shelf.take(connection, found.house.sha256) == b"house"
    set_event(registry, EventSet(EVENT, "Renamed", "2026-11-16", "2026-11-18", "icf-cs", "simple", "Oskar"), None, NOW)
    with registry.reading() as connection:
        assert [event.name for event in all_events(connection)] == ["Renamed"]


def test_an_inspection_sent_twice_is_entered_once(registry: Registry, enter: Callable[..., str]) -> None:
    assert enter(1) == enter(1)
    with registry.reading() as connection:
        (seen,) = inspections(connection, EVENT)
        assert seen.attempt == 1
        assert [file.role for file in recorded(connection, seen).evidence] == ["record", "photo"]


def test_handing_in_again_is_counted_and_a_retest_is_linked(registry: Registry, enter: Callable[..., str]) -> None:
    first, second = enter(1), enter(2)
    third = enter(3, retest=second)
    with registry.reading() as connection:
        assert [seen.attempt for seen in inspections(connection, EVENT)] == [1, 2]
        again = inspection(connection, second)
        assert again is not None
        assert again.retested == third
    with pytest.raises(UsageError, match="already tested again"):
        enter(4, retest=second)
    with pytest.raises(UsageError, match="no such inspection"):
        enter(5, retest=ticket_from(99))
    del first


def test_a_decision_is_entered_once_and_no_second_one_follows(registry: Registry, enter: Callable[..., str]) -> None:
    ticket = enter(1)
    for _ in range(2):
        decide(registry, _decision(ticket), [], NOW)
    with pytest.raises(UsageError, match="Renata has decided"):
        decide(registry, _decision(ticket, "reject", "Oskar"), [], NOW)
    with registry.reading() as connection:
        assert [entry.kind for entry, _ in acts(connection, ticket)] == ["recorded", "decided"]
    with pytest.raises(UsageError, match="no such inspection"):
        decide(registry, _decision(ticket_from(77)), [], NOW)


def test_a_condition_can_be_followed_by_a_decision(registry: Registry, enter: Callable[..., str]) -> None:
    ticket = enter(1)
    decide(registry, _decision(ticket, "condition"), [], NOW)
    with registry.reading() as connection:
        assert [seen.ticket for seen in queue(connection, EVENT, "condition")] == [ticket]
    decide(registry, _decision(ticket, "reject"), [], NOW)
    with registry.reading() as connection:
        assert queue(connection, EVENT, "condition") == []


def test_a_quota_holds_when_two_referees_decide_at_the_same_time(registry: Registry, enter: Callable[..., str]) -> None:
    tickets = [enter(number, text=f"S{number}") for number in range(6)]

    def tried(ticket: str) -> str:
        try:
            decide(registry, _decision(ticket), [], NOW, most=2)
        except UsageError as problem:
            return str(problem)
        return ""

    with ThreadPoolExecutor(6) as referees:
        came = list(referees.map(tried, tickets))
    assert came.count("") == 2
    assert all("at most 2 are allowed" in each for each in came if each)


def test_desks_at_once_lose_and_double_nothing(registry: Registry, enter: Callable[..., str]) -> None:
    def desk(number: int) -> None:
        for turn in range(5):
            ticket = enter(100 * number + turn, owner=f"P{number}-{turn}")
            decide(registry, _decision(ticket, digest=f"{number:032d}{turn:032d}"), [], NOW)

    with ThreadPoolExecutor(10) as desks:
        list(desks.map(desk, range(1, 11)))
    with registry.reading() as connection:
        seen = inspections(connection, EVENT)
        assert len(seen) == len({each.owner for each in seen}) == 50
        assert {each.decision for each in seen} == {"approve"}
        assert len(unissued(connection)) == 50
    assert audit(registry, lambda _: lambda _: None).faults == ()


def test_evidence_that_was_changed_is_a_broken_seal(registry: Registry) -> None:
    with registry.reading() as connection, pytest.raises(BrokenSeal):
        registry.shelf.take(connection, "0" * 64)


def test_a_pin_holds_for_its_name_only_and_until_it_is_changed(registry: Registry) -> None:
    right = RightPins()
    accounts.set_account(registry, AccountSet("Renata", "referee", by="test"), "402861", NOW)
    assert [pin_holds(registry, "Renata", pin, right) for pin in ("402861", "402861", "402862", "")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert not pin_holds(registry, "Oskar", "402861", right)
    accounts.set_account(registry, AccountSet("Renata", "referee", by="test"), "739104", NOW)
    assert not pin_holds(registry, "Renata", "402861", right)
    assert pin_holds(registry, "Renata", "739104", right)
    accounts.set_account(registry, AccountSet("Renata", "referee", by="test", active=False), None, NOW)
    assert not pin_holds(registry, "Renata", "739104", right)


def test_a_pin_that_was_right_is_not_hashed_slowly_again(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts.set_account(registry, AccountSet("Renata", "referee", by="test"), "402861", NOW)
    right = RightPins()
    assert pin_holds(registry, "Renata", "402861", right)
    assert "402861" not in repr(right)

    class Unused:
        def verify(self, *_: str) -> bool:
            raise AssertionError("hashed again")

    monkeypatch.setattr(accounts, "_HASHER", Unused())
    assert pin_holds(registry, "Renata", "402861", right)
    with pytest.raises(AssertionError, match="hashed again"):
        pin_holds(registry, "Renata", "000001", right)


def test_a_session_ends_with_its_time_and_with_a_new_pin(registry: Registry) -> None:
    accounts.set_account(registry, AccountSet("Renata", "referee", by="test"), "402861", NOW)
    later = NOW + timedelta(hours=1)
    accounts.open_session(registry, b"s", "d" * 64, "Renata", (NOW, later))
    with registry.reading() as connection:
        found = accounts.who_is(connection, b"s", "d" * 64, NOW)
        assert found is not None
        assert found.name == "Renata"
        assert accounts.who_is(connection, b"s", "d" * 64, later + timedelta(seconds=1)) is None
    accounts.set_account(registry, AccountSet("Renata", "referee", by="test"), "739104", NOW)
    with registry.reading() as connection:
        assert accounts.who_is(connection, b"s", "d" * 64, NOW) is None


def test_a_draft_is_its_writers_own(registry: Registry) -> None:
    for text in ("one", "two"):
        accounts.keep_draft(registry, EVENT, EVENT, "Tomáš", text, NOW)
    with registry.reading() as connection:
        assert accounts.draft(connection, EVENT, "Tomáš") == (EVENT, "two")
        assert accounts.draft(connection, EVENT, "Renata") is None
        assert len(accounts.drafts(connection, EVENT, "Tomáš")) == 1
    accounts.drop_draft(registry, EVENT, "Tomáš")
    with registry.reading() as connection:
        assert accounts.draft(connection, EVENT, "Tomáš") is None


def test_two_stations_on_one_shared_registry_issue_each_certificate_once(home: Path, empty_database: str) -> None:
    shared = open_registry(home, empty_database)
    for name, pin in PINS.items():
        accounts.set_account(shared, AccountSet(name, ROLES[name], by="test"), pin, NOW, desk_key(home).seal)
    keys = unlock(home, "", None)
    stations = [
        open_station(Station(home, open_registry(home, empty_database), keys, (own_keyring(home),), now=lambda: NOW))
        for _ in range(2)
    ]
    first, second = (Person(new_client(station)).sign_in("Renata") for station in stations)
    first.announce()
    second.event = first.event
    tickets = [person.inspect(f"P{number}") for number, person in enumerate((first, second, first))]
    for ticket in tickets:
        second.decide(ticket, "approve")
    with ThreadPoolExecutor(2) as makers:
        made = list(makers.map(lambda station: CertificateWorker(station).make_all(), stations))
    assert sum(made) == 3
    with shared.reading() as connection:
        numbers = sorted(seen.number for seen in inspections(connection, first.event))
    assert [number[:15] for number in numbers] == ["PCK-2026-000001", "PCK-2026-000002", "PCK-2026-000003"]
    assert audit(shared, lambda _: lambda _: None).faults == ()
    for each in (shared, *(station.registry for station in stations)):
        each.engine.dispose()
