"""A registry for a program with many writers: connections stay open, and acts that wait are written together.

Making an entry last takes a disk far longer than writing it. So whoever's turn it is takes along all that others are
waiting to write, each in a savepoint of its own, and all of it is made to last at once. Nobody is told that an act is
done before it is.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, Final

from sqlalchemy import Connection
from sqlalchemy.pool import QueuePool

from inspect_kit.errors import InspectKitError
from inspect_kit.registry.opening import Registry, Result, sqlite_engine

_MOST_TOGETHER: Final = 40
"""Acts that are written in one transaction."""
_KEPT_OPEN: Final = 8
"""Connections to SQLite that stay open."""
_AT_MOST: Final = 100
"""Connections beyond those, for as long as they are needed."""


@dataclass(slots=True)
class _Waiting:
    """A action, and what came of it."""

    action: Callable[[Connection], Any]
    done: bool = False
    result: Any = None
    problem: BaseException | None = None

    def carry_out(self, connection: Connection) -> None:
        """In a savepoint: a action that is refused leaves nothing behind, and the others stay."""
        try:
            with connection.begin_nested():
                self.result = self.action(connection)
        except InspectKitError as problem:
            self.problem = problem


@dataclass(frozen=True, slots=True)
class QueuedRegistry(Registry):
    """The same registry; `queue` is held by who writes now, `line` are the actions that wait for that."""

    queue: RLock = field(default_factory=RLock, compare=False)
    line: list[_Waiting] = field(default_factory=list, compare=False)
    _gate: Lock = field(default_factory=Lock, compare=False)

    @contextmanager
    def writing(self, *, anew: bool = False) -> Iterator[Connection]:
        """A transaction that no other desk writes beside."""
        with self.queue, Registry.writing(self, anew=anew) as connection:
            yield connection

    def in_transaction(self, action: Callable[[Connection], Result]) -> Result:
        """What the action gives, once it lasts."""
        mine = _Waiting(action)
        with self._gate:
            self.line.append(mine)
        with self.queue:
            # Whoever wrote before may have taken it along.
            while not mine.done:
                self._write_together()
        if mine.problem is not None:
            raise mine.problem
        result: Result = mine.result
        return result

    def _write_together(self) -> None:
        with self._gate:
            together = self.line[:_MOST_TOGETHER]
            del self.line[:_MOST_TOGETHER]
        try:
            with Registry.writing(self) as connection:
                for each in together:
                    each.carry_out(connection)
        except BaseException as problem:
            for each in together:
                each.problem = problem
            if not isinstance(problem, InspectKitError):
                raise
        finally:
            for each in together:
                each.done = True


def queued(registry: Registry) -> QueuedRegistry:
    """The registry for a program with many writers."""
    engine = registry.engine
    if engine.dialect.name == "sqlite":
        engine = sqlite_engine(
            engine.url, poolclass=QueuePool, pool_size=_KEPT_OPEN, max_overflow=_AT_MOST, pool_timeout=60
        )
    return QueuedRegistry(engine, registry.shelf, registry.place, registry.memory)
