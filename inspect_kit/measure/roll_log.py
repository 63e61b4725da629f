"""What dice show in photos of rolls: the log that fairness is tested on, and what a reader of it must be told."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inspect_kit.capture.photographs import read_photograph
from inspect_kit.errors import InspectKitError, Notice, notice

if TYPE_CHECKING:
    from inspect_kit.vision.dice.measure import DiceLook

COLUMNS: Final = ("photo", "die", "face", "confidence", "x", "y")


@dataclass(frozen=True)
class Roll:
    """One photo of a roll: its name and what was read, or why nothing was."""

    photo: str
    look: DiceLook | None
    trouble: Notice | None = None


def read_roll(path: Path) -> Roll:
    """One photo; a photo that cannot be opened is named in the end and does not stop the others."""
    try:
        photo = read_photograph(path)
    except InspectKitError as problem:
        return Roll(path.name, None, problem.told)
    # OpenCV is loaded only once there is a photo.
    from inspect_kit.vision.dice.measure import look_at_dice

    return Roll(path.name, look_at_dice(photo.pixels, photo.focal))


def complete(roll: Roll, count: int) -> Roll:
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


def troubles(rolls: Iterable[Roll]) -> Iterable[Notice]:
    """Photos that could not be opened or read in full."""
    for roll in rolls:
        if roll.look is None:
            yield notice("roll-not-logged", roll.photo, reason=roll.trouble)
        elif roll.look.unread:
            yield notice("roll-dice-unread", roll.photo, count=len(roll.look.unread))
            if roll.look.marked:
                yield notice("roll-dice-marked", roll.photo, count=len(roll.look.marked))
        elif not roll.look.dice:
            yield notice("roll-no-die", roll.photo)


def left_out(rolls: Iterable[Roll], count: int | None) -> Iterable[Notice]:
    """A log that lacks some faces more than others would make a fair die look unfair."""
    many = list(rolls)
    if count is None:
        if any(roll.look and roll.look.unread for roll in many):
            yield notice("log-may-be-unfair")
        return
    for roll in many:
        if roll.look is not None and len(roll.look.dice) != count:
            yield notice("roll-left-out", roll.photo, read=len(roll.look.dice), count=count)
