"""A board without cards: its base circles, then its four feet, taken for a square of known side, place the camera.

What is not known then is how square the board is: every side and corner may be off by as much as boards usually are,
and that is carried into the budget as an uncertainty of the pose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from skimage.measure import label

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Light, Mask, Pixels
from inspect_kit.vision.board import layout, tuning
from inspect_kit.vision.board.base_circles import (
    find_base_circles,
    look_again,
    off_square,
    surface_corners,
    turn_of,
)
from inspect_kit.vision.board.bundle import Bundle
from inspect_kit.vision.board.features import Features, Surroundings, gather, gather_feet
from inspect_kit.vision.board.layout import CIRCLES, SIDES, Placement
from inspect_kit.vision.board.lines import Trace
from inspect_kit.vision.board.locate import Mosaic, make_mosaic
from inspect_kit.vision.board.shapes import Key, direction
from inspect_kit.vision.board.wall_foot import TWO_FEET
from inspect_kit.vision.fitting.least_squares import Solution, inverse, solve
from inspect_kit.vision.fitting.stripe import Shot
from inspect_kit.vision.optics.camera import COUNT, GUESS, Camera, shaped_by_a_camera
from inspect_kit.vision.optics.light import linear
from inspect_kit.vision.optics.pose import Known as Points
from inspect_kit.vision.optics.pose import View, fit_view, pixels_of, view_scale

if TYPE_CHECKING:
    from inspect_kit.vision.board.measure import BoardPhoto, KnownSide

_POINTS: Final = 24
"""Points of a foot that the view is solved with."""


@dataclass(frozen=True)
class Uncarded:
    """What a board without cards gives."""

    bundle: Bundle
    placement: Placement
    features: Features


def solve_uncarded(photo: BoardPhoto, side: KnownSide) -> Uncarded:
    """Features and view from one photo of the whole board."""
    light = linear(photo.pixels)
    start, circles = _first_look(photo, light, side.value)
    camera = start.camera
    around = _surroundings(light, start, side.value, circles)
    feet, shot = gather_feet(around)
    view = _with_feet(start, feet, side)
    around = _surroundings(light, view, side.value, circles)
    features = _looked(shot, around, view)
    agreed = _feet_check(features) and feet_alike(features, view, around.placement) and wood_ends_there(around, feet)
    # A foot that is seen in two ways is good enough for the view, where it counts little, and not for a value.
    settled = _with_feet(view, {**feet, **features.traces}, side)
    if agreed and all(on_square(each, circles) for each in (view, settled)):
        view = settled
    else:
        # Feet that are hardly seen would place the camera with a confidence that nobody has: the discs do it alone.
        view = start
        around = _surroundings(light, view, side.value, circles)
        features = _without_feet(_looked(shot, around, view))
    if not circles_confirmed(features):
        raise BadInput("no-board-made-out")
    fixed = np.zeros((COUNT + 6, COUNT + 6))
    fixed[COUNT:, COUNT:] = view.pose_covariance
    bundle = Bundle(view.vector, view.covariance, fixed, (np.arange(COUNT + 6),), (camera,), view.noise, 0, 0)
    return Uncarded(bundle, around.placement, features)


def _first_look(photo: BoardPhoto, light: Light, side: float) -> tuple[View, Mapping[str, Floats]]:
    """The view that features are first looked for in, and the pixels of the base circles that placed it.

    From the even area in the middle; where no eight round things in it lie on a square, from the picture's middle.
    """
    camera, area = photo.camera, find_surface(photo.pixels)
    for quad in (_about_the_middle(camera),) if area is None else (area, _about_the_middle(camera)):
        view = _first_view(camera, quad, side)
        circles = _seen_in(view, find_base_circles(_plan(light, view, side)))
        found = _by_structure(light, view, (quad, circles), (side, quad is area)) if circles else None
        if found is not None and on_square(*found):
            return found
    raise BadInput("no-board-made-out")


def cut_out(camera: Camera) -> Camera:
    """A picture of a shape that no camera makes was cut out of another, or stretched: its lens's middle is anywhere.

    Asked for where the discs lie on no square as a whole picture's lens would show it.
    """
    if camera.source != GUESS or shaped_by_a_camera(camera.width, camera.height):
        return camera
    camera = camera.with_middle_anywhere()
    covariance = camera.covariance.copy()
    covariance[1, 1] += (tuning.STRETCHED * camera.focal) ** 2
    return replace(camera, covariance=covariance)


def _looked(shot: Shot, around: Surroundings, view: View) -> Features:
    return gather([replace(around, shot=replace(shot, view=view))])


def circles_confirmed(features: Features) -> bool:
    """Whether the nearer look shows base circles where most of those lay that placed the board: round things that are
    none of its own give a place too, and all that is measured from there is odd."""
    gone = [name for name in CIRCLES if features.absent.get(("circle", name)) == "missing"]
    return len(gone) <= len(CIRCLES) // 2


def _feet_check(features: Features) -> bool:
    """Whether so many feet are seen that they check each other."""
    return sum(key[0] == "foot" for key in features.traces) >= tuning.THREE_OF_FOUR


def feet_alike(features: Features, view: View, placement: Placement) -> bool:
    """Whether the lines stand off their feet alike on all sides: the markings' symmetry checks the frame."""
    distances = []
    for name in SIDES:
        foot, lower = features.traces.get(("foot", name)), features.traces.get(("lower", name))
        if foot and lower:
            out, _ = direction(("foot", name))
            levels = [placement.to_board(view.on_plane(each.pixels, each.height)) @ out for each in (foot[0], lower[0])]
            distances.append(float(np.median(levels[0]) - np.median(levels[1])))
    return not distances or max(abs(each - float(np.median(distances))) for each in distances) < tuning.UNEQUAL


