"""The edges of a die: a rounded cube fitted to its outline, which is seen at the height of its upper face on the far sides
and at its foot on the near ones; the height is the die's own edge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.circle import Unfit
from inspect_kit.vision.dice_outline import LINES, SHARES, Candidate, Seen, candidates, inside_picture, outline_edges
from inspect_kit.vision.dice_solid import FIRST, HEIGHT, ROUNDING, SECOND, Cube, Lines, lines_across, sight
from inspect_kit.vision.edges import Optics
from inspect_kit.vision.estimation import inverse
from inspect_kit.vision.view import View, pixels_of, view_scale

SMALLEST, LARGEST = 8.5, 22.0
"""mm: edges that are looked for."""
CUBE: Final = 0.05
"""Standard deviation, mm, by which a die's height differs from the mean of the edges of its upper face."""
ALIKE: Final = 0.15
"""Standard deviation, mm, by which the two edges of one face differ."""
_SCALE: Final = np.array([1.0, 1.0, 0.05, 1.0, 1.0, 1.0, 1.0])
_MIDDLE: Final = 0.3
"""mm to which the middle of the pips is the middle of the face."""
_TURN: Final = 0.03
_ROUNDS: Final = 4
_NEAR_TRUST: Final = 0.3
"""The foot stands in its own shadow, and a rounded one over a dark gap: its edge counts for less."""


@dataclass(frozen=True)
class Expected:
    """What is known beforehand: rounding of the edges with its standard uncertainty (mm), and the photo's optics."""

    rounding: float
    u_rounding: float
    optics: Optics


@dataclass(frozen=True)
class Sketch:
    """An upper face as it was read: its middle, two half edges as columns (pixels), and sizes its edge may have (mm)."""

    centre: Floats
    frame: Floats
    sizes: tuple[float, float]


@dataclass(frozen=True)
class Fitted:
    """A die with the covariance of its seven numbers (mm, radians), their derivatives by camera and pose, and the misfit."""

    cube: Cube
    covariance: Floats
    by_view: Floats
    scatter: float
    """Of the outline's edges around the fitted die, pixels."""
    seen: float
    """Share of the outline that is seen."""
    resolution: float


def fit_cube(pixels: Pixels, view: View, sketch: Sketch, expected: Expected) -> Fitted | Unfit:
    """The die below this face; `Unfit` says why there is none to be measured."""
    vector = _start(pixels, view, sketch, expected)
    if isinstance(vector, Unfit):
        return vector
    beliefs = _Beliefs(expected, sketch.centre)
    for number in range(_ROUNDS):
        reach = 2.5 if number < 2 else 1.5
        if not inside_picture(pixels, view, vector, 12.0):
            return Unfit("is cut off by the picture's edge")
        seen = outline_edges(pixels, view, vector, reach, expected.optics)
        lines = lines_across(view, vector, SHARES)
        weights = _weights(seen, sight(view.vector, vector, lines).near)
        if (weights.reshape(4, LINES) > 0.05 * weights.max()).mean(axis=1).min() < 0.3:
            return Unfit("one of its sides is hidden or not seen clearly enough")
        moved, _ = _step(view, vector, lines, seen.offset, weights, beliefs)
        vector = vector + moved
        if not np.all((vector[[FIRST, SECOND]] > SMALLEST) & (vector[[FIRST, SECOND]] < LARGEST)):
            return Unfit("its outline is not that of a die")
    return _described(pixels, view, vector, expected, beliefs)


# ------------------------------------------------------------------------------------------------------------- the start


def _start(pixels: Pixels, view: View, sketch: Sketch, expected: Expected) -> Floats | Unfit:
    """The die that goes through one edge on each side, agrees with the middle of its pips, and has strong edges."""
    best: tuple[float, Floats] | None = None
    low, high = sketch.sizes
    for edge in np.linspace(low, high, max(2, int(np.ceil((high - low) / 2.5)) + 1)):
        vector = _placed(view, sketch, float(edge), expected.rounding)
        reach = 1.6 * view.resolution(Cube(vector).top)
        if not inside_picture(pixels, view, vector, 1.0):
            continue
        found = _combined(view, vector, candidates(pixels, view, vector, reach), _Beliefs(expected, sketch.centre))
        if found is not None and (best is None or found[0] < best[0]) and low - 1 < found[1][FIRST] < high + 1:
            best = found
    return Unfit("its sides cannot be made out") if best is None else best[1]


def _placed(view: View, sketch: Sketch, edge: float, rounding: float) -> Floats:
    points = np.stack([sketch.centre, sketch.centre + 0.2 * sketch.frame[:, 0], sketch.centre + 0.2 * sketch.frame[:, 1]])
    flat = view.on_plane(points, edge)
    first, second = flat[1] - flat[0], flat[2] - flat[0]
    # Both axes tell the yaw, whichever way round they are.
    turn = np.sign(first[0] * second[1] - first[1] * second[0])
    mean = first / np.linalg.norm(first) + turn * np.array([second[1], -second[0]]) / np.linalg.norm(second)
    return np.array([*flat[0], np.arctan2(mean[1], mean[0]), edge, edge, edge, rounding])


def _combined(
    view: View, vector: Floats, found: list[list[Candidate]], beliefs: _Beliefs
) -> tuple[float, Floats] | None:
    """The combination of one edge a side that a die explains best, with its cost."""
    if not all(found):
        return None
    lines = lines_across(view, vector, np.zeros(1))
    best: tuple[float, Floats] | None = None
    for chosen in product(*found):
        offsets = np.array([each.offset for each in chosen])
        moved, cost = _step(view, vector, lines, offsets, np.full(4, 4.0), beliefs)
        strong = [each.weight / max(other.weight for other in side) for each, side in zip(chosen, found, strict=True)]
        cost -= 3.0 * float(np.log(strong).sum())
        if best is None or cost < best[0]:
            best = cost, vector + moved
    return best


