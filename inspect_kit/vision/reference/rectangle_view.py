"""The view from a plain rectangle's sides: camera and pose, with the thing's own size and curl as free as they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import AnyArray, Floats
from inspect_kit.vision.fitting.least_squares import Solution, inverse, robust_deviation, solve
from inspect_kit.vision.optics.camera import COUNT, GUESS, Camera, alternatives, rays
from inspect_kit.vision.optics.pose import Known, View, pixels_of, rotation_of, same_turn, view_scale, view_slopes
from inspect_kit.vision.reference import tuning
from inspect_kit.vision.reference.everyday import FlatThing
from inspect_kit.vision.reference.rectangle import sheet_corners
from inspect_kit.vision.reference.rectangle_sides import Sides

_VIEW: Final = COUNT + 6
"""Numbers of camera and pose."""
_FORM: Final = 9
"""Numbers of the thing: those that `FlatThing.form_spread` has, and where on walls that are seen the edge was taken."""
_WALL_SPREAD: Final = 12**-0.5
"""Standard deviation of that, of the thickness: anywhere between foot and upper edge."""
_ROUNDS: Final = 4
"""Times that the points are laid anew along their sides."""
_CELL: Final = 10.0
"""mm around a side's points in which light and dark are told."""


@dataclass(frozen=True)
class _Model:
    """Points of the sides as the thing has them: where along its side each lies, its height, and by how much that may
    be off where a wall is seen, mm."""

    thing: FlatThing
    side: AnyArray
    along: Floats
    level: Floats
    wall: Floats

    def points(self, form: Floats) -> Floats:
        """In mm, for a thing of this form."""
        wide, high = (self.thing.size[0] + form[0]) / 2, (self.thing.size[1] + form[1]) / 2
        upright = self.side % 2 == 1
        sign = np.where((self.side == 0) | (self.side == 1), 1.0, -1.0)
        x = np.where(upright, sign * wide, self.along)
        y = np.where(upright, self.along, sign * high)
        u, v = x / wide, y / high
        lift = form[2] * u**2 + form[3] * v**2 + form[4] * u * v
        moved_x = x + np.where(upright, sign * form[5] * v + form[7] * v, 0.0)
        moved_y = y + np.where(upright, 0.0, sign * form[6] * u)
        return np.column_stack([moved_x, moved_y, self.level + self.wall * form[8] + lift])

    def slopes(self) -> Floats:
        """How the points move with the numbers of the form: points × 3 × 9."""
        table = np.zeros((len(self.side), 3, _FORM))
        upright = self.side % 2 == 1
        sign = np.where((self.side == 0) | (self.side == 1), 1.0, -1.0)
        share = self.along / np.where(upright, self.thing.size[1], self.thing.size[0]) * 2
        table[upright, 0, 0], table[~upright, 1, 1] = sign[upright] / 2, sign[~upright] / 2
        table[:, 2, 2], table[:, 2, 3] = np.where(upright, 1.0, share**2), np.where(upright, share**2, 1.0)
        table[:, 2, 4], table[:, 2, 8] = sign * share, self.wall
        table[upright, 0, 5], table[upright, 0, 7] = (sign * share)[upright], share[upright]
        table[~upright, 1, 6] = (sign * share)[~upright]
        return table


@dataclass(frozen=True)
class _Across:
    """Distances of the sides' points from the thing's sides, across them."""

    model: _Model
    image: Floats
    normals: Floats
    noise: float

    def __call__(self, at: Floats, /) -> Floats:
        away = pixels_of(at[:_VIEW], self.model.points(at[_VIEW:])) - self.image
        return np.asarray((away * self.normals).sum(axis=1) / self.noise, dtype=np.float64)

    def slopes(self, at: Floats, /) -> Floats:
        """By camera, pose and form."""
        by_view = np.einsum("nij,ni->nj", view_slopes(at[:_VIEW], self.model.points(at[_VIEW:])), self.normals)
        by_place = by_view[:, COUNT + 3 :] @ rotation_of(at[COUNT : COUNT + 3])
        by_form = np.einsum("nj,njk->nk", by_place, self.model.slopes())
        return np.asarray(np.concatenate([by_view, by_form], axis=1) / self.noise, dtype=np.float64)


Seen = tuple[View, Known, float]
"""The view, the points it is taken from, and how many mm the thing's border stands up, all bends together."""


def rectangle_view(camera: Camera, candidates: Iterable[Sides], thing: FlatThing) -> Seen:
    """From the first sides that are a rectangle of the thing's proportions in space."""
    for sides in candidates:
        seen = _seen(camera, sides, thing)
        if seen is not None:
            return seen
    raise BadInput("reference-other-proportions")


def _seen(camera: Camera, sides: Sides, thing: FlatThing) -> Seen | None:
    """Where nobody knows the camera, as the likeliest of the usual ones has it."""
    usual = alternatives(camera) if camera.source == GUESS else ((camera, 1.0),)
    trials = [_fitted(each, sides, thing) for each, _ in usual]
    noise = min(trial.view.noise for trial in trials)
    misfits = np.array(
        [trial.misfit(noise) - 2 * np.log(often) for trial, (_, often) in zip(trials, usual, strict=True)]
    )
    shares = np.exp((misfits.min() - misfits) / 2)
    best = trials[int(misfits.argmin())]
    size = float(np.linalg.norm(sides.corners[1] - sides.corners[0]))
    if best.pull > tuning.MOST_PULL or best.view.noise > tuning.MOST_SIDE_NOISE * size:
        return None
    covariance = best.view.covariance.copy()
    for trial, share in zip(trials, shares / shares.sum(), strict=True):
        other = apart(trial.view.vector, best.view.vector)
        covariance += share * np.outer(other, other)
    return replace(best.view, covariance=covariance), Known(best.flat, sides.points, _CELL), best.bend


