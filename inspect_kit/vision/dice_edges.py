"""The edges of a die: a rounded cube fitted to its outline, whose height is the die's own edge.

On the far sides the outline is the upper edge, on the near ones the foot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.circle import Unfit
from inspect_kit.vision.dice_outline import (
    LINES,
    SHARES,
    Candidate,
    Seen,
    candidates,
    corner_radii,
    falling_off,
    inside_picture,
    outline_edges,
)
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
_MIDDLE: Final = 0.2
"""mm to which the middle of the pips is the middle of the face."""
_SLOW: Final = np.array([0, 0, 7.0, 0, 0, 0, 0])
"""A step turns a die by no more than a few degrees: its pips tell the yaw already."""
_ROUNDS: Final = 3
_REACH: Final = 2.0
"""Pixels around the supposed outline in which its edge is looked for."""
RADII: Final = np.array([0.03, 0.15, 0.3, 0.5, 0.7, 0.95, 1.2, 1.5, 1.85, 2.3])
_MOST_CURVES: Final = 2
_USUAL: Final = (0.7, 0.8)
_LEAST_ROUNDING: Final = 0.1
_ONE_MAKE: Final = 0.6
"""mm by which corners of dice of one make differ at most, as measured."""
_CLEARANCE: Final = 1.0
"""mm of free ground that a side needs beside it to be told from a neighbour."""
_UNSEEN: Final = 0.08
_NEAR_TRUST: Final = 0.3
"""The foot stands in its own shadow, and a rounded one over a dark gap: its edge counts for less."""


@dataclass(frozen=True)
class Expected:
    """What is known beforehand: rounding of the edges with its standard uncertainty (mm), and the photo's optics."""

    rounding: float
    u_rounding: float
    optics: Optics
    height: tuple[float, float] | None = None
    """Of the dice and its standard uncertainty (mm), where a caliper told it."""


@dataclass(frozen=True)
class Sketch:
    """An upper face as it was read: middle, two axes as columns (pixels), and sizes its edge may have (mm)."""

    centre: Floats
    frame: Floats
    sizes: tuple[float, float]
    others: tuple[Floats, ...] = ()
    """Outlines of the other dice in the photo, which may hide a side or lie against it."""


@dataclass(frozen=True)
class Fitted:
    """A die with the covariance of its seven numbers (mm, radians) and their derivatives by camera and pose."""

    cube: Cube
    covariance: Floats
    by_view: Floats
    scatter: float
    """Of the outline's edges around the fitted die, pixels."""
    angle: tuple[float, float]
    """Between neighbouring sides of the face, degrees, and its standard uncertainty."""
    seen: float
    """Share of the outline that is seen."""
    resolution: float


def sketch_cube(pixels: Pixels, view: View, sketch: Sketch, expected: Expected) -> Cube | Unfit:
    """The die below this face, roughly."""
    start = _start(pixels, view, sketch, expected)
    if isinstance(start, Unfit):
        return start
    found = _round(pixels, view, start, sketch, expected)
    return found if isinstance(found, Unfit) else Cube(found.vector)


def fit_cube(pixels: Pixels, view: View, start: Cube, sketch: Sketch, expected: Expected) -> Fitted | Unfit:
    """The die near a rough one; `Unfit` says why there is none to be measured."""
    vector = np.append(start.vector[:ROUNDING], expected.rounding)
    found = _round(pixels, view, vector, sketch, expected)
    for _ in range(_ROUNDS - 1):
        if isinstance(found, Unfit):
            return found
        found = _round(pixels, view, found.vector, sketch, expected)
    return found if isinstance(found, Unfit) else _described(view, found)


@dataclass(frozen=True)
class _Round:
    """A fit: the die before and after, the outline's edges as they were seen, and how much each counts."""

    before: Floats
    vector: Floats
    system: _System
    seen: Seen
    weights: Floats


def _round(pixels: Pixels, view: View, vector: Floats, sketch: Sketch, expected: Expected) -> _Round | Unfit:
    """Look for the outline's edges where the die is supposed, and move the die to them."""
    if not inside_picture(pixels, view, vector, 12.0):
        return Unfit("is cut off by the picture's edge")
    seen = outline_edges(pixels, view, vector, _REACH, expected.optics)
    lines = lines_across(view, vector, SHARES)
    weights = _weights(seen, sight(view.vector, vector, lines).near) * _open(view, vector, lines, sketch.others)
    if _hidden(weights):
        return Unfit("its sides are hidden or not seen clearly enough")
    system = _system(view, vector, lines, _Beliefs(expected, sketch.centre))
    moved, _ = system.step(seen.offset, weights)
    edges = (vector + moved)[[FIRST, SECOND]]
    if not np.all((edges > SMALLEST) & (edges < LARGEST)):
        return Unfit("its outline is not that of a die")
    return _Round(vector, vector + moved, system, seen, weights)


