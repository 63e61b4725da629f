"""Edges of a figure to a fraction of a pixel: lines across its outline, and a step fitted where the ground ends.

The light on the figure's side may fall off towards the outline as on any rounded matt surface (with the root of the
depth); a plain step would take that seam for ground. The share of the figure in a pixel is worked out from the luma in
linear light: JPEG stores colour at half the resolution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.figure import tuning
from inspect_kit.vision.figure.background import Ground
from inspect_kit.vision.fitting.line_fit import Equations, Expectation, Moves, fit_lines
from inspect_kit.vision.fitting.normal import normal_share
from inspect_kit.vision.optics.light import decoded, encoded, window_of

STEP: Final = 0.5
"""Pixels between the samples of a profile."""
_LUMA: Final = np.array([0.299, 0.587, 0.114])
"""Weights of red, green and blue in a JPEG's brightness (ITU-R BT.601)."""
_SHARES: Final = np.linspace(-0.4, 1.4, 37)
"""Shares of one colour in another that are tabled."""
_TABLE: Final = 0.125
"""Pixels between the places at which a blurred step is tabled."""

_SHADED: Final = Expectation(np.array([0.02, 0.02, 0.15, 0.3, 1e-6]), np.array([0.0, 1.0, 0.0, 0.0, 0.0]))
"""Ground, step, root of the depth, depth and place: a plain step, unless the light says otherwise; chosen."""


@dataclass(frozen=True)
class Lines:
    """Lines across an outline in the photo: their feet on it and unit normals outwards."""

    feet: Floats
    normals: Floats


@dataclass(frozen=True)
class Strips:
    """The picture along lines: lines × steps × colours, coded from 0 to 1; steps are pixels outwards from the feet."""

    lines: Lines
    steps: Floats
    codes: Floats


@dataclass(frozen=True)
class Steps:
    """Edges found: pixels outwards from the feet, contrast in luma codes, and how badly the step fits; how much lighter
    the inside is than the outside, the outside's colour in codes, and whether only colour tells the two apart."""

    offset: Floats
    contrast: Floats
    misfit: Floats
    lighter: Floats
    outside: Floats
    coloured: Mask


