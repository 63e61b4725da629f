"""Any printed checkerboard, whole, covered in places or cut off by the picture's edge: crossings grown into a grid."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.reference import tuning
from inspect_kit.vision.reference.corners import is_crossing, refine_crossings, sample

_AROUND: Final = np.linspace(0, 2 * np.pi, 48, endpoint=False)
"""Directions around a crossing in which black and white are told."""
_WAYS: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Steps from a crossing to its neighbours."""

Grid = dict[tuple[int, int], int]


@dataclass(frozen=True)
class _Crossings:
    """Candidates: where, and the two directions of the edges that cross there, as angles below half a turn."""

    places: Floats
    angles: Floats


def find_checkerboard(grey: Pixels) -> tuple[Floats, Floats]:
    """Grid places (column to the right, row upwards) and pixels of the crossings of the largest board."""
    factor = min(1.0, tuning.CHECKERBOARD_WORKING_SIDE / max(grey.shape))
    small = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else grey
    crossings = _candidates(np.asarray(small, dtype=np.uint8))
    grid = _largest_grid(crossings)
    if len(grid) < tuning.LEAST_CROSSINGS:
        raise BadInput("no-checkerboard", count=len(grid), least_crossings=tuning.LEAST_CROSSINGS)
    places = np.array(list(grid), dtype=np.float64)
    pixels = (crossings.places[list(grid.values())] + 0.5) / factor - 0.5
    return _finished(grey, places, pixels)


def _finished(grey: Pixels, places: Floats, pixels: Floats) -> tuple[Floats, Floats]:
    """Refined at full size, with the crossings that the first look missed."""
    flat, _ = cv2.findHomography(places, pixels, cv2.RANSAC, 4.0)
    low, high = places.min(axis=0) - 2, places.max(axis=0) + 2
    across, up = np.meshgrid(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1))
    everything = np.column_stack([across.ravel(), up.ravel()])

    def seen(points: Floats) -> Floats:
        return np.asarray(cv2.perspectiveTransform(points[None], flat)[0], dtype=np.float64)

    guesses, half = seen(everything), np.array([0.5, 0.0])
    spacing = np.linalg.norm(seen(everything + half) - seen(everything - half), axis=1)
    found, good = refine_crossings(grey, guesses, float(np.clip(0.25 * np.median(spacing), 3, 12)))
    arms = np.stack([seen(everything + way) - guesses for way in ([0.25, 0.25], [0.25, -0.25])], axis=1)
    good &= is_crossing(grey, found, arms)
    good &= np.linalg.norm(found - guesses, axis=1) < np.maximum(0.12 * spacing, 2.0)
    return everything[good] * [1, -1], found[good]


def _candidates(grey: Pixels) -> _Crossings:
    soft = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 2.0)
    along = cv2.Sobel(soft, cv2.CV_32F, 2, 0, ksize=3)
    down = cv2.Sobel(soft, cv2.CV_32F, 0, 2, ksize=3)
    mixed = cv2.Sobel(soft, cv2.CV_32F, 1, 1, ksize=3)
    saddle = mixed * mixed - along * down
    peaks = (saddle >= cv2.dilate(saddle, np.ones((9, 9), np.uint8))) & (saddle > 60.0)
    rows, columns = np.nonzero(peaks)
    order = np.argsort(-saddle[rows, columns])[: tuning.MOST_CANDIDATES]
    places = np.column_stack([columns, rows])[order].astype(np.float64)
    if not len(places):
        return _Crossings(places.reshape(0, 2), np.zeros((0, 2)))
    found, good = refine_crossings(grey, places, 4.0)
    good &= np.linalg.norm(found - places, axis=1) < 3.0
    angles, crossing = _edge_angles(np.asarray(soft, dtype=np.float32), found)
    return _Crossings(found[good & crossing], angles[good & crossing])


