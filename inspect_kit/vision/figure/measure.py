"""A figure measured in a photo: total height, base and width of its top, each with its uncertainty budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.errors import BadInput, Notice, notice
from inspect_kit.values.value import PRINT_SCALE, Contribution, contributions, ordered
from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.feature import Feature
from inspect_kit.vision.figure import tuning
from inspect_kit.vision.figure.background import Ground
from inspect_kit.vision.figure.base import (  # fmt: skip
    BASE,
    STANDOFF,
    TILT,
    VIEW,
    Fit,
    base_colour,
    frame_of,
    outline_pixels,
    scale_at,
)
from inspect_kit.vision.figure.base_fit import BaseReadings, best_of, fit_forms, with_edge_beside, with_other_level
from inspect_kit.vision.figure.bend import unbent
from inspect_kit.vision.figure.find import Found, find_figure, first_guess, refuse_cut_off
from inspect_kit.vision.figure.refusals import (
    bent_notices,
    blur_of,
    doubt_of,
    from_above,
    little_seen,
    mirroring,
    notices_of,
    odd_form,
    unclear,
    unseen_to_widest,
)
from inspect_kit.vision.figure.solid import DEEP, NUMBERS, TALL, WIDE, sizes_of
from inspect_kit.vision.figure.standing import doubts_of_level
from inspect_kit.vision.figure.top import Extreme, Top, aside_at, elevation_at, measure_top, own_places
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.optics.colour import Colour
from inspect_kit.vision.optics.pose import pixels_of
from inspect_kit.vision.reference.find import Placed
from inspect_kit.vision.reference.sheets import SheetKind

STANDOFF_USUAL: Final = (20.0, 1.0)
"""Distance of the figure's axis from the backdrop and its standard uncertainty, mm, where nobody says otherwise."""

_FIRM: Final = ("fig.base.height", "fig.base.diameter")

SHEET_FLATNESS: Final = "sheet flatness"
"""What a bent backdrop makes."""
FORM: Final = "form of the edge"
"""What it makes that nobody knows whether the upper edge is sharp, cut or rounded."""


@dataclass(frozen=True)
class SizePart:
    """What one source contributes: all of it, and how much of that goes with the base's diameter, with its sign."""

    source: str
    standard: float
    common: float = 0.0

    def lines(self) -> Iterator[Contribution]:
        """What is shared with the figure's other sizes, and what is this size's own."""
        common = max(self.common, 0.0)
        yield Contribution(self.source, common, self.source)
        yield Contribution(self.source, float(np.sqrt(max(self.standard**2 - common**2, 0.0))))


Budget = tuple[SizePart, ...]


@dataclass(frozen=True)
class Forms:
    """A base fitted with several forms of its edge, the most probable first, and how probable each is."""

    fits: tuple[Fit, ...]
    shares: Floats

    def averaged(self, values: Sequence[float], parts: Sequence[Budget]) -> tuple[float, Budget]:
        """The mean over the forms, with what their budgets say on average and by how much they differ."""
        mean = float(self.shares @ np.array(values))
        between = float(np.sqrt(self.shares @ (np.array(values) - mean) ** 2))
        squares: dict[str, float] = {}
        common: dict[str, float] = {}
        for share, budget in zip(self.shares, parts, strict=True):
            for part in budget:
                squares[part.source] = squares.get(part.source, 0.0) + float(share) * part.standard**2
                common[part.source] = common.get(part.source, 0.0) + float(share) * part.common
        mixed = (SizePart(name, float(np.sqrt(square)), common[name]) for name, square in squares.items())
        return mean, (*mixed, SizePart(FORM, between))


@dataclass(frozen=True)
class FigureView:
    """What one photo tells: the measurements, the fitted base and the top they were taken from, and its colour."""

    measured: tuple[Feature, ...]
    fit: Fit
    top: Top | None
    colour: Colour
    notices: tuple[Notice, ...]

    @property
    def aside(self) -> float:
        """How far from the side, seen from above, the camera looks at the figure; radians off the sheet's normal."""
        return aside_at(self.fit.vector, outline_pixels(self.fit.vector, self.fit.form).mean(axis=0))

    @property
    def tilt(self) -> tuple[float, float]:
        """Of the base to the side, in degrees, with its standard uncertainty."""
        return float(np.degrees(self.fit.vector[TILT])), float(np.degrees(np.sqrt(self.fit.covariance[TILT, TILT])))


