"""`camera`: lens and focal length of a camera from photos of a reference sheet, kept in a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.photographs import Photograph, read_photograph
from inspect_kit.cli.language import heard, in_figures, percent, said
from inspect_kit.cli.options import home_of, json_option
from inspect_kit.cli.output import columns, print_json, warn
from inspect_kit.cli.parameters import PATH
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.notices import sentence
from inspect_kit.vision.optics.calibration import LEAST_PHOTOS, calibrate, sheet_corners
from inspect_kit.vision.optics.camera import uncertainties
from inspect_kit.vision.optics.camera_files import (
    camera_data,
    camera_to_keep,
    kept_cameras,
    read_camera,
    same_camera,
    shelf_in,
    shelf_name,
)
from inspect_kit.vision.optics.pose import Known


@click.group("camera")
def command() -> None:
    """Calibrate a camera with photos of the mat or the charuco sheet.

    \b
    Example:
      inspect-kit camera calibrate sheet-*.jpg -o phone.json
      inspect-kit camera show phone.json
      inspect-kit camera keep phone.json
    """


@command.command("calibrate")
@click.argument("photos", nargs=-1, required=True, type=PATH)
@click.option("-o", "--out", required=True, type=PATH, help="The camera file to write (JSON).")
@json_option
def calibrate_command(photos: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Lens and focal length from 6 or more photos of the mat or the charuco sheet.

    \b
    Example:
      inspect-kit camera calibrate sheet-*.jpg -o phone.json
    """
    seen, views, skipped = _views(photos)
    warn(skipped)
    if len(views) < LEAST_PHOTOS:
        raise BadInput("photos-show-sheet-can-used", count=len(views), count2=len(photos), least_photos=LEAST_PHOTOS)
    width, height = _sensor_size(seen[0])
    result = calibrate(views, width, height, seen[0].focal)
    data = camera_data(result, len(views), seen[0].camera)
    write_whole(out, json.dumps(data, indent=1).encode())
    if as_json:
        print_json(data)
        return
    told = {"rms": f"{result.rms:.2f}", "coverage": percent(result.coverage)}
    click.echo(said("camera-written", photos=len(views), corners=result.corners, file=out, **told))
    for advice in result.advice:
        click.echo(said("camera-better", advice=advice))


def _views(paths: Sequence[Path]) -> tuple[list[Photograph], list[Known], list[str]]:
    """Photos with a usable sheet, as the sensor saw them; the others with the reason."""
    seen: list[Photograph] = []
    views: list[Known] = []
    skipped: list[str] = []
    for path in paths:
        photo = read_photograph(path)
        if seen and _sensor_size(photo) != _sensor_size(seen[0]):
            raise BadInput("another-size-than-first-photo", where=str(path))
        try:
            views.append(_unturned(sheet_corners(photo.pixels, photo.focal), photo))
            seen.append(photo)
        except BadInput as problem:
            skipped.append(f"{path}: {said('left-out', reason=sentence(problem.told, heard()))}")
    return seen, views, skipped


def _sensor_size(photo: Photograph) -> tuple[int, int]:
    size = photo.width, photo.height
    return size if photo.quarters % 2 == 0 else (size[1], size[0])


def _unturned(known: Known, photo: Photograph) -> Known:
    """Corners as the sensor has them: the camera is stored for the sensor, not for the way it was held."""
    image = known.image
    width, height = photo.width, photo.height
    for _ in range((4 - photo.quarters) % 4):
        # A quarter clockwise takes (x, y) to (h − 1 − y, x).
        image = image[:, ::-1] * [-1, 1] + [height - 1, 0]
        width, height = height, width
    return Known(known.sheet, image, known.cells, known.strip)


@command.command("show")
@click.argument("file", type=PATH)
@json_option
def show_command(file: Path, as_json: bool) -> None:
    """What a camera file says, with uncertainties.

    \b
    Example:
      inspect-kit camera show phone.json
    """
    stored = read_camera(file)
    camera = stored.camera
    standard = uncertainties(camera)
    values = dict(zip(standard, camera.parameters.tolist(), strict=True))
    if as_json:
        print_json({
            "model": stored.model, "width": camera.width, "height": camera.height, "photos": stored.photos,
            "rms": stored.rms, "coverage": stored.coverage, "parameters": values, "u": dict(standard),
        })  # fmt: skip
        return
    size = f"{camera.width} × {camera.height}"
    click.echo(said("camera-of", model=stored.model or said("a-camera"), size=size, photos=stored.photos))
    click.echo(said("camera-agrees", rms=f"{stored.rms:.2f}", coverage=percent(stored.coverage)))
    rows: list[tuple[str, ...]] = [(said("head-parameter"), said("head-value"), "u")]
    rows += [(name, in_figures(f"{values[name]:.6g}"), in_figures(f"{u:.2g}")) for name, u in standard.items()]
    for line in columns(rows):
        click.echo(line)


@command.command("keep")
@click.argument("file", type=PATH)
@click.pass_context
def keep_command(ctx: click.Context, /, file: Path) -> None:
    """From now on take this camera for photos that name it, in `measure` and at the desk, without --camera.

    \b
    Example:
      inspect-kit camera keep phone.json
    """
    content, stored = camera_to_keep(file)
    shelf = shelf_in(home_of(ctx))
    older = [each for each in kept_cameras(shelf) if same_camera(each.stored, stored)]
    _make_folder(shelf)
    name = shelf_name(content)
    write_whole(shelf / f"{name}.json", content)
    for each in older:
        if each.name != name:
            each.path.unlink(missing_ok=True)
    click.echo(said("camera-kept-instead" if older else "camera-kept", model=stored.model, name=name))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadInput("not-made", where=str(folder), reason=problem.strerror) from None


@command.command("list")
@json_option
@click.pass_context
def list_command(ctx: click.Context, /, as_json: bool) -> None:
    """The cameras that are kept.

    \b
    Example:
      inspect-kit camera list
    """
    kept = kept_cameras(shelf_in(home_of(ctx)))
    if as_json:
        print_json([{"name": each.name, "model": each.stored.model, "width": each.stored.camera.width,
                     "height": each.stored.camera.height, "focal": round(each.stored.camera.focal, 1),
                     "rms": each.stored.rms} for each in kept])  # fmt: skip
        return
    rows = [(each.name, each.stored.model, f"{each.stored.camera.width} × {each.stored.camera.height}",
             said("focal-length", pixels=f"{each.stored.camera.focal:.0f}")) for each in kept]  # fmt: skip
    for line in columns(rows) if rows else (said("no-camera"),):
        click.echo(line)


@command.command("forget")
@click.argument("name")
@click.pass_context
def forget_command(ctx: click.Context, /, name: str) -> None:
    """No longer use a camera that was kept; its name is in `camera list`.

    \b
    Example:
      inspect-kit camera forget 4f1c2a9be07d
    """
    found = [each for each in kept_cameras(shelf_in(home_of(ctx))) if each.name == name]
    if not found:
        raise UsageError("no-such-camera-kept", where=name[:40])
    found[0].path.unlink(missing_ok=True)
    click.echo(said("camera-forgotten", model=found[0].stored.model))
