"""Lines drawn on a board: found near where makers draw them, and traced to a fraction of a pixel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board import tuning
from inspect_kit.vision.fitting.least_squares import agreeing, robust_deviation
from inspect_kit.vision.fitting.stripe import (
    STEP,
    Fits,
    Ribbon,
    Shot,
    Width,
    binned,
    fit_shape,
    fit_width,
    ribbon,
    seen_mean,
    seen_median,
    shifted_rows,
    stacked,
    stripe,
)

_LINE_STEP: Final = 0.5
"""mm between profiles across a line."""
_LINE_BIN: Final = 8
"""Profiles averaged into one."""
ROUNDS: Final = 6
"""Places and width of a stroke are fitted in turn, at most so often; one thrice as broad as expected takes four."""


@dataclass(frozen=True)
class Trace:
    """Points of a marking's middle line or edge in one photo, in pixels, and its stripe's width (0 for an edge)."""

    photo: int
    pixels: Floats
    scatter: float
    """Of the points about the fitted shape, mm."""
    alike: float
    """How many neighbouring points count as one."""
    width: float = 0.0
    u_width: float = 0.0
    cover: float = 1.0
    """Share of the visible path on which it was found."""
    ink: float = 0.0
    colour: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Its light over the ground's, colour by colour."""
    height: float = 0.0
    """mm above the surface."""
    blur: float = 0.0
    """Pixels: blur that fits this stripe best."""
    common: float = 0.0
    """Standard uncertainty (mm) of a shift that all feet of one frame share: the gap along the wall."""


@dataclass(frozen=True)
class Absent:
    """Why a marking was not measured: `hidden`, `unseen` (out of the picture) or `missing`."""

    reason: str


@dataclass(frozen=True)
class Ink:
    """What the broad lines tell about the ink: its colour, and how much of the ground's light it takes."""

    colour: tuple[float, float, float]
    height: float


def contrast(source: Ribbon, core: Mask, outer: Mask) -> tuple[Floats, Floats, float]:
    """Each line as one number a step (0 ground, larger for more ink); colours over the ground's; the mean contrast.

    `core` and `outer` are steps that show ink and ground. Colours are added with the weights of their difference.
    """
    ground = seen_median(source.light[:, outer], 1)
    share = source.light / np.maximum(ground, 1e-4)[:, None, :]
    colour = seen_median(seen_mean(share[:, core], 1), 0)
    difference = 1 - colour
    size = float(np.linalg.norm(difference))
    weights = difference / max(size, 1e-6) ** 2
    values = np.einsum("nmc,c->nm", 1 - share, weights) * size / np.sqrt(3)
    return values, colour, size / np.sqrt(3)


def general_contrast(source: Ribbon) -> Floats:
    """Distance in colour from each line's own median, over its brightness: finds ink of any colour."""
    ground = seen_median(source.light, 1, keepdims=True)
    return np.asarray(
        np.linalg.norm(1 - source.light / np.maximum(ground, 1e-4), axis=2) / np.sqrt(3), dtype=np.float64
    )


@dataclass(frozen=True)
class Wanted:
    """A stripe to look for: its likely width and bounds (mm), and how far to both sides of the path."""

    width: float
    least: float
    most: float
    reach: float
    slope: float = 0.012
    """Largest slope against the path."""
    others: tuple[float, ...] = ()
    """Other widths (mm) that a maker may have drawn it in; the one seen best is taken for likely."""


