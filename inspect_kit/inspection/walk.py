"""The walk in order: readings → measurements → derived characteristics → findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

from inspect_kit.capture.daily_checks import CheckStatus, standing
from inspect_kit.capture.instruments import Instrument, load_instruments
from inspect_kit.capture.measurement_file import MeasurementFile, Photo
from inspect_kit.errors import BadInput
from inspect_kit.inspection.catalogue import WORD, all_names, measured_names, needed_by
from inspect_kit.inspection.figure_team import COLOUR, Figure, figures_in, team_readings, type_sentences
from inspect_kit.judgement.judge import Evidence, Judgement, answer_to, judge
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Reason
from inspect_kit.measure.derived import derive
from inspect_kit.measure.interpretation import measurement_of, observation_of
from inspect_kit.nearest import nearest
from inspect_kit.rulebook.clause import Clause, Kind
from inspect_kit.rulebook.sheet import Item, Sheet
from inspect_kit.values.measurement import Measurement, Observation, Reading
from inspect_kit.values.quantity import UNITS

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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it, with everything it rests on."""

    task: Task
    judgement: Judgement
    readings: tuple[Reading, ...]
    instruments: Mapping[str, Instrument]
    photos: tuple[Photo, ...]
    warnings: tuple[str, ...]
    figures: tuple[Figure, ...] = ()
    """Where figures are judged: which homologated types each can be of."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should be told besides the findings."""
        return type_sentences(self.figures)


def inspect(task: Task, files: Sequence[MeasurementFile]) -> Outcome:
    """Judge an item by all that the files hold."""
    readings = _numbered(task.sheet, [reading for file in files for reading in file.readings])
    _refuse_repeats(readings)
    instruments = load_instruments(
        (reading.instrument for reading in readings if reading.instrument), task.instrument_folders
    )
    evidence = _evidence(task, readings, instruments)
    figures = figures_in(task.sheet, evidence, task.rule) if task.item.id in _OF_FIGURES else ()
    if task.item.id == _TEAM:
        readings += team_readings(figures, (reading.characteristic for reading in readings))
        evidence = _evidence(task, readings, instruments)
    judgement = judge(task.sheet.clauses_of(task.item.id), evidence, task.rule)
    said = (*(text for file in files for text in file.warnings), *_warnings(task, readings, instruments))
    photos = tuple(photo for file in files for photo in file.photos)
    # Eleven files of a team may say the same.
    warnings = tuple(dict.fromkeys(said))
    return Outcome(task, judgement, tuple(readings), instruments, photos, warnings, figures)


def _evidence(task: Task, readings: Iterable[Reading], instruments: Mapping[str, Instrument]) -> Evidence:
    """What the readings say, and what follows from them."""
    measurements, observations = _interpreted(task.sheet, readings, instruments)
    derived = _derived(task.sheet, measurements, observations)
    return Evidence.of((*measurements, *derived), observations, _distrusted(task, instruments))


def _numbered(sheet: Sheet, readings: Iterable[Reading]) -> list[Reading]:
    """Give numbers to unnamed readings of pieces that come in sets: nineteen rows `coin.mass` are nineteen coins."""
    in_sets = {clause.characteristic for clause in sheet.clauses if clause.instances.several}
    rows = list(readings)
    unnamed: dict[str, int] = {}
    for reading in rows:
        if not reading.instance:
            unnamed[reading.characteristic] = unnamed.get(reading.characteristic, 0) + 1
    counters: dict[str, int] = {}
    for index, reading in enumerate(rows):
        name = reading.characteristic
        if not reading.instance and unnamed[name] > 1 and name in in_sets:
            counters[name] = counters.get(name, 0) + 1
            rows[index] = replace(reading, instance=str(counters[name]))
    return rows


def _refuse_repeats(readings: Iterable[Reading]) -> None:
    seen: dict[tuple[str, str], Reading] = {}
    for reading in readings:
        first = seen.setdefault((reading.characteristic, reading.instance), reading)
        if first is not reading:
            what = f"{reading.characteristic} {reading.instance}".strip()
            raise BadInput(
                f"{what[:80]} stands here and in {first.where}", where=reading.where, hint="tell them apart by instance"
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
        if base == WORD or reading.value.strip().lower() in ("yes", "no"):
            observations.append(_observed(reading, clause))
        else:
            signed = clause is not None and clause.kind is Kind.RELATION
            gauge = instruments.get(reading.instrument)
            measurements.append(measurement_of(reading, UNITS.get(base), gauge, signed=signed))
    return measurements, observations


def _base_unit(reading: Reading, needed: Mapping[str, str]) -> str:
    name = reading.characteristic
    if name in needed:
        return needed[name]
    known = measured_names() if name in measured_names() else all_names()
    if name not in known:
        raise BadInput(
            f'unknown characteristic "{name[:60]}"',
            where=reading.where,
            hint=nearest(name, needed) or nearest(name, known) or "see inspect-kit specs show",
        )
    return known[name]


def _observed(reading: Reading, clause: Clause | None) -> Observation:
    seen = observation_of(reading)
    if clause is not None and answer_to(clause, seen.value) is None:
        words = ", ".join(("yes", "no", *clause.answers))
        raise BadInput(
            f"{clause.characteristic} is answered by {words}, not {reading.value[:40]!r}", where=reading.where
        )
    return seen


def _derived(
    sheet: Sheet, measurements: Iterable[Measurement], observations: Iterable[Observation]
) -> tuple[Measurement, ...]:
    units = {clause.characteristic: clause.unit.base for clause in sheet.clauses if clause.unit}
    formulas = ((entry.characteristic, entry.formula) for entry in sheet.derived)
    return derive(formulas, units, measurements, observations)


def _distrusted(task: Task, instruments: Mapping[str, Instrument]) -> dict[str, Reason]:
    """The instruments whose readings decide nothing on that day, and why."""
    failed = {name for name in instruments if (state := _standing(task, name)) and not state.usable}
    expired = {name for name, gauge in instruments.items() if gauge.expired(task.on)}
    return {**dict.fromkeys(failed, Reason.CHECK_FAILED), **dict.fromkeys(expired, Reason.CALIBRATION_EXPIRED)}


def _standing(task: Task, name: str) -> CheckStatus | None:
    """Where one of the desk's own gauges stands with its daily check; the shipped sheets are nobody's gauge."""
    if task.home is None or not (task.home / "instruments" / f"{name}.toml").is_file():
        return None
    return standing(task.home, name, task.on)


def _warnings(task: Task, readings: Iterable[Reading], instruments: Mapping[str, Instrument]) -> tuple[str, ...]:
    """What the judge does not hold against the item but a reader should know."""
    needed = {*needed_by(task.sheet), *((COLOUR,) if task.item.id in _OF_FIGURES else ())}
    found: dict[str, None] = {}
    for reading in readings:
        # A photo gives more than was asked for; only what somebody typed is missed when it is left aside.
        if reading.characteristic not in needed and not reading.photo:
            found[f"{reading.characteristic} is not asked for by {task.sheet.id} and was left aside"] = None
    for gauge in instruments.values():
        state = _standing(task, gauge.id)
        if state is not None and state.warning:
            found[state.warning] = None
        if gauge.calibrated_until is None:
            found[f"{gauge.id}: no calibration date is stated"] = None
        elif gauge.expired(task.on):
            found[f"{gauge.id}: the calibration ended on {gauge.calibrated_until.isoformat()}"] = None
    if not task.sheet.in_force(task.on):
        found[f"sheet {task.sheet.id} was not in force on {task.on.isoformat()}"] = None
    return tuple(found)
