"""Opening a registry: SQLite in the user's home without set-up, or PostgreSQL that several desks share."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, bindparam, create_engine, event, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from inspect_kit.errors import BadInput, BrokenSeal, Fault, Notice, UsageError, notice
from inspect_kit.registry.checkin.entries import File
from inspect_kit.registry.evidence import EvidenceFolder, EvidenceTable, Shelf
from inspect_kit.registry.last_seen import LastSeenEntry, Memory, usual_memory
from inspect_kit.registry.tables import ENTRIES

FILE_NAME: Final = "registry.db"
REVISIONS: Final = ("0001", "0002", "0003", "0004")
"""The formats there have been; the last one is this program's."""

_WAIT_SECONDS: Final = 120
"""Seconds that SQLite waits for another writer."""
_PAUSE_SECONDS: Final = 0.02
"""Seconds between two tries where SQLite itself does not wait."""
_LOCK: Final = 7_309_412
"""The number by which all desks on one PostgreSQL know the lock for writing."""

_DRIVERS: Final = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg", "sqlite": "sqlite"}


Result = TypeVar("Result")
Given = ParamSpec("Given")

Transaction = Connection
"""What stands open inside `reading` and `writing`: other rooms pass it on and need not know SQL."""


@dataclass(frozen=True, slots=True)
class Registry:
    """An open registry: its database and its shelf of evidence."""

    engine: Engine
    shelf: Shelf
    place: str
    memory: Memory | None = None
    """What this computer remembers of registries; nothing for one that is thrown away afterwards."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view."""
        postgresql = self.engine.dialect.name == "postgresql"
        engine = self.engine.execution_options(isolation_level="REPEATABLE READ") if postgresql else self.engine
        with _spoken_plainly(self.place), engine.connect() as connection:
            yield connection

    def ask(
        self, query: Callable[Concatenate[Connection, Given], Result], *given: Given.args, **named: Given.kwargs
    ) -> Result:
        """What one query gives."""
        with self.reading() as connection:
            return query(connection, *given, **named)

    @contextmanager
    def writing(self, *, anew: bool = False) -> Iterator[Connection]:
        """A transaction that no other desk writes beside; all of it happens, or nothing.

        A registry that lies behind what was seen of it is refused, unless it is just being made `anew`.
        """
        with _spoken_plainly(self.place), self.engine.execution_options(kit_writes=True).begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            if self.memory and not anew:
                refuse_older(self.memory, connection, self.place)
            yield connection
            state = _state(connection) if self.memory and not anew else None
        if self.memory and state:
            self.memory.note(self.place, *state)

    def lost(self) -> Notice | None:
        """What is wrong with the registry by what this computer remembers of it, if anything is."""
        if self.memory is None:
            return None
        for _ in range(2):
            # Remembered first, looked at then: another desk may write in between, and that is no loss.
            identity = self.memory.lying_at(self.place)
            known = self.memory.recall(identity) if identity else None
            found = self.ask(_older, self.memory, (identity, known))
            if not found:
                break
        return found

    def look(self) -> None:
        """Remember the state as it is now, if nothing speaks against it."""
        if self.memory is not None and not self.lost() and (state := self.ask(_state)):
            self.memory.note(self.place, *state)

    def keep(self, connection: Connection, role: str, content: bytes, name: str = "") -> File:
        """Put a content among the evidence, for an entry to name."""
        return File(role, self.shelf.put(connection, content), len(content), name)

    def in_transaction(self, action: Callable[[Connection], Result]) -> Result:
        """What the action gives, in a transaction that no other desk writes beside."""
        with self.writing() as connection:
            return action(connection)


_HASH: Final = select(ENTRIES.c.hash).where(ENTRIES.c.id == bindparam("number"))
_END: Final = select(ENTRIES.c.id, ENTRIES.c.hash).order_by(ENTRIES.c.id.desc()).limit(1)
"""The last entry's number and hash."""


def _state(connection: Connection) -> tuple[str, LastSeenEntry] | None:
    """The registry's identity and its newest entry."""
    last = connection.execute(_END).first()
    if last is None:
        return None
    return str(connection.scalar(_HASH, {"number": 1}) or ""), LastSeenEntry(last.id, last.hash)


def refuse_older(memory: Memory, connection: Connection, place: str) -> None:
    """Nothing is written to a registry that has lost something: the next entry would cover it up."""
    identity = memory.lying_at(place)
    why = _older(connection, memory, (identity, memory.recall(identity) if identity else None))
    if why:
        raise BrokenSeal.of(Fault(place, why))


def _older(connection: Connection, memory: Memory, before: tuple[str, LastSeenEntry | None]) -> Notice | None:
    """What speaks against the registry; `before` was known of its place before it was looked at."""
    identity, known = before
    state = _state(connection)
    if identity and (state is None or state[0] != identity):
        return notice("another-registry-here")
    known = known or (memory.recall(state[0]) if state else None)
    if state is None or known is None:
        return None
    if known.entries > state[1].entries:
        return notice("entries-gone", lost=known.entries - state[1].entries)
    if connection.scalar(_HASH, {"number": known.entries}) != known.hash:
        return notice("entry-written-anew", entry=known.entries)
    return None


def _place_of(target: URL) -> str:
    """Where a registry lies, however it was typed; never its password."""
    if target.get_backend_name() == "sqlite":
        return str(Path(str(target.database)).resolve())
    host = target.host or str(target.query.get("host", ""))
    return f"postgresql://{host}:{target.port or 5432}/{target.database}"


