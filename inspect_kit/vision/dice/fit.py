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

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.dice import tuning
from inspect_kit.vision.dice.outline import LINES, SHARES, DieCandidate, Seen, candidates, inside_picture, outline_edges
from inspect_kit.vision.dice.solid import (
    FIRST,
    HEIGHT,
    ROUNDING,
    SECOND,
    YAW,
    Cube,
    EdgeLines,
    lines_across,
    outline_on,
    sight,
)
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.fitting.edge_step import Optics
from inspect_kit.vision.fitting.least_squares import inverse, robust_deviation
from inspect_kit.vision.optics.pose import View, pixels_of, view_scale

# The equations of a die's fit: its outline on lines across it, and what is believed of dice beforehand.

CUBE: Final = 0.05
"""Standard deviation, mm, by which a die's height differs from the mean of the edges of its upper face."""
ALIKE: Final = 0.15
"""Standard deviation, mm, by which the two edges of one face differ."""
SCALE: Final = np.array([1.0, 1.0, 0.05, 1.0, 1.0, 1.0, 1.0])
"""Sizes of a die's numbers (mm, the third radians), for slopes and steps."""
MIDDLE: Final = 0.05
"""mm to which the middle of the pips is the middle of the face: one tool makes both, wear does not take evenly."""
_MIDDLE_READ: Final = 0.15
"""Pixels to which the middle of the pips is seen: on 16 path-traced dice, 0.1."""
_REGULAR: Final = 1e-9 * np.eye(7)
"""What keeps the normal equations solvable."""
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
        pixels = np.hypot(MIDDLE * view.resolution(Cube(vector).top), _MIDDLE_READ)
        away = (pixels_of(view.vector, Cube(vector).top[None])[0] - self.centre) / pixels
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


def system_of(view: View, vector: Floats, lines: EdgeLines, beliefs: Beliefs) -> System:
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


SMALLEST, LARGEST = 8.5, 22.0
"""mm: edges that are looked for."""
_ROUNDS: Final = 3
"""Times the edges are looked for anew along the outline last fitted."""
_REACH: Final = 2.0
"""Pixels around the supposed outline in which its edge is looked for."""
_FARTHER: Final = 4.0
"""Pixels around a start that was too rough for the edges of its sides to be found within the usual reach."""
_CLEARANCE: Final = 1.0
"""mm of free ground that a side needs beside it to be told from a neighbour."""
_UNSEEN: Final = 0.08
"""What a side without an edge counts among its candidates."""
_INDEPENDENT: Final = 3
"""Neighbouring lines share their errors: so many of a side are independent."""
_OWN: Final = 0.15
"""Pixels by which each line errs for itself."""
_WELL_SEEN: Final = 40.0
"""Weight of a line on which the edge is clear, pixels to the power of minus two."""


@dataclass(frozen=True)
class Sketch:
    """An upper face as it was read: middle, two axes as columns (pixels), and sizes its edge may have (mm)."""

    centre: Floats
    frame: Floats
    sizes: tuple[float, float]
    others: tuple[Floats, ...] = ()
    """Outlines of the other dice in the photo, which may hide a side or lie against it."""
    turns: tuple[float, ...] = (0.0,)
    """By how much (radians) the axes may be turned: a lone pip tells little of that."""


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
    resolution: float


def sketch_cube(pixels: Pixels, view: View, sketch: Sketch, expected: Expected) -> Cube | Unfit:
    """The die below this face, roughly."""
    start = _start(pixels, view, sketch, expected)
    if isinstance(start, Unfit):
        return start
    found = _round(pixels, view, start, sketch, expected)
    if isinstance(found, Unfit):
        found = _round(pixels, view, start, sketch, expected, _FARTHER)
    return found if isinstance(found, Unfit) else Cube(found.vector)


def drift_of(view: View, cube: Cube, sketch: Sketch, expected: Expected) -> Floats:
    """How a die's numbers change with its rounding, where its outline stays: both are seen together."""
    lines = lines_across(view, cube.vector, SHARES)
    system = system_of(view, cube.vector, lines, Beliefs(expected, sketch.centre))
    near = sight(view.vector, cube.vector, lines).near
    root = np.sqrt(_WELL_SEEN * _INDEPENDENT / LINES * np.where(near, tuning.NEAR_TRUST, 1.0))[:, None]
    design = np.concatenate([system.by_die[:, :ROUNDING] * root, system.by_belief[:, :ROUNDING]])
    change = np.concatenate([-system.by_die[:, ROUNDING] * root[:, 0], np.zeros(len(system.by_belief))])
    return np.append(np.linalg.lstsq(design, change, rcond=None)[0], 1.0)


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
    system: System
    seen: Seen
    weights: Floats


