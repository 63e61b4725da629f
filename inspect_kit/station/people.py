"""The people of the station: who has which part at which events, signing in and out, and the language."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from starlette.responses import RedirectResponse, Response

from inspect_kit.checkin.roles import DeskRefusal, PersonsPart, Role, change_fault
from inspect_kit.errors import LANGUAGES, InspectKitError, UsageError
from inspect_kit.inspection.names import clean
from inspect_kit.registry.checkin import accounts
from inspect_kit.registry.checkin.entries import AccountSet
from inspect_kit.registry.checkin.store import all_events, ticket_from
from inspect_kit.registry.opening import Transaction
from inspect_kit.station.station import SESSION_HOURS
from inspect_kit.station.web.visit import LANGUAGE, Refusal, Visit, back_to, digest_of, sees, set_session, shown_again

_CODE: Final = 8
"""Letters of a one-time code: 24 to the power of 8, and a door that slows down guessing."""
_GONE: Final = PersonsPart("", active=False)
"""Somebody who was taken out while their page was open."""


def show_people(visit: Visit, fault: str = "", told: str = "") -> Response:
    """Everybody, and a form for one more; `told` is a one-time code, which is shown this once."""
    with visit.station.registry.reading() as connection:
        people, events = accounts.accounts(connection), all_events(connection)
    visible = [event for event in events if sees(visit.person, event.event)]
    names = {event.event: event.name for event in events}
    return visit.page(
        "people.html", 422 if fault else 200, people=people, events=visible, names=names, roles=list(Role), fault=fault,
        form=visit.form if fault else {}, told=told,
    )  # fmt: skip


@shown_again(show_people)
def change_people(visit: Visit) -> Response:
    """Add somebody, change their part or PIN, or take them out."""
    told = _change(visit)
    return show_people(visit, told=told) if told else visit.go("/people")


def _change(visit: Visit) -> str:
    """Gives the one-time code that was made, if any."""
    form, station = visit.form, visit.station
    name = clean(form.get("name", ""), where=visit.words("people.name"), needed=True)
    if not visit.check_pin(visit.person.name, form.get("own_pin", "")):
        raise UsageError(visit.words("ticket.wrong_pin"))
    if "remove" in form:
        _remove(visit, name)
        return ""
    role = Role(form.get("role", "")) if form.get("role", "") in set(Role) else None
    if role is None:
        raise UsageError(visit.words("people.choose_role"))
    chosen = form.get("event", "")
    # Somebody who sees some events only cannot hand out more than that.
    events = (chosen,) if chosen and sees(visit.person, chosen) else visit.person.events
    there = visit.ask(accounts.account, name)
    pin = form.get("pin", "")
    code = ticket_from(station.random(2**60))[:_CODE] if not pin and (there is None or "renew" in form) else ""
    once = bool(code) or (there is not None and there.once and not pin)
    body = AccountSet(name, role, by=visit.person.name, events=events, once=once)
    _enter(visit, body, pin or code or None, _checked(visit, body))
    return visit.words("people.code", name=name, code=code) if code else ""


def _checked(visit: Visit, wanted: AccountSet) -> Callable[[Transaction], None]:
    """Within the transaction that changes it: two who demote one another at once do not leave nobody."""

    def check(connection: Transaction) -> None:
        people = {each.name: _part_of(each) for each in accounts.accounts(connection)}
        actor, target = people.get(visit.person.name), people.pop(wanted.name, None)
        fault = change_fault(actor or _GONE, target, _part_of(wanted), people.values())
        if fault is not None:
            raise UsageError(visit.words(fault))

    return check


def _part_of(person: AccountSet) -> PersonsPart:
    return PersonsPart(person.role, person.events, person.active)


def _remove(visit: Visit, name: str) -> None:
    if name == visit.person.name:
        raise UsageError(visit.words("people.not_oneself"))
    there = visit.ask(accounts.account, name)
    if there is not None:
        body = AccountSet(name, there.role, by=visit.person.name, events=there.events, active=False)
        _enter(visit, body, None, _checked(visit, body))


def _enter(visit: Visit, body: AccountSet, pin: str | None, check: accounts.Check | None = None) -> None:
    station = visit.station
    accounts.set_account(station.registry, body, pin, station.now(), station.seal, check=check)


# Signing in and out, the first account, and the language.


def show_setup(visit: Visit) -> Response:
    """The first page of a new station."""
    _check_setup(visit)
    return visit.page("setup.html", fault="", name="")


def _check_setup(visit: Visit) -> None:
    if visit.ask(accounts.anybody) or not visit.station.loopback:
        raise Refusal(403, "refused.set_up")


def set_up(visit: Visit) -> Response:
    """Make the chief referee's account, which all others follow from."""
    _check_setup(visit)
    form = visit.form
    try:
        if form.get("pin", "") != form.get("again", ""):
            raise Refusal(422, "people.pins_differ")
        name = clean(form.get("name", ""), where=visit.words("people.name"), needed=True)
        _enter(visit, AccountSet(name, Role.REFEREE, by=name), form.get("pin", ""))
    except (Refusal, InspectKitError) as problem:
        fault = visit.words(problem.key) if isinstance(problem, Refusal) else visit.words.told(problem)
        return visit.page("setup.html", 422, fault=fault, name=form.get("name", ""))
    return _signed_in(visit, name, "/")


