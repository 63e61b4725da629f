"""Events: announcing one, its settings, its progress at a glance, and the list with signatures."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from typing import Any

import msgspec
from markupsafe import Markup
from starlette.responses import Response

from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.checkin.certify import with_house_text
from inspect_kit.checkin.form import fits_a_page
from inspect_kit.checkin.progress import EventThing, ThingState, labels, tallies, things
from inspect_kit.checkin.roles import Act, allowed
from inspect_kit.checkin.stated import FOR_EVENT, issuer_states
from inspect_kit.errors import LANGUAGES, BadInput, InspectKitError
from inspect_kit.inspection.guided import GuidedEntry
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.record import About
from inspect_kit.judgement.rules import RuleName
from inspect_kit.registry.checkin.accounts import account
from inspect_kit.registry.checkin.entries import DayMark, EventSet, ExpectedItem
from inspect_kit.registry.checkin.store import all_events, inspections, set_event
from inspect_kit.rulebook.library import load, sheet_ids
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.station.pictures import picture_for
from inspect_kit.station.web.visit import Visit, sees

_MOST = 500
"""Largest count or quota that an event may state of an item."""
_MOST_DAYS = 31
"""Days of an event that are listed."""


@cache
def _shipped(sheet_id: str) -> Sheet:
    """A sheet of ours, read once: it does not change while the station runs."""
    return load(sheet_id)


def show_events(visit: Visit) -> Response:
    """All events of this person."""
    mine = [event for event in visit.ask(all_events) if sees(visit.person, event.event)]
    return visit.page("events.html", events=mine)


def show_new(visit: Visit) -> Response:
    """First the sheet, then all the rest."""
    wanted = visit.query("sheet")
    if wanted not in sheet_ids():
        return visit.page("sheets.html", sports=list(_by_sport()))
    today = visit.station.today.isoformat()
    blank = EventSet("", "", today, today, wanted, RuleName.GUARDED, visit.person.name, language=visit.words.language)
    return _form(visit, blank, _shipped(wanted), _as_form(blank))


_SPORTS = (("carrom", "coin-set"), ("table_football", "figure"), ("backgammon", "checkers"), ("dice", "dice"))
"""Sports by an item that only they have, the likeliest first."""


def _by_sport() -> Iterator[tuple[str, Markup, list[Sheet]]]:
    """All sheets by what is played, each sport with a picture of its own."""
    left = [_shipped(sheet_id) for sheet_id in sheet_ids()]
    for sport, item in (*_SPORTS, ("other", "")):
        mine = [sheet for sheet in left if not item or any(each.id == item for each in sheet.items)]
        left = [sheet for sheet in left if sheet not in mine]
        if mine:
            wanted = item or mine[0].items[0].id
            asked = list(GuidedEntry(mine[0], wanted).questions())
            drawn = next((each for each in asked if each.unit == "mm"), asked[0])
            yield sport, picture_for(drawn), mine


Given = Mapping[str, str]
"""A form by the names of its fields; a box that is not ticked is not there."""


def _as_form(event: EventSet, house: str = "") -> Given:
    """An event's settings as the form shows them."""
    same = {name: getattr(event, name) for name in ("name", "venue", "since", "until", "rule", "language", *FOR_EVENT)}
    ticked = {name: "on" for name in ("four_eyes", "daily") if getattr(event, name)}
    counts = {f"count_{each.item}": str(each.count or "") for each in event.expected}
    quotas = {f"quota_{each.item}": str(each.per_player or "") for each in event.expected}
    marks = {f"mark_{mark.day}": mark.mark for mark in event.marks}
    return {**same, **ticked, **counts, **quotas, **marks, "house": house}


