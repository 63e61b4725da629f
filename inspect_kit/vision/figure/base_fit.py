"""A base settled on its edges: camera, place, lean and profile moved together until they are the most probable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask, Pixels, Whole
from inspect_kit.vision.figure import tuning
from inspect_kit.vision.figure.background import Ground
from inspect_kit.vision.figure.base import (  # fmt: skip
    BASE,
    BIAS,
    LEAN,
    SHADE,
    SLOPE,
    STANDOFF,
    VIEW,
    BaseEdges,
    Fit,
    KnownBase,
    X,
    camera_at,
    frame_of,
    gather,
    knowledge,
    lines_across,
    outwards,
    own_outline,
    scale_at,
    shown,
)
from inspect_kit.vision.figure.solid import (
    CENTRE,
    DEEP,
    EDGE,
    HEIGHT,
    INWARDS,
    NUMBERS,
    PROFILES,
    SHARE,
    TALL,
    WIDE,
    outline,
)
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.fitting.least_squares import inverse, robust_deviation
from inspect_kit.vision.fitting.nearest_point import nearest_of
from inspect_kit.vision.optics.camera import COUNT
from inspect_kit.vision.optics.light import linear
from inspect_kit.vision.optics.pose import rotation_of, view_slopes

CLOSE: Final = (tuning.LEAST_SPREAD, tuning.LEAST_SPREAD)
"""The last stage of settling: only edges as near as their own scatter count."""
_FARTHEST: Final = np.array([1.5, 1.5, 2.0, 0.2, 0.04, 0.05, 2.0, 2.0, 1.0, 1.0, 1.2, 0.15, 1.5, 0.2, 0.6, 0.6])
"""How far the figure's numbers may move in one step."""
_LARGE: Final[Mapping[str, tuple[float, ...]]] = {"cut": (0.4, 0.9), "round": (1.5,)}
"""mm: depth and width of a large cut, radius of a large rounding."""
_ROUNDS: Final = 12
"""Steps of a fit, at most."""
_BASE_SIZES: Final = np.array([0.02, 0.02, 0.02, 0.005, 0.05, 0.01, 0.02, 0.02])
"""mm (the fourth: a share) over which slopes by the base's own numbers are taken."""


@dataclass(frozen=True)
class _State:
    """The outline at some numbers: how far each edge is outside of it, by which normal, and from which own place."""

    vector: Floats
    apart: Floats
    normals: Floats
    places: Floats
    index: Whole
    share: Floats
    on_table: Mask

    def at(self, curve: Floats) -> Floats:
        """The places of a curve like the outline that are next to the edges."""
        share = self.share[:, None]
        return np.asarray(curve[self.index] * (1 - share) + curve[(self.index + 1) % len(curve)] * share)


def _state(vector: Floats, form: str, edges: BaseEdges) -> _State:
    own = own_outline(vector, form)
    index, share, apart, normals = _nearest(shown(vector, own), edges.points)
    found = _State(
        vector, apart - vector[BIAS] + vector[SHADE] * edges.on_table, normals, own, index, share, edges.on_table
    )
    return replace(found, places=found.at(own))


