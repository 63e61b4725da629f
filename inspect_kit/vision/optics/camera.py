"""The camera: focal length, principal point and lens (Brown–Conrady), with what is uncertain about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.optics import tuning

PARAMETERS: Final = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
COUNT: Final = len(PARAMETERS)


@dataclass(frozen=True)
class Camera:
    """Parameters in the order of `PARAMETERS`, in pixels of a picture of `width` × `height`, and their covariance."""

    width: int
    height: int
    parameters: Floats
    covariance: Floats
    source: str = ""

    @property
    def focal(self) -> float:
        """Mean focal length in pixels."""
        return float(self.parameters[:2].mean())

    def scaled(self, width: int, height: int) -> Camera:
        """The same camera for pictures stored at another resolution."""
        factor = width / self.width
        sizes = np.array([factor] * 4 + [1.0] * 5)
        moved = self.parameters * sizes
        moved[2:4] += (factor - 1) / 2
        return replace(
            self, width=width, height=height, parameters=moved, covariance=self.covariance * np.outer(sizes, sizes)
        )

    def turned(self, quarters: int) -> Camera:
        """The camera for pictures turned clockwise by so many quarters of a circle."""
        camera = self
        for _ in range(quarters % 4):
            camera = camera._quarter()
        return camera

    def _quarter(self) -> Camera:
        # A turn to the right takes (x, y) to (h − 1 − y, x); the tangential terms turn like the vector (p2, p1).
        fx, fy, cx, cy, k1, k2, p1, p2, k3 = self.parameters
        turned = np.array([fy, fx, self.height - 1 - cy, cx, k1, k2, p2, -p1, k3])
        order = [1, 0, 3, 2, 4, 5, 7, 6, 8]
        signs = np.array([1, 1, -1, 1, 1, 1, 1, -1, 1.0])
        covariance = self.covariance[np.ix_(order, order)] * np.outer(signs, signs)
        return replace(self, width=self.height, height=self.width, parameters=turned, covariance=covariance)

    def with_focus_drift(self) -> Camera:
        """A calibrated camera focuses anew for every photo: its focal length is known a little less well."""
        drift = np.zeros(COUNT)
        drift[:2] = tuning.FOCUS_DRIFT * self.parameters[:2]
        return replace(self, covariance=self.covariance + np.outer(drift, drift))

    def _with_middle_of(self, other: Camera) -> Camera:
        covariance = self.covariance.copy()
        covariance[2:4, 2:4] = other.covariance[2:4, 2:4]
        return replace(self, covariance=covariance)

    def with_middle_anywhere(self) -> Camera:
        """The camera of a picture that was cut out of another: its lens's middle is not the picture's."""
        covariance = self.covariance.copy()
        covariance[2, 2], covariance[3, 3] = (tuning.CUT_OUT * np.array([self.width, self.height])) ** 2
        return replace(self, covariance=covariance)


GUESS: Final = "guess"


def shaped_by_a_camera(width: int, height: int) -> bool:
    """Whether cameras make pictures of this shape; others were cut out of one, or stretched."""
    shape = max(width, height) / min(width, height)
    return min(abs(shape / usual - 1) for usual in tuning.SHAPES) < tuning.SHAPE_OFF


def alternatives(camera: Camera) -> tuple[tuple[Camera, float], ...]:
    """A camera of which nothing is known, as each of the usual ones with its weight."""
    size = camera.width, camera.height
    usual = ((_assumed(*size, share * max(size), tuning.SPREAD), often) for share, often in tuning.USUAL)
    return tuple((each._with_middle_of(camera), often) for each, often in usual)


def guessed(width: int, height: int, focal: float | None) -> Camera:
    """A camera nobody calibrated: `focal` in pixels from the photo's own notes, or unknown."""
    if focal:
        return replace(_assumed(width, height, focal, 0.02), source="EXIF")
    return _assumed(width, height, tuning.USUAL[0][0] * max(width, height), tuning.SPREAD)


def _assumed(width: int, height: int, value: float, relative: float) -> Camera:
    diagonal = math.hypot(width, height)
    spread = relative * value
    corner = (diagonal / 2 / value) ** 2
    # A lens bends the corner of the picture by about a hundredth; higher orders by less.
    lens = [0.012 / corner, 0.004 / corner**2, 0.0004, 0.0004, 1e-9]
    standard = np.array([spread, 1e-6 * value, 0.01 * width, 0.01 * height, *lens])
    parameters = np.array([value, value, (width - 1) / 2, (height - 1) / 2, 0, 0, 0, 0, 0.0])
    covariance = np.diag(standard**2)
    # One focal length for both directions: pixels are square.
    covariance[0, 1] = covariance[1, 0] = spread**2
    covariance[1, 1] = spread**2 + (1e-5 * value) ** 2
    return Camera(width, height, parameters, covariance, GUESS)


def project(parameters: Floats, points: Floats) -> Floats:
    """Points in the camera's frame (x right, y down, z ahead) → pixels."""
    fx, fy, cx, cy, k1, k2, p1, p2, k3 = parameters
    depth = np.where(np.abs(points[:, 2]) < 1e-9, 1e-9, points[:, 2])
    x, y = points[:, 0] / depth, points[:, 1] / depth
    square = x * x + y * y
    radial = 1 + square * (k1 + square * (k2 + square * k3))
    across = x * radial + 2 * p1 * x * y + p2 * (square + 2 * x * x)
    down = y * radial + p1 * (square + 2 * y * y) + 2 * p2 * x * y
    return np.stack([fx * across + cx, fy * down + cy], axis=1)


def rays(parameters: Floats, pixels: Floats) -> Floats:
    """Pixels → directions (x, y, 1) in the camera's frame; the lens is undone by iteration."""
    fx, fy, cx, cy, k1, k2, p1, p2, k3 = parameters
    goal = np.stack([(pixels[:, 0] - cx) / fx, (pixels[:, 1] - cy) / fy], axis=1)
    found = goal.copy()
    for _ in range(20):
        x, y = found[:, 0], found[:, 1]
        square = np.minimum(x * x + y * y, 4.0)
        radial = 1 + square * (k1 + square * (k2 + square * k3))
        shift = np.stack(
            [2 * p1 * x * y + p2 * (square + 2 * x * x), p1 * (square + 2 * y * y) + 2 * p2 * x * y], axis=1
        )
        new = (goal - shift) / np.maximum(radial, 0.2)[:, None]
        done = float(np.abs(new - found).max(initial=0.0)) < 1e-10
        found = new
        if done:
            break
    return np.column_stack([found, np.ones(len(found))])


def uncertainties(camera: Camera) -> Mapping[str, float]:
    """Standard uncertainty of each parameter."""
    return dict(zip(PARAMETERS, np.sqrt(np.maximum(np.diag(camera.covariance), 0)).tolist(), strict=True))
