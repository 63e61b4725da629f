"""Going on from an older state knowingly: who says so and why stands in the chain, and no number is given twice."""

from __future__ import annotations

from datetime import datetime

from inspect_kit.errors import UsageError
from inspect_kit.registry.chain import Seal, append, entries_of_kind, entry_of, last_entry, next_serial
from inspect_kit.registry.entries import AcceptedOlder, Entry, Series
from inspect_kit.registry.log.tree import identity_of
from inspect_kit.registry.opening import Registry, Transaction
from inspect_kit.registry.witness import LastSeenEntry


def accept_older(registry: Registry, code: str, reason: tuple[str, str], at: datetime, seal: Seal) -> int:
    """Go on from the registry as it lies; gives how many entries are lost. `reason` is why, and who says so.

    Every series of the year goes on behind all numbers that the lost entries can have given out.
    """
    memory = registry.memory
    with registry.writing(anew=True) as connection:
        last, identity = last_entry(connection), identity_of(connection)
        known = memory.recall(identity) if memory and identity else None
        if last is None or known is None or not _differs(connection, last, known):
            raise UsageError("nothing-lost", where=registry.place)
        if known.entries > last.id:
            append(connection, _accepted(connection, code, (last, known), reason, at), at, seal)
        elif not _said_before(connection, known):
            raise UsageError("another-history", where=registry.place)
        newest = last_entry(connection) or last
    if memory is not None:
        memory.accept(registry.place, identity, LastSeenEntry(newest.id, newest.hash))
    return max(known.entries - last.id, 0)


def _differs(connection: Transaction, last: Entry, known: LastSeenEntry) -> bool:
    if known.entries > last.id:
        return True
    there = entry_of(connection, known.entries)
    return there is None or there.hash != known.hash


def _accepted(
    connection: Transaction, code: str, states: tuple[Entry, LastSeenEntry], reason: tuple[str, str], at: datetime
) -> AcceptedOlder:
    last, known = states
    lost, year = known.entries - last.id, at.astimezone().year
    series = tuple(
        Series(code, year, kind, next_serial(connection, code, year, kind) + lost) for kind in ("certificate", "report")
    )
    return AcceptedOlder(known.entries, known.hash, *reason, series=series)


def _said_before(connection: Transaction, known: LastSeenEntry) -> bool:
    """Whether another computer has accepted already that what this one remembers is lost."""
    said = ((entry.id, entry.said()) for entry in entries_of_kind(connection, "accepted"))
    return any(isinstance(body, AcceptedOlder) and place <= known.entries <= body.until for place, body in said)
