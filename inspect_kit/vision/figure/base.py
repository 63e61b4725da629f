"""The base of a figure before a camera: what is known of it beforehand, its outline in the photo, and its edges."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.values.value import LENS
from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.figure import tuning
from inspect_kit.vision.figure.background import Ground, in_shade
from inspect_kit.vision.figure.edges import (  # fmt: skip
    Lines,
    entrances,
    fit_steps,
    half_of,
    peaks,
    sharpened,
    smoothed,
    strangeness,
    strips,
)
from inspect_kit.vision.figure.solid import PROFILES, outline
from inspect_kit.vision.fitting.least_squares import inverse, robust_deviation
from inspect_kit.vision.optics.colour import BRIGHTNESS, PAPER, Colour, white_of
from inspect_kit.vision.optics.light import decoded, encoded, linear, window_of
from inspect_kit.vision.optics.pose import View, pixels_of, rotation_of
from inspect_kit.vision.reference.find import Placed

VIEW: Final = 15
"""Numbers of camera and pose that come first: nine and six."""
X, STANDOFF, LEVEL, SLOPE, LEAN, TILT, BIAS, SHADE = range(VIEW, VIEW + 8)
"""Where each number about place and edges stands."""
BASE: Final = VIEW + 8
"""Places in the joined vector: the view's numbers, then the figure's place, the table's level and slope at the sheet,
the table's lean out of the sheet's normal, the base's tilt to the side, how many pixels all edges are seen too far
outwards and how many those in shade too far inwards, then the base's own numbers."""

NOISE: Final = (0.5, 1.5, 2.5)
"""Pixels to which an edge is believed: before the sheet, before the table, and where only the change of light tells it.
Neighbouring lines share their errors, so this is more than the scatter."""


@dataclass(frozen=True)
class KnownBase:
    """What is known before the outline is looked at: means and the inverse covariance of the joined vector."""

    mean: Floats
    information: Floats
    blocks: tuple[tuple[str, tuple[int, ...]], ...]
    """Sources of uncertainty and the numbers they speak of."""


@dataclass(frozen=True)
class BaseEdges:
    """Places of the photo where the base ends, and the pixels to which each is believed."""

    points: Floats
    sigma: Floats
    on_table: Mask

    def where(self, keep: Mask) -> BaseEdges:
        """Some of them."""
        return BaseEdges(self.points[keep], self.sigma[keep], self.on_table[keep])


@dataclass(frozen=True)
class Fit:
    """A fitted base: joined vector, its covariance, and how far the edges are from it (pixels, with weights)."""

    form: str
    vector: Floats
    covariance: Floats
    known: KnownBase
    cost: float
    edges: BaseEdges
    residuals: Floats
    weights: Floats

    @property
    def base(self) -> Floats:
        """The base's own numbers."""
        return self.vector[BASE:]

    @property
    def scatter(self) -> float:
        """Of the edges around the fit, pixels."""
        return robust_deviation(self.residuals[self.weights > 0.1])


_WALLS: Final = ((9.5, 3.0), (6.0, 1.5), (5.4, 1.5), (0.78, 0.15), (7.0, 3.0), (0.7, 0.3))
"""A base's numbers but for its edge, each with its spread. The last covers ellipsoids around the axis (1, as ours are
drawn) and walls that turn level within a fifth of the radius (path-traced by another hand)."""
_EDGES: Final[Mapping[str, tuple[tuple[float, float], ...]]] = {
    "sharp": (), "cut": ((0.5, 0.6), (0.5, 0.6)), "round": ((1.2, 1.0),),
}  # fmt: skip
"""mm: depth and width of a cut, radius of a rounding, each with its spread: ours are drawn with 0.3 to 1.2,
another hand's with 2 to 3."""


