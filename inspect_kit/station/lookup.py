"""Look-up at the table: valid or not, for whom, until when. It only reads."""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from starlette.responses import Response

from inspect_kit.certificate.issue.qr import looks_like_qr
from inspect_kit.certificate.issue.verify import Verification, verify_qr
from inspect_kit.checkin.certify import signed_decision
from inspect_kit.checkin.progress import ThingState, state_of
from inspect_kit.checkin.roles import Decision
from inspect_kit.errors import BrokenSeal, InspectKitError, UsageError, sentence
from inspect_kit.registry.checkin import store
from inspect_kit.registry.checkin.entries import EventSet
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.search import CertificateStatus, find
from inspect_kit.station.photos import PhotoCut, PhotoWorkers, kept_shot
from inspect_kit.station.web.visit import Visit, sees

_LONGEST = 1000
"""Characters of a photographed code's text that are looked up."""
_READING = 20.0
"""Seconds for finding the code in a photo."""


@dataclass(frozen=True, slots=True)
class LookupAnswer:
    """What is known. `valid` is `None` where a thing may play on a condition."""

    valid: bool | None
    headline: str
    sentences: tuple[str, ...]
    subject: str = ""
    owner: str = ""
    item: str = ""
    event: str = ""
    number: str = ""
    until: str = ""
    mark: str = ""
    photo: str = ""
    shot: PhotoCut | None = None


def show_lookup(visit: Visit) -> Response:
    """The field, and the answer below it."""
    asked = visit.query("q").strip()
    return visit.page("lookup.html", asked=asked, answer=_answer(visit, asked) if asked else None, fault="")


def look_at_code(visit: Visit) -> Response:
    """From a photograph of the code, for phones without a scanner."""
    workers: PhotoWorkers = visit.request.app.state.workers
    try:
        text = workers.opening.do(_READING, _code_in, visit.files.get("photo", b""))
    except InspectKitError as problem:
        return visit.page("lookup.html", 422, asked="", answer=None, fault=visit.words.told(problem))
    return visit.page("lookup.html", asked=text[:_LONGEST], answer=_answer(visit, text[:_LONGEST]), fault="")


def _code_in(content: bytes) -> str:
    # Loaded only where a photo is read, which is in the helper program.
    from inspect_kit.vision.reference.qr_code import read_code

    return read_code(content)


def _answer(visit: Visit, asked: str) -> LookupAnswer:
    lost = visit.station.registry.lost()
    if lost:
        # What was taken out may be the revocation: a registry that has lost something calls nothing valid.
        return LookupAnswer(False, visit.words("lookup.not_valid"), (sentence(lost, visit.words.language),))
    try:
        if looks_like_qr(asked):
            return _by_code(visit, asked)
        ticket = re.sub(r"[\s-]", "", asked.rsplit("/", 1)[-1]).upper()
        if store.is_ticket(ticket):
            return _by_ticket(visit, ticket)
        return _by_number(visit, str(number_of(asked)))
    except InspectKitError:
        return _unknown(visit)


def _unknown(visit: Visit) -> LookupAnswer:
    return LookupAnswer(False, visit.words("lookup.unknown"), (visit.words("lookup.unknown_here"),))


def _by_code(visit: Visit, asked: str) -> LookupAnswer:
    """The signature in the code speaks for itself; the registry says how things stand since."""
    seen = verify_qr(asked, visit.station.trust)
    known = _by_number(visit, seen.number)
    if not known.number:
        return _foreign(visit, seen)
    return known if seen.holds else _spoiled(visit, known, _said(visit, seen, False))


def _said(visit: Visit, seen: Verification, holds: bool, *names: str) -> tuple[str, ...]:
    """What holds of a certificate, or does not, in words."""
    found = (check for check in seen.checks if check.holds is holds and (not names or check.name in names))
    return tuple(check.said(visit.words.language) for check in found)


def _spoiled(visit: Visit, known: LookupAnswer, broken: tuple[str, ...]) -> LookupAnswer:
    told = visit.words("lookup.not_valid")
    return LookupAnswer(False, told, broken, known.subject, known.owner, known.item, known.event, known.number)


def _verified(visit: Visit, answer: LookupAnswer, standing: CertificateStatus) -> LookupAnswer:
    """A row alone makes nothing valid: the certificate's own signature must hold, as `verify` would say."""
    if answer.valid is False:
        return answer
    seen = verify_qr(standing.qr, visit.station.trust)
    if not seen.holds:
        return _spoiled(visit, answer, _said(visit, seen, False))
    return replace(answer, sentences=(*answer.sentences, *_said(visit, seen, True, "log")))


def _foreign(visit: Visit, seen: Verification) -> LookupAnswer:
    """A certificate of another desk or event: what its code says, and nothing of ours."""
    good = seen.holds and seen.verdict == "conforms"
    sentences = tuple(check.said(visit.words.language) for check in seen.checks if check.holds is not True or good)
    headline = visit.words("lookup.valid" if good else "lookup.not_valid")
    return LookupAnswer(good, headline, sentences, seen.subject, "", seen.item, seen.event, seen.number)


