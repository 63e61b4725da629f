"""Finding a figure: the patch that hides the backdrop, and the base whose outline has light changing all along it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Light, Mask, Pixels
from inspect_kit.vision.figure import tuning
from inspect_kit.vision.figure.background import (  # fmt: skip
    FOOT,
    BackdropFoot,
    Ground,
    ReducedView,
    find_foot,
    learn_sheet,
    learn_table,
    look_at,
    straight,
    with_places,
)
from inspect_kit.vision.figure.base import BASE, LEVEL, SLOPE, STANDOFF, VIEW, X, outline_pixels
from inspect_kit.vision.figure.edges import Lines, Strips, fit_steps
from inspect_kit.vision.figure.edges import strips as strips_of
from inspect_kit.vision.optics.pose import View

_AROUND: Final = np.array([[-6.5, 3.0, 0.0], [6.5, 3.0, 0.0], [0.0, 0.0, 4.0]])
"""Places that belong to every base, from its axis on the table, mm."""
_SPREADS: Final = np.array([1.2, 0.6, 0.5, 0.5, 0.4, 0.06])
"""mm (the last: a share) by which trials differ from the best: radii, heights, place."""


@dataclass(frozen=True)
class Found:
    """A figure in a photo: the ground behind it, what hides that ground, and where across it stands, roughly."""

    ground: Ground
    look: ReducedView
    strange: Mask
    aside: float


def find_figure(pixels: Pixels, view: View, standoff: tuple[float, float], blur: float) -> Found:
    """The figure before the backdrop; raises `BadInput` with advice where there is none."""
    look = look_at(pixels, view)
    ground = learn_sheet(look, view, blur)
    patch = _patch(look, ground)
    aside = _aside(look, patch, ground, standoff[0])
    ground = replace(ground, foot=find_foot(look, ground, aside))
    ground = replace(ground, foot=_refined_foot(pixels, ground, aside))
    axis = np.array([aside, ground.foot.level, standoff[0]])
    refuse_cut_off(pixels, ground.view.pixels(_AROUND + axis))
    look = with_places(look, ground)
    ground = learn_table(look, ground, aside)
    strange = ground.strangeness(look.flat(), look.sheet, look.table).reshape(look.light.shape[:2]) > 1
    return Found(ground, look, strange, aside)


def refuse_cut_off(pixels: Pixels, places: Floats) -> None:
    """A base of which a part is not in the picture is not measured."""
    limit = np.array([pixels.shape[1], pixels.shape[0]]) - 1
    if bool(np.any((places < tuning.MARGIN) | (places > limit - tuning.MARGIN))):
        raise BadInput("base-at-edge")


def _patch(look: ReducedView, ground: Ground) -> Mask:
    """The largest patch of something strange before the plain middle that reaches down near the table."""
    shape = look.light.shape[:2]
    x, y = look.sheet[:, 0], look.sheet[:, 1]
    free = (np.abs(x) < 43) & (y > FOOT + 0.7) & (y < 16)
    strange = (ground.sheet.strangeness(look.flat(), look.sheet) > 1) & free
    closed = cv2.morphologyEx(strange.reshape(shape).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    scale = _pixels_a_mm(look)
    lowest = np.array([y[labels.ravel() == index].min() if index else 0.0 for index in range(count)])
    good = [
        index for index in range(1, count) if stats[index, 4] > tuning.SMALLEST * scale**2 and lowest[index] < FOOT + 12
    ]
    if not good:
        raise BadInput("no-figure-found")
    best = max(good, key=lambda index: int(stats[index, 4]))
    inside = labels.ravel() == best
    if np.abs(x[inside]).max() > tuning.SIDE or y[inside].max() > tuning.UPPER:
        raise BadInput("figure-beyond-middle")
    rivals = [index for index in good if index != best and stats[index, 4] > 0.4 * stats[best, 4]]
    if rivals:
        raise BadInput("more-than-one-figure")
    return np.asarray(labels == best)


def _pixels_a_mm(look: ReducedView) -> float:
    row = look.sheet.reshape(*look.light.shape[:2], 2)[look.light.shape[0] // 2]
    return float((len(row) - 1) / np.linalg.norm(row[-1] - row[0]))


def _aside(look: ReducedView, patch: Mask, ground: Ground, standoff: float) -> float:
    """x of the figure's axis, roughly: the middle of the patch's lower half, brought forward to where it stands."""
    x, y = look.sheet[patch.ravel()].T
    low = y < np.percentile(y, 45)
    middle = float(np.median(x[low]))
    centre = ground.view.centre
    return float(middle + (centre[0] - middle) * standoff / centre[2])


def _refined_foot(pixels: Pixels, ground: Ground, aside: float) -> BackdropFoot:
    """The foot line from edges across it, to a few hundredths of a millimetre."""
    foot = ground.foot
    if not foot.seen:
        return foot
    x = np.arange(-43, 43.1, 0.3)
    x = x[np.abs(x - aside) > 13]
    y = foot.level + foot.slope * x
    feet = ground.view.pixels(np.column_stack([x, y, np.zeros_like(x)]))
    below = ground.view.pixels(np.column_stack([x, y - 1, np.zeros_like(x)]))
    scale = float(np.median(np.linalg.norm(below - feet, axis=1)))
    normals = (below - feet) / np.linalg.norm(below - feet, axis=1)[:, None]
    inside = np.all((feet > 12) & (feet < np.array([pixels.shape[1], pixels.shape[0]]) - 13), axis=1)
    if inside.sum() < 40:
        return foot
    strip = strips_of(pixels, Lines(feet[inside], normals[inside]), 0.8 * scale + 6)
    steps = fit_steps(strip, _steepest(strip, 0.8 * scale), ground.blur)
    good = (steps.contrast > 0.02) & (steps.misfit < 0.3)
    if good.sum() < 40:
        return foot
    line = straight(x[inside][good], y[inside][good] - steps.offset[good] / scale, 0.03)
    return line if line.seen else foot


def _steepest(strip: Strips, reach: float) -> Floats:
    codes = cv2.GaussianBlur(strip.codes.astype(np.float32), (0, 0), 2.0, sigmaY=3.0)
    slope = np.linalg.norm(np.gradient(codes.astype(np.float64), axis=1), axis=2)
    slope[:, np.abs(strip.steps) > reach] = 0
    return np.asarray(strip.steps[slope.argmax(axis=1)])


def first_guess(found: Found, standoff: tuple[float, float], effort: int) -> Floats:
    """The joined vector of a sharp-edged base: many are tried, more with more `effort`.

    Those are kept whose outline has the most change of light, with ground outside of it.
    """
    root = np.asarray(cv2.GaussianBlur(np.sqrt(np.maximum(found.look.light, 0)), (0, 0), 0.8), dtype=np.float32)
    far = cv2.GaussianBlur(found.strange.astype(np.float32), (0, 0), 1.0)
    scene = _Scene(found.look, found.ground, root, np.asarray(far, dtype=np.float32))
    random = np.random.default_rng(effort)
    origin = np.array([found.aside, standoff[0], 9.5, 6.5, 1.8, 0.78])
    spread = np.array([3.0, min(standoff[1], 2.0), 1.2, 1.1, 1.3, 0.12])
    trials = origin + spread * np.clip(random.standard_normal((tuning.FIRST * effort, 6)), -2.2, 2.2)
    scores = np.array([_support(scene, trial) for trial in trials])
    for turn in range(4):
        best = trials[np.argsort(-scores)[: tuning.BEST]]
        near = best[random.integers(0, tuning.BEST, tuning.AGAIN)] + _SPREADS / 1.6**turn * random.standard_normal(
            (tuning.AGAIN, 6)
        )
        near[:, 1] = np.clip(near[:, 1], standoff[0] - 2.5 * standoff[1], standoff[0] + 2.5 * standoff[1])
        trials = np.vstack([best, near])
        scores = np.concatenate([np.sort(scores)[::-1][: tuning.BEST], [_support(scene, trial) for trial in near]])
    return _vector(found.ground, trials[int(scores.argmax())])


def _vector(ground: Ground, trial: Floats) -> Floats:
    """x, standoff, half-width, height, depth of the middle, share → joined vector of a sharp-edged base."""
    found = np.zeros(BASE + 6)
    found[:VIEW] = ground.view.vector
    found[[X, STANDOFF, LEVEL, SLOPE]] = trial[0], trial[1], ground.foot.level, ground.foot.slope
    height = float(np.clip(trial[3], 4.0, 9.5))
    depth = float(np.clip(trial[4], -0.5, 0.7 * height))
    share = float(np.clip(trial[5], 0.4, 0.98))
    found[BASE:] = np.clip(trial[2], 6, 13), height, height - depth, share, 7.0, 0.7
    return found


@dataclass(frozen=True)
class _Scene:
    """What trials are scored on: the light's root, and what is strange."""

    look: ReducedView
    ground: Ground
    root: Light
    strange: Light


def _support(scene: _Scene, trial: Floats) -> float:
    """Mean change of light along the outline, counted only where the ground is outside of it."""
    points = scene.look.here(outline_pixels(_vector(scene.ground, trial), "sharp"))
    step = np.roll(points, -1, axis=0) - points
    length = np.linalg.norm(step, axis=1)
    normals = np.column_stack([step[:, 1], -step[:, 0]]) / np.maximum(length, 1e-9)[:, None]
    area = float(np.sum(points[:, 0] * np.roll(points[:, 1], -1) - np.roll(points[:, 0], -1) * points[:, 1]))
    normals *= np.sign(area)
    inner, outer = (_sampled(scene.root, points + reach * normals) for reach in (-1.0, 1.0))
    change = np.linalg.norm(inner - outer, axis=1)
    beyond = np.clip(1.3 - 1.3 * _sampled(scene.strange, points + 3.0 * normals), 0, 1)
    return float((length * change / (change + tuning.FAINT) * beyond).sum() / max(length.sum(), 1e-9))


def _sampled(picture: Light, points: Floats) -> Floats:
    wanted = points.astype(np.float32)
    found = cv2.remap(
        picture, wanted[None, :, 0], wanted[None, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(found[0], dtype=np.float64)
