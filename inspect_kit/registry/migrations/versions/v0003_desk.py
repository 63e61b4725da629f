"""Format 3: the check-in desk: events, people and their roles, inspections and decisions; PINs, sessions and drafts."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ORDERED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_ENTRY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TYPES: dict[str, sa.types.TypeEngine[Any]] = {
    "ordered": _ORDERED,
    "text": sa.Text(),
    "digest": sa.String(64),
    "time": sa.String(32),
    "entry": _ENTRY,
    "integer": sa.Integer(),
    "small": sa.SmallInteger(),
}
"""Types of columns by short names; lengths in characters."""

_TABLES = {
    "desk_events": "entry:entry event:40 name:text",
    "desk_accounts": "entry:entry name:ordered role:20 active:small",
    "desk_records": "entry:entry ticket:40 event:40 item:text text:text owner:ordered verdict:20 record:digest "
    "by:text attempt:integer retest_of:40 at:time",
    "desk_decisions": "entry:entry ticket:40 event:40 decision:20 by:text because:text after:text record:digest "
    "override:small at:time",
    "desk_pins": "name:ordered pin:text",
    "desk_sessions": "digest:digest name:ordered until:time",
    "desk_drafts": "ticket:40 event:40 by:text text:text at:time",
}
_GUARDED = ("desk_events", "desk_accounts", "desk_records", "desk_decisions")
_UNIQUE = {"desk_records": ("ticket",)}
_INDEXES = (
    ("desk_events", "event"), ("desk_accounts", "name"), ("desk_records", "event"), ("desk_records", "owner"),
    ("desk_records", "retest_of"), ("desk_decisions", "ticket"), ("desk_decisions", "event"),
    ("desk_decisions", "record"), ("desk_drafts", "event"),
)  # fmt: skip

_SQLITE = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'the registry is append-only'); END
"""
_POSTGRESQL = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table} FOR EACH STATEMENT EXECUTE FUNCTION append_only()
"""


def upgrade() -> None:
    """Make the tables and put guards up on those that are history."""
    for name, columns in _TABLES.items():
        unique = [sa.UniqueConstraint(*_UNIQUE[name])] if name in _UNIQUE else []
        op.create_table(name, *_columns(columns), *unique)
    for table, column in _INDEXES:
        op.create_index(f"ix_{table}_{column}", table, [column])
    postgresql = op.get_bind().dialect.name == "postgresql"
    for table in _GUARDED:
        for verb in ("update", "delete"):
            op.execute((_POSTGRESQL if postgresql else _SQLITE).format(table=table, verb=verb))


def _columns(columns: str) -> list[sa.Column[Any]]:
    made: list[sa.Column[Any]] = []
    for place, column in enumerate(columns.split()):
        name, _, kind = column.partition(":")
        of_type = sa.String(int(kind)) if kind.isdigit() else _TYPES[kind]
        made.append(sa.Column(name, of_type, primary_key=place == 0, nullable=False, autoincrement=False))
    return made