def _form(
    visit: Visit, event: EventSet, sheet: Sheet, given: Given, faults: Mapping[str, str] | None = None
) -> Response:
    return visit.page(
        "event_form.html", 422 if faults else 200, event=event, sheet=sheet, given=given, faults=faults or {},
        rules=[rule.value for rule in RuleName], days=list(_days(event)), faulty=next(iter(faults or {}), ""),
        marked_days=any(name.startswith("mark_") and (given.get(name) or faults) for name in given),
        on_paper=FOR_EVENT, stated=any(given.get(key) for key in FOR_EVENT), usual=_usual(visit),
    )  # fmt: skip


def _usual(visit: Visit) -> About:
    """What is printed where the event says nothing; a file that cannot be read is told of at the inspection."""
    with suppress(InspectKitError):
        return issuer_states(visit.station.home)
    return About()


def _days(event: EventSet) -> Iterator[str]:
    day, last = date.fromisoformat(event.since), date.fromisoformat(event.until)
    for _ in range(_MOST_DAYS):
        if day > last:
            return
        yield day.isoformat()
        day += timedelta(days=1)


def announce(visit: Visit) -> Response:
    """A new event."""
    wanted = visit.form.get("sheet", "")
    if wanted not in sheet_ids():
        raise BadInput(visit.words("event.choose_sheet"))
    ticket, today = visit.station.ticket(), visit.station.today.isoformat()
    new = EventSet(ticket, "", today, today, wanted, RuleName.GUARDED, visit.person.name)
    return _saved(visit, new, _shipped(wanted))


def show_settings(visit: Visit) -> Response:
    """An event's settings."""
    event = visit.event()
    house = visit.evidence(event.house.sha256).decode() if event.house else ""
    return _form(visit, event, _shipped(event.sheet), _as_form(event, house))


def change_settings(visit: Visit) -> Response:
    """Change an event's settings; what they were stays in the chain."""
    event = visit.event()
    return _saved(visit, event, _shipped(event.sheet))


def _saved(visit: Visit, base: EventSet, sheet: Sheet) -> Response:
    house, faults = _house(visit), Faults(visit)
    with faults.at("second"):
        _check_four_eyes(visit, base)
    event = _filled(visit, base, sheet, faults)
    with faults.at("house"):
        _check_house(sheet, house)
    if faults.found:
        return _form(visit, base, sheet, {**visit.form, "house": house.decode(errors="replace")}, faults.found)
    event = set_event(visit.station.registry, event, house or None, visit.station.now(), visit.station.seal)
    return visit.go(f"/events/{event.event}")


def _check_four_eyes(visit: Visit, before: EventSet) -> None:
    """Four eyes are not switched off by two: a second referee of this event says so with their PIN."""
    if not before.four_eyes or "four_eyes" in visit.form:
        return
    second = visit.form.get("second", "").strip()[:120]
    there = visit.ask(account, second)
    may = there is not None and allowed(there.role, Act.SET_UP) and sees(there, before.event)
    if second == visit.person.name or not may or not visit.check_pin(second, visit.form.get("pin", "")):
        raise BadInput("second-referee-needed")


def _house(visit: Visit) -> bytes:
    return visit.files.get("house_file", b"")[:1_000_000] or visit.form.get("house", "").strip().encode()


@dataclass(frozen=True, slots=True)
class Faults:
    """What is wrong with a form, by field; reading goes on, so that all of it is said at once."""

    visit: Visit
    found: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def at(self, name: str) -> Iterator[None]:
        """What goes wrong in here is said at that field."""
        try:
            yield
        except InspectKitError as problem:
            self.found[name] = self.visit.words.told(problem)


def _check_house(sheet: Sheet, house: bytes) -> None:
    if not house:
        return
    try:
        with_house_text(sheet, house)
    except InspectKitError as problem:
        raise BadInput("house-wrong", detail=problem.notices()) from None


