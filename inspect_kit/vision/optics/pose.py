"""One photo's view of a plane: camera and pose solved together from known points, with their joint covariance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.fitting.least_squares import Solution, inverse, robust_deviation, solve
from inspect_kit.vision.optics import tuning
from inspect_kit.vision.optics.camera import COUNT, GUESS, Camera, alternatives, project, rays

LEAST_NOISE: Final = 0.02
"""Pixels; corners are never known better than this, whatever a few residuals say."""


@dataclass(frozen=True)
class Known:
    """Points of a reference: where they lie on the sheet in mm (z = 0) and where in the photo."""

    sheet: Floats
    image: Floats
    cells: float
    """Distance between neighbours, mm."""
    strip: float = 0.0
    """Width of the white strip beside the black squares, mm; 0 where the white squares are plain."""


@dataclass(frozen=True)
class View:
    """Camera parameters and pose (rotation vector, translation), joined in one vector with its covariance."""

    camera: Camera
    vector: Floats
    covariance: Floats
    pose_covariance: Floats
    """Of the pose alone, were the camera known exactly."""
    noise: float
    used: int
    seen: int
    by_reference: Floats | None = None
    """What of the covariance comes from the reference's own size and form, where those are not exact."""

    @property
    def lens(self) -> Floats:
        """The camera's parameters as this photo has them."""
        return self.vector[:COUNT]

    @cached_property
    def rotation(self) -> Floats:
        """From the sheet's frame to the camera's."""
        return rotation_of(self.vector[COUNT : COUNT + 3])

    @cached_property
    def centre(self) -> Floats:
        """Where the camera stands, on the sheet's frame; z is its height above the sheet."""
        return np.asarray(-self.rotation.T @ self.vector[COUNT + 3 :], dtype=np.float64)

    @property
    def tilt(self) -> float:
        """Angle in radians between the line of sight and the sheet's normal."""
        return float(np.arccos(np.clip(abs(self.rotation[2, 2]), 0, 1)))

    def pixels(self, points: Floats) -> Floats:
        """Points of the sheet's frame (x, y, z up) → pixels."""
        return project(self.lens, np.asarray(points @ self.rotation.T + self.vector[COUNT + 3 :]))

    def on_plane(self, pixels: Floats, height: float = 0.0) -> Floats:
        """Where pixels' rays meet the plane at this height above the sheet."""
        directions = rays(self.lens, pixels) @ self.rotation
        centre = self.centre
        slope = np.where(np.abs(directions[:, 2]) < 1e-9, -1e-9, directions[:, 2])
        reach = (height - centre[2]) / slope
        return np.asarray(centre[None, :2] + reach[:, None] * directions[:, :2], dtype=np.float64)

    def resolution(self, point: Floats) -> float:
        """Pixels per millimetre at a point (x, y, z)."""
        steps = np.array([[0, 0, 0], [0.5, 0, 0], [0, 0.5, 0]])
        at = self.pixels(point[None, :] + steps)
        across, up = (at[1] - at[0]) * 2, (at[2] - at[0]) * 2
        return float(np.sqrt(abs(across[0] * up[1] - across[1] * up[0])))


def rotation_of(vector: Floats) -> Floats:
    """Rodrigues."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross), dtype=np.float64)


def pixels_of(vector: Floats, points: Floats) -> Floats:
    """Points of the sheet's frame → pixels, for a joined vector of camera and pose."""
    seen = points @ rotation_of(vector[COUNT : COUNT + 3]).T + vector[COUNT + 3 : COUNT + 6]
    return project(vector[:COUNT], seen)


def view_slopes(vector: Floats, points: Floats) -> Floats:
    """How the pixels of points move with camera and pose: points × 2 × 15."""
    fx, fy, cx, cy, *bend = vector[:COUNT]
    matrix = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
    turn, shift = vector[COUNT : COUNT + 3], vector[COUNT + 3 : COUNT + 6]
    _, table = cv2.projectPoints(np.ascontiguousarray(points, dtype=np.float64), turn, shift, matrix, np.array(bend))
    order = [*range(6, 15), *range(6)]
    return np.asarray(table[:, order], dtype=np.float64).reshape(len(points), 2, COUNT + 6)


def view_scale(camera: Camera) -> Floats:
    """The size by which each number of the joined vector matters."""
    focal = camera.focal
    return np.array([focal, focal, focal, focal, 1, 1, 0.1, 0.1, 1, 1, 1, 1, 100, 100, 100])


def fit_view(camera: Camera, known: Known) -> View:
    """The view as this camera has it; where nobody knows the camera, as the likeliest of the usual ones has it."""
    if camera.source != GUESS:
        return _fitted(camera, known)
    trials = [(_fitted(each, known), often) for each, often in alternatives(camera)]
    noise = min(view.noise for view, _ in trials)
    misfits = np.array([_misfit(view, known, noise) - 2 * np.log(often) for view, often in trials])
    shares = np.exp((misfits.min() - misfits) / 2)
    best = int(misfits.argmin())
    covariance = trials[best][0].covariance.copy()
    for (view, _), share in zip(trials, shares / shares.sum(), strict=True):
        # What another camera would say instead, weighed by how likely it is.
        other = same_turn(view.vector, trials[best][0].vector) - trials[best][0].vector
        covariance += share * np.outer(other, other)
    return replace(trials[best][0], covariance=covariance)


