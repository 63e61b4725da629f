"""`camera`: lens and focal length of a camera from photos of a reference sheet, kept in a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from inspect_kit.capture.photographs import Photograph, read_photograph
from inspect_kit.cli.options import json_option
from inspect_kit.cli.output import columns, print_json, warn, write_whole
from inspect_kit.errors import BadInput
from inspect_kit.vision.calibration import LEAST_PHOTOS, calibrate, sheet_corners
from inspect_kit.vision.camera import uncertainties
from inspect_kit.vision.camera_file import camera_data, read_camera
from inspect_kit.vision.view import Known


@click.group("camera")
def command() -> None:
    """Calibrate a camera with photos of the mat or the charuco sheet.

    \b
    Example:
      inspect-kit camera calibrate sheet-*.jpg -o phone.json
      inspect-kit camera show phone.json
    """


@command.command("calibrate")
@click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="The camera file to write (JSON).")
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
        raise BadInput(
            f"{len(views)} of {len(photos)} photos show a sheet that can be used, {LEAST_PHOTOS} are needed",
            hint="take 8 or more from all sides, tilted, the sheet filling the picture",
        )
    width, height = _sensor_size(seen[0])
    result = calibrate(views, width, height, seen[0].focal)
    data = camera_data(result, len(views), seen[0].camera)
    write_whole(out, json.dumps(data, indent=1).encode())
    if as_json:
        print_json(data)
        return
    click.echo(
        f"{len(views)} photos, {result.corners} corners: they agree to {result.rms:.2f} pixels and cover "
        f"{result.coverage:.0%} of the picture; camera written to {out}"
    )
    for sentence in result.advice:
        click.echo(f"for a better camera: {sentence}")


def _views(paths: Sequence[Path]) -> tuple[list[Photograph], list[Known], list[str]]:
    """Photos with a usable sheet, as the sensor saw them; the others with the reason."""
    seen: list[Photograph] = []
    views: list[Known] = []
    skipped: list[str] = []
    for path in paths:
        photo = read_photograph(path)
        if seen and _sensor_size(photo) != _sensor_size(seen[0]):
            raise BadInput("has another size than the first photo", where=str(path), hint="use photos of one camera")
        try:
            views.append(_unturned(sheet_corners(photo.pixels, photo.focal), photo))
            seen.append(photo)
        except BadInput as problem:
            skipped.append(f"{path}: left out: {problem.fault.why}")
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
@click.argument("file", type=click.Path(path_type=Path))
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
    click.echo(f"{stored.model or 'camera'}, {camera.width} × {camera.height} pixels, from {stored.photos} photos")
    click.echo(f"corners agree to {stored.rms:.2f} pixels, coverage of the picture {stored.coverage:.0%}")
    rows = [("parameter", "value", "u"), *((name, f"{values[name]:.6g}", f"{u:.2g}") for name, u in standard.items())]
    for line in columns(rows):
        click.echo(line)
