"""`measure`: photos → measurements with uncertainty, as a table or as a measurement file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from inspect_kit.cli.chosen_camera import chosen_camera
from inspect_kit.cli.measuring_board import command as board
from inspect_kit.cli.measuring_dice import dice
from inspect_kit.cli.measuring_figure import figure
from inspect_kit.cli.options import json_option
from inspect_kit.cli.output import columns, print_json, warn, write_whole
from inspect_kit.cli.photo_document import document, overlay_marks
from inspect_kit.cli.photo_options import parse_length, parse_reference, parse_scale, read_photos
from inspect_kit.measure.pieces import KINDS, Kind, Session, Stated, measure_pieces
from inspect_kit.vision.optics.overlay import draw_overlay


@click.group("measure")
def command() -> None:
    """Measure pieces in photos taken on a printed sheet.

    \b
    Example:
      inspect-kit measure coins photo.jpg --camera phone.json --print-scale 0.998 --thickness 8.1mm
    """


def _options(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        json_option,
        click.option("--overlay", type=click.Path(path_type=Path), help="Write the photo with what was found (PNG)."),
        click.option("--edge-radius", help="Rounding of the rim: 0.5mm or 0.5±0.1mm (0 = sharp)."),
        click.option("--thickness", help="Thickness of the pieces: 8.1mm or 8.1±0.1mm."),
        click.option("--print-scale", help="Measured ÷ nominal length of the sheet's check bar."),
        click.option("--reference", default="auto", show_default=True,
                     help="auto, chessboard:12.5mm, or aruco:DICT_4X4_50:40mm."),
        click.option("--camera", type=click.Path(path_type=Path), help="A file of `inspect-kit camera calibrate`."),
        click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path)),
    ):  # fmt: skip
        function = option(function)
    return function


def _discs_command(name: str, kind: Kind) -> None:
    @_options
    def run(photos: tuple[Path, ...], camera: Path | None, overlay: Path | None, as_json: bool, **given: str) -> None:
        stated, taken = stated_by(given), read_photos(photos)
        session = measure_pieces(taken, kind, chosen_camera(camera, taken), stated)
        if overlay is not None:
            look = session.looks[0]
            write_whole(overlay, draw_overlay(look.photo.pixels, overlay_marks(session), look.placed.known.image))
        if as_json:
            print_json(document(session))
        else:
            warn(session.warnings)
            for line in columns(_rows(session)):
                click.echo(line)

    run.__doc__ = f"""Diameters of {name} in one photo, or in several of the same pieces.

    \b
    Example:
      inspect-kit measure {name} photo.jpg --camera phone.json --print-scale 0.998
    """
    command.command(name)(run)


def stated_by(given: Mapping[str, str | None]) -> Stated:
    """The options as they are typed."""
    return Stated(
        thickness=parse_length(given["thickness"], "--thickness", 0.2, 60),
        rim=parse_length(given["edge_radius"], "--edge-radius", 0.0, 30),
        print_scale=parse_scale(given["print_scale"]),
        reference=parse_reference(given["reference"] or "auto"),
    )


for _name, _kind in KINDS.items():
    _discs_command(_name, _kind)
command.add_command(board)
command.add_command(dice)
command.add_command(figure)


def _rows(session: Session) -> list[tuple[str, ...]]:
    """A table for people: value, U, what dominates it, and what was seen."""
    head = ("piece", "diameter", "U", "mostly from", "roundness" if session.kind.roundness else "", "seen")
    return [head, *(_row(session, index) for index in range(len(session.pieces)))]


def _row(session: Session, index: int) -> tuple[str, ...]:
    piece = session.pieces[index]
    largest = piece.diameter.budget[0]
    share = (largest.standard / piece.diameter.standard) ** 2
    metal = piece.sighting.metal
    seen = piece.sighting.colour.name if session.kind.name == "coin" else ""
    if metal is not None:
        seen = "metal suspected" if metal.suspected else "no metal"
    return (
        piece.instance or "1", f"{piece.diameter.value:.2f} mm", f"± {2 * piece.diameter.standard:.2f} mm",
        f"{largest.source}, {share:.0%}", f"{piece.roundness.value:.2f} mm" if session.kind.roundness else "", seen,
    )  # fmt: skip
