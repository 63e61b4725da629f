"""A known coin among the pieces as the reference: found by its looks, and the view from the outlines of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.disc import tuning
from inspect_kit.vision.disc.find import Candidate, find_circles
from inspect_kit.vision.disc.fit import Disc, Shape
from inspect_kit.vision.disc.solid import Solid, elevations, outline, surface_slopes
from inspect_kit.vision.fitting.least_squares import Solution, inverse, robust_deviation, solve
from inspect_kit.vision.optics.camera import COUNT, Camera
from inspect_kit.vision.optics.pose import Known, View, pixels_of, rotation_of, view_scale, view_slopes
from inspect_kit.vision.reference.everyday import (
    ANY_COIN_THICKNESS,
    COIN_HEIGHT_SPREAD,
    COIN_SPREAD,
    COINS,
    EURO_COINS,
    KnownCoin,
    Metal,
)
from inspect_kit.vision.reference.rectangle_view import apart

_VIEW: Final = COUNT + 6
"""Numbers of a view: the camera's own, and six for where it stood and looked."""
_OWN: Final = 6
"""Numbers of one disc: place, radius, how high on its wall the near side's edge is seen, and two for its squash."""
_SCALES: Final = np.geomspace(0.8, 1.25, 91)
"""Times as large that coins are taken for, to see whether their sizes fit elsewhere."""
_CELL: Final = 6.0
"""mm around outlines in which light and dark are told."""


def first_view(camera: Camera, across: float) -> View:
    """From straight above, with so many mm along the picture's longer side."""
    height = camera.focal * across / max(camera.width, camera.height)
    vector = np.concatenate([camera.parameters, [np.pi, 0.0, 0.0, 0.0, 0.0, height]])
    nothing = np.zeros((_VIEW, _VIEW))
    return View(camera, vector, nothing, nothing[COUNT:, COUNT:], 0.1, 0, 0)


def picture_plane(camera: Camera, view: View) -> Known:
    """The picture's border on the plane: pieces are looked for everywhere."""
    x, y = camera.width - 1.0, camera.height - 1.0
    image = np.array([[0.0, 0.0], [x, 0.0], [x, y], [0.0, y]])
    return Known(np.column_stack([view.on_plane(image), np.zeros(4)]), image, _CELL)


FIRST_SHAPE: Final = Shape(0.2, 0.05, 0.1, 0.05)
"""Flat, as long as nothing is known of the scale; mm."""


# --------------------------------------------------------------------------------------------------- which one it is


def known_coin(name: str, diameter: float) -> KnownCoin:
    """The coin by its name, or one of which only the diameter is known."""
    return COINS.get(name) or KnownCoin(f"{diameter:g} mm", diameter, ANY_COIN_THICKNESS, Metal.ANY)


@dataclass(frozen=True)
class SeenCircle:
    """A circle in the photo: radius in mm of the scale that is tried, middle and outline in pixels."""

    radius: float
    centre: Floats
    outline: Floats


def circles_in(pixels: Pixels, camera: Camera, across: float, largest: float) -> list[SeenCircle]:
    """Clear circles that do not lie in one another, the larger first, with so many mm along the longer side."""
    view = first_view(camera, across)
    around = picture_plane(camera, view).sheet[:, :2]
    found = find_circles(pixels, view, around, FIRST_SHAPE.thickness, (tuning.SMALLEST_COIN / 2, largest / 2))
    kept: list[Candidate] = []
    for each in sorted(found, key=lambda candidate: -candidate.radius):
        whole = each.support >= tuning.CLEAR and each.visible >= 1
        if whole and all(np.hypot(each.x - other.x, each.y - other.y) > 0.9 * other.radius for other in kept):
            kept.append(each)
    turns = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    solids = (Solid(each.x, each.y, each.radius, FIRST_SHAPE.thickness, FIRST_SHAPE.rim) for each in kept)
    return [
        SeenCircle(solid.radius, view.pixels(solid.centre[None])[0], view.pixels(outline(solid, view.centre, turns)))
        for solid in solids
    ]