def rounding_of(pixels: Pixels, view: View, cubes: Sequence[Cube], optics: Optics) -> tuple[float, float] | None:
    """Radius of the edges that explains best how the light falls off towards the far sides, with its uncertainty.

    Dice of one photo are taken to be of one make. `None` where no far side is seen well.
    """
    curves = [curve for cube in cubes[:_MOST_CURVES] for curve in falling_off(pixels, view, cube.vector, RADII, optics)]
    corners = [radius for cube in cubes for radius in corner_radii(pixels, view, cube.vector, optics.blur or 1.0)]
    if corners and np.ptp(np.quantile(corners, [0.25, 0.75])) < _ONE_MAKE:
        curves.append(_corner_curve(float(np.median(corners))))
    if not curves:
        return None
    total = np.sum(curves, axis=0) + ((RADII - _USUAL[0]) / _USUAL[1]) ** 2 / 2
    chance = np.exp(total.min() - total)
    chance /= chance.sum()
    mean = float(chance @ RADII)
    return mean, float(np.sqrt(chance @ (RADII - mean) ** 2 + _LEAST_ROUNDING**2))


def _corner_curve(radius: float) -> Floats:
    """Corners are rounded as much as edges, or more."""
    return np.where(radius < RADII, ((RADII - radius) / 0.12) ** 2, ((RADII - radius) / 0.3) ** 2) / 2


# ------------------------------------------------------------------------------------------------------------ the start


def _start(pixels: Pixels, view: View, sketch: Sketch, expected: Expected) -> Floats | Unfit:
    """The die that goes through one edge on each side, agrees with the middle of its pips, and has strong edges."""
    best: tuple[float, Floats] | None = None
    low, high = sketch.sizes
    for edge in np.linspace(low, high, max(2, int(np.ceil((high - low) / 1.5)) + 1)):
        vector = _placed(view, sketch, float(edge), expected.rounding)
        reach = 1.6 * view.resolution(Cube(vector).top)
        if not inside_picture(pixels, view, vector, 1.0):
            continue
        sides = _with_none(view, vector, candidates(pixels, view, vector, reach), sketch.others)
        found = _combined(view, vector, sides, _Beliefs(expected, sketch.centre))
        if found is not None and (best is None or found[0] < best[0]) and low - 1 < found[1][FIRST] < high + 1:
            best = found
    return Unfit("its sides cannot be made out") if best is None else best[1]


def placed_cube(view: View, sketch: Sketch, edge: float, rounding: float) -> Cube:
    """The die of this size below the face."""
    return Cube(_placed(view, sketch, edge, rounding))


def _placed(view: View, sketch: Sketch, edge: float, rounding: float) -> Floats:
    points = np.stack(
        [sketch.centre, sketch.centre + 0.2 * sketch.frame[:, 0], sketch.centre + 0.2 * sketch.frame[:, 1]]
    )
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
    system = _system(view, vector, lines_across(view, vector, np.zeros(1)), beliefs)
    best: tuple[float, Floats] | None = None
    for chosen in product(*found):
        offsets = np.array([each.offset for each in chosen])
        seen = np.isfinite(offsets)
        if seen.sum() < 2:
            continue
        moved, cost = system.step(np.nan_to_num(offsets), 4.0 * seen)
        cost -= 3.0 * float(np.log([each.weight for each in chosen]).sum())
        if best is None or cost < best[0]:
            best = cost, vector + moved
    return best


def _with_none(
    view: View, vector: Floats, found: list[list[Candidate]], others: Sequence[Floats]
) -> list[list[Candidate]]:
    """Weights over the strongest edge of each side; and that none is the outline, for certain beside another die."""
    free = _open(view, vector, lines_across(view, vector, SHARES), others).reshape(4, LINES).mean(axis=1)
    sides = []
    for side, share in zip(found, free, strict=True):
        top = max((each.weight for each in side), default=1.0)
        kept = [Candidate(each.offset, each.weight / top) for each in side] if share > 0.3 else []
        sides.append([*kept, Candidate(np.nan, _UNSEEN)])
    return sides


# -------------------------------------------------------------------------------------------------------------- the fit


