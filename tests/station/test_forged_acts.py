"""Somebody who holds the database: rows and entries that no person at a desk has made lead to no certificate."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs
from sqlalchemy import text

from inspect_kit.certificate.issue.keys import own_keyring, retire
from inspect_kit.certificate.issue.seals import ENTRY_DOMAIN, DeskKey, desk_key, own_desk, seals_in, vouch
from inspect_kit.checkin.roles import Role
from inspect_kit.errors import BrokenSeal
from inspect_kit.inspection.record import open_record
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.chain import Seal, append, last_entry, link, no_seal, write
from inspect_kit.registry.checkin.accounts import RightPins, pin_holds, set_account
from inspect_kit.registry.checkin.entries import AccountSet, Decided, DeskSet, EventSet, File, Recorded
from inspect_kit.registry.checkin.store import acts, event_of, inspection, unissued
from inspect_kit.registry.last_seen import LastSeenEntry
from inspect_kit.registry.search import RegistryQuery, listing
from inspect_kit.registry.tables import CERTIFICATES, DESK_ACCOUNTS, DESK_DECISIONS, DESK_PINS, DESK_SESSIONS, ENTRIES
from inspect_kit.station.station import CertificateWorker, Station
from tests.station.conftest import NOW, Person

_TICKET = "BCDFGHJKLNPRSTVU"


def _forged(station: Station, ticket: str, seal: Seal, by: str = "Renata") -> None:
    """A decision written straight into the chain, with the record it needs, as the desk would have made it."""
    from inspect_kit.checkin.certify import decided_record

    with station.registry.writing() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        record = open_record(station.registry.shelf.take(connection, seen.record))
        body = Decided(ticket, seen.event, "approve", by)
        content = decided_record(record, seen, body, "en").canonical()
        kept = File("record", station.registry.shelf.put(connection, content), len(content))
        append(connection, structs.replace(body, record=kept.sha256, evidence=(kept,)), NOW, seal)


def _made(station: Station) -> tuple[int, str]:
    maker = CertificateWorker(station)
    return maker.make_all(), " ".join(map(str, maker.troubles.values()))


def test_a_proper_decision_becomes_a_certificate(referee: Person, station: Station) -> None:
    referee.decide(referee.inspect(), "approve")
    assert _made(station) == (1, "")


def test_a_decision_that_nobody_signed_becomes_no_certificate(referee: Person, station: Station) -> None:
    _forged(station, referee.inspect(), no_seal)
    made, trouble = _made(station)
    assert made == 0
    assert "the decision is signed with the key of nobody" in trouble


def test_a_decision_signed_by_a_desk_that_nobody_vouches_for_becomes_none(
    referee: Person, station: Station, tmp_path: Path
) -> None:
    _forged(station, referee.inspect(), desk_key(tmp_path).seal)
    made, trouble = _made(station)
    assert made == 0
    assert "a desk that no issuer here vouches for" in trouble


@pytest.mark.parametrize("by", ["Tomáš", "Nobody"])
def test_a_decision_of_somebody_without_the_rank_becomes_none(referee: Person, station: Station, by: str) -> None:
    _forged(station, referee.inspect(), station.seal, by)
    assert _made(station)[0] == 0


def test_an_account_that_was_written_into_the_database_decides_nothing(referee: Person, station: Station) -> None:
    set_account(station.registry, AccountSet("Mallory", Role.REFEREE, by="Renata"), "402862", NOW)
    _forged(station, referee.inspect(), station.seal, "Mallory")
    made, trouble = _made(station)
    assert made == 0
    assert "the account of Mallory" in trouble


def test_a_pin_that_was_put_in_place_of_anothers_opens_nothing(station: Station) -> None:
    set_account(station.registry, AccountSet("Mallory", Role.VIEWER, by="Renata"), "402862", NOW, station.seal)
    assert pin_holds(station.registry, "Renata", "402861", RightPins())
    with station.registry.writing() as connection:
        stolen = connection.scalar(
            DESK_PINS.select().with_only_columns(DESK_PINS.c.pin).where(DESK_PINS.c.name == "Mallory")
        )
        connection.execute(DESK_PINS.update().where(DESK_PINS.c.name == "Renata").values(pin=stolen))
    assert not pin_holds(station.registry, "Renata", "402862", RightPins())


def test_a_session_that_was_written_into_the_database_is_nobodys(referee: Person, station: Station) -> None:
    token = "x" * 43
    row = {"digest": hashlib.sha256(token.encode()).hexdigest(), "name": "Renata", "until": "2099", "proof": "0" * 64}
    with station.registry.writing() as connection:
        connection.execute(DESK_SESSIONS.insert().values(**row))
    referee.client.cookies.clear()
    referee.client.cookies.set("inspect_kit_desk", token)
    assert "/sign-in" in str(referee.client.get("/").url)


def test_an_inspection_that_nobody_signed_becomes_none_though_the_referee_approves(
    referee: Person, station: Station
) -> None:
    ticket = referee.inspect()
    with station.registry.writing() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        content = station.registry.shelf.take(connection, seen.record)
        body = Recorded(_TICKET, seen.event, seen.item, "Another", "Mallory", "conforms", seen.record, "Tomáš")
        append(connection, structs.replace(body, evidence=(File("record", seen.record, len(content)),)), NOW)
    referee.decide(_TICKET, "approve")
    made, trouble = _made(station)
    assert made == 0
    assert "the inspection is signed with the key of nobody" in trouble


def test_a_record_that_does_not_lead_to_its_verdict_is_not_signed(referee: Person, station: Station) -> None:
    """Also with the desk's own key: the values of a striker that is too heavy, called conforming."""
    first = referee.inspect(mass="15.9")
    with station.registry.writing() as connection:
        seen = inspection(connection, first)
        assert seen is not None
        record = open_record(station.registry.shelf.take(connection, seen.record))
        lines = tuple(structs.replace(line, verdict="conforms", reason="within") for line in record.lines)
        lie = structs.replace(record, verdict="conforms", lines=lines).canonical()
        kept = File("record", station.registry.shelf.put(connection, lie), len(lie))
        body = Recorded(
            _TICKET, seen.event, seen.item, seen.text, seen.owner, "conforms", kept.sha256, "Tomáš", evidence=(kept,)
        )
        append(connection, body, NOW, station.seal)
    referee.decide(_TICKET, "approve")
    made, trouble = _made(station)
    assert made == 0
    assert "judged again, the record is fails, not conforms" in trouble


