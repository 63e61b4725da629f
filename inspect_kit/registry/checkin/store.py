"""The acts of a check-in desk: events, inspections and decisions, each in one transaction, none of them twice."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from typing import Any, Final

import msgspec
from sqlalchemy import BindParameter, Connection, Row, Select, and_, bindparam, func, or_, select, union_all

from inspect_kit.errors import UsageError
from inspect_kit.inspection.names import name_key
from inspect_kit.registry.chain import Seal, append, entry_of, no_seal
from inspect_kit.registry.checkin.entries import Decided, EventSet, Recorded
from inspect_kit.registry.entries import Body, Entry
from inspect_kit.registry.evidence import EvidenceFolder
from inspect_kit.registry.numbers import LETTERS
from inspect_kit.registry.opening import Registry
from inspect_kit.registry.tables import (  # fmt: skip
    CERTIFICATES,
    DESK_DECISIONS,
    DESK_EVENTS,
    DESK_RECORDS,
    ENTRIES,
    EVIDENCE,
    INSPECTIONS,
    REVOCATIONS,
)

TICKET_LENGTH = 16
"""Letters of a ticket."""
WITHDRAWN: Final = "withdraw"
"""The decision that takes the last one back: the inspection waits again."""


def ticket_from(number: int) -> str:
    """A ticket out of a random number: letters that every keyboard types and nobody can guess."""
    letters = []
    for _ in range(TICKET_LENGTH):
        number, place = divmod(number, len(LETTERS))
        letters.append(LETTERS[place])
    return "".join(letters)


def is_ticket(text: str) -> bool:
    """Whether a text can be a ticket."""
    return len(text) == TICKET_LENGTH and all(letter in LETTERS for letter in text)


@dataclass(frozen=True, slots=True)
class DeskInspection:
    """An inspection at the desk with the last decision on it, if there is one."""

    entry: int
    ticket: str
    event: str
    item: str
    text: str
    owner: str
    verdict: str
    record: str
    by: str
    attempt: int
    retest_of: str
    at: str
    decision: str
    decided_by: str
    decided_at: str
    because: str
    after: str
    override: int
    final: str
    """The record that a certificate is made from."""
    retested: str
    """The ticket of a second test, which then counts instead."""
    number: str
    """The certificate or report that was issued."""


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A content to be kept with an act."""

    role: str
    content: bytes
    name: str = ""


@cache
def _seen() -> Select[Any]:
    r, d = DESK_RECORDS.c, DESK_DECISIONS.c
    later = DESK_DECISIONS.alias("later")
    newest = select(func.max(later.c.entry)).where(later.c.ticket == r.ticket).scalar_subquery()
    retest = DESK_RECORDS.alias("retest")
    issued = (
        select(func.max(CERTIFICATES.c.number))
        .join(INSPECTIONS, INSPECTIONS.c.entry == CERTIFICATES.c.entry)
        .where(INSPECTIONS.c.record == d.record, d.record != "")
        .correlate(DESK_DECISIONS)
        .scalar_subquery()
    )
    return (
        select(
            r.entry, r.ticket, r.event, r.item, r.text, r.owner, r.verdict, r.record, r.by, r.attempt, r.retest_of,
            r.at, d.decision, d.by.label("decided_by"), d.at.label("decided_at"), d.because, d.after, d.override,
            d.record.label("final"), select(func.max(retest.c.ticket)).where(retest.c.retest_of == r.ticket)
            .scalar_subquery().label("retested"), issued.label("number"),
        )
        .select_from(DESK_RECORDS)
        .outerjoin(DESK_DECISIONS, and_(d.ticket == r.ticket, d.entry == newest))
    )  # fmt: skip


_OVERRIDE: Final = [each.name for each in fields(DeskInspection)].index("override")


def _as_seen(row: Row[Any]) -> DeskInspection:
    """The columns come in the order of the fields; what an outer join left open is empty."""
    values: list[Any] = ["" if value is None else value for value in row]
    values[_OVERRIDE] = values[_OVERRIDE] or 0
    return DeskInspection(*values)


# Statements are made once: making one, and finding out that it is like the last one, takes longer than SQLite does.
@cache
def _of_ticket() -> Select[Any]:
    return _seen().where(DESK_RECORDS.c.ticket == bindparam("ticket"))


