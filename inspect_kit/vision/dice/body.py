"""The square around the pips: one colour inside, and straight sides at the same distance from the middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Mask, Whole

REACH: Final = 3.4
"""Half edges around the middle of a face that are looked at."""
_FINE: Final = 14
"""Samples a half edge."""
_SIDE: Final = round(2 * REACH * _FINE) + 1
"""Samples of a side of the patch."""
_STEPS: Final = (np.arange(_SIDE) - _SIDE // 2) / _FINE
"""Half edges: where the samples lie."""
_ACROSS, _DOWN = np.meshgrid(_STEPS.astype(np.float32), _STEPS.astype(np.float32))
_PLANE: Final = np.stack([_ACROSS, _DOWN, np.ones_like(_ACROSS)], axis=2)
"""What a sloping light is the sum of, at every sample."""
_FACE: Final = np.maximum(np.abs(_ACROSS), np.abs(_DOWN)) < 1.1
"""Samples within the square of corner pips."""
_NEAR: Final = np.hypot(_ACROSS, _DOWN) < 1.0
"""Samples around a lone pip."""

_RAYS: Final = 72
"""Directions in which a body's end is looked for."""
_ANGLES: Final = np.arange(_RAYS) * 2 * np.pi / _RAYS
"""Those directions, radians."""
_STEP: Final = 0.5 / _FINE
"""Half edges between the samples of a ray."""
_DISTANCES: Final = np.arange(0.5, REACH - 0.05, _STEP)
"""Half edges from the middle: the samples of a ray."""
_OUTSIDE: Final = (1.15, 1.45)
"""Between which shares of the way to a side what is beyond it is looked at."""
_AT_X: Final = np.round(_SIDE // 2 + _FINE * np.outer(np.cos(_ANGLES), _DISTANCES)).astype(int)
"""Columns of the rays' samples."""
_AT_Y: Final = np.round(_SIDE // 2 + _FINE * np.outer(np.sin(_ANGLES), _DISTANCES)).astype(int)
"""Rows of the rays' samples."""
_CORNER: Final = np.radians(33)
"""Rays that lean more than this from a side's normal meet the rounded corner."""
_HALF_EDGES: Final = np.arange(1.15, 2.9, 0.04)
"""Half the edge of a die over half the distance between its corner pips."""
_BLUR: Final = 2.8
"""Pixels beyond a pip's outline that still show it."""
_LEAST_SEEN: Final = 20
"""Samples of a face that must be seen to tell its light."""
_THROUGH: Final = (0.1, 0.72)
"""How far from the body's colour to the pips' what shows through a clear die may be."""
_ASIDE: Final = 0.3
"""Share of the pips' contrast that it may be off that way."""
_LARGEST_FAR_PIP: Final = 2.5
"""Area of what shows through over a pip's, at most: two far pips may run together."""
_SHOWN: Final = 0.015
"""Share of a face that shows through, from which on a die may be clear."""
_SLACK: Final = 0.13
"""Share of the half edge by which a ray may end early or late."""
_ROUND: Final = 0.8
"""Share more at corners, which are rounded."""
_TURNS: Final = np.radians(np.arange(0, 90, 5))
"""Turns of a square that are tried around a lone pip."""
_LEANS: Final = (_ANGLES - _TURNS[:, None] + np.pi / 4) % (np.pi / 2) - np.pi / 4
"""Radians between each ray and the nearest side's normal, for every turn."""
_UPRIGHT: Final = np.cos(_LEANS)
_SHORT: Final = _SLACK + _ROUND * (1 - _UPRIGHT)
"""A face whose corners a ball has cut is rounder than a square, so that rays towards its corners end earlier."""
_LATEST: Final = ((1 + _SLACK) * _HALF_EDGES).astype(np.float32)[None, :, None]
"""Half edges beyond which a ray has missed the side, for every size tried."""
_EARLIEST: Final = ((1 - _SHORT[:, None, :]) * _HALF_EDGES[None, :, None]).astype(np.float32)
"""Where rays that meet a square of each half edge end, measured across its side: turns × half edges × rays."""
_SIDES: Final = np.floor((_ANGLES - _TURNS[:, None] + np.pi / 4) / (np.pi / 2)).astype(int) % 4
"""The side each ray meets, for every turn."""
_ON: Final = ((np.abs(_LEANS) < _CORNER)[:, :, None] & (_SIDES[:, :, None] == np.arange(4))).astype(np.float32)
"""Which rays count for which side."""
_SHARES: Final = _ON / _ON.sum(axis=1, keepdims=True)
"""For each turn what a ray counts for each side."""
_TIE: Final = 0.15
"""Support, of five, by which turns of a square differ that serve alike."""
_CLEARLY: Final = 4.6
"""Support, of about five, from which on a body is beyond doubt."""
_WHOLE: Final = 0.92
"""Share of a face of one colour beyond which more says nothing."""
_WIDE_LIMIT_WEIGHT: Final = 0.95
"""Weight of a body found with the wide limit, over that of one found with the narrow one."""
_SHOWING_THROUGH: Final = 0.36
"""Share of the pips' contrast that shows through the body of a clear die at most: so far may a face's colour stray."""
LEAST_UNIFORM: Final = 0.7
"""Share of a face that has one colour, up to which it counts nothing."""


@dataclass(frozen=True)
class Layers:
    """The picture's colours (CIE Lab as stored in bytes), each layer half the size of the one before."""

    levels: tuple[AnyArray, ...]

    def patch(self, centre: Floats, frame: Floats) -> tuple[AnyArray, float]:
        """The picture around a face, set straight at `_FINE` pixels a unit; and how far an edge is blurred there."""
        scale = float(np.sqrt(abs(np.linalg.det(frame)))) / _FINE
        level = int(np.clip(np.floor(np.log2(max(scale, 1.0)) + 0.3), 0, len(self.levels) - 1))
        picture, factor = self.levels[level], 0.5**level
        linear = frame / _FINE * factor
        origin = (centre + 0.5) * factor - 0.5 - linear @ np.full(2, _SIDE // 2)
        straight = cv2.warpAffine(picture, np.column_stack([linear, origin]), (_SIDE, _SIDE),
                                  flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_CONSTANT,
                                  borderValue=(0.0, 255.0, 255.0))  # fmt: skip
        return np.asarray(straight), _BLUR / (scale * _FINE * factor)


@dataclass(frozen=True)
class Square:
    """How a face's surroundings look: half edge and turn in the frame, and what speaks for a die."""

    half_edge: float
    turn: float
    uniform: float
    """Share of the face, pips left out, that has one colour."""
    sides: Floats
    """Share of each of the four sides that is seen where it should be."""
    colour: Floats
    ground: float = 1.0
    """Share of what is beyond the sides of a lone pip's face that has another colour; a drawn line has the same."""

    @property
    def support(self) -> float:
        """How well all four sides are seen, the worst counting twice."""
        return float(self.sides.sum() + self.sides.min())

    @property
    def worth(self) -> float:
        """What speaks for it, beside other squares around the same pips."""
        return min(self.uniform, _WHOLE) * self.support


@dataclass(frozen=True)
class Paint:
    """Of pips: colour, contrast, and whether weaker spots beside them may show through a clear die."""

    colour: Floats
    contrast: float
    clear: bool


def layers_of(colours: AnyArray) -> Layers:
    """A picture in Lab, at falling sizes."""
    levels = [colours]
    while min(levels[-1].shape[:2]) > 200:
        levels.append(cv2.pyrDown(levels[-1]))
    return Layers(tuple(level.astype(np.float32) for level in levels))


def tolerance(contrast: float) -> float:
    """How far colours of one face lie apart at most."""
    return max(6.0, 0.16 * contrast)


def shows_through(colours: AnyArray, body: Floats, pip: Floats) -> Mask:
    """Whether colours lie between a body's and its pips', as those of the pips on a clear die's far faces do."""
    way = pip - body
    away = colours - body
    share = away @ way / max(float(way @ way), 1e-9)
    aside = _length(away - share[..., None] * way)
    return np.asarray((share > _THROUGH[0]) & (share < _THROUGH[1]) & (aside < _ASIDE * np.linalg.norm(way)))


def square_around(patched: tuple[AnyArray, float], taken: Floats, radius: float, paint: Paint) -> Square:
    """The square around pips at the places `taken`, in the frame's units; a lone pip leaves open how it is turned."""
    lone = len(taken) == 1
    hidden = _hidden(taken, 1.25 * radius + patched[1])
    opaque = _square(patched[0], hidden, paint.contrast, lone=lone)
    if not paint.clear or (opaque.support > _CLEARLY and opaque.uniform > _WHOLE):
        return opaque
    far = _far_pips(patched, (_NEAR if lone else _FACE) & ~hidden, radius, paint.colour)
    if far is None:
        return opaque
    clear = _square(patched[0], hidden | far, paint.contrast, lone=lone)
    return max(opaque, clear, key=lambda square: square.worth)


def _far_pips(patched: tuple[AnyArray, float], inside: Mask, radius: float, pip: Floats) -> Mask | None:
    """Small spots that show through a face, and around it; `None` where the face shows none, or nothing else."""
    if inside.sum() < _LEAST_SEEN:
        return None
    patch, blur = patched
    between = shows_through(patch, np.median(patch[inside], axis=0), pip)
    share = float(between[inside].mean())
    if share < _SHOWN or share > 1 - LEAST_UNIFORM:
        return None
    _, labels, stats, _ = cv2.connectedComponentsWithStats(between.astype(np.uint8), connectivity=4)
    most = _LARGEST_FAR_PIP * np.pi * ((radius + blur) * _FINE) ** 2
    small = stats[:, cv2.CC_STAT_AREA] < most
    small[0] = False
    soft = 2 * max(1, round(blur * _FINE / 2)) + 1
    return np.asarray(cv2.dilate(small[labels].astype(np.uint8), np.ones((soft, soft), np.uint8)), dtype=bool)


def _square(patch: AnyArray, hidden: Mask, contrast: float, *, lone: bool) -> Square:
    """The square around what is hidden."""
    inside = (_NEAR if lone else _FACE) & ~hidden
    if inside.sum() < _LEAST_SEEN:
        return Square(1.0, 0.0, 0.0, np.zeros(4), np.zeros(3))
    shown = patch[inside]
    colour = np.median(shown, axis=0)
    even = _length(shown - colour)
    # Through a clear die its other faces shimmer, so a second, wider limit is tried.
    wide = max(tolerance(contrast), _SHOWING_THROUGH * contrast)
    if float((even < wide).mean()) <= LEAST_UNIFORM:
        # Such a face counts nothing whatever its sides, so that they need not be looked for.
        return Square(1.0, 0.0, 0.0, np.zeros(4), np.asarray(colour, dtype=np.float64))
    away = _length(patch - _sloping(shown, inside, even, contrast, colour))
    away[hidden] = 0
    narrow = float(np.clip(3.5 * np.median(away[inside]) + 3.0, 7.0, tolerance(contrast)))
    found: list[Square] = []
    for limit, loose in ((narrow, 1.0), (wide, _WIDE_LIMIT_WEIGHT)):
        left = away[_AT_Y, _AT_X] > limit
        half, turn, sides = _fit(_ends(left), len(_TURNS) if lone else 1)
        uniform = float((even < max(tolerance(contrast), limit)).mean()) * loose
        ground = _beyond(left) if lone else 1.0
        found.append(Square(half, turn, uniform, sides * loose, np.asarray(colour, dtype=np.float64), ground))
        if found[0].support > _CLEARLY:
            break
    return max(found, key=lambda square: square.worth)


def _length(colours: AnyArray) -> AnyArray:
    """Of differences of colours, which are the last axis."""
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", colours, colours)))


def _sloping(shown: AnyArray, inside: AnyArray, even: AnyArray, contrast: float, colour: AnyArray) -> AnyArray:
    """The face's colour, which may change evenly from one side to the other, continued outwards."""
    chosen = even < tolerance(contrast)
    if np.count_nonzero(chosen) < 60:
        return colour
    design = _PLANE[inside][chosen]
    slope = np.linalg.lstsq(design.T @ design, design.T @ shown[chosen], rcond=None)[0]
    return np.asarray(_PLANE @ slope.astype(np.float32))


def _hidden(taken: Floats, radius: float) -> AnyArray:
    cover = np.zeros((_SIDE, _SIDE), dtype=bool)
    for x, y in taken:
        cover |= (_ACROSS - x) ** 2 + (_DOWN - y) ** 2 < radius * radius
    return cover


def _ends(left: AnyArray) -> Floats:
    """Where each ray from the middle leaves the face's colour; infinite where it does not."""
    first = left.argmax(axis=1)
    return np.where(left.any(axis=1), _DISTANCES[first], np.inf)


def _beyond(left: AnyArray) -> float:
    """Share of the rays that, having left the face's colour, are elsewhere for a while."""
    first = left.argmax(axis=1)
    known = left.any(axis=1) & (first > 0)
    if not known.any():
        return 0.0
    ends = _DISTANCES[first]
    near, far = (
        np.clip(np.round((share * ends - _DISTANCES[0]) / _STEP), 0, len(_DISTANCES) - 1).astype(int)
        for share in _OUTSIDE
    )
    rays = np.arange(_RAYS)
    sums = np.cumsum(left, axis=1)
    stays = (sums[rays, far] - sums[rays, near]) / np.maximum(far - near, 1)
    return float((stays[known & (far > near)] > 0.5).mean()) if np.any(known & (far > near)) else 1.0


def _fit(ends: Floats, turns: int) -> tuple[float, float, Floats]:
    """The square, turned in one of so many ways, that most rays end at; and the share of each side's rays that do."""
    upright = (ends * _UPRIGHT[:turns]).astype(np.float32)[:, None, :]
    close = (upright < _LATEST) & (upright > _EARLIEST[:turns])
    shares = close.astype(np.float32) @ _SHARES[:turns]
    sums = shares.sum(axis=2) + shares.min(axis=2)
    turn = _straightest(ends, np.nonzero(sums.max(axis=1) >= sums.max() - _TIE)[0])
    # Several half edges may serve alike: the middle one of them.
    best = int(np.median(np.nonzero(sums[turn] >= sums[turn].max() - 1e-6)[0]))
    return float(_HALF_EDGES[best]), float(_TURNS[turn]), shares[turn, best].astype(np.float64)


def _straightest(ends: Floats, turns: Whole) -> int:
    """Of several turns that serve alike the one whose sides are straightest."""
    if len(turns) == 1:
        return int(turns[0])
    on = np.abs(_LEANS[turns]) < _CORNER
    across = np.minimum(ends, REACH) * _UPRIGHT[turns]
    middle = np.median(across, axis=1, keepdims=True)
    return int(turns[((np.abs(across - middle) * on).sum(axis=1) / on.sum(axis=1)).argmin()])


def places_of(centres: Floats, middle: Floats, frame: Floats) -> Floats:
    """Pips' centres in a face's frame."""
    return np.asarray((centres - middle) @ np.linalg.inv(frame).T, dtype=np.float64)
