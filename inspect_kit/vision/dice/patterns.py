"""Faces of dice: pips that stand as on a die, around the middle of a square of one colour."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Mask, Whole
from inspect_kit.vision.dice.body import Square, shows_through
from inspect_kit.vision.dice.pips import Pip

PLACES: Final = np.array(
    [[-1, -1], [1, 1], [0, 0], [1, -1], [-1, 1], [0, -1], [0, 1], [-1, 0], [1, 0]], dtype=np.float64
)
"""Where pips may stand on a face, in halves of the distance between its corner pips; the first two are a diagonal."""

PATTERNS: Final = {
    frozenset({0, 1}): 2,
    frozenset({0, 1, 2}): 3,
    frozenset({0, 1, 3, 4}): 4,
    frozenset({0, 1, 2, 3, 4}): 5,
    frozenset({0, 1, 3, 4, 5, 6}): 6,
    frozenset({0, 1, 3, 4, 7, 8}): 6,
}
"""Which places are taken, and the number that this is."""

_SPACING: Final = (1.55, 5.6)
"""Half the distance between corner pips over a pip's radius."""
_NEAR: Final = 0.34
"""How far off their places pips may seem to be."""
_ON: Final = 1.45
"""Half edges from the middle within which spots lie on the face."""
_ALIKE: Final = 1.75
"""Ratio of sizes up to which spots may be pips of one face."""
_COLOUR: Final = 0.5
"""Share of the contrast by which the paint of pips may differ."""
_MARBLED: Final = 2.0
"""How much more than the pips themselves the body beside them may differ from one pip to the next."""
_VARIED: Final = 0.75
"""Share of the pips' contrast by which a marbled body may vary; the network judges what is left."""
_EVEN: Final = 0.35
"""Share of the contrast by which the light on one body may differ."""
_BARE: Final = 2
"""Of four places between the pips so many show the body; what is behind a clear one shows through the others."""
_WEAKEST, _WEAKER, _LARGER, _AROUND = 0.1, 0.8, 2.2, 2.2
"""Contrast and size of what may be a far pip, over those of the pips on top; and where it may be, in their frame."""
_RIVAL: Final = 0.85
"""Share of a face's contrast that a spot needs to be another pip of it."""


_TWO_ROWS: Final = np.array([[-1, -1, 1], [0, -1, 1], [1, -1, 1], [-1, 1, 1], [0, 1, 1], [1, 1, 1]], dtype=np.float64)
"""Six pips in two rows: along the row, across, and the middle's own share."""
_ROW: Final = (1.7, 6.0)
"""From the middle of a row of three to its ends, in radii of a pip: they do not touch, and all are on one face."""
_STRAIGHT: Final = 0.3
"""How far the middle of three may be from half way, over half their length."""
_COLUMNS: Final = (0.35, 0.92)
"""Half the distance of a six's rows over half their length; from the upper one on it is a six in a square."""
_SKEW: Final = 0.4
"""Cosine of the angle between a row and the way across, as far as pips of a few pixels tell it."""
_OFF_ROW: Final = 0.12
"""Mean distance of the pips from two straight rows, in half rows."""


@dataclass(frozen=True)
class Pattern:
    """Pips that make a number: `frame` takes the places above to pixels, `centre` is the face's middle."""

    number: int
    pips: tuple[int, ...]
    centre: Floats
    frame: Floats
    radius: float
    """Of the pips, in the frame's units."""
    misfit: float
    """Mean distance of the pips from where they belong, in the frame's units."""


@dataclass(frozen=True)
class Spots:
    """All pips of a picture as arrays."""

    pips: tuple[Pip, ...]
    centres: Floats
    shapes: Floats
    inner: Floats
    around: Floats
    sizes: Floats
    contrast: Floats

    def of(self, chosen: list[int]) -> tuple[Pip, ...]:
        """Some of the pips."""
        return tuple(self.pips[index] for index in chosen)


def spots_of(pips: list[Pip]) -> Spots:
    """The pips as arrays."""
    return Spots(
        tuple(pips),
        np.array([[pip.x, pip.y] for pip in pips]).reshape(-1, 2),
        np.array([pip.shape for pip in pips]).reshape(-1, 2, 2),
        np.array([pip.inner for pip in pips]).reshape(-1, 3),
        np.array([pip.around for pip in pips]).reshape(-1, 3),
        np.array([pip.longest for pip in pips]),
        np.array([pip.contrast for pip in pips]),
    )


