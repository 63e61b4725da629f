"""A lot judged: every piece by the judgement room, the lot by its plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from inspect_kit.capture.daily_checks import standing
from inspect_kit.capture.instruments import Instrument, load_instruments
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.inspection.walk import Task
from inspect_kit.judgement.judge import Evidence, judge_clause
from inspect_kit.judgement.verdict import Finding, Reason, Verdict
from inspect_kit.measure.interpretation import measurement_of
from inspect_kit.nearest import nearest
from inspect_kit.notices import Notice, notice, sentences
from inspect_kit.quality.lot.file import LotFile
from inspect_kit.quality.sample import Sample
from inspect_kit.quality.sampling.attributes import Lookup, Severity, look_up
from inspect_kit.quality.sampling.variables import (
    PlanRequest,
    Standard,
    VariablesDecision,
    VariablesLookup,
    decide,
    look_up_variables,
)
from inspect_kit.rulebook.clause import Clause, Instances, Kind
from inspect_kit.values.limits import Limits
from inspect_kit.values.measurement import Budget, Component, Measurement, Reading
from inspect_kit.values.quantity import UNITS, parse_quantity

# How a lot is decided: every piece inspected, a sample counted, or a sample measured.


class Sampling(StrEnum):
    """The three ways."""

    ALL = "all"
    ATTRIBUTES = "attributes"
    VARIABLES = "variables"


@dataclass(frozen=True, slots=True)
class LotPlan:
    """The plan for one lot. Without an AQL every piece is inspected and none may fail."""

    size: int
    kind: Sampling = Sampling.ALL
    aql: Decimal | None = None
    level: str = ""
    severity: Severity = Severity.NORMAL
    attributes: Lookup | None = None
    variables: VariablesLookup | None = None
    standard: Standard = Standard.Z19
    sigma: float | None = None

    @property
    def sample(self) -> int:
        """How many pieces the plan wants to see."""
        if self.attributes is not None:
            return self.attributes.plan.size
        return min(self.variables.size, self.size) if self.variables is not None else self.size


@dataclass(frozen=True, slots=True)
class Agreed:
    """What maker and buyer agreed on; nothing means that all pieces are inspected."""

    aql: Decimal | None = None
    level: str = ""
    severity: Severity = Severity.NORMAL
    by_variables: bool = False
    standard: Standard = Standard.Z19
    sigma: float | None = None


def plan_for(size: int, agreed: Agreed) -> LotPlan:
    """The plan that the tables give for a lot of that size."""
    if agreed.aql is None:
        if agreed.by_variables:
            raise UsageError("a plan by variables needs --aql")
        return LotPlan(size)
    if not agreed.by_variables:
        found = look_up(size, agreed.aql, agreed.level or "II", agreed.severity)
        return LotPlan(size, Sampling.ATTRIBUTES, agreed.aql, agreed.level or "II", agreed.severity, found)
    wanted = PlanRequest(size, agreed.aql, agreed.level, agreed.severity, sigma_known=agreed.sigma is not None)
    measured = look_up_variables(wanted, agreed.standard)
    return LotPlan(
        size, Sampling.VARIABLES, agreed.aql, agreed.level, agreed.severity, None, measured, agreed.standard,
        agreed.sigma,
    )  # fmt: skip


def check_sample(plan: LotPlan, pieces: int, where: str) -> None:
    """The sample must be the plan's, no smaller and no larger: a plan's risks hold for its own size only."""
    if pieces == plan.sample:
        return
    if plan.kind is Sampling.ALL:
        raise BadInput(
            f"has {pieces} pieces of a lot of {plan.size}", where=where, hint="give --aql to decide by a sample"
        )
    raise BadInput(f"has {pieces} pieces, the plan wants a sample of {plan.sample}", where=where)


def decided(plan: LotPlan, failed: int, still_open: int) -> Verdict:
    """The verdict on a lot by counted pieces.

    Pieces that are still open may turn out either way: only if that cannot change the outcome is there a verdict.
    """
    if plan.attributes is None:
        return Verdict.FAILS if failed else Verdict.UNDECIDED if still_open else Verdict.CONFORMS
    accepts = plan.attributes.plan.accepts
    if accepts(failed + still_open):
        return Verdict.CONFORMS
    return Verdict.UNDECIDED if accepts(failed) else Verdict.FAILS


_CHUNK = 1_000
"""Pieces judged at a time: what is kept of a piece is its value and, if it does not conform, its finding."""


@dataclass(frozen=True)
class JudgedCharacteristic:
    """One characteristic of all pieces."""

    clause: Clause
    limits: Limits
    values: tuple[Decimal | None, ...]
    uncertainties: tuple[Decimal | None, ...]
    verdicts: Mapping[Verdict, int]
    odd: Mapping[int, Finding]
    """The findings that do not conform, by the piece's place."""
    instruments: tuple[str, ...] = ()
    decision: VariablesDecision | None = None

    @property
    def sample(self) -> Sample:
        """The values for statistics."""
        return Sample.of([value for value in self.values if value is not None])


