"""Dice from photos: numbers, edges with their uncertainty budgets, and the six photos of one die checked together."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from inspect_kit.capture.photographs import Photograph
from inspect_kit.errors import BadInput, Notice, in_figures_of, notice
from inspect_kit.measure.document import photo_file, reading_of, seen
from inspect_kit.measure.document import place as pixel_of
from inspect_kit.measure.photographed import UNCALIBRATED, of_the_reference
from inspect_kit.measure.photos import PhotoSession, Verdicts
from inspect_kit.measure.stated import GIVEN, Stated
from inspect_kit.values.measurement import Reading
from inspect_kit.values.value import LENS, PRINT_SCALE, Contribution, Value, contributions, ordered, value_of
from inspect_kit.vision.dice.fit import MIDDLE, Fitted
from inspect_kit.vision.dice.measure import DiceLook, Die, StatedDie, look_at_dice, measure_on_sheet
from inspect_kit.vision.dice.solid import FIRST, HEIGHT, ROUNDING, SECOND
from inspect_kit.vision.disc.measure import FLATNESS, MODEL_ERROR, MODEL_SHADE, STEEPEST, camera_for
from inspect_kit.vision.optics.camera import COUNT, Camera
from inspect_kit.vision.optics.overlay import Mark, Tone, draw_overlay
from inspect_kit.vision.reference.find import Placed, glimpse, place

FACES: Final = 6
"""Faces of a die, and so photos that show all of it."""
AXES: Final = ("a", "b")
PIP_SHARE: Final = 0.05
"""Standard uncertainty of what pips of one die differ by, as a share of their diameter: they are blurred alike."""
VAGUE_ANGLE: Final = 1.0
"""Degrees of standard uncertainty from which a face's angle is not given: a side is hardly seen, or ends in a shadow.
One that was 4.7 degrees off (path-traced, a black die) has 1.2, those seen well 0.3 to 0.9."""
PIP_HOLLOW: Final = 0.05
"""The same of the diameter itself: the wall of a hollow has light and shade of its own. Rims of 16 path-traced dice
came out right to 0.018 of it (mean square), of six fresh ones the worst to 0.045; flat drawn ones 0.036 to 0.063."""
RIM_SHARE: Final = 0.05
"""Standard uncertainty of an edge over the radius of its rim: turned from the light, a rim fades into the shadow."""
WORST: Final = 0.25
"""Standard uncertainty (mm) of an edge beyond which it is not given."""


@dataclass(frozen=True)
class MeasuredDie:
    """One die: its instance, what was seen of it, and the two edges of its upper face, where they can be measured."""

    instance: str
    die: Die
    edges: tuple[Value, Value] | None


@dataclass(frozen=True)
class DicePhoto:
    """What one photo gave; `placed` is missing where no reference is in it."""

    photo: Photograph
    placed: Placed | None
    look: DiceLook
    dice: tuple[MeasuredDie, ...]


@dataclass(frozen=True)
class FaceCheck:
    """Six photos of one die: is each number there once, do opposite ones add to seven (`None`: not known)?"""

    numbers: bool
    opposite: bool | None
    faults: tuple[Notice, ...]


@dataclass(frozen=True)
class DiceSession:
    """All photos, and the check of one die's six faces, where there are six photos of one die each."""

    photos: tuple[DicePhoto, ...]
    spotting: FaceCheck | None
    notices: tuple[Notice, ...]


def photo_session(kind: str, photos: Sequence[Photograph], camera: Camera | None, stated: Stated) -> PhotoSession:
    """Read and measure dice."""
    del kind
    session = measure_dice(photos, camera, stated)
    pairs = [(number, rolled) for number, look in enumerate(session.photos) for rolled in look.dice]
    readings = [
        *(reading for number, rolled in pairs for reading in _measurements(photos, number, rolled)),
        *(_face(photos[number], rolled) for number, rolled in pairs),
        *_spotting(session.spotting),
    ]
    return PhotoSession(photo_file(photos, readings, session.notices), partial(_drawn, session))


def _measurements(photos: Sequence[Photograph], photo: int, rolled: MeasuredDie) -> Iterator[Reading]:
    if rolled.edges is None:
        return
    found = partial(reading_of, photos=photos, photo=photo, pixel=rolled.die.pixel)
    for axis, edge in zip(AXES, rolled.edges, strict=True):
        # The lens's error is shared by the edges of one die only.
        label = f"{LENS} {rolled.instance}"
        parts = (replace(part, shared=label) if part.shared == LENS else part for part in edge.budget)
        own = replace(edge, budget=tuple(parts))
        yield found("die.edge", own, instance=f"{rolled.instance}.{axis}", outline=rolled.die.outline)
    for characteristic, value in of_the_face(rolled.die):
        # Squareness of the face and its pips: nobody limits them, a maker watches them.
        yield found(characteristic, value, instance=rolled.instance)


