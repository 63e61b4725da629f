"""The look-up for everybody, without an account: valid, not valid or revoked, and nothing that is private."""

from dataclasses import dataclass

from starlette.responses import Response

from inspect_kit.certificate.issue.qr import looks_like_qr
from inspect_kit.certificate.issue.verify import verify_qr
from inspect_kit.checkin.progress import ThingState, state_of
from inspect_kit.errors import InspectKitError
from inspect_kit.registry.checkin.store import inspection, inspections, ticket_of_record
from inspect_kit.registry.numbers import number_of
from inspect_kit.registry.opening import Transaction
from inspect_kit.registry.search import CertificateStatus, find
from inspect_kit.station.web.visit import Visit


@dataclass(frozen=True, slots=True)
class PublicAnswer:
    """What anybody may know; `state` is the key of the sentence."""

    good: bool
    state: str
    number: str = ""
    until: str = ""
    item: str = ""


def show_check(visit: Visit) -> Response:
    """The field, and the answer below it."""
    asked = visit.query("q").strip()
    return visit.page("check.html", asked=asked, answer=_answer(visit, asked) if asked else None)


def _answer(visit: Visit, asked: str) -> PublicAnswer:
    station = visit.station
    if station.registry.lost():
        return PublicAnswer(False, "unknown")
    try:
        if not looks_like_qr(asked):
            return _by_number(visit, str(number_of(asked)))
        seen = verify_qr(asked, station.trust)
        return _by_number(visit, seen.number) if seen.holds else PublicAnswer(False, "forged")
    except InspectKitError:
        return PublicAnswer(False, "unknown")


def _by_number(visit: Visit, number: str) -> PublicAnswer:
    with visit.station.registry.reading() as connection:
        standing = find(connection, number)
        if standing is None:
            return PublicAnswer(False, "unknown")
        state = standing.state(visit.station.today)
        if state == "valid" and not _still_approved(connection, standing):
            state = "not_valid"
    if state == "valid" and not verify_qr(standing.qr, visit.station.trust).holds:
        state = "forged"
    good = state == "valid"
    return PublicAnswer(good, state, standing.number, standing.valid_until if good else "", standing.item)


def _still_approved(connection: Transaction, standing: CertificateStatus) -> bool:
    """Whether the thing has not failed since, at the desk that its certificate comes from."""
    ticket = ticket_of_record(connection, standing.record)
    asked = inspection(connection, ticket) if ticket else None
    if asked is None:
        return not ticket
    same = inspections(connection, asked.event, item=asked.item, owner=asked.owner)
    newest = [seen for seen in same if seen.text == asked.text][-1:] or [asked]
    return state_of(newest[0].decision) is ThingState.APPROVED
