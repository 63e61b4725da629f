"""Format 4: the Merkle tree over all entries, checkpoints that witnesses have signed, sessions bound to their desk.

On PostgreSQL the guards also refuse TRUNCATE. Never edited: registries of this format are out there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_ENTRY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_GUARDED = ("log_nodes", "log_checkpoints")
_HISTORY = (
    "entries", "people", "subjects", "descriptions", "instruments", "inspections", "uses", "certificates",
    "replacements", "revocations", "evidence", "files", "desk_events", "desk_accounts", "desk_records",
    "desk_decisions", *_GUARDED,
)  # fmt: skip

_SQLITE = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'the registry is append-only'); END
"""
_POSTGRESQL = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table} FOR EACH STATEMENT EXECUTE FUNCTION append_only()
"""
_BATCH = 2000
"""Entries read, or nodes written, at a time."""


def upgrade() -> None:
    """Make the tables, fill the tree from the entries there are, and put guards up."""
    _tables()
    _fill(op.get_bind())
    postgresql = op.get_bind().dialect.name == "postgresql"
    for table in _GUARDED:
        for verb in ("update", "delete"):
            op.execute((_POSTGRESQL if postgresql else _SQLITE).format(table=table, verb=verb))
    if postgresql:
        for table in _HISTORY:
            op.execute(_POSTGRESQL.format(table=table, verb="truncate"))


def _tables() -> None:
    op.create_table(
        "log_nodes",
        sa.Column("level", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("place", _ENTRY, primary_key=True, autoincrement=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_table(
        "log_checkpoints",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("size", _ENTRY, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
    )
    op.create_index("ix_log_checkpoints_size", "log_checkpoints", ["size"])
    op.create_index("ix_entries_kind", "entries", ["kind"])
    # Who is signed in is nobody's history: everybody signs in again.
    op.drop_table("desk_sessions")
    op.create_table(
        "desk_sessions",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("until", sa.String(32), nullable=False),
        sa.Column("proof", sa.String(64), nullable=False),
    )


def _fill(connection: sa.Connection) -> None:
    nodes = sa.table("log_nodes", sa.column("level"), sa.column("place"), sa.column("hash"))
    edge: dict[int, bytes] = {}
    rows: list[dict[str, Any]] = []
    for place, entry in enumerate(_entries(connection)):
        rows.extend(_grown(edge, place, entry))
        if len(rows) >= _BATCH:
            connection.execute(nodes.insert(), rows)
            rows = []
    if rows:
        connection.execute(nodes.insert(), rows)


def _entries(connection: sa.Connection) -> Iterator[sa.Row[Any]]:
    last = 0
    wanted = "id, at, kind, body, previous, signer, signature"
    asked = sa.text(f"SELECT {wanted} FROM entries WHERE id > :last ORDER BY id LIMIT {_BATCH}")  # noqa: S608
    while batch := connection.execute(asked, {"last": last}).all():
        yield from batch
        last = batch[-1].id


def _grown(edge: dict[int, bytes], place: int, entry: sa.Row[Any]) -> Iterator[dict[str, Any]]:
    """The nodes that become complete with an entry; `edge` holds the last complete node of each level."""
    said = [entry.id, entry.at, entry.kind, entry.previous, entry.body, entry.signer, entry.signature]
    content = json.dumps(["inspect-kit leaf 1", *said], ensure_ascii=False, separators=(",", ":")).encode()
    level, found = 0, hashlib.sha256(b"\x00" + content).digest()
    yield {"level": level, "place": place, "hash": found.hex()}
    while place & 1:
        found = hashlib.sha256(b"\x01" + edge[level] + found).digest()
        level, place = level + 1, place >> 1
        yield {"level": level, "place": place, "hash": found.hex()}
    edge[level] = found
