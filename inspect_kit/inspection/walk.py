"""The walk in order: readings → measurements → derived characteristics → findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inspect_kit.capture.instruments import Instrument, load_instruments
from inspect_kit.capture.measurement_file import MeasurementFile, Photo
from inspect_kit.errors import BadInput, Notice, nearest, notice, sentences
from inspect_kit.inspection.catalogue import COLOUR, WORD, all_names, measured_names, named_instances, needed_by
from inspect_kit.judgement.judge import Evidence, Judgement, judge_item
from inspect_kit.judgement.rules import RuleName, guarded
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.measure.derived import derive
from inspect_kit.measure.interpretation import (
    ROUNDING,
    finest_for,
    instrument_budget,
    measurement_of,
    observation_of,
    refuse_too_fine,
)
from inspect_kit.rulebook.clause import ABSENT, CONFIDENCE, Clause, Kind, answer_to, answered_by_looking, words_for
from inspect_kit.rulebook.sheet import Derived, Item, Sheet
from inspect_kit.values.limits import Limits
from inspect_kit.values.measurement import COVERAGE_FACTOR, Budget, Measurement, Observation, Reading, Ruling, combined
from inspect_kit.values.quantity import UNITS, Quantity, parse_quantity
from inspect_kit.values.words import piece_key

if TYPE_CHECKING:
    from inspect_kit.capture.daily_checks import CheckStatus
    from inspect_kit.inspection.figure_team import Figure

_TEAM: Final = "team"
_OF_FIGURES: Final = ("figure", _TEAM)
"""Items whose figures are named by their type."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be judged: an item of a sheet, by a rule, on a day; with the desk's home and further gauges."""

    sheet: Sheet
    item: Item
    rule: RuleName
    on: date
    instrument_folders: tuple[Path, ...] = ()
    home: Path | None = None
    day_stated: bool = True
    """Whether somebody said the day, rather than the desk's clock that decides."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it, with everything it rests on."""

    task: Task
    judgement: Judgement
    readings: tuple[Reading, ...]
    instruments: Mapping[str, Instrument]
    photos: tuple[Photo, ...]
    warnings: tuple[str, ...]
    notices: tuple[Notice, ...] = ()
    """Those of the warnings, and what a reader should be told besides, that can be said in other languages too."""
    figures: tuple[Figure, ...] = ()
    """Where figures are judged: which homologated types each can be of."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should be told besides the findings."""
        return sentences(_type_notices(self.figures))


def inspect(task: Task, files: Sequence[MeasurementFile]) -> Outcome:
    """Judge an item by all that the files hold."""
    readings = _without_photo_guesses([reading for file in files for reading in file.readings])
    readings = _numbered(task.sheet, readings)
    _refuse_repeats(readings)
    refuse_seen_twice(replace(each, photo="") for each in readings if each.characteristic in _in_sets(task.sheet))
    _refuse_unknown_instances(task.sheet, readings)
    instruments = load_instruments(
        (reading.instrument for reading in readings if reading.instrument), task.instrument_folders
    )
    _refuse_other_instruments(readings, instruments)
    _refuse_other_lines(readings)
    if task.day_stated:
        refuse_later_readings(readings, task.on)
    evidence = _evidence(task, readings, instruments)
    figures = _figures(task, evidence)
    contradicted: tuple[Notice, ...] = ()
    if task.item.id == _TEAM:
        from inspect_kit.inspection.figure_team import with_team

        readings, contradicted = with_team(readings, figures)
        evidence = _evidence(task, readings, instruments)
    judgement = judge_item(task.sheet, task.item, evidence, task.rule)
    if task.rule is RuleName.GUARDED:
        _refuse_hanging_on_u(judgement.findings)
    own = (*_notices(task, readings, instruments), *_digits_left_out(evidence, instruments), *contradicted)
    said = (*(text for file in files for text in file.warnings), *sentences(own))
    told = (*(each for file in files for each in file.notices), *own, *_type_notices(figures))
    photos = tuple(photo for file in files for photo in file.photos)
    # Eleven files of a team may say the same.
    warnings = tuple(dict.fromkeys(said))
    return Outcome(task, judgement, tuple(readings), instruments, photos, warnings, tuple(dict.fromkeys(told)), figures)


def _figures(task: Task, evidence: Evidence) -> tuple[Figure, ...]:
    if task.item.id not in _OF_FIGURES:
        return ()
    from inspect_kit.inspection.figure_team import figures_in

    return figures_in(task.sheet, evidence, task.rule)


def _type_notices(figures: Sequence[Figure]) -> tuple[Notice, ...]:
    if not figures:
        return ()
    from inspect_kit.inspection.figure_team import type_notices

    return type_notices(figures)