def trace_line(shot: Shot, start: Floats, end: Floats, wanted: Wanted, ink: Ink | None) -> Trace | Absent:
    """The stripe along a straight path from start to end."""
    length = float(np.linalg.norm(end - start))
    along = (np.arange(0, length, _LINE_STEP) + _LINE_STEP / 2)[:, None]
    way = (end - start) / length
    normal = np.array([-way[1], way[0]])
    feet = start + along * way
    beside = max(4.0, *(1.5 * width for width in wanted.others)) if wanted.others else 4.0
    lines = binned(
        ribbon(shot, feet, np.tile(normal, (len(feet), 1)), (-wanted.reach - beside, wanted.reach + beside)), _LINE_BIN
    )
    usable = np.asarray(np.isfinite(lines.light).all(axis=(1, 2)))
    if usable.mean() < 0.2 or usable.sum() < 6:
        return Absent("hidden or out of the picture")
    places = (np.arange(len(lines.feet), dtype=np.float64) + 0.5) * _LINE_BIN * _LINE_STEP - length / 2
    found = _search(lines, places, usable, wanted)
    if isinstance(found, Absent):
        return found
    return _refined(shot, lines, places, usable, found[0], replace(wanted, width=found[1]), ink)


def _search(lines: Ribbon, places: Floats, usable: Mask, wanted: Wanted) -> tuple[Floats, float] | Absent:
    """Offsets of the stripe at each place, and its likely width: the straight path with most ink on it."""
    raw = np.minimum(general_contrast(lines), 0.6)
    raw[~usable] = np.nan
    kernels = {width: stripe_kernel(width) for width in (wanted.width, *wanted.others)}
    inner = np.abs(lines.steps) <= wanted.reach
    best, where = 0.0, (0.0, 0.0, wanted.width)
    for slope in np.linspace(-wanted.slope, wanted.slope, 13):
        course = np.median(shifted_rows(raw[usable], slope * places[usable] / STEP), axis=0)
        for width, kernel in kernels.items():
            answer = np.convolve(course, kernel, "same")
            top = int(np.argmax(np.where(inner, answer, -1)))
            if answer[top] > best:
                best, where = float(answer[top]), (float(lines.steps[top]), float(slope), width)
    if best < tuning.LEAST_INK * 0.6:
        return Absent("missing")
    return where[0] + where[1] * places, where[2]


def stripe_kernel(width: float, most: int | None = None) -> Floats:
    """Ink on so many mm, `most` steps at the most, and none to both sides of them."""
    count = max(round(width / STEP), 3)
    count = count if most is None else min(count, most)
    kernel = np.concatenate([-np.ones(count) / 2, np.ones(count), -np.ones(count) / 2]) / count
    return np.asarray(kernel, dtype=np.float64)


def _refined(
    shot: Shot, lines: Ribbon, places: Floats, usable: Mask, offsets: Floats, wanted: Wanted, ink: Ink | None
) -> Trace | Absent:
    level = float(np.median(offsets))
    core = np.abs(lines.steps - level) < max(0.3 * wanted.width, 0.15)
    outer = (np.abs(lines.steps - level) > wanted.width / 2 + 1.2) & (
        np.abs(lines.steps - level) < wanted.width / 2 + 3.2
    )
    blur, width = lines.blur(shot), wanted.width
    found: Width | None = None
    for turn in range(ROUNDS):
        values, colour, size = contrast(_aligned(lines, offsets - level), core, outer)
        half = width / 2 + 2.2 * blur + 0.8
        fits = fit_shape(
            lines.steps, values, np.full(len(offsets), level), half, lambda at, w=width: stripe(at, w, blur)
        )
        good = _agreeing(places, fits, usable, size)
        if good.sum() < max(5, 0.15 * usable.sum()):
            return Absent("missing")
        profile = stacked(lines.steps, values, fits.place, good, half)
        found = stroke_width(shot, lines, profile, width, (colour, ink))
        tried, width = width, float(np.clip(found.width, wanted.least, wanted.most))
        offsets = offsets - level + np.median(fits.place[good])
        level = float(np.median(offsets))
        if turn and settled(found, tried):
            break
        offsets, level = offsets + found.middle, level + found.middle
    assert found is not None
    if not wanted.least < found.width < wanted.most or found.height < tuning.LEAST_INK or found.misfit > tuning.MISFIT:
        return Absent("missing")
    fits = replace(fits, place=fits.place + (offsets - level))
    points = lines.feet + fits.place[:, None] * lines.normals
    residuals = _line_residuals(places, fits.place, good)
    trace = trace_of(shot, points[good], residuals[good], found, (colour, good.sum() / max(usable.sum(), 1)))
    return replace(trace, blur=found.blur * float(np.median(lines.scale)))


