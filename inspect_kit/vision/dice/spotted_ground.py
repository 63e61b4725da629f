"""Grounds full of spots: dots of a cloth and letters of a page, which go on in order beyond any face of a die."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Mask, Whole
from inspect_kit.vision.dice.patterns import Pattern, Spots, inverse

_BEYOND: Final = np.array([[x, y] for x in (-3, -1, 1, 3) for y in (-3, -1, 1, 3) if max(abs(x), abs(y)) == 3])
"""Half edges: sites around a face at which a cloth would go on."""
_MORE_THAN_PIPS: Final = 60
"""Like spots beyond which they are no pips: ten sixes."""
_SAME_SIZE, _FAR_AND_NEAR = 0.25, 0.7
"""Logarithms of sizes of neighbours, and of what lies in front and far behind in an oblique photo."""
_CARRIED: Final = 0.4
"""Share of the places beyond a face that are taken, if the pattern goes on."""
_HUE: Final = 0.15
"""Share of the pips' contrast by which the hue of one body differs."""
_NEIGHBOURS: Final = 4
"""Neighbours of a dot whose steps are tried."""
_STEPS: Final = np.array([-1.0, 2.0, -2.0])
"""Steps to neighbours after which dots of a cloth are met again."""
_WOVEN: Final = 0.7
"""Share of the places that the steps to its neighbours lead to, from a dot of a cloth, at which there are dots."""


def off_the_cloth(spots: Spots, shape: tuple[int, ...]) -> Spots:
    """The same spots, of which those that are no dots of a cloth may be pips."""
    return replace(spots, usable=~_woven(spots, shape))


def _woven(spots: Spots, shape: tuple[int, ...]) -> Mask:
    """Spots among many alike from which the steps to their neighbours lead to further ones, there and back."""
    woven = np.zeros(len(spots.pips), dtype=bool)
    if len(spots.pips) <= _MORE_THAN_PIPS:
        return woven
    paint = _painted_alike(spots)
    like = paint & _as_large(spots, _SAME_SIZE)
    many = np.nonzero((paint & _as_large(spots, _FAR_AND_NEAR)).sum(axis=1) > _MORE_THAN_PIPS)[0]
    if not len(many):
        return woven
    owner = _owners(spots, shape)
    away = spots.centres[many][:, None] - spots.centres[None]
    distance = np.where(like[many] & (np.arange(len(like)) != many[:, None]), (away**2).sum(axis=2), np.inf)
    nearest = np.argpartition(distance, _NEIGHBOURS, axis=1)[:, :_NEIGHBOURS]
    steps = spots.centres[nearest] - spots.centres[many][:, None]
    sites = spots.centres[many][:, None, None] + _STEPS[:, None] * steps[:, :, None]
    at = np.round(sites).astype(int).reshape(len(many), -1, 2)
    inside = np.all((at >= 0) & (at < (shape[1], shape[0])), axis=2)
    at = np.where(inside[:, :, None], at, 0)
    found = owner[at[:, :, 1], at[:, :, 0]]
    taken = (found >= 0) & inside & np.take_along_axis(like[many], np.maximum(found, 0), axis=1)
    woven[many] = taken.sum(axis=1) > _WOVEN * np.maximum(inside.sum(axis=1), 1)
    return woven


def _owners(spots: Spots, shape: tuple[int, ...]) -> AnyArray:
    """For every pixel the spot it is on, or -1."""
    owner = np.full(shape[:2], -1, np.int32)
    for index, (centre, size) in enumerate(zip(spots.centres.tolist(), spots.sizes.tolist(), strict=True)):
        cv2.circle(owner, (round(centre[0]), round(centre[1])), max(2, round(size)), index, -1)
    return owner


def _as_large(spots: Spots, spread: float) -> Mask:
    """For every two spots whether the logarithms of their sizes lie no further apart."""
    sizes = np.log(spots.sizes).astype(np.float32)
    return np.asarray(np.abs(sizes[:, None] - sizes) < spread)


