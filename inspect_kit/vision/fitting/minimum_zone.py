"""Roundness by the minimum zone: the narrowest ring of two concentric circles that holds all points (ISO 12181)."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.optimize import linprog

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
    middle = float(distance.mean())
    scale = max(float(np.ptp(distance)), 1e-12)
    level = (distance - middle) / scale
    ones, zeros = np.ones((len(way), 1)), np.zeros((len(way), 1))
    above = np.hstack([-way, -ones, zeros])
    below = np.hstack([way, zeros, ones])
    limit = trust / scale
    answer = linprog([0, 0, 1, -1], np.vstack([above, below]), np.concatenate([-level, level]),
                     bounds=[(-limit, limit)] * 2 + [(None, None)] * 2, method="highs-ds")  # fmt: skip
    if answer.status != 0 or answer.x is None:
        return None
    return np.asarray(answer.x[:2], dtype=np.float64) * scale