def measure_view(
    pixels: Pixels, placed: Placed, standoff: tuple[float, float], print_scale: tuple[float, float]
) -> FigureView:
    """One photo of a figure before the backdrop. `print_scale` is measured ÷ nominal length, with its uncertainty."""
    if placed.sheet is None or placed.sheet.kind is not SheetKind.BACKDROP:
        raise BadInput("not-the-backdrop")
    printed_scale, u_scale = print_scale
    on_sheet = standoff[0] / printed_scale, max(standoff[1], 0.02) / printed_scale
    blur = blur_of(pixels, placed)
    placed = unbent(placed)
    found = find_figure(pixels, placed.view, on_sheet, blur)
    readings = _fitted(pixels, found, on_sheet)
    fits = readings.fits
    refuse_cut_off(pixels, outline_pixels(fits[0].vector, fits[0].form))
    top = measure_top(pixels, found.ground, found.look, found.strange, fits[0])
    forms = Forms(readings.all, readings.shares())
    scale = scale_at(found.ground)
    measured = [*_base(forms, scale), *_top(forms, top, scale)]
    _refuse_vague(measured, readings, pixels, found.ground)
    withheld = [each for each in measured if _is_vague_top(each)]
    given = [each for each in measured if each not in withheld]
    printed = tuple(_printed(_despite_bend(each, placed.bend), printed_scale, u_scale) for each in given)
    seen = base_colour(pixels, outline_pixels(fits[0].vector, fits[0].form), placed)
    unsaid = [notice("top-diameter-withheld", expanded=f"{2 * each.standard:.1f}") for each in withheld]
    notices = (*notices_of(readings, top, found.ground.foot), *unsaid, *bent_notices(placed.bend))
    return FigureView(printed, fits[0], None if isinstance(top, Unfit) else top, seen, notices)


def _fitted(pixels: Pixels, found: Found, standoff: tuple[float, float]) -> BaseReadings:
    """The base in its forms, most probable first; where the first guess leads astray, another one is made, and both
    count if they explain as much."""
    tries: list[BaseReadings] = []
    for effort in (1, 2):
        tries.append(fit_forms(pixels, found.ground, standoff, first_guess(found, standoff, effort)))
        readings = best_of(tries)
        trouble = unclear(readings.fits, scale_at(found.ground))
        if trouble is None:
            readings = with_edge_beside(readings, pixels, found.ground, standoff)
            doubts = doubts_of_level(pixels, found.ground, found.aside, readings.fits[0])
            return with_other_level(readings, pixels, found.ground, standoff, doubts) if doubts else readings
    assert trouble is not None
    raise mirroring(pixels, found.ground, readings.fits) or from_above(found.ground, standoff[0]) or trouble


def _refuse_vague(measured: Sequence[Feature], readings: BaseReadings, pixels: Pixels, ground: Ground) -> None:
    """What is known this badly was taken from something else, or from a photo that was cropped or much too oblique; of
    a figure at a doubtful level it is known why its height is. Nor is an odd outline believed that the backdrop's
    mirror image may have made."""
    firm = _FIRM[1:] if readings.off_level else _FIRM
    if any(each.standard > tuning.VAGUE for each in measured if each.characteristic in firm):
        above = from_above(ground, float(readings.fits[0].vector[STANDOFF]))
        raise mirroring(pixels, ground, readings.fits) or above or BadInput("too-little-base")
    if (odd_form(readings.fits[0]) or little_seen(readings.fits[0])) and (
        trouble := mirroring(pixels, ground, readings.fits)
    ):
        raise trouble


def _is_vague_top(measured: Feature) -> bool:
    """Whether it may be the diameter of one face or of another: of a base with two edges, or round up to its top."""
    return measured.characteristic == "fig.base.top_diameter" and measured.standard > tuning.VAGUE


def _despite_bend(measured: Feature, bend: float) -> Feature:
    """With what a bend of the backdrop leaves in doubt."""
    parts = contributions({SHEET_FLATNESS: tuning.BENT_LEFT * bend}) if bend else ()
    return replace(measured, budget=ordered([*measured.budget, *parts]))