def _slopes(state: _State, form: str, before: Floats | None = None) -> Floats:
    """How the edges' distances change with the numbers; `before` lends those by camera and pose, which hardly change.

    The ray touches the solid: where camera and solid move, the touching points may stay and the outline is right.
    """
    vector = state.vector
    foot, axes = frame_of(vector)
    camera = camera_at(vector)
    seen = view_slopes(vector[:VIEW], state.places @ axes.T + foot)
    found = np.zeros((len(state.apart), len(vector)))
    found[:, :VIEW] = np.einsum("ni,nik->nk", state.normals, seen) if before is None else before[:, :VIEW]
    # By places on the sheet's frame, along the normals.
    pull = np.einsum("ni,nik->nk", state.normals, seen[:, :, COUNT + 3 :]) @ rotation_of(vector[9:12])
    found[:, VIEW:BIAS] = np.einsum("nk,nkj->nj", pull, _frame_slopes(vector, state.places))
    found[:, BIAS], found[:, SHADE] = 1.0, -1.0 * state.on_table
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
    normals = outwards(even, along)
    near = nearest_of(points, even)[1]
    # Along the tangent from the nearest of the even places to the foot of the perpendicular.
    shift = ((points - even[near]) * along[near]).sum(axis=1)
    place = np.mod(where[near] + np.clip(shift, -1.5, 1.5), length[-1])
    index = np.clip(np.searchsorted(length, place, side="right") - 1, 0, len(curve) - 1)
    share = np.clip((place - length[index]) / np.maximum(length[index + 1] - length[index], 1e-9), 0, 1)
    foot = closed[index] * (1 - share)[:, None] + closed[index + 1] * share[:, None]
    apart = ((points - foot) * normals[near]).sum(axis=1)
    return index, share, apart, normals[near]


def settle(
    start: Floats, form: str, edges: BaseEdges, known: KnownBase, stages: Sequence[tuple[float, float]]
) -> Fit | Unfit:
    """The most probable base for these edges; those farther off count less.

    Stage by stage a scatter of at least so many pixels is allowed before the sheet and before the table: an edge that
    is clear must not be lost because the start was wrong.
    """
    if len(edges.points) < 40:
        return Unfit("the outline of its base is not seen clearly enough")
    state = _state(_bounded(start), form, edges)
    slopes = _slopes(state, form)
    damping = 1e-3
    for least in stages:
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


def _cost(state: _State, weights: Floats, edges: BaseEdges, known: KnownBase) -> float:
    away = state.vector - known.mean
    return float((weights * (state.apart / edges.sigma) ** 2).sum() + away @ known.information @ away)


def _weights(apart: Floats, edges: BaseEdges, least: tuple[float, float]) -> Floats:
    """Tukey's biweight, edges before sheet and table each by their own scatter, and by what each is believed to."""
    u = np.zeros(len(apart))
    for part, smallest in zip((~edges.on_table, edges.on_table), least, strict=True):
        if part.any():
            alike = apart[part] * (np.median(edges.sigma[part]) / edges.sigma[part])
            u[part] = alike / (4.0 * max(robust_deviation(alike), smallest, tuning.LEAST_SPREAD))
    return np.where(np.abs(u) < 1, (1 - u**2) ** 2, 0.0)


def _step(state: _State, slopes: Floats, force: Floats, known: KnownBase, damping: float) -> Floats:
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
    base[TALL] = np.clip(base[TALL], 2.0, 20.0)
    base[DEEP] = np.clip(base[DEEP], 0.1, 1.2)
    if len(base) > EDGE:
        base[EDGE] = np.clip(base[EDGE], 0.02, 0.5 * base[HEIGHT])
    if len(base) > INWARDS:
        base[INWARDS] = np.clip(base[INWARDS], 0.02, 0.4 * base[WIDE])
    return found


def _described(state: _State, slopes: Floats, edges: BaseEdges, known: KnownBase, form: str) -> Fit:
    weights = _weights(state.apart, edges, CLOSE)
    force = weights / edges.sigma**2
    covariance = inverse((slopes * force[:, None]).T @ slopes + known.information)
    away = state.vector - known.mean
    # An edge that is left out costs the same in every form, or the form that leaves out the most would seem the best.
    cut = np.minimum(np.abs(state.apart / edges.sigma), tuning.LEFT_OUT)
    cost = float((cut**2).sum() + away @ known.information @ away)
    return Fit(form, state.vector, covariance, known, cost, edges, state.apart, weights)


# A base fitted with each form of its upper edge, round by round from the first guess to the last pixel, and how
# probable each form is.

FORMS: Final = ("cut", "round", "sharp")


