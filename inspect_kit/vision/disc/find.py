"""Finding round pieces without hints: edges, set straight on the plane of the upper faces, vote for circles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Light, Mask, Pixels, Whole
from inspect_kit.vision.disc import tuning
from inspect_kit.vision.optics.pose import View

_NODES: Final = 16
"""Pixels between the places at which the view is computed exactly; linear between them."""
_BINS: Final = 72
"""Sectors of a circle in which an edge is or is not."""

Seed = tuple[float, float, float]
"""A place on the plane and a radius, mm."""


@dataclass(frozen=True)
class Candidate:
    """A circle on the plane of the upper faces, with the share of it that is seen as an edge."""

    x: float
    y: float
    radius: float
    support: float
    visible: float


@dataclass(frozen=True)
class Region:
    """A rectangle of the plane at `height`, as a picture of `scale` pixels a mm; rows run downwards."""

    left: float
    upper: float
    width: int
    height_pixels: int
    scale: float
    height: float

    def places(self, across: Floats, down: Floats) -> Floats:
        """Pixels of the straightened picture → mm."""
        return np.column_stack([self.left + across / self.scale, self.upper - down / self.scale])


@dataclass(frozen=True)
class EdgePoints:
    """Edge points on the plane in mm, ordered by y, with the direction of the steepest light."""

    places: Floats
    ways: Floats


def find_circles(
    pixels: Pixels, view: View, around: Floats, height: float, radii: tuple[float, float]
) -> list[Candidate]:
    """Circles of a radius within bounds near the reference, whose points `around` bound the search."""
    region = _region(view, pixels.shape[1], pixels.shape[0], around, height, radii[1])
    picture, seen = _straightened(pixels, view, region)
    edges = _edge_points(picture, seen, region)
    seeds = _voted(edges, region, radii)
    frame = (pixels.shape[1], pixels.shape[0])
    found = _refined(edges, view, height, seeds, frame)
    # A groove outvotes a rounded rim: around every circle the larger ones with the same middle are looked at too.
    larger = [seed for each in found for seed in _around(edges, each, radii[1])]
    return _distinct([*found, *_refined(edges, view, height, larger, frame)])


def _refined(
    edges: EdgePoints, view: View, height: float, seeds: Sequence[Seed], frame: tuple[int, int]
) -> list[Candidate]:
    """The circles the seeds lead to; a seed beside a circle that is already there is left out."""
    found: list[Candidate] = []
    for seed in seeds:
        if not any(_beside(seed, circle) for circle in found):
            circle = _checked(edges, view, height, seed, frame)
            if circle is not None and circle.support > tuning.LEAST_SUPPORT:
                found.append(circle)
    return found


def _beside(seed: Seed, circle: Candidate) -> bool:
    x, y, radius = seed
    return abs(x - circle.x) < 1.2 and abs(y - circle.y) < 1.2 and abs(radius - circle.radius) < 1.0


def _region(view: View, width: int, height: int, around: Floats, level: float, largest: float) -> Region:
    x, y = np.linspace(0, width - 1, 25), np.linspace(0, height - 1, 25)
    border = np.concatenate([np.column_stack([x, 0 * x]), np.column_stack([x, 0 * x + height - 1]),
                             np.column_stack([0 * y, y]), np.column_stack([0 * y + width - 1, y])])  # fmt: skip
    visible = view.on_plane(border, level)
    extent = np.ptp(around, axis=0).max()
    # Pieces lie on a sheet, or beside a small reference.
    spread = max(250.0, 1.3 * float(extent)) if extent < 150 else max(60.0, 0.25 * float(extent))
    low = np.maximum(around.min(axis=0) - spread, visible.min(axis=0) - 0.6 * largest)
    high = np.minimum(around.max(axis=0) + spread, visible.max(axis=0) + 0.6 * largest)
    size = np.maximum(high - low, 10.0)
    middle = np.array([*(low + high) / 2, level])
    scale = float(min(tuning.FINEST, np.sqrt(tuning.PIXELS / (size[0] * size[1])), 1.2 * view.resolution(middle)))
    return Region(float(low[0]), float(high[1]), int(size[0] * scale), int(size[1] * scale), scale, level)


def _straightened(pixels: Pixels, view: View, region: Region) -> tuple[Pixels, Mask]:
    """The photo as if taken straight from above at the height of the upper faces; and which of it the photo shows."""
    across = (np.arange(region.width // _NODES + 2) + 0.5) * _NODES - 0.5
    down = (np.arange(region.height_pixels // _NODES + 2) + 0.5) * _NODES - 0.5
    grid = np.stack(np.meshgrid(across, down), axis=2)
    places = region.places(grid[:, :, 0].ravel(), grid[:, :, 1].ravel())
    at = view.pixels(np.column_stack([places, np.full(len(places), region.height)])).reshape(grid.shape)
    middle = np.array([*places.mean(axis=0), region.height])
    factor = min(1.0, 1.3 * region.scale / view.resolution(middle))
    size = (max(2, round(pixels.shape[1] * factor)), max(2, round(pixels.shape[0] * factor)))
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA) if factor < 0.8 else pixels
    ratio = np.array([small.shape[1] / pixels.shape[1], small.shape[0] / pixels.shape[0]])
    wanted = ((at + 0.5) * ratio - 0.5).astype(np.float32)
    full = cv2.resize(wanted, (len(across) * _NODES, len(down) * _NODES), interpolation=cv2.INTER_LINEAR)
    full = np.ascontiguousarray(full[: region.height_pixels, : region.width])
    picture = cv2.remap(small, full[:, :, 0], full[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    x, y = full[:, :, 0], full[:, :, 1]
    seen = (x > 1) & (x < small.shape[1] - 2) & (y > 1) & (y < small.shape[0] - 2)
    return np.asarray(picture, dtype=np.uint8), np.asarray(seen)


def _edge_points(picture: Pixels, seen: Mask, region: Region) -> EdgePoints:
    size, along, down = _steepest(cv2.GaussianBlur(picture, (0, 0), 1.0))
    inner = cv2.erode(seen.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    inner[:1] = inner[-1:] = inner[:, :1] = inner[:, -1:] = False
    limit = max(2.0, 2.0 * float(np.median(size[inner]))) if inner.any() else 2.0
    at = np.nonzero(inner & (size > limit))
    ridge = _ridges(size, along[at], down[at], at)
    rows, columns = at[0][ridge], at[1][ridge]
    if len(rows) > tuning.MOST_EDGES:
        strongest = np.argsort(-size[rows, columns])[: tuning.MOST_EDGES]
        rows, columns = rows[strongest], columns[strongest]
    ways = np.column_stack([along[rows, columns], -down[rows, columns]]) / size[rows, columns][:, None]
    places = region.places(columns.astype(float), rows.astype(float))
    order = np.argsort(places[:, 1])
    # Column by column in memory: circles are tried by the thousand.
    return EdgePoints(np.asfortranarray(places[order]), np.asfortranarray(ways[order].astype(np.float64)))


def _steepest(soft: AnyArray) -> tuple[Light, Light, Light]:
    """Steepness and gradient of the colour that changes most, at every pixel."""
    size, along, down = _gradient(soft[:, :, 0])
    for colour in (1, 2):
        steep, across, below = _gradient(soft[:, :, colour])
        more = (steep > size).view(np.uint8)
        cv2.copyTo(steep, more, size)
        cv2.copyTo(across, more, along)
        cv2.copyTo(below, more, down)
    return size, along, down


def _gradient(values: AnyArray) -> tuple[Light, Light, Light]:
    single = np.ascontiguousarray(values)
    along = cv2.Sobel(single, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    down = cv2.Sobel(single, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    steep = cv2.magnitude(along, down)
    return tuple(np.asarray(part, dtype=np.float32) for part in (steep, along, down))  # type: ignore[return-value]


def _ridges(size: Light, along: Light, down: Light, at: tuple[Whole, ...]) -> Mask:
    """Which places are steeper than their two neighbours along the steepest way (eight directions)."""
    across, below = np.abs(along), np.abs(down)
    oblique = np.minimum(across, below) > 0.4142 * np.maximum(across, below)
    x = np.where(oblique | (across >= below), 1, 0)
    y = np.where(oblique, np.where(along * down > 0, 1, -1), np.where(across >= below, 0, 1))
    here = size[at]
    return np.asarray((here >= size[at[0] + y, at[1] + x]) & (here > size[at[0] - y, at[1] - x]))


def _voted(edges: EdgePoints, region: Region, radii: tuple[float, float]) -> list[Seed]:
    """Centres and radii with many votes, best first: every edge point votes for centres along its steepest way."""
    cell = 1.0
    sizes = np.arange(radii[0], radii[1] + cell, cell)
    # As wide as the farthest vote goes, so that none has to be looked at for whether it is inside.
    rim = int(sizes[-1] / cell) + 3
    columns = int(region.width / region.scale / cell) + 2 * rim
    rows = int(region.height_pixels / region.scale / cell) + 2 * rim
    origin = np.array([region.left, region.upper - region.height_pixels / region.scale]) - rim * cell
    layers = np.empty((len(sizes), rows, columns), np.float32)
    start, ways = ((edges.places - origin) / cell).astype(np.float32).T, edges.ways.astype(np.float32).T
    for layer, radius in zip(layers, sizes, strict=True):
        votes = np.zeros(rows * columns)
        for signed in (-radius / cell, radius / cell):
            x, y = (start + np.float32(signed) * ways).astype(np.int32)
            votes += np.bincount(y * columns + x, minlength=rows * columns)
        share = np.float32(9 / (2 * np.pi * radius * region.scale))
        layer[:] = cv2.blur(votes.reshape(rows, columns).astype(np.float32), (3, 3)) * share
    return _peaks(layers, sizes, origin, cell)


def _peaks(layers: Light, sizes: Floats, origin: Floats, cell: float) -> list[Seed]:
    joined = layers.copy()
    joined[1:] += layers[:-1]
    joined[:-1] += layers[1:]
    highest = np.stack([cv2.dilate(layer, np.ones((5, 5), np.uint8)) for layer in joined])
    index, row, column = np.nonzero((joined >= highest) & (joined > tuning.LEAST_VOTES))
    for step in (-1, 1):
        beside = np.clip(index + step, 0, len(sizes) - 1)
        keep = joined[index, row, column] >= highest[beside, row, column]
        index, row, column = index[keep], row[keep], column[keep]
    order = np.argsort(-joined[index, row, column])[: tuning.MOST_SEEDS]
    return [
        (float(origin[0] + (column[i] + 0.5) * cell), float(origin[1] + (row[i] + 0.5) * cell), float(sizes[index[i]]))
        for i in order
    ]


def _checked(edges: EdgePoints, view: View, height: float, seed: Seed, frame: tuple[int, int]) -> Candidate | None:
    """The circle through the edge points that agree with the seed, if they go round far enough."""
    x, y, radius = seed
    for tolerance in (1.8, 1.1, 0.8):
        around, apart = _agreeing(edges, x, y, radius, tolerance)
        if len(around) < 12 or _bins(around).mean() < 0.1:
            return None
        # The distance from the centre is linear in small moves of it.
        design = np.column_stack([np.cos(around), np.sin(around), np.ones(len(around))])
        move = np.linalg.solve(design.T @ design + 1e-6 * np.eye(3), design.T @ apart)
        if np.abs(move).max() > 2.5:
            return None
        x, y, radius = x + float(move[0]), y + float(move[1]), radius + float(move[2])
    hit = _bins(_agreeing(edges, x, y, radius, 0.8)[0])
    visible = _visible_bins(view, x, y, radius, height, frame)
    if visible.sum() < 0.3 * _BINS:
        return None
    return Candidate(x, y, radius, float((hit & visible).sum() / visible.sum()), float(visible.mean()))


def _agreeing(edges: EdgePoints, x: float, y: float, radius: float, tolerance: float) -> tuple[Floats, Floats]:
    """Azimuths and distances from the circle of the edge points that lie on it and run along it."""
    reach = radius + tolerance
    band = slice(*np.searchsorted(edges.places[:, 1], [y - reach, y + reach]))
    away = edges.places[band] - np.array([x, y])
    distance = np.hypot(away[:, 0], away[:, 1])
    near = np.nonzero(np.abs(distance - radius) < tolerance)[0]
    straight = np.abs((away[near] * edges.ways[band][near]).sum(axis=1)) > 0.93 * distance[near]
    near = near[straight]
    return np.arctan2(away[near, 1], away[near, 0]), distance[near] - radius


def _around(edges: EdgePoints, inner: Candidate, largest: float) -> list[Seed]:
    """Larger circles around the same middle that the edges go round at least half way."""
    width = 0.5
    reach = largest + 1.0
    band = slice(*np.searchsorted(edges.places[:, 1], [inner.y - reach, inner.y + reach]))
    away = edges.places[band] - np.array([inner.x, inner.y])
    distance = np.hypot(away[:, 0], away[:, 1])
    along = np.abs((away * edges.ways[band]).sum(axis=1)) > 0.93 * distance
    chosen = along & (distance > inner.radius + 1.0) & (distance < reach)
    level = ((distance[chosen] - inner.radius) / width).astype(int)
    sector = ((np.arctan2(away[chosen, 1], away[chosen, 0]) / (2 * np.pi) % 1) * _BINS).astype(int) % _BINS
    hit = np.zeros((int((reach - inner.radius) / width) + 3, _BINS), dtype=bool)
    hit[level, sector] = True
    share = (hit[:-1] | hit[1:]).mean(axis=1)
    best = (share > 0.5) & (share >= np.roll(share, 1)) & (share > np.roll(share, -1))
    return [(inner.x, inner.y, float(inner.radius + (index + 1) * width)) for index in np.nonzero(best)[0]]


def _bins(around: Floats) -> Mask:
    hit = np.zeros(_BINS, dtype=bool)
    hit[((around + np.pi) / (2 * np.pi) * _BINS).astype(int) % _BINS] = True
    return hit


def _visible_bins(view: View, x: float, y: float, radius: float, height: float, frame: tuple[int, int]) -> Mask:
    angles = (np.arange(_BINS) + 0.5) / _BINS * 2 * np.pi - np.pi
    ring = np.column_stack([x + radius * np.cos(angles), y + radius * np.sin(angles), np.full(_BINS, height)])
    seen = view.pixels(ring)
    return np.asarray(np.all((seen > 2) & (seen < np.array(frame) - 3), axis=1))


def _distinct(candidates: list[Candidate]) -> list[Candidate]:
    """One of each; those seen round about more than a third, best first."""
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda each: -each.support):
        same = any(
            np.hypot(candidate.x - other.x, candidate.y - other.y) < 1.0 and abs(candidate.radius - other.radius) < 0.7
            for other in kept
        )
        if candidate.support > tuning.LEAST_SUPPORT and not same:
            kept.append(candidate)
    return kept