def _round(
    pixels: Pixels, view: View, vector: Floats, sketch: Sketch, expected: Expected, reach: float = _REACH
) -> _Round | Unfit:
    """Look for the outline's edges where the die is supposed, and move the die to them."""
    if not inside_picture(pixels, view, vector, 12.0):
        return Unfit("is cut off by the picture's edge")
    seen = outline_edges(pixels, view, vector, reach, expected.optics)
    lines = lines_across(view, vector, SHARES)
    clear = _weights(seen) * _open(view, vector, lines, sketch.others)
    if _hidden(clear):
        return Unfit("its sides are hidden or not seen clearly enough")
    near = sight(view.vector, vector, lines).near
    weights = clear * _INDEPENDENT / LINES
    system = system_of(view, vector, lines, Beliefs(expected, sketch.centre))
    without, _ = system.step(seen.offset, np.where(near, 0.0, weights))
    left = (seen.offset - system.outline - system.by_die @ without) / view.resolution(Cube(vector).top)
    weights = weights * np.where(near, tuning.NEAR_TRUST * _on_its_foot(left, clear), 1.0)
    moved, _ = system.step(seen.offset, weights)
    edges = (vector + moved)[[FIRST, SECOND]]
    if not np.all((edges > SMALLEST) & (edges < LARGEST)):
        return Unfit("its outline is not that of a die")
    return _Round(vector, vector + moved, system, seen, weights)


# ------------------------------------------------------------------------------------------------------------ the start


def _start(pixels: Pixels, view: View, sketch: Sketch, expected: Expected) -> Floats | Unfit:
    """The die that goes through one edge on each side, agrees with the middle of its pips, and has strong edges."""
    best: tuple[float, Floats] | None = None
    low, high = sketch.sizes
    edges = np.linspace(low, high, max(2, int(np.ceil((high - low) / 1.5)) + 1))
    for edge, turn in product(edges, sketch.turns):
        vector = _placed(view, sketch, float(edge), expected.rounding)
        vector[YAW] += turn
        reach = 1.6 * view.resolution(Cube(vector).top)
        if not inside_picture(pixels, view, vector, 1.0):
            continue
        sides = _with_none(view, vector, candidates(pixels, view, vector, reach), sketch.others)
        found = _combined(view, vector, sides, Beliefs(expected, sketch.centre))
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
    view: View, vector: Floats, found: list[list[DieCandidate]], beliefs: Beliefs
) -> tuple[float, Floats] | None:
    """The combination of one edge a side that a die explains best, with its cost."""
    system = system_of(view, vector, lines_across(view, vector, np.zeros(1)), beliefs)
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
    view: View, vector: Floats, found: list[list[DieCandidate]], others: Sequence[Floats]
) -> list[list[DieCandidate]]:
    """Weights over the strongest edge of each side; and that none is the outline, for certain beside another die."""
    free = _open(view, vector, lines_across(view, vector, SHARES), others).reshape(4, LINES).mean(axis=1)
    sides = []
    for side, share in zip(found, free, strict=True):
        top = max((each.weight for each in side), default=1.0)
        kept = [DieCandidate(each.offset, each.weight / top) for each in side] if share > 0.3 else []
        sides.append([*kept, DieCandidate(np.nan, _UNSEEN)])
    return sides


# -------------------------------------------------------------------------------------------------------------- the fit


def _weights(seen: Seen) -> Floats:
    """Inverse variances of the lines, pixels; lines that run off from the others of their side count little."""
    own = 1 / (_OWN**2 + seen.variance) * np.where(seen.contrast > 0.01, 1.0, 0.0)
    own = own / (1 + (seen.misfit / 0.12) ** 4)
    sides = seen.offset.reshape(4, LINES)
    along = np.linspace(-1, 1, LINES)
    for _ in range(3):
        weights = own.reshape(4, LINES)
        straight = np.stack([_line(along, side, weight) for side, weight in zip(sides, weights, strict=True)])
        own = own / (1 + (np.abs(sides - straight).ravel() / 0.6) ** 4)
    return np.asarray(own, dtype=np.float64)


