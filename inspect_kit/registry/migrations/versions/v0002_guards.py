"""Format 2: the database itself refuses to change or drop what was written; certificates are found by their PDF."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

_TABLES = (
    "entries", "people", "subjects", "descriptions", "instruments", "inspections", "uses", "certificates",
    "replacements", "revocations", "evidence", "files",
)  # fmt: skip

_SQLITE = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'the registry is append-only'); END
"""
_POSTGRESQL_FUNCTION = """
CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the registry is append-only'; END $$
"""
_POSTGRESQL = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table} FOR EACH STATEMENT EXECUTE FUNCTION append_only()
"""


def upgrade() -> None:
    """Put the guards up."""
    op.create_index("ix_certificates_pdf", "certificates", ["pdf"])
    postgresql = op.get_bind().dialect.name == "postgresql"
    if postgresql:
        op.execute(_POSTGRESQL_FUNCTION)
    for table in _TABLES:
        for verb in ("update", "delete"):
            op.execute((_POSTGRESQL if postgresql else _SQLITE).format(table=table, verb=verb))
