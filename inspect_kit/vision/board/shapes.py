"""The board's lines and circles on the surface: fitted to the traces of all photos, with their covariance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.board import tuning
from inspect_kit.vision.board.bundle import Bundle
from inspect_kit.vision.board.layout import OUTWARDS, TOWARDS, Placement
from inspect_kit.vision.board.lines import Trace

Key = tuple[str, str]
Traces = Mapping[Key, Sequence[Trace]]

LINES: Final = frozenset({"foot", "lower", "upper", "shaft"})
CIRCULAR: Final = frozenset({"circle", "disc", "outer", "centre", "pocket"})
STROKES: Final = frozenset({"lower", "upper", "shaft", "circle", "outer", "centre"})


@dataclass(frozen=True)
class Shapes:
    """Numbers of every shape in one vector: lines (level, slope, width), circles (x, y, radius, width), points (x, y).

    On the board's frame. A line runs along its own direction; `level` is how far outwards of the middle it is there.
    """

    numbers: Floats
    places: Mapping[Key, slice]

    def __getitem__(self, key: Key) -> Floats:
        return self.numbers[self.places[key]]

    def __contains__(self, key: Key) -> bool:
        return key in self.places


def direction(key: Key) -> tuple[Floats, Floats]:
    """Outwards and along for a line of this name."""
    out = np.array(OUTWARDS[key[1]] if key[1] in OUTWARDS else TOWARDS[key[1]], dtype=np.float64)
    out /= np.linalg.norm(out)
    if key[0] == "shaft":
        return np.array([out[1], -out[0]]), out
    return out, np.array([out[1], -out[0]])


def fit_shapes(
    traces: Traces, bundle: Bundle, placement: Placement, vector: Floats | None = None, lift: float = 0.0
) -> Shapes:
    """All shapes at the bundle's solution, or at another vector; `lift` raises what lies on the frame's top."""
    seen = _on_surface(traces, bundle, placement, vector, lift)
    numbers: list[float] = []
    places: dict[Key, slice] = {}
    for key, own in traces.items():
        values = _fitted(key, own, seen[key])
        places[key] = slice(len(numbers), len(numbers) + len(values))
        numbers.extend(values)
    return Shapes(np.array(numbers), places)


def _on_surface(
    traces: Traces, bundle: Bundle, placement: Placement, vector: Floats | None, lift: float
) -> dict[Key, list[Floats]]:
    """Every trace's points on the board's frame; photo by photo, so that each lens is undone once."""
    result: dict[Key, list[Floats]] = {key: [np.zeros((0, 2))] * len(own) for key, own in traces.items()}
    for photo in range(len(bundle.slots)):
        view = bundle.view(photo, vector)
        own = [
            (key, index, trace)
            for key, many in traces.items()
            for index, trace in enumerate(many)
            if trace.photo == photo
        ]
        for height in {trace.height for _, _, trace in own}:
            chosen = [each for each in own if each[2].height == height]
            pixels = np.concatenate([trace.pixels for _, _, trace in chosen])
            points = placement.to_board(view.on_plane(pixels, height + lift if height else 0.0))
            ends = np.cumsum([len(trace.pixels) for _, _, trace in chosen])[:-1]
            for (key, index, _), part in zip(chosen, np.split(points, ends), strict=True):
                result[key][index] = part
    return result


def _fitted(key: Key, traces: Sequence[Trace], points: Sequence[Floats]) -> Floats:
    weights = np.concatenate(
        [np.full(len(trace.pixels), 1 / (max(trace.scatter, 0.02) ** 2 * trace.alike)) for trace in traces]
    )
    joined = np.concatenate(points)
    if key[0] in LINES:
        return np.append(_line(key, joined, weights), _width(traces))
    if key[0] in CIRCULAR:
        return np.append(_circle(joined, weights), _width(traces))
    return np.asarray((joined * weights[:, None]).sum(axis=0) / weights.sum(), dtype=np.float64)


def _width(traces: Sequence[Trace]) -> float:
    weights = np.array([1 / max(trace.u_width, 0.01) ** 2 for trace in traces])
    return float((np.array([trace.width for trace in traces]) * weights).sum() / weights.sum())


def _line(key: Key, points: Floats, weights: Floats) -> Floats:
    out, along = direction(key)
    design = np.column_stack([np.ones(len(points)), points @ along])
    root = np.sqrt(weights)[:, None]
    return np.asarray(np.linalg.lstsq(design * root, (points @ out) * root[:, 0], rcond=None)[0], dtype=np.float64)


def _circle(points: Floats, weights: Floats) -> Floats:
    """Weighted least squares of the radial distances, from the algebraic circle."""
    middle = points.mean(axis=0)
    flat = points - middle
    root = np.sqrt(weights / weights.mean())
    design = np.column_stack([2 * flat, np.ones(len(flat))])
    found = np.linalg.lstsq(design * root[:, None], (flat**2).sum(axis=1) * root, rcond=None)[0]
    x, y, radius = found[0], found[1], np.sqrt(max(found[2] + found[0] ** 2 + found[1] ** 2, 1e-6))
    for _ in range(8):
        away = flat - [x, y]
        distance = np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-9)
        slopes = np.column_stack([away / distance[:, None], np.ones(len(flat))])
        move = np.linalg.lstsq(slopes * root[:, None], (distance - radius) * root, rcond=None)[0]
        x, y, radius = x + move[0], y + move[1], radius + move[2]
        if np.abs(move).max() < 1e-9:
            break
    return np.array([x + middle[0], y + middle[1], radius])


@dataclass(frozen=True)
class Spread:
    """Covariances of the shapes' numbers: by the scatter and shift of edges, and by the widths of stripes."""

    edge: Floats
    outline: Floats


