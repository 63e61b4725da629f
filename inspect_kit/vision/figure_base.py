"""The base of a figure, fitted: camera, place, lean and profile solved together from edges and what is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.spatial import cKDTree

from inspect_kit.vision.arrays import Floats, Mask, Pixels, Whole
from inspect_kit.vision.camera import COUNT
from inspect_kit.vision.circle import Unfit
from inspect_kit.vision.estimation import inverse, robust_deviation
from inspect_kit.vision.figure_edges import Lines, entrances, fit_steps, peaks, sharpened, strangeness, strips
from inspect_kit.vision.figure_ground import Ground, in_shade
from inspect_kit.vision.figure_profile import CENTRE, EDGE, HEIGHT, INWARDS, NUMBERS, PROFILES, SHARE, WIDE, outline
from inspect_kit.vision.light import decoded
from inspect_kit.vision.view import View, pixels_of, rotation_of, view_slopes

VIEW: Final = 15
X, STANDOFF, LEVEL, SLOPE, LEAN, TILT, BIAS = range(VIEW, VIEW + 7)
BASE: Final = VIEW + 7
"""Places in the joined vector: the view's numbers, then the figure's place, the table's level and slope at the sheet,
the table's lean out of the sheet's normal, the base's tilt to the side, how many pixels all edges are seen too far
outwards, then the base's own numbers."""

LEAN_SPREAD: Final = 0.006
TILT_SPREAD: Final = 0.01
"""Radians by which a backdrop leans and a base tilts, usually."""
BIAS_SPREAD: Final = 0.15
_SPACING: Final = 2.0
_MOST_LINES: Final = 400
NOISE: Final = (0.5, 1.5, 2.5)
"""Pixels to which an edge is believed: before the sheet, before the table, and where only the change of light tells it.
Neighbouring lines share their errors, so this is more than the scatter."""
_LEAST_SPREAD: Final = 0.12
_COLOUR_ONLY: Final = 3.0
_UNDER: Final = 0.4
"""How far an outline's normal points down where the base's own shadow lies."""
_FARTHEST: Final = np.array([1.5, 1.5, 2.0, 0.2, 0.04, 0.05, 2.0, 1.0, 1.0, 1.2, 0.15, 0.6, 0.6])
"""How far the figure's numbers may move in one step."""
_ROUNDS: Final = 12
_BASE_SIZES: Final = np.array([0.02, 0.02, 0.02, 0.005, 0.02, 0.02])


@dataclass(frozen=True)
class Known:
    """What is known before the outline is looked at: means and the inverse covariance of the joined vector."""

    mean: Floats
    information: Floats
    blocks: tuple[tuple[str, tuple[int, ...]], ...]
    """Sources of uncertainty and the numbers they speak of."""


@dataclass(frozen=True)
class Edges:
    """Places of the photo where the base ends, the pixels to which each is believed, and the pictures' blur."""

    points: Floats
    sigma: Floats
    on_table: Mask
    blur: float


@dataclass(frozen=True)
class Fit:
    """A fitted base: joined vector, its covariance, and how far the edges are from it (pixels, with weights)."""

    form: str
    vector: Floats
    covariance: Floats
    known: Known
    cost: float
    edges: Edges
    residuals: Floats
    weights: Floats

    @property
    def base(self) -> Floats:
        """The base's own numbers."""
        return self.vector[BASE:]

    @property
    def scatter(self) -> float:
        """Of the edges around the fit, pixels."""
        return robust_deviation(self.residuals[self.weights > 0.1])


def knowledge(view: View, ground: Ground, standoff: tuple[float, float], form: str) -> Known:
    """Prior means and spreads for one form of edge."""
    foot = ground.foot
    place = [(0.0, 30.0), standoff, (foot.level, foot.u_level), (foot.slope, foot.u_slope), (0.0, LEAN_SPREAD),
             (0.0, TILT_SPREAD), (0.0, BIAS_SPREAD)]  # fmt: skip
    base = [(9.5, 3.0), (6.0, 1.5), (5.4, 1.5), (0.78, 0.15), (0.5, 0.6), (0.5, 0.6)][: NUMBERS[form]]
    mean, spread = np.array([*place, *base]).T
    information = np.zeros((BASE + len(base), BASE + len(base)))
    information[:VIEW, :VIEW] = inverse(view.covariance)
    information[VIEW:, VIEW:] = np.diag(1 / np.maximum(spread, 1e-5) ** 2)
    blocks = (("lens", tuple(range(VIEW))), ("standoff", (STANDOFF,)), ("table", (LEVEL, SLOPE)),
              ("backdrop's lean", (LEAN,)), ("figure's tilt", (TILT,)),
              ("edge detection", (BIAS,)),
              ("form of the base", tuple(range(BASE, BASE + len(base)))))  # fmt: skip
    return Known(np.concatenate([view.vector, mean]), information, blocks)


