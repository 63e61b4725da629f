"""`qa lot` and `qa export`: a maker's lot, from its readings to its certificate, and to other programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import UNSET

from inspect_kit.atomic_write import write_whole
from inspect_kit.cli.options import PATH, Given, document_language_option, json_option, signer_option, stacked
from inspect_kit.cli.qa.lot_ledger import LedgerBook, keep_lot, ledger_book
from inspect_kit.cli.qa.options import file_argument, name_of, word_of
from inspect_kit.cli.task import issuer_options, replacing_options, sheet_options, task_at_home
from inspect_kit.cli.terminal import EXIT_CODES, columns, in_figures, lang, print_result, said, styled, warn
from inspect_kit.errors import UsageError, sentences, worded, worded_fact
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.walk import Task
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.quality.lot import judge as judging
from inspect_kit.quality.lot import record as lot_record
from inspect_kit.quality.lot.column import ReadingDefaults
from inspect_kit.quality.lot.file import ORDER_COLUMNS, LotFile, WantedCharacteristics, read_lot
from inspect_kit.quality.lot.study import LotStudy, studies_of
from inspect_kit.quality.process.capability import capability_data, stratified_data
from inspect_kit.quality.process.run_rules import FEW, rules_named
from inspect_kit.quality.sample import plain_number, positive_number
from inspect_kit.quality.sampling.attributes import Severity
from inspect_kit.quality.sampling.variables import Standard

if TYPE_CHECKING:
    # Issuing loads pages, keys and the registry; a lot that is only judged needs none of them.
    from inspect_kit.certificate.issue.issue import Desk, Issued

# What `qa lot` says: the outcome for scripts, and the same in lines for people.

_MOST_LINES: Final = 20
"""Nonconforming pieces that are named on the terminal; the rest is counted."""


def lot_data(record: lot_record.LotRecord, studies: tuple[LotStudy, ...], issued: Issued | None) -> dict[str, object]:
    """The outcome in the form that scripts rely on; without a certificate `number`, `pdf` and `qr` are null."""
    lot, plan = record.lot, record.lot.plan
    return {
        "spec": record.sheet.id, "item": record.item.id, "rule": record.rule, "verdict": record.verdict,
        "lot": lot.size, "inspected": lot.inspected, "not_inspected": lot.lacking,
        "plan": {"kind": plan.kind, "n": plan.sample, "ac": plan.accept, "re": plan.reject, "aql": _float(plan.aql),
                 "level": plan.level, "severity": plan.common_severity, "code": plan.code, "k": plan.k,
                 "m_pct": plan.m_percent, "classes": [_class_data(each, plan) for each in plan.by_class]},
        "failed": lot.failed, "undecided": lot.undecided, "rules": lot.rules, "in_order": lot.ordered,
        "characteristics": [*map(_characteristic, studies), *map(_counts, _unstudied(record, studies))],
        "nonconforming": [
            {"piece": piece.piece, "characteristic": piece.characteristic, "verdict": piece.verdict,
             "reason": piece.reason, "value": _number(piece.value), "u": _float(piece.u)}
            for piece in lot.nonconforming
        ],
        "number": issued.number if issued else None, "pdf": str(issued.pdf) if issued else None,
        "digest": record.digest, "qr": issued.qr if issued else None,
        "replaces": list(issued.replaces) if issued else [],
    }  # fmt: skip


def _class_data(each: lot_record.ClassPart, plan: lot_record.PlanPart) -> dict[str, object]:
    return {
        "class": each.name, "aql": _float(each.aql), "n": each.sample, "ac": each.accept, "re": each.reject,
        "characteristics": list(each.characteristics), "failed": each.failed, "undecided": each.undecided,
        "verdict": each.verdict, "severity": each.severity or plan.severity,
    }  # fmt: skip


def _float(text: str | None) -> float | None:
    return None if text is None else float(Decimal(text))


def _number(text: str | None) -> float | str | None:
    """A value; what was judged by eye has a word."""
    try:
        return _float(text)
    except ArithmeticError:
        return text


def _counts(series: lot_record.MeasuredSeries) -> dict[str, object]:
    return {
        "characteristic": series.characteristic, "clause": series.clause, "unit": series.unit,
        "conform": series.conform, "fail": series.fail, "undecided": series.undecided,
    }  # fmt: skip


def _characteristic(study: LotStudy) -> dict[str, object]:
    series = study.series
    data: dict[str, object] = {
        **_counts(series),
        "capability": capability_data(study.capability, study.limits) if study.capability else None,
        "signals": [{"rule": s.rule, "points": list(s.points)} for s in study.chart.signals] if study.chart else [],
        "false_alarm_rate": study.false_alarms, "percentiles": _percentiles(study),
        "strata": [stratified_data(each) for each in study.strata],
    }  # fmt: skip
    if series.decided is not None:
        p = series.decided.normality_p
        data |= {"estimated_pct": series.decided.percent, "accepted": series.decided.accepted,
                 "normality_p": None if p is UNSET else p}  # fmt: skip
    return data


def _percentiles(study: LotStudy) -> dict[str, object] | None:
    found = study.percentiles
    if found is None:
        return None
    return {"distribution": found.chosen.name, "pp": found.pp, "ppk": found.ppk, "aicc": dict(found.tried)}


def _lot_lines(record: lot_record.LotRecord, studies: tuple[LotStudy, ...], issued: Issued | None) -> Iterator[str]:
    """The outcome for people."""
    lot = record.lot
    least = "≥ " if lot.uncounted else ""
    yield said("lot-of", size=f"{least}{lot.size:,}", plan=_plan(record))
    counted = map(said, ("head-conform", "head-fail", "head-open"))
    rows: list[tuple[str, ...]] = [(said("head-characteristic"), "n", said("head-mean"), "Cpk", "Ppk", *counted)]
    found = [_row(study, ordered=lot.ordered) for study in studies]
    found += [_eye_row(series) for series in _unstudied(record, studies)]
    rows += [(name_of("characteristic", row[0]), *(worded_fact(cell, lang()) for cell in row[1:])) for row in found]
    yield from columns(rows)
    if lot.lacking:
        yield "  " + said("lot-lacking", count=f"{least}{lot.lacking:,}", photos=len(lot.missed or ()))
    yield from ("  " + line for line in _doubts(lot.series))
    yield from ("  " + _piece(piece) for piece in lot.nonconforming[:_MOST_LINES])
    if len(lot.nonconforming) > _MOST_LINES:
        yield "  " + said("lot-more", count=f"{len(lot.nonconforming) - _MOST_LINES:,}")
    yield styled(record.verdict, said(f"lot-{record.verdict}").upper()) + (_written(issued) if issued else "")


def _doubts(found: tuple[lot_record.MeasuredSeries, ...]) -> Iterator[str]:
    """What a plan by variables assumes and the readings speak against."""
    for series in found:
        p = series.decided.normality_p if series.decided else None
        if isinstance(p, float) and p < judging.DOUBTFULLY_NORMAL:
            code = "lot-not-normal" if p < judging.NOT_NORMAL else "lot-doubtfully-normal"
            yield said(code, characteristic=name_of("characteristic", series.characteristic), p=f"{p:.2g}")


def _piece(piece: lot_record.Nonconforming) -> str:
    return said(
        "lot-piece", piece=piece.piece, characteristic=name_of("characteristic", piece.characteristic),
        value=in_figures(piece.value or "—"), verdict=word_of("verdict", piece.verdict),
        reason=word_of("reason", piece.reason),
    )  # fmt: skip


def _plan(record: lot_record.LotRecord) -> str:
    plan = record.lot.plan
    severity = word_of("severity", plan.common_severity)
    if plan.by_class:
        told = "; ".join(_class_told(each, plan.severities.get(each.name, "")) for each in plan.by_class)
        return f"n = {plan.sample} ({severity}); {told}" if severity else f"n = {plan.sample}; {told}"
    if plan.kind == judging.Sampling.ATTRIBUTES:
        return f"n = {plan.sample}, Ac = {plan.accept}, Re = {plan.reject} ({severity})"
    if plan.kind == judging.Sampling.VARIABLES:
        most = in_figures(f"{plan.m_percent:.3g}")
        return f"n = {plan.sample}, M = {most} % ({said('lot-by-variables', severity=severity)})"
    return said("lot-every-piece")


def _class_told(each: lot_record.ClassPart, severity: str) -> str:
    verdict, name = word_of("verdict", each.verdict), word_of("class", each.name)
    shown = f"{name} ({word_of('severity', severity)})" if severity else name
    return said("lot-class", name=shown, failed=each.failed, accept=each.accept, verdict=verdict)


def _written(issued: Issued) -> str:
    code = "certificate-written" if issued.verdict == Verdict.CONFORMS else "lot-report-written"
    return "  " + said(code, number=issued.number, file=issued.pdf)


def _unstudied(record: lot_record.LotRecord, studies: tuple[LotStudy, ...]) -> list[lot_record.MeasuredSeries]:
    studied = {study.series.characteristic for study in studies}
    return [series for series in record.lot.series if series.characteristic not in studied]


def _eye_row(series: lot_record.MeasuredSeries) -> tuple[str, ...]:
    seen = sum(value is not None for value in series.values)
    return series.characteristic, f"{seen:,}", "—", "—", "—", *(f"{n:,}" for n in _three(series))


def _three(series: lot_record.MeasuredSeries) -> tuple[int, int, int]:
    return series.conform, series.fail, series.undecided


def _row(study: LotStudy, *, ordered: bool) -> tuple[str, ...]:
    series, found = study.series, study.capability
    within = f"{found.short_term.actual:.2f}" if found and ordered else "—"
    indices = (within, f"{found.long_term.actual:.2f}" if found else "—")
    counts = (f"{count:,}" for count in _three(series))
    return series.characteristic, f"{len(study.sample):,}", f"{study.sample.mean:.6g}", *indices, *counts


lot_options = stacked(
    click.option("--characteristic", "characteristics", multiple=True, metavar="C",
                 help="What was measured; several times for several (default: all that the sheet limits)."),
    click.option("--u", "standard", default="", metavar="U",
                 help="The standard uncertainty of readings that state none: 0.01, 0.01mm."),
    click.option("--instrument", default="", metavar="ID", help="The instrument of readings that name none."),
    click.option("--subject", default="", help="Which lot: its name or number (default: the file's name)."),
    click.option("--maker", default="", help="Who made it."),
    click.option("--place", default="", help="Where."),
    issuer_options,
)  # fmt: skip
"""What says which lot it is and how its readings are to be taken."""


@click.command("lot")
@file_argument
@sheet_options
@lot_options
@click.option("--lot", "size", type=click.IntRange(1), metavar="N", help="Pieces in the lot (default: as in the file).")
@click.option("--aql", metavar="A", help="Decide by a sample: the acceptable quality level, such as 1.0.")
@click.option("--class", "classes", multiple=True, metavar="NAME=AQL[:C,…]",
              help="critical, major, minor with an AQL each: major=1.0:coin.diameter; without C: the rest")  # fmt: skip
@click.option("--level", default="", metavar="L", help="Inspection level: I, II (usual), III, S-1 … S-4.")
@click.option("--severity", type=click.Choice([s.value for s in Severity]), help="normal, tightened or reduced.")
@click.option("--ledger", type=PATH, metavar="LOTS.csv", help="The lots before: tells the severity.")
@click.option("--allow-reduced", is_flag=True, help="Production is steady and reduced inspection is agreed.")
@click.option("--variables", is_flag=True, help="The plan goes by measured values, not by counted pieces.")
@click.option("--standard", "table", type=click.Choice([s.value for s in Standard]), default="z1.9", show_default=True,
              help="Tables for --variables.")  # fmt: skip
@click.option("--sigma", help="The known σ, for --variables.")
@click.option("--subgroup", default="", metavar="COLUMN", help="What was made together, for charts of means.")
@click.option("--in-order", is_flag=True, help="The rows are in order of making: then there is a control chart.")
@click.option("--order", metavar="COLUMN", help="The column that tells the order of making, such as time.")
@click.option("--rules", default=FEW, show_default=True, metavar="R",
              help="Run rules: Nelson's numbers such as 1,2,5, nelson for all eight, western-electric.")  # fmt: skip
@click.option("--resubmitted", is_flag=True, help="The lot was refused before and sorted: no matter of switching.")
@click.option("--customer", default="", help="For whom the lot was made.")
@click.option("--order-number", default="", help="The customer's order.")
@click.option("--article", default="", help="The article's number.")
@click.option("--drawing", default="", help="The drawing and its index.")
@click.option("--delivered", type=click.IntRange(1), help="Pieces delivered.")
@click.option("--en-10204", "document", type=click.Choice(["3.1"]),
              help="State that it is such an inspection certificate.")  # fmt: skip
@click.option("--independent", is_flag=True, help="The inspector does not belong to the department that made the lot.")
@click.option("--register", is_flag=True, help="Enter the lot in the registry, without a certificate: for qa trend.")
@click.option("--dcc", is_flag=True, help="Also attach the results as XML in the shape of a DCC.")
@replacing_options
@signer_option
@document_language_option
@click.option("-o", "--out", type=PATH, metavar="OUT.pdf", help="The certificate to issue.")
@json_option
def lot(file: Path, out: Path | None, **given: Any) -> int:
    """Judge a lot and certify it: sampling plan, results, histogram, control chart, capability, verdict.

    FILE has one row a piece with a column for each characteristic (wide), one row a reading (long, as for judge), is a
    measurement file in JSON, or is what batch wrote. Without --aql every piece of the lot must be in it. With -o the
    certificate is numbered, signed and registered; that needs keys: inspect-kit keys init.

    \b
    Example:
      inspect-kit qa lot coins.csv --spec icf-cs --item coin-set --characteristic coin.diameter \\
        --instrument caliper-150 --lot 500 --aql 1.0 --subject "Lot 2026-11-A" -o lot.pdf
    """
    _refuse_same(file, out)
    rules_named(given["rules"])
    outcome, book = _judged(file, given)
    desk = None if out is None else _desk(given)
    charted = _charted(outcome.file, given)
    subject = _subject(file, given, desk)
    if desk is not None:
        from inspect_kit.certificate.issue.desk import named_otherwise

        told = tuple(named_otherwise(subject, desk))
        outcome = replace(outcome, warnings=(*outcome.warnings, *sentences(told)), notices=(*outcome.notices, *told))
    record = lot_record.lot_record_of(outcome, subject, charted, _delivery(given, outcome.plan.size))
    warn(*worded(outcome.warnings, outcome.notices, lang()))
    studies = studies_of(record)
    issued = _issued(desk, record, out, studies, given) if desk and out else None
    if given["register"] and not issued:
        _register(record, file)
    if book is not None:
        keep_lot(outcome, book, given, record.subject.text)
    print_result(lot_data(record, studies, issued), *_lot_lines(record, studies, issued))
    return EXIT_CODES[outcome.verdict]


def _desk(given: Given) -> Desk:
    from inspect_kit.cli.issuer import desk_of

    return desk_of(given["signer"], given["inspector"])


def _register(record: lot_record.LotRecord, file: Path) -> None:
    """The lot in the registry, once, however often it is judged."""
    from inspect_kit.certificate.issue.issue import summary_of
    from inspect_kit.cli.issuer import registry_here
    from inspect_kit.clock import now
    from inspect_kit.registry.inspections import Inspection, enter

    content = record.canonical()
    entered = enter(registry_here(), [Inspection(summary_of(record), content, content, file.name)], now())
    click.echo(said("lot-registered" if entered else "lot-registered-already"), err=True)


def _issued(desk: Desk, record: lot_record.LotRecord, out: Path, studies: tuple[LotStudy, ...], given: Given) -> Issued:
    """The certificate or report, in the registry like any other."""
    from inspect_kit.certificate.issue.issue import Request, issue_certificate
    from inspect_kit.certificate.pages.lot_render import LotDrawing

    drawing = LotDrawing(studies, dcc=given["dcc"])
    request = Request(
        record, out, given["language"], replaces=given["replaces"], because=given["because"], same_record=True,
        samples=lot_record.sample_marks(record.lot),
    )  # fmt: skip
    issued = issue_certificate(replace(desk, draw=drawing), request)
    warn(*sentences(issued.notices, lang()))
    return issued


def _judged(file: Path, given: Given) -> tuple[judging.LotOutcome, LedgerBook | None]:
    task = task_at_home()
    read, besides = _read(task, file, given)
    book = ledger_book(given, read, _classes(given["classes"]))
    plan = judging.plan_for(given["size"] or len(read.pieces), _agreed(given, book))
    return judging.judge_pieces(task, read, plan, _usual(given), besides), book


def _delivery(given: Given, size: int) -> lot_record.Delivery:
    """What the lot was made for. A 3.1 says who ordered, and that the inspector is not the maker's own department."""
    found = lot_record.Delivery(
        given["customer"], given["order_number"], given["article"], given["drawing"], given["delivered"],
        given["document"] or "", given["independent"],
    )  # fmt: skip
    if found.document and not (found.customer and found.order and found.independent):
        raise UsageError("certificate-31-needs", where="--en-10204")
    if found.delivered and found.delivered > size:
        raise UsageError("delivered-more-than-lot", where="--delivered", delivered=found.delivered, size=size)
    return found


