"""Everything a photo shows of a board: markings, feet of the frame, pockets and arrows, gathered over all photos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.board import layout, tuning
from inspect_kit.vision.board.arrows import Arrow, Room, own_room, trace_arrow
from inspect_kit.vision.board.circles import centred, find_ring, trace_circle, trace_disc
from inspect_kit.vision.board.holes.corner_holes import find_corner_holes
from inspect_kit.vision.board.holes.pockets import Corner, trace_pockets
from inspect_kit.vision.board.layout import CIRCLES, CORNERS, OUTWARDS, SIDES, TOWARDS, WALLS, Placement
from inspect_kit.vision.board.lines import Absent, Ink, Trace, Wanted, trace_line
from inspect_kit.vision.board.locate import Mosaic
from inspect_kit.vision.board.outer_circle import ANGLES, WAYS, trace_edge, trace_outermost
from inspect_kit.vision.board.shapes import Key, direction
from inspect_kit.vision.board.wall_foot import (
    FootLine,
    Frame,
    Gauged,
    after_second_photo,
    foot_lines,
    hidden_foot,
    trace_foot,
    weigh_frame,
)
from inspect_kit.vision.board.walls import Wall, choose_feet, look_at_walls
from inspect_kit.vision.fitting.circle import Circle, fit_circle
from inspect_kit.vision.fitting.least_squares import robust_deviation
from inspect_kit.vision.fitting.stripe import Shot, ribbon, seen_median

# All markings of a board in one photo: every line and circle the layout knows, traced or said why not.

Mark = Trace | Absent
UNLIKE: Final = "unlike the others"
"""Why a marking is left out that the board's own symmetry contradicts."""
Survey = dict[tuple[str, str], Mark]
Named = TypeVar("Named")

_LOWER: Final = Wanted(layout.LOWER_THICKNESS, 2.5, 9.0, 8.0)
"""The lower line: usual, thinnest and thickest stroke (mm), how far it may lie off (mm)."""
_OWN_LOWER: Final = Wanted(layout.LOWER_THICKNESS, 1.2, 15.0, 12.0, others=(2.8, 9.0))
"""The same on a board with sizes of its own."""
_THIN: Final = Wanted(0.8, 0.15, 3.6, 3.0, 0.006, others=(1.6, 2.4))
"""A thin line: the same, and its slope against the square."""
_OWN_THIN: Final = Wanted(0.8, 0.15, 6.0, 6.0, 0.006, others=(1.6, 3.2))
"""The same on a board with sizes of its own."""
_RING: Final = Wanted(0.8, 0.15, 3.6, 1.6, others=(1.6, 2.4))
"""The ring of a base or centre circle: the same; searched first, so it lies off less."""
_OUTER: Final = Wanted(0.8, 0.15, 3.6, 2.0, others=(1.6, 2.4))
"""The outer circle: the same."""


@dataclass(frozen=True)
class Surroundings:
    """What the features of one photo are looked for with."""

    shot: Shot
    placement: Placement
    mosaic: Mosaic
    circles: Mapping[str, Floats] = field(default_factory=dict)
    """Where base circles were seen before, on the board; empty: where makers usually draw them."""
    ends: Mapping[str, float] = field(default_factory=dict)
    """mm from the middle to where the wood was seen to end, side by side; empty: where boards usually end."""

    sure: bool = True
    """Whether the board's pattern was made out at all: else what is seen at usual places may be something else."""

    def circle_place(self, name: str) -> Floats:
        """About where a base circle's middle is."""
        return self.circles[name] if name in self.circles else layout.circle_place(name)

    @property
    def circle_radii(self) -> tuple[float, float]:
        """mm: radii among which base circles are looked for; wide where the board has sizes of its own."""
        return tuning.ANY_RADII if self.circles else tuning.USUAL_RADII

    @property
    def half(self) -> float:
        """mm from the middle to the walls, about."""
        return float(np.mean(list(self.ends.values()))) if self.ends else layout.HALF

    def spacing(self, side: str, edge: float) -> float:
        """mm from the lower line's outer `edge` to the upper line: the circles lie midway where they are known."""
        if not self.circles:
            return layout.SPACING
        own = [place @ np.array(OUTWARDS[side]) for name, place in self.circles.items() if name.startswith(side)]
        return 2 * (edge - float(np.mean(own)))

    def lean(self, side: str) -> float:
        """By how much a side's two circles stand out differently, over the distance between them."""
        out = np.array(OUTWARDS[side])
        along = np.array([out[1], -out[0]])
        own = sorted(
            (place for name, place in self.circles.items() if name.startswith(side)), key=lambda at: at @ along
        )
        return float((own[-1] - own[0]) @ out / ((own[-1] - own[0]) @ along)) if len(own) > 1 else 0.0

    def arrow_room(self, corner: str, pocket: Mark) -> Room:
        """Where a corner's arrow is looked for: on a board with sizes of its own, through the gap of its circles."""
        if not self.circles:
            return Room()
        way = np.array(layout.TOWARDS[corner]) / np.sqrt(2)
        gap = float(np.mean([self.circles[name] @ way for name in layout.PAIRS[corner]]))
        if isinstance(pocket, Absent):
            return own_room(gap, layout.ARROW_TIP)
        edge = self.placement.to_board(self.shot.view.on_plane(pocket.pixels)) @ way
        return own_room(gap, float(edge.min()))

    def line_level(self, side: str) -> float:
        """mm from the middle to the middle of a side's lower line, which touches the circles from outside."""
        if not self.circles:
            return layout.HALF - layout.LOWER - layout.LOWER_THICKNESS / 2
        own = [place @ np.array(OUTWARDS[side]) for name, place in self.circles.items() if name.startswith(side)]
        return float(np.mean(own)) + tuning.OWN_LOWER

    def line_reach(self, side: str) -> float:
        """mm to both sides of the middle between a side's circles."""
        if not self.circles:
            return layout.REACH - 16
        along = np.abs(np.array(OUTWARDS[side])[::-1])
        own = [abs(float(place @ along)) for name, place in self.circles.items() if name.startswith(side)]
        return min(own) - 24