# --------------------------------------------------------------------------------------------------------------- the fit


@dataclass(frozen=True)
class _Beliefs:
    """A die is nearly a cube, its rounding about as usual, and its pips are centred on its face."""

    expected: Expected
    centre: Floats

    def residuals(self, view: View, vector: Floats) -> Floats:
        """Each of standard deviation one."""
        mean = (vector[FIRST] + vector[SECOND]) / 2
        pixel = _MIDDLE * view.resolution(Cube(vector).top)
        away = (pixels_of(view.vector, Cube(vector).top[None])[0] - self.centre) / max(pixel, 0.5)
        return np.array([
            (vector[HEIGHT] - mean) / CUBE,
            (vector[FIRST] - vector[SECOND]) / ALIKE,
            (vector[ROUNDING] - self.expected.rounding) / self.expected.u_rounding,
            max(0.03 - vector[ROUNDING], 0.0) / 0.01,
            *away,
        ])  # fmt: skip


def _step(
    view: View, vector: Floats, lines: Lines, offsets: Floats, weights: Floats, beliefs: _Beliefs
) -> tuple[Floats, float]:
    """The move of the seven numbers that brings the outline to the offsets, and what it costs."""
    by_die, _ = _slopes(view, vector, lines, with_view=False)
    own = sight(view.vector, vector, lines).outline
    believed = beliefs.residuals(view, vector)
    by_belief = _derivatives(lambda trial: beliefs.residuals(view, trial), vector, 1e-3 * _SCALE)
    root = np.sqrt(weights)
    design = np.concatenate([by_die * root[:, None], by_belief, np.diag([0, 0, 1 / _TURN, 0, 0, 0, 0])[[2]] * 0.2])
    target = np.concatenate([(offsets - own) * root, -believed, [0.0]])
    moved = np.linalg.lstsq(design * _SCALE, target, rcond=None)[0] * _SCALE
    moved = np.clip(moved, -3 * _SCALE, 3 * _SCALE)
    left = target - design @ moved
    return moved, float(left @ left)


def _weights(seen: Seen, near: Floats) -> Floats:
    """Inverse variances of the lines, pixels; lines that run off from the others of their side count little."""
    own = 1 / (0.15**2 + seen.variance) * np.where(seen.contrast > 0.01, 1.0, 0.0)
    own = own / (1 + (seen.misfit / 0.12) ** 4) * np.where(near, _NEAR_TRUST, 1.0)
    sides = seen.offset.reshape(4, LINES)
    along = np.linspace(-1, 1, LINES)
    for _ in range(3):
        weights = own.reshape(4, LINES)
        straight = np.stack([_line(along, side, weight) for side, weight in zip(sides, weights, strict=True)])
        own = own / (1 + (np.abs(sides - straight).ravel() / 0.6) ** 4)
    return np.asarray(own, dtype=np.float64)


def _line(along: Floats, offsets: Floats, weights: Floats) -> Floats:
    """The straight line through a side's offsets."""
    root = np.sqrt(weights + 1e-12)
    design = np.column_stack([np.ones_like(along), along])
    found = np.linalg.lstsq(design * root[:, None], offsets * root, rcond=None)[0]
    return np.asarray(design @ found, dtype=np.float64)


def _described(pixels: Pixels, view: View, vector: Floats, expected: Expected, beliefs: _Beliefs) -> Fitted:
    seen = outline_edges(pixels, view, vector, 1.5, expected.optics)
    lines = lines_across(view, vector, SHARES)
    weights = _weights(seen, sight(view.vector, vector, lines).near)
    observed, by_view = _slopes(view, vector, lines, with_view=True)
    scatter = float(np.sqrt(np.average(seen.offset**2, weights=weights + 1e-12)))
    # Neighbouring lines share their errors: of all lines of a side, about three are independent.
    shared = weights * 3 / LINES / max(1.0, (scatter / 0.25) ** 2)
    by_belief = _derivatives(lambda trial: beliefs.residuals(view, trial), vector, 1e-3 * _SCALE)
    covariance = inverse(observed.T @ (shared[:, None] * observed) + by_belief.T @ by_belief + 1e-9 * np.eye(7))
    moved = -covariance @ (observed.T @ (shared[:, None] * by_view))
    cube = Cube(vector)
    return Fitted(cube, covariance, moved, scatter, float((weights > 0.05 * weights.max()).mean()), view.resolution(cube.top))


def _slopes(view: View, vector: Floats, lines: Lines, *, with_view: bool) -> tuple[Floats, Floats]:
    """How the outline moves on the lines with the die's numbers, and with camera and pose."""
    by_die = _derivatives(lambda trial: sight(view.vector, trial, lines).outline, vector, 1e-3 * _SCALE)
    if not with_view:
        return by_die, by_die
    steps = 1e-6 * view_scale(view.camera)
    return by_die, _derivatives(lambda trial: sight(trial, vector, lines).outline, view.vector, steps)


def _derivatives(function: Callable[[Floats], Floats], at: Floats, steps: Floats) -> Floats:
    columns = [(function(at + way) - function(at - way)) / (2 * way.sum()) for way in np.diag(steps)]
    return np.stack(columns, axis=1)
