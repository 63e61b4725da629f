"""The desk: player, photo, mass, what is looked at; one page, one inspection."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from msgspec import structs
from starlette.responses import Response

from inspect_kit.capture.gauges.own import at_this_browser
from inspect_kit.capture.measurement_file import MeasurementFile, Photo
from inspect_kit.checkin import form
from inspect_kit.checkin.certify import desk_record
from inspect_kit.checkin.roles import Act, DeskRefusal
from inspect_kit.checkin.roster import by_badge, resembling
from inspect_kit.errors import InspectKitError
from inspect_kit.inspection.guided import display_photos
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.record import Record, Subject, digest_of, open_record
from inspect_kit.inspection.walk import Task
from inspect_kit.judgement.rules import RuleName
from inspect_kit.registry.checkin import store
from inspect_kit.registry.checkin.entries import EventSet, Recorded
from inspect_kit.registry.numbers import LETTERS
from inspect_kit.rulebook.sheet import Item, Sheet
from inspect_kit.station.events import expected_labels
from inspect_kit.station.photos import (
    DeskPhoto,
    Tell,
    ignore_progress,
    in_line,
    kind_of,
    pending_photos,
    shot_of,
    taken,
)
from inspect_kit.station.pictures import picture_for
from inspect_kit.station.sent_readings import FIELD, sealed, sent_with, shown
from inspect_kit.station.web.visit import Visit, not_found
from inspect_kit.values.measurement import Reading

_TRIES = 8
"""How often another desk may take a label just before us."""


@dataclass(frozen=True, slots=True)
class InspectionPlace:
    """Where the inspection is made: the event, its sheet and the item."""

    event: EventSet
    sheet: Sheet
    item: Item


def place_of(visit: Visit) -> InspectionPlace:
    """The event and item of the address."""
    event = visit.event()
    sheet = visit.station.sheet(event)
    item = next((item for item in sheet.items if item.id == visit.path("item")), None)
    if item is None:
        raise not_found()
    return InspectionPlace(event, sheet, item)


def task_of(visit: Visit, place: InspectionPlace) -> Task:
    """What is to be judged there, by the event's rules and with the desk's own gauges."""
    station, rule = visit.station, RuleName(place.event.rule)
    return Task(place.sheet, place.item, rule, station.today, station.gauge_folders, station.home, day_stated=False)


def first_of(visit: Visit, place: InspectionPlace, ticket: str) -> store.DeskInspection | None:
    """The inspection that is tested again, if the address or form names one."""
    if not store.is_ticket(ticket):
        return None
    seen = visit.ask(store.inspection, ticket)
    if seen is None or seen.event != place.event.event or seen.item != place.item.id:
        raise not_found()
    return seen


def show_desk(visit: Visit) -> Response:
    """An empty form; for a second test with player and thing filled in."""
    place = place_of(visit)
    if not form.fits_a_page(place.sheet, place.item.id):
        kept = "&".join(
            f"{name}={ticket}" for name in ("retest", "again") if store.is_ticket(ticket := visit.query(name))
        )
        return visit.go(f"/events/{place.event.event}/guided/{place.item.id}{f'?{kept}' if kept else ''}")
    if kind_of(place.sheet, place.item.id):
        visit.request.app.state.workers.warm()
    first = first_of(visit, place, visit.query("retest"))
    given = {"ticket": visit.station.ticket()}
    given |= {"owner": first.owner, "text": first.text, "retest": first.ticket} if first else {}
    again = None if first else first_of(visit, place, visit.query("again"))
    given |= {"owner": again.owner, "text": again.text, "again": again.ticket} if again else {}
    given |= {"owner": visit.query("owner"), "text": visit.query("text")} if not first and not again else {}
    return _form(visit, place, given, {})


def _form(visit: Visit, place: InspectionPlace, given: Mapping[str, str], faults: Mapping[str, str]) -> Response:
    fields = form.fields_of(place.sheet, place.item.id)
    units = tuple(dict.fromkeys(field.question.unit for field in fields if not field.is_word))
    words = visit.words.certificate
    quota = next((each.per_player for each in place.event.expected if each.item == place.item.id), 0)
    return visit.page(
        "desk.html", 422 if faults else 200, event=place.event, sheet=place.sheet, item=place.item, fields=fields,
        gauges=form.gauges_for(units, visit.station.gauge_folders), given=given, faults=faults, words=words,
        labels=[label for item, label in expected_labels(place.event, place.sheet) if item == place.item.id],
        usual=words.name("item", place.item.name), quota=quota, **gauges_to_read(visit), **visit.queues(),
        pictures={field.name: picture_for(field.question) for field in fields},
        gauge_of=gauges_of_browser(visit, given), fault="", faulty=_first_faulty(fields, faults),
        letters=LETTERS,
        measures=kind_of(place.sheet, place.item.id), **_seen_in_photo(visit, place, given),
    )  # fmt: skip


def _first_faulty(fields: tuple[form.FormField, ...], faults: Mapping[str, str]) -> str:
    """Where the person is taken: the first field with a fault, in the order of the page."""
    order = ("owner", "text", "gauge", *(field.name for field in fields), "photo")
    return next((name for name in order if name in faults), "")


def gauges_of_browser(visit: Visit, given: Mapping[str, str]) -> Mapping[str, str]:
    """The instruments that this browser used last."""
    kept = visit.request.cookies.get("inspect_kit_gauges", "")[:400]
    pairs = (part.partition(":") for part in kept.split("/"))
    chosen = {f"gauge_{unit}": name for unit, colon, name in pairs if colon}
    return {**chosen, **{name: text for name, text in given.items() if name.startswith("gauge_")}}


def take_photo(visit: Visit) -> Response:
    """A photo ahead of its form: what it tells, as a part of the page; to a script also its place in the line."""
    return in_line(visit, partial(_looked_at, visit, place_of(visit)))


def _looked_at(visit: Visit, place: InspectionPlace, tell: Tell = ignore_progress) -> Response:
    given = dict(visit.form)
    try:
        given["look"], _ = taken(visit, kind_of(place.sheet, place.item.id), given, tell)
    except InspectKitError as problem:
        return visit.page("look.html", 422, fault=visit.words.told(problem), **_seen_in_photo(visit, place, {}))
    return visit.page("look.html", fault="", **_seen_in_photo(visit, place, given))


def show_look(visit: Visit) -> Response:
    """The same part again, for a page that was left and opened anew."""
    place = place_of(visit)
    return visit.page("look.html", fault="", **_seen_in_photo(visit, place, {"look": visit.path("token")}))


def _seen_in_photo(visit: Visit, place: InspectionPlace, given: Mapping[str, str]) -> dict[str, Any]:
    """What the photo of a form tells, if there is one."""
    token = given.get("look", "")
    look = pending_photos(visit).find(token, place.event.event, visit.person.name)
    if look is None:
        return {"look": None, "token": "", "shot": None, "fill": "", "href": ""}
    href = f"/events/{place.event.event}/desk/{place.item.id}/look/{token}/photo"
    shot = shot_of(href, look.told) if look.told else None
    field = _field_of(place, look)
    return {"look": look, "token": token, "shot": shot, "fill": field.name if field else "", "href": href}


def _field_of(place: InspectionPlace, look: DeskPhoto) -> form.FormField | None:
    """The field that the photo answers."""
    wanted = look.told.characteristic if look.told else ""
    return next(
        (each for each in form.fields_of(place.sheet, place.item.id) if each.question.characteristic == wanted), None
    )


def inspect_now(visit: Visit) -> Response:
    """Judge what was filled in and enter it; what cannot be used is said beside its field, and nothing is lost."""
    place = place_of(visit)
    given = dict(visit.form)
    if not store.is_ticket(given.get("ticket", "")):
        given["ticket"] = visit.station.ticket()
    if "weigh" in given:
        return _weighed(visit, place, given)
    faults: dict[str, str] = {}
    look = _photographed(visit, place, given, faults)
    if "measure" in given:
        return _form(visit, place, given, faults)
    made = _made(visit, place, given, look, faults)
    if made is None:
        return _form(visit, place, given, faults)
    response = enter(visit, place, made)
    chosen = {**_gauges(visit, given).by_unit, "print": _plain_number(given.get("print_scale", ""))}
    used = "/".join(f"{unit}:{name}" for unit, name in chosen.items() if name)
    response.set_cookie(
        "inspect_kit_gauges", used, max_age=31_536_000, httponly=True, samesite="strict", secure=visit.station.secure
    )
    return response


def _plain_number(text: str) -> str:
    """Digits and a decimal sign, which a cookie can carry; anything else is not kept."""
    return text.strip() if re.fullmatch(r"\s*[0-9]{1,2}[.,]?[0-9]{0,6}\s*", text, re.ASCII) else ""


def _photographed(
    visit: Visit, place: InspectionPlace, given: dict[str, str], faults: dict[str, str]
) -> DeskPhoto | None:
    """The photo of this form. What it measured is filled in where nobody has typed anything."""
    try:
        given["look"], look = taken(visit, kind_of(place.sheet, place.item.id), given)
    except InspectKitError as problem:
        faults["photo"] = visit.words.told(problem)
        return None
    field = _field_of(place, look) if look else None
    if field is not None and look is not None and look.told and not given.get(field.name, "").strip():
        given[field.name] = look.told.diameter
    return look


def _made(
    visit: Visit, place: InspectionPlace, given: Mapping[str, str], look: DeskPhoto | None, faults: dict[str, str]
) -> NewInspection | None:
    """The inspection, or nothing and what is wrong with it."""
    first = first_of(visit, place, given.get("retest", ""))
    again = first or first_of(visit, place, given.get("again", ""))
    subject = None
    try:
        subject = _same_piece(visit, again, given) if again else _subject(visit, place, given)
    except InspectKitError as problem:
        faults["owner"] = visit.words.told(problem)
    gauges = _gauges(visit, given)
    sent = sent_with(visit.station.secret, given["ticket"], given)
    by = visit.person.name if visit.may(Act.DECIDE) else ""
    came = form.filled(form.fields_of(place.sheet, place.item.id), given, gauges, f"desk {given['ticket']}", sent, by)
    faults |= {name: visit.words.told(problem) for name, problem in came.faults.items()}
    if not came.readings and not faults:
        faults["owner"] = visit.words("desk.nothing")
    faults |= same_gauge(visit, first, gauges)
    if faults or subject is None:
        return None
    readings = _with_photo(came.readings, place, look, given)
    displays = displays_of(visit, readings, [text for name, text in given.items() if name.startswith("display_")])
    if displays is None:
        faults["photo"] = visit.words("desk.display_lost")
        return None
    photos = (*((look.photo,) if look else ()), *(each.photo for each in displays))
    return NewInspection(
        subject, _told(readings, look, photos), look, given["ticket"], first.ticket if first else "", again is None,
        tuple(store.EvidenceFile("photo", each.content, each.name) for each in displays),
    )  # fmt: skip


def displays_of(visit: Visit, readings: Iterable[Reading], tokens: Iterable[str]) -> list[DeskPhoto] | None:
    """The pictures of displays beside which these values were confirmed, as far as those still stand; nothing where one
    is gone."""
    wanted = {photo.file for photo in display_photos(reading.raw for reading in readings)}
    found = (pending_photos(visit).find(token, visit.path("event"), visit.person.name) for token in tokens)
    kept = {each.name: each for each in found if each is not None and each.name in wanted}
    return None if wanted - kept.keys() else list(kept.values())


def gauges_to_read(visit: Visit) -> dict[str, object]:
    """For a page: which gauges can be read, and how a browser opens those at its own computer."""
    readable = visit.station.readable()
    serial = {name: opened for gauges in readable.values() for name, opened in at_this_browser(gauges).items()}
    return {"readable": readable, "serial": json.dumps(serial)}


def _with_photo(
    readings: tuple[Reading, ...], place: InspectionPlace, look: DeskPhoto | None, given: Mapping[str, str]
) -> tuple[Reading, ...]:
    """A value that stands as the photo gave it has the photo's budget, and no instrument's."""
    told = look.told if look else None
    field = _field_of(place, look) if look else None
    if look is None or told is None or field is None or given.get(field.name, "").strip() != told.diameter:
        return readings
    others = tuple(each for each in readings if each.characteristic != told.characteristic)
    return (*others, replace(told.reading, where=f"desk {given['ticket']}: {look.name}"))


def _told(readings: tuple[Reading, ...], look: DeskPhoto | None, photos: tuple[Photo, ...]) -> MeasurementFile:
    """All of it as one file; what was noticed while measuring in the photo counts where the photo was believed."""
    told = look.told if look else None
    seen = told.file if told and any(each.outline for each in readings) else MeasurementFile(())
    return MeasurementFile(readings, photos, seen.warnings, seen.notices)


def _weighed(visit: Visit, place: InspectionPlace, given: dict[str, str]) -> Response:
    """Without scripts: the same form again, with the gauge's value filled in."""
    asked = {field.name: field for field in form.fields_of(place.sheet, place.item.id)}
    field = asked.get(given["weigh"]) or next((each for each in asked.values() if each.question.unit == "g"), None)
    if field is None:
        raise not_found()
    unit = field.question.unit
    try:
        gauge, reading = visit.station.read(unit, given.get(f"gauge_{unit}", ""))
    except InspectKitError as problem:
        return _form(visit, place, given, {field.name: visit.words.told(problem)})
    seal = sealed(visit.station.secret, given["ticket"], gauge, reading)
    carried = {f"{FIELD}{field.name}": seal, f"gauge_{unit}": gauge}
    return _form(visit, place, {**given, field.name: shown(reading), **carried}, {})


