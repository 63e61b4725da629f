"""Photos of pieces, a board, a figure or dice → the measurement file they give: the one way there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.errors import ENGLISH, BadInput, UsageError, nearest, notice

if TYPE_CHECKING:
    from inspect_kit.capture.photographs import Photograph
    from inspect_kit.measure.stated import Stated
    from inspect_kit.vision.optics.camera import Camera
    from inspect_kit.vision.optics.camera_files import Kept

Verdicts = Mapping[tuple[str, str], str]
"""Characteristic and instance → what was said of it, by whoever judged."""

_ROOMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("coins", "striker", "checkers", "discs"), "inspect_kit.measure.pieces"),
        "board": "inspect_kit.measure.board",
        "figure": "inspect_kit.measure.figure",
        "dice": "inspect_kit.measure.dice",
    }
)
"""What can be measured in photos, and where; loaded only when it is asked for."""
KINDS: Final = tuple(_ROOMS)
MOST_PHOTOS: Final[Mapping[str, int]] = MappingProxyType({**dict.fromkeys(KINDS, 24), "board": 8, "figure": 12})
"""Photos that are measured together at most."""
_TOO_MANY: Final = {"board": "few-photos-of-a-board", "figure": "photos-of-one-figure"}
_OTHER_LENS: Final = 0.3
"""Share by which the focal length in a photo's notes is off the calibrated one where the lens is another: notes are
right to about a tenth, and a phone's lenses differ by a half and more."""


@dataclass(frozen=True)
class PhotoSession:
    """What a set of photos gave: the measurement file, and the first photo with what was found in it, as a PNG."""

    file: MeasurementFile
    draw: Callable[[Verdicts, str, str], bytes] = field(repr=False)

    def overlay(self, verdicts: Verdicts | None = None, sheet: str = "", language: str = ENGLISH) -> bytes:
        """The picture in a language; where verdicts colour it, `sheet` is whose limits they come from."""
        return self.draw(verdicts or {}, sheet, language)


def measure(kind: str, photos: Sequence[Photograph], camera: Camera | None, stated: Stated) -> MeasurementFile:
    """Measure photos of one kind of thing; `BadInput` with advice where that cannot be done."""
    return photo_session(kind, photos, camera, stated).file


def photo_session(kind: str, photos: Sequence[Photograph], camera: Camera | None, stated: Stated) -> PhotoSession:
    """The same with the picture of what was found."""
    check_kind(kind)
    check_count(kind, len(photos))
    _refuse_repeated(photos)
    _refuse_other_lens(photos, camera)
    session: PhotoSession = import_module(_ROOMS[kind]).photo_session(kind, photos, camera, stated)
    return session


def _refuse_repeated(photos: Sequence[Photograph]) -> None:
    """The same photo again tells nothing more: its noise would be averaged away by counting it twice."""
    first: dict[str, Photograph] = {}
    for photo in photos:
        if first.setdefault(photo.sha256, photo) is not photo:
            raise BadInput("same-photo-again", where=photo.file, photo=first[photo.sha256].file)


def _refuse_other_lens(photos: Sequence[Photograph], camera: Camera | None) -> None:
    """A calibration of another lens would give a wrong size with a small U; a photo's own notes tell of its lens."""
    if camera is None:
        return
    from inspect_kit.vision.optics.camera_files import focal_ratio

    for photo in photos:
        ratio = focal_ratio(photo, camera)
        if ratio is not None and abs(ratio - 1) > _OTHER_LENS:
            raise BadInput("camera-of-another-lens", where=photo.file, ratio=f"{ratio:.1f}")


def check_kind(kind: str) -> None:
    """Refuse what nobody can measure."""
    if kind not in _ROOMS:
        hint = nearest(kind, KINDS) or notice("there-are", names=", ".join(KINDS))
        raise UsageError("cannot-measure-kind", hint=hint, kind=kind[:40])


def check_count(kind: str, count: int) -> None:
    """Refuse more photos than can be held or used at once."""
    most = MOST_PHOTOS[kind]
    if count > most:
        hint = notice(_TOO_MANY.get(kind, "measure-in-groups"))
        raise UsageError("photos-at-once", hint=hint, count=count, most=most)


def kept_camera(home: Path, photos: Sequence[Photograph]) -> Kept | None:
    """The camera that is kept for photos with these notes, if there is one."""
    from inspect_kit.vision.optics.camera_files import camera_of, kept_cameras, shelf_in

    return camera_of(photos, kept_cameras(shelf_in(home)))
