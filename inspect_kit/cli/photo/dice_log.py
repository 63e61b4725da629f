"""`dice log`: photos of rolls → a roll log for the fairness tests."""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.files import PHOTO_ENDINGS
from inspect_kit.cli.options import PATH, json_option
from inspect_kit.cli.terminal import lang, print_result, said, wants_json, warn
from inspect_kit.errors import BadInput, sentences, system_errors_as
from inspect_kit.measure.roll_log import complete, left_out, log_of, read_roll, troubles
from inspect_kit.quality.batch.lines import natural

MOST_PHOTOS: Final = 20_000
"""Photos of one folder."""
FACES: Final = range(1, 7)
"""The numbers of a die."""


@click.group("dice")
def command() -> None:
    """Read rolls of dice from photos.

    \b
    Example:
      inspect-kit dice log rolls/ -o rolls.csv
      inspect-kit qa dice rolls.csv
    """


@command.command("log")
@click.argument("folder", type=PATH)
@click.option("-o", "--output", type=PATH, required=True, help="The roll log to write (CSV).")
@click.option("--count", type=click.IntRange(1, 100),
              help="Dice in every roll: photos with more or fewer are left out.")  # fmt: skip
@json_option
def log(folder: Path, output: Path, count: int | None) -> None:
    """Read all photos of a folder, in the order of their names, into a roll log: one die a row.

    \b
    Example:
      inspect-kit dice log rolls/ -o rolls.csv --count 2
    """
    rolls = [read_roll(path) for path in _shown(photos_in(folder), quiet=wants_json())]
    kept = [roll for roll in rolls if roll.look is not None and (count is None or len(roll.look.dice) == count)]
    if not any(roll.look.dice for roll in kept if roll.look):
        raise BadInput("no-die-can-read-any", where=str(folder))
    told = [*troubles(rolls), *left_out(rolls, count)]
    logged = rolls if count is None else [complete(roll, count) for roll in rolls]
    unread = sum(len(roll.look.unread) for roll in logged if roll.look)
    write_whole(output, log_of(logged))
    if not wants_json():
        warn(*sentences(told, lang()))
    counts = Counter(die.number for roll in kept if roll.look for die in roll.look.dice)
    logged_as = {"file": str(output), "photos": len(kept), "rolls": counts.total()}
    data = {**logged_as, "counts": {str(face): counts[face] for face in FACES}, "unread": unread,
            "warnings": [*sentences(told)]}  # fmt: skip
    faces = ", ".join(f"{face} × {counts[face]}" for face in FACES)
    line = said("rolls-logged-unread" if unread else "rolls-logged", unread=unread, faces=faces, **logged_as)
    print_result(data, line)


def photos_in(folder: Path) -> list[Path]:
    """The photos of a folder by name; numbers in names count as numbers."""
    with system_errors_as("folder-not-readable", folder):
        found = [path for path in folder.iterdir() if path.suffix.lower() in PHOTO_ENDINGS and path.is_file()]
    if not found:
        raise BadInput("no-photo", where=str(folder))
    if len(found) > MOST_PHOTOS:
        raise BadInput("photos-most", where=str(folder), count=f"{len(found):,}", most_photos=f"{MOST_PHOTOS:,}")
    return sorted(found, key=lambda path: (natural(path.name), path.name))


def _shown(paths: list[Path], *, quiet: bool) -> Iterable[Path]:
    """A bar on the terminal while photos are read."""
    if quiet or not sys.stderr.isatty():
        yield from paths
        return
    with click.progressbar(paths, label=said("bar-reading"), file=sys.stderr) as bar:
        yield from bar
