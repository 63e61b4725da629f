"""Cards lying on a board: which of ours are seen in a photo, and where their crossings are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.reference.corners import fit_crossings, is_crossing, refine_crossings
from inspect_kit.vision.reference.find import corners_of, find_markers
from inspect_kit.vision.reference.sheets import MARKER_SHARE, MAX_CARDS, PrintedSheet, card

LEAST_CROSSINGS: Final = 4
"""Crossings of a card that must be seen for it to count: they fix a plane."""
_LEAST_MARKERS: Final = 2
"""Markers of one card that must be read for it to count."""
_LOOKS: Final = ((2100, (13, 13)), (2100, (3, 23)), (4200, (3, 43)))
"""Longest side to look at, and windows of the threshold; the next look only where the one before saw little."""
_ENOUGH: Final = 12
"""Markers after which no closer look is taken."""
_AHEAD: Final = np.array([[0.5, 0.0], [0.0, 0.5]])
"""mm: half the steps along the card's axes over which the pixels a mm are told."""


@dataclass(frozen=True)
class SeenCard:
    """Crossings of one card in one photo: where on the card (mm from its middle) and where in the photo."""

    number: int
    sheet: Floats
    image: Floats
    corners: Floats
    """The card's four paper corners in the photo, roughly: what it covers."""


def find_cards(grey: Pixels) -> tuple[SeenCard, ...]:
    """Every card of ours with at least four crossings to be seen."""
    markers = _markers(grey)
    found = (_seen(grey, number, markers) for number in range(1, MAX_CARDS + 1))
    return tuple(each for each in found if each is not None)


def _markers(grey: Pixels) -> Mapping[int, Floats]:
    own = {marker for number in range(1, MAX_CARDS + 1) for marker in card(number).markers}
    best: Mapping[int, Floats] = {}
    for side, windows in _LOOKS:
        if side > _LOOKS[0][0] >= max(grey.shape):
            break
        found = find_markers(grey, cv2.aruco.DICT_4X4_1000, side, windows)
        best = {**{name: quad for name, quad in found.items() if name in own}, **best}
        if len(best) >= _ENOUGH:
            break
    return best


def _seen(grey: Pixels, number: int, markers: Mapping[int, Floats]) -> SeenCard | None:
    sheet = card(number)
    own = [marker for marker in sheet.markers if marker in markers]
    if len(own) < _LEAST_MARKERS:
        return None
    points = np.concatenate([corners_of(sheet.markers[marker]) for marker in own])
    pixels = np.concatenate([markers[marker] for marker in own])
    flat, mask = cv2.findHomography(points, pixels, cv2.RANSAC, 4.0)
    if flat is None or int(mask.sum()) < 6:
        return None
    return _refined(grey, sheet, number, np.asarray(flat, dtype=np.float64))


def _refined(grey: Pixels, sheet: PrintedSheet, number: int, flat: Floats) -> SeenCard | None:
    points = np.array(sheet.crossings)

    def at(places: Floats) -> Floats:
        return np.asarray(cv2.perspectiveTransform(places[None], flat)[0], dtype=np.float64)

    rim = sheet.square * (1 - MARKER_SHARE) / 2
    guesses = at(points)
    ways = np.stack([at(points + ahead) - at(points - ahead) for ahead in _AHEAD], axis=1)
    reach = float(np.clip(0.9 * rim * np.median(np.linalg.norm(ways[:, 0], axis=1)), 2, 12))
    found, good = refine_crossings(grey, guesses, reach)
    found = fit_crossings(grey, found, ways, reach)
    arms = np.stack([at(points + 0.6 * rim * np.array(way)) - guesses for way in ((1, 1), (1, -1))], axis=1)
    good &= is_crossing(grey, found, arms)
    if int(good.sum()) < LEAST_CROSSINGS:
        return None
    half = np.array(sheet.size) / 2
    paper = at(np.array([[-1, 1], [1, 1], [1, -1], [-1, -1.0]]) * half)
    return SeenCard(number, points[good], found[good], paper)