def _subject(visit: Visit, place: InspectionPlace, given: Mapping[str, str]) -> Subject:
    owner = _player_named(visit, place, given)
    usual = visit.words.certificate.name("item", place.item.name)
    text = clean(given.get("text", ""), where=visit.words("desk.which")) or usual
    if not owner and (place.item.id, text) not in expected_labels(place.event, place.sheet):
        raise DeskRefusal("desk.player_missing")
    return Subject(text, owner=_known_player(visit, place, owner, given))


def player_of_form(
    visit: Visit, place: InspectionPlace, given: Mapping[str, str], before: store.DeskInspection | None
) -> str:
    """The player of a piece as the roster knows them; of a piece that was here, the same as then."""
    if before is not None:
        return _same_piece(visit, before, given).owner
    return _known_player(visit, place, _player_named(visit, place, given), given)


def _known_player(visit: Visit, place: InspectionPlace, owner: str, given: Mapping[str, str]) -> str:
    """One player under one name: a name that differs from a known one only by accents or order is asked about."""
    if not owner or "other_player" in given:
        return owner
    players = [each.name for each in visit.station.roster(place.event.event)]
    known = {*visit.ask(store.owners_of, place.event.event), *players}
    if owner in known:
        return owner
    alike = resembling(owner, sorted(known))
    if alike:
        raise DeskRefusal("desk.player_like", name=alike)
    if players:
        raise DeskRefusal("desk.not_listed", name=owner)
    return owner


