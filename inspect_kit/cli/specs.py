"""`specs`: the sheets, two editions side by side, and every fault of a sheet at once."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

import click

from inspect_kit.certificate.content.wording import Wording, wording_for
from inspect_kit.cli.options import FILE, json_option, language_option
from inspect_kit.cli.terminal import columns, lang, print_result, said, wants_json, warn
from inspect_kit.errors import ENGLISH, BadInput, Fault, fault, worded_fact
from inspect_kit.inspection.sheet_review import warnings_on
from inspect_kit.rulebook.clause import Clause
from inspect_kit.rulebook.library import check, load, sheet_ids
from inspect_kit.rulebook.sheet import Change, Difference, Sheet, diff
from inspect_kit.values.limits import lower_of, upper_of
from inspect_kit.values.quantity import json_number

_WIDTH = 100
"""Characters of a line on the terminal."""


@click.group("specs")
def command() -> None:
    """The sheets: what each federation asks for, clause by clause.

    \b
    Example:
      inspect-kit specs show icf-cs --item striker
      inspect-kit specs diff icf-1991-de icf-cs
    """


@command.command("list")
@json_option
def list_sheets() -> None:
    """The shipped sheets.

    \b
    Example:
      inspect-kit specs list
    """
    sheets = [load(sheet_id) for sheet_id in sheet_ids()]
    rows = [("id", *map(said, ("head-body", "head-clauses", "head-edition", "head-title")))]
    rows += [_listed(sheet, wording_for(lang(), sheet.wording)) for sheet in sheets]
    print_result([_head(sheet) for sheet in sheets], *columns(rows))


def _listed(sheet: Sheet, words: Wording) -> tuple[str, ...]:
    edition = textwrap.shorten(words.sentence(sheet.edition), 40, placeholder="…")
    return sheet.id, worded_fact(sheet.body, lang()), str(len(sheet.clauses)), edition, words.sentence(sheet.title)


@command.command("show")
@click.argument("spec", metavar="ID")
@click.option("--item", help="Only this item.")
@language_option
@json_option
def show(spec: str, item: str | None, language: str) -> None:
    """One sheet: every clause with its number, requirement and way of measuring.

    \b
    Example:
      inspect-kit specs show icf-2001-it --item coin-set
    """
    sheet = load(spec)
    clauses = sheet.clauses_of(sheet.item(item).id) if item else sheet.clauses
    data = {**_head(sheet), "clauses": [_clause(clause) for clause in clauses]}
    print_result(data, *_sheet_lines(sheet, clauses, wording_for(language, sheet.wording), whole=item is None))


def _sheet_lines(sheet: Sheet, clauses: Sequence[Clause], words: Wording, *, whole: bool) -> Iterator[str]:
    yield _bold(f"{words.sentence(sheet.title)}  ({sheet.id}, {sheet.body}, {words.sentence(sheet.edition)})")
    if sheet.disclaimer:
        yield words.sentence(sheet.disclaimer)
    for thing in sheet.items:
        own = [clause for clause in clauses if clause.item == thing.id]
        if own:
            yield _bold(f"\n{words.name('item', thing.name)}  [{thing.id}]")
            yield from (line for clause in own for line in _clause_lines(clause, words))
            for again in thing.check_again:
                yield _wrapped(words.say("show.again", clause=again.clause) + ": ", words.sentence(again.when))
    if sheet.left_out and whole:
        yield _bold("\n" + words.say("show.left_out"))
        for entry in sheet.left_out:
            yield f"\n{entry.clause:<10} {words.sentence(entry.says)}"
            yield _wrapped(words.say("show.because") + ": ", words.sentence(entry.because))


def _bold(text: str) -> str:
    return click.style(text, bold=True)


def _clause_lines(clause: Clause, words: Wording) -> Iterator[str]:
    marks = " · ".join(mark for mark in (
        words.say(f"show.{clause.force}"), "" if clause.binding else words.say("detail.not_binding"),
        words.say("detail.suspect") if clause.suspect else "",
    ) if mark)  # fmt: skip
    name = words.name("characteristic", clause.characteristic, clause.name)
    yield f"\n{clause.number:<10} {_bold(name)}  {words.localised(clause.printed)}  [{marks}]"
    yield f"{'':<10} {clause.characteristic}"
    if clause.requires:
        yield _wrapped("", words.sentence(clause.requires))
    for label in ("how", "note", "because"):
        if text := getattr(clause, label):
            yield _wrapped(words.say(f"show.{label}") + ": ", words.sentence(text))


def _wrapped(label: str, text: str) -> str:
    return textwrap.fill(label + text, _WIDTH, initial_indent=" " * 11, subsequent_indent=" " * 11)


@command.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@json_option
def compare(first: str, second: str) -> None:
    """Two sheets side by side: what a referee has to know when the other one is in force.

    \b
    Example:
      inspect-kit specs diff icf-1991-de icf-cs
    """
    left, right = load(first), load(second)
    differences = diff(left, right)
    data = {"a": left.id, "b": right.id, "changes": [_difference(entry) for entry in differences]}
    same = () if differences else (said("sheets-same", a=left.id, b=right.id),)
    print_result(data, *same, *_difference_lines(differences, left, right))


def _difference_lines(differences: Sequence[Difference], left: Sheet, right: Sheet) -> Iterator[str]:
    words = (wording_for(lang(), left.wording), wording_for(lang(), right.wording))
    width = max(len(left.id), len(right.id))
    ordered = sorted(differences, key=lambda entry: list(Change).index(entry.change))
    for change, entries in groupby(ordered, key=lambda entry: entry.change):
        yield _bold("\n" + said(f"change-{change}", a=left.id, b=right.id))
        for entry in entries:
            clause = entry.clause_a or entry.clause_b
            name = "" if lang() == ENGLISH else f"  {words[0].name('characteristic', entry.characteristic)}"
            yield f"  {clause.number if clause else '':<10} {entry.characteristic}{name}"
            before, after = words[0].sentence(entry.before), words[1].sentence(entry.after)
            if change in (Change.ONLY_A, Change.ONLY_B):
                yield _wrapped("", before or after)
            else:
                yield _wrapped(f"{left.id:<{width}}  ", before or "—")
                yield _wrapped(f"{right.id:<{width}}  ", after or "—")


@command.command("check")
@click.argument("file", type=FILE)
@json_option
def check_sheet(file: Path) -> int:
    """Every fault of a sheet of your own, each with its place, and what it lacks, as warnings.

    \b
    Example:
      inspect-kit specs check my-club.toml
    """
    faults = check(file)
    warnings = () if faults else _warnings(load(str(file.absolute())))
    sound = [] if faults else [said("sheet-sound", file=file, clauses=len(load(str(file.absolute())).clauses))]
    if not wants_json():
        for each in faults:
            click.echo(each.said(lang()), err=True)
        warn(*(each.said(lang()) for each in warnings))
    data = [*(_fault(each, "fault") for each in faults), *(_fault(each, "warning") for each in warnings)]
    print_result(data, *sound)
    return BadInput.exit_code if faults else 0


def _warnings(sheet: Sheet) -> tuple[Fault, ...]:
    """What the sheet lacks, and what it would print under the name that only programs use."""
    words = wording_for("en", sheet.wording)
    unnamed = [
        clause for clause in sheet.clauses
        if not clause.name and clause.characteristic not in {**words.own, **words.names["characteristic"]}
    ]  # fmt: skip
    lacking = (fault(clause.characteristic, "no-name-paper") for clause in unnamed)
    return (*warnings_on(sheet), *lacking)


def _fault(fault: Fault, level: str) -> dict[str, str]:
    return {"level": level, "where": fault.where, "why": fault.why, "hint": fault.hint}


def _head(sheet: Sheet) -> dict[str, object]:
    return {
        "id": sheet.id, "title": sheet.title, "body": sheet.body, "edition": sheet.edition,
        "language": sheet.language, "standing": sheet.standing.value, "publisher": sheet.publisher,
        "disclaimer": sheet.disclaimer,
        "prevails": sheet.prevails, "superseded": sheet.superseded,
        "choices": [asdict(choice) for choice in sheet.choices],
        "left_out": [asdict(entry) for entry in sheet.left_out],
        "from": sheet.since.isoformat() if sheet.since else None,
        "until": sheet.until.isoformat() if sheet.until else None,
        "items": [
            {"id": item.id, "name": item.name,
             "check_again": [asdict(again) for again in item.check_again]}
            for item in sheet.items
        ],
    }  # fmt: skip


def _clause(clause: Clause) -> dict[str, object]:
    limits = clause.limits
    return {
        "characteristic": clause.characteristic, "clause": clause.number, "item": clause.item,
        "kind": clause.kind.value, "force": clause.force.value, "nominal": json_number(clause.bounds.nominal_in_base),
        "lower": json_number(lower_of(limits)) if limits else None,
        "upper": json_number(upper_of(limits)) if limits else None,
        "unit": clause.unit.base if clause.unit else "",
        **{key: getattr(clause, key) for key in ("printed", "note", "requires", "how", "binding", "suspect")},
        "instances": list(clause.instances.names) or clause.instances.number, "because": clause.because,
        "from": clause.source,
    }  # fmt: skip


def _difference(entry: Difference) -> dict[str, object]:
    return {
        "change": entry.change.value, "item": entry.item, "characteristic": entry.characteristic,
        "clause_a": entry.clause_a.number if entry.clause_a else None,
        "clause_b": entry.clause_b.number if entry.clause_b else None,
        "a": entry.before, "b": entry.after,
    }  # fmt: skip
