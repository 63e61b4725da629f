"""References in a photo: our own sheets, single markers, and printed checkerboards, as points of known millimetres."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.optics.pose import Known, View, fit_view
from inspect_kit.vision.reference import tuning
from inspect_kit.vision.reference.checkerboard import find_checkerboard
from inspect_kit.vision.reference.corners import is_crossing, refine_crossings, refine_marker
from inspect_kit.vision.reference.everyday import CARD, PAPERS
from inspect_kit.vision.reference.sheets import MARKER_SHARE, Area, PrintedSheet, SheetKind, all_sheets
from inspect_kit.vision.reference.wanted import Reference

_OWN: Final = cv2.aruco.DICT_4X4_1000
_PLAIN: Final = ("paper", "card")


@dataclass(frozen=True)
class Placed:
    """A reference found in a photo and the view it gives."""

    name: str
    view: View
    known: Known
    sheet: PrintedSheet | None = None
    bend: float = 0.0
    """mm by which the border of a loose sheet of paper stands up."""

    @property
    def carries_ids(self) -> bool:
        """Whether places on it mean the same in every photo."""
        return self.sheet is not None or self.name.startswith("aruco")


def place(pixels: Pixels, camera: Camera, reference: Reference) -> Placed:
    """Find the reference and solve the view; raises `BadInput` with advice where that cannot be done."""
    if reference.kind in _PLAIN:
        return _plain_thing(pixels, camera, reference)
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    finders = {"auto": _own_sheet, "chessboard": _chessboard, "aruco": _single_markers}
    return finders[reference.kind](np.asarray(grey, dtype=np.uint8), camera, reference)


# ---------------------------------------------------------------------------------------------------------- our sheets


def _own_sheet(grey: Pixels, camera: Camera, reference: Reference) -> Placed:
    del reference
    sheet, markers = best_sheet(grey)
    return place_sheet(grey, camera, sheet, markers)


def best_sheet(grey: Pixels) -> tuple[PrintedSheet, Mapping[int, Floats]]:
    """The sheet of ours with the most markers in the picture, and these markers' corners."""
    best = _best_of(_large_sheets(), find_markers(grey, _OWN, tuning.FIND_WORKING_SIDE, (13, 13), _large_ids()))
    for side, windows in (
        (tuning.FIND_WORKING_SIDE, (13, 13)),
        (tuning.FIND_WORKING_SIDE, (3, 23)),
        (max(grey.shape), (3, 43)),
    ):
        if len(best[1]) < 2 * tuning.LEAST_MARKERS:
            best = _best_of(all_sheets(), find_markers(grey, _OWN, side, windows))
    if len(best[1]) < tuning.LEAST_MARKERS:
        count = len(best[1])
        raise BadInput("too-few-markers", count=count, least=tuning.LEAST_MARKERS)
    return best


def glimpse(pixels: Pixels, camera: Camera) -> Placed | None:
    """A sheet of ours, if a quick look reads a few of its markers; for photos that may well show none."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    large, small = _large_ids(), _small_ids()
    for ids, windows in ((large, (13, 13)), (large, (3, 23)), (small, (13, 13))):
        sheet, markers = _best_of(all_sheets(), find_markers(grey, _OWN, tuning.FIND_WORKING_SIDE, windows, ids))
        if len(markers) >= 2 * tuning.LEAST_MARKERS:
            return place_sheet(grey, camera, sheet, markers)
        if len(markers) >= tuning.A_FEW:
            return _own_sheet(grey, camera, Reference())
    return None


def _small_ids() -> range:
    ids = [marker for sheet in all_sheets() if sheet not in _large_sheets() for marker in sheet.markers]
    return range(min(ids), max(ids) + 1)


def _best_of(sheets: Iterable[PrintedSheet], found: Mapping[int, Floats]) -> tuple[PrintedSheet, Mapping[int, Floats]]:
    return max(((sheet, _of_sheet(sheet, found)) for sheet in sheets), key=lambda pair: len(pair[1]))


def _large_sheets() -> tuple[PrintedSheet, ...]:
    """Mats and charuco sheets; the time to read a marker goes with the number of those it may be."""
    return tuple(sheet for sheet in all_sheets() if sheet.kind in (SheetKind.MAT, SheetKind.CHARUCO))


def _large_ids() -> range:
    ids = [marker for sheet in _large_sheets() for marker in sheet.markers]
    return range(min(ids), max(ids) + 1)


def _of_sheet(sheet: PrintedSheet, found: Mapping[int, Floats]) -> Mapping[int, Floats]:
    """This sheet's markers, those left out that do not lie where the others say."""
    own = {marker: corners for marker, corners in found.items() if marker in sheet.markers}
    if len(own) < 3:
        return own
    sheet_points = np.concatenate([corners_of(sheet.markers[marker]) for marker in own])
    image_points = np.concatenate(list(own.values()))
    size = float(np.linalg.norm(image_points[0] - image_points[2]))
    _, mask = cv2.findHomography(sheet_points, image_points, cv2.RANSAC, max(0.5 * size, 3.0))
    good = np.asarray(mask if mask is not None else np.zeros(4 * len(own))).reshape(-1, 4).min(axis=1) > 0
    return {marker: corners for (marker, corners), fits in zip(own.items(), good.tolist(), strict=True) if fits}