def _printed(measured: Feature, scale: float, u_scale: float) -> Feature:
    """From the sheet's nominal millimetres to true ones."""
    parts = [replace(part, standard=part.standard * scale) for part in measured.budget]
    printed = contributions({PRINT_SCALE: u_scale * measured.value})
    return replace(measured, value=measured.value * scale, budget=ordered([*parts, *printed]))


def _lines(parts: Iterable[SizePart]) -> tuple[Contribution, ...]:
    return ordered(line for part in parts for line in part.lines())


# ------------------------------------------------------------------------------------------------------------- the base

_SIZES: Final = {"fig.base.height": "height", "fig.base.diameter": "diameter", "fig.base.dmax_depth": "depth",
                 "fig.base.top_diameter": "top_diameter"}  # fmt: skip


def _base(forms: Forms, scale: float) -> list[Feature]:
    """Sizes of the base, averaged over the forms of its edge."""
    best = forms.fits[0]
    result = []
    for name, field in _SIZES.items():
        values = [float(getattr(sizes_of(fit.form, fit.base), field)) for fit in forms.fits]
        parts = [_size_parts(fit, field, scale) for fit in forms.fits]
        mean, mixed = forms.averaged(values, parts)
        result.append(_feature(name, max(mean, 0.0), mixed, np.array(_place(best, field)), _shown(best, field)))
    return result


def _size_parts(fit: Fit, field: str, scale: float) -> Budget:
    parts = _contributions(fit, _size_slopes(fit, field))
    if field in ("depth", "diameter"):
        parts = (*parts, SizePart("widest place not seen", tuning.CONTINUED * unseen_to_widest(fit)))
    return (*parts, SizePart("widest place on an upright wall", _upright(fit, scale))) if field == "depth" else parts


def _upright(fit: Fit, scale: float) -> float:
    """mm: about half of how far from the widest place the wall falls back by no more than edges may err together."""
    curvature = float(fit.base[TALL] ** 2 / (fit.base[WIDE] * fit.base[DEEP]))
    return 0.45 * math.sqrt(2 * curvature * tuning.BIAS_SPREAD / scale)


def _size_slopes(fit: Fit, field: str) -> Floats:
    slopes = np.zeros(len(fit.vector))
    for index in range(NUMBERS[fit.form]):
        step = np.zeros(NUMBERS[fit.form])
        step[index] = 0.01
        ends = [float(getattr(sizes_of(fit.form, fit.base + sign * step), field)) for sign in (1, -1)]
        slopes[BASE + index] = (ends[0] - ends[1]) / 0.02
    return slopes


def _contributions(fit: Fit, slopes: Floats) -> Budget:
    """The uncertainty of what changes by `slopes` with the fitted numbers, by source: what was known beforehand moves
    the fit as its share in the result tells; the rest is the edges'."""
    along = _size_slopes(fit, "diameter")
    gain, gain_along = fit.covariance @ slopes, fit.covariance @ along
    doubt = doubt_of(fit)
    parts = []
    rest = np.array([slopes @ gain, slopes @ gain_along, along @ gain_along])
    for name, numbers in fit.known.blocks:
        information = fit.known.information[np.ix_(numbers, numbers)]
        own, like = gain[list(numbers)], gain_along[list(numbers)]
        shares = np.array([own @ information @ own, own @ information @ like, like @ information @ like])
        parts.append(_part(name, shares, doubt))
        rest = rest - shares
    return (*parts, _part("edge", rest, doubt))


def _part(source: str, shares: Floats, doubt: float) -> SizePart:
    """From a source's share of the variance, of the covariance with the diameter, and of the diameter's variance."""
    variance, both, like = (float(share) for share in shares)
    size = float(np.sqrt(max(variance, 0.0)))
    common = both / float(np.sqrt(like)) if like > 1e-12 else 0.0
    return SizePart(source, doubt * size, doubt * float(np.clip(common, -size, size)))


def _ring(fit: Fit, field: str) -> tuple[float, float]:
    """Radius and height of the circle around the base that a size is taken at."""
    sizes = sizes_of(fit.form, fit.base)
    if field in ("height", "top_diameter"):
        return sizes.top_diameter / 2, sizes.height
    return sizes.diameter / 2, sizes.height - sizes.depth


def _place(fit: Fit, field: str) -> tuple[float, float]:
    """The middle of the base at the height that the size is taken at."""
    foot, axes = frame_of(fit.vector)
    x, y = pixels_of(fit.vector[:VIEW], (foot + axes @ np.array([0.0, _ring(fit, field)[1], 0.0]))[None])[0]
    return float(x), float(y)