def which(pixels: Pixels, discs: Sequence[SeenCircle], coin: KnownCoin) -> int | None:
    """Which of the discs is the coin, if that is certain; at about the right scale it has about its size."""
    near = [i for i, disc in enumerate(discs) if abs(2 * disc.radius / coin.diameter - 1) < tuning.COIN_SIZE]
    if len(discs) < tuning.LEAST_DISCS or not near:
        return None
    if coin.metal is Metal.ANY:
        return _odd_one(discs)
    yellower = np.array([_yellower(pixels, disc) for disc in discs])
    if coin.metal in (Metal.SILVER_AROUND_GOLD, Metal.GOLD_AROUND_SILVER):
        found = _of_two_metals(yellower if coin.metal is Metal.SILVER_AROUND_GOLD else -yellower)
        return found if found in near else None
    return _by_company(discs, coin, [i for i in near if abs(yellower[i]) < tuning.TWO_METALS])


def _of_two_metals(contrast: Floats) -> int | None:
    """The one whose ring is of another metal than its middle, by far more than all others'."""
    order = np.argsort(-contrast)
    first, second = float(contrast[order[0]]), float(contrast[order[1]])
    clear = first > tuning.TWO_METALS and first > tuning.FAR_MORE * second
    return int(order[0]) if clear else None


def _yellower(pixels: Pixels, disc: SeenCircle) -> float:
    """CIELAB b* by which the middle is yellower than the ring: tells coins of two metals in any light."""
    middle, ring = (_colour(pixels, disc, *zone) for zone in (tuning.COIN_MIDDLE, tuning.COIN_RING))
    return float(middle[2] - ring[2])


def _colour(pixels: Pixels, disc: SeenCircle, inner: float, outer: float) -> Floats:
    """Median colour (CIELAB) of a ring of the disc's face, by shares of its radius."""
    turns = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    around = disc.outline[np.linspace(0, len(disc.outline) - 1, len(turns)).astype(int)] - disc.centre
    points = np.concatenate([disc.centre + share * around for share in np.linspace(inner, outer, 9)])
    x = np.clip(points[:, 0].round().astype(int), 0, pixels.shape[1] - 1)
    y = np.clip(points[:, 1].round().astype(int), 0, pixels.shape[0] - 1)
    lab = cv2.cvtColor((pixels[y, x][None] / 255).astype(np.float32), cv2.COLOR_RGB2LAB)[0]
    return np.asarray(np.median(lab, axis=0), dtype=np.float64)


def _odd_one(discs: Sequence[SeenCircle]) -> int | None:
    """Among pieces of one size the one of another size."""
    sizes = np.array([disc.radius for disc in discs])
    away = np.abs(sizes / np.median(sizes) - 1)
    odd = int(away.argmax())
    clear = len(discs) > tuning.LEAST_DISCS and away[odd] > tuning.ODD
    return odd if clear and np.delete(away, odd).max() < tuning.ODD / 2 else None


def _by_company(discs: Sequence[SeenCircle], coin: KnownCoin, candidates: Sequence[int]) -> int | None:
    """Among euro coins the one beside which all others have the size of a euro coin, if at no other scale they have:
    sizes of euro coins lie close together, and the coin may not be there at all."""
    if coin not in EURO_COINS or len(discs) <= tuning.LEAST_DISCS or not candidates:
        return None
    misfits = np.array([_misfits(discs, coin, index) for index in candidates])
    best = int(misfits[:, 0].argmin())
    own, elsewhere = misfits[best]
    return candidates[best] if own < tuning.EURO_MISFIT and elsewhere > tuning.EURO_CLEAR * own else None


def _misfits(discs: Sequence[SeenCircle], coin: KnownCoin, index: int) -> tuple[float, float]:
    """mm by which the discs miss the sizes of euro coins, root mean square, if this one is the coin; and the least that
    they miss them by at another scale."""
    sizes = np.array([disc.radius for disc in discs]) * coin.diameter / discs[index].radius
    misses = np.abs(sizes[:, None, None] * _SCALES[:, None] - [each.diameter for each in EURO_COINS]).min(axis=2)
    curve = np.sqrt((misses**2).mean(axis=0)) + tuning.EURO_NOISE
    other = np.abs(np.log(_SCALES)) > tuning.SAME_SCALE
    return float(curve[~other].min()), float(curve[other].min())


