"""Measuring a carrom board: photos in, every dimension a camera can see out, with its uncertainty budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput, Notice, notice
from inspect_kit.values.value import KNOWN_LENGTH, LENS, PRINT_SCALE, contributions
from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.board import tuning
from inspect_kit.vision.board.base_circles import find_base_circles, look_again, off_square, turn_of
from inspect_kit.vision.board.bundle import Bundle, solve_bundle
from inspect_kit.vision.board.cards import SeenCard, find_cards
from inspect_kit.vision.board.features import Features, Surroundings, gather
from inspect_kit.vision.board.formulas import BoardFormula, formulas
from inspect_kit.vision.board.layout import CIRCLES, SIDES, Placement, circle_place
from inspect_kit.vision.board.locate import (
    Match,
    Mosaic,
    find_pattern,
    main_directions,
    make_mosaic,
    upright,
)
from inspect_kit.vision.board.refusals import (
    WALL_GAP,
    BoardObservation,
    colours,
    gap_advice,
    missing,
    refuse_steep,
    refuse_unseen,
    squareness,
    unsquare,
)
from inspect_kit.vision.board.shapes import Shapes, Spread, Traces, fit_shapes, moved, spread_of
from inspect_kit.vision.board.wall_foot import Gauged
from inspect_kit.vision.feature import Feature
from inspect_kit.vision.fitting.stripe import Shot
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.optics.light import linear
from inspect_kit.vision.optics.pose import view_scale

MAX_PHOTOS: Final = 8
"""Photos of one board that are joined, at most: bounds time and memory."""
_BY_FEET: Final = frozenset(
    {"surface.side", "surface.diagonal", "surface.angle", "baseline.lower.distance", "arrow.angle"}
)
_OUTLINES: Final = {"foot": "foot", "pocket": "rim"}
"""What the width of an outline is called in the budget, where it is none of a line."""


@dataclass(frozen=True)
class KnownSide:
    """A length or factor with its standard uncertainty."""

    value: float
    u: float


UNCHECKED_PRINT: Final = KnownSide(1.0, 0.003)
"""Nobody measured the check bar: printers scale by up to a percent."""


@dataclass(frozen=True)
class BoardPhoto:
    """One upright photo and the camera that took it (calibrated, or guessed from its notes)."""

    pixels: Pixels = field(repr=False)
    camera: Camera
    name: str = ""


@dataclass(frozen=True)
class BoardResult:
    """All that the photos tell; `scene` is what the overlay is drawn from."""

    measurements: tuple[Feature, ...]
    observations: tuple[BoardObservation, ...]
    notices: tuple[Notice, ...]
    scene: Scene = field(repr=False)


@dataclass(frozen=True)
class Scene:
    """Photos, views and shapes, for drawing."""

    photos: tuple[BoardPhoto, ...]
    bundle: Bundle
    placement: Placement
    shapes: Shapes


def measure_board(
    photos: Sequence[BoardPhoto],
    print_scale: KnownSide | None = None,
    known_side: KnownSide | None = None,
    gap: Gauged | None = None,
) -> BoardResult:
    """Every dimension of the board in these photos; `BadInput` with advice where they cannot be measured.

    `gap` is what a feeler gauge says of the gap at the walls, for photos with cards.
    """
    if not 1 <= len(photos) <= MAX_PHOTOS:
        raise BadInput("board-photos", count=len(photos), max_photos=MAX_PHOTOS)
    greys = [np.asarray(cv2.cvtColor(photo.pixels, cv2.COLOR_RGB2GRAY), dtype=np.uint8) for photo in photos]
    seen = [find_cards(grey) for grey in greys]
    count = len({card.number for cards in seen for card in cards})
    if count >= tuning.LEAST_CARDS:
        found = _with_cards(photos, seen, print_scale, gap)
        return found if known_side is None else replace(found, notices=(notice("known-beside-cards"), *found.notices))
    if known_side is None:
        raise BadInput("one-card-only" if count else "no-card")
    from inspect_kit.vision.board.uncarded import solve_uncarded

    solved = solve_uncarded(photos[0], known_side)
    work = _Work(
        (photos[0],),
        solved.bundle,
        solved.placement,
        solved.features,
        ((KNOWN_LENGTH, known_side.u / known_side.value),),
    )
    extra = (notice("first-photo-only", count=len(photos)),) if len(photos) > 1 else ()
    return _result(work, tuning.REFUSALS_CLEAR, (notice("squareness-assumed"), *extra))


def _with_cards(
    photos: Sequence[BoardPhoto],
    seen: Sequence[tuple[SeenCard, ...]],
    print_scale: KnownSide | None,
    gap: Gauged | None,
) -> BoardResult:
    notices = [
        notice("photo-without-card", photo=photo.name or "a photo")
        for photo, cards in zip(photos, seen, strict=True)
        if not cards
    ]
    used = [photo for photo, cards in zip(photos, seen, strict=True) if cards]
    scale = print_scale or UNCHECKED_PRINT
    if print_scale is None:
        notices.append(notice("cards-scale-unstated", share=f"{100 * UNCHECKED_PRINT.u:g}"))
    bundle = solve_bundle([photo.camera for photo in used], [cards for cards in seen if cards], scale.value)
    notices += _card_notices(bundle)
    shots = shots_of(used, bundle)
    refuse_steep([photo.name for photo in used], shots)
    mosaic = _surroundings(shots, bundle)
    match = find_pattern(mosaic)
    around = _around(shots[0], mosaic, replace(match, placement=upright(match.placement, shots[0].view)))
    placement, clarity = around.placement, tuning.REFUSALS_CLEAR if around.circles else 0.0
    features = gather([replace(around, shot=shot) for shot in shots], gap)
    refuse_unseen(features)
    height = float(np.mean([shot.view.centre[2] for shot in shots]))
    common = ((PRINT_SCALE, scale.u / scale.value), ("card thickness", tuning.CARD_THICKNESS_U / height))
    return _result(_Work(tuple(used), bundle, placement, features, common), max(match.clarity, clarity), tuple(notices))


def _around(shot: Shot, mosaic: Mosaic, match: Match) -> Surroundings:
    """Where features are looked for: at their usual places, or from the base circles where those lie elsewhere."""
    from inspect_kit.vision.board.uncarded import usual_places, wood_ends

    usual = Surroundings(shot, match.placement, mosaic, sure=False)
    # Six or more of one size there are a board as most makers draw it, and nothing else need be looked for.
    there = look_again(mosaic.turned(match.placement), {name: circle_place(name) for name in CIRCLES})
    if there and off_square(there) < tuning.CARDED_SQUARE:
        return replace(usual, sure=True)
    x, y = mosaic.place(np.array(mosaic.seen.shape[::-1])[None] / 2 - 0.5)[0]
    for turn in (match.placement.angle, *main_directions(mosaic)):
        frame = upright(Placement(float(x), float(y), float(turn)), shot.view)
        plan = mosaic.turned(frame)
        circles = find_base_circles(plan)
        if circles and off_square(circles) < tuning.CARDED_SQUARE:
            break
    else:
        return usual
    if usual_places(
        match.placement, {name: frame.to_plane(at[None])[0] for name, at in circles.items()}, tuning.CARDED_OFF
    ):
        return replace(usual, sure=True)
    x, y = np.mean(list(circles.values()), axis=0)
    own = Placement(float(x), float(y), turn_of(circles))
    x, y = frame.to_plane(np.array([[own.x, own.y]]))[0]
    turned = Placement(float(x), float(y), frame.angle + own.angle)
    places = {name: own.to_board(at[None])[0] for name, at in circles.items()}
    return Surroundings(shot, turned, mosaic, places, wood_ends(plan, own, circles))


def _card_notices(bundle: Bundle) -> list[Notice]:
    found = []
    if bundle.cards < 3:
        found.append(notice("two-cards"))
    if bundle.noise > 0.4:
        found.append(notice("cards-scatter", pixels=f"{bundle.noise:.1f}"))
    return found


def shots_of(photos: Sequence[BoardPhoto], bundle: Bundle) -> list[Shot]:
    """The photos in linear light with their views."""
    return [Shot(index, linear(photo.pixels), bundle.view(index), bundle.quads[index] if bundle.quads else ())
            for index, photo in enumerate(photos)]  # fmt: skip


def _surroundings(shots: Sequence[Shot], bundle: Bundle) -> Mosaic:
    """A window around the cards, as large as a board with any of them at its edge."""
    quads = [quad for quads in bundle.quads for quad in quads]
    points = np.concatenate(quads)
    low, high = points.max(axis=0) - 790, points.min(axis=0) + 790
    wide = np.maximum(high - low, 820)
    middle = (low + high) / 2
    window = (*(middle - wide / 2), *(middle + wide / 2))
    return make_mosaic([shot.light for shot in shots], [shot.view for shot in shots], window, 1.0, bundle.quads[0])


@dataclass(frozen=True)
class _Work:
    photos: tuple[BoardPhoto, ...]
    bundle: Bundle
    placement: Placement
    features: Features
    common: tuple[tuple[str, float], ...]
    """Sources that scale all lengths alike, as relative standard uncertainties."""


def _result(work: _Work, clarity: float, notices: tuple[Notice, ...]) -> BoardResult:
    traces = work.features.traces
    shapes = fit_shapes(traces, work.bundle, work.placement)
    spread = spread_of(shapes, traces, work.bundle, work.placement)
    by_view = _by_view(traces, work)
    by_height = (fit_shapes(traces, work.bundle, work.placement, None, 0.5).numbers - shapes.numbers) / 0.5
    possible = [formula for formula in formulas() if all(key in shapes for key in formula.needs)]
    measurements = tuple(_measured(formula, shapes, (spread, by_view, by_height), work) for formula in possible)
    told = (*notices, *missing(work.features, clarity))
    if work.bundle.cards:
        told = (*told, *squareness(shapes, measurements), *gap_advice(measurements, work.features))
    elif unsquare(measurements):
        told = (*told, notice("feet-not-square"))
        measurements = tuple(each for each in measurements if each.characteristic not in _BY_FEET)
    return BoardResult(
        measurements, colours(work.features), told, Scene(work.photos, work.bundle, work.placement, shapes)
    )


def _by_view(traces: Traces, work: _Work) -> Floats:
    """How every number of the shapes moves with cameras and poses."""
    bundle = work.bundle
    scale = np.ones(len(bundle.vector))
    for slot, camera in zip(bundle.slots, bundle.cameras, strict=True):
        scale[slot] = view_scale(camera)
    columns = []
    for index, size in enumerate(scale):
        step = np.zeros_like(bundle.vector)
        step[index] = 1e-5 * size
        high = fit_shapes(traces, bundle, work.placement, bundle.vector + step).numbers
        low = fit_shapes(traces, bundle, work.placement, bundle.vector - step).numbers
        columns.append((high - low) / (2e-5 * size))
    return np.stack(columns, axis=1)


def _measured(formula: BoardFormula, shapes: Shapes, sources: tuple[Spread, Floats, Floats], work: _Work) -> Feature:
    spread, by_view, by_height = sources
    value = formula.value(shapes)
    slope = _slope(formula, shapes)
    camera = slope @ by_view
    pose = float(camera @ work.bundle.pose_covariance @ camera)
    parts = [
        ("edge", float(slope @ spread.edge @ slope)),
        (_OUTLINES.get(formula.needs[0][0], "line width"), float(slope @ spread.outline @ slope)),
        ("camera pose", pose),
        (LENS, max(float(camera @ work.bundle.covariance @ camera) - pose, 0.0)),
        (WALL_GAP, _by_gap(slope, shapes, work.features) ** 2),
        ("frame height", float(slope @ by_height * work.features.frame.u_height) ** 2),
        *((name, (value * share) ** 2 if formula.unit == "mm" else 0.0) for name, share in work.common),
    ]
    budget = contributions((name, float(np.sqrt(max(part, 0.0)))) for name, part in parts)
    photo, pixel = _pixel(formula.place(shapes), work)
    return Feature(
        value=value, budget=budget, unit=formula.unit, characteristic=formula.characteristic, instance=formula.instance,
        pixel=pixel, photo=photo,
    )  # fmt: skip


def _by_gap(slope: Floats, shapes: Shapes, features: Features) -> float:
    """What the gap along the wall, the same at all feet, may shift the value by."""
    feet = [("foot", side) for side in SIDES if ("foot", side) in shapes]
    return float(
        sum(slope[shapes.places[key].start] * min(trace.common for trace in features.traces[key]) for key in feet)
    )


def _slope(formula: BoardFormula, shapes: Shapes) -> Floats:
    """How the value moves with the numbers of the shapes it takes."""
    slope = np.zeros(len(shapes.numbers))
    for key in formula.needs:
        for index in range(shapes.places[key].start, shapes.places[key].stop):
            slope[index] = (
                formula.value(moved(shapes, index, 1e-4)) - formula.value(moved(shapes, index, -1e-4))
            ) / 2e-4
    return slope


def _pixel(place: Floats, work: _Work) -> tuple[int, tuple[float, float]]:
    """The first photo that shows the place, and where."""
    point = np.array([*work.placement.to_plane(place[None])[0], 0.0])[None]
    for index, photo in enumerate(work.photos):
        at = work.bundle.view(index).pixels(point)[0]
        height, width = photo.pixels.shape[:2]
        if 0 <= at[0] < width and 0 <= at[1] < height:
            return index, (float(at[0]), float(at[1]))
    at = work.bundle.view(0).pixels(point)[0]
    return 0, (float(at[0]), float(at[1]))


__all__ = ["BoardObservation", "BoardPhoto", "BoardResult", "KnownSide", "Match", "Scene", "measure_board"]
