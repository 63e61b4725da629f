"""The tables: the chain of entries, which is the truth, and what is drawn from it so that it can be found quickly."""

from typing import Any, Final

import sqlalchemy as sa

METADATA: Final = sa.MetaData()

_TYPES: Final[dict[str, sa.types.TypeEngine[Any]]] = {
    # Ordered by bytes on both databases, so that an index serves "begins with" on either.
    "ordered": sa.Text().with_variant(sa.Text(collation="C"), "postgresql"),
    "entry": sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
    "text": sa.Text(), "digest": sa.String(64), "day": sa.String(10), "time": sa.String(32), "bytes": sa.LargeBinary(),
    "small": sa.SmallInteger(), "integer": sa.Integer(), "big": sa.BigInteger(),
}  # fmt: skip
"""Types by their names below; a number is a text of so many characters, a digest SHA-256 in hexadecimal digits."""


def _table(name: str, columns: str, *more: sa.schema.SchemaItem) -> sa.Table:
    """A table of columns written as `name:type`; behind it `*` for the primary key, `#` for an index, `!` for values
    that stand there only once."""
    return sa.Table(name, METADATA, *map(_column, columns.split()), *more)


def _column(column: str) -> sa.Column[Any]:
    name, _, kind = column.rstrip("*#!").partition(":")
    of_type = sa.String(int(kind)) if kind.isdigit() else _TYPES[kind]
    key, index, unique = (True if column.endswith(mark) else None for mark in "*#!")
    return sa.Column(
        name, of_type, primary_key=bool(key), autoincrement=False, nullable=False, index=index, unique=unique
    )


ENTRIES: Final = _table(
    "entries", "id:entry* at:time kind:20# body:text previous:digest hash:digest signer:40 signature:200"
)
"""The chain."""

PEOPLE: Final = _table("people", "name:ordered* folded:ordered# entry:entry#")
SUBJECTS: Final = _table("subjects", "key:digest* item:text text:text folded:ordered# owner:ordered# entry:entry#")
DESCRIPTIONS: Final = _table("descriptions", "entry:entry* subject:digest# maker:text serial:text photo:digest")
INSTRUMENTS: Final = _table(
    "instruments",
    "key:digest* id:text name:text kind:text maker:text serial:text calibrated_until:text entry:entry#",
)
INSPECTIONS: Final = _table(
    "inspections",
    "entry:entry* subject:digest inspector:ordered# record:digest# sheet:ordered edition:text rule:text verdict:20 "
    "inspected_on:day event:ordered#",
    sa.Index("inspections_of_a_subject", "subject", "sheet"),
)
"""What was inspected, by whom and by which sheet, with its verdict."""
USES: Final = _table("uses", "entry:entry* instrument:digest*")
CERTIFICATES: Final = _table(
    "certificates",
    "number:ordered* entry:entry! issuer:6 year:small kind:12 serial:integer pdf:digest# qr:text issued_on:day# "
    "valid_until:day valid_for:text",
    sa.UniqueConstraint("issuer", "year", "kind", "serial", name="one_certificate_a_number"),
)
"""What was issued: number, PDF, QR text, validity."""
REPLACEMENTS: Final = _table("replacements", "number:ordered* by:ordered because:text entry:entry#")
REVOCATIONS: Final = _table("revocations", "number:ordered* at:time by:text because:text entry:entry!")
"""Which certificates were taken back, by whom and why."""
EVIDENCE: Final = _table("evidence", "entry:entry* place:integer* role:12 name:text sha256:digest# size:big")
"""Which files belong to an entry."""

FILES: Final = _table("files", "sha256:digest* content:bytes")
"""Contents of evidence, where the registry has no folder of its own to keep them in."""

DESK_EVENTS: Final = _table("desk_events", "entry:entry* event:40# name:text")
"""Events of a check-in desk."""
DESK_ACCOUNTS: Final = _table("desk_accounts", "entry:entry* name:ordered# role:20 active:small")
"""People of a check-in desk and their roles."""
DESK_RECORDS: Final = _table(
    "desk_records",
    "entry:entry* ticket:40! event:40# item:text text:text owner:ordered# verdict:20 record:digest by:text "
    "attempt:integer retest_of:40# at:time",
)
"""Inspections at a check-in desk."""
DESK_DECISIONS: Final = _table(
    "desk_decisions",
    "entry:entry* ticket:40# event:40# decision:20 by:text because:text after:text record:digest# override:small "
    "at:time",
)
"""What was decided on an inspection at a check-in desk, by whom and why."""
DESK_PINS: Final = _table("desk_pins", "name:ordered* pin:text")
"""Hashed PINs: neither history nor evidence, so they are changed in place and never part of the chain."""
DESK_SESSIONS: Final = _table("desk_sessions", "digest:digest* name:ordered until:time proof:digest")
"""Who is signed in: the SHA-256 of what the browser shows, never that itself; `proof` is the desk's own word for it."""
LOG_NODES: Final = _table("log_nodes", "level:small* place:entry* hash:digest")
"""The complete subtrees of the Merkle tree over all entries."""
LOG_CHECKPOINTS: Final = _table("log_checkpoints", "digest:digest* size:entry# note:text")
"""Checkpoints that witnesses have signed."""
DESK_DRAFTS: Final = _table("desk_drafts", "ticket:40* event:40# by:text text:text at:time")
"""Guided inspections that are under way."""

DESK: Final = (DESK_EVENTS, DESK_ACCOUNTS, DESK_RECORDS, DESK_DECISIONS)

OWN: Final = (DESCRIPTIONS, INSPECTIONS, USES, CERTIFICATES, REPLACEMENTS, REVOCATIONS, EVIDENCE, *DESK)
"""Tables whose every row belongs to one entry."""

SHARED: Final = (PEOPLE, SUBJECTS, INSTRUMENTS)
"""Tables whose rows are made by the first entry that names them and used by later ones."""

APPEND_ONLY: Final = (ENTRIES, *OWN, *SHARED, FILES, LOG_NODES, LOG_CHECKPOINTS)
