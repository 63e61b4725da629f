"""The desk: player, photo, mass, what is looked at; one page, one inspection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import JSONResponse, Response

from inspect_kit.capture.measurement_file import Photo
from inspect_kit.certificate.checkin import EvidencePhoto, Inspecting, evidence_photo
from inspect_kit.errors import BadInput, InspectKitError
from inspect_kit.inspection.badges import name_on_badge
from inspect_kit.inspection.desk_form import Gauges, fields_of, file_of, filled, fits_a_page, gauges_for
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.record import Subject, open_record
from inspect_kit.registry.checkin import File, Seen, inspection, is_ticket, recent, record
from inspect_kit.registry.desk_entries import EventSet, Recorded
from inspect_kit.rulebook.sheet import Item, Sheet
from inspect_kit.station.events import expected_labels
from inspect_kit.station.pictures import picture_for
from inspect_kit.station.refusals import not_found
from inspect_kit.station.visit import Visit
from inspect_kit.values.measurement import Reading


@dataclass(frozen=True, slots=True)
class Place:
    """Where the inspection is made: the event, its sheet and the item."""

    event: EventSet
    sheet: Sheet
    item: Item


def place_of(visit: Visit) -> Place:
    """The event and item of the address."""
    event = visit.event()
    sheet = visit.station.sheet(event)
    item = next((item for item in sheet.items if item.id == visit.path("item")), None)
    if item is None:
        raise not_found()
    return Place(event, sheet, item)


def first_of(visit: Visit, place: Place, ticket: str) -> Seen | None:
    """The inspection that is tested again, if the address or form names one."""
    if not is_ticket(ticket):
        return None
    with visit.station.registry.reading() as connection:
        seen = inspection(connection, ticket)
    if seen is None or seen.event != place.event.event or seen.item != place.item.id:
        raise not_found()
    return seen


def show_desk(visit: Visit) -> Response:
    """An empty form; for a second test with player and thing filled in."""
    place = place_of(visit)
    if not fits_a_page(place.sheet, place.item.id):
        return visit.go(f"/events/{place.event.event}/guided/{place.item.id}")
    first = first_of(visit, place, visit.query("retest"))
    given = {"ticket": visit.station.ticket()}
    given |= {"owner": first.owner, "text": first.text, "retest": first.ticket} if first else {}
    given |= {"owner": visit.query("owner"), "text": visit.query("text")} if not first else {}
    return _form(visit, place, given, {})


def _form(visit: Visit, place: Place, given: Mapping[str, str], faults: Mapping[str, str]) -> Response:
    fields = fields_of(place.sheet, place.item.id)
    units = tuple(dict.fromkeys(field.question.unit for field in fields if not field.is_word))
    words = visit.words.certificate
    quota = next((each.per_player for each in place.event.expected if each.item == place.item.id), 0)
    with visit.station.registry.reading() as connection:
        newest = recent(connection, place.event.event, "", 8)
        conditional = recent(connection, place.event.event, "condition", 8)
    return visit.page(
        "desk.html", 422 if faults else 200, event=place.event, sheet=place.sheet, item=place.item, fields=fields,
        gauges=gauges_for(units, visit.station.gauge_folders), given=given, faults=faults, words=words,
        labels=[label for item, label in expected_labels(place.event, place.sheet) if item == place.item.id],
        usual=words.name("item", place.item.name), quota=quota, scale=visit.station.scale(), waiting=newest,
        conditional=conditional, pictures={field.name: picture_for(field.question) for field in fields},
        gauge_of=_gauge_of(visit, given),
    )  # fmt: skip


def _gauge_of(visit: Visit, given: Mapping[str, str]) -> Mapping[str, str]:
    """The instruments that this browser used last."""
    kept = visit.request.cookies.get("inspect_kit_gauges", "")[:400]
    pairs = (part.partition(":") for part in kept.split("/"))
    chosen = {f"gauge_{unit}": name for unit, colon, name in pairs if colon}
    return {**chosen, **{name: text for name, text in given.items() if name.startswith("gauge_")}}


def weigh_now(visit: Visit) -> Response:
    """One stable reading of the scale, for the page's own script."""
    place_of(visit)
    try:
        name, reading = visit.station.weigh()
    except InspectKitError as problem:
        return JSONResponse({"fault": str(problem)}, 409)
    return JSONResponse({"value": f"{reading.value} {reading.unit}", "raw": reading.raw, "instrument": name})


