"""Issuing: number, QR text, pages, signature and registry entry, in an order in which nothing can be left half done.

The number is taken, the PDF put among the evidence, and the entry written, all in one transaction of the registry.
Until it ends, nothing has happened; once it has, the certificate is in the registry with its PDF, and only its file
still gets its name. If even that is interrupted, the next command on this desk catches up.

Drawing and signing take long, so they are done before, with the number that will be next if nobody is faster; only
if somebody was, they are done again while the others wait.
"""

import hashlib
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec

from inspect_kit.atomic_write import written_beside
from inspect_kit.certificate.content.cover import LONG_AGO, days_between
from inspect_kit.certificate.content.model import OVERLAY, Issue
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.issue.issue_journal import complete_issue, promise_of, promised, recover, write_part
from inspect_kit.certificate.issue.keys import SigningKey
from inspect_kit.certificate.issue.pdf_signature import sign
from inspect_kit.certificate.issue.qr import LAST_DAY, Claim, compose
from inspect_kit.certificate.issue.seals import seal_of_signer
from inspect_kit.errors import ENGLISH, BadInput, InspectKitError, Notice, UsageError, notice
from inspect_kit.inspection.record import Record, about_of
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.registry.chain import append, next_serial
from inspect_kit.registry.entries import Certified, InspectionSummary, RegisteredGauge, Thing
from inspect_kit.registry.numbers import Number
from inspect_kit.registry.opening import Registry, Transaction
from inspect_kit.registry.search import CertificateStatus, certified_from, current, is_issued, known


class Drawing(Protocol):
    """What makes the pages."""

    def __call__(self, record: Record, *, language: str, photos: Mapping[str, bytes], issue: Issue) -> bytes:
        """A PDF of the record."""


def _pages(record: Record, *, language: str, photos: Mapping[str, bytes], issue: Issue) -> bytes:
    """The usual pages; what draws them is imported only once something is drawn."""
    from inspect_kit.certificate.pages.render import make_certificate

    return make_certificate(record, language=language, photos=photos, issue=issue)


@dataclass(frozen=True, slots=True)
class Desk:
    """Where certificates are issued: its home, its registry, the inspector's opened keys, and the time."""

    home: Path
    registry: Registry
    key: SigningKey
    now: datetime
    draw: Drawing = _pages


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be issued. `valid` is `event`, `day`, an ISO day, or empty: for the event if there is one."""

    record: Record
    out: Path
    language: str = "en"
    photos: Mapping[str, bytes] = field(default_factory=dict)
    valid: str = ""
    replaces: tuple[str, ...] = ()
    because: str = ""
    lookup: str = ""
    """Address of the issuer's page where its numbers can be looked up; a phone opens it."""
    detail: str = ""
    """`full` prints budgets and all readings."""
    once: bool = False
    """Whether a record that has its document already is refused: asked while no other desk writes."""
    samples: tuple[str, ...] = ()
    """What tells the readings of a lot's sample from another's; none where they could be the same by chance."""
    same_record: bool = False
    """Whether a record that has its document already gets a copy of it, such as one in another language."""


class AlreadyIssued(InspectKitError):
    """Another desk has been faster."""


@dataclass(frozen=True, slots=True)
class Issued:
    """What was issued; `notices` are for the person at the desk."""

    number: str
    verdict: str
    pdf: Path
    digest: str
    qr: str
    replaces: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    def summary(self) -> dict[str, object]:
        """What `certify --json` prints."""
        return {
            "number": self.number, "verdict": self.verdict, "pdf": str(self.pdf), "digest": self.digest, "qr": self.qr,
            "replaces": list(self.replaces),
        }  # fmt: skip


def issue_certificate(desk: Desk, request: Request) -> Issued:
    """Issue one certificate, or a report where the record does not conform."""
    seal = seal_of_signer(desk.key, desk.now)
    notices = (*_between(request.record.inspected_on, _day(desk)), *recover(desk.home, desk.registry))
    _refuse_received_later(request.record)
    if request.out.is_dir():
        raise BadInput("is-folder", where=str(request.out))
    if request.out.exists() and not request.out.is_file():
        raise BadInput("device-or-pipe", where=str(request.out))
    load_slow_parts()
    with desk.registry.reading() as connection:
        _refuse_photos_of_another(connection, request)
        copied = _copied(connection, desk, request) if request.same_record and not request.replaces else None
        likely = None if copied else _issue(connection, desk, request)
    if copied is not None:
        return _write_copy(desk, copied, request.out, notices)
    assert likely is not None
    pdf = _pdf(desk, request, likely)
    with ExitStack() as promises:
        with desk.registry.writing() as connection:
            issue = _issue(connection, desk, request)
            if issue != likely:
                pdf = _pdf(desk, request, issue)
            promise = promise_of(issue.number, pdf, request.out)
            note = promises.enter_context(promised(desk.home, desk.registry, promise))
            write_part(note, pdf)
            body = _body(connection, desk.registry, request, issue, pdf)
            append(connection, body, desk.now, seal)
        complete_issue(note)
    return Issued(
        issue.number, request.record.verdict, request.out, request.record.digest, issue.qr_text, body.replaces, notices
    )