def open_registry(home: Path, url: str = "", *, remembered: bool = True) -> Registry:
    """The registry in `home`, or the one that `url` names; made or brought up to date where needed.

    One that is not `remembered` is thrown away afterwards.
    """
    target = _target(home, url)
    place = _place_of(target)
    memory = usual_memory() if remembered else None
    with _spoken_plainly(place):
        if target.get_backend_name() == "sqlite":
            file = Path(str(target.database)).absolute()
            fixed = _is_read_only(file)
            if not fixed:
                _prepare(file)
            engine = _read_only_engine(file) if fixed else sqlite_engine(target, poolclass=NullPool)
            registry = Registry(engine, EvidenceFolder(file.parent / "evidence"), place, memory)
        else:
            engine = create_engine(target, poolclass=NullPool, connect_args={"connect_timeout": 15})
            registry = Registry(engine, EvidenceTable(), place, memory)
        _bring_up_to_date(registry)
    return registry


def _target(home: Path, url: str) -> URL:
    if not url:
        return URL.create("sqlite", database=str(home / FILE_NAME))
    try:
        parsed = make_url(url)
        driver = _DRIVERS[parsed.get_backend_name()]
    except (ArgumentError, NoSuchModuleError, KeyError, ValueError):
        raise UsageError("no-database-registry-can-live", where="INSPECT_KIT_DB") from None
    if driver == "sqlite" and not parsed.database:
        raise UsageError("names-no-file", where="INSPECT_KIT_DB")
    if driver != "sqlite" and find_spec("psycopg") is None:
        raise UsageError("needs-postgresql-driver-not-installed", where="INSPECT_KIT_DB")
    return parsed.set(drivername=driver)


def _prepare(file: Path) -> None:
    """Make the folder, and the database file so that only its owner reads it: it is full of people's names."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not file.exists():
            file.touch(mode=0o600)
            with closing(sqlite3.connect(file, timeout=_WAIT_SECONDS)) as connection:
                _write_ahead(connection)
    except OSError as problem:
        raise BadInput("not-made", where=str(file), reason=problem.strerror) from None
    except sqlite3.Error as problem:
        raise BadInput("not-made", where=str(file), reason=problem) from None


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Readers beside one writer; while many desks make one registry, SQLite refuses this switch without waiting."""
    until = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _is_read_only(file: Path) -> bool:
    """Whether a registry lies on a disk, or in a folder, that may only be read."""
    return file.is_file() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def _read_only_engine(file: Path) -> Engine:
    """A registry that nothing can change; what a program left unfinished beside it would be overlooked."""
    left = file.with_name(f"{file.name}-wal")
    if left.is_file() and left.stat().st_size:
        raise BadInput("read-only-behind", where=str(file), left=left.name)
    address = f"{file.as_uri()}?mode=ro&immutable=1"
    connect = partial(sqlite3.connect, address, uri=True, check_same_thread=False)
    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


def sqlite_engine(target: URL, **pool: Any) -> Engine:
    """An engine for a registry in a file; `pool` says how connections are kept."""
    engine = create_engine(target, connect_args={"timeout": _WAIT_SECONDS, "check_same_thread": False}, **pool)

    @event.listens_for(engine, "connect")
    def _settings(connection: sqlite3.Connection, _: object) -> None:
        # Transactions are begun by us below: the driver would begin them too late.
        connection.isolation_level = None
        # FULL: a number that was given out is not given out again after a power cut.
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = FULL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("kit_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _bring_up_to_date(registry: Registry) -> None:
    if registry.ask(_revision, registry.place) == REVISIONS[-1]:
        return
    with registry.writing(anew=True) as connection:
        # Another desk may have been faster.
        if _revision(connection, registry.place) != REVISIONS[-1]:
            upgrade(connection, REVISIONS[-1])


def _revision(connection: Connection, place: str) -> str | None:
    names = inspect(connection).get_table_names()
    if "alembic_version" not in names:
        if names:
            raise BadInput("database-something-else", where=place)
        return None
    found = connection.scalar(text("SELECT version_num FROM alembic_version"))
    if found is not None and found not in REVISIONS:
        raise BadInput("newer-format", where=place, found=str(found)[:20])
    return None if found is None else str(found)


def upgrade(connection: Connection, revision: str) -> None:
    """Bring the tables to a format, in the transaction that `connection` is in."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "inspect_kit.registry:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


@contextmanager
def _spoken_plainly(place: str) -> Iterator[None]:
    """A database's error as a sentence; never its SQL, never a password."""
    try:
        yield
    except DBAPIError as problem:
        why = " ".join(str(problem.orig).split())[:160]
        if any(sign in why for sign in ("malformed", "not a database")):
            raise BrokenSeal("registry-file-damaged", where=place, reason=why) from None
        hint = next((hint for sign, hint in _HINTS.items() if sign in why), "")
        raise BadInput("registry-cannot-used", where=place, hint=hint, reason=why) from None


_HINTS: Final = {
    "locked": notice("desk-writing"),
    "full": notice("make-room"),
    "readonly": notice("only-read"),
    "unable to open": notice("folder-yours"),
    "append-only": notice("history-only-added-to"),
    "onnection": notice("server-reachable"),
}
