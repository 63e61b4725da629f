"""Arrows: the shaft as a thin stripe, where it starts, and where its head comes to a point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.optimize import least_squares

from inspect_kit.vision.arrays import Floats, Mask, Whole
from inspect_kit.vision.board import layout, tuning
from inspect_kit.vision.board.layout import TOWARDS, Placement
from inspect_kit.vision.board.lines import Absent, Ink, Trace, Wanted, contrast, trace_line
from inspect_kit.vision.fitting.stripe import Ribbon, Shot, ribbon, seen_mean, seen_median

# The head of an arrow: a wedge, filled or open, fitted with the lens's blur to the ink around the shaft's end.


@dataclass(frozen=True)
class Inked:
    """Share of full ink along and across a shaft: mm across and along, the shares, and the blur in mm."""

    across: Floats
    along: Floats
    ink: Floats
    blur: float


@dataclass(frozen=True)
class Head:
    """Where the flanks meet, mm along the shaft, and its standard uncertainty."""

    place: float
    u: float


def fit_head(seen: Inked, end: int, shaft: float) -> Head | None:
    """The head at a shaft that ends about there; nothing where the end is no broader than the shaft."""
    size = seen.along[1] - seen.along[0]
    rows = np.arange(max(end - round(tuning.BEHIND / size), 0), min(end + round(tuning.BEYOND / size), len(seen.along)))
    wide = outermost(seen.across, seen.ink[rows], 0.4)
    top = int(wide.argmax())
    if wide[top] < max(tuning.BROAD, shaft + 0.8):
        return None
    # The head may be broad for a while: its front begins where it starts to narrow.
    top = int(np.nonzero(wide > 0.92 * wide[top])[0][-1])
    rows = rows[min(top + round(tuning.FRONT / size), len(rows) - 6) :]
    reach = seen.along[end] - seen.along[rows[0]]
    if reach < 1.0 or len(rows) < 8:
        return None
    return _fitted(seen, rows, (float(seen.along[end]) + 0.4, 0.5 * wide[top] / (reach + 1.0)), shaft)


def _fitted(seen: Inked, rows: Whole, guess: tuple[float, float], shaft: float) -> Head:
    """The tip by all forms that makers draw, each counting as well as it explains the ink; U holds how they differ."""
    part = _folded(seen, rows)
    found = [_solved(part, guess, shaft, form) for form in _FORMS]
    worth = part.ink.size / tuning.ARROWS_ALIKE
    costs, more = np.array([cost for cost, _ in found]), np.array([form.more for form in _FORMS])
    # Schwarz's criterion: every further number must earn its place.
    likely = -0.5 * (worth * np.log(costs) + more * np.log(worth))
    weights = np.exp(likely - likely.max())
    weights /= weights.sum()
    places, spreads = np.array([(head.place, head.u) for _, head in found]).T
    middle = float(weights @ places)
    return Head(middle, float(np.sqrt(weights @ (spreads**2 + (places - middle) ** 2))))


def _folded(seen: Inked, rows: Whole) -> Inked:
    """The mean of both sides of the axis."""
    middle = int(np.abs(seen.across).argmin())
    away = np.arange(round((tuning.WIDEST + 0.5) / (seen.across[1] - seen.across[0])))
    ink = (seen.ink[np.ix_(rows, middle + away)] + seen.ink[np.ix_(rows, middle - away)]) / 2
    return Inked(seen.across[middle + away] - seen.across[middle], seen.along[rows], ink, seen.blur)


@dataclass(frozen=True)
class _Form:
    """How a head is drawn: filled or open, where the shaft's end is looked for (mm before the apex), pointed or cut,
    its flanks straight or bent."""

    hollow: bool
    short: float
    blunt: bool
    bent: bool = False

    @property
    def more(self) -> int:
        """Numbers that shape it besides apex and flank."""
        return 2 * self.hollow + self.blunt + self.bent + (self.short < 1)


_FORMS: Final = (
    _Form(False, 4.0, False),
    _Form(False, 0.6, False),
    _Form(False, 4.0, True),
    _Form(True, 0.6, False),
    _Form(True, 0.6, True),
    _Form(False, 4.0, False, bent=True),
)
"""Filled and pointed; a filled one that the shaft runs through, broader than the wedge there; worn or cut; open,
pointed or rounded; with flanks that bulge or are drawn in."""


def _solved(seen: Inked, guess: tuple[float, float], shaft: float, form: _Form) -> tuple[float, Head]:
    """Cost and tip, by least squares of apex, flank, ink, ground, inner flank, where the shaft ends and what is cut."""
    usual = np.array([*guess, 1.0, 0.0, 0.6, form.short, 0.0, 0.0])
    spread = np.array([np.inf, np.inf, 0.3, 0.1, 0.2, 0.6, 1.2, 0.1])
    low = np.array([guess[0] - 3, 0.08, 0.3, -0.3, 0.2, 0.0, 0.0, -0.06])
    high = np.array([guess[0] + 10, 1.5, 1.6, 0.3, 0.95, 6.0, 9.0, 1.0])

    def residuals(at: Floats) -> Floats:
        wings = Wedge(at[0], at[1], at[1] * at[4] if form.hollow else 0.0, at[6] if form.blunt else 0.0,
                      at[7] if form.bent else 0.0)  # fmt: skip
        drawn = wedge(seen.across, seen.along, wings, (shaft, at[5]), seen.blur)
        return np.concatenate([(drawn * at[2] + at[3] - seen.ink).ravel() / tuning.SPREAD, (at - usual) / spread])

    start = np.clip(usual, low + 1e-3, high - 1e-3)
    answer = least_squares(residuals, start, bounds=(low, high), loss="soft_l1", diff_step=[1e-3] * 8, max_nfev=30,
                           x_scale=[0.3, 0.1, 0.2, 0.1, 0.2, 0.5, 0.3, 0.05])  # fmt: skip
    slopes = np.asarray(answer.jac, dtype=np.float64)
    covariance = np.linalg.inv(slopes.T @ slopes + 1e-9 * np.eye(8))
    to_tip = np.array([1.0, 0, 0, 0, 0, 0, -1.0 if form.blunt else 0.0, 0])
    worn = float(np.mean(np.minimum(answer.fun[:-8] ** 2, 4.0)))
    u = np.sqrt(to_tip @ covariance @ to_tip * worn * tuning.ARROWS_ALIKE + tuning.LEAST_U**2)
    return float(answer.cost), Head(float(to_tip @ answer.x), float(u))


@dataclass(frozen=True)
class Wedge:
    """Where the flanks meet (mm along), their outer and inner slope, how much before the apex is cut off, and by what
    share a mm the flanks grow steeper from the apex backwards."""

    apex: float
    outer: float
    inner: float = 0.0
    cut: float = 0.0
    bend: float = 0.0


def wedge(across: Floats, along: Floats, head: Wedge, shaft: tuple[float, float], blur: float) -> Floats:
    """Ink of a head on a shaft: the shaft's width, and how far before the apex it ends."""
    size, step = across[1] - across[0], along[1] - along[0]
    behind, away = head.apex - along[:, None], np.abs(across[None, :])
    # Half a sample's softness keeps the picture smooth in the parameters.
    flank = np.clip(0.5 + (head.outer * behind * (1 + head.bend * behind) - away) / size, 0, 1)
    hollow = np.clip(0.5 + (head.inner * behind - away) / size, 0, 1) if head.inner > 0 else 0.0
    line = np.clip(0.5 + (shaft[0] / 2 - away) / size, 0, 1) * np.clip(0.5 + (behind - shaft[1]) / step, 0, 1)
    form = np.maximum(np.clip(flank - hollow, 0, 1), line) * np.clip(0.5 + (behind - head.cut) / step, 0, 1)
    return np.asarray(
        cv2.GaussianBlur(form, (0, 0), blur / size, sigmaY=blur / step, borderType=cv2.BORDER_REFLECT_101)
    )


