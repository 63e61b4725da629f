"""`qa lot` and `qa export`: a maker's lot, from its readings to its certificate, and to other programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from inspect_kit.certificate.issue.issue import Desk, Issued, Request, issue_certificate
from inspect_kit.certificate.pages.render import LotDrawing
from inspect_kit.cli.issuer import desk_of, signed_subject
from inspect_kit.cli.options import json_option, language_option, sheet_options, task_from
from inspect_kit.cli.output import EXIT_CODES, columns, print_json, styled, warn, write_whole
from inspect_kit.cli.qa.options import file_argument, plain_number, positive_number
from inspect_kit.cli.qa.process import capability_data
from inspect_kit.errors import UsageError
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.walk import Task
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.notices import worded
from inspect_kit.quality.lot.file import LotFile, WantedCharacteristics, read_lot
from inspect_kit.quality.lot.judge import Agreed, LotOutcome, Sampling, Usual, clauses_for, judge_pieces, plan_for
from inspect_kit.quality.lot.record import LotRecord, lot_record_of
from inspect_kit.quality.lot.study import LotStudy, studies_of
from inspect_kit.quality.process.run_rules import RULE_SETS
from inspect_kit.quality.sampling.attributes import Severity
from inspect_kit.quality.sampling.switching import LotSeries, Scheme, judge_lot, ledger_text, read_ledger
from inspect_kit.quality.sampling.variables import Standard

# What `qa lot` says: the outcome for scripts, and the same in lines for people.

_MOST_LINES: Final = 20
_WORDS: Final = {Verdict.CONFORMS: "accepted", Verdict.FAILS: "refused", Verdict.UNDECIDED: "not decided"}


def lot_data(record: LotRecord, studies: tuple[LotStudy, ...], issued: Issued | None) -> dict[str, object]:
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


def _characteristic(study: LotStudy) -> dict[str, object]:
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


def print_lot(record: LotRecord, studies: tuple[LotStudy, ...], issued: Issued | None) -> None:
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


def _row(study: LotStudy) -> tuple[str, ...]:
    series, found = study.series, study.capability
    indices = (f"{found.short_term.actual:.2f}", f"{found.long_term.actual:.2f}") if found else ("—", "—")
    counts = (f"{count:,}" for count in (series.conform, series.fail, series.undecided))
    return series.characteristic, f"{len(study.sample):,}", f"{study.sample.mean:.6g}", *indices, *counts


Given = Mapping[str, Any]
Command = TypeVar("Command", bound=Any)


def lot_options(command: Command) -> Command:
    """What says which lot it is and how its readings are to be taken."""
    for option in (
        click.option("--issuer-address", default="", help="Its address."),
        click.option("--issuer", default="", help="The body that issues the certificate [default: the keys' issuer]."),
        click.option("--inspector", default="", help="Who inspected it [default: whose key signs]."),
        click.option("--place", default="", help="Where."),
        click.option("--maker", default="", help="Who made it."),
        click.option("--subject", default="", help="Which lot: its name or number (default: the file's name)."),
        click.option("--instrument", default="", metavar="ID", help="The instrument of readings that name none."),
        click.option("--u", "standard", default="", metavar="U",
                     help="The standard uncertainty of readings that state none: 0.01, 0.01mm."),
        click.option("--characteristic", "characteristics", multiple=True, metavar="C",
                     help="What was measured; several times for several (default: all that the sheet limits)."),
    ):  # fmt: skip
        command = option(command)
    return command


@click.command("lot")
@file_argument
@sheet_options
@lot_options
@click.option("--lot", "size", type=click.IntRange(1), metavar="N", help="Pieces in the lot (default: as in the file).")
@click.option("--aql", metavar="A", help="Decide by a sample: the acceptable quality level, such as 1.0.")
@click.option("--level", default="", metavar="L", help="Inspection level: I, II (usual), III, S-1 … S-4.")
@click.option("--severity", type=click.Choice([s.value for s in Severity]), help="normal, tightened or reduced.")
@click.option(
    "--ledger", type=click.Path(path_type=Path), metavar="LOTS.csv", help="The lots before: tells the severity."
)
@click.option("--allow-reduced", is_flag=True, help="Production is steady and reduced inspection is agreed.")
@click.option("--variables", is_flag=True, help="The plan goes by measured values, not by counted pieces.")
@click.option("--standard", "table", type=click.Choice([s.value for s in Standard]), default="z1.9", show_default=True,
              help="Tables for --variables.")  # fmt: skip
@click.option("--sigma", help="The known σ, for --variables.")
@click.option("--subgroup", default="", metavar="COLUMN", help="What was made together, for charts of means.")
@click.option("--rules", type=click.Choice(list(RULE_SETS)), default="nelson", show_default=True, help="Run rules.")
@click.option("--dcc", is_flag=True, help="Also attach the results as XML in the shape of a DCC.")
@click.option("--replaces", multiple=True, metavar="NUMBER", help="A certificate that this one replaces.")
@click.option("--because", default="", help="Why it is replaced.")
@click.option("--signer", default="", help="Whose key signs, where there are several.")
@language_option
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="OUT.pdf", help="The certificate to issue.")
@json_option
@click.pass_context
def lot(ctx: click.Context, /, file: Path, out: Path | None, as_json: bool, **given: Any) -> int:
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
    outcome, series = _judged(ctx, file, given)
    desk = None if out is None else desk_of(ctx, given["signer"], given["inspector"])
    record = lot_record_of(outcome, _subject(file, given, desk), given["subgroup"], given["rules"])
    warn(worded(outcome.warnings, outcome.notices, given["language"]))
    studies = studies_of(record)
    issued = _issued(desk, Request(record, out, given["language"]), studies, given) if desk and out else None
    if series is not None:
        _keep_ledger(outcome, series, given)
    if as_json:
        print_json(lot_data(record, studies, issued))
    else:
        print_lot(record, studies, issued)
    return EXIT_CODES[outcome.verdict]


def _issued(desk: Desk, request: Request, studies: tuple[LotStudy, ...], given: Given) -> Issued:
    """The certificate or report, in the registry like any other."""
    drawing = LotDrawing(studies, dcc=given["dcc"])
    request = replace(request, replaces=given["replaces"], because=given["because"])
    issued = issue_certificate(replace(desk, draw=drawing), request)
    warn(issued.notices)
    return issued


def _judged(ctx: click.Context, file: Path, given: Given) -> tuple[LotOutcome, LotSeries | None]:
    task = task_from(ctx)
    read = _read(task, file, given)
    series = _series(given)
    plan = plan_for(given["size"] or len(read.pieces), _agreed(given, series))
    return judge_pieces(task, read, plan, _usual(given)), series


def _refuse_same(file: Path, out: Path | None) -> None:
    if out is not None and out.exists() and file.exists() and out.samefile(file):
        raise UsageError("would overwrite the readings", where=str(out), hint="choose another name for -o")


def _read(task: Task, file: Path, given: Given) -> LotFile:
    """The readings of what was asked for, or of everything that the sheet limits and the file has."""
    names = tuple(clause.characteristic for clause in clauses_for(task, given["characteristics"]))
    return read_lot(file, WantedCharacteristics(names, needed=bool(given["characteristics"])))


def _usual(given: Given) -> Usual:
    return Usual(given["standard"], given["instrument"])


def _agreed(given: Given, series: LotSeries | None) -> Agreed:
    if given["aql"] is None and (given["level"] or given["severity"] or given["ledger"]):
        raise UsageError("--level, --severity and --ledger go with --aql")
    severity = series.state.severity if series else Severity(given["severity"] or "normal")
    return Agreed(
        None if given["aql"] is None else plain_number(given["aql"], "--aql"), given["level"], severity,
        given["variables"], Standard(given["table"]), positive_number(given["sigma"], "--sigma"),
    )  # fmt: skip


def _series(given: Given) -> LotSeries | None:
    """The lots before this one."""
    if given["ledger"] is None or given["aql"] is None:
        return None
    if given["variables"]:
        raise UsageError("--ledger is for sampling by attributes")
    scheme = _scheme(given)
    series = read_ledger(given["ledger"], scheme, Severity(given["severity"] or "normal"))
    if series.lots and given["severity"]:
        raise UsageError("the ledger tells the severity", hint="--severity only begins a new ledger")
    if series.state.stopped:
        judge_lot(scheme, series.state, given["size"] or 2, 0)
    return series


def _scheme(given: Given) -> Scheme:
    return Scheme(plain_number(given["aql"], "--aql"), given["level"] or "II", given["allow_reduced"])


def _keep_ledger(outcome: LotOutcome, series: LotSeries, given: Given) -> None:
    """Add the lot, if it was decided: an open lot is inspected again, not counted."""
    if outcome.verdict is Verdict.UNDECIDED:
        warn(("the lot is not decided, so it is not in the ledger",))
        return
    scheme = _scheme(given)
    found = outcome.failed + (outcome.undecided if outcome.verdict is Verdict.CONFORMS else 0)
    judged = judge_lot(scheme, series.state, outcome.plan.size, found)
    kept = LotSeries((*series.lots, judged), judged.after)
    write_whole(given["ledger"], ledger_text(kept, scheme).encode())
    if judged.because:
        warn((f"from the next lot on: {judged.after.severity.value}, because {judged.because}",))


def _subject(file: Path, given: Given, desk: Desk | None = None) -> Subject:
    stated = Subject(
        given["subject"] or file.stem, given["maker"], "", given["place"], given["inspector"], given["issuer"],
        given["issuer_address"],
    )  # fmt: skip
    return stated if desk is None else signed_subject(stated, desk)


@click.command("export")
@file_argument
@sheet_options
@lot_options
@click.option("--to", "form", type=click.Choice(["dfq", "qif", "csv", "dcc"]),
              help="Q-DAS ASCII, QIF 3.0 results, CSV, DCC-shaped XML (default: by OUT's ending).")  # fmt: skip
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="The file to write.")
@click.pass_context
def export(ctx: click.Context, /, file: Path, out: Path, form: str | None, **given: Any) -> None:
    """Hand the values of a lot to other programs, each with its limits and its verdict.

    \b
    Example:
      inspect-kit qa export coins.csv --spec icf-cs --item coin-set --characteristic coin.diameter -o coins.dfq
    """
    from inspect_kit.quality.exchange.write import form_of, lines_in

    _refuse_same(file, out)
    chosen = form_of(form, out)
    task = task_from(ctx)
    read = _read(task, file, given)
    outcome = judge_pieces(task, read, plan_for(len(read.pieces), Agreed()), _usual(given))
    warn(outcome.warnings)
    record = lot_record_of(outcome, _subject(file, given))
    write_whole(out, lines_in(chosen, record))
    click.echo(f"{len(read.pieces):,} pieces written to {out}")
