"""The eight base circles of a board of any maker, round things on one square, and from them where its surface ends."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Light
from inspect_kit.vision.board import layout, tuning
from inspect_kit.vision.board.layout import CIRCLES
from inspect_kit.vision.board.locate import Mosaic
from inspect_kit.vision.fitting.stripe import seen_median

_RADII: Final = np.arange(*tuning.VOTE_RADII, 1.5)
"""mm: radii of round things that are looked for."""
_GRID: Final = 4
"""mm between the squares that are tried first."""


def find_base_circles(mosaic: Mosaic) -> Mapping[str, Floats]:
    """Places on the plan by name, the unseen ones by the others; nothing where fewer than six lie on one square."""
    votes = round_votes(mosaic)
    whole = votes.sum(axis=0)
    firsts = [first for middle in _middles_of_symmetry(whole) for first in _best_squares(whole, middle, mosaic)]
    found: tuple[float, Mapping[str, Floats]] = (0.0, {})
    # All eight are of one size, which other round things at their corners have not.
    for alike in _of_one_size(votes):
        for first in firsts:
            found = max(found, _settled(mosaic, alike, first), key=lambda each: each[0])
    return look_again(mosaic, found[1]) if found[1] else {}


def look_again(mosaic: Mosaic, places: Mapping[str, Floats]) -> Mapping[str, Floats]:
    """The same circles, each near where it was seen before; nothing where fewer than six are seen there."""
    parts = {name: mosaic.cut(place, tuning.VOTE_RADII[1] + tuning.SQUARE_LOOKS[-1]) for name, place in places.items()}
    votes = {name: _of_one_size(round_votes(part)) for name, part in parts.items()}
    best: tuple[float, dict[str, Floats]] = (0.0, {})
    for size in range(len(votes[CIRCLES[0]])):
        peaks = {
            name: _peak(parts[name], votes[name][size], place, tuning.SQUARE_LOOKS[-1])
            for name, place in places.items()
        }
        seen = {name: peak for name, peak in peaks.items() if peak is not None}
        if len(seen) >= tuning.ENOUGH_ALIKE and none_twice(seen):
            best = max(
                best,
                (_weight([_vote_at(votes[name][size], parts[name], at) for name, at in seen.items()]), seen),
                key=lambda each: each[0],
            )
    if not best[1]:
        return {}
    square = _square(best[1], leaning=True)
    return {name: best[1].get(name, _at(square, name)) for name in CIRCLES}


def _of_one_size(votes: Light) -> list[Light]:
    """Votes for circles of nearly one radius each."""
    return [votes[index : index + 3].sum(axis=0) for index in range(0, len(votes) - 2, 2)]


# How round the surroundings of each place are. Every edge votes for the places that lie a radius off it, squarely to
# both sides: a circle's edges agree on its middle whatever it is filled with. Lines agree on places between them too,
# but in two directions only, and what is seen in two directions only is taken away.


def round_votes(mosaic: Mosaic) -> Light:
    """Share of a full circle around each pixel of the plan, radius by radius: a disc in a ring is seen at two."""
    (x, y), way, weight = _edges(mosaic)
    height, width = mosaic.seen.shape
    twice = (way[:, 0] + 1j * way[:, 1]) ** 2
    parts = (weight, weight * twice.real, weight * twice.imag)
    found = []
    for radius in _RADII * mosaic.per_mm:
        at_x, at_y = (np.concatenate([np.round(at + sign * radius * way[:, axis]) for sign in (1, -1)]).astype(np.intp)
                      for axis, at in enumerate((x, y)))  # fmt: skip
        inside = (at_x >= 0) & (at_y >= 0) & (at_x < width) & (at_y < height)
        index = at_y[inside] * width + at_x[inside]
        sums = [np.bincount(index, np.tile(part, 2)[inside], height * width).reshape(height, width) for part in parts]
        both, real, imaginary = (cv2.GaussianBlur(each.astype(np.float32), (0, 0), tuning.VOTE_SOFT) for each in sums)
        found.append(np.maximum(both - np.hypot(real, imaginary), 0) / (2 * np.pi * radius))
    return np.array(found)


def _edges(mosaic: Mosaic) -> tuple[tuple[Floats, Floats], Floats, Floats]:
    """Pixels with an edge in any colour, the way across it, and how much it counts (1 at most)."""
    eye = cv2.GaussianBlur(np.sqrt(np.maximum(mosaic.light, 0)), (0, 0), 1.0)
    across, down = cv2.Sobel(eye, cv2.CV_32F, 1, 0, scale=0.125), cv2.Sobel(eye, cv2.CV_32F, 0, 1, scale=0.125)
    steep = np.hypot(across, down)
    colour = steep.argmax(axis=2)[:, :, None]
    across, down, steep = (np.take_along_axis(each, colour, 2)[:, :, 0] for each in (across, down, steep))
    bright = np.maximum(cv2.GaussianBlur(eye.mean(axis=2), (0, 0), 15.0), 0.1)
    weight = np.minimum(steep / bright / tuning.VOTE_EDGE, 1.0)
    weight[~mosaic.seen | ~np.isfinite(weight)] = 0
    y, x = np.nonzero(weight > 0.25)
    way = np.column_stack([across[y, x], down[y, x]]) / steep[y, x][:, None]
    return (x.astype(np.float64), y.astype(np.float64)), way.astype(np.float64), weight[y, x].astype(np.float64)


def _middles_of_symmetry(votes: Light) -> Floats:
    """Pixels about which what is round lies alike on both sides, best first."""
    clipped = np.minimum(votes, tuning.VOTE_FULL)
    small = cv2.resize(clipped, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    shape = (2 * small.shape[0], 2 * small.shape[1])
    alike = np.fft.irfft2(np.fft.rfft2(small, shape) ** 2, shape)
    alike = np.asarray(cv2.GaussianBlur(alike, (0, 0), 3.0), dtype=np.float64)
    found = []
    for _ in range(tuning.MIDDLES):
        row, column = np.unravel_index(int(alike.argmax()), alike.shape)
        found.append((column + 0.5, row + 0.5))
        cv2.circle(alike, (int(column), int(row)), 12, 0.0, -1)
    return np.array(found)


def _best_squares(votes: Light, middle: Floats, plan: Mosaic) -> list[dict[str, Floats]]:
    """Pixels of eight places, two to a corner, whose surroundings are roundest together, but for the worst two.

    Squares that lean are tried too: drawn together towards one side, as a view that is off shows them.
    """
    per_mm = plan.per_mm
    reach = int(tuning.SQUARE_OFF * per_mm)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1,) * 2)
    near = np.asarray(cv2.dilate(np.minimum(votes, tuning.VOTE_FULL), disc), dtype=np.float32)
    steps = np.arange(*tuning.SQUARE_SIZES, _GRID) * per_mm
    out, along = (each.ravel() for each in np.meshgrid(steps, steps, indexing="ij"))
    apart = (out - along) / per_mm
    possible = (apart > tuning.PAIR_APART[0]) & (apart < tuning.PAIR_APART[1])
    squares = {name: np.stack([out, along], axis=1)[possible] @ _way(name) for name in CIRCLES}
    leans = np.array(tuning.SQUARE_LEANS) / layout.HALF**2 / per_mm
    tried = [
        (here, lean)
        for lean in map(np.array, itertools.product(leans, leans))
        for here in _near(middle, _GRID * per_mm)
    ]
    best = np.zeros(int(possible.sum()))
    where = np.zeros(len(best), dtype=np.intp)
    for number, (here, lean) in enumerate(tried):
        seen = np.sort([_looked_up(near, here + _leant(square, lean)) for square in squares.values()], axis=0)
        score = seen[2:].mean(axis=0)
        where[score > best] = number
        best = np.maximum(best, score)
    return [{name: here + _leant(squares[name][top], lean) for name in CIRCLES}
            for top in _distinct(best, np.stack([out, along], axis=1)[possible] / per_mm)
            for here, lean in (tried[where[top]],)]  # fmt: skip


def _near(middle: Floats, step: float) -> list[Floats]:
    return [middle + shift for shift in itertools.product(np.arange(-2, 3) * step, repeat=2)]


def _leant(places: Floats, lean: Floats) -> Floats:
    return np.asarray(places * (1 + places @ lean)[..., None])


def _distinct(scores: Floats, sizes: Floats) -> list[int]:
    """The best squares that differ in size, if they are clear."""
    left = scores.copy()
    chosen: list[int] = []
    while len(chosen) < tuning.SQUARES and left.max() > tuning.SQUARE_CLEAR * tuning.VOTE_FULL:
        top = int(left.argmax())
        chosen.append(top)
        left[np.linalg.norm(sizes - sizes[top], axis=1) < tuning.SQUARE_OFF] = 0
    return chosen


def _way(name: str) -> Floats:
    """Outwards and along, in pixels of the plan, whose rows run downwards."""
    return np.array([layout.OUTWARDS[part] for part in name.split(".")]) * (1.0, -1.0)


def _looked_up(near: Light, at: Floats) -> Floats:
    x, y = np.round(at).astype(np.intp).T
    height, width = near.shape
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    return np.where(inside, near[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)], 0.0)


def _settled(mosaic: Mosaic, votes: Light, first: Mapping[str, Floats]) -> tuple[float, Mapping[str, Floats]]:
    """The circles' own middles near a square, which a view that is off shows leaning; and how round they all are."""
    places = {name: mosaic.place(at[None].astype(np.float64))[0] for name, at in first.items()}
    seen: dict[str, Floats] = {}
    for reach in tuning.SQUARE_LOOKS:
        peaks = {name: _peak(mosaic, votes, place, reach) for name, place in places.items()}
        seen = {name: place for name, place in peaks.items() if place is not None}
        if len(seen) < tuning.ENOUGH_ALIKE:
            return 0.0, {}
        square = _square(seen, leaning=True)
        places = {name: _at(square, name) for name in CIRCLES}
        seen = {name: place for name, place in seen.items() if np.linalg.norm(place - places[name]) < reach / 2}
    if len(seen) < tuning.ENOUGH_ALIKE or not none_twice(seen) or off_square(seen) > tuning.SQUARE_TORN:
        return 0.0, {}
    weight = _weight([_vote_at(votes, mosaic, place) for place in seen.values()])
    return weight, {name: seen.get(name, places[name]) for name in CIRCLES}


