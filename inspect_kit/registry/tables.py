"""The tables: the chain of entries, which is the truth, and what is drawn from it so that it can be found quickly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
)  # fmt: skip

METADATA: Final = MetaData()

# Ordered by bytes on both databases, so that an index serves "begins with" on either.
_ORDERED: Final = Text().with_variant(Text(collation="C"), "postgresql")
_DIGEST: Final = String(64)
"""SHA-256 in hexadecimal digits."""
_ENTRY: Final = BigInteger().with_variant(Integer(), "sqlite")


def _entry(*, key: bool = False, unique: bool = False) -> Column[int]:
    return Column(
        "entry", _ENTRY, primary_key=key, autoincrement=False, nullable=False, unique=unique, index=not (key or unique)
    )


def _filled(kind: Text | String, *names: str) -> Iterator[Column[str]]:
    """Columns of that type which are never null."""
    return (Column(name, kind, nullable=False) for name in names)


ENTRIES: Final = Table(
    "entries",
    METADATA,
    Column("id", _ENTRY, primary_key=True, autoincrement=False),
    Column("at", String(32), nullable=False),
    Column("kind", String(20), nullable=False, index=True),
    Column("body", Text, nullable=False),
    *_filled(_DIGEST, "previous", "hash"),
    Column("signer", String(40), nullable=False),
    Column("signature", String(200), nullable=False),
)
"""The chain; lengths of columns here and below are in characters."""

PEOPLE: Final = Table(
    "people",
    METADATA,
    Column("name", _ORDERED, primary_key=True),
    Column("folded", _ORDERED, nullable=False, index=True),
    _entry(),
)

SUBJECTS: Final = Table(
    "subjects",
    METADATA,
    Column("key", _DIGEST, primary_key=True),
    *_filled(Text(), "item", "text"),
    Column("folded", _ORDERED, nullable=False, index=True),
    Column("owner", _ORDERED, nullable=False, index=True),
    _entry(),
)

DESCRIPTIONS: Final = Table(
    "descriptions",
    METADATA,
    _entry(key=True),
    Column("subject", _DIGEST, nullable=False, index=True),
    *_filled(Text(), "maker", "serial"),
    Column("photo", _DIGEST, nullable=False),
)

INSTRUMENTS: Final = Table(
    "instruments",
    METADATA,
    Column("key", _DIGEST, primary_key=True),
    *_filled(Text(), "id", "name", "kind", "maker", "serial", "calibrated_until"),
    _entry(),
)

INSPECTIONS: Final = Table(
    "inspections",
    METADATA,
    _entry(key=True),
    Column("subject", _DIGEST, nullable=False),
    Column("inspector", _ORDERED, nullable=False, index=True),
    Column("record", _DIGEST, nullable=False, index=True),
    Column("sheet", _ORDERED, nullable=False),
    *_filled(Text(), "edition", "rule"),
    Column("verdict", String(20), nullable=False),
    Column("inspected_on", String(10), nullable=False),
    Column("event", _ORDERED, nullable=False, index=True),
    Index("inspections_of_a_subject", "subject", "sheet"),
)
"""What was inspected, by whom and by which sheet, with its verdict."""

USES: Final = Table(
    "uses",
    METADATA,
    _entry(key=True),
    Column("instrument", _DIGEST, primary_key=True),
)

CERTIFICATES: Final = Table(
    "certificates",
    METADATA,
    Column("number", _ORDERED, primary_key=True),
    _entry(unique=True),
    Column("issuer", String(6), nullable=False),
    Column("year", SmallInteger, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("serial", Integer, nullable=False),
    Column("pdf", _DIGEST, nullable=False, index=True),
    Column("qr", Text, nullable=False),
    Column("issued_on", String(10), nullable=False, index=True),
    Column("valid_until", String(10), nullable=False),
    Column("valid_for", Text, nullable=False),
    UniqueConstraint("issuer", "year", "kind", "serial", name="one_certificate_a_number"),
)
"""What was issued: number, PDF, QR text, validity."""

REPLACEMENTS: Final = Table(
    "replacements",
    METADATA,
    Column("number", _ORDERED, primary_key=True),
    Column("by", _ORDERED, nullable=False),
    Column("because", Text, nullable=False),
    _entry(),
)

REVOCATIONS: Final = Table(
    "revocations",
    METADATA,
    Column("number", _ORDERED, primary_key=True),
    Column("at", String(32), nullable=False),
    *_filled(Text(), "by", "because"),
    _entry(unique=True),
)
"""Which certificates were taken back, by whom and why."""

EVIDENCE: Final = Table(
    "evidence",
    METADATA,
    _entry(key=True),
    Column("place", Integer, primary_key=True),
    Column("role", String(12), nullable=False),
    Column("name", Text, nullable=False),
    Column("sha256", _DIGEST, nullable=False, index=True),
    Column("size", BigInteger, nullable=False),
)
"""Which files belong to an entry."""

FILES: Final = Table(
    "files",
    METADATA,
    Column("sha256", _DIGEST, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)
"""Contents of evidence, where the registry has no folder of its own to keep them in."""

DESK_EVENTS: Final = Table(
    "desk_events",
    METADATA,
    _entry(key=True),
    Column("event", String(40), nullable=False, index=True),
    Column("name", Text, nullable=False),
)
"""Events of a check-in desk."""

DESK_ACCOUNTS: Final = Table(
    "desk_accounts",
    METADATA,
    _entry(key=True),
    Column("name", _ORDERED, nullable=False, index=True),
    Column("role", String(20), nullable=False),
    Column("active", SmallInteger, nullable=False),
)
"""People of a check-in desk and their roles."""

DESK_RECORDS: Final = Table(
    "desk_records",
    METADATA,
    _entry(key=True),
    Column("ticket", String(40), nullable=False, unique=True),
    Column("event", String(40), nullable=False, index=True),
    *_filled(Text(), "item", "text"),
    Column("owner", _ORDERED, nullable=False, index=True),
    Column("verdict", String(20), nullable=False),
    Column("record", _DIGEST, nullable=False),
    Column("by", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("retest_of", String(40), nullable=False, index=True),
    Column("at", String(32), nullable=False),
)
"""Inspections at a check-in desk."""

DESK_DECISIONS: Final = Table(
    "desk_decisions",
    METADATA,
    _entry(key=True),
    Column("ticket", String(40), nullable=False, index=True),
    Column("event", String(40), nullable=False, index=True),
    Column("decision", String(20), nullable=False),
    *_filled(Text(), "by", "because", "after"),
    Column("record", _DIGEST, nullable=False, index=True),
    Column("override", SmallInteger, nullable=False),
    Column("at", String(32), nullable=False),
)
"""What was decided on an inspection at a check-in desk, by whom and why."""

DESK_PINS: Final = Table(
    "desk_pins",
    METADATA,
    Column("name", _ORDERED, primary_key=True),
    Column("pin", Text, nullable=False),
)
"""Hashed PINs: neither history nor evidence, so they are changed in place and never part of the chain."""

DESK_SESSIONS: Final = Table(
    "desk_sessions",
    METADATA,
    Column("digest", _DIGEST, primary_key=True),
    Column("name", _ORDERED, nullable=False),
    Column("until", String(32), nullable=False),
    Column("proof", _DIGEST, nullable=False),
)
"""Who is signed in: the SHA-256 of what the browser shows, never that itself; `proof` is the desk's own word for it."""