def find_markers(
    grey: Pixels, dictionary: int, longest_side: int, windows: tuple[int, int] = (3, 23), ids: range | None = None
) -> Mapping[int, Floats]:
    """Markers by id with their four corners, upper left first and clockwise, looked for at a reduced size.

    With `ids` only these are told apart, which is faster.
    """
    factor = min(1.0, longest_side / max(grey.shape))
    small = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1 else grey
    settings = cv2.aruco.DetectorParameters()
    settings.minMarkerPerimeterRate = 0.008
    settings.errorCorrectionRate = 0.0
    settings.perspectiveRemovePixelPerCell = 6
    settings.adaptiveThreshWinSizeMin, settings.adaptiveThreshWinSizeMax = windows
    words = cv2.aruco.getPredefinedDictionary(dictionary)
    if ids is not None:
        words = cv2.aruco.Dictionary(words.bytesList[ids.start : ids.stop], words.markerSize, words.maxCorrectionBits)
    corners, read, _ = cv2.aruco.ArucoDetector(words, settings).detectMarkers(small)
    centred = [(quad.reshape(4, 2) + 0.5) / factor - 0.5 for quad in corners]
    first = ids.start if ids is not None else 0
    names = [first + int(name) for name in np.asarray(read if corners else []).ravel()]
    # An id that is read twice is a copy or a misreading: neither can be told apart, so both go.
    return {name: np.asarray(quad, dtype=np.float64) for name, quad in zip(names, centred, strict=True)
            if names.count(name) == 1}  # fmt: skip


def corners_of(area: Area) -> Floats:
    """Upper left, upper right, lower right, lower left."""
    left, right, lower, upper = area.left, area.left + area.width, area.bottom, area.bottom + area.height
    return np.array([[left, upper], [right, upper], [right, lower], [left, lower]])


def place_sheet(grey: Pixels, camera: Camera, sheet: PrintedSheet, markers: Mapping[int, Floats]) -> Placed:
    """The view from the crossings around the markers that were read, then from all crossings of the sheet."""
    known = crossings_near(grey, sheet, markers)
    view = fit_view(camera, known)
    everything = np.array([(x, y, 0.0) for x, y in sheet.crossings])
    known = _all_crossings(grey, sheet, everything, view)
    if len(known.image) < 6:
        raise BadInput("too-little-reference-sheet-free")
    return Placed(sheet.name, fit_view(camera, known), known, sheet)


