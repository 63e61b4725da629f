"""`measure dice`: photos of dice → the numbers on top, edges with uncertainty, and the six faces of one die checked."""

from __future__ import annotations

from pathlib import Path

import click

from inspect_kit.cli.chosen_camera import chosen_camera
from inspect_kit.cli.dice_document import show_dice
from inspect_kit.cli.options import json_option
from inspect_kit.cli.photo_options import parse_length, parse_reference, parse_scale, read_photos
from inspect_kit.measure.dice import measure_dice
from inspect_kit.measure.pieces import Stated


@click.command("dice")
@click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--camera", type=click.Path(path_type=Path), help="A file of `inspect-kit camera calibrate`.")
@click.option("--reference", default="auto", show_default=True,
              help="auto, chessboard:12.5mm, or aruco:DICT_4X4_50:40mm.")  # fmt: skip
@click.option("--print-scale", help="Measured ÷ nominal length of the sheet's check bar.")
@click.option("--thickness", help="Height of the dice, if a caliper told it: 15.98mm or 15.98±0.02mm.")
@click.option("--edge-radius", help="Rounding of the edges: 0.5mm or 0.5±0.1mm (0 = sharp).")
@click.option("--one-die/--many-dice", default=None,
              help="Six photos of one die each show its six faces (default), or different dice.")  # fmt: skip
@click.option("--overlay", type=click.Path(path_type=Path), help="Write the first photo with what was found (PNG).")
@json_option
def dice(
    photos: tuple[Path, ...],
    camera: Path | None,
    overlay: Path | None,
    as_json: bool,
    one_die: bool | None,
    **given: str,
) -> None:
    """Numbers and edges of dice; without a reference sheet in the photo the numbers only.

    \b
    Example:
      inspect-kit measure dice photo.jpg --camera phone.json --print-scale 0.998 --overlay seen.png
      inspect-kit measure dice one.jpg two.jpg three.jpg four.jpg five.jpg six.jpg
    """
    stated = Stated(
        thickness=parse_length(given["thickness"], "--thickness", 5.0, 40.0),
        rim=parse_length(given["edge_radius"], "--edge-radius", 0.0, 8.0),
        print_scale=parse_scale(given["print_scale"]),
        reference=parse_reference(given["reference"]),
    )
    taken = read_photos(photos)
    session = measure_dice(taken, chosen_camera(camera, taken), stated, one_die=one_die)
    show_dice(session, overlay, as_json=as_json)
