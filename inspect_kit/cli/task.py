"""The options that say what is inspected and by which sheet, and the task that they describe."""

from dataclasses import replace
from pathlib import Path

import click

from inspect_kit.capture.measurement_file import MeasurementFile, read_measurements
from inspect_kit.cli.options import FILE, FOLDER, PATH, day_option, home_folder, own_instruments, stacked
from inspect_kit.clock import today
from inspect_kit.errors import UsageError
from inspect_kit.inspection.walk import Task
from inspect_kit.judgement.rules import RuleName
from inspect_kit.rulebook.library import load, with_house_rules

files_argument = click.argument("files", nargs=-1, required=True, type=PATH)
rule_option = click.option("--rule", type=click.Choice([rule.value for rule in RuleName]), default="guarded",
                           show_default=True, help="How uncertainty enters the decision.")  # fmt: skip
on_option = day_option("--on", "Day of the inspection (default: today).")
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


def task_at_home() -> Task:
    """The task that the shared options describe, with the user's own gauges and their daily checks."""
    return at_home(task_anywhere())


def task_anywhere() -> Task:
    """The task without the user's home: looking for that takes a while, and only gauges need it."""
    given = click.get_current_context().params
    sheet = load(given["spec"])
    if given.get("house") is not None:
        sheet = with_house_rules(sheet, given["house"])
    folders = given.get("instruments", ())
    for folder in folders:
        if not folder.is_dir():
            raise UsageError("no-such-folder", where=str(folder))
    day = given["on"].date() if given["on"] else today()
    return Task(sheet, sheet.item(given["item"]), RuleName(given["rule"]), day, folders)


def at_home(task: Task) -> Task:
    """The task with the user's own gauges and their daily checks."""
    return replace(task, instrument_folders=(*task.instrument_folders, own_instruments()), home=home_folder())


def measurement_files(paths: tuple[Path, ...]) -> tuple[MeasurementFile, ...]:
    """All the files, read."""
    return tuple(read_measurements(path) for path in paths)