def outermost(across: Floats, ink: Floats, level: float) -> Floats:
    """How far apart the outermost places are, row by row, that are inked by more than a level."""
    near = np.abs(across) < tuning.WIDEST
    on = (ink > level) & near
    first, last = on.argmax(axis=1), on.shape[1] - 1 - on[:, ::-1].argmax(axis=1)
    return np.where(on.any(axis=1), across[last] - across[first], 0.0)


_SHAFT: Final = Wanted(1.0, 0.2, 2.8, 6.0, 0.02)
"""The shaft: usual, thinnest and thickest stroke (mm), how far it may lie off (mm), and its slope."""
_OWN_SHAFT: Final = Wanted(1.0, 0.2, 6.0, 6.0, 0.02, others=(2.0, 3.5))
"""The same on a board with sizes of its own."""
_STEP: Final = 0.25
"""mm between the lines across a shaft."""
FAINT_TIP: Final = "too worn or too faint to be told: measure it with a rule"
"""Why a tip is withheld, and what would settle it."""
_BLUNT: Final = 1.5
"""mm that a worn or blurred tip may be longer or shorter than where its ink halves."""
_FURTHER: Final = 6.0
"""mm beyond a tip that must be free of ink."""
OTHER_HEAD: Final = "its head has a form of its own"
"""Why the tip of an arrow is not told."""
_OWN_ENDED: Final = 3.0
"""The same at the start of an arrow on a board with sizes of its own: ornaments stand that near to it."""
_ENDED: Final = 6.0
"""mm without ink after which an arrow has ended."""


