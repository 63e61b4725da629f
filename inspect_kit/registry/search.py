"""Finding certificates: by number, owner, subject and the like, with how they stand today."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, and_, or_, select

from inspect_kit.csv_rows import csv_line, harmless
from inspect_kit.errors import UsageError
from inspect_kit.registry.entries import Thing, folded
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.tables import (
    CERTIFICATES,
    DESCRIPTIONS,
    EVIDENCE,
    INSPECTIONS,
    INSTRUMENTS,
    PEOPLE,
    REPLACEMENTS,
    REVOCATIONS,
    SUBJECTS,
    USES,
)

STATES: Final = ("valid", "expired", "replaced", "revoked", "report")


@dataclass(frozen=True, slots=True)
class CertificateStatus:
    """A certificate or report as the registry knows it."""

    number: str
    kind: str
    verdict: str
    item: str
    subject: str
    owner: str
    event: str
    sheet: str
    edition: str
    inspector: str
    inspected_on: str
    issued_on: str
    valid_until: str
    valid_for: str
    record: str
    pdf: str
    qr: str
    entry: int
    replaced_by: str
    replaced_because: str
    revoked_at: str
    revoked_because: str

    def state(self, on: date) -> str:
        """How it stands on a day: `valid`, `expired`, `replaced` or `revoked`; a report stands as `report`."""
        if self.revoked_at:
            return "revoked"
        if self.replaced_by:
            return "replaced"
        if self.kind == "report":
            return "report"
        return "expired" if self.valid_until and self.valid_until < on.isoformat() else "valid"


@dataclass(frozen=True, slots=True)
class RegistryQuery:
    """What is looked for; what is empty does not matter. Names match from their beginning, accents and case aside."""

    owner: str = ""
    subject: str = ""
    event: str = ""
    sheet: str = ""
    verdict: str = ""
    kind: str = ""
    state: str = ""
    since: str = ""
    until: str = ""
    search: str = ""


def _standings() -> Select[Any]:
    certificate, made, thing = CERTIFICATES.c, INSPECTIONS.c, SUBJECTS.c
    return (
        select(
            certificate.number, certificate.kind, made.verdict, thing.item, thing.text.label("subject"), thing.owner,
            made.event, made.sheet, made.edition, made.inspector, made.inspected_on, certificate.issued_on,
            certificate.valid_until, certificate.valid_for, made.record, certificate.pdf, certificate.qr,
            certificate.entry, REPLACEMENTS.c.by.label("replaced_by"),
            REPLACEMENTS.c.because.label("replaced_because"), REVOCATIONS.c.at.label("revoked_at"),
            REVOCATIONS.c.because.label("revoked_because"),
        )
        .join(INSPECTIONS, made.entry == certificate.entry)
        .join(SUBJECTS, thing.key == made.subject)
        .outerjoin(REPLACEMENTS, REPLACEMENTS.c.number == certificate.number)
        .outerjoin(REVOCATIONS, REVOCATIONS.c.number == certificate.number)
    )  # fmt: skip


def _standing(row: Row[Any]) -> CertificateStatus:
    filled: dict[str, Any] = {name: "" if value is None else value for name, value in row._mapping.items()}
    return CertificateStatus(**filled)


def find(connection: Connection, number: str) -> CertificateStatus | None:
    """The certificate of a number, however it was typed."""
    row = connection.execute(_standings().where(CERTIFICATES.c.number == str(number_of(number)))).first()
    return _standing(row) if row else None


def known(connection: Connection, number: str) -> CertificateStatus:
    """The certificate of a number, which must be there."""
    found = find(connection, number)
    if found is None:
        raise UsageError("not-registry", where=str(number_of(number)))
    return found


def listing(
    connection: Connection, wanted: RegistryQuery, on: date, limit: int | None = None
) -> Iterator[CertificateStatus]:
    """What is wanted, the newest first; never the whole registry in memory."""
    query = _standings().where(*_conditions(wanted), *_state(wanted.state, on))
    ordered = query.order_by(CERTIFICATES.c.entry.desc()).limit(limit)
    streamed = connection.execution_options(stream_results=True, yield_per=500)
    return (_standing(row) for row in streamed.execute(ordered))


def _conditions(wanted: RegistryQuery) -> Iterator[ColumnElement[bool]]:
    made = INSPECTIONS.c
    if wanted.owner:
        owners = select(PEOPLE.c.name).where(_within(PEOPLE.c.folded, wanted.owner))
        things = select(SUBJECTS.c.key).where(SUBJECTS.c.owner.in_(owners))
        yield _of_things(things)
    if wanted.subject:
        yield _of_things(select(SUBJECTS.c.key).where(*begins_with(SUBJECTS.c.folded, wanted.subject)))
    for column, value in ((made.event, wanted.event), (made.sheet, wanted.sheet), (made.verdict, wanted.verdict),
                          (CERTIFICATES.c.kind, wanted.kind)):  # fmt: skip
        if value:
            yield column == value
    if wanted.since:
        yield CERTIFICATES.c.issued_on >= wanted.since
    if wanted.until:
        yield CERTIFICATES.c.issued_on <= wanted.until
    for word in wanted.search.split():
        yield _mentions(word)


def _of_things(keys: Select[Any]) -> ColumnElement[bool]:
    """Only certificates of some things, from the index of things: the newest of a million are not walked through."""
    return CERTIFICATES.c.entry.in_(select(INSPECTIONS.c.entry).where(INSPECTIONS.c.subject.in_(keys)))


def begins_with(column: Column[Any], text: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """How a name begins, without regard to case and accents; the column's index serves it."""
    start = folded(text.strip())
    return column >= start, column < start + "\U0010ffff"


