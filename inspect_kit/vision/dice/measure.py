"""One photo of dice: every die's number, and on a reference sheet its edges, the angle of its face, and its pips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.dice.fit import (
    LARGEST,
    SMALLEST,
    Expected,
    Fitted,
    Sketch,
    drift_of,
    fit_cube,
    placed_cube,
    sketch_cube,
)
from inspect_kit.vision.dice.patterns import Face
from inspect_kit.vision.dice.pips import Rim, hull_of, rim_of, within
from inspect_kit.vision.dice.read import DiceSheet, FaceReading, read_dice
from inspect_kit.vision.dice.rounding import rounding_of
from inspect_kit.vision.dice.solid import HEIGHT, Cube
from inspect_kit.vision.dice.tops import outlook_of, straight_down
from inspect_kit.vision.dice.window import MOST_ENLARGED, Window, whole_photo
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.fitting.edge_step import Optics
from inspect_kit.vision.optics.pose import View
from inspect_kit.vision.optics.quality import blur_of
from inspect_kit.vision.reference.find import Placed

# Dice in a whole photo: small ones are looked at again from nearer, and on a sheet only the sheet is searched.

_SMALL: Final = 30.0
"""Half an edge in pixels, below which pips are too few pixels to be trusted."""
_SMALLER, _BEYOND_DOUBT = 24.0, 0.85
"""Half an edge in pixels, and confidence of every die, from which on nothing is gained by another look."""
_ELSEWHERE: Final = 1.4
"""Half edges from the middle of a face beyond which a spot is another die's; a side's pips are nearer."""
_WISHED: Final = 45.0
"""Pixels of half an edge at which pips are read best."""
_CLOSER: Final = 2400
"""Pixels of the longer side of a closer look."""
_PER_MM: Final = 7.0
"""Pixels a mm on the sheet at which dice of 10 mm are still read."""
_SMALLEST: Final = 4.0
"""mm, half the edge of a face as it is found; roundings make it look smaller than the die."""
_USUAL_HEIGHT: Final = 15.0
"""mm over the sheet at which tops are expected first."""
LARGEST_EDGE: Final = 20.0
"""mm: larger dice are not looked for on a sheet."""
_OVER: Final = 10.0
"""mm by which the middle of a die may lie beside the free middle of a mat, among its markers."""
_MARGIN: Final = 15.0
"""mm around what is searched that dice reach into."""


def read_photo(pixels: Pixels, focal: float | None) -> FaceReading:
    """The dice of a photo without a reference."""
    window = whole_photo(pixels)
    start = straight_down(pixels.shape[1], pixels.shape[0], focal)
    reading = read_dice(pixels, window, start)
    closer = _closer(pixels, reading)
    if closer is None:
        return reading
    return _both(reading, read_dice(pixels, closer, start))


def _both(far: FaceReading, near: FaceReading) -> FaceReading:
    """What a nearer look shows, and where it shows no face, as a marbled body's veins may hide one, what was read."""
    ratio = near.window.factor / far.window.factor
    seen = [
        replace(
            face,
            centre=near.window.from_photo(far.window.in_photo(face.centre)),
            frame=face.frame * ratio,
            shape=face.shape * ratio**2,
        )
        for face in far.faces
    ]
    besides = [face for face in seen if _apart(face.centre, near.faces)]
    faces = (*near.faces, *besides)
    doubtful = [near.window.from_photo(far.window.in_photo(place)) for place in far.unread]
    # What is known of a die that cannot be read comes first, so that it is what is said of it.
    marked = [*near.marked, *(near.window.from_photo(far.window.in_photo(place)) for place in far.marked)]
    marked = _distinct([place for place in marked if _apart(place, faces)], faces)
    unread = [place for place in (*marked, *near.unread, *doubtful) if _apart(place, faces)]
    return replace(near, faces=faces, unread=tuple(_distinct(unread, faces)), marked=tuple(marked))


def _apart(place: Floats, faces: Sequence[Face]) -> bool:
    """Whether no face is where a die with this place on it would be."""
    return all(face.inside(place) > _ELSEWHERE for face in faces)


def _distinct(places: Sequence[Floats], faces: Sequence[Face]) -> list[Floats]:
    """Each die that cannot be read once."""
    size = float(np.median([face.size for face in faces])) if faces else 0.0
    kept: list[Floats] = []
    for place in places:
        if all(np.linalg.norm(place - other) > _ELSEWHERE * size for other in kept):
            kept.append(place)
    return kept