def no_coin() -> BadInput:
    """It is not there, or not told from the pieces."""
    return BadInput("coin-not-told")


# -------------------------------------------------------------------------------------------------- the view from it


@dataclass(frozen=True)
class _Drawn:
    """One disc as a view has it: which points are its own, where its outline is drawn, and how that moves with the
    disc's own numbers."""

    here: Mask
    points: Floats
    by_own: Floats


@dataclass(frozen=True)
class _Outlines:
    """Points of the discs' outlines in the photo, by disc, with the azimuth of each and the outline's normal there."""

    image: Floats
    normals: Floats
    azimuths: Floats
    disc: Floats
    heights: Floats
    """Thickness of each disc, mm."""
    noise: float

    def __call__(self, at: Floats, /) -> Floats:
        away = np.zeros(len(self.image))
        for each in self._drawn(at):
            beside = pixels_of(at[:_VIEW], each.points) - self.image[each.here]
            away[each.here] = (beside * self.normals[each.here]).sum(axis=1)
        return away / self.noise

    def slopes(self, at: Floats, /) -> Floats:
        """By camera, pose and the discs' own numbers."""
        table = np.zeros((len(self.image), len(at)))
        for number, each in enumerate(self._drawn(at)):
            by_view = np.einsum("nij,ni->nj", view_slopes(at[:_VIEW], each.points), self.normals[each.here])
            by_place = by_view[:, COUNT + 3 :] @ rotation_of(at[COUNT : COUNT + 3])
            table[each.here, :_VIEW] = by_view
            table[each.here, _own(number)] = np.einsum("nj,njk->nk", by_place, each.by_own)
        return table / self.noise

    def _drawn(self, at: Floats) -> Iterator[_Drawn]:
        """A wall that is as dark as its ground, or gleams like it, hides the foot: the edge is seen above it. A lamp at
        the side moves the rim on one side, so that the circle looks squashed."""
        centre = -rotation_of(at[COUNT : COUNT + 3]).T @ at[COUNT + 3 : _VIEW]
        for number, own in enumerate(at[_VIEW:].reshape(-1, _OWN)):
            here, height = self.disc == number, float(self.heights[number])
            around = self.azimuths[here]
            solid = Solid(own[0], own[1], own[2], height, min(tuning.COIN_RIM, height / 2))
            _, near = elevations(solid, centre, around)
            by_own = np.zeros((len(around), 3, _OWN))
            by_own[:, :, :3] = surface_slopes(solid, centre, around)[:, :, :3]
            by_own[:, 2, 3] = near
            by_own[:, :, 4] = by_own[:, :, 2] * np.cos(2 * around)[:, None]
            by_own[:, :, 5] = by_own[:, :, 2] * np.sin(2 * around)[:, None]
            yield _Drawn(here, outline(solid, centre, around) + by_own[:, :, 3:] @ own[3:], by_own)


def _own(number: int) -> slice:
    """Where one disc's own numbers stand among all."""
    return slice(_VIEW + _OWN * number, _VIEW + _OWN * (number + 1))


@dataclass(frozen=True)
class CoinScene:
    """Discs in a photo as a first view sees them, which of them is the coin, and how thick the others are with the
    standard uncertainty of that, mm."""

    start: View
    discs: Sequence[Disc]
    index: int
    coin: KnownCoin
    height: tuple[float, float]

    @property
    def heights(self) -> Floats:
        """Thickness of each disc, mm."""
        table = np.full(len(self.discs), self.height[0])
        table[self.index] = self.coin.thickness
        return table


@dataclass(frozen=True)
class _Trial:
    """All outlines fitted together from one first guess."""

    view: View
    solution: Solution
    outlines: _Outlines
    information: Floats
    cost: float