def survey_lower_lines(around: Surroundings) -> tuple[Surroundings, Survey]:
    """The lower lines only, which also tell the photo's blur."""
    found: Survey = {("lower", side): _lower(around, side, None) for side in SIDES}
    if around.circles:
        found = _printed_alike(found)
    blurs = [mark.blur for mark in found.values() if isinstance(mark, Trace) and mark.blur > 0]
    if not blurs:
        return around, found
    blur = float(np.clip(np.median(blurs), 0.3, 4.0))
    return replace(around, shot=replace(around.shot, blur=blur, u_blur=max(0.06 * blur, 0.05))), found


def _printed_alike(found: Survey) -> Survey:
    """Lines or outlines of one print are as broad as each other: by what they differ their width is not known."""
    widths = [mark.width for mark in found.values() if isinstance(mark, Trace)]
    apart = float(np.std(widths)) if widths else 0.0
    return _less_sure(found, apart)


def survey_lines(around: Surroundings) -> tuple[Surroundings, Survey, Ink | None]:
    """The lower lines first: they tell the photo's blur and the ink; then the upper lines beside them."""
    before = around.shot.blur
    around, found = survey_lower_lines(around)
    if abs(around.shot.blur / before - 1) > tuning.BLUR_CHANGED:
        found = {("lower", side): _lower(around, side, None) for side in SIDES}
    inks = [mark for mark in found.values() if isinstance(mark, Trace)]
    ink = None
    if inks:
        colour = np.median([mark.colour for mark in inks], axis=0)
        ink = Ink(tuple(float(value) for value in colour), float(np.median([mark.ink for mark in inks])))  # type: ignore[arg-type]
    for side in SIDES:
        found["upper", side] = _upper(around, side, found["lower", side], ink)
    return around, found, ink


def _path(around: Surroundings, side: str, level: float, reach: float) -> tuple[Floats, Floats]:
    """Ends of a path along a side, `level` mm from the middle; its normal points to the middle's other side."""
    out = np.array(OUTWARDS[side])
    along = np.array([out[1], -out[0]])
    lean = around.lean(side) * reach * out
    ends = around.placement.to_plane(np.stack([out * level - reach * along - lean, out * level + reach * along + lean]))
    return ends[0], ends[1]


def _lower(around: Surroundings, side: str, ink: Ink | None) -> Mark:
    start, end = _path(around, side, around.line_level(side), around.line_reach(side))
    return trace_line(around.shot, start, end, _OWN_LOWER if around.circles else _LOWER, ink)


def _upper(around: Surroundings, side: str, lower: Mark, ink: Ink | None) -> Mark:
    level = around.line_level(side) + layout.LOWER_THICKNESS / 2 - layout.SPACING + 0.4
    wanted = _OWN_THIN if around.circles else _THIN
    if isinstance(lower, Trace):
        edge = _level(around, lower, side) + lower.width / 2
        level = edge - around.spacing(side, edge) + 0.4
    if not isinstance(lower, Trace):
        wanted = replace(wanted, reach=6.0)
    start, end = _path(around, side, level, around.line_reach(side))
    return trace_line(around.shot, start, end, wanted, ink)


