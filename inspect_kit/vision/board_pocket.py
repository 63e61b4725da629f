"""Pockets: the rim of a hole in the surface, from the arc of it that is seen, whatever is lit or black inside."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board_marks import Absent, Trace, correlation
from inspect_kit.vision.board_profile import Ribbon, Shot, binned, fit_steps, ribbon, seen_mean
from inspect_kit.vision.estimation import robust_deviation

_BINS: Final = 180
_LOW, _HIGH, _MIDDLE = -10.5, 8.5, 22.25
"""mm around the usual radius in which edges are looked for."""
_RADII: Final = (20.3, 26.0)
"""mm: pockets of 41 to 49, and a rim around them; anything else is reported as not found."""
_WINDOW: Final = 0.75
"""mm to both sides of the rim: narrower than a metal or rubber rim is wide."""
_TRIALS: Final = 1500
_TOLERANCE: Final = 0.35
_PEAKS: Final = 5


def trace_pocket(shot: Shot, centre: Floats, inside: tuple[Floats, Floats]) -> Trace | Absent:
    """The rim near a guess; `inside` are the two walls' outward normals and offsets, as rows (nx, ny, distance)."""
    azimuths = (np.arange(_BINS * 3) + 0.5) / (_BINS * 3) * 2 * np.pi
    ways = np.column_stack([np.cos(azimuths), np.sin(azimuths)])
    lines = binned(ribbon(shot, centre + _MIDDLE * ways, ways, (_LOW, _HIGH)), 3)
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2)))
    if usable.sum() < 0.25 * _BINS:
        return Absent("hidden or out of the picture")
    offsets = _peaks(shot, lines, usable, inside)
    random = np.random.default_rng(7)
    circle = _best_circle(lines, offsets, random)
    if circle is None:
        return Absent("missing")
    return _refined(shot, lines, usable, circle, inside)


def _on_surface(points: Floats, inside: tuple[Floats, Floats]) -> Mask:
    """Points on the surface's side of both walls, half a mm off them."""
    good = np.ones(len(points), dtype=bool)
    for row in inside:
        good &= points @ row[:2] < row[2] - 0.6
    return good


def _peaks(shot: Shot, lines: Ribbon, usable: Mask, inside: tuple[Floats, Floats]) -> Floats:
    """Up to five edges a line, as offsets; NaN where there are fewer."""
    eye = np.sqrt(np.maximum(np.nan_to_num(lines.light), 0)).astype(np.float32)
    size = lines.steps[1] - lines.steps[0]
    width = max(lines.blur(shot) / size, 2.0)
    soft = np.stack([cv2.GaussianBlur(eye[:, :, c], (0, 0), width, sigmaY=1.0) for c in range(3)], axis=2)
    steep = np.linalg.norm(np.gradient(soft.astype(np.float64), size, axis=1), axis=2)
    peak = (
        (steep >= np.roll(steep, 1, axis=1)) & (steep > np.roll(steep, -1, axis=1)) & (steep > 0.02) & usable[:, None]
    )
    peak[:, :3] = peak[:, -3:] = False
    height = np.where(peak, steep, 0)
    best = np.argsort(-height, axis=1)[:, :_PEAKS]
    found = np.where(np.take_along_axis(height, best, axis=1) > 0, lines.steps[best], np.nan)
    for column in range(_PEAKS):
        points = lines.feet + np.nan_to_num(found[:, column])[:, None] * lines.normals
        found[~_on_surface(points, inside), column] = np.nan
    return np.asarray(found, dtype=np.float64)


def _points(lines: Ribbon, offsets: Floats) -> Floats:
    return np.asarray(lines.feet[:, None, :] + offsets[:, :, None] * lines.normals[:, None, :], dtype=np.float64)


def _best_circle(lines: Ribbon, offsets: Floats, random: np.random.Generator) -> Floats | None:
    """Of circles through three edges each the one on which most lines have an edge; of a rim the inner one."""
    places = _points(lines, offsets)
    rows, columns = np.nonzero(np.isfinite(offsets))
    if len(np.unique(rows)) < 0.2 * _BINS:
        return None
    chosen = random.integers(0, len(rows), (_TRIALS, 3))
    triple = places[rows[chosen], columns[chosen]]
    circles = _through(triple)
    middle = lines.feet.mean(axis=0)
    good = np.isfinite(circles).all(axis=1) & (circles[:, 2] > _RADII[0]) & (circles[:, 2] < _RADII[1])
    good &= np.hypot(circles[:, 0] - middle[0], circles[:, 1] - middle[1]) < 7
    circles = circles[good]
    if not len(circles):
        return None
    everywhere = np.nan_to_num(places, nan=1e6)
    x, y, radius = circles.T[:, :, None, None]
    away = np.abs(np.hypot(everywhere[None, :, :, 0] - x, everywhere[None, :, :, 1] - y) - radius)
    votes = (away.min(axis=2) < _TOLERANCE).sum(axis=1)
    best = circles[int(votes.argmax())]
    most = int(votes.max())
    if most < 0.2 * _BINS:
        return None
    inner = (np.hypot(circles[:, 0] - best[0], circles[:, 1] - best[1]) < 0.45) & (best[2] - circles[:, 2] > 0.7)
    inner &= (best[2] - circles[:, 2] < 3.2) & (votes > 0.5 * most)
    for index in np.nonzero(inner)[0][np.argsort(-votes[inner])][:5]:
        if _is_ring(lines, circles[index], best):
            return np.asarray(circles[index], dtype=np.float64)
    return np.asarray(best, dtype=np.float64)


