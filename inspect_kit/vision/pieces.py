"""All round pieces of a photo: found, measured, and refused where they are not whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.circle import Unfit
from inspect_kit.vision.disc import Disc, Shape, fit_disc, inside_picture, outline_pixels
from inspect_kit.vision.edges import Optics
from inspect_kit.vision.finding import Candidate, find_circles
from inspect_kit.vision.outer_edge import outermost
from inspect_kit.vision.references import Placed
from inspect_kit.vision.solid import Solid
from inspect_kit.vision.view import View

_CLEAR: Final = 0.7
_FAINT: Final = 0.45
_SHADOW: Final = 1.2
"""mm by which a soft shadow reaches beyond a piece."""
_BORDER: Final = 4.0
_AROUND: Final = np.linspace(0, 2 * np.pi, 90, endpoint=False)


@dataclass(frozen=True)
class Refused:
    """A piece that is there and cannot be measured: where in the photo, and why."""

    pixel: tuple[float, float]
    reason: str


@dataclass(frozen=True)
class Pieces:
    """What a photo shows."""

    discs: tuple[Disc, ...]
    refused: tuple[Refused, ...]


def find_pieces(pixels: Pixels, placed: Placed, shape: Shape, diameters: tuple[float, float], optics: Optics) -> Pieces:
    """The discs with a diameter within bounds, in reading order."""
    view = placed.view
    radii = diameters[0] / 2, diameters[1] / 2
    candidates = find_circles(pixels, view, placed.known.sheet[:, :2], shape.thickness, radii)
    task = _Task(pixels, view, shape, optics)
    discs: list[Disc] = []
    refused: list[Refused] = []
    for candidate in _larger_first(candidates):
        if not _taken(candidate, discs):
            _try(task, candidate, discs, refused)
    within = [disc for disc in discs if radii[0] - 1 <= disc.solid.radius <= radii[1] + 1]
    return Pieces(tuple(reading_order(within)), tuple(refused))


def _larger_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those seen clearly, the larger first, so that a groove is never taken for the piece around it; then the rest."""
    clear = sorted((each for each in candidates if each.support >= _CLEAR), key=lambda each: -each.radius)
    faint = sorted((each for each in candidates if _FAINT <= each.support < _CLEAR), key=lambda each: -each.support)
    return [*clear, *faint]


def _taken(candidate: Candidate | Solid, discs: Sequence[Disc]) -> bool:
    """Whether the candidate lies in a piece that is already known."""
    return any(
        np.hypot(candidate.x - disc.solid.x, candidate.y - disc.solid.y)
        < max(
            0.9 * max(disc.solid.radius, candidate.radius),
            disc.solid.radius + candidate.radius - max(3.0, 0.1 * candidate.radius),
        )
        for disc in discs
    )


@dataclass(frozen=True)
class _Task:
    pixels: Pixels
    view: View
    shape: Shape
    optics: Optics


def _try(task: _Task, candidate: Candidate, discs: list[Disc], refused: list[Refused]) -> None:
    guess = Solid(candidate.x, candidate.y, candidate.radius, task.shape.thickness, task.shape.rim)
    seen = outline_pixels(task.view, guess, _AROUND)
    if not inside_picture(seen, task.pixels, _BORDER).all():
        if candidate.support >= _CLEAR and not _near_refused(task.view, guess, refused):
            refused.append(Refused(_pixel(task.view, guess), "is cut off by the picture's edge"))
        return
    outer = outermost(task.pixels, task.view, guess)
    if isinstance(outer, Unfit) or _taken(outer, discs):
        return
    disc = fit_disc(task.pixels, task.view, outer, task.shape, task.optics)
    if isinstance(disc, Unfit) and candidate.support >= _CLEAR and abs(outer.radius - guess.radius) < _SHADOW:
        # A soft shadow all around may be the outermost circle of all, and no disc; then the circle first seen is.
        disc = fit_disc(task.pixels, task.view, guess, task.shape, task.optics)
    if not isinstance(disc, Unfit) and not _taken(disc.solid, discs):
        discs.append(disc)


def _near_refused(view: View, guess: Solid, refused: Sequence[Refused]) -> bool:
    x, y = _pixel(view, guess)
    reach = guess.radius * view.resolution(guess.centre)
    return any(np.hypot(x - other.pixel[0], y - other.pixel[1]) < reach for other in refused)


def _pixel(view: View, guess: Solid) -> tuple[float, float]:
    x, y = view.pixels(guess.centre[None])[0]
    return float(x), float(y)


def reading_order(discs: Sequence[Disc]) -> list[Disc]:
    """Row by row from the upper left, as the photo shows them; pieces of one row overlap in height."""
    left = sorted(discs, key=lambda disc: float(disc.centre[1]))
    rows: list[list[Disc]] = []
    for disc in left:
        height = disc.solid.radius * disc.resolution
        if rows and abs(disc.centre[1] - _level(rows[-1])) < height:
            rows[-1].append(disc)
        else:
            rows.append([disc])
    return [disc for row in rows for disc in sorted(row, key=lambda each: float(each.centre[0]))]


def _level(row: Sequence[Disc]) -> Floats:
    return np.asarray(np.mean([disc.centre[1] for disc in row]))
