"""Guided inspection of any item in the browser, in few screens: what is looked at together, the places of a measure
on one page; what a file or photos tell already is not asked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from starlette.responses import Response

from inspect_kit.capture.measurement_file import MeasurementFile, as_json, measurements_in
from inspect_kit.certificate.content.findings import groups_of
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.checkin.form import FormField, Gauges, answer_to, as_sent, gauges_for, with_decision
from inspect_kit.checkin.photo_reading import on_the_mat
from inspect_kit.checkin.roles import Act, DeskRefusal
from inspect_kit.errors import InspectKitError
from inspect_kit.inspection.catalogue import WORD
from inspect_kit.inspection.guided import SKIPPED, Answer, GuidedEntry, Question, as_draft, from_draft
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.screens import Screen, is_check, next_screen, screens_of, undone, wanted_count, without
from inspect_kit.inspection.walk import inspect
from inspect_kit.registry.checkin.accounts import draft, drafts, drop_draft, keep_draft
from inspect_kit.registry.checkin.store import EvidenceFile, inspection, is_ticket
from inspect_kit.station import desk
from inspect_kit.station.events import expected_labels
from inspect_kit.station.photos import Tell, ignore_progress, in_line, pending_photos
from inspect_kit.station.pictures import picture_for
from inspect_kit.station.sent_readings import sent_with
from inspect_kit.station.uploads import UploadedReadings, photo_form, uploaded_readings, with_uploaded
from inspect_kit.station.web.visit import Visit, not_found
from inspect_kit.strict_json import parse_json

_LONGEST: Final = 200
"""Characters of an answer."""


@dataclass(frozen=True, slots=True)
class GuidedInspection:
    """A guided inspection under way."""

    place: desk.InspectionPlace
    ticket: str
    text: str
    owner: str
    entry: GuidedEntry
    again: str = ""
    """The inspection of the same piece that this one follows."""
    retest: bool = False
    """It is a second test of that one, with other instruments."""
    file: MeasurementFile | None = None
    """What a file or photos told."""
    photos: tuple[str, ...] = ()
    """The photos of it, by the names under which they wait."""
    displays: tuple[str, ...] = ()
    """The pictures of displays beside which answers were confirmed, likewise."""


def show_start(visit: Visit, fault: str = "") -> Response:
    """Which thing, what is known of it already, and what was begun before."""
    place = desk.place_of(visit)
    visit.request.app.state.workers.warm()
    retest = visit.query("retest") or visit.form.get("retest", "")
    before = desk.first_of(visit, place, retest or visit.query("again") or visit.form.get("again", ""))
    begun = visit.ask(drafts, place.event.event, visit.person.name)
    mine = [(ticket, parse_json(text, "draft"), at) for ticket, text, at in begun]
    return visit.page(
        "guided_start.html", 422 if fault else 200, event=place.event, sheet=place.sheet, item=place.item, fault=fault,
        labels=[label for item, label in expected_labels(place.event, place.sheet) if item == place.item.id],
        begun=[(ticket, data, at) for ticket, data, at in mine if data["item"] == place.item.id], form=visit.form,
        name=visit.words.item(place.item.name), text=visit.query("text"), owner=visit.query("owner"), before=before,
        retest=bool(retest), photo=photo_form(place), gauge_of=desk.gauges_of_browser(visit, {}),
        number=len(screens_of(GuidedEntry(place.sheet, place.item.id))),
    )  # fmt: skip


def start(visit: Visit) -> Response:
    """Begin with the first screen; a script is told its place in the line while photos are measured."""
    return in_line(visit, partial(_started, visit, desk.place_of(visit)))


def _started(visit: Visit, place: desk.InspectionPlace, tell: Tell = ignore_progress) -> Response:
    try:
        retest = visit.form.get("retest", "")
        before = desk.first_of(visit, place, retest or visit.form.get("again", ""))
        text = (
            before.text if before else clean(visit.form.get("text", ""), where=visit.words("desk.which"), needed=True)
        )
        owner = desk.player_of_form(visit, place, visit.form, before)
        entry = GuidedEntry(place.sheet, place.item.id)
        again = before.ticket if before else ""
        walk = GuidedInspection(place, visit.station.ticket(), text, owner, entry, again, bool(retest))
        walk = _told(visit, walk, uploaded_readings(visit, place, tell))
    except InspectKitError as problem:
        return show_start(visit, visit.words.told(problem))
    _keep(visit, walk)
    return visit.go(_address(walk))


def add(visit: Visit) -> Response:
    """A file or photos under way: the next figure of a team, a photo that was not sharp taken anew."""
    return _done(visit) or in_line(visit, partial(_added, visit, _walk_of(visit)))


def _added(visit: Visit, walk: GuidedInspection, tell: Tell = ignore_progress) -> Response:
    try:
        more = uploaded_readings(visit, walk.place, tell)
        if more.file is None:
            raise DeskRefusal("guided.nothing_chosen")
        walk = _told(visit, walk, more)
    except InspectKitError as problem:
        return show_question(visit, visit.words.told(problem))
    _keep(visit, walk)
    return visit.go(_address(walk))


def _told(visit: Visit, walk: GuidedInspection, more: UploadedReadings) -> GuidedInspection:
    """The walk with what was brought; an answer to what is measured now gives way. What cannot be judged is refused."""
    if more.file is None:
        return walk
    team = bool(photo_form(walk.place).figures)
    found = with_uploaded(UploadedReadings(walk.file, walk.photos), more, team=team)
    readings = found.file.readings if found.file else ()
    answered = without(walk.entry, [(each.characteristic, each.instance) for each in more.file.readings])
    changed = replace(walk, entry=replace(answered, known=readings), file=found.file, photos=found.photos)
    inspect(desk.task_of(visit, walk.place), (_readings(changed),))
    return changed


def _address(walk: GuidedInspection) -> str:
    return f"/events/{walk.place.event.event}/guided/{walk.place.item.id}/{walk.ticket}"


def _keep(visit: Visit, walk: GuidedInspection) -> None:
    data = {"item": walk.place.item.id, "text": walk.text, "owner": walk.owner, "draft": as_draft(walk.entry),
            "again": walk.again, "retest": walk.retest, "photos": walk.photos, "displays": walk.displays,
            "file": as_json(walk.file) if walk.file else None}  # fmt: skip
    keep_draft(
        visit.station.registry, walk.ticket, walk.place.event.event, visit.person.name,
        json.dumps(data, ensure_ascii=False), visit.station.now(),
    )  # fmt: skip


def _walk_of(visit: Visit) -> GuidedInspection:
    place, ticket = desk.place_of(visit), visit.path("ticket")
    if not is_ticket(ticket):
        raise not_found()
    kept = visit.ask(draft, ticket, visit.person.name)
    if kept is None or kept[0] != place.event.event:
        raise not_found()
    data = parse_json(kept[1], "draft")
    if data["item"] != place.item.id:
        raise not_found()
    file = measurements_in(data["file"], Path("draft")) if data.get("file") else None
    entry = from_draft(data["draft"], place.sheet, place.item.id, Path("draft"), file.readings if file else ())
    return GuidedInspection(
        place, ticket, data["text"], data["owner"], entry, data.get("again", ""), data.get("retest", False), file,
        tuple(data.get("photos", ())), tuple(data.get("displays", ())),
    )  # fmt: skip


def _done(visit: Visit) -> Response | None:
    """The page of an inspection that was entered already: an answer that was lost on the way is not asked again."""
    done = visit.ask(inspection, visit.path("ticket"))
    if done is None or done.event != visit.event().event:
        return None
    return visit.go(f"/events/{done.event}/tickets/{done.ticket}")


def show_question(visit: Visit, fault: str = "", faults: Mapping[str, str] | None = None) -> Response:
    """The next screen with its pictures, and how the last answers came out; or all of it, to be entered."""
    if (done := _done(visit)) is not None:
        return done
    walk = _walk_of(visit)
    screens = screens_of(walk.entry)
    wanted = visit.form.get("screen", "") or visit.query("at")
    screen = _named(screens, wanted) or next_screen(screens, walk.entry)
    return visit.page(
        "guided.html", 422 if fault or faults else 200, event=walk.place.event, sheet=walk.place.sheet, fault=fault,
        item=walk.place.item, walk=walk, screen=screen, faults=faults or {}, address=_address(walk),
        photo=photo_form(walk.place), figures=_figures_told(walk), gauge_of=desk.gauges_of_browser(visit, {}),
        words=wording_for(visit.words.language, walk.place.sheet.wording), name=visit.words.item(walk.place.item.name),
        screens=_states(walk, screens), total=len(screens), told=len(walk.file.readings) if walk.file else 0,
        number=next((at for at, each in enumerate(screens, 1) if screen and each.keys & screen.keys), len(screens)),
        passed=[each.question for each in walk.entry.answers if each.text == SKIPPED],
        mat_gain=on_the_mat(walk.file.notices) if walk.file else None, **desk.gauges_to_read(visit),
        **_shown(visit, walk, screen), **_running(visit, walk, screens),
    )  # fmt: skip


def _figures_told(walk: GuidedInspection) -> dict[str, bool]:
    """The figures of a team, and whether photos have told of each."""
    told = {each.instance for each in walk.entry.known if each.from_photo}
    return {name: name in told for name in photo_form(walk.place).figures}


def _named(screens: tuple[Screen, ...], wanted: str) -> Screen | None:
    """The screen with a question of that name."""
    return next((each for each in screens if wanted in map(_name, each.questions)), None)


def _name(question: Question) -> str:
    """A screen goes by its first question: after "back" in the browser an answer must not land on another one."""
    return f"{question.characteristic}|{question.instance}"


def _shown(visit: Visit, walk: GuidedInspection, screen: Screen | None) -> dict[str, Any]:
    """The fields of a screen, with what was given before or typed just now."""
    if screen is None:
        return {"fields": (), "given": {}, "gauges": {}, "pictures": {}, "counts": {}, "checks": frozenset(), "at": ""}
    fields = [FormField(question, f"a{number}") for number, question in enumerate(screen.questions)]
    before = {answer.question.key: answer.text for answer in walk.entry.answers}
    given = {field.name: before.get(field.question.key, "") for field in fields}
    units = tuple(dict.fromkeys(each.question.unit for each in fields if each.question.unit not in (WORD, "count")))
    return {
        "fields": fields, "given": {**given, **visit.form}, "gauges": gauges_for(units, visit.station.gauge_folders),
        "pictures": {field.name: picture_for(field.question) for field in fields}, "at": _name(screen.questions[0]),
        "counts": {field.name: wanted_count(field.question) for field in fields},
        "checks": frozenset(field.name for field in fields if is_check(field.question)),
    }  # fmt: skip


def _states(walk: GuidedInspection, screens: tuple[Screen, ...]) -> list[tuple[Screen, str, str]]:
    """Every screen with its name and whether it is open, passed over or done."""
    given = {answer.question.key: answer.text for answer in walk.entry.answers}
    found = []
    for screen in screens:
        texts = [given.get(key) for key in screen.keys]
        state = "open" if None in texts else "passed" if SKIPPED in texts else "done"
        found.append((screen, _name(screen.questions[0]), state))
    return found


def _running(visit: Visit, walk: GuidedInspection, screens: tuple[Screen, ...]) -> dict[str, Any]:
    """How things stand with the answers so far, and what the last screen came to."""
    readings = _readings(walk)
    if not readings.readings:
        return {"groups": (), "last": (), "failing": ()}
    record = record_of(inspect(desk.task_of(visit, walk.place), (readings,)), Subject(walk.text))
    groups = groups_of(record, wording_for(visit.words.language, record.wording))
    answers = [answer for answer in walk.entry.answers if answer.text != SKIPPED]
    keys = next((each.keys for each in screens if answers and answers[-1].question.key in each.keys), frozenset())
    names = {characteristic for characteristic, _ in keys}
    failing = [group for group in groups if any(row.mark.verdict == "fails" for row in group.rows)]
    return {"groups": groups, "last": [group for group in groups if group.characteristic in names], "failing": failing}


def _readings(walk: GuidedInspection) -> MeasurementFile:
    """What was answered, and what was known before."""
    told = walk.file or MeasurementFile(())
    return replace(told, readings=(*told.readings, *walk.entry.readings().readings))


def answer(visit: Visit) -> Response:
    """The answers of a screen, or to pass it over, undo the last one, or enter all of it."""
    if (done := _done(visit)) is not None:
        return done
    walk = _walk_of(visit)
    screens = screens_of(walk.entry)
    screen = _named(screens, visit.form.get("screen", ""))
    if "undo" in visit.form:
        changed = undone(walk.entry, screens)
    elif "finish" in visit.form:
        return _finished(visit, walk)
    elif screen is None:
        visit.form = {}
        return show_question(visit, visit.words("guided.moved"))
    elif "skip" in visit.form:
        changed = _with(walk.entry, [Answer(question, SKIPPED) for question in screen.questions])
    else:
        given, faults = _answers(visit, screen)
        if faults:
            return show_question(visit, faults=faults)
        changed = _with(walk.entry, given)
        inspect(desk.task_of(visit, walk.place), (_readings(replace(walk, entry=changed)),))
        # Which of these pictures of displays count is seen at the end.
        shown = (text for name, text in visit.form.items() if name.startswith("display_") and is_ticket(text))
        walk = replace(walk, displays=(*walk.displays, *shown))
    _keep(visit, replace(walk, entry=changed))
    return visit.go(_address(walk))


def _with(entry: GuidedEntry, answers: list[Answer]) -> GuidedEntry:
    changed = without(entry, [each.question.key for each in answers])
    for each in answers:
        changed = changed.with_answer(each)
        if each.instrument:
            changed = changed.with_instrument(each.question.unit, each.instrument)
    return changed


def _answers(visit: Visit, screen: Screen) -> tuple[list[Answer], dict[str, str]]:
    """Each field that was filled in; what stays empty is passed over, but not all of it."""
    found: list[Answer] = []
    faults: dict[str, str] = {}
    for number, question in enumerate(screen.questions):
        text = visit.form.get(f"a{number}", "").strip()[: _LONGEST + 1]
        try:
            found.append(_answer(visit, question, f"a{number}", text) if text else Answer(question, SKIPPED))
        except InspectKitError as problem:
            faults[f"a{number}"] = visit.words.told(problem)
    if not faults and all(each.text == SKIPPED for each in found):
        faults["a0"] = visit.words("guided.empty")
    return found, faults


def _answer(visit: Visit, question: Question, name: str, text: str) -> Answer:
    form, unit = visit.form, question.unit
    gauge = form.get(f"gauge_{unit}", "")[:64] if unit != WORD else ""
    gauges = Gauges({unit: gauge}, visit.station.gauge_folders)
    given = answer_to(question, text, gauges, confirmed=form.get(f"sure_{name}") == "yes")
    by = visit.person.name if visit.may(Act.DECIDE) else ""
    given = with_decision(given, form.get(f"decision_{name}", ""), by, form.get(f"because_{name}", ""))
    return as_sent(given, text, sent_with(visit.station.secret, visit.path("ticket"), form).get(name))


def _finished(visit: Visit, walk: GuidedInspection) -> Response:
    """Enter it as an inspection of the desk; what was passed over stays open there."""
    where, told = f"desk {walk.ticket}", _readings(walk)
    if not told.readings:
        return show_question(visit, visit.words("desk.nothing"))
    retest_of = walk.again if walk.retest else ""
    first = desk.first_of(visit, walk.place, retest_of)
    used = Gauges(dict(walk.entry.instruments), visit.station.gauge_folders)
    for fault in desk.same_gauge(visit, first, used).values():
        return show_question(visit, fault)
    looks = [pending_photos(visit).find(token, walk.place.event.event, visit.person.name) for token in walk.photos]
    if None in looks:
        return show_question(visit, visit.words("guided.photo_gone"))
    displays = desk.displays_of(visit, told.readings, walk.displays)
    if displays is None:
        return show_question(visit, visit.words("desk.display_lost"))
    told = replace(told, photos=(*told.photos, *(each.photo for each in displays)))
    counts = {photo.file for photo in told.photos}
    kept = {look.name: look for look in (*looks, *displays) if look and look.name in counts}
    files = [EvidenceFile("photo", look.content, look.name) for look in kept.values()]
    if walk.file:
        files.append(EvidenceFile("measured", json.dumps(as_json(walk.file), ensure_ascii=False).encode()))
    readings = tuple(replace(each, where=where) for each in told.readings)
    subject = Subject(walk.text, owner=walk.owner)
    made = desk.NewInspection(
        subject, replace(told, readings=readings), None, walk.ticket, retest_of, not walk.again, tuple(files)
    )
    response = desk.enter(visit, walk.place, made)
    drop_draft(visit.station.registry, walk.ticket, visit.person.name)
    return response