LOG_NODES: Final = Table(
    "log_nodes",
    METADATA,
    Column("level", SmallInteger, primary_key=True, autoincrement=False),
    Column("place", _ENTRY, primary_key=True, autoincrement=False),
    Column("hash", _DIGEST, nullable=False),
)
"""The complete subtrees of the Merkle tree over all entries."""

LOG_CHECKPOINTS: Final = Table(
    "log_checkpoints",
    METADATA,
    Column("digest", _DIGEST, primary_key=True),
    Column("size", _ENTRY, nullable=False, index=True),
    Column("note", Text, nullable=False),
)
"""Checkpoints that witnesses have signed."""

DESK_DRAFTS: Final = Table(
    "desk_drafts",
    METADATA,
    Column("ticket", String(40), primary_key=True),
    Column("event", String(40), nullable=False, index=True),
    *_filled(Text(), "by", "text"),
    Column("at", String(32), nullable=False),
)
"""Guided inspections that are under way."""

DESK: Final = (DESK_EVENTS, DESK_ACCOUNTS, DESK_RECORDS, DESK_DECISIONS)

OWN: Final = (DESCRIPTIONS, INSPECTIONS, USES, CERTIFICATES, REPLACEMENTS, REVOCATIONS, EVIDENCE, *DESK)
"""Tables whose every row belongs to one entry."""

SHARED: Final = (PEOPLE, SUBJECTS, INSTRUMENTS)
"""Tables whose rows are made by the first entry that names them and used by later ones."""

APPEND_ONLY: Final = (ENTRIES, *OWN, *SHARED, FILES, LOG_NODES, LOG_CHECKPOINTS)