@cache
def _waiting(*, decided: bool) -> Select[Any]:
    d, r = DESK_DECISIONS.c.decision, DESK_RECORDS.c
    wanted = d == bindparam("decision") if decided else or_(d.is_(None), d == WITHDRAWN)
    retest = DESK_RECORDS.alias("second")
    superseded = select(retest.c.entry).where(retest.c.retest_of == r.ticket).exists()
    return _seen().where(r.event == bindparam("event"), wanted, ~superseded).order_by(r.entry)


@cache
def _pieces() -> Select[Any]:
    r, second = DESK_RECORDS.c, DESK_RECORDS.alias("second")
    superseded = select(second.c.entry).where(second.c.retest_of == r.ticket).exists()
    return select(r.owner, r.text).where(r.event == bindparam("event"), r.item == bindparam("item"), ~superseded)


@cache
def _acts() -> Select[Any]:
    own: BindParameter[str] = bindparam("ticket")
    mine = [select(table.c.entry).where(table.c.ticket == own) for table in (DESK_RECORDS, DESK_DECISIONS)]
    return select(ENTRIES).where(ENTRIES.c.id.in_(union_all(*mine))).order_by(ENTRIES.c.id)


_SETTINGS: Final = select(func.max(DESK_EVENTS.c.entry)).where(DESK_EVENTS.c.event == bindparam("event"))
_ATTEMPTS: Final = select(func.max(DESK_RECORDS.c.attempt)).where(
    *(DESK_RECORDS.c[name] == bindparam(name) for name in ("event", "item", "text", "owner"))
)


def inspection(connection: Connection, ticket: str) -> DeskInspection | None:
    """The inspection of a ticket."""
    row = connection.execute(_of_ticket(), {"ticket": ticket}).first()
    return _as_seen(row) if row else None


def inspections(connection: Connection, event: str, *, item: str = "", owner: str = "") -> list[DeskInspection]:
    """All inspections of an event that count, the oldest first: one that was tested again gives way to its re-test."""
    wanted = [DESK_RECORDS.c.event == event]
    wanted += [DESK_RECORDS.c.item == item] if item else []
    wanted += [DESK_RECORDS.c.owner == owner] if owner else []
    rows = connection.execute(_seen().where(*wanted).order_by(DESK_RECORDS.c.entry))
    return [seen for seen in map(_as_seen, rows) if not seen.retested]


def queue(connection: Connection, event: str, decision: str) -> list[DeskInspection]:
    """All inspections with that last decision, the oldest first; an empty one means those that wait for one."""
    wanted = {"event": event, **({"decision": decision} if decision else {})}
    return list(map(_as_seen, connection.execute(_waiting(decided=bool(decision)), wanted)))


def said_by(connection: Connection, entry: int) -> Body:
    """What an entry says, by its number."""
    found = entry_of(connection, entry)
    if found is None:
        raise UsageError("no-such-entry", entry=entry)
    return found.said()


def recorded(connection: Connection, seen: DeskInspection) -> Recorded:
    """An inspection as it was entered."""
    body = said_by(connection, seen.entry)
    if not isinstance(body, Recorded):
        raise UsageError("not-an-inspection", where=f"entry {seen.entry}")
    return body


def newest_settings(connection: Connection, event: str) -> int:
    """The entry with an event's settings as they are now; 0 if there is no such event."""
    return connection.scalar(_SETTINGS, {"event": event}) or 0


def event_of(connection: Connection, event: str) -> EventSet | None:
    """An event's settings as they are now."""
    newest = newest_settings(connection, event)
    body = said_by(connection, newest) if newest else None
    return body if isinstance(body, EventSet) else None


def all_events(connection: Connection) -> list[EventSet]:
    """Every event, the newest first."""
    newest = select(func.max(DESK_EVENTS.c.entry)).group_by(DESK_EVENTS.c.event)
    bodies = (said_by(connection, entry) for entry in sorted(connection.scalars(newest), reverse=True))
    return [body for body in bodies if isinstance(body, EventSet)]


def set_event(registry: Registry, body: EventSet, house: bytes | None, at: datetime, seal: Seal = no_seal) -> EventSet:
    """Announce an event or change its settings; house rules are kept as evidence."""
    with registry.writing() as connection:
        if house is not None:
            body = msgspec.structs.replace(body, house=registry.keep(connection, "house", house, "house.toml"))
        append(connection, body, at, seal)
    return body


