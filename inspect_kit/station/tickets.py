"""One inspection: its verdict in words, the referee's decision, and what is printed: certificate, label, slip."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import count

from msgspec import structs
from starlette.responses import Response

from inspect_kit.capture.daily_checks import standing
from inspect_kit.certificate.content.findings import groups_of
from inspect_kit.certificate.content.model import Group
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.pages.labels import STOCKS, draw_labels, sticker_of
from inspect_kit.checkin.certify import code_as_svg, decided_record, revoke_withdrawn
from inspect_kit.checkin.progress import ThingState, state_of
from inspect_kit.checkin.roles import Decision, DeskRefusal, check_decision, check_four_eyes, overrides
from inspect_kit.checkin.stated import StatedOfPiece, stated_of_piece
from inspect_kit.errors import InspectKitError, UsageError
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.record import Record, about_of, digest_of, open_record
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.registry.checkin import store
from inspect_kit.registry.checkin.entries import Decided, EventSet, Recorded
from inspect_kit.registry.entries import Body, Entry
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.search import CertificateStatus, find
from inspect_kit.station.photos import kept_shot
from inspect_kit.station.rendering import safe
from inspect_kit.station.station import CertificateWorker
from inspect_kit.station.web.visit import Refusal, Visit, not_found

_DECIDING = (Verdict.FAILS, Verdict.UNDECIDED)


@dataclass(frozen=True, slots=True)
class Case:
    """An inspection with its event and its record."""

    event: EventSet
    seen: store.DeskInspection
    record: Record


def case_of(visit: Visit) -> Case:
    """The inspection of the address; one of another event is as good as none."""
    event, ticket = visit.event(), visit.path("ticket")
    if not store.is_ticket(ticket):
        raise not_found()
    registry = visit.station.registry
    with registry.reading() as connection:
        seen = store.inspection(connection, ticket)
        if seen is None or seen.event != event.event:
            raise not_found()
        content = registry.shelf.take(connection, seen.record)
    return Case(event, seen, _opened(content))


@lru_cache(maxsize=64)
def _opened(content: bytes) -> Record:
    """A record is opened at the verdict, at the decision and after it; that it is unchanged is seen to each time."""
    return open_record(content)


def show_ticket(visit: Visit, fault: str = "", status: int = 200) -> Response:
    """The verdict, why, and what comes next."""
    case = case_of(visit)
    words = wording_for(visit.words.language, case.record.wording)
    groups = groups_of(case.record, words)
    history = visit.ask(store.acts, case.seen.ticket)
    kept = {file.role for _, body in history if isinstance(body, Recorded) for file in body.evidence}
    state = state_of(case.seen.decision)
    certificates: CertificateWorker = visit.request.app.state.certificates
    trouble = certificates.troubles.get(case.seen.ticket)
    open_decision = state in (ThingState.WAITING, ThingState.CONDITIONAL) and not case.seen.retested
    recorded_as = next(body for _, body in history if isinstance(body, Recorded))
    return visit.page(
        "ticket.html", status, event=case.event, seen=case.seen, record=case.record, groups=groups, fault=fault,
        deciding=[group for group in groups if decides(group)], state=state, photo="photo" in kept,
        shot=kept_shot(visit, case.seen) if "look" in kept else None,
        history=history, open_decision=open_decision, decisions=list(Decision),
        form={**_stated_before(history), **visit.form}, about=about_of(case.record),
        making=state is ThingState.APPROVED and not case.seen.number,
        trouble=visit.words.told(trouble) if trouble else "",
        against={decision.value: overrides(decision, case.seen.verdict) for decision in Decision},
        item=visit.words.item(case.record.item.name),
        note=visit.words("desk.already") if visit.query("already") else "", correction=recorded_as.correction,
        correctable=state is ThingState.WAITING and not case.seen.retested and bool(case.seen.owner),
        report=bool(case.seen.number) and number_of(case.seen.number).report,
    )  # fmt: skip


def _stated_before(history: list[tuple[Entry, Body]]) -> dict[str, str]:
    """What the last decision stated of the piece, as its form shows it: nobody types it twice."""
    made = [body for _, body in history if isinstance(body, Decided) and body.decision != store.WITHDRAWN]
    if not made:
        return {}
    same = {name: getattr(made[-1], name) for name in ("maker", "serial", "received_on")}
    return {**same, "remarks": "\n".join(made[-1].remarks)}


def decides(group: Group) -> bool:
    """Whether something in it fails or is open."""
    return any(row.mark.verdict in _DECIDING for row in group.rows)


def decide_now(visit: Visit) -> Response:
    """The referee's decision, with the PIN."""
    return _acted(visit, _decided)


