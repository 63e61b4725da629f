"""What is behind a figure: backdrop and table in their own light, the line where they meet, and all that is neither."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Light, Mask, Pixels
from inspect_kit.vision.figure import tuning
from inspect_kit.vision.fitting.least_squares import reweighted, robust_deviation
from inspect_kit.vision.optics.camera import rays
from inspect_kit.vision.optics.light import linear
from inspect_kit.vision.optics.pose import View
from inspect_kit.vision.reference.sheets import backdrop

FOOT: Final = -backdrop().size[1] / 2
"""Where the sheet ends and the table begins, on the sheet, mm."""
_CORNERS: Final = np.array([(x, y, 0.0) for x in (-44, 44) for y in (-84, -52, 17)])
"""mm on the backdrop: corners of the area a figure may stand before."""
_NODES: Final = 16
"""Pixels between the places at which the ground's light is told; linear between them."""


@dataclass(frozen=True)
class BackdropFoot:
    """Where the sheet meets the table: y = level + slope · x on the sheet, with standard uncertainties."""

    level: float
    slope: float
    u_level: float
    u_slope: float
    seen: bool


NOMINAL_FOOT: Final = BackdropFoot(FOOT, 0.0, 0.4, 0.006, False)
"""The sheet's lower edge as drawn; paper is cut to about half a millimetre."""


@dataclass(frozen=True)
class BackgroundPaint:
    """The light of a plain surface as a smooth function of the place on it; logarithms, six terms × three colours."""

    factors: Floats
    tint_noise: float

    darker: float = -2.3
    """Logarithm of the light down to which it may still be this surface in shadow."""

    def ratio(self, light: Floats, places: Floats) -> Floats:
        """Logarithm of the light over what this surface sends in the open, by colour."""
        own = np.exp(_terms(places) @ self.factors)
        return np.asarray(np.log(np.maximum(light, 0) + tuning.DARKEST) - np.log(own + tuning.DARKEST))

    def strangeness(self, light: Floats, places: Floats) -> Floats:
        """Above 1: not this surface, not even in shadow. Light is n × 3."""
        level = self.ratio(light, places)[:, 1:].mean(axis=1)
        tint = self.tint_strangeness(light, places)
        return np.asarray(np.maximum(tint, np.maximum(level / tuning.BRIGHTER, level / self.darker)))

    def tint_strangeness(self, light: Floats, places: Floats) -> Floats:
        """Above 1: tinged otherwise than this surface, however light it is."""
        ratio = self.ratio(light, places)
        tint = np.hypot(ratio[:, 0] - ratio[:, 1], ratio[:, 2] - ratio[:, 1]) / max(tuning.TINT, 5 * self.tint_noise)
        # The tint of what is nearly black is noise.
        return np.asarray(tint * np.clip(light.mean(axis=1) / tuning.DIM, 0, 1))


@dataclass(frozen=True)
class Ground:
    """Backdrop and table behind the figure, as far as they are known."""

    view: View
    sheet: BackgroundPaint
    table: BackgroundPaint | None
    foot: BackdropFoot
    blur: float
    """Pixels, standard deviation: that of the sheet's own black and white edges."""

    def places(self, pixels: Floats) -> tuple[Floats, Floats]:
        """Where pixels' rays meet the sheet's plane (x, y) and the table (x, z)."""
        ways = rays(self.view.lens, pixels) @ self.view.rotation
        centre = self.view.centre
        to_sheet = -centre[2] / np.where(np.abs(ways[:, 2]) < 1e-9, -1e-9, ways[:, 2])
        on_sheet = centre[:2] + to_sheet[:, None] * ways[:, :2]
        fall = np.minimum(ways[:, 1] - self.foot.slope * ways[:, 0], -1e-4)
        to_table = (self.foot.level + self.foot.slope * centre[0] - centre[1]) / fall
        on_table = centre[[0, 2]] + to_table[:, None] * ways[:, [0, 2]]
        return np.asarray(on_sheet), np.asarray(np.clip(on_table, -200, 200))

    def on_table(self, sheet: Floats) -> Mask:
        """Which rays meet the table before the sheet."""
        return np.asarray(sheet[:, 1] < self.foot.level + self.foot.slope * sheet[:, 0])

    def strangeness(self, light: Floats, sheet: Floats, table: Floats) -> Floats:
        """Above 1: neither backdrop nor table; nothing is strange where the table's light is not known."""
        found = self.sheet.strangeness(light, sheet)
        below = self.on_table(sheet)
        found[below] = 0.0 if self.table is None else self.table.strangeness(light[below], table[below] - [0, 18])
        return found


