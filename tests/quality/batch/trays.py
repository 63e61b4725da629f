"""Small photos of trays of coins whose millimetres are known, for `batch` by the program's own measuring."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from inspect_kit.vision.optics.camera import PARAMETERS
from tests.scenes.render import photograph
from tests.scenes.scene import Lamp, Lens, Piece, Scene, Sensor, Stand
from tests.scenes.table import COLOURS

OPTIONS = {"thickness": "8.0±0.05mm", "edge_radius": "0.8±0.05mm", "print_scale": "1.0000"}
_LENS = Lens(800, 600, 1200.0, (399.5, 299.5))
_COLOURS = ("white", "black", "red")


def diameters(tray: int, count: int = 3) -> list[float]:
    """The coins of a tray, left to right as they lie on the sheet."""
    return [round(float(value), 3) for value in np.random.default_rng(tray).normal(31.0, 0.1, count)]


def draw_trays(folder: Path, count: int) -> list[Path]:
    """So many photos, each of three coins on the mat."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(count):
        pieces = tuple(
            Piece(-42.0 + 42 * place, 5.0, diameter, 8.0, 0.8, COLOURS[colour], colour)
            for place, (diameter, colour) in enumerate(zip(diameters(number), _COLOURS, strict=True))
        )
        stand = Stand(450, 0.04, 1.0 + number, 1.57)
        paths.append(folder / f"tray-{number}.jpg")
        paths[-1].write_bytes(photograph(Scene(_LENS, stand, pieces, Lamp(), Sensor(0.6, 0.005), seed=number)))
    return paths


def camera_file(path: Path) -> Path:
    """The lens that the photos were drawn with, as a calibrated camera."""
    values = dict(zip(PARAMETERS, [_LENS.focal, _LENS.focal, *_LENS.centre, 0, 0, 0, 0, 0], strict=True))
    covariance = np.diag([0.1, 0.1, 0.1, 0.1, 1e-8, 1e-8, 1e-12, 1e-12, 1e-8]).tolist()
    size = {"width": _LENS.width, "height": _LENS.height}
    path.write_text(json.dumps({"format": 1, "kind": "camera", **size, "parameters": values, "covariance": covariance}))
    return path