def test_an_event_that_was_changed_in_the_database_is_not_believed(referee: Person, station: Station) -> None:
    ticket = referee.inspect()
    with station.registry.writing() as connection:
        event = event_of(connection, referee.event)
        assert event is not None
        append(connection, structs.replace(event, rule="simple"), NOW)
    referee.decide(ticket, "approve")
    assert "the event's settings is signed with the key of nobody" in _made(station)[1]


def test_four_eyes_are_asked_for_again(referee: Person, station: Station) -> None:
    with station.registry.writing() as connection:
        event = event_of(connection, referee.event)
        assert isinstance(event, EventSet)
        append(connection, structs.replace(event, four_eyes=True), NOW, station.seal)
    _forged(station, referee.inspect(), station.seal, "Renata")
    assert "four eyes" in _made(station)[1]


def test_a_desk_that_is_no_longer_vouched_for_makes_no_more_acts(referee: Person, station: Station) -> None:
    assert station.key is not None
    done = referee.inspect()
    referee.decide(done, "approve")
    assert _made(station) == (1, "")
    own = own_desk(station.home, station.key)
    vouch(station.registry, structs.replace(own, active=False), station.key, NOW)
    later = referee.inspect("Eva Malá")
    referee.decide(later, "approve")
    assert _made(station)[0] == 0
    with station.registry.reading() as connection:
        seals = seals_in(connection, station.keyrings)
        entries = [acts(connection, ticket)[-1][0] for ticket in (done, later)]
    assert [bool(seals.strictly(entry)) for entry in entries] == [False, True]