def in_shade(ground: Ground, light: Floats, table: Floats) -> Mask:
    """Which places of the table get so little light that something stands over them."""
    if ground.table is None:
        return np.zeros(len(light), dtype=bool)
    return np.asarray(ground.table.ratio(light, table - [0, 18]).mean(axis=1) < tuning.BACKGROUND_SHADE)


@dataclass(frozen=True)
class ReducedView:
    """The part of the photo with the plain middle and the table before it, made smaller.

    A pixel (u, v) of it is the photo's (u + ½) · factor − ½ + origin.
    """

    light: Light
    origin: Floats
    factor: float
    sheet: Floats
    table: Floats

    def here(self, pixels: Floats) -> Floats:
        """Pixels of the photo → pixels of this look."""
        return np.asarray((pixels - self.origin + 0.5) / self.factor - 0.5)

    def photo(self, pixels: Floats) -> Floats:
        """Pixels of this look → pixels of the photo."""
        return np.asarray((pixels + 0.5) * self.factor - 0.5 + self.origin)

    def flat(self) -> Floats:
        """Its light, one row a pixel."""
        return self.light.reshape(-1, 3).astype(np.float64)


def _terms(places: Floats) -> Floats:
    x, y = places[:, 0] / 45, (places[:, 1] + 17) / 35
    return np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])


def look_at(pixels: Pixels, view: View) -> ReducedView:
    """The region of interest."""
    seen = view.pixels(_CORNERS)
    limit = np.array([pixels.shape[1], pixels.shape[0]])
    low = np.clip(np.floor(seen.min(axis=0)).astype(int), 0, limit)
    high = np.clip(np.ceil(seen.max(axis=0)).astype(int), 0, limit)
    if np.any(high - low < 100):
        raise BadInput("backdrop-middle-not-picture")
    factor = max(view.resolution(np.array([0.0, -40.0, 20.0])) / tuning.FINENESS, 1.0)
    part = linear(pixels[low[1] : high[1], low[0] : high[0]])
    size = (int(part.shape[1] / factor), int(part.shape[0] / factor))
    small = cv2.resize(part[: round(size[1] * factor), : round(size[0] * factor)], size, interpolation=cv2.INTER_AREA)
    look = ReducedView(
        np.asarray(small, dtype=np.float32), low.astype(np.float64), factor, np.zeros((0, 2)), np.zeros((0, 2))
    )
    return with_places(look, Ground(view, BackgroundPaint(np.zeros((6, 3)), 0.0), None, NOMINAL_FOOT, 0.0))


def with_places(look: ReducedView, ground: Ground) -> ReducedView:
    """The look with the places on sheet and table that its pixels show; exact on a coarse grid, linear between."""
    height, width = look.light.shape[:2]
    down, across = (np.append(np.arange(0, count - 1, _NODES), count - 1) for count in (height, width))
    u, v = np.meshgrid(across, down)
    both = ground.places(look.photo(np.column_stack([u.ravel(), v.ravel()])))
    wide = [_spread(part.reshape(*u.shape, 2), down, across) for part in both]
    return replace(look, sheet=wide[0], table=wide[1])


