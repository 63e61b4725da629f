"""`camera`: lens and focal length of a camera from photos of a reference sheet, kept in a file."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.photographs import Photograph, read_photograph
from inspect_kit.cli.options import PATH, home_folder, json_option
from inspect_kit.cli.terminal import columns, in_figures, lang, percent, print_result, said, warn
from inspect_kit.errors import BadInput, UsageError, sentence, system_errors_as
from inspect_kit.vision.optics import camera_files
from inspect_kit.vision.optics.calibration import LEAST_PHOTOS, calibrate, sheet_corners
from inspect_kit.vision.optics.camera import uncertainties
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
def calibrate_command(photos: tuple[Path, ...], out: Path) -> None:
    """Lens and focal length from 6 or more photos of the mat or the charuco sheet.

    \b
    Example:
      inspect-kit camera calibrate sheet-*.jpg -o phone.json
    """
    seen, views, skipped = _views(photos)
    warn(*skipped)
    if len(views) < LEAST_PHOTOS:
        raise BadInput("photos-show-sheet-can-used", count=len(views), count2=len(photos), least_photos=LEAST_PHOTOS)
    width, height = _sensor_size(seen[0])
    result = calibrate(views, width, height, seen[0].focal)
    data = camera_files.camera_data(result, len(views), seen[0].camera)
    write_whole(out, json.dumps(data, indent=1).encode())
    told = {"rms": f"{result.rms:.2f}", "coverage": percent(result.coverage)}
    written = said("camera-written", photos=len(views), corners=result.corners, file=out, **told)
    print_result(data, written, *(said("camera-better", advice=advice) for advice in result.advice))


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
            skipped.append(f"{path}: {said('left-out', reason=sentence(problem.told, lang()))}")
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
def show_command(file: Path) -> None:
    """What a camera file says, with uncertainties.

    \b
    Example:
      inspect-kit camera show phone.json
    """
    stored = camera_files.read_camera(file)
    camera = stored.camera
    standard = uncertainties(camera)
    values = dict(zip(standard, camera.parameters.tolist(), strict=True))
    data = {
        "model": stored.model, "width": camera.width, "height": camera.height, "photos": stored.photos,
        "rms": stored.rms, "coverage": stored.coverage, "parameters": values, "u": dict(standard),
    }  # fmt: skip
    size = f"{camera.width} × {camera.height}"
    head = said("camera-of", model=stored.model or said("a-camera"), size=size, photos=stored.photos)
    agrees = said("camera-agrees", rms=f"{stored.rms:.2f}", coverage=percent(stored.coverage))
    rows: list[tuple[str, ...]] = [(said("head-parameter"), said("head-value"), "u")]
    rows += [(name, in_figures(f"{values[name]:.6g}"), in_figures(f"{u:.2g}")) for name, u in standard.items()]
    print_result(data, head, agrees, *columns(rows))


@command.command("keep")
@click.argument("file", type=PATH)
def keep_command(file: Path) -> None:
    """From now on take this camera for photos that name it, in `measure` and at the desk, without --camera.

    \b
    Example:
      inspect-kit camera keep phone.json
    """
    content, stored = camera_files.camera_to_keep(file)
    shelf = camera_files.shelf_in(home_folder())
    older = [each for each in camera_files.kept_cameras(shelf) if camera_files.same_camera(each.stored, stored)]
    with system_errors_as("not-made", shelf):
        shelf.mkdir(parents=True, exist_ok=True)
    name = camera_files.shelf_name(content)
    write_whole(shelf / f"{name}.json", content)
    for each in older:
        if each.name != name:
            each.path.unlink(missing_ok=True)
    click.echo(said("camera-kept-instead" if older else "camera-kept", model=stored.model, name=name))


@command.command("list")
@json_option
def list_command() -> None:
    """The cameras that are kept.

    \b
    Example:
      inspect-kit camera list
    """
    kept = camera_files.kept_cameras(camera_files.shelf_in(home_folder()))
    data = [{"name": each.name, "model": each.stored.model, "width": each.stored.camera.width,
             "height": each.stored.camera.height, "focal": round(each.stored.camera.focal, 1),
             "rms": each.stored.rms} for each in kept]  # fmt: skip
    rows = [(each.name, each.stored.model, f"{each.stored.camera.width} × {each.stored.camera.height}",
             said("focal-length", pixels=f"{each.stored.camera.focal:.0f}")) for each in kept]  # fmt: skip
    print_result(data, *columns(rows) if rows else (said("no-camera"),))


@command.command("forget")
@click.argument("name")
def forget_command(name: str) -> None:
    """No longer use a camera that was kept; its name is in `camera list`.

    \b
    Example:
      inspect-kit camera forget 4f1c2a9be07d
    """
    found = [each for each in camera_files.kept_cameras(camera_files.shelf_in(home_folder())) if each.name == name]
    if not found:
        raise UsageError("no-such-camera-kept", where=name[:40])
    found[0].path.unlink(missing_ok=True)
    click.echo(said("camera-forgotten", model=found[0].stored.model))
