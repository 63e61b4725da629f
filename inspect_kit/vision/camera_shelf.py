"""The desk's own cameras: calibrations that are taken up for photos whose notes name the same camera and lens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspect_kit.capture.files import read_text, sha256
from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import BadInput
from inspect_kit.vision.camera_file import LONGEST_MODEL, MOST_BYTES, CameraFile, camera_in, read_camera

_SAME_LENS: Final = 0.12
"""Focal lengths of one lens in a photo's notes, which are rounded, and by calibration agree to this; those of a phone's
several lenses differ by more."""
_SAME_SHAPE: Final = 0.01
_NAME: Final = 12
_MOST: Final = 200


@dataclass(frozen=True)
class Kept:
    """A camera on the shelf, by the beginning of its file's SHA-256: a name that nobody can choose."""

    name: str
    path: Path
    stored: CameraFile


def shelf_in(home: Path) -> Path:
    """Where the user's own cameras are kept."""
    return home / "cameras"


def shelf_name(content: bytes) -> str:
    """The name under which this camera file is kept."""
    return sha256(content)[:_NAME]


def camera_to_keep(path: Path) -> tuple[bytes, CameraFile]:
    """A camera file that photos can be matched with; one whose photos did not say by what they were taken cannot."""
    text = read_text(path, MOST_BYTES)
    stored = camera_in(text, str(path))
    if not stored.model:
        raise BadInput(
            "does not say which camera it is of: its photos had no such note", where=str(path),
            hint="calibrate with photos straight from the camera, or go on naming it with --camera",
        )  # fmt: skip
    return text.encode(), stored


def kept_cameras(folder: Path) -> tuple[Kept, ...]:
    """All cameras on the shelf; a file that is none is left alone."""
    found = []
    for path in sorted(folder.glob("*.json"))[:_MOST] if folder.is_dir() else ():
        try:
            found.append(Kept(path.stem, path, read_camera(path)))
        except BadInput:
            continue
    return tuple(found)


def same_camera(one: CameraFile, other: CameraFile) -> bool:
    """Whether two calibrations are of one camera with one lens: the newer one replaces the older."""
    return (
        one.model == other.model
        and _alike(one.camera.focal / one.camera.width, other.camera.focal / other.camera.width, _SAME_LENS)
        and _alike(one.camera.width / one.camera.height, other.camera.width / other.camera.height, _SAME_SHAPE)
    )


def camera_of(photos: Sequence[Photograph], cameras: Sequence[Kept]) -> Kept | None:
    """The one camera that all these photos were taken with by their own notes; none if they do not say or differ."""
    found = [camera for camera in cameras if all(_taken_with(photo, camera.stored) for photo in photos)]
    return found[0] if len(found) == 1 and photos else None


def _taken_with(photo: Photograph, stored: CameraFile) -> bool:
    long, short = max(photo.width, photo.height), min(photo.width, photo.height)
    camera = stored.camera
    wide, low = max(camera.width, camera.height), min(camera.width, camera.height)
    return (
        photo.camera[:LONGEST_MODEL] == stored.model
        and photo.focal is not None
        and _alike(long / short, wide / low, _SAME_SHAPE)
        and _alike(photo.focal / long, camera.focal / wide, _SAME_LENS)
    )


def _alike(one: float, other: float, relative: float) -> bool:
    return abs(one / other - 1) < relative
