"""What `qa lot` says: the outcome for scripts, and the same in lines for people."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

import click

from inspect_kit.certificate.issuing import Issued
from inspect_kit.cli.output import columns, styled
from inspect_kit.cli.quality_process import capability_data
from inspect_kit.judgement.finding import Verdict
from inspect_kit.quality.lot_plan import Sampling
from inspect_kit.quality.lot_record import LotRecord
from inspect_kit.quality.lot_study import Study

_MOST_LINES: Final = 20
_WORDS: Final = {Verdict.CONFORMS: "accepted", Verdict.FAILS: "refused", Verdict.UNDECIDED: "not decided"}


def lot_data(record: LotRecord, studies: tuple[Study, ...], issued: Issued | None) -> dict[str, object]:
    """The outcome in the form that scripts rely on; without a certificate `number`, `pdf` and `qr` are null."""
    lot, plan = record.lot, record.lot.plan
    return {
        "spec": record.sheet.id, "item": record.item.id, "rule": record.rule, "verdict": record.verdict,
        "lot": lot.size, "inspected": len(lot.pieces),
        "plan": {"kind": plan.kind, "n": plan.sample, "ac": plan.accept, "re": plan.reject, "aql": _float(plan.aql),
                 "level": plan.level, "severity": plan.severity, "code": plan.code, "k": plan.k,
                 "m_pct": plan.m_percent},
        "failed": lot.failed, "undecided": lot.undecided,
        "characteristics": [_characteristic(study) for study in studies],
        "nonconforming": [
            {"piece": piece.piece, "characteristic": piece.characteristic, "verdict": piece.verdict,
             "reason": piece.reason, "value": _float(piece.value), "u": _float(piece.u)}
            for piece in lot.nonconforming
        ],
        "number": issued.number if issued else None, "pdf": str(issued.pdf) if issued else None,
        "digest": record.digest, "qr": issued.qr if issued else None,
        "replaces": list(issued.replaces) if issued else [],
    }  # fmt: skip


def _float(text: str | None) -> float | None:
    return None if text is None else float(Decimal(text))


def _characteristic(study: Study) -> dict[str, object]:
    series = study.series
    data: dict[str, object] = {
        "characteristic": series.characteristic, "clause": series.clause, "unit": series.unit,
        "conform": series.conform, "fail": series.fail, "undecided": series.undecided,
        "capability": capability_data(study.capability, study.limits) if study.capability else None,
        "signals": [{"rule": s.rule, "points": list(s.points)} for s in study.chart.signals] if study.chart else [],
    }  # fmt: skip
    if series.decided is not None:
        data |= {"estimated_pct": series.decided.percent, "accepted": series.decided.accepted}
    return data


def print_lot(record: LotRecord, studies: tuple[Study, ...], issued: Issued | None) -> None:
    """The outcome for people."""
    lot = record.lot
    click.echo(f"lot of {lot.size:,}: {_plan(record)}")
    rows = [("characteristic", "n", "mean", "Cpk", "Ppk", "conform", "fail", "open"), *map(_row, studies)]
    for line in columns(rows):
        click.echo(line)
    for piece in lot.nonconforming[:_MOST_LINES]:
        click.echo(
            f"  piece {piece.piece}: {piece.characteristic} {piece.value or '—'}: {piece.verdict}, {piece.reason}"
        )
    if len(lot.nonconforming) > _MOST_LINES:
        click.echo(f"  … and {len(lot.nonconforming) - _MOST_LINES:,} more")
    verdict = Verdict(record.verdict)
    click.echo(styled(verdict, f"the lot is {_WORDS[verdict]}".upper()) + (_written(issued) if issued else ""))


def _plan(record: LotRecord) -> str:
    plan = record.lot.plan
    if plan.kind == Sampling.ATTRIBUTES:
        return f"n = {plan.sample}, Ac = {plan.accept}, Re = {plan.reject} ({plan.severity})"
    if plan.kind == Sampling.VARIABLES:
        return f"n = {plan.sample}, M = {plan.m_percent:.3g} % ({plan.severity}, by variables)"
    return "every piece inspected"


def _written(issued: Issued) -> str:
    kind = "certificate" if issued.verdict == Verdict.CONFORMS else "report"
    return f"  {kind} {issued.number} written to {issued.pdf}"


def _row(study: Study) -> tuple[str, ...]:
    series, found = study.series, study.capability
    indices = (f"{found.short_term.actual:.2f}", f"{found.long_term.actual:.2f}") if found else ("—", "—")
    counts = (f"{count:,}" for count in (series.conform, series.fail, series.undecided))
    return series.characteristic, f"{len(study.sample):,}", f"{study.sample.mean:.6g}", *indices, *counts
