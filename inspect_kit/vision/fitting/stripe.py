"""Profiles across markings in linear light, laid on the surface in millimetres, and blurred stripes fitted to them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from scipy.optimize import least_squares
from scipy.special import ndtr

from inspect_kit.vision.arrays import Floats, Light, Mask
from inspect_kit.vision.fitting.line_fit import Equations, Expectation, Moves, fit_lines
from inspect_kit.vision.optics.pose import View

STEP: Final = 0.12
"""mm between the samples across."""
_MORE_BLUR: Final = 0.5
"""Share by which single strokes may be blurred more than the photo's broad lines: out of focus, or taken for noise."""
_SETTLED: Final = 0.002
"""mm: when nine lines of ten move by less, a fit is done."""
_UNKNOWN: Final = Expectation(np.array([1e-9, 1e-3, 1e-9, 1e-6]))
"""Ground, its slope, height and place of a shape: hardly anything is expected of them."""
BRIGHTNESS: Final = np.array([0.2126, 0.7152, 0.0722])
"""Weights of linear red, green and blue in what the eye calls bright."""


@dataclass(frozen=True)
class Shot:
    """One photo as the board's features are looked for in it."""

    index: int
    light: Light
    view: View
    covered: tuple[Floats, ...]
    """Quadrilaterals of the surface that cards hide."""
    blur: float = 0.9
    """Pixels: standard deviation of the photo's blur."""
    u_blur: float = 0.3


@dataclass(frozen=True)
class Ribbon:
    """Light along lines across a path: path places × steps × colours, NaN where nothing is seen."""

    feet: Floats
    normals: Floats
    steps: Floats
    light: Floats
    scale: Floats
    """Pixels a mm across the path, at each place."""

    def blur(self, shot: Shot) -> float:
        """The photo's blur across this path in mm."""
        return shot.blur / float(np.median(self.scale))


def ribbon(shot: Shot, feet: Floats, normals: Floats, reach: tuple[float, float]) -> Ribbon:
    """Samples from `reach[0]` to `reach[1]` mm along the normals of a path."""
    steps = np.arange(reach[0], reach[1] + STEP / 2, STEP)
    nodes = np.linspace(reach[0], reach[1], 3)
    places = (feet[:, None, :] + nodes[None, :, None] * normals[:, None, :]).reshape(-1, 2)
    pixels = shot.view.pixels(np.column_stack([places, np.zeros(len(places))])).reshape(len(feet), 3, 2)
    u = (steps - nodes[1]) / (nodes[2] - nodes[1])
    shares = np.stack([u * (u - 1) / 2, 1 - u * u, u * (u + 1) / 2])
    at = np.einsum("nkc,km->nmc", pixels, shares).astype(np.float32)
    light = cv2.remap(
        shot.light,
        at[:, :, 0],
        at[:, :, 1],
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(np.nan,) * 3,
    )
    scale = np.linalg.norm(pixels[:, 2] - pixels[:, 0], axis=1) / (reach[1] - reach[0])
    values = np.asarray(light, dtype=np.float64)
    hidden = inside_any(places, shot.covered).reshape(len(feet), 3).any(axis=1)
    values[hidden] = np.nan
    return Ribbon(feet, normals, steps, values, np.asarray(scale, dtype=np.float64))


def inside_any(points: Floats, quads: Sequence[Floats]) -> Mask:
    """Which points lie in one of the quadrilaterals (corners in clockwise order), or nearer than 1 mm."""
    hit = np.zeros(len(points), dtype=bool)
    for quad in quads:
        inside = np.ones(len(points), dtype=bool)
        for a, b in zip(quad, np.roll(quad, -1, axis=0), strict=True):
            way = (b - a) / np.linalg.norm(b - a)
            inside &= (points[:, 0] - a[0]) * way[1] - (points[:, 1] - a[1]) * way[0] > -1.0
        hit |= inside
    return hit