def strips(pixels: Pixels, lines: Lines, reach: float) -> Strips:
    """The picture along the lines, `reach` pixels to both sides."""
    part, origin = window_of(pixels, lines.feet, reach + 3)
    steps = np.arange(-np.ceil(reach / STEP), np.ceil(reach / STEP) + 1) * STEP
    points = (lines.feet - origin)[:, None, :] + steps[None, :, None] * lines.normals[:, None, :]
    wanted = points.astype(np.float32)
    values = cv2.remap(
        part.astype(np.float32), wanted[:, :, 0], wanted[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return Strips(lines, steps, np.asarray(values, dtype=np.float64) / 255)


def smoothed(found: Strips) -> Strips:
    """Averaged over neighbouring lines: the picture's grain would pass for edges."""
    size = (1, 2 * round(2.5 * tuning.ALONG) + 1)
    soft = cv2.GaussianBlur(found.codes, size, 1e-6, sigmaY=tuning.ALONG, borderType=cv2.BORDER_REFLECT)
    return Strips(found.lines, found.steps, np.asarray(soft, dtype=np.float64))


def strangeness(found: Strips, ground: Ground) -> Floats:
    """How unlike the ground each sample is; above 1 it is the figure."""
    feet = found.lines.feet
    near, far = (ground.places(feet + reach * found.lines.normals) for reach in (-4.0, 4.0))
    share = (found.steps[None, :, None] + 4) / 8
    places = [(a[:, None, :] + share * (b - a)[:, None, :]).reshape(-1, 2) for a, b in zip(near, far, strict=True)]
    light = decoded(found.codes.reshape(-1, 3))
    return ground.strangeness(light, *places).reshape(found.codes.shape[:2])


def entrances(strange: Floats, steps: Floats, reach: float) -> tuple[Floats, Mask]:
    """Where each line, coming from outside, first enters the figure and stays in it for two pixels; with a flag."""
    figure = strange > 1
    stay = int(2 / STEP)
    inside = np.asarray(np.stack([np.roll(figure, shift, axis=1) for shift in range(stay)]).all(axis=0))
    inside[:, :stay] = False
    last = inside.shape[1] - 1 - inside[:, ::-1].argmax(axis=1)
    place = steps[last] + STEP / 2
    clear = int(1.5 / STEP)
    free = last < inside.shape[1] - clear
    return place, np.asarray(inside.any(axis=1) & free & (np.abs(place) <= reach))


def sharpened(found: Strips, entered: Floats, blur: float, far: Floats) -> Floats:
    """Entrances moved to the outermost steep change of luma from just inside of them to `far` outside: stored colour
    bleeds some pixels inwards, and what mirrors the ground behind it has its tint, but shadows on that are soft."""
    luma = cv2.GaussianBlur((found.codes @ _LUMA).astype(np.float32), (0, 0), max(blur, 0.8) / STEP, sigmaY=0.3)
    slope = np.abs(np.gradient(luma.astype(np.float64), axis=1))
    rough = float(np.median(slope[:, found.steps > 0.5 * found.steps[-1]]))
    away = found.steps[None, :] - entered[:, None]
    near = np.where((away > -tuning.BLEEDING) & (away < far[:, None]), slope, 0.0)
    top = (near >= np.roll(near, 1, axis=1)) & (near > np.roll(near, -1, axis=1))
    top &= near > np.maximum(0.3 * near.max(axis=1, keepdims=True), 4 * rough)
    last = top.shape[1] - 1 - top[:, ::-1].argmax(axis=1)
    # Where figure and ground are equally light, a change of luma near the edge is a shadow on the figure.
    sides = [(away > low) & (away < high) for low, high in ((-tuning.BLEEDING, -3.0), (2.0, 6.0))]
    inner, outer = (_mean(found.codes, side) for side in sides)
    return np.where(top.any(axis=1) & ~_by_colour(inner - outer), found.steps[last], entered)


def _by_colour(change: Floats) -> Mask:
    """Whether luma says too little of a change of coded colour, and less than the colour."""
    least = np.maximum(tuning.LUMA_ENOUGH, tuning.LUMA_SHARE * np.linalg.norm(change, axis=1))
    return np.asarray(np.abs(change @ _LUMA) < least)


def peaks(found: Strips, reach: float, blur: float) -> tuple[Floats, Floats]:
    """The outermost steep change of light on each line, and how steep it is.

    Edges of a base's upper face lie inside its outline; shadows outside of it are soft.
    """
    luma = np.sqrt(np.maximum(decoded(found.codes), 0))
    soft = cv2.GaussianBlur(luma.astype(np.float32), (0, 0), max(blur, 0.8) / STEP, sigmaY=1.5)
    slope = np.linalg.norm(np.gradient(soft.astype(np.float64), axis=1), axis=2)
    top = (slope >= np.roll(slope, 1, axis=1)) & (slope > np.roll(slope, -1, axis=1)) & (np.abs(found.steps) <= reach)
    top &= slope > np.maximum(0.3 * slope.max(axis=1, keepdims=True), 0.006)
    best = top.shape[1] - 1 - top[:, ::-1].argmax(axis=1)
    steep = np.take_along_axis(slope, best[:, None], axis=1)[:, 0]
    return found.steps[best], np.where(top.any(axis=1), steep, 0.0)


def half_of(blur: float) -> float:
    """Pixels to either side of an edge that a blurred step is fitted to."""
    return float(np.clip(4 * blur, 2.5, 7.0))


def fit_steps(found: Strips, start: Floats, blur: float) -> Steps:
    """A blurred step fitted to every line around its start."""
    values, contrast, lighter, outside, coloured = _shares(found, start, half_of(blur))
    offset, misfit = _fitted(_near(found.steps, values, start, half_of(blur)), blur)
    return Steps(offset, contrast, misfit, lighter, outside, coloured)


def _shares(found: Strips, start: Floats, half: float) -> tuple[Floats, Floats, Floats, Floats, Mask]:
    """Each line as the share of the figure, 1 inside and 0 outside; contrast, gain of light inwards, colour outside."""
    place = found.steps[None, :] - start[:, None]
    inner = _mean(found.codes, (place < -0.5 * half) & (place > -1.3 * half))
    outer = _mean(found.codes, (place > 0.5 * half) & (place < 1.3 * half))
    gap = (inner - outer) @ _LUMA
    coloured = _by_colour(inner - outer)
    weights = np.where(coloured[:, None], inner - outer, _LUMA[None, :] * np.sign(gap)[:, None])
    size = np.maximum(((inner - outer) * weights).sum(axis=1), 1e-4)
    values = np.einsum("nmc,nc->nm", found.codes - outer[:, None, :], weights / size[:, None])
    shares = _unmixed(values, inner, outer, ~coloured)
    contrast = np.where(coloured, 0.3 * np.linalg.norm(inner - outer, axis=1), np.abs(gap))
    return shares, contrast, gap, outer, coloured


def _unmixed(values: Floats, inner: Floats, outer: Floats, chosen: Mask) -> Floats:
    """From the share of the way in luma codes to the share of light: the gamma undone for the two colours of a line."""
    first, second = decoded(inner), decoded(outer)
    mixed = second[:, None, :] + _SHARES[None, :, None] * (first - second)[:, None, :]
    table = encoded(np.clip(mixed, 0, None)) @ _LUMA
    zero, one = int(_SHARES.searchsorted(-1e-9)), int(_SHARES.searchsorted(1 - 1e-9))
    span = table[:, one] - table[:, zero]
    way = (table - table[:, zero][:, None]) / np.where(np.abs(span) < 1e-6, 1e-6, span)[:, None]
    result = values.copy()
    for row in np.nonzero(chosen)[0]:
        result[row] = np.interp(values[row], np.maximum.accumulate(way[row]), _SHARES)
    return result


def _mean(codes: Floats, chosen: Mask) -> Floats:
    count = np.maximum(chosen.sum(axis=1), 1)
    return np.asarray(np.einsum("nmc,nm->nc", codes, chosen.astype(np.float64)) / count[:, None])


@dataclass(frozen=True)
class _Near:
    """The part of each line that a step within `half` pixels of its start is fitted to: lines × steps."""

    steps: Floats
    values: Floats
    start: Floats
    half: float

    def windows(self, place: Floats) -> tuple[Floats, Floats]:
        """How far each sample is from a place on its line, and how much it counts there."""
        away = self.steps - place[:, None]
        return away, np.minimum(np.maximum(self.half + 0.5 - np.abs(away), 0), 0.5) * 2

    @property
    def moves(self) -> Moves:
        """How a step may move from its start."""
        return Moves(self.start, self.half, 0.8, 5)


def _near(steps: Floats, values: Floats, start: Floats, half: float) -> _Near:
    count = min(2 * int(np.ceil((2 * half + 0.5) / STEP)) + 1, len(steps))
    first = np.round((start - steps[0]) / STEP).astype(int) - count // 2
    chosen = np.clip(first, 0, len(steps) - count)[:, None] + np.arange(count)
    return _Near(steps[chosen], np.take_along_axis(values, chosen, axis=1), start, half)


def _fitted(near: _Near, blur: float) -> tuple[Floats, Floats]:
    """All lines at once: each round solves levels and the seam's darkness exactly and moves the edge a step."""
    count = int(np.ceil((2 * near.half + 3) / _TABLE))
    grid = np.arange(-count, count + 1, dtype=np.float64) * _TABLE
    basis = _basis(grid, blur, near.half)
    lean = np.gradient(basis, _TABLE, axis=1)

    def equations(place: Floats, before: Floats) -> Equations:
        away, window = near.windows(place)
        parts, tilts = (np.stack([np.interp(away, grid, row) for row in rows], axis=2) for rows in (basis, lean))
        tilt = -np.einsum("nmk,nk->nm", tilts, before[:, 1:4])
        design = np.concatenate([np.ones_like(away)[:, :, None], parts, tilt[:, :, None]], axis=2)
        return Equations(design, near.values, window)

    found = fit_lines(near.moves, _SHADED, equations, lambda parts: parts[:, 4])
    return found.place, found.misfit


def _basis(grid: Floats, blur: float, half: float) -> Floats:
    """Step, root of the depth and depth, blurred alike; positive steps are outside."""
    depth = np.maximum(-grid, 0) / half
    inside = 0.5 - 0.5 * np.sign(np.round(grid / _TABLE))
    plain = np.stack([inside, np.sqrt(depth) - inside, depth - inside])
    reach = int(np.ceil(4 * blur / _TABLE))
    kernel = np.diff(normal_share((np.arange(-reach, reach + 2) - 0.5) * _TABLE / blur))
    padded = np.pad(plain, ((0, 0), (reach, reach)), mode="edge")
    return np.stack([np.convolve(row, kernel, mode="valid") for row in padded])
