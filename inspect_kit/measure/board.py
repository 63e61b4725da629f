"""A carrom board from photos: every dimension that a camera can see, as a measurement file."""

from collections.abc import Sequence
from functools import partial

from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import InspectKitError
from inspect_kit.measure.document import photo_file, reading_of, seen
from inspect_kit.measure.photographed import UNCALIBRATED
from inspect_kit.measure.photos import PhotoSession, Verdicts
from inspect_kit.measure.stated import Stated, with_spread
from inspect_kit.vision.board.measure import BoardPhoto, BoardResult, KnownSide, measure_board
from inspect_kit.vision.board.tuning import GAUGED
from inspect_kit.vision.disc.measure import camera_for
from inspect_kit.vision.optics.camera import Camera


def photo_session(kind: str, photos: Sequence[Photograph], camera: Camera | None, stated: Stated) -> PhotoSession:
    """Measure a board; a refusal names the photo."""
    del kind
    scale = None if stated.print_scale is None else KnownSide(*stated.print_scale)
    known = None if stated.known_side is None else KnownSide(*stated.known_side)
    views = [BoardPhoto(photo.pixels, camera_for(photo, camera), photo.file) for photo in photos]
    try:
        result = measure_board(views, scale, known, with_spread(stated.gap, GAUGED) if stated.gap else None)
    except InspectKitError as problem:
        where = problem.fault.where or photos[0].file
        raise type(problem).of(problem.fault, where=where) from None
    said = result.notices if camera is not None else (*result.notices, UNCALIBRATED)
    used = [next(photo for photo in photos if photo.file == view.name) for view in result.scene.photos]
    measured = (
        reading_of(each.characteristic, each, used, instance=each.instance, photo=each.photo, pixel=each.pixel)
        for each in result.measurements
    )
    observed = (seen(each.characteristic, each.value, each.instance, each.confidence) for each in result.observations)
    return PhotoSession(photo_file(photos, (*measured, *observed), said), partial(_drawn, result))


def _drawn(result: BoardResult, verdicts: Verdicts, sheet: str, language: str) -> bytes:
    # Drawing needs fonts, which those without an overlay do not wait for.
    from inspect_kit.vision.board.overlay import draw_png

    return draw_png(result, verdicts, sheet, language)