def find_patterns(spots: Spots, colours: AnyArray) -> Iterator[Pattern]:
    """Every way in which two or more pips stand as on a face: all such numbers have two pips on a diagonal."""
    for first in range(len(spots.pips)):
        kin = _kin(spots, first)
        root = root_of(spots.shapes[first])
        away = (spots.centres[kin] - spots.centres[first]) @ inverse(root).T
        half = np.linalg.norm(away, axis=1) / np.sqrt(8)
        near = (half > _SPACING[0]) & (half < _SPACING[1]) & (kin > first)
        for second in kin[near][_body_between(spots, first, away[near] @ root.T, root, colours)]:
            found = _read(spots, first, int(second), kin)
            if found is not None:
                yield found


def find_sixes(spots: Spots) -> Iterator[Pattern]:
    """Sixes whose columns stand closer together than their ends: two rows of three, side by side.

    Four of such pips make a square, and pass for a four if nobody looks for the other two.
    """
    rows = [row for index in range(len(spots.pips)) for row in _rows_of_three(spots, index)]
    middles = np.array([spots.centres[row[1]] for row in rows]).reshape(-1, 2)
    for index, row in enumerate(rows):
        near = np.linalg.norm(middles[index + 1 :] - middles[index], axis=1) < _length(spots, row)
        for other in np.nonzero(near)[0].tolist():
            found = _two_rows(spots, row, rows[index + 1 + other])
            if found is not None:
                yield found


Row = tuple[int, int, int]


def _length(spots: Spots, row: Row) -> float:
    """Between the ends of a row, in pixels."""
    return float(np.linalg.norm(spots.centres[row[2]] - spots.centres[row[0]]))


def _rows_of_three(spots: Spots, middle: int) -> Iterator[Row]:
    """Two kin of a pip that lie opposite each other, as far on one side as on the other."""
    kin = _kin(spots, middle)
    away = (spots.centres[kin] - spots.centres[middle]) @ inverse(root_of(spots.shapes[middle])).T
    far = np.linalg.norm(away, axis=1)
    kin, away, far = (each[(far > _ROW[0]) & (far < _ROW[1])] for each in (kin, away, far))
    gaps = np.linalg.norm(away[:, None] + away[None], axis=2) / np.minimum(far[:, None], far[None])
    for one, two in zip(*np.nonzero(np.triu(gaps < _STRAIGHT, 1)), strict=True):
        yield int(kin[one]), middle, int(kin[two])


def _two_rows(spots: Spots, row: Row, other: Row) -> Pattern | None:
    """The six that two rows make: parallel, of one length, side by side, and nearer than a square's sides are."""
    if (spots.centres[row[2]] - spots.centres[row[0]]) @ (spots.centres[other[2]] - spots.centres[other[0]]) < 0:
        other = other[::-1]
    chosen = (*row, *other)
    if len(set(chosen)) < 6:
        return None
    shape = spots.shapes[list(chosen)].mean(axis=0)
    points = spots.centres[list(chosen)]
    found, *_ = np.linalg.lstsq(_TWO_ROWS, points, rcond=None)
    along, across, centre = found
    metric = inverse(root_of(shape))
    length, width = np.linalg.norm(metric @ along), np.linalg.norm(metric @ across)
    if not _ROW[0] < length < _ROW[1] or not _COLUMNS[0] * length < width < _COLUMNS[1] * length:
        return None
    if abs((metric @ along) @ (metric @ across)) > _SKEW * length * width:
        return None
    frame = np.column_stack([across * length / width, along])
    misfit = float(np.linalg.norm((points - _TWO_ROWS @ found) @ inverse(frame).T, axis=1).mean())
    return Pattern(6, chosen, centre, frame, pip_radius(shape, frame), misfit) if misfit < _OFF_ROW else None


def _body_between(spots: Spots, first: int, diagonals: Floats, root: Floats, colours: AnyArray) -> Mask:
    """Whether the four places half way between middle and corners, which no number covers, show the body: its colour
    beside a pip, or what shows through it."""
    turn = root @ np.array([[0, -1], [1, 0]]) @ inverse(root)
    middle, step = spots.centres[first] + diagonals / 2, diagonals / 4
    aside = step @ turn.T
    at = np.round(np.stack([middle + step, middle - step, middle + aside, middle - aside], axis=1)).astype(int)
    limit = np.array([colours.shape[1] - 1, colours.shape[0] - 1])
    seen = colours[np.clip(at[:, :, 1], 0, limit[1]), np.clip(at[:, :, 0], 0, limit[0])]
    body, pip = spots.around[first], spots.inner[first]
    own = np.linalg.norm(seen - body, axis=2) < _VARIED * float(spots.contrast[first]) + 6
    bare = (own.sum(axis=1) >= _BARE) & np.all(own | shows_through(seen, body, pip), axis=1)
    return np.asarray(bare & np.all((at >= 0) & (at <= limit), axis=(1, 2)))


