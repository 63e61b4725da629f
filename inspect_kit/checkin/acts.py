"""Before a decision becomes a certificate: who did what is proven by signatures, and the record is judged again.

A row in the database is nobody's word. What counts is the entry: signed at a desk that the issuer vouches for, by a
person whose account (signed too) allowed it at that event; and the record must lead to its verdict once more.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Final

from msgspec import UNSET

from inspect_kit.certificate.issue.seals import Seals
from inspect_kit.checkin.roles import Act, Decision, allowed, check_decision, check_four_eyes, overrides
from inspect_kit.errors import BrokenSeal, InspectKitError, Notice, notice
from inspect_kit.inspection.record import Line, Record
from inspect_kit.judgement.judge import Evidence, judge
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Reason, Verdict
from inspect_kit.registry.chain import entry_of, follows
from inspect_kit.registry.chain_index import entries_about
from inspect_kit.registry.checkin.entries import AccountSet, Decided, EventSet, Recorded
from inspect_kit.registry.checkin.store import DeskInspection, inspection
from inspect_kit.registry.entries import Body, Entry
from inspect_kit.registry.opening import Transaction
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.values.measurement import Component, Measurement, Observation, Ruling


@dataclass(frozen=True, slots=True)
class Proven:
    """A decision with the inspection and the event it rests on, each from an entry whose signature holds."""

    decided: Decided
    recorded: Recorded
    event: EventSet


@dataclass(frozen=True, slots=True)
class _Acts:
    """Where acts are read from, and whose signatures are believed."""

    connection: Transaction
    seals: Seals

    def newest(self, kind: type[Body], before: int, name: str) -> Entry | None:
        """The last entry of an account, an event or a ticket's decision, by the chain: rows may have been taken out."""
        found = reversed(entries_about(self.connection, kind, name))
        return next((each for each in found if each.id < before), None)

    def said(self, entry: Entry | None, what: str | Notice) -> tuple[int, Body]:
        """What an entry says, if its signature holds."""
        if entry is None:
            raise BrokenSeal("not-in-chain", what=what)
        whole = entry.right_hash() == entry.hash and follows(self.connection, entry)
        fault = self.seals.strictly(entry) if whole else notice("entry-changed")
        if fault:
            raise BrokenSeal("act-does-not-hold", where=f"entry {entry.id}", what=what, fault=fault)
        return entry.id, entry.said()

    def check_rank(self, name: str, act: Act, event: str, before: int) -> None:
        """The person's account as it was then must have allowed the act, at that event."""
        number, body = self.said(self.newest(AccountSet, before, name), notice("account-of", name=name))
        if not isinstance(body, AccountSet) or body.name != name:
            raise BrokenSeal("not-an-account", where=f"entry {number}")
        at_event = not body.events or event in body.events
        if not (body.active and at_event and allowed(body.role, act)):
            raise BrokenSeal("not-allowed", where=f"entry {number}", name=name, act=act)


_END: Final = 2**63
"""Behind every entry."""


def proven(
    connection: Transaction, seals: Seals, seen: DeskInspection, wanted: Collection[Decision] = (Decision.APPROVE,)
) -> Proven:
    """The acts behind an approval, or a broken seal that says which one is not to be believed."""
    acts = _Acts(connection, seals)
    number, decided = acts.said(acts.newest(Decided, _END, seen.ticket), "the decision")
    first, recorded = acts.said(entry_of(connection, seen.entry), "the inspection")
    if not isinstance(decided, Decided) or not isinstance(recorded, Recorded):
        raise BrokenSeal("not-decision-and-inspection", where=seen.ticket)
    told = {(decided.ticket, decided.event), (recorded.ticket, recorded.event)}
    if told != {(seen.ticket, seen.event)} or decided.record != seen.final or first > number:
        raise BrokenSeal("decision-on-another-inspection", where=f"entry {number}")
    _, event = acts.said(acts.newest(EventSet, number, seen.event), "the event's settings")
    if not isinstance(event, EventSet) or event.event != seen.event:
        raise BrokenSeal("no-such-event", where=seen.event)
    acts.check_rank(recorded.by, Act.RECORD, seen.event, first)
    acts.check_rank(decided.by, Act.DECIDE, seen.event, number)
    _check_decision(decided, recorded, event, wanted)
    _check_corrected(acts, (recorded, decided, event), wanted)
    return Proven(decided, recorded, event)


