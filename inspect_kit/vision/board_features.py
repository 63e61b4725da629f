"""Everything a photo shows of a board: markings, feet of the frame, pockets and arrows, gathered over all photos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.vision import board_layout as layout
from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.board_arrow import Arrow, trace_arrow
from inspect_kit.vision.board_feet import FootLine, Frame, foot_lines, trace_foot, weigh_frame
from inspect_kit.vision.board_frame import choose_feet
from inspect_kit.vision.board_layout import CORNERS, OUTWARDS, SIDES, WALLS, Placement
from inspect_kit.vision.board_marks import Absent, Ink, Trace
from inspect_kit.vision.board_mosaic import Mosaic
from inspect_kit.vision.board_pocket import trace_pockets
from inspect_kit.vision.board_profile import Shot
from inspect_kit.vision.board_rim import Walls
from inspect_kit.vision.board_shapes import Key, direction
from inspect_kit.vision.board_survey import Mark, Surroundings, survey_circles, survey_lines, survey_lower_lines
from inspect_kit.vision.board_walls import Wall, look_at_walls

_LINES, _CIRCLES = 2, 3
"""Lower lines or base circles that make a board one of ours."""
_APART: Final = 0.8
"""mm by which photos may disagree about a foot before one of them is left out."""


@dataclass(frozen=True)
class Features:
    """Traces of everything found, why the rest was not, and what the walls say about the frame."""

    traces: Mapping[Key, tuple[Trace, ...]]
    absent: Mapping[Key, str]
    frame: Frame
    blur: float
    """mm on the board: standard deviation of the sharpest photo's blur."""


@dataclass(frozen=True)
class _Drawn:
    """The markings of one photo, and the lines along its walls."""

    around: Surroundings
    marks: dict[Key, Mark]
    lines: Mapping[str, FootLine]
    ink: Ink | None


def gather(shots: Sequence[Shot], placement: Placement, mosaic: Mosaic) -> Features:
    """All photos' features together; the frame is weighed over all of them before the feet are."""
    drawn = [_drawn(Surroundings(shot, placement, mosaic)) for shot in shots]
    frame = weigh_frame([line for one in drawn for line in one.lines.values()])
    found: dict[Key, list[Trace]] = {}
    reasons: dict[Key, list[str]] = {}
    for one in drawn:
        for key, mark in _finished(one, frame).items():
            if isinstance(mark, Absent):
                reasons.setdefault(key, []).append(mark.reason)
            else:
                found.setdefault(key, []).append(mark)
    traces = {key: tuple(_agreeing(key, many, shots, placement)) for key, many in found.items()}
    absent = {key: "missing" if "missing" in many else many[0] for key, many in reasons.items() if key not in traces}
    return Features(traces, absent, frame, min(_blur(one.around) for one in drawn))


def _blur(around: Surroundings) -> float:
    middle = np.array([around.placement.x, around.placement.y, 0.0])
    return around.shot.blur / max(around.shot.view.resolution(middle), 1e-3)


def gather_feet(around: Surroundings) -> tuple[dict[Key, tuple[Trace, ...]], Shot]:
    """The feet of one photo only, and the photo with the blur that its lines tell."""
    around, marks = survey_lower_lines(around)
    _, lines = _walls(around, marks)
    frame = weigh_frame(list(lines.values()))
    return {("foot", side): (trace_foot(around.shot, line, frame),) for side, line in lines.items()}, around.shot


def _drawn(around: Surroundings) -> _Drawn:
    around, marks, ink = survey_lines(around)
    marks = {**marks, **survey_circles(around, marks, ink)}
    absent, lines = _walls(around, marks)
    return _Drawn(around, {**marks, **absent}, lines, ink)


def _walls(around: Surroundings, marks: Mapping[Key, Mark]) -> tuple[dict[Key, Mark], dict[str, FootLine]]:
    """Why a side shows no foot, for every side that may not; and the lines along the walls of the others."""
    half = {side: _expected_half(around, marks, side) for side in SIDES}
    looked = look_at_walls(around.shot, around.placement, half)
    walls = {side: wall for side, wall in looked.items() if isinstance(wall, Wall)}
    absent: dict[Key, Mark] = {
        ("foot", side): wall if isinstance(wall, Absent) else Absent("missing") for side, wall in looked.items()
    }
    return absent, foot_lines(around.shot, walls, choose_feet(walls))


def _finished(one: _Drawn, frame: Frame) -> dict[Key, Mark]:
    """With feet, pockets and arrows."""
    marks, around = dict(one.marks), one.around
    for side, line in one.lines.items():
        marks["foot", side] = trace_foot(around.shot, line, frame)
    places = {corner: _pocket_place(around, marks, corner) for corner in CORNERS}
    for corner, pocket in trace_pockets(around.shot, places).items():
        marks["pocket", corner] = pocket
        marks.update(_arrow(around, corner, one.ink))
    return marks if _drawn_as_ours(marks) else {key: _doubted(key, mark) for key, mark in marks.items()}


def _drawn_as_ours(marks: Mapping[Key, Mark]) -> bool:
    """Whether enough of the usual markings is there for single ones to be no chance."""
    found = [key[0] for key, mark in marks.items() if isinstance(mark, Trace)]
    return found.count("lower") >= _LINES or found.count("circle") >= _CIRCLES


def _doubted(key: Key, mark: Mark) -> Mark:
    """On a board drawn otherwise, what looks like a circle of ours may be a piece, a hole or chance."""
    return Absent("missing") if isinstance(mark, Trace) and key[0] in ("circle", "disc", "centre", "pocket") else mark


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


def _pocket_place(around: Surroundings, marks: Mapping[Key, Mark], corner: str) -> tuple[Floats, Walls]:
    """About where a pocket's middle is, and the walls beside it."""
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
    return np.asarray(centre, dtype=np.float64), (rows[0], rows[1])


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
