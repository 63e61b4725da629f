"""The record of a lot: an inspection's record with the plan, every value of every piece, and what follows from them."""

import hashlib
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import msgspec
from msgspec import structs

from inspect_kit.errors import BadInput
from inspect_kit.inspection.record import MAX_BYTES, Record, RecordPart, Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Outcome
from inspect_kit.judgement.judge import Judgement
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.batch.lines import natural
from inspect_kit.quality.lot.column import JudgedCharacteristic
from inspect_kit.quality.lot.judge import LotOutcome
from inspect_kit.strict_json import misfit


class ClassPart(RecordPart, frozen=True):
    """One class of defects with its plan, what was found, and its verdict."""

    name: str
    aql: str
    code: str
    sample: int
    accept: int
    reject: int
    characteristics: tuple[str, ...]
    failed: int
    undecided: int
    verdict: str
    severity: str | msgspec.UnsetType = msgspec.UNSET
    """Where a ledger switches each class by itself; else the plan's."""


class PlanPart(RecordPart, frozen=True):
    """How the lot was to be decided; numbers that a kind of plan does not have are null."""

    kind: str
    sample: int
    aql: str | None = None
    level: str = ""
    severity: str = ""
    code: str = ""
    accept: int | None = None
    reject: int | None = None
    standard: str = ""
    k: float | None = None
    m_percent: float | None = None
    sigma: float | None = None
    classes: tuple[ClassPart, ...] | msgspec.UnsetType = msgspec.UNSET
    """Critical, major, minor: where each has an AQL of its own."""

    @property
    def _by_name(self) -> dict[str, str]:
        """How each class was inspected; without classes, how all of it was."""
        return {each.name: each.severity or self.severity for each in self.by_class} or {"": self.severity}

    @property
    def severities(self) -> dict[str, str]:
        """How each class was inspected, where they were not all inspected alike."""
        return self._by_name if len(set(self._by_name.values())) > 1 else {}

    @property
    def common_severity(self) -> str:
        """How all of it was inspected: the plan's severity, or that of all classes; empty where they differ."""
        told = set(self._by_name.values())
        return told.pop() if len(told) == 1 else ""

    @property
    def reduced(self) -> bool:
        """Whether any of it was inspected by a reduced plan."""
        return "reduced" in self._by_name.values()

    @property
    def by_class(self) -> tuple[ClassPart, ...]:
        """The classes of defects; none where there is one AQL for all."""
        return self.classes if isinstance(self.classes, tuple) else ()


class VariablesResult(RecordPart, frozen=True):
    """What a sample by variables says of one characteristic."""

    percent: float
    accepted: bool
    index_lower: float | None = None
    index_upper: float | None = None
    normality_p: float | msgspec.UnsetType | None = msgspec.UNSET
    """The p-value of the test that the plan's normal distribution fits."""


class MeasuredSeries(RecordPart, frozen=True):
    """One characteristic: its requirement, and the pieces' values in order of making. Numbers are in `unit`.

    `values` is null where a piece was not measured; `u` has one entry for all pieces, or one a piece. What is judged by
    eye has words for values and neither unit nor limits.
    """

    characteristic: str
    clause: str
    name: str
    printed: str
    unit: str
    nominal: str | None
    lower: str | None
    upper: str | None
    values: tuple[str | None, ...]
    u: tuple[str | None, ...]
    conform: int
    fail: int
    undecided: int
    decided: VariablesResult | None = None
    instruments: tuple[str, ...] = ()

    @property
    def measured(self) -> bool:
        """Whether it has numbers and limits; else it was judged by eye, or by a gauge that says go or no-go."""
        return self.lower is not None or self.upper is not None

    @property
    def numbers(self) -> tuple[str, ...]:
        """The values that are numbers: a limit may be checked by a go/no-go gauge on some pieces."""
        return self.beside(self.values)  # type: ignore[arg-type]

    def beside(self, cells: tuple[str, ...]) -> tuple[str, ...]:
        """Of cells that have one a piece, those of pieces whose value is a number."""
        if not any(word in self.values for word in _NO_NUMBERS):
            return cells
        pairs = zip(cells, self.values, strict=True)
        return tuple(cell for cell, value in pairs if value not in _NO_NUMBERS)


class Nonconforming(RecordPart, frozen=True):
    """A piece that fails a characteristic, or of which it could not be decided."""

    piece: str
    characteristic: str
    verdict: str
    reason: str
    value: str | None = None
    u: str | None = None
    probability: float | None = None


