"""The registry as a transparency log: its Merkle tree in the database, checkpoints, and proofs out of it."""

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, bindparam, func, insert, select

from inspect_kit.errors import BrokenSeal
from inspect_kit.registry.entries import Entry
from inspect_kit.registry.log import merkle
from inspect_kit.registry.log.notes import Checkpoint, LogProof, WitnessRequest, checkpoint_of
from inspect_kit.registry.tables import ENTRIES, LOG_CHECKPOINTS, LOG_NODES

_NODE: Final = select(LOG_NODES.c.hash).where(
    LOG_NODES.c.level == bindparam("level"), LOG_NODES.c.place == bindparam("place")
)
_SIZE: Final = select(func.max(ENTRIES.c.id))
_FIRST: Final = select(ENTRIES.c.hash).where(ENTRIES.c.id == 1)
"""The hash of the first entry, by which a registry is known."""


def grow(connection: Connection, entries: Sequence[Entry]) -> None:
    """The nodes that new entries make complete, in the transaction that writes them."""
    fresh: dict[tuple[int, int], bytes] = {}
    if entries and connection.scalar(_NODE, {"level": 0, "place": entries[0].id - 1}) is not None:
        raise BrokenSeal("does-not-fit-entries", where="the log's tree")
    stored = _nodes(connection)

    def known(level: int, place: int) -> bytes:
        return fresh[level, place] if (level, place) in fresh else stored(level, place)

    rows: list[dict[str, Any]] = []
    for entry in entries:
        for level, place, found in merkle.completed_nodes(merkle.leaf_hash(entry.leaf()), entry.id - 1, known):
            fresh[level, place] = found
            rows.append({"level": level, "place": place, "hash": found.hex()})
    if rows:
        connection.execute(insert(LOG_NODES), rows)


def _nodes(connection: Connection) -> merkle.Nodes:
    def stored(level: int, place: int) -> bytes:
        found = connection.scalar(_NODE, {"level": level, "place": place})
        if found is None:
            raise BrokenSeal("node-missing", where="the log's tree", level=level, place=place)
        return bytes.fromhex(found)

    return stored


def log_size(connection: Connection) -> int:
    """How many entries the log holds: as long as that stays, nothing has happened."""
    return connection.scalar(_SIZE) or 0


def root_at(connection: Connection, size: int) -> bytes:
    """The root over the first `size` entries."""
    return merkle.root(0, size, _nodes(connection))


def identity_of(connection: Connection) -> str:
    """What a registry is known by, wherever it lies: the hash of its first entry; empty if there is none."""
    return connection.scalar(_FIRST) or ""


def origin_of(code: str, identity: str) -> str:
    """What the log is called in its checkpoints: the issuer's code, and the registry's own identity."""
    return f"inspect-kit/{code}/{identity[:16]}"


def checkpoint(connection: Connection, code: str) -> Checkpoint:
    """The log as it is now, not yet signed."""
    size = log_size(connection)
    if not size:
        raise BrokenSeal("empty-nothing-bear-witness", where="the log")
    return Checkpoint(origin_of(code, identity_of(connection)), size, root_at(connection, size))


def request_since(connection: Connection, signed: Checkpoint, old: int) -> WitnessRequest:
    """A signed checkpoint with the proof that it continues the log of `old` entries."""
    return WitnessRequest(old, tuple(merkle.consistency_proof(old, signed.size, _nodes(connection))), signed)


def proof_in(connection: Connection, entry: Entry, signed: Checkpoint) -> LogProof:
    """That an entry stands in the log of a checkpoint."""
    steps = merkle.inclusion_proof(entry.id - 1, signed.size, _nodes(connection))
    return LogProof(entry.id - 1, tuple(steps), signed, entry.leaf())


def keep_checkpoint(connection: Connection, note: Checkpoint) -> bool:
    """Keep what a witness has signed; gives whether it was new."""
    digest = hashlib.sha256(str(note).encode()).hexdigest()
    there = connection.scalar(select(LOG_CHECKPOINTS.c.size).where(LOG_CHECKPOINTS.c.digest == digest))
    if there is None:
        row = {"digest": digest, "size": note.size, "note": str(note)}
        connection.execute(insert(LOG_CHECKPOINTS).values(**row))
    return there is None


def kept_checkpoints(
    connection: Connection, least: int = 0, most: int = 40, *, smallest: bool = False
) -> list[Checkpoint]:
    """Checkpoints that cover the first `least` entries and more, the largest or the smallest first."""
    own = LOG_CHECKPOINTS.c
    order = own.size if smallest else own.size.desc()
    wanted = select(own.note).where(own.size >= least).order_by(order).limit(most)
    return [checkpoint_of(note) for note in connection.scalars(wanted)]