def shares_of(fits: Sequence[Fit]) -> Floats:
    """How probable each form is: by what it leaves of the edges, and by its freedom (Laplace's approximation of the
    evidence: a form that could have had many shapes explains less by having this one)."""
    lenience = max(1.0, min(fit.scatter for fit in fits) / tuning.SCATTER) ** 2
    logs = np.array([_freedom(fit) - fit.cost / (2 * lenience) for fit in fits])
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum())


def _freedom(fit: Fit) -> float:
    """Logarithm of the share of what was possible beforehand that the photo leaves possible."""
    return float(np.linalg.slogdet(fit.covariance)[1] + np.linalg.slogdet(fit.known.information)[1]) / 2


@dataclass(frozen=True)
class BaseReadings:
    """A base in the forms of its upper edge, the most probable first; a rival reading where the photo cannot tell which
    edge is the upper one, one by the edge beside what stands on it, where that lies lower, and one as if it stood at
    another level, where something speaks for that."""

    fits: tuple[Fit, ...]
    rival: tuple[Fit, ...] = ()
    beside: tuple[Fit, ...] = ()
    off_level: tuple[Fit, ...] = ()
    doubts: tuple[str, ...] = ()
    """Codes of what speaks for another level, and of a plate that was left out."""

    @property
    def all(self) -> tuple[Fit, ...]:
        """All readings."""
        return self.fits + self.rival + self.beside + self.off_level

    @property
    def edges(self) -> tuple[Fit, ...]:
        """The best fit for each edge that may be the upper one."""
        return tuple(each[0] for each in (self.fits, self.rival, self.beside) if each)

    def shares(self) -> Floats:
        """How probable each form of each reading is."""
        readings = [each for each in (self.fits, self.rival, self.beside, self.off_level) if each]
        shares = np.concatenate([explained(each[0]) * shares_of(each) for each in readings])
        return np.asarray(shares / shares.sum())


def fit_forms(
    pixels: Pixels,
    ground: Ground,
    standoff: tuple[float, float],
    start: Floats,
) -> BaseReadings:
    """The base with each form of its upper edge; without any where none can be fitted.

    Where many edges lie off the outline together, the base is also read as if they were its upper edge. The reading
    that explains more of the edges is taken, and where another explains nearly as many, both are kept.
    """
    fits = _read(pixels, ground, standoff, start, tuning.REACHES)
    found = [fits] if fits else []
    for lift in _other_edges(fits, scale_at(ground)):
        other = _read(pixels, ground, standoff, _lifted(fits[0], lift), tuning.REACHES[1:])
        found += [other] if other and _apart(other, fits) else []
    return ranked(found)


def ranked(found: Sequence[Sequence[Fit]]) -> BaseReadings:
    """The reading that explains the most edges, and the next one beside it where that explains nearly as many."""
    order = sorted(found, key=lambda each: -explained(each[0]))
    return BaseReadings(tuple(order[0]), _rival(order)) if order else BaseReadings(())


def best_of(tries: Sequence[BaseReadings]) -> BaseReadings:
    """What several tries found, taken together."""
    return ranked([each for one in tries for each in (one.fits, one.rival) if each])


def with_edge_beside(
    readings: BaseReadings, pixels: Pixels, ground: Ground, standoff: tuple[float, float]
) -> BaseReadings:
    """The readings, and one more by the upper edge beside the figure, where that lies lower than in its middle: a plate
    that stands on a base is not a part of it."""
    best = readings.fits[0]
    start = _lifted(best, _lift_beside(best) / scale_at(ground))
    other = _read(pixels, ground, standoff, start, tuning.REACHES[1:], beside=True)
    if not other or not _lower(other[0], best):
        return readings
    if _another_tint(pixels, ground, best):
        return BaseReadings(tuple(other), doubts=("plate-left-out",))
    return replace(readings, beside=tuple(other))


def _lift_beside(fit: Fit) -> float:
    """Pixels by which the upper edge lies higher next to its middle than the fit has it."""
    along = _along(fit.edges.points, fit.vector)
    near = (np.abs(along) > 1) & (np.abs(along) < 1.2) & _beside(fit.edges, fit.vector) & ~fit.edges.on_table
    return float(np.median(fit.residuals[near])) if near.any() else 0.0