def _charted(file: LotFile, given: Given) -> lot_record.ChartSettings:
    """How the order of making is known: by a column, or because somebody says so."""
    found = _order(file, given)
    return lot_record.ChartSettings(given["subgroup"], given["rules"], found or ("stated" if given["in_order"] else ""))


def _refuse_same(file: Path, out: Path | None) -> None:
    if out is not None and out.exists() and file.exists() and out.samefile(file):
        raise UsageError("would-overwrite-readings", where=str(out))


def _read(task: Task, file: Path, given: Given) -> tuple[LotFile, tuple[str, ...]]:
    """The readings of what was asked for, or of everything that the sheet limits and the file has; and the rest."""
    classes = _classes(given.get("classes", ()))
    named = (*given["characteristics"], *(name for each in classes for name in each.characteristics))
    # A class for the rest takes in all that the sheet limits and the file has.
    rest = any(not each.characteristics for each in classes)
    usual = [clause.characteristic for clause in judging.clauses_for(task, ())] if rest else []
    asked = () if rest else named
    names = tuple(clause.characteristic for clause in judging.clauses_for(task, [*named, *usual]))
    besides = judging.recorded_besides(task, names)
    read = read_lot(file, WantedCharacteristics(names, bool(asked), besides))
    return read.sorted_by(_order(read, given)), besides