def _closer(pixels: Pixels, reading: FaceReading) -> Window | None:
    """The part of the photo with dice, enlarged, where they are small; all of it where none was found."""
    window, whole = reading.window, whole_photo(pixels, min(_CLOSER, max(pixels.shape[:2])))
    if not reading.faces:
        return whole if window.factor < 0.8 * whole.factor else None
    sizes = [face.size for face in reading.faces]
    zoom = min(_WISHED / float(np.median(sizes)), max(1.0, MOST_ENLARGED / window.factor))
    if np.median(sizes) > _SMALL or zoom < 1.25 or _clear(reading):
        return None
    places = window.in_photo(np.array([face.centre for face in reading.faces] + list(reading.unread)))
    return _around(pixels, places, 8 * float(np.median(sizes)) / window.factor, window.factor * zoom)


def _clear(reading: FaceReading) -> bool:
    """Whether small dice are read beyond doubt already."""
    sure = not reading.unread and min(face.score for face in reading.faces) > _BEYOND_DOUBT
    return sure and float(np.median([face.size for face in reading.faces])) > _SMALLER


def _around(pixels: Pixels, places: Floats, margin: float, factor: float) -> Window:
    height, width = pixels.shape[:2]
    left, top = np.maximum(np.floor(places.min(axis=0) - margin), 0).astype(int)
    right, bottom = np.minimum(np.ceil(places.max(axis=0) + margin), (width, height)).astype(int)
    size = max(right - left, bottom - top, 1)
    return Window(int(left), int(top), int(right - left), int(bottom - top), min(factor, _CLOSER / size))


def _searched(placed: Placed) -> tuple[Floats, Floats]:
    """The free middle of a mat and a little more, or all of another reference, as lower and upper corner in mm."""
    points = placed.known.sheet[:, :2]
    middle = placed.sheet.middle if placed.sheet is not None else None
    if middle is None:
        return points.min(axis=0) - _MARGIN, points.max(axis=0) + _MARGIN
    corner = np.array([middle.left, middle.bottom])
    size = np.array([middle.width, middle.height])
    return corner - _OVER, corner + size + _OVER


def read_on_sheet(pixels: Pixels, placed: Placed) -> FaceReading:
    """The dice on a reference, whose plane is known."""
    view = placed.view
    low, high = _searched(placed)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (0.0, LARGEST_EDGE)])
    limit = np.array([pixels.shape[1], pixels.shape[0]])
    seen = view.pixels(corners)
    factor = float(np.clip(_PER_MM / max(view.resolution(np.array([*(low + high) / 2, 0.0])), 1e-3), 0.2, 1.0))
    window = _around(pixels, np.clip(seen, 0, limit), _MARGIN * _PER_MM / factor, factor)
    reading = read_dice(pixels, window, DiceSheet(outlook_of(view), seen))
    large = [face for face in reading.faces if _large(face, window, view)]
    centres = np.array([face.centre for face in large]).reshape(-1, 2)
    inside = within(hull_of(window.from_photo(seen)), centres)
    # Of a die further out some pips may not have been looked for.
    faces = tuple(face for face, near in zip(large, inside.tolist(), strict=True) if near)
    return replace(reading, faces=faces, unread=(*reading.unread, *centres[~inside]))


def _large(face: Face, window: Window, view: View) -> bool:
    """Whether a face is not too small for a die."""
    ends = window.in_photo(np.stack([face.centre, face.centre + face.axes[:, 0], face.centre + face.axes[:, 1]]))
    flat = view.on_plane(ends, _USUAL_HEIGHT)
    return bool(np.linalg.norm(flat[1] - flat[0]) + np.linalg.norm(flat[2] - flat[0]) > 2 * _SMALLEST)


USUAL_ROUNDING: Final = (0.8, 0.7)
"""Radius of a die's edges, mm, where nobody tells, and its standard uncertainty."""
_SPACINGS: Final = (1.55, 2.5)
"""Edge over the distance between corner pips, from dice with pips far out to dice with pips far in."""
_LONE: Final = (0.8, 1.45)
"""Edge over the edge of the square seen around a lone pip, least and most."""
_SURE: Final = 0.25
"""Pixels of scatter up to which an outline that was found only at the second look is believed."""
_TURNS: Final = tuple(np.radians([-3.0, 0.0, 3.0]).tolist())
"""Radians: turns tried when it is."""
_CLEAR: Final = 0.7
"""Share of every side of the square around the pips from which on it tells the size."""