def _lower(one: Fit, other: Fit) -> bool:
    """Whether a reading by some of the edges has its upper face lower than one by all of them, beyond what the others
    left open."""
    varied, less = (fit.covariance[BASE + HEIGHT, BASE + HEIGHT] for fit in (one, other))
    spread = math.sqrt(max(varied - less, 0.0))
    return bool(other.base[HEIGHT] - one.base[HEIGHT] > max(tuning.ANOTHER_EDGE, 2 * spread))


def _another_tint(pixels: Pixels, ground: Ground, fit: Fit) -> bool:
    """Whether what ends in the middle of a base's upper edge is tinged otherwise than what ends beside it."""
    seen = fit.edges.where(~fit.edges.on_table)
    beside = _beside(seen, fit.vector)
    places = seen.points[~beside], seen.points[beside]
    high = places[1][np.argsort(places[1][:, 1])[: len(places[0])]]
    down = np.array([0.0, tuning.INSIDE * scale_at(ground)])
    tints = [_tint(pixels, each + down) for each in (places[0], high)]
    return bool(np.linalg.norm(tints[0] - tints[1]) > tuning.TINT)


def _tint(pixels: Pixels, places: Floats) -> Floats:
    """Logarithms of red and blue over green, in the middle of some places."""
    column, row = np.round(places).astype(int).T
    logs = np.log(np.asarray(linear(pixels[row, column][None])[0], dtype=np.float64) + tuning.DARKEST)
    return np.asarray(np.median(logs[:, [0, 2]] - logs[:, [1]], axis=0))


def _beside(edges: BaseEdges, vector: Floats) -> Mask:
    """Which edges are not above the middle of a base, where something may stand on it."""
    middle = shown(vector, np.array([[0.0, vector[BASE + CENTRE], 0.0]]))[0]
    return np.asarray((np.abs(_along(edges.points, vector)) > 1) | (edges.points[:, 1] > middle[1]))


def _along(points: Floats, vector: Floats) -> Floats:
    """How far aside places are seen, from −1 to 1 where something may stand on a base."""
    reach = tuning.STANDING * vector[BASE + WIDE]
    middle, end = shown(vector, np.array([[aside, vector[BASE + HEIGHT], 0.0] for aside in (0.0, reach)]))
    return np.asarray((points - middle) @ (end - middle) / ((end - middle) @ (end - middle)))


def with_other_level(
    readings: BaseReadings, pixels: Pixels, ground: Ground, standoff: tuple[float, float], doubts: Sequence[str]
) -> BaseReadings:
    """The readings, and one more that leaves open at which level the figure stands."""
    loose = replace(ground, foot=replace(ground.foot, u_level=tuning.LEVEL_SPREAD))
    other = _read(pixels, loose, standoff, readings.fits[0].vector, tuning.REACHES)
    return replace(readings, off_level=tuple(other), doubts=(*readings.doubts, *doubts))


def _rival(found: Sequence[Sequence[Fit]]) -> tuple[Fit, ...]:
    """The next reading whose upper edge is another, where it explains nearly as many edges."""
    best = explained(found[0][0])
    rivals = (each for each in found[1:] if explained(each[0]) > tuning.RIVAL * best and _apart(each, found[0]))
    return tuple(next(rivals, ()))


def _apart(one: Sequence[Fit], other: Sequence[Fit]) -> bool:
    """Whether two readings take different edges for the upper one."""
    return bool(abs(one[0].base[HEIGHT] - other[0].base[HEIGHT]) > tuning.ANOTHER_EDGE)


def explained(fit: Fit) -> float:
    """Edges along the outline, less those that lie off it."""
    return float((fit.weights > 0.1).sum() - (fit.weights < 0.05).sum())