def survey_base_circles(around: Surroundings, lines: Survey, ink: Ink | None) -> Survey:
    """The outlines of the base circles only."""
    own = _own_circles(around, lines) if around.circles else {}
    if _count(own, "circle") >= tuning.ENOUGH_ALIKE:
        return own
    found: Survey = {("circle", name): _base_circle(around, name, lines, ink) for name in CIRCLES}
    found = _of_one_size(around, found, tuning.RINGS_ALIKE)
    if around.circles or not around.sure or _count(found, "circle") >= tuning.ENOUGH_ALIKE:
        return found
    # At their usual places, but of another look.
    there = replace(around, circles={name: layout.circle_place(name) for name in CIRCLES})
    own = _own_circles(there, lines)
    return own if _count(own, "circle") >= tuning.ENOUGH_ALIKE else found


def survey_circles(around: Surroundings, lines: Survey, ink: Ink | None) -> Survey:
    """Base circles with their discs, the outer and the centre circle."""
    found = _printed_alike(survey_base_circles(around, lines, ink))
    for name in CIRCLES:
        found["disc", name] = _disc(around, found["circle", name], ink)
    found["outer", ""] = _outer(around, ink)
    found["centre", ""] = _uncovered(_centre(around, found["outer", ""], ink), found)
    if not _plain_centre(around, found["centre", ""]):
        found["centre", ""] = Absent("covered or not one clean circle")
    return found


def _uncovered(centre: Mark, others: Survey) -> Mark:
    """A queen left on the centre circle is as large as it, but its outline is never as clean as the drawn circles'."""
    usual = [mark.scatter for mark in others.values() if isinstance(mark, Trace) and mark.width > 0]
    limit = max(2.5 * float(np.median(usual)) if usual else 0.0, 0.08)
    if isinstance(centre, Trace) and centre.scatter > limit:
        return Absent("covered or not one clean circle")
    return centre


def _base_circle(around: Surroundings, name: str, lines: Survey, ink: Ink | None) -> Mark:
    guess = around.circle_place(name)
    side = name.split(".", maxsplit=1)[0]
    lower = lines["lower", side]
    out = np.array(OUTWARDS[side])
    if isinstance(lower, Trace) and not around.circles:
        edge = _level(around, lower, side) + lower.width / 2
        guess = guess + out * (edge - layout.CIRCLE / 2 - float(guess @ out))
    place = around.placement.to_plane(guess[None])[0]
    where, radius, clarity = find_ring(around.mosaic, place, around.circle_radii, 8.0, layout.DISC / layout.CIRCLE)
    if clarity < tuning.LEAST_RING:
        return _absent(around, place, 18.0)
    touched = _touching(around, name)
    where, radius = centred(around.shot, where, radius, _RING, touched)
    return trace_circle(around.shot, where, radius, _RING, touched, ink)


def _own_circles(around: Surroundings, lines: Survey) -> Survey:
    """The outlines around discs of any size; all eight are drawn alike, so one unlike the others is none."""
    places = {name: around.placement.to_plane(around.circle_place(name)[None])[0] for name in CIRCLES}
    touching = _between_lines(around, lines) / 2
    # Red discs are hardly seen in red light, where only their outlines are dark; what has no outline is seen in all.
    seen, rings, usual = around, dict[str, list[tuple[float, float]]](), 0.0
    for seen in (_in_discs_light(around), around):
        rings = {name: _dark_rings(seen, name, place) for name, place in places.items()}
        usual = common_radius(rings, touching)
        if usual:
            break
    usual = usual or touching
    found: Survey = {}
    for name, own in rings.items():
        near = min(own, key=lambda ring: abs(ring[1] - usual), default=(0.0, 0.0))
        if abs(near[1] - usual) < tuning.RINGS_ALIKE and usual > 0:
            found["circle", name] = _own_circle(seen, name, near)
        elif usual:
            found["circle", name] = trace_edge(around.shot, places[name], usual, _touching(around, name))
        else:
            found["circle", name] = _absent(around, places[name], tuning.ANY_RADII[1])
    return _of_one_size(around, found, tuning.RINGS_ALIKE, usual)


def common_radius(rings: Mapping[str, Sequence[tuple[float, float]]], touching: float) -> float:
    """Outer radius of rings that half of the discs have: those that touch both base lines, else the largest; or 0."""
    outer = [ring[1] for own in rings.values() for ring in own]

    def alike(radius: float) -> bool:
        near = sum(any(abs(ring[1] - radius) < tuning.RINGS_ALIKE for ring in own) for own in rings.values())
        return 2 * near >= len(rings)

    top = touching if touching and alike(touching) else max(filter(alike, outer), default=0.0)
    return float(np.median([radius for radius in outer if abs(radius - top) < tuning.RINGS_ALIKE] or [0.0]))


def _between_lines(around: Surroundings, lines: Survey) -> float:
    """mm from the lower lines' outer edges to the upper lines' inner ones, in the median; 0 where they are not seen."""
    found = []
    for side in SIDES:
        lower, upper = lines["lower", side], lines.get(("upper", side))
        if isinstance(lower, Trace) and isinstance(upper, Trace):
            apart = _level(around, lower, side) - _level(around, upper, side)
            found.append(apart + (lower.width + upper.width) / 2)
    return float(np.median(found)) if len(found) >= tuning.LINES else 0.0