def spread_of(shapes: Shapes, traces: Traces, bundle: Bundle, placement: Placement) -> Spread:
    """Edge scatter through each fit; a common shift of an edge besides; widths as their traces say.

    Blur, sharpening and pale ink make all strokes of a photo too broad or all too narrow: their widths are one error.
    """
    size = len(shapes.numbers)
    edge, outline, strokes = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
    seen = _on_surface(traces, bundle, placement, None, 0.0)
    for key, place in shapes.places.items():
        own = traces[key]
        part = _edge_covariance(key, own, np.concatenate(seen[key]), shapes[key], bundle)
        count = part.shape[0]
        edge[place.start : place.start + count, place.start : place.start + count] = part
        if key[0] in LINES | CIRCULAR:
            worth = 1 / np.sqrt(sum(1 / max(trace.u_width, 0.005) ** 2 for trace in own))
            # What is vague about a foot is where it is, not how wide.
            index = place.start if key[0] == "foot" else place.stop - 1
            if key[0] in STROKES:
                # Both edges of a stroke move outwards together, or inwards.
                strokes[index] = np.hypot(worth, 2 * _shift(own, bundle))
            else:
                outline[index, index] = worth**2
    return Spread(edge, outline + np.outer(strokes, strokes))


def _shift(traces: Sequence[Trace], bundle: Bundle) -> float:
    """mm by which a whole edge may be seen shifted."""
    resolution = float(np.mean([bundle.view(trace.photo).resolution(np.array([0.0, 0.0, 0.0])) for trace in traces]))
    pixels = tuning.EDGE_PIXELS if bundle.cards else tuning.UNKNOWN_EDGE_PIXELS
    return float(pixels / max(resolution, 0.05) / np.sqrt(len(traces)))


def _edge_covariance(key: Key, traces: Sequence[Trace], points: Floats, numbers: Floats, bundle: Bundle) -> Floats:
    """Without the width."""
    variances = np.concatenate(
        [np.full(len(trace.pixels), max(trace.scatter, 0.02) ** 2 * trace.alike) for trace in traces]
    )
    shift = _shift(traces, bundle)
    if key[0] in LINES:
        _, along = direction(key)
        design = np.column_stack([np.ones(len(points)), points @ along])
        common = np.diag([shift**2, (shift / 300) ** 2])
    elif key[0] in CIRCULAR:
        away = points - numbers[:2]
        design = np.column_stack([away / np.linalg.norm(away, axis=1, keepdims=True), np.ones(len(points))])
        common = np.diag([(0.5 * shift) ** 2, (0.5 * shift) ** 2, shift**2])
    else:
        return np.eye(2) * float(1 / (1 / variances).sum())
    return np.asarray(np.linalg.inv((design / variances[:, None]).T @ design) + common, dtype=np.float64)


def moved(shapes: Shapes, index: int, by: float) -> Shapes:
    """The same shapes with one number changed."""
    numbers = shapes.numbers.copy()
    numbers[index] += by
    return replace(shapes, numbers=numbers)
