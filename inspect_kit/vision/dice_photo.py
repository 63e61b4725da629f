"""Dice in a whole photo: small ones are looked at again from nearer, and on a sheet only the sheet is searched."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.dice_face import Face
from inspect_kit.vision.dice_pips import hull_of, within
from inspect_kit.vision.dice_plane import outlook_of, straight_down
from inspect_kit.vision.dice_reading import Reading, Sheet, read_dice
from inspect_kit.vision.dice_window import Window, whole_photo
from inspect_kit.vision.references import Placed
from inspect_kit.vision.view import View

_SMALL: Final = 30.0
"""Half an edge in pixels, below which pips are too few pixels to be trusted."""
_SMALLER, _BEYOND_DOUBT = 24.0, 0.85
"""Half an edge in pixels, and confidence of every die, from which on nothing is gained by another look."""
_WISHED: Final = 45.0
_CLOSER: Final = 2400
_PER_MM: Final = 7.0
"""Pixels a mm on the sheet at which dice of 10 mm are still read."""
_SMALLEST: Final = 4.0
"""mm, half the edge of a face as it is found; roundings make it look smaller than the die."""
_USUAL_HEIGHT: Final = 15.0
LARGEST: Final = 20.0
_OVER: Final = 10.0
"""mm by which the middle of a die may lie beside the free middle of a mat, among its markers."""
_MARGIN: Final = 15.0
"""mm around what is searched that dice reach into."""


def read_photo(pixels: Pixels, focal: float | None) -> Reading:
    """The dice of a photo without a reference."""
    window = whole_photo(pixels)
    start = straight_down(pixels.shape[1], pixels.shape[0], focal)
    reading = read_dice(pixels, window, start)
    closer = _closer(pixels, reading)
    if closer is None:
        return reading
    again = read_dice(pixels, closer, start)
    return again if len(again.faces) >= len(reading.faces) else reading


def _closer(pixels: Pixels, reading: Reading) -> Window | None:
    """The part of the photo with dice, enlarged, where they are small; all of it where none was found."""
    window = reading.window
    limit = max(pixels.shape[:2])
    if not reading.faces:
        side = min(limit, _CLOSER)
        return whole_photo(pixels, side) if window.factor < 0.8 * side / limit else None
    sizes = [face.size for face in reading.faces]
    zoom = min(_WISHED / float(np.median(sizes)), 1.0 / window.factor if window.factor < 1 else 1.0)
    if np.median(sizes) > _SMALL or zoom < 1.25 or _clear(reading):
        return None
    places = window.in_photo(np.array([face.centre for face in reading.faces] + list(reading.unread)))
    return _around(pixels, places, 8 * float(np.median(sizes)) / window.factor, window.factor * zoom)


def _clear(reading: Reading) -> bool:
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


def read_on_sheet(pixels: Pixels, placed: Placed) -> Reading:
    """The dice on a reference, whose plane is known."""
    view = placed.view
    low, high = _searched(placed)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (0.0, LARGEST)])
    limit = np.array([pixels.shape[1], pixels.shape[0]])
    seen = view.pixels(corners)
    factor = float(np.clip(_PER_MM / max(view.resolution(np.array([*(low + high) / 2, 0.0])), 1e-3), 0.2, 1.0))
    window = _around(pixels, np.clip(seen, 0, limit), _MARGIN * _PER_MM / factor, factor)
    reading = read_dice(pixels, window, Sheet(outlook_of(view), seen))
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
