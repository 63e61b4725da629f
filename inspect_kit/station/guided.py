"""Guided inspection of any item in the browser: one question after the other, in the order of the sheet."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from starlette.responses import Response

from inspect_kit.certificate.content.findings import groups_of
from inspect_kit.certificate.content.model import Group
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.checkin.form import FormField, Gauges, answer_to, gauges_for, name_on_badge, with_decision
from inspect_kit.checkin.roles import Act
from inspect_kit.errors import BadInput, InspectKitError, UsageError
from inspect_kit.inspection.catalogue import WORD
from inspect_kit.inspection.guided import SKIPPED, Answer, GuidedEntry, Question, as_draft, from_draft
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.registry.checkin.accounts import draft, drafts, drop_draft, keep_draft
from inspect_kit.registry.checkin.store import inspection, is_ticket
from inspect_kit.station.desk import InspectionPlace, NewInspection, enter, first_of, place_of, same_gauge
from inspect_kit.station.events import expected_labels
from inspect_kit.station.pictures import picture_for
from inspect_kit.station.refusals import not_found
from inspect_kit.station.visit import Visit


@dataclass(frozen=True, slots=True)
class Walk:
    """A guided inspection under way."""

    place: InspectionPlace
    ticket: str
    text: str
    owner: str
    entry: GuidedEntry
    again: str = ""
    """The inspection of the same piece that this one follows."""
    retest: bool = False
    """It is a second test of that one, with other instruments."""


def show_start(visit: Visit, fault: str = "") -> Response:
    """Which thing, and what was begun before."""
    place = place_of(visit)
    retest = visit.query("retest") or visit.form.get("retest", "")
    before = first_of(visit, place, retest or visit.query("again") or visit.form.get("again", ""))
    with visit.station.registry.reading() as connection:
        begun = drafts(connection, place.event.event, visit.person.name)
    mine = [(ticket, json.loads(text), at) for ticket, text, at in begun]
    return visit.page(
        "guided_start.html", 422 if fault else 200, event=place.event, sheet=place.sheet, item=place.item, fault=fault,
        labels=[label for item, label in expected_labels(place.event, place.sheet) if item == place.item.id],
        begun=[(ticket, data, at) for ticket, data, at in mine if data["item"] == place.item.id], form=visit.form,
        name=visit.words.item(place.item.name), text=visit.query("text"), before=before, retest=bool(retest),
    )  # fmt: skip


def start(visit: Visit) -> Response:
    """Begin with the first question."""
    place = place_of(visit)
    try:
        retest = visit.form.get("retest", "")
        before = first_of(visit, place, retest or visit.form.get("again", ""))
        text = (
            before.text if before else clean(visit.form.get("text", ""), where=visit.words("desk.which"), needed=True)
        )
        owner = clean(name_on_badge(visit.form.get("owner", "")), where=visit.words("desk.player"))
        if before and owner != before.owner:
            raise UsageError(visit.words("desk.other_player", name=before.owner or "–"))
    except InspectKitError as problem:
        return show_start(visit, visit.words.told(problem))
    entry = GuidedEntry(place.sheet, place.item.id)
    walk = Walk(place, visit.station.ticket(), text, owner, entry, before.ticket if before else "", bool(retest))
    _keep(visit, walk)
    return visit.go(_address(walk))


def _address(walk: Walk) -> str:
    return f"/events/{walk.place.event.event}/guided/{walk.place.item.id}/{walk.ticket}"


def _keep(visit: Visit, walk: Walk) -> None:
    data = {"item": walk.place.item.id, "text": walk.text, "owner": walk.owner, "draft": as_draft(walk.entry),
            "again": walk.again, "retest": walk.retest}  # fmt: skip
    keep_draft(
        visit.station.registry, walk.ticket, walk.place.event.event, visit.person.name,
        json.dumps(data, ensure_ascii=False), visit.station.now(),
    )  # fmt: skip


def _walk_of(visit: Visit) -> Walk:
    place, ticket = place_of(visit), visit.path("ticket")
    if not is_ticket(ticket):
        raise not_found()
    with visit.station.registry.reading() as connection:
        kept = draft(connection, ticket, visit.person.name)
    if kept is None or kept[0] != place.event.event:
        raise not_found()
    data = json.loads(kept[1])
    if data["item"] != place.item.id:
        raise not_found()
    entry = from_draft(data["draft"], place.sheet, place.item.id, Path("draft"))
    return Walk(place, ticket, data["text"], data["owner"], entry, data.get("again", ""), data.get("retest", False))


def show_question(visit: Visit, fault: str = "", typed: str = "") -> Response:
    """The next question with its picture, and how the last answer came out; or all of it, to be entered."""
    with visit.station.registry.reading() as connection:
        done = inspection(connection, visit.path("ticket"))
    if done is not None and done.event == visit.event().event:
        return visit.go(f"/events/{done.event}/tickets/{done.ticket}")
    walk = _walk_of(visit)
    question = walk.entry.next_question()
    groups = _running(visit, walk)
    given = len(walk.entry.answers)
    total = sum(1 for _ in walk.entry.questions())
    gauges = gauges_for((question.unit,), visit.station.gauge_folders) if question and question.unit != WORD else {}
    return visit.page(
        "guided.html", 422 if fault else 200, event=walk.place.event, sheet=walk.place.sheet, item=walk.place.item,
        walk=walk, question=question, field=FormField(question, "value") if question else None,
        picture=picture_for(question) if question else "", fault=fault, typed=typed,
        groups=groups, given=given, total=total, words=wording_for(visit.words.language, walk.place.sheet.wording),
        gauges=gauges.get(question.unit, ()) if question else (), number=given + 1, address=_address(walk),
        failing=[group for group in groups if any(row.mark.verdict == "fails" for row in group.rows)],
        last=_last(walk, groups), name=visit.words.item(walk.place.item.name),
    )  # fmt: skip


def _running(visit: Visit, walk: Walk) -> tuple[Group, ...]:
    """How things stand with the answers so far."""
    readings = walk.entry.readings()
    if not readings.readings:
        return ()
    outcome = inspect(_task(visit, walk), (readings,))
    record = record_of(outcome, Subject(walk.text))
    return groups_of(record, wording_for(visit.words.language, record.wording))


def _task(visit: Visit, walk: Walk) -> Task:
    place, station = walk.place, visit.station
    return Task(
        place.sheet, place.item, RuleName(place.event.rule), station.today, station.gauge_folders, station.home
    )  # fmt: skip


def _last(walk: Walk, groups: tuple[Group, ...]) -> Group | None:
    """What the last answer means for its clause."""
    if not walk.entry.answers or walk.entry.answers[-1].text == SKIPPED:
        return None
    name = walk.entry.answers[-1].question.characteristic
    return next((group for group in groups if group.characteristic == name), None)


def answer(visit: Visit) -> Response:
    """An answer, or to pass over, undo, or enter all of it."""
    walk = _walk_of(visit)
    form, question = visit.form, walk.entry.next_question()
    if "undo" in form:
        changed = walk.entry.undone()
    elif "finish" in form or question is None:
        return _finished(visit, walk)
    elif "skip" in form:
        changed = walk.entry.with_answer(Answer(question, SKIPPED))
    else:
        try:
            changed = _answered(visit, walk, question)
        except InspectKitError as problem:
            return show_question(visit, visit.words.told(problem), form.get("value", "")[:200])
    _keep(visit, replace(walk, entry=changed))
    return visit.go(_address(walk))


def _answered(visit: Visit, walk: Walk, question: Question) -> GuidedEntry:
    # The page says which question it showed: after "back" in the browser an answer must not land on another one.
    shown = visit.form.get("question", "")
    if shown != f"{question.characteristic}|{question.instance}":
        raise BadInput(visit.words("guided.moved"))
    text = visit.form.get("value", "").strip()[:200]
    if not text:
        raise BadInput(visit.words("guided.empty"))
    gauge = visit.form.get("gauge", "")[:64] if question.unit != WORD else ""
    form, gauges = visit.form, Gauges({question.unit: gauge}, visit.station.gauge_folders)
    given = answer_to(question, text, gauges, confirmed=form.get("sure") == "yes")
    by = visit.person.name if visit.may(Act.DECIDE) else ""
    given = with_decision(given, form.get("decision", ""), by, form.get("because", ""))
    entry = walk.entry.with_instrument(question.unit, gauge).with_answer(given)
    inspect(_task(visit, walk), (entry.readings(),))
    return entry


def _finished(visit: Visit, walk: Walk) -> Response:
    """Enter it as an inspection of the desk; what was passed over stays open there."""
    where = f"desk {walk.ticket}"
    readings = tuple(replace(each, where=where) for each in walk.entry.readings().readings)
    if not readings:
        return show_question(visit, visit.words("desk.nothing"))
    retest_of = walk.again if walk.retest else ""
    first = first_of(visit, walk.place, retest_of)
    used = Gauges(dict(walk.entry.instruments), visit.station.gauge_folders)
    for fault in same_gauge(visit, first, used).values():
        return show_question(visit, fault)
    subject = Subject(walk.text, owner=walk.owner)
    made = NewInspection(subject, readings, None, walk.ticket, retest_of, new=not walk.again)
    response = enter(visit, walk.place, made)
    drop_draft(visit.station.registry, walk.ticket, visit.person.name)
    return response