def wood_ends_there(around: Surroundings, feet: Mapping[Key, Sequence[Trace]]) -> bool:
    """Whether wood was seen to end at most of the feet: edges further out are the tops of walls, further in shadows."""
    beyond = []
    for side, end in around.ends.items():
        for foot in feet.get(("foot", side), ()):
            points = around.placement.to_board(around.shot.view.on_plane(foot.pixels, foot.height))
            beyond.append(float(np.median(points @ np.array(layout.OUTWARDS[side]))) - end)
    return not beyond or abs(float(np.median(beyond))) < tuning.WOOD_BEFORE_FOOT


def on_square(view: View, circles: Mapping[str, Floats]) -> bool:
    """Whether this view leaves the print on its square: feet that are none bend it, and chance things lie on none."""
    return off_square(_on_plan(view, circles)) <= max(tuning.DISCS_BENT, tuning.DISCS_TORN / _per_mm(view))


def _seen_in(view: View, places: Mapping[str, Floats]) -> dict[str, Floats]:
    """Pixels of the photo."""
    return {name: pixels_of(view.vector, np.array([[*place, 0.0]]))[0] for name, place in places.items()}


def _on_plan(view: View, pixels: Mapping[str, Floats]) -> dict[str, Floats]:
    """Places on the surface as this view has it."""
    return {name: view.on_plane(pixel[None])[0] for name, pixel in pixels.items()}


def _per_mm(view: View) -> float:
    """Pixels a mm in the middle."""
    return float(view.resolution(np.zeros(3)))


def _without_feet(features: Features) -> Features:
    seen = [key for key in features.traces if key[0] == "foot"]
    traces = {key: traces for key, traces in features.traces.items() if key[0] != "foot"}
    return replace(features, traces=traces, absent={**features.absent, **dict.fromkeys(seen, TWO_FEET)})


def _with_feet(view: View, traces: Mapping[Key, Sequence[Trace]], side: KnownSide) -> View:
    """The view by the four feet; where one is not seen, the view as it is."""
    feet = {name: traces["foot", name][0] for name in SIDES if traces.get(("foot", name))}
    return _from_feet(view, feet, side) if len(feet) == len(SIDES) else view


def _about_the_middle(camera: Camera) -> Floats:
    """A square in the middle of the picture, from which the base circles of a board that fills most of it are seen."""
    half = tuning.FILLED * min(camera.width, camera.height) / 2
    middle = np.array([camera.width - 1, camera.height - 1]) / 2
    return np.asarray(middle + half * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]))


def find_surface(pixels: Pixels) -> Floats | None:
    """Corners (north-west, north-east, south-east, south-west in the photo) of the large even area in the middle."""
    factor = tuning.SMALL / max(pixels.shape[:2])
    small = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    best: tuple[float, Floats] | None = None
    for tolerance in () if _rough(np.asarray(small, dtype=np.uint8)) else (14, 20, 28, 38):
        mask = _even_area(np.asarray(small, dtype=np.uint8), tolerance)
        found = _quad(mask)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return None if best is None else np.asarray((best[1] + 0.5) / factor - 0.5, dtype=np.float64)


