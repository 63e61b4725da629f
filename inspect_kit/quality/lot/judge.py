"""A lot judged: every piece by the judgement room, the lot by its plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Final

from inspect_kit.capture.instruments import Instrument, load_instruments
from inspect_kit.errors import BadInput, Notice, UsageError, nearest, notice, sentences
from inspect_kit.inspection.walk import Task, distrusted_gauges
from inspect_kit.judgement.verdict import Reason, Verdict
from inspect_kit.quality.lot.column import (
    JudgedCharacteristic,
    JudgingContext,
    Nonconformity,
    ReadingDefaults,
    judged_column,
)
from inspect_kit.quality.lot.file import DEFECT_COLUMNS, LotFile
from inspect_kit.quality.process.capability import anderson_darling
from inspect_kit.quality.sampling.attributes import Lookup, Severity, look_up
from inspect_kit.quality.sampling.variables import PlanRequest, Standard, VariablesLookup, decide, look_up_variables
from inspect_kit.rulebook.clause import Clause, Kind

# How a lot is decided: every piece inspected, a sample counted, or a sample measured.


class Sampling(StrEnum):
    """The three ways."""

    ALL = "all"
    ATTRIBUTES = "attributes"
    VARIABLES = "variables"


@dataclass(frozen=True, slots=True)
class DefectClass:
    """Critical, major or minor: an AQL of its own for some characteristics; without any, for all that no other has."""

    name: str
    aql: Decimal
    characteristics: tuple[str, ...] = ()
    severity: Severity | None = None
    """Its own, where a ledger tells it; else that of the whole lot."""


@dataclass(frozen=True, slots=True)
class ClassPlan:
    """What the tables give for one class; its acceptance number holds for the largest sample of all classes."""

    of: DefectClass
    lookup: Lookup
    severity: Severity


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
    classes: tuple[ClassPlan, ...] = ()

    @property
    def sample(self) -> int:
        """How many pieces the plan wants to see: of several classes the most, so that each sees what it needs."""
        if self.classes:
            return max(each.lookup.plan.size for each in self.classes)
        if self.attributes is not None:
            return self.attributes.plan.size
        return min(self.variables.size, self.size) if self.variables is not None else self.size


@dataclass(frozen=True, slots=True)
class SamplingAgreement:
    """What maker and buyer agreed on; nothing means that all pieces are inspected."""

    aql: Decimal | None = None
    level: str = ""
    severity: Severity = Severity.NORMAL
    by_variables: bool = False
    standard: Standard = Standard.Z19
    sigma: float | None = None
    classes: tuple[DefectClass, ...] = ()


_MOST_PERCENT: Final = Decimal(10)
"""The highest AQL in per cent of pieces (MIL-STD-105E, 4.4); those above it count several defects of one piece."""


def plan_for(size: int, agreed: SamplingAgreement) -> LotPlan:
    """The plan that the tables give for a lot of that size."""
    highest = max((each for each in (agreed.aql, *(of.aql for of in agreed.classes)) if each), default=_MOST_PERCENT)
    if highest > _MOST_PERCENT:
        raise UsageError("aql-counts-defects", aql=highest, most=_MOST_PERCENT)
    if agreed.classes:
        return _plan_of_classes(size, agreed)
    if agreed.aql is None:
        if agreed.by_variables:
            raise UsageError("plan-variables-needs-aql")
        return LotPlan(size)
    if not agreed.by_variables:
        found = look_up(size, agreed.aql, agreed.level or "II", agreed.severity)
        return LotPlan(size, Sampling.ATTRIBUTES, agreed.aql, agreed.level or "II", agreed.severity, found)
    wanted = PlanRequest(size, agreed.aql, agreed.level, agreed.severity, sigma_known=agreed.sigma is not None)
    measured = look_up_variables(wanted, agreed.standard)
    common = (agreed.aql, agreed.level, agreed.severity)
    return LotPlan(size, Sampling.VARIABLES, *common, None, measured, agreed.standard, agreed.sigma)


def _plan_of_classes(size: int, agreed: SamplingAgreement) -> LotPlan:
    if agreed.by_variables or agreed.aql is not None:
        raise UsageError("classes-go-alone")
    level = agreed.level or "II"
    chosen = [(each, each.severity or agreed.severity) for each in agreed.classes]
    found = tuple(ClassPlan(each, look_up(size, each.aql, level, severity), severity) for each, severity in chosen)
    return LotPlan(size, Sampling.ATTRIBUTES, None, level, agreed.severity, classes=found)


def check_sample(plan: LotPlan, file: LotFile) -> None:
    """The sample must be the plan's, no smaller and no larger: a plan's risks hold for its own size only.

    Pieces on photos that could not be measured are part of it: they count as not inspected.
    """
    pieces, missed = len(file.pieces), len(file.missed)
    if pieces == plan.sample or (missed and file.measured < plan.sample):
        return
    there = notice("has-pieces-and-photos" if missed else "has-pieces", pieces=file.measured, photos=missed)
    if plan.kind is Sampling.ALL:
        raise BadInput("not-the-whole-lot", where=file.where, there=there, size=plan.size)
    raise BadInput("not-the-sample", where=file.where, there=there, sample=plan.sample)


def decided(plan: LotPlan, failed: int, still_open: int) -> Verdict:
    """The verdict on a lot by counted pieces.

    Pieces that are still open may turn out either way: only if that cannot change the outcome is there a verdict.
    """
    if plan.attributes is None:
        return Verdict.FAILS if failed else Verdict.UNDECIDED if still_open else Verdict.CONFORMS
    return _counted(plan.attributes, failed, still_open)


def _counted(lookup: Lookup, failed: int, still_open: int) -> Verdict:
    accepts = lookup.plan.accepts
    if accepts(failed + still_open):
        return Verdict.CONFORMS
    return Verdict.UNDECIDED if accepts(failed) else Verdict.FAILS


NOT_NORMAL: Final = 0.01
"""Below this p of the Anderson–Darling test the readings are not normal, and a plan by variables says nothing."""
DOUBTFULLY_NORMAL: Final = 0.05
"""Below this p there is reason to doubt that they are: a plan by variables decides, and its reader is told."""
_OBSERVED: Final = (Kind.VISUAL, Kind.MATERIAL, Kind.FUNCTIONAL)
_NO_DEFECT: Final = frozenset({"", "*", "-", "–", "0", "no", "none", "ok", "nein", "keine", "ne", "nessuno", "žádná"})
DEFECT: Final = "defect"
"""The name under which defects stand that are recorded in words and not under a clause."""


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

    @property
    def classes(self) -> tuple[JudgedClass, ...]:
        """What came of each class of defects."""
        still_open = self.undecided + max(0, self.plan.sample - len(self.file.pieces))
        return judged_classes(self.plan, self.characteristics, still_open)

    @property
    def not_inspected(self) -> int:
        """Pieces of the sample (or of the lot, if it was all to be seen) that nobody looked at."""
        looked_at = len(self.file.pieces) - len(_blank(self.characteristics, self.file))
        return max(len(self.file.pieces), self.plan.sample) - looked_at


def clauses_for(task: Task, characteristics: Iterable[str]) -> tuple[Clause, ...]:
    """The clause of each characteristic; without names, all that have limits. One judged by eye can be named too."""
    limited, seen = _limited_clauses(task), _observed_clauses(task)
    names = tuple(dict.fromkeys(characteristics)) or tuple(limited)
    there = {**seen, **limited}
    for name in names:
        if name not in there:
            hint = nearest(name, there) or notice("there-are", names=", ".join(there)[:160])
            raise UsageError("no-limits", hint=hint, sheet=task.sheet.id, name=name[:40], item=task.item.id)
    for clause in task.sheet.clauses_of(task.item.id):
        name = clause.characteristic
        if name in names and _limited(clause) and clause.limits != there[name].limits:
            raise UsageError("several-limits", where=clause.number, name=name, sheet=task.sheet.id)
    return tuple(there[name] for name in names)


def _limited_clauses(task: Task) -> dict[str, Clause]:
    return {clause.characteristic: clause for clause in task.sheet.clauses_of(task.item.id) if _limited(clause)}


def _observed_clauses(task: Task) -> dict[str, Clause]:
    clauses = task.sheet.clauses_of(task.item.id)
    return {clause.characteristic: clause for clause in clauses if clause.kind in _OBSERVED}


def recorded_besides(task: Task, names: Iterable[str]) -> tuple[str, ...]:
    """The other clauses under which a file may record a defect."""
    chosen = frozenset(names)
    return tuple(name for name in (*_limited_clauses(task), *_observed_clauses(task)) if name not in chosen)


def _limited(clause: Clause) -> bool:
    return clause.limits is not None and clause.kind is not Kind.NOMINAL_WITHOUT_TOLERANCE


def judge_pieces(
    task: Task, file: LotFile, plan: LotPlan, usual: ReadingDefaults, besides: Iterable[str] = ()
) -> LotOutcome:
    """Judge every piece by what the file has of it, and then the lot.

    `besides` are characteristics that were not asked for: they are part of the lot's judgement where a piece fails
    them, or where every piece has an answer.
    """
    check_sample(plan, file)
    extra = frozenset(besides)
    instruments = load_instruments(dict.fromkeys(_gauges(file, usual)), task.instrument_folders)
    bench = JudgingContext(task.rule, instruments, distrusted_gauges(task, instruments), usual)
    clauses = clauses_for(task, [name for name in file.columns if name not in extra])
    asked = [_decided_by_plan(judged_column(clause, file, bench), plan, file.where) for clause in clauses]
    also, said = _recorded(task, file, bench, extra)
    found = (*asked, *also)
    _refuse_empty_class(plan, found, file.where)
    failed, undecided = _count_pieces(found)
    own = (*_notices(task, instruments), *said)
    open_pieces = undecided + max(0, plan.sample - len(file.pieces))
    return LotOutcome(
        task, file, plan, found, failed, undecided, _verdict(plan, found, failed, open_pieces), instruments,
        (*file.warnings, *sentences(own)), (*file.notices, *own),
    )  # fmt: skip


def _recorded(
    task: Task, file: LotFile, bench: JudgingContext, besides: frozenset[str]
) -> tuple[list[JudgedCharacteristic], list[Notice]]:
    """What the file records beyond what was asked for."""
    there = {**_observed_clauses(task), **_limited_clauses(task)}
    found: list[JudgedCharacteristic] = []
    said: list[Notice] = []
    for name in (name for name in file.columns if name in besides):
        try:
            judged = judged_column(there[name], file, bench.besides(there[name]), gaps=False)
        except BadInput as problem:
            said.append(notice("not-looked-at", name=name, reason=problem.told))
            continue
        if judged.verdicts.get(Verdict.FAILS) or (judged.limits is None and judged.complete):
            found.append(judged)
    found += _in_words(file)
    return found, said


def _in_words(file: LotFile) -> Iterator[JudgedCharacteristic]:
    """Defects written down in a column of their own, and pieces that somebody has rejected."""
    cells = next((file.groups[name] for name in DEFECT_COLUMNS if name in file.groups), None)
    rejected = file.groups.get("decision")
    odd: dict[int, Nonconformity] = {}
    for place, word in enumerate(cells or ()):
        if word.casefold() not in _NO_DEFECT:
            odd[place] = Nonconformity(Verdict.FAILS, Reason.OBSERVED_NO, word[:80])
    for place, word in enumerate(rejected or ()):
        if word.casefold() == "reject":
            odd.setdefault(place, Nonconformity(Verdict.FAILS, Reason.OBSERVED_NO, "rejected"))
    if odd:
        words = tuple(odd[place].value if place in odd else None for place in range(len(file.pieces)))
        counts = {Verdict.FAILS: len(odd), Verdict.CONFORMS: len(file.pieces) - len(odd)}
        yield JudgedCharacteristic(None, None, words, (None,), counts, odd)


def _gauges(file: LotFile, usual: ReadingDefaults) -> Iterator[str]:
    if usual.instrument:
        yield usual.instrument
    for column in file.columns.values():
        yield from (name for name in dict.fromkeys(column.instruments) if name)


def _notices(task: Task, instruments: Mapping[str, Instrument]) -> tuple[Notice, ...]:
    told = (gauge.calibration_notice(task.on) for gauge in instruments.values())
    return (*(each for each in told if each is not None), *task.sheet.cautions(task.item.id, task.on))


# The lot


def _blank(found: Iterable[JudgedCharacteristic], file: LotFile) -> set[int]:
    """The pieces of which there is no value at all."""
    blank = set(range(len(file.pieces))) if file.missed else None
    for judged in found:
        mine = judged.unmeasured
        blank = set(mine) if blank is None else blank & mine
    return blank or set()


def _count_pieces(found: Iterable[JudgedCharacteristic]) -> tuple[int, int]:
    """Pieces that fail anywhere, and pieces that are open somewhere and fail nowhere."""
    failed: set[int] = set()
    still_open: set[int] = set()
    for judged in found:
        for place, odd in judged.odd.items():
            (failed if odd.verdict is Verdict.FAILS else still_open).add(place)
    return len(failed), len(still_open - failed)


def _decided_by_plan(judged: JudgedCharacteristic, plan: LotPlan, where: str) -> JudgedCharacteristic:
    if plan.variables is None or judged.limits is None:
        return judged
    if judged.unmeasured:
        raise BadInput("plan-variables-needs-every-piece", where=where, characteristic=judged.characteristic)
    decision = decide(plan.variables, judged.sample, judged.limits, plan.sigma)
    return replace(judged, decision=decision, normality_p=anderson_darling(judged.sample.offsets))


def _verdict(plan: LotPlan, found: Iterable[JudgedCharacteristic], failed: int, undecided: int) -> Verdict:
    """By variables a lot is not decided where the readings are not normal, or where a defect was seen beside them."""
    if plan.classes:
        return _worst([each.verdict for each in judged_classes(plan, tuple(found), undecided)])
    if plan.kind is not Sampling.VARIABLES:
        return decided(plan, failed, undecided)
    judged = tuple(found)
    decisions = [each.decision for each in judged if each.decision is not None]
    if not all(decision.accepted for decision in decisions):
        return Verdict.FAILS
    doubtful = any(each.normality_p is not None and each.normality_p < NOT_NORMAL for each in judged)
    beside = any(each.odd for each in judged if each.decision is None)
    return Verdict.UNDECIDED if doubtful or beside or not decisions else Verdict.CONFORMS


@dataclass(frozen=True, slots=True)
class JudgedClass:
    """One class of defects: its plan, the pieces that fail it, those that are open, and what follows."""

    plan: ClassPlan
    characteristics: tuple[str, ...]
    failed: int
    undecided: int
    verdict: Verdict


def judged_classes(plan: LotPlan, found: tuple[JudgedCharacteristic, ...], still_open: int) -> tuple[JudgedClass, ...]:
    """Every class by its own numbers; a piece may fail several. `still_open` also has pieces that are not there."""
    _, known_open = _count_pieces(found)
    absent = max(0, still_open - known_open)
    return tuple(_judged_class(each, _of_class(each, plan, found), absent) for each in plan.classes)


def _judged_class(plan: ClassPlan, mine: tuple[JudgedCharacteristic, ...], absent: int) -> JudgedClass:
    failed, undecided = _count_pieces(mine)
    names = tuple(each.characteristic for each in mine)
    return JudgedClass(plan, names, failed, undecided, _counted(plan.lookup, failed, undecided + absent))


def _refuse_empty_class(plan: LotPlan, found: tuple[JudgedCharacteristic, ...], where: str) -> None:
    """A class of which nothing was looked at would be accepted by silence."""
    there = {judged.characteristic for judged in found}
    for each in plan.classes:
        lacking = [name for name in each.of.characteristics if name not in there]
        if lacking or not _of_class(each, plan, found):
            raise BadInput("class-not-looked-at", where=where, name=each.of.name, lacking=", ".join(lacking))


def _of_class(
    chosen: ClassPlan, plan: LotPlan, found: tuple[JudgedCharacteristic, ...]
) -> tuple[JudgedCharacteristic, ...]:
    """What a class names; what none names belongs to the class for the rest, or else to the strictest."""
    named = {name for each in plan.classes for name in each.of.characteristics}
    rest = next((each for each in plan.classes if not each.of.characteristics), None)
    strictest = min(plan.classes, key=lambda each: each.of.aql)
    takes_rest = chosen is (rest or strictest)
    return tuple(
        each for each in found
        if each.characteristic in chosen.of.characteristics or (takes_rest and each.characteristic not in named)
    )  # fmt: skip


def _worst(verdicts: list[Verdict]) -> Verdict:
    if Verdict.FAILS in verdicts:
        return Verdict.FAILS
    return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else Verdict.CONFORMS