def stroke_width(
    shot: Shot, lines: Ribbon, profile: tuple[Floats, Floats], guess: float, seen: tuple[Floats, Ink | None]
) -> Width:
    """The width of a stroke by its mean profile; `seen` is its colour, and the ink of the broad lines."""
    (colour, ink), blur = seen, lines.blur(shot)
    u_blur = max(shot.u_blur / float(np.median(lines.scale)), 0.02)
    if ink is None:
        return fit_width(*profile, guess, (blur, u_blur), None)
    known = (ink.height, 0.12 * ink.height) if alike(colour, ink, guess, blur) else None
    return fit_width(*profile, guess, (blur, u_blur), known, ink.height)


def settled(found: Width, tried: float) -> bool:
    """Whether a stroke came out as broad as the one that its places were fitted with, and they lie in its middle."""
    return abs(found.width - tried) < STEP and abs(found.middle) < STEP


def _aligned(lines: Ribbon, shift: Floats) -> Ribbon:
    """The same lines, each moved by its shift along the steps."""
    if np.ptp(shift) < 0.02:
        return lines
    return replace(lines, light=shifted_rows(lines.light, shift / STEP))


def _agreeing(places: Floats, fits: Fits, usable: Mask, size: float) -> Mask:
    """Lines whose stripe is inked enough, looks like one, and lies on the common straight path."""
    base = usable & (fits.height > 0.25 * size) & (fits.misfit < 0.5)
    return agreeing(_straight(places), fits.place, base, least=5, floor=0.02, cut=3.5)


def _straight(places: Floats) -> Floats:
    return np.column_stack([np.ones_like(places), places])


def _line_residuals(places: Floats, offsets: Floats, good: Mask) -> Floats:
    design = _straight(places)
    found = np.linalg.lstsq(design[good], offsets[good], rcond=None)[0]
    return np.asarray(offsets - design @ found, dtype=np.float64)


def alike(colour: Floats, ink: Ink, width: float, blur: float) -> bool:
    """Whether a stripe's colour can be the ink's, diluted by the blur: the same tint, and not darker."""
    own, other = 1 - np.asarray(colour), 1 - np.asarray(ink.colour)
    cosine = float(own @ other / max(np.linalg.norm(own) * np.linalg.norm(other), 1e-9))
    peak = float(stripe(np.zeros(1), width, blur)[0])
    return cosine > 0.985 and float(np.linalg.norm(own)) < 1.15 * float(np.linalg.norm(other)) * max(peak, 0.2) / 0.8


def trace_of(shot: Shot, points: Floats, residuals: Floats, width: Width, seen: tuple[Floats, float]) -> Trace:
    """The trace of points on the surface; `seen` is its colour, and the share of the path on which it is seen."""
    pixels = shot.view.pixels(np.column_stack([points, np.zeros(len(points))]))
    scatter = max(robust_deviation(residuals), 0.01)
    return Trace(shot.index, pixels, scatter, correlation(residuals), width.width, width.u, float(seen[1]),
                 width.height,                  tuple(float(value) for value in seen[0]))  # type: ignore[arg-type]  # fmt: skip


def correlation(residuals: Floats) -> float:
    """How many neighbouring points count as one."""
    left = residuals - residuals.mean()
    power = float(left @ left)
    total = 1.0
    for lag in range(1, max(len(left) // 5, 2)):
        share = float(left[lag:] @ left[:-lag]) / max(power, 1e-12)
        if share < 0.05:
            break
        total += 2 * share
    return total
