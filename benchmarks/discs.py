"""Diameters from photos against what a user would do instead, on scenes of known millimetres: error, coverage, time.

Run as `python -m benchmarks.discs --scenes 24`. The other methods are helped to find the pieces.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np
from skimage.measure import EllipseModel

from inspect_kit.capture.photographs import Photograph, open_photograph
from inspect_kit.measure.pieces import KINDS, measure_pieces
from inspect_kit.measure.stated import Stated
from inspect_kit.vision.optics.calibration import calibrate, sheet_corners
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.reference.find import place
from inspect_kit.vision.reference.sheets import Paper, mat
from inspect_kit.vision.reference.wanted import Reference
from tests.scenes.render import photograph, project
from tests.scenes.scene import Piece, Scene
from tests.scenes.table import BEND, calibration_scenes, phone, scattered

NAIVE = ("one marker, Hough", "homography, enclosing", "ellipse without height")


def main() -> None:
    """Render, measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=12)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a folder for the rendered photos, to be used again")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    camera = _calibrated(chosen.keep)
    rows: dict[str, list[float]] = {"ours": [], **{name: [] for name in NAIVE}}
    seconds: dict[str, float] = dict.fromkeys(rows, 0.0)
    ratios, there, invented = [], 0, 0
    for seed in range(chosen.first, chosen.first + chosen.scenes):
        scene = scattered(seed)
        pixels = _kept(chosen.keep, f"s{seed}.jpg", scene, "mat")
        found, ours, misses = _ours(scene, pixels, camera, seconds)
        there, invented = there + len(scene.pieces), invented + found - len(ours)
        ratios += misses
        rows["ours"] += ours
        for name, values in _naive(scene, pixels.pixels, camera, seconds).items():
            rows[name] += values
    print(f"{chosen.scenes} scenes from seed {chosen.first}: {len(rows['ours'])} of {there} pieces found, "
          f"{invented} invented")  # fmt: skip
    for name, values in rows.items():
        sizes, own = np.abs(values), np.abs(rows["ours"])
        print(f"{name:24s} mean {sizes.mean():6.3f} mm ({sizes.mean() / own.mean():5.1f} x)  "
              f"worst {sizes.max():7.3f} mm  {seconds[name] / chosen.scenes:.2f} s a photo, {len(sizes)}")  # fmt: skip
    print(f"U = 2u covers {np.mean(np.abs(ratios) < 2):.1%}; error over u: {np.sqrt(np.mean(np.square(ratios))):.2f}")


def _kept(folder: Path | None, name: str, scene: Scene, sheet: str) -> Photograph:
    """The scene's photo, rendered or from the folder where it was kept."""
    if folder is None:
        return open_photograph(photograph(scene, sheet), name)
    path = folder / name
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(photograph(scene, sheet))
    return open_photograph(path.read_bytes(), name)


def _calibrated(folder: Path | None) -> Camera:
    lens = phone(12.0, bend=BEND)
    photos = (_kept(folder, f"cal{i}.jpg", scene, "charuco") for i, scene in enumerate(calibration_scenes(lens)))
    views = [sheet_corners(photo.pixels, None) for photo in photos]
    return calibrate(views, lens.width, lens.height, None).camera


def _ours(
    scene: Scene, photo: Photograph, camera: Camera, seconds: dict[str, float]
) -> tuple[int, list[float], list[float]]:
    """How many were found; errors and errors over u of those that are there. Thickness and rim are 0.1 mm off."""
    random, first = np.random.default_rng(scene.seed), scene.pieces[0]
    stated = Stated(
        thickness=(max(0.5, first.thickness + random.normal(0, 0.1)), 0.1),
        rim=(max(0.0, first.rim + random.normal(0, 0.1)), 0.1),
        print_scale=(1.0, 0.0002),
    )
    start = time.process_time()
    session = measure_pieces([photo], KINDS["coins"], camera, stated)
    seconds["ours"] += time.process_time() - start
    left, errors, ratios = list(scene.pieces), [], []
    for piece in session.pieces:
        near = [p for p in left if math.dist((p.x, p.y), piece.first.place) < 4]
        if near:
            left.remove(near[0])
            errors.append(piece.diameter.value - near[0].diameter)
            ratios.append(errors[-1] / piece.diameter.standard)
    return len(session.pieces), errors, ratios