def _rough(small: Pixels) -> bool:
    """Whether a picture has no even areas at all, so that whatever is found in it is chance."""
    codes = small.astype(np.float32)
    return float(np.median(np.abs(codes - cv2.GaussianBlur(codes, (0, 0), 2.0)))) > tuning.ROUGH


def _even_area(small: Pixels, tolerance: float) -> Mask:
    """Colours near those of the middle part, joined to it, markings filled."""
    lab = cv2.cvtColor(small, cv2.COLOR_RGB2LAB).astype(np.float32)
    height, width = lab.shape[:2]
    middle = lab[height // 4 : 3 * height // 4, width // 4 : 3 * width // 4].reshape(-1, 3)
    ground = np.median(middle, axis=0)
    away = np.hypot(
        (lab[:, :, 0] - ground[0]) * 0.45, np.hypot(lab[:, :, 1] - ground[1], lab[:, :, 2] - ground[2]) * 1.3
    )
    mask = (away < tolerance).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8))
    labels = label(mask)  # type: ignore[no-untyped-call]
    areas = np.bincount(labels.ravel())
    areas[0] = 0
    return np.asarray((labels == areas.argmax()) & (labels > 0))


def _quad(mask: Mask) -> tuple[float, Floats] | None:
    """The quadrilateral around an area and how well it fills it, from straight lines through its four flanks."""
    borders = (mask[0], mask[-1], mask[:, 0], mask[:, -1])
    # What reaches the picture's border on all sides has no frame around it: table and frame are of one wood with it.
    if mask.mean() < 0.12 or all(border.any() for border in borders):
        return None
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(max(contours, key=cv2.contourArea))
    for share in np.arange(0.01, 0.12, 0.005):
        rough = cv2.approxPolyDP(hull, share * cv2.arcLength(hull, True), True).reshape(-1, 2)
        if len(rough) == 4:
            break
    else:
        return None
    lines = _flanks(max(contours, key=cv2.contourArea).reshape(-1, 2).astype(np.float64), rough.astype(np.float64))
    corners = np.array([_meet(lines[index - 1], lines[index]) for index in range(4)])
    if not np.isfinite(corners).all() or not cv2.isContourConvex(corners.astype(np.float32)):
        return None
    drawn = np.zeros(mask.shape, np.uint8)
    cv2.fillConvexPoly(drawn, np.round(corners).astype(np.int32), 1)
    both = float((mask & (drawn > 0)).sum())
    return both / float((mask | (drawn > 0)).sum()) + 0.2 * float(mask.mean()), _ordered(corners)


def _flanks(outline: Floats, rough: Floats) -> list[Floats]:
    """Homogeneous lines through the outline's points near the middle parts of each flank."""
    lines = []
    for a, b in zip(rough, np.roll(rough, -1, axis=0), strict=True):
        way = (b - a) / np.linalg.norm(b - a)
        normal = np.array([-way[1], way[0]])
        along, across = (outline - a) @ way, (outline - a) @ normal
        near = (along > 0.14 * np.linalg.norm(b - a)) & (along < 0.86 * np.linalg.norm(b - a)) & (np.abs(across) < 14)
        slope, level = (0.0, 0.0)
        for _ in range(5):
            if near.sum() < 10:
                break
            slope, level = np.polyfit(along[near], across[near], 1)
            left = np.abs(across - slope * along - level)
            near = near & (left < max(2.5 * float(np.median(left[near])), 0.8))
        first, second = a + normal * level, b + normal * (level + slope * np.linalg.norm(b - a))
        lines.append(np.cross([*first, 1.0], [*second, 1.0]))
    return lines


def _meet(first: Floats, second: Floats) -> Floats:
    point = np.cross(first, second)
    return point[:2] / point[2] if abs(point[2]) > 1e-9 else np.full(2, np.nan)


def _ordered(corners: Floats) -> Floats:
    """Clockwise in the photo from the upper left."""
    middle = corners.mean(axis=0)
    angles = np.arctan2(corners[:, 1] - middle[1], corners[:, 0] - middle[0])
    turned = corners[np.argsort(angles)]
    first = int(np.argmin(turned.sum(axis=1)))
    return np.roll(turned, -first, axis=0)


def _first_view(camera: Camera, quad: Floats, side: float) -> View:
    """The quadrilateral is known to a few pixels only, so the camera stays near what is known of it."""
    corners = _corners(side)
    stiff = replace(camera, covariance=camera.covariance * 1e-6 + np.diag(np.full(COUNT, 1e-18)))
    begin = fit_view(stiff, Points(corners, quad, side)).vector
    begin = np.concatenate([camera.parameters, begin[COUNT:]])
    noise = tuning.QUAD_NOISE * max(camera.width, camera.height)

    def residuals(vector: Floats) -> Floats:
        return np.asarray((pixels_of(vector, corners) - quad).ravel() / noise, dtype=np.float64)

    found = _solved(camera, residuals, begin)
    return View(camera, found.parameters, found.covariance, found.covariance[COUNT:, COUNT:], 1.0, 4, 4)


