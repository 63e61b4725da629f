"""The equations of a die's fit: its outline on lines across it, and what is believed of dice beforehand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.dice_solid import FIRST, HEIGHT, ROUNDING, SECOND, Cube, Lines, outline_on
from inspect_kit.vision.edges import Optics
from inspect_kit.vision.view import View, pixels_of

CUBE: Final = 0.05
"""Standard deviation, mm, by which a die's height differs from the mean of the edges of its upper face."""
ALIKE: Final = 0.15
"""Standard deviation, mm, by which the two edges of one face differ."""
SCALE: Final = np.array([1.0, 1.0, 0.05, 1.0, 1.0, 1.0, 1.0])
MIDDLE: Final = 0.07
"""mm to which the middle of the pips is the middle of the face."""
_REGULAR: Final = 1e-9 * np.eye(7)
_SLOW: Final = np.array([0, 0, 7.0, 0, 0, 0, 0])
"""A step turns a die by no more than a few degrees: its pips tell the yaw already."""


@dataclass(frozen=True)
class Expected:
    """What is known beforehand: rounding of the edges with its standard uncertainty (mm), and the photo's optics."""

    rounding: float
    u_rounding: float
    optics: Optics
    height: tuple[float, float] | None = None
    """Of the dice and its standard uncertainty (mm), where a caliper told it."""


@dataclass(frozen=True)
class Beliefs:
    """A die is nearly a cube, its rounding about as usual, and its pips are centred on its face."""

    expected: Expected
    centre: Floats

    def residuals(self, view: View, vector: Floats) -> Floats:
        """Each of standard deviation one."""
        mean, height = (vector[FIRST] + vector[SECOND]) / 2, self.expected.height
        pixel = MIDDLE * view.resolution(Cube(vector).top)
        away = (pixels_of(view.vector, Cube(vector).top[None])[0] - self.centre) / max(pixel, 0.5)
        return np.array([
            (vector[HEIGHT] - mean) / CUBE,
            0.0 if height is None else (vector[HEIGHT] - height[0]) / height[1],
            (vector[FIRST] - vector[SECOND]) / ALIKE,
            (vector[ROUNDING] - self.expected.rounding) / self.expected.u_rounding,
            max(0.03 - vector[ROUNDING], 0.0) / 0.01,
            *away,
        ])  # fmt: skip


@dataclass(frozen=True)
class System:
    """The outline on some lines and the beliefs about a die, with their derivatives by its seven numbers."""

    outline: Floats
    by_die: Floats
    believed: Floats
    by_belief: Floats

    def step(self, offsets: Floats, weights: Floats) -> tuple[Floats, float]:
        """The move of the seven numbers that brings the outline to the offsets, and what it costs."""
        root = np.sqrt(weights)
        design = np.concatenate([self.by_die * root[:, None], self.by_belief, _SLOW[None]])
        target = np.concatenate([(offsets - self.outline) * root, -self.believed, [0.0]])
        scaled = design * SCALE
        # What is believed beforehand keeps these regular, so that the normal equations will do, and they are quick.
        moved = np.linalg.solve(scaled.T @ scaled + _REGULAR, scaled.T @ target) * SCALE
        moved = np.clip(moved, -3 * SCALE, 3 * SCALE)
        left = target - design @ moved
        return moved, float(left @ left)


def system_of(view: View, vector: Floats, lines: Lines, beliefs: Beliefs) -> System:
    """The equations for small changes of a die."""
    return System(
        outline_on(view.vector, vector, lines),
        derivatives(lambda trial: outline_on(view.vector, trial, lines), vector, 1e-3 * SCALE),
        beliefs.residuals(view, vector),
        derivatives(lambda trial: beliefs.residuals(view, trial), vector, 1e-3 * SCALE),
    )


def derivatives(function: Callable[[Floats], Floats], at: Floats, steps: Floats) -> Floats:
    """Of all a function gives, by all its numbers (columns)."""
    here = function(at)
    return np.stack([(function(at + way) - here) / way.sum() for way in np.diag(steps)], axis=1)
