"""From a check-in desk to certificates: what was done there is proven, judged again, and issued after a decision."""

import tempfile
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

import segno
from msgspec import UNSET, structs

from inspect_kit.capture.measurement_file import MeasurementFile, Photo
from inspect_kit.certificate.content.wording import station_words, wording_for
from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate
from inspect_kit.certificate.issue.seals import Seals, seal_of_signer, seals_in
from inspect_kit.checkin.photo_reading import open_photo_reading
from inspect_kit.checkin.roles import Act, Decision, allowed, check_decision, check_four_eyes, overrides
from inspect_kit.checkin.stated import stated_at, with_stated
from inspect_kit.errors import BadInput, BadSheet, BrokenSeal, InspectKitError, Notice, UsageError, notice
from inspect_kit.inspection.record import Line, Record, Subject, open_record
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.judge import Evidence, judge
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Reason, Verdict
from inspect_kit.registry.amendments import revoke
from inspect_kit.registry.chain import entry_of, follows
from inspect_kit.registry.chain_index import entries_about
from inspect_kit.registry.checkin.entries import AccountSet, Decided, EventSet, Recorded
from inspect_kit.registry.checkin.store import WITHDRAWN, DeskInspection, inspection, to_revoke
from inspect_kit.registry.entries import Body, Entry
from inspect_kit.registry.opening import Transaction
from inspect_kit.rulebook.library import load, with_house_rules
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.values.measurement import Component, Measurement, Observation, Reading, Ruling


@dataclass(frozen=True, slots=True)
class SignedDecision:
    """A decision with the inspection and the event it rests on, each from an entry whose signature holds."""

    decided: Decided
    recorded: Recorded
    event: EventSet


@dataclass(frozen=True, slots=True)
class _Acts:
    """Where acts are read from, and whose signatures are believed."""

    connection: Transaction
    seals: Seals

    def newest(self, kind: type[Body], before: int, name: str) -> Entry | None:
        """The last entry of an account, an event or a ticket's decision, by the chain: rows may have been taken out."""
        found = reversed(entries_about(self.connection, kind, name))
        return next((each for each in found if each.id < before), None)

    def said(self, entry: Entry | None, what: str | Notice) -> tuple[int, Body]:
        """What an entry says, if its signature holds."""
        if entry is None:
            raise BrokenSeal("not-in-chain", what=what)
        whole = entry.right_hash() == entry.hash and follows(self.connection, entry)
        fault = self.seals.strictly(entry) if whole else notice("entry-changed")
        if fault:
            raise BrokenSeal("act-does-not-hold", where=f"entry {entry.id}", what=what, fault=fault)
        return entry.id, entry.said()

    def check_rank(self, name: str, act: Act, event: str, before: int) -> None:
        """The person's account as it was then must have allowed the act, at that event."""
        number, body = self.said(self.newest(AccountSet, before, name), notice("account-of", name=name))
        if not isinstance(body, AccountSet) or body.name != name:
            raise BrokenSeal("not-an-account", where=f"entry {number}")
        at_event = not body.events or event in body.events
        if not (body.active and at_event and allowed(body.role, act)):
            raise BrokenSeal("not-allowed", where=f"entry {number}", name=name, act=act)


_END: Final = 2**63
"""Behind every entry."""


def signed_decision(
    connection: Transaction, seals: Seals, seen: DeskInspection, wanted: Collection[Decision] = (Decision.APPROVE,)
) -> SignedDecision:
    """The acts behind an approval, or a broken seal that says which one is not to be believed."""
    acts = _Acts(connection, seals)
    number, decided = acts.said(acts.newest(Decided, _END, seen.ticket), "the decision")
    first, recorded = acts.said(entry_of(connection, seen.entry), "the inspection")
    if not isinstance(decided, Decided) or not isinstance(recorded, Recorded):
        raise BrokenSeal("not-decision-and-inspection", where=seen.ticket)
    told = {(decided.ticket, decided.event), (recorded.ticket, recorded.event)}
    if told != {(seen.ticket, seen.event)} or decided.record != seen.final or first > number:
        raise BrokenSeal("decision-on-another-inspection", where=f"entry {number}")
    _, event = acts.said(acts.newest(EventSet, number, seen.event), "the event's settings")
    if not isinstance(event, EventSet) or event.event != seen.event:
        raise BrokenSeal("no-such-event", where=seen.event)
    acts.check_rank(recorded.by, Act.RECORD, seen.event, first)
    acts.check_rank(decided.by, Act.DECIDE, seen.event, number)
    _check_decision(decided, recorded, event, wanted)
    _check_corrected(acts, (recorded, decided, event), wanted)
    return SignedDecision(decided, recorded, event)


