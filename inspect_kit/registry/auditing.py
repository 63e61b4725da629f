"""The audit: walks the chain from the first entry and finds any change, gap, foreign row or missing file."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Connection, Table, func, select, text, tuple_

from inspect_kit.errors import BrokenSeal, Fault, InspectKitError, Notice, fault
from inspect_kit.registry.chain import Row, all_entries, entries_after, rows_of
from inspect_kit.registry.entries import FIRST, KINDS, AcceptedOlder, Body, Certified, Entry, canonical, files_of
from inspect_kit.registry.log.merkle import completed_nodes, leaf_hash
from inspect_kit.registry.log.tree import kept_checkpoints, root_at
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.opening import Registry
from inspect_kit.registry.tables import APPEND_ONLY, ENTRIES, LOG_NODES, OWN, SHARED

_BATCH: Final = 400
"""Entries read at a time."""

SignatureCheck = Callable[[Entry], Notice | None]
"""Says what is wrong with an entry's signature, or nothing; entries come in order."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found. It is clean when there are no faults."""

    entries: int
    certificates: int
    files: int
    head: str
    faults: tuple[Fault, ...]
    orphans: int = 0
    """Files that belong to no entry: no fault, but no evidence either."""


@dataclass(slots=True)
class _Walk:
    """Where the walk stands."""

    signature: SignatureCheck
    last: tuple[int, str] = (0, FIRST)
    latest: str = ""
    """When the latest entry so far was made."""
    serials: dict[tuple[str, int, str], int] = field(default_factory=dict)
    floors: dict[tuple[str, int, str], int] = field(default_factory=dict)
    """Numbers from which on a series goes on after entries were lost."""
    certificates: int = 0
    files: set[bytes] = field(default_factory=set)
    counted: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    edge: dict[int, bytes] = field(default_factory=dict)
    """The last complete node of each level of the log's tree."""

    def fault(self, where: str, code: str, /, **facts: object) -> None:
        self.faults.append(fault(where, code, **facts))


def audit(registry: Registry, signatures: Callable[[Connection], SignatureCheck], *, files: bool = True) -> Audit:
    """Walk the whole registry; what this computer remembers of it is compared too."""
    lost = registry.lost()
    with registry.reading() as connection:
        walk = _Walk(signatures(connection))
        if lost:
            walk.faults.append(Fault("the chain", lost))
        while batch := entries_after(connection, walk.last[0], _BATCH):
            said = list(_links(walk, batch))
            _compare(walk, connection, [entry for entry, _ in said])
            _compare_tree(walk, connection, batch)
            if files:
                _look_at_files(walk, registry, connection, said)
        _after(walk, connection)
        orphans = len(_surplus(registry, connection, walk.files)) if files else 0
    return Audit(walk.last[0], walk.certificates, len(walk.files), walk.last[1], tuple(walk.faults), orphans)


def _surplus(registry: Registry, connection: Connection, named: set[bytes]) -> list[str]:
    """Evidence that no entry names: left by a program that was ended before its entry was written."""
    return [digest for digest in registry.shelf.digests(connection) if bytes.fromhex(digest) not in named]


def tidy(registry: Registry) -> int:
    """Remove evidence that no entry names; while this holds the lock, nobody is about to name any."""
    with registry.writing() as connection:
        files = (file for entry in all_entries(connection) for file in files_of(entry.said()))
        named = {bytes.fromhex(file.sha256) for file in files}
        return registry.shelf.clear(connection, _surplus(registry, connection, named))


def _links(walk: _Walk, batch: Sequence[Entry]) -> Iterator[tuple[Entry, Body]]:
    """Every entry against the one before; gives those that can be read."""
    for entry in batch:
        _link(walk, entry)
        walk.last = (entry.id, entry.hash)
        try:
            body = entry.said()
        except BrokenSeal as problem:
            walk.faults.append(problem.fault)
            continue
        where = f"entry {entry.id}"
        if canonical(body) != entry.body or KINDS[type(body)] != entry.kind:
            walk.fault(where, "not-written-program-writes")
        if isinstance(body, Certified):
            _count(walk, entry, body)
        if isinstance(body, AcceptedOlder):
            walk.floors.update({(each.issuer, each.year, each.kind): each.first for each in body.series})
        problem_with = walk.signature(entry)
        if problem_with:
            named = f"{where} ({body.number})" if isinstance(body, Certified) else where
            walk.faults.append(Fault(named, problem_with))
        yield entry, body