def _solved(
    camera: Camera, residuals: Callable[[Floats], Floats], start: Floats, more: Sequence[tuple[float, float]] = ()
) -> Solution:
    """A view, the camera as it is known, and `more` numbers: the scale of each, and the information that it is 0."""
    scales, known = np.array(more).reshape(-1, 2).T
    information = np.zeros((len(start), len(start)))
    information[:COUNT, :COUNT] = inverse(camera.covariance)
    information[COUNT + 6 :, COUNT + 6 :] = np.diag(known)
    mean = np.concatenate([camera.parameters, start[COUNT : COUNT + 6], np.zeros(len(known))])
    return solve(residuals, start, np.concatenate([view_scale(camera), scales]), information, mean)


def _plan(light: Light, view: View, side: float) -> Mosaic:
    reach = side * 0.58
    return make_mosaic([light], [view], (-reach, -reach, reach, reach), 1.0)


def _surroundings(light: Light, view: View, side: float, circles: Mapping[str, Floats]) -> Surroundings:
    """What features are looked for with in this view; `circles` are pixels."""
    mosaic, discs = _plan(light, view, side), _on_plan(view, circles)
    x, y = np.mean(list(discs.values()), axis=0)
    placement = Placement(float(x), float(y), turn_of(discs))
    usual = Surroundings(Shot(0, light, view, ()), placement, mosaic)
    if usual_places(placement, discs):
        return usual
    # Sizes of the maker's own: where the discs are is known, and the rest is looked for from them.
    own = {name: placement.to_board(place[None])[0] for name, place in discs.items()}
    return replace(usual, circles=own, ends=wood_ends(mosaic, placement, discs))


def wood_ends(mosaic: Mosaic, placement: Placement, discs: Mapping[str, Floats]) -> Mapping[str, float]:
    """mm from the placement's middle to where wood ends on each side; nothing where a side does not show it."""
    corners = surface_corners(mosaic, discs)
    if corners is None:
        return {}
    own = placement.to_board(corners)
    ends = {side: float((own @ np.array(layout.OUTWARDS[side])).max()) for side in SIDES}
    usual = float(np.median(list(ends.values())))
    # One side may lie in its wall's shade: the others tell where wood ends there.
    return {side: end if abs(end - usual) < tuning.END_ALIKE else usual for side, end in ends.items()}


def usual_places(placement: Placement, discs: Mapping[str, Floats], most: float = tuning.USUAL_OFF) -> bool:
    """Whether the discs lie where most makers put them, so that all else may be looked for at its usual place."""
    usual = placement.to_plane(np.array([layout.circle_place(name) for name in discs]))
    return bool(np.median(np.linalg.norm(usual - np.array(list(discs.values())), axis=1)) < most)


def _from_discs(camera: Camera, view: View, seen: tuple[Floats, Mapping[str, Floats]], side: float) -> View:
    """Camera and pose for which the base circles lie on a square, two to a corner, inside the surface's."""
    quad, discs = seen
    pixels, corners = np.array(list(discs.values())), _corners(side)
    noise = tuning.DISC_QUAD_NOISE * max(camera.width, camera.height)
    ways = [np.array([layout.OUTWARDS[part] for part in name.split(".")], dtype=np.float64) for name in discs]

    def residuals(vector: Floats) -> Floats:
        pose, (out, along, x, y) = vector[: COUNT + 6], vector[COUNT + 6 :]
        goals = np.array([[x, y] + out * way[0] + along * way[1] for way in ways])
        seen_at = pixels_of(pose, np.column_stack([goals, np.zeros(len(goals))]))
        return np.concatenate([((seen_at - pixels) / tuning.DISC_NOISE).ravel(),
                               ((pixels_of(pose, corners) - quad) / noise).ravel()])  # fmt: skip

    start = np.concatenate([view.vector, layout.circle_place("n.e")[::-1], [0.0, 0.0]])
    found = _solved(camera, residuals, start, [(10.0, 0.0)] * 2 + [(10.0, 1 / tuning.DISC_MIDDLE**2)] * 2)
    own = slice(COUNT + 6)
    # Flanks that do not lie about the discs' middle contradict each other: by so much is the scale unknown.
    torn = max(float(np.abs(found.residuals[-8:]).max()), 1.0)
    spread, fixed = found.covariance[own, own] * torn**2, _given_camera(found.covariance) * torn**2
    noise = float(np.sqrt((found.residuals[:-8] ** 2).mean())) * tuning.DISC_NOISE
    return View(camera, found.parameters[own], spread, fixed, noise, len(ways), len(ways))