def _level(around: Surroundings, mark: Trace, side: str) -> float:
    """mm from the board's middle outwards to a line."""
    points = around.placement.to_board(around.shot.view.on_plane(mark.pixels))
    return float(np.median(points @ np.array(OUTWARDS[side])))


def _in_discs_light(around: Surroundings) -> Surroundings:
    """The photo in the one colour in which discs are most like wood: red ones in red, where only outlines are dark."""
    pixels = around.mosaic.pixel(around.placement.to_plane(np.array([around.circle_place(name) for name in CIRCLES])))
    disc, wood = (np.median([_mean_light(around.mosaic, at, radii) for at in pixels], axis=0)
                  for radii in ((0.0, 4.0), (tuning.ANY_RADII[1], tuning.ANY_RADII[1] + 4.0)))  # fmt: skip
    colour = int(np.abs(np.log(np.maximum(disc, 1e-4) / np.maximum(wood, 1e-4))).argmin())
    light = np.repeat(around.shot.light[:, :, colour : colour + 1], 3, axis=2)
    return replace(around, shot=replace(around.shot, light=light))


def _mean_light(mosaic: Mosaic, at: Floats, radii: tuple[float, float]) -> Floats:
    """Median of the light between two radii (mm) around a pixel of the plan."""
    rows, columns = np.mgrid[: mosaic.seen.shape[0], : mosaic.seen.shape[1]]
    away = np.hypot(columns - at[0], rows - at[1]) / mosaic.per_mm
    chosen = (away >= radii[0]) & (away <= radii[1])
    return np.median(mosaic.light[chosen], axis=0) if chosen.any() else np.ones(3)


def _dark_rings(red: Surroundings, name: str, middle: Floats) -> list[tuple[float, float]]:
    """Inner and outer radii of rings, dark or light, around a disc, from the inside outwards."""
    low, high = tuning.ANY_RADII
    lines = ribbon(red.shot, middle + low * WAYS, WAYS, (0.0, high - low + 4))
    course = seen_median(lines.light[~_touching(red, name)], 0)
    depth = np.abs(np.nan_to_num(1 - course / np.maximum(seen_median(course[-16:], 0), 1e-4))).max(axis=1)
    inked = depth > max(float(depth.max()) / 2, tuning.LEAST_RING)
    flanks = np.nonzero(np.diff(np.concatenate([[0], inked.astype(int), [0]])))[0].reshape(-1, 2)
    return [(low + float(lines.steps[start]), low + float(lines.steps[stop - 1])) for start, stop in flanks]


def _own_circle(red: Surroundings, name: str, ring: tuple[float, float]) -> Mark:
    wide = max(ring[1] - ring[0], 0.4)
    middle = red.placement.to_plane(red.circle_place(name)[None])[0]
    if ring[0] < tuning.ANY_RADII[0] + 0.5:
        # Filled to its edge with what is as dark as the outline: only the edge is seen.
        return trace_edge(red.shot, middle, ring[1], _touching(red, name))
    wanted = Wanted(wide, 0.3 * wide, 1.8 * wide, max(2.0, 1.6 * wide))
    found = trace_circle(red.shot, middle, sum(ring) / 2, wanted, _touching(red, name), None)
    if isinstance(found, Trace) and abs(_outer_edge(red, found) - ring[1]) < tuning.RINGS_ALIKE:
        return found
    # Beside a broad stroke a lane of wood looks like one: the edge is seen all the same.
    return trace_edge(red.shot, middle, ring[1], _touching(red, name))


def _of_one_size(
    around: Surroundings, found: Mapping[Named, Mark], most: float, usual: float = 0.0
) -> dict[Named, Mark]:
    """Circles as large as is usual on this board, or as the others: the rest were not seen for what they are.

    One print or one tool makes them all alike: by what they differ on a board of any maker, their size is not known.
    """
    sizes = {key: _outer_edge(around, mark) for key, mark in found.items() if isinstance(mark, Trace)}
    usual = usual or float(np.median(list(sizes.values()) or [0.0]))
    alike = {key: size for key, size in sizes.items() if abs(size - usual) <= most}
    apart = 2 * float(np.std(list(alike.values()) or [0.0])) if around.circles else 0.0
    odd = Absent("covered or not one clean circle")
    kept = {key: mark if key in alike or isinstance(mark, Absent) else odd for key, mark in found.items()}
    return _less_sure(kept, apart)


def _less_sure(marks: Mapping[Named, Mark], apart: float) -> dict[Named, Mark]:
    """The same marks, their widths uncertain by so many mm more."""
    return {key: replace(mark, u_width=float(np.hypot(mark.u_width, apart))) if isinstance(mark, Trace) else mark
            for key, mark in marks.items()}  # fmt: skip


