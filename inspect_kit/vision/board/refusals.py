"""Photos of a board that are not measured, each with what to do instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.errors import BadInput, Notice, notice
from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.board import tuning
from inspect_kit.vision.board.features import Features
from inspect_kit.vision.board.formulas import squares
from inspect_kit.vision.board.layout import CIRCLES, CORNERS, SIDES
from inspect_kit.vision.board.shapes import Shapes
from inspect_kit.vision.feature import Feature
from inspect_kit.vision.fitting.stripe import Shot


def refuse_steep(files: Sequence[str], shots: Sequence[Shot]) -> None:
    """A camera held too obliquely."""
    for file, shot in zip(files, shots, strict=True):
        tilt = float(np.degrees(shot.view.tilt))
        if tilt > tuning.STEEPEST:
            raise BadInput("camera-tilted-to-board", where=file, tilt=f"{tilt:.0f}")


def refuse_unseen(features: Features) -> None:
    """A photo too blurred for its lines, or a board that leaves the picture."""
    if features.blur > tuning.BLURRED:
        raise BadInput("photo-too-blurred", value=f"{2 * features.blur:.1f}")
    out = [side for side in SIDES if "picture" in features.absent.get(("foot", side), "")]
    if len(out) > 1:
        raise BadInput("board-leaves-picture", out=", ".join(out))


# What is said about a board besides its dimensions: what was not found, how square it is, and its colours.


@dataclass(frozen=True)
class BoardObservation:
    """What was seen and not measured."""

    characteristic: str
    instance: str
    value: str
    confidence: float


WALL_GAP: Final = "gap at the wall"
"""As budgets call it."""
_NAMES: Final = {
    "foot": "foot of the frame", "lower": "lower base line", "upper": "upper base line", "circle": "base circle",
    "disc": "red disc of the base circle", "pocket": "pocket", "shaft": "arrow", "tail": "start of the arrow",
    "tip": "tip of the arrow",
    "outer": "outer circle", "centre": "centre circle",
}  # fmt: skip
_ALL: Final = {
    "circle": CIRCLES,
    "disc": CIRCLES,
    "lower": SIDES,
    "upper": SIDES,
    "foot": SIDES,
    "pocket": CORNERS,
    "shaft": CORNERS,
}


_WHOLES: Final = {"disc": "circle", "tail": "shaft", "tip": "shaft"}


def missing(features: Features, clarity: float) -> list[Notice]:
    """Notices on what was not found, like with like."""
    told = []
    bare = all(("circle", name) not in features.traces for name in CIRCLES)
    if clarity < tuning.REFUSALS_CLEAR or bare:
        told.append(notice("board-not-standard"))
    for kind, name in _NAMES.items():
        # Of what is a part of another feature nothing is said where the whole is missing.
        whole = _WHOLES.get(kind)
        own = {key: why for key, why in features.absent.items()
               if key[0] == kind and (whole is None or (whole, key[1]) in features.traces)}  # fmt: skip
        for why in sorted(set(own.values())):
            where = [key[1] for key, reason in own.items() if reason == why and key[1]]
            told.append(_absence(kind, name, where, why))
    return told


def _absence(kind: str, name: str, where: list[str], why: str) -> Notice:
    if kind in _ALL and len(where) == len(_ALL[kind]):
        if why == "missing":
            return notice("features-missing", feature=f"{name}s")
        return notice("features-all", feature=f"{name}s", reason=why)
    if not where:
        return notice("feature-absent-alone", feature=name, reason=why)
    return notice(
        "feature-absent", feature=f"{name}{'s' if len(where) > 1 else ''}", places=", ".join(where), reason=why
    )


def squareness(shapes: Shapes, measurements: Sequence[Feature]) -> list[Notice]:
    """The squares that a referee compares with the laws, and corners that are certainly not right angles."""
    if not all(("foot", side) in shapes for side in SIDES):
        return []
    inside, around = squares(shapes)
    told = [notice("squares", inside=f"{inside:.1f}", around=f"{around:.1f}")]
    skewed = unsquare(measurements)
    if skewed:
        corners = tuple(notice("corner-angle", corner=each.instance, angle=f"{each.value:.2f}") for each in skewed)
        first, second = (each.value for each in measurements if each.characteristic == "surface.diagonal")
        told.append(notice("surface-not-square", corners=corners, difference=f"{abs(first - second):.1f}"))
    return told


def unsquare(measurements: Sequence[Feature]) -> list[Feature]:
    """Corners that are certainly not right angles."""
    return [each for each in measurements if each.characteristic == "surface.angle"
            and abs(each.value - 90) > max(2 * each.standard, tuning.SKEWED)]  # fmt: skip


def gap_advice(measurements: Sequence[Feature], features: Features) -> list[Notice]:
    """What a feeler gauge, or another photo, would make of U where the gap at the walls is most of it."""
    sides = [each for each in measurements if each.characteristic == "surface.side"]
    if not sides or features.frame.stated:
        return []
    worst = max(sides, key=lambda each: each.standard)
    gauge, photo = (_u_then(worst, features.frame.u_gap, then) for then in (tuning.GAUGED, features.u_gap_then))
    if worst.standard - gauge < tuning.GAUGE_GAIN / 2:
        return []
    return [notice("gap-open", now=f"{2 * worst.standard:.2f}", gauge=f"{2 * gauge:.2f}", photo=f"{2 * photo:.2f}")]


def _u_then(side: Feature, now: float, then: float) -> float:
    """The standard uncertainty of a side, which has a gap at both ends, once that of the gap is another."""
    part = side.part(WALL_GAP)
    return float(np.sqrt(side.standard**2 - min(part, 2 * now) ** 2 + min(part, 2 * then) ** 2))


_COLOURED: Final = {"disc": "basecircle", "lower": "baseline", "shaft": "arrow", "outer": "outer"}


def colours(features: Features) -> tuple[BoardObservation, ...]:
    """Red discs and black lines, by their light over the ground's."""
    found = []
    for (kind, name), traces in features.traces.items():
        if kind in _COLOURED:
            word, sure = _colour_word(np.median([trace.colour for trace in traces], axis=0))
            found.append(BoardObservation(f"{_COLOURED[kind]}.colour", name, word, sure))
    return tuple(found)


def _colour_word(share: Floats) -> tuple[str, float]:
    """Named by what the ink leaves of the ground's light: all alike little is black; red leaves red."""
    red, green, blue = (float(value) for value in share)
    if red > 1.8 * max(green, blue, 0.05):
        return "red", min(0.99, 0.5 + (red - max(green, blue)))
    if max(red, green, blue) < 0.75 and red < 1.5 * max(green, 0.12):
        return "black", float(np.clip(1.1 - max(red, green, blue), 0.5, 0.99))
    return "other", 0.6
