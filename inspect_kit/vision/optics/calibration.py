"""A camera's lens and focal length from photos of our sheets, their uncertainty, and advice for better photos."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.fitting.least_squares import inverse, slopes
from inspect_kit.vision.optics import tuning
from inspect_kit.vision.optics.camera import COUNT, Camera, guessed
from inspect_kit.vision.optics.pose import Known, pixels_of, rotation_of, view_scale
from inspect_kit.vision.reference.find import best_sheet, crossings_near, place_sheet

LEAST_PHOTOS: Final = 6
"""Photos that fix lens and focal length with a covariance worth stating."""
_CELLS: Final = (8, 6)
"""Cells across and down in which it is counted what of the picture the sheet covered."""


@dataclass(frozen=True)
class Calibration:
    """A camera, how well its photos agree (pixels), the share of the picture they cover, and what would help."""

    camera: Camera
    rms: float
    coverage: float
    tilts: tuple[float, ...]
    corners: int
    advice: tuple[str, ...]


def sheet_corners(pixels: Pixels, focal: float | None) -> Known:
    """The crossings of the sheet of ours in a photo, all that can be seen."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    sheet, markers = best_sheet(grey)
    near = crossings_near(grey, sheet, markers)
    camera = guessed(pixels.shape[1], pixels.shape[0], focal)
    try:
        return place_sheet(grey, camera, sheet, markers).known
    except BadInput:
        return near


def calibrate(views: Sequence[Known], width: int, height: int, focal: float | None) -> Calibration:
    """The camera that explains all views best; corners that do not fit are left out."""
    if len(views) < LEAST_PHOTOS:
        raise BadInput("usable-photos-sheet-needed", count=len(views), least_photos=LEAST_PHOTOS)
    start = guessed(width, height, focal)
    keep = [np.ones(len(view.image), dtype=bool) for view in views]
    vectors, lens = _solved(views, keep, start)
    for _ in range(3):
        away = [np.linalg.norm(_residuals(lens, pose, view), axis=1) for pose, view in zip(vectors, views, strict=True)]
        limit = max(tuning.CALIBRATION_CUT * float(np.median(np.concatenate(away))), 0.3)
        keep = [errors < limit for errors in away]
        vectors, lens = _solved(views, keep, start)
    return _described(views, keep, vectors, lens, start)


def _solved(views: Sequence[Known], keep: Sequence[Mask], start: Camera) -> tuple[list[Floats], Floats]:
    objects = [view.sheet[good].astype(np.float32) for view, good in zip(views, keep, strict=True)]
    images = [view.image[good].astype(np.float32) for view, good in zip(views, keep, strict=True)]
    if any(len(points) < 8 for points in objects):
        raise BadInput("photo-shows-too-little-sheet")
    matrix = np.array([[start.focal, 0, start.width / 2], [0, start.focal, start.height / 2], [0, 0, 1]])
    try:
        _, found, bend, turns, shifts = cv2.calibrateCamera(
            objects, images, (start.width, start.height), matrix, np.zeros(5), flags=cv2.CALIB_USE_INTRINSIC_GUESS
        )
    except cv2.error:
        raise BadInput("no-camera-explains-these-photos") from None
    lens = np.array([found[0, 0], found[1, 1], found[0, 2], found[1, 2], *np.asarray(bend).ravel()[:5]])
    poses = [np.concatenate([np.ravel(turn), np.ravel(shift)]) for turn, shift in zip(turns, shifts, strict=True)]
    return poses, lens


def _residuals(lens: Floats, pose: Floats, view: Known) -> Floats:
    return pixels_of(np.concatenate([lens, pose]), view.sheet) - view.image


def _described(
    views: Sequence[Known], keep: Sequence[Mask], poses: Sequence[Floats], lens: Floats, start: Camera
) -> Calibration:
    information = np.zeros((COUNT, COUNT))
    total, count = 0.0, 0
    probe = Camera(start.width, start.height, lens, np.eye(COUNT))
    for view, good, pose in zip(views, keep, poses, strict=True):
        part = Known(view.sheet[good], view.image[good], view.cells)
        errors = _residuals(lens, pose, part)
        total, count = total + float((errors**2).sum()), count + errors.size
        information += _lens_information(part, np.concatenate([lens, pose]), probe)
    freedom = max(count - COUNT - 6 * len(views), 1)
    variance = total / freedom
    camera = Camera(start.width, start.height, lens, inverse(information) * variance, "calibration")
    tilts = tuple(float(np.degrees(np.arccos(min(1.0, abs(rotation_of(pose[:3])[2, 2]))))) for pose in poses)
    coverage = _coverage(views, start.width, start.height)
    rms = float(np.sqrt(2 * total / count))
    return Calibration(camera, rms, coverage, tilts, count // 2, _advice(coverage, tilts, rms, len(views)))


def _lens_information(view: Known, vector: Floats, probe: Camera) -> Floats:
    """What one view tells of the lens after its own pose has been fitted (Schur complement)."""
    table = slopes(lambda at: pixels_of(at, view.sheet).ravel(), vector, view_scale(probe))
    lens, pose = table[:, :COUNT], table[:, COUNT:]
    return np.asarray(lens.T @ lens - lens.T @ pose @ inverse(pose.T @ pose) @ pose.T @ lens, dtype=np.float64)


def _coverage(views: Sequence[Known], width: int, height: int) -> float:
    hit = np.zeros(_CELLS, dtype=bool)
    for view in views:
        cells = np.clip((view.image / [width, height] * _CELLS).astype(int), 0, np.array(_CELLS) - 1)
        hit[cells[:, 0], cells[:, 1]] = True
    return float(hit.mean())


def _advice(coverage: float, tilts: Sequence[float], rms: float, count: int) -> tuple[str, ...]:
    said = (
        (coverage < 0.75, "fill the corners of the picture with the sheet in some photos"),
        (sorted(tilts)[len(tilts) // 2] < 12, "tilt the camera more, by 20 to 35 degrees, to different sides"),
        (rms > 0.8, "lay the sheet flat on a table and hold the camera still: the corners fit poorly"),
        (count < 8, "take 8 or more photos"),
    )
    return tuple(sentence for wanted, sentence in said if wanted)