@dataclass(frozen=True)
class Pips:
    """Of one face, mm: mean diameter, largest minus smallest, and how far their middle is from the face's."""

    diameter: float
    spread: float
    offset: float


@dataclass(frozen=True)
class Die:
    """A die in a photo: the number on top, how sure it is, middle and outline in pixels; measured, or why not."""

    number: int
    confidence: float
    pixel: tuple[float, float]
    outline: Floats
    fitted: Fitted | None = None
    pips: Pips | None = None
    refused: str = ""


@dataclass(frozen=True)
class DiceLook:
    """All dice of a photo in reading order, places of dice that cannot be read, and sides seen beside an upper face."""

    dice: tuple[Die, ...]
    unread: tuple[tuple[float, float], ...]
    sides: tuple[tuple[int, int], ...]
    marked: tuple[tuple[float, float], ...] = ()
    """Those of the unread dice that show a logo or another mark in place of a number."""


def look_at_dice(pixels: Pixels, focal: float | None) -> DiceLook:
    """Numbers only: no reference says how large anything is."""
    reading = read_photo(pixels, focal)
    return _look(reading, [_die(reading, face) for face in reading.faces])


@dataclass(frozen=True)
class StatedDie:
    """What is known of the dice besides the photo, each with its standard uncertainty (mm), or nothing."""

    rounding: tuple[float, float] | None = None
    height: tuple[float, float] | None = None


def measure_on_sheet(pixels: Pixels, placed: Placed, told: StatedDie, colour_spread: float) -> DiceLook:
    """Numbers and sizes, in mm of the sheet as it was meant to be printed."""
    reading = read_on_sheet(pixels, placed)
    optics = Optics(blur_of(pixels, placed.known), colour_spread)
    view = placed.view
    expected = Expected(*(told.rounding or USUAL_ROUNDING), optics, told.height)
    found = _sought_again(pixels, view, _sketches(pixels, reading, view), expected)
    fits = [_fitted(pixels, view, each, expected, told.rounding is not None) for each in found]
    pairs = zip(reading.faces, fits, strict=True)
    return _look(reading, [_measured(pixels, reading, face, fit, view) for face, fit in pairs])


def _sought_again(
    pixels: Pixels, view: View, sketches: Sequence[Sketch], expected: Expected
) -> Iterator[tuple[Cube | Unfit, Sketch]]:
    """Each die roughly; one whose outline was not found is looked for once more, turned a little."""
    for sketch in sketches:
        cube, turned = sketch_cube(pixels, view, sketch, expected), replace(sketch, turns=_TURNS)
        yield (cube, sketch) if isinstance(cube, Cube) else (sketch_cube(pixels, view, turned, expected), turned)


def _fitted(
    pixels: Pixels, view: View, die: tuple[Cube | Unfit, Sketch], expected: Expected, told: bool
) -> Fitted | Unfit:
    """The die, as round as was told or as it tells; one found only at the second look must have a clear outline."""
    cube, sketch = die
    if isinstance(cube, Unfit):
        return cube
    if not told:
        rough = cube, drift_of(view, cube, sketch, expected)
        value, standard = rounding_of(pixels, view, rough, USUAL_ROUNDING, expected.optics)
        expected = replace(expected, rounding=value, u_rounding=standard)
    fit = fit_cube(pixels, view, cube, sketch, expected)
    doubtful = isinstance(fit, Fitted) and sketch.turns == _TURNS and fit.scatter > _SURE
    return Unfit("its outline is not clear") if doubtful else fit


def _sketches(pixels: Pixels, reading: FaceReading, view: View) -> list[Sketch]:
    """Every face with the outlines of all others."""
    alone = [_sketch(pixels, reading, face, view) for face in reading.faces]
    hulls = [view.pixels(_cube(view, sketch).hull) for sketch in alone]
    return [replace(sketch, others=tuple(hulls[:index] + hulls[index + 1 :])) for index, sketch in enumerate(alone)]


def _cube(view: View, sketch: Sketch) -> Cube:
    """A die of the size that is likeliest, pips being as they usually are."""
    return placed_cube(view, sketch, 0.5 * sketch.sizes[0] + 0.5 * sketch.sizes[1], USUAL_ROUNDING[0])