def _spread(nodes: Floats, down: Floats, across: Floats) -> Floats:
    columns = np.arange(across[-1] + 1)
    rows = np.arange(down[-1] + 1)
    wide = np.stack([[np.interp(columns, across, row[:, axis]) for row in nodes] for axis in (0, 1)], axis=2)
    at = np.minimum(rows // _NODES, len(down) - 2)
    share = ((rows - down[at]) / (down[at + 1] - down[at]))[:, None, None]
    return np.asarray((wide[at] * (1 - share) + wide[at + 1] * share).reshape(-1, 2))


def learn_sheet(look: ReducedView, view: View, blur: float) -> Ground:
    """The backdrop's light: from where no figure can stand, then from all of the middle that fits; and its foot."""
    places = look.sheet
    middle = (np.abs(places[:, 0]) < 43) & (places[:, 1] > FOOT + 1.5) & (places[:, 1] < 16)
    rim = middle & ((np.abs(places[:, 0]) > 30) | (places[:, 1] > 2))
    if rim.sum() < 500:
        raise BadInput("too-little-backdrop-middle-picture")
    return Ground(view, _learned(look.flat(), places, rim, middle), None, NOMINAL_FOOT, blur)


def learn_table(look: ReducedView, ground: Ground, aside: float) -> Ground:
    """The table's light, from beside a figure that stands at x = `aside`."""
    x, z = look.table[:, 0], look.table[:, 1]
    below = look.sheet[:, 1] < ground.foot.level + ground.foot.slope * look.sheet[:, 0] - 0.8
    region = below & (z > 0.5) & (z < 42) & (np.abs(look.sheet[:, 0]) < 44) & (np.abs(x) < 55)
    beside = region & (np.abs(x - aside) > 15)
    if beside.sum() < 300:
        return ground
    paint = _learned(look.flat(), look.table - [0, 18], beside, region)
    return replace(ground, table=replace(paint, darker=tuning.DARKEST_SHADOW))


def _learned(light: Floats, places: Floats, sure: Mask, likely: Mask) -> BackgroundPaint:
    logs = np.log(np.maximum(light, 0) + tuning.DARKEST)
    chosen = np.nonzero(sure)[0][:: max(1, int(sure.sum() / 5000))]
    some = np.nonzero(likely)[0][:: max(1, int(likely.sum() / 7000))]
    factors = _fitted(places[chosen], logs[chosen])
    for _ in range(3):
        left = logs[some] - _terms(places[some]) @ factors
        spread = np.maximum(1.4826 * np.median(np.abs(left), axis=0), 0.01)
        good = np.all(np.abs(left) < np.maximum(3 * spread, 0.03), axis=1)
        if good.sum() < 200:
            break
        factors = _fitted(places[some][good], logs[some][good])
    left = logs[chosen] - _terms(places[chosen]) @ factors
    tint = np.concatenate([left[:, 0] - left[:, 1], left[:, 2] - left[:, 1]])
    return BackgroundPaint(factors, float(1.4826 * np.median(np.abs(tint - np.median(tint)))))


def _fitted(places: Floats, logs: Floats) -> Floats:
    def weigh(left: Floats) -> Floats:
        away = np.abs(left).max(axis=1)
        return np.asarray(1 / np.maximum(1.0, away / max(2 * float(np.median(away)), 1e-3)))

    return reweighted(_terms(places), logs, weigh, 4).factors


def find_foot(look: ReducedView, ground: Ground, aside: float) -> BackdropFoot:
    """Where the plain middle ends below, on columns that a figure at x = `aside` leaves free; to about 0.2 mm."""
    x = np.arange(-43, 43.1, 0.5)
    x = x[np.abs(x - aside) > 14]
    y = np.arange(FOOT + 4, FOOT - 6, -0.1)
    across, up = np.meshgrid(x, y)
    at = look.here(ground.view.pixels(np.column_stack([across.ravel(), up.ravel(), np.zeros(across.size)])))
    wanted = at.astype(np.float32).reshape(*across.shape, 2)
    light = cv2.remap(look.light, wanted[:, :, 0], wanted[:, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    places = np.column_stack([across.ravel(), up.ravel()])
    strange = (ground.sheet.strangeness(light.reshape(-1, 3).astype(np.float64), places) > 1).reshape(across.shape)
    inside = np.all((at > 2) & (at < np.array(look.light.shape[1::-1]) - 3), axis=1).reshape(across.shape)
    # The end of the sheet: plain above it and strange for the next millimetre.
    after = np.asarray(np.stack([np.roll(strange, -shift, axis=0) for shift in range(10)]).all(axis=0))
    after[-12:] = False
    first = after.argmax(axis=0)
    good = after.any(axis=0) & (first > 3) & inside.all(axis=0)
    if good.sum() < 24:
        return NOMINAL_FOOT
    return straight(x[good], y[first[good]] + 0.05, 0.15)


def straight(x: Floats, y: Floats, least: float) -> BackdropFoot:
    """The line through points, outliers left out; `least` is the smallest uncertainty that is believed."""
    fit = reweighted(np.vander(x, 2), y, lambda left: np.where(_lying(left), 1.0, 0.02), 8)
    (slope, level), good, spread = fit.factors, _lying(fit.left), _deviation(fit.left)
    # A line elsewhere is a shadow's or the table's own edge.
    if good.mean() < 0.5 or spread > 0.6 or abs(level - FOOT) > tuning.CUT or abs(slope) > tuning.ASKEW:
        return NOMINAL_FOOT
    sure = max(least, spread / np.sqrt(good.sum() / 6))
    return BackdropFoot(float(level), float(slope), sure, sure / 25, True)


def _deviation(left: Floats) -> float:
    return max(robust_deviation(left), 0.02)


def _lying(left: Floats) -> Mask:
    return np.asarray(np.abs(left) < 3 * _deviation(left))
