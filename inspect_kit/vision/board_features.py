"""Everything a photo shows of a board: markings, feet of the frame, pockets and arrows, gathered over all photos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision import board_layout as layout
from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.board_arrow import Arrow, trace_arrow
from inspect_kit.vision.board_frame import HEIGHT, Wall, choose_feet, look_at_walls, trace_feet
from inspect_kit.vision.board_layout import CORNERS, OUTWARDS, SIDES, WALLS, Placement
from inspect_kit.vision.board_marks import Absent, Ink, Trace
from inspect_kit.vision.board_mosaic import Mosaic
from inspect_kit.vision.board_pocket import trace_pocket
from inspect_kit.vision.board_profile import Shot
from inspect_kit.vision.board_shapes import Key, direction
from inspect_kit.vision.board_survey import Mark, Surroundings, survey_circles, survey_lines

_APART: Final = 0.8
"""mm by which photos may disagree about a foot before one of them is left out."""


@dataclass(frozen=True)
class Features:
    """Traces of everything found, why the rest was not, the frame's height as seen, and the ink."""

    traces: Mapping[Key, tuple[Trace, ...]]
    absent: Mapping[Key, str]
    height: float | None
    ink: Ink | None


def gather(shots: Sequence[Shot], placement: Placement, mosaic: Mosaic) -> Features:
    """All photos' features together."""
    found: dict[Key, list[Trace]] = {}
    reasons: dict[Key, list[str]] = {}
    heights, inks = [], []
    for shot in shots:
        marks, height, ink = _one(Surroundings(shot, placement, mosaic))
        heights += [] if height is None else [height]
        inks += [] if ink is None else [ink]
        for key, mark in marks.items():
            if isinstance(mark, Absent):
                reasons.setdefault(key, []).append(mark.reason)
            else:
                found.setdefault(key, []).append(mark)
    traces = {key: tuple(_agreeing(key, many, shots, placement)) for key, many in found.items()}
    absent = {key: "missing" if "missing" in many else many[0] for key, many in reasons.items() if key not in traces}
    return Features(traces, absent, float(np.median(heights)) if heights else None, inks[0] if inks else None)


def _one(around: Surroundings) -> tuple[dict[Key, Mark], float | None, Ink | None]:
    around, marks, ink = survey_lines(around)
    marks = {**marks, **survey_circles(around, marks, ink)}
    height = _feet(around, marks)
    for corner in CORNERS:
        marks["pocket", corner] = _pocket(around, marks, corner)
        marks.update(_arrow(around, corner, ink))
    return marks, height, ink


def _feet(around: Surroundings, marks: dict[Key, Mark]) -> float | None:
    """Adds the four feet; returns the frame's height where it is seen."""
    half = {side: _expected_half(around, marks, side) for side in SIDES}
    looked = look_at_walls(around.shot, around.placement, half)
    walls = {side: wall for side, wall in looked.items() if isinstance(wall, Wall)}
    feet = choose_feet(walls)
    traced = trace_feet(around.shot, walls, feet)
    for side in SIDES:
        wall = looked[side]
        marks["foot", side] = wall if isinstance(wall, Absent) else traced[side]
    return feet.height


def _expected_half(around: Surroundings, marks: Mapping[Key, Mark], side: str) -> float:
    lower = marks["lower", side]
    if isinstance(lower, Absent):
        return layout.HALF
    points = around.placement.to_board(around.shot.view.on_plane(lower.pixels))
    return float(np.median(points @ np.array(OUTWARDS[side]))) + lower.width / 2 + layout.LOWER


def wall_line(around: Surroundings, foot: Trace, side: str) -> Floats:
    """Outward normal and distance of a foot, on the frame of the views."""
    points = around.placement.to_board(around.shot.view.on_plane(foot.pixels, foot.height))
    out, along = direction(("foot", side))
    slope, level = np.polyfit(points @ along, points @ out, 1)
    normal = (out - slope * along) / np.hypot(1, slope)
    ends = around.placement.to_plane(np.stack([np.zeros(2), normal]))
    turned = ends[1] - ends[0]
    return np.array([*turned, level / np.hypot(1, slope) + turned @ ends[0]])


def _pocket(around: Surroundings, marks: Mapping[Key, Mark], corner: str) -> Mark:
    lines = []
    for side in WALLS[corner]:
        foot = marks["foot", side]
        if isinstance(foot, Absent):
            out = np.array(OUTWARDS[side])
            ends = around.placement.to_plane(np.stack([np.zeros(2), out]))
            way = ends[1] - ends[0]
            lines.append(np.array([*way, layout.HALF + 2 + way @ ends[0]]))
        else:
            lines.append(wall_line(around, foot, side))
    rows = np.array(lines)
    centre = np.linalg.solve(rows[:, :2], rows[:, 2] - layout.POCKET / 2)
    return trace_pocket(around.shot, centre, (rows[0], rows[1]))


def _arrow(around: Surroundings, corner: str, ink: Ink | None) -> dict[Key, Mark]:
    found = trace_arrow(around.shot, around.placement, corner, ink)
    if not isinstance(found, Arrow):
        return {(part, corner): found for part in ("shaft", "tail", "tip")}
    marks: dict[Key, Mark] = {("shaft", corner): found.shaft}
    for part, end in (("tail", found.tail), ("tip", found.tip)):
        marks[part, corner] = end if isinstance(end, Absent) else Trace(around.shot.index, end[0][None], end[1], 1.0)
    return marks


def _agreeing(key: Key, many: Sequence[Trace], shots: Sequence[Shot], placement: Placement) -> Sequence[Trace]:
    """Feet that photos see at different places: those near the most certain one are kept."""
    if key[0] != "foot" or len(many) < 2:
        return many
    out, _ = direction(key)
    levels = []
    for trace in many:
        view = next(shot.view for shot in shots if shot.index == trace.photo)
        levels.append(float(np.median(placement.to_board(view.on_plane(trace.pixels, trace.height)) @ out)))
    certain = min(
        range(len(many)), key=lambda index: (many[index].height > 0, many[index].u_width, many[index].scatter)
    )
    middle = float(np.median(levels)) if len(many) > 2 else levels[certain]
    kept = [trace for trace, level in zip(many, levels, strict=True) if abs(level - middle) < _APART]
    return kept or [many[certain]]


def with_height(features: Features, bundle_height: float | None) -> float:
    """The frame's height: as seen, or the usual one."""
    return features.height or bundle_height or HEIGHT


__all__ = ["Features", "gather", "replace", "wall_line", "with_height"]
