"""What the entries themselves say of a certificate: whoever changes the tables drawn from them is found out."""

from __future__ import annotations

from collections.abc import Iterator

from inspect_kit.errors import BrokenSeal
from inspect_kit.notices import Notice, notice
from inspect_kit.registry.chain import entries_after
from inspect_kit.registry.entries import Body, Certified, Entry, Revoked
from inspect_kit.registry.opening import Transaction
from inspect_kit.registry.search import CertificateStatus

_BATCH = 500
"""Entries that are read at once."""


def rows_fault(connection: Transaction, standing: CertificateStatus) -> Notice | None:
    """What speaks against a certificate's rows, by every entry from its own to the newest.

    A revocation whose row was deleted still stands among the entries, and an entry that was taken out or changed
    breaks the chain behind it.
    """
    # Only entries that name the certificate are taken apart: there are thousands.
    try:
        named = [each for each in chained_from(connection, standing.entry) if standing.number in each.body]
        said = [(each.said(), each.at) for each in named]
    except BrokenSeal as problem:
        return problem.told
    expected = ("", "")
    for body, at in said:
        expected = _after(expected, body, standing.number, at)
    if not said or not _same(said[0][0], standing) or (standing.revoked_at, standing.replaced_by) != expected:
        return notice("rows-differ", number=standing.number)
    return None


def chained_from(connection: Transaction, first: int) -> Iterator[Entry]:
    """All entries from one on; one that was changed or taken out is a broken seal."""
    expected, previous = first, ""
    while batch := entries_after(connection, expected - 1, _BATCH):
        for entry in batch:
            linked = entry.id == expected and previous in ("", entry.previous)
            if not linked or entry.right_hash() != entry.hash:
                raise BrokenSeal("chain-broken", entry=expected)
            expected, previous = entry.id + 1, entry.hash
            yield entry


def _same(said: Body, standing: CertificateStatus) -> bool:
    """Whether the certificate's own entry says what its rows say."""
    if not isinstance(said, Certified):
        return False
    made, thing = said.inspection, said.inspection.subject
    entry = (said.number, said.pdf, said.qr, said.issued_on, said.valid_until, said.valid_for, made.verdict,
             made.record, made.sheet, made.event, thing.item, thing.text, thing.owner)  # fmt: skip
    rows = (standing.number, standing.pdf, standing.qr, standing.issued_on, standing.valid_until, standing.valid_for,
            standing.verdict, standing.record, standing.sheet, standing.event, standing.item, standing.subject,
            standing.owner)  # fmt: skip
    return entry == rows


def _after(before: tuple[str, str], said: Body, number: str, at: str) -> tuple[str, str]:
    """When the certificate was revoked and what has replaced it, after one more entry."""
    revoked, replaced = before
    if isinstance(said, Revoked) and said.number == number:
        return revoked or at, replaced
    if isinstance(said, Certified) and number in said.replaces:
        return revoked, replaced or said.number
    return before