def _sketch(pixels: Pixels, reading: FaceReading, face: Face, view: View) -> Sketch:
    """The face in the photo's pixels, and what its pips tell of its size."""
    centre = reading.window.in_photo(face.centre)
    frame = face.frame / reading.window.factor
    ends = view.on_plane(
        np.stack([centre + frame[:, 0], centre - frame[:, 0], centre + frame[:, 1], centre - frame[:, 1]]), 15.0
    )
    between = float(np.linalg.norm(ends[0] - ends[1]) + np.linalg.norm(ends[2] - ends[3])) / 2
    low, high = _SPACINGS if face.number > 1 else (share * face.square.half_edge for share in _LONE)
    if face.square.sides.min() > _CLEAR:
        low, high = max(low, 0.9 * face.square.half_edge), min(high, 1.35 * face.square.half_edge)
    low, high = np.clip([low * between, high * between], SMALLEST + 0.5, LARGEST - 0.5)
    return Sketch(_middle(pixels, reading, face, view), frame, (float(low), float(max(high, low + 1.0))))


def _die(reading: FaceReading, face: Face) -> Die:
    centre = reading.window.in_photo(face.centre)
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    outline = reading.window.in_photo(face.centre + signs * face.square.half_edge @ face.frame.T)
    return Die(face.number, face.score, (float(centre[0]), float(centre[1])), outline)


def _measured(pixels: Pixels, reading: FaceReading, face: Face, fit: Fitted | Unfit, view: View) -> Die:
    die = _die(reading, face)
    if isinstance(fit, Unfit):
        return replace(die, refused=fit.reason)
    return replace(die, outline=view.pixels(fit.cube.corners), fitted=fit, pips=_pips(pixels, reading, face, fit, view))


def _pips(pixels: Pixels, reading: FaceReading, face: Face, fitted: Fitted, view: View) -> Pips | None:
    """Pips on the plane of the upper face."""
    cube = fitted.cube
    rims = list(_rims(pixels, reading, face, view, float(cube.vector[HEIGHT])))
    found = [rim for rim, sharp in rims if sharp]
    if len(found) < len(rims):
        return None
    away = np.mean([rim.place for rim in found], axis=0) - cube.top[:2]
    sizes = [2 * rim.radius for rim in found]
    return Pips(float(np.mean(sizes)), float(np.ptp(sizes)), float(np.hypot(*away)))


def _rims(pixels: Pixels, reading: FaceReading, face: Face, view: View, height: float) -> Iterator[tuple[Rim, bool]]:
    """The rims of a face's pips, and whether each was found: else it is where the pip was read."""
    places = view.on_plane(reading.window.in_photo(np.array([pip.centre for pip in face.spots])), height)
    for place, pip in zip(places, face.spots, strict=True):
        radius = pip.radius / reading.window.factor / view.resolution(np.array([*place, height]))
        rough = Rim(place, radius)
        rim = rim_of(pixels, view, rough, height)
        yield rim or rough, rim is not None


def _middle(pixels: Pixels, reading: FaceReading, face: Face, view: View) -> Floats:
    """Where in the photo the middle of a face's pips is: every number has it in the middle of the face."""
    rims = _rims(pixels, reading, face, view, _USUAL_HEIGHT)
    place = np.mean([rim.place for rim, _ in rims], axis=0)
    return np.asarray(view.pixels(np.array([[*place, _USUAL_HEIGHT]]))[0])


def _look(reading: FaceReading, dice: list[Die]) -> DiceLook:
    unread, marked = (_in_photo(reading, places) for places in (reading.unread, reading.marked))
    return DiceLook(tuple(reading_order(dice)), unread, reading.sides, marked)


def _in_photo(reading: FaceReading, places: Sequence[Floats]) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in (reading.window.in_photo(place) for place in places))


def reading_order(dice: Sequence[Die]) -> list[Die]:
    """Row by row from the upper left, as the photo shows them; dice of one row overlap in height."""
    rows: list[list[Die]] = []
    for die in sorted(dice, key=lambda each: each.pixel[1]):
        half = float(np.ptp(die.outline[:, 1])) / 2
        if rows and abs(die.pixel[1] - np.mean([other.pixel[1] for other in rows[-1]])) < half:
            rows[-1].append(die)
        else:
            rows.append([die])
    return [die for row in rows for die in sorted(row, key=lambda each: each.pixel[0])]