class Delivery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the lot was made and delivered for, as its maker states it."""

    customer: str = ""
    order: str = ""
    article: str = ""
    drawing: str = ""
    delivered: int | None = None
    document: str = ""
    """The type of document after EN 10204: `3.1`, or empty."""
    independent: bool = False
    """The inspector does not belong to the department that made the lot."""


class Lot(RecordPart, frozen=True):
    """All that is particular to a lot."""

    size: int
    pieces: tuple[str, ...]
    plan: PlanPart
    failed: int
    undecided: int
    series: tuple[MeasuredSeries, ...]
    nonconforming: tuple[Nonconforming, ...] = ()
    subgroup: str = ""
    groups: tuple[str, ...] = ()
    rules: str = "nelson"
    missed: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Photos that could not be measured; each stands among the pieces."""
    not_inspected: int | msgspec.UnsetType = msgspec.UNSET
    """Pieces that were to be inspected and were not."""
    order: str | msgspec.UnsetType = msgspec.UNSET
    """How the order of making is known: a column's name, `stated`, or empty where it is not."""
    delivery: Delivery | msgspec.UnsetType = msgspec.UNSET
    trace: dict[str, tuple[str, ...]] | msgspec.UnsetType = msgspec.UNSET
    """Where each piece comes from: operator, shift, machine, cavity, tray, serial, time; one cell a piece."""

    @property
    def ordered(self) -> bool:
        """Whether the pieces are in order of making; records of before this was asked say that they are."""
        return self.order is msgspec.UNSET or bool(self.order) or bool(self.groups)

    @property
    def traced(self) -> dict[str, tuple[str, ...]]:
        """Where each piece comes from, as far as it is known."""
        return self.trace if isinstance(self.trace, dict) else {}

    @property
    def lacking(self) -> int:
        """Pieces that were to be inspected and were not."""
        return 0 if self.not_inspected is msgspec.UNSET else self.not_inspected

    @property
    def uncounted(self) -> bool:
        """Whether nobody said how many pieces there were on photos that could not be measured: each counts as one."""
        return bool(self.missed) and self.plan.kind == "all" and self.size == len(self.pieces)

    @property
    def inspected(self) -> int:
        """Pieces of which something is known."""
        return max(len(self.pieces), self.plan.sample) - self.lacking


class LotRecord(Record, frozen=True, kw_only=True):
    """A record whose `lines` are empty and whose `lot` says everything."""

    lot: Lot  # type: ignore[assignment,unused-ignore]


_DISTINCT: Final = 5
"""Values of one characteristic that may differ in half a sample and still come again in another, piece by piece."""


def sample_marks(lot: Lot) -> tuple[str, ...]:
    """What tells a lot's readings from another's, by the halves of each characteristic's numbers in order of the
    pieces' names: pieces renamed, rows sorted, another unit or one value changed do not make another sample."""
    order = sorted(range(len(lot.pieces)), key=lambda row: natural(lot.pieces[row]))
    middle = len(order) // 2
    marks = []
    for series in lot.series:
        for half in (order, order[:middle], order[middle:]):
            cells = [_without_zeros(series.values[row]) for row in half] if series.measured else []
            if len(set(cells)) > _DISTINCT:
                told = "\x1f".join((series.characteristic, *cells))
                marks.append(hashlib.sha256(told.encode()).hexdigest()[:16])
    return tuple(marks)


def _without_zeros(value: str | None) -> str:
    """A number without the zeros at its end; nothing and words as they are."""
    return (value or "") if value in _NO_NUMBERS else f"{Decimal(str(value)).normalize():f}"


