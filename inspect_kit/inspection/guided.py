"""Guided entry as a state that can be left, taken up again and undone: the questions of a sheet and their answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from inspect_kit.capture.instruments import Instrument
from inspect_kit.capture.measurement_file import FORMAT, MeasurementFile, written
from inspect_kit.errors import BadInput
from inspect_kit.inspection.catalogue import WORD, needed_by
from inspect_kit.measure.interpretation import measurement_of
from inspect_kit.rulebook.clause import Clause, Kind
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.values.measurement import Reading
from inspect_kit.values.quantity import UNITS

SKIPPED: Final = ""
"""The answer to a question that was passed over."""


@dataclass(frozen=True, slots=True)
class Question:
    """One value to ask for, and the clause that wants it. `unit` is a base unit, or `word`."""

    characteristic: str
    instance: str
    unit: str
    clause: Clause
    words: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the other questions."""
        return self.characteristic, self.instance


@dataclass(frozen=True, slots=True)
class Answer:
    """What was typed or sent, with the instrument it was read from and the line it came in."""

    question: Question
    text: str
    instrument: str = ""
    raw: str = ""
    time: str = ""
    serial: str = ""


@dataclass(frozen=True, slots=True)
class GuidedEntry:
    """The answers so far, in the order in which they were given."""

    sheet: Sheet
    item: str
    answers: tuple[Answer, ...] = ()
    instruments: Mapping[str, str] = field(default_factory=dict)

    def next_question(self) -> Question | None:
        """The first question without an answer; those that a condition rules out are passed over."""
        given = {answer.question.key for answer in self.answers}
        return next((question for question in self.questions() if question.key not in given), None)

    def questions(self) -> Iterator[Question]:
        """All questions that apply, in the order of the sheet."""
        seen: set[tuple[str, str]] = set()
        for clause in self.sheet.clauses_of(self.item):
            for question in self._questions_of(clause):
                if question.key not in seen:
                    seen.add(question.key)
                    yield question

    def _questions_of(self, clause: Clause) -> Iterator[Question]:
        if clause.when is not None:
            words = self._condition_words(clause.when.characteristic)
            yield Question(clause.when.characteristic, "", WORD, clause, words)
            seen = self._observed(clause.when.characteristic)
            if (seen in clause.when.words) is not clause.when.wanted:
                return
        inputs = self._inputs_of(clause)
        if inputs:
            units = needed_by(self.sheet)
            for name in inputs:
                yield from _for_each(name, units.get(name, ""), self._clause_of(name) or clause)
        else:
            yield from _for_each(clause.characteristic, clause.unit.base if clause.unit else WORD, clause)

    def _inputs_of(self, clause: Clause) -> tuple[str, ...]:
        """For a derived characteristic, what it is worked out from, as far as it belongs to this item."""
        formulas = {entry.characteristic: entry.formula for entry in self.sheet.derived}
        formula = formulas.get(clause.characteristic)
        if formula is None:
            return ()
        elsewhere = {other.characteristic for other in self.sheet.clauses if other.item != self.item}
        return tuple(name for name in formula.names if name not in elsewhere and name not in formulas)

    def _clause_of(self, characteristic: str) -> Clause | None:
        return next((c for c in self.sheet.clauses_of(self.item) if c.characteristic == characteristic), None)

    def _condition_words(self, characteristic: str) -> tuple[str, ...]:
        clauses = self.sheet.clauses_of(self.item)
        conditions = [c.when for c in clauses if c.when is not None and c.when.characteristic == characteristic]
        return tuple(dict.fromkeys(word for condition in conditions for word in condition.words))

    def _observed(self, characteristic: str) -> str:
        return next((a.text for a in self.answers if a.question.characteristic == characteristic), "")

    def with_answer(self, answer: Answer) -> GuidedEntry:
        """One answer more."""
        return replace(self, answers=(*self.answers, answer))

    def with_instrument(self, unit: str, instrument: str) -> GuidedEntry:
        """From now on values in `unit` are read from this instrument."""
        return replace(self, instruments={**self.instruments, unit: instrument})

    def undone(self) -> GuidedEntry:
        """Without the last answer."""
        return replace(self, answers=self.answers[:-1])

    def readings(self) -> MeasurementFile:
        """What has been answered, as a measurement file."""
        given = (answer for answer in self.answers if answer.text != SKIPPED)
        return MeasurementFile(tuple(_reading(answer) for answer in given))