def _within(column: Column[Any], text: str) -> ColumnElement[bool]:
    """Any part of a name, without regard to case and accents."""
    return column.contains(folded(text.strip()), autoescape=True)


def _mentions(word: str) -> ColumnElement[bool]:
    """A word anywhere in number, subject, owner, inspector or event."""
    owners = select(PEOPLE.c.name).where(_within(PEOPLE.c.folded, word))
    return or_(
        _within(SUBJECTS.c.folded, word),
        SUBJECTS.c.owner.in_(owners),
        INSPECTIONS.c.inspector.in_(owners),
        INSPECTIONS.c.event.icontains(word, autoescape=True),
        CERTIFICATES.c.number.contains(folded(word).upper(), autoescape=True),
    )


def _state(state: str, on: date) -> Iterator[ColumnElement[bool]]:
    revoked, replaced = REVOCATIONS.c.number.is_not(None), REPLACEMENTS.c.number.is_not(None)
    over = and_(CERTIFICATES.c.valid_until != "", CERTIFICATES.c.valid_until < on.isoformat())
    report = CERTIFICATES.c.kind == "report"
    table: dict[str, tuple[ColumnElement[bool], ...]] = {
        "": (),
        "report": (~revoked, ~replaced, report),
        "revoked": (revoked,),
        "replaced": (~revoked, replaced),
        "expired": (~revoked, ~replaced, ~report, over),
        "valid": (~revoked, ~replaced, ~report, ~over),
    }
    yield from table[state]


def current(connection: Connection, subject: str, sheet: str, event: str) -> CertificateStatus | None:
    """What stands for a thing, by its key, under a sheet and for an event: neither revoked nor replaced."""
    made = INSPECTIONS.c
    asked = (made.subject == subject, made.sheet == sheet, made.event == event)
    alive = (REVOCATIONS.c.number.is_(None), REPLACEMENTS.c.number.is_(None))
    row = connection.execute(_standings().where(*asked, *alive).order_by(CERTIFICATES.c.entry.desc()).limit(1)).first()
    return _standing(row) if row else None


