"""What is done to a registry besides issuing: revoking, describing a thing, going on from an older state knowingly."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from inspect_kit.errors import UsageError
from inspect_kit.registry.chain import Seal, append, entries_of_kind, entry_of, last_entry, next_serial, no_seal
from inspect_kit.registry.entries import AcceptedOlder, Described, Entry, Revoked, Series, Thing
from inspect_kit.registry.last_seen import LastSeenEntry
from inspect_kit.registry.log.tree import identity_of
from inspect_kit.registry.numbers import Number
from inspect_kit.registry.opening import Registry, Transaction
from inspect_kit.registry.search import known

_ANY: Final = 2**53
"""An entry behind all that another computer can remember, where nobody here knows how many were lost."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Whose registry goes on, why, who says so, and the newest numbers that are known to be out there."""

    code: str
    because: str
    by: str
    after: tuple[Number, ...] = ()
    is_signed: Callable[[Entry], bool] = lambda _: True
    """Whether an inspector's signature under an earlier acceptance holds."""


def accept_older(registry: Registry, word: Acceptance, at: datetime, seal: Seal) -> int:
    """Go on from the registry as it lies; gives how many entries are known to be lost.

    Every series goes on behind all numbers that the lost entries can have given out, and behind those that are known.
    """
    memory = registry.memory
    with registry.writing(anew=True) as connection:
        last, identity = last_entry(connection), identity_of(connection)
        known = memory.recall(identity) if memory and identity else None
        differs = last is not None and known is not None and _differs(connection, last, known)
        if last is None or not (differs or word.after):
            raise UsageError("nothing-lost", where=registry.place)
        if known is None or not differs or known.entries > last.id:
            append(connection, _accepted(connection, word, (last, known), at), at, seal)
        elif not _said_before(connection, known, word.is_signed):
            raise UsageError("another-history", where=registry.place)
        newest = last_entry(connection) or last
    if memory is not None:
        memory.accept(registry.place, identity, LastSeenEntry(newest.id, newest.hash))
    return max(known.entries - last.id, 0) if known else 0


def _differs(connection: Transaction, last: Entry, known: LastSeenEntry) -> bool:
    if known.entries > last.id:
        return True
    there = entry_of(connection, known.entries)
    return there is None or there.hash != known.hash


def _accepted(
    connection: Transaction, word: Acceptance, states: tuple[Entry, LastSeenEntry | None], at: datetime
) -> AcceptedOlder:
    last, known = states
    lost = max(known.entries - last.id, 0) if known else 0
    series = tuple(_series(connection, word, lost, at.astimezone().year))
    seen = known if known and lost else LastSeenEntry(_ANY, last.hash)
    return AcceptedOlder(seen.entries, seen.hash, word.because, word.by, series=series)


def _series(connection: Transaction, word: Acceptance, lost: int, year: int) -> Iterator[Series]:
    """From which number on each series goes on: those of this year, and those of the numbers that are known."""
    wanted: Sequence[tuple[str, int, str]] = [
        *((word.code, year, kind) for kind in ("certificate", "report")),
        *((each.issuer, each.year, each.kind) for each in word.after),
    ]
    for issuer, of, kind in dict.fromkeys(wanted):
        first = next_serial(connection, issuer, of, kind) + lost
        behind = (each.serial + 1 for each in word.after if (each.issuer, each.year, each.kind) == (issuer, of, kind))
        yield Series(issuer, of, kind, max((first, *behind)))


def _said_before(connection: Transaction, known: LastSeenEntry, is_signed: Callable[[Entry], bool]) -> bool:
    """Whether another computer has accepted already that what this one remembers is lost."""
    accepted = (entry for entry in entries_of_kind(connection, "accepted") if is_signed(entry))
    said = ((entry.id, entry.said()) for entry in accepted)
    return any(isinstance(body, AcceptedOlder) and place <= known.entries <= body.until for place, body in said)


# What is done to a registry besides issuing: revoking a certificate, describing a thing.


def revoke(registry: Registry, number: str, because: str, by: str, at: datetime, seal: Seal = no_seal) -> Entry:
    """Withdraw a certificate for good; the reason is kept and shown by `verify`."""
    if not because:
        raise UsageError("say-why-revoked", where="--because")
    with registry.writing() as connection:
        standing = known(connection, number)
        if standing.revoked_at:
            raise UsageError("already-revoked", where=standing.number, revoked_at=standing.revoked_at[:10])
        return append(connection, Revoked(standing.number, because, by), at, seal)


def describe(
    registry: Registry, thing: Thing, details: tuple[str, str], photo: tuple[str, bytes] | None, at: datetime
) -> Entry:
    """Add maker and serial number, and a photograph by name, to what is known of a thing."""
    maker, serial = details
    with registry.writing() as connection:
        file = registry.keep(connection, "photo", photo[1], photo[0]) if photo else None
        return append(connection, Described(thing, maker, serial, file), at)