def _painted_alike(spots: Spots) -> Mask:
    """For every two spots whether the second one and its ground have the first one's colours."""
    like = np.ones((len(spots.pips), len(spots.pips)), dtype=bool)
    limit = (0.25 * spots.contrast[:, None]) ** 2
    for colours in (spots.inner.astype(np.float32), spots.around.astype(np.float32)):
        square = (colours**2).sum(axis=1)
        like &= square[:, None] + square[None] - 2 * colours @ colours.T < limit
    return like


def goes_on(spots: Spots, pattern: Pattern, picture: AnyArray) -> bool:
    """Whether spots of the same kind carry the pattern on beyond the face, as on a dotted cloth or a page of print."""
    chosen = list(pattern.pips)
    seen = (spots.centres[_same_kind(spots, chosen)] - pattern.centre) @ inverse(pattern.frame).T
    far = np.abs(seen).max(axis=1, initial=0)
    seen = seen[(far > 1.5) & (far < 3.4)]
    odd = np.abs(seen - (2 * np.floor(seen / 2) + 1)).max(axis=1, initial=0)
    even = np.abs(seen - 2 * np.round(seen / 2)).max(axis=1, initial=0)
    sites = _BEYOND @ pattern.frame.T + pattern.centre
    inside = np.all((sites > 0) & (sites < (picture.shape[1], picture.shape[0])), axis=1).sum()
    slack = 0.3 + 0.1 * (np.abs(seen).max(axis=1, initial=0) - 1.5)
    return int((np.minimum(odd, even) < slack).sum()) >= max(2.0, _CARRIED * float(inside))


def cloth(spots: Spots, pattern: Pattern, picture: AnyArray) -> bool:
    """Whether the pips are among so many alike, in such order, that they are a cloth's and not a die's."""
    many = int(_same_kind(spots, list(pattern.pips), _FAR_AND_NEAR).sum()) > _MORE_THAN_PIPS
    return many and goes_on(spots, pattern, picture)


def crowd(spots: Spots, index: int, known: Mask) -> int:
    """How many spots of the same kind, but those known to be pips, stand within three edges around a lone one."""
    near = np.linalg.norm(spots.centres - spots.centres[index], axis=1) < 14 * spots.sizes[index]
    return int((_same_kind(spots, [index]) & near & ~known).sum()) - 1


def _same_kind(spots: Spots, chosen: list[int], spread: float = _SAME_SIZE) -> Mask:
    contrast = spots.contrast[chosen].mean()
    like = np.abs(np.log(spots.sizes / spots.sizes[chosen].mean())) < spread
    like &= np.linalg.norm(spots.inner - spots.inner[chosen].mean(axis=0), axis=1) < 0.25 * contrast
    return np.asarray(
        like & (np.linalg.norm(spots.around - spots.around[chosen].mean(axis=0), axis=1) < 0.15 * contrast)
    )


def kin_counts(spots: Spots) -> Whole:
    """For every spot how many there are of its kind in the picture."""
    like = _painted_alike(spots) & _as_large(spots, _SAME_SIZE)
    return np.asarray(like.sum(axis=1), dtype=np.intp)


def akin(spots: Spots, chosen: list[int]) -> Mask:
    """Spots that could as well be pips of the same die: about as large, on about the same colour, as strong."""
    contrast, size = spots.contrast[chosen].mean(), spots.sizes[chosen].mean()
    like = (np.abs(np.log(spots.sizes / size)) < 0.6) & (spots.contrast > 0.5 * contrast)
    like &= np.linalg.norm(spots.inner - spots.inner[chosen].mean(axis=0), axis=1) < 0.5 * contrast + 6
    away = spots.around - spots.around[chosen].mean(axis=0)
    # Light and shade change a body's lightness more than its hue.
    like &= np.linalg.norm(away[:, 1:], axis=1) < _HUE * contrast + 6
    return np.asarray(like & (np.linalg.norm(away, axis=1) < 0.35 * contrast + 6))
