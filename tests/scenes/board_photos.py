"""Rendered boards kept beside pytest's cache, so that one run renders each scene once whatever the number of workers."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from inspect_kit.vision.board.measure import BoardPhoto
from inspect_kit.vision.optics.camera import PARAMETERS, Camera
from tests.scenes import board, board_render, render
from tests.scenes.board import Shot
from tests.scenes.scene import Lens

CACHE = Path(__file__).parents[2] / ".pytest_cache" / "scenes"
STANDARD = np.array([0.3, 0.3, 0.5, 0.5, 1e-3, 2e-3, 5e-5, 5e-5, 2e-3])
"""Standard uncertainties of the camera that is said to be calibrated."""


@lru_cache(maxsize=8)
def jpeg_of(shot: Shot) -> bytes:
    """The photograph, rendered anew whenever the scene or the renderer changed."""
    sources = b"".join(Path(str(module.__file__)).read_bytes() for module in (board, board_render, render))
    name = hashlib.sha256(repr(shot).encode() + sources).hexdigest()
    path = CACHE / f"{name}.jpg"
    if path.exists():
        return path.read_bytes()
    content = board_render.photograph(shot)
    CACHE.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=CACHE)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
    Path(part).replace(path)
    return content


def camera_of(lens: Lens) -> Camera:
    parameters = np.array([lens.focal, lens.focal, *lens.centre, *lens.bend])
    return Camera(lens.width, lens.height, parameters, np.diag(STANDARD**2))


def photo_of(shot: Shot, name: str = "scene.jpg") -> BoardPhoto:
    pixels = np.asarray(Image.open(io.BytesIO(jpeg_of(shot))))
    return BoardPhoto(pixels, camera_of(shot.lens).with_focus_drift(), name)


def camera_json(lens: Lens) -> str:
    camera = camera_of(lens)
    values = dict(zip(PARAMETERS, camera.parameters.tolist(), strict=True))
    return json.dumps({"format": 1, "kind": "camera", "width": lens.width, "height": lens.height, "parameters": values,
                       "covariance": camera.covariance.tolist()})  # fmt: skip
