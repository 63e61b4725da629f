"""`measure board`: photos of a carrom board → every dimension that a camera can see, and the board drawn with them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from inspect_kit.capture.photographs import Photograph, read_photograph
from inspect_kit.cli.board_document import board_document, overlay_entry, rows, verdicts_of, warnings_of
from inspect_kit.cli.chosen_camera import chosen_camera
from inspect_kit.cli.options import json_option
from inspect_kit.cli.output import columns, print_json, warn, write_whole
from inspect_kit.cli.photo_options import parse_scale
from inspect_kit.errors import BadInput, InspectKitError, UsageError
from inspect_kit.rulebook.library import load
from inspect_kit.values.quantity import UNITS, parse_quantity
from inspect_kit.vision.board.measure import MAX_PHOTOS, BoardResult, Known, Photo, measure_board
from inspect_kit.vision.board.overlay import draw_png
from inspect_kit.vision.disc.measure import camera_for
from inspect_kit.vision.optics.camera import Camera

_KNOWN: Final = "surface.side"
_SIDES: Final = (600.0, 900.0)
"""mm between which a board's side can lie at all."""
_TAPE: Final = 0.5
"""Standard uncertainty (mm) of a side taken with a tape, where none is stated."""
_EXAMPLE: Final = "for example --known surface.side=738.2mm"


@click.command("board")
@click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--camera", type=click.Path(path_type=Path), help="A file of `inspect-kit camera calibrate`.")
@click.option("--print-scale", help="Measured ÷ nominal length of the cards' check bar.")
@click.option("--known", help="For a board without cards: one side, surface.side=738.2mm or 738.2±0.3mm.")
@click.option(
    "--overlay", type=click.Path(path_type=Path), help="Write the board from above with its dimensions (PNG)."
)
@click.option("--spec", default="icf-cs", show_default=True, metavar="ID",
              help="The sheet whose limits colour the overlay.")  # fmt: skip
@json_option
def command(
    photos: tuple[Path, ...], camera: Path | None, overlay: Path | None, spec: str, as_json: bool, **given: str | None
) -> None:
    """Every dimension of a carrom board in one to eight photos with our cards lying on it.

    \b
    Example:
      inspect-kit measure board photo.jpg --camera phone.json --print-scale 0.998 --overlay board.png
      inspect-kit measure board photo.jpg --known surface.side=738.2mm
    """
    if len(photos) > MAX_PHOTOS:
        raise UsageError(f"{len(photos)} photos at once, {MAX_PHOTOS} at most", hint="one to four are enough")
    load(spec).item("board")
    printed, known = parse_scale(given["print_scale"]), known_side(given["known"])
    scale = None if printed is None else Known(*printed)
    taken = [read_photograph(path) for path in photos]
    stored = chosen_camera(camera, taken)
    result = measured(taken, stored, scale, known)
    document = board_document(result, taken, calibrated=stored is not None)
    if overlay is not None:
        picture = draw_png(result, verdicts_of(result, spec), spec)
        write_whole(overlay, picture)
        document["overlay"] = overlay_entry(overlay, picture)
    if as_json:
        print_json(document)
        return
    warn(warnings_of(result, calibrated=stored is not None))
    for line in columns(rows(result)):
        click.echo(line)


def measured(taken: list[Photograph], camera: Camera | None, scale: Known | None, known: Known | None) -> BoardResult:
    """The board in these photos; a refusal names the photo."""
    views = [Photo(photo.pixels, camera_for(photo, camera), photo.file) for photo in taken]
    try:
        return measure_board(views, scale, known)
    except InspectKitError as problem:
        where = problem.fault.where or taken[0].file
        raise type(problem)(problem.fault.why, where=where, hint=problem.fault.hint) from None


def known_side(text: str | None) -> Known | None:
    """`surface.side=738.2mm`, `surface.side=738.2±0.3mm`, also in cm."""
    if text is None:
        return None
    name, sign, typed = text.partition("=")
    if not sign or name.strip() != _KNOWN:
        raise UsageError(f"expected {_KNOWN}=LENGTH, got {text[:40]!r}", where="--known", hint=_EXAMPLE)
    value, spread = _length(typed)
    low, high = _SIDES
    if not low <= value <= high:
        raise UsageError(f"{typed.strip()[:40]} is not between {low:g} and {high:g} mm", where="--known", hint=_EXAMPLE)
    if not 0 < spread <= 20:
        raise UsageError(f"{spread:g} mm is no uncertainty of a tape", where="--known", hint=_EXAMPLE)
    return Known(value, spread)


def _length(typed: str) -> tuple[float, float]:
    """Value and standard uncertainty in mm; the unit behind `±` is that of both."""
    first, sign, second = typed.replace("+/-", "±").partition("±")
    try:
        spread = parse_quantity(second, UNITS["mm"]) if sign else None
        value = parse_quantity(first, spread.unit if spread else UNITS["mm"])
        return float(value.to("mm").number), float(spread.to("mm").number) if spread else _TAPE
    except BadInput as problem:
        raise UsageError(problem.fault.why, where="--known", hint=_EXAMPLE) from None