def _outer_edge(around: Surroundings, mark: Trace) -> float:
    fitted = _circle_of(around.shot, mark)
    return 0.0 if fitted is None else fitted.radius + mark.width / 2


def _circle_of(shot: Shot, mark: Mark) -> Circle | None:
    """The circle through a mark's points on the frame of the views; nothing where it is absent or no circle."""
    fitted = fit_circle(shot.view.on_plane(mark.pixels)) if isinstance(mark, Trace) else None
    return fitted if isinstance(fitted, Circle) else None


def _absent(around: Surroundings, place: Floats, radius: float) -> Absent:
    """Missing where the place can be seen, hidden where it cannot."""
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = place + radius * np.column_stack([np.cos(angles), np.sin(angles)])
    at = np.round(around.mosaic.pixel(ring)).astype(int)
    height, width = around.mosaic.seen.shape
    inside = (at[:, 0] >= 0) & (at[:, 1] >= 0) & (at[:, 0] < width) & (at[:, 1] < height)
    seen = np.array([bool(around.mosaic.seen[y, x]) for x, y in at[inside]])
    return Absent("missing" if len(seen) > 12 and seen.mean() > 0.6 else "hidden or out of the picture")


def _touching(around: Surroundings, name: str) -> Mask:
    """Azimuths (frame of the views) where base lines, neighbour or the gap's circle touch a base circle."""
    side, towards = name.split(".")
    out, along = np.array(OUTWARDS[side]), np.array(OUTWARDS[towards])
    angles = ANGLES - around.placement.angle
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    up, ahead = ways @ out, ways @ along
    # The lower line fills the lane's outer part from the tangent point inwards, the upper line is thin.
    lower = (up > 0.5) & (ahead < 0.3)
    upper = (up < -0.8) & (ahead < 0.35)
    gap = ways @ (along + out) / np.sqrt(2) > 0.93
    return np.asarray(lower | upper | gap)


def _disc(around: Surroundings, circle: Mark, ink: Ink | None) -> Mark:
    fitted = _circle_of(around.shot, circle)
    if isinstance(circle, Absent) or fitted is None:
        return circle if isinstance(circle, Absent) else Absent("missing")
    if not circle.width:
        # Without an outline of its own, what is filled and what goes around it are not told apart.
        return Absent("covered or not one clean circle")
    middle = np.array([fitted.x, fitted.y])
    disc = trace_disc(around.shot, middle, (fitted.radius, circle.width), ink)
    if isinstance(disc, Trace) and not _lane(around, middle, (disc, fitted, circle.width)):
        return Absent("covered or not one clean circle")
    return disc


def _lane(around: Surroundings, middle: Floats, seen: tuple[Trace, Circle, float]) -> bool:
    """Whether wood is seen between a disc and the circle around it, by how green it is against the wood outside."""
    disc, circle, width = seen
    within = (_outer_edge(around, disc) + circle.radius - width / 2) / 2
    green = []
    for radius in (within, circle.radius + width / 2 + 2.0):
        light = seen_median(ribbon(around.shot, middle + radius * WAYS, WAYS, (-0.3, 0.3)).light, (0, 1))
        green.append(float(light[1] / max(float(light[0]), 1e-4)))
    return green[0] > 0.7 * green[1]


def _outer(around: Surroundings, ink: Ink | None) -> Mark:
    place = around.placement.to_plane(np.zeros((1, 2)))[0]
    if around.circles:
        return trace_outermost(around.shot, place, tuning.ANY_OUTER, ink)
    where, radius, clarity = find_ring(around.mosaic, place, tuning.USUAL_OUTER, 10.0)
    if clarity < 0.5 * tuning.LEAST_RING:
        return _absent(around, place, 85.0)
    return trace_circle(around.shot, where, radius, _OUTER, None, ink)


def _centre(around: Surroundings, outer: Mark, ink: Ink | None) -> Mark:
    place, reach, radius = around.placement.to_plane(np.zeros((1, 2)))[0], 8.0, None
    fitted = _circle_of(around.shot, outer)
    if fitted is not None:
        place, reach = np.array([fitted.x, fitted.y]), 2.5
        radius = _clean_radius(around.shot, place, tuning.CENTRE_RADII)
    if radius is not None:
        plain = trace_circle(around.shot, place, radius, _RING, _decorated(around.shot, place, radius), ink)
        return plain if isinstance(plain, Trace) else _filled_centre(around.shot, place, ink)
    where, radius, clarity = find_ring(around.mosaic, place, tuning.CENTRE_RADII, reach)
    if clarity < 0.15 * tuning.LEAST_RING:
        return _absent(around, place, 16.0)
    return trace_circle(around.shot, where, radius, _RING, None, ink)