def test_an_audit_names_acts_that_nobody_signed(referee: Person, station: Station) -> None:
    _forged(station, referee.inspect(), no_seal)
    found = audit(station.registry, lambda connection: seals_in(connection, station.keyrings).fault)
    assert [fault.why for fault in found.faults] == ["is signed with the key of nobody, which this desk does not know"]


def test_a_desk_without_keys_is_vouched_for_later_and_its_decisions_then_count(
    referee: Person, station: Station, tmp_path: Path
) -> None:
    other = DeskKey(desk_key(tmp_path).key)
    _forged(station, referee.inspect(), other.seal)
    assert _made(station)[0] == 0
    assert station.key is not None
    vouch(station.registry, own_desk(tmp_path, station.key), station.key, NOW)
    assert _made(station) == (1, "")


def test_the_maker_signs_nothing_without_the_acts(referee: Person, station: Station) -> None:
    from inspect_kit.checkin.certify import certify_decided

    _forged(station, referee.inspect(), no_seal)
    with station.registry.reading() as connection:
        (seen,) = unissued(connection)
    with pytest.raises(BrokenSeal):
        certify_decided(station.desk(), replace(seen, decided_by="Oskar"))


def test_the_look_up_calls_nothing_valid_while_the_registry_has_lost_entries(referee: Person, station: Station) -> None:
    ticket = referee.inspect()
    referee.decide(ticket, "approve")
    assert "entries are gone" not in referee.get(f"/look-up?q={ticket}")
    memory = station.registry.memory
    assert memory is not None
    memory.note(station.registry.place, memory.lying_at(station.registry.place), LastSeenEntry(999, "0" * 64))
    assert "entries are gone" in referee.get(f"/look-up?q={ticket}")


def test_whoever_holds_a_desks_files_acts_as_that_desk_until_it_is_withdrawn(
    referee: Person, station: Station, tmp_path: Path
) -> None:
    """What is not promised: the desk's own key over an account's name counts, and the chain says which desk it was."""
    stolen = desk_key(tmp_path)
    assert station.key is not None
    desk = replace_desk(own_desk(station.home, station.key), stolen)
    vouch(station.registry, desk, station.key, NOW)
    _forged(station, referee.inspect(), stolen.seal)
    assert _made(station) == (1, "")
    later = referee.inspect()
    vouch(station.registry, structs.replace(desk, active=False), station.key, NOW)
    _forged(station, later, stolen.seal)
    made, trouble = _made(station)
    assert made == 0
    assert "a desk that no issuer here vouches for" in trouble


def replace_desk(desk: DeskSet, key: DeskKey) -> DeskSet:
    return structs.replace(desk, desk=key.id, key=key.public, name="Desk 2")


@pytest.mark.parametrize("decision", ["approve", "condition"])
def test_a_decision_that_nobody_signed_lets_nothing_play_by_the_look_up(
    referee: Person, station: Station, decision: str
) -> None:
    ticket = referee.inspect()
    with station.registry.writing() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        body = Decided(ticket, seen.event, decision, "Renata", because="x", after="final", record=seen.record)
        append(connection, body, NOW)
    page = referee.get(f"/look-up?q={ticket}")
    assert "Not valid" in page
    assert "the decision is signed with the key of nobody" in page
    german = referee.client.get(f"/look-up?q={ticket}", headers={"Accept-Language": "de"}).text
    assert "die Entscheidung hält nicht" in german


def test_a_certificate_whose_signature_fails_is_valid_to_no_look_up(referee: Person, station: Station) -> None:
    """Its number is asked for, and neither its file nor its code is at hand."""
    referee.decide(referee.inspect(), "approve")
    assert _made(station) == (1, "")
    with station.registry.reading() as connection:
        genuine = next(iter(listing(connection, RegistryQuery(), NOW.date())))
    pages = ("/look-up?q=", "/check?q=")
    assert all('class="verdict conforms' in _flat(referee.get(page + genuine.number)) for page in pages)
    _without_guards(station)
    with station.registry.engine.begin() as connection:
        forged = genuine.qr[:-9] + ("B" if genuine.qr[-9] != "B" else "C") + genuine.qr[-8:]
        connection.execute(CERTIFICATES.update().values(qr=forged))
    for page in pages:
        assert 'class="verdict fails' in _flat(referee.get(page + genuine.number)), page