def frame_of(vector: Floats, *, tilted: bool = True) -> tuple[Floats, Floats]:
    """The figure's foot on the table, and its axes (across, up, out) as columns, in the sheet's frame."""
    lean, roll = vector[LEAN], vector[SLOPE] + (vector[TILT] if tilted else 0.0)
    foot = np.array([
        vector[X],
        vector[LEVEL] + vector[SLOPE] * vector[X] + np.sin(lean) * vector[STANDOFF],
        np.cos(lean) * vector[STANDOFF],
    ])  # fmt: skip
    forward = np.array([[1, 0, 0], [0, np.cos(lean), np.sin(lean)], [0, -np.sin(lean), np.cos(lean)]])
    aside = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    return foot, np.asarray(forward @ aside, dtype=np.float64)


def _camera_at(vector: Floats) -> Floats:
    """Where the camera stands in the figure's own frame."""
    foot, axes = frame_of(vector)
    return np.asarray(axes.T @ (-rotation_of(vector[9:12]).T @ vector[12:15] - foot), dtype=np.float64)


def _own_outline(vector: Floats, form: str) -> Floats:
    """The base's outline in its own frame."""
    return outline(PROFILES[form](vector[BASE:]), _camera_at(vector))


def _shown(vector: Floats, own: Floats) -> Floats:
    """Points of the figure's frame in the photo."""
    foot, axes = frame_of(vector)
    return pixels_of(vector[:VIEW], own @ axes.T + foot)


def outline_pixels(vector: Floats, form: str) -> Floats:
    """The base's outline in the photo, as a closed line."""
    return _shown(vector, _own_outline(vector, form))


def scale_at(ground: Ground) -> float:
    """Pixels a mm where figures stand."""
    return ground.view.resolution(np.array([0.0, -45.0, 20.0]))