def _player_named(visit: Visit, place: InspectionPlace, given: Mapping[str, str]) -> str:
    """A name as typed, or the player of the badge that was scanned."""
    typed = given.get("owner", "")
    there = by_badge(visit.station.roster(place.event.event), typed) if typed.strip() else None
    return there.name if there else clean(form.name_on_badge(typed), where=visit.words("desk.player"))


def _same_piece(visit: Visit, first: store.DeskInspection, given: Mapping[str, str]) -> Subject:
    """A piece that was here keeps its player and its label."""
    owner = clean(form.name_on_badge(given.get("owner", "")), where=visit.words("desk.player"))
    if owner != first.owner:
        raise DeskRefusal("desk.other_player", name=first.owner or "–")
    return Subject(first.text, owner=first.owner)


def _gauges(visit: Visit, given: Mapping[str, str]) -> form.Gauges:
    by_unit = {name.removeprefix("gauge_"): text[:64] for name, text in given.items() if name.startswith("gauge_")}
    return form.Gauges(by_unit, visit.station.gauge_folders)


def same_gauge(visit: Visit, first: store.DeskInspection | None, gauges: form.Gauges) -> dict[str, str]:
    """A second test is made with a second instrument, or it would only repeat the first one's error."""
    if first is None:
        return {}
    used = {gauge.id for gauge in open_record(visit.evidence(first.record)).instruments}
    same = used & {name for name in gauges.by_unit.values() if name}
    return {"gauge": visit.words("desk.second_instrument", names=", ".join(sorted(same)))} if same else {}


