"""From a check-in desk to certificates: an event's rules, the record of an inspection, issuing after a decision."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import Path

import segno
from msgspec import structs

from inspect_kit.capture.measurement_file import MeasurementFile, Photo
from inspect_kit.certificate.content.wording import station_words, wording_for
from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate
from inspect_kit.certificate.issue.seals import seal_of_signer, seals_in
from inspect_kit.checkin.acts import Proven, check_record, proven
from inspect_kit.checkin.photo_reading import open_photo_reading
from inspect_kit.checkin.stated import stated_at, with_stated
from inspect_kit.errors import BadInput, BadSheet, BrokenSeal, InspectKitError, UsageError
from inspect_kit.inspection.record import Record, Subject, open_record
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.registry.amendments import revoke
from inspect_kit.registry.checkin.entries import Decided, EventSet
from inspect_kit.registry.checkin.store import WITHDRAWN, DeskInspection, to_revoke
from inspect_kit.registry.opening import Transaction
from inspect_kit.rulebook.library import load, with_house_rules
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.values.measurement import Reading


def sheet_of(event: EventSet, house: bytes | None) -> Sheet:
    """The edition in force at an event, with its house rules."""
    return _sheet(event.sheet, house or b"")


@lru_cache(maxsize=16)
def _sheet(sheet_id: str, house: bytes) -> Sheet:
    """Read once: a desk makes hundreds of certificates by the same one."""
    sheet = load(sheet_id)
    return with_house_text(sheet, house) if house else sheet


def with_house_text(sheet: Sheet, house: bytes) -> Sheet:
    """A sheet under house rules that came as text; their faults name no place on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "house.toml"
        path.write_bytes(house)
        try:
            return with_house_rules(sheet, path)
        except BadSheet as problem:
            raise BadSheet(
                tuple(replace(f, where=f.where.replace(str(path), path.name)) for f in problem.faults)
            ) from None
        except InspectKitError as problem:
            fault = problem.fault
            raise BadInput.of(fault, where=fault.where.replace(str(path), path.name)) from None


@dataclass(frozen=True, slots=True)
class Inspecting:
    """What is inspected at a desk, by which rules, on which day."""

    event: EventSet
    sheet: Sheet
    item: str
    on: date
    folders: tuple[Path, ...]
    home: Path

    def record(self, file: MeasurementFile, subject: Subject, reader: str = "") -> Record:
        """Judge the readings; what was not read in a photo was read by whoever stands at the desk."""
        read = tuple(
            reading if reading.by or reading.from_photo else replace(reading, by=reader) for reading in file.readings
        )
        item = self.sheet.item(self.item)
        task = Task(self.sheet, item, RuleName(self.event.rule), self.on, self.folders, self.home)
        full = structs.replace(subject, event=self.event.name, place=self.event.venue)
        return record_of(inspect(task, (replace(file, readings=read),)), full, stated_at(self.event, self.home))


def decided_record(record: Record, seen: DeskInspection, decided: Decided, language: str, issuer: str = "") -> Record:
    """The record as it is certified: with who measured and who decided, what they state, why they overrode."""
    words = station_words(language)
    remarks = [words["print.decided"].format(tester=seen.by, referee=decided.by, ticket=seen.ticket)]
    if seen.decision == WITHDRAWN:
        remarks.append(words["print.again"].format(time=seen.decided_at, name=seen.decided_by, reason=seen.because))
    condition = record.subject.condition
    if decided.override:
        condition = words["print.override"].format(referee=decided.by, reason=decided.because)
        remarks.append(condition)
    subject = structs.replace(record.subject, inspector=decided.by, condition=condition[:200], issuer=issuer)
    return structs.replace(with_stated(record, decided), subject=subject, warnings=(*record.warnings, *remarks))


def revoke_withdrawn(desk: Desk) -> int:
    """Revoke what was issued on decisions that were taken back; gives how many."""
    found = desk.registry.ask(to_revoke)
    for number, body in found:
        with suppress(UsageError):  # Another desk was faster.
            revoke(desk.registry, number, body.because, body.by, desk.now, seal_of_signer(desk.key, desk.now))
    return len(found)


def certify_decided(desk: Desk, seen: DeskInspection) -> str:
    """Issue the certificate that a decision asks for, unless it has been issued; gives its number.

    Nothing is signed on a row's word: the acts behind it must be proven, and the record is judged again.
    """
    with desk.registry.reading() as connection:
        acts = proven(connection, seals_in(connection, (desk.key.issuer,)), seen)
        event = acts.event
        record = _final_record(desk, connection, acts)
        files = acts.recorded.evidence
        photos = {
            file.sha256: desk.registry.shelf.take(connection, file.sha256) for file in files if file.role == "photo"
        }
        told = [
            desk.registry.shelf.take(connection, file.sha256) for file in files if file.role in ("look", "measured")
        ]
    if photos and told:
        # OpenCV is loaded only where there is something to draw.
        from inspect_kit.certificate.pages.photo_overlays import desk_overlays

        seen_in = [reading for content in told for reading in _photographed(record, content)]
        photos |= desk_overlays(record, photos, seen_in, wording_for(event.language, record.wording))
    out = desk.home / "station" / f"{seen.ticket}.pdf"
    out.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    request = Request(record, out, event.language, photos, "day" if event.daily else "event", once=True)
    issued = issue_certificate(desk, request)
    # The registry keeps the PDF; the copy beside it has done its service.
    out.unlink(missing_ok=True)
    return issued.number


def _photographed(record: Record, content: bytes) -> tuple[Reading, ...]:
    """What was measured in photos, by a file that was kept as evidence."""
    kept = record.photos[0]
    return open_photo_reading(content, Photo(kept.file, kept.sha256, kept.width, kept.height)).file.readings


def _final_record(desk: Desk, connection: Transaction, acts: Proven) -> Record:
    """The record that was decided on, with nothing but the decision added to the one that was judged again."""
    take, event = desk.registry.shelf.take, acts.event
    first = open_record(take(connection, acts.recorded.record))
    house = take(connection, event.house.sha256) if event.house else None
    check_record(first, acts, sheet_of(event, house))
    final = open_record(take(connection, acts.decided.record))
    if final.subject.issuer not in ("", desk.key.issuer.name):
        raise BrokenSeal("other-issuer-decided", where=acts.recorded.ticket)
    about = structs.replace(
        first.subject, inspector=acts.decided.by, condition=final.subject.condition, issuer=final.subject.issuer
    )
    if final != structs.replace(
        with_stated(first, acts.decided), subject=about, warnings=final.warnings, notices=final.notices
    ):
        raise BrokenSeal("decided-record-differs", where=acts.recorded.ticket)
    return final


def code_as_svg(text: str) -> str:
    """A QR code to stand in a page."""
    return str(segno.make_qr(text, error="m").svg_inline(scale=4, border=4, dark="#000", light="#fff", omitsize=True))