def _evidence(task: Task, readings: Sequence[Reading], instruments: Mapping[str, Instrument]) -> Evidence:
    """What the readings say, what follows from them, and what persons decided."""
    stated = [reading for reading in readings if reading.value]
    measurements, observations = _interpreted(task.sheet, stated, instruments)
    unclear = {seen.characteristic for seen in observations if not _sure(seen)}
    formulas = [entry for entry in task.sheet.derived if not unclear.intersection(entry.formula.names)]
    derived = _derived(task.sheet, formulas, _of_whole_pieces(task.sheet, measurements), observations)
    left_open = frozenset(entry.characteristic for entry in task.sheet.derived if entry not in formulas)
    found = Evidence.of((*measurements, *derived), observations, distrusted_gauges(task, instruments))
    return replace(found, rulings=rulings_in(readings), unclear=left_open)


def _of_whole_pieces(sheet: Sheet, measurements: Sequence[Measurement]) -> list[Measurement]:
    """Without the parts of pieces that were not measured whole: nothing about a die follows from one of its edges."""
    parts = {c.characteristic: c.instances.parts for c in sheet.clauses if c.instances.parts}
    there = {(found.characteristic, found.instance) for found in measurements}

    def whole(found: Measurement) -> bool:
        name, piece = found.characteristic, found.instance.rpartition(".")[0]
        return all((name, f"{piece}.{part}") in there for part in parts.get(name, ()))

    return [found for found in measurements if whole(found)]


def _sure(seen: Observation) -> bool:
    return seen.confidence is None or seen.confidence >= CONFIDENCE


def _without_photo_guesses(readings: Sequence[Reading]) -> list[Reading]:
    """Where a person has answered what a photo only guessed, the person's answer stands."""
    answered = {_place(reading) for reading in readings if reading.value and not reading.from_photo}
    return [reading for reading in readings if not (_guessed(reading) and _place(reading) in answered)]


def _guessed(reading: Reading) -> bool:
    """A word that a program saw; a number that it measured is no guess."""
    return reading.from_photo and not reading.unit and not reading.standard


def _place(reading: Reading) -> tuple[str, str]:
    return reading.characteristic, reading.instance


def _in_sets(sheet: Sheet) -> frozenset[str]:
    """What is measured of pieces that come in sets and are told apart by any name."""
    several = (clause for clause in sheet.clauses if clause.instances.several and not clause.instances.names)
    return frozenset(clause.characteristic for clause in several)


def refuse_seen_twice(readings: Iterable[Reading]) -> None:
    """Two pieces do not lie at the same pixel of a photo: one of them was counted again under another name."""
    seen: dict[tuple[str, str, int, int], Reading] = {}
    for reading in readings:
        if reading.pixel is None:
            continue
        place = (reading.characteristic, reading.photo, round(reading.pixel[0]), round(reading.pixel[1]))
        first = seen.setdefault(place, reading)
        # The edges of one die share its place.
        if first.instance.partition(".")[0] != reading.instance.partition(".")[0]:
            what = {"characteristic": reading.characteristic, "first": first.instance[:40]}
            raise BadInput("piece-seen-twice", where=reading.where, instance=reading.instance[:40], **what)


def _numbered(sheet: Sheet, readings: Iterable[Reading]) -> list[Reading]:
    """Give numbers to unnamed readings of pieces that come in sets: nineteen rows `coin.mass` are nineteen coins."""
    in_sets = _in_sets(sheet)
    rows = list(readings)
    unnamed = Counter(reading.characteristic for reading in rows if reading.value and not reading.instance)
    counters: Counter[str] = Counter()
    for index, reading in enumerate(rows):
        name = reading.characteristic
        if reading.value and not reading.instance and unnamed[name] > 1 and name in in_sets:
            counters[name] += 1
            rows[index] = replace(reading, instance=str(counters[name]))
    return rows


def rulings_in(readings: Iterable[Reading]) -> dict[str, dict[str, Ruling]]:
    """What persons decided, by characteristic and instance."""
    found: dict[str, dict[str, Ruling]] = {}
    for reading in readings:
        if reading.decision:
            ruling = Ruling(reading.decision == "accept", reading.by, reading.because)
            found.setdefault(reading.characteristic, {})[reading.instance] = ruling
    return found


def _refuse_repeats(readings: Iterable[Reading]) -> None:
    """One value and one decision a place; the decision may stand in a row of its own."""
    seen: dict[tuple[str, str, bool], Reading] = {}
    for reading in readings:
        place = (reading.characteristic, piece_key(reading.instance), bool(reading.value))
        first = seen.setdefault(place, reading)
        if first is not reading:
            what = f"{reading.characteristic} {reading.instance}".strip()
            raise BadInput("stands-twice-in-files", where=reading.where, what=what[:80], place=first.where)


