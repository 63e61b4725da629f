from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from msgspec import json, structs
from sqlalchemy import text

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.errors import BadInput, BrokenSeal
from inspect_kit.registry.amendments import describe, revoke
from inspect_kit.registry.auditing import Audit
from inspect_kit.registry.chain import entries_after
from inspect_kit.registry.entries import FIRST, Entry, Thing
from inspect_kit.registry.evidence import EvidenceFolder

Audited = Callable[[Desk], Audit]
Issue = Callable[..., Issued]

pytestmark = pytest.mark.usefixtures("without_signing")
ByHand = Callable[..., None]


@pytest.fixture
def kept(quick_desk: Desk, issue: Issue) -> Desk:
    """Four certificates, of which one is replaced and one revoked, and a described thing: six entries."""
    for subject in ("Striker 1", "Striker 2", "Striker 1", "Striker 3"):
        issue(quick_desk, subject)
    describe(quick_desk.registry, Thing("striker", "Striker 2"), ("Synco", "0417"), ("s.jpg", b"photo"), quick_desk.now)
    revoke(quick_desk.registry, "PCK-2026-000004-" + _check(4), "wrong scale", "desk 1", quick_desk.now)
    return quick_desk


def _check(serial: int) -> str:
    from inspect_kit.registry.numbers import Number

    return str(Number("PCK", 2026, serial))[-1]


def _faults(audit: Audit) -> str:
    return "\n".join(str(fault) for fault in audit.faults)


def test_an_honest_registry_is_clean(kept: Desk, audited: Audited) -> None:
    found = audited(kept)
    assert found.faults == ()
    assert (found.entries, found.certificates) == (6, 4)
    # Four PDFs, a record for each of three things, and a photo.
    assert found.files == 8


def test_an_empty_registry_is_clean(quick_desk: Desk, audited: Audited) -> None:
    assert audited(quick_desk).faults == ()


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE certificates SET valid_until = '2099-12-31' WHERE serial = 2", "valid_until differ from entry 2"),
        ("UPDATE certificates SET qr = 'KIT' WHERE serial = 2", "qr differ from entry 2"),
        ("UPDATE inspections SET verdict = 'fails' WHERE entry = 3", "verdict differ from entry 3"),
        ("UPDATE people SET folded = 'x'", "people: Renata Řeháčková: was changed"),
        ("UPDATE subjects SET text = 'Striker 9' WHERE text = 'Striker 2'", "text differ"),
        ("UPDATE instruments SET serial = '0' WHERE id = 'desk-scale'", "instruments: "),
        ("UPDATE descriptions SET maker = 'Surco'", "maker differ from entry 5"),
        ("UPDATE revocations SET because = 'a mistake'", "because differ from entry 6"),
        ("UPDATE evidence SET sha256 = 'ab' WHERE entry = 4 AND place = 0", "sha256 differ from entry 4"),
        ("UPDATE replacements SET because = 'x'", "because differ from entry 3"),
    ],
)
def test_an_edited_row_is_found_and_named(
    kept: Desk, audited: Audited, by_hand: ByHand, statement: str, told: str
) -> None:
    by_hand(kept.registry, statement)
    assert told in _faults(audited(kept))


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM certificates WHERE serial = 2", "the row of entry 2 is missing"),
        ("DELETE FROM revocations", "revocations: PCK-2026-000004"),
        ("DELETE FROM replacements", "replacements: PCK-2026-000001"),
        ("DELETE FROM people", "people: Renata Řeháčková: the row of entry 1 is missing"),
        ("DELETE FROM subjects WHERE text = 'Striker 3'", "subjects: Striker 3"),
        ("DELETE FROM uses WHERE entry = 1", "uses: 1: the row of entry 1 is missing"),
        ("DELETE FROM inspections WHERE entry = 1", "inspections: 1"),
        ("DELETE FROM entries WHERE id = 3", "entry 3: missing from the chain"),
        ("DELETE FROM entries WHERE id IN (2, 3)", "entries 2 to 3: missing from the chain"),
        ("DELETE FROM entries WHERE id = 6", "a row without an entry"),
    ],
)
def test_a_deleted_row_is_found_and_named(
    kept: Desk, audited: Audited, by_hand: ByHand, statement: str, told: str
) -> None:
    by_hand(kept.registry, statement)
    assert told in _faults(audited(kept))


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "INSERT INTO people VALUES ('Mallory', 'mallory', 2)",
            "people: Mallory: is a row that entry 2 does not stand for",
        ),
        ("INSERT INTO people VALUES ('Mallory', 'mallory', 99)", "people: Mallory: is a row without an entry"),
        ("INSERT INTO revocations VALUES ('PCK-2026-000002-X', '', '', '', 2)", "entry 2 does not stand for"),
    ],
)
def test_a_smuggled_row_is_found_and_named(
    kept: Desk, audited: Audited, by_hand: ByHand, statement: str, told: str
) -> None:
    by_hand(kept.registry, statement)
    assert told in _faults(audited(kept))