def _filled(visit: Visit, base: EventSet, sheet: Sheet, faults: Faults) -> EventSet:
    """The event as the form says; what cannot be read is among the faults, and left as it was."""
    form, words = visit.form, visit.words
    changed: dict[str, Any] = {
        "expected": tuple(_expected(visit, sheet, faults)),
        "marks": tuple(_marks(visit, faults)),
    }
    for key, needed in (("name", True), ("venue", False)):
        with faults.at(key):
            changed[key] = clean(form.get(key, ""), where=words(f"event.{key}"), needed=needed)
    for key in FOR_EVENT:
        with faults.at(key):
            changed[key] = clean(form.get(key, ""), where=words.frame(f"field.{key}"))
    for key in ("since", "until"):
        with faults.at(key):
            changed[key] = _day(form.get(key, "")).isoformat()
    rule, language = form.get("rule", ""), form.get("language", "")
    changed |= {"rule": RuleName(rule) if rule in set(RuleName) else RuleName.GUARDED, "by": visit.person.name,
                "language": language if language in LANGUAGES else words.language, "house": None,
                "four_eyes": "four_eyes" in form, "daily": "daily" in form}  # fmt: skip
    event = msgspec.structs.replace(base, **changed)
    if not faults.found.keys() & {"since", "until"}:
        with faults.at("until"):
            _check_days(event)
    return event


def _check_days(event: EventSet) -> None:
    since, until = date.fromisoformat(event.since), date.fromisoformat(event.until)
    if until < since or until - since > timedelta(days=366):
        raise BadInput("days-wrong")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput("expected-date") from None


def _expected(visit: Visit, sheet: Sheet, faults: Faults) -> Iterator[ExpectedItem]:
    for item in sheet.items:
        numbers = {"count": 0, "quota": 0}
        for key in numbers:
            with faults.at(f"{key}_{item.id}"):
                numbers[key] = _count(visit.form.get(f"{key}_{item.id}", "").strip())
        if any(numbers.values()):
            yield ExpectedItem(item.id, numbers["count"], numbers["quota"])


def _count(text: str) -> int:
    if text and not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) <= _MOST):
        raise BadInput("number-up-to", most=_MOST)
    return int(text) if text else 0


def _marks(visit: Visit, faults: Faults) -> Iterator[DayMark]:
    for name, text in visit.form.items():
        if name.startswith("mark_") and text.strip():
            with faults.at(name):
                day = _day(name.removeprefix("mark_")).isoformat()
                yield DayMark(day, clean(text, where=day))


def expected_labels(event: EventSet, sheet: Sheet) -> tuple[tuple[str, str], ...]:
    """Item and label of everything that was announced by number, in the language of the event."""
    names = wording_for(event.language, sheet.wording)
    found: list[tuple[str, str]] = []
    for each in event.expected:
        title = names.name("item", sheet.item(each.item).name)
        found += [(each.item, label) for label in labels(title, each.count)]
    return tuple(found)


def _things(visit: Visit, event: EventSet, sheet: Sheet) -> tuple[EventThing, ...]:
    return things(expected_labels(event, sheet), visit.ask(inspections, event.event))


def show_event(visit: Visit) -> Response:
    """Progress at a glance, who waits for a decision, and who is to come back after the match."""
    event = visit.event()
    sheet = visit.station.sheet(event)
    everything = _things(visit, event, sheet)
    asked = {each.item for each in event.expected}
    items = [item for item in sheet.items if item.id in asked] or list(sheet.items)
    marks = {mark.day: mark.mark for mark in event.marks}
    return visit.page(
        "event.html", event=event, sheet=sheet, tallies=tallies(everything), states=list(ThingState), items=items,
        names=visit.item_names(), **visit.queues(), mark=marks.get(visit.station.today.isoformat(), ""),
        things=everything, quick={item.id for item in items if fits_a_page(sheet, item.id)},
    )  # fmt: skip


def show_list(visit: Visit) -> Response:
    """Everything with its state, and room for signatures; to be printed."""
    event = visit.event()
    sheet = visit.station.sheet(event)
    everything = _things(visit, event, sheet)
    return visit.page(
        "list.html", event=event, sheet=sheet, things=everything, names=visit.item_names(), tallies=tallies(everything),
        states=list(ThingState), printed=visit.station.now().strftime("%Y-%m-%d %H:%M"),
    )  # fmt: skip
