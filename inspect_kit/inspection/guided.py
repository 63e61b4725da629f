"""Guided entry as a state that can be left, taken up again and undone: the questions of a sheet and their answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from inspect_kit.capture.instruments import Instrument
from inspect_kit.capture.measurement_file import FORMAT, MeasurementFile, Photo, written
from inspect_kit.errors import BadInput
from inspect_kit.inspection.catalogue import WORD, needed_by
from inspect_kit.inspection.figure_team import SPARE
from inspect_kit.measure.interpretation import measurement_of
from inspect_kit.rulebook.clause import ABSENT, Clause, Kind, words_for
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.strict_json import parse_json
from inspect_kit.values.measurement import Reading
from inspect_kit.values.plausible import Plausible
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
    usual: Plausible | None = None

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
    confirmed: bool = False
    """Outside the plausible range, and looked at again."""
    decision: str = ""
    """`accept` or `reject` where the text gives no tolerance; then `by` and `because` say who and why."""
    by: str = ""
    because: str = ""


@dataclass(frozen=True, slots=True)
class GuidedEntry:
    """The answers so far, in the order in which they were given."""

    sheet: Sheet
    item: str
    answers: tuple[Answer, ...] = ()
    instruments: Mapping[str, str] = field(default_factory=dict)
    known: tuple[Reading, ...] = ()
    """What files tell already; conditions and counts are taken from there too."""

    def questions(self) -> Iterator[Question]:
        """All questions that apply, in the order of the sheet; those of the pieces come after the item's own."""
        seen: set[tuple[str, str]] = set()
        for question in self._all_questions():
            if question.key not in seen:
                seen.add(question.key)
                yield replace(question, usual=self.sheet.plausible.get(question.characteristic))

    def _all_questions(self) -> Iterator[Question]:
        for clause in self.sheet.clauses_of(self.item):
            yield from self._questions_of(clause)
        for pieces in self.sheet.item(self.item).pieces:
            labels = self._labels(pieces.counted_by)
            for clause in self.sheet.clauses_of(pieces.item):
                yield from _of_pieces(self._questions_of(clause), labels)

    def _labels(self, names: tuple[str, ...]) -> list[str]:
        """The pieces by number, the spare one by its name: it does not count among the others."""
        spares = tuple(name for name in names if name.rpartition(".")[2] == SPARE)
        number = self._counted(tuple(name for name in names if name not in spares))
        found = any(self._observed(name) not in ("", "0") for name in spares)
        return [*map(str, range(1, number + 1)), *([SPARE] if found else [])]

    def _counted(self, names: tuple[str, ...]) -> int:
        """How many pieces were counted; at least one, so that it is seen what will be asked of each."""
        counts = [self._observed(name) for name in names]
        return max(1, sum(int(count) for count in counts if count.isdecimal() and len(count) < _MOST_DIGITS))

    def _questions_of(self, clause: Clause) -> Iterator[Question]:
        if clause.when is not None:
            words = self._condition_words(clause.when.characteristic)
            yield Question(clause.when.characteristic, "", WORD, clause, words)
            seen = self._observed(clause.when.characteristic)
            if not seen or (seen in clause.when.words) is not clause.when.wanted:
                return
        inputs = self._inputs_of(clause)
        units = needed_by(self.sheet)
        for name in inputs or (clause.characteristic,):
            unit = units.get(name, "") if inputs else clause.unit.base if clause.unit else WORD
            own = (each for each in self.sheet.clauses_of(clause.item) if each.characteristic == name)
            yield from self._for_each(name, unit, next(own, clause))

    def _for_each(self, characteristic: str, unit: str, clause: Clause) -> Iterator[Question]:
        instances = clause.instances
        at_once = unit == WORD and bool(instances.counted_by)
        if clause.characteristic != characteristic:
            # An input that no clause asks for by itself: the places that the formula picks, such as two diagonals.
            picked = self._picked(characteristic) or ("",)
            yield from (Question(characteristic, place, unit, clause) for place in picked)
            return
        if not instances.several or at_once:
            yield Question(characteristic, "", unit, clause)
            return
        number = self._counted((instances.counted_by,)) if instances.counted_by else instances.number
        names = instances.names or tuple(str(piece) for piece in range(1, number + 1))
        parted = [f"{name}.{part}" for name in names for part in instances.parts] or names
        yield from (Question(characteristic, name, unit, clause) for name in parted)

    def _picked(self, characteristic: str) -> tuple[str, ...]:
        picked = (derived.formula.instances.get(characteristic, ()) for derived in self.sheet.derived)
        return tuple(dict.fromkeys(place for places in picked for place in places))

    def _inputs_of(self, clause: Clause) -> tuple[str, ...]:
        """For a derived characteristic, what it is worked out from, as far as it belongs to this item."""
        formulas = {entry.characteristic: entry.formula for entry in self.sheet.derived}
        formula = formulas.get(clause.characteristic)
        if formula is None:
            return ()
        elsewhere = {other.characteristic for other in self.sheet.clauses if other.item != clause.item}
        return tuple(name for name in formula.names if name not in elsewhere and name not in formulas)

    def _condition_words(self, characteristic: str) -> tuple[str, ...]:
        asked = next((c for c in self.sheet.clauses if c.characteristic == characteristic), None)
        return words_for(asked) if asked else self.sheet.words_of(characteristic)

    def _observed(self, characteristic: str) -> str:
        given = ((each.question.characteristic, each.text) for each in self.answers)
        told = ((reading.characteristic, reading.value) for reading in self.known)
        return next((text for name, text in (*given, *told) if name == characteristic), "")

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