def _naive(scene: Scene, pixels: np.ndarray, camera: Camera, seconds: dict[str, float]) -> dict[str, list[float]]:
    """The other ways, each told where the pieces are and given the sheet's corners to a fraction of a pixel."""
    start = time.process_time()
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    placed = place(pixels, camera, Reference())
    flat, _ = cv2.findHomography(placed.known.image, placed.known.sheet[:, :2])
    for name in NAIVE:
        seconds[name] += time.process_time() - start
    area = next(iter(mat(Paper.A4).markers.values()))
    corners = placed.view.pixels(np.array([[area.left, area.bottom, 0], [area.left + area.width, area.bottom, 0]]))
    per_mm = float(np.linalg.norm(corners[1] - corners[0])) / area.width
    result: dict[str, list[float]] = {name: [] for name in NAIVE}
    for piece in scene.pieces:
        part, corner = _cut(scene, pixels, piece)
        for name, way in zip(NAIVE, (_hough, _enclosing, _ellipse), strict=True):
            start = time.process_time()
            value = way(part, corner, flat) if way is not _hough else _hough(_cut(scene, grey, piece)[0]) / per_mm
            seconds[name] += time.process_time() - start
            if math.isfinite(value):
                result[name].append(value - piece.diameter)
    return result


def _cut(scene: Scene, pixels: np.ndarray, piece: Piece) -> tuple[np.ndarray, np.ndarray]:
    """The part of the picture with the piece in its middle, by the truth, and its upper left corner."""
    middle = project(scene, np.array([[piece.x, piece.y, piece.thickness]]))[0]
    side = project(scene, np.array([[piece.x + piece.diameter * 0.62, piece.y, piece.thickness]]))[0]
    reach = int(np.linalg.norm(side - middle))
    left, top = (max(0, int(value) - reach) for value in middle)
    return pixels[top : top + 2 * reach, left : left + 2 * reach], np.array([left, top])


def _hough(grey: np.ndarray) -> float:
    """Diameter in pixels."""
    reach = grey.shape[0] // 2
    circles = cv2.HoughCircles(cv2.medianBlur(grey, 5), cv2.HOUGH_GRADIENT, 1, reach, param1=80, param2=20,
                               minRadius=int(0.6 * reach), maxRadius=int(0.95 * reach))  # fmt: skip
    return math.nan if circles is None else 2 * float(circles[0, 0, 2])


def _outline(part: np.ndarray, corner: np.ndarray, flat: np.ndarray) -> np.ndarray | None:
    """The largest contour (Otsu on the distance from the ground's colour), set straight on the sheet's plane."""
    colours = part.astype(np.float32)
    ground = np.median(np.concatenate([colours[0], colours[-1], colours[:, 0], colours[:, -1]]), axis=0)
    away = np.clip(np.linalg.norm(colours - ground, axis=2), 0, 255).astype(np.uint8)
    _, mask = cv2.threshold(away, 0, 255, cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    outline = max(contours, key=cv2.contourArea)[:, 0, :] + corner
    return np.asarray(cv2.perspectiveTransform(outline[None].astype(np.float64), flat)[0])


def _enclosing(part: np.ndarray, corner: np.ndarray, flat: np.ndarray) -> float:
    outline = _outline(part, corner, flat)
    return math.nan if outline is None else 2 * cv2.minEnclosingCircle(outline.astype(np.float32))[1]


def _ellipse(part: np.ndarray, corner: np.ndarray, flat: np.ndarray) -> float:
    outline = _outline(part, corner, flat)
    model = EllipseModel.from_estimate(outline) if outline is not None and len(outline) > 8 else None
    return float(sum(model.axis_lengths)) if model else math.nan


if __name__ == "__main__":
    main()
