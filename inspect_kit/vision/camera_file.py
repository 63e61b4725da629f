"""Calibrated cameras as files: JSON of format 1, checked number by number when read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from inspect_kit.capture.files import read_text
from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.calibration import Calibration
from inspect_kit.vision.camera import COUNT, PARAMETERS, Camera, uncertainties

FORMAT: Final = 1
MOST_BYTES: Final = 1_000_000
LONGEST_MODEL: Final = 80


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
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput("is not JSON", where=where, hint="make it with inspect-kit camera calibrate") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("kind") != "camera":
        raise BadInput(
            'expected {"format": 1, "kind": "camera", …}',
            where=where,
            hint="make it with inspect-kit camera calibrate",
        )
    return _checked(data, where)


def _checked(data: dict[str, Any], where: str) -> CameraFile:
    width, height = _side(data.get("width"), where), _side(data.get("height"), where)
    stated = data.get("parameters")
    if not isinstance(stated, dict) or set(stated) != set(PARAMETERS):
        raise BadInput("expected " + ", ".join(PARAMETERS), where=f"{where}: parameters")
    parameters = _numbers([stated[name] for name in PARAMETERS], (COUNT,), f"{where}: parameters")
    if not all(0.1 * max(width, height) < value < 100 * max(width, height) for value in parameters[:2]):
        raise BadInput("no camera has this focal length", where=f"{where}: parameters.fx")
    covariance = _numbers(data.get("covariance"), (COUNT, COUNT), f"{where}: covariance")
    if not np.allclose(covariance, covariance.T, rtol=1e-6) or np.any(np.diag(covariance) < 0):
        raise BadInput("is not a covariance matrix", where=f"{where}: covariance")
    rms, coverage, photos = (data.get(key, 0) for key in ("rms", "coverage", "photos"))
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in (rms, coverage, photos)):
        raise BadInput("expected numbers", where=f"{where}: rms")
    camera = Camera(width, height, parameters, covariance, "calibration")
    return CameraFile(camera, float(rms), float(coverage), int(photos), _printable(data.get("model")))


def _printable(value: object) -> str:
    return "".join(sign for sign in value if sign.isprintable())[:LONGEST_MODEL] if isinstance(value, str) else ""


def _side(value: object, where: str) -> int:
    if not isinstance(value, int) or not 100 <= value <= 50_000:
        raise BadInput("expected whole numbers of pixels", where=f"{where}: width")
    return value


def _numbers(value: object, shape: tuple[int, ...], where: str) -> Floats:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("expected numbers", where=where) from None
    if array.shape != shape or not np.isfinite(array).all():
        raise BadInput(f"expected {' × '.join(map(str, shape))} finite numbers", where=where)
    return array