def _flat(page: str) -> str:
    return page.replace("top-gap ", "")


def _without_guards(station: Station) -> None:
    with station.registry.engine.begin() as connection:
        for name in connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all():
            connection.execute(text(f'DROP TRIGGER "{name}"'))


@pytest.mark.parametrize("rows", ["row", "entry"])
def test_a_rejection_that_was_taken_out_of_the_database_does_not_revive_the_approval(
    referee: Person, station: Station, rows: str
) -> None:
    """Approved, then taken back before the certificate was made; the row that says so, or the entry too, is deleted."""
    ticket = referee.inspect()
    referee.decide(ticket, "approve")
    with station.registry.writing() as connection:
        seen = inspection(connection, ticket)
        assert seen is not None
        append(connection, Decided(ticket, seen.event, "reject", "Renata", because="broken"), NOW, station.seal)
        last = append(connection, DeskSet("desk-0", "", "x"), NOW)
    assert _made(station)[0] == 0
    _without_guards(station)
    with station.registry.engine.begin() as connection:
        connection.execute(DESK_DECISIONS.delete().where(DESK_DECISIONS.c.entry == last.id - 1))
        if rows == "entry":
            connection.execute(ENTRIES.delete().where(ENTRIES.c.id == last.id - 1))
    made, trouble = _made(station)
    assert made == 0
    assert trouble
    assert "Not valid" in referee.get(f"/look-up?q={ticket}")


def test_an_account_that_was_closed_stays_closed_though_its_row_is_gone(referee: Person, station: Station) -> None:
    ticket, closed = referee.inspect(), AccountSet("Renata", Role.REFEREE, by="test", active=False)
    set_account(station.registry, closed, None, NOW, station.seal)
    with station.registry.reading() as connection:
        newest = last_entry(connection)
    assert newest is not None
    _without_guards(station)
    with station.registry.engine.begin() as connection:
        connection.execute(DESK_ACCOUNTS.delete().where(DESK_ACCOUNTS.c.entry == newest.id))
    _forged(station, ticket, station.seal, "Renata")
    made, trouble = _made(station)
    assert made == 0
    assert "Renata" in trouble


def test_a_stolen_key_vouches_for_no_desk_at_any_date(referee: Person, station: Station, tmp_path: Path) -> None:
    """Retired as compromised; the thief dates an entry before that, and holds the database."""
    assert station.key is not None
    stolen, thief = station.key, desk_key(tmp_path)
    retire(station.home, "", None, NOW + timedelta(hours=1), compromised=True)
    after = replace(station, keyrings=(own_keyring(station.home),))
    with station.registry.writing() as connection:
        vouched = DeskSet(thief.id, thief.public, stolen.signer.name, "Desk 9")
        append(
            connection, vouched, NOW, lambda digest: (stolen.signer.id, stolen.qr_key.sign(ENTRY_DOMAIN + digest).hex())
        )
        assert thief.id not in after.seals(connection).desks


def test_a_retired_key_vouches_for_no_desk_by_an_entry_dated_back(
    referee: Person, station: Station, tmp_path: Path
) -> None:
    assert station.key is not None
    old, dismissed = station.key, desk_key(tmp_path)
    retire(station.home, "", None, NOW - timedelta(minutes=1))
    after = replace(station, keyrings=(own_keyring(station.home),))
    with station.registry.writing() as connection:
        last = last_entry(connection)
        assert last is not None
        vouched = DeskSet(dismissed.id, dismissed.public, old.signer.name, "Desk 9")
        seal = lambda digest: (old.signer.id, old.qr_key.sign(ENTRY_DOMAIN + digest).hex())  # noqa: E731
        write(connection, [link(vouched, NOW - timedelta(minutes=5), (last.id, last.hash), seal)])
        assert dismissed.id not in after.seals(connection).desks
