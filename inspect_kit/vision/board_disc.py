"""The filled disc inside a base circle: its outer edge, with the thin outline that some makers give it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from scipy.optimize import least_squares

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board_circles import circle_offsets, on_circle
from inspect_kit.vision.board_marks import LEAST_INK, Absent, Ink, Trace, trace_of
from inspect_kit.vision.board_profile import Ribbon, Shot, Width, binned, fit_shape, ribbon, seen_median, step

_OUTLINE: Final = 0.25
"""mm: a thinner outline may be the shadow of a piece."""


def trace_disc(
    shot: Shot, centre: Floats, ring: tuple[float, float], ink: Ink | None, avoid: Mask | None = None
) -> Trace | Absent:
    """The outer edge of the filled disc inside a ring (radius and width), the disc's own thin outline included.

    `avoid` marks azimuths (of 360 degrees) with ornaments around it; a disc among them is drawn only if it has an
    outline: a queen left lying there has none.
    """
    radius = ring[0] - ring[1] / 2
    bins, many = int(np.clip(2 * np.pi * radius / 1.5, 48, 240)), 4
    azimuths = (np.arange(bins * many) + 0.5) / (bins * many) * 2 * np.pi
    ways = np.column_stack([np.cos(azimuths), np.sin(azimuths)])
    lines = binned(ribbon(shot, centre + radius * ways, ways, (-7.0, 0.0)), many)
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2)))
    if avoid is not None:
        usable &= ~avoid[((np.arange(bins) + 0.5) / bins * 360).astype(int) % 360]
    if usable.sum() < (0.3 if avoid is None else 0.2) * bins:
        return Absent("hidden or out of the picture")
    blur = lines.blur(shot)
    profile, ground = _disc_profile(lines, usable, blur)
    model = _fit_disc(lines.steps, profile, blur, ink)
    if model is None:
        return Absent("missing")
    edge, rim, colour, dark = model
    if avoid is not None and rim < _OUTLINE:
        return Absent("covered or not one clean circle")
    difference = 1 - colour
    weights = difference / float(difference @ difference)
    values = np.einsum("nmc,c->nm", 1 - lines.light / ground[:, None, :], weights)
    lift = float((1 - dark) @ weights) - 1.0

    def shape(at: Floats) -> Floats:
        return np.asarray(step(at, blur) + lift * (step(at, blur) - step(at + rim, blur)), dtype=np.float64)

    angles = (np.arange(bins) + 0.5) / bins * 2 * np.pi
    # The ring's own flank must stay outside of the window.
    half = float(np.clip(-2.2 * blur - edge, 0.8, 1.6))
    fits = fit_shape(lines.steps, values, np.full(bins, edge), half, shape)
    good = on_circle(angles, fits, usable, 1.0)
    if good.sum() < 0.3 * usable.sum():
        return Absent("missing")
    # Single lines tell the disc's place, the mean of all, each moved to its own, where its edge is in all colours.
    share = lines.light[good] / ground[good][:, None, :]
    away = np.arange(-3.0, 1.5, 0.06)
    together = np.median([[np.interp(away + place, lines.steps, row[:, c]) for c in range(3)]
                          for place, row in zip(fits.place[good], share, strict=True)], axis=0).T  # fmt: skip
    fits = replace(fits, place=fits.place + _disc_edge(away, together, (rim, blur, half), colour, dark))
    points = lines.feet + fits.place[:, None] * lines.normals
    residuals = fits.place - circle_offsets(angles, fits.place, good)
    size = float(np.linalg.norm(difference)) / np.sqrt(3)
    found = Width(0.0, 0.07 if rim > 0 else 0.02, size, blur)
    return trace_of(shot, points[good], residuals[good], found, (colour, good.sum() / usable.sum()))


def _disc_profile(lines: Ribbon, usable: Mask, blur: float) -> tuple[Floats, Floats]:
    """Median profile over the ground's light, and the ground of each line: the lightest part between disc and ring."""
    lane = lines.light[:, lines.steps > -4.5]
    bright = np.nan_to_num(seen_median(lane[usable], 0).sum(axis=1))
    top = int(bright.argmax())
    near = slice(max(top - 3, 0), top + 4)
    ground = np.maximum(np.nan_to_num(lane[:, near].mean(axis=1), nan=1.0), 1e-4)
    del blur
    return np.median(lines.light[usable] / ground[usable][:, None, :], axis=0), ground


def _fit_disc(
    steps: Floats, profile: Floats, blur: float, ink: Ink | None
) -> tuple[float, float, Floats, Floats] | None:
    """Edge, width of the outline (0: none), and the colours of disc and outline, by trying widths and edges."""
    colour = profile[steps < -5.2].mean(axis=0)
    if float(np.linalg.norm(1 - colour)) / np.sqrt(3) < 2 * LEAST_INK:
        return None
    dark = colour if ink is None else np.asarray(ink.colour)
    best, found = np.inf, (-3.0, 0.0)
    for edge in np.arange(-4.6, -1.0, 0.06):
        near = (steps > edge - 1.8) & (steps < min(edge + 1.3, -2.0 * blur))
        if near.sum() < 8:
            continue
        disc, whole = step(steps[near] - edge, blur)[:, None], 0.0
        for rim in (0.0,) if ink is None else np.arange(0.0, 1.1, 0.1):
            inner = step(steps[near] - edge + rim, blur)[:, None]
            whole = 1 + inner * (colour - 1) + (disc - inner) * (dark - 1)
            left = float(((whole - profile[near]) ** 2).mean()) + 2e-5 * (rim > 0)
            if left < best:
                best, found = left, (float(edge), float(rim))
    return (*found, colour, dark)


def _disc_edge(away: Floats, profile: Floats, start: tuple[float, float, float], colour: Floats, dark: Floats) -> float:
    """Where the edge lies in a mean profile, its outline's width and the disc's colour fitted along."""
    rim, blur, half = start
    near = (away > -2.2) & (away < half)

    def residuals(at: Floats) -> Floats:
        edge, width, ground = at[:3]
        outer, inner = step(away[near] - edge, blur)[:, None], step(away[near] - edge + abs(width), blur)[:, None]
        model = ground * (1 + inner * (at[3:6] - 1) + (outer - inner) * (dark - 1))
        return np.concatenate([(model - profile[near]).ravel() / 0.02, [(abs(width) - rim) / 0.3]])

    begin = np.array([0.0, rim, 1.0, *colour])
    fixed = least_squares(residuals, begin, x_scale=[0.1, 0.1, 0.05, 0.1, 0.1, 0.1], max_nfev=40)
    return float(np.clip(fixed.x[0], -0.4, 0.4))
