"""Rights in a shared PostgreSQL: a desk adds to history and changes nothing of it, a reader only reads."""

from collections.abc import Iterator
from typing import Final

from inspect_kit.registry.tables import APPEND_ONLY, DESK_DRAFTS, DESK_PINS, DESK_SESSIONS

DESK: Final = "inspect_kit_desk"
READER: Final = "inspect_kit_reader"
_CHANGED: Final = (DESK_PINS, DESK_SESSIONS, DESK_DRAFTS)
"""Tables that are no history: their rows come and go."""


def role_statements() -> Iterator[str]:
    """The statements that the database's owner carries out once; again after an update of the registry's format."""
    for role in (DESK, READER):
        found = f"SELECT FROM pg_roles WHERE rolname = '{role}'"
        yield f"DO $$ BEGIN IF NOT EXISTS ({found}) THEN CREATE ROLE {role} NOLOGIN; END IF; END $$"
    history = ", ".join(table.name for table in APPEND_ONLY)
    changed = ", ".join(table.name for table in _CHANGED)
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC, {DESK}, {READER}"
    yield f"REVOKE CREATE ON SCHEMA public FROM PUBLIC, {DESK}, {READER}"
    yield f"GRANT USAGE ON SCHEMA public TO {DESK}, {READER}"
    yield f"GRANT SELECT ON alembic_version, {history} TO {DESK}, {READER}"
    yield f"GRANT INSERT ON {history} TO {DESK}"
    yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON {changed} TO {DESK}"
