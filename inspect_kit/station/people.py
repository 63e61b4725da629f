"""The people of the station: who has which part, at which events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.responses import Response

from inspect_kit.checkin.roles import PersonsPart, Role, change_fault
from inspect_kit.errors import InspectKitError, UsageError
from inspect_kit.inspection.names import clean
from inspect_kit.registry.checkin.accounts import account, accounts, set_account
from inspect_kit.registry.checkin.entries import AccountSet
from inspect_kit.registry.checkin.store import all_events, ticket_from
from inspect_kit.registry.opening import Transaction
from inspect_kit.station.web.visit import Visit, sees

_CODE: Final = 8
"""Letters of a one-time code: 24 to the power of 8, and a door that slows down guessing."""
_GONE: Final = PersonsPart("", active=False)
"""Somebody who was taken out while their page was open."""


def show_people(visit: Visit, fault: str = "", status: int = 200, told: str = "") -> Response:
    """Everybody, and a form for one more; `told` is a one-time code, which is shown this once."""
    with visit.station.registry.reading() as connection:
        people, events = accounts(connection), all_events(connection)
    visible = [event for event in events if sees(visit.person, event.event)]
    names = {event.event: event.name for event in events}
    return visit.page(
        "people.html", status, people=people, events=visible, names=names, roles=list(Role), fault=fault,
        form=visit.form if fault else {}, told=told,
    )  # fmt: skip


def change_people(visit: Visit) -> Response:
    """Add somebody, change their part or PIN, or take them out."""
    try:
        told = _change(visit)
    except InspectKitError as problem:
        return show_people(visit, visit.words.told(problem), 422)
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
    there = visit.ask(account, name)
    pin = form.get("pin", "")
    code = ticket_from(station.random(2**60))[:_CODE] if not pin and (there is None or "renew" in form) else ""
    once = bool(code) or (there is not None and there.once and not pin)
    body = AccountSet(name, role, by=visit.person.name, events=events, once=once)
    set_account(station.registry, body, pin or code or None, station.now(), station.seal, check=_checked(visit, body))
    return visit.words("people.code", name=name, code=code) if code else ""


def _checked(visit: Visit, wanted: AccountSet) -> Callable[[Transaction], None]:
    """Within the transaction that changes it: two who demote one another at once do not leave nobody."""

    def check(connection: Transaction) -> None:
        people = {each.name: _part_of(each) for each in accounts(connection)}
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
    there = visit.ask(account, name)
    if there is not None:
        body = AccountSet(name, there.role, by=visit.person.name, events=there.events, active=False)
        set_account(visit.station.registry, body, None, visit.station.now(), visit.station.seal,
                    check=_checked(visit, body))  # fmt: skip
