"""The chain: each entry carries the hash of the one before, and the tables are drawn from the entries alone."""

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain, groupby, product
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Insert, Table, bindparam, func, insert, select

from inspect_kit.errors import BadInput
from inspect_kit.registry import tables
from inspect_kit.registry.checkin.entries import AccountSet, Decided, EventSet, Recorded
from inspect_kit.registry.entries import (
    FIRST,
    KINDS,
    AcceptedOlder,
    Body,
    Certified,
    Described,
    Entry,
    Inspected,
    InspectionSummary,
    Revoked,
    Thing,
    canonical,
    files_of,
    folded,
)
from inspect_kit.registry.log.tree import grow, kept_checkpoints
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.tables import ENTRIES

Row = tuple[Table, dict[str, Any]]
Seal = Callable[[bytes], tuple[str, str]]
"""Signs an entry's hash; gives the key's id and the signature."""


def no_seal(_: bytes) -> tuple[str, str]:
    """For entries that nobody signs."""
    return "", ""


# Made once: making a statement takes longer than SQLite does to carry it out.
_LAST: Final = select(ENTRIES.c.id, ENTRIES.c.hash, ENTRIES.c.at).order_by(ENTRIES.c.id.desc()).limit(1)
"""The last entry's number, hash and time."""
_NUMBERED: Final = select(ENTRIES).where(ENTRIES.c.id == bindparam("number"))


def append(connection: Connection, body: Body, at: datetime, seal: Seal = no_seal) -> Entry:
    """One more entry, in the transaction that `connection` is in."""
    last = connection.execute(_LAST).first()
    _after_witnesses(connection, at)
    if last is None:
        entry = link(body, at, (0, FIRST), seal)
    else:
        entry = link(body, _in_order(at, last.id, last.at), (last.id, last.hash), seal)
    write(connection, [entry])
    return entry


CLOCK: Final = "INSPECT_KIT_CLOCK"
"""Set to `checked` by a person who has looked at the clock."""

_SLACK: Final = timedelta(minutes=10)
"""How far the clocks of two desks may be apart."""

_LONGEST_PAUSE: Final = timedelta(days=800)
"""A registry that nobody has written to for so long: more likely the clock is wrong."""

_LAST_SECOND: Final = 253_402_300_799
"""Of the year 9999, the last that can be written."""


def _in_order(at: datetime, number: int, before: str) -> datetime:
    """The time of an entry, which never lies before its predecessor's; a clock that is far off is refused."""
    last = datetime.fromisoformat(before)
    if os.environ.get(CLOCK) == "checked":
        return max(at, last)
    if at < last - _SLACK:
        raise BadInput("clock-slow", where="the clock", at=_minute(at), number=number, last=_minute(last))
    if at > last + _LONGEST_PAUSE:
        raise BadInput("clock-fast", where="the clock", at=_minute(at), last=last.date())
    return max(at, last)


def _after_witnesses(connection: Connection, at: datetime) -> None:
    """A clock that lies before what witnesses have seen of this log is refused."""
    seen = max((seconds for note in kept_checkpoints(connection, most=1) for seconds in note.times()), default=0)
    if os.environ.get(CLOCK) != "checked" and at.timestamp() < seen - _SLACK.total_seconds():
        moment = datetime.fromtimestamp(min(seen, _LAST_SECOND), UTC)
        raise BadInput("clock-slow-by-witness", where="the clock", at=_minute(at), moment=_minute(moment))


