"""`inspect`: the guided way. Few screens, the running verdict, undo, jumps; it can be left and taken up again."""

import json
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.files import read_text
from inspect_kit.capture.instruments import Instrument, instrument_ids, load_instruments
from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.cli.guided.session import GuidedSession, lines_of, prompt_of
from inspect_kit.cli.judge import as_text
from inspect_kit.cli.options import PATH, json_option, language_option
from inspect_kit.cli.task import sheet_options, task_at_home
from inspect_kit.cli.terminal import EXIT_CODES, print_result, wants_json
from inspect_kit.errors import BadInput, InspectKitError, UsageError
from inspect_kit.inspection import guided
from inspect_kit.inspection.judged_data import judged_data
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.values.measurement import Reading


@click.command("inspect")
@click.argument("files", nargs=-1, type=PATH)
@sheet_options
@click.option("-o", "--out", type=PATH, help="The file to write [default: ITEM.json].")
@click.option("--instrument", "chosen", multiple=True, help="A gauge that you use; more than once for more.")
@click.option("--plain", is_flag=True, help="Plain prompts also where a full screen is possible; for screen readers.")
@language_option
@json_option
def command(files: tuple[Path, ...], item: str, out: Path | None, **given: Any) -> int:
    """Walk through an item clause by clause and write a measurement file.

    Values that FILES hold already, from a photo or a table, are not asked again.

    \b
    Example:
      inspect-kit inspect --spec icf-cs --item striker --instrument caliper-150 --instrument scale-200g
      inspect-kit inspect board-3.json --spec icf-cs --item board -o board-3-rest.json
    """
    task = task_at_home()
    target = out or Path(f"{item}.json")
    session = _begun(task, target, files, given)
    finished = _asked(session, target, plain=given["plain"] or wants_json())
    if not finished.finished:
        return _left(finished, session, target)
    return _written(finished, session, target, files)


def _draft(target: Path) -> Path:
    return target.with_name(target.name + ".draft")


def _history(target: Path) -> Path:
    return target.with_name(target.name + ".history")


# The beginning


def _begun(task: Task, target: Path, files: tuple[Path, ...], given: dict[str, Any]) -> GuidedSession:
    words = wording_for(given["language"], task.sheet.wording)
    read = tuple(read_measurements(path) for path in files)
    entry = guided.GuidedEntry(
        task.sheet, task.item.id, known=tuple(reading for file in read for reading in file.readings)
    )
    session = GuidedSession(task, words, entry, read, _gauges(task, given["chosen"]), pictures=target.parent)
    if any(path.resolve() == target.resolve() for path in files):
        raise UsageError(session.say("same_file", file=target))
    click.echo(f"{words.sentence(task.sheet.title)}: {words.name('item', task.item.name)}", err=True)
    click.echo(f"  {session.say('keys')}", err=True)
    if read:
        click.echo(f"  {session.say('known', number=sum(len(file.readings) for file in read))}", err=True)
    return _taken_up(session, target)


def _taken_up(session: GuidedSession, target: Path) -> GuidedSession:
    """What was begun or finished before; nothing that was written is ever begun anew over."""
    task, draft = session.task, _draft(target)
    entry = session.entry
    if draft.is_file():
        entry = replace(guided.from_draft(read_text(draft), task.sheet, task.item.id, draft), known=entry.known)
        click.echo(f"  {session.say('resumed', draft=draft, number=len(entry.answers))}", err=True)
    elif target.is_file():
        entry = _reopened(session, target)
        click.echo(f"  {session.say('reopened', file=target)}", err=True)
        if _history(target).is_file():
            changes = len(read_text(_history(target)).splitlines())
            click.echo(f"  {session.say('history', number=changes, file=_history(target))}", err=True)
    reopened = target.is_file() and not draft.is_file()
    return replace(session, entry=entry, at=session.screens[0].questions[0].key if reopened else None)


def _gauges(task: Task, chosen: tuple[str, ...]) -> tuple[Instrument, ...]:
    """Those that were named; else those of one's own."""
    if chosen:
        return tuple(load_instruments(chosen, task.instrument_folders).values())
    found = []
    for name in instrument_ids(task.instrument_folders):
        with suppress(InspectKitError):
            found.append(load_instruments((name,), task.instrument_folders)[name])
    return tuple(found)