def show_sign_in(visit: Visit) -> Response:
    """Name and PIN."""
    if not visit.ask(accounts.anybody) and visit.station.loopback:
        return visit.go("/setup")
    if visit.who is not None:
        return visit.go("/")
    return visit.page("sign_in.html", fault="", name="", back=back_to(visit.query("back")))


def sign_in(visit: Visit) -> Response:
    """Open a session, under a new name that nobody could have planted before."""
    name, back = " ".join(visit.form.get("name", "").split())[:200], back_to(visit.form.get("back", ""))
    host = visit.request.client.host if visit.request.client else ""
    if not visit.station.limits.sign_ins.take(host):
        raise Refusal(429, "refused.wait")
    if not visit.check_pin(name, visit.form.get("pin", "")):
        return visit.page("sign_in.html", 403, fault=visit.words("sign_in.wrong"), name=name, back=back)
    return _signed_in(visit, name, back)


def _signed_in(visit: Visit, name: str, back: str) -> Response:
    token, station = secrets.token_urlsafe(32), visit.station
    now = station.now()
    span = (now, now + timedelta(hours=SESSION_HOURS))
    accounts.open_session(station.registry, station.secret, digest_of(token), name, span)
    response = visit.go(back)
    set_session(response, token, secure=visit.station.secure)
    return response


def show_own_pin(visit: Visit, fault: str = "") -> Response:
    """One's own PIN: whoever came with a one-time code chooses it first."""
    return visit.page("own_pin.html", 422 if fault else 200, fault=fault, first=visit.person.once)


@shown_again(show_own_pin)
def change_own_pin(visit: Visit) -> Response:
    """Its owner changes it, and nobody else knows it; other sessions of this person end."""
    form, person = visit.form, visit.person
    if form.get("pin", "") != form.get("again", ""):
        raise DeskRefusal("people.pins_differ")
    if form.get("pin", "") == form.get("own_pin", ""):
        raise DeskRefusal("people.same_pin")
    if not visit.check_pin(person.name, form.get("own_pin", "")):
        raise DeskRefusal("ticket.wrong_pin")
    body = AccountSet(person.name, person.role, by=person.name, events=person.events)
    _enter(visit, body, form.get("pin", ""), _unchanged(person))
    return _signed_in(visit, person.name, "/")


def _unchanged(person: AccountSet) -> accounts.Check:
    """A part that somebody changes at the same moment is not changed back."""

    def check(connection: Transaction) -> None:
        now = accounts.account(connection, person.name)
        if now is None or (now.role, now.events) != (person.role, person.events):
            raise DeskRefusal("people.not_allowed")

    return check


def sign_out(visit: Visit) -> Response:
    """Close the session."""
    accounts.close_session(visit.station.registry, digest_of(visit.token))
    response = visit.go("/sign-in")
    set_session(response, secrets.token_urlsafe(32), secure=visit.station.secure)
    return response


def choose_language(visit: Visit) -> Response:
    """Remember a language in this browser."""
    response = RedirectResponse(back_to(visit.query("back")), 303)
    if visit.path("language") in LANGUAGES:
        response.set_cookie(
            LANGUAGE, visit.path("language"), max_age=31_536_000, httponly=True, samesite="strict",
            secure=visit.station.secure,
        )  # fmt: skip
    return response