@dataclass(frozen=True)
class LotOutcome:
    """What came of a lot."""

    task: Task
    file: LotFile
    plan: LotPlan
    characteristics: tuple[JudgedCharacteristic, ...]
    failed: int
    undecided: int
    verdict: Verdict
    instruments: Mapping[str, Instrument]
    warnings: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Usual:
    """What holds for every reading that does not say it itself."""

    u: str = ""
    instrument: str = ""


def clauses_for(task: Task, characteristics: Iterable[str]) -> tuple[Clause, ...]:
    """The clause of each characteristic, which must have limits to judge a lot by; without names, all that have."""
    there = {clause.characteristic: clause for clause in task.sheet.clauses_of(task.item.id) if _limited(clause)}
    names = tuple(dict.fromkeys(characteristics)) or tuple(there)
    for name in names:
        if name not in there:
            hint = nearest(name, there) or f"there are {', '.join(there)[:160]}"
            raise UsageError(f"{task.sheet.id} has no limits for {name[:40]!r} of {task.item.id}", hint=hint)
    same = [clause for clause in task.sheet.clauses_of(task.item.id) if clause.characteristic in names]
    for clause in same:
        if _limited(clause) and clause.limits != there[clause.characteristic].limits:
            raise UsageError(f"{clause.characteristic} has several limits in {task.sheet.id}", where=clause.number)
    return tuple(there[name] for name in names)


def _limited(clause: Clause) -> bool:
    return clause.limits is not None and clause.kind is not Kind.NOMINAL_WITHOUT_TOLERANCE


def judge_pieces(task: Task, file: LotFile, plan: LotPlan, usual: Usual) -> LotOutcome:
    """Judge every piece by what the file has of it, and then the lot."""
    check_sample(plan, len(file.pieces), file.where)
    clauses = clauses_for(task, file.readings)
    instruments = load_instruments(dict.fromkeys(_gauges(file, usual)), task.instrument_folders)
    bench = _Bench(task, instruments, _distrusted(task, instruments), usual)
    found = tuple(_decided_by_plan(_judged(clause, file, bench), plan, file.where) for clause in clauses)
    failed, undecided = _count_pieces(found)
    own = tuple(_notices(task, instruments))
    return LotOutcome(
        task, file, plan, found, failed, undecided, _verdict(plan, found, failed, undecided), instruments,
        (*file.warnings, *sentences(own)),
        (*file.notices, *own),
    )  # fmt: skip


def _gauges(file: LotFile, usual: Usual) -> Iterator[str]:
    for readings in file.readings.values():
        yield from (name for reading in readings if reading and (name := reading.instrument or usual.instrument))


@dataclass(frozen=True)
class _Bench:
    """What every piece is measured and judged with."""

    task: Task
    instruments: Mapping[str, Instrument]
    distrusted: Mapping[str, Reason]
    usual: Usual

    def measured(self, reading: Reading, clause: Clause) -> Measurement:
        assert clause.unit is not None
        own = bool(reading.standard or reading.budget or reading.instrument)
        filled = reading if own or not self.usual.instrument else replace(reading, instrument=self.usual.instrument)
        gauge = self.instruments.get(filled.instrument)
        found = measurement_of(filled, UNITS[clause.unit.base], gauge, signed=clause.kind is Kind.RELATION)
        return found if own or not self.usual.u else replace(found, budget=_stated(self.usual.u, clause.unit.base))


@lru_cache(64)
def _stated(u: str, base: str) -> Budget:
    """The usual uncertainty in the characteristic's own unit, whatever unit a reading came in."""
    stated = parse_quantity(u, UNITS[base], where="--u")
    if stated.unit.base != base or stated.number < 0:
        raise UsageError(f"{u[:40]!r} is no uncertainty in {base}", where="--u")
    return (Component("stated", stated.in_base),)