def _other_edges(fits: Sequence[Fit], scale: float) -> list[float]:
    """mm by which the upper edge would lie higher if the edges off the outline were it; none where they are few."""
    if not fits:
        return []
    off = fits[0].residuals[(fits[0].weights < 0.05) & ~fits[0].edges.on_table]
    if len(off) < tuning.OFF_TOGETHER * len(fits[0].weights):
        return []
    return [float(np.quantile(off, part)) / scale for part in (0.5, 0.25, 0.75)]


def _lifted(fit: Fit, lift: float) -> Floats:
    """A start whose wall is that of a fit and whose upper edge lies higher, without a cut or rounding."""
    start = _started(fit.vector, fit.form, "sharp")
    start[BASE + HEIGHT] += lift
    return start


def _read(
    pixels: Pixels, ground: Ground, standoff: tuple[float, float], start: Floats, reaches: Sequence[float],
    beside: bool = False,
) -> list[Fit]:  # fmt: skip
    """One reading: from a start round by round to the last pixel; by all edges, or by those beside the figure."""
    scale = scale_at(ground)
    vector, form = start, "sharp"
    fits: list[Fit] = []
    for turn, reach in enumerate(reaches):
        lines = lines_across(vector, form)
        edges = gather(pixels, ground, lines, max(reach * scale, 3.0), sure=turn == 0)
        edges = edges.where(_beside(edges, vector)) if beside else edges
        last = turn == len(reaches) - 1
        wide = 0.12 * reach * scale
        # Before the table shadows are edges too, so that only the first round looks for far ones there.
        stages = [(wide, wide if turn == 0 else 0.0), *([CLOSE] if last else [])]
        names = FORMS if last else FORMS[:2]
        known = [knowledge(ground.view, ground, standoff, name) for name in names]
        starts = [_starts(vector, form, name)[: 2 if last else 1] for name in names]
        fits = _settled(starts, names, edges, known, stages)
        if last and fits and _table_astray(min(fits, key=_cost_of), scale):
            fits = _settled(starts, names, edges.where(~edges.on_table), known, stages) or fits
        if not fits:
            return []
        fits.sort(key=_cost_of)
        vector, form = fits[0].vector, fits[0].form
    return [fits[index] for index in np.argsort(-shares_of(fits), kind="stable")]


def _settled(
    starts: Sequence[Sequence[Floats]], names: Sequence[str], edges: BaseEdges, known: Sequence[KnownBase],
    stages: Sequence[tuple[float, float]],
) -> list[Fit]:  # fmt: skip
    """The best fit of each form, from all of its starts."""
    found = []
    for name, some, before in zip(names, starts, known, strict=True):
        tries = [settle(start, name, edges, before, stages) for start in some]
        fits = [fit for fit in tries if not isinstance(fit, Unfit)]
        found += [min(fits, key=_cost_of)] if fits else []
    return found


def _cost_of(fit: Fit) -> float:
    return fit.cost


def _table_astray(fit: Fit, scale: float) -> bool:
    """Whether the edges before the table scatter so much that they are not the base's: where a light base fades into
    its own shade, the table's colour begins somewhere on the base."""
    return robust_deviation(fit.residuals[fit.edges.on_table]) > tuning.ASTRAY * scale


def _starts(vector: Floats, form: str, wanted: str) -> list[Floats]:
    """Starts for a form of edge from the numbers of another: with an edge like that one's, and with a large one, since
    a small edge that explains the outline a little hides the large one that does it well."""
    start = _started(vector, form, wanted)
    if wanted == "sharp":
        return [start]
    large = start.copy()
    large[BASE + EDGE :] = _LARGE[wanted]
    return [start, large]


def _started(vector: Floats, form: str, wanted: str) -> Floats:
    """The numbers of one form of edge as a start for another."""
    base = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3])
    base[: len(vector) - BASE] = vector[BASE:]
    if wanted == "round" and form == "cut":
        base[EDGE] = 0.5 * (base[EDGE] + base[INWARDS])
    if wanted == "cut" and form == "round":
        base[[EDGE, INWARDS]] = 0.6 * base[EDGE]
    return np.concatenate([vector[:BASE], base[: NUMBERS[wanted]]])
