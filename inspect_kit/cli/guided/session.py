"""A guided inspection under way: what a typed line makes of it, and what is said in return. No terminal in here."""

from __future__ import annotations

import hashlib
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from inspect_kit.atomic_write import written_beside
from inspect_kit.capture.connections import read_connections
from inspect_kit.capture.instruments import Instrument, instrument_ids, load_instruments
from inspect_kit.capture.measurement_file import DECISIONS, MeasurementFile
from inspect_kit.capture.wedge import typed_by_instrument
from inspect_kit.certificate.content.wording import Wording
from inspect_kit.cli.judge import reason_text
from inspect_kit.cli.terminal import styled
from inspect_kit.clock import now
from inspect_kit.errors import BadInput, InspectKitError, system_errors_as
from inspect_kit.inspection import screens as guided_screens
from inspect_kit.inspection.catalogue import WORD
from inspect_kit.inspection.guided import SKIPPED, Answer, GuidedEntry, Question, checked, display_line, display_picture
from inspect_kit.inspection.screens import BadAnswer, Key, Screen, is_own, refuse_unusable, without
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.places import shipped
from inspect_kit.rulebook.clause import Clause, in_base_unit, words_for
from inspect_kit.tomlfile import read_toml
from inspect_kit.values.quantity import EXACT_UNITS


@cache
def guided_words(language: str) -> Mapping[str, str]:
    """The texts of the guided way in a language."""
    read = read_toml(shipped("reports") / "wording" / language / "guided.toml")
    return {key: str(text) for key, text in read.items()}