def _for_each(characteristic: str, unit: str, clause: Clause) -> Iterator[Question]:
    instances = clause.instances
    same = clause.characteristic == characteristic
    if same and instances.names:
        yield from (Question(characteristic, name, unit, clause) for name in instances.names)
    elif same and instances.several:
        yield from (Question(characteristic, str(n), unit, clause) for n in range(1, instances.number + 1))
    else:
        yield Question(characteristic, "", unit, clause)


def _reading(answer: Answer) -> Reading:
    question = answer.question
    return Reading(
        question.characteristic, answer.text, question.instance, instrument=answer.instrument, where="entered",
        raw=answer.raw or answer.text, time=answer.time, serial=answer.serial,
    )  # fmt: skip


def checked(question: Question, text: str, instrument: Instrument | None) -> None:
    """Refuse at once what could not be used later: a wrong unit, a number where a word is wanted, …"""
    if question.unit == WORD:
        words = question.words or ("yes", "no", *question.clause.answers)
        if text not in words:
            raise BadInput(f"{text[:40]!r} is not an answer here", hint="answer " + ", ".join(words))
        return
    if text in ("yes", "no") and question.clause.kind in (Kind.FUNCTIONAL, Kind.RELATION):
        return
    reading = Reading(question.characteristic, text, question.instance)
    signed = question.clause.kind is Kind.RELATION
    measurement_of(reading, UNITS.get(question.unit), instrument, signed=signed)


_KEPT: Final = ("text", "instrument", "raw", "time", "serial")


def as_draft(entry: GuidedEntry) -> str:
    """The entry as text, to be taken up again."""
    answers = [
        {"characteristic": answer.question.characteristic, "instance": answer.question.instance}
        | {key: getattr(answer, key) for key in _KEPT}
        for answer in entry.answers
    ]
    data = {
        "format": FORMAT, "spec": entry.sheet.id, "digest": entry.sheet.digest, "item": entry.item,
        "instruments": dict(entry.instruments), "answers": answers,
    }  # fmt: skip
    return json.dumps(data, ensure_ascii=False, indent=1)


def from_draft(text: str, sheet: Sheet, item: str, path: Path) -> GuidedEntry:
    """Take up a draft; it must be of this sheet and item."""
    try:
        data = json.loads(text)
        if (data["format"], data["spec"], data["item"]) != (FORMAT, sheet.id, item):
            raise BadInput(f"is a draft for {data['spec']} {data['item']}", where=str(path), hint="choose another -o")
        entry = GuidedEntry(sheet, item, instruments={str(k): str(v) for k, v in data["instruments"].items()})
        for saved in data["answers"]:
            entry = _taken_up(entry, saved)
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise BadInput("is not a draft of an inspection", where=str(path), hint="delete it to begin anew") from None
    return entry


def _taken_up(entry: GuidedEntry, saved: Mapping[str, str]) -> GuidedEntry:
    key = (saved["characteristic"], saved["instance"])
    question = next((question for question in entry.questions() if question.key == key), None)
    if question is None:
        return entry
    return entry.with_answer(Answer(question, **{key: str(saved[key]) for key in _KEPT}))


def as_measurement_file(entry: GuidedEntry) -> str:
    """The finished entry in the JSON form of measurement files; what was typed stays beside the value."""
    readings = (_in_base(answer) for answer in entry.answers if answer.text != SKIPPED)
    return written(MeasurementFile(tuple(readings))).decode()


def _in_base(answer: Answer) -> Reading:
    """The reading as a file holds it: a number in its base unit, or the word."""
    reading, question = _reading(answer), answer.question
    if question.unit == WORD or answer.text in ("yes", "no"):
        return Reading(question.characteristic, answer.text, question.instance)
    found = measurement_of(reading, UNITS.get(question.unit), None, signed=True)
    whole = found.value == found.value.to_integral_value()
    value = f"{int(found.value)}" if whole else f"{found.value.normalize():f}"
    return replace(reading, value=value, unit=found.unit)
