"""The four sides of a plain rectangle as points in the photo, to a part of a pixel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Mask, Pixels
from inspect_kit.vision.fitting.edge_peaks import peaks_of
from inspect_kit.vision.fitting.edge_step import STEP, Profiles, profiles
from inspect_kit.vision.fitting.least_squares import agreeing
from inspect_kit.vision.reference import tuning
from inspect_kit.vision.reference.card_edge import SideReading, card_begins, open_size, read_side
from inspect_kit.vision.reference.everyday import FlatThing

SIDES: Final = 4
"""Sides of a rectangle."""
Choice = Callable[[Floats, Floats], Floats]
"""How much an edge is wanted, by how steep the light is and how far outside of its line it lies."""


@dataclass(frozen=True)
class Sides:
    """Points on the four sides in the photo, with the side (0 upper, 1 right, 2 lower, 3 left) and the outward normal
    of each, and the corners, upper left first and clockwise as the long sides run."""

    corners: Floats
    points: Floats
    normals: Floats
    side: AnyArray
    levels: tuple[float, ...] = (0.0,) * SIDES
    """Where on a wall that is turned to the camera the points of each side lie, of the thing's thickness."""
    open_size: tuple[float, float] = (0.0, 0.0)
    """mm, standard, by which length and width stay open, since points may lie on other edges than the thing's own."""


def lines_across(corners: Floats, thing: FlatThing, count: int) -> tuple[Floats, Floats, AnyArray]:
    """Points along the sides, clear of the corners, their outward normals, and the side of each."""
    feet, normals = [], []
    for side in range(SIDES):
        start, end = corners[side], corners[(side + 1) % SIDES]
        rim = max(0.04, (thing.corner + 1.0) / thing.size[side % 2])
        feet.append(start + np.linspace(rim, 1 - rim, count)[:, None] * (end - start))
        along = (end - start) / np.linalg.norm(end - start)
        outward = np.array([along[1], -along[0]])
        normals.append(np.repeat((outward * np.sign(outward @ (start - corners.mean(axis=0))))[None], count, axis=0))
    return np.concatenate(feet), np.concatenate(normals), np.repeat(np.arange(SIDES), count)


def steepness_across(pixels: Pixels, feet: Floats, normals: Floats, reach: float, thing: FlatThing) -> Floats:
    """How steeply the light changes along each line; of paper only where it falls outwards."""
    codes = profiles(pixels, feet, normals, reach).codes
    soft = cv2.GaussianBlur(codes.astype(np.float32), (0, 0), 1.0 / STEP, sigmaY=0.5)
    slope = np.gradient(soft.astype(np.float64), axis=1)
    if thing.is_paper:
        return np.asarray(np.maximum(-slope[:, :, 0], 0.0))
    return np.asarray(np.linalg.norm(slope, axis=2))


@dataclass(frozen=True)
class _Lines:
    """Lines across the sides: where each crosses its side, its outward normal and its side; and how many pixels
    outside of that its own edge was seen, and whether."""

    feet: Floats
    normals: Floats
    side: AnyArray
    edge: Floats
    seen: Mask

    def moved(self, outwards: Floats) -> _Lines:
        return replace(self, feet=self.feet + outwards[:, None] * self.normals)

    @property
    def points(self) -> Floats:
        return np.asarray((self.feet + self.edge[:, None] * self.normals)[self.seen])


def refined(pixels: Pixels, corners: Floats, thing: FlatThing) -> Sides | None:
    """The sides at full size, each a slightly bent line; `None` where one of them is hardly seen."""
    feet, normals, side = lines_across(corners, thing, tuning.SIDE_POINTS)
    lines: _Lines | None = _Lines(feet, normals, side, np.zeros(len(feet)), np.ones(len(feet), dtype=bool))
    size = float(np.linalg.norm(corners[1] - corners[0]))
    choice = _steepest if thing.is_paper else _outermost
    for reach in (max(tuning.FIRST_REACH * size, 6.0), max(0.3 * tuning.FIRST_REACH * size, 5.0)):
        lines = lines and _laid(lines, *_light_edges(pixels, lines, reach, thing, choice))
    if lines is None:
        return None
    if thing.is_paper:
        return Sides(corners, lines.points, normals[lines.seen], side[lines.seen])
    return _behind_shadows(pixels, corners, lines, thing)


