"""Bundle adjustment: camera, lens, the photos' poses and the cards' places on the board, solved together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np
from scipy.optimize import least_squares

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Whole
from inspect_kit.vision.board import tuning
from inspect_kit.vision.board.cards import SeenCard
from inspect_kit.vision.fitting.least_squares import inverse, robust_deviation
from inspect_kit.vision.optics.camera import COUNT, Camera, rays
from inspect_kit.vision.optics.pose import LEAST_NOISE, View, pixels_of, rotation_of, view_slopes

_ROUNDS: Final = 5
"""Times corners far off are left out and the rest is solved again."""


@dataclass(frozen=True)
class Bundle:
    """The solved views, on a frame whose z = 0 is the playing surface, with the joint covariance of all of them.

    The views' vectors (camera and pose) are parts of one `vector`; photos of one camera share its parameters.
    """

    vector: Floats
    covariance: Floats
    pose_covariance: Floats
    """Were the cameras known exactly."""
    slots: tuple[Whole, ...]
    """Which numbers of the vector make each photo's view, camera first."""
    cameras: tuple[Camera, ...]
    noise: float
    cards: int
    crossings: int
    quads: tuple[tuple[Floats, ...], ...] = field(repr=False, default=())
    """What cards cover, on the surface, photo by photo."""

    def view(self, photo: int, vector: Floats | None = None) -> View:
        """One photo's view, at the solution or at another vector."""
        slot = self.slots[photo]
        own = (self.vector if vector is None else vector)[slot]
        return View(self.cameras[photo], own, self.covariance[np.ix_(slot, slot)],
                    self.pose_covariance[np.ix_(slot[COUNT:], slot[COUNT:])], self.noise, self.crossings,
                    self.crossings)  # fmt: skip


_PLACE: Final = np.array([100.0, 100.0, 1.0])
"""mm and radians in which a card's place is solved, so that all unknowns are near one."""
_POSE: Final = np.array([1.0, 1.0, 1.0, 100.0, 100.0, 100.0])
"""The same of a photo's pose."""


@dataclass(frozen=True)
class _Problem:
    """Unknowns: whitened camera parameters a group, pose a photo, place and angle a card but the first."""

    cameras: tuple[Camera, ...]
    groups: tuple[int, ...]
    roots: tuple[Floats, ...]
    numbers: tuple[int, ...]
    seen: tuple[tuple[SeenCard, ...], ...]
    scale: float
    height: float

    @property
    def size(self) -> int:
        return COUNT * len(self.roots) + 6 * len(self.cameras) + 3 * len(self.numbers)

    def camera_at(self, photo: int) -> slice:
        start = COUNT * self.groups[photo]
        return slice(start, start + COUNT)

    def pose_at(self, photo: int) -> slice:
        start = COUNT * len(self.roots) + 6 * photo
        return slice(start, start + 6)

    def card_at(self, number: int) -> slice:
        start = COUNT * len(self.roots) + 6 * len(self.cameras) + 3 * self.numbers.index(number)
        return slice(start, start + 3)

    def view_vector(self, unknowns: Floats, photo: int) -> Floats:
        parameters = self.cameras[photo].parameters + self.roots[self.groups[photo]] @ unknowns[self.camera_at(photo)]
        pose = unknowns[self.pose_at(photo)] * _POSE
        return np.concatenate([parameters, pose])

    def places(self, unknowns: Floats, card: SeenCard) -> Floats:
        x, y, angle = unknowns[self.card_at(card.number)] * _PLACE
        return placed(card.sheet * self.scale, x, y, angle, self.height)

    def residuals(self, unknowns: Floats) -> Floats:
        parts = [unknowns[: COUNT * len(self.roots)], self._gauge(unknowns)]
        for photo, cards in enumerate(self.seen):
            vector = self.view_vector(unknowns, photo)
            points = np.concatenate([self.places(unknowns, card) for card in cards])
            image = np.concatenate([card.image for card in cards])
            parts.append((pixels_of(vector, points) - image).ravel())
        return np.concatenate(parts)

    def _gauge(self, unknowns: Floats) -> Floats:
        """The first card lies at the origin."""
        return unknowns[self.card_at(self.numbers[0])] * 1e4

    def jacobian(self, unknowns: Floats) -> Floats:
        """How every residual moves with every unknown."""
        priors = COUNT * len(self.roots)
        count = 2 * sum(len(card.sheet) for cards in self.seen for card in cards)
        table = np.zeros((priors + 3 + count, self.size))
        table[:priors, :priors] = np.eye(priors)
        table[priors : priors + 3, self.card_at(self.numbers[0])] = 1e4 * np.eye(3)
        row = priors + 3
        for photo, cards in enumerate(self.seen):
            vector = self.view_vector(unknowns, photo)
            for card in cards:
                rows = slice(row, row + 2 * len(card.sheet))
                self._card_slopes(table[rows], unknowns, vector, (photo, card))
                row = rows.stop
        return table

    def _card_slopes(self, rows: Floats, unknowns: Floats, vector: Floats, which: tuple[int, SeenCard]) -> None:
        """One card's rows in one photo: by the camera, the pose, and the card's place and angle."""
        photo, card = which
        points = self.places(unknowns, card)
        slopes = view_slopes(vector, points)
        x, y, _ = unknowns[self.card_at(card.number)] * _PLACE
        by_place = slopes[:, :, COUNT + 3 :] @ rotation_of(vector[COUNT : COUNT + 3])[:, :2]
        turned = np.column_stack([y - points[:, 1], points[:, 0] - x])
        by_angle = np.einsum("nij,nj->ni", by_place, turned)[:, :, None]
        rows[:, self.camera_at(photo)] = (slopes[:, :, :COUNT] @ self.roots[self.groups[photo]]).reshape(-1, COUNT)
        rows[:, self.pose_at(photo)] = (slopes[:, :, COUNT:] * _POSE).reshape(-1, 6)
        rows[:, self.card_at(card.number)] = (np.concatenate([by_place, by_angle], axis=2) * _PLACE).reshape(-1, 3)