def _untold(seen: Seen, weights: Floats) -> Floats:
    """Variance (pixels squared) by which each whole side may err: a rounded edge that is as light as the ground where
    it ends seems to end further in."""
    sides = np.average(seen.variance.reshape(4, LINES), weights=weights.reshape(4, LINES) + 1e-9, axis=1)
    return np.asarray(tuning.UNTOLD**2 * np.maximum(sides - tuning.TOLD, 0.0))


def _on_its_foot(left: Floats, weights: Floats) -> Floats:
    """How much each line counts, were it at a foot, by how far (mm) its side is off the die that the far sides and the
    pips tell: farther out it saw the shadow's edge, farther in the end of a wall over the dark below its rounding."""
    away = np.average(left.reshape(4, LINES), weights=weights.reshape(4, LINES) + 1e-9, axis=1)
    return np.repeat(1 / (1 + (away / tuning.FOOT_OFF) ** 4), LINES)


def _open(view: View, vector: Floats, lines: EdgeLines, others: Sequence[Floats]) -> Floats:
    """1 for lines that end on free ground, 0 for those that another die lies behind, in front of, or against."""
    beyond = lines.feet + _CLEARANCE * view.resolution(Cube(vector).top) * lines.normals
    free = np.ones(len(beyond))
    for other in others:
        hull = cv2.convexHull(other.astype(np.float32))
        free *= [float(cv2.pointPolygonTest(hull, (float(x), float(y)), False) < 0) for x, y in beyond]
    return free


def _hidden(weights: Floats) -> bool:
    """Whether less than two neighbouring sides are seen: the middle of the pips can stand in for the other two."""
    clear = (weights.reshape(4, LINES) > 2.0).mean(axis=1)
    return bool(max(clear[0], clear[2]) < 0.4 or max(clear[1], clear[3]) < 0.4)


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
    by_view = derivatives(
        lambda trial: outline_on(trial, found.before, lines), view.vector, 1e-6 * view_scale(view.camera)
    )
    shared = weights / max(1.0, (scatter / 0.25) ** 2)
    observed, believed = system.by_die, system.by_belief
    covariance = inverse(observed.T @ (shared[:, None] * observed) + believed.T @ believed + 1e-9 * np.eye(7))
    pull = covariance @ (observed * shared[:, None]).T
    moved = -pull @ by_view
    by_side = pull.reshape(7, 4, LINES).sum(axis=2)
    covariance = covariance + (by_side * _untold(found.seen, weights)) @ by_side.T
    cube, angle = Cube(vector), _angle(view, vector, left, weights)
    return Fitted(cube, covariance, moved, scatter, angle, view.resolution(cube.top))


def _angle(view: View, vector: Floats, offsets: Floats, weights: Floats) -> tuple[float, float]:
    """Each side's own direction against its neighbours'; opposite sides are averaged by how well they are seen."""
    length = 0.45 * float(vector[FIRST]) * view.resolution(Cube(vector).top)
    design = np.column_stack([np.ones(LINES), SHARES * length])
    sides = zip(offsets.reshape(4, LINES), weights.reshape(4, LINES), strict=True)
    turns, sizes = np.transpose([_turn(design, *side) for side in sides])
    (first, one), (second, other) = (_common_turn(turns[rows], sizes[rows]) for rows in ([0, 2], [1, 3]))
    return 90.0 - float(np.degrees(second - first)), float(np.degrees(np.sqrt(one + other)))


def _turn(design: Floats, offsets: Floats, weights: Floats) -> tuple[float, float]:
    """The slope of one side and its weight; one whose edges lie on no line, as beside a shadow, counts for less."""
    normal = design.T @ (weights[:, None] * design) + np.diag([1e-9, 1e-9])
    line = np.linalg.solve(normal, design.T @ (weights * offsets))
    misfit = max(1.0, float(weights.max()) * robust_deviation(offsets - design @ line) ** 2)
    return float(line[1]), 1 / max(misfit * float(np.linalg.inv(normal)[1, 1]), 1e-12)


def _common_turn(turns: Floats, sizes: Floats) -> tuple[float, float]:
    """Of two opposite sides, with its variance; where they are not parallel, as where a shadow touches one, by that."""
    mean = float(np.average(turns, weights=sizes))
    return mean, max(1 / float(sizes.sum()), float(np.average((turns - mean) ** 2, weights=sizes)))