def crossings_near(grey: Pixels, sheet: PrintedSheet, markers: Mapping[int, Floats]) -> Known:
    """The crossings at the corners of the markers' own squares: no camera is needed to find them."""
    crossings = {_key(point): point for point in sheet.crossings}
    guesses: dict[tuple[int, int], list[Floats]] = {}
    for marker, corners in markers.items():
        area = sheet.markers[marker]
        rim = (sheet.square - area.width) / 2
        square = corners_of(Area(area.left - rim, area.bottom - rim, sheet.square, sheet.square))
        flat = cv2.getPerspectiveTransform(corners_of(area).astype(np.float32), corners.astype(np.float32))
        for point, pixel in zip(square, cv2.perspectiveTransform(square[None], flat)[0], strict=True):
            if _key(point) in crossings:
                guesses.setdefault(_key(point), []).append(pixel)
    if len(guesses) < 4:
        raise BadInput("too-few-squares-reference-sheet")
    points = np.array([(*crossings[key], 0.0) for key in guesses])
    pixels = np.array([np.mean(many, axis=0) for many in guesses.values()])
    sizes = [np.linalg.norm(quad[0] - quad[2]) / np.sqrt(2) for quad in markers.values()]
    reach = float(np.median(sizes)) * (1 - MARKER_SHARE) / (2 * MARKER_SHARE)
    found, good = refine_crossings(grey, pixels, 0.9 * reach)
    return Known(points[good], found[good], sheet.square, sheet.square * (1 - MARKER_SHARE) / 2)


def _key(point: Floats | tuple[float, float]) -> tuple[int, int]:
    return round(float(point[0]) * 1000), round(float(point[1]) * 1000)


def _all_crossings(grey: Pixels, sheet: PrintedSheet, points: Floats, view: View) -> Known:
    guesses = view.pixels(points)
    rim = sheet.square * (1 - MARKER_SHARE) / 2
    reach = 0.9 * rim * view.resolution(np.zeros(3))
    found, good = refine_crossings(grey, guesses, reach)
    arms = np.stack(
        [view.pixels(points + rim * 0.6 * np.array(way)) - guesses for way in ((1, 1, 0), (1, -1, 0))], axis=1
    )
    good &= is_crossing(grey, found, arms)
    return Known(points[good], found[good], sheet.square, sheet.square * (1 - MARKER_SHARE) / 2)


# ------------------------------------------------------------------------------------------- markers and checkerboards


def _single_markers(grey: Pixels, camera: Camera, reference: Reference) -> Placed:
    dictionary = marker_dictionary(reference.dictionary)
    found = find_markers(grey, dictionary, tuning.FIND_WORKING_SIDE) or find_markers(grey, dictionary, max(grey.shape))
    if not found:
        raise BadInput("no-marker-can-read", dictionary=reference.dictionary)
    # Several markers lie at unknown places: the largest in the picture carries the scale.
    name = max(found, key=lambda marker: float(np.linalg.norm(found[marker][0] - found[marker][2])))
    half = reference.size / 2
    corners = corners_of(Area(-half, -half, reference.size, reference.size))
    image = refine_marker(grey, found[name])
    known = Known(np.column_stack([corners, np.zeros(4)]), image, reference.size)
    return Placed(f"aruco {name}", fit_view(camera, known), known)


def marker_dictionary(name: str) -> int:
    """OpenCV's number of a dictionary such as DICT_4X4_50."""
    value = getattr(cv2.aruco, name, None) if name.startswith("DICT_") else None
    if not isinstance(value, int):
        raise BadInput("no-marker-dictionary", name=name[:40])
    return value


def _plain_thing(pixels: Pixels, camera: Camera, reference: Reference) -> Placed:
    # Edges to a part of a pixel take SciPy, which those who calibrate a camera do not wait for.
    from inspect_kit.vision.reference.rectangle import find_sides
    from inspect_kit.vision.reference.rectangle_view import rectangle_view

    thing = CARD if reference.kind == "card" else PAPERS[reference.name]
    view, known, bend = rectangle_view(camera, find_sides(pixels, camera, thing), thing)
    return Placed(thing.name, view, known, bend=bend if thing.is_paper else 0.0)


def _chessboard(grey: Pixels, camera: Camera, reference: Reference) -> Placed:
    grid, image = find_checkerboard(grey)
    middle = np.round(grid.mean(axis=0))
    rows = np.column_stack([(grid - middle) * reference.size, np.zeros(len(grid))])
    known = Known(rows, image, reference.size)
    return Placed("chessboard", fit_view(camera, known), known)
