"""Figures from photos against what a user would do instead, on scenes of known millimetres: error, coverage, time.

Run as `python -m benchmarks.figures --scenes 12`. The other method is a careful person with a picture editor: whole
pixels are counted along the figure's outline, of which not one is misjudged, and divided by a scale that is taken from
the backdrop behind the figure and corrected for standoff and distance of the camera, both known exactly.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections import defaultdict
from dataclasses import replace

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np

from inspect_kit.capture.photographs import Photograph, open_photograph
from inspect_kit.errors import BadInput
from inspect_kit.measure.figure import measure_figure
from inspect_kit.measure.stated import Stated
from inspect_kit.vision.optics.camera import Camera
from tests.scenes.figure import FigureScene, photograph, silhouette
from tests.scenes.figure_poses import posed
from tests.scenes.render import project
from tests.scenes.scene import Lens

SPREAD = 0.3
"""mm to which the standoff is known."""
Rows = dict[str, list[tuple[float, float]]]


def main() -> None:
    """Render, measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=12)
    parser.add_argument("--first", type=int, default=0)
    chosen, _ = parser.parse_known_args()
    cv2.setNumThreads(1)
    ours: Rows = defaultdict(list)
    others: Rows = defaultdict(list)
    seconds, refused = [], 0
    for seed in range(chosen.first, chosen.first + chosen.scenes):
        scene = _scene(seed)
        photo = open_photograph(photograph(scene), f"scene {seed}")
        start = time.process_time()
        refused += not _ours(scene, photo, ours)
        seconds.append(time.process_time() - start)
        _by_hand(scene, others)
    print(f"{chosen.scenes} photos, {refused} refused, median {np.median(seconds):.1f} s of processor time a photo")
    _print("ours", ours)
    _print("by hand: pixels counted, scale of the backdrop", others)


def _scene(seed: int) -> FigureScene:
    """Every fifth is white on white, every third seen from the side or from between."""
    scene = (
        posed(seed, megapixels=5.0, table="white", colours=("white",)) if seed % 5 == 0 else posed(seed, megapixels=5.0)
    )
    turn = (0.0, 0.0, math.radians(45 if seed % 2 else 90))[seed % 3]
    return replace(scene, figure=replace(scene.figure, turn=turn))


def _camera(lens: Lens, random: np.random.Generator) -> Camera:
    """A calibrated camera, off by as much as its covariance says."""
    standard = np.array([0.0007 * lens.focal, 1e-5 * lens.focal, 1.0, 1.0, 0.002, 0.004, 1e-4, 1e-4, 1e-6])
    off = random.normal(0, standard)
    true = np.array([lens.focal, lens.focal, *lens.centre, *lens.bend])
    # Both focal lengths err together, and hardly apart.
    mix = np.eye(9)
    mix[1, 0] = 1.0
    return Camera(lens.width, lens.height, true + mix @ off, mix @ np.diag(standard**2) @ mix.T)


def _ours(scene: FigureScene, photo: Photograph, rows: Rows) -> bool:
    random = np.random.default_rng(scene.seed)
    stated = Stated(standoff=(scene.figure.standoff + random.normal(0, SPREAD), SPREAD), print_scale=(1.0, 0.0002))
    try:
        session = measure_figure([photo], _camera(scene.lens, random), stated)
    except BadInput as problem:
        print(f"{photo.file}: {problem}")
        return False
    seen = [value for value in session.values if value.characteristic != "fig.top.width" or not scene.figure.turn]
    for value in seen:
        error = value.value - scene.figure.truth[value.characteristic]
        rows[value.characteristic].append((error, value.standard))
    return True


def _by_hand(scene: FigureScene, rows: Rows) -> None:
    """Pixels of the silhouette, counted, over pixels a millimetre where the figure stands."""
    x, y, up = silhouette(scene).T
    base = up < scene.figure.base.height + 0.4
    truth, scale = scene.figure.truth, _scale_beside(scene)
    rows["fig.height"].append((_counted(y) / scale[1] - truth["fig.height"], 0.0))
    rows["fig.base.diameter"].append((_counted(x[base]) / scale[0] - truth["fig.base.diameter"], 0.0))
    if abs(np.sin(scene.figure.turn)) < 0.1:
        rows["fig.top.width"].append((_counted(x[~base]) / scale[0] - truth["fig.top.width"], 0.0))


def _counted(places: np.ndarray) -> float:
    """Whole pixels from the first to the last."""
    return float(np.round(places.max()) - np.round(places.min()) + 1)


def _scale_beside(scene: FigureScene) -> tuple[float, float]:
    """Pixels a mm, across and upwards: of the sheet around the figure, brought forward to where it stands."""
    figure = scene.figure
    cross = np.array([[-15.0, -30.0, 0.0], [15.0, -30.0, 0.0], [0.0, -45.0, 0.0], [0.0, -15.0, 0.0]])
    seen = project(scene.flat, cross + np.array([figure.x, 0.0, 0.0]))
    distance = float(scene.stand.place()[2])
    nearer = distance / (distance - figure.standoff)
    across, upwards = np.linalg.norm(seen[1] - seen[0]) / 30, np.linalg.norm(seen[3] - seen[2]) / 30
    return float(across) * nearer, float(upwards) * nearer


def _print(name: str, rows: Rows) -> None:
    print(name)
    for characteristic, values in rows.items():
        error, standard = np.array(values).T
        sizes = np.abs(error)
        covered = f"  within U {np.mean(sizes < 2 * standard):4.0%}" if standard.any() else ""
        mean, middle = sizes.mean(), np.median(sizes)
        print(f"  {characteristic:<22} n {len(sizes):3}  mean |error| {mean:.3f}  median {middle:.3f}  "
              f"bias {error.mean():+.3f}{covered}")  # fmt: skip


if __name__ == "__main__":
    main()