def open_lot_record(content: bytes, *, where: str = "record") -> LotRecord:
    """The record of a lot, as it was attached to its certificate."""
    if len(content) > MAX_BYTES:
        raise BadInput("record-too-large", where=where, max_bytes=MAX_BYTES // 1_000_000)
    try:
        return msgspec.json.decode(content, type=LotRecord)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as problem:
        raise BadInput("not-lot-record", where=where, place=misfit(problem)) from None


# From a judged lot to its record.

ANSWERS = ("yes", "no")
_NO_NUMBERS = (None, *ANSWERS)


class ChartSettings(msgspec.Struct, frozen=True):
    """How a lot's process is looked at: the column of subgroups, the rules, and how the order of making is known."""

    subgroup: str = ""
    rules: str = "1"
    order: str = ""


TRACED = ("operator", "shift", "machine", "cavity", "tray", "serial", "time")
UNCHARTED = ChartSettings()


def lot_record_of(
    outcome: LotOutcome, subject: Subject, charted: ChartSettings = UNCHARTED, delivery: Delivery | None = None
) -> LotRecord:
    """Everything that a lot's certificate says."""
    task, file = outcome.task, outcome.file
    said = (outcome.warnings, outcome.notices)
    plain = record_of(Outcome(task, Judgement(task.rule, ()), (), outcome.instruments, file.photos, *said), subject)
    lot = Lot(
        size=outcome.plan.size,
        pieces=file.pieces,
        plan=_plan(outcome),
        failed=outcome.failed,
        undecided=outcome.undecided,
        series=tuple(_series(judged) for judged in outcome.characteristics),
        nonconforming=tuple(_nonconforming(outcome)),
        subgroup=charted.subgroup,
        groups=file.group_of(charted.subgroup) if charted.subgroup else (),
        rules=charted.rules,
        missed=file.missed or msgspec.UNSET,
        not_inspected=outcome.not_inspected or msgspec.UNSET,
        order=charted.order,
        delivery=delivery if delivery and delivery != Delivery() else msgspec.UNSET,
        trace=_trace(outcome) or msgspec.UNSET,
    )
    common = {name: getattr(plain, name) for name in Record.__struct_fields__ if name not in ("verdict", "lot")}
    return LotRecord(**common, verdict=outcome.verdict.value, lot=lot)


def _trace(outcome: LotOutcome) -> dict[str, tuple[str, ...]]:
    """The columns that tell where a piece comes from, as far as the file has them."""
    groups = outcome.file.groups
    return {name: tuple(groups[name]) for name in TRACED if any(groups.get(name, ()))}


def _classes(outcome: LotOutcome) -> Iterator[ClassPart]:
    for each in outcome.classes:
        of, found = each.plan.of, each.plan.lookup
        yield ClassPart(
            of.name, f"{of.aql:f}", found.code, found.plan.size, found.plan.accept, found.plan.reject,
            each.characteristics, each.failed, each.undecided, each.verdict.value,
            each.plan.severity.value if of.severity else msgspec.UNSET,
        )  # fmt: skip


def _plan(outcome: LotOutcome) -> PlanPart:
    plan = outcome.plan
    if plan.classes:
        parts, told = tuple(_classes(outcome)), {each.severity.value for each in plan.classes}
        severity = told.pop() if len(told) == 1 else ""
        return PlanPart(plan.kind.value, plan.sample, None, plan.level, severity, classes=parts)
    aql = None if plan.aql is None else f"{plan.aql:f}"
    part = PlanPart(plan.kind.value, plan.sample, aql, plan.level, plan.severity.value if aql else "")
    if plan.attributes is not None:
        found = plan.attributes
        return structs.replace(part, code=found.code, accept=found.plan.accept, reject=found.plan.reject)
    if plan.variables is not None:
        measured = plan.variables
        return structs.replace(
            part, code=measured.code, standard=plan.standard.value, k=_rounded(measured.k),
            m_percent=_rounded(measured.m_percent), sigma=plan.sigma,
        )  # fmt: skip
    return part


def _series(judged: JudgedCharacteristic) -> MeasuredSeries:
    clause, counts = judged.clause, judged.verdicts
    bounds = clause.bounds if clause and judged.limits else None
    u = judged.uncertainties
    return MeasuredSeries(
        characteristic=judged.characteristic,
        clause=clause.number if clause else "",
        name=clause.name if clause else "",
        printed=(clause.printed or clause.requires) if clause else "",
        unit=clause.unit.base if clause and clause.unit else "",
        nominal=_plain(bounds.nominal_in_base if bounds else None),
        lower=_plain(bounds.lower.in_base if bounds and bounds.lower else None),
        upper=_plain(bounds.upper.in_base if bounds and bounds.upper else None),
        values=tuple(judged.values),
        u=tuple(u),
        conform=counts.get(Verdict.CONFORMS, 0),
        fail=counts.get(Verdict.FAILS, 0),
        undecided=counts.get(Verdict.UNDECIDED, 0),
        decided=_decided(judged),
        instruments=judged.instruments,
    )


def _decided(judged: JudgedCharacteristic) -> VariablesResult | None:
    decision = judged.decision
    if decision is None:
        return None
    below, above = (None if side is None else _rounded(side) for side in (decision.index_lower, decision.index_upper))
    p = None if judged.normality_p is None else _rounded(judged.normality_p)
    return VariablesResult(_rounded(decision.percent), decision.accepted, below, above, p)


def _nonconforming(outcome: LotOutcome) -> Iterator[Nonconforming]:
    """By piece, and for a piece in the order of the characteristics."""
    places = sorted({place for judged in outcome.characteristics for place in judged.odd})
    for place in places:
        for judged in outcome.characteristics:
            if place in judged.odd:
                odd, piece = judged.odd[place], outcome.file.pieces[place]
                found = (odd.verdict.value, odd.reason.value, odd.value, odd.u, odd.probability)
                yield Nonconforming(piece, judged.characteristic, *found)


def _plain(number: Decimal | None) -> str | None:
    return None if number is None else f"{number:f}"


def _rounded(number: float) -> float:
    return float(f"{number:.10g}")
