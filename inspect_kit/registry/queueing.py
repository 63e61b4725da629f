"""A registry whose writers within one program stand in a queue, instead of asking the database again and again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock, get_ident

from sqlalchemy import Connection

from inspect_kit.registry.opening import Registry


@dataclass(frozen=True, slots=True)
class QueuedRegistry(Registry):
    """The same registry; `queue` is who writes now, `line` who waits for that."""

    queue: RLock = field(default_factory=RLock, compare=False)
    line: set[int] = field(default_factory=set, compare=False)
    keeper: sqlite3.Connection | None = field(default=None, compare=False, repr=False)
    """Stays open: SQLite tidies up its log whenever the last connection closes, which would be after every act."""

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that no other desk writes beside."""
        self.line.add(get_ident())
        with self.queue:
            self.line.discard(get_ident())
            with Registry.writing(self) as connection:
                yield connection


def queued(registry: Registry) -> QueuedRegistry:
    """The registry with a queue in front of it."""
    return QueuedRegistry(registry.engine, registry.shelf, registry.place, keeper=_keeper(registry))


def _keeper(registry: Registry) -> sqlite3.Connection | None:
    if registry.engine.dialect.name != "sqlite":
        return None
    connection = sqlite3.connect(str(registry.engine.url.database), isolation_level=None, check_same_thread=False)
    connection.execute("SELECT version_num FROM alembic_version").fetchall()
    return connection


def somebody_waits(registry: Registry) -> bool:
    """Whether somebody stands in the queue: then work that has time lets them go first."""
    return isinstance(registry, QueuedRegistry) and bool(registry.line)
