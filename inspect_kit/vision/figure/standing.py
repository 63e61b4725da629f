"""Whether a figure stands on the surface on which the backdrop stands: the one thing its heights hang on.

The table's level is taken where the backdrop ends. A board or a cloth under the figure alone, or a backdrop that stands
on something else, moves the figure off that level, and nothing else in the fit would tell.
"""

from __future__ import annotations

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask, Pixels
from inspect_kit.vision.figure import tuning
from inspect_kit.vision.figure.background import Ground
from inspect_kit.vision.figure.base import Fit, outline_pixels, shown
from inspect_kit.vision.figure.edges import Lines, strips
from inspect_kit.vision.figure.solid import PROFILES, WIDE
from inspect_kit.vision.optics.light import decoded


def doubts_of_level(pixels: Pixels, ground: Ground, aside: float, fit: Fit) -> tuple[str, ...]:
    """Codes of what speaks against one surface under both; none where nothing does."""
    lowest = float(ground.places(outline_pixels(fit.vector, fit.form))[0][:, 1].min())
    low, high = tuning.CONTACTS
    found = {
        "figure-off-level": not low < contact(pixels, fit) < high or foot_share(fit) < tuning.LEAST_FOOT,
        "line-below-backdrop": line_below(pixels, ground, aside, ground.foot.level - lowest),
    }
    return tuple(code for code, holds in found.items() if holds)


def contact(pixels: Pixels, fit: Fit) -> float:
    """mm below the base's foot, as it was fitted, at which the dark ends that lies where it meets the table."""
    radius = foot_share(fit) * float(fit.base[WIDE])
    x = np.linspace(-tuning.CONTACT_SHARE, tuning.CONTACT_SHARE, tuning.CONTACT_COLUMNS) * radius
    front = shown(fit.vector, np.column_stack([x, 0 * x, np.sqrt(radius**2 - x**2)]))
    down = np.diff(shown(fit.vector, np.array([[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]])), axis=0)[0]
    scale = float(np.linalg.norm(down))
    strip = strips(pixels, Lines(front, np.tile(down / scale, (len(x), 1))), tuning.CONTACT_REACH * scale)
    light = np.median(decoded(strip.codes).mean(axis=2), axis=0)
    dark = light < light.min() + tuning.CONTACT_DARK * (light[-1] - light.min())
    return float(strip.steps[dark].max() / scale) if dark.any() else 0.0


def foot_share(fit: Fit) -> float:
    """Radius on which a base stands over its largest one.

    A figure that stands too high ends before the table's level, and the only base that does so is one whose underside
    closes to a point.
    """
    return float(PROFILES[fit.form](fit.base)[0].radii[0] / fit.base[WIDE])


def line_below(pixels: Pixels, ground: Ground, aside: float, depth: float) -> bool:
    """Whether light or tint changes at a line along the backdrop's foot, on both sides of a figure at x = `aside`,
    within `depth` mm below that foot as the sheet's plane has them."""
    x = np.arange(-tuning.SIDE, tuning.SIDE, 0.3)
    x = x[np.abs(x - aside) > tuning.FREE_BESIDE]
    y = ground.foot.level + ground.foot.slope * x
    feet, below = (ground.view.pixels(np.column_stack([x, y - down, 0 * x])) for down in (0.0, 1.0))
    scale = np.linalg.norm(below - feet, axis=1)
    reach = depth * float(np.median(scale))
    limit = np.array([pixels.shape[1], pixels.shape[0]]) - 1 - reach
    inside = np.all((feet > 0) & (feet < limit), axis=1)
    sides = [inside & (x < aside), inside & (x > aside)]
    if depth <= tuning.LINE_WITHIN or min(side.sum() for side in sides) < tuning.FEWEST_COLUMNS:
        return False
    strip = strips(pixels, Lines(feet, (below - feet) / scale[:, None]), reach)
    down = strip.steps / float(np.median(scale))
    logs = np.log(decoded(strip.codes) + tuning.DARKEST)
    changed = [_changes(np.median(logs[side], axis=0), down, depth) for side in sides]
    return bool(np.any(changed[0] & changed[1]))


def _changes(logs: Floats, down: Floats, depth: float) -> Mask:
    """Where the light or the tint of the table changes within a line's width; steps of a tenth of a millimetre."""
    places = np.arange(tuning.LINE_WITHIN, depth - tuning.LINE_WITHIN, 0.1)
    ends = [
        np.column_stack([np.interp(places + far, down, each) for each in logs.T]) for far in (0, tuning.LINE_WITHIN)
    ]
    change = ends[1] - ends[0]
    tint = np.hypot(change[:, 0] - change[:, 1], change[:, 2] - change[:, 1])
    changed = (np.abs(change.mean(axis=1)) > tuning.LINE_LIGHT) | (tint > tuning.TINT)
    # The two sides are seen at slightly different heights.
    return np.convolve(changed, np.ones(3), mode="same") > 0 if len(changed) else np.zeros(1, dtype=bool)