def _edge_angles(soft: Floats, places: Floats) -> tuple[Floats, Mask]:
    """Angles of the two edges through each place, and whether the light on a circle around it alternates twice."""
    circle = 6.0 * np.column_stack([np.cos(_AROUND), np.sin(_AROUND)])
    values = sample(soft, (places[:, None, :] + circle[None]).reshape(-1, 2)).reshape(len(places), -1)
    values = values - (values.max(axis=1) + values.min(axis=1))[:, None] / 2
    span = np.ptp(values, axis=1)
    half = values.shape[1] // 2
    unlike = np.abs(values[:, :half] - values[:, half:]).mean(axis=1)
    changes = values * np.roll(values, -1, axis=1) < 0
    crossing = (changes.sum(axis=1) == 4) & (unlike < 0.3 * span) & (span > 24)
    angles = np.zeros((len(places), 2))
    for index in np.nonzero(crossing)[0]:
        at = np.sort(_AROUND[np.nonzero(changes[index])[0]] + np.pi / values.shape[1])
        angles[index] = (at[0] + at[2] - np.pi) / 2 % np.pi, (at[1] + at[3] - np.pi) / 2 % np.pi
    between = np.abs(angles[:, 0] - angles[:, 1])
    return angles, np.asarray(crossing & (np.minimum(between, np.pi - between) > 0.5))


def _largest_grid(crossings: _Crossings) -> Grid:
    """Grown from several seeds; those already in a grid need not be tried again."""
    best: Grid = {}
    tried: set[int] = set()
    for seed in range(min(len(crossings.places), 200)):
        if seed in tried:
            continue
        grid = _grown(crossings, seed)
        tried.update(grid.values())
        if len(grid) > len(best):
            best = grid
        if len(best) > len(crossings.places) / 2:
            break
    return best


def _grown(crossings: _Crossings, seed: int) -> Grid:
    basis = _first_steps(crossings, seed)
    if basis is None:
        return {}
    grid: Grid = {(0, 0): seed}
    steps = {(0, 0): basis}
    queue = deque([(0, 0)])
    while queue:
        cell = queue.popleft()
        for way in _WAYS:
            neighbour = (cell[0] + way[0], cell[1] + way[1])
            step = way[0] * steps[cell][0] + way[1] * steps[cell][1]
            if neighbour in grid:
                continue
            match = _nearest(crossings, crossings.places[grid[cell]] + step, 0.22 * float(np.linalg.norm(step)))
            if match is None or match in grid.values() or not _along_an_edge(crossings.angles[match], step):
                continue
            grid[neighbour] = match
            real = crossings.places[match] - crossings.places[grid[cell]]
            axis = 0 if way[0] else 1
            new = steps[cell].copy()
            new[axis] = 0.5 * new[axis] + 0.5 * real * (way[axis])
            steps[neighbour] = new
            queue.append(neighbour)
    return grid


def _along_an_edge(angles: Floats, step: Floats) -> bool:
    """Whether the step runs along an edge of the crossing it leads to; from a speck of dirt it may run across."""
    apart = np.abs(angles - np.arctan2(step[1], step[0])) % np.pi
    return bool(np.minimum(apart, np.pi - apart).min() < tuning.ASIDE)


def _first_steps(crossings: _Crossings, seed: int) -> Floats | None:
    """Steps to the neighbours along the seed's two edges, the first to the right of the second when seen from above."""
    away = crossings.places - crossings.places[seed]
    distance = np.linalg.norm(away, axis=1)
    found = []
    for angle in crossings.angles[seed]:
        way = np.array([np.cos(angle), np.sin(angle)])
        along = away @ way
        near = (distance > 6) & (np.abs(along) > 0.985 * distance)
        if not near.any():
            return None
        closest = int(np.argmin(np.where(near, distance, np.inf)))
        found.append(away[closest] * np.sign(along[closest]))
    first, second = found
    lengths = np.linalg.norm(first), np.linalg.norm(second)
    if max(lengths) > 2.2 * min(lengths):
        return None
    if first[0] * second[1] - first[1] * second[0] < 0:
        second = -second
    return np.stack([first, second])


def _nearest(crossings: _Crossings, place: Floats, tolerance: float) -> int | None:
    distance = np.linalg.norm(crossings.places - place, axis=1)
    index = int(np.argmin(distance))
    return index if distance[index] < max(tolerance, 2.5) else None