def _check_corrected(acts: _Acts, made: tuple[Recorded, Decided, EventSet], wanted: Collection[Decision]) -> None:
    """Who corrects a player's name has measured nothing: four eyes hold for the one who did."""
    recorded, decided, event = made
    while recorded.correction:
        before = inspection(acts.connection, recorded.retest_of)
        _, body = acts.said(entry_of(acts.connection, before.entry) if before else None, "the corrected inspection")
        if not isinstance(body, Recorded) or body.ticket != recorded.retest_of:
            raise BrokenSeal("not-an-inspection", where=recorded.retest_of)
        recorded = body
        _check_decision(decided, recorded, event, wanted)


def _check_decision(decided: Decided, recorded: Recorded, event: EventSet, wanted: Collection[Decision]) -> None:
    try:
        decision = Decision(decided.decision)
        check_decision(decision, recorded.verdict, decided.because)
        check_four_eyes(recorded.by, decided.by, wanted=event.four_eyes)
    except ValueError:
        raise BrokenSeal("not-an-approval", where="the decision") from None
    except InspectKitError as problem:
        raise BrokenSeal.of(problem.fault, where="the decision") from None
    if decision not in wanted or decided.override != overrides(decision, recorded.verdict):
        raise BrokenSeal("not-an-approval", where="the decision")


def check_record(record: Record, acts: SignedDecision, sheet: Sheet) -> None:
    """The inspection's record must be of that event and thing, and judged again lead to its verdict."""
    event, made = acts.event, acts.recorded
    told = (record.sheet.id, record.sheet.digest, record.rule, record.item.id, record.verdict, record.subject.event)
    if told != (sheet.id, sheet.digest, event.rule, made.item, made.verdict, event.name):
        raise BrokenSeal("record-not-event-sheet-item", where=made.ticket)
    if (record.subject.text, record.subject.owner) != (made.text, made.owner):
        raise BrokenSeal("record-of-another-thing", where=made.ticket)
    again = judged_again(record, sheet)
    if record.verdict == Verdict.CONFORMS and again is not Verdict.CONFORMS:
        raise BrokenSeal("judged-again-record-not", where=made.ticket, again=again, verdict=record.verdict)


def judged_again(record: Record, sheet: Sheet) -> Verdict:
    """The verdict that the record's own values lead to, by the sheet as it is."""
    distrusted = {gauge.id: Reason.CALIBRATION_EXPIRED for gauge in record.instruments if gauge.expired}
    measured = [found for line in record.lines if (found := _measurement(line))]
    seen = [
        Observation(line.characteristic, line.word, line.instance) for line in record.lines if line.word is not None
    ]
    known = {*(each.characteristic for each in measured), *(each.characteristic for each in seen)}
    seen += [
        Observation(each.characteristic, each.value, each.instance)
        for each in record.readings
        if each.characteristic not in known and not each.unit
    ]
    evidence = replace(Evidence.of(measured, seen, distrusted), rulings=_rulings(record))
    return judge(sheet.clauses_of(record.item.id), evidence, RuleName(record.rule)).verdict


def _rulings(record: Record) -> dict[str, dict[str, Ruling]]:
    """What persons decided, as the record's lines say it."""
    found: dict[str, dict[str, Ruling]] = {}
    for line in record.lines:
        if line.decision is not UNSET:
            by, because = line.decided_by or "", line.decided_because or ""
            ruling = Ruling(line.decision == "accept", by, because)
            found.setdefault(line.characteristic, {})[line.instance] = ruling
    return found


def _measurement(line: Line) -> Measurement | None:
    if line.value is None:
        return None
    try:
        value, dof = Decimal(line.value), Decimal(line.dof) if line.dof else None
        budget = None if line.u is None else (Component("record", Decimal(line.u), dof=dof),)
    except InvalidOperation:
        raise BrokenSeal("value-no-number", where=line.characteristic) from None
    return Measurement(line.characteristic, value, line.unit, budget, line.instance, line.instruments, line.formula)


# From a check-in desk to certificates: an event's rules, the record of an inspection, issuing after a decision.


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


def desk_record(task: Task, event: EventSet, file: MeasurementFile, subject: Subject, reader: str = "") -> Record:
    """Judge the readings; what was not read in a photo was read by whoever stands at the desk."""
    read = tuple(each if each.by or each.from_photo else replace(each, by=reader) for each in file.readings)
    full = structs.replace(subject, event=event.name, place=event.venue)
    return record_of(inspect(task, (replace(file, readings=read),)), full, stated_at(event, task.home))


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
        acts = signed_decision(connection, seals_in(connection, (desk.key.issuer,)), seen)
        event = acts.event
        record = _final_record(desk, connection, acts)
        files = acts.recorded.evidence
        kept = partial(desk.registry.shelf.take, connection)
        photos = {file.sha256: kept(file.sha256) for file in files if file.role == "photo"}
        told = [kept(file.sha256) for file in files if file.role in ("look", "measured")]
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


def _final_record(desk: Desk, connection: Transaction, acts: SignedDecision) -> Record:
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
