"""Guided entry in few screens: what is looked at in a group together, the places of a measure on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby
from typing import Final

from inspect_kit.capture.instruments import Instrument
from inspect_kit.errors import BadInput
from inspect_kit.inspection.catalogue import WORD
from inspect_kit.inspection.guided import SKIPPED, GuidedEntry, Question
from inspect_kit.rulebook.clause import Clause, Kind, words_for
from inspect_kit.values.limits import lower_of, upper_of
from inspect_kit.values.measurement import Reading
from inspect_kit.values.plausible import likely_meant
from inspect_kit.values.quantity import EXACT_UNITS, UNITS, Quantity, parse_quantity
from inspect_kit.values.words import plain_word

MOST_CHECKS: Final = 8
"""Things looked at on one screen: as many as a person keeps in mind and as fit on a small terminal."""

_SHORT: Final = dict.fromkeys("yjas+", "yes") | dict.fromkeys("n-", "no")
"""Yes and no by their first letter, as people type them at the desk."""
_OPEN: Final = "?"
_SAME: Final = "*"
_SPLIT: Final = re.compile(r"\s*;\s*|,\s+|\s+(?=[+\-−]?\d|[?*](?:\s|$)|\w+(?:\.\w+)?\s*=)")
_ROOT: Final = re.compile(r"[A-Za-z]*\.?\s*\d*")

Key = tuple[str, str]


class BadAnswer(BadInput):
    """What was typed cannot be used: a code with facts, worded at the edge in the person's language."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__(f"{code}: {facts}" if facts else code)
        self.code, self.facts = code, facts

    @property
    def wording(self) -> str:
        """Where its sentence stands: a slip is one of the unit, one of the decimal point, or an unusual value."""
        if self.code != "slip" or not self.facts["meant"]:
            return self.code
        return "slip_unit" if self.facts["other_unit"] else "slip_point"


@dataclass(frozen=True, slots=True)
class Screen:
    """Questions that are answered together, in the group of clauses they belong to."""

    group: str
    questions: tuple[Question, ...]

    @property
    def checklist(self) -> bool:
        """Whether it is a list of things to look at, all right unless said otherwise."""
        return all(is_check(question) for question in self.questions)

    @property
    def keys(self) -> frozenset[Key]:
        """Which questions it holds."""
        return frozenset(question.key for question in self.questions)

    def open_in(self, entry: GuidedEntry) -> Screen:
        """The same screen with only what is not answered yet."""
        given = {answer.question.key for answer in entry.answers}
        return Screen(self.group, tuple(each for each in self.questions if each.key not in given))


def is_check(question: Question) -> bool:
    """Whether a question is answered by yes or no, or by a number of pieces that the sheet prescribes."""
    plain = question.unit == WORD and not question.words and is_own(question)
    return (plain or wanted_count(question) is not None) and not question.instance


def is_own(question: Question) -> bool:
    """Whether the clause is about what is asked; a condition belongs to no clause of its own."""
    return question.characteristic == question.clause.characteristic


def wanted_count(question: Question) -> int | None:
    """The number of pieces that a clause prescribes exactly."""
    clause = question.clause
    if (
        question.unit not in EXACT_UNITS
        or clause.kind is not Kind.COUNT
        or clause.limits is None
        or not is_own(question)
    ):
        return None
    lower, upper = lower_of(clause.limits), upper_of(clause.limits)
    return int(lower) if lower is not None and lower == upper and lower == int(lower) else None


def screens_of(entry: GuidedEntry) -> tuple[Screen, ...]:
    """All screens of an entry, as one walks around the piece; what files tell already is not asked again."""
    asked = [question for question in entry.questions() if not _is_told(question, entry.known)]
    screens: list[Screen] = []
    for group, questions in _groups(asked):
        checks = tuple(question for question in questions if is_check(question))
        rest = [question for question in questions if not is_check(question)]
        conditions = [question for question in rest if not is_own(question) and question.words]
        values = [question for question in rest if question not in conditions]
        screens.extend(Screen(group, (condition,)) for condition in conditions)
        if checks:
            screens.append(Screen(group, checks))
        screens.extend(Screen(group, each) for each in _by_characteristic(values))
    return tuple(screens)