_DISPLAY: Final = re.compile(r"display: .{1,60} \((display-([0-9a-f]{64})\.jpg)\)", re.ASCII)
"""The line of a value that was read from the photo of a display, with the picture it was confirmed beside."""


def display_picture(sha256: str) -> str:
    """The name of a display's picture: it says its own digest."""
    return f"display-{sha256}.jpg"


def display_line(shown: str, picture: str) -> str:
    """What stays with the value as its line."""
    return f"display: {shown} ({picture})"


def display_photos(lines: Iterable[str]) -> tuple[Photo, ...]:
    """The pictures that lines of displays name."""
    found = (match for line in lines if (match := _DISPLAY.fullmatch(line)))
    return tuple(Photo(match[1], match[2]) for match in found)


def _of_pieces(questions: Iterable[Question], labels: Sequence[str]) -> Iterator[Question]:
    """What is looked at is asked once for all pieces, what is measured for each of them."""
    for question in questions:
        several = len(labels) > 1 and question.unit != WORD and not question.instance
        yield from (replace(question, instance=label) for label in labels) if several else (question,)


def _reading(answer: Answer) -> Reading:
    question = answer.question
    return Reading(
        question.characteristic, answer.text, question.instance, instrument=answer.instrument, where="entered",
        raw=answer.raw or answer.text, time=answer.time, serial=answer.serial, confirmed=answer.confirmed,
        decision=answer.decision, by=answer.by, because=answer.because,
    )  # fmt: skip


def checked(question: Question, text: str, instrument: Instrument | None, *, confirmed: bool = False) -> None:
    """Refuse at once what could not be used later: a wrong unit, an implausible value, a word nobody knows, …"""
    words = question.words or words_for(question.clause)
    if question.unit == WORD:
        if text not in words:
            raise BadInput("not-an-answer", text=text[:40], words=", ".join(words))
        return
    if text in words and question.characteristic == question.clause.characteristic:
        return
    reading = Reading(question.characteristic, text, question.instance, confirmed=confirmed)
    signed = question.clause.kind is Kind.RELATION
    measurement_of(reading, UNITS.get(question.unit), instrument, signed=signed, usual=question.usual)


_KEPT: Final = ("text", "instrument", "raw", "time", "serial")
_PERSONS: Final = ("decision", "by", "because")
_MOST_DIGITS: Final = 5
"""Digits of a count of pieces that are still believed: nobody inspects a hundred thousand figures at once."""


def as_draft(entry: GuidedEntry) -> str:
    """The entry as text, to be taken up again."""
    answers = [
        {"characteristic": answer.question.characteristic, "instance": answer.question.instance}
        | {key: getattr(answer, key) for key in _KEPT}
        | _persons_word(answer)
        for answer in entry.answers
    ]
    data = {
        "format": FORMAT, "spec": entry.sheet.id, "digest": entry.sheet.digest, "item": entry.item,
        "instruments": dict(entry.instruments), "answers": answers,
    }  # fmt: skip
    return json.dumps(data, ensure_ascii=False, indent=1)


def from_draft(text: str, sheet: Sheet, item: str, path: Path, known: tuple[Reading, ...] = ()) -> GuidedEntry:
    """Take up a draft; it must be of this sheet and item. `known` is what files told when it was begun."""
    try:
        data = parse_json(text, str(path))
        if (data["format"], data["spec"], data["item"]) != (FORMAT, sheet.id, item):
            raise BadInput("draft-of-another", where=str(path), spec=data["spec"], item=data["item"])
        if data["digest"] != sheet.digest:
            # "Yes" was said to a requirement as it was worded then, a bare number was of that day's unit.
            raise BadInput("draft-sheet-changed", where=str(path), spec=sheet.id)
        instruments = {str(k): str(v) for k, v in data["instruments"].items()}
        entry = GuidedEntry(sheet, item, instruments=instruments, known=known)
        for saved in data["answers"]:
            entry = _taken_up(entry, saved)
    except (KeyError, TypeError, AttributeError):
        raise BadInput("not-draft-inspection", where=str(path)) from None
    return entry


def _taken_up(entry: GuidedEntry, saved: Mapping[str, str]) -> GuidedEntry:
    key = (saved["characteristic"], saved["instance"])
    question = next((question for question in entry.questions() if question.key == key), None)
    if question is None:
        return entry
    texts = {key: str(saved[key]) for key in _KEPT} | {key: str(saved.get(key, "")) for key in _PERSONS}
    return entry.with_answer(Answer(question, confirmed=saved.get("confirmed") == "yes", **texts))


def _persons_word(answer: Answer) -> dict[str, str]:
    """What a person confirmed or decided, where there is such."""
    stated = {key: getattr(answer, key) for key in _PERSONS} | {"confirmed": "yes" if answer.confirmed else ""}
    return {key: text for key, text in stated.items() if text}


def as_measurement_file(entry: GuidedEntry) -> str:
    """The finished entry in the JSON form of measurement files; what was typed stays beside the value."""
    readings = tuple(_in_base(answer) for answer in entry.answers if answer.text != SKIPPED)
    return written(MeasurementFile(readings, display_photos(each.raw for each in readings), measured=True)).decode()


def _in_base(answer: Answer) -> Reading:
    """The reading as a file holds it: a number in its base unit, or the word."""
    reading, question = _reading(answer), answer.question
    if question.unit == WORD or answer.text in ("yes", "no", ABSENT):
        return replace(reading, raw="")
    found = measurement_of(reading, UNITS.get(question.unit), None, signed=True)
    whole = found.value == found.value.to_integral_value()
    value = f"{int(found.value)}" if whole else f"{found.value.normalize():f}"
    return replace(reading, value=value, unit=found.unit)