def _minute(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def link(body: Body, at: datetime, last: tuple[int, str], seal: Seal = no_seal) -> Entry:
    """The entry that comes after `last`."""
    stamp = at.astimezone(UTC).isoformat(timespec="seconds")
    bare = Entry(last[0] + 1, stamp, KINDS[type(body)], canonical(body), last[1], "")
    right = bare.right_hash()
    signer, signature = seal(bytes.fromhex(right))
    return msgspec.structs.replace(bare, hash=right, signer=signer, signature=signature)


def write(connection: Connection, entries: Iterable[Entry]) -> None:
    """Entries and all the rows that follow from them."""
    rows: list[Row] = []
    made = list(entries)
    for entry in made:
        rows.append((ENTRIES, msgspec.structs.asdict(entry)))
        rows.extend(rows_of(entry))
    by_table = sorted(rows, key=lambda row: row[0].name)
    for _, group in groupby(by_table, key=lambda row: row[0].name):
        block = list(group)
        connection.execute(_insertion(connection.dialect.name, block[0][0]), [values for _, values in block])
    grow(connection, made)


@cache
def _insertion(dialect: str, table: Table) -> Insert:
    """The first to name a person, thing or instrument makes its row; for all other tables a second row is an error."""
    if table not in tables.SHARED:
        return insert(table)
    from sqlalchemy.dialects import postgresql, sqlite

    if dialect == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def rows_of(entry: Entry) -> Iterator[Row]:
    """Every row that an entry stands for, and nothing else: the tables can be made anew from the entries."""
    body = entry.said()
    files = ((tables.EVIDENCE, {**msgspec.structs.asdict(f), "place": place}) for place, f in enumerate(files_of(body)))
    for table, values in chain(_rows(body, entry), files):
        yield table, {**values, "entry": entry.id}


_OWN_TABLES: Final[dict[type[Body], Table]] = {
    Revoked: tables.REVOCATIONS,
    EventSet: tables.DESK_EVENTS,
    AccountSet: tables.DESK_ACCOUNTS,
    Recorded: tables.DESK_RECORDS,
    Decided: tables.DESK_DECISIONS,
}
"""Bodies that stand in one row of a table of their own; of some others there is no row."""


def _rows(body: Body, entry: Entry) -> Iterator[Row]:
    if isinstance(body, Certified | Inspected):
        yield from _inspected(body.inspection)
    if isinstance(body, Certified):
        yield tables.CERTIFICATES, _named_alike(tables.CERTIFICATES, body, number_of(body.number))
        for replaced in body.replaces:
            yield tables.REPLACEMENTS, {"number": replaced, "by": body.number, "because": body.because}
    if isinstance(body, Described):
        yield from _thing(body.subject)
        photo = body.photo.sha256 if body.photo else ""
        said = {"subject": body.subject.key, "maker": body.maker, "serial": body.serial, "photo": photo}
        yield tables.DESCRIPTIONS, said
    if type(body) in _OWN_TABLES:
        table = _OWN_TABLES[type(body)]
        yield table, _named_alike(table, entry, body)


def _named_alike(table: Table, *sources: object) -> dict[str, Any]:
    """What the sources have under the names of the table's columns, the first before the others; yes and no as 1, 0."""
    found: dict[str, Any] = {}
    for column, source in product(table.c.keys(), sources):
        if column not in found and hasattr(source, column):
            value = getattr(source, column)
            found[column] = int(value) if isinstance(value, bool) else value
    return found


def _inspected(made: InspectionSummary) -> Iterator[Row]:
    yield from _thing(made.subject)
    yield from _person(made.inspector)
    yield tables.INSPECTIONS, {**_named_alike(tables.INSPECTIONS, made), "subject": made.subject.key}
    for gauge in made.instruments:
        yield tables.INSTRUMENTS, {**msgspec.structs.asdict(gauge), "key": gauge.key}
    for key in dict.fromkeys(gauge.key for gauge in made.instruments):
        yield tables.USES, {"instrument": key}


def _thing(thing: Thing) -> Iterator[Row]:
    yield from _person(thing.owner)
    yield tables.SUBJECTS, {**msgspec.structs.asdict(thing), "key": thing.key, "folded": folded(thing.text)}


def _person(name: str) -> Iterator[Row]:
    if name:
        yield tables.PEOPLE, {"name": name, "folded": folded(name)}


def entries_after(connection: Connection, start: int, count: int) -> list[Entry]:
    """The next entries in order."""
    wanted = select(ENTRIES).where(ENTRIES.c.id > start).order_by(ENTRIES.c.id).limit(count)
    return [Entry(*row) for row in connection.execute(wanted)]


def all_entries(connection: Connection, batch: int = 500) -> Iterator[Entry]:
    """Every entry in order, so many read at a time."""
    last = 0
    while entries := entries_after(connection, last, batch):
        yield from entries
        last = entries[-1].id


def last_entry(connection: Connection) -> Entry | None:
    """The newest entry."""
    found = connection.execute(select(ENTRIES).order_by(ENTRIES.c.id.desc()).limit(1)).first()
    return Entry(**found._mapping) if found else None


def next_serial(connection: Connection, issuer: str, year: int, kind: str) -> int:
    """The number that comes after the last one given out; the caller holds the lock for writing."""
    own = tables.CERTIFICATES.c
    taken = select(func.max(own.serial)).where(own.issuer == issuer, own.year == year, own.kind == kind)
    said = (entry.said() for entry in entries_of_kind(connection, KINDS[AcceptedOlder]))
    kept = (each for body in said if isinstance(body, AcceptedOlder) for each in body.series)
    floors = (each.first for each in kept if (each.issuer, each.year, each.kind) == (issuer, year, kind))
    return max((connection.scalar(taken) or 0) + 1, *floors, 1)


def entry_of(connection: Connection, number: int) -> Entry | None:
    """The entry of a number in the chain."""
    found = connection.execute(_NUMBERED, {"number": number}).first()
    return Entry(*found) if found else None


def follows(connection: Connection, entry: Entry) -> bool:
    """Whether an entry is chained to the one before it, and not dated before that."""
    before = entry_of(connection, entry.id - 1)
    return entry.id == 1 or (before is not None and before.hash == entry.previous and before.at <= entry.at)


def has_series(connection: Connection, issuer: str) -> bool:
    """Whether certificates of an issuer are kept here."""
    own = tables.CERTIFICATES.c
    return connection.execute(select(own.number).where(own.issuer == issuer).limit(1)).first() is not None


def entries_of_kind(connection: Connection, kind: str) -> list[Entry]:
    """All entries of a kind, in order: for kinds of which there are few."""
    wanted = select(ENTRIES).where(ENTRIES.c.kind == kind).order_by(ENTRIES.c.id)
    return [Entry(**row._mapping) for row in connection.execute(wanted)]