def _shown(fit: Fit, field: str) -> Floats:
    """The outline of the base, or the circle that a size is taken at."""
    if field in ("height", "diameter"):
        return outline_pixels(fit.vector, fit.form)
    radius, level = _ring(fit, field)
    angle = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    circle = np.column_stack([radius * np.cos(angle), np.full_like(angle, level), radius * np.sin(angle)])
    foot, axes = frame_of(fit.vector)
    return pixels_of(fit.vector[:VIEW], circle @ axes.T + foot)


# -------------------------------------------------------------------------------------------------------------- the top


def _top(forms: Forms, top: Top | Unfit, scale: float) -> list[Feature]:
    if isinstance(top, Unfit):
        return []
    return [_height(forms, top, scale), _width(forms, top, scale)]


def _over_forms(forms: Forms, size: Callable[[Floats], float]) -> tuple[float, Budget]:
    """A size of the top, which depends on place and lean of the fitted base."""
    parts = [_contributions(fit, _slopes(fit, size)) for fit in forms.fits]
    return forms.averaged([size(fit.vector) for fit in forms.fits], parts)


def _height(forms: Forms, top: Top, scale: float) -> Feature:
    """From the table to the highest point; the ray touches a rounded head behind or before that point."""
    pixel = top.highest.pixel
    fall = elevation_at(forms.fits[0].vector, pixel)
    excess = top.highest.curvature * (1 / np.cos(fall) - 1)
    value, budget = _over_forms(forms, lambda vector: float(own_places(vector, pixel[None])[0, 1]))
    parts = [
        *budget, SizePart("outline of the top", _edge(top.highest, scale)),
        SizePart("roundness of the top", 0.5 * excess),
        SizePart("depth of the top", tuning.DEPTH_SPREAD * abs(float(np.tan(fall)))),
    ]  # fmt: skip
    return _feature("fig.height", value - excess, parts, pixel, top.outline)


def _feature(name: str, value: float, parts: Iterable[SizePart], pixel: Floats, outline: Floats) -> Feature:
    place = float(pixel[0]), float(pixel[1])
    return Feature(value=value, budget=_lines(parts), characteristic=name, pixel=place, outline=outline)


def _edge(extreme: Extreme, scale: float) -> float:
    """mm to which an outermost point's edge is believed."""
    faded = tuning.FADED_EDGE if extreme.like_backdrop else 0.0
    return math.hypot(tuning.EDGE * extreme.doubt / scale, 0.5 * extreme.scatter, faded)


def _width(forms: Forms, top: Top, scale: float) -> Feature:
    ends = np.stack([top.left.pixel, top.right.pixel])
    vector = forms.fits[0].vector
    excess = sum(1 / np.cos(aside_at(vector, end)) - 1 for end in ends)
    seen, budget = _over_forms(forms, lambda each: float(np.diff(own_places(each, ends)[:, 0])[0]))
    value = seen - tuning.ROUND[0] * excess
    middle = ends.mean(axis=0)
    distance = float(np.linalg.norm(vector[12:15]))
    edge = float(np.hypot(_edge(top.left, scale), _edge(top.right, scale)))
    parts = [
        *budget, SizePart("outline of the top", edge),
        SizePart("depth of the top", tuning.DEPTH_SPREAD * value / distance),
        SizePart("roundness of the top", tuning.ROUND[1] * excess),
    ]  # fmt: skip
    return _feature("fig.top.width", value, parts, middle, top.outline)


def _slopes(fit: Fit, function: Callable[[Floats], float]) -> Floats:
    slopes = np.zeros(len(fit.vector))
    steps = np.concatenate([_view_steps(fit), np.array([0.02, 0.05, 0.01, 1e-4, 1e-3, 1e-3])])
    for index, step in enumerate(steps):
        move = np.zeros(len(fit.vector))
        move[index] = step
        slopes[index] = (function(fit.vector + move) - function(fit.vector - move)) / (2 * float(step))
    return slopes


def _view_steps(fit: Fit) -> Floats:
    focal = float(fit.vector[:2].mean())
    return 1e-5 * np.array([focal, focal, focal, focal, 1, 1, 0.1, 0.1, 1, 1, 1, 1, 100, 100, 100])