@dataclass(frozen=True, slots=True)
class GuidedSession:
    """Where a guided inspection stands; a typed line gives the next one."""

    task: Task
    words: Wording
    entry: GuidedEntry
    files: tuple[MeasurementFile, ...] = ()
    gauges: tuple[Instrument, ...] = ()
    at: Key | None = None
    """The question somebody jumped to; its screen is shown although it may be answered."""
    second_round: bool = False
    """Whether what was passed over is being offered again."""
    left: bool = False
    pictures: Path = field(default_factory=Path)
    """Where pictures of displays are kept: beside the file that is written."""
    proposal: Answer | None = None
    """What a display shows in a photo, until somebody confirms it or types anything else."""
    told: tuple[str, ...] = field(default=())
    """What the last line was answered with."""

    def say(self, key: str, **facts: object) -> str:
        """A text of the guided way, with its gaps filled."""
        return guided_words(self.words.language)[key].format_map(facts)

    @property
    def screens(self) -> tuple[Screen, ...]:
        """All screens, what the files tell left out."""
        return guided_screens.screens_of(self.entry)

    @property
    def screen(self) -> Screen | None:
        """What is asked now; nothing at the end."""
        if self.left:
            return None
        screens = self.screens
        if self.at is not None:
            return next((screen for screen in screens if self.at in screen.keys), None)
        found = guided_screens.next_screen(screens, self.entry)
        return found.open_in(self.entry) if found else None

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to ask."""
        return not self.left and self.screen is None

    @property
    def offered_again(self) -> GuidedSession:
        """Once at the end, what was passed over is offered again."""
        gone = guided_screens.passed_over(self.entry)
        if not self.finished or self.second_round or not gone:
            return self
        told = (*self.told, self.say("again", number=sum(bool(gone & each.keys) for each in self.screens)))
        return replace(self, entry=without(self.entry, gone), second_round=True, told=told)

    def typed(self, line: str) -> GuidedSession:
        """What a line makes of it; a mistake only says what was wrong."""
        before = replace(self, told=(), proposal=None)
        screen = self.screen
        if screen is None:
            return before
        text = line.strip()
        if text in ("+", "+!", "+ !"):
            return _confirmed(before, self.proposal, sure=text != "+").offered_again
        if text in _KEYS:
            return _KEYS[text](before, screen).offered_again
        try:
            return _other(before, screen, text).offered_again
        except BadAnswer as problem:
            return replace(before, told=(self.say(f"bad_{problem.wording}", **problem.facts),))
        except InspectKitError as problem:
            return replace(before, told=(problem.said(self.words.language),))

    def gauge(self, question: Question, value: str = "") -> Instrument | None:
        """The gauge that a value is read from: the one chosen for its unit if it reaches so far, else the finest."""
        chosen = self.entry.instruments.get(question.unit, "")
        preferred = [gauge for gauge in self.gauges if gauge.id == chosen]
        found = guided_screens.gauge_for(question, preferred, value)
        return found or guided_screens.gauge_for(question, self.gauges, value)


def _other(session: GuidedSession, screen: Screen, text: str) -> GuidedSession:
    if text.startswith("/"):
        return _gone_to(session, text[1:].strip())
    if text.startswith("*"):
        return _proposed(session, screen, Path(text[1:].strip().strip("'\"")))
    if text.startswith("="):
        return _with_gauge(session, screen, text[1:].strip())
    return _answered(session, screen, text)


# Keys


def _passed(session: GuidedSession, screen: Screen) -> GuidedSession:
    if session.at is not None:
        return replace(session, at=None)
    entry = session.entry
    for question in screen.questions:
        entry = entry.with_answer(Answer(question, SKIPPED))
    return replace(session, entry=entry)


def _undone(session: GuidedSession, _: Screen) -> GuidedSession:
    """Without the answers of the last screen."""
    if not session.entry.answers:
        return replace(session, told=(session.say("nothing_to_undo"),))
    entry = guided_screens.undone(session.entry, session.screens)
    return replace(session, entry=entry, at=None, told=(session.say("undone"),))


def _explained(session: GuidedSession, screen: Screen) -> GuidedSession:
    clauses = [question.clause for question in screen.questions]
    texts = (text for clause in clauses for text in (clause.requires, clause.how, clause.note) if text)
    said = dict.fromkeys(session.words.sentence(text) for text in texts)
    helps = map(session.say, _HELPS)
    first = screen.questions[0]
    return replace(session, told=(*drawing_of(first.characteristic, first.unit).splitlines(), *said, *helps))


_HELPS: Final = ("help_value", "help_several", "help_gauge", "help_display", "help_confirm", "decide", "keys")


def _listed(session: GuidedSession, _: Screen) -> GuidedSession:
    rows = (f"{number:>3}  {state_of(session, each):<12}  {title_of(session, each)}"
            for number, each in enumerate(session.screens, 1))  # fmt: skip
    return replace(session, told=tuple(rows))


def _gone_to(session: GuidedSession, number: str) -> GuidedSession:
    screens = session.screens
    if not number.isdecimal() or not 1 <= int(number) <= len(screens):
        return replace(session, told=(session.say("no_screen", number=number[:10]),))
    return replace(session, at=screens[int(number) - 1].questions[0].key)


def _read(session: GuidedSession, screen: Screen) -> GuidedSession:
    """One stable reading from the gauge in use, for the first open place."""
    from inspect_kit.capture.gauges.own import read_gauge

    question = screen.questions[0]
    gauge = session.gauge(question)
    connected = read_connections(session.task.home) if session.task.home else {}
    if gauge is None or gauge.id not in connected:
        text = session.say("not_connected", gauge=gauge.id) if gauge else session.say("none_chosen")
        return replace(session, told=(text,))
    try:
        sent = read_gauge(gauge, connected[gauge.id])
    except InspectKitError as problem:
        return replace(session, told=(problem.said(session.words.language),))
    time, serial = sent.time.isoformat(timespec="seconds"), sent.serial or ""
    answer = Answer(question, f"{sent.value} {sent.unit}", gauge.id, sent.raw, time, serial)
    after = _with_answers(session, (answer,))
    return replace(after, told=(f"{sent.value} {sent.unit}   ({sent.raw.strip()})", *after.told))


def _confirmed(session: GuidedSession, proposal: Answer | None, *, sure: bool) -> GuidedSession:
    """Take over what a display shows; `sure` also where it is outside what is usual."""
    if proposal is None:
        return replace(session, told=(session.say("nothing_proposed"),))
    try:
        question, gauge = proposal.question, session.gauge(proposal.question, proposal.text)
        refuse_unusable(question, proposal.text, gauge, confirmed=sure)
        checked(question, proposal.text, gauge, confirmed=sure)
        return _with_answers(session, (replace(proposal, confirmed=sure),))
    except BadAnswer as problem:
        told = session.say(f"bad_{problem.wording}", **{**problem.facts, "typed": "+"})
        return replace(session, proposal=proposal, told=(told,))
    except InspectKitError as problem:
        return replace(session, told=(problem.said(session.words.language),))


_KEYS: Final[Mapping[str, Callable[[GuidedSession, Screen], GuidedSession]]] = {
    "q": lambda session, _: replace(session, left=True), "": _passed, "<": _undone, "?": _explained, "/": _listed,
    "!": _read,
}  # fmt: skip


# A gauge's display in a photo: proposed with its picture, and taken over by one key.


def _proposed(session: GuidedSession, screen: Screen, path: Path) -> GuidedSession:
    """What the display shows, for the first open place; nothing is an answer before somebody has confirmed it."""
    from inspect_kit.capture.photographs import read_photograph
    from inspect_kit.cli.instruments.display import LEAST_PIXELS
    from inspect_kit.measure.displayed import displayed

    question = screen.questions[0]
    gauge = session.gauge(question)
    if gauge is None:
        return replace(session, told=(session.say("none_chosen"),))
    reading = displayed(read_photograph(path, LEAST_PIXELS), gauge)
    doubt = reading.doubt_in(session.words.language)
    if not reading.picture or not reading.certain:
        shown = f"{reading.value} {reading.unit}".strip() or "–"
        return replace(session, told=(session.say("display_unsure", shown=shown, doubt=doubt),))
    picture = display_picture(hashlib.sha256(reading.picture).hexdigest())
    with system_errors_as("not-written", session.pictures / picture):
        written_beside(session.pictures / picture, reading.picture).replace(session.pictures / picture)
    text, time = f"{reading.value} {reading.unit}", now().isoformat(timespec="seconds")
    answer = Answer(question, text, gauge.id, display_line(text, picture), time, gauge.serial)
    told = (
        session.say("display_shows", shown=text, picture=session.pictures / picture), session.say("display_confirm"),
    )  # fmt: skip
    return replace(session, proposal=answer, told=told)


# Gauges


def _with_gauge(session: GuidedSession, screen: Screen, name: str) -> GuidedSession:
    folders = session.task.instrument_folders
    if not name:
        names = ", ".join(instrument_ids((*folders, shipped("specs") / "instruments")))
        units = {question.unit for question in screen.questions}
        left = tuple(gauge for gauge in session.gauges if gauge.resolution.unit.base not in units)
        entry = session.entry
        for unit in units:
            entry = entry.with_instrument(unit, "")
        return replace(session, entry=entry, gauges=left, told=(session.say("no_gauges", names=names),))
    gauge = load_instruments((name,), folders)[name]
    entry = session.entry.with_instrument(gauge.resolution.unit.base, name)
    return replace(session, entry=entry, gauges=(gauge, *(each for each in session.gauges if each.id != name)))


def gauge_text(session: GuidedSession, gauge: Instrument) -> str:
    """What it is in the person's language, and its own name."""
    return f"{session.words.name('instrument', gauge.kind)} {gauge.id}"


