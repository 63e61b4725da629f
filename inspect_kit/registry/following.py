"""What the entries themselves say of a certificate: whoever changes the tables drawn from them is found out."""

from __future__ import annotations

from collections.abc import Iterator

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
    last: Entry | None = None
    expected = ("", "")
    for entry in _from(connection, standing.entry):
        if entry.right_hash() != entry.hash or (last and (entry.id, entry.previous) != (last.id + 1, last.hash)):
            return notice("chain-broken", entry=entry.id)
        # Only entries that name the certificate are taken apart: there are thousands.
        said = entry.said() if standing.number in entry.body else None
        if last is None and not _same(said, standing):
            return notice("rows-differ", number=standing.number)
        expected, last = _after(expected, said, standing.number, entry.at), entry
    if last is None or (standing.revoked_at, standing.replaced_by) != expected:
        return notice("rows-differ", number=standing.number)
    return None


def _from(connection: Transaction, first: int) -> Iterator[Entry]:
    before = first - 1
    while batch := entries_after(connection, before, _BATCH):
        yield from batch
        before = batch[-1].id


def _same(said: Body | None, standing: CertificateStatus) -> bool:
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


def _after(before: tuple[str, str], said: Body | None, number: str, at: str) -> tuple[str, str]:
    """When the certificate was revoked and what has replaced it, after one more entry."""
    revoked, replaced = before
    if isinstance(said, Revoked) and said.number == number:
        return revoked or at, replaced
    if isinstance(said, Certified) and number in said.replaces:
        return revoked, replaced or said.number
    return before
