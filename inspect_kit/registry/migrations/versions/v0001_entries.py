"""Format 1: the chain of entries, and what is drawn from it. Never edited: registries of this format are out there."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ORDERED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_ENTRY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_TYPES: dict[str, sa.types.TypeEngine[Any]] = {
    "ordered": _ORDERED,
    "text": sa.Text(),
    "digest": sa.String(64),
    "day": sa.String(10),
    "time": sa.String(32),
    "entry": _ENTRY,
    "integer": sa.Integer(),
    "small": sa.SmallInteger(),
    "big": sa.BigInteger(),
    "bytes": sa.LargeBinary(),
}
"""Types of columns by short names; lengths in characters."""

_TABLES = {
    "entries": "id:entry at:time kind:20 body:text previous:digest hash:digest signer:40 signature:200",
    "people": "name:ordered folded:ordered entry:entry",
    "subjects": "key:digest item:text text:text folded:ordered owner:ordered entry:entry",
    "descriptions": "entry:entry subject:digest maker:text serial:text photo:digest",
    "instruments": "key:digest id:text name:text kind:text maker:text serial:text calibrated_until:text entry:entry",
    "inspections": "entry:entry subject:digest inspector:ordered record:digest sheet:ordered edition:text rule:text "
    "verdict:20 inspected_on:day event:ordered",
    "uses": "entry:entry instrument:digest",
    "certificates": "number:ordered entry:entry issuer:6 year:small kind:12 serial:integer pdf:digest qr:text "
    "issued_on:day valid_until:day valid_for:text",
    "replacements": "number:ordered by:ordered because:text entry:entry",
    "revocations": "number:ordered at:time by:text because:text entry:entry",
    "evidence": "entry:entry place:integer role:12 name:text sha256:digest size:big",
    "files": "sha256:digest content:bytes",
}
_KEYS = {"uses": 2, "evidence": 2}
"""Tables whose key is more than the first column."""

_UNIQUE: dict[str, tuple[tuple[str, ...], ...]] = {
    "certificates": (("entry",), ("issuer", "year", "kind", "serial")),
    "revocations": (("entry",),),
}
_NAMED: dict[tuple[str, ...], str] = {("issuer", "year", "kind", "serial"): "one_certificate_a_number"}
_INDEXES = (
    ("people", "folded"), ("people", "entry"), ("subjects", "folded"), ("subjects", "owner"), ("subjects", "entry"),
    ("descriptions", "subject"), ("instruments", "entry"), ("inspections", "inspector"), ("inspections", "record"),
    ("inspections", "event"), ("certificates", "issued_on"), ("replacements", "entry"), ("evidence", "sha256"),
)  # fmt: skip


def upgrade() -> None:
    """Make the tables."""
    for name, columns in _TABLES.items():
        unique = [sa.UniqueConstraint(*names, name=_NAMED.get(names)) for names in _UNIQUE.get(name, ())]
        op.create_table(name, *_columns(name, columns), *unique)
    for table, column in _INDEXES:
        op.create_index(f"ix_{table}_{column}", table, [column])
    op.create_index("inspections_of_a_subject", "inspections", ["subject", "sheet"])


def _columns(table: str, columns: str) -> list[sa.Column[Any]]:
    keys = _KEYS.get(table, 1)
    made: list[sa.Column[Any]] = []
    for place, column in enumerate(columns.split()):
        name, _, kind = column.partition(":")
        of_type = sa.String(int(kind)) if kind.isdigit() else _TYPES[kind]
        made.append(sa.Column(name, of_type, primary_key=place < keys, nullable=False, autoincrement=False))
    return made
