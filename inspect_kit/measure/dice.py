"""Dice from photos: numbers, edges with their uncertainty budgets, and the six photos of one die checked together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import BadInput
from inspect_kit.measure.photographed import UNCALIBRATED, Estimate, estimate
from inspect_kit.measure.pieces import GIVEN, UNKNOWN_PRINT, Stated
from inspect_kit.vision.dice.fit import MIDDLE, Fitted
from inspect_kit.vision.dice.measure import DiceLook, Die, Told, look_at_dice, measure_on_sheet
from inspect_kit.vision.dice.solid import FIRST, HEIGHT, ROUNDING, SECOND
from inspect_kit.vision.disc.measure import FLATNESS, MODEL_ERROR, MODEL_SHADE, STEEPEST, camera_for
from inspect_kit.vision.optics.camera import COUNT, Camera
from inspect_kit.vision.reference.find import Placed, glimpse, place

FACES: Final = 6
PIP_SHARE: Final = 0.05
"""Standard uncertainty of a pip's diameter as a share of it: hollows are shaded, and blurred into what is around."""
RIM_SHARE: Final = 0.05
"""Standard uncertainty of an edge over the radius of its rim: turned from the light, a rim fades into the shadow."""
WORST: Final = 0.25
"""Standard uncertainty (mm) of an edge beyond which it is not given."""


@dataclass(frozen=True)
class Rolled:
    """One die: its instance, what was seen of it, and the two edges of its upper face, where they can be measured."""

    instance: str
    die: Die
    edges: tuple[Estimate, Estimate] | None


@dataclass(frozen=True)
class DicePhoto:
    """What one photo gave; `placed` is missing where no reference is in it."""

    photo: Photograph
    placed: Placed | None
    look: DiceLook
    dice: tuple[Rolled, ...]


@dataclass(frozen=True)
class Spotting:
    """Six photos of one die: is each number there once, do opposite ones add to seven (`None`: not known)?"""

    numbers: bool
    opposite: bool | None
    faults: tuple[str, ...]


@dataclass(frozen=True)
class DiceSession:
    """All photos, and the check of one die's six faces, where there are six photos of one die each."""

    photos: tuple[DicePhoto, ...]
    spotting: Spotting | None
    warnings: tuple[str, ...]


def measure_dice(
    photos: Sequence[Photograph], camera: Camera | None, stated: Stated, *, one_die: bool | None = None
) -> DiceSession:
    """Read and measure every photo; dice are counted on from photo to photo.

    `one_die`: the photos show the faces of one die; if nobody says, six photos with one die each do.
    """
    looks: list[DicePhoto] = []
    count = 0
    for photo in photos:
        looks.append(_photo(photo, camera, stated, count))
        count += len(looks[-1].dice)
    if not count:
        raise BadInput(
            "no die can be read",
            where=photos[0].file,
            hint="photograph the dice sharply from above, so that each is at least a thirtieth of the picture wide",
        )
    spotting = None if one_die is False else spotted([look.look for look in looks])
    warnings = _warnings(looks, stated, camera is not None, spotting)
    if one_die and spotting is None:
        warnings.append("the faces of one die are checked in six photos that show one readable die each; these do not")
    return DiceSession(tuple(looks), spotting, tuple(warnings))


def _photo(photo: Photograph, camera: Camera | None, stated: Stated, before: int) -> DicePhoto:
    placed = _placed(photo, camera, stated)
    if placed is None:
        look = look_at_dice(photo.pixels, photo.focal)
    else:
        look = measure_on_sheet(photo.pixels, placed, _told(stated), photo.colour_spread)
    scale = stated.print_scale or (1.0, UNKNOWN_PRINT)
    dice = [Rolled(str(number), die, _edges(die, placed, scale)) for number, die in enumerate(look.dice, before + 1)]
    return DicePhoto(photo, placed, look, tuple(dice))


def _placed(photo: Photograph, camera: Camera | None, stated: Stated) -> Placed | None:
    """The reference, if there is one; without it numbers are still read. One asked for by name must be there."""
    by_chance = stated.reference.kind == "auto"
    try:
        own = camera_for(photo, camera)
        placed = glimpse(photo.pixels, own) if by_chance else place(photo.pixels, own, stated.reference)
    except BadInput:
        if not by_chance:
            raise
        return None
    if placed is None:
        return None
    if float(np.degrees(placed.view.tilt)) > STEEPEST:
        raise BadInput("the camera looks at the sheet too obliquely", where=photo.file, hint="hold it more from above")
    return placed


def _told(stated: Stated) -> Told:
    """What was stated is true; on the sheet lengths are nominal until the end, so it shrinks with the print."""
    scale = (stated.print_scale or (1.0, 0.0))[0]
    both = []
    for given in (stated.rim, stated.thickness):
        standard = None if given is None else GIVEN if given[1] is None else max(given[1], 0.02)
        both.append(None if given is None or standard is None else (given[0] / scale, standard / scale))
    return Told(*both)


def _edges(die: Die, placed: Placed | None, scale: tuple[float, float]) -> tuple[Estimate, Estimate] | None:
    if die.fitted is None or placed is None:
        return None
    first, second = (_edge(die.fitted, placed, index, scale) for index in (FIRST, SECOND))
    return (first, second) if max(first.standard, second.standard) < WORST else None


