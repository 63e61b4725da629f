"""The desk's own form: the questions of an item on one page, and readings from what was filled in."""

import contextlib
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeVar

from inspect_kit.capture.instruments import Instrument, instrument_ids, load_instruments
from inspect_kit.capture.measurement_file import DECISIONS, MeasurementFile, Photo, read_measurements
from inspect_kit.capture.readings import InstrumentReading
from inspect_kit.capture.wedge import typed_by_instrument
from inspect_kit.checkin.photo_reading import EvidencePhoto, TypedBeside, evidence_photo, measured_together, resized
from inspect_kit.errors import BadInput, InspectKitError
from inspect_kit.inspection.catalogue import WORD
from inspect_kit.inspection.guided import Answer, GuidedEntry, Question, checked
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.screens import refuse_unusable
from inspect_kit.places import shipped
from inspect_kit.rulebook.clause import Kind, limits_as_asked, words_to_choose
from inspect_kit.rulebook.sheet import Sheet
from inspect_kit.values.measurement import Reading

MOST_QUESTIONS = 12
"""More than fit on a page are asked one after the other."""

_LONGEST = 200
"""Characters of an answer or a reason."""


@dataclass(frozen=True, slots=True)
class FormField:
    """One question as a field of a form; `name` is what the browser sends it by."""

    question: Question
    name: str

    @property
    def is_word(self) -> bool:
        """Whether it is answered by looking."""
        return self.question.unit == WORD

    @property
    def words(self) -> tuple[str, ...]:
        """The answers there are."""
        return self.question.words or words_to_choose(self.question.clause)

    @property
    def required(self) -> str:
        """The limit in the unit in which the field asks."""
        return limits_as_asked(self.question.clause)

    @property
    def left_to_a_person(self) -> bool:
        """Whether the text prints no tolerance, so that somebody has to decide."""
        return self.question.clause.kind is Kind.NOMINAL_WITHOUT_TOLERANCE


class _Same:
    """A sheet as a key: known by which one it is, without comparing its hundreds of clauses."""

    __slots__ = ("sheet",)

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.sheet is self.sheet

    def __hash__(self) -> int:
        return id(self.sheet)


def fields_of(sheet: Sheet, item: str) -> tuple[FormField, ...]:
    """What the desk asks for: what binds, and nothing that is worked out from other things' values."""
    return _fields(_Same(sheet), item)


@lru_cache(maxsize=300)
def _fields(key: _Same, item: str) -> tuple[FormField, ...]:
    asked = (question for question in GuidedEntry(key.sheet, item).questions() if question.clause.binding)
    return tuple(FormField(question, f"q{number}") for number, question in enumerate(asked))


def fits_a_page(sheet: Sheet, item: str) -> bool:
    """Whether an item is inspected on one page."""
    conditional = any(clause.when is not None for clause in sheet.clauses_of(item))
    return not conditional and 0 < len(fields_of(sheet, item)) <= MOST_QUESTIONS


@dataclass(frozen=True, slots=True)
class Filled:
    """What came of a form: the readings, and why each of the other fields cannot be used."""

    readings: tuple[Reading, ...]
    faults: Mapping[str, InspectKitError]


@dataclass(frozen=True, slots=True)
class Gauges:
    """The instruments of the desk: which one for which unit, and the folders with their sheets."""

    by_unit: Mapping[str, str]
    folders: tuple[Path, ...]

    def instrument(self, unit: str) -> Instrument | None:
        """The instrument in use for a unit, if one was named."""
        name = self.by_unit.get(unit, "")
        return load_instruments((name,), self.folders)[name] if name else None


Sent = Mapping[str, tuple[str, InstrumentReading]]
"""By field: the gauge, and what it sent."""


_Said = TypeVar("_Said", Reading, Answer)


def filled(
    fields: tuple[FormField, ...], given: Mapping[str, str], gauges: Gauges, where: str, sent: Sent, by: str = ""
) -> Filled:
    """Readings from the fields that were filled in; empty ones stay open. A value that stands as an instrument sent it
    keeps that instrument, its line, time and serial number. `by` is who may decide, if anyone."""
    readings: list[Reading] = []
    faults: dict[str, InspectKitError] = {}
    for field in fields:
        text = given.get(field.name, "").strip()
        if not text:
            continue
        try:
            reading = _reading(field, text, gauges, where, confirmed=given.get(f"sure_{field.name}") == "yes")
            ruled = with_decision(reading, given.get(f"decision_{field.name}", ""), by,
                                  given.get(f"because_{field.name}", ""))  # fmt: skip
            readings.append(as_sent(ruled, text, sent.get(field.name)))
        except InspectKitError as problem:
            faults[field.name] = problem
    return Filled(tuple(readings), faults)


