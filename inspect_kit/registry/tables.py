"""The tables: the chain of entries, which is the truth, and what is drawn from it so that it can be found quickly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa

METADATA: Final = sa.MetaData()

# Ordered by bytes on both databases, so that an index serves "begins with" on either.
_ORDERED: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_DIGEST: Final = sa.String(64)
"""SHA-256 in hexadecimal digits."""
_ENTRY: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _entry(*, key: bool = False, unique: bool = False) -> sa.Column[int]:
    return sa.Column(
        "entry", _ENTRY, primary_key=key, autoincrement=False, nullable=False, unique=unique, index=not (key or unique)
    )


def _filled(kind: sa.Text | sa.String, *names: str) -> Iterator[sa.Column[str]]:
    """Columns of that type which are never null."""
    return (sa.Column(name, kind, nullable=False) for name in names)


ENTRIES: Final = sa.Table(
    "entries",
    METADATA,
    sa.Column("id", _ENTRY, primary_key=True, autoincrement=False),
    sa.Column("at", sa.String(32), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False, index=True),
    sa.Column("body", sa.Text, nullable=False),
    *_filled(_DIGEST, "previous", "hash"),
    sa.Column("signer", sa.String(40), nullable=False),
    sa.Column("signature", sa.String(200), nullable=False),
)
"""The chain; lengths of columns here and below are in characters."""

PEOPLE: Final = sa.Table(
    "people",
    METADATA,
    sa.Column("name", _ORDERED, primary_key=True),
    sa.Column("folded", _ORDERED, nullable=False, index=True),
    _entry(),
)

SUBJECTS: Final = sa.Table(
    "subjects",
    METADATA,
    sa.Column("key", _DIGEST, primary_key=True),
    *_filled(sa.Text(), "item", "text"),
    sa.Column("folded", _ORDERED, nullable=False, index=True),
    sa.Column("owner", _ORDERED, nullable=False, index=True),
    _entry(),
)

DESCRIPTIONS: Final = sa.Table(
    "descriptions",
    METADATA,
    _entry(key=True),
    sa.Column("subject", _DIGEST, nullable=False, index=True),
    *_filled(sa.Text(), "maker", "serial"),
    sa.Column("photo", _DIGEST, nullable=False),
)

INSTRUMENTS: Final = sa.Table(
    "instruments",
    METADATA,
    sa.Column("key", _DIGEST, primary_key=True),
    *_filled(sa.Text(), "id", "name", "kind", "maker", "serial", "calibrated_until"),
    _entry(),
)

INSPECTIONS: Final = sa.Table(
    "inspections",
    METADATA,
    _entry(key=True),
    sa.Column("subject", _DIGEST, nullable=False),
    sa.Column("inspector", _ORDERED, nullable=False, index=True),
    sa.Column("record", _DIGEST, nullable=False, index=True),
    sa.Column("sheet", _ORDERED, nullable=False),
    *_filled(sa.Text(), "edition", "rule"),
    sa.Column("verdict", sa.String(20), nullable=False),
    sa.Column("inspected_on", sa.String(10), nullable=False),
    sa.Column("event", _ORDERED, nullable=False, index=True),
    sa.Index("inspections_of_a_subject", "subject", "sheet"),
)
"""What was inspected, by whom and by which sheet, with its verdict."""

USES: Final = sa.Table(
    "uses",
    METADATA,
    _entry(key=True),
    sa.Column("instrument", _DIGEST, primary_key=True),
)

CERTIFICATES: Final = sa.Table(
    "certificates",
    METADATA,
    sa.Column("number", _ORDERED, primary_key=True),
    _entry(unique=True),
    sa.Column("issuer", sa.String(6), nullable=False),
    sa.Column("year", sa.SmallInteger, nullable=False),
    sa.Column("kind", sa.String(12), nullable=False),
    sa.Column("serial", sa.Integer, nullable=False),
    sa.Column("pdf", _DIGEST, nullable=False, index=True),
    sa.Column("qr", sa.Text, nullable=False),
    sa.Column("issued_on", sa.String(10), nullable=False, index=True),
    sa.Column("valid_until", sa.String(10), nullable=False),
    sa.Column("valid_for", sa.Text, nullable=False),
    sa.UniqueConstraint("issuer", "year", "kind", "serial", name="one_certificate_a_number"),
)
"""What was issued: number, PDF, QR text, validity."""

REPLACEMENTS: Final = sa.Table(
    "replacements",
    METADATA,
    sa.Column("number", _ORDERED, primary_key=True),
    sa.Column("by", _ORDERED, nullable=False),
    sa.Column("because", sa.Text, nullable=False),
    _entry(),
)

REVOCATIONS: Final = sa.Table(
    "revocations",
    METADATA,
    sa.Column("number", _ORDERED, primary_key=True),
    sa.Column("at", sa.String(32), nullable=False),
    *_filled(sa.Text(), "by", "because"),
    _entry(unique=True),
)
"""Which certificates were taken back, by whom and why."""

EVIDENCE: Final = sa.Table(
    "evidence",
    METADATA,
    _entry(key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("role", sa.String(12), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("sha256", _DIGEST, nullable=False, index=True),
    sa.Column("size", sa.BigInteger, nullable=False),
)
"""Which files belong to an entry."""

FILES: Final = sa.Table(
    "files",
    METADATA,
    sa.Column("sha256", _DIGEST, primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
)
"""Contents of evidence, where the registry has no folder of its own to keep them in."""

DESK_EVENTS: Final = sa.Table(
    "desk_events",
    METADATA,
    _entry(key=True),
    sa.Column("event", sa.String(40), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
)
"""Events of a check-in desk."""

DESK_ACCOUNTS: Final = sa.Table(
    "desk_accounts",
    METADATA,
    _entry(key=True),
    sa.Column("name", _ORDERED, nullable=False, index=True),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("active", sa.SmallInteger, nullable=False),
)
"""People of a check-in desk and their roles."""

DESK_RECORDS: Final = sa.Table(
    "desk_records",
    METADATA,
    _entry(key=True),
    sa.Column("ticket", sa.String(40), nullable=False, unique=True),
    sa.Column("event", sa.String(40), nullable=False, index=True),
    *_filled(sa.Text(), "item", "text"),
    sa.Column("owner", _ORDERED, nullable=False, index=True),
    sa.Column("verdict", sa.String(20), nullable=False),
    sa.Column("record", _DIGEST, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("retest_of", sa.String(40), nullable=False, index=True),
    sa.Column("at", sa.String(32), nullable=False),
)
"""Inspections at a check-in desk."""

DESK_DECISIONS: Final = sa.Table(
    "desk_decisions",
    METADATA,
    _entry(key=True),
    sa.Column("ticket", sa.String(40), nullable=False, index=True),
    sa.Column("event", sa.String(40), nullable=False, index=True),
    sa.Column("decision", sa.String(20), nullable=False),
    *_filled(sa.Text(), "by", "because", "after"),
    sa.Column("record", _DIGEST, nullable=False, index=True),
    sa.Column("override", sa.SmallInteger, nullable=False),
    sa.Column("at", sa.String(32), nullable=False),
)
"""What was decided on an inspection at a check-in desk, by whom and why."""

DESK_PINS: Final = sa.Table(
    "desk_pins",
    METADATA,
    sa.Column("name", _ORDERED, primary_key=True),
    sa.Column("pin", sa.Text, nullable=False),
)
"""Hashed PINs: neither history nor evidence, so they are changed in place and never part of the chain."""

DESK_SESSIONS: Final = sa.Table(
    "desk_sessions",
    METADATA,
    sa.Column("digest", _DIGEST, primary_key=True),
    sa.Column("name", _ORDERED, nullable=False),
    sa.Column("until", sa.String(32), nullable=False),
    sa.Column("proof", _DIGEST, nullable=False),
)
"""Who is signed in: the SHA-256 of what the browser shows, never that itself; `proof` is the desk's own word for it."""