# Answers


def _answered(session: GuidedSession, screen: Screen, text: str) -> GuidedSession:
    if text.partition(":")[0].strip().lower() in DECISIONS:
        return _decided(session, text)
    line, _, named = text.partition("@")
    confirmed = line.rstrip().endswith("!")
    line = line.rstrip().rstrip("! ")
    folders = session.task.instrument_folders
    stated = load_instruments((named.strip(),), folders)[named.strip()] if named.strip() else None
    typed = guided_screens.answers_to(screen, line.strip())
    return _with_answers(session, [_answer(session, each, text, stated, confirmed) for each, text in typed])


def _decided(session: GuidedSession, text: str) -> GuidedSession:
    """A person's decision on the values of the last screen that the text leaves to a person."""
    decision, by, because = ([*(part.strip() for part in text.split(":", 2)), "", ""])[:3]
    last = _last_screen(session)
    if last is None or not (by and because):
        raise BadAnswer("decision")
    outcome = inspect(session.task, (session.entry.readings(), *session.files))
    asked = {
        (f.clause.characteristic, f.instance) for f in outcome.judgement.findings if f.reason is Reason.PERSON_DECIDES
    }
    found = [each for each in session.entry.answers if each.question.key in last.keys & asked]
    if not found:
        raise BadAnswer("decision")
    stated = [replace(each, decision=decision.lower(), by=by, because=because) for each in found]
    return _with_answers(session, stated)


def _last_screen(session: GuidedSession) -> Screen | None:
    answers = [each for each in session.entry.answers if each.text != SKIPPED]
    return next((each for each in session.screens if answers and answers[-1].question.key in each.keys), None)