def coin_view(camera: Camera, scene: CoinScene) -> tuple[View, Known, tuple[Disc, ...]]:
    """Camera and pose in mm, and the discs but the coin. From one side and the other circles look alike: both readings
    are carried."""
    trials = [_fitted(camera, scene, lean) for lean in tuning.LEANS]
    costs = np.array([trial.cost for trial in trials])
    shares = np.exp((costs.min() - costs) / 2)
    best = trials[int(costs.argmin())]
    covariance = best.view.covariance.copy()
    for trial, share in zip(trials, shares / shares.sum(), strict=True):
        other = apart(trial.view.vector, best.view.vector)
        covariance += share * np.outer(other, other)
    image = best.outlines.image
    flat = np.column_stack([best.view.on_plane(image), np.zeros(len(image))])
    others = (number for number in range(len(scene.discs)) if number != scene.index)
    discs = tuple(_fitted_disc(best, scene, number) for number in others)
    return replace(best.view, covariance=covariance), Known(flat, image, _CELL), discs


def _fitted_disc(trial: _Trial, scene: CoinScene, number: int) -> Disc:
    """A disc as all outlines together have it: what is open of it where the view is known, and what the view adds."""
    own, sketch = _own(number), scene.discs[number]
    slopes = trial.solution.jacobian[:, own]
    gain = inverse(slopes.T @ slopes + trial.information[own, own])
    x, y, radius, _, *squash = (float(each) for each in trial.solution.parameters[own])
    height, u_height = scene.height
    solid, view = Solid(x, y, radius, height, 0.0), trial.view
    here = trial.outlines.disc == number
    resolution = view.resolution(solid.centre)
    around = trial.outlines.azimuths[here]
    # Whether light squashed the outline or the piece is oval, nobody knows: to its roundness it counts.
    oval = np.column_stack([np.cos(2 * around), np.sin(2 * around)]) @ squash
    left = np.full(len(sketch.azimuths), np.nan)
    left[np.isin(sketch.azimuths, around)] = oval - trial.solution.residuals[here] * trial.outlines.noise / resolution
    # Light and shadow move this edge as they move the coin's.
    edge = gain[2, 2] ** 0.5, sketch.edge * radius / sketch.solid.radius, COIN_SPREAD / 2
    return replace(
        sketch,
        solid=solid,
        edge=float(np.linalg.norm(edge)),
        by_thickness=-radius * u_height / float(view.centre[2] - height),
        by_view=-(gain @ slopes.T @ trial.solution.jacobian[:, :_VIEW])[2],
        resolution=resolution,
        deviations=left,
        centre=view.pixels(solid.centre[None])[0],
    )


def _fitted(camera: Camera, scene: CoinScene, lean: tuple[float, float]) -> _Trial:
    mean, outlines = _first_guess(camera, scene)
    at = mean.copy()
    at[COUNT : COUNT + 3] = _leaning(mean[COUNT : COUNT + 3], lean)
    information, sizes = _prior(camera, mean, scene), _sizes(camera, len(scene.discs))
    alike = max(len(outlines.image) / (tuning.COIN_FREEDOM * len(scene.discs)), 1.0)
    for _ in range(2):
        solution = solve(outlines, at, sizes, information, mean)
        at = solution.parameters
        noise = max(tuning.LEAST_COIN_NOISE, robust_deviation(solution.residuals) * outlines.noise)
        # Neighbours err alike.
        outlines = replace(outlines, noise=noise * alike**0.5)
    solution = solve(outlines, at, sizes, information, mean)
    pull = solution.parameters - mean
    misfit = float(solution.residuals @ solution.residuals + pull @ information @ pull)
    cost = misfit + 2 * tuning.COIN_FREEDOM * len(scene.discs) * float(np.log(noise))
    view = _view(camera, solution, information, (scene.index, noise))
    return _Trial(view, solution, outlines, information, cost)


def _first_guess(camera: Camera, scene: CoinScene) -> tuple[Floats, _Outlines]:
    scale = scene.coin.diameter / (2 * scene.discs[scene.index].solid.radius)
    places = [[disc.solid.x * scale, disc.solid.y * scale, disc.solid.radius * scale] for disc in scene.discs]
    own = np.column_stack([places, scene.heights / 2, np.zeros((len(places), 2))])
    pose = scene.start.vector[COUNT:] * [1, 1, 1, scale, scale, scale]
    # The coin's upper rim lies above the plane that the first view looks at.
    pose[5] += scene.coin.thickness
    mean = np.concatenate([camera.parameters, pose, own.ravel()])
    return mean, _points(scene.start, scene.discs, scene.heights)