def _is_told(question: Question, told: Sequence[Reading]) -> bool:
    same = [reading for reading in told if reading.characteristic == question.characteristic]
    return any(not question.instance or reading.instance == question.instance for reading in same)


def _by_characteristic(questions: Iterable[Question]) -> Iterator[tuple[Question, ...]]:
    found: dict[str, list[Question]] = {}
    for question in questions:
        found.setdefault(question.characteristic, []).append(question)
    yield from map(tuple, found.values())


def _groups(questions: Sequence[Question]) -> Iterator[tuple[str, list[Question]]]:
    """Neighbouring clauses together, as long as what is looked at in them fits one screen."""
    title, gathered = "", list[Question]()
    for root, members in groupby(questions, key=lambda each: _root(each.clause)):
        more = list(members)
        if gathered and sum(map(is_check, (*gathered, *more))) > MOST_CHECKS:
            yield title, gathered
            title, gathered = "", []
        title = f"{title.partition('–')[0]}–{root}" if title else root
        gathered += more
    if gathered:
        yield title, gathered


def _root(clause: Clause) -> str:
    found = _ROOT.match(clause.number)
    return found[0].strip() if found and found[0].strip() else clause.number


def next_screen(screens: Sequence[Screen], entry: GuidedEntry) -> Screen | None:
    """The first screen with something that was neither answered nor passed over."""
    return next((screen for screen in screens if screen.open_in(entry).questions), None)


def passed_over(entry: GuidedEntry) -> frozenset[Key]:
    """The questions that were passed over and are still open."""
    return frozenset(answer.question.key for answer in entry.answers if answer.text == SKIPPED)


def without(entry: GuidedEntry, keys: Iterable[Key]) -> GuidedEntry:
    """The entry as if these questions had not been asked."""
    gone = frozenset(keys)
    return replace(entry, answers=tuple(each for each in entry.answers if each.question.key not in gone))


# What was typed


Typed = tuple[Question, str]


def undone(entry: GuidedEntry, screens: Sequence[Screen]) -> GuidedEntry:
    """Without the answers of the screen that was answered last."""
    last = next((each.keys for each in screens if entry.answers and entry.answers[-1].question.key in each.keys), ())
    while entry.answers and entry.answers[-1].question.key in last:
        entry = entry.undone()
    return entry


def answers_to(screen: Screen, text: str) -> tuple[Typed, ...]:
    """Each question with its answer; what is to stay open is not there. Raises `BadAnswer`."""
    if screen.checklist:
        return tuple(_checked_off(screen.questions, text))
    return tuple(_values(screen.questions, text))


def _checked_off(questions: Sequence[Question], text: str) -> Iterator[Typed]:
    said = word_of(text)
    if said == "no" and len(questions) > 1:
        raise BadAnswer("which_not", most=len(questions))
    exceptions = {} if said in ("yes", "no") else _exceptions(questions, text)
    for number, question in enumerate(questions, 1):
        count = wanted_count(question)
        answer = exceptions.get(number, said if said == "no" else "yes")
        if answer == "no" and count is not None:
            raise BadAnswer("how_many", number=number)
        if answer != _OPEN:
            yield question, str(count) if answer == "yes" and count is not None else answer


def _exceptions(questions: Sequence[Question], text: str) -> Mapping[int, str]:
    """`2 5` does not hold, `3?` stays open, `4=6` is another number, `1=none` another word."""
    found: dict[int, str] = {}
    for token in re.sub(r"\s*=\s*", "=", text).replace(",", " ").split():
        match = re.fullmatch(r"(\d{1,3})(\?|=\S+)?", token)
        if match is None or not 1 <= int(match[1]) <= len(questions):
            raise BadAnswer("which_not", most=len(questions))
        said = match[2] or ""
        found[int(match[1])] = _OPEN if said == _OPEN else word_of(said[1:]) if said else "no"
    return found


