"""The circle nearest to points, by true distances, with its covariance; or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats

_ROUNDS: Final = 200
"""Steps of Gauss–Newton, at most."""
_SETTLED: Final = 1e-14
"""Relative step below which the fit is done: the limit of double precision."""


@dataclass(frozen=True)
class Circle:
    """Centre, radius, their covariance (x, y, radius), and the deviation of the points from it."""

    x: float
    y: float
    radius: float
    covariance: Floats
    deviation: float


@dataclass(frozen=True)
class Unfit:
    """Why no circle goes through the points."""

    reason: str


def fit_circle(points: Floats) -> Circle | Unfit:
    """Least squares of the radial distances.

    Algebraic fits (scikit-image's, OpenCV's ellipse) are millimetres off on partial arcs with noise; they serve only as
    a start. The covariance takes the points' own scatter, equal in all directions.
    """
    points = np.asarray(points, dtype=np.float64)
    trouble = _trouble(points)
    if trouble:
        return Unfit(trouble)
    origin = points.mean(axis=0)
    size = float(np.abs(points - origin).max())
    if size == 0:
        return Unfit("all points are the same")
    flat = (points - origin) / size
    found = _geometric(flat, _algebraic(flat))
    if found is None:
        return Unfit("the points lie on a straight line, or on no circle")
    x, y, radius = found
    return _with_covariance(points, np.array([x * size + origin[0], y * size + origin[1], radius * size]))


def _trouble(points: Floats) -> str:
    if points.ndim != 2 or points.shape[1] != 2:
        return "points have two coordinates"
    if len(points) < 3:
        return f"three points make a circle, not {len(points)}"
    return "" if bool(np.isfinite(points).all()) else "a point is not finite"


def _algebraic(flat: Floats) -> Floats | None:
    """Pratt's fit by singular values: stable on short arcs. One row stands twice, so that three points suffice."""
    square = (flat**2).sum(axis=1)
    design = np.column_stack([square, flat, np.ones(len(flat))])
    _, values, rows = np.linalg.svd(np.vstack([design, design[:1]]), full_matrices=False)
    if values[-1] < 1e-12 * values[0]:
        vector = rows[-1]
    else:
        root = rows.T @ np.diag(values) @ rows
        gauge = np.linalg.inv(np.array([[0, 0, 0, -2.0], [0, 1, 0, 0], [0, 0, 1, 0], [-2, 0, 0, 0]]))
        sizes, vectors = np.linalg.eig(root @ gauge @ root)
        order = np.argsort(sizes.real)
        vector = rows.T @ np.diag(1 / values) @ rows @ vectors[:, order[1]].real
    if abs(vector[0]) < 1e-12:
        return None
    centre = -vector[1:3] / (2 * vector[0])
    radius2 = centre @ centre - vector[3] / vector[0]
    return np.array([*centre, np.sqrt(radius2)]) if radius2 > 0 else None


def _geometric(flat: Floats, start: Floats | None) -> Floats | None:
    """Gauss–Newton with damping."""
    if start is None or not np.isfinite(start).all() or start[2] > 1e6:
        return None
    found, damping = start, 1e-4
    residuals, jacobian = _residuals(flat, found)
    for _ in range(_ROUNDS):
        normal = jacobian.T @ jacobian
        step = np.linalg.lstsq(normal + damping * np.diag(np.diag(normal)), -jacobian.T @ residuals, rcond=None)[0]
        trial = found + step
        new_residuals, new_jacobian = _residuals(flat, trial)
        if new_residuals @ new_residuals <= residuals @ residuals:
            found, residuals, jacobian, damping = trial, new_residuals, new_jacobian, damping / 10
            if float(np.abs(step).max()) < _SETTLED * max(1.0, float(found[2])):
                break
        else:
            damping *= 10
            if damping > 1e12:
                break
    return found if found[2] > 0 and np.isfinite(found).all() and found[2] < 1e6 else None


def _residuals(flat: Floats, circle: Floats) -> tuple[Floats, Floats]:
    away = flat - circle[:2]
    distance = np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-300)
    return distance - circle[2], np.column_stack([-away / distance[:, None], -np.ones(len(flat))])


def _with_covariance(points: Floats, circle: Floats) -> Circle | Unfit:
    residuals, jacobian = _residuals(points, circle)
    normal = jacobian.T @ jacobian
    if np.linalg.cond(normal) > 1e14:
        return Unfit("the points do not fix a circle")
    freedom = max(len(points) - 3, 1)
    variance = float(residuals @ residuals) / freedom
    x, y, radius = (float(value) for value in circle)
    return Circle(x, y, radius, np.asarray(np.linalg.inv(normal) * variance), float(np.sqrt(variance)))