def none_twice(seen: Mapping[str, Floats]) -> bool:
    """Whether no circle stands for both of a corner."""
    pairs = [[seen[name] for name in pair if name in seen] for pair in layout.PAIRS.values()]
    return all(np.linalg.norm(pair[0] - pair[1]) > tuning.PAIR_APART[0] for pair in pairs if len(pair) > 1)


def _weight(votes: Sequence[float]) -> float:
    """How round all are together: one that is seen better than the others says nothing for them."""
    return float(np.minimum(votes, 1.5 * np.median(votes)).sum())


def _peak(mosaic: Mosaic, votes: Light, place: Floats, reach: float) -> Floats | None:
    """Where the surroundings are roundest near a place; nothing where nothing round is there."""
    x, y = np.round(mosaic.pixel(place[None])[0]).astype(int)
    size = int(reach * mosaic.per_mm)
    left, upper = max(x - size, 0), max(y - size, 0)
    part = votes[upper : max(y + size + 1, 0), left : max(x + size + 1, 0)]
    if not part.size:
        return None
    down, over = np.mgrid[: part.shape[0], : part.shape[1]]
    part = np.where(np.hypot(over + left - x, down + upper - y) <= size, part, 0)
    row, column = np.unravel_index(int(part.argmax()), part.shape)
    if part[row, column] < tuning.VOTE_LEAST:
        return None
    around = np.where(np.hypot(over - column, down - row) <= 2.5, part, 0)
    at = np.array([(around * over).sum(), (around * down).sum()]) / around.sum() + (left, upper)
    return np.asarray(mosaic.place(at[None])[0])