def _plain_centre(around: Surroundings, centre: Mark) -> bool:
    """Whether a centre circle of any size is seen for what it is: no ornament around it, which may be taken for it."""
    fitted = _circle_of(around.shot, centre)
    if isinstance(centre, Absent) or fitted is None:
        return False
    edge = fitted.radius + centre.width / 2
    low, high = tuning.USUAL_RADII
    drawn = float(_drawn_around(around.shot, np.array([fitted.x, fitted.y]), edge).mean())
    return low < edge < high and drawn <= (0.0 if around.circles else tuning.MOST_DRAWN)


def _filled_centre(shot: Shot, place: Floats, ink: Ink | None) -> Mark:
    """A centre circle filled up to its thin outline, in the middle of the outer circle as no piece ever lies."""
    far = tuning.CENTRE_RADII[1] + 1.0
    found = trace_disc(shot, place, (far, 0.0), ink, _decorated(shot, place, tuning.CENTRE_RADII[1]))
    if isinstance(found, Absent):
        return found
    fitted = _circle_of(shot, found)
    off = np.inf if fitted is None else np.hypot(fitted.x - place[0], fitted.y - place[1])
    return found if off < tuning.FEATURES_OFF_MIDDLE else Absent("covered or not one clean circle")


def _decorated(shot: Shot, middle: Floats, radius: float) -> Mask:
    """Azimuths with ornaments right outside of a circle; none where they are all around, which would leave nothing."""
    drawn = _drawn_around(shot, middle, radius)
    return drawn if drawn.mean() < tuning.MOST_DRAWN else np.zeros(360, dtype=bool)


def _drawn_around(shot: Shot, middle: Floats, radius: float) -> Mask:
    """Azimuths at which something is drawn right outside of a circle, such as a maker's star."""
    light = ribbon(shot, middle + radius * WAYS, WAYS, (1.4, 3.4)).light
    # Most of what is seen may be a star: the lightest part is the wood.
    bright = light.sum(axis=2)
    wood = seen_median(light[bright > np.nanpercentile(bright, 75)], 0)
    away = np.linalg.norm(light / np.maximum(wood, 1e-4) - 1, axis=2) / np.sqrt(3)
    return np.asarray(np.nan_to_num(away, nan=1.0).max(axis=1) > tuning.FEATURES_DRAWN)


def _clean_radius(shot: Shot, middle: Floats, radii: tuple[float, float]) -> float | None:
    """The radius at which the azimuths without ornaments are darkest, if they are darker there than beside it."""
    clean = ~_decorated(shot, middle, radii[1])
    lines = ribbon(shot, middle + radii[0] * WAYS, WAYS, (-1.0, radii[1] - radii[0] + 3.0))
    if clean.sum() < 40:
        return None
    bright = seen_median(
        lines.light[clean].sum(axis=2) / seen_median(lines.light[clean][:, -16:].sum(axis=2), 1)[:, None], 0
    )
    # Outside of the outline is wood; whether the circle is filled or not, the outline is the darkest.
    within = (lines.steps >= 0) & (lines.steps <= radii[1] - radii[0])
    place = int(np.argmin(np.where(within, bright, np.inf)))
    return float(radii[0] + lines.steps[place]) if bright[place] < 1 - tuning.LEAST_RING else None


@dataclass(frozen=True)
class Features:
    """Traces of everything found, why the rest was not, and what the walls say about the frame."""

    traces: Mapping[Key, tuple[Trace, ...]]
    absent: Mapping[Key, str]
    frame: Frame
    blur: float
    """mm on the board: standard deviation of the sharpest photo's blur."""
    u_gap_then: float = 0.0
    """mm: about the gap's standard uncertainty with another photo from the opposite side."""


@dataclass(frozen=True)
class _Drawn:
    """The markings of one photo, and the lines along its walls."""

    around: Surroundings
    marks: dict[Key, Mark]
    walls: Mapping[str, Wall]
    lines: Mapping[str, FootLine]
    ink: Ink | None


def gather(arounds: Sequence[Surroundings], gap: Gauged | None = None) -> Features:
    """All photos' features together; the frame is weighed over all of them before the feet are."""
    shots, placement = [around.shot for around in arounds], arounds[0].placement
    drawn = [_drawn(around) for around in arounds]
    lines = [line for one in drawn for line in one.lines.values()]
    frame = weigh_frame(lines, gap)
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
    return Features(traces, absent, frame, min(_blur(one.around) for one in drawn), after_second_photo(lines, frame))


def _blur(around: Surroundings) -> float:
    middle = np.array([around.placement.x, around.placement.y, 0.0])
    return around.shot.blur / max(around.shot.view.resolution(middle), 1e-3)


def gather_feet(around: Surroundings) -> tuple[dict[Key, tuple[Trace, ...]], Shot]:
    """The feet of one photo only, and the photo with the blur that its lines tell."""
    around, marks = survey_lower_lines(around)
    _, _, lines = _walls(around, marks)
    frame = weigh_frame(list(lines.values()))
    return {("foot", side): (trace_foot(around.shot, line, frame),) for side, line in lines.items()}, around.shot