def _kin(spots: Spots, index: int) -> Whole:
    """Pips of about the same size and colours that are near enough to be on the same face."""
    ratio = spots.sizes / spots.sizes[index]
    good = (ratio < _ALIKE) & (ratio > 1 / _ALIKE)
    good &= np.linalg.norm(spots.centres - spots.centres[index], axis=1) < 2.9 * _SPACING[1] * spots.sizes[index]
    limit = _COLOUR * np.minimum(spots.contrast, spots.contrast[index])
    good &= np.linalg.norm(spots.inner - spots.inner[index], axis=1) < 1.2 * limit + 8
    good &= np.linalg.norm(spots.around - spots.around[index], axis=1) < _MARBLED * limit
    good[index] = False
    return np.nonzero(good)[0]


def root_of(shape: Floats) -> Floats:
    """The symmetric matrix that makes a unit circle this ellipse."""
    (a, b), (c, d) = shape.tolist()
    size = math.sqrt(max(a * d - b * c, 0.0))
    scale = math.sqrt(a + d + 2 * size)
    return np.array([[(a + size) / scale, b / scale], [c / scale, (d + size) / scale]])


def turned(angle: float) -> Floats:
    """The turn by an angle."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def inverse(frame: Floats) -> Floats:
    """Of two by two numbers."""
    (a, b), (c, d) = frame.tolist()
    size = a * d - b * c
    return np.array([[d / size, -b / size], [-c / size, a / size]])


def _read(spots: Spots, first: int, second: int, kin: Whole) -> Pattern | None:
    """The number of which these two are a diagonal, if what else is near makes one."""
    shape = (spots.shapes[first] + spots.shapes[second]) / 2
    pattern = _with_shape(spots, (first, second), kin, shape)
    if pattern is None:
        return None
    mean = spots.shapes[list(pattern.pips)].mean(axis=0)
    better = _with_shape(spots, (first, second), kin, mean)
    return _fitted(spots, better if better is not None and len(better.pips) >= len(pattern.pips) else pattern)


def _with_shape(spots: Spots, pair: tuple[int, int], kin: Whole, shape: Floats) -> Pattern | None:
    frame, centre = diagonal_frame(spots.centres[pair[0]], spots.centres[pair[1]], shape)
    others = kin[kin != pair[1]]
    seen = (spots.centres[others] - centre) @ inverse(frame).T
    inside = np.abs(seen).max(axis=1, initial=0) < _ON
    others, seen = others[inside], seen[inside]
    if not len(others):
        return Pattern(2, pair, centre, frame, pip_radius(shape, frame), 0.0)
    gaps = np.hypot(seen[:, :1] - PLACES[:, 0], seen[:, 1:] - PLACES[:, 1])
    nearest, distance = gaps.argmin(axis=1), gaps.min(axis=1)
    first = _once(nearest, np.abs(np.log(spots.sizes[others] / spots.sizes[list(pair)].mean())))
    others, nearest, distance = others[first], nearest[first], distance[first]
    if np.any(distance > _NEAR):
        return None
    number = PATTERNS.get(frozenset({0, 1, *nearest.tolist()}))
    if number is None:
        return None
    misfit = float(distance.sum() / number)
    return Pattern(number, (*pair, *others.tolist()), centre, frame, pip_radius(shape, frame), misfit)


def pip_radius(shape: Floats, frame: Floats) -> float:
    """Of pips of this shape, in the frame's units."""
    return math.sqrt(float(np.sqrt(np.linalg.det(shape)) / abs(np.linalg.det(frame))))


def _once(nearest: Whole, unlike: Floats) -> Whole:
    """One pip for each place but the first two, which are taken: the one most like them in size.

    Around a pip there may be a second outline, where it runs together with its neighbour.
    """
    chosen: dict[int, int] = {}
    taken = nearest.tolist()
    for index in np.argsort(unlike).tolist():
        if taken[index] >= 2:
            chosen.setdefault(taken[index], index)
    return np.array([chosen[place] for place in sorted(chosen)], dtype=np.intp)


def diagonal_frame(first: Floats, second: Floats, shape: Floats) -> tuple[Floats, Floats]:
    """The frame in which the pips are circles and two of them lie at (−1, −1) and (1, 1); and its middle."""
    root = root_of(shape)
    x, y = (inverse(root) @ (second - first) / 2).tolist()
    # Turned so that (1, 1) goes half way along, in the metric in which a pip is a circle.
    turn = np.array([[x + y, x - y], [y - x, x + y]]) / 2
    return root @ turn, (first + second) / 2