def _refuse_other_instruments(readings: Iterable[Reading], instruments: Mapping[str, Instrument]) -> None:
    """A reading that names another serial number than its sheet: that sheet's calibration is not for it."""
    for reading in readings:
        gauge = instruments.get(reading.instrument)
        if gauge and gauge.serial and reading.serial and reading.serial.strip() != gauge.serial.strip():
            raise BadInput(
                "other-serial-number",
                where=reading.where,
                serial=reading.serial[:40],
                gauge=gauge.id,
                stated=gauge.serial[:40],
            )


def _refuse_other_lines(readings: Iterable[Reading]) -> None:
    """A value beside a line that says another one, or a line that stands for two values."""
    seen: dict[tuple[str, str, str], Reading] = {}
    for reading in readings:
        if not (reading.time and reading.value):
            continue
        first = seen.setdefault((reading.instrument, reading.time, reading.raw), reading)
        if first is not reading:
            raise BadInput("one-line-for-two", where=reading.where, line=reading.raw[:60], place=first.where)
        from inspect_kit.capture.protocols.table import values_in

        told, value = values_in(reading.raw), parse_quantity(f"{reading.value} {reading.unit}")
        if told and (value.in_base, value.unit.base) not in told:
            raise BadInput("line-says-otherwise", where=reading.where, value=value, line=reading.raw[:60])


def refuse_later_readings(readings: Iterable[Reading], on: date) -> None:
    """What an instrument sent after the day of the inspection: an earlier day would bring back an expired gauge."""
    for reading in readings:
        # A day on either side of the date line is the same one.
        if reading.time[:10] > (on + timedelta(days=1)).isoformat():
            raise BadInput("read-after-inspection", where=reading.where, time=reading.time[:40], day=on.isoformat())


def _refuse_hanging_on_u(findings: Iterable[Finding]) -> None:
    """What conforms only by an uncertainty that no gauge is named for and none that is listed comes near."""
    for found in findings:
        measured, limits = found.measurement, found.clause.limits
        if measured is None or limits is None or found.verdict is not Verdict.CONFORMS:
            continue
        if measured.budget and not (measured.instruments or measured.formula):
            _refuse_by_finest(measured, measured.budget, limits)


def _refuse_by_finest(measured: Measurement, budget: Budget, limits: Limits) -> None:
    value = Quantity(measured.value, UNITS[measured.unit])
    gauge = finest_for(value)
    usual = COVERAGE_FACTOR * combined(instrument_budget(gauge, measured.value)) if gauge else Decimal(0)
    if guarded(measured.value, usual, limits)[0] is not Verdict.CONFORMS:
        refuse_too_fine(budget, value, None, f"{measured.readings[0].where}: u")


def _refuse_unknown_instances(sheet: Sheet, readings: Iterable[Reading]) -> None:
    """A place that the sheet does not know is a slip; it would hide that the place meant was not measured."""
    known = named_instances(sheet)
    for reading in readings:
        names = known.get(reading.characteristic, ())
        if names and reading.instance and reading.instance not in names:
            meant = nearest(reading.instance, names)
            raise BadInput(
                "no-such-instance",
                where=reading.where,
                hint=meant or notice("there-are", names=", ".join(names)),
                characteristic=reading.characteristic,
                instance=reading.instance[:40],
            )


def _interpreted(
    sheet: Sheet, readings: Iterable[Reading], instruments: Mapping[str, Instrument]
) -> tuple[list[Measurement], list[Observation]]:
    clauses = {clause.characteristic: clause for clause in sheet.clauses}
    needed = needed_by(sheet)
    measurements: list[Measurement] = []
    observations: list[Observation] = []
    for reading in readings:
        base = _base_unit(reading, needed)
        clause = clauses.get(reading.characteristic)
        if base == WORD or reading.value.strip().lower() in ("yes", "no", ABSENT):
            observations.append(_observed(reading, clause, sheet))
        else:
            signed = clause is not None and clause.kind is Kind.RELATION
            gauge = instruments.get(reading.instrument)
            usual = sheet.plausible.get(reading.characteristic)
            measurements.append(measurement_of(reading, UNITS.get(base), gauge, signed=signed, usual=usual))
    return measurements, observations