def _check_corrected(acts: _Acts, made: tuple[Recorded, Decided, EventSet], wanted: Collection[Decision]) -> None:
    """Who corrects a player's name has measured nothing: four eyes hold for the one who did."""
    recorded, decided, event = made
    while recorded.correction:
        before = inspection(acts.connection, recorded.retest_of)
        _, body = acts.said(entry_of(acts.connection, before.entry) if before else None, "the corrected inspection")
        if not isinstance(body, Recorded) or body.ticket != recorded.retest_of:
            raise BrokenSeal("not-an-inspection", where=recorded.retest_of)
        recorded = body
        _check_decision(decided, recorded, event, wanted)


def _check_decision(decided: Decided, recorded: Recorded, event: EventSet, wanted: Collection[Decision]) -> None:
    try:
        decision = Decision(decided.decision)
        check_decision(decision, recorded.verdict, decided.because)
        check_four_eyes(recorded.by, decided.by, wanted=event.four_eyes)
    except ValueError:
        raise BrokenSeal("not-an-approval", where="the decision") from None
    except InspectKitError as problem:
        raise BrokenSeal.of(problem.fault, where="the decision") from None
    if decision not in wanted or decided.override != overrides(decision, recorded.verdict):
        raise BrokenSeal("not-an-approval", where="the decision")


def check_record(record: Record, acts: Proven, sheet: Sheet) -> None:
    """The inspection's record must be of that event and thing, and judged again lead to its verdict."""
    event, made = acts.event, acts.recorded
    told = (record.sheet.id, record.sheet.digest, record.rule, record.item.id, record.verdict, record.subject.event)
    if told != (sheet.id, sheet.digest, event.rule, made.item, made.verdict, event.name):
        raise BrokenSeal("record-not-event-sheet-item", where=made.ticket)
    if (record.subject.text, record.subject.owner) != (made.text, made.owner):
        raise BrokenSeal("record-of-another-thing", where=made.ticket)
    again = judged_again(record, sheet)
    if record.verdict == Verdict.CONFORMS and again is not Verdict.CONFORMS:
        raise BrokenSeal("judged-again-record-not", where=made.ticket, again=again, verdict=record.verdict)


def judged_again(record: Record, sheet: Sheet) -> Verdict:
    """The verdict that the record's own values lead to, by the sheet as it is."""
    distrusted = {gauge.id: Reason.CALIBRATION_EXPIRED for gauge in record.instruments if gauge.expired}
    measured = [found for line in record.lines if (found := _measurement(line))]
    seen = [
        Observation(line.characteristic, line.word, line.instance) for line in record.lines if line.word is not None
    ]
    known = {*(each.characteristic for each in measured), *(each.characteristic for each in seen)}
    seen += [
        Observation(each.characteristic, each.value, each.instance)
        for each in record.readings
        if each.characteristic not in known and not each.unit
    ]
    evidence = replace(Evidence.of(measured, seen, distrusted), rulings=_rulings(record))
    return judge(sheet.clauses_of(record.item.id), evidence, RuleName(record.rule)).verdict


def _rulings(record: Record) -> dict[str, dict[str, Ruling]]:
    """What persons decided, as the record's lines say it."""
    found: dict[str, dict[str, Ruling]] = {}
    for line in record.lines:
        if line.decision is not UNSET:
            by, because = line.decided_by or "", line.decided_because or ""
            ruling = Ruling(line.decision == "accept", by, because)
            found.setdefault(line.characteristic, {})[line.instance] = ruling
    return found


def _measurement(line: Line) -> Measurement | None:
    if line.value is None:
        return None
    try:
        value, dof = Decimal(line.value), Decimal(line.dof) if line.dof else None
        budget = None if line.u is None else (Component("record", Decimal(line.u), dof=dof),)
    except InvalidOperation:
        raise BrokenSeal("value-no-number", where=line.characteristic) from None
    return Measurement(line.characteristic, value, line.unit, budget, line.instance, line.instruments, line.formula)