def as_sent(said: _Said, text: str, sent: tuple[str, InstrumentReading] | None) -> _Said:
    """With the instrument, its line, its time and serial number where the text stands as an instrument sent it."""
    if sent is None or text != f"{sent[1].value} {sent[1].unit}":
        return said
    gauge, came = sent
    time = came.time.isoformat(timespec="milliseconds")
    return replace(said, instrument=gauge, raw=came.raw, time=time, serial=came.serial or "")


def _reading(field: FormField, text: str, gauges: Gauges, where: str, *, confirmed: bool) -> Reading:
    question, answer = field.question, answer_to(field.question, text, gauges, confirmed=confirmed)
    name, raw = answer.instrument, answer.raw
    return Reading(
        question.characteristic, answer.text, question.instance, instrument=name, where=where, raw=raw,
        confirmed=confirmed,
    )  # fmt: skip


def with_decision(said: _Said, decision: str, by: str, because: str) -> _Said:
    """With what a person decided; nothing is changed where nobody did, or where this person may not."""
    if decision not in DECISIONS or not by:
        return said
    why = clean(because[:_LONGEST], where="because")
    if not why:
        raise BadInput("decision-needs-reason-printed")
    return replace(said, decision=decision, by=by, because=why)


def answer_to(question: Question, text: str, gauges: Gauges, *, confirmed: bool = False) -> Answer:
    """An answer that can be used, with its instrument; anything else is refused at once."""
    if len(text) > _LONGEST:
        raise BadInput("too-many-characters", count=f"{len(text):,}")
    if question.unit == WORD:
        checked(question, text, None)
        return Answer(question, text)
    value = _value(question, text, gauges, confirmed=confirmed)
    return Answer(question, value, gauges.by_unit.get(question.unit, ""), raw=text, confirmed=confirmed)


def _value(question: Question, text: str, gauges: Gauges, *, confirmed: bool) -> str:
    """As people type it, or else a whole line of an instrument that types like a keyboard."""
    gauge = gauges.instrument(question.unit)
    try:
        _usable(question, text, gauge, confirmed=confirmed)
    except InspectKitError:
        with contextlib.suppress(InspectKitError):
            sent = str(typed_by_instrument(text))
            _usable(question, sent, gauge, confirmed=confirmed)
            return sent
        raise
    return text


def _usable(question: Question, text: str, gauge: Instrument | None, *, confirmed: bool) -> None:
    """The common mistakes have their code, and so a sentence in every language."""
    refuse_unusable(question, text, gauge, confirmed=confirmed)
    checked(question, text, gauge, confirmed=confirmed)


def gauges_for(units: tuple[str, ...], folders: tuple[Path, ...]) -> dict[str, tuple[Instrument, ...]]:
    """The instruments there are for each unit, one's own first; a sheet with faults is passed over."""
    return dict(_gauges_for(units, folders, tuple(_sheets_in(folder) for folder in folders)))


def _sheets_in(folder: Path) -> tuple[tuple[str, int, int, int], ...]:
    """The sheets in a folder of one's own, each with what changes when its file does."""
    try:
        with os.scandir(folder) as there:
            states = [(each.name, each.stat()) for each in there if each.name.endswith(".toml")]
    except OSError:
        return ()
    return tuple(sorted((name, state.st_mtime_ns, state.st_size, state.st_ino) for name, state in states))


@lru_cache(maxsize=64)
def _gauges_for(
    units: tuple[str, ...], folders: tuple[Path, ...], _: tuple[object, ...]
) -> dict[str, tuple[Instrument, ...]]:
    """Read anew only after a sheet came, went or was changed; the shipped ones stay as they are."""
    own, all_ids = instrument_ids(folders), instrument_ids((*folders, shipped("specs") / "instruments"))
    found: dict[str, list[Instrument]] = {unit: [] for unit in units}
    for name in dict.fromkeys((*own, *all_ids)):
        with contextlib.suppress(InspectKitError):
            gauge = load_instruments((name,), folders)[name]
            if gauge.resolution.unit.base in found:
                found[gauge.resolution.unit.base].append(gauge)
    return {unit: tuple(gauges) for unit, gauges in found.items()}