@dataclass(frozen=True, slots=True)
class NewInspection:
    """An inspection that is to be entered."""

    subject: Subject
    told: MeasurementFile
    look: DeskPhoto | None
    ticket: str
    retest_of: str = ""
    new: bool = True
    """A piece that has not been here; one that is tested again or handed in again keeps its label."""
    evidence: tuple[store.EvidenceFile, ...] = ()


def enter(visit: Visit, place: InspectionPlace, made: NewInspection) -> Response:
    """Judge, and put it into the registry; then show the verdict."""
    there = _entered_before(visit, place, made)
    if there is not None:
        return there
    announced = (place.item.id, made.subject.text) in expected_labels(place.event, place.sheet)
    if not made.new or announced or not made.subject.owner:
        return _entered(visit, place, made)
    for _ in range(_TRIES):
        with contextlib.suppress(store.LabelTaken):
            return _entered(visit, place, replace(made, subject=_numbered(visit, place, made.subject)))
    raise DeskRefusal("desk.look_again")


def _entered_before(visit: Visit, place: InspectionPlace, made: NewInspection) -> Response | None:
    """A form whose answer was lost on the way is sent again under the same ticket, and nothing is entered twice."""
    there = visit.ask(store.inspection, made.ticket)
    if there is None:
        return None
    if there.event != place.event.event:
        raise not_found()
    same = replace(made, subject=Subject(there.text, owner=made.subject.owner))
    changed = there.owner != made.subject.owner or digest_of(_judged(visit, place, same).canonical()) != there.record
    return visit.go(f"/events/{there.event}/tickets/{there.ticket}{'?already=1' if changed else ''}")