def _behind_shadows(pixels: Pixels, corners: Floats, lines: _Lines, thing: FlatThing) -> Sides | None:
    """The sides of a card, whose shadows may end in clearer edges than its own."""
    per_mm = float(np.linalg.norm(corners[1] - corners[0])) / thing.size[0]
    across = profiles(pixels, lines.feet, lines.normals, (tuning.BROADEST_SHADOW + 1.0) * per_mm)
    seen = [lines.seen & (lines.side == number) for number in range(SIDES)]
    readings = [read_side(Profiles(across.steps, across.codes[own]), per_mm) for own in seen]
    inner = lines.moved(-np.array([reading.inside for reading in readings])[lines.side])
    own = _laid(inner, *_own_edges(pixels, inner, thing, readings))
    if own is None:
        return None
    levels = tuple(reading.level for reading in readings)
    return Sides(corners, own.points, own.normals[own.seen], own.side[own.seen], levels, open_size(readings, per_mm))


def _own_edges(pixels: Pixels, lines: _Lines, thing: FlatThing, readings: Sequence[SideReading]) -> tuple[Floats, Mask]:
    """Pixels from each foot to the card's own edge: where its colour begins, or to the nearest edge."""
    found, seen = _light_edges(pixels, lines, tuning.NEXT_EDGE, thing, _nearest)
    across = profiles(pixels, lines.feet, lines.normals, 2 * tuning.NEXT_EDGE)
    for number, reading in enumerate(readings):
        own = lines.side == number
        if reading.hue is not None:
            found[own], seen[own] = card_begins(reading.hue.share(across.codes[own]), across.steps)
    return found, seen


def _steepest(steep: Floats, _: Floats) -> Floats:
    return steep


def _outermost(steep: Floats, places: Floats) -> Floats:
    """What is printed on a card has edges too."""
    return np.broadcast_to(places, steep.shape)


def _nearest(steep: Floats, places: Floats) -> Floats:
    return np.broadcast_to(-np.abs(places), steep.shape)


def _light_edges(pixels: Pixels, lines: _Lines, reach: float, thing: FlatThing, choice: Choice) -> tuple[Floats, Mask]:
    """Pixels from each foot to the chosen one of the clear edges, to a part of a pixel, and whether there is one."""
    steep = steepness_across(pixels, lines.feet, lines.normals, reach, thing)
    places = (np.arange(steep.shape[1]) - steep.shape[1] // 2) * STEP
    clear = peaks_of(steep) & (steep > np.maximum(tuning.CLEAR_EDGE * steep.max(axis=1), tuning.LEAST_STEP)[:, None])
    at = np.clip(np.where(clear, choice(steep, places), -np.inf).argmax(axis=1), 1, steep.shape[1] - 2)
    rows = np.arange(len(steep))
    before, here, after = steep[rows, at - 1], steep[rows, at], steep[rows, at + 1]
    bend = np.minimum(before - 2 * here + after, -1e-9)
    return places[at] + np.clip(0.5 * (before - after) / bend, -1, 1) * STEP, np.asarray(clear.any(axis=1))


def _laid(lines: _Lines, found: Floats, seen: Mask) -> _Lines | None:
    """The lines where they cross each side as a slightly bent line; `None` where one is hardly seen."""
    line, kept = np.zeros(len(found)), np.zeros(len(found), dtype=bool)
    for number in range(SIDES):
        own = lines.side == number
        line[own], kept[own] = _bent(found[own], seen[own])
        if kept[own].mean() < tuning.LEAST_SIDE:
            return None
    return replace(lines.moved(line), edge=found - line, seen=kept)


def _bent(offset: Floats, seen: Mask) -> tuple[Floats, Mask]:
    """The offsets along one side as a slightly bent line, and which points lie on it."""
    along = np.linspace(-1, 1, len(offset))
    design = np.column_stack([np.ones_like(along), along, along**2])
    good = agreeing(design, offset, seen, least=8, floor=0.25)
    if good.sum() < 8:
        return np.zeros_like(offset), np.zeros(len(offset), dtype=bool)
    line = design @ np.linalg.lstsq(design[good], offset[good], rcond=None)[0]
    return np.asarray(line), np.asarray(
        seen & (np.abs(offset - line) < np.maximum(1.0, 4 * np.std(offset[good] - line[good])))
    )