def _is_ring(lines: Ribbon, inner: Floats, outer: Floats) -> bool:
    """Whether the strip between two circles is one material all around, as a rim is and a hole never."""
    radius = (inner[2] + outer[2]) / 2
    away = np.hypot(
        *(
            (lines.feet[:, None, :] + lines.steps[None, :, None] * lines.normals[:, None, :] - outer[:2]).transpose(
                2, 0, 1
            )
        )
    )
    chosen = np.abs(away - radius) < max(0.25 * (outer[2] - inner[2]), 0.15)
    light = np.where(chosen, lines.light.sum(axis=2), np.nan)
    around = seen_mean(light, 1)
    around = around[np.isfinite(around)]
    return len(around) > 30 and robust_deviation(around - np.median(around)) < 0.2 * float(np.median(around))


def _through(triple: Floats) -> Floats:
    """Circles through three points each: middle and radius."""
    a, b, c = triple[:, 0], triple[:, 1], triple[:, 2]
    ab, ac = b - a, c - a
    twice = 2 * (ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0])
    twice = np.where(np.abs(twice) < 1.0, np.nan, twice)
    p, q = (ab**2).sum(axis=1), (ac**2).sum(axis=1)
    x = (ac[:, 1] * p - ab[:, 1] * q) / twice
    y = (ab[:, 0] * q - ac[:, 0] * p) / twice
    return np.column_stack([a[:, 0] + x, a[:, 1] + y, np.hypot(x, y)])


def _refined(shot: Shot, lines: Ribbon, usable: Mask, circle: Floats, inside: tuple[Floats, Floats]) -> Trace | Absent:
    for _ in range(2):
        ways = lines.normals
        lines = binned(ribbon(shot, circle[:2] + circle[2] * _fine(ways), _fine(ways), (-3.5, 3.5)), 3)
        usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2))) & _on_surface(
            lines.feet + 0.8 * lines.normals, inside
        )
        if usable.sum() < 0.25 * _BINS:
            return Absent("hidden or out of the picture")
        fits, contrast = fit_steps(lines, np.zeros(_BINS), max(_WINDOW, 2 * lines.blur(shot)), lines.blur(shot), 3)
        good = _agreeing(
            lines, fits.place, usable & (fits.misfit < 0.45) & (contrast > 0.012) & (np.abs(fits.place) < 1.2)
        )
        if good.sum() < 0.45 * usable.sum():
            return Absent("missing")
        design = np.column_stack([lines.normals, np.ones(_BINS)])
        move = np.linalg.lstsq(design[good], fits.place[good], rcond=None)[0]
        circle = circle + move
        residuals = fits.place - design @ move
    points = lines.feet + fits.place[:, None] * lines.normals
    pixels = shot.view.pixels(np.column_stack([points[good], np.zeros(int(good.sum()))]))
    scatter = max(robust_deviation(residuals[good]), 0.03)
    return Trace(shot.index, pixels, scatter, correlation(residuals[good]), 0.0, 0.04, float(good.sum() / usable.sum()))


def _fine(ways: Floats) -> Floats:
    """Three directions around each."""
    angles = np.arctan2(ways[:, 1], ways[:, 0])
    many = (angles[:, None] + np.array([-1, 0, 1]) * 2 * np.pi / _BINS / 3).ravel()
    return np.column_stack([np.cos(many), np.sin(many)])


def _agreeing(lines: Ribbon, offsets: Floats, base: Mask) -> Mask:
    good = base
    design = np.column_stack([lines.normals, np.ones(len(offsets))])
    for _ in range(8):
        if good.sum() < 12:
            return good
        move = np.linalg.lstsq(design[good], offsets[good], rcond=None)[0]
        residuals = offsets - design @ move
        good = base & (np.abs(residuals) < 3 * max(robust_deviation(residuals[good]), 0.06))
    return np.asarray(good)