def _drawn(around: Surroundings) -> _Drawn:
    around, marks, ink = survey_lines(around)
    marks = {**marks, **survey_circles(around, marks, ink)}
    absent, walls, lines = _walls(around, marks)
    return _Drawn(around, {**marks, **absent}, walls, lines, ink)


def _walls(
    around: Surroundings, marks: Mapping[Key, Mark]
) -> tuple[dict[Key, Mark], Mapping[str, Wall], dict[str, FootLine]]:
    """Why a side shows no foot, for every side that may not; the walls, and the lines along them."""
    half = {side: _expected_half(around, marks, side) for side in SIDES}
    looked = look_at_walls(around.shot, around.placement, half)
    walls = {side: wall for side, wall in looked.items() if isinstance(wall, Wall)}
    absent: dict[Key, Mark] = {
        ("foot", side): wall if isinstance(wall, Absent) else Absent("missing") for side, wall in looked.items()
    }
    lines = foot_lines(around.shot, walls, choose_feet(walls))
    absent |= {("foot", side): Absent(line.doubt) for side, line in lines.items() if line.doubtful}
    return absent, walls, lines


def _finished(one: _Drawn, frame: Frame) -> dict[Key, Mark]:
    """With feet, pockets and arrows."""
    marks, around = dict(one.marks), one.around
    sure = {side: line for side, line in one.lines.items() if not line.doubtful}
    for side, wall in one.walls.items():
        line = sure.get(side) or hidden_foot(around.shot, wall, list(sure.values()), frame)
        if line is not None:
            marks["foot", side] = trace_foot(around.shot, line, frame)
    for corner, pocket in _pockets(around, marks).items():
        marks["pocket", corner] = pocket
        marks.update(_arrow(around, corner, pocket, one.ink))
    if around.circles:
        marks |= _ends_alike(around, marks)
    if not around.sure and _count(marks, "circle") < tuning.ENOUGH_ALIKE:
        # Neither eight circles on a square nor the usual ones: whatever lies at usual places may be something else.
        return {key: mark if key[0] == "foot" else Absent("missing") for key, mark in marks.items()}
    return marks if _drawn_as_ours(marks) else {key: _doubted(key, mark) for key, mark in marks.items()}


def _ends_alike(around: Surroundings, marks: Mapping[Key, Mark]) -> dict[Key, Mark]:
    """Ends of arrows that lie as far out as the others': one that runs into an ornament or is worn off does not."""
    kept: dict[Key, Mark] = {}
    for part in ("tail", "tip"):
        ends = {key: mark for key, mark in marks.items() if key[0] == part and isinstance(mark, Trace)}
        away = {key: float(np.linalg.norm(around.placement.to_board(around.shot.view.on_plane(mark.pixels))[0]))
                for key, mark in ends.items()}  # fmt: skip
        usual = float(np.median(list(away.values()) or [0.0]))
        alike = [key for key in ends if abs(away[key] - usual) < tuning.ENDS_ALIKE]
        apart = float(np.std([away[key] for key in alike])) if alike else 0.0
        for key, mark in ends.items():
            sure = key in alike and len(alike) >= tuning.THREE_OF_FOUR
            kept[key] = replace(mark, scatter=float(np.hypot(mark.scatter, apart))) if sure else Absent(UNLIKE)
    return kept


def _drawn_as_ours(marks: Mapping[Key, Mark]) -> bool:
    """Whether enough of the usual markings is there for single ones to be no chance."""
    return _count(marks, "lower") >= tuning.LINES or _count(marks, "circle") >= tuning.CIRCLES


def _count(marks: Mapping[Key, Mark], kind: str) -> int:
    return sum(key[0] == kind and isinstance(mark, Trace) for key, mark in marks.items())


def _doubted(key: Key, mark: Mark) -> Mark:
    """On a board drawn otherwise, what looks like a circle of ours may be a piece, a hole or chance."""
    return Absent("missing") if isinstance(mark, Trace) and key[0] in ("circle", "disc", "centre", "pocket") else mark


def _expected_half(around: Surroundings, marks: Mapping[Key, Mark], side: str) -> float:
    """mm from the middle to a foot, by the lower line; where wood ends elsewhere, the maker has sizes of its own."""
    lower, end = marks["lower", side], around.ends.get(side)
    if isinstance(lower, Absent):
        return layout.HALF if end is None else end
    usual = _level(around, lower, side) + lower.width / 2 + layout.LOWER
    return usual if end is None or abs(usual - end) < tuning.END_ALIKE else end