def _corners(side: float) -> Floats:
    """Of the surface, clockwise from the north-west."""
    return np.array([[-1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, -1.0, 0.0]]) * side / 2


def _by_structure(
    light: Light, view: View, seen: tuple[Floats, Mapping[str, Floats]], given: tuple[float, bool]
) -> tuple[View, Mapping[str, Floats]] | None:
    """The view by base circles and surface, and the circles' pixels; each look outwards shows better where it ends.

    `given` is the surface's side, and whether its corners were seen at all: if not, its end must be seen here, or
    nothing is known of the scale.
    """
    circles, (side, ended) = seen[1], given
    whole = _from_discs(view.camera, view, seen, side)
    camera = cut_out(view.camera) if whole.noise > tuning.DISCS_TORN else view.camera
    view = whole if camera is whole.camera else _from_discs(camera, view, seen, side)
    for _ in range(tuning.LOOKS_OUTWARDS):
        mosaic = _plan(light, view, side)
        circles = _seen_in(view, look_again(mosaic, _on_plan(view, circles))) or circles
        corners = surface_corners(mosaic, _on_plan(view, circles))
        if corners is None:
            break
        ended = True
        quad = pixels_of(view.vector, np.column_stack([corners, np.zeros(4)]))
        view = _from_discs(camera, view, (quad, circles), side)
    return (view, circles) if ended else None


def _thinned(pixels: Floats) -> Floats:
    """About `_POINTS` of them, evenly."""
    return pixels[:: max(len(pixels) // _POINTS, 1)]


def _spread(trace: Trace, count: int) -> float:
    """Standard deviation of so many points of a trace, each counted as independent."""
    alike = max(trace.alike * count / len(trace.pixels), 1.0)
    return float(np.hypot(trace.scatter, 0.05) * np.sqrt(alike))


def _from_feet(view: View, feet: Mapping[str, Trace], side: KnownSide) -> View:
    """Camera and pose, and by how much each foot lies off the square, from the feet's pixels."""
    half, camera = side.value / 2, view.camera
    chosen = {name: _thinned(trace.pixels) for name, trace in feet.items()}

    ends = np.cumsum([len(chosen[name]) for name in SIDES])[:-1]
    heights = np.concatenate([np.full(len(chosen[name]), feet[name].height) for name in SIDES])
    spreads = {name: _spread(trace, len(chosen[name])) for name, trace in feet.items()}
    pixels = np.concatenate([chosen[name] for name in SIDES])

    def residuals(vector: Floats) -> Floats:
        own = View(camera, vector[: COUNT + 6], view.covariance, view.pose_covariance, 1.0, 0, 0)
        # A foot whose top is seen instead lies higher: the ray's point moves towards the camera.
        low, centre = own.on_plane(pixels), own.centre
        points = low + (centre[:2] - low) * (heights / centre[2])[:, None]
        rows = []
        for number, (name, own_points) in enumerate(zip(SIDES, np.split(points, ends), strict=True)):
            out, along = direction(("foot", name))
            level, slope = vector[COUNT + 6 + 2 * number : COUNT + 8 + 2 * number]
            rows.append((own_points @ out - half - level - slope * (own_points @ along)) / spreads[name])
        return np.concatenate(rows)

    start = np.concatenate([view.vector, np.zeros(8)])
    off = [
        ((1.0, 1 / (tuning.OFF_LEVEL**2 + feet[name].u_width ** 2)), (0.01, 1 / tuning.OFF_SLOPE**2)) for name in SIDES
    ]
    found = _solved(camera, residuals, start, [each for both in off for each in both])
    own = slice(COUNT + 6)
    return View(camera, found.parameters[own], found.covariance[own, own], _given_camera(found.covariance), 1.0, 0, 0)


def _given_camera(covariance: Floats) -> Floats:
    """The pose's covariance were the camera known exactly."""
    camera, pose = slice(0, COUNT), slice(COUNT, COUNT + 6)
    cross = covariance[pose, camera]
    return np.asarray(covariance[pose, pose] - cross @ inverse(covariance[camera, camera]) @ cross.T, dtype=np.float64)