def _answer(
    session: GuidedSession, question: Question, text: str, stated: Instrument | None, confirmed: bool
) -> Answer:
    """One answer that can be used, with its gauge; anything else is refused with a code."""
    typed, raw = _as_typed(question, text)
    number = question.unit != WORD and typed not in ("yes", "no", "none")
    gauge = (stated or session.gauge(question, typed)) if number else None
    refuse_unusable(question, typed, gauge, confirmed=confirmed)
    if question.unit == WORD:
        _refuse_unknown_word(session, question, typed)
    if number and gauge is None and (nearest := session.gauge(question)) is not None:
        refuse_unusable(question, typed, nearest, confirmed=confirmed)
    checked(question, typed, gauge, confirmed=confirmed)
    return Answer(question, typed, gauge.id if gauge else "", raw=raw, confirmed=confirmed)


def _as_typed(question: Question, text: str) -> tuple[str, str]:
    """The answer, and the whole line where a gauge typed it like a keyboard."""
    word = guided_screens.word_of(text)
    if question.unit == WORD or word in ("yes", "no", "none"):
        return word, ""
    try:
        return str(typed_by_instrument(text)), text
    except BadInput:
        return text.strip(), ""


def words_of(question: Question) -> tuple[str, ...]:
    """The words that answer a question."""
    return question.words or words_for(question.clause)


def _refuse_unknown_word(session: GuidedSession, question: Question, word: str) -> None:
    known = words_of(question)
    if word not in known:
        shown = ", ".join(word_text(session, each) for each in known)
        raise BadAnswer("not_an_answer", typed=word[:40], words=shown)


def word_text(session: GuidedSession, word: str) -> str:
    """A word as the person knows it; the code beside it where they differ, since the code is what is typed."""
    if word == "other":
        return word  # Its wording is that of colours; here it is another type or another form.
    shown = session.say(word) if word in ("yes", "no") else session.words.name("word", word)
    return word if shown.lower() == word else f"{word} ({shown})"


def _with_answers(session: GuidedSession, answers: Sequence[Answer]) -> GuidedSession:
    keys = [answer.question.key for answer in answers]
    entry = without(session.entry, keys)
    for answer in answers:
        entry = entry.with_answer(answer)
    outcome = inspect(session.task, (entry.readings(), *session.files))
    findings = [each for each in outcome.judgement.findings if (each.clause.characteristic, each.instance) in keys]
    told = (*_verdicts(session, findings), _tally(session, outcome.judgement.findings))
    return replace(session, entry=entry, at=None, told=told)


_HINTS = {Reason.UNCERTAINTY_UNKNOWN: "unknown_u", Reason.PERSON_DECIDES: "decide"}


def _verdicts(session: GuidedSession, findings: Iterable[Finding]) -> list[str]:
    """What the answers mean for their clauses; the same said once."""
    counted: Counter[str] = Counter()
    hints: dict[str, None] = {}
    for finding in findings:
        verdict = styled(finding.verdict, session.words.say(f"verdict.{finding.verdict}"))
        counted[f"{verdict}: {reason_text(finding, session.words)}"] += 1
        if finding.reason in _HINTS:
            hints[session.say(_HINTS[finding.reason])] = None
    lines = [f"{text} ({number} ×)" if number > 1 else text for text, number in counted.items()]
    return [*lines, *hints]


def _tally(session: GuidedSession, findings: Sequence[Finding]) -> str:
    counts = Counter(each.verdict for each in findings)
    told = (f"{counts[each]} {session.words.say(f'tally.{each}')}" for each in (Verdict.FAILS, Verdict.UNDECIDED))
    return f"({', '.join(told)})"


# What is shown


def name_of(session: GuidedSession, question: Question) -> str:
    """What is asked for, in words."""
    name = question.clause.name if is_own(question) else ""
    return session.words.name("characteristic", question.characteristic, name)


def title_of(session: GuidedSession, screen: Screen) -> str:
    """A screen in one line."""
    names = list(dict.fromkeys(name_of(session, question) for question in screen.questions))
    return f"{screen.group}  {names[0]}" + (f" … ({len(names)})" if len(names) > 1 else "")


def state_of(session: GuidedSession, screen: Screen) -> str:
    """How far a screen is."""
    given = {answer.question.key: answer.text for answer in session.entry.answers}
    if any(key not in given for key in screen.keys):
        return session.say("state_open")
    return session.say("state_passed" if any(given[key] == SKIPPED for key in screen.keys) else "state_done")


