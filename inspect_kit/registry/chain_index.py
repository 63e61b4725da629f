"""What the entries themselves say of a certificate: whoever changes the tables drawn from them is found out."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary

from sqlalchemy import Pool

from inspect_kit.errors import BrokenSeal, Notice, notice
from inspect_kit.registry.chain import entries_after, entry_of
from inspect_kit.registry.entries import FIRST, Body, Certified, Entry, Revoked
from inspect_kit.registry.opening import Transaction
from inspect_kit.registry.search import CertificateStatus

_BATCH = 500
"""Entries that are read at once."""


def rows_fault(connection: Transaction, standing: CertificateStatus) -> Notice | None:
    """What speaks against a certificate's rows, by every entry from its own to the newest.

    A revocation whose row was deleted still stands among the entries, and an entry that was taken out or changed
    breaks the chain behind it.
    """
    try:
        said = [(each.said(), each.at) for each in _history(connection, standing) if each.id >= standing.entry]
    except BrokenSeal as problem:
        return problem.told
    expected = ("", "")
    for body, at in said:
        expected = _after(expected, body, standing.number, at)
    if not said or not _same(said[0][0], standing) or (standing.revoked_at, standing.replaced_by) != expected:
        return notice("rows-differ", number=standing.number)
    return None


def _history(connection: Transaction, standing: CertificateStatus) -> list[Entry]:
    """The entries that name a certificate; a break before its own entry is not held against it."""
    try:
        return entries_about(connection, Certified, standing.number)
    except BrokenSeal:
        return [each for each in _chained(connection, (standing.entry - 1, "")) if standing.number in each.body]


def entries_about(connection: Transaction, history: type[Body], name: str) -> list[Entry]:
    """All entries of a certificate, account, event or decision, by a chain that was walked to its end.

    An entry that was changed or taken out is a broken seal, also one behind what was walked before.
    """
    with _MAKING:
        index = _INDEXES.setdefault(connection.engine.pool, _ChainIndex())
    return [_still(connection, number, digest) for number, digest in index.places(connection, history, name)]


@dataclass(slots=True)
class _ChainIndex:
    """Where a walked chain speaks of what. Kept while the program runs: walking 50,000 entries takes 0.8 s."""

    last: tuple[int, str] = (0, FIRST)
    """Up to which entry the chain was walked, and that one's hash."""
    found: dict[tuple[type[Body], str], list[tuple[int, str]]] = field(default_factory=dict)
    _walking: Lock = field(default_factory=Lock)

    def places(self, connection: Transaction, history: type[Body], name: str) -> list[tuple[int, str]]:
        """Entries by number and hash, after a walk over what has come since."""
        with self._walking:
            end = entry_of(connection, self.last[0])
            if self.last != ((end.id, end.hash) if end else (0, FIRST)):
                # Another state than the one that was walked, or an earlier view of it: nothing of it is believed.
                self.last, self.found = (0, FIRST), {}
            for entry in _chained(connection, self.last):
                for about in entry.about():
                    self.found.setdefault(about, []).append((entry.id, entry.hash))
                self.last = (entry.id, entry.hash)
            return list(self.found.get((history, name), ()))


_INDEXES: Final[WeakKeyDictionary[Pool, _ChainIndex]] = WeakKeyDictionary()
"""One for each registry that stands open, whatever a transaction's options."""
_MAKING: Final = Lock()


def _still(connection: Transaction, number: int, digest: str) -> Entry:
    """An entry that was walked over before, which must be the same as then."""
    entry = entry_of(connection, number)
    if entry is None or entry.right_hash() != digest or entry.hash != digest:
        raise BrokenSeal("chain-broken", entry=number)
    return entry


def _chained(connection: Transaction, last: tuple[int, str]) -> Iterator[Entry]:
    """All entries behind one; one that was changed or taken out is a broken seal."""
    number, previous = last
    while batch := entries_after(connection, number, _BATCH):
        for entry in batch:
            linked = entry.id == number + 1 and previous in ("", entry.previous)
            if not linked or entry.right_hash() != entry.hash:
                raise BrokenSeal("chain-broken", entry=number + 1)
            number, previous = entry.id, entry.hash
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
