"""`inspect`: the guided way. Asks in the order of the sheet, shows the running verdict, undoes, can be left."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.capture.connections import read_connections
from inspect_kit.capture.files import read_text
from inspect_kit.capture.gauges.own import read_gauge
from inspect_kit.capture.instruments import Instrument, instrument_ids, load_instruments
from inspect_kit.capture.measurement_file import DECISIONS
from inspect_kit.capture.wedge import typed_by_instrument
from inspect_kit.certificate.content.wording import Wording, wording_for
from inspect_kit.cli.judge import as_data, as_text, reason_text
from inspect_kit.cli.options import json_option, language_option, sheet_options, task_from
from inspect_kit.cli.output import EXIT_CODES, print_json, styled, write_whole
from inspect_kit.errors import BadInput, InspectKitError
from inspect_kit.inspection.catalogue import WORD
from inspect_kit.inspection.guided import (  # fmt: skip
    SKIPPED,
    Answer,
    GuidedEntry,
    Question,
    as_draft,
    as_measurement_file,
    checked,
    from_draft,
)
from inspect_kit.inspection.walk import Outcome, Task, inspect
from inspect_kit.judgement.verdict import Reason, Verdict
from inspect_kit.places import shipped
from inspect_kit.rulebook.clause import Clause, in_base_unit, words_for

_YES: Final = frozenset({"y", "yes", "j", "ja", "a", "ano", "s", "si", "sì"})
_NO: Final = frozenset({"n", "no", "nein", "ne"})
_HELP: Final = """\
  a value      8.1 mm, 8,1mm or 0.81 cm; a bare number is in the unit shown
  yes, no      for what is looked at (also ja/nein, ano/ne, sì/no)
  Enter        pass it over: it stays open
  <            undo the last answer
  ?            how to measure it
  !            take a stable reading from the instrument, if it is connected
  4.11 mm !    confirm a value that is outside what is usual: it is printed as confirmed
  accept: NAME: WHY     decide the last value, where the text prints no tolerance (or reject: NAME: WHY)
  =NAME        from now on read from this instrument (= alone: from none)
  q            leave; start the same command again to go on"""


@click.command("inspect")
@sheet_options
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The file to write [default: ITEM.json].")
@click.option("--instrument", "chosen", multiple=True, help="An instrument that you use; more than once for more.")
@language_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, item: str, out: Path | None, language: str, **given: Any) -> int:
    """Walk through an item clause by clause and write a measurement file.

    \b
    Example:
      inspect-kit inspect --spec icf-cs --item striker --instrument caliper-150 --instrument scale-200g
    """
    task = task_from(ctx)
    target = out or Path(f"{item}.json")
    draft = target.with_name(target.name + ".draft")
    entry = _begun(task, draft, given["chosen"])
    words = wording_for(language, task.sheet.wording)
    title = f"{words.sentence(task.sheet.title)}: {words.name('item', task.item.name)}"
    click.echo(
        f"{title}\n  ? help, < undo, Enter pass over, =NAME choose an instrument, ! read it, q leave\n", err=True
    )
    entry = _asked(entry, task, draft, words)
    if entry.next_question() is not None:
        click.echo(f"left; {draft} keeps the answers, the same command goes on from there", err=True)
        return EXIT_CODES[Verdict.UNDECIDED]
    write_whole(target, as_measurement_file(entry).encode())
    draft.unlink(missing_ok=True)
    outcome = inspect(task, (entry.readings(),))
    if given["as_json"]:
        print_json(as_data(outcome))
    else:
        click.echo("\n".join(as_text(outcome, words, show_all=False)))
    click.echo(f"written to {target}", err=True)
    return EXIT_CODES[outcome.judgement.verdict]


def _begun(task: Task, draft: Path, chosen: tuple[str, ...]) -> GuidedEntry:
    entry = GuidedEntry(task.sheet, task.item.id)
    if draft.is_file():
        entry = from_draft(read_text(draft), task.sheet, task.item.id, draft)
        click.echo(f"going on from {draft}: {len(entry.answers)} answers are there", err=True)
    for name, instrument in load_instruments(chosen, task.instrument_folders).items():
        entry = entry.with_instrument(instrument.resolution.unit.base, name)
    return entry


def _asked(entry: GuidedEntry, task: Task, draft: Path, words: Wording) -> GuidedEntry:
    """Ask until there is nothing left to ask, or the person leaves; every answer is saved at once."""
    while (question := entry.next_question()) is not None:
        text = _prompt(question, entry, words)
        if text is None or text == "q":
            break
        changed = _after(text, question, entry, task, words)
        if changed is not entry:
            entry = changed
            write_whole(draft, as_draft(entry).encode())
    return entry


def _prompt(question: Question, entry: GuidedEntry, words: Wording) -> str | None:
    """What is asked and how to find out, and one line from the person; `None` at the end of the input."""
    clause = question.clause
    name = words.name("characteristic", question.characteristic, clause.name)
    what = f"{name}, {words.instance(question.instance)}" if question.instance else name
    required = _in_asked_unit(clause) or clause.printed or words.sentence(clause.requires)
    gauge = entry.instruments.get(question.unit, "")
    kind = "/".join(question.words or words_for(clause)) if question.unit == WORD else question.unit
    click.echo(click.style(f"{clause.number}  {what}", bold=True) + f"  {required}", err=True)
    click.secho(f"  {words.sentence(clause.how)}", dim=True, err=True)
    click.echo(f"  [{kind}{', ' + gauge if gauge else ''}] > ", nl=False, err=True)
    line = sys.stdin.readline()
    return line.strip() if line else None


def _in_asked_unit(clause: Clause) -> str:
    """The limit in the unit in which a bare number is taken, where the text prints another."""
    other = clause.unit is not None and clause.unit.symbol != clause.unit.base
    return f"{in_base_unit(clause.bounds)}  ({clause.printed})" if other else ""


def _after(text: str, question: Question, entry: GuidedEntry, task: Task, words: Wording) -> GuidedEntry:
    """The entry after what was typed; the same one if it was a question or a mistake."""
    if text == "?":
        _explain(question, words)
        return entry
    if text == "<":
        click.echo("  the last answer is undone" if entry.answers else "  there is nothing to undo", err=True)
        return entry.undone() if entry.answers else entry
    try:
        if text.startswith("="):
            return _with_gauge(text[1:].strip(), question, entry, task)
        if text.partition(":")[0].strip().lower() in DECISIONS:
            return _decided(text, entry, task, words)
        return _answered(text, question, entry, task, words)
    except InspectKitError as problem:
        click.echo(f"  {problem}", err=True)
        return entry


def _explain(question: Question, words: Wording) -> None:
    clause = question.clause
    for text in (clause.requires, clause.how, clause.note):
        if text:
            click.echo(f"  {words.sentence(text)}", err=True)
    click.echo(_HELP, err=True)


def _with_gauge(name: str, question: Question, entry: GuidedEntry, task: Task) -> GuidedEntry:
    if name:
        unit = load_instruments((name,), task.instrument_folders)[name].resolution.unit.base
        return entry.with_instrument(unit, name)
    known = instrument_ids((*task.instrument_folders, shipped("specs") / "instruments"))
    click.echo("  read from no instrument; there are " + ", ".join(known), err=True)
    return entry.with_instrument(question.unit, "")


def _decided(text: str, entry: GuidedEntry, task: Task, words: Wording) -> GuidedEntry:
    """The last answer with a person's decision on it: `accept: J. Referee: drawn by the maker's template`."""
    decision, by, because = ([*(part.strip() for part in text.split(":", 2)), "", ""])[:3]
    if not entry.answers or not (by and because):
        raise BadInput("a decision is accept: WHO: WHY, after the value it is about", hint="both are printed")
    last = replace(entry.answers[-1], decision=decision.lower(), by=by, because=because)
    changed = entry.undone().with_answer(last)
    _show_verdict(inspect(task, (changed.readings(),)), last.question, words)
    return changed


def _answered(text: str, question: Question, entry: GuidedEntry, task: Task, words: Wording) -> GuidedEntry:
    if not text:
        return entry.with_answer(Answer(question, SKIPPED))
    gauge = "" if question.unit == WORD else entry.instruments.get(question.unit, "")
    confirmed = text.endswith("!") and text != "!"
    answer = _sent(question, gauge, task) if text == "!" else _typed(text.rstrip("! "), question, gauge)
    answer = replace(answer, confirmed=confirmed)
    checked(question, answer.text, _instrument(gauge, task), confirmed=confirmed)
    changed = entry.with_answer(answer)
    _show_verdict(inspect(task, (changed.readings(),)), question, words)
    return changed


def _typed(text: str, question: Question, gauge: str) -> Answer:
    """What a person or a keyboard wedge typed; a wedge's whole line is kept as evidence."""
    word = _word(text)
    if question.unit == WORD or word in ("yes", "no"):
        return Answer(question, word)
    try:
        return Answer(question, str(typed_by_instrument(text)), gauge, raw=text)
    except BadInput:
        return Answer(question, word, gauge)


def _sent(question: Question, gauge: str, task: Task) -> Answer:
    """One stable reading from the instrument in use, with its line, time and serial number."""
    connected = read_connections(task.home) if task.home else {}
    if question.unit == WORD or gauge not in connected:
        raise BadInput(
            f"{gauge} is not connected" if gauge else "no instrument is chosen",
            hint="type =NAME, and connect it with inspect-kit instruments add",
        )
    link = connected[gauge]
    sent = read_gauge(load_instruments((gauge,), task.instrument_folders)[gauge], link)
    click.echo(f"  {sent.value} {sent.unit}   ({sent.raw.strip()})", err=True)
    return Answer(
        question,
        f"{sent.value} {sent.unit}",
        gauge,
        sent.raw,
        sent.time.isoformat(timespec="seconds"),
        sent.serial or "",
    )


def _instrument(name: str, task: Task) -> Instrument | None:
    return load_instruments((name,), task.instrument_folders)[name] if name else None


def _word(text: str) -> str:
    folded = text.lower()
    return "yes" if folded in _YES else "no" if folded in _NO else folded if folded.isalpha() else text


def _show_verdict(outcome: Outcome, question: Question, words: Wording) -> None:
    """What the answer means for its clause, and how the item stands."""
    findings = outcome.judgement.findings
    for finding in findings:
        if finding.clause.characteristic == question.characteristic and finding.instance == question.instance:
            verdict = styled(finding.verdict, words.say(f"verdict.{finding.verdict}"))
            click.echo(f"  {verdict}: {reason_text(finding, words)}", err=True)
            if finding.reason is Reason.PERSON_DECIDES:
                click.echo("  type accept: NAME: WHY or reject: NAME: WHY; both are printed", err=True)
            if finding.reason is Reason.UNCERTAINTY_UNKNOWN:
                click.echo("  type =NAME to say which instrument it was read from, < to enter it again", err=True)
    failed = sum(finding.verdict is Verdict.FAILS for finding in findings)
    open_ = sum(finding.verdict is Verdict.UNDECIDED for finding in findings)
    tally = f"{failed} {words.say('tally.fails')}, {open_} {words.say('tally.undecided')}"
    click.echo(f"  ({tally})", err=True)