def knowledge(view: View, ground: Ground, standoff: tuple[float, float], form: str) -> KnownBase:
    """Prior means and spreads for one form of edge."""
    foot = ground.foot
    place = [(0.0, 30.0), standoff, (foot.level, foot.u_level), (foot.slope, foot.u_slope), (0.0, tuning.LEAN_SPREAD),
             (0.0, tuning.TILT_SPREAD), (0.0, tuning.BIAS_SPREAD), tuning.TABLE_SHADE]  # fmt: skip
    base = [*_WALLS, *_EDGES[form]]
    mean, spread = np.array([*place, *base]).T
    information = np.zeros((BASE + len(base), BASE + len(base)))
    information[:VIEW, :VIEW] = inverse(view.covariance)
    information[VIEW:, VIEW:] = np.diag(1 / np.maximum(spread, 1e-5) ** 2)
    blocks = ((LENS, tuple(range(VIEW))), ("standoff", (STANDOFF,)), ("table", (LEVEL, SLOPE)),
              ("backdrop's lean", (LEAN,)), ("figure's tilt", (TILT,)),
              ("bias of the edges", (BIAS,)), ("shade on the base", (SHADE,)),
              ("form of the base", tuple(range(BASE, BASE + len(base)))))  # fmt: skip
    return KnownBase(np.concatenate([view.vector, mean]), information, blocks)


def frame_of(vector: Floats, *, tilted: bool = True) -> tuple[Floats, Floats]:
    """The figure's foot on the table, and its axes (across, up, out) as columns, in the sheet's frame."""
    lean, roll = vector[LEAN], vector[SLOPE] + (vector[TILT] if tilted else 0.0)
    foot = np.array([
        vector[X],
        vector[LEVEL] + vector[SLOPE] * vector[X] + np.sin(lean) * vector[STANDOFF],
        np.cos(lean) * vector[STANDOFF],
    ])  # fmt: skip
    forward = np.array([[1, 0, 0], [0, np.cos(lean), np.sin(lean)], [0, -np.sin(lean), np.cos(lean)]])
    aside = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    return foot, np.asarray(forward @ aside, dtype=np.float64)


def camera_at(vector: Floats) -> Floats:
    """Where the camera stands in the figure's own frame."""
    foot, axes = frame_of(vector)
    return np.asarray(axes.T @ (-rotation_of(vector[9:12]).T @ vector[12:15] - foot), dtype=np.float64)


def own_outline(vector: Floats, form: str) -> Floats:
    """The base's outline in its own frame."""
    return outline(PROFILES[form](vector[BASE:]), camera_at(vector))


def shown(vector: Floats, own: Floats) -> Floats:
    """Points of the figure's frame in the photo."""
    foot, axes = frame_of(vector)
    return pixels_of(vector[:VIEW], own @ axes.T + foot)


def outline_pixels(vector: Floats, form: str) -> Floats:
    """The base's outline in the photo, as a closed line."""
    return shown(vector, own_outline(vector, form))


def scale_at(ground: Ground) -> float:
    """Pixels a mm where figures stand."""
    return ground.view.resolution(np.array([0.0, -45.0, 20.0]))