@dataclass(frozen=True)
class Arrow:
    """Shaft, and both ends in pixels with their uncertainty along the shaft in mm (or why they are not known)."""

    shaft: Trace
    tail: tuple[Floats, float] | Absent
    tip: tuple[Floats, float] | Absent


@dataclass(frozen=True)
class Room:
    """Where an arrow's parts are looked for, mm along the diagonal from the middle."""

    shaft: tuple[float, float] = (195.0, 405.0)
    """Between which the shaft is a line."""
    tail: tuple[float, float] = (230.0, 320.0)
    """From the first of these inwards; between both it is a plain line."""
    head: tuple[float, float] = (340.0, 390.0)
    """Between which it is a plain line before its head."""
    tip: tuple[float, float] = (385.0, layout.ARROW_TIP + 34)
    own: bool = False
    """Whether the maker has sizes of its own: its tip is where ink first ends, and not beyond."""


def own_room(gap: float, edge: float) -> Room:
    """On a board of any size: around the gap between a corner's two circles, and up to its pocket's edge."""
    inner, outer = gap + np.array(tuning.OWN_SHAFT)
    before, after = gap - tuning.OWN_GAP, gap + tuning.OWN_GAP
    return Room((inner, outer), (inner, before), (after, outer), (outer, edge - tuning.OWN_CLEAR), own=True)


def trace_arrow(shot: Shot, placement: Placement, corner: str, ink: Ink | None, room: Room) -> Arrow | Absent:
    """The arrow of a corner, near the diagonal."""
    way = np.array(TOWARDS[corner]) / np.sqrt(2)
    ends = placement.to_plane(np.stack([way * room.shaft[0], way * room.shaft[1]]))
    shaft = trace_line(shot, ends[0], ends[1], _OWN_SHAFT if room.own else _SHAFT, ink)
    if isinstance(shaft, Absent):
        return shaft
    if shaft.cover < tuning.COVER:
        return Absent("missing")
    points = shot.view.on_plane(shaft.pixels)
    middle = points.mean(axis=0)
    direction = np.linalg.svd(points - middle)[2][0]
    direction *= np.sign(direction @ (ends[1] - ends[0]))
    centre = placement.to_plane(np.zeros((1, 2)))[0]
    start = float((middle - centre) @ direction)
    strip, along = _strip(shot, middle, direction, (70.0 - start, 455.0 - start))
    return Arrow(shaft, _tail(shot, strip, along, shaft, (start, room)), _tip(shot, strip, along, shaft, (start, room)))


def _strip(shot: Shot, middle: Floats, direction: Floats, reach: tuple[float, float]) -> tuple[Ribbon, Floats]:
    """Light across the shaft's line, far beyond both ends."""
    along = np.arange(reach[0], reach[1], _STEP)
    normal = np.array([-direction[1], direction[0]])
    feet = middle + along[:, None] * direction
    return ribbon(shot, feet, np.tile(normal, (len(feet), 1)), (-tuning.ACROSS, tuning.ACROSS)), along


def _inked(strip: Ribbon, shaft: Trace) -> Floats:
    """Share of full ink at every place, by the shaft's own colour; NaN where hidden."""
    core = np.abs(strip.steps) < max(0.3 * shaft.width, 0.15)
    outer = (np.abs(strip.steps) > 4.2) & (np.abs(strip.steps) < 5.8)
    light = strip.light.copy()
    light[:, outer] = wood_along(seen_median(light[:, outer], 1))[:, None]
    values, _, _ = contrast(replace(strip, light=light), core, outer)
    return np.asarray(values / max(shaft.ink, 1e-3), dtype=np.float64)


def wood_along(beside: Floats) -> Floats:
    """The wood's light along a shaft, whatever is drawn across it; NaN where it is hidden."""
    half = round(tuning.GROUND_ALONG / _STEP)
    windows = sliding_window_view(np.pad(beside, ((half, half), (0, 0)), "edge"), 2 * half + 1, axis=0)
    return np.where(np.isfinite(beside), seen_median(windows[:, :, :: round(1 / _STEP)], 2), np.nan)


