"""The feet of the frame's walls, traced to a fraction of a pixel and moved outwards over the gap along the wall.

Two witnesses tell the gap. In the profile it is a dark strip before the wall. And the wall's top edge stands off its
foot by more, the more obliquely a wall is seen: from walls seen differently, gap and height of the frame both follow.
What is left open by both is carried as an uncertainty that all four feet share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board import layout, tuning
from inspect_kit.vision.board.lines import Trace, correlation
from inspect_kit.vision.board.wall_gap import HEIGHTS, WIDTHS, GapFit, fit_gap
from inspect_kit.vision.board.walls import (
    ChosenFoot,
    Wall,
    lit_top,
    mirrors_wood,
    stand_off,
    stand_offs,
    start_of,
    top_of,
    unlike,
)
from inspect_kit.vision.fitting.least_squares import agreeing, robust_deviation
from inspect_kit.vision.fitting.stripe import Shot, fit_steps

Gauged = tuple[float, float]
"""A width in mm and its standard uncertainty."""
TWO_FEET: Final = "seen in two ways: photograph it with the camera above that side"
"""Why a foot is withheld, and what would settle it."""
TWO_FEET_BELOW: Final = "seen in two ways: photograph it with the camera above the opposite side"
"""The same where the camera stands above that side, or beyond it, and sees nothing of the wall's face."""
SHADED_FOOT: Final = (
    "in the shade of its wall, where foot and top edge look alike: light that side, or measure it with a tape"
)
"""The same where the camera stands above that side already."""


@dataclass(frozen=True)
class FootLine:
    """The inner edge at a wall's foot in one photo, edges that may be its top (mm outwards), what tells of a gap."""

    wall: Wall
    offsets: Floats
    good: Mask
    middle: float
    tops: tuple[float, ...]
    gap: GapFit | None
    rival: float = 0.0
    """mm to another edge that may be the foot as well; 0 where there is none."""
    lit: bool = False
    """Whether the edge is the wall's lit top, more likely than its foot, which then lies unseen in the shade."""

    @property
    def doubtful(self) -> bool:
        """Whether two readings are too far apart for one value with an uncertainty."""
        return abs(self.rival) > tuning.RIVAL_CARRIED

    @property
    def doubt(self) -> str:
        """Why it is withheld then."""
        if self.lit:
            return SHADED_FOOT
        faced = stand_off(self.wall, self.middle, tuning.HEIGHT) > tuning.RIVAL_APART
        return TWO_FEET if faced else TWO_FEET_BELOW

    def start(self) -> Floats:
        """For every width of the gap and height of the frame: how far outwards of the traced edge it starts."""
        return np.full((len(WIDTHS), len(HEIGHTS)), tuning.START) if self.gap is None else self.gap.starts


@dataclass(frozen=True)
class Frame:
    """What all walls together say: weights of gaps' widths × frame's heights, and the height with its uncertainty."""

    weights: Floats
    height: float
    u_height: float
    stated: Gauged | None = None
    """The gap's width by a feeler gauge, mm, and its standard uncertainty."""

    @property
    def gap(self) -> float:
        """The mean width, mm."""
        return self.stated[0] if self.stated else float(self.weights.sum(axis=1) @ WIDTHS)

    @property
    def u_gap(self) -> float:
        """The standard uncertainty of that."""
        widths = self.weights.sum(axis=1)
        return self.stated[1] if self.stated else float(np.sqrt(widths @ (WIDTHS - self.gap) ** 2))

    def foot(self, line: FootLine) -> tuple[float, float]:
        """How far the wall stands outwards of the traced edge (mm), and the standard uncertainty of that."""
        wide, u_wide = self.stated or (WIDTHS[:, None], 0.0)
        places = line.start() + wide
        mean = float((self.weights * places).sum())
        spread = float(np.hypot(np.sqrt((self.weights * (places - mean) ** 2).sum()), u_wide))
        return mean, max(spread, _apart(line))


def foot_lines(shot: Shot, walls: Mapping[str, Wall], feet: Mapping[str, ChosenFoot]) -> dict[str, FootLine]:
    """The edges of one photo; walls whose edge does not run straight are left out."""
    found = {side: _line(shot, walls[side], foot) for side, foot in feet.items()}
    lines = {side: line for side, line in found.items() if line is not None}
    if not mirrors_wood(walls, feet):
        return lines
    faced = {side for side in lines if top_of(walls[side], feet[side].index) is not None}
    usual = float(np.median([lines[side].middle for side in faced] or [0.0]))
    return {side: line if side in faced else perhaps_mirrored(line, usual) for side, line in lines.items()}