LOG_NODES: Final = sa.Table(
    "log_nodes",
    METADATA,
    sa.Column("level", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("place", _ENTRY, primary_key=True, autoincrement=False),
    sa.Column("hash", _DIGEST, nullable=False),
)
"""The complete subtrees of the Merkle tree over all entries."""

LOG_CHECKPOINTS: Final = sa.Table(
    "log_checkpoints",
    METADATA,
    sa.Column("digest", _DIGEST, primary_key=True),
    sa.Column("size", _ENTRY, nullable=False, index=True),
    sa.Column("note", sa.Text, nullable=False),
)
"""Checkpoints that witnesses have signed."""

DESK_DRAFTS: Final = sa.Table(
    "desk_drafts",
    METADATA,
    sa.Column("ticket", sa.String(40), primary_key=True),
    sa.Column("event", sa.String(40), nullable=False, index=True),
    *_filled(sa.Text(), "by", "text"),
    sa.Column("at", sa.String(32), nullable=False),
)
"""Guided inspections that are under way."""

DESK: Final = (DESK_EVENTS, DESK_ACCOUNTS, DESK_RECORDS, DESK_DECISIONS)

OWN: Final = (DESCRIPTIONS, INSPECTIONS, USES, CERTIFICATES, REPLACEMENTS, REVOCATIONS, EVIDENCE, *DESK)
"""Tables whose every row belongs to one entry."""

SHARED: Final = (PEOPLE, SUBJECTS, INSTRUMENTS)
"""Tables whose rows are made by the first entry that names them and used by later ones."""

APPEND_ONLY: Final = (ENTRIES, *OWN, *SHARED, FILES, LOG_NODES, LOG_CHECKPOINTS)
