"""Circles drawn on a board: the outline near a guess, traced to a fraction of a pixel."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from scipy.optimize import least_squares

from inspect_kit.vision.arrays import Floats, Light, Mask
from inspect_kit.vision.board import tuning
from inspect_kit.vision.board.lines import (
    ROUNDS,
    Absent,
    Ink,
    Trace,
    Wanted,
    contrast,
    general_contrast,
    settled,
    stripe_kernel,
    stroke_width,
    trace_of,
)
from inspect_kit.vision.board.locate import Mosaic
from inspect_kit.vision.fitting.circle import Circle, fit_circle
from inspect_kit.vision.fitting.least_squares import agreeing
from inspect_kit.vision.fitting.stripe import (
    Fits,
    Ribbon,
    Shot,
    Width,
    binned,
    fit_shape,
    ribbon,
    seen_median,
    stacked,
    step,
    stripe,
)


def trace_circle(
    shot: Shot, centre: Floats, radius: float, wanted: Wanted, avoid: Mask | None, ink: Ink | None
) -> Trace | Absent:
    """The outline of a circle near a guess; `avoid` marks azimuths (of 360 degrees) where other ink touches it."""
    middle, size = np.asarray(centre, dtype=np.float64), radius
    found: Trace | Absent = Absent("missing")
    for reach in (wanted.reach, 0.8):
        found = _outline(shot, middle, size, replace(wanted, reach=reach), avoid, ink)
        if isinstance(found, Absent):
            return found
        fitted = fit_circle(shot.view.on_plane(found.pixels))
        if not isinstance(fitted, Circle) or np.hypot(*(np.array([fitted.x, fitted.y]) - middle)) > 4:
            return Absent("missing")
        middle, size = np.array([fitted.x, fitted.y]), fitted.radius
    return found


def centred(shot: Shot, centre: Floats, radius: float, wanted: Wanted, avoid: Mask | None) -> tuple[Floats, float]:
    """Middle and radius by where each line across is darkest, if most agree: a thin stroke must be met to be fitted."""
    lines, angles, usable = _stroke_lines(shot, (centre, radius), wanted, avoid)
    ringed = _ring_level(lines, usable, wanted) if usable.any() else None
    if ringed is None:
        return centre, radius
    striped = _striped(np.minimum(general_contrast(lines), 0.6), ringed[1])
    darkest = lines.steps[np.where(np.abs(lines.steps) <= wanted.reach, striped, -1).argmax(axis=1)]
    good = agreeing(_around(angles), darkest, usable, least=12, floor=0.1)
    if good.sum() < 0.6 * usable.sum():
        return centre, radius
    larger, *aside = np.linalg.lstsq(_around(angles)[good], darkest[good], rcond=None)[0]
    return centre + aside, radius + float(larger)


def _stroke_lines(
    shot: Shot, circle: tuple[Floats, float], wanted: Wanted, avoid: Mask | None
) -> tuple[Ribbon, Floats, Mask]:
    """Lines across a circle's stroke, far enough to both sides to find it and see the ground."""
    margin = wanted.reach + wanted.most / 2 + 1.6
    return _lines_across(shot, circle, (-margin, margin), int(np.clip(2 * np.pi * circle[1] / 1.5, 60, 360)), avoid)


def _outline(
    shot: Shot, centre: Floats, radius: float, wanted: Wanted, avoid: Mask | None, ink: Ink | None
) -> Trace | Absent:
    lines, angles, usable = _stroke_lines(shot, (centre, radius), wanted, avoid)
    bins = len(angles)
    if usable.sum() < 0.15 * bins:
        return Absent("hidden or out of the picture")
    ringed = _ring_level(lines, usable, wanted)
    if ringed is None:
        return Absent("missing")
    blur, (level, width) = lines.blur(shot), ringed
    offsets = np.full(bins, level)
    found: Width | None = None
    fits: Fits | None = None
    colour, good = np.zeros(3), usable
    for turn in range(ROUNDS):
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
        profile = stacked(lines.steps, values, fits.place, good, width / 2 + 2 * blur + 0.5)
        found = stroke_width(shot, lines, profile, width, (colour, ink))
        tried, width = width, float(np.clip(found.width, wanted.least, wanted.most))
        offsets = circle_offsets(angles, fits.place, good)
        level = float(np.median(offsets))
        if turn and settled(found, tried):
            break
        offsets, level = offsets + found.middle, level + found.middle
    assert found is not None
    assert fits is not None
    if found.height < tuning.LEAST_INK or found.misfit > tuning.MISFIT or good.sum() < 0.3 * usable.sum():
        return Absent("missing")
    points = lines.feet + fits.place[:, None] * lines.normals
    residuals = fits.place - circle_offsets(angles, fits.place, good)
    return trace_of(
        shot, points[good], residuals[good], replace(found, width=width), (colour, good.sum() / usable.sum())
    )


