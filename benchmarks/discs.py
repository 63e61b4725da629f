"""Diameters from photos against what a user would do instead, on scenes of known millimetres: error, coverage, time.

Run as `python -m benchmarks.discs --scenes 12`. The other methods are helped to find the pieces.
"""

from __future__ import annotations

import argparse
import math
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np
from skimage.measure import EllipseModel

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.measure.pieces import KINDS, Stated, measure_pieces
from inspect_kit.vision.calibration import calibrate, sheet_corners
from inspect_kit.vision.camera import Camera
from inspect_kit.vision.references import Reference, place
from inspect_kit.vision.sheets import Paper, mat
from tests.scenes.render import photograph, project
from tests.scenes.scene import Piece, Scene
from tests.scenes.table import BEND, calibration_scenes, phone, scattered


def main() -> None:
    """Render, measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=12)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    lens = phone(12.0, bend=BEND)
    views = [
        sheet_corners(open_photograph(photograph(s, "charuco"), "c").pixels, None) for s in calibration_scenes(lens)
    ]
    camera = calibrate(views, lens.width, lens.height, None).camera
    rows: dict[str, list[float]] = {"ours": [], "one marker, Hough": [], "homography, enclosing": [], "ellipse": []}
    ratios, times, found, there = [], [], 0, 0
    for seed in range(chosen.first, chosen.first + chosen.scenes):
        errors, misses, spent, count = _scene(scattered(seed), camera, np.random.default_rng(seed))
        there, found = there + count, found + len(errors["ours"])
        ratios += misses
        times.append(spent)
        for name, values in errors.items():
            rows[name] += values
    print(f"{chosen.scenes} scenes, {found} of {there} pieces, {np.mean(times):.2f} s of processor time a photo")
    for name, values in rows.items():
        sizes = np.abs(values)
        print(f"{name:24s} mean {sizes.mean():.3f} mm  worst {sizes.max():.3f} mm  ({len(sizes)} pieces)")
    print(f"U = 2u covers {np.mean(np.abs(ratios) < 2):.1%}; error over u: {np.sqrt(np.mean(np.square(ratios))):.2f}")


def _scene(
    scene: Scene, camera: Camera, random: np.random.Generator
) -> tuple[dict[str, list[float]], list[float], float, int]:
    photo = open_photograph(photograph(scene), f"scene {scene.seed}")
    first = scene.pieces[0]
    stated = Stated(
        thickness=(max(0.5, first.thickness + random.normal(0, 0.1)), 0.1),
        rim=(max(0.0, first.rim + random.normal(0, 0.1)), 0.1),
        print_scale=(1.0, 0.0002),
    )
    start = time.process_time()
    session = measure_pieces([photo], KINDS["coins"], camera, stated)
    spent = time.process_time() - start
    ours, ratios = [], []
    for piece in session.pieces:
        true = min(scene.pieces, key=lambda p: math.dist((p.x, p.y), piece.first.place))
        ours.append(piece.diameter.value - true.diameter)
        ratios.append(ours[-1] / piece.diameter.standard)
    return {"ours": ours, **_naive(scene, photo.pixels, camera)}, ratios, spent, len(scene.pieces)


def _naive(scene: Scene, pixels: np.ndarray, camera: Camera) -> dict[str, list[float]]:
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    placed = place(pixels, camera, Reference())
    flat, _ = cv2.findHomography(placed.known.image, placed.known.sheet[:, :2])
    area = next(iter(mat(Paper.A4).markers.values()))
    corners = placed.view.pixels(np.array([[area.left, area.bottom, 0], [area.left + area.width, area.bottom, 0]]))
    per_mm = float(np.linalg.norm(corners[1] - corners[0])) / area.width
    result: dict[str, list[float]] = {"one marker, Hough": [], "homography, enclosing": [], "ellipse": []}
    for piece in scene.pieces:
        contour, circle = _helped(scene, grey, pixels, piece)
        if circle is not None:
            result["one marker, Hough"].append(2 * circle / per_mm - piece.diameter)
        if contour is None:
            continue
        plane = cv2.perspectiveTransform(contour[None].astype(np.float64), flat)[0]
        result["homography, enclosing"].append(2 * cv2.minEnclosingCircle(plane.astype(np.float32))[1] - piece.diameter)
        model = EllipseModel()
        if model.estimate(plane):
            result["ellipse"].append(model.params[2] + model.params[3] - piece.diameter)
    return result


def _helped(scene: Scene, grey: np.ndarray, pixels: np.ndarray, piece: Piece) -> tuple[np.ndarray | None, float | None]:
    """The piece's contour (Otsu on the distance to the ground's colour) and its Hough circle, cut out by the truth."""
    middle = project(scene, np.array([[piece.x, piece.y, piece.thickness]]))[0]
    side = project(scene, np.array([[piece.x + piece.diameter * 0.62, piece.y, piece.thickness]]))[0]
    reach = int(np.linalg.norm(side - middle))
    left, top = (max(0, int(value) - reach) for value in middle)
    part = pixels[top : top + 2 * reach, left : left + 2 * reach].astype(np.float32)
    ground = np.median(np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]]), axis=0)
    away = np.clip(np.linalg.norm(part - ground, axis=2), 0, 255).astype(np.uint8)
    _, mask = cv2.threshold(away, 0, 255, cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contour = max(contours, key=cv2.contourArea)[:, 0, :] + [left, top] if contours else None
    cut = cv2.medianBlur(grey[top : top + 2 * reach, left : left + 2 * reach], 5)
    circles = cv2.HoughCircles(cut, cv2.HOUGH_GRADIENT, 1, reach, param1=80, param2=20,
                               minRadius=int(0.6 * reach), maxRadius=int(0.95 * reach))  # fmt: skip
    return contour, None if circles is None else float(circles[0, 0, 2])


if __name__ == "__main__":
    main()