def _acted(visit: Visit, act: Callable[[Visit, Case], str]) -> Response:
    """The ticket that the act gives, or this one again with what is wrong."""
    case = case_of(visit)
    try:
        ticket = act(visit, case)
    except InspectKitError as problem:
        return show_ticket(visit, visit.words.told(problem), 403 if isinstance(problem, WrongPin) else 409)
    return visit.go(f"/events/{case.event.event}/tickets/{ticket}")


class WrongPin(DeskRefusal):
    """Somebody else at an open desk, or a slip."""


def _check_pin(visit: Visit) -> None:
    if not visit.check_pin(visit.person.name, visit.form.get("pin", "")):
        raise WrongPin("ticket.wrong_pin")


def withdraw_now(visit: Visit) -> Response:
    """The last decision is taken back, with its reason and the PIN; what was issued on it is revoked."""
    return _acted(visit, _withdrawn)


def _withdrawn(visit: Visit, case: Case) -> str:
    station = visit.station
    because = clean(visit.form.get("because", ""), where=visit.words("ticket.because"), needed=True)
    _check_pin(visit)
    body = Decided(case.seen.ticket, case.event.event, store.WITHDRAWN, visit.person.name, because)
    store.withdraw(station.registry, body, station.now(), station.seal)
    if station.key is not None:
        revoke_withdrawn(station.desk())
    return case.seen.ticket


def correct_player(visit: Visit) -> Response:
    """The same inspection under the player's right name; what was entered stays, and the new entry counts instead."""
    return _acted(visit, _corrected)


def _corrected(visit: Visit, case: Case) -> str:
    station, seen = visit.station, case.seen
    because = clean(visit.form.get("because", ""), where=visit.words("ticket.because"), needed=True)
    owner = clean(visit.form.get("owner", ""), where=visit.words("desk.player"), needed=True)
    if state_of(seen.decision) is not ThingState.WAITING or seen.retested:
        raise DeskRefusal("ticket.withdraw_first")
    if owner == seen.owner:
        return seen.ticket
    with station.registry.reading() as connection:
        before = store.recorded(connection, seen)
        taken = store.labels_of(connection, seen.event, seen.item, owner)
        kept = [store.EvidenceFile(file.role, station.registry.shelf.take(connection, file.sha256), file.name)
                for file in before.evidence if file.role != "record"]  # fmt: skip
    free = (seen.text if number == 1 else f"{seen.text} {number}" for number in count(1))
    text = next(label for label in free if label not in taken)
    subject = structs.replace(case.record.subject, owner=owner, text=text)
    content = structs.replace(case.record, subject=subject).canonical()
    body = Recorded(
        station.ticket(), seen.event, seen.item, text, owner, seen.verdict, digest_of(content), visit.person.name,
        retest_of=seen.ticket, correction=because,
    )  # fmt: skip
    files = [store.EvidenceFile("record", content), *kept]
    return store.record(station.registry, body, files, station.now(), station.seal, new_piece=True).ticket


def _check_four_eyes(visit: Visit, case: Case) -> None:
    """Also for the one who measured, where somebody else corrected the player's name."""
    ticket = case.seen.ticket
    with visit.station.registry.reading() as connection:
        while ticket and (seen := store.inspection(connection, ticket)) is not None:
            body = store.recorded(connection, seen)
            check_four_eyes(body.by, visit.person.name, wanted=case.event.four_eyes)
            ticket = body.retest_of if body.correction else ""


def _stated(visit: Visit, case: Case) -> StatedOfPiece:
    names = {key: visit.words.frame(f"field.{key}") for key in ("maker", "serial", "received_on")}
    names["remarks"] = visit.words.frame("heading.remarks")
    return stated_of_piece(visit.form, names, case.record.inspected_on)


