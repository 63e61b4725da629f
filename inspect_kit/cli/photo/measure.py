"""`measure`: photos → measurements with uncertainty, as a table or as a measurement file."""

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.measurement_file import MeasurementFile, as_json
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.checkin.photo_reading import most_gain
from inspect_kit.cli.options import PATH, home_folder, json_option, language_option, stacked
from inspect_kit.cli.photo.tables import Rows, Terms, board_rows, dice_rows, figure_rows, piece_rows
from inspect_kit.cli.photo.watch import PICTURE, RESULT, watch
from inspect_kit.cli.terminal import columns, print_result, said, wants_json, warn
from inspect_kit.errors import InspectKitError, UsageError, notice, sentence, worded
from inspect_kit.inspection.photo_work import PhotoWork, measured
from inspect_kit.measure.photos import check_count

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_MEMORY: Final = 4_000_000_000
"""Bytes for measuring: eight photos of a board of twelve megapixels take half of it."""
_OF_OUTPUT: Final = ("camera", "overlay", "watch", "language")
"""Options about files and output, not about what is in the photos."""
_GAINS: Final = {"thickness": "thickness-would-gain", "scale": "scale-would-gain"}
"""What is said of ways to a smaller U; another distance is a notice of its own."""
_SECONDS: Final = 180.0
"""For each photo: the largest board takes ten on an old laptop."""


@click.group("measure")
def command() -> None:
    """Measure pieces in photos taken on a printed sheet, or on a plain one.

    \b
    Example:
      inspect-kit measure coins photo.jpg --reference paper:a4
      inspect-kit measure coins photo.jpg --camera phone.json --print-scale 0.998 --thickness 8.1mm
    """


_PHOTOS: Final = click.argument("photos", nargs=-1, type=PATH)
"""Any number of photos."""
_WATCH: Final = click.option("--watch", type=PATH, metavar="FOLDER",
                             help="Measure photos as they arrive in a folder, results beside them.")  # fmt: skip
_CAMERA: Final = click.option("--camera", type=PATH, help="A file of `inspect-kit camera calibrate`.")
_REFERENCE: Final = click.option("--reference", default="auto", show_default=True,
                                 help="auto, chessboard:12.5mm, aruco:DICT_4X4_50:40mm; unprinted: "
                                 "paper:a4, paper:letter, card, coin:2eur, coin:25.75mm.")  # fmt: skip
_OVERLAY: Final = click.option("--overlay", type=PATH, help="Write the first photo with what was found (PNG).")


def _print_scale(sheet: str) -> Decorator:
    return click.option("--print-scale", help=f"Measured ÷ nominal length of the {sheet} check bar.")


def _with(*options: Decorator) -> Decorator:
    return stacked(_PHOTOS, _CAMERA, *options, _WATCH, language_option, json_option)


def _pieces_command(name: str) -> None:
    @_with(
        _REFERENCE, _print_scale("sheet's"),
        click.option("--thickness", help="Thickness of the pieces: 8.1mm or 8.1±0.1mm."),
        click.option("--edge-radius", help="Rounding of the rim: 0.5mm or 0.5±0.1mm (0 = sharp)."),
        _OVERLAY,
    )  # fmt: skip
    def run(photos: tuple[Path, ...], **given: Any) -> None:
        _show(name, photos, given, piece_rows)

    run.__doc__ = f"""Diameters of {name} in one photo, or in several of the same pieces.

    \b
    Example:
      inspect-kit measure {name} photo.jpg --camera phone.json --print-scale 0.998
    """
    command.command(name)(run)


for _name in ("coins", "striker", "checkers", "discs"):
    _pieces_command(_name)


@command.command("board")
@_with(
    _print_scale("cards'"),
    click.option("--known", help="For a board without cards: one side, surface.side=738.2mm or 738.2±0.3mm."),
    click.option("--gap",
                 help="Between surface and walls, by a feeler gauge: 0.3mm or 0.3±0.05mm; for photos with cards."),
    click.option("--overlay", type=PATH, help="Write the board from above with its dimensions (PNG)."),
    click.option("--spec", default="icf-cs", show_default=True, metavar="ID",
                 help="The sheet whose limits colour the overlay."),
)  # fmt: skip
def board(photos: tuple[Path, ...], spec: str, **given: Any) -> None:
    """Every dimension of a carrom board in one to eight photos with our cards lying on it.

    \b
    Example:
      inspect-kit measure board photo.jpg --camera phone.json --print-scale 0.998 --overlay board.png
      inspect-kit measure board photo.jpg --known surface.side=738.2mm
    """
    from inspect_kit.rulebook.library import load

    check_count("board", len(photos))
    load(spec).item("board")
    _show("board", photos, given, board_rows, spec)


@command.command("figure")
@_with(
    click.option("--reference", default="auto", show_default=True,
                 help="The printed backdrop; nothing else serves here."),
    _print_scale("backdrop's"),
    click.option("--standoff", help="Distance of the figure's axis from the backdrop: 20mm or 20±0.3mm."),
    click.option("--instance", default="", help="Which figure of a team this is: 1 to 10, or spare."),
    _OVERLAY,
)  # fmt: skip
def figure(photos: tuple[Path, ...], **given: Any) -> None:
    """Height, base and top of one figure, from one photo or several with the figure turned.

    \b
    Example:
      inspect-kit measure figure front.jpg side.jpg --standoff 20±0.3mm --print-scale 0.998 --json > figure.json
    """
    _show("figure", photos, given, figure_rows)


