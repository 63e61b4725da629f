"""Least squares with prior knowledge: the most probable parameters and their covariance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask

Residuals = Callable[[Floats], Floats]
"""Weighted residuals (each of standard deviation one) at some parameters."""


@runtime_checkable
class Differentiable(Protocol):
    """Residuals that know their own derivatives."""

    def __call__(self, at: Floats, /) -> Floats:
        """Weighted residuals."""
        ...

    def slopes(self, at: Floats, /) -> Floats:
        """Their derivatives by the parameters, residuals × parameters."""
        ...


_ROUNDS: Final = 40
"""Steps, at most."""
_STEP: Final = 1e-6
"""Share of a number's size over which slopes are taken: the cube root of double precision, about."""


@dataclass(frozen=True)
class Solution:
    """Parameters, covariance, the residuals there, and their derivatives by the parameters."""

    parameters: Floats
    covariance: Floats
    residuals: Floats
    jacobian: Floats


def slopes(function: Residuals, at: Floats, scale: Floats) -> Floats:
    """Derivatives, the function's own or by central differences; `scale` is how much of each parameter matters."""
    if isinstance(function, Differentiable):
        return function.slopes(at)
    columns = []
    for index, size in enumerate(scale):
        step = np.zeros_like(at)
        step[index] = _STEP * size
        columns.append((function(at + step) - function(at - step)) / (2 * _STEP * size))
    return np.stack(columns, axis=-1)


def solve(function: Residuals, start: Floats, scale: Floats, information: Floats, mean: Floats) -> Solution:
    """Levenberg–Marquardt on ½|f(p)|² + ½ (p − mean)ᵀ information (p − mean)."""
    weight = np.diag(information) if information.ndim == 1 else information
    parameters, damping = start.astype(np.float64), 1e-3
    residuals = function(parameters)
    cost = _cost(residuals, parameters - mean, weight)
    jacobian = slopes(function, parameters, scale)
    for _ in range(_ROUNDS):
        normal = jacobian.T @ jacobian + weight
        gradient = jacobian.T @ residuals + weight @ (parameters - mean)
        step = -_solved(normal + damping * np.diag(np.diag(normal)), gradient)
        trial = parameters + step
        tried = function(trial)
        trial_cost = _cost(tried, trial - mean, weight)
        if trial_cost <= cost:
            settled = bool(np.all(np.abs(step) < 1e-9 * scale) or cost - trial_cost < 1e-10 * (1 + cost))
            parameters, residuals, cost, damping = trial, tried, trial_cost, max(damping / 10, 1e-12)
            jacobian = slopes(function, parameters, scale)
            if settled:
                break
        else:
            damping *= 10
            if damping > 1e8:
                break
    covariance = inverse(jacobian.T @ jacobian + weight)
    return Solution(parameters, covariance, residuals, jacobian)


def _cost(residuals: Floats, away: Floats, weight: Floats) -> float:
    cost = float(residuals @ residuals + away @ weight @ away)
    return cost if np.isfinite(cost) else float("inf")


def _solved(matrix: Floats, vector: Floats) -> Floats:
    return np.asarray(inverse(matrix) @ vector, dtype=np.float64)


def inverse(matrix: Floats) -> Floats:
    """The inverse of a symmetric positive matrix whose parameters differ by many orders of magnitude."""
    size = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    return np.asarray(np.linalg.pinv(matrix / np.outer(size, size), rcond=1e-13, hermitian=True)
                      / np.outer(size, size), dtype=np.float64)  # fmt: skip


def robust_deviation(residuals: Floats) -> float:
    """Standard deviation from the median of absolute values: outliers do not count."""
    return 1.4826 * float(np.median(np.abs(residuals))) if residuals.size else 0.0


def agreeing(design: Floats, values: Floats, base: Mask, *, least: int, floor: float, cut: float = 3.0) -> Mask:
    """Which of the `base` rows lie on one linear model: least squares and outliers by turns, until nothing changes.

    A row is an outlier beyond `cut` robust deviations, which count as no less than `floor`; with fewer than `least`
    rows the answer is what is left.
    """
    good = base
    for _ in range(_ROUNDS):
        if good.sum() < least:
            break
        residuals = values - design @ np.linalg.lstsq(design[good], values[good], rcond=None)[0]
        before, good = good, base & (np.abs(residuals) < cut * max(robust_deviation(residuals[good]), floor))
        if (good == before).all():
            break
    return np.asarray(good)


@dataclass(frozen=True, slots=True)
class Reweighted:
    """A linear model after its last turn: what is left of the values, and how much each counts by that."""

    factors: Floats
    left: Floats
    weights: Floats


def reweighted(
    design: Floats, values: Floats, weigh: Callable[[Floats], Floats], rounds: int, start: Floats | None = None
) -> Reweighted:
    """A linear model of values that each count by how far they lie off it: least squares and weights by turns."""
    weights = np.ones(len(values)) if start is None else start
    for _ in range(rounds):
        scaled = (values.T * weights).T
        factors = np.asarray(np.linalg.lstsq(design * weights[:, None], scaled, rcond=None)[0], dtype=np.float64)
        left = values - design @ factors
        weights = weigh(left)
    return Reweighted(factors, left, weights)