def placed(sheet: Floats, x: float, y: float, angle: float, height: float) -> Floats:
    """Points of a card as they lie on the board."""
    c, s = np.cos(angle), np.sin(angle)
    return np.column_stack([x + c * sheet[:, 0] - s * sheet[:, 1], y + s * sheet[:, 0] + c * sheet[:, 1],
                            np.full(len(sheet), height)])  # fmt: skip


def solve_bundle(cameras: Sequence[Camera], seen: Sequence[tuple[SeenCard, ...]], scale: float,
                 height: float = tuning.CARD_THICKNESS) -> Bundle:  # fmt: skip
    """The views of all photos from the cards seen in them."""
    groups, roots = _groups(cameras)
    first = max(seen[0], key=lambda card: len(card.sheet)).number
    numbers = sorted({card.number for cards in seen for card in cards}, key=lambda number: (number != first, number))
    problem = _Problem(tuple(cameras), groups, roots, tuple(numbers), tuple(seen), scale, height)
    unknowns = _start(problem)
    noise = before = 0.1
    for _ in range(_ROUNDS):
        unknowns, jacobian, residuals = _solved(problem, unknowns, noise)
        before, noise = noise, _noise(problem, residuals)
        smaller = _without_outliers(problem, residuals, noise)
        if smaller is problem and abs(noise / before - 1) < 0.1:
            break
        problem = smaller
    # The noise of the last round hardly differs from the one it was solved with.
    return _bundle(problem, unknowns, jacobian * (before / noise), noise)


def _groups(cameras: Sequence[Camera]) -> tuple[tuple[int, ...], tuple[Floats, ...]]:
    """Photos whose cameras are the same share one set of parameters."""
    firsts: list[Camera] = []
    groups = []
    for camera in cameras:
        same = [index for index, other in enumerate(firsts) if np.array_equal(other.parameters, camera.parameters)]
        if not same:
            firsts.append(camera)
        groups.append(same[0] if same else len(firsts) - 1)
    return tuple(groups), tuple(_root(camera.covariance) for camera in firsts)


