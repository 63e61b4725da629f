"""From a judged lot to its record."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from msgspec import structs

from inspect_kit.inspection.record import Record, Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Outcome
from inspect_kit.judgement.finding import Finding, Verdict
from inspect_kit.judgement.judge import Judgement
from inspect_kit.quality.lot import Judged, LotOutcome
from inspect_kit.quality.lot_plan import LotPlan
from inspect_kit.quality.lot_record import Decided, Lot, LotRecord, Nonconforming, PlanPart, Series
from inspect_kit.quality.variables import VariablesDecision

_SIGNIFICANT = 6


def lot_record_of(outcome: LotOutcome, subject: Subject, subgroup: str = "", rules: str = "nelson") -> LotRecord:
    """Everything that a lot's certificate says."""
    task, file = outcome.task, outcome.file
    plain = record_of(
        Outcome(task, Judgement(task.rule, ()), (), outcome.instruments, file.photos, outcome.warnings), subject
    )
    lot = Lot(
        size=outcome.plan.size,
        pieces=file.pieces,
        plan=_plan(outcome.plan),
        failed=outcome.failed,
        undecided=outcome.undecided,
        series=tuple(_series(judged) for judged in outcome.characteristics),
        nonconforming=tuple(_nonconforming(outcome)),
        subgroup=subgroup,
        groups=file.group_of(subgroup) if subgroup else (),
        rules=rules,
    )
    common = {name: getattr(plain, name) for name in Record.__struct_fields__ if name not in ("verdict", "lot")}
    return LotRecord(**common, verdict=outcome.verdict.value, lot=lot)


def _plan(plan: LotPlan) -> PlanPart:
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


def _series(judged: Judged) -> Series:
    clause, counts = judged.clause, judged.verdicts
    bounds = clause.bounds
    u = tuple(_short(number) for number in judged.uncertainties)
    return Series(
        characteristic=clause.characteristic,
        clause=clause.number,
        name=clause.name,
        printed=clause.printed,
        unit=clause.unit.base if clause.unit else "",
        nominal=_plain(bounds.nominal_in_base),
        lower=_plain(bounds.lower.in_base if bounds.lower else None),
        upper=_plain(bounds.upper.in_base if bounds.upper else None),
        values=tuple(_plain(value) for value in judged.values),
        u=u[:1] if len(set(u)) == 1 else u,
        conform=counts.get(Verdict.CONFORMS, 0),
        fail=counts.get(Verdict.FAILS, 0),
        undecided=counts.get(Verdict.UNDECIDED, 0),
        decided=_decided(judged.decision),
        instruments=judged.instruments,
    )


def _decided(decision: VariablesDecision | None) -> Decided | None:
    if decision is None:
        return None
    indices = (None if side is None else _rounded(side) for side in (decision.index_lower, decision.index_upper))
    return Decided(_rounded(decision.percent), decision.accepted, *indices)


def _nonconforming(outcome: LotOutcome) -> Iterator[Nonconforming]:
    """By piece, and for a piece in the order of the characteristics."""
    places = sorted({place for judged in outcome.characteristics for place in judged.odd})
    for place in places:
        for judged in outcome.characteristics:
            if place in judged.odd:
                yield _entry(outcome.file.pieces[place], judged.odd[place])


def _entry(piece: str, finding: Finding) -> Nonconforming:
    measurement = finding.measurement
    return Nonconforming(
        piece, finding.clause.characteristic, finding.verdict.value, finding.reason.value,
        _plain(measurement.value) if measurement else None,
        _short(measurement.standard_uncertainty) if measurement else None,
        None if finding.probability is None else round(finding.probability, 6),
    )  # fmt: skip


def _plain(number: Decimal | None) -> str | None:
    return None if number is None else f"{number:f}"


def _short(number: Decimal | None) -> str | None:
    return None if number is None else f"{Decimal(f'{number:.{_SIGNIFICANT - 1}e}').normalize():f}"


def _rounded(number: float) -> float:
    return float(f"{number:.10g}")