def _face(photo: Photograph, rolled: MeasuredDie) -> Reading:
    found = seen("die.face", str(rolled.die.number), rolled.instance, rolled.die.confidence)
    return replace(found, pixel=pixel_of(rolled.die.pixel), photo=photo.file)


def _spotting(found: FaceCheck | None) -> Iterator[Reading]:
    """Six photos of one die: the two clauses on its numbers."""
    if found is None:
        return
    for characteristic, holds in (("die.numbers", found.numbers), ("die.opposite", found.opposite)):
        if holds is not None:
            yield seen(characteristic, "yes" if holds else "no", "1")


def _drawn(session: DiceSession, verdicts: Verdicts, sheet: str, language: str) -> bytes:
    """The first photo: dice with their numbers and edges; those that cannot be read or measured in amber."""
    del verdicts, sheet
    first = session.photos[0]
    marks = [mark for rolled in first.dice for mark in _marks(first, rolled, language)]
    marks += [Mark(np.array([place]), ("?",), Tone.DOUBT) for place in first.look.unread]
    return draw_overlay(first.photo.pixels, marks, first.placed.known.image if first.placed else None)


def _marks(look: DicePhoto, rolled: MeasuredDie, language: str) -> Iterator[Mark]:
    """The outline, and below it the text, so that the pips stay visible."""
    tone = Tone.DOUBT if look.placed is not None and rolled.edges is None else Tone.GOOD
    yield Mark(rolled.die.outline, (), tone)
    lines = [f"{rolled.instance}: {rolled.die.number}"]
    if rolled.edges is not None:
        lines.append(in_figures_of(language, " × ".join(f"{edge.value:.2f}" for edge in rolled.edges)))
    low, high = rolled.die.outline.min(axis=0), rolled.die.outline.max(axis=0)
    below = np.array([[(low[0] + high[0]) / 2, high[1] + 0.5 * (high[1] - low[1])]])
    yield Mark(below, tuple(lines), tone)


def measure_dice(photos: Sequence[Photograph], camera: Camera | None, stated: Stated) -> DiceSession:
    """Read and measure every photo; dice are counted on from photo to photo.

    The faces of one die are checked where that was stated, or nobody said otherwise of six photos with one die each.
    """
    looks: list[DicePhoto] = []
    count = 0
    for photo in photos:
        looks.append(_photo(photo, camera, stated, count))
        count += len(looks[-1].dice)
    if not count:
        raise BadInput("no-die-read", where=photos[0].file)
    spotting = None if stated.one_die is False else spotted([look.look for look in looks])
    notices = _notices(looks, stated, camera is not None, spotting)
    if stated.one_die and spotting is None:
        notices.append(notice("one-die-unchecked"))
    return DiceSession(tuple(looks), spotting, tuple(notices))


def _photo(photo: Photograph, camera: Camera | None, stated: Stated, before: int) -> DicePhoto:
    placed = _placed(photo, camera, stated)
    if placed is None:
        look = look_at_dice(photo.pixels, photo.focal)
    else:
        look = measure_on_sheet(photo.pixels, placed, _told(stated), photo.colour_spread)
    dice = [
        MeasuredDie(str(number), die, _edges(die, placed, stated.scale))
        for number, die in enumerate(look.dice, before + 1)
    ]
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
        raise BadInput("camera-looks-sheet-too-obliquely", where=photo.file)
    return placed


def _told(stated: Stated) -> StatedDie:
    """What was stated is true; on the sheet lengths are nominal until the end, so it shrinks with the print."""
    scale = (stated.print_scale or (1.0, 0.0))[0]
    both = []
    for given in (stated.rim, stated.thickness):
        standard = None if given is None else GIVEN if given[1] is None else max(given[1], 0.02)
        both.append(None if given is None or standard is None else (given[0] / scale, standard / scale))
    return StatedDie(*both)


def _edges(die: Die, placed: Placed | None, scale: tuple[float, float]) -> tuple[Value, Value] | None:
    if die.fitted is None or placed is None:
        return None
    first, second = (_edge(die.fitted, placed, index, scale) for index in (FIRST, SECOND))
    return (first, second) if max(first.standard, second.standard) < WORST else None


def _edge(fitted: Fitted, placed: Placed, index: int, scale: tuple[float, float]) -> Value:
    value = float(fitted.cube.vector[index]) * scale[0]
    total, pose = _by_view(fitted, placed, index, index)
    pose = min(max(pose, 0.0), max(total, 0.0))
    away = float(np.linalg.norm(placed.view.centre - fitted.cube.top))
    own = contributions({
        **_shape_parts(fitted, index, scale[0]),
        "light and shadow at the edge": float(np.hypot(2 * MODEL_ERROR / fitted.resolution, 2 * MODEL_SHADE)),
        PRINT_SCALE: value * scale[1],
        "camera pose": float(np.sqrt(pose)) * scale[0],
        "sheet flatness": value * FLATNESS / max(away, 1.0),
    })  # fmt: skip
    lens = float(np.sqrt(max(total - pose, 0.0)))
    common = min(_common_lens(fitted, placed, index), lens)
    lines = Contribution(LENS, common * scale[0], LENS), Contribution(LENS, math.sqrt(lens**2 - common**2) * scale[0])
    return Value(value, ordered([*own, *lines]))