@dataclass
class _Tally:
    """What is kept while pieces pass by."""

    values: list[Decimal | None] = field(default_factory=list)
    uncertainties: list[Decimal | None] = field(default_factory=list)
    verdicts: dict[Verdict, int] = field(default_factory=dict)
    odd: dict[int, Finding] = field(default_factory=dict)
    gauges: dict[str, None] = field(default_factory=dict)

    def add(self, finding: Finding) -> None:
        measurement = finding.measurement
        verdict = finding.verdict
        if verdict is not Verdict.CONFORMS:
            self.odd[len(self.values)] = finding
        self.verdicts[verdict] = self.verdicts.get(verdict, 0) + 1
        self.values.append(measurement.value if measurement else None)
        self.uncertainties.append(measurement.standard_uncertainty if measurement else None)
        if measurement:
            self.gauges.update(dict.fromkeys(measurement.instruments))


def _judged(clause: Clause, file: LotFile, bench: _Bench) -> JudgedCharacteristic:
    """One characteristic. Each piece stands for itself, so the set's number and its conditions play no part."""
    single = replace(clause, instances=Instances(), when=None, binding=True)
    tally = _Tally()
    readings = file.readings[clause.characteristic]
    for start in range(0, len(readings), _CHUNK):
        for finding in _findings(single, readings[start : start + _CHUNK], bench):
            tally.add(finding)
    if all(value is None for value in tally.values):
        raise BadInput(f"no piece has a value of {clause.characteristic}", where=file.where)
    assert clause.limits is not None
    return JudgedCharacteristic(
        clause, clause.limits, tuple(tally.values), tuple(tally.uncertainties), tally.verdicts, tally.odd,
        tuple(tally.gauges),
    )  # fmt: skip


def _findings(clause: Clause, readings: Iterable[Reading | None], bench: _Bench) -> Iterator[Finding]:
    there = list(readings)
    measurements = [bench.measured(reading, clause) for reading in there if reading is not None]
    found = iter(judge_clause(clause, Evidence.of(measurements, (), bench.distrusted), bench.task.rule))
    for reading in there:
        yield Finding(clause, Verdict.UNDECIDED, Reason.NOT_MEASURED) if reading is None else next(found)


def _distrusted(task: Task, instruments: Mapping[str, Instrument]) -> dict[str, Reason]:
    """The gauges whose readings decide nothing on that day."""
    failed = [name for name in instruments if _own(task, name) and not standing(_home(task), name, task.on).usable]
    expired = [name for name, gauge in instruments.items() if gauge.expired(task.on)]
    return {**dict.fromkeys(failed, Reason.CHECK_FAILED), **dict.fromkeys(expired, Reason.CALIBRATION_EXPIRED)}


def _own(task: Task, name: str) -> bool:
    return task.home is not None and (task.home / "instruments" / f"{name}.toml").is_file()


def _home(task: Task) -> Path:
    assert task.home is not None
    return task.home


def _notices(task: Task, instruments: Mapping[str, Instrument]) -> Iterator[Notice]:
    for gauge in instruments.values():
        if gauge.calibrated_until is None:
            yield notice("gauge-undated", gauge=gauge.id)
        elif gauge.expired(task.on):
            yield notice("gauge-expired", gauge=gauge.id, day=gauge.calibrated_until.isoformat())
    if not task.sheet.in_force(task.on):
        yield notice("sheet-not-in-force", sheet=task.sheet.id, day=task.on.isoformat())


# The lot


def _count_pieces(found: Iterable[JudgedCharacteristic]) -> tuple[int, int]:
    """Pieces that fail anywhere, and pieces that are open somewhere and fail nowhere."""
    failed: set[int] = set()
    still_open: set[int] = set()
    for judged in found:
        for place, finding in judged.odd.items():
            (failed if finding.verdict is Verdict.FAILS else still_open).add(place)
    return len(failed), len(still_open - failed)


def _decided_by_plan(judged: JudgedCharacteristic, plan: LotPlan, where: str) -> JudgedCharacteristic:
    if plan.variables is None:
        return judged
    if None in judged.values:
        raise BadInput(f"a plan by variables needs {judged.clause.characteristic} of every piece", where=where)
    return replace(judged, decision=decide(plan.variables, judged.sample, judged.limits, plan.sigma))


def _verdict(plan: LotPlan, found: Iterable[JudgedCharacteristic], failed: int, undecided: int) -> Verdict:
    if plan.kind is not Sampling.VARIABLES:
        return decided(plan, failed, undecided)
    accepted = all(judged.decision is not None and judged.decision.accepted for judged in found)
    return Verdict.CONFORMS if accepted else Verdict.FAILS
