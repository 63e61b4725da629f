"""Circles drawn on a board: the outline near a guess, traced to a fraction of a pixel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board_marks import (
    LEAST_INK,
    MISFIT,
    Absent,
    Ink,
    Trace,
    Wanted,
    alike,
    contrast,
    general_contrast,
    trace_of,
)
from inspect_kit.vision.board_profile import (
    Fits,
    Ribbon,
    Shot,
    Width,
    binned,
    fit_shape,
    fit_width,
    ribbon,
    stacked,
    stripe,
)
from inspect_kit.vision.circle import Circle, fit_circle
from inspect_kit.vision.estimation import robust_deviation


def trace_circle(
    shot: Shot, centre: Floats, radius: float, wanted: Wanted, avoid: Mask | None, ink: Ink | None
) -> Trace | Absent:
    """The outline of a circle near a guess; `avoid` marks azimuths (of 360 degrees) where other ink touches it."""
    middle, size = np.asarray(centre, dtype=np.float64), radius
    found: Trace | Absent = Absent("missing")
    for reach in (wanted.reach,) if wanted.rough else (wanted.reach, 0.8):
        found = _outline(shot, middle, size, replace(wanted, reach=reach), avoid, ink)
        if isinstance(found, Absent):
            return found
        fitted = fit_circle(shot.view.on_plane(found.pixels))
        if not isinstance(fitted, Circle) or np.hypot(*(np.array([fitted.x, fitted.y]) - middle)) > 4:
            return Absent("missing")
        middle, size = np.array([fitted.x, fitted.y]), fitted.radius
    return found


def _outline(
    shot: Shot, centre: Floats, radius: float, wanted: Wanted, avoid: Mask | None, ink: Ink | None
) -> Trace | Absent:
    bins = int(np.clip(2 * np.pi * radius / 1.5, 60, 360))
    many = 4
    azimuths = (np.arange(bins * many) + 0.5) / (bins * many) * 2 * np.pi
    ways = np.column_stack([np.cos(azimuths), np.sin(azimuths)])
    margin = wanted.reach + wanted.most / 2 + 1.6
    lines = binned(ribbon(shot, centre + radius * ways, ways, (-margin, margin)), many)
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2)))
    if avoid is not None:
        usable &= ~avoid[((np.arange(bins) + 0.5) / bins * 360).astype(int) % 360]
    if usable.sum() < 0.15 * bins:
        return Absent("hidden or out of the picture")
    level = _ring_level(lines, usable, wanted)
    if level is None:
        return Absent("missing")
    blur, width = lines.blur(shot), wanted.width
    angles = (np.arange(bins) + 0.5) / bins * 2 * np.pi
    offsets = np.full(bins, level)
    found: Width | None = None
    fits: Fits | None = None
    colour, good = np.zeros(3), usable
    for _ in range(2):
        core = np.abs(lines.steps - level) < max(0.3 * width, 0.15)
        outer = (lines.steps - level > width / 2 + 0.7) & (lines.steps - level < width / 2 + 1.9)
        values, colour, size = contrast(lines, core, outer)
        half = wanted.reach + width / 2 + blur
        fits = fit_shape(
            lines.steps, values, offsets, min(half, width / 2 + 2 * blur + 0.5), lambda at, w=width: stripe(at, w, blur)
        )
        good = on_circle(angles, fits, usable, size)
        if good.sum() < max(12, 0.2 * usable.sum()):
            return Absent("missing")
        away, profile = stacked(lines.steps, values, fits.place, good, width / 2 + 2 * blur + 0.5)
        known = None if ink is None or not alike(colour, ink, width, blur) else (ink.height, 0.12 * ink.height)
        found = fit_width(away, profile, width, (blur, max(shot.u_blur / float(np.median(lines.scale)), 0.02)), known)
        width = float(np.clip(found.width, wanted.least, wanted.most))
        offsets = circle_offsets(angles, fits.place, good)
        level = float(np.median(offsets))
    assert found is not None
    assert fits is not None
    if found.height < LEAST_INK or found.misfit > MISFIT or good.sum() < 0.3 * usable.sum():
        return Absent("missing")
    points = lines.feet + fits.place[:, None] * lines.normals
    residuals = fits.place - circle_offsets(angles, fits.place, good)
    return trace_of(
        shot, points[good], residuals[good], replace(found, width=width), (colour, good.sum() / usable.sum())
    )


def _ring_level(lines: Ribbon, usable: Mask, wanted: Wanted) -> float | None:
    """Where along the steps most lines show a stripe: the guess is nearly concentric."""
    raw = np.minimum(general_contrast(lines), 0.6)[usable]
    width = max(round(wanted.width / (lines.steps[1] - lines.steps[0])), 3)
    kernel = np.concatenate([-np.ones(width) / 2, np.ones(width), -np.ones(width) / 2]) / width
    single = np.apply_along_axis(lambda row: np.convolve(row, kernel, "same"), 1, raw)
    inner = np.abs(lines.steps) <= wanted.reach
    # Eccentric by up to a mm: the best within half a mm counts.
    near = max(int(0.5 / (lines.steps[1] - lines.steps[0])), 1)
    wide = np.stack([np.roll(single, shift, axis=1) for shift in range(-near, near + 1, 2)]).max(axis=0)
    answer = np.where(inner, np.mean(np.clip(wide, -0.2, 0.2), axis=0), -1)
    # A broad line fills that range for a while: the middle of it is where the lines themselves are darkest.
    top = int((answer + 0.3 * single.mean(axis=0)).argmax())
    return float(lines.steps[top]) if answer[top] > LEAST_INK * 0.5 else None


def circle_offsets(angles: Floats, offsets: Floats, good: Mask) -> Floats:
    """Offsets that a circle a little off and a little larger has at every angle, from the good ones."""
    design = np.column_stack([np.ones_like(angles), np.cos(angles), np.sin(angles)])
    found = np.linalg.lstsq(design[good], offsets[good], rcond=None)[0]
    return np.asarray(design @ found, dtype=np.float64)


def on_circle(angles: Floats, fits: Fits, usable: Mask, size: float) -> Mask:
    """Lines whose stripe is inked enough, looks like one, and lies on the common circle."""
    base = usable & (fits.height > 0.25 * size) & (fits.misfit < 0.6)
    good = base
    for _ in range(6):
        if good.sum() < 12:
            return good
        residuals = fits.place - circle_offsets(angles, fits.place, good)
        spread = max(robust_deviation(residuals[good]), 0.025)
        good = base & (np.abs(residuals) < 3.0 * spread)
    return np.asarray(good)
