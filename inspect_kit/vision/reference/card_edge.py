"""Which of the edges along a card's side is the card's own: in the shade, the table goes on in its own colour.

A card is 0.76 mm thick, so a lamp at its side draws a shadow along it, up to a few millimetres broad, whose end may be
the clearest edge there, or blur into the card's. In the codes of a picture shade takes all colour differences down by
one share, so that their *direction* stays that of the table: the card begins where that turns to the card's. Where card
and table are of one hue, edges are followed inwards from the outermost: those within which the light is that of the
table, only less of it, are ends of shadows, and the first other one is the card's. If that is no lighter than what lies
outside of it, how much of the dark is shadow stays open; so it does where two opposite sides have such a strip, for
then it may be print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Mask
from inspect_kit.vision.fitting.edge_peaks import peaks_of
from inspect_kit.vision.fitting.edge_step import STEP, Profiles, light_of
from inspect_kit.vision.reference import tuning

_NEUTRAL: Final = 128 / 255
"""The code of no colour difference (JFIF)."""


@dataclass(frozen=True)
class SideReading:
    """How one side of a thing was read: pixels from the outermost clear edge inwards to the thing's own, by what its
    colour is told from the table's (`None` where only light tells), and whether shadows are told from it at all."""

    inside: float = 0.0
    hue: Hue | None = None
    is_certain: bool = True

    @property
    def level(self) -> float:
        """Where on a wall that is turned to the camera the edge is seen, of its height: the outermost edge at the foot,
        one behind a shadow above; a wall may have the face's colour or not."""
        return 0.5 if self.hue else float(self.inside > 0)


@dataclass(frozen=True)
class Hue:
    """The table's colour differences, and weights that turn others into the share of the card's colour in them."""

    ground: Floats
    weights: Floats

    def share(self, codes: Floats) -> Floats:
        """Of the card's colour in luma and colour differences."""
        return np.asarray((codes[..., 1:] - self.ground) @ self.weights, dtype=np.float64)


def read_side(side: Profiles, per_mm: float) -> SideReading:
    """Of lines across one side, laid along its outermost clear edge; `per_mm` pixels a mm."""
    codes = np.median(side.codes, axis=0)
    inside = -tuning.BROADEST_SHADOW * per_mm
    ground, face = _part(codes, side.steps, per_mm, 2.5 * per_mm), _part(codes, side.steps, inside - per_mm, inside)
    hue = _hue(ground, face)
    if hue is not None:
        begins, seen = card_begins(hue.share(codes)[None], side.steps)
        if seen[0] and _in_shade_until(float(begins[0]), codes, side.steps, light_of(ground)):
            return SideReading(-float(begins[0]), hue)
    return _by_light(codes, side.steps, per_mm)


def _in_shade_until(begins: float, codes: Floats, steps: Floats, ground: Floats) -> bool:
    """Whether what lies before the card's colour, if broad enough to be seen, is shade and not a border of the card."""
    broad = -begins > 2 * tuning.NEXT_EDGE
    return not broad or _is_shade(light_of(_part(codes, steps, 0.6 * begins, 0.4 * begins)), ground)


def open_size(readings: Sequence[SideReading], per_mm: float) -> tuple[float, float]:
    """mm, standard, by which length and width stay open, since the edges taken may not be the card's."""
    upper, right, lower, left = readings
    return _open_between(left, right, per_mm), _open_between(upper, lower, per_mm)


def _open_between(one: SideReading, other: SideReading, per_mm: float) -> float:
    if not (one.is_certain and other.is_certain):
        return tuning.SHADOW_OF_DARK
    may_be_print = min(one.inside, other.inside) > tuning.NEXT_EDGE
    return (one.inside + other.inside) / 2 / per_mm if may_be_print else 0.0


def _part(codes: Floats, steps: Floats, low: float, high: float) -> Floats:
    return np.asarray(codes[(steps >= low - STEP) & (steps <= high + STEP)].mean(axis=0))


# ------------------------------------------------------------------------------------------------------------ by hue


def _hue(ground: Floats, face: Floats) -> Hue | None:
    """Weights that shade on the ground leaves alone, if they tell the face from it."""
    plain, apart = ground[1:] - _NEUTRAL, face[1:] - ground[1:]
    spread = tuning.COLOUR_NOISE**2 * np.eye(2) + np.outer(plain, plain) * tuning.SHADE**2
    weights = np.asarray(np.linalg.solve(spread, apart), dtype=np.float64)
    separation = float(apart @ weights)
    return Hue(ground[1:], weights / separation) if separation > tuning.LEAST_SEPARATION**2 else None


def card_begins(share: Floats, steps: Floats) -> tuple[Floats, Mask]:
    """Pixels from each foot to where, coming from outside, half of the colour is the card's, and whether that is so."""
    crossing = (share[:, :-1] > 0.5) & (share[:, 1:] <= 0.5)
    rows = np.arange(len(share))
    at = crossing.shape[1] - 1 - crossing[:, ::-1].argmax(axis=1)
    inner, outer = share[rows, at], share[rows, at + 1]
    return steps[at] + (inner - 0.5) / np.maximum(inner - outer, 1e-9) * STEP, np.asarray(crossing.any(axis=1))


# ---------------------------------------------------------------------------------------------------------- by light


def _by_light(codes: Floats, steps: Floats, per_mm: float) -> SideReading:
    outside = ground = light_of(_part(codes, steps, per_mm, 2.5 * per_mm))
    edges = _inwards(codes, steps, tuning.BROADEST_SHADOW * per_mm)
    for outer, inner in zip(edges, [*edges[1:], edges[-1] - per_mm], strict=True):
        light = light_of(_part(codes, steps, 0.75 * inner + 0.25 * outer, 0.25 * inner + 0.75 * outer))
        if not _is_shade(light, ground):
            return SideReading(edges[0] - outer, is_certain=bool(light.sum() > outside.sum()))
        outside = light
    return SideReading(is_certain=False)


def _inwards(codes: Floats, steps: Floats, reach: float) -> list[float]:
    """Places of the clear edges from the outermost one inwards, pixels."""
    soft: AnyArray = cv2.GaussianBlur(codes.astype(np.float32)[None], (0, 0), 1.0 / STEP, sigmaY=0.5)
    slope = np.linalg.norm(np.gradient(soft[0].astype(np.float64), axis=0), axis=1)
    clear = peaks_of(slope[None])[0] & (slope > max(tuning.EDGE_BEHIND * slope.max(), tuning.LEAST_STEP))
    found = steps[clear & (steps < 1.5) & (steps > -reach)][::-1]
    return [float(each) for each in found] or [0.0]


def _is_shade(light: Floats, ground: Floats) -> bool:
    """Whether this is the ground with less light on it."""
    share = float(light @ ground / (ground @ ground))
    other = float(np.linalg.norm(light - share * ground) / np.linalg.norm(ground))
    return share < 1 and other < tuning.SAME_COLOUR
