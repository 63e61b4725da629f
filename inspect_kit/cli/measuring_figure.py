"""`measure figure`: a figure in front of the backdrop → its dimensions with uncertainty."""

from __future__ import annotations

from pathlib import Path

import click

from inspect_kit.capture.photographs import read_photograph
from inspect_kit.cli.chosen_camera import chosen_camera
from inspect_kit.cli.figure_document import figure_document, figure_marks, figure_rows
from inspect_kit.cli.options import json_option
from inspect_kit.cli.output import columns, print_json, warn, write_whole
from inspect_kit.cli.photo_options import parse_length, parse_scale
from inspect_kit.errors import UsageError
from inspect_kit.measure.figure import MOST_VIEWS, FigureSession, StatedFigure, measure_figure
from inspect_kit.vision.optics.overlay import draw_overlay
from inspect_kit.vision.reference.find import Reference

_LONGEST_NAME = 40


@click.command("figure")
@click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--camera", type=click.Path(path_type=Path), help="A file of `inspect-kit camera calibrate`.")
@click.option("--reference", default="auto", show_default=True, help="The printed backdrop; nothing else serves here.")
@click.option("--print-scale", help="Measured ÷ nominal length of the backdrop's check bar.")
@click.option("--standoff", help="Distance of the figure's axis from the backdrop: 20mm or 20±0.3mm.")
@click.option("--instance", default="", help="Which figure of a team this is: 1 to 10, or spare.")
@click.option("--overlay", type=click.Path(path_type=Path), help="Write the first photo with what was found (PNG).")
@json_option
def figure(
    photos: tuple[Path, ...], camera: Path | None, overlay: Path | None, instance: str, as_json: bool, **given: str
) -> None:
    """Height, base and top of one figure, from one photo or several with the figure turned.

    \b
    Example:
      inspect-kit measure figure front.jpg side.jpg --standoff 20±0.3mm --print-scale 0.998 --json > figure.json
    """
    if len(instance) > _LONGEST_NAME or not instance.isprintable():
        raise UsageError(f"expected a short name such as 3 or spare, got {instance[:40]!r}", where="--instance")
    session = _measured(photos, camera, given)
    if overlay is not None:
        write_whole(overlay, draw_overlay(session.photos[0].pixels, figure_marks(session), session.corners))
    if as_json:
        print_json(figure_document(session, instance))
        return
    warn(session.warnings)
    for line in columns(figure_rows(session)):
        click.echo(line)


def _measured(photos: tuple[Path, ...], camera: Path | None, given: dict[str, str]) -> FigureSession:
    if len(photos) > MOST_VIEWS:
        raise UsageError(f"{len(photos)} photos at once, {MOST_VIEWS} at most", hint="give the photos of one figure")
    if given["reference"] != "auto":
        raise UsageError(
            f"a figure is measured before the printed backdrop, not {given['reference'][:40]!r}",
            where="--reference", hint="print `inspect-kit target backdrop`",
        )  # fmt: skip
    stated = StatedFigure(
        standoff=parse_length(given["standoff"], "--standoff", 10.0, 60.0),
        print_scale=parse_scale(given["print_scale"]),
        reference=Reference(),
    )
    taken = [read_photograph(path) for path in photos]
    return measure_figure(taken, chosen_camera(camera, taken), stated)