def _values(questions: Sequence[Question], text: str) -> Iterator[Typed]:
    if len(questions) == 1 and not text.endswith(_SAME):
        yield questions[0], text
        return
    if text.endswith(_SAME):
        yield from ((question, text[:-1].strip()) for question in questions)
        return
    tokens = [token.strip() for token in _SPLIT.split(text.strip()) if token and token.strip()]
    if all("=" in token for token in tokens):
        yield from _named(questions, tokens)
        return
    if len(tokens) != len(questions):
        raise BadAnswer("how_many_values", wanted=len(questions), typed=len(tokens))
    yield from ((question, token) for question, token in zip(questions, tokens, strict=True) if token != _OPEN)


def _named(questions: Sequence[Question], tokens: Sequence[str]) -> Iterator[Typed]:
    by_place = {question.instance: question for question in questions}
    for token in tokens:
        place, _, value = token.partition("=")
        if place.strip() not in by_place:
            raise BadAnswer("no_such_place", place=place.strip()[:20], places=" ".join(by_place))
        yield by_place[place.strip()], value.strip()


def word_of(text: str) -> str:
    """Yes and no of four languages as `yes` and `no`; any other word in small letters, a value as it is."""
    folded = plain_word(text.strip().lower())
    return _SHORT.get(folded, folded if folded.isalpha() else text.strip())


def refuse_unusable(question: Question, text: str, gauge: Instrument | None, *, confirmed: bool = False) -> None:
    """The common mistakes, each with a code: not a number, another dimension, below zero, a slip, beyond the gauge."""
    if question.unit == WORD or (word_of(text) in words_for(question.clause) and is_own(question)):
        return
    try:
        quantity = parse_quantity(text, UNITS.get(question.unit))
    except BadInput:
        raise BadAnswer("not_a_number", typed=text[:40], unit=question.unit) from None
    if quantity.unit.base != question.unit:
        raise BadAnswer("wrong_unit", unit=quantity.unit.symbol, wanted=question.unit)
    if quantity.in_base < 0 and question.clause.kind is not Kind.RELATION:
        raise BadAnswer("negative")
    usual = question.usual
    if usual is not None and not confirmed and not usual.holds(quantity.in_base):
        meant, other_unit = likely_meant(quantity, usual) or ("", False)
        there = meant.to(quantity.unit.symbol) if isinstance(meant, Quantity) and other_unit else ""
        facts = {"meant": meant, "other_unit": other_unit, "asked": quantity, "there": there}
        raise BadAnswer("slip", usual=usual, typed=text[:40], **facts)
    if gauge is not None and not _covers(gauge, quantity.in_base):
        raise BadAnswer("beyond_gauge", value=text[:40], gauge=gauge.id, upper=gauge.upper or gauge.lower or "")


# Gauges


def gauge_for(question: Question, gauges: Iterable[Instrument], value: str = "") -> Instrument | None:
    """The gauge in use for a question: it must reach the value, and of those that do the finest is taken."""
    if question.unit in (WORD, *EXACT_UNITS):
        return None
    length = _length(question, value)
    fitting = [gauge for gauge in gauges if gauge.resolution.unit.base == question.unit and _covers(gauge, length)]
    return min(fitting, key=lambda gauge: gauge.resolution.in_base, default=None)


def _length(question: Question, value: str) -> Decimal | None:
    """The value that was typed, or else about what the sheet lets expect."""
    if value:
        try:
            return parse_quantity(value, UNITS.get(question.unit)).in_base
        except BadInput:
            return None
    clause = question.clause
    if not is_own(question):
        return None
    bounds = (
        clause.bounds.nominal_in_base,
        *((upper_of(clause.limits), lower_of(clause.limits)) if clause.limits else ()),
    )
    return next((bound for bound in bounds if bound is not None), None)


def _covers(gauge: Instrument, value: Decimal | None) -> bool:
    if value is None:
        return True
    too_large = gauge.upper is not None and abs(value) > gauge.upper.in_base
    return not too_large and not (gauge.lower is not None and abs(value) < gauge.lower.in_base)