def lines_of(session: GuidedSession, screen: Screen) -> list[str]:
    """What is asked, which place in the walk it is, how to find out, and how to answer."""
    number = next(n for n, each in enumerate(session.screens, 1) if screen.keys <= each.keys)
    head = session.say("of", number=number, total=len(session.screens))
    body = _checklist(session, screen) if screen.checklist else _measure(session, screen)
    return [f"[{head}]  {screen.group}", *body]


def _checklist(session: GuidedSession, screen: Screen) -> list[str]:
    lines = []
    for number, question in enumerate(screen.questions, 1):
        count = guided_screens.wanted_count(question)
        required = str(count) if count is not None else session.words.sentence(question.clause.requires)
        name = f"{question.clause.number}  {name_of(session, question)}"
        lines.append(f"{number:>3}. {name}: {required}{_given(session, question)}")
    return [*lines, session.say("checks", yes=session.say("yes"))]


def _measure(session: GuidedSession, screen: Screen) -> list[str]:
    first = screen.questions[0]
    required = _requirement(session, first.clause) if is_own(first) else ""
    lines = [f"{first.clause.number if is_own(first) else ''}  {name_of(session, first)}  {required}".strip()]
    if is_own(first) and first.clause.how:
        lines.append(session.words.sentence(first.clause.how))
    if len(screen.questions) > 1:
        places = ", ".join(session.words.instance(each.instance) + _given(session, each) for each in screen.questions)
        lines.append(session.say("places", places=places))
        lines.append(session.say("same", example="…"))
    if first.unit == WORD:
        choices = session.say("choices", words=", ".join(word_text(session, word) for word in words_of(first)))
        return [*lines, choices, *_told_apart(session, first)]
    if first.unit in EXACT_UNITS:
        return lines
    gauge = session.gauge(first)
    return [*lines, session.say("gauge", gauge=gauge_text(session, gauge)) if gauge else session.say("no_gauge")]


_LONGEST: Final = 96
"""Characters of what is said of one kind: a line of a terminal."""


def _told_apart(session: GuidedSession, question: Question) -> Iterator[str]:
    """Under a choice of kinds, what the sheet says of each: `sports: base diameter 21 mm; total height 35 – 37 mm`."""
    hanging = [(each, each.when) for each in session.entry.sheet.clauses if each.when is not None]
    for word in question.words:
        clauses = [
            clause for clause, when in hanging
            if when.characteristic == question.characteristic and when.wanted and word in when.words
        ]  # fmt: skip
        told = "; ".join(dict.fromkeys(_in_short(session, clause) for clause in clauses))
        if told:
            yield f"  {word}: {textwrap.shorten(told, _LONGEST, placeholder=' …')}"


def _in_short(session: GuidedSession, clause: Clause) -> str:
    words = session.words
    name = words.name("characteristic", clause.characteristic, clause.name)
    if clause.numeric:
        return f"{name.partition(', ')[2] or name} {words.localised(clause.printed)}"
    return words.sentence(clause.requires).rstrip(".")


def _requirement(session: GuidedSession, clause: Clause) -> str:
    """The limit in the unit in which a bare number is taken, with what the text prints where that is another."""
    words = session.words
    if clause.unit is not None and clause.unit.symbol != clause.unit.base:
        return words.localised(f"{in_base_unit(clause.bounds)}  ({clause.printed})")
    return words.localised(clause.printed) or words.sentence(clause.requires)


def _given(session: GuidedSession, question: Question) -> str:
    """The answer that stands already, where somebody came back to a screen."""
    found = next((a.text for a in session.entry.answers if a.question.key == question.key and a.text != SKIPPED), "")
    return f" [{found}]" if found else ""


def prompt_of(session: GuidedSession, screen: Screen) -> str:
    """The unit or the words before the cursor."""
    first = screen.questions[0]
    if screen.checklist or (first.unit == WORD and not first.words):
        return f"[{session.say('yes')}/{session.say('no')}] > "
    return f"[{'…' if first.unit == WORD else session.words.unit(first.unit) or first.unit}] > "


# Where to measure, drawn with letters: `reports/layout/drawings.toml`.


def drawing_of(characteristic: str, unit: str) -> str:
    """By how it is measured where that tells most, else by the thing."""
    shown, otherwise = _drawings(), "eye" if unit == WORD else "rule"
    name = "scale" if unit == "g" else shown["thing"].get(characteristic.partition(".")[0], otherwise)
    return str(shown["drawing"][name]).strip("\n")


@cache
def _drawings() -> dict[str, Any]:
    return read_toml(shipped("reports") / "layout" / "drawings.toml")