def _order(read: LotFile, given: Given) -> str:
    """The column by which the pieces stand in order of making; nothing if they stand so already, or nobody knows."""
    stated = (given.get("order") or "").strip().lower()
    return stated or next((name for name in ORDER_COLUMNS if all(read.groups.get(name) or ("",))), "")


def _usual(given: Given) -> ReadingDefaults:
    return ReadingDefaults(given["standard"], given["instrument"])


def _agreed(given: Given, book: LedgerBook | None) -> judging.SamplingAgreement:
    classes = _classes(given["classes"])
    if given["aql"] is None and not classes and (given["level"] or given["severity"] or given["ledger"]):
        raise UsageError("level-severity-ledger-go-aql")
    severity = book.severity() if book else Severity(given["severity"] or "normal")
    if book:
        classes = tuple(replace(each, severity=book.severity(each.name)) for each in classes)
    return judging.SamplingAgreement(
        None if given["aql"] is None else plain_number(given["aql"], "--aql"), given["level"], severity,
        given["variables"], Standard(given["table"]), positive_number(given["sigma"], "--sigma"), classes,
    )  # fmt: skip


CLASSES: Final = ("critical", "major", "minor")


def _classes(texts: tuple[str, ...]) -> tuple[judging.DefectClass, ...]:
    """The classes as they were typed, each once, and no characteristic in two of them."""
    found = tuple(_class(text) for text in texts)
    names = [name for each in found for name in each.characteristics]
    twice = len({each.name for each in found}) < len(found) or len(set(names)) < len(names)
    if twice or sum(not each.characteristics for each in found) > 1:
        raise UsageError("classes-overlap")
    return tuple(sorted(found, key=lambda each: CLASSES.index(each.name)))