def _reopened(session: GuidedSession, target: Path) -> guided.GuidedEntry:
    """The answers of a finished file; a file of something else is left alone."""
    strange = UsageError(session.say("strange", file=target))
    try:
        file = read_measurements(target)
    except BadInput:
        raise strange from None
    left = {(reading.characteristic, reading.instance): reading for reading in file.readings}
    entry = session.entry
    while found := next((each for each in entry.questions() if each.key in left), None):
        entry = entry.with_answer(_answer_of(found, left.pop(found.key)))
    if left or {photo.file for photo in file.photos} != _displays(entry):
        raise strange
    return entry


def _displays(entry: guided.GuidedEntry) -> set[str]:
    """Names of the pictures that its answers were confirmed beside."""
    return {photo.file for photo in guided.display_photos(answer.raw for answer in entry.answers)}


def _answer_of(question: guided.Question, reading: Reading) -> guided.Answer:
    text = f"{reading.value} {reading.unit}".strip()
    kept = (reading.instrument, reading.raw, reading.time, reading.serial)
    return guided.Answer(question, text, *kept, reading.confirmed, reading.decision, reading.by, reading.because)


# The walk


def _asked(session: GuidedSession, target: Path, *, plain: bool) -> GuidedSession:
    """Ask until there is nothing left to ask, or the person leaves; every answer is saved at once."""
    if not plain and sys.stdin.isatty() and sys.stderr.isatty():
        from inspect_kit.cli.guided.fullscreen import run

        return run(session, lambda state: _save(state, target))
    while (screen := session.screen) is not None:
        first, *rest = lines_of(session, screen)
        click.secho(f"\n{first}", bold=True, err=True)
        for line in rest:
            click.echo(f"  {line}", err=True)
        click.echo(f"  {prompt_of(session, screen)}", nl=False, err=True)
        session = _next(session, sys.stdin.readline(), target)
    return session


def _next(session: GuidedSession, line: str, target: Path) -> GuidedSession:
    # The end of the input leaves, except in the second round: there everything has been asked once.
    if not line and not (session.second_round and session.at is None):
        return replace(session, left=True)
    reopened = session.at is not None and not line.strip() and not _draft(target).is_file() and target.is_file()
    after = replace(session, left=True) if reopened else session.typed(line)
    for told in after.told:
        click.echo(f"  {told}", err=True)
    if after.entry != session.entry:
        _save(after, target)
    return after


def _save(session: GuidedSession, target: Path) -> None:
    write_whole(_draft(target), guided.as_draft(session.entry).encode())


# The end


def _left(session: GuidedSession, begun: GuidedSession, target: Path) -> int:
    if session.entry == begun.entry and target.is_file() and not _draft(target).is_file():
        click.echo(session.say("unchanged", file=target), err=True)
    else:
        _save(session, target)
        click.echo(session.say("left", draft=_draft(target)), err=True)
    return EXIT_CODES[Verdict.UNDECIDED]


def _written(session: GuidedSession, begun: GuidedSession, target: Path, files: tuple[Path, ...]) -> int:
    if target.is_file():
        _note_changes(session.entry, _reopened(begun, target), target)
    write_whole(target, guided.as_measurement_file(session.entry).encode())
    _draft(target).unlink(missing_ok=True)
    outcome = inspect(session.task, (session.entry.readings(), *session.files))
    print_result(judged_data(outcome), *as_text(outcome, session.words, show_all=False))
    click.echo(session.say("written", file=target), err=True)
    named = " ".join(str(path) for path in (*files, target))
    sheet = f"--spec {session.task.sheet.id} --item {session.task.item.id}"
    call = f'inspect-kit certify {named} {sheet} --subject "…" -o OUT.pdf'
    click.echo(session.say("certify", command=call), err=True)
    return EXIT_CODES[outcome.judgement.verdict]


def _note_changes(entry: guided.GuidedEntry, before: guided.GuidedEntry, target: Path) -> None:
    """Every value that was corrected, with what it was before."""
    was, now = (_texts(each) for each in (before, entry))
    at = datetime.now(UTC).isoformat(timespec="seconds")
    changes = [
        {"time": at, "characteristic": key[0], "instance": key[1], "was": was.get(key, ""), "now": now.get(key, "")}
        for key in dict.fromkeys((*was, *now))
        if was.get(key, "") != now.get(key, "")
    ]
    if changes:
        kept = read_text(_history(target)) if _history(target).is_file() else ""
        lines = "".join(json.dumps(change, ensure_ascii=False) + "\n" for change in changes)
        write_whole(_history(target), (kept + lines).encode())


def _texts(entry: guided.GuidedEntry) -> dict[tuple[str, str], str]:
    return {answer.question.key: answer.text for answer in entry.answers if answer.text != guided.SKIPPED}