def _root(covariance: Floats) -> Floats:
    """A matrix L with L Lᵀ = covariance."""
    size = np.sqrt(np.maximum(np.diag(covariance), 1e-24))
    values, vectors = np.linalg.eigh(covariance / np.outer(size, size))
    return np.asarray(size[:, None] * vectors * np.sqrt(np.maximum(values, 1e-12)), dtype=np.float64)


def _solved(problem: _Problem, start: Floats, noise: float) -> tuple[Floats, Floats, Floats]:
    priors = COUNT * len(problem.roots) + 3
    weights = np.ones(priors + 2 * sum(len(card.sheet) for cards in problem.seen for card in cards))
    weights[priors:] = 1 / noise

    def weighted(at: Floats) -> Floats:
        return problem.residuals(at) * weights

    def slopes(at: Floats) -> Floats:
        return problem.jacobian(at) * weights[:, None]

    answer = least_squares(
        weighted, start, jac=slopes, tr_solver="exact", xtol=1e-9, ftol=1e-9, gtol=1e-9, max_nfev=200
    )
    return answer.x, np.asarray(answer.jac, dtype=np.float64), problem.residuals(answer.x)[priors:]


def _noise(problem: _Problem, residuals: Floats) -> float:
    free = max(len(residuals) - problem.size, 4)
    plain = float(np.sqrt((residuals**2).sum() / free))
    robust = robust_deviation(residuals) * float(np.sqrt(len(residuals) / free))
    return max(LEAST_NOISE, min(plain, 1.5 * robust))


def _without_outliers(problem: _Problem, residuals: Floats, noise: float) -> _Problem:
    away = np.hypot(*residuals.reshape(-1, 2).T)
    good = away < max(tuning.CUT * noise, 0.3)
    if good.all():
        return problem
    seen, start = [], 0
    for cards in problem.seen:
        kept = []
        for card in cards:
            own = good[start : start + len(card.sheet)]
            start += len(card.sheet)
            # A card is kept as long as any corner is: its place must stay determined.
            if own.sum() >= 3 or card.number == problem.numbers[0]:
                chosen = own if own.sum() >= 3 else np.ones_like(own)
                kept.append(SeenCard(card.number, card.sheet[chosen], card.image[chosen], card.corners))
        seen.append(tuple(kept))
    left = {card.number for cards in seen for card in cards}
    if left != set(problem.numbers) or not all(seen):
        return problem
    return replace(problem, seen=tuple(seen))


def _bundle(problem: _Problem, unknowns: Floats, jacobian: Floats, noise: float) -> Bundle:
    """Covariance of camera and poses in their own units."""
    count = len(problem.cameras)
    keep = COUNT * len(problem.roots) + 6 * count
    full = inverse(jacobian.T @ jacobian)
    cards_and_poses = slice(COUNT * len(problem.roots), None)
    fixed = np.zeros_like(full)
    poses = jacobian[:, cards_and_poses]
    fixed[cards_and_poses, cards_and_poses] = inverse(poses.T @ poses)
    change = np.zeros((keep, keep))
    for group, root in enumerate(problem.roots):
        part = slice(COUNT * group, COUNT * (group + 1))
        change[part, part] = root
    for photo in range(count):
        part = problem.pose_at(photo)
        change[part, part] = np.diag(_POSE)
    vector = np.zeros(keep)
    slots = []
    for photo in range(count):
        whole = np.arange(keep)
        slot = np.concatenate([whole[problem.camera_at(photo)], whole[problem.pose_at(photo)]])
        vector[slot] = problem.view_vector(unknowns, photo)
        slots.append(slot)
    quads = tuple(tuple(_paper(problem, unknowns, number) for number in problem.numbers) for _ in range(count))
    crossings = sum(len(card.sheet) for cards in problem.seen for card in cards)
    return Bundle(vector, change @ full[:keep, :keep] @ change.T, change @ fixed[:keep, :keep] @ change.T, tuple(slots),
                  problem.cameras, noise, len(problem.numbers), crossings, quads)  # fmt: skip