def _lines_across(
    shot: Shot, circle: tuple[Floats, float], reach: tuple[float, float], bins: int, avoid: Mask | None
) -> tuple[Ribbon, Floats, Mask]:
    """So many lines across a circle (middle and radius), each the mean of four; their angles, and which are seen."""
    azimuths = (np.arange(bins * 4) + 0.5) / (bins * 4) * 2 * np.pi
    ways = np.column_stack([np.cos(azimuths), np.sin(azimuths)])
    lines = binned(ribbon(shot, circle[0] + circle[1] * ways, ways, reach), 4)
    turns = (np.arange(bins) + 0.5) / bins
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2)))
    if avoid is not None:
        usable &= ~avoid[(turns * 360).astype(int) % 360]
    return lines, turns * 2 * np.pi, usable


def _ring_level(lines: Ribbon, usable: Mask, wanted: Wanted) -> tuple[float, float] | None:
    """Where along the steps most lines show a stripe (the guess is nearly concentric), and how broad it looks."""
    raw = np.minimum(general_contrast(lines), 0.6)[usable]
    inner = np.abs(lines.steps) <= wanted.reach
    answers = {width: _striped(raw, width) for width in (wanted.width, *wanted.others)}
    width = max(answers, key=lambda each: float(answers[each].mean(axis=0)[inner].max()))
    single = answers[width]
    # Eccentric by up to a mm: the best within half a mm counts.
    near = max(int(0.5 / (lines.steps[1] - lines.steps[0])), 1)
    wide = np.stack([np.roll(single, shift, axis=1) for shift in range(-near, near + 1, 2)]).max(axis=0)
    answer = np.where(inner, np.mean(np.clip(wide, -0.2, 0.2), axis=0), -1)
    # A broad line fills that range for a while: the middle of it is where the lines themselves are darkest.
    top = int((answer + 0.3 * single.mean(axis=0)).argmax())
    return (float(lines.steps[top]), width) if answer[top] > tuning.LEAST_INK * 0.5 else None


