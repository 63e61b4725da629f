"""Calibrated cameras as files: JSON of format 1, checked number by number when read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from inspect_kit.capture.files import read_text, sha256
from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import BadInput
from inspect_kit.strict_json import parse_json
from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.optics.calibration import Calibration
from inspect_kit.vision.optics.camera import COUNT, PARAMETERS, Camera, uncertainties

FORMAT: Final = 1
"""Version of the camera file."""
MOST_BYTES: Final = 1_000_000
"""Bytes of a camera file that are read, at most."""
LONGEST_MODEL: Final = 80
"""Characters of a camera's name that are kept."""


@dataclass(frozen=True)
class CameraFile:
    """A camera as stored, with how it came about."""

    camera: Camera
    rms: float
    coverage: float
    photos: int
    model: str


def camera_data(calibration: Calibration, photos: int, model: str) -> dict[str, object]:
    """What is stored of a calibration."""
    camera = calibration.camera
    return {
        "format": FORMAT, "kind": "camera", "model": model, "width": camera.width, "height": camera.height,
        "parameters": dict(zip(PARAMETERS, camera.parameters.tolist(), strict=True)), "u": dict(uncertainties(camera)),
        "covariance": camera.covariance.tolist(), "rms": calibration.rms, "coverage": calibration.coverage,
        "photos": photos, "corners": calibration.corners, "advice": list(calibration.advice),
    }  # fmt: skip


def read_camera(path: Path) -> CameraFile:
    """A stored camera; anything that is not one is `BadInput`."""
    return camera_in(read_text(path, MOST_BYTES), str(path))


def camera_in(text: str, where: str) -> CameraFile:
    """The camera that a file's text describes."""
    data = parse_json(text, where, float)
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("kind") != "camera":
        raise BadInput("expected-camera-file", where=where)
    return _checked(data, where)


def _checked(data: dict[str, Any], where: str) -> CameraFile:
    width, height = _side(data.get("width"), where), _side(data.get("height"), where)
    stated = data.get("parameters")
    if not isinstance(stated, dict) or set(stated) != set(PARAMETERS):
        raise BadInput("expected-value", where=f"{where}: parameters", format=", ".join(PARAMETERS))
    parameters = _numbers([stated[name] for name in PARAMETERS], (COUNT,), f"{where}: parameters")
    if not all(0.1 * max(width, height) < value < 100 * max(width, height) for value in parameters[:2]):
        raise BadInput("no-camera-focal-length", where=f"{where}: parameters.fx")
    covariance = _numbers(data.get("covariance"), (COUNT, COUNT), f"{where}: covariance")
    if not _is_covariance(covariance):
        raise BadInput("not-covariance-matrix", where=f"{where}: covariance")
    rms, coverage, photos = (data.get(key, 0) for key in ("rms", "coverage", "photos"))
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in (rms, coverage, photos)):
        raise BadInput("expected-numbers", where=f"{where}: rms")
    camera = Camera(width, height, parameters, covariance, "calibration")
    return CameraFile(camera, float(rms), float(coverage), int(photos), _printable(data.get("model")))


def _is_covariance(matrix: Floats) -> bool:
    """Whether no combination of the parameters has a variance below nothing, but for rounding."""
    if not np.allclose(matrix, matrix.T, rtol=1e-6) or np.any(np.diag(matrix) < 0):
        return False
    spread = np.sqrt(np.where(np.diag(matrix) > 0, np.diag(matrix), 1.0))
    return bool(np.linalg.eigvalsh(matrix / np.outer(spread, spread)).min() > -1e-6)


def _printable(value: object) -> str:
    return "".join(sign for sign in value if sign.isprintable())[:LONGEST_MODEL] if isinstance(value, str) else ""


def _side(value: object, where: str) -> int:
    if not isinstance(value, int) or not 100 <= value <= 50_000:
        raise BadInput("expected-whole-numbers-pixels", where=f"{where}: width")
    return value


def _numbers(value: object, shape: tuple[int, ...], where: str) -> Floats:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("expected-numbers", where=where) from None
    if array.shape != shape or not np.isfinite(array).all():
        raise BadInput("expected-finite-numbers", where=where, shape=" × ".join(map(str, shape)))
    return array


# The desk's own cameras: calibrations that are taken up for photos whose notes name the same camera and lens.

_SAME_LENS: Final = 0.12
"""Focal lengths of one lens in a photo's notes, which are rounded, and by calibration agree to this; those of a phone's
several lenses differ by more."""
_SAME_SHAPE: Final = 0.01
"""Share by which the ratio of sides may differ for a picture to be of the same camera."""
_NAME: Final = 12
"""Characters of a file's digest that name it."""
_MOST: Final = 200
"""Camera files of a folder that are read, at most."""


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
        raise BadInput("camera-unnamed", where=str(path))
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
    ratio = focal_ratio(photo, camera)
    return (
        photo.camera[:LONGEST_MODEL] == stored.model
        and ratio is not None
        and _alike(long / short, wide / low, _SAME_SHAPE)
        and _alike(ratio, 1.0, _SAME_LENS)
    )


def focal_ratio(photo: Photograph, camera: Camera) -> float | None:
    """The focal length in a photo's notes over the calibrated one, each by its picture's longer side."""
    if photo.focal is None:
        return None
    return photo.focal / max(photo.width, photo.height) / (camera.focal / max(camera.width, camera.height))


def _alike(one: float, other: float, relative: float) -> bool:
    return abs(one / other - 1) < relative