def same_turn(vector: Floats, like: Floats) -> Floats:
    """The same view, its rotation written as the one of two equal turns that lies nearer to another's: sheets are
    turned by about half a circle, where a small change can flip the axis."""
    turn = vector[COUNT : COUNT + 3]
    angle = float(np.linalg.norm(turn))
    back = turn * (1 - 2 * np.pi / max(angle, 1e-9))
    near = min((turn, back), key=lambda each: float(np.linalg.norm(each - like[COUNT : COUNT + 3])))
    return np.concatenate([vector[:COUNT], near, vector[COUNT + 3 :]])


def _misfit(view: View, known: Known, noise: float) -> float:
    """How badly a view fits its corners and what is usual for a camera."""
    away = np.linalg.norm(pixels_of(view.vector, known.sheet) - known.image, axis=1)
    corners = float((np.minimum(away / noise, tuning.POSE_CUT) ** 2).sum()) / tuning.ALIKE
    pull = view.vector[:COUNT] - view.camera.parameters
    return corners + float(pull @ inverse(view.camera.covariance) @ pull)


def _fitted(camera: Camera, known: Known) -> View:
    """The pose, and the camera's parameters as far as this photo knows them better; outliers are left out."""
    start = np.concatenate([camera.parameters, _first_pose(camera, known)])
    keep = np.ones(len(known.image), dtype=bool)
    noise = 1.0
    for _ in range(6):
        solution = _solved(camera, known, start, keep, noise)
        away = np.linalg.norm(pixels_of(solution.parameters, known.sheet) - known.image, axis=1)
        noise = _noise(away[keep])
        start, before = solution.parameters, keep
        keep = away < max(tuning.POSE_CUT * noise, 0.3)
        if keep.sum() < 4:
            raise BadInput("reference-corners-do-not-lie")
        if bool(np.all(keep == before)) and _ > 0:
            break
    solution = _solved(camera, known, start, keep, noise)
    return _view(camera, solution, keep, noise)


def _noise(away: Floats) -> float:
    """Per coordinate; few points overfit, so freedom is counted."""
    count = 2 * len(away)
    freedom = max(count - 8, 1)
    plain = float(np.sqrt((away**2).sum() / freedom))
    robust = robust_deviation(away) / 1.1774 * 0.845 * np.sqrt(count / freedom)
    return max(LEAST_NOISE, min(plain, 2.0 * robust) if len(away) > 12 else plain)


@dataclass(frozen=True)
class _Reprojection:
    """Weighted distances of the known points from where a view sees them."""

    sheet: Floats
    image: Floats
    noise: float

    def __call__(self, at: Floats, /) -> Floats:
        return np.asarray((pixels_of(at, self.sheet) - self.image).ravel() / self.noise, dtype=np.float64)

    def slopes(self, at: Floats, /) -> Floats:
        """By the fifteen numbers of the view."""
        return view_slopes(at, self.sheet).reshape(-1, len(at)) / self.noise


def _solved(camera: Camera, known: Known, start: Floats, keep: Mask, noise: float) -> Solution:
    information = np.zeros((COUNT + 6, COUNT + 6))
    information[:COUNT, :COUNT] = inverse(camera.covariance)
    mean = np.concatenate([camera.parameters, start[COUNT:]])
    residuals = _Reprojection(known.sheet[keep], known.image[keep], noise)
    return solve(residuals, start, view_scale(camera), information, mean)


def _view(camera: Camera, solution: Solution, keep: Mask, noise: float) -> View:
    pose = solution.jacobian[:, COUNT:]
    return View(
        camera, solution.parameters, solution.covariance, inverse(pose.T @ pose), noise, int(keep.sum()), len(keep)
    )


def _first_pose(camera: Camera, known: Known) -> Floats:
    """From the homography of the undistorted points, by the plane's own solver."""
    flat = rays(camera.parameters, known.image)[:, :2]
    rows = np.column_stack([known.sheet[:, :2], np.zeros(len(known.sheet))])
    good = _consistent(known.sheet[:, :2], flat, 3.0 / camera.focal)
    # The plane's own solver mistakes the turn of a sheet seen from exactly above; the other knows no planes.
    for solver in (cv2.SOLVEPNP_IPPE, cv2.SOLVEPNP_SQPNP):
        _, turns, shifts, _ = cv2.solvePnPGeneric(
            rows[good], flat[good].reshape(-1, 1, 2), np.eye(3), np.zeros(5), flags=solver
        )
        for turn, shift in zip(turns, shifts, strict=True):
            pose = np.concatenate([turn.ravel(), shift.ravel()])
            if _in_front(pose):
                return np.asarray(pose, dtype=np.float64)
    raise BadInput("reference-cannot-placed-space")


def _in_front(pose: Floats) -> bool:
    """The sheet is ahead of the camera and shows its printed side."""
    centre = -rotation_of(pose[:3]).T @ pose[3:]
    return bool(pose[5] > 0 and centre[2] > 0)


def _consistent(sheet: Floats, flat: Floats, tolerance: float) -> Mask:
    if len(sheet) == 4:
        return np.ones(4, dtype=bool)
    mask = cv2.findHomography(sheet, flat, cv2.RANSAC, 3 * tolerance)[1] if len(sheet) > 4 else None
    if mask is None or int(mask.sum()) < 4:
        raise BadInput("reference-corners-do-not-fit")
    return np.asarray(mask.ravel() > 0)