def _striped(raw: Floats, width: float) -> Floats:
    """How much each line looks like a stripe of this width, at each step."""
    kernel = stripe_kernel(width, raw.shape[1] // 4)
    return np.asarray(np.apply_along_axis(lambda row: np.convolve(row, kernel, "same"), 1, raw), dtype=np.float64)


def circle_offsets(angles: Floats, offsets: Floats, good: Mask) -> Floats:
    """Offsets that a circle a little off and a little larger has at every angle, from the good ones."""
    design = _around(angles)
    found = np.linalg.lstsq(design[good], offsets[good], rcond=None)[0]
    return np.asarray(design @ found, dtype=np.float64)


def on_circle(angles: Floats, fits: Fits, usable: Mask, size: float) -> Mask:
    """Lines whose stripe is inked enough, looks like one, and lies on the common circle."""
    base = usable & (fits.height > 0.25 * size) & (fits.misfit < 0.6)
    return agreeing(_around(angles), fits.place, base, least=12, floor=0.025)


def _around(angles: Floats) -> Floats:
    return np.column_stack([np.ones_like(angles), np.cos(angles), np.sin(angles)])


# Rings looked for on the surface seen from above: where base circles, centre and outer circle about are.


def find_ring(
    mosaic: Mosaic, centre: Floats, radii: tuple[float, float], reach: float, disc: float = 0.0
) -> tuple[Floats, float, float]:
    """Middle, radius and clarity of the ring with most ink near a place of the surface.

    `disc` is the radius of a filled disc that usually lies in it, over the ring's.
    """
    best, where, size = -1.0, np.asarray(centre, dtype=np.float64), radii[0]
    window = _cut(mosaic, centre, radii[1] + reach + 4)
    for radius in np.arange(radii[0], radii[1] + 0.01, 0.5):
        ring = _ring(float(radius), mosaic.per_mm, disc)
        border = (window.shape[0] - ring.shape[0]) / 2
        values = cv2.matchTemplate(window, ring, cv2.TM_CCORR)
        grid_y, grid_x = np.mgrid[: values.shape[0], : values.shape[1]]
        far = np.hypot(grid_x - border, grid_y - border) > reach * mosaic.per_mm + 1
        values[far] = -1
        _, most, _, at = cv2.minMaxLoc(values)
        if most > best:
            best, size = float(most), float(radius)
            where = np.asarray(centre) + np.array([at[0] - border, border - at[1]]) / mosaic.per_mm
    return where, size, best


def _cut(mosaic: Mosaic, centre: Floats, half: float) -> Light:
    """A square of the mosaic around a place, exactly centred on it."""
    size = int(2 * half * mosaic.per_mm) | 1
    middle = mosaic.pixel(np.asarray(centre)[None])[0]
    return np.asarray(
        cv2.getRectSubPix(mosaic.ink, (size, size), (float(middle[0]), float(middle[1]))), dtype=np.float32
    )


def _ring(radius: float, per_mm: float, disc: float) -> Light:
    """Ink on the ring, none beside it, and ink again on the disc, each weighing as much."""
    size = int(2 * (radius + 3.5) * per_mm) | 1
    middle = (size - 1) / 2
    y, x = np.mgrid[:size, :size] - middle
    apart = np.hypot(x, y) / per_mm - radius
    on = np.exp(-0.5 * (apart / 0.6) ** 2)
    outside, inside = (
        (apart > 1.2) & (apart < 2.6),
        (apart < -1.1) & (apart > (disc - 1) * radius + 0.6 if disc else apart > -2.6),
    )
    kernel = on / on.sum() - 0.5 * outside / outside.sum() - 0.5 * inside / max(int(inside.sum()), 1)
    if disc:
        edge = (apart < (disc - 1) * radius - 0.4) & (apart > (disc - 1) * radius - 2.4)
        kernel = kernel + 0.4 * edge / edge.sum() - 0.4 * inside / max(int(inside.sum()), 1)
    return np.asarray(kernel, dtype=np.float32)


# The filled disc inside a base circle: its outer edge, with the thin outline that some makers give it.


def trace_disc(
    shot: Shot, centre: Floats, ring: tuple[float, float], ink: Ink | None, avoid: Mask | None = None
) -> Trace | Absent:
    """The outer edge of the filled disc inside a ring (radius and width), the disc's own thin outline included.

    `avoid` marks azimuths (of 360 degrees) with ornaments around it; a disc among them is drawn only if it has an
    outline: a queen left lying there has none.
    """
    radius = ring[0] - ring[1] / 2
    bins = int(np.clip(2 * np.pi * radius / 1.5, 48, 240))
    lines, angles, usable = _lines_across(shot, (centre, radius), (-7.0, 0.0), bins, avoid)
    if usable.sum() < (0.3 if avoid is None else 0.2) * bins:
        return Absent("hidden or out of the picture")
    blur = lines.blur(shot)
    profile, ground = _disc_profile(lines, usable)
    model = _fit_disc(lines.steps, profile, blur, ink)
    if model is None:
        return Absent("missing")
    edge, rim, colour, dark = model
    if avoid is not None and rim < tuning.OUTLINE:
        return Absent("covered or not one clean circle")
    difference = 1 - colour
    weights = difference / float(difference @ difference)
    values = np.einsum("nmc,c->nm", 1 - lines.light / ground[:, None, :], weights)
    lift = float((1 - dark) @ weights) - 1.0

    def shape(at: Floats) -> Floats:
        return np.asarray(step(at, blur) + lift * (step(at, blur) - step(at + rim, blur)), dtype=np.float64)

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
    shift = 2 * tuning.COLOUR_PIXELS / max(float(np.median(lines.scale)), 0.05)
    found = Width(0.0, float(np.hypot(0.07 if rim > 0 else 0.02, shift)), size, blur)
    return trace_of(shot, points[good], residuals[good], found, (colour, good.sum() / usable.sum()))


def _disc_profile(lines: Ribbon, usable: Mask) -> tuple[Floats, Floats]:
    """Median profile over the ground's light, and the ground of each line: the lightest part between disc and ring."""
    lane = lines.light[:, lines.steps > -4.5]
    bright = np.nan_to_num(seen_median(lane[usable], 0).sum(axis=1))
    top = int(bright.argmax())
    near = slice(max(top - 3, 0), top + 4)
    ground = np.maximum(np.nan_to_num(lane[:, near].mean(axis=1), nan=1.0), 1e-4)
    return np.median(lines.light[usable] / ground[usable][:, None, :], axis=0), ground


def _fit_disc(
    steps: Floats, profile: Floats, blur: float, ink: Ink | None
) -> tuple[float, float, Floats, Floats] | None:
    """Edge, width of the outline (0: none), and the colours of disc and outline, by trying widths and edges."""
    colour = profile[steps < -5.2].mean(axis=0)
    if float(np.linalg.norm(1 - colour)) / np.sqrt(3) < 2 * tuning.LEAST_INK:
        return None
    # Gloss veils colours unevenly over a board, but black is lighter than the disc in none of them.
    dark = colour if ink is None else np.minimum(ink.colour, colour)
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
