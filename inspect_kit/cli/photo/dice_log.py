"""`dice log`: photos of rolls → a roll log for the fairness tests."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.files import PHOTO_ENDINGS
from inspect_kit.capture.photographs import read_photograph
from inspect_kit.cli.options import PATH, json_option
from inspect_kit.cli.terminal import lang, print_result, said, wants_json, warn
from inspect_kit.errors import BadInput, InspectKitError, Notice, notice, sentences, system_errors_as

if TYPE_CHECKING:
    from inspect_kit.vision.dice.measure import DiceLook

MOST_PHOTOS: Final = 20_000
"""Photos of one folder."""
COLUMNS: Final = ("photo", "die", "face", "confidence", "x", "y")
FACES: Final = range(1, 7)
"""The numbers of a die."""


@dataclass(frozen=True)
class Roll:
    """One photo of a roll: its name and what was read, or why nothing was."""

    photo: str
    look: DiceLook | None
    trouble: Notice | None = None


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
    rolls = [_read(path) for path in _shown(photos_in(folder), quiet=wants_json())]
    kept = [roll for roll in rolls if roll.look is not None and (count is None or len(roll.look.dice) == count)]
    if not any(roll.look.dice for roll in kept if roll.look):
        raise BadInput("no-die-can-read-any", where=str(folder))
    told = [*_troubles(rolls), *_left_out(rolls, count)]
    logged = rolls if count is None else [_whole(roll, count) for roll in rolls]
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
    return sorted(found, key=lambda path: (_natural(path.name), path.name))


def _natural(name: str) -> list[str]:
    """A name whose numbers sort as numbers."""
    return [part.zfill(24) if part.isdigit() else part.lower() for part in re.split(r"(\d+)", name)]


def _shown(paths: list[Path], *, quiet: bool) -> Iterable[Path]:
    """A bar on the terminal while photos are read."""
    if quiet or not sys.stderr.isatty():
        yield from paths
        return
    with click.progressbar(paths, label=said("bar-reading"), file=sys.stderr) as bar:
        yield from bar


def _read(path: Path) -> Roll:
    """One photo; a photo that cannot be opened is named in the end and does not stop the others."""
    try:
        photo = read_photograph(path)
    except InspectKitError as problem:
        return Roll(path.name, None, problem.told)
    # OpenCV is loaded only once there is a photo.
    from inspect_kit.vision.dice.measure import look_at_dice

    return Roll(path.name, look_at_dice(photo.pixels, photo.focal))


def _whole(roll: Roll, count: int) -> Roll:
    """Of a photo that does not show as many dice as were rolled, all of them count as not read."""
    if roll.look is None or len(roll.look.dice) == count:
        return roll
    from inspect_kit.vision.dice.measure import DiceLook

    return replace(roll, look=DiceLook((), ((0.0, 0.0),) * count, ()))


def log_of(rolls: Iterable[Roll]) -> bytes:
    """The CSV file; a die that was seen and not read has a row without a face, so that it is not forgotten."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for roll in rolls:
        for number, die in enumerate(roll.look.dice if roll.look else (), 1):
            x, y = die.pixel
            writer.writerow((roll.photo, number, die.number, f"{die.confidence:.2f}", f"{x:.0f}", f"{y:.0f}"))
        seen = len(roll.look.dice) if roll.look else 0
        for number, (x, y) in enumerate(roll.look.unread if roll.look else (), seen + 1):
            writer.writerow((roll.photo, number, "", "", f"{x:.0f}", f"{y:.0f}"))
    return text.getvalue().encode()


def _troubles(rolls: Iterable[Roll]) -> Iterable[Notice]:
    for roll in rolls:
        if roll.look is None:
            yield notice("roll-not-logged", roll.photo, reason=roll.trouble)
        elif roll.look.unread:
            yield notice("roll-dice-unread", roll.photo, count=len(roll.look.unread))
            if roll.look.marked:
                yield notice("roll-dice-marked", roll.photo, count=len(roll.look.marked))
        elif not roll.look.dice:
            yield notice("roll-no-die", roll.photo)


def _left_out(rolls: Iterable[Roll], count: int | None) -> Iterable[Notice]:
    """A log that lacks some faces more than others would make a fair die look unfair."""
    many = list(rolls)
    if count is None:
        if any(roll.look and roll.look.unread for roll in many):
            yield notice("log-may-be-unfair")
        return
    for roll in many:
        if roll.look is not None and len(roll.look.dice) != count:
            yield notice("roll-left-out", roll.photo, read=len(roll.look.dice), count=count)
