"""The outermost circle around a board's middle, whatever its maker draws inside: one line, two, or a broad red ring."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.ndimage import maximum_filter1d

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board import tuning
from inspect_kit.vision.board.circles import on_circle, trace_circle
from inspect_kit.vision.board.lines import Absent, Ink, Trace, Wanted, correlation
from inspect_kit.vision.fitting.least_squares import agreeing, robust_deviation
from inspect_kit.vision.fitting.stripe import Ribbon, Shot, fit_steps, ribbon, seen_median

ANGLES: Final = np.radians(np.arange(360) + 0.5)
"""Directions around a middle, one a degree."""
WAYS: Final = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
_AROUND: Final = np.column_stack([WAYS, np.ones(360)])
"""How a circle's middle and radius move its outline in each of them."""


def trace_outermost(shot: Shot, middle: Floats, radii: tuple[float, float], ink: Ink | None) -> Trace | Absent:
    """A thin line as a stripe, anything broader by its outer edge; its radius lies between the `radii`."""
    low, high = radii
    drawn, steps = _unlike_wood(ribbon(shot, middle + low * WAYS, WAYS, (0.0, high - low + tuning.OUTER_WOOD)))
    # The middle is known to a mm or two: a thin line is looked for within that.
    course = seen_median(maximum_filter1d(drawn, round(tuning.OUTER_OFF / (steps[1] - steps[0])), axis=1), 0)
    inked = np.nonzero(course > max(tuning.LEAST_RING, float(course.max()) / 2))[0]
    if not len(inked):
        return Absent("missing")
    found = _circle_of_ends(drawn, steps, float(steps[inked[-1]]))
    if found is None:
        return Absent("not one clean circle")
    centre, radius = middle + found[:2], low + float(found[2])
    width = _stroke(shot, centre, radius)
    if width < tuning.OUTER_STROKE:
        thin = Wanted(width, 0.15, 2 * width + 1, 2.0)
        traced = trace_circle(shot, centre, radius - width / 2, thin, None, ink)
        if isinstance(traced, Trace):
            return traced
    return trace_edge(shot, centre, radius)


def _unlike_wood(lines: Ribbon) -> tuple[Floats, Floats]:
    """How unlike the wood outside each place is, on a scale like the eye's (NaN where a card lies); and the steps."""
    eye = np.sqrt(np.maximum(lines.light, 0))
    wood = seen_median(eye[:, lines.steps > lines.steps[-1] - tuning.OUTER_WOOD], 1)
    away = np.linalg.norm(eye / np.maximum(wood, 1e-3)[:, None, :] - 1, axis=2) / np.sqrt(3)
    return np.where(np.isnan(away).all(axis=1, keepdims=True), np.nan, np.nan_to_num(away)), lines.steps


def _circle_of_ends(drawn: Floats, steps: Floats, guess: float) -> Floats | None:
    """The circle (x, y, radius over the first step) on which ink begins near a step, coming from outside."""
    near = (steps > guess - 2 * tuning.OUTER_OFF) & (steps < guess + tuning.OUTER_OFF)
    window, at = drawn[:, near], steps[near]
    level = float(seen_median(window.max(axis=1), 0)) / 2
    over = window > level
    last = over.shape[1] - 1 - over[:, ::-1].argmax(axis=1)
    good = agreeing(_AROUND, at[last], np.asarray(over.any(axis=1)), least=30, floor=0.2)
    if good.sum() < tuning.OUTER_SEEN * np.isfinite(window).all(axis=1).sum():
        return None
    return np.asarray(np.linalg.lstsq(_AROUND[good], at[last][good], rcond=None)[0], dtype=np.float64)


def _stroke(shot: Shot, centre: Floats, radius: float) -> float:
    """mm of ink inwards of the edge, in most directions."""
    reach = tuning.OUTER_STROKE + 2
    drawn, steps = _unlike_wood(
        ribbon(shot, centre + radius * WAYS, WAYS, (-reach, tuning.OUTER_WOOD + 2 * tuning.OUTER_OFF))
    )
    course = seen_median(drawn[:, steps <= 1.0], 0)
    top = int(course.argmax())
    inked = np.nonzero(course > course[top] / 2)[0]
    run = inked[::-1]
    ends = np.nonzero(np.diff(run) < -1)[0]
    first = run[ends[0]] if len(ends) else run[-1]
    return max(float(steps[run[0]] - steps[first]), 0.3)


def trace_edge(shot: Shot, centre: Floats, radius: float, avoid: Mask | None = None) -> Trace | Absent:
    """The outer edge of a broad ring or of a disc, but for the directions to `avoid`."""
    circle = np.array([*centre, radius])
    for _ in range(2):
        lines = ribbon(shot, circle[:2] + circle[2] * WAYS, WAYS, (-4.0, 4.0))
        usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2)))
        if avoid is not None:
            usable &= ~avoid
        blur = lines.blur(shot)
        fits, _ = fit_steps(lines, np.zeros(360), max(tuning.WINDOW, 1.8 * blur), blur)
        good: Mask = on_circle(ANGLES, fits, usable, float(np.median(fits.height[usable])) if usable.any() else 1.0)
        if good.sum() < max(tuning.OUTER_SEEN * usable.sum(), 30):
            return Absent("not one clean circle")
        move = np.linalg.lstsq(_AROUND[good], fits.place[good], rcond=None)[0]
        circle = circle + move
    residuals = (fits.place - _AROUND @ move)[good]
    scatter, pixel = max(robust_deviation(residuals), 0.03), 1 / float(np.median(lines.scale))
    points = lines.feet[good] + fits.place[good][:, None] * lines.normals[good]
    pixels = shot.view.pixels(np.column_stack([points, np.zeros(len(points))]))
    u_edge = float(np.hypot(tuning.OUTER_EDGE * pixel, 2 * scatter))
    colour = seen_median(lines.light[good][:, lines.steps < -1.5 * blur].reshape(-1, 3), 0) / np.maximum(
        seen_median(lines.light[good][:, lines.steps > 1.5 * blur].reshape(-1, 3), 0), 1e-4
    )
    share = float(good.sum() / max(int(usable.sum()), 1))
    return Trace(shot.index, pixels, scatter, correlation(residuals), 0.0, u_edge, share,
                 float(np.linalg.norm(1 - colour)) / np.sqrt(3), tuple(float(each) for each in colour))  # type: ignore[arg-type]  # fmt: skip