# Players' badges: the name in what a scanner types, whether it is plain text, a MeCard or a vCard.

_MECARD: Final = re.compile(r"MECARD:(?:(?:[^;\\]|\\.)*;)*?N:((?:[^;\\]|\\.)+)", re.IGNORECASE)
_FULL_NAME: Final = re.compile(r"(?:^|[\r\n])\s*FN(?:;[^:\r\n]*)?:([^\r\n]+)", re.IGNORECASE)
_NAME_PARTS: Final = re.compile(r"(?:^|[\r\n])\s*N(?:;[^:\r\n]*)?:([^\r\n]+)", re.IGNORECASE)
_PLAYER: Final = re.compile(r"PLAYER:([^;\r\n]+)", re.IGNORECASE)
_ESCAPED: Final = re.compile(r"\\(.)")


def name_on_badge(text: str) -> str:
    """The player's name; text that is no badge is a name itself. `Family,Given` and `Family;Given` are turned round."""
    short = text[:2000]
    if (found := _MECARD.search(short)) is not None:
        return _given_first(found[1], ",")
    if "BEGIN:VCARD" in short.upper():
        full, parts = _FULL_NAME.search(short), _NAME_PARTS.search(short)
        return _plain(full[1]) if full else _given_first(parts[1], ";") if parts else text
    found = _PLAYER.search(short)
    return found[1].strip() if found else text


def _given_first(name: str, between: str) -> str:
    family, _, rest = name.partition(between)
    return " ".join(filter(None, (_plain(rest.partition(between)[0]), _plain(family))))


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", text).strip()


# What is known of a thing before anybody asks: a measurement file, or photos of it measured at the desk.


_KINDS: Final = {"surface": "board", "coin": "coins", "checker": "checkers", "die": "dice", "striker": "striker",
          "fig": "figure"}  # fmt: skip
"""By the first word of what is asked: what `measure` calls it."""


def kind_for(sheet: Sheet, item: str) -> str:
    """What photos of an item are measured as; empty if photos cannot tell anything of it."""
    asked = {question.characteristic for question in GuidedEntry(sheet, item).questions()}
    measurable = {name.partition(".")[0] for name in asked if name.endswith((".diameter", ".side", ".edge"))}
    return next((kind for first, kind in _KINDS.items() if first in measurable), "")


def read_file(content: bytes) -> MeasurementFile:
    """A measurement file as it was sent: CSV, JSON, .xlsx or .ods; its faults name no place on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "measured"
        path.write_bytes(content)
        try:
            file = read_measurements(path)
        except InspectKitError as problem:
            raise BadInput.of(problem.fault, where=problem.where.replace(f"{folder}/", "")) from None
    named = (replace(each, where=each.where.replace(f"{folder}/", "")) for each in file.readings)
    return replace(file, readings=tuple(named))


def measured_photos(
    contents: Sequence[bytes], kind: str, given: TypedBeside, home: Path
) -> tuple[MeasurementFile, list[EvidencePhoto]]:
    """All photos of one thing measured together, and each as it is kept."""
    kept = [evidence_photo(content) for content in contents]
    photos = {each.name: content for content, each in zip(contents, kept, strict=True)}
    return measured_together(photos, kind, given, home), kept


def on_kept_photos(file: MeasurementFile, kept: Sequence[EvidencePhoto]) -> MeasurementFile:
    """The same with the places in the smaller photos that are kept as evidence."""
    by_name = {each.name: each for each in kept}
    scales = {photo.file: (by_name[photo.file].width / photo.width, by_name[photo.file].height / photo.height)
              for photo in file.photos if photo.file in by_name}  # fmt: skip
    readings = tuple(resized(each, *scales.get(each.photo, (1.0, 1.0)), each.photo) for each in file.readings)
    photos = tuple(Photo(each.name, each.sha256, each.width, each.height) for each in kept)
    return replace(file, readings=readings, photos=photos)