def _edge(fitted: Fitted, placed: Placed, index: int, scale: tuple[float, float]) -> Estimate:
    value = float(fitted.cube.vector[index]) * scale[0]
    slopes = fitted.by_view[index]
    total = max(float(slopes @ placed.view.covariance @ slopes), 0.0)
    pose = min(max(float(slopes[COUNT:] @ placed.view.pose_covariance @ slopes[COUNT:]), 0.0), total)
    away = float(np.linalg.norm(placed.view.centre - fitted.cube.top))
    return estimate(value, {
        **_shape_parts(fitted, index, scale[0]),
        "light and shadow at the edge": float(np.hypot(2 * MODEL_ERROR / fitted.resolution, 2 * MODEL_SHADE)),
        "scale (print)": value * scale[1],
        "lens": float(np.sqrt(total - pose)) * scale[0],
        "camera pose": float(np.sqrt(pose)) * scale[0],
        "sheet flatness": value * FLATNESS / max(away, 1.0),
    })  # fmt: skip


def _shape_parts(fitted: Fitted, index: int, scale: float) -> Mapping[str, float]:
    """The fit's variance, split into what rounding and height of the die cause, and the rest, which is the edges'."""
    covariance = fitted.covariance
    parts: dict[str, float] = {}
    left = float(covariance[index, index])
    for name, cause in (("rim shape", ROUNDING), ("piece height", HEIGHT)):
        share = float(covariance[index, cause]) ** 2 / max(float(covariance[cause, cause]), 1e-12)
        share = min(share, 0.9 * left)
        parts[name] = float(np.sqrt(share)) * scale
        left -= share
    parts["rim shape"] = float(np.hypot(parts["rim shape"], RIM_SHARE * fitted.cube.vector[ROUNDING] * scale))
    return {"edge": float(np.sqrt(max(left, 0.0))) * scale, **parts}


def of_the_face(die: Die) -> list[tuple[str, float, str, float]]:
    """Squareness and pips of an upper face: characteristic, value, unit and standard uncertainty."""
    if die.fitted is None:
        return []
    values = [("die.face_angle", die.fitted.angle[0], "deg", die.fitted.angle[1])]
    if die.pips is not None:
        size = PIP_SHARE * die.pips.diameter
        values.append(("die.pip_diameter", die.pips.diameter, "mm", size))
        values.append(("die.pip_diameter_spread", die.pips.spread, "mm", size))
        values.append(("die.pip_offset", die.pips.offset, "mm", MIDDLE))
    return values


# ------------------------------------------------------------------------------------------------- six faces of one die


def spotted(looks: Sequence[DiceLook]) -> Spotting | None:
    """The check of six photos that show one die each; `None` for anything else."""
    if len(looks) != FACES or any(len(look.dice) != 1 for look in looks):
        return None
    numbers = [look.dice[0].number for look in looks]
    counts = Counter(numbers)
    faults = [f"{number} comes {times} times" for number, times in sorted(counts.items()) if times > 1]
    faults += [f"{number} is missing" for number in range(1, FACES + 1) if number not in counts]
    beside = {frozenset(pair) for look in looks for pair in look.sides}
    wrong = [number for number in (1, 2, 3) if frozenset({number, 7 - number}) in beside]
    faults += [f"{number} lies beside {7 - number}, not opposite" for number in wrong]
    return Spotting(len(counts) == FACES, _opposite(numbers, beside, bool(faults)), tuple(faults))


def _opposite(numbers: Sequence[int], beside: set[frozenset[int]], faulty: bool) -> bool | None:
    """Known from photos taken in pairs, the die turned upside down in between, or from the sides that were seen."""
    if faulty:
        return False
    if all(numbers[index] + numbers[index + 1] == 7 for index in (0, 2, 4)):
        return True
    known = [sum(frozenset({number, other}) in beside for other in range(1, 7)) == 4 for number in (1, 2, 3)]
    return True if all(known) else None


def _warnings(looks: Sequence[DicePhoto], stated: Stated, calibrated: bool, spotting: Spotting | None) -> list[str]:
    said = [sentence for look in looks for sentence in _photo_warnings(look)]
    measured = any(rolled.edges for look in looks for rolled in look.dice)
    if measured and stated.print_scale is None:
        said.append("the print's scale was not stated: measure the check bar with a caliper and give --print-scale, "
                    "measured ÷ nominal; until then the scale carries 0.3 %")  # fmt: skip
    if measured and not calibrated:
        said.append(UNCALIBRATED)
    if spotting is not None:
        said += [f"the die is mis-spotted: {fault}" for fault in spotting.faults]
        if spotting.opposite is None:
            said.append("whether opposite faces add to seven cannot be told: take the six photos in pairs and turn the "
                        "die upside down within a pair")  # fmt: skip
    return said


def _photo_warnings(look: DicePhoto) -> list[str]:
    file = look.photo.file
    said = []
    if look.placed is None:
        said.append(f"{file}: no reference sheet is in the photo, so only the numbers are read and no edge is measured")
    for x, y in look.look.unread:
        said.append(f"{file}: what may be a die at pixel ({x:.0f}, {y:.0f}) cannot be read for certain")
    for rolled in look.dice:
        if look.placed is not None and rolled.edges is None:
            reason = rolled.die.refused or "its sides are not seen clearly enough"
            said.append(f"{file}: die {rolled.instance} is not measured: {reason}")
    return said