def test_an_edited_entry_is_found_though_its_row_was_edited_with_it(
    kept: Desk, audited: Audited, by_hand: ByHand
) -> None:
    by_hand(kept.registry, "UPDATE entries SET body = replace(body, 'Striker 3', 'Striker 8') WHERE id = 4")
    by_hand(kept.registry, "UPDATE subjects SET text = 'Striker 8' WHERE text = 'Striker 3'")
    assert "entry 4: was changed: its hash is another" in _faults(audited(kept))


def test_a_chain_that_was_computed_anew_lacks_the_inspectors_signature(
    kept: Desk, audited: Audited, by_hand: ByHand
) -> None:
    with kept.registry.reading() as connection:
        entries = entries_after(connection, 0, 100)
    for entry in _rechained(entries, "Striker 3", "Striker 8"):
        values = {"body": entry.body, "previous": entry.previous, "hash": entry.hash, "id": entry.id}
        by_hand(
            kept.registry,
            "UPDATE entries SET body = :body, previous = :previous, hash = :hash WHERE id = :id",
            **values,
        )
    told = _faults(audited(kept))
    assert "entry 4 (PCK-2026-000004" in told
    assert "its signature is not that of Řehoř Áron" in told


def _rechained(entries: list[Entry], old: str, new: str) -> list[Entry]:
    done: list[Entry] = []
    previous = FIRST
    for entry in entries:
        bare = structs.replace(entry, body=entry.body.replace(old, new), previous=previous)
        done.append(structs.replace(bare, hash=bare.right_hash()))
        previous = done[-1].hash
    return done


def test_cutting_off_the_end_of_the_chain_is_noticed_by_the_desk_that_saw_it(
    quick_desk: Desk, issue: Issue, audited: Audited, by_hand: ByHand
) -> None:
    for subject in ("Striker 1", "Striker 2"):
        issue(quick_desk, subject)
    for table in ("certificates", "inspections", "uses", "evidence", "replacements"):
        by_hand(quick_desk.registry, f"DELETE FROM {table} WHERE entry = 2")
    by_hand(quick_desk.registry, "DELETE FROM subjects WHERE entry = 2")
    by_hand(quick_desk.registry, "DELETE FROM entries WHERE id = 2")
    assert "1 entries are gone that this computer has seen" in _faults(audited(quick_desk))


def test_a_skipped_number_is_found(kept: Desk, audited: Audited, by_hand: ByHand) -> None:
    by_hand(
        kept.registry,
        f"UPDATE entries SET body = replace(body, 'PCK-2026-000004-{_check(4)}', 'PCK-2026-000007-{_check(7)}')",
    )
    assert "breaks the series PCK 2026: 4 was to come" in _faults(audited(kept))