def _refuse_photos_of_another(connection: Transaction, request: Request) -> None:
    """One photo of one thing, or one lot's sample, makes one certificate; under another name it replaces the first."""
    photos = {photo.sha256: photo.file for photo in request.record.photos}
    if request.record.verdict != Verdict.CONFORMS:
        return
    wanted = (*photos, *(_noted(mark)[1] for mark in (*photos, *_marks(request))))
    first = certified_from(connection, wanted, thing_of(request.record), request.replaces) if wanted else None
    if first is not None:
        where = ", ".join(photos.values())[:80]
        code = "photo-of-another" if photos else "sample-of-another"
        raise BadInput(code, where=where, number=first.number, subject=first.subject)


def _marks(request: Request) -> tuple[str, ...]:
    """What a photo or a sample is told by beside its bytes: the shot, though saved again or cut; the readings."""
    # The pages of a certificate load the reader of photographs anyway.
    from inspect_kit.capture.photographs import shot_of

    shots = {shot_of(content) for content in request.photos.values()}
    return tuple(sorted({*shots, *request.samples} - {""}))


def _noted(digest: str) -> tuple[bytes, str]:
    """A photo that is known by its digest alone, as a file to be kept, and that file's own digest."""
    note = digest.encode()
    return note, hashlib.sha256(note).hexdigest()


def _day(desk: Desk) -> str:
    return desk.now.astimezone().date().isoformat()


def _between(inspected: str, issued: str) -> tuple[Notice, ...]:
    """Nothing is issued for an inspection that has not taken place yet; one of long ago is told."""
    days = days_between(inspected, issued)
    if days < 0:
        raise UsageError("inspection-lies-after-today", where="--on", inspected=inspected, issued=issued)
    return (notice("issued-long-after", inspected=inspected, days=days),) if days > LONG_AGO else ()


def _refuse_received_later(record: Record) -> None:
    """Nothing is inspected before it is there."""
    received = about_of(record).received_on
    if received:
        wording_for(ENGLISH).day(received, where="received_on")  # What is no date is refused by its name.
        if days_between(received, record.inspected_on) < 0:
            raise BadInput("received-after-inspection", where="--received")


def _copied(connection: Transaction, desk: Desk, request: Request) -> tuple[CertificateStatus, Request] | None:
    """The document that stands for the same thing, if it says the same: all but the day and the program's version."""
    record = request.record
    same = current(connection, thing_of(record).key, record.sheet.id, record.subject.event)
    if same is None or same.verdict != record.verdict:
        return None
    if same.record == record.digest:
        return same, request
    kept = msgspec.json.decode(desk.registry.shelf.take(connection, same.record), type=type(record))
    if msgspec.structs.replace(record, inspected_on=kept.inspected_on, software=kept.software).digest != kept.digest:
        return None
    return same, replace(request, record=kept)


def _write_copy(
    desk: Desk, copied: tuple[CertificateStatus, Request], out: Path, notices: tuple[Notice, ...]
) -> Issued:
    """The same certificate once more: its number, its day and its QR text, in the language that is asked for."""
    standing, request = copied
    issue = Issue(
        number=standing.number, qr_text=standing.qr, issued_on=standing.issued_on, valid_until=standing.valid_until,
        valid_for=standing.valid_for, signed_by=_signed_by(desk.key, request.language),
    )  # fmt: skip
    written_beside(out, _pdf(desk, request, issue)).replace(out)
    said = notice("another-copy", number=standing.number)
    record = request.record
    return Issued(standing.number, record.verdict, out, record.digest, standing.qr, (), (*notices, said))


def _pdf(desk: Desk, request: Request, issue: Issue) -> bytes:
    """The document, drawn and signed."""
    pages = desk.draw(request.record, language=request.language, photos=request.photos, issue=issue)
    return sign(pages, desk.key, issue.number, issue.qr_text, request.record.subject.place)


def _issue(connection: Transaction, desk: Desk, request: Request) -> Issue:
    """All that the pages say beyond the record."""
    record, day = request.record, _day(desk)
    if request.once and is_issued(connection, record.digest):
        raise AlreadyIssued("certificate-already", where=record.subject.text)
    report = record.verdict != Verdict.CONFORMS
    year, code = int(day[:4]), desk.key.issuer.code
    kind = Number(code, year, 0, report=report).kind
    number = Number(code, year, next_serial(connection, code, year, kind), report=report)
    valid_until, valid_for = ("", "") if report else _validity(record, request.valid)
    claim = Claim(
        str(number), record.verdict, day, valid_until, record.sheet.id, record.item.id, record.subject.text, valid_for,
        record.digest,
    )  # fmt: skip
    return Issue(
        number=str(number),
        qr_text=compose(number, claim, desk.key.signer.id, desk.key.qr_key.sign),
        qr_words=" ".join((readable(claim, desk.key.issuer.name, request.language), request.lookup)).strip(),
        issued_on=day,
        valid_until=valid_until,
        valid_for=valid_for,
        replaces=", ".join(standing.number for standing in _replaced(connection, request)),
        replaced_because=request.because,
        detail=request.detail,
        signed_by=_signed_by(desk.key, request.language),
    )


