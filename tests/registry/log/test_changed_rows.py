"""Somebody changes rows and touches nothing else: whoever checks a certificate reads its entries, and sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import msgspec
import pytest

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.certificate.issue.keys import own_keyring
from inspect_kit.certificate.issue.seals import TimeAuthorities, seal_of_signer
from inspect_kit.certificate.issue.verify import TrustContext, Verification, verify_qr
from inspect_kit.registry import chain_index
from inspect_kit.registry.amendments import revoke
from inspect_kit.registry.chain import entries_after, entry_of, link
from inspect_kit.registry.entries import Entry
from inspect_kit.registry.log.cosigner import open_cosigner
from inspect_kit.registry.log.notes import request_of
from inspect_kit.registry.log.tree import checkpoint, keep_checkpoint, request_since
from inspect_kit.registry.opening import Transaction, open_registry
from tests.registry.conftest import NOW

Issue = Callable[..., Issued]
ByHand = Callable[..., None]


def _looked_at(desk: Desk, qr: str) -> Verification:
    """By somebody whose computer has never seen the registry: it remembers nothing that could help."""
    registry = replace(desk.registry, memory=None)
    return verify_qr(qr, TrustContext((own_keyring(desk.home),), "PCK", registry, date(2026, 11, 16)))


def _against(seen: Verification) -> str:
    return "; ".join(check.said() for check in seen.checks if check.holds is False)


@pytest.fixture
def revoked(quick_desk: Desk, issue: Issue) -> Issued:
    """A certificate that was revoked; another one was issued after it."""
    issued = issue(quick_desk, "Striker 1")
    revoke(quick_desk.registry, issued.number, "too heavy", "desk 1", NOW, seal_of_signer(quick_desk.key, NOW))
    issue(quick_desk, "Striker 2")
    assert "too heavy" in _against(_looked_at(quick_desk, issued.qr))
    return issued


def test_a_revocation_whose_row_was_deleted_is_still_known(quick_desk: Desk, revoked: Issued, by_hand: ByHand) -> None:
    by_hand(quick_desk.registry, "DELETE FROM revocations")
    assert "its tables say something else" in _against(_looked_at(quick_desk, revoked.qr))


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM entries WHERE id = 2",
        "UPDATE entries SET kind = 'subject' WHERE id = 2",
        "UPDATE entries SET body = replace(body, 'PCK-2026-000001', 'PCK-2026-000009') WHERE id = 2",
    ],
    ids=["deleted", "renamed", "of another"],
)
def test_a_revocation_whose_entry_was_tampered_with_breaks_the_chain(
    quick_desk: Desk, revoked: Issued, by_hand: ByHand, statement: str
) -> None:
    by_hand(quick_desk.registry, "DELETE FROM revocations")
    by_hand(quick_desk.registry, statement)
    assert "was changed, or does not follow" in _against(_looked_at(quick_desk, revoked.qr))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE certificates SET valid_until = '2999-12-31'",
        "UPDATE subjects SET owner = 'Mallory'",
        "UPDATE inspections SET event = 'Another Open'",
    ],
)
def test_rows_that_say_something_else_than_the_entry_are_not_believed(
    quick_desk: Desk, issue: Issue, by_hand: ByHand, statement: str
) -> None:
    issued = issue(quick_desk, "Striker 1")
    assert _looked_at(quick_desk, issued.qr).holds
    by_hand(quick_desk.registry, statement)
    assert "its tables say something else" in _against(_looked_at(quick_desk, issued.qr))


def test_an_entry_that_was_written_anew_lacks_its_inspectors_signature(
    quick_desk: Desk, issue: Issue, by_hand: ByHand
) -> None:
    """The owner is not in the signed QR text: the entry's own signature speaks for it."""
    issued = issue(quick_desk, "Striker 1")
    with quick_desk.registry.reading() as connection:
        entry = entry_of(connection, 1)
    assert entry is not None
    forged = msgspec.structs.replace(entry, body=entry.body.replace("Renata Řeháčková", "Mallory Malá"))
    by_hand(
        quick_desk.registry, "UPDATE entries SET body = :body, hash = :hash", body=forged.body, hash=forged.right_hash()
    )
    by_hand(quick_desk.registry, "UPDATE subjects SET owner = 'Mallory Malá'")
    assert "its signature is not that of" in _against(_looked_at(quick_desk, issued.qr))