def test_a_swapped_evidence_photo_is_found_and_named(kept: Desk, audited: Audited, by_hand: ByHand) -> None:

    digest = hashlib.sha256(b"photo").hexdigest()
    shelf = kept.registry.shelf
    if isinstance(shelf, EvidenceFolder):
        shelf.path(digest).write_bytes(b"other")
    else:
        by_hand(
            kept.registry, "UPDATE files SET content = :content WHERE sha256 = :digest", content=b"other", digest=digest
        )
    assert "entry 5: photo s.jpg" in _faults(audited(kept))
    assert "was changed" in _faults(audited(kept))


def test_a_missing_pdf_is_found_and_named(kept: Desk, audited: Audited, by_hand: ByHand) -> None:
    with kept.registry.reading() as connection:
        digest = connection.scalar(text("SELECT pdf FROM certificates WHERE serial = 2"))
    shelf = kept.registry.shelf
    if isinstance(shelf, EvidenceFolder):
        shelf.path(digest).unlink()
    else:
        by_hand(kept.registry, "DELETE FROM files WHERE sha256 = :digest", digest=digest)
    told = _faults(audited(kept))
    assert "entry 2: pdf Striker 2.pdf of PCK-2026-000002" in told
    assert "missing" in told


@pytest.mark.parametrize(
    "statement", ["UPDATE certificates SET serial = 9", "DELETE FROM entries", "DELETE FROM revocations"]
)
def test_the_database_itself_refuses_to_change_history(kept: Desk, statement: str) -> None:
    with pytest.raises(BadInput, match="append-only"), kept.registry.writing() as connection:
        connection.execute(text(statement))


def test_a_guard_that_was_taken_down_is_missed(kept: Desk, audited: Audited) -> None:
    with kept.registry.engine.begin() as connection:
        on = " ON certificates" if connection.dialect.name == "postgresql" else ""
        connection.execute(text(f"DROP TRIGGER certificates_no_update{on}"))
    assert "certificates_no_update: the guard against changes is gone" in _faults(audited(kept))


def test_an_entry_signed_after_its_key_was_retired_is_found(kept: Desk, audited: Audited, issue: Issue) -> None:
    from inspect_kit.certificate.issue.keys import add, retire

    add(kept.home, "Jan Novák", (None, None), kept.now)
    retire(kept.home, "Řehoř Áron", None, kept.now + timedelta(hours=1))
    issue(replace(kept, now=kept.now + timedelta(hours=2)), "Striker 5")
    assert "was signed after Řehoř Áron's key was retired" in _faults(audited(kept))


def test_an_entry_of_rubbish_is_a_fault_and_not_a_crash(kept: Desk, audited: Audited, by_hand: ByHand) -> None:
    by_hand(
        kept.registry, "UPDATE entries SET body = :body WHERE id = 2", body=json.encode({"type": "surprise"}).decode()
    )
    assert "entry 2: says nothing that can be read" in _faults(audited(kept))


def test_a_damaged_database_file_is_a_broken_seal(blank: Desk, issue: Issue, audited: Audited) -> None:
    issue(blank, "Striker 1")
    blank.registry.engine.dispose()
    path = blank.home / "registry.db"
    content = bytearray(path.read_bytes())
    content[0:4096] = b"\x55" * 4096
    path.write_bytes(content)
    with pytest.raises(BrokenSeal, match="damaged"):
        audited(blank)


def test_entries_that_were_cut_off_leave_their_nodes_in_the_tree(
    kept: Desk, audited: Audited, by_hand: ByHand, issue: Issue
) -> None:
    by_hand(kept.registry, "DELETE FROM revocations")
    by_hand(kept.registry, "DELETE FROM entries WHERE id = 6")
    assert "the log's tree, node 0/5: does not fit the entries" in _faults(audited(kept))
    with pytest.raises(BrokenSeal, match="does not fit the entries"):
        issue(replace(kept, registry=replace(kept.registry, memory=None)), "Striker 9")