def record(
    registry: Registry,
    body: Recorded,
    files: Sequence[EvidenceFile],
    at: datetime,
    seal: Seal = no_seal,
    *,
    new_piece: bool = False,
) -> Recorded:
    """Enter an inspection. Sent twice under one ticket, it is entered once; a new piece has a label of its own."""
    _lay_out(registry, files)

    def enter(connection: Connection) -> Recorded:
        there = inspection(connection, body.ticket)
        if there is not None:
            return recorded(connection, there)
        _check_retest(connection, body)
        if new_piece and body.text in labels_of(connection, body.event, body.item, body.owner):
            raise LabelTaken("label-taken", where=body.text)
        kept = tuple(registry.keep(connection, file.role, file.content, file.name) for file in files)
        entered = msgspec.structs.replace(body, attempt=_attempt(connection, body), evidence=kept)
        append(connection, entered, at, seal)
        return entered

    return registry.in_transaction(enter)


class LabelTaken(UsageError):
    """Two pieces of one player under one label would be one: the second needs another."""


def labels_of(connection: Connection, event: str, item: str, owner: str) -> frozenset[str]:
    """The labels of a player's pieces at an event, however the player's name was written."""
    return frozenset(text for _, text in _pieces_of(connection, event, item, owner))


def _pieces_of(connection: Connection, event: str, item: str, owner: str) -> list[tuple[str, str]]:
    """The player as written and the label of each piece that counts."""
    rows, key = connection.execute(_pieces(), {"event": event, "item": item}), name_key(owner)
    return [(name, text) for name, text in rows if name_key(name) == key]


def owners_of(connection: Connection, event: str) -> tuple[str, ...]:
    """The players who have handed something in at an event."""
    found = connection.scalars(select(DESK_RECORDS.c.owner).where(DESK_RECORDS.c.event == event).distinct())
    return tuple(sorted(name for name in found if name))


def _check_retest(connection: Connection, body: Recorded) -> None:
    if not body.retest_of:
        return
    first = inspection(connection, body.retest_of)
    if first is None or first.event != body.event or first.item != body.item:
        raise UsageError("no-such-inspection-test-again", where=body.retest_of)
    if first.retested:
        raise UsageError("already-tested-again", where=body.retest_of, retested=first.retested)


def _attempt(connection: Connection, body: Recorded) -> int:
    """The how-manieth time the thing is handed in; a re-test with a second instrument is the same attempt."""
    same = {"event": body.event, "item": body.item, "text": body.text, "owner": body.owner}
    last = connection.scalar(_ATTEMPTS, same) or 0
    return max(1, last) if body.retest_of else last + 1


def decide(
    registry: Registry, body: Decided, files: Sequence[EvidenceFile], at: datetime, most: int = 0, seal: Seal = no_seal
) -> None:
    """Enter a decision; `most` is how many of the item a player may have approved. Sent twice, it is entered once."""
    _lay_out(registry, files)

    def enter(connection: Connection) -> None:
        seen = inspection(connection, body.ticket)
        if seen is None or seen.event != body.event:
            raise UsageError("no-such-inspection", where=body.ticket)
        if (seen.decision, seen.decided_by) == (body.decision, body.by):
            return
        _check_open(seen)
        if body.decision == "approve":
            _check_quota(connection, seen, most)
            _check_photos(connection, seen)
        kept = tuple(registry.keep(connection, file.role, file.content, file.name) for file in files)
        append(connection, msgspec.structs.replace(body, evidence=kept), at, seal)

    registry.in_transaction(enter)


def withdraw(registry: Registry, body: Decided, at: datetime, seal: Seal = no_seal) -> None:
    """Take the last decision back, with its reason; what was issued on it is to be revoked (`to_revoke`)."""

    def enter(connection: Connection) -> None:
        seen = inspection(connection, body.ticket)
        if seen is None or seen.event != body.event:
            raise UsageError("no-such-inspection", where=body.ticket)
        if seen.retested:
            raise UsageError("tested-again-decide-second-test", where=body.ticket)
        if seen.decision not in ("", WITHDRAWN):
            append(connection, body, at, seal)

    registry.in_transaction(enter)