def lines_across(vector: Floats, form: str) -> Lines:
    """Lines at even distances around the outline."""
    points = outline_pixels(vector, form)
    closed = np.vstack([points, points[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    where = np.linspace(0, length[-1], int(np.clip(length[-1] / _SPACING, 60, _MOST_LINES)), endpoint=False)
    feet = np.column_stack([np.interp(where, length, closed[:, axis]) for axis in (0, 1)])
    along = np.roll(feet, -1, axis=0) - np.roll(feet, 1, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    return Lines(feet, _outwards(feet, along))


def _outwards(points: Floats, along: Floats) -> Floats:
    """Normals of a closed line that point out of it."""
    area = float(np.sum(points[:, 0] * np.roll(points[:, 1], -1) - np.roll(points[:, 0], -1) * points[:, 1]))
    return np.asarray(np.column_stack([along[:, 1], -along[:, 0]]) * np.sign(area))


def gather(pixels: Pixels, ground: Ground, lines: Lines, reach: float, blur: float | None, sure: bool) -> Edges:
    """Where the ground ends on each line; unless only `sure` ones are wanted, also the nearest steep change of light
    where nothing tells ground from figure."""
    half = 4.5 if blur is None else float(np.clip(3.0 * blur, 2.5, 7.0))
    found = strips(pixels, lines, reach + 1.3 * half + 6)
    strange = strangeness(found, ground)
    enter, entered = entrances(strange, found.steps, reach)
    enter = sharpened(found, enter, blur or 1.0)
    steep_at, steep = peaks(found, reach, blur or 1.0)
    # A line that is strange outside as well lies behind the figure's top.
    faint = ~entered & (strange[:, found.steps > 0].max(axis=1) < 1.0) & (steep > 0.006)
    steps = fit_steps(found, np.where(entered, enter, np.where(faint, steep_at, 0.0)), half, blur)
    points = lines.feet + steps.offset[:, None] * lines.normals
    sheet, table = ground.places(points)
    on_table = ground.on_table(sheet)
    above = sheet[:, 1] - ground.foot.level - ground.foot.slope * sheet[:, 0]
    # What is darker than the table may be a shadow on it: under the base it is not used, beside it hardly.
    dark = on_table & (steps.lighter < 0)
    # Nor is what is lighter than the dark below it: there the base's own shade begins.
    under = on_table & (lines.normals[:, 1] > _UNDER) & (dark | in_shade(ground, decoded(steps.outside), table))
    clear = (steps.contrast > np.where(on_table, 0.02, 0.012)) & ~under
    good = (entered if sure else entered | faint) & clear & (steps.misfit < 0.3) & (np.abs(above) > 0.25)
    sigma = np.where(entered, np.where(on_table, NOISE[1], NOISE[0]), NOISE[2])
    # Where only the colour tells, the edge is as coarse as the stored colour.
    sigma = sigma * np.where(steps.coloured, _COLOUR_ONLY, 1.0)
    sigma = (
        sigma * np.where(on_table, 1 + (0.05 / np.maximum(steps.contrast, 1e-3)) ** 2, 1.0) * np.where(dark, 1.5, 1.0)
    )
    return Edges(points[good], sigma[good], on_table[good], steps.blur)


@dataclass(frozen=True)
class _State:
    """The outline at some numbers: how far each edge is outside of it, by which normal, and from which own place."""

    vector: Floats
    apart: Floats
    normals: Floats
    places: Floats
    index: Whole
    share: Floats

    def at(self, curve: Floats) -> Floats:
        """The places of a curve like the outline that are next to the edges."""
        share = self.share[:, None]
        return np.asarray(curve[self.index] * (1 - share) + curve[(self.index + 1) % len(curve)] * share)


def _state(vector: Floats, form: str, edges: Edges) -> _State:
    own = _own_outline(vector, form)
    index, share, apart, normals = _nearest(_shown(vector, own), edges.points)
    found = _State(vector, apart - vector[BIAS], normals, own, index, share)
    return replace(found, places=found.at(own))


def _slopes(state: _State, form: str, before: Floats | None = None) -> Floats:
    """How the edges' distances change with the numbers; `before` lends those by camera and pose, which hardly change.

    The ray touches the solid: where camera and solid move, the touching points may stay and the outline is right.
    """
    vector = state.vector
    foot, axes = frame_of(vector)
    camera = _camera_at(vector)
    seen = view_slopes(vector[:VIEW], state.places @ axes.T + foot)
    found = np.zeros((len(state.apart), len(vector)))
    found[:, :VIEW] = np.einsum("ni,nik->nk", state.normals, seen) if before is None else before[:, :VIEW]
    # By places on the sheet's frame, along the normals.
    pull = np.einsum("ni,nik->nk", state.normals, seen[:, :, COUNT + 3 :]) @ rotation_of(vector[9:12])
    found[:, VIEW:BIAS] = np.einsum("nk,nkj->nj", pull, _frame_slopes(vector, state.places))
    found[:, BIAS] = 1.0
    own = pull @ axes
    for number, step in enumerate(_BASE_SIZES[: len(vector) - BASE]):
        move = np.zeros(len(vector) - BASE)
        move[number] = step
        ahead, back = (outline(PROFILES[form](vector[BASE:] + sign * move), camera) for sign in (1, -1))
        found[:, BASE + number] = (state.at(ahead - back) * own).sum(axis=1) / (2 * step)
    return found


def _frame_slopes(vector: Floats, own: Floats) -> Floats:
    """How points of the figure's frame move on the sheet's with the figure's six numbers: points × 3 × 6."""
    _, axes = frame_of(vector)
    lean, standoff = vector[LEAN], vector[STANDOFF]
    placed = own @ axes.T
    found = np.zeros((len(own), 3, 6))
    found[:, :, 0] = 1.0, vector[SLOPE], 0.0
    found[:, :, 1] = 0.0, np.sin(lean), np.cos(lean)
    found[:, 1, 2] = 1.0
    # A lean turns around the sheet's x, a tilt around the figure's own outward axis.
    found[:, 1, 4] = placed[:, 2] + np.cos(lean) * standoff
    found[:, 2, 4] = -placed[:, 1] - np.sin(lean) * standoff
    found[:, :, 5] = np.column_stack([-own[:, 1], own[:, 0], np.zeros(len(own))]) @ axes.T
    found[:, :, 3] = found[:, :, 5] + np.array([0.0, vector[X], 0.0])
    return found


def _nearest(curve: Floats, points: Floats) -> tuple[Whole, Floats, Floats, Floats]:
    """For each point the nearest segment of a closed line, the share along it, the distance outwards and the normal."""
    closed = np.vstack([curve, curve[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    count = int(np.clip(length[-1] / 1.5, 200, 900))
    where = np.linspace(0, length[-1], count, endpoint=False)
    even = np.column_stack([np.interp(where, length, closed[:, axis]) for axis in (0, 1)])
    along = np.roll(even, -1, axis=0) - np.roll(even, 1, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    normals = _outwards(even, along)
    near = cKDTree(even).query(points)[1]
    # Along the tangent from the nearest of the even places to the foot of the perpendicular.
    shift = ((points - even[near]) * along[near]).sum(axis=1)
    place = np.mod(where[near] + np.clip(shift, -1.5, 1.5), length[-1])
    index = np.clip(np.searchsorted(length, place, side="right") - 1, 0, len(curve) - 1)
    share = np.clip((place - length[index]) / np.maximum(length[index + 1] - length[index], 1e-9), 0, 1)
    foot = closed[index] * (1 - share)[:, None] + closed[index + 1] * share[:, None]
    apart = ((points - foot) * normals[near]).sum(axis=1)
    return index, share, apart, normals[near]


def settle(start: Floats, form: str, edges: Edges, known: Known, wide: float) -> Fit | Unfit:
    """The most probable base for these edges; those farther off count less, at first from `wide` pixels."""
    if len(edges.points) < 40:
        return Unfit("the outline of its base is not seen clearly enough")
    state = _state(_bounded(start), form, edges)
    slopes = _slopes(state, form)
    damping = 1e-3
    for least in sorted({max(wide, _LEAST_SPREAD), _LEAST_SPREAD}, reverse=True):
        weights = _weights(state.apart, edges, least)
        for _ in range(_ROUNDS):
            move = _step(state, slopes, weights * edges.sigma**-2, known, damping)
            tried = _state(_bounded(state.vector + move), form, edges)
            if _cost(tried, weights, edges, known) > _cost(state, weights, edges, known):
                damping *= 10
                if damping > 1e4:
                    break
                continue
            state, damping = tried, max(damping / 10, 1e-6)
            slopes = _slopes(state, form, slopes)
            weights = _weights(state.apart, edges, least)
            if bool(np.all(np.abs(move[VIEW:]) < 0.008 * _FARTHEST[: len(move) - VIEW])):
                break
    return _described(state, _slopes(state, form), edges, known, form)


def _cost(state: _State, weights: Floats, edges: Edges, known: Known) -> float:
    away = state.vector - known.mean
    return float((weights * (state.apart / edges.sigma) ** 2).sum() + away @ known.information @ away)


def _weights(apart: Floats, edges: Edges, least: float) -> Floats:
    """Tukey's biweight, edges before sheet and table each by their own scatter."""
    spread = np.zeros(len(apart))
    for part in (edges.on_table, ~edges.on_table):
        spread[part] = max(robust_deviation(apart[part]), least)
    u = apart / (4.0 * spread)
    return np.where(np.abs(u) < 1, (1 - u**2) ** 2, 0.0)


def _step(state: _State, slopes: Floats, force: Floats, known: Known, damping: float) -> Floats:
    """Towards the most probable numbers, shortened where that is farther than a straight line can be trusted."""
    normal = (slopes * force[:, None]).T @ slopes + known.information
    right = slopes.T @ (force * state.apart) + known.information @ (known.mean - state.vector)
    move = inverse(normal + damping * np.diag(np.diag(normal))) @ right
    share = float(np.max(np.abs(move[VIEW:]) / _FARTHEST[: len(move) - VIEW]))
    return np.asarray(move / max(share, 1.0))


def _bounded(vector: Floats) -> Floats:
    """Numbers that a base can have."""
    found = vector.copy()
    base = found[BASE:]
    base[WIDE] = np.clip(base[WIDE], 5.0, 16.0)
    base[HEIGHT] = np.clip(base[HEIGHT], 2.5, 11.0)
    base[CENTRE] = np.clip(base[CENTRE], 0.35 * base[HEIGHT], 1.6 * base[HEIGHT])
    base[SHARE] = np.clip(base[SHARE], 0.2, 0.995)
    if len(base) > EDGE:
        base[EDGE] = np.clip(base[EDGE], 0.02, 0.5 * base[HEIGHT])
    if len(base) > INWARDS:
        base[INWARDS] = np.clip(base[INWARDS], 0.02, 0.4 * base[WIDE])
    return found


def _described(state: _State, slopes: Floats, edges: Edges, known: Known, form: str) -> Fit:
    weights = _weights(state.apart, edges, _LEAST_SPREAD)
    force = weights / edges.sigma**2
    covariance = inverse((slopes * force[:, None]).T @ slopes + known.information)
    away = state.vector - known.mean
    cut = np.minimum(np.abs(state.apart), 4.0 * max(robust_deviation(state.apart), _LEAST_SPREAD))
    cost = float(((cut / edges.sigma) ** 2).sum() + away @ known.information @ away)
    return Fit(form, state.vector, covariance, known, cost, edges, state.apart, weights)
