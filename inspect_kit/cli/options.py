"""Options that several commands share, and what they stand for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from inspect_kit.capture.measurement_file import MeasurementFile, read_measurements
from inspect_kit.cli.language import heard
from inspect_kit.cli.parameters import FILE, FOLDER, PATH, day_option, stacked
from inspect_kit.clock import today
from inspect_kit.errors import UsageError
from inspect_kit.inspection.walk import Task
from inspect_kit.judgement.rules import RuleName
from inspect_kit.notices import LANGUAGES
from inspect_kit.places import home_at
from inspect_kit.rulebook.library import load, with_house_rules

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
language_option = click.option("--lang", "language", type=click.Choice(LANGUAGES), default=heard,
                               show_default="the terminal's", help="Language of the words.")  # fmt: skip
document_language_option = click.option("--lang", "language", type=click.Choice(LANGUAGES), default="en",
                                        show_default=True, help="Language of the document.")  # fmt: skip
plot_option = click.option("--plot", type=PATH, metavar="OUT.svg|png|pdf", help="Draw what was computed.")
files_argument = click.argument("files", nargs=-1, required=True, type=PATH)
rule_option = click.option("--rule", type=click.Choice([rule.value for rule in RuleName]), default="guarded",
                           show_default=True, help="How uncertainty enters the decision.")  # fmt: skip
on_option = day_option("--on", "Day of the inspection (default: today).")
signer_option = click.option("--signer", default="", help="Whose key signs, where there are several.")
issuer_options = stacked(
    click.option("--inspector", default="", help="Who inspected it [default: whose key signs]."),
    click.option("--issuer", default="", help="The body that issues the certificate [default: the keys' issuer]."),
    click.option("--issuer-address", default="", help="Its address."),
)
replacing_options = stacked(
    click.option("--replaces", multiple=True, metavar="NUMBER", help="A certificate that this one replaces."),
    click.option("--because", default="", help="Why it is replaced."),
)
sheet_options = stacked(
    click.option("--spec", required=True, metavar="ID", help="The sheet: its id, or a .toml file."),
    click.option("--item", required=True, help="What is inspected, as the sheet calls it."),
    rule_option,
    click.option("--house", type=FILE, help="House rules over the sheet."),
    on_option,
    click.option("--instruments", type=FOLDER, multiple=True, help="A folder with instrument sheets of your own."),
)
"""`--spec`, `--item`, and what goes with them."""


def home_of(ctx: click.Context) -> Path:
    """Where the user's own instruments, keys and embedded registry live."""
    return home_at(ctx.find_root().obj)


def own_instruments(ctx: click.Context) -> Path:
    """The folder of the user's own instrument sheets."""
    return home_of(ctx) / "instruments"


def task_from(ctx: click.Context) -> Task:
    """The task that the shared options describe."""
    return at_home(task_anywhere(ctx), ctx)


def task_anywhere(ctx: click.Context) -> Task:
    """The task without the user's home: looking for that takes a while, and only gauges need it."""
    given = ctx.params
    sheet = load(given["spec"])
    if given["house"] is not None:
        sheet = with_house_rules(sheet, given["house"])
    for folder in given["instruments"]:
        if not folder.is_dir():
            raise UsageError("no-such-folder", where=str(folder))
    day = given["on"].date() if given["on"] else today()
    return Task(sheet, sheet.item(given["item"]), RuleName(given["rule"]), day, given["instruments"])


def at_home(task: Task, ctx: click.Context) -> Task:
    """The task with the user's own gauges and their daily checks."""
    return replace(task, instrument_folders=(*task.instrument_folders, own_instruments(ctx)), home=home_of(ctx))


def measurement_files(paths: tuple[Path, ...]) -> tuple[MeasurementFile, ...]:
    """All the files, read."""
    return tuple(read_measurements(path) for path in paths)