def perhaps_mirrored(line: FootLine, usual: float) -> FootLine:
    """Of a glossy wall no face is seen: its edge may be the top, the wood before it mirrored in it.

    Both readings are carried unless the markings, which stand off walls whose faces are seen as is `usual`, speak
    against it.
    """
    shift = stand_off(line.wall, line.middle, tuning.HEIGHT)
    as_foot, as_top = unlike(np.array([line.middle, line.middle - shift]) - usual)
    if line.lit or shift <= 0 or as_top > as_foot + tuning.RIVAL:
        return line
    return replace(line, rival=max(line.rival, shift, key=abs))


def _line(shot: Shot, wall: Wall, foot: ChosenFoot) -> FootLine | None:
    index = foot.index
    # The gap is measured from its inner edge on, which is the sharper one.
    edge = wall.edges[start_of(wall, index)]
    offsets, good = refine(shot, wall, edge.offset + edge.slope * wall.places)
    if good.sum() < 10:
        return None
    middle = _middle(wall, offsets, good)
    if lit_top(wall, index):
        return FootLine(wall, offsets, good, middle, (), None, stand_off(wall, middle, tuning.HEIGHT), lit=True)
    gap = fit_gap(shot, wall, offsets, good)
    # Where the top was fitted together with the gap, it is not asked for again.
    tops = () if gap is not None and gap.with_top else _tops(shot, wall, edge.offset)
    rival = 0.0 if foot.rival is None else wall.edges[start_of(wall, foot.rival)].offset - edge.offset
    return FootLine(wall, offsets, good, middle, tops, gap, rival)


def hidden_foot(shot: Shot, wall: Wall, others: Sequence[FootLine], frame: Frame) -> FootLine | None:
    """A wall whose own shade hides its foot, by its top edge: the other walls tell the frame's height and about where.

    Taken for the foot, that edge must stand off much farther than the others' feet do; else it may be either.
    """
    if len(others) < tuning.THREE_OF_FOUR:
        return None
    usual = float(np.median([line.middle + frame.foot(line)[0] for line in others]))
    shift = stand_off(wall, usual, frame.height)
    if shift < 3 * tuning.SIDE_ALIKE:
        return None
    tops = [edge for edge in wall.edges if abs(edge.offset - usual - shift) < 2 * tuning.SIDE_ALIKE]
    if len(tops) != 1 or tops[0].support < tuning.PARTLY:
        return None
    offsets, good = refine(shot, wall, tops[0].offset + tops[0].slope * wall.places)
    return FootLine(wall, offsets, good, _middle(wall, offsets, good), (), None, lit=True) if good.sum() >= 10 else None


def _middle(wall: Wall, offsets: Floats, good: Mask) -> float:
    return float(np.polyfit(wall.places[good], offsets[good], 1)[1])


def _tops(shot: Shot, wall: Wall, foot: float) -> tuple[float, ...]:
    """Edges outside of the foot that the frame's height, once known, may make the wall's top edge."""
    low, high = (stand_off(wall, foot, height) for height in (HEIGHTS[0], HEIGHTS[-1]))
    found = []
    for edge in wall.edges:
        if max(low, tuning.NEAREST) - 0.5 < edge.offset - foot < high + tuning.GAP + 0.5:
            offsets, good = refine(shot, wall, edge.offset + edge.slope * wall.places)
            if good.sum() >= 10:
                found.append(_middle(wall, offsets, good))
    return tuple(found)


def weigh_frame(lines: Sequence[FootLine], stated: Gauged | None = None) -> Frame:
    """Gap and height of one frame from all its walls in all photos, and from a feeler gauge if one was put in."""
    width, height = np.meshgrid(WIDTHS, HEIGHTS, indexing="ij")
    total = _expected(stated)[:, None] + ((height - tuning.HEIGHT) / tuning.HEIGHT_U) ** 2
    for line in lines:
        total = total + _profile_misfit(line) + _top_misfit(line, width, height)
    weights = np.exp(-0.5 * (total - total.min()))
    weights /= weights.sum()
    heights = weights.sum(axis=0)
    tall = float(heights @ HEIGHTS)
    u_tall = float(np.sqrt(heights @ (HEIGHTS - tall) ** 2))
    return Frame(weights, tall, float(np.clip(u_tall, 0.15, tuning.HEIGHT_U)), stated)


def _expected(stated: Gauged | None) -> Floats:
    """What speaks against every width of the gap before anything is seen."""
    if stated is None:
        return np.asarray(-2 * np.log(shares()))
    return np.asarray(((WIDTHS - stated[0]) / max(stated[1], tuning.GAUGE_STEP)) ** 2)