def wall_line(around: Surroundings, foot: Trace, side: str) -> Floats:
    """Outward normal and distance of a foot, on the frame of the views."""
    points = around.placement.to_board(around.shot.view.on_plane(foot.pixels, foot.height))
    out, along = direction(("foot", side))
    slope, level = np.polyfit(points @ along, points @ out, 1)
    normal = (out - slope * along) / np.hypot(1, slope)
    ends = around.placement.to_plane(np.stack([np.zeros(2), normal]))
    turned = ends[1] - ends[0]
    return np.array([*turned, level / np.hypot(1, slope) + turned @ ends[0]])


def _pockets(around: Surroundings, marks: Mapping[Key, Mark]) -> Mapping[str, Mark]:
    """Pockets of the usual size; where those are not seen, or the maker has sizes of its own, four alike of any."""
    places = {corner: _pocket_place(around, marks, corner) for corner in CORNERS}
    usual = {} if around.circles else trace_pockets(around.shot, places)
    if sum(isinstance(each, Trace) for each in usual.values()) >= tuning.THREE_OF_FOUR:
        return _rims_apart(around, checked_by_others(around, usual))
    holes = find_corner_holes(around.mosaic, around.placement, around.half)
    if not holes.clear:
        return usual or trace_pockets(around.shot, places)
    found = trace_pockets(around.shot, {name: _found(places[name], circle) for name, circle in holes.circles.items()})
    return _of_one_size(around, found, tuning.CUT_ALIKE)


def checked_by_others(around: Surroundings, found: Mapping[str, Mark]) -> dict[str, Mark]:
    """Of a net full of lit specks a wrong circle may be made out: seen badly and unlike the others, it is withheld."""
    seen = {name: _size_and_place(around, mark, name) for name, mark in found.items() if isinstance(mark, Trace)}
    usual = np.median([each for each in seen.values() if np.isfinite(each).all()] or [np.zeros(2)], axis=0)

    def wrong(name: str, mark: Mark) -> bool:
        if not isinstance(mark, Trace) or mark.u_width < tuning.POCKET_BADLY_SEEN:
            return False
        most = max(3 * mark.u_width, tuning.POCKET_OFF_OTHERS)
        return not bool((np.abs(seen[name] - usual) < most).all())

    return {name: Absent(UNLIKE) if wrong(name, mark) else mark for name, mark in found.items()}


def _rims_apart(around: Surroundings, found: Mapping[str, Mark]) -> Mapping[str, Mark]:
    """Pockets that differ by more than a rim is wide: some are seen at the rim, others at the hole, and U holds it.

    One that differs from three alike ones is cut so.
    """
    sizes = np.array([2 * _outer_edge(around, mark) for mark in found.values() if isinstance(mark, Trace)])
    apart = robust_deviation(sizes - np.median(sizes)) if len(sizes) else 0.0
    if apart < tuning.RING[0]:
        return found
    return _less_sure(found, apart)


def _size_and_place(around: Surroundings, mark: Trace, corner: str) -> Floats:
    """Diameter, and how far from the board's middle along the diagonal, mm."""
    fitted = fit_circle(around.placement.to_board(around.shot.view.on_plane(mark.pixels)))
    if not isinstance(fitted, Circle):
        return np.full(2, np.nan)
    way = np.array(TOWARDS[corner]) / np.sqrt(2)
    return np.array([2 * fitted.radius, way @ [fitted.x, fitted.y]])


def _found(place: Corner, circle: Floats) -> Corner:
    """The corner with the pocket where it was seen, its walls no nearer than the pocket's edge."""
    walls = [np.array([*row[:2], max(row[2], row[:2] @ circle[:2] + circle[2] + tuning.HOLE_OFF)])
             for row in place.walls]  # fmt: skip
    return Corner(circle, (walls[0], walls[1]), found=True)


def _pocket_place(around: Surroundings, marks: Mapping[Key, Mark], corner: str) -> Corner:
    """About where a pocket of the usual size is, and the walls beside it."""
    lines = []
    for side in WALLS[corner]:
        foot = marks["foot", side]
        if isinstance(foot, Absent):
            out = np.array(OUTWARDS[side])
            ends = around.placement.to_plane(np.stack([np.zeros(2), out]))
            way = ends[1] - ends[0]
            lines.append(np.array([*way, around.half + 2 + way @ ends[0]]))
        else:
            lines.append(wall_line(around, foot, side))
    rows = np.array(lines)
    centre = np.linalg.solve(rows[:, :2], rows[:, 2] - layout.POCKET / 2)
    return Corner(np.array([*centre, layout.POCKET / 2]), (rows[0], rows[1]))


def _arrow(around: Surroundings, corner: str, pocket: Mark, ink: Ink | None) -> dict[Key, Mark]:
    found = trace_arrow(around.shot, around.placement, corner, ink, around.arrow_room(corner, pocket))
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
    kept = [trace for trace, level in zip(many, levels, strict=True) if abs(level - middle) < tuning.FEATURES_APART]
    return kept or [many[certain]]