def _judged(visit: Visit, place: InspectionPlace, made: NewInspection) -> Record:
    who = visit.who.name if visit.who else ""
    return desk_record(task_of(visit, place), place.event, made.told, made.subject, who)


def _numbered(visit: Visit, place: InspectionPlace, subject: Subject) -> Subject:
    """A label never makes two pieces one: the second striker of a player is Striker 2."""
    taken = visit.ask(store.labels_of, place.event.event, place.item.id, subject.owner)
    usual = visit.words.certificate.name("item", place.item.name)
    return structs.replace(subject, text=numbered_label(usual, subject.text, taken))


def numbered_label(usual: str, text: str, taken: frozenset[str]) -> str:
    """`Striker 2, resin, blue rim`: what kind of thing, which one of the player's, and what was said of it."""
    own = text == usual or text.startswith((f"{usual} ", f"{usual},"))
    stems = frozenset(label.partition(",")[0].strip() for label in taken)
    if own and text != usual and text not in taken and text.partition(",")[0].strip() not in stems:
        return text
    free = (usual if number == 1 else f"{usual} {number}" for number in itertools.count(1))
    stem = next(label for label in free if label not in stems)
    said = text.partition(",")[2].strip() if own else text
    return f"{stem}, {said}" if said else stem


def _entered(visit: Visit, place: InspectionPlace, made: NewInspection) -> Response:
    station, look = visit.station, made.look
    judged = _judged(visit, place, made)
    subject, content = judged.subject, judged.canonical()
    body = Recorded(
        made.ticket, place.event.event, place.item.id, subject.text, subject.owner, judged.verdict, digest_of(content),
        visit.person.name, retest_of=made.retest_of,
    )  # fmt: skip
    files = [store.EvidenceFile("record", content)]
    files += [store.EvidenceFile("photo", look.content, look.name)] if look else []
    files += [store.EvidenceFile("look", look.measured)] if look and look.measured else []
    files += made.evidence
    announced = (place.item.id, subject.text) in expected_labels(place.event, place.sheet)
    fresh = made.new and bool(subject.owner) and not announced
    entered = store.record(station.registry, body, files, station.now(), station.seal, new_piece=fresh)
    if entered.event != place.event.event:
        raise not_found()
    return visit.go(f"/events/{place.event.event}/tickets/{entered.ticket}")
