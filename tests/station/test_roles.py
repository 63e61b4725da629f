"""Who may do what: the tester records, the referee decides, the viewer looks up; and what the chain keeps of it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from inspect_kit.checkin.roles import Act, Decision, PeopleFault, PersonsPart, Role, allowed, change_fault, overrides
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.chain import entries_after
from inspect_kit.station.app import ROUTES
from inspect_kit.station.station import CertificateWorker, Station
from tests.station.conftest import PINS, ROLES, Person, csrf, new_client

Join = Callable[[str], Person]


def test_a_tester_can_neither_validate_nor_disqualify(referee: Person, joined: Join) -> None:
    tester = joined("Tomáš")
    ticket = tester.inspect()
    assert "The chief referee decides" in tester.last.text
    assert 'name="decision"' not in tester.last.text
    for decision in Decision:
        tester.decide(ticket, decision, 403)
    assert "waits for a decision" in referee.get(referee.at())


def _addressed(path: str, event: str, ticket: str) -> str:
    """A route's address with things that are there."""
    there = {"event": event, "ticket": ticket, "item": "striker", "token": ticket, "language": "en"}
    return path.format(**there)


@pytest.mark.parametrize("who", [None, "Vera", "Tomáš", "Renata"])
def test_every_route_is_open_to_exactly_those_who_may(
    referee: Person, joined: Join, station: Station, who: str | None
) -> None:
    ticket = referee.inspect()
    person = joined(who) if who else Person(new_client(station))
    token = csrf(person.client.get("/look-up" if who else "/sign-in").text)
    for method, path, _, act in ROUTES:
        if act is None:
            continue
        address = _addressed(path, referee.event, ticket)
        answer = person.client.request(
            method, address, data={"csrf": token} if method == "POST" else None, follow_redirects=False
        )
        refused = answer.status_code == 403 or answer.headers.get("location", "").startswith("/sign-in")
        may = who is not None and allowed(ROLES[who], act)
        # A decision without its PIN is refused too, for another reason.
        if not (may and path.endswith(("/decision", "/withdraw"))):
            assert refused is not may, (method, path, answer.status_code)


def test_a_viewer_only_looks_up(referee: Person, joined: Join) -> None:
    ticket = referee.inspect()
    viewer = joined("Vera")
    viewer.get(viewer.at(f"/tickets/{ticket}"))
    viewer.get(viewer.at("/desk/striker"), 403)
    viewer.get(viewer.at("/settings"), 403)
    viewer.get("/people", 403)
    viewer.decide(ticket, "approve", 403)


def test_a_decision_needs_the_persons_own_pin(referee: Person) -> None:
    ticket = referee.inspect()
    page = referee.decide(ticket, "approve", 403, pin=PINS["Tomáš"])
    assert "The PIN is wrong" in page
    assert "waits for a decision" in referee.get(referee.at(f"/tickets/{ticket}"))


def test_after_five_wrong_pins_the_door_is_closed_even_for_the_right_one(referee: Person) -> None:
    ticket = referee.inspect()
    for _ in range(5):
        referee.decide(ticket, "approve", 403, pin="999999")
    referee.decide(ticket, "approve", 429)


def test_four_eyes_are_four_eyes(referee: Person, joined: Join) -> None:
    referee.announce(four_eyes="on")
    ticket = referee.inspect()
    assert "four eyes" in referee.decide(ticket, "approve", 409)
    other = joined("Oskar")
    assert "approved" in other.decide(ticket, "approve")


def test_every_act_is_in_the_chain_with_who_did_it(referee: Person, joined: Join, station: Station) -> None:
    ticket = joined("Tomáš").inspect()
    referee.decide(ticket, "approve")
    CertificateWorker(station).make_all()
    with station.registry.reading() as connection:
        entries = entries_after(connection, 0, 100)
    acts = [(entry.kind, getattr(entry.said(), "by", "")) for entry in entries]
    assert acts[:4] == [("account", "test")] * 4
    assert [kind for kind, _ in acts[4:]] == ["desk", "event", "recorded", "decided", "certificate"]
    assert [by for _, by in acts[4:8]] == ["Řehoř Áron", "Renata", "Tomáš", "Renata"]
    found = audit(station.registry, lambda _: lambda _: None)
    assert found.faults == ()
    assert not any("argon2" in entry.body or pin in entry.body for entry in entries for pin in PINS.values())