def _by_number(visit: Visit, number: str) -> LookupAnswer:
    with visit.station.registry.reading() as connection:
        standing = find(connection, number)
        ticket = store.ticket_of_record(connection, standing.record) if standing else ""
    if standing is None:
        return _unknown(visit)
    if ticket:
        return _by_ticket(visit, ticket)
    if visit.person.events:
        return _unknown(visit)
    return _verified(visit, _from_registry(visit, standing), standing)


def _from_registry(visit: Visit, standing: CertificateStatus) -> LookupAnswer:
    """A certificate that was not issued at a desk."""
    state = standing.state(visit.station.today)
    good = state == "valid"
    sentences = (visit.words(f"standing.{state}"), standing.revoked_because) if not good else ()
    return LookupAnswer(
        good, visit.words("lookup.valid" if good else "lookup.not_valid"), tuple(filter(None, sentences)),
        standing.subject, standing.owner, standing.item, standing.event, standing.number, standing.valid_until,
    )  # fmt: skip


def _by_ticket(visit: Visit, ticket: str) -> LookupAnswer:
    with visit.station.registry.reading() as connection:
        asked = store.inspection(connection, ticket)
        while asked is not None and asked.retested:
            asked = store.inspection(connection, asked.retested)
        if asked is None or not sees(visit.person, asked.event):
            return _unknown(visit)
        event = store.event_of(connection, asked.event)
        same = [
            seen for seen in store.inspections(connection, asked.event, item=asked.item, owner=asked.owner)
            if seen.text == asked.text
        ]  # fmt: skip
        newest = same[-1] if same else asked
        photos = [file.sha256 for file in store.recorded(connection, newest).evidence if file.role == "photo"]
        standing = find(connection, newest.number) if newest.number else None
    if event is None:
        raise UsageError(visit.words("lookup.unknown_here"))
    answer = _at_desk(visit, event, newest, standing, bool(photos))
    # A certificate of that very record speaks for itself, also where nobody had to sign acts at the desk yet.
    own = standing if standing and _is_of(standing, newest) else None
    answer = _verified(visit, answer, own) if own else _proven(visit, answer, newest)
    return replace(answer, shot=kept_shot(visit, newest)) if photos else answer


def _is_of(standing: CertificateStatus, seen: store.DeskInspection) -> bool:
    certified = (standing.record, standing.item, standing.subject, standing.owner)
    return certified == (seen.final, seen.item, seen.text, seen.owner)


def _proven(visit: Visit, answer: LookupAnswer, seen: store.DeskInspection) -> LookupAnswer:
    """What lets a thing play must be signed by those who did it, as the certificate's maker asks for too."""
    if answer.valid is False:
        return answer
    try:
        with visit.station.registry.reading() as connection:
            signed_decision(connection, visit.station.seals(connection), seen, (Decision.APPROVE, Decision.CONDITION))
    except BrokenSeal as problem:
        return _spoiled(visit, answer, (visit.words.told(problem),))
    return answer


def _day_here(at: str) -> str:
    """The local day of an entry's time, which is kept in UTC."""
    return datetime.fromisoformat(at).astimezone().date().isoformat()


def _at_desk(
    visit: Visit, event: EventSet, seen: store.DeskInspection, standing: CertificateStatus | None, photo: bool
) -> LookupAnswer:
    """How a thing stands by its newest inspection."""
    words, state, today = visit.words, state_of(seen.decision), visit.station.today.isoformat()
    registered = standing.state(visit.station.today) if standing else ""
    spoiled = registered in ("revoked", "replaced", "expired")
    over = event.until < today or (event.daily and bool(seen.decided_at) and _day_here(seen.decided_at) < today)
    good = state is ThingState.APPROVED and not spoiled and not over
    sentences = [words("lookup.override", referee=seen.decided_by, reason=seen.because)] if seen.override else []
    if spoiled:
        sentences.append(words(f"standing.{registered}"))
    elif state is ThingState.APPROVED and over:
        sentences.append(words("standing.expired"))
    if state is ThingState.CONDITIONAL:
        sentences.append(words("lookup.after", match=seen.after or "–"))
    headline = (
        words("lookup.admitted" if seen.override else "lookup.valid")
        if good
        else words("lookup.conditional" if state is ThingState.CONDITIONAL else "lookup.not_valid")
    )
    if state in (ThingState.FAILED, ThingState.WAITING):
        sentences.append(words(f"state.{state}"))
    sheet = visit.station.sheet(event)
    until = standing.valid_until if standing and standing.valid_until else today if event.daily else event.until
    doubtful = state is ThingState.CONDITIONAL or (good and bool(seen.override))
    return LookupAnswer(
        None if doubtful else good, headline, tuple(sentences), seen.text, seen.owner,
        words.item(sheet.item(seen.item).name), event.name, seen.number, until if good else "",
        next((mark.mark for mark in event.marks if mark.day == today), "") if good else "",
        f"/events/{seen.event}/tickets/{seen.ticket}/photo" if photo else "",
    )  # fmt: skip
