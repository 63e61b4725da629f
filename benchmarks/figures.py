"""Figures from photos against what a user would do instead, on scenes of known millimetres: error, coverage, time.

Run as `python -m benchmarks.figures --scenes 12`. The other method takes one scale factor from the backdrop's
squares and the silhouette of all that is not blue; it is told where the table is.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np

from inspect_kit.capture.photographs import Photograph, open_photograph
from inspect_kit.errors import BadInput
from inspect_kit.measure.figure import StatedFigure, measure_figure
from inspect_kit.vision.camera import Camera
from inspect_kit.vision.references import Reference, place
from tests.scenes.figure import FigureScene, photograph
from tests.scenes.figure_poses import posed
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
        _silhouette(scene, photo.pixels, others)
    print(f"{chosen.scenes} photos, {refused} refused, median {np.median(seconds):.1f} s of processor time a photo")
    _print("ours", ours)
    _print("one scale, silhouette", others)


def _scene(seed: int) -> FigureScene:
    """Every fifth is white on white."""
    if seed % 5 == 0:
        return posed(seed, megapixels=5.0, table="white", colours=("white",))
    return posed(seed, megapixels=5.0)


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
    stated = StatedFigure((scene.figure.standoff + random.normal(0, SPREAD), SPREAD), (1.0, 0.0002))
    try:
        session = measure_figure([photo], _camera(scene.lens, random), stated)
    except BadInput as problem:
        print(f"{photo.file}: {problem}")
        return False
    for value in session.values:
        error = value.estimate.value - scene.figure.truth[value.characteristic]
        rows[value.characteristic].append((error, value.estimate.standard))
    return True


def _silhouette(scene: FigureScene, pixels: np.ndarray, rows: Rows) -> None:
    """All that is not blue between the squares and the table's line, in millimetres of the sheet."""
    lens = scene.lens
    true = np.array([lens.focal, lens.focal, *lens.centre, *lens.bend])
    exact = Camera(lens.width, lens.height, true, np.eye(9) * 1e-6)
    view = place(pixels, exact, Reference()).view
    corners = view.pixels(np.array([[-40.0, 10.0, 0.0], [40.0, 10.0, 0.0], [40.0, -52.5, 0.0], [-40.0, -52.5, 0.0]]))
    scale = float(np.linalg.norm(corners[1] - corners[0])) / 80
    inside = np.zeros(pixels.shape[:2], np.uint8)
    cv2.fillPoly(inside, [np.round(corners).astype(np.int32)], 1)
    blue = np.median(pixels[inside > 0].astype(np.float32), axis=0)
    away = np.clip(np.linalg.norm(pixels.astype(np.float32) - blue, axis=2), 0, 255).astype(np.uint8)
    level, _ = cv2.threshold(away[inside > 0], 0, 255, cv2.THRESH_OTSU)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(((away > level) & (inside > 0)).astype(np.uint8))
    if count < 2:
        return
    row, column = np.nonzero(labels == 1 + int(stats[1:, 4].argmax()))
    foot = float(corners[2:, 1].mean())
    low = row > foot - 7 * scale
    truth = scene.figure.truth
    rows["fig.height"].append(((foot - row.min()) / scale - truth["fig.height"], 0.0))
    if low.any():
        rows["fig.base.diameter"].append((np.ptp(column[low]) / scale - truth["fig.base.diameter"], 0.0))
    if (~low).any():
        rows["fig.top.width"].append((np.ptp(column[~low]) / scale - truth["fig.top.width"], 0.0))


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