def _by_view(fitted: Fitted, placed: Placed, one: int, other: int) -> tuple[float, float]:
    """What camera and pose make two lengths of a die vary together by: both, and the pose as if the lens were known."""
    first, second = fitted.by_view[one], fitted.by_view[other]
    both = float(first @ placed.view.covariance @ second)
    return both, float(first[COUNT:] @ placed.view.pose_covariance @ second[COUNT:])


def _common_lens(fitted: Fitted, placed: Placed, index: int) -> float:
    """How much of the lens's error in an edge goes with that in the die's first edge, and so cancels between them."""
    total, pose = _by_view(fitted, placed, FIRST, FIRST)
    both, both_pose = _by_view(fitted, placed, index, FIRST)
    return max(both - both_pose, 0.0) / math.sqrt(max(total - pose, 1e-12))


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


def of_the_face(die: Die) -> list[tuple[str, Value]]:
    """Squareness and pips of an upper face, by characteristic."""
    if die.fitted is None:
        return []
    angle, u_angle = die.fitted.angle
    values = [("die.face_angle", value_of(angle, {"edge": u_angle}, "deg"))] if u_angle < VAGUE_ANGLE else []
    if die.pips is not None:
        size = die.pips.diameter
        values.append(("die.pip_diameter", value_of(size, {"edge": PIP_HOLLOW * size})))
        values.append(("die.pip_diameter_spread", value_of(die.pips.spread, {"edge": PIP_SHARE * size})))
        values.append(("die.pip_offset", value_of(die.pips.offset, {"edge": MIDDLE})))
    return values


# ------------------------------------------------------------------------------------------------- six faces of one die


def spotted(looks: Sequence[DiceLook]) -> FaceCheck | None:
    """The check of six photos that show one die each; `None` for anything else."""
    if len(looks) != FACES or any(len(look.dice) != 1 for look in looks):
        return None
    numbers = [look.dice[0].number for look in looks]
    counts = Counter(numbers)
    faults = [
        notice("die-number-repeated", number=each, times=times) for each, times in sorted(counts.items()) if times > 1
    ]
    faults += [notice("die-number-missing", number=number) for number in range(1, FACES + 1) if number not in counts]
    beside = {frozenset(pair) for look in looks for pair in look.sides}
    wrong = [number for number in (1, 2, 3) if frozenset({number, 7 - number}) in beside]
    faults += [notice("die-not-opposite", number=number, other=7 - number) for number in wrong]
    return FaceCheck(len(counts) == FACES, _opposite(numbers, beside, bool(faults)), tuple(faults))


def _opposite(numbers: Sequence[int], beside: set[frozenset[int]], faulty: bool) -> bool | None:
    """Known from photos taken in pairs, the die turned upside down in between, or from the sides that were seen."""
    if faulty:
        return False
    if all(numbers[index] + numbers[index + 1] == 7 for index in (0, 2, 4)):
        return True
    known = [sum(frozenset({number, other}) in beside for other in range(1, 7)) == 4 for number in (1, 2, 3)]
    return True if all(known) else None


def _notices(looks: Sequence[DicePhoto], stated: Stated, calibrated: bool, spotting: FaceCheck | None) -> list[Notice]:
    said = [told for look in looks for told in _photo_notices(look)]
    measured = [edge for look in looks for rolled in look.dice for edge in rolled.edges or ()]
    if measured:
        said += of_the_reference(measured, stated, "the check bar")
    if measured and not calibrated:
        said.append(UNCALIBRATED)
    if spotting is not None:
        said += spotting.faults
        if spotting.opposite is None:
            said.append(notice("opposite-unknown"))
    return said


def _photo_notices(look: DicePhoto) -> list[Notice]:
    file = look.photo.file
    said = []
    if look.placed is None:
        said.append(notice("no-reference-sheet", file))
    for x, y in look.look.unread:
        marked = (x, y) in look.look.marked
        said.append(notice("die-marked" if marked else "die-unread", file, x=f"{x:.0f}", y=f"{y:.0f}"))
    for rolled in look.dice:
        if look.placed is not None and rolled.edges is None:
            reason = rolled.die.refused or "its sides are not seen clearly enough"
            said.append(notice("die-not-measured", file, die=rolled.instance, reason=reason))
    return said