def certified_from(
    connection: Connection, photos: Collection[str], thing: Thing, besides: Collection[str]
) -> CertificateStatus | None:
    """A certificate in force that rests on one of these photos and is for another thing of the same kind."""
    certificate = (CERTIFICATES.c.kind == "certificate", CERTIFICATES.c.number.not_in(besides))
    other = (SUBJECTS.c.item == thing.item, SUBJECTS.c.key != thing.key, *certificate)
    alive = (REVOCATIONS.c.number.is_(None), REPLACEMENTS.c.number.is_(None))
    resting = CERTIFICATES.c.entry.in_(select(EVIDENCE.c.entry).where(EVIDENCE.c.sha256.in_(photos)))
    row = connection.execute(_standings().where(*other, *alive, resting).limit(1)).first()
    return _standing(row) if row else None


@dataclass(frozen=True, slots=True)
class CertificateDetails:
    """What lies behind a certificate: its evidence, its instruments, what it replaced, what is known of the thing."""

    evidence: tuple[dict[str, Any], ...]
    instruments: tuple[dict[str, Any], ...]
    replaces: tuple[str, ...]
    description: dict[str, Any]


def backing(connection: Connection, standing: CertificateStatus) -> CertificateDetails:
    """All that hangs on one certificate."""
    entry, e, i = standing.entry, EVIDENCE.c, INSTRUMENTS.c
    files = select(e.role, e.name, e.sha256, e.size).where(e.entry == entry).order_by(e.place)
    gauges = select(i.id, i.name, i.kind, i.maker, i.serial, i.calibrated_until)
    gauges = gauges.join(USES, USES.c.instrument == i.key).where(USES.c.entry == entry).order_by(i.id)
    replaced = select(REPLACEMENTS.c.number).where(REPLACEMENTS.c.entry == entry).order_by(REPLACEMENTS.c.number)
    subject = select(INSPECTIONS.c.subject).where(INSPECTIONS.c.entry == entry).scalar_subquery()
    said = select(DESCRIPTIONS.c.maker, DESCRIPTIONS.c.serial, DESCRIPTIONS.c.photo)
    newest = connection.execute(said.where(DESCRIPTIONS.c.subject == subject).order_by(DESCRIPTIONS.c.entry.desc()))
    described = newest.first()
    return CertificateDetails(
        evidence=tuple(dict(row._mapping) for row in connection.execute(files)),
        instruments=tuple(dict(row._mapping) for row in connection.execute(gauges)),
        replaces=tuple(connection.scalars(replaced)),
        description=dict(described._mapping) if described else {},
    )


def is_issued(connection: Connection, digest: str) -> bool:
    """Whether a certificate has been made from a record."""
    return connection.execute(select(INSPECTIONS.c.entry).where(INSPECTIONS.c.record == digest)).first() is not None


# The registry's certificates for other programs: JSON lines, or CSV for a spreadsheet.


def as_json_lines(standings: Iterable[CertificateStatus], on: date) -> Iterator[bytes]:
    """One JSON object a line."""
    for standing in standings:
        yield json.dumps(row_of(standing, on), ensure_ascii=False).encode() + b"\n"


def as_csv(standings: Iterable[CertificateStatus], on: date) -> Iterator[bytes]:
    """A head and one row each; a text that a spreadsheet would take for a formula gets an apostrophe."""
    names = ["state", *(field.name for field in fields(CertificateStatus))]
    yield csv_line(names)
    for standing in standings:
        row = row_of(standing, on)
        yield csv_line(harmless(str(row[name])) for name in names)


def row_of(standing: CertificateStatus, on: date) -> dict[str, object]:
    """A certificate with its state on a day."""
    return {"state": standing.state(on), **asdict(standing)}


FORMATS: Final[dict[str, Callable[[Iterable[CertificateStatus], date], Iterator[bytes]]]] = {
    "jsonl": as_json_lines,
    "csv": as_csv,
}
