"""`judge`: measurement files → findings and a verdict."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import click

from inspect_kit.cli.options import files_argument, json_option, measurement_files, sheet_options, task_from
from inspect_kit.cli.output import EXIT_CODES, columns, number, print_json, styled, warn
from inspect_kit.inspection.walk import Outcome, inspect
from inspect_kit.judgement.finding import Finding, Verdict
from inspect_kit.values.limits import lower_of, upper_of


@click.command("judge")
@files_argument
@sheet_options
@json_option
@click.option("--all", "show_all", is_flag=True, help="Also the clauses that do not apply.")
@click.pass_context
def command(ctx: click.Context, /, files: tuple[Path, ...], as_json: bool, show_all: bool, **_: object) -> int:
    """Judge measurements by a federation's sheet.

    \b
    Example:
      inspect-kit judge readings.csv --spec icf-cs --item coin-set
    """
    outcome = inspect(task_from(ctx), measurement_files(files))
    warn(outcome.warnings)
    if as_json:
        print_json(as_data(outcome))
    else:
        for line in as_text(outcome, show_all=show_all):
            click.echo(line)
    return EXIT_CODES[outcome.judgement.verdict]


def as_data(outcome: Outcome) -> dict[str, object]:
    """The findings in the form that scripts rely on."""
    return {
        "spec": outcome.task.sheet.id,
        "item": outcome.task.item.id,
        "rule": outcome.judgement.rule.value,
        "verdict": outcome.judgement.verdict.value,
        "findings": [_finding(finding) for finding in outcome.judgement.findings],
    }


def _finding(finding: Finding) -> dict[str, object]:
    clause, measurement = finding.clause, finding.measurement
    limits = clause.limits
    data: dict[str, object] = {
        "clause": clause.number,
        "characteristic": clause.characteristic,
        "instance": finding.instance,
        "verdict": finding.verdict.value,
        "reason": finding.reason.value,
        "value": number(measurement.value) if measurement else None,
        "unit": measurement.unit if measurement else clause.unit.base if clause.unit else "",
        "u": _rounded(measurement.standard_uncertainty) if measurement else None,
        "lower": number(lower_of(limits)) if limits else None,
        "upper": number(upper_of(limits)) if limits else None,
        "nominal": number(clause.bounds.nominal_in_base),
        "probability": None if finding.probability is None else round(finding.probability, 6),
        "from": clause.source,
    }
    if finding.observation is not None:
        data["observed"] = finding.observation.value
    if finding.missing:
        data["missing"] = finding.missing
    return data


def _rounded(standard: Decimal | None) -> float | None:
    return None if standard is None else float(f"{standard:.6g}")


def as_text(outcome: Outcome, *, show_all: bool) -> list[str]:
    """A table for people, and the verdict in a sentence."""
    shown = [f for f in outcome.judgement.findings if show_all or f.verdict is not Verdict.NOT_APPLICABLE]
    head = ("clause", "characteristic", "", "value", "required", "verdict", "because")
    lines = list(columns([head, *(_row(finding) for finding in shown)]))
    counts = {verdict: sum(f.verdict is verdict for f in outcome.judgement.findings) for verdict in Verdict}
    tally = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    verdict = outcome.judgement.verdict
    return [*lines, "", f"{styled(verdict, verdict.upper())}  ({tally}; rule: {outcome.judgement.rule})"]


def _row(finding: Finding) -> tuple[str, ...]:
    clause = finding.clause
    required = clause.printed or clause.requires
    return (
        clause.number, clause.characteristic, finding.instance, value_text(finding),
        required if len(required) <= 40 else required[:39] + "…",
        styled(finding.verdict, finding.verdict.value), reason_text(finding),
    )  # fmt: skip


def value_text(finding: Finding) -> str:
    """The value with its expanded uncertainty, or what was observed."""
    if finding.observation is not None:
        return finding.observation.value
    if finding.measurement is None:
        return "—"
    measurement = finding.measurement
    expanded = measurement.expanded_uncertainty
    spread = f" ± {float(f'{expanded:.2g}'):g}" if expanded else ""
    return f"{float(measurement.value):.10g}{spread} {measurement.unit}"


def reason_text(finding: Finding) -> str:
    """The reason, with what helps at the table."""
    text = finding.reason.value
    if finding.missing > 1:
        text = f"{text} ({finding.missing} missing)"
    if finding.reason.value.startswith("conditional") and finding.probability is not None:
        text = f"{text} ({finding.probability:.0%} likely to conform)"
    return text