def after_second_photo(lines: Sequence[FootLine], frame: Frame) -> float:
    """mm: about what the gap's standard uncertainty would be with another photo from the opposite side.

    There every wall's top stands off by as much as the opposite one's does now; tops that stand off unequally tell
    gap and height apart.
    """
    known = np.diag([1 / max(frame.u_gap, 1e-3) ** 2, 1 / frame.u_height**2])
    for line in lines:
        lean = (2 * layout.HALF - line.wall.camera) / (line.wall.above - frame.height)
        if lean * frame.height > tuning.NEAREST:
            known = known + np.outer([1.0, lean], [1.0, lean]) / _apart(line) ** 2
    return float(np.sqrt(np.linalg.inv(known)[0, 0]))


def shares() -> Floats:
    """How likely every width of the gap is before anything is seen."""
    wide = np.where(WIDTHS > 0, np.exp(-WIDTHS / tuning.GAP_MEAN) * np.gradient(WIDTHS), 0.0)
    return np.where(WIDTHS > 0, tuning.GAP_SHARE * wide / wide.sum(), 1 - tuning.GAP_SHARE)


def _profile_misfit(line: FootLine) -> Floats | float:
    """The logarithm of what gap and height leave over of the profile: how well it can be known is told by the best."""
    if line.gap is None:
        return 0.0
    least = float(line.gap.misfits.min())
    return np.asarray(tuning.WORTH * np.log1p((line.gap.misfits - least) / (least + tuning.USUAL)))


def _top_misfit(line: FootLine, width: Floats, height: Floats) -> Floats | float:
    """How badly gap and height go with the nearest edge that may be the wall's top; none near counts as unseen."""
    if line.gap is not None and line.gap.with_top:
        return 0.0
    foot = line.middle + line.start() + width
    expected = foot + stand_offs(line.wall, foot, height)
    misfit = np.full(width.shape, tuning.UNSEEN)
    for top in line.tops:
        misfit = np.minimum(misfit, 4 * np.log1p(((top - expected) / _apart(line)) ** 2 / 4))
    return misfit


def _apart(line: FootLine) -> float:
    return float(np.hypot(tuning.WALL_FOOT_APART[0], tuning.WALL_FOOT_APART[1] / np.median(line.wall.lines.scale)))


def trace_foot(shot: Shot, line: FootLine, frame: Frame) -> Trace:
    """The foot in pixels; where a wall's top hides its foot, the top edge, at its height."""
    wall, places, good = line.wall, line.wall.places, line.good
    shift = stand_off(wall, line.middle + frame.gap, frame.height)
    raised = line.lit or shift < -frame.gap - 0.2
    outwards, common = (tuning.START, 0.0) if raised else frame.foot(line)
    points = wall.lines.feet + (line.offsets + outwards)[:, None] * wall.lines.normals
    design = np.column_stack([np.ones(len(places)), places])
    fitted = np.linalg.lstsq(design[good], line.offsets[good], rcond=None)[0]
    residuals = (line.offsets - design @ fitted)[good]
    space = np.column_stack([points[good], np.zeros(int(good.sum()))])
    scatter = max(robust_deviation(residuals), 0.02)
    alike = correlation(residuals)
    if line.rival:
        # One reading may hold for a part of the wall only, as where a lamp is mirrored: the slope is open by as much.
        scatter, alike = float(np.hypot(scatter, line.rival / 2)), float(good.sum())
    # U, twice this, reaches the other reading.
    own = float(
        np.linalg.norm(
            [tuning.OWN, tuning.ROUNDED_TOP if line.lit else 0.12 if line.gap is None else 0.0, line.rival / 2]
        )
    )
    return Trace(
        shot.index, shot.view.pixels(space), scatter, alike, 0.0, own,
        height=frame.height if raised else 0.0, common=common,
    )  # fmt: skip


def refine(shot: Shot, wall: Wall, guess: Floats) -> tuple[Floats, Mask]:
    """Sub-pixel steps near the guess, and the bins that agree with a straight line."""
    scale = float(np.median(wall.lines.scale))
    others = [abs(edge.offset - guess.mean()) for edge in wall.edges if abs(edge.offset - guess.mean()) > 0.3]
    half = float(np.clip(0.9 * min(others, default=3.0), 2.2 * shot.blur / scale, 2.2))
    fits, contrast = fit_steps(wall.lines, guess, half, shot.blur / scale)
    offsets = fits.place
    good = wall.usable & (fits.misfit < 0.4) & (contrast > 0.15 * float(np.median(contrast[wall.usable])))
    design = np.column_stack([np.ones(len(guess)), wall.places])
    return offsets, agreeing(design, offsets, good & (np.abs(offsets - guess) < 1.2), least=10, floor=0.03)