@dataclass(frozen=True)
class _Beliefs:
    """A die is nearly a cube, its rounding about as usual, and its pips are centred on its face."""

    expected: Expected
    centre: Floats

    def residuals(self, view: View, vector: Floats) -> Floats:
        """Each of standard deviation one."""
        mean, height = (vector[FIRST] + vector[SECOND]) / 2, self.expected.height
        pixel = _MIDDLE * view.resolution(Cube(vector).top)
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
class _System:
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
        moved = np.linalg.lstsq(design * _SCALE, target, rcond=None)[0] * _SCALE
        moved = np.clip(moved, -3 * _SCALE, 3 * _SCALE)
        left = target - design @ moved
        return moved, float(left @ left)


def _system(view: View, vector: Floats, lines: Lines, beliefs: _Beliefs) -> _System:
    return _System(
        sight(view.vector, vector, lines).outline,
        _derivatives(lambda trial: sight(view.vector, trial, lines).outline, vector, 1e-3 * _SCALE),
        beliefs.residuals(view, vector),
        _derivatives(lambda trial: beliefs.residuals(view, trial), vector, 1e-3 * _SCALE),
    )


def _weights(seen: Seen, near: Mask) -> Floats:
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


def _open(view: View, vector: Floats, lines: Lines, others: Sequence[Floats]) -> Floats:
    """1 for lines that end on free ground, 0 for those that another die lies behind, in front of, or against."""
    beyond = lines.feet + _CLEARANCE * view.resolution(Cube(vector).top) * lines.normals
    free = np.ones(len(beyond))
    for other in others:
        hull = cv2.convexHull(other.astype(np.float32))
        free *= [float(cv2.pointPolygonTest(hull, (float(x), float(y)), False) < 0) for x, y in beyond]
    return free


def _hidden(weights: Floats) -> bool:
    """Whether less than two neighbouring sides and a bit are seen: the middle of the pips can stand in for the rest."""
    clear = np.sort((weights.reshape(4, LINES) > 2.0).mean(axis=1))
    return bool(clear[2] < 0.4 or clear[1] < 0.2)


def _line(along: Floats, offsets: Floats, weights: Floats) -> Floats:
    """The straight line through a side's offsets."""
    root = np.sqrt(weights + 1e-12)
    design = np.column_stack([np.ones_like(along), along])
    found = np.linalg.lstsq(design * root[:, None], offsets * root, rcond=None)[0]
    return np.asarray(design @ found, dtype=np.float64)


def _described(view: View, found: _Round) -> Fitted:
    """The covariance of the last round; its step was small."""
    system, weights, vector = found.system, found.weights, found.vector
    lines = lines_across(view, found.before, SHARES)
    left = found.seen.offset - system.outline - system.by_die @ (vector - found.before)
    scatter = float(np.sqrt(np.average(left**2, weights=weights + 1e-12)))
    by_view = _derivatives(
        lambda trial: sight(trial, found.before, lines).outline, view.vector, 1e-6 * view_scale(view.camera)
    )
    # Neighbouring lines share their errors: of all lines of a side, about three are independent.
    shared = weights * 3 / LINES / max(1.0, (scatter / 0.25) ** 2)
    observed, believed = system.by_die, system.by_belief
    covariance = inverse(observed.T @ (shared[:, None] * observed) + believed.T @ believed + 1e-9 * np.eye(7))
    moved = -covariance @ (observed.T @ (shared[:, None] * by_view))
    cube, angle = Cube(vector), _angle(view, vector, left, weights)
    return Fitted(cube, covariance, moved, scatter, angle, float((weights > 2.0).mean()), view.resolution(cube.top))


def _angle(view: View, vector: Floats, offsets: Floats, weights: Floats) -> tuple[float, float]:
    """Each side's own direction against its neighbours'; opposite sides are averaged by how well they are seen."""
    turns, sizes = np.zeros(4), np.zeros(4)
    for side in range(4):
        own = slice(side * LINES, (side + 1) * LINES)
        length = 0.45 * float(vector[FIRST]) * view.resolution(Cube(vector).top)
        design = np.column_stack([np.ones(LINES), SHARES * length])
        normal = design.T @ (weights[own, None] * design) + np.diag([1e-9, 1e-9])
        turns[side] = np.linalg.solve(normal, design.T @ (weights[own] * offsets[own]))[1]
        sizes[side] = 1 / max(float(np.linalg.inv(normal)[1, 1]) * LINES / 3, 1e-12)
    first, second = (float(np.average(turns[rows], weights=sizes[rows])) for rows in ([0, 2], [1, 3]))
    spread = float(np.sqrt(1 / sizes[[0, 2]].sum() + 1 / sizes[[1, 3]].sum()))
    return 90.0 - float(np.degrees(second - first)), float(np.degrees(spread))


def _derivatives(function: Callable[[Floats], Floats], at: Floats, steps: Floats) -> Floats:
    here = function(at)
    return np.stack([(function(at + way) - here) / way.sum() for way in np.diag(steps)], axis=1)
