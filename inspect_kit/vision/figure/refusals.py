"""When a fitted figure is believed less, what is said about it, and when it is not given at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput, Notice, notice
from inspect_kit.vision.arrays import Pixels
from inspect_kit.vision.figure import tuning
from inspect_kit.vision.figure.background import BackdropFoot, Ground
from inspect_kit.vision.figure.base import LEAN, NOISE, STANDOFF, TILT, Fit, outline_pixels, own_outline, shown
from inspect_kit.vision.figure.base_fit import BaseReadings
from inspect_kit.vision.figure.edges import STEP, Lines, Strips, strips
from inspect_kit.vision.figure.solid import sizes_of
from inspect_kit.vision.figure.top import Top, elevation_at
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.fitting.nearest_point import nearest_of
from inspect_kit.vision.optics.light import decoded, linear, window_of
from inspect_kit.vision.reference.find import Placed

_STEEPEST: Final = np.radians(20)
"""Radians by which the camera may look down on the base and its foot still be seen."""
_LOWEST: Final = 0.03
"""Share of the edges that may be stray ones below the lowest that is believed."""
_FEWEST_PLACES: Final = 30
"""Places of the base before the backdrop, below which nothing is said of their tint."""
_PARTS: Final = 72
"""Parts of the outline of which the share with an edge is told."""


def strain_of(fit: Fit, *numbers: int) -> float:
    """How far the largest of some numbers is from what was thought of it, in standard deviations."""
    place = list(numbers)
    spread = 1 / np.sqrt(np.diag(fit.known.information)[place])
    return float(np.max(np.abs(fit.vector[place] - fit.known.mean[place]) / spread))


def doubt_of(fit: Fit) -> float:
    """How much less the fit is believed because its edges scatter, or because it needs what was thought improbable."""
    by_form = max(1.0, stretch_misfit(fit))
    # From further above than was ever tried, the near half of the upper edge is the widest place's, or the other way.
    steep = max(1.0, looking_down(fit) / float(_STEEPEST)) ** 2
    # A tilt is seen well, so that an unusual one is no reason for doubt.
    return float(by_form * steep * max(1.0, strain_of(fit, STANDOFF, LEAN) / 1.5))


def stretch_misfit(fit: Fit) -> float:
    """By how much the edges lie off the outline along whole stretches, over what independent errors would leave: where
    no form explains an outline, its edges do not average out. Nor do faint ones, which jump between two places where
    varnish fades into what it mirrors, so that faintness excuses an edge no further than shade does."""
    used = fit.weights > 0.1
    off, count = (fit.residuals / np.minimum(fit.edges.sigma, NOISE[1]))[used], tuning.STRETCH
    sums = np.cumsum(np.concatenate([[0.0], off, off[:count]]))
    return float(np.sqrt(np.mean((sums[count:] - sums[:-count]) ** 2) / count))


def odd_form(fit: Fit) -> bool:
    """Whether its outline is one that no form of ours has."""
    return stretch_misfit(fit) > tuning.ODD_FORM


def little_seen(fit: Fit) -> bool:
    """Whether so little of its outline has edges that it is told."""
    return share_seen(fit) < tuning.LITTLE_SEEN


def looking_down(fit: Fit) -> float:
    """The angle (radians) by which the camera looks down on the base."""
    return elevation_at(fit.vector, outline_pixels(fit.vector, fit.form).mean(axis=0))


def share_seen(fit: Fit) -> float:
    """The share of the base's outline that has edges along it."""
    outline = outline_pixels(fit.vector, fit.form)
    closed = np.vstack([outline, outline[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    where = np.linspace(0, length[-1], _PARTS, endpoint=False)
    places = np.column_stack([np.interp(where, length, closed[:, axis]) for axis in (0, 1)])
    used = fit.edges.points[fit.weights > 0.1]
    return float((nearest_of(places, used)[0] < length[-1] / _PARTS).mean()) if len(used) else 0.0


def unseen_to_widest(fit: Fit) -> float:
    """mm of the wall between the lowest edge that is seen and the widest place, which is then a continuation."""
    own = own_outline(fit.vector, fit.form)
    used = fit.edges.points[fit.weights > 0.1]
    sizes = sizes_of(fit.form, fit.base)
    if not len(used):
        return sizes.height
    heights = own[nearest_of(used, shown(fit.vector, own))[1], 1]
    return max(0.0, float(np.quantile(heights, _LOWEST)) - (sizes.height - sizes.depth))


def blur_across(found: Strips) -> float:
    """Standard deviation, in pixels, of the blur at black and white edges: their height over their steepest slope."""
    light = decoded(found.codes).mean(axis=2)
    steepest = np.abs(np.gradient(light, axis=1)).max(axis=1) / STEP
    return float(np.median(np.ptp(light, axis=1) / np.maximum(steepest, 1e-6))) / float(np.sqrt(2 * np.pi))


def blur_of(pixels: Pixels, placed: Placed) -> float:
    """Pixels of blur, as the squares of the backdrop tell it; a photo that is not sharp, up and down as well as to the
    sides, is refused, and one that was moved while it was taken: then one of the two is blurred more."""
    (least, _), (blur, scale) = sorted(_sheet_blur(pixels, placed, axis) for axis in (0, 1))
    moved = math.sqrt(blur**2 - least**2)
    if max(blur / tuning.BLURRED, moved / tuning.MOVED) > 1 and blur > tuning.COARSE * scale:
        raise BadInput("figure-not-sharp", value=f"{2 * blur:.0f}")
    return least


def _sheet_blur(pixels: Pixels, placed: Placed, axis: int) -> tuple[float, float]:
    """Blur across the edges of the squares that run along an axis of the sheet, and pixels a mm across them."""
    along, across = np.eye(3)[axis], np.eye(3)[1 - axis]
    on_edge = placed.known.sheet + 0.3 * placed.known.cells * along
    feet = placed.view.pixels(on_edge)
    ways = placed.view.pixels(on_edge + across) - feet
    scale = float(np.median(np.linalg.norm(ways, axis=1)))
    lines = Lines(feet, ways / np.linalg.norm(ways, axis=1)[:, None])
    return blur_across(strips(pixels, lines, max(scale, 6.0))), scale


def unclear(fits: Sequence[Fit], scale: float) -> BadInput | None:
    """Why what was fitted cannot be the base's outline, if so; `scale` is pixels a mm."""
    if not fits and scale < tuning.FINE_ENOUGH:
        return BadInput("figure-too-small", scale=f"{scale:.0f}", fine_enough=f"{tuning.FINE_ENOUGH:.0f}")
    if not fits:
        return BadInput("base-not-made-out")
    if share_seen(fits[0]) < tuning.LEAST_SEEN:
        return BadInput("base-like-background")
    if strain_of(fits[0], STANDOFF, LEAN) > tuning.STRAINED or abs(fits[0].vector[TILT]) > tuning.TILTED:
        return BadInput("base-impossible")
    return None


def mirroring(pixels: Pixels, ground: Ground, fits: Sequence[Fit]) -> BadInput | None:
    """The true reason where a base cannot be made out because it shows the backdrop's own colour."""
    if not fits or share_like_sheet(pixels, ground, fits[0]) < tuning.MIRRORED:
        return None
    return BadInput("base-mirrors-backdrop")


def from_above(ground: Ground, standoff: float) -> BadInput | None:
    """The true reason where a base cannot be made out because the camera looks down on it: the backdrop tells that."""
    _, up, out = ground.view.centre - np.array([0.0, ground.foot.level, standoff])
    fall = math.atan2(up, out)
    return BadInput("base-from-above", angle=f"{math.degrees(fall):.0f}") if fall > _STEEPEST else None


def share_like_sheet(pixels: Pixels, ground: Ground, fit: Fit) -> float:
    """The share of the base before the backdrop that is tinged like it."""
    outline = outline_pixels(fit.vector, fit.form)
    part, origin = window_of(pixels, outline, 1)
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(outline - origin).astype(np.int32)], 1)
    rows, columns = np.nonzero(mask)
    sheet, _ = ground.places(np.column_stack([columns, rows])[::7] + origin)
    light = np.asarray(linear(part[rows[::7], columns[::7]][None])[0], dtype=np.float64)
    above = ~ground.on_table(sheet)
    if above.sum() < _FEWEST_PLACES:
        return 0.0
    ratio = ground.sheet.ratio(light[above], sheet[above])
    seen = np.log(np.maximum(light[above], 0) + tuning.DARKEST)
    tint, own = (np.column_stack([each[:, 0] - each[:, 1], each[:, 2] - each[:, 1]]) for each in (seen, seen - ratio))
    size = np.maximum(np.linalg.norm(own, axis=1), 1e-6)
    along = (tint * own).sum(axis=1) / size
    across = np.abs(tint[:, 0] * own[:, 1] - tint[:, 1] * own[:, 0]) / size
    return float(((along > tuning.TINGED * size) & (across < tuning.TINT)).mean())


def two_ways(readings: BaseReadings) -> list[Notice]:
    """That the photo cannot tell which edge is the upper one, where it is so."""
    if len(readings.edges) < 2:
        return []
    one, other = (f"{sizes_of(fit.form, fit.base).height:.2f} mm" for fit in readings.edges[:2])
    return [notice("base-two-readings", one=one, other=other)]


def bent_notices(bend: float) -> list[Notice]:
    """That the backdrop is bent, where it is."""
    return [notice("backdrop-bent", bend=f"{bend:.1f}")] if bend else []


def notices_of(readings: BaseReadings, top: Top | Unfit, foot: BackdropFoot) -> tuple[Notice, ...]:
    """What a user should know of the photo."""
    fit = readings.fits[0]
    found = [*two_ways(readings), *(notice(code) for code in readings.doubts)]
    if isinstance(top, Unfit):
        found.append(notice("top-not-measured", reason=top.reason))
    if not foot.seen:
        found.append(notice("foot-line-unseen"))
    fall = looking_down(fit)
    if fall > _STEEPEST:
        found.append(notice("camera-looks-down", angle=f"{np.degrees(fall):.0f}"))
    sizes = sizes_of(fit.form, fit.base)
    if any(
        not low < size < high for size, (low, high) in zip((sizes.diameter, sizes.height), tuning.BASES, strict=True)
    ):
        found.append(notice("not-a-base"))
    if little_seen(fit):
        found.append(notice("base-outline-faint"))
    if odd_form(fit):
        found.append(notice("base-outline-odd"))
    return tuple(found)
