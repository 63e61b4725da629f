"""`judge`: measurement files → findings and a verdict."""

import unicodedata
from pathlib import Path
from typing import Final

import click

from inspect_kit.certificate.content.wording import Wording, stated, wording_for
from inspect_kit.cli.options import json_option, language_option
from inspect_kit.cli.task import at_home, files_argument, measurement_files, sheet_options, task_anywhere
from inspect_kit.cli.terminal import EXIT_CODES, columns, print_result, styled, warn
from inspect_kit.errors import worded
from inspect_kit.inspection.judged_data import judged_data
from inspect_kit.inspection.walk import Outcome, inspect
from inspect_kit.judgement.verdict import Finding, Reason, Verdict


@click.command("judge")
@files_argument
@sheet_options
@language_option
@json_option
@click.option("--all", "show_all", is_flag=True, help="Also the clauses that do not apply.")
def command(files: tuple[Path, ...], language: str, show_all: bool, **_: object) -> int:
    """Judge measurements by a federation's sheet.

    \b
    Example:
      inspect-kit judge readings.csv --spec icf-cs --item coin-set
    """
    task, read = task_anywhere(), measurement_files(files)
    gauged = any(reading.instrument for file in read for reading in file.readings)
    outcome = inspect(at_home(task) if gauged else task, read)
    warn(*worded(outcome.warnings, outcome.notices, language))
    words = wording_for(language, outcome.task.sheet.wording)
    print_result(judged_data(outcome), *as_text(outcome, words, show_all=show_all))
    return EXIT_CODES[outcome.judgement.verdict]


def as_text(outcome: Outcome, words: Wording, *, show_all: bool) -> list[str]:
    """A table for people, and the verdict in a sentence."""
    shown = [f for f in outcome.judgement.findings if show_all or f.verdict is not Verdict.NOT_APPLICABLE]
    titles = ("clause", "characteristic", "instance", "result", "requirement", "verdict")
    head = (*(plain(words.say(f"column.{title}")) for title in titles), "")
    lines = list(columns([head, *(_row(finding, words) for finding in shown)]))
    counts = {verdict: sum(f.verdict is verdict for f in outcome.judgement.findings) for verdict in Verdict}
    tally = ", ".join(f"{count} {words.say(f'tally.{verdict}')}" for verdict, count in counts.items() if count)
    verdict = outcome.judgement.verdict
    rule = plain(words.say(f"rule.{outcome.judgement.rule}"))
    last = f"{styled(verdict, words.say(f'overall.{verdict}').upper())}  ({tally}; {rule})"
    return [*lines, *worded(outcome.remarks, outcome.notices, words.language), "", last]


_MOST_POINTS: Final = 12
"""Lines in which `certify` says why there is no certificate; `judge` says all."""


def open_points(outcome: Outcome, words: Wording) -> list[str]:
    """What fails; where nothing does, what is not decided."""
    findings = outcome.judgement.findings
    found = [f for f in findings if f.verdict is outcome.judgement.verdict is not Verdict.CONFORMS]
    lines = list(columns([_row(finding, words) for finding in found[:_MOST_POINTS]]))
    return [*lines, "…"] if len(found) > _MOST_POINTS else lines


def _row(finding: Finding, words: Wording) -> tuple[str, ...]:
    clause = finding.clause
    required = words.localised(clause.printed) or words.sentence(clause.requires)
    return (
        clause.number,
        words.name("characteristic", clause.characteristic, clause.name),
        words.instance(finding.instance),
        value_text(finding, words),
        required if len(required) <= 40 else required[:39] + "…",
        styled(finding.verdict, words.say(f"verdict.{finding.verdict}")),
        reason_text(finding, words),
    )


def value_text(finding: Finding, words: Wording) -> str:
    """The value with its expanded uncertainty, or what was observed."""
    if finding.observation is not None:
        return words.frame.get(f"observed.{finding.observation.value}", finding.observation.value)
    if finding.measurement is None:
        return "—"
    measurement = finding.measurement
    figures = stated(measurement.value, measurement.expanded_uncertainty)
    spread = f" ± {words.number(figures.expanded)}" if figures.expanded else ""
    return words.quantity(f"{words.number(figures.value)}{spread}", measurement.unit)


def reason_text(finding: Finding, words: Wording) -> str:
    """The reason, with what helps at the table."""
    text = plain(words.say(f"reason.{finding.reason}"))
    if finding.missing > 1:
        text = f"{text} ({words.say('reason.missing', number=finding.missing)})"
    if finding.reason in (Reason.CONDITIONAL_PASS, Reason.CONDITIONAL_FAIL) and finding.probability is not None:
        share = words.say("reason.probability", probability=f"{finding.probability:.0%}")
        text = f"{text} ({plain(share)})"
    return text


def plain(text: str) -> str:
    """Words of a certificate for a terminal: its mathematical italics as ordinary letters."""
    return unicodedata.normalize("NFKC", text)