def _link(walk: _Walk, entry: Entry) -> None:
    number, digest = walk.last
    where = f"entry {entry.id}"
    if entry.id != number + 1:
        missing = f"entry {number + 1}" if entry.id == number + 2 else f"entries {number + 1} to {entry.id - 1}"
        walk.fault(missing, "missing-from-chain")
    elif entry.previous != digest:
        walk.fault(where, "not-chained-entry", number=number)
    if entry.right_hash() != entry.hash:
        walk.fault(where, "changed-hash-another")
    if entry.at < walk.latest:
        walk.fault(where, "dated-before", at=entry.at)
    walk.latest = max(walk.latest, entry.at)


def _count(walk: _Walk, entry: Entry, body: Certified) -> None:
    try:
        number = number_of(body.number)
    except InspectKitError as problem:
        walk.faults.append(replace(problem.fault, where=f"entry {entry.id}"))
        return
    series = (number.issuer, number.year, number.kind)
    expected = max(walk.serials.get(series, 0) + 1, walk.floors.get(series, 1))
    if number.serial != expected:
        walk.fault(body.number, "breaks-series", issuer=number.issuer, year=number.year, expected=expected)
    walk.serials[series] = number.serial
    walk.certificates += 1


def _compare(walk: _Walk, connection: Connection, entries: Sequence[Entry]) -> None:
    """The rows that the entries stand for against those that are there."""
    if not entries:
        return
    span = (entries[0].id, entries[-1].id)
    expected: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = {}
    for entry in entries:
        for table, row in _readable_rows(entry):
            expected.setdefault(table.name, {}).setdefault(_key(table, row), row)
    for table in (*OWN, *SHARED):
        _compare_table(walk, connection, table, expected.get(table.name, {}), span)


def _readable_rows(entry: Entry) -> Iterable[Row]:
    try:
        return list(rows_of(entry))
    except InspectKitError:
        return ()


def _key(table: Table, row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[column.name] for column in table.primary_key)


def _rows_between(connection: Connection, table: Table, span: tuple[int, int]) -> dict[tuple[Any, ...], dict[str, Any]]:
    found = connection.execute(select(table).where(table.c.entry.between(*span)))
    rows = (dict(row._mapping) for row in found)
    return {_key(table, row): row for row in rows}


Rows = dict[tuple[Any, ...], dict[str, Any]]


def _compare_row(walk: _Walk, table: Table, row: dict[str, Any], there: dict[str, Any] | None) -> None:
    if there is None:
        walk.fault(_place(table, row), "row-entry-missing", entry=row["entry"])
        return
    changed = sorted(name for name in row if row[name] != there[name])
    if changed:
        walk.fault(_place(table, row), "changed-differ-from-entry", changed=", ".join(changed), entry=row["entry"])


def _compare_table(walk: _Walk, connection: Connection, table: Table, expected: Rows, span: tuple[int, int]) -> None:
    """Rows that several entries name must be there as named, and made by an entry that names them."""
    shared, mine = table in SHARED, _rows_between(connection, table, span)
    there = _rows_of_keys(connection, table, expected) if shared else mine
    walk.counted[table.name] += len(mine)
    for key, row in expected.items():
        found = there.get(key)
        first = {**row, "entry": min(row["entry"], found["entry"])} if found and shared else row
        _compare_row(walk, table, first, found)
    for key in mine.keys() - expected.keys():
        walk.fault(_place(table, mine[key]), "row-not-of-entry", entry=mine[key]["entry"])