def _view(camera: Camera, solution: Solution, information: Floats, coin: tuple[int, float]) -> View:
    """With the coin's size left open as far as it is; and what of the covariance comes from that."""
    index, noise = coin
    jacobian = solution.jacobian.T @ solution.jacobian
    radius = _own(index).start + 2
    exact = information.copy()
    exact[radius, radius] = 1e8
    covariance = solution.covariance[:_VIEW, :_VIEW]
    certain = inverse(jacobian + exact)[:_VIEW, :_VIEW]
    exact[:COUNT, :COUNT] = np.diag(1e12 / view_scale(camera)[:COUNT] ** 2)
    pose = inverse(jacobian + exact)[COUNT:_VIEW, COUNT:_VIEW]
    seen = len(solution.residuals)
    return View(
        camera, solution.parameters[:_VIEW], covariance, pose, noise, seen, seen, by_reference=covariance - certain
    )


def _leaning(turn: Floats, lean: tuple[float, float]) -> Floats:
    first, second = rotation_of(np.array([lean[0], lean[1], 0.0])), rotation_of(turn)
    found, _ = cv2.Rodrigues(first @ second)
    back = found.ravel()
    angle = float(np.linalg.norm(back))
    other = back * (1 - 2 * np.pi / max(angle, 1e-9))
    return np.asarray(min((back, other), key=lambda each: float(np.linalg.norm(each - turn))), dtype=np.float64)


def _points(start: View, discs: Sequence[Disc], heights: Floats) -> _Outlines:
    """The edges that were seen, thinned to about as many of each disc."""
    image, normals, azimuths, owner = [], [], [], []
    for number, disc in enumerate(discs):
        seen = np.nonzero(np.isfinite(disc.deviations))[0]
        seen = seen[:: max(1, len(seen) // tuning.COIN_POINTS)]
        solid, around = disc.solid, disc.azimuths[seen]
        reach = solid.radius - disc.relief + disc.deviations[seen]
        place = np.column_stack([solid.x + reach * np.cos(around), solid.y + reach * np.sin(around)])
        points = start.pixels(np.column_stack([place, np.full(len(seen), solid.thickness)]))
        outward = points - disc.centre
        image.append(points)
        normals.append(outward / np.linalg.norm(outward, axis=1, keepdims=True))
        azimuths.append(around)
        owner.append(np.full(len(seen), float(number)))
    return _Outlines(
        np.concatenate(image), np.concatenate(normals), np.concatenate(azimuths), np.concatenate(owner), heights, 1.0
    )


def _prior(camera: Camera, mean: Floats, scene: CoinScene) -> Floats:
    """The camera as far as it is known, held about level, as people hold it; where the frame lies is a matter of
    choice, so it is fixed at the coin and along the picture."""
    standard = np.full(len(mean), np.inf)
    distance = max(float(mean[COUNT + 5]), 50.0)
    standard[COUNT : COUNT + 3] = tuning.LEVEL
    standard[_VIEW + 3 :: _OWN] = scene.heights / 2
    standard[_VIEW + 4 :: _OWN] = standard[_VIEW + 5 :: _OWN] = COIN_SPREAD / 2
    own = COIN_SPREAD / 2, scene.discs[scene.index].edge, COIN_HEIGHT_SPREAD * scene.coin.diameter / 2 / distance
    standard[_own(scene.index)][:3] = 0.01, 0.01, np.linalg.norm(own)
    information = np.diag(np.where(np.isfinite(standard), standard, 1e9) ** -2.0)
    information[:COUNT, :COUNT] = inverse(camera.covariance)
    return information


def _sizes(camera: Camera, count: int) -> Floats:
    return np.concatenate([view_scale(camera), np.full(_OWN * count, 10.0)])