def _vote_at(votes: Light, mosaic: Mosaic, place: Floats) -> float:
    x, y = np.round(mosaic.pixel(place[None])[0]).astype(int)
    inside = 0 <= y < votes.shape[0] and 0 <= x < votes.shape[1]
    return float(votes[y, x]) if inside else 0.0


# The square they lie on: middle, how far out and how far along they stand, and a small turn.


def _rows(names: Mapping[str, Floats], leaning: bool) -> Floats:
    """How each circle's place moves with the numbers of the square: linear least squares.

    A place is middle + out · o + along · a, and a small turn adds its quarter-turned place. In a view that is off, it
    is stretched and sheared, and drawn together towards one side.
    """
    rows = []
    for name in names:
        out, along = (layout.OUTWARDS[part] for part in name.split("."))
        x, y = layout.circle_place(name)
        plain = [[1, 0], [0, 1], out, along, [-y, x]]
        far = layout.HALF
        lean = [[x, -y], [y, x], [x * x / far, x * y / far], [x * y / far, y * y / far]] if leaning else []
        rows += np.array([*plain, *lean], dtype=np.float64).T.tolist()
    return np.array(rows)


def _square(named: Mapping[str, Floats], leaning: bool = False) -> Floats:
    values = np.concatenate(list(named.values()))
    return np.asarray(np.linalg.lstsq(_rows(named, leaning), values, rcond=None)[0])