def _rows_of_keys(connection: Connection, table: Table, expected: Rows) -> Rows:
    (key,) = table.primary_key
    found = connection.execute(select(table).where(key.in_([row[key.name] for row in expected.values()])))
    return {_key(table, dict(row._mapping)): dict(row._mapping) for row in found}


def _place(table: Table, row: dict[str, Any]) -> str:
    shown = next((str(row[name]) for name in ("number", "name", "text", "entry") if row.get(name)), "")
    return f"{table.name}: {shown[:60]}"


def _look_at_files(walk: _Walk, registry: Registry, connection: Connection, said: Iterable[tuple[Entry, Body]]) -> None:
    for entry, body in said:
        for file in files_of(body):
            digest = bytes.fromhex(file.sha256)
            if digest in walk.files:
                continue
            walk.files.add(digest)
            try:
                registry.shelf.take(connection, file.sha256)
            except BrokenSeal as problem:
                what = f"{file.role} {file.name}".strip()
                number = f" of {body.number}" if isinstance(body, Certified) else ""
                walk.faults.append(replace(problem.fault, where=f"entry {entry.id}: {what}{number}: {problem.where}"))


def _after(walk: _Walk, connection: Connection) -> None:
    """What only shows at the end: rows without entries, a chain that was cut, guards that are gone."""
    for table in (*OWN, *SHARED):
        surplus = (connection.scalar(select(func.count()).select_from(table)) or 0) - walk.counted[table.name]
        if surplus:
            orphans = select(table).where(table.c.entry.not_in(select(ENTRIES.c.id))).limit(5)
            for row in connection.execute(orphans):
                walk.fault(_place(table, dict(row._mapping)), "row-without-entry")
    _compare_checkpoints(walk, connection)
    beyond = connection.scalar(select(func.max(LOG_NODES.c.place)).where(LOG_NODES.c.level == 0))
    if beyond is not None and beyond >= walk.last[0]:
        walk.fault(f"the log's tree, node 0/{beyond}", "does-not-fit-entries")
    there = _guards(connection)
    for name in sorted(_guards_expected(connection.dialect.name) - there):
        walk.fault(name, "guard-against-changes-gone")


def _compare_tree(walk: _Walk, connection: Connection, entries: Sequence[Entry]) -> None:
    """The log's tree against the entries that it stands on."""
    expected: dict[tuple[int, int], str] = {}
    for entry in entries:
        for level, place, found in completed_nodes(
            leaf_hash(entry.leaf()), entry.id - 1, lambda level, _: walk.edge.get(level, b"")
        ):
            if place % 2 == 0:
                walk.edge[level] = found
            expected[level, place] = found.hex()
    own = LOG_NODES.c
    span = tuple_(own.level, own.place).in_(list(expected))
    there = {(row.level, row.place): row.hash for row in connection.execute(select(LOG_NODES).where(span))}
    for level, place in sorted(key for key, found in expected.items() if there.get(key) != found):
        walk.fault(f"the log's tree, node {level}/{place}", "does-not-fit-entries")
        break


def _compare_checkpoints(walk: _Walk, connection: Connection) -> None:
    """What witnesses have signed against the log as it is."""
    for note in kept_checkpoints(connection):
        if note.size > walk.last[0] or root_at(connection, note.size) != note.root:
            walk.fault(f"the checkpoint of {note.size} entries", "another-log-witnessed-gone")


def _guards_expected(dialect: str) -> set[str]:
    verbs = ("update", "delete", "truncate") if dialect == "postgresql" else ("update", "delete")
    return {f"{table.name}_no_{verb}" for table in APPEND_ONLY for verb in verbs}


def _guards(connection: Connection) -> set[str]:
    """The guards that are up and do what they should: one of the same name that does nothing is none."""
    return {str(name) for name, does in connection.execute(text(_GUARDS[connection.dialect.name])) if _REFUSES in does}


_REFUSES: Final = "the registry is append-only"
_GUARDS: Final = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
    # A guard that was switched off, or made conditional, is as good as none.
    "postgresql": "SELECT t.tgname, p.prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid "
    "WHERE t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL AND t.tgattr = ''",
}