def inspect_now(visit: Visit) -> Response:
    """Judge what was filled in and enter it; what cannot be used is said beside its field, and nothing is lost."""
    place = place_of(visit)
    given = dict(visit.form)
    if "weigh" in given:
        return _weighed(visit, place, given)
    if not is_ticket(given.get("ticket", "")):
        given["ticket"] = visit.station.ticket()
    first = first_of(visit, place, given.get("retest", ""))
    faults = {}
    subject, photo = None, None
    try:
        subject = _subject(visit, place, given)
    except InspectKitError as problem:
        faults["owner"] = str(problem)
    try:
        photo = evidence_photo(visit.files["photo"]) if "photo" in visit.files else None
    except InspectKitError as problem:
        faults["photo"] = str(problem)
    gauges = _gauges(visit, given)
    came = filled(fields_of(place.sheet, place.item.id), given, gauges, f"desk {given['ticket']}")
    faults |= came.faults
    if not came.readings and not faults:
        faults["owner"] = visit.words("desk.nothing")
    faults |= _same_gauge(visit, first, gauges)
    if faults or subject is None:
        return _form(visit, place, given, faults)
    made = Made(subject, came.readings, photo, given["ticket"], first.ticket if first else "")
    response = enter(visit, place, made)
    used = "/".join(f"{unit}:{name}" for unit, name in gauges.by_unit.items() if name)
    response.set_cookie(
        "inspect_kit_gauges", used, max_age=31_536_000, httponly=True, samesite="strict", secure=visit.station.secure
    )
    return response


def _weighed(visit: Visit, place: Place, given: dict[str, str]) -> Response:
    """Without scripts: the same form again, with the mass filled in."""
    field = next((field for field in fields_of(place.sheet, place.item.id) if field.question.unit == "g"), None)
    if field is None:
        raise not_found()
    try:
        _, reading = visit.station.weigh()
    except InspectKitError as problem:
        return _form(visit, place, given, {field.name: str(problem)})
    return _form(visit, place, {**given, field.name: f"{reading.value} {reading.unit}"}, {})


def _subject(visit: Visit, place: Place, given: Mapping[str, str]) -> Subject:
    owner = clean(name_on_badge(given.get("owner", "")), where=visit.words("desk.player"))
    usual = visit.words.certificate.name("item", place.item.name)
    text = clean(given.get("text", ""), where=visit.words("desk.which")) or usual
    if not owner and (place.item.id, text) not in expected_labels(place.event, place.sheet):
        raise BadInput(visit.words("desk.player_missing"))
    return Subject(text, owner=owner)


def _gauges(visit: Visit, given: Mapping[str, str]) -> Gauges:
    by_unit = {name.removeprefix("gauge_"): text[:64] for name, text in given.items() if name.startswith("gauge_")}
    return Gauges(by_unit, visit.station.gauge_folders)


def _same_gauge(visit: Visit, first: Seen | None, gauges: Gauges) -> dict[str, str]:
    """A second test is made with a second instrument, or it would only repeat the first one's error."""
    if first is None:
        return {}
    with visit.station.registry.reading() as connection:
        content = visit.station.registry.shelf.take(connection, first.record)
    used = {gauge.id for gauge in open_record(content).instruments}
    same = used & {name for name in gauges.by_unit.values() if name}
    return {"gauge": visit.words("desk.second_instrument", names=", ".join(sorted(same)))} if same else {}


@dataclass(frozen=True, slots=True)
class Made:
    """An inspection that is to be entered."""

    subject: Subject
    readings: tuple[Reading, ...]
    photo: EvidencePhoto | None
    ticket: str
    retest_of: str = ""


def enter(visit: Visit, place: Place, made: Made) -> Response:
    """Judge, and put it into the registry; then show the verdict."""
    station, photo = visit.station, made.photo
    inspecting = Inspecting(
        place.event, place.sheet, place.item.id, station.today, station.gauge_folders, station.home
    )  # fmt: skip
    shown = Photo(photo.name, photo.sha256, photo.width, photo.height) if photo else None
    judged = inspecting.record(file_of(made.readings, shown), made.subject)
    subject = judged.subject
    body = Recorded(
        made.ticket, place.event.event, place.item.id, subject.text, subject.owner, judged.verdict, judged.digest,
        visit.person.name, retest_of=made.retest_of,
    )  # fmt: skip
    files = [File("record", judged.canonical())]
    files += [File("photo", photo.content, photo.name)] if photo else []
    entered = record(station.registry, body, files, station.now())
    if entered.event != place.event.event:
        raise not_found()
    return visit.go(f"/events/{place.event.event}/tickets/{entered.ticket}")