def seen_median(values: Floats, axis: int | tuple[int, ...], keepdims: bool = False) -> Floats:
    """The median of what is seen (not NaN); NaN where nothing is, which is no fault."""
    if values.size and np.isfinite(values).all():
        return np.asarray(np.median(values, axis=axis, keepdims=keepdims), dtype=np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(np.nanmedian(values, axis=axis, keepdims=keepdims), dtype=np.float64)


def seen_mean(values: Floats, axis: int) -> Floats:
    """The mean of what is seen; NaN where nothing is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(np.nanmean(values, axis=axis), dtype=np.float64)


def binned(source: Ribbon, count: int) -> Ribbon:
    """Neighbouring lines averaged, `count` to a line; bins with any hidden line are hidden."""
    whole = len(source.feet) // count * count
    if whole == 0:
        return source

    def joined(values: Floats) -> Floats:
        return np.asarray(values[:whole].reshape(-1, count, *values.shape[1:]).mean(axis=1), dtype=np.float64)

    normals = joined(source.normals)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Ribbon(joined(source.feet), normals, source.steps, joined(source.light), joined(source.scale))


def stripe(away: Floats, width: float | Floats, blur: float) -> Floats:
    """A bar of this width and height one, blurred by a Gaussian."""
    return np.asarray(ndtr((away + width / 2) / blur) - ndtr((away - width / 2) / blur), dtype=np.float64)


def step(away: Floats, blur: float) -> Floats:
    """One before the edge and nothing after it, blurred by a Gaussian."""
    return np.asarray(ndtr(-away / blur), dtype=np.float64)


@dataclass(frozen=True)
class Fits:
    """What was fitted to each line: place of the middle or edge in mm along the steps, height, and relative misfit."""

    place: Floats
    height: Floats
    misfit: Floats


def fit_shape(steps: Floats, values: Floats, start: Floats, half: float, shape: Callable[..., Floats]) -> Fits:
    """`shape(away)`, moved and scaled on a sloping ground, fitted to each line within ± `half` of the start."""
    hidden = ~np.isfinite(values).all(axis=1)
    near = (steps >= start.min() - half) & (steps <= start.max() + half)
    steps, clean = steps[near], np.nan_to_num(values[:, near])
    window = (np.abs(steps[None, :] - start[:, None]) <= half).astype(np.float64)

    def equations(place: Floats, _: Floats) -> Equations:
        away = steps[None, :] - place[:, None]
        form, slope = shape(away), (shape(away + 0.01) - shape(away - 0.01)) / -0.02
        return Equations(np.stack([np.ones_like(form), away, form, slope], axis=2), clean, window)

    def shift(parts: Floats) -> Floats:
        height = parts[:, 2]
        return parts[:, 3] / np.where(np.abs(height) < 1e-3, np.copysign(1e-3, height + 1e-12), height)

    found = fit_lines(Moves(start, half, 0.4, 6, _SETTLED), _UNKNOWN, equations, shift)
    height = found.parts[:, 2]
    misfit = found.misfit / np.maximum(np.abs(height), 1e-6)
    return Fits(found.place, np.where(hidden, 0.0, height), np.where(hidden, np.inf, misfit))


def stacked(steps: Floats, values: Floats, places: Floats, good: Mask, half: float) -> tuple[Floats, Floats]:
    """The mean profile of the good lines, each moved to its own place; and its steps."""
    away = np.arange(-half, half + STEP / 2, STEP / 2)
    rows = np.nonzero(good)[0]
    moved = np.stack([np.interp(away + places[row], steps, values[row]) for row in rows])
    low, high = np.percentile(moved, [15, 85], axis=0)
    trimmed = np.where((moved >= low) & (moved <= high), moved, np.nan)
    return away, seen_mean(trimmed, 0)


@dataclass(frozen=True)
class Width:
    """Width of a stripe in mm with its standard uncertainty, the ink's height, and the blur that fits best (mm)."""

    width: float
    u: float
    height: float
    blur: float
    misfit: float = 0.0
    """What the stripe leaves over of the mean profile, over the ink's height: two thin lines are not one thick one."""
    middle: float = 0.0
    """mm: where the stripe's middle lies on the profile; far from 0, the lines were stacked at one of its edges."""


def fit_width(
    away: Floats,
    profile: Floats,
    guess: float,
    blur: tuple[float, float],
    ink: tuple[float, float] | None,
    full: float | None = None,
) -> Width:
    """Width from a stacked profile. Blur, and the ink's height where it is known, are weighed in with their spread.

    Of a line thinner than the blur a photo shows only width × height: what is known of the ink decides then. `full` is
    the height of the board's broad lines, whose ink this one's may be or not.
    """
    scatter = 0.02

    def residuals(at: Floats) -> Floats:
        width, height, sigma, middle, ground, slope = at
        model = ground + slope * away + height * stripe(away - middle, abs(width), abs(sigma) + 1e-3)
        rows = [(model - profile) / scatter / np.sqrt(3), [(sigma - blur[0]) / blur[1]]]
        if ink is not None:
            rows.append([(height - ink[0]) / ink[1]])
        return np.concatenate(rows)

    def slopes_at(at: Floats) -> Floats:
        rows = [_stripe_slopes(away, at) / scatter / np.sqrt(3), [[0, 0, 1 / blur[1], 0, 0, 0]]]
        if ink is not None:
            rows.append([[0, 1 / ink[1], 0, 0, 0, 0]])
        return np.concatenate(rows)

    start = np.array([guess, float(np.nanmax(profile)) or 1.0, blur[0], 0.0, 0.0, 0.0])
    answer = least_squares(residuals, start, jac=slopes_at, x_scale=[0.3, 0.3, 0.1, 0.1, 0.1, 0.1], max_nfev=60)
    slopes = np.asarray(answer.jac, dtype=np.float64)
    normal = slopes.T @ slopes + 1e-9 * np.eye(6)
    spread = float(np.sqrt(max(np.linalg.inv(normal)[0, 0], 0)))
    left = residuals(answer.x)[: len(away)] * scatter * np.sqrt(3)
    width, height, sigma = (abs(float(value)) for value in answer.x[:3])
    misfit = float(np.sqrt((left**2).mean())) / max(height, 1e-6)
    u = np.linalg.norm([spread, _by_form(left, height, sigma), _by_fading((width, height, sigma), full)])
    return Width(width, float(u), float(answer.x[1]), sigma, misfit, float(answer.x[3]))


def _by_form(left: Floats, height: float, sigma: float) -> float:
    """mm: what sharpening and smoothing make of a stripe's edges, told by what the stripe leaves over of the profile.

    At its worst place that is a share of the ink's height; over the slope of a blurred edge it is a shift, and a phone
    shifts both edges of a stripe the same way, inwards or outwards.
    """
    return float(2 * np.sqrt(2 * np.pi) * sigma * np.abs(left).max() / max(height, 1e-6))


def _by_fading(seen: tuple[float, float, float], full: float | None) -> float:
    """mm: a pale stripe is worn, or a thinner one of full ink smoothed broad: U, twice this, reaches both readings.

    The second needs more blur than the rest of the photo has; the more, the less it is likely.
    """
    width, height, sigma = seen
    if full is None or height >= full:
        return 0.0
    thinner = width * height / full
    more = np.sqrt(sigma**2 + (width**2 - thinner**2) / 12) / max(sigma, 1e-6) - 1
    return float((width - thinner) / 2 * np.exp(-0.5 * (more / _MORE_BLUR) ** 2))


def _stripe_slopes(away: Floats, at: Floats) -> Floats:
    """How a stripe on sloping ground moves with width, height, blur, middle, ground and slope."""
    width, height, sigma, middle = at[:4]
    blur = abs(sigma) + 1e-3
    first, last = ((away - middle + side * abs(width) / 2) / blur for side in (1, -1))
    bells = [np.exp(-0.5 * edge**2) / np.sqrt(2 * np.pi) * height / blur for edge in (first, last)]
    by_width = np.copysign(0.5, width) * (bells[0] + bells[1])
    by_blur = np.copysign(1.0, sigma) * (last * bells[1] - first * bells[0])
    return np.column_stack([by_width, ndtr(first) - ndtr(last), by_blur, bells[1] - bells[0], np.ones_like(away), away])


def shifted_rows(values: Floats, shift: Floats) -> Floats:
    """Every row (values beyond the first two axes go along) read `shift` samples further on, linearly; ends go on."""
    count = values.shape[1]
    at = np.clip(np.arange(count) + shift[:, None], 0, count - 1)
    low = np.minimum(at.astype(np.intp), count - 2)
    share = (at - low).reshape(*at.shape, *(1,) * (values.ndim - 2))
    rows = np.arange(len(values))[:, None]
    return np.asarray(values[rows, low] * (1 - share) + values[rows, low + 1] * share, dtype=np.float64)


def fit_steps(source: Ribbon, guess: Floats, half: float, blur: float, around: int = 5) -> tuple[Fits, Floats]:
    """A blurred step near the guess on each line, and the contrast there in linear light.

    The colours are added with the weights of the difference between both sides, averaged over `around` lines.
    """
    away = source.steps[None, :] - guess[:, None]
    inner = _mean_where(source.light, (away < -0.4 * half) & (away > -half - blur))
    outer = _mean_where(source.light, (away > 0.4 * half) & (away < half + blur))
    kernel = np.ones(around) / around
    difference = np.column_stack([np.convolve(np.nan_to_num(inner - outer)[:, c], kernel, "same") for c in range(3)])
    size = np.linalg.norm(difference, axis=1)
    weights = difference / np.maximum(size, 1e-5)[:, None] ** 2
    values = np.einsum("nmc,nc->nm", source.light - outer[:, None, :], weights)
    return fit_shape(source.steps, values, guess, half, lambda at: step(at, blur)), size


def _mean_where(light: Floats, chosen: Mask) -> Floats:
    count = np.maximum(chosen.sum(axis=1), 1)
    return np.asarray(np.einsum("nmc,nm->nc", np.nan_to_num(light), chosen.astype(np.float64)) / count[:, None])