def test_somebody_of_one_event_sees_nothing_of_another(referee: Person, station: Station) -> None:
    secret = referee.inspect("Secret Player")
    referee.decide(secret, "approve")
    CertificateWorker(station).make_all()
    number = re.search(r"PCK-2026-\d{6}-\w", referee.get(referee.at(f"/tickets/{secret}")))
    assert number is not None
    hidden = referee.event
    referee.announce(name="Other Cup")
    referee.get("/people")
    pin = "815264"
    data = {"name": "Guest", "role": "tester", "event": referee.event, "pin": pin, "own_pin": PINS["Renata"]}
    referee.post("/people", data)
    guest = Person(new_client(station))
    guest.get("/sign-in")
    guest.post("/sign-in", {"name": "Guest", "pin": pin, "back": "/"})
    page = guest.get("/")
    assert "Other Cup" in page
    assert "Czech Open" not in page
    for rest in ("", "/list", "/desk/striker", f"/tickets/{secret}", f"/tickets/{secret}/photo",
                 f"/tickets/{secret}/certificate.pdf", f"/tickets/{secret}/slip"):  # fmt: skip
        guest.get(f"/events/{hidden}{rest}", 404)
    guest.get(f"/events/{referee.event}/tickets/{secret}", 404)
    for asked in (number[0], secret):
        assert "Secret Player" not in guest.get(f"/look-up?q={asked}")


def test_somebody_who_is_taken_out_is_signed_out(referee: Person, joined: Join) -> None:
    tester = joined("Tomáš")
    referee.get("/people")
    referee.post("/people", {"name": "Tomáš", "remove": "1", "own_pin": PINS["Renata"]})
    tester.get(tester.at("/desk/striker"))
    assert "/sign-in" in str(tester.last.url)


@pytest.mark.parametrize("pin", ["12345", "111111", "123456", "654321", "121212"])
def test_a_pin_that_anybody_would_try_is_refused(referee: Person, pin: str) -> None:
    referee.get("/people")
    data = {"name": "New", "role": "tester", "pin": pin, "own_pin": PINS["Renata"]}
    referee.post("/people", data, 422)


@pytest.mark.parametrize(
    ("role", "acts"),
    [(Role.VIEWER, {Act.LOOK_UP}), (Role.TESTER, {Act.LOOK_UP, Act.RECORD}), (Role.REFEREE, set(Act)), ("", set())],
)
def test_roles_allow_exactly_what_they_are_for(role: str, acts: set[Act]) -> None:
    assert {act for act in Act if allowed(role, act)} == acts


def test_a_decision_that_follows_from_the_verdict_is_no_override() -> None:
    assert not overrides(Decision.APPROVE, "conforms")
    assert not overrides(Decision.REJECT, "fails")
    assert not overrides(Decision.CONDITION, "undecided")
    assert overrides(Decision.APPROVE, "undecided")
    assert overrides(Decision.REJECT, "conforms")
    assert overrides(Decision.CONDITION, "fails")


CHIEF, SECOND = PersonsPart("referee"), PersonsPart("referee")
LOCAL, TESTER = PersonsPart("referee", ("prague",)), PersonsPart("tester", ("prague",))
ELSEWHERE, EVERYWHERE = PersonsPart("tester", ("brno",)), PersonsPart("tester")
GONE = PersonsPart("referee", (), active=False)
OTHER, LAST, NOT = PeopleFault.OTHER_EVENTS, PeopleFault.LAST_CHIEF, PeopleFault.NOT_ALLOWED