def _paper(problem: _Problem, unknowns: Floats, number: int) -> Floats:
    x, y, angle = unknowns[problem.card_at(number)] * _PLACE
    half = np.array([[-74, 52.5], [74, 52.5], [74, -52.5], [-74, -52.5]]) * problem.scale
    return placed(half, x, y, angle, 0.0)[:, :2]


# ------------------------------------------------------------------------------------------------------- first guesses


def _start(problem: _Problem) -> Floats:
    """Photo by photo: the pose from the cards already placed, then the places of the cards that are new."""
    unknowns = np.zeros(problem.size)
    known = {problem.numbers[0]}
    waiting = list(range(len(problem.seen)))
    while waiting:
        ready = [photo for photo in waiting if any(card.number in known for card in problem.seen[photo])]
        if not ready:
            raise BadInput("photos-show-no-card-common")
        photo = ready[0]
        waiting.remove(photo)
        _place_photo(problem, unknowns, photo, known)
    return unknowns


def _place_photo(problem: _Problem, unknowns: Floats, photo: int, known: set[int]) -> None:
    """Of all poses that single cards allow, the one whose cards come out at their true size."""
    cards = [card for card in problem.seen[photo] if card.number in known]
    best, least = None, np.inf
    for pose in _poses(problem, unknowns, photo, cards):
        misfit = sum(_misfit(problem, photo, pose, card) for card in problem.seen[photo])
        if misfit < least:
            best, least = pose, misfit
    if best is None:
        raise BadInput("cards-cannot-placed-space")
    unknowns[problem.pose_at(photo)] = best / _POSE
    for card in problem.seen[photo]:
        if card.number not in known:
            place = _similar(card.sheet * problem.scale, _back(problem, photo, best, card))[:3]
            unknowns[problem.card_at(card.number)] = np.array(place) / _PLACE
            known.add(card.number)


def _poses(problem: _Problem, unknowns: Floats, photo: int, cards: Sequence[SeenCard]) -> list[Floats]:
    poses = []
    together = [np.concatenate([problem.places(unknowns, card) for card in cards])] if len(cards) > 1 else []
    images = [np.concatenate([card.image for card in cards])] if len(cards) > 1 else []
    together += [problem.places(unknowns, card) for card in cards]
    images += [card.image for card in cards]
    for points, image in zip(together, images, strict=True):
        flat = rays(problem.cameras[photo].parameters, image)[:, :2]
        middle = points.mean(axis=0)
        count, turns, shifts, _ = cv2.solvePnPGeneric(
            np.ascontiguousarray(points - middle),
            np.ascontiguousarray(flat).reshape(-1, 1, 2),
            np.eye(3),
            np.zeros(5),
            flags=cv2.SOLVEPNP_IPPE,
        )
        for index in range(count):
            turn, shift = (np.asarray(each[index], dtype=np.float64).ravel() for each in (turns, shifts))
            moved = shift - rotation_of(turn) @ middle
            if shift[2] > 0:
                poses.append(np.concatenate([turn, moved]))
    return poses


def _back(problem: _Problem, photo: int, pose: Floats, card: SeenCard) -> Floats:
    vector = np.concatenate([problem.cameras[photo].parameters, pose])
    view = View(problem.cameras[photo], vector, np.zeros((15, 15)), np.zeros((6, 6)), 1.0, 0, 0)
    return view.on_plane(card.image, problem.height)


def _misfit(problem: _Problem, photo: int, pose: Floats, card: SeenCard) -> float:
    """How far the card, laid on the surface as this pose sees it, is from its own shape and size."""
    return _similar(card.sheet * problem.scale, _back(problem, photo, pose, card))[3]


def _similar(sheet: Floats, seen: Floats) -> tuple[float, float, float, float]:
    """Place and angle of a card among points of the surface, and what is left over (mm²)."""
    centre, middle = sheet.mean(axis=0), seen.mean(axis=0)
    a, b = sheet - centre, seen - middle
    angle = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, -s], [s, c]])
    left = b - a @ turn.T
    place = middle - turn @ centre
    return float(place[0]), float(place[1]), angle, float((left**2).sum())
