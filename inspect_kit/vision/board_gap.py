"""The dark gap between surface and wall: how well each width of it explains the mean profile across a wall.

A gap narrower than the blur only deepens and widens the dip between surface and wall; where surface, gap and wall are
fitted together it shows, unless the wall is as dark as the gap. Brightness only: a JPEG stores colour too coarsely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtr

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board_profile import BRIGHTNESS, Shot
from inspect_kit.vision.board_walls import Wall

WIDTHS: Final = np.concatenate([[0.0], np.arange(0.2, 2.55, 0.1)])
"""mm: widths of a gap that are tried."""
_STARTS: Final = np.arange(-0.3, 0.51, 0.05)
_BLURS: Final = (0.9, 1.0, 1.1)
_DARK: Final = 0.01
"""What a gap sends back of the surface's light, and as much more or less."""
_LIGHTER: Final = 20.0
"""Added to the misfit where the gap would have to be lighter than the wall."""


@dataclass(frozen=True)
class GapFit:
    """For every one of `WIDTHS`: what surface, gap and wall leave over of the profile, and where the gap starts."""

    misfits: Floats
    starts: Floats


def fit_gap(shot: Shot, wall: Wall, offsets: Floats, good: Mask, clear: float) -> GapFit:
    """From the edge at `offsets` on outwards; for `clear` mm nothing but gap and wall is seen."""
    away = np.arange(-2.6, float(np.clip(clear - 0.6, 1.2, 4.0)), 0.06)
    profile = _mean_profile(wall, offsets, good, away)
    blur = wall.lines.blur(shot)
    pairs = [_best_start(away, profile, blur, float(width)) for width in WIDTHS]
    possible = np.array([width < away[-1] - 0.5 for width in WIDTHS])
    misfits = np.array([misfit for misfit, _ in pairs])
    misfits[~possible] = misfits[possible].max()
    return GapFit(misfits, np.array([start for _, start in pairs]))


def _mean_profile(wall: Wall, offsets: Floats, good: Mask, away: Floats) -> Floats:
    """Brightness over the surface's, the median of all lines moved onto their own edge."""
    bright, steps = wall.lines.light @ BRIGHTNESS, wall.lines.steps
    moved = [np.interp(away + offsets[row], steps, bright[row]) for row in np.nonzero(good)[0]]
    mean = np.median(moved, axis=0)
    return np.asarray(mean / max(float(mean[:10].mean()), 1e-6), dtype=np.float64)


def _best_start(away: Floats, profile: Floats, blur: float, width: float) -> tuple[float, float]:
    """The smallest misfit over all places of the gap and a blur a little off, and that place."""
    starts = np.repeat(_STARTS, len(_BLURS))[:, None]
    widths = blur * np.tile(_BLURS, len(_STARTS))[:, None]
    on, up = away - starts, away - starts - width
    surface, wall = ndtr(-on / widths), ndtr(up / widths)
    parts = [surface, surface * np.minimum(on, 0), surface * np.minimum(on, 0) ** 2, wall, wall * np.maximum(up, 0)]
    if width > 0:
        parts.append(1 - surface - wall)
    weights = 1 / (0.002 + 0.02 * np.abs(profile))
    design = np.stack(parts, axis=2) * weights[:, None]
    target = profile * weights
    normal = np.einsum("tni,tnj->tij", design, design) + 1e-6 * np.eye(len(parts))
    right = np.einsum("tni,n->ti", design, target)
    if width > 0:
        normal[:, 5, 5] += 1 / _DARK**2
        right[:, 5] += 1 / _DARK
    found = np.linalg.solve(normal, right[:, :, None])[:, :, 0]
    misfit = ((np.einsum("tni,ti->tn", design, found) - target) ** 2).sum(axis=1)
    if width > 0:
        misfit += (found[:, 5] / _DARK - 1) ** 2 + _LIGHTER * (found[:, 5] > found[:, 3])
    best = int(misfit.argmin())
    return float(misfit[best]), float(starts[best, 0])
