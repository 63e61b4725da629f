"""The records that a registry keeps, as they were attached to certificates and inspections: a maker's memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, func, select

from inspect_kit.registry.opening import Registry
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