def _fitted(spots: Spots, pattern: Pattern) -> Pattern:
    """With four pips and more the frame follows from where they are, not from how flat they look."""
    if pattern.number < 4:
        return pattern
    points = spots.centres[list(pattern.pips)]
    seen = (points - pattern.centre) @ inverse(pattern.frame).T
    ideal = PLACES[np.linalg.norm(seen[:, None, :] - PLACES[None], axis=2).argmin(axis=1)]
    design = np.column_stack([ideal, np.ones(len(ideal))])
    found = np.linalg.lstsq(design, points, rcond=None)[0]
    frame, centre = found[:2].T, found[2]
    away = np.linalg.norm((points - design @ found) @ inverse(frame).T, axis=1)
    shape = spots.shapes[list(pattern.pips)].mean(axis=0)
    radius = pip_radius(shape, frame)
    return replace(pattern, centre=centre, frame=frame, radius=radius, misfit=float(away.mean()))


def left_over(spots: Spots, chosen: list[int], places: Floats, half_edge: float) -> bool:
    """Whether the face shows a pip, as strong as those that were chosen, which the number leaves out.

    Through a clear die the pips of its lower face are seen, weaker than those on top.
    """
    size, contrast = spots.sizes[chosen].mean(), spots.contrast[chosen].mean()
    pip = (np.abs(np.log(spots.sizes / size)) < 0.5) & (spots.contrast > _RIVAL * contrast)
    pip &= np.abs(places).max(axis=1, initial=0) < 0.8 * half_edge
    near = np.linalg.norm(spots.centres[:, None] - spots.centres[None, chosen], axis=2).min(axis=1, initial=np.inf)
    return bool(np.any(pip & (near > size)))


def far_pips_near(spots: Spots, chosen: list[int], centre: Floats, frame: Floats) -> bool:
    """Whether weaker spots lie among or around these, as pips do that show through a clear die."""
    contrast, reach = spots.contrast[chosen].mean(), _AROUND * float(np.linalg.norm(frame, 2))
    weaker = (spots.contrast > _WEAKEST * contrast) & (spots.contrast < _WEAKER * contrast)
    weaker &= np.abs(spots.centres - centre).max(axis=1, initial=0) < reach
    weaker &= spots.sizes < _LARGER * spots.sizes[chosen].mean()
    if not weaker.any():
        return False
    body, pip = spots.around[chosen].mean(axis=0), spots.inner[chosen].mean(axis=0)
    on_body = np.linalg.norm(spots.around[weaker] - body, axis=1) < _EVEN * contrast
    return bool(np.any(on_body & shows_through(spots.inner[weaker], body, pip)))


# A face of a die as it was found in a picture, and how sure it is.

SURE: Final = 0.5
"""Confidence from which on a face is reported; below, the die is only pointed at."""
SUSPECTED: Final = 0.25
"""Confidence from which on a face is told as doubtful."""


@dataclass(frozen=True, eq=False)
class Face:
    """A face in the picture it was found in: number, middle, frame, square, its pips, and how good all that looks."""

    number: int
    centre: Floats
    frame: Floats
    square: Square
    pips: tuple[int, ...]
    radius: float
    contrast: float
    score: float
    spots: tuple[Pip, ...]
    shape: Floats
    """The ellipse that a circle on this face is seen as: from the pips' places, if many, else their outlines."""
    seen: float = 0.0
    """The network's own confidence in a face of which nothing else speaks."""

    @cached_property
    def size(self) -> float:
        """Half the edge in pixels, foreshortening averaged."""
        (a, b), (c, d) = self.frame.tolist()
        return math.sqrt(abs(a * d - b * c)) * self.square.half_edge

    @property
    def axes(self) -> Floats:
        """Half edges as columns, in pixels; where the sides were found too near, as far as dice have them at least."""
        return np.asarray(self.frame * max(self.square.half_edge, 1.7 if self.number > 1 else 0.0), dtype=np.float64)

    def inside(self, point: Floats) -> float:
        """How far a point lies from the middle, in half edges: below 1 on the face."""
        (a, b), (c, d) = self.frame.tolist()
        x, y = (point - self.centre).tolist()
        across, down = d * x - b * y, a * y - c * x
        return float(max(abs(across), abs(down)) / max(abs(a * d - b * c), 1e-12) / self.square.half_edge)