def _refuse_failed_gauges(visit: Visit, record: Record) -> None:
    """A gauge that has failed its check since the inspection: what conforms by it is measured again with another."""
    on = date.fromisoformat(record.inspected_on)
    failed = [gauge.id for gauge in record.instruments if not standing(visit.station.home, gauge.id, on).usable]
    if failed and record.verdict == Verdict.CONFORMS:
        raise UsageError("gauge-failed-since", where=failed[0])


def _decided(visit: Visit, case: Case) -> str:
    form, seen, who = visit.form, case.seen, visit.person.name
    _check_pin(visit)
    if form.get("decision", "") not in set(Decision):
        raise DeskRefusal("ticket.choose")
    decision = Decision(form["decision"])
    because = clean(form.get("because", ""), where=visit.words("ticket.because"))
    after = clean(form.get("after", ""), where=visit.words("ticket.after"))
    check_decision(decision, seen.verdict, because)
    _check_four_eyes(visit, case)
    body = Decided(
        seen.ticket, case.event.event, decision, who, because, overrides(decision, seen.verdict),
        after if decision is Decision.CONDITION else "", **_stated(visit, case),
    )  # fmt: skip
    files: list[store.EvidenceFile] = []
    if decision is Decision.APPROVE:
        _refuse_failed_gauges(visit, case.record)
        issuer = visit.station.key.issuer.name if visit.station.key else ""
        final = decided_record(case.record, seen, body, case.event.language, issuer)
        content = final.canonical()
        body = structs.replace(body, record=digest_of(content))
        files.append(store.EvidenceFile("record", content))
    quota = next((each.per_player for each in case.event.expected if each.item == seen.item), 0)
    store.decide(visit.station.registry, body, files, visit.station.now(), quota, visit.station.seal)
    certificates: CertificateWorker = visit.request.app.state.certificates
    certificates.wake()
    return seen.ticket


def show_photo(visit: Visit) -> Response:
    """The photograph of an inspection."""
    case = case_of(visit)
    kept = {file.role: file.sha256 for file in visit.ask(store.recorded, case.seen).evidence}
    if "photo" not in kept:
        raise not_found()
    return Response(visit.evidence(kept["photo"]), media_type="image/jpeg")


def _standing(visit: Visit, case: Case) -> CertificateStatus:
    if not case.seen.number:
        raise Refusal(404, "refused.no_certificate")
    found = visit.ask(find, case.seen.number)
    if found is None:
        raise not_found()
    return found


def show_certificate(visit: Visit) -> Response:
    """The PDF as it was signed."""
    standing = _standing(visit, case_of(visit))
    return pdf(visit.evidence(standing.pdf), standing.number)


def show_label(visit: Visit) -> Response:
    """The sticker for the back of the thing."""
    case = case_of(visit)
    standing = _standing(visit, case)
    issuer = case.record.subject.issuer or (visit.station.key.issuer.name if visit.station.key else "")
    sticker = sticker_of(standing, issuer, case.event.language)
    return pdf(draw_labels([sticker], STOCKS["62x29"]), f"{standing.number}-label")


def pdf(content: bytes, name: str) -> Response:
    """A PDF to be shown in the browser."""
    headers = {"Content-Disposition": f'inline; filename="{name}.pdf"'}
    return Response(content, media_type="application/pdf", headers=headers)


def show_slip(visit: Visit) -> Response:
    """What the player takes along: what to change, or that the thing is to come back after the match."""
    case = case_of(visit)
    words = wording_for(visit.words.language, case.record.wording)
    groups = [group for group in groups_of(case.record, words) if decides(group)]
    return visit.page(
        "slip.html", event=case.event, seen=case.seen, record=case.record, groups=groups,
        state=state_of(case.seen.decision), code=safe(code_as_svg(case.seen.ticket)),
        item=visit.words.item(case.record.item.name), advice=_advice(visit, groups),
    )  # fmt: skip


def _advice(visit: Visit, groups: list[Group]) -> list[tuple[Group, str]]:
    """What to do about each point, as far as the reason tells it."""
    found: list[tuple[Group, str]] = []
    for group in groups:
        row = next(row for row in group.rows if row.mark.verdict in _DECIDING)
        if row.scale is None or row.mark.verdict != Verdict.FAILS:
            key = "slip.look" if row.scale is None else "slip.measure_again"
        else:
            upper = row.scale.upper
            key = "slip.too_large" if upper is not None and row.scale.value > upper else "slip.too_small"
        found.append((group, visit.words(key, limit=group.requirement)))
    return found