def off_square(circles: Mapping[str, Floats]) -> float:
    """mm by which circles lie off the square that fits them best, root mean square: a view that is wrong bends it."""
    square = _square(circles) if circles else np.zeros(5)
    away = [place - _at(square, name) for name, place in circles.items()]
    return float(np.sqrt(np.mean(np.square(away)))) if away else 0.0


def turn_of(circles: Mapping[str, Floats]) -> float:
    """Radians by which the square that fits the circles best is turned."""
    return float(_square(circles)[4])


def _at(square: Floats, name: str) -> Floats:
    return np.asarray(_rows({name: square}, len(square) > 5) @ square)


# Where the surface ends, going outwards from the circles: wood up to there, and something else beyond.


def surface_corners(mosaic: Mosaic, discs: Mapping[str, Floats]) -> Floats | None:
    """Corners on the plan, clockwise from the north-west; nothing where a side does not show its end."""
    middle = np.mean(list(discs.values()), axis=0)
    ends = {side: _surface_end(mosaic, middle, side, discs) for side in layout.SIDES}
    n, e, s, w = (ends[side] for side in layout.SIDES)
    if n is None or e is None or s is None or w is None:
        return None
    return np.asarray(middle + np.array([[-w, n], [e, n], [e, -s], [-w, -s]]))


def _surface_end(mosaic: Mosaic, middle: Floats, side: str, discs: Mapping[str, Floats]) -> float | None:
    """mm from the middle, where what lies inside is most like the wood beside the lines and what lies outside least."""
    out = np.array(layout.OUTWARDS[side], dtype=np.float64)
    level = float(np.mean([(place - middle) @ out for name, place in discs.items() if name.startswith(side)]))
    away = np.arange(level + tuning.BESIDE_DISC, level + tuning.FAR_OF_DISC, 1.0)
    wood_like = _like_wood(mosaic, middle, out, away)
    total = np.concatenate([[0.0], np.cumsum(wood_like)])
    places = np.arange(tuning.END_STRIP, len(away) - tuning.END_STRIP)
    inside = total[places] / places
    outside = (total[places + tuning.END_STRIP] - total[places]) / tuning.END_STRIP
    best = int((inside - outside).argmax())
    return float(away[places[best]]) if (inside - outside)[best] > tuning.CLEAR_END else None


def _like_wood(mosaic: Mosaic, middle: Floats, out: Floats, away: Floats) -> Floats:
    """For each distance from the middle: 1 where the light along the side is that of the wood, 0 where it is not."""
    along = np.arange(-tuning.END_REACH, tuning.END_REACH + 1, 4.0)
    places = middle + away[:, None, None] * out + along[None, :, None] * np.array([out[1], -out[0]])
    at = np.round(mosaic.pixel(places.reshape(-1, 2))).astype(int)
    height, width = mosaic.seen.shape
    inside = (at >= 0).all(axis=1) & (at[:, 0] < width) & (at[:, 1] < height)
    light = np.full((len(at), 3), np.nan)
    light[inside] = np.sqrt(np.maximum(mosaic.light[at[inside, 1], at[inside, 0]], 0))
    # Outside of the picture is no wood.
    course = seen_median(np.nan_to_num(light).reshape(len(away), len(along), 3), 1)
    wood = np.maximum(np.median(course[: tuning.END_STRIP], axis=0), 1e-3)
    unlike = np.linalg.norm(course / wood - 1, axis=1) / np.sqrt(3)
    return np.asarray(np.exp(-((unlike / tuning.WOOD_VARIES) ** 2)))