@command.command("dice")
@_with(
    _REFERENCE, _print_scale("sheet's"),
    click.option("--thickness", help="Height of the dice, if a caliper told it: 15.98mm or 15.98±0.02mm."),
    click.option("--edge-radius", help="Rounding of the edges: 0.5mm or 0.5±0.1mm (0 = sharp)."),
    click.option("--one-die/--many-dice", default=None,
                 help="Six photos of one die each show its six faces (default), or different dice."),
    _OVERLAY,
)  # fmt: skip
def dice(photos: tuple[Path, ...], **given: Any) -> None:
    """Numbers and edges of dice; without a reference sheet in the photo the numbers only.

    \b
    Example:
      inspect-kit measure dice photo.jpg --camera phone.json --print-scale 0.998 --overlay seen.png
      inspect-kit measure dice one.jpg two.jpg three.jpg four.jpg five.jpg six.jpg
    """
    _show("dice", photos, given, dice_rows)


def _show(kind: str, paths: Sequence[Path], given: Mapping[str, Any], rows: Rows, spec: str = "") -> None:
    """Measure, write the overlay, and print the document or the table."""
    from inspect_kit.measure.stated import stated_by

    stated = stated_by(kind, {name: text for name, text in given.items() if name not in _OF_OUTPUT})
    language, say = given["language"], partial(_print, rows, given)
    home = home_folder()
    if given["watch"] is not None:
        if paths or given["overlay"] is not None:
            raise UsageError("watch-alone", where="--watch")
        work = PhotoWork(kind, (), stated, given["camera"], home, spec, drawn=True, language=language)
        _watched(given["watch"], work, say)
        return
    if not paths:
        raise click.MissingParameter(param_hint="'PHOTOS...'", param_type="argument")
    check_count(kind, len(paths))
    from inspect_kit.bounded_process import bounded

    drawn = given["overlay"] is not None
    # Photos come from strangers: a process of its own takes them apart, which ends at its bounds or with Ctrl-C.
    work = PhotoWork(kind, tuple(paths), stated, given["camera"], home, spec, drawn, language)
    found = bounded(_SECONDS * len(paths), _MEMORY, measured, work)
    if found.kept:
        click.echo(said("camera-kept-for", camera=found.kept), err=True)
    document = as_json(found.file)
    if drawn:
        document |= _with_overlay(found.picture, given["overlay"], spec)
    say(found.file, document)


def _print(rows: Rows, given: Mapping[str, Any], file: MeasurementFile, document: dict[str, object]) -> None:
    """The document, or the table for people with what they must be told."""
    if not wants_json():
        warn(*worded(file.warnings, file.notices, given["language"]), *_gain(file, given["language"]))
    print_result(document, *columns(rows(file, Terms(wording_for(given["language"])))))


def _gain(file: MeasurementFile, language: str) -> list[str]:
    """The one thing that would gain most, where no notice has said it with its figures."""
    gain = most_gain(file)
    code = _GAINS.get(gain.way) if gain else None
    return [sentence(notice(code, expanded=gain.expanded, reached=gain.reached), language)] if gain and code else []


def _watched(folder: Path, work: PhotoWork, say: Callable[[MeasurementFile, dict[str, object]], None]) -> None:
    """Photos as they arrive, by one helper that stays ready; one that cannot be measured does not stop the others."""
    if not folder.is_dir():
        raise UsageError("no-folder-to-watch", where="--watch", folder=str(folder))

    def handle(path: Path) -> None:
        try:
            found = helper.do(_SECONDS, measured, replace(work, paths=(path,)))
            picture = _with_overlay(found.picture, path.with_name(path.name + PICTURE), work.spec)
            document = as_json(found.file) | picture
            write_whole(path.with_name(path.name + RESULT), (json.dumps(document, ensure_ascii=False) + "\n").encode())
        except InspectKitError as problem:
            # What an earlier photo of this name gave is not this one's.
            for ending in (RESULT, PICTURE):
                path.with_name(path.name + ending).unlink(missing_ok=True)
            why = problem.said(work.language)
            warn(why if path.name in why else f"{path.name}: {why}")
            return
        click.echo(path.name, err=True)
        say(found.file, document)

    from inspect_kit.bounded_process import BoundedProcess

    click.echo(said("watching", folder=folder), err=True)
    with BoundedProcess(_MEMORY) as helper:
        count = watch(folder, handle)
    click.echo(said("watch-stopped", count=count), err=True)


def _with_overlay(picture: bytes, path: Path, spec: str) -> dict[str, object]:
    """The picture is written, and of a board named as evidence, so that `certify` shows it."""
    write_whole(path, picture)
    if not spec:
        return {}
    from PIL import Image

    width, height = Image.open(io.BytesIO(picture)).size
    digest = hashlib.sha256(picture).hexdigest()
    return {"overlay": {"file": path.name, "sha256": digest, "width": width, "height": height}}