def _class(text: str) -> judging.DefectClass:
    name, equals, rest = text.partition("=")
    aql, _, covered = rest.partition(":")
    if not equals or name.strip().lower() not in CLASSES:
        raise UsageError("no-such-class", text=text[:60])
    names = tuple(part.strip() for part in covered.split(",") if part.strip())
    return judging.DefectClass(name.strip().lower(), plain_number(aql, "--class"), names)


def _subject(file: Path, given: Given, desk: Desk | None = None) -> Subject:
    stated = Subject(
        given["subject"] or file.stem, given["maker"], "", given["place"], given["inspector"], given["issuer"],
        given["issuer_address"],
    )  # fmt: skip
    if desk is None:
        return stated
    from inspect_kit.certificate.issue.desk import signed_subject

    return signed_subject(stated, desk)


@click.command("export")
@file_argument
@sheet_options
@lot_options
@click.option("--to", "form", type=click.Choice(["dfq", "qif", "csv", "xlsx", "dcc"]),
              help="Q-DAS ASCII, QIF 3.0 results, CSV, DCC-shaped XML (default: by OUT's ending).")  # fmt: skip
@click.option("-o", "--out", required=True, type=PATH, help="The file to write.")
def export(file: Path, out: Path, form: str | None, **given: Any) -> None:
    """Hand the values of a lot to other programs, each with its limits and its verdict.

    \b
    Example:
      inspect-kit qa export coins.csv --spec icf-cs --item coin-set --characteristic coin.diameter -o coins.dfq
    """
    from inspect_kit.quality.exchange.write import form_of, lines_in

    _refuse_same(file, out)
    chosen = form_of(form, out)
    task = task_at_home()
    read, besides = _read(task, file, given)
    outcome = judging.judge_pieces(
        task, read, judging.plan_for(len(read.pieces), judging.SamplingAgreement()), _usual(given), besides
    )
    warn(*worded(outcome.warnings, outcome.notices, lang()))
    record = lot_record.lot_record_of(outcome, _subject(file, given))
    write_whole(out, lines_in(chosen, record))
    click.echo(said("pieces-exported", count=f"{len(read.pieces):,}", file=out))
