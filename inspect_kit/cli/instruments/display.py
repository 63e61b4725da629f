"""`read display`: what a gauge's display shows in a photo, as a proposal that a person confirms."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.instruments import Instrument, load_instruments
from inspect_kit.cli.options import FILE, Given, json_option, own_instruments
from inspect_kit.cli.terminal import in_figures, lang, print_result, said
from inspect_kit.errors import UsageError
from inspect_kit.values.quantity import UNITS, parse_quantity

if TYPE_CHECKING:
    from inspect_kit.measure.displayed import DisplayReading

LEAST_PIXELS: Final = 40_000
"""A display alone is a small picture: 240 × 170 pixels show it."""
_UNDECIDED: Final = 3
"""Exit code where it is not certain."""


@click.command("display")
@click.argument("photo", type=FILE)
@click.option("--instrument", metavar="ID", help="The gauge: its resolution and range rule out impossible readings.")
@click.option("--resolution", metavar="QUANTITY", help="One digit of the display, for example 0.01g.")
@click.option("--cut-out", "cut", type=FILE, help="Where to write the display's picture.")
@json_option
def display(photo: Path, cut: Path | None, **given: Any) -> int:
    """What the display of a scale or caliper shows in a photo: seven-segment or dot-matrix.

    Exit code 3 when it is not certain. Verniers and dials are not read.

    \b
    Example:
      inspect-kit read display photo.jpg --resolution 0.01g --json
      inspect-kit read display photo.jpg --instrument desk-scale --cut-out display.png
    """
    from inspect_kit.capture.photographs import read_photograph
    from inspect_kit.measure.displayed import displayed

    reading = displayed(read_photograph(photo, LEAST_PIXELS), _gauge(given))
    if cut is not None and reading.picture:
        write_whole(cut, reading.picture)
    sure = said("confidence", share=f"{reading.confidence:.2f}")
    lines = [f"{in_figures(reading.value)} {reading.unit}  ({sure})"] if reading.value else []
    print_result({**reading.as_data(), "cut_out": str(cut) if cut else _inline(reading)}, *lines)
    if reading.doubt:
        click.echo(said("not-certain", doubt=reading.doubt_in(lang())), err=True)
    return 0 if reading.certain else _UNDECIDED


def _gauge(given: Given) -> Instrument | None:

    name, resolution = given["instrument"], given["resolution"]
    if name and resolution:
        raise UsageError("resolution-unsaid")
    if name:
        return load_instruments([name], [own_instruments()])[name]
    stated = parse_quantity(resolution, UNITS["g"], where="--resolution") if resolution else None
    return Instrument("", "", "", stated) if stated else None


def _inline(reading: DisplayReading) -> str | None:
    """The cut-out itself, where no file was named for it."""
    return "data:image/jpeg;base64," + b64encode(reading.picture).decode() if reading.picture else None
