"""Inspections that have no certificate of their own, such as a batch of photos gives: entered once each, and listed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final

from sqlalchemy import Connection, select

from inspect_kit.registry.chain import append
from inspect_kit.registry.entries import Inspected, InspectionSummary
from inspect_kit.registry.opening import Registry
from inspect_kit.registry.search import begins_with
from inspect_kit.registry.tables import CERTIFICATES, EVIDENCE, INSPECTIONS, SUBJECTS

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