def lines_across(vector: Floats, form: str) -> Lines:
    """Lines at even distances around the outline."""
    points = outline_pixels(vector, form)
    closed = np.vstack([points, points[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    where = np.linspace(0, length[-1], int(np.clip(length[-1] / tuning.SPACING, 60, tuning.MOST_LINES)), endpoint=False)
    feet = np.column_stack([np.interp(where, length, closed[:, axis]) for axis in (0, 1)])
    along = np.roll(feet, -1, axis=0) - np.roll(feet, 1, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    return Lines(feet, outwards(feet, along))


def outwards(points: Floats, along: Floats) -> Floats:
    """Normals of a closed line that point out of it."""
    area = float(np.sum(points[:, 0] * np.roll(points[:, 1], -1) - np.roll(points[:, 0], -1) * points[:, 1]))
    return np.asarray(np.column_stack([along[:, 1], -along[:, 0]]) * np.sign(area))


def gather(pixels: Pixels, ground: Ground, lines: Lines, reach: float, sure: bool) -> BaseEdges:
    """Where the ground ends on each line; unless only `sure` ones are wanted, also the nearest steep change of light
    where nothing tells ground from figure."""
    found = smoothed(strips(pixels, lines, reach + 1.3 * half_of(ground.blur) + 6))
    strange = strangeness(found, ground)
    # Stored colour bleeds beyond the edge that the light tells.
    enter, entered = entrances(strange, found.steps, max(reach, tuning.BLEEDING))
    far = np.where(ground.on_table(ground.places(lines.feet)[0]), 2.0, reach)
    enter = sharpened(found, enter, ground.blur, far)
    entered &= np.abs(enter) <= reach
    steep_at, steep = peaks(found, reach, ground.blur)
    # A line that is strange outside as well lies behind the figure's top.
    faint = ~entered & (strange[:, found.steps > 0].max(axis=1) < 1.0) & (steep > 0.006)
    steps = fit_steps(found, np.where(entered, enter, np.where(faint, steep_at, 0.0)), ground.blur)
    points = lines.feet + steps.offset[:, None] * lines.normals
    sheet, table = ground.places(points)
    on_table = ground.on_table(sheet)
    above = sheet[:, 1] - ground.foot.level - ground.foot.slope * sheet[:, 0]
    # What is darker than the table may be a shadow on it: under the base it is not used, beside it hardly.
    dark = on_table & (steps.lighter < 0)
    # Nor is what is lighter than the dark below it: there the base's own shade begins.
    under = on_table & (lines.normals[:, 1] > tuning.UNDER) & (dark | in_shade(ground, decoded(steps.outside), table))
    clear = (steps.contrast > np.where(on_table, 0.02, 0.012)) & ~under
    good = (entered if sure else entered | faint) & clear & (steps.misfit < 0.3) & (np.abs(above) > 0.25)
    sigma = np.where(entered, np.where(on_table, NOISE[1], NOISE[0]), NOISE[2])
    # Where only the colour tells, the edge is as coarse as the stored colour.
    sigma = sigma * np.where(steps.coloured, tuning.COLOUR_ONLY, 1.0)
    sigma = sigma * (1 + (tuning.LOW_CONTRAST / np.maximum(steps.contrast, 1e-3)) ** 2) * np.where(dark, 1.5, 1.0)
    return BaseEdges(points[good], sigma[good], on_table[good])


# The colour of a figure's base as a word, so that the bases of a team can be compared.

_SHADED: Final = ("blue", "green")
_GREYS: Final = ((0.09, "black"), (0.4, "grey"), (np.inf, "white"))
"""Upper ends of the share of light sent back."""


def base_colour(pixels: Pixels, outline: Floats, placed: Placed) -> Colour:
    """By the lighter parts of the base's side: what lies in its own shade says little."""
    middle = outline.mean(axis=0)
    ring = middle + 0.8 * (outline - middle)
    part, origin = window_of(pixels, ring, 1)
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(ring - origin).astype(np.int32)], 1)
    light = np.asarray(linear(part)[mask > 0], dtype=np.float64)
    bright = light @ BRIGHTNESS
    # The lightest tenth may be a glint.
    low, high = np.quantile(bright, [0.6, 0.9])
    seen = np.median(light[(bright >= low) & (bright <= high)], axis=0)
    paper = np.maximum(white_of(pixels, placed.view, placed.known).near(middle), 1e-3)
    return named_colour(np.asarray(seen / paper * PAPER))


def _shade(strongest: float) -> tuple[str, float]:
    """The word before the name, and how far it is from the next one."""
    near = min(abs(float(np.log(max(strongest, 1e-3) / end))) for end in (tuning.DARK, tuning.LIGHT)) / 0.25
    return "dark " if strongest < tuning.DARK else "light " if strongest > tuning.LIGHT else "", near


def named_colour(reflectance: Floats) -> Colour:
    """The name of a share of light sent back, and how far it is from the next name."""
    coded = np.clip(encoded(np.clip(reflectance, 0.0, 1.0)), 0, 1)
    hue, saturation, _ = colorsys.rgb_to_hsv(*(float(value) for value in coded))
    level = float(reflectance @ BRIGHTNESS)
    # What is nearly black has a hue of noise.
    coloured = (saturation / tuning.COLOURED) * min(1.0, float(reflectance.max()) / 0.025)
    if coloured > 1:
        ends = np.array([0.0, *(end for end, _ in tuning.HUES)])
        name = next(name for end, name in tuning.HUES if 360 * hue < end)
        near = float(np.abs(360 * hue - ends[1:-1]).min()) / 12
        if name in _SHADED:
            word, apart = _shade(float(reflectance.max()))
            name, near = f"{word}{name}", min(near, apart)
    else:
        name = next(name for end, name in _GREYS if level < end)
        near = min(abs(float(np.log(max(level, 1e-3) / end))) for end, _ in _GREYS[:-1]) / 0.5
    sure = min(near, abs(float(np.log(max(coloured, 1e-3)))) / 0.25)
    return Colour(name, float(0.5 + 0.49 * np.tanh(sure)), reflectance)