def to_revoke(connection: Connection) -> list[tuple[str, Decided]]:
    """Certificates that stand on a decision which was taken back, each with the act that took it back."""
    d, later = DESK_DECISIONS.c, DESK_DECISIONS.alias("later")
    newest = select(func.max(later.c.entry)).where(later.c.ticket == d.ticket).scalar_subquery()
    last = DESK_DECISIONS.alias("last")
    wanted = (
        select(CERTIFICATES.c.number, last.c.entry)
        .select_from(DESK_DECISIONS)
        .join(last, and_(last.c.ticket == d.ticket, last.c.decision == WITHDRAWN, last.c.entry == newest))
        .join(INSPECTIONS, and_(INSPECTIONS.c.record == d.record, d.record != ""))
        .join(CERTIFICATES, CERTIFICATES.c.entry == INSPECTIONS.c.entry)
        .where(CERTIFICATES.c.number.not_in(select(REVOCATIONS.c.number)))
    )
    found = [(number, said_by(connection, entry)) for number, entry in connection.execute(wanted)]
    return [(number, body) for number, body in found if isinstance(body, Decided)]


def _check_open(seen: DeskInspection) -> None:
    if seen.retested:
        raise UsageError("tested-again-decide-second-test", where=seen.ticket)
    if seen.decision not in ("", "condition", WITHDRAWN):
        raise UsageError("decided-already", where=seen.ticket, decided_by=seen.decided_by)


def _check_quota(connection: Connection, seen: DeskInspection, most: int) -> None:
    """At most so many approved things of an item a player."""
    if not most or not seen.owner:
        return
    names = {name for name, _ in _pieces_of(connection, seen.event, seen.item, seen.owner)}
    others = [each for name in names for each in inspections(connection, seen.event, item=seen.item, owner=name)]
    approved = {each.text for each in others if each.decision == "approve" and each.text != seen.text}
    if len(approved) >= most:
        named = ", ".join(sorted(approved))[:120]
        raise UsageError("enough-approved", owner=seen.owner, count=len(approved), named=named, most=most)


def _check_photos(connection: Connection, seen: DeskInspection) -> None:
    """A photo shows one piece: what was approved on it is not approved on it again under another name or label."""
    file, photo = EVIDENCE.c, EVIDENCE.c.role == "photo"
    own = select(file.sha256).where(file.entry == seen.entry, photo)
    sharing = select(file.entry).where(file.sha256.in_(own), photo)
    wanted = (
        DESK_RECORDS.c.entry.in_(sharing),
        DESK_RECORDS.c.item == seen.item,
        DESK_DECISIONS.c.decision == "approve",
    )
    piece = name_key(seen.owner), seen.text
    for other in map(_as_seen, connection.execute(_seen().where(*wanted))):
        if not other.retested and (name_key(other.owner), other.text) != piece:
            raise UsageError(
                "photo-approved-another", where=seen.ticket, ticket=other.ticket, piece=f"{other.text}, {other.owner}"
            )


def unissued(connection: Connection) -> list[DeskInspection]:
    """Approved inspections whose certificate has not been made yet, the oldest first."""
    d = DESK_DECISIONS.c
    made = select(INSPECTIONS.c.record)
    open_ = _seen().where(d.decision == "approve", d.record != "", d.record.not_in(made)).order_by(d.entry)
    return [_as_seen(row) for row in connection.execute(open_)]


def acts(connection: Connection, ticket: str) -> list[tuple[Entry, Body]]:
    """All that was done under a ticket, in order."""
    entries = [Entry(*row) for row in connection.execute(_acts(), {"ticket": ticket})]
    return [(entry, entry.said()) for entry in entries]


def ticket_of_record(connection: Connection, digest: str) -> str:
    """The ticket under which a certified record was inspected; empty if it was not at a desk."""
    return connection.scalar(select(DESK_DECISIONS.c.ticket).where(DESK_DECISIONS.c.record == digest)) or ""


def _lay_out(registry: Registry, files: Sequence[EvidenceFile]) -> None:
    """Files on the disk before the registry is locked: no other desk waits for that."""
    if isinstance(registry.shelf, EvidenceFolder):
        with registry.reading() as connection:
            for file in files:
                registry.shelf.put(connection, file.content)
