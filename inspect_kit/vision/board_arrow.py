"""Arrows: the shaft as a thin stripe, where it starts, and where its head comes to a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.vision import board_layout as layout
from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.board_head import Inked, fit_head
from inspect_kit.vision.board_layout import TOWARDS, Placement
from inspect_kit.vision.board_marks import Absent, Ink, Trace, Wanted, contrast, trace_line
from inspect_kit.vision.board_profile import Ribbon, Shot, ribbon, seen_mean, seen_median

_SHAFT: Final = Wanted(1.0, 0.2, 2.8, 6.0, 0.02)
_COVER: Final = 0.7
"""Share of the shaft's visible path that must be inked: other boards' diagonals are shorter."""
_STEP: Final = 0.25
_ACROSS: Final = 6.0


@dataclass(frozen=True)
class Arrow:
    """Shaft, and both ends in pixels with their uncertainty along the shaft in mm (or why they are not known)."""

    shaft: Trace
    tail: tuple[Floats, float] | Absent
    tip: tuple[Floats, float] | Absent


def trace_arrow(shot: Shot, placement: Placement, corner: str, ink: Ink | None) -> Arrow | Absent:
    """The arrow of a corner, near the diagonal."""
    way = np.array(TOWARDS[corner]) / np.sqrt(2)
    ends = placement.to_plane(np.stack([way * 195.0, way * 405.0]))
    shaft = trace_line(shot, ends[0], ends[1], _SHAFT, ink)
    if isinstance(shaft, Absent):
        return shaft
    if shaft.cover < _COVER:
        return Absent("missing")
    points = shot.view.on_plane(shaft.pixels)
    middle = points.mean(axis=0)
    direction = np.linalg.svd(points - middle)[2][0]
    direction *= np.sign(direction @ (ends[1] - ends[0]))
    centre = placement.to_plane(np.zeros((1, 2)))[0]
    start = float((middle - centre) @ direction)
    strip, along = _strip(shot, middle, direction, (70.0 - start, 455.0 - start))
    return Arrow(shaft, _tail(shot, strip, along, shaft, start), _tip(shot, strip, along, shaft, start))


def _strip(shot: Shot, middle: Floats, direction: Floats, reach: tuple[float, float]) -> tuple[Ribbon, Floats]:
    """Light across the shaft's line, far beyond both ends."""
    along = np.arange(reach[0], reach[1], _STEP)
    normal = np.array([-direction[1], direction[0]])
    feet = middle + along[:, None] * direction
    return ribbon(shot, feet, np.tile(normal, (len(feet), 1)), (-_ACROSS, _ACROSS)), along


def _inked(strip: Ribbon, shaft: Trace) -> Floats:
    """Share of full ink at every place, by the shaft's own colour; NaN where hidden."""
    core = np.abs(strip.steps) < max(0.3 * shaft.width, 0.15)
    outer = (np.abs(strip.steps) > 4.2) & (np.abs(strip.steps) < 5.8)
    values, _, _ = contrast(strip, core, outer)
    return np.asarray(values / max(shaft.ink, 1e-3), dtype=np.float64)


def _tail(shot: Shot, strip: Ribbon, along: Floats, shaft: Trace, start: float) -> tuple[Floats, float] | Absent:
    """Where the stripe ends, going towards the middle: for six mm from there on nothing."""
    ink = _inked(strip, shaft)
    half = shaft.width / 2 + 0.5 * strip.blur(shot)
    level = seen_mean(np.where(np.abs(strip.steps) <= half, ink, np.nan), 1)
    inner = (along + start > 230) & (along + start < 320)
    full = float(seen_median(level[inner], 0))
    present = level > 0.5 * full
    first = int(np.argmin(np.abs(along + start - 230)))
    gap = round(6 / _STEP)
    for index in range(first, gap, -1):
        if not np.isfinite(level[index - 1 : index + 1]).all():
            return Absent("hidden")
        if present[index] and not present[index - gap : index].any():
            rise = level[index] - level[index - 1]
            place = along[index] - _STEP * (level[index] - 0.5 * full) / max(rise, 1e-6)
            return _pixel(shot, strip, along, float(place)), max(0.08, 0.25 * strip.blur(shot))
    return Absent("missing")


def _tip(shot: Shot, strip: Ribbon, along: Floats, shaft: Trace, start: float) -> tuple[Floats, float] | Absent:
    """Where both flanks of the head meet; of a line without a head, where it ends."""
    ink = _inked(strip, shaft)
    far = np.nonzero((along + start > 385) & (along + start < layout.ARROW_TIP + 34))[0]
    if not np.isfinite(ink[far]).all():
        return Absent("hidden")
    half = shaft.width / 2 + 0.5 * strip.blur(shot)
    level = ink[:, np.abs(strip.steps) <= half].mean(axis=1)
    full = float(seen_median(level[(along + start > 340) & (along + start < 390)], 0))
    there = [index for index in far if level[index] > 0.45 * full]
    if not there:
        return Absent("missing")
    end = int(there[-1])
    if end >= far[-1] - 2:
        return Absent("missing")
    head = fit_head(Inked(strip.steps, along, ink, strip.blur(shot)), end, shaft.width)
    if head is None:
        rise = level[end] - level[end + 1]
        place = along[end] + _STEP * (level[end] - 0.5 * full) / max(rise, 1e-6)
        return _pixel(shot, strip, along, float(place)), max(0.3, strip.blur(shot))
    return _pixel(shot, strip, along, head.place), head.u


def _pixel(shot: Shot, strip: Ribbon, along: Floats, place: float) -> Floats:
    point = np.array([np.interp(place, along, strip.feet[:, axis]) for axis in (0, 1)])
    return np.asarray(shot.view.pixels(np.array([[*point, 0.0]]))[0], dtype=np.float64)
