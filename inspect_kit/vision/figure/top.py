"""The top of a figure: its highest point and its width, from the silhouette above the base."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Mask, Pixels
from inspect_kit.vision.figure import tuning
from inspect_kit.vision.figure.background import Ground, ReducedView
from inspect_kit.vision.figure.base import BASE, NOISE, BaseEdges, Fit, frame_of, gather, scale_at
from inspect_kit.vision.figure.edges import Lines
from inspect_kit.vision.figure.solid import HEIGHT, WIDE
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.fitting.least_squares import reweighted, robust_deviation
from inspect_kit.vision.optics.camera import COUNT, rays
from inspect_kit.vision.optics.light import linear
from inspect_kit.vision.optics.pose import rotation_of


@dataclass(frozen=True)
class Extreme:
    """An outermost point of the top: its pixel, the outline's radius of curvature there (mm), its edges' scatter (mm),
    how many times worse than usual they are believed, and whether it is tinged like the backdrop behind it."""

    pixel: Floats
    curvature: float
    scatter: float
    doubt: float
    like_backdrop: bool = False


@dataclass(frozen=True)
class Top:
    """The highest point and the outermost ones to the left and to the right, with the outline of its largest part."""

    highest: Extreme
    left: Extreme
    right: Extreme
    outline: Floats


def own_places(vector: Floats, pixels: Floats) -> Floats:
    """Where pixels' rays meet the upright plane through the figure's axis: across, and above the table."""
    foot, axes = frame_of(vector, tilted=False)
    turn = rotation_of(vector[COUNT : COUNT + 3])
    ways = rays(vector[:COUNT], pixels) @ turn @ axes
    place = axes.T @ (-turn.T @ vector[COUNT + 3 : COUNT + 6] - foot)
    reach = -place[2] / np.where(np.abs(ways[:, 2]) < 1e-9, -1e-9, ways[:, 2])
    return np.asarray(place[None, :2] + reach[:, None] * ways[:, :2])


def elevation_at(vector: Floats, pixel: Floats) -> float:
    """How steeply the ray through a pixel falls towards the table, radians."""
    _, axes = frame_of(vector, tilted=False)
    way = (rays(vector[:COUNT], pixel[None]) @ rotation_of(vector[COUNT : COUNT + 3]) @ axes)[0]
    return float(-np.arctan2(way[1], np.hypot(way[0], way[2])))


def aside_at(vector: Floats, pixel: Floats) -> float:
    """How far the ray through a pixel comes from the side, seen from above, radians."""
    _, axes = frame_of(vector, tilted=False)
    way = (rays(vector[:COUNT], pixel[None]) @ rotation_of(vector[COUNT : COUNT + 3]) @ axes)[0]
    return float(np.arctan2(way[0], -way[2]))


def measure_top(pixels: Pixels, ground: Ground, look: ReducedView, strange: Mask, fit: Fit) -> Top | Unfit:
    """The extreme points of what stands on the base."""
    parts_seen = _outlines(look, strange, fit)
    if isinstance(parts_seen, Unfit):
        return parts_seen
    rough = np.concatenate(parts_seen)
    across, up = own_places(fit.vector, rough).T
    free = up > _above_base(fit) + 0.4
    # Hands may hang as low as the base; the width is that of what rises above it.
    parts = {"highest": (up, up.max()), "left": (-across, (-across[free]).max()), "right": (across, across[free].max())}
    found: dict[str, Extreme] = {}
    for name, (value, best) in parts.items():
        near = (value > best - tuning.BAND) & (free | (name == "highest"))
        extreme = _extreme(pixels, ground, fit, rough, near, name)
        if isinstance(extreme, Unfit):
            return extreme
        found[name] = extreme
    return Top(found["highest"], found["left"], found["right"], parts_seen[0])


def _above_base(fit: Fit) -> float:
    """Height on the axis' plane up to which the base's upper face is seen."""
    foot, axes = frame_of(fit.vector)
    camera = axes.T @ (-rotation_of(fit.vector[9:12]).T @ fit.vector[12:15] - foot)
    height, wide = fit.vector[BASE + HEIGHT], fit.vector[BASE + WIDE]
    return float(height + max(wide * (camera[1] - height) / np.hypot(camera[0], camera[2]), 0.0))


def _outlines(look: ReducedView, strange: Mask, fit: Fit) -> list[Floats] | Unfit:
    """The rough outlines of the patches above the base, the largest first, in pixels of the photo."""
    height, width = strange.shape
    u, v = np.meshgrid(np.arange(0, width, 4), np.arange(0, height, 4))
    coarse = own_places(fit.vector, look.photo(np.column_stack([u.ravel(), v.ravel()]))).reshape(*u.shape, 2)
    rows, columns = np.indices((height, width), dtype=np.float32) / 4
    own = cv2.remap(coarse.astype(np.float32), columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    above = (own[:, :, 1] > _above_base(fit) + 0.2) & (own[:, :, 1] < tuning.TALLEST) & (np.abs(own[:, :, 0]) < 14)
    patch = cv2.morphologyEx((strange & above).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    keep = belonging(patch, 1 / max(float(np.median(np.abs(np.diff(own[:, :, 0], axis=1)))), 1e-6))
    if keep is None:
        return Unfit("nothing is seen to stand on the base")
    contours, _ = cv2.findContours(keep.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    order = sorted(contours, key=len, reverse=True)
    return [look.photo(contour.reshape(-1, 2).astype(np.float64)) for contour in order]


def belonging(patch: AnyArray, scale: float) -> Mask | None:
    """Patches that are large, or no speck and near to what is large; `scale` is pixels a mm.

    Where a head is of the backdrop's colour, its shaded side passes for a shadow and only the rest stands out.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(patch, connectivity=8)
    if count < 2 or stats[1:, 4].max() < 200:
        return None
    specks = [index for index in range(1, count) if stats[index, 4] < tuning.SPECK * scale**2]
    clean = np.where(np.isin(labels, specks), 0, patch).astype(np.uint8)
    reach = 2 * int(np.ceil(tuning.GAP / 2 * scale)) + 1
    near = cv2.dilate(clean, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
    joined = cv2.connectedComponents(near, connectivity=8)[1]
    sizes = np.bincount(joined[clean > 0], minlength=2)
    sizes[0] = 0
    return np.asarray((clean > 0) & (sizes > 0.08 * sizes.max())[joined])


def _extreme(pixels: Pixels, ground: Ground, fit: Fit, rough: Floats, near: Mask, name: str) -> Extreme | Unfit:
    """The outermost point among sub-pixel edges on lines that run the way it lies."""
    lines = lines_out(rough[near], _way(fit, rough[near].mean(axis=0), name))
    scale = scale_at(ground)
    edges = gather(pixels, ground, lines, 0.6 * scale + 3, sure=True)
    if len(edges.points) < tuning.FEWEST:
        edges = gather(pixels, ground, lines, 0.6 * scale + 3, sure=False)
    if len(edges.points) < tuning.FEWEST:
        return Unfit("the edge of its top is not seen clearly enough")
    places = own_places(fit.vector, edges.points)
    value, along = {"highest": (places[:, 1], places[:, 0]), "left": (-places[:, 0], places[:, 1]),
                    "right": (places[:, 0], places[:, 1])}[name]  # fmt: skip
    return replace(summit(edges, value, along), like_backdrop=_like_backdrop(pixels, ground, edges.points, lines))


def _like_backdrop(pixels: Pixels, ground: Ground, points: Floats, lines: Lines) -> bool:
    """Whether what lies inside these edges has the backdrop's tint: where it is as light too, it seems to end there."""
    inside = points - tuning.INSIDE * scale_at(ground) * lines.normals[0]
    column, row = np.clip(np.round(inside).astype(int), 0, np.array(pixels.shape[1::-1]) - 1).T
    light = np.asarray(linear(pixels[row, column][None])[0], dtype=np.float64)
    return bool(np.median(ground.sheet.tint_strangeness(light, ground.places(inside)[0])) < 1)


_LEFT_OUT: Final = 2
"""Pixels next to the rough outline that a line may still go through."""
_WAYS: Final = {"highest": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}
"""Directions in which a figure is the highest or widest."""


def _way(fit: Fit, pixel: Floats, name: str) -> Floats:
    """The direction in the photo in which the figure's plane goes up, left or right."""
    steps = own_places(fit.vector, pixel[None] + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    turn = np.linalg.inv(np.column_stack([steps[1] - steps[0], steps[2] - steps[0]]))
    way = turn @ np.array(_WAYS[name])
    return np.asarray(way / np.linalg.norm(way))


def lines_out(rough: Floats, way: Floats) -> Lines:
    """Parallel lines about a pixel apart, each from the outermost point of the rough outline near it."""
    aside = np.array([-way[1], way[0]])
    cells = np.round(rough @ aside).astype(int)
    known = np.unique(cells)
    out = np.array([(rough[cells == cell] @ way).max() for cell in known])
    # The rough outline is that of a smaller picture: it leaves some of the photo's pixels out.
    every = np.arange(known[0], known[-1] + 1)
    every = every[np.abs(every[:, None] - known).min(axis=1) <= _LEFT_OUT]
    feet = np.outer(every, aside) + np.outer(np.interp(every, known, out), way)
    return Lines(feet, np.tile(way, (len(every), 1)))


def summit(edges: BaseEdges, value: Floats, along: Floats) -> Extreme:
    """A parabola through the edges around the outermost one that is not alone, outliers left out."""
    kept = _steady(edges, value, along)
    points, sigma, value, along = edges.points[kept], edges.sigma[kept], value[kept], along[kept]
    company = (np.abs(along[:, None] - along) < 0.4) & (np.abs(value[:, None] - value) < 0.2)
    enough = min(5, int(company.sum(axis=1).max()))
    best = int(np.where(company.sum(axis=1) >= enough, value, -np.inf).argmax())
    near = (np.abs(along - along[best]) < tuning.WINDOW) & (np.abs(value - value[best]) < 0.45)
    u, v = along[near] - along[best], value[near]
    doubt = float(np.median(sigma[near])) / NOISE[0]
    if near.sum() < 5 or np.ptp(u) < 0.2:
        return Extreme(points[best], 0.5, tuning.PATCHY, doubt)
    own = NOISE[0] / sigma[near]
    fit = reweighted(
        np.vander(u, 3), v, lambda left: own / np.maximum(1.0, np.abs(left) / (2 * _spread(left))) ** 2, 5, own
    )
    factors, weights, spread = fit.factors, fit.weights, _spread(fit.left)
    sure = u[weights > 0.3 * own]
    if factors[0] >= 0:
        # No summit: a straight side, of which an outlier must not make a peak.
        factors = np.concatenate([[0.0], np.polyfit(u, v, 1, w=weights)])
        top = float(sure[np.polyval(factors, sure).argmax()])
    else:
        top = float(np.clip(-factors[1] / (2 * factors[0]), sure.min(), sure.max()))
    pixel = _moved(points[near], u, v, top, float(np.polyval(factors, top)))
    return Extreme(pixel, float(np.clip(-1 / (2 * min(factors[0], -1e-3)), 0.2, 2.0)), spread, doubt)


def _spread(left: Floats) -> float:
    return max(robust_deviation(left), 0.004)


def _steady(edges: BaseEdges, value: Floats, along: Floats) -> Mask:
    """Edges that do not jump out of the line of their neighbours: one or two by a tenth of a millimetre, or, where only
    the colour tells them, a few: colour is stored in blocks, and such a block passes for a part of the figure.

    The median of what rises or falls steadily is its middle, so that flanks of hands and heads stay.
    """
    order = np.argsort(along, kind="stable")
    ranked = value[order]
    few = np.stack([np.pad(ranked, 2, mode="edge")[shift : shift + len(ranked)] for shift in range(5)])
    jump = np.zeros(len(value))
    jump[order] = np.abs(ranked - np.median(few, axis=0))
    around = np.where(np.abs(along[:, None] - along) < tuning.BLOCK, value[None, :], np.nan)
    block = (value - np.nanmedian(around, axis=1) > tuning.JUMPS[1]) & (edges.sigma > NOISE[0])
    kept = (jump < tuning.JUMPS[0]) & ~block
    return kept if kept.sum() >= tuning.FEWEST else np.ones(len(value), dtype=bool)


def _moved(points: Floats, u: Floats, v: Floats, top: float, wanted: float) -> Floats:
    """The pixel of the place (top, wanted), linearly from the pixels of the edges around it."""
    design = np.column_stack([np.ones_like(u), u, v])
    factors = np.linalg.lstsq(design, points, rcond=None)[0]
    return np.asarray(np.array([1.0, top, wanted]) @ factors)
