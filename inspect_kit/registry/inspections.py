"""Inspections without a certificate of their own, entered once each and listed; and the records a registry keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, func, select

from inspect_kit.registry.chain import append
from inspect_kit.registry.entries import Inspected, InspectionSummary
from inspect_kit.registry.opening import Registry
from inspect_kit.registry.search import begins_with
from inspect_kit.registry.tables import CERTIFICATES, EVIDENCE, INSPECTIONS, REPLACEMENTS, REVOCATIONS, SUBJECTS

if TYPE_CHECKING:
    from inspect_kit.quality.trend import RecordedSeries

RECORD: Final = "record"


@dataclass(frozen=True, slots=True)
class KeptQuery:
    """Which records; days are ISO 8601, and what is empty does not matter."""

    since: str = ""
    until: str = ""
    sheet: str = ""
    item: str = ""


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """A record with what the registry knows of it; `number` is empty where no certificate was issued."""

    entry: int
    number: str
    inspected_on: str
    verdict: str
    item: str
    subject: str
    content: bytes


def kept_records(registry: Registry, query: KeptQuery) -> Iterator[KeptRecord]:
    """Every record that still counts, the oldest first, each once: what was replaced or revoked does not."""
    with registry.reading() as connection:
        seen: set[str] = set()
        for row in connection.execute(_asked(query)).all():
            # A certificate in a second language has the same record once more.
            if row.sha256 not in seen:
                seen.add(row.sha256)
                yield _kept(registry, connection, row._mapping)


def kept_yields(registry: Registry, query: KeptQuery) -> tuple[RecordedSeries, ...]:
    """What all those records yield for a trend."""
    from inspect_kit.quality.trend import read_yields

    return tuple(
        found
        for kept in kept_records(registry, query)
        for found in read_yields(kept.content, kept.number or f"entry {kept.entry}")
    )


def kept_record(registry: Registry, entry: int) -> KeptRecord | None:
    """The record of one entry, whatever became of it."""
    with registry.reading() as connection:
        row = connection.execute(_all_records().where(INSPECTIONS.c.entry == entry)).first()
        return None if row is None else _kept(registry, connection, row._mapping)


def entry_of(registry: Registry, digest: str) -> int | None:
    """Where the record of that digest stands."""
    own = INSPECTIONS.c
    with registry.reading() as connection:
        found: int | None = connection.scalar(select(func.min(own.entry)).where(own.record == digest))
    return found


def _kept(registry: Registry, connection: Connection, row: Any) -> KeptRecord:
    content = registry.shelf.take(connection, row["sha256"])
    return KeptRecord(
        row["entry"], row["number"] or "", row["inspected_on"], row["verdict"], row["item"], row["subject"], content
    )


def _all_records() -> Any:
    made, thing = INSPECTIONS.c, SUBJECTS.c
    columns = (made.entry, CERTIFICATES.c.number, made.inspected_on, made.verdict, thing.item,
               thing.text.label("subject"), EVIDENCE.c.sha256)  # fmt: skip
    return (
        select(*columns)
        .join(SUBJECTS, thing.key == made.subject)
        .join(EVIDENCE, (EVIDENCE.c.entry == made.entry) & (EVIDENCE.c.role == RECORD))
        .outerjoin(CERTIFICATES, CERTIFICATES.c.entry == made.entry)
    )


def _asked(query: KeptQuery) -> Any:
    made, number = INSPECTIONS.c, CERTIFICATES.c.number
    asked = (
        _all_records()
        .outerjoin(REPLACEMENTS, REPLACEMENTS.c.number == number)
        .outerjoin(REVOCATIONS, REVOCATIONS.c.number == number)
        .where(REPLACEMENTS.c.number.is_(None), REVOCATIONS.c.number.is_(None))
    )
    for wanted, condition in (
        (query.since, made.inspected_on >= query.since),
        (query.until, made.inspected_on <= query.until),
        (query.sheet, made.sheet == query.sheet),
        (query.item, SUBJECTS.c.item == query.item),
    ):
        asked = asked.where(condition) if wanted else asked
    return asked.order_by(made.inspected_on, made.entry)


# Inspections that have no certificate of their own, such as a batch of photos gives: entered once each, and listed.


MEASURED: Final = "measured"
_BLOCK: Final = 50
"""Entries in one transaction: other desks wait for no more than these."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What was found, its record, and the measurement behind it by which it is known to be there already."""

    made: InspectionSummary
    record: bytes
    measured: bytes
    name: str = ""


def enter(registry: Registry, found: Iterable[Inspection], at: datetime) -> int:
    """Enter what is not there yet; gives how many that were."""
    count = 0
    waiting = iter(found)
    while block := list(islice(waiting, _BLOCK)):
        with registry.writing() as connection:
            for each in block:
                if not _entered(connection, each):
                    append(connection, _body(registry, connection, each), at)
                    count += 1
    return count


def _entered(connection: Connection, each: Inspection) -> bool:
    digest = hashlib.sha256(each.measured).hexdigest()
    asked = select(EVIDENCE.c.entry).join(INSPECTIONS, INSPECTIONS.c.entry == EVIDENCE.c.entry)
    asked = asked.where(EVIDENCE.c.sha256 == digest, EVIDENCE.c.role == MEASURED)
    made = INSPECTIONS.c
    same = (made.subject == each.made.subject.key, made.sheet == each.made.sheet, made.rule == each.made.rule)
    return connection.execute(asked.where(*same).limit(1)).first() is not None


def _body(registry: Registry, connection: Connection, each: Inspection) -> Inspected:
    measured = registry.keep(connection, MEASURED, each.measured, each.name)
    return Inspected(each.made, (measured, registry.keep(connection, "record", each.record)))


@dataclass(frozen=True, slots=True)
class InspectionQuery:
    """Which inspections; what is empty does not matter."""

    subject: str = ""
    sheet: str = ""
    verdict: str = ""


def uncertified(connection: Connection, sought: InspectionQuery, limit: int) -> Sequence[dict[str, Any]]:
    """Inspections without a certificate, the newest first."""
    made, thing = INSPECTIONS.c, SUBJECTS.c
    columns = (made.entry, made.inspected_on, made.verdict, thing.item, thing.text.label("subject"), thing.owner,
               made.sheet, made.rule, made.inspector, made.record)  # fmt: skip
    asked = select(*columns).join(SUBJECTS, thing.key == made.subject)
    asked = asked.outerjoin(CERTIFICATES, CERTIFICATES.c.entry == made.entry).where(CERTIFICATES.c.number.is_(None))
    rows = connection.execute(asked.where(*_conditions(sought)).order_by(made.entry.desc()).limit(limit))
    return [dict(row._mapping) for row in rows]


def _conditions(sought: InspectionQuery) -> Iterator[Any]:
    if sought.subject:
        yield from begins_with(SUBJECTS.c.folded, sought.subject)
    if sought.sheet:
        yield INSPECTIONS.c.sheet == sought.sheet
    if sought.verdict:
        yield INSPECTIONS.c.verdict == sought.verdict