@pytest.mark.parametrize(
    ("actor", "target", "wanted", "others", "fault"),
    [
        # Who is limited to an event changes nobody beyond it, and makes nobody who is.
        (LOCAL, CHIEF, CHIEF, (LOCAL,), OTHER),
        (LOCAL, CHIEF, TESTER, (LOCAL, SECOND), OTHER),
        (LOCAL, CHIEF, GONE, (LOCAL, SECOND), OTHER),
        (LOCAL, EVERYWHERE, TESTER, (LOCAL, CHIEF), OTHER),
        (LOCAL, ELSEWHERE, TESTER, (LOCAL, CHIEF), OTHER),
        (LOCAL, TESTER, CHIEF, (LOCAL, CHIEF), OTHER),
        (LOCAL, TESTER, ELSEWHERE, (LOCAL, CHIEF), OTHER),
        (LOCAL, None, EVERYWHERE, (LOCAL, CHIEF), OTHER),
        (LOCAL, None, PersonsPart("viewer", ("prague", "brno")), (LOCAL, CHIEF), OTHER),
        (LOCAL, None, TESTER, (LOCAL, CHIEF), None),
        (LOCAL, TESTER, PersonsPart("viewer", ("prague",)), (LOCAL, CHIEF), None),
        (LOCAL, LOCAL, TESTER, (CHIEF,), None),
        # One referee for all events stays, whoever asks.
        (CHIEF, CHIEF, LOCAL, (LOCAL,), LAST),
        (CHIEF, CHIEF, EVERYWHERE, (LOCAL, GONE), LAST),
        (SECOND, CHIEF, GONE, (LOCAL,), LAST),
        (SECOND, CHIEF, GONE, (SECOND,), None),
        (CHIEF, CHIEF, CHIEF, (), None),
        (CHIEF, LOCAL, EVERYWHERE, (CHIEF,), None),
        (CHIEF, None, SECOND, (CHIEF,), None),
        # Nobody else changes anybody.
        (EVERYWHERE, TESTER, CHIEF, (CHIEF,), NOT),
        (PersonsPart("viewer"), None, TESTER, (CHIEF,), NOT),
        (GONE, CHIEF, TESTER, (SECOND,), NOT),
    ],
)
def test_who_may_change_whom(
    actor: PersonsPart, target: PersonsPart | None, wanted: PersonsPart, others: tuple[PersonsPart, ...], fault: object
) -> None:
    assert change_fault(actor, target, wanted, others) == fault


def _change_person(person: Person, status: int, **form: str) -> str:
    person.get("/people")
    return person.post("/people", {"own_pin": PINS["Oskar"], **form}, status)


def test_a_referee_of_one_event_cannot_take_over_the_chief(referee: Person, station: Station, joined: Join) -> None:
    referee.get("/people")
    local = {"name": "Oskar", "role": "referee", "event": referee.event, "own_pin": PINS["Renata"]}
    referee.post("/people", local)
    oskar = Person(new_client(station)).sign_in("Oskar")
    oskar.event = referee.event
    for form in (
        {"name": "Renata", "role": "referee", "pin": "748159", "event": referee.event},
        {"name": "Renata", "role": "viewer", "event": referee.event},
        {"name": "Renata", "remove": "1"},
    ):
        assert "for some events only" in _change_person(oskar, 422, **form)
    assert Person(new_client(station)).sign_in("Renata").get("/people")


def test_four_eyes_are_not_switched_off_by_two(referee: Person, joined: Join) -> None:
    referee.announce(four_eyes="on")
    page = referee.get(referee.at("/settings"))
    form = dict(re.findall(r'name="(name|since|until)"[^>]*value="([^"]*)"', page))
    assert "needs a second referee" in referee.post(referee.at("/settings"), form, 422)
    assert "needs a second referee" in referee.post(
        referee.at("/settings"), {**form, "second": "Renata", "pin": PINS["Renata"]}, 422
    )
    assert "needs a second referee" in referee.post(
        referee.at("/settings"), {**form, "second": "Tomáš", "pin": PINS["Tomáš"]}, 422
    )
    referee.post(referee.at("/settings"), {**form, "second": "Oskar", "pin": PINS["Oskar"]})
    ticket = referee.inspect()
    assert "approved" in referee.decide(ticket, "approve")