def apart(other: Floats, best: Floats) -> Floats:
    """By how much another view differs from the best one, in numbers in which looking from twice as far with twice the
    focal length is one and the same picture: the lens's bending is that at the best one's focal length."""
    ratio = float(other[0] / best[0])
    powers = np.array([0, 0, 0, 0, 2, 4, 1, 1, 6, 0, 0, 0, 0, 0, 0])
    away = same_turn(other, best) / ratio**powers - best
    away[[0, 1]] = best[[0, 1]] * np.log(ratio)
    away[COUNT + 5] = best[COUNT + 5] * np.log(max(float(other[COUNT + 5] / best[COUNT + 5]), 1e-3))
    return np.asarray(away, dtype=np.float64)


@dataclass(frozen=True)
class _Trial:
    view: View
    flat: Floats
    away: Floats
    pull: float
    bend: float

    def misfit(self, noise: float) -> float:
        """How badly the sides and what is known of camera and thing fit."""
        count = len(self.away) / (4 * tuning.SIDE_FREEDOM)
        return float((np.minimum(self.away / noise, 5.0) ** 2).sum() / max(count, 1.0)) + self.pull


def _fitted(camera: Camera, sides: Sides, thing: FlatThing) -> _Trial:
    information, mean = _prior(camera, thing, sides.open_size)
    at = np.concatenate([camera.parameters, _first_pose(camera, sides, thing), mean[_VIEW:]])
    noise, alike = 1.0, max(len(sides.points) / (4 * tuning.SIDE_FREEDOM), 1.0)
    for _ in range(_ROUNDS):
        model = _model(at, sides, thing)
        mean[COUNT:_VIEW] = at[COUNT:_VIEW]
        residuals = _Across(model, sides.points, sides.normals, noise * alike**0.5)
        solution = solve(residuals, at, _scale(camera), information, mean)
        at = solution.parameters
        away = np.abs(solution.residuals) * noise * alike**0.5
        noise = max(tuning.LEAST_SIDE_NOISE, min(float(np.sqrt((away**2).mean())), 2 * robust_deviation(away)))
    pull = at - mean
    flat = model.points(np.zeros(_FORM)) * [1.0, 1.0, 0.0]
    bend = float(np.abs(at[_VIEW + 2 : _VIEW + 5]).sum())
    view = _view(camera, solution, information, noise, len(away))
    return _Trial(view, flat, away, float(pull @ information @ pull), bend)


def _prior(camera: Camera, thing: FlatThing, open_by: tuple[float, float]) -> tuple[Floats, Floats]:
    information = np.zeros((_VIEW + _FORM, _VIEW + _FORM))
    information[:COUNT, :COUNT] = inverse(camera.covariance)
    spread = np.array([*np.hypot(thing.form_spread[:2], open_by), *thing.form_spread[2:], _WALL_SPREAD])
    information[_VIEW:, _VIEW:] = np.diag(1 / spread**2)
    mean = np.concatenate(
        [camera.parameters, np.zeros(6), [0.0, 0.0, thing.curl[0], thing.curl[0]], np.zeros(_FORM - 4)]
    )
    return information, mean


def _scale(camera: Camera) -> Floats:
    return np.concatenate([view_scale(camera), np.ones(_FORM)])


def _model(at: Floats, sides: Sides, thing: FlatThing) -> _Model:
    """Each point where its side passes it, as this view has it: at the upper edge, but of a side that turns its wall to
    the camera at the level at which it was read."""
    rotation, shift = rotation_of(at[COUNT : COUNT + 3]), at[COUNT + 3 : _VIEW]
    centre = -rotation.T @ shift
    directions = rays(at[:COUNT], sides.points) @ rotation
    reach = -centre[2] / np.where(np.abs(directions[:, 2]) < 1e-9, -1e-9, directions[:, 2])
    places = centre[:2] + reach[:, None] * directions[:, :2]
    half = np.array([thing.size[1], thing.size[0], thing.size[1], thing.size[0]]) / 2
    beyond = np.array([centre[1], centre[0], -centre[1], -centre[0]]) > half
    level = thing.thickness * np.where(beyond, sides.levels, 1.0)
    wall = np.where(beyond, thing.thickness, 0.0)
    along = np.where(sides.side % 2 == 1, places[:, 1], places[:, 0])
    return _Model(thing, sides.side, along, level[sides.side], wall[sides.side])


def _first_pose(camera: Camera, sides: Sides, thing: FlatThing) -> Floats:
    flat = np.ascontiguousarray(rays(camera.parameters, sides.corners)[:, :2])
    count, turns, shifts, _ = cv2.solvePnPGeneric(
        sheet_corners(thing), flat.reshape(-1, 1, 2), np.eye(3), np.zeros(5), flags=cv2.SOLVEPNP_IPPE
    )
    for index in range(count):
        pose = np.concatenate([turns[index].ravel(), shifts[index].ravel()])
        if pose[5] > 0 and (-rotation_of(pose[:3]).T @ pose[3:])[2] > 0:
            return np.asarray(pose, dtype=np.float64)
    raise BadInput("reference-cannot-placed-space")


def _view(camera: Camera, solution: Solution, information: Floats, noise: float, seen: int) -> View:
    """With the thing's own form left open; and what of the covariance comes from that."""
    own = solution.jacobian[:, :_VIEW]
    as_published = inverse(own.T @ own + information[:_VIEW, :_VIEW])
    covariance = solution.covariance[:_VIEW, :_VIEW]
    pose = own[:, COUNT:]
    return View(
        camera, solution.parameters[:_VIEW], covariance, inverse(pose.T @ pose), noise, seen, seen,
        by_reference=covariance - as_published,
    )  # fmt: skip