def _tail(
    shot: Shot, strip: Ribbon, along: Floats, shaft: Trace, where: tuple[float, Room]
) -> tuple[Floats, float] | Absent:
    """Where the stripe ends, going towards the middle: for six mm from there on nothing."""
    start, room = where
    ink = _inked(strip, shaft)
    half = shaft.width / 2 + 0.5 * strip.blur(shot)
    level = seen_mean(np.where(np.abs(strip.steps) <= half, ink, np.nan), 1)
    inner = (along + start > room.tail[0]) & (along + start < room.tail[1])
    full = float(seen_median(level[inner], 0))
    present = level > 0.5 * full
    first = int(np.argmin(np.abs(along + start - room.tail[0])))
    gap = round((_OWN_ENDED if room.own else _ENDED) / _STEP)
    for index in range(first, gap, -1):
        if not np.isfinite(level[index - 1 : index + 1]).all():
            return Absent("hidden")
        if present[index] and not present[index - gap : index].any():
            rise = level[index] - level[index - 1]
            place = along[index] - _STEP * (level[index] - 0.5 * full) / max(rise, 1e-6)
            arc = arc_stroke(Inked(strip.steps, along, ink, strip.blur(shot)), index, shaft.width)
            u = np.hypot(max(0.08, 0.25 * strip.blur(shot)), arc / np.sqrt(12))
            return _pixel(shot, strip, along, float(place) + arc / 2), float(u)
    return Absent("missing")


def arc_stroke(seen: Inked, end: int, shaft: float) -> float:
    """mm: stroke of an arc that ends the shaft, or 0. No rule says whether it is a part of the arrow: half of it is."""
    away = np.abs(seen.across) - shaft / 2 - 2 * seen.blur
    beside = (away > 0) & (away < tuning.ARC_BESIDE)
    rows = slice(max(end - round(tuning.ARC_STROKE / _STEP), 0), end + round(tuning.ARC_STROKE / _STEP))
    sides = [np.nan_to_num(seen.ink[rows][:, beside & (side * seen.across > 0)]).mean(axis=1) for side in (-1, 1)]
    if min(float(side.max()) for side in sides) < tuning.ARC_INKED:
        return 0.0
    return float(np.clip(np.mean(sides, axis=0), 0, None).sum() * _STEP)


def _tip(
    shot: Shot, strip: Ribbon, along: Floats, shaft: Trace, where: tuple[float, Room]
) -> tuple[Floats, float] | Absent:
    """Where the head ends; of a line without a head, where it ends."""
    start, room = where
    ink = _inked(strip, shaft)
    far = np.nonzero((along + start > room.tip[0]) & (along + start < room.tip[1]))[0]
    if not len(far) or not np.isfinite(ink[far]).all():
        return Absent("hidden")
    half = shaft.width / 2 + 0.5 * strip.blur(shot)
    level = ink[:, np.abs(strip.steps) <= half].mean(axis=1)
    full = float(seen_median(level[(along + start > room.head[0]) & (along + start < room.head[1])], 0))
    ends = run_ends(far, level[far] > 0.45 * full)
    if not ends or ends[0] >= far[-1] - 2:
        return Absent("missing")
    seen = Inked(strip.steps, along, ink, strip.blur(shot))
    heads = (fit_head(seen, end, shaft.width) for end in ends)
    head = next((head for head in heads if head is not None), None)
    if head is None:
        end = ends[0]
        rise = level[end] - level[end + 1]
        head = Head(along[end] + _STEP * (level[end] - 0.5 * full) / max(rise, 1e-6), max(0.3, strip.blur(shot)))
    if room.own and goes_on(seen, head.place):
        return Absent(OTHER_HEAD)
    return Absent(FAINT_TIP) if head.u > tuning.TIP_USELESS else (_pixel(shot, strip, along, head.place), head.u)


def goes_on(seen: Inked, tip: float) -> bool:
    """Whether something is drawn beyond a tip: a head of a maker's own form, which does not end there."""
    after = (seen.along > tip + _BLUNT + 2 * seen.blur) & (seen.along < tip + _BLUNT + 2 * seen.blur + _FURTHER)
    return bool((np.nan_to_num(seen.ink[after]).max(axis=1, initial=0.0) > 0.45).any())


def run_ends(places: Whole, inked: Mask) -> list[int]:
    """Where ink ends for a while: the first may be a worn place, later ones may be grain of the wood."""
    on = np.nonzero(inked)[0]
    gaps = np.diff(np.append(on, len(places) + round(tuning.WORN_AWAY / _STEP)))
    return [int(places[index]) for index in on[gaps > round(tuning.WORN_AWAY / _STEP)]]


def _pixel(shot: Shot, strip: Ribbon, along: Floats, place: float) -> Floats:
    point = np.array([np.interp(place, along, strip.feet[:, axis]) for axis in (0, 1)])
    return np.asarray(shot.view.pixels(np.array([[*point, 0.0]]))[0], dtype=np.float64)