def _base_unit(reading: Reading, needed: Mapping[str, str]) -> str:
    name = reading.characteristic
    if name in needed:
        return needed[name]
    known = measured_names() if name in measured_names() else all_names()
    if name not in known:
        raise BadInput(
            "unknown-characteristic",
            where=reading.where,
            hint=nearest(name, needed) or nearest(name, known) or notice("see-help", command="inspect-kit specs show"),
            name=name[:60],
        )
    return known[name]


def _observed(reading: Reading, clause: Clause | None, sheet: Sheet) -> Observation:
    seen = observation_of(reading)
    words = words_for(clause) if clause is not None else sheet.words_of(reading.characteristic)
    known = answer_to(clause, seen.value) is not None if clause is not None else not words or seen.value in words
    if known:
        return seen
    if not words:
        raise BadInput(
            "measured-not-answered", where=reading.where, characteristic=reading.characteristic, seen=seen.value
        )
    raise BadInput(
        "answered-otherwise",
        where=reading.where,
        hint=nearest(seen.value, words),
        characteristic=reading.characteristic,
        words=", ".join(words),
        reading=reading.value[:40],
    )


def _derived(
    sheet: Sheet, entries: Iterable[Derived], measurements: Iterable[Measurement], observations: Iterable[Observation]
) -> tuple[Measurement, ...]:
    units = {clause.characteristic: clause.unit.base for clause in sheet.clauses if clause.unit}
    formulas = ((entry.characteristic, entry.formula) for entry in entries)
    return derive(formulas, units, measurements, observations)


def distrusted_gauges(task: Task, instruments: Mapping[str, Instrument]) -> dict[str, Reason]:
    """The instruments whose readings decide nothing on that day, and why."""
    failed = {name for name in instruments if (state := _standing(task, name)) and not state.usable}
    expired = {name for name, gauge in instruments.items() if gauge.expired(task.on)}
    return {**dict.fromkeys(failed, Reason.CHECK_FAILED), **dict.fromkeys(expired, Reason.CALIBRATION_EXPIRED)}


def _standing(task: Task, name: str) -> CheckStatus | None:
    """Where one of the desk's own gauges stands with its daily check; the shipped sheets are nobody's gauge."""
    if task.home is None or not (task.home / "instruments" / f"{name}.toml").is_file():
        return None
    from inspect_kit.capture.daily_checks import standing

    return standing(task.home, name, task.on)


def _notices(task: Task, readings: Iterable[Reading], instruments: Mapping[str, Instrument]) -> tuple[Notice, ...]:
    """What the judge does not hold against the item but a reader should know."""
    needed = {*needed_by(task.sheet), *((COLOUR,) if task.item.id in _OF_FIGURES else ())}
    found: dict[Notice, None] = {}
    for reading in readings:
        # A photo gives more than was asked for; only what somebody typed is missed when it is left aside.
        if reading.characteristic not in needed and not reading.photo:
            found[notice("left-aside", name=reading.characteristic, sheet=task.sheet.id)] = None
        if reading.time and reading.time[:10] < (task.on - timedelta(days=1)).isoformat():
            found[notice("read-days-before", gauge=reading.instrument, day=reading.time[:10])] = None
    for gauge in instruments.values():
        state = _standing(task, gauge.id)
        told = (state.notice if state else None, gauge.calibration_notice(task.on))
        found |= dict.fromkeys(each for each in told if each is not None)
    found |= dict.fromkeys(_idle_decisions(task.sheet, readings))
    found |= dict.fromkeys(task.sheet.cautions(task.item.id, task.on))
    return tuple(found)


def _digits_left_out(evidence: Evidence, instruments: Mapping[str, Instrument]) -> Iterator[Notice]:
    """Values typed with fewer digits than their gauge shows: they count as rounded."""
    for found in (each for several in evidence.measurements.values() for each in several if not each.formula):
        if any(part.source == ROUNDING for part in found.budget or ()):
            gauge, reading = instruments[found.instruments[0]], found.readings[0]
            unit = reading.unit or gauge.resolution.unit.symbol
            digit = gauge.resolution.to(unit).number
            facts = {"value": reading.value, "unit": unit, "gauge": gauge.id, "digit": digit}
            yield notice("digits-left-out", name=f"{reading.characteristic} {reading.instance}".strip(), **facts)


def _idle_decisions(sheet: Sheet, readings: Iterable[Reading]) -> Iterator[Notice]:
    """Decisions where none is called for: a limit decides, whoever holds the pen."""
    decided = [reading for reading in readings if reading.decision]
    if not decided:
        return
    limited = {clause.characteristic for clause in sheet.clauses if clause.limits and not answered_by_looking(clause)}
    for reading in decided:
        if reading.characteristic in limited:
            yield notice("decision-idle", name=reading.characteristic, person=reading.by)
