"""A phone's camera: intrinsics, a pose that frames the subject, projection, and the calibration file of its truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MODEL = "Cycles phone"
CORNER_SPREAD = 0.19
"""Pixels by which corners of a calibration sheet disagree; as `camera calibrate` says of eight path-traced photos."""


@dataclass(frozen=True)
class Camera:
    """Lens and pose, OpenCV's way: x_cam = R X + t, pixel centres at integers."""

    size: tuple[int, int]
    matrix: Array
    distortion: Array
    rotation: Array
    position: Array

    def project(self, points: Array) -> Array:
        """Pixels of points in mm."""
        rvec, shift = cv2.Rodrigues(self.rotation)[0], -self.rotation @ self.position
        pixels, _ = cv2.projectPoints(
            np.asarray(points, float).reshape(-1, 3), rvec, shift, self.matrix, self.distortion
        )
        return pixels.reshape(-1, 2)

    @property
    def above(self) -> float:
        """Degrees by which it looks down on the origin."""
        return float(np.degrees(np.arctan2(self.position[2], np.hypot(*self.position[:2]))))

    def truth(self) -> dict[str, Any]:
        """For the picture's JSON."""
        shift = -self.rotation @ self.position
        return {"size": list(self.size), "K": self.matrix.tolist(), "dist_k1k2p1p2k3": self.distortion.tolist(),
                "R": self.rotation.tolist(), "t": shift.tolist(), "position": self.position.tolist(),
                "convention": "OpenCV: x_cam = R X + t; pixel centres at integers"}  # fmt: skip


def phone(rng: np.random.Generator, size: tuple[int, int]) -> tuple[Array, Array]:
    """Intrinsics of some phone: focal length, principal point, slight distortion or none."""
    scale = size[0] / 4032
    focal = rng.uniform(3000, 3300) * scale
    middle = np.array([size[0] - 1, size[1] - 1]) / 2 + rng.normal(0, 8, 2) * scale
    k1 = rng.choice([0.0, rng.normal(0, 0.015)])
    distortion = np.array([k1, -0.6 * k1, *rng.normal(0, 1e-4, 2) * (k1 != 0), 0.0])
    return np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1]]), distortion


def framing(
    lens: tuple[Array, Array], size: tuple[int, int], subject: Array, view: tuple[Array, Array], fill: float
) -> Camera:
    """Look at the subject's middle along `view` (direction to the camera, up), from where it fills that share."""
    toward, up = (v / np.linalg.norm(v) for v in view)
    ahead = -toward
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    rotation = np.array([right, np.cross(ahead, right), ahead])
    target = (subject.max(0) + subject.min(0)) / 2
    for _ in range(4):
        camera = _fitted(lens, size, subject, (rotation, target), fill)
        pixels = camera.project(subject)
        aside = ((pixels.max(0) + pixels.min(0)) / 2 - (np.array(size) - 1) / 2) / lens[0][0, 0]
        target = target + rotation[:2].T @ aside * float(np.linalg.norm(camera.position - target))
    return _fitted(lens, size, subject, (rotation, target), fill)


def looking_down(
    body: tuple[tuple[Array, Array], tuple[int, int]], subject: Array, view: tuple[float, float, Array], fill: float
) -> Camera:
    """Framed so that the camera looks down on the origin by so many degrees, from so far aside (radians), with this up:
    aimed at the subject's middle, which lies higher."""
    wanted, aside, up = view
    pitch = np.radians(wanted)
    for _ in range(12):
        toward = np.array([np.sin(aside) * np.cos(pitch), -np.cos(aside) * np.cos(pitch), np.sin(pitch)])
        camera = framing(*body, subject, (toward, up), fill)
        pitch += np.radians(wanted - camera.above)
    return camera


def _fitted(
    lens: tuple[Array, Array], size: tuple[int, int], subject: Array, aim: tuple[Array, Array], fill: float
) -> Camera:
    """As near as the subject still fits, looking along the rotation's third row at a target."""
    rotation, target = aim
    near, far = 50.0, 5000.0
    for _ in range(40):
        distance = (near + far) / 2
        camera = Camera(size, *lens, rotation, target - rotation[2] * distance)
        pixels, out = camera.project(subject), np.array(size) * (1 - fill) / 2
        fits = (pixels.min(0) > out).all() and (pixels.max(0) < np.array(size) - out).all()
        near, far = (near, distance) if fits else (distance, far)
    return camera


def calibration_file(camera: Camera) -> dict[str, Any]:
    """The true lens as `camera calibrate` would write it, with the uncertainty of eight photos of a sheet."""
    k, d = camera.matrix, camera.distortion
    names = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
    values = [k[0, 0], k[1, 1], k[0, 2], k[1, 2], *d]
    covariance = _covariance(camera)
    return {"format": 1, "kind": "camera", "model": MODEL, "width": camera.size[0], "height": camera.size[1],
            "parameters": dict(zip(names, map(float, values), strict=True)),
            "u": dict(zip(names, map(float, np.sqrt(np.diag(covariance))), strict=True)),
            "covariance": covariance.tolist(), "rms": CORNER_SPREAD, "coverage": 0.69, "photos": 8, "corners": 560,
            "advice": []}  # fmt: skip


def _covariance(camera: Camera) -> Array:
    """Of the nine lens parameters, from 70 corners a photo in eight tilted views, the poses unknown."""
    sheet = np.array([(x, y, 0) for x in np.linspace(-90, 90, 7) for y in np.linspace(-130, 130, 10)], float)
    normal = np.zeros((9, 9))
    for number in range(8):
        turn = 2 * np.pi * number / 8
        rvec = cv2.Rodrigues(cv2.Rodrigues(0.5 * np.array([np.cos(turn), np.sin(turn), 0]))[0]
                             @ cv2.Rodrigues(np.array([0, 0, np.pi / 2]))[0])[0]  # fmt: skip
        shift = np.array([40 * np.cos(2 * turn), 30 * np.sin(3 * turn), 330.0 + 40 * np.cos(turn)])
        _, slopes = cv2.projectPoints(sheet, rvec, shift, camera.matrix, camera.distortion)
        pose, lens = slopes[:, :6], slopes[:, 6:15]
        normal += lens.T @ lens - lens.T @ pose @ np.linalg.solve(pose.T @ pose, pose.T @ lens)
    covariance = np.linalg.inv(normal) * CORNER_SPREAD**2
    return (covariance + covariance.T) / 2
