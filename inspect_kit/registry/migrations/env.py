"""Runs the revisions over the connection that the registry was opened with, in its transaction."""

from __future__ import annotations

from alembic import context

from inspect_kit.registry.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