def _signed_by(key: SigningKey, language: str) -> str:
    facts = {"name": key.signer.name, "issuer": key.issuer.name, "key": key.signer.id}
    return wording_for(first_of(language)).say("authorisation.signed_by", **facts)


def first_of(language: str) -> str:
    """Of `it,en` the one that the document begins in."""
    return language.partition(",")[0]


def readable(claim: Claim, issuer: str, language: str) -> str:
    """What a phone shows when it scans the code: number, verdict, until when, by whom. Not signed itself."""
    words = wording_for(first_of(language))
    until = words.say("label.until", day=claim.valid_until) if claim.valid_until else claim.event
    parts = (claim.number, words.say(f"overall.{claim.verdict}").upper(), until, issuer)
    return ", ".join(part for part in parts if part)


def _validity(record: Record, valid: str) -> tuple[str, str]:
    """The last day, and the event that it holds for."""
    event = record.subject.event
    if valid == "day":
        return record.inspected_on, ""
    if valid == "event" and not event:
        raise UsageError("event-unsaid", where="--valid event")
    if valid in ("", "event"):
        return "", event
    try:
        last = date.fromisoformat(valid)
    except ValueError:
        raise UsageError("validity-unknown", where="--valid", valid=valid[:40]) from None
    if last > LAST_DAY:
        raise UsageError("too-far-away", where="--valid", last=last, last_day=LAST_DAY)
    if last.isoformat() < record.inspected_on:
        raise UsageError("lies-before-inspection", where="--valid", last=last)
    return last.isoformat(), ""


def _replaced(connection: Transaction, request: Request) -> tuple[CertificateStatus, ...]:
    """What the new document replaces: what it was told to, and what stands for the same thing, sheet and event.

    An inspection that was left undecided replaces no certificate: nothing was found against the thing.
    """
    record = request.record
    told = tuple(_replaceable(known(connection, number)) for number in dict.fromkeys(request.replaces))
    if told and not request.because:
        raise UsageError("say-why-replaced", where="--because")
    same = current(connection, thing_of(record).key, record.sheet.id, record.subject.event)
    if same is None or same in told or (record.verdict == Verdict.UNDECIDED and same.verdict != Verdict.UNDECIDED):
        return told
    return (*told, same)


def _replaceable(standing: CertificateStatus) -> CertificateStatus:
    if standing.revoked_at:
        raise UsageError("revoked-on", where=standing.number, revoked_at=standing.revoked_at[:10])
    if standing.replaced_by:
        raise UsageError("already-replaced", where=standing.number, replaced_by=standing.replaced_by)
    return standing


def thing_of(record: Record) -> Thing:
    """What the registry calls the thing that a record is about."""
    return Thing(record.item.id, record.subject.text, record.subject.owner)


def _body(connection: Transaction, registry: Registry, request: Request, issue: Issue, pdf: bytes) -> Certified:
    record, keep = request.record, partial(registry.keep, connection)
    files = [keep("pdf", pdf, request.out.name), keep("record", record.canonical())]
    named = ((*_role(record, key), content) for key, content in request.photos.items())
    files += [keep(role, content, name) for role, name, content in named]
    absent = (photo for photo in record.photos if photo.sha256 not in request.photos)
    files += [keep("photo digest", _noted(photo.sha256)[0], photo.file) for photo in absent]
    files += [keep("mark", _noted(mark)[0]) for mark in _marks(request)]
    return Certified(
        number=issue.number,
        inspection=summary_of(record),
        pdf=files[0].sha256,
        qr=issue.qr_text,
        issued_on=issue.issued_on,
        valid_until=issue.valid_until,
        valid_for=issue.valid_for,
        replaces=tuple(issue.replaces.split(", ")) if issue.replaces else (),
        because=issue.replaced_because,
        evidence=tuple(files),
    )


def _role(record: Record, key: str) -> tuple[str, str]:
    """What a picture is in the registry, and its name there."""
    digest = key.removeprefix(OVERLAY)
    name = next((photo.file for photo in record.photos if photo.sha256 == digest), digest)
    return ("photo", name) if digest == key else ("overlay", f"{name}.overlay.png")


def summary_of(record: Record) -> InspectionSummary:
    """What the registry says of an inspection."""
    gauges = tuple(
        RegisteredGauge(gauge.id, gauge.name, gauge.kind, gauge.maker, gauge.serial, gauge.calibrated_until or "")
        for gauge in record.instruments
    )
    return InspectionSummary(
        subject=thing_of(record),
        sheet=record.sheet.id,
        edition=record.sheet.edition,
        verdict=record.verdict,
        rule=record.rule,
        inspected_on=record.inspected_on,
        record=record.digest,
        inspector=record.subject.inspector,
        event=record.subject.event,
        instruments=gauges,
    )


def load_slow_parts() -> None:
    """What is slow to load is loaded before the registry is locked: other desks may be waiting for it."""
    import pyhanko.sign.signers
    import reportlab.pdfgen.canvas

    del pyhanko, reportlab