def test_with_a_witness_entries_chained_anew_under_the_old_tree_are_seen_by_a_stranger(
    blank: Desk, issue: Issue, by_hand: ByHand, tmp_path: Path
) -> None:
    """The revocation is replaced by something harmless and the chain behind it made anew; the tree is left alone."""
    from inspect_kit.registry.entries import Described, Thing

    issued = issue(blank, "Striker 1")
    revoke(blank.registry, issued.number, "too heavy", "desk 1", NOW, seal_of_signer(blank.key, NOW))
    witness = open_cosigner(tmp_path / "witness", "sister.example")
    with blank.registry.writing() as connection:
        asked = request_since(connection, checkpoint(connection, "PCK").signed(blank.key.qr_key), 0)
        keep_checkpoint(connection, witness.cosign(request_of(str(asked)), NOW + timedelta(seconds=1)))
        first = entry_of(connection, 1)
    assert first is not None
    harmless = link(Described(Thing("striker", "Striker 1")), NOW, (1, first.hash))
    by_hand(blank.registry, "DELETE FROM revocations")
    by_hand(
        blank.registry, "UPDATE entries SET kind = :kind, body = :body, hash = :hash, signer = '', signature = '' WHERE id = 2",
        kind=harmless.kind, body=harmless.body, hash=harmless.hash,
    )  # fmt: skip
    stranger = replace(open_registry(blank.home), memory=None)
    counter = TrustContext(
        (own_keyring(blank.home),), "PCK", stranger, date(2026, 11, 16), TimeAuthorities((witness.verifier,))
    )
    assert "the log is not the one of 2 entries that was witnessed" in _against(verify_qr(issued.qr, counter))


def test_a_chain_that_was_walked_is_walked_again_from_its_end_only(
    quick_desk: Desk, issue: Issue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each look at one of 16,000 certificates would take half a second."""
    first, walked = issue(quick_desk, "Striker 1"), []
    assert _looked_at(quick_desk, first.qr).holds

    def seen(connection: Transaction, start: int, count: int) -> list[Entry]:
        found = entries_after(connection, start, count)
        walked.extend(entry.id for entry in found)
        return found

    monkeypatch.setattr(chain_index, "entries_after", seen)
    assert _looked_at(quick_desk, first.qr).holds
    assert walked == []
    issue(quick_desk, "Striker 2")
    assert _looked_at(quick_desk, first.qr).holds
    assert walked == [2]
    revoke(quick_desk.registry, first.number, "too heavy", "desk 1", NOW, seal_of_signer(quick_desk.key, NOW))
    assert "too heavy" in _against(_looked_at(quick_desk, first.qr))
    assert walked == [2, 3]


def test_a_state_other_than_the_one_walked_is_walked_anew(quick_desk: Desk, issue: Issue, by_hand: ByHand) -> None:
    """Its last entries gone, by hand or because a person accepted an older state: nothing remembered stands in."""
    first, second = issue(quick_desk, "Striker 1"), issue(quick_desk, "Striker 2")
    assert _looked_at(quick_desk, second.qr).holds
    by_hand(quick_desk.registry, "DELETE FROM entries WHERE id = 2")
    assert _looked_at(quick_desk, first.qr).holds
    assert not _looked_at(quick_desk, second.qr).holds


def test_a_break_before_a_certificate_is_not_held_against_it(quick_desk: Desk, issue: Issue, by_hand: ByHand) -> None:
    first, second = issue(quick_desk, "Striker 1"), issue(quick_desk, "Striker 2")
    by_hand(quick_desk.registry, "UPDATE entries SET at = '2020-01-01T00:00:00+00:00' WHERE id = 1")
    assert "was changed, or does not follow" in _against(_looked_at(quick_desk, first.qr))
    assert _looked_at(quick_desk, second.qr).holds
