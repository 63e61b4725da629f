"""Roundness by the minimum zone: the narrowest ring of two concentric circles that holds all points (ISO 12181)."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.fitting.circle import Circle, fit_circle

_ROUNDS: Final = 60
"""Linear programmes, at most."""


def minimum_zone(points: Floats, settled: float = 0.0) -> float | None:
    """Radial width of the ring; `None` where no circle goes through the points. Gains below `settled` end the search.

    The distance from a centre is nearly linear in the centre, so each round is a linear programme around the last
    centre; the true width there decides, never the linear one.
    """
    first = fit_circle(points)
    if not isinstance(first, Circle):
        return None
    centre = np.array([first.x, first.y])
    best = _width(points, centre)
    trust = max(best, 1e-12)
    for _ in range(_ROUNDS):
        step = _linear_step(points, centre, trust)
        if step is None:
            break
        width = _width(points, centre + step)
        if width < best:
            gain, best, centre = best - width, width, centre + step
            if gain < max(settled, 1e-13 * max(1.0, first.radius)):
                break
        else:
            trust /= 4
            if trust < max(settled, 1e-14 * first.radius):
                break
    return best


def _width(points: Floats, centre: Floats) -> float:
    return float(np.ptp(np.hypot(*(points - centre).T)))


def _linear_step(points: Floats, centre: Floats, trust: float) -> Floats | None:
    """Minimise outer − inner with inner ≤ distance − way · step ≤ outer, the step bounded."""
    away = points - centre
    distance = np.hypot(away[:, 0], away[:, 1])
    way = away / distance[:, None]
    scale = max(float(np.ptp(distance)), 1e-12)
    limit = trust / scale
    # OpenCV's programme has no negative unknowns: steps are counted from their lower bound, both radii from below all.
    level = (distance - distance.mean()) / scale + limit * way.sum(axis=1) + 1 + 2 * limit
    ones, zeros = np.ones((len(way), 1)), np.zeros((len(way), 1))
    above = np.hstack([-way, -ones, zeros, -level[:, None]])
    below = np.hstack([way, zeros, ones, level[:, None]])
    bounds = np.array([[1, 0, 0, 0, 2 * limit], [0, 1, 0, 0, 2 * limit]])
    status, answer = cv2.solveLP(np.array([[0.0, 0.0, -1.0, 1.0]]), np.vstack([above, below, bounds]))
    if status not in (cv2.SOLVELP_SINGLE, cv2.SOLVELP_MULTI):
        return None
    return np.asarray((answer[:2, 0] - limit) * scale, dtype=np.float64)
