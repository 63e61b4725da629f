"""Reading dice: which faces are there, which of them are on top, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Mask, Pixels
from inspect_kit.vision.dice import tuning
from inspect_kit.vision.dice.body import (
    ACES,
    LEAST_UNIFORM,
    Layers,
    Paint,
    Square,
    layers_of,
    places_of,
    shows_through,
    square_around,
    tolerance,
)
from inspect_kit.vision.dice.patterns import (
    SURE,
    SUSPECTED,
    Face,
    Pattern,
    Spots,
    diagonal_frame,
    far_pips_near,
    find_patterns,
    find_sixes,
    left_over,
    root_of,
    same_make,
    shows_from_below,
    spots_of,
)
from inspect_kit.vision.dice.pips import find_pips, hull_of, within
from inspect_kit.vision.dice.spotted_ground import akin, cloth, crowd, goes_on, kin_counts, off_the_cloth
from inspect_kit.vision.dice.tops import Outlook, is_side, plane_of, unlike, uppermost
from inspect_kit.vision.dice.window import Window, working_picture

_LEAST: Final = 0.08
"""Confidence up to which a face is dropped at once."""

_HOPELESS: Final = 0.02
"""Confidence below which a lone pip is not looked at again."""
_SIDES_COUNT: Final = {2: 1.0, 3: 0.75, 4: 0.5, 5: 0.4, 6: 0.4}
"""How much the square's sides count, by number: few pips tell little by themselves."""
_MOST_LONE: Final = 60
"""Lone pips that are tried, at most."""
_SOME: Final = 10
"""Spots of a kind from which on it is the ground's rather than a die's."""
_LEFT_OVER: Final = 0.4
"""What a face counts that leaves like spots on its body unexplained."""
_CUT_OFF: Final = 0.45
"""What a face counts whose square the picture cuts."""
_CORNERS: Final = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
"""Corners of a face, half edges."""
_WITHIN: Final = 0.85
"""Share of the half edge that must be in the picture."""
_DRAWN, _GROUND = 0.5, 0.4
"""What a lone pip still counts in a frame that is only drawn, and how little other ground such a frame has beyond."""
_TINY: Final = 17.0
"""Half an edge in pixels below which a lone pip may as well be the hole of a figure 6 or 8."""
_ACE: Final = 0.86
"""A lone pip tells little by itself: its square must be the better."""
STEEPEST: Final = np.radians(49)
"""Tilt beyond which the faces that agree on a plane are sides."""
_FURTHEST: Final = 6.0
"""Half edges, foreshortening averaged, beyond which no face reaches."""
_NEARBY: Final = 3.0
"""Half edges from the middle of a face at which other faces of its die, and their pips, are."""
_FEW_AGREE: Final = 0.6
"""How much two pips must be alike: any two spots of a leather or a page would make a two, and there are many."""
_BEYOND_DOUBT: Final = 0.8
"""Confidence from which on loose spots around do not matter."""
_PROBES: Final = np.array([[a, b] for a in (-1.0, -0.5, 0.0, 0.5, 1.0) for b in (-1.0, -0.5, 0.0, 0.5, 1.0)])
"""Places on a face, half edges, at which its paint is told."""
_AROUND: Final = np.linspace(0, 2 * np.pi, 16, endpoint=False)
"""Directions around a pip."""
_CIRCLES: Final = np.tile(np.column_stack([np.cos(_AROUND), np.sin(_AROUND)]), (3, 1))
"""Three times around a pip."""
_DISC: Final = np.concatenate([share * _CIRCLES[:16] for share in (0.25, 0.5, 0.7)])
"""Places within a pip."""
_DOUBTFUL: Final = 0.33
"""Confidence from which on others of the same make may vouch for a face."""
_FLAT: Final = 0.2
"""How unlike a circle on the plane a face may be that others of its make vouch for."""
_TELLING: Final = 3
"""Pips of a face from which on it tells that they are a die's."""
_MAINLY: Final = 0.5
"""Share of a clear die's face through which nothing shows."""
_PLAIN: Final = 0.7
"""Share of a lone pip that has its colour; a gleam may have another."""
_FAINTEST: Final = 35.0
"""Codes between a lone pip and its body."""
_MOST_PIPS: Final = 6
"""Of a face."""
_AROUND_SIX: Final = 1.3
"""How far out, over the six's own pips, a spot is not among them."""
_NEXT_DOT: Final = 2.5
"""Half edges, in halves of the pips' distance, within which a cloth has its next dot and a die beside has none."""
_SPEAKING: Final = (4, 0.62)
"""Pips that need no body of one colour, and what they count then: marbled dice have bodies of many."""
_ONE_PAINT: Final = 0.12
"""Spread of the pips' colours over their contrast, up to which they are painted alike."""
_ASKEW: Final = 0.25
"""What lying on the plane counts between faces that are else as good, in parts of a sure face of no pips."""
_BLUNT: Final = 9.0
"""Pixels of a pip's longer half axis below which a pixel more or less makes another ellipse of it."""
_RINGS: Final = np.repeat([1.5, 1.8, 2.2], 16)[:, None] * _CIRCLES
"""Places around a pip, in its radii."""


@dataclass(frozen=True)
class FaceReading:
    """The dice of a photo: upper faces in the working picture, where a die cannot be read, and their plane."""

    faces: tuple[Face, ...]
    unread: tuple[Floats, ...]
    outlook: Outlook
    window: Window
    sides: tuple[tuple[int, int], ...] = ()
    """Numbers on top and on a side of the same die, where a side can be read."""


@dataclass(frozen=True)
class DiceSheet:
    """The plane that dice lie on, where it is known, and corners of the part where they are, in the photo's pixels."""

    outlook: Outlook
    corners: Floats


def read_dice(pixels: Pixels, window: Window, where: Outlook | DiceSheet) -> FaceReading:
    """Every die in a part of a photo, from a first idea of the plane of the upper faces, or from the sheet's."""
    picture = working_picture(pixels, window)
    known = isinstance(where, DiceSheet)
    start = where.outlook if isinstance(where, DiceSheet) else where
    colours = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2LAB))
    corners = window.from_photo(where.corners) if isinstance(where, DiceSheet) else None
    pips = find_pips(picture, colours, corners)
    spots, layers = off_the_cloth(spots_of(pips), picture.shape), layers_of(colours)
    start = Outlook(start.normal, start.focal * window.factor, window.from_photo(start.middle))
    many = list(_many(spots, layers))
    if not known and _tiny(many, spots):
        many += _on_plane(spots, layers, start)
    taken = _taken(spots, many)
    lone = [index for index in _lonely(spots, layers, corners) if not taken[index]]
    aces = [] if known else list(_lone((spots, taken), layers, lone, None))
    # What is no ace whatever the plane need not be looked at twice.
    lone = lone if known else [index for index, ace in zip(lone, aces, strict=True) if ace.score > _HOPELESS]
    faces = _best([*many, *aces])
    # A woven ground makes many faces of its own, which agree on any plane but the dice's.
    plane = start if known else plane_of(_standing_out(faces, spots) or faces, start)
    again = [*many, *aces, *_again(faces, spots, layers, plane), *_lone((spots, taken), layers, lone, plane)]
    if not known and _tiny(faces, spots):
        again += _on_plane(spots, layers, plane)
    faces = _best(again, plane)
    faces = _vouched_by_same_make(faces, spots, plane)
    # The white cells of a sheet's own markers are many, and look like pips.
    tops, unread = uppermost(faces if known else _standing_out(faces, spots), plane)
    if plane.tilt > STEEPEST and not known:
        # Nothing but sides can look like that in photos from above.
        tops, unread = [], [*(top.centre for top in tops), *unread]
    sides = [(top.number, face.number) for top in tops for face in faces
             if face.score >= SURE and face is not top and is_side(face, top, plane)]  # fmt: skip
    return FaceReading(tuple(tops), tuple(unread), plane, window, tuple(sides))


# ------------------------------------------------------------------------------------------------------------ all faces


def _many(spots: Spots, layers: Layers) -> Iterable[Face]:
    """Faces of two pips and more."""
    seen: set[tuple[int, ...]] = set()
    for pattern in chain(find_sixes(spots), find_patterns(spots, layers.levels[0])):
        key = tuple(sorted(pattern.pips))
        if key in seen:
            continue
        seen.add(key)
        plain = _speaking(spots, list(pattern.pips)) or _one_colour(pattern, spots, layers)
        if plain and not cloth(spots, pattern, layers.levels[0]):
            face = _face(pattern, spots, layers)
            if face is not None:
                yield face


def _one_colour(pattern: Pattern, spots: Spots, layers: Layers) -> bool:
    """A quick look at a few points between the pips."""
    taken = places_of(spots.centres[list(pattern.pips)], pattern.centre, pattern.frame)
    clear = np.linalg.norm(_PROBES[:, None] - taken[None], axis=2).min(axis=1) > 1.4 * pattern.radius
    colours = layers.colours(_PROBES[clear] @ pattern.frame.T + pattern.centre)
    if colours is None:
        return False
    chosen = list(pattern.pips)
    return _even(colours, 1.5 * tolerance(float(spots.contrast[chosen].mean())), spots.inner[chosen].mean(axis=0), 0.75)


def _even(colours: AnyArray, limit: float, pip: Floats, least: float) -> bool:
    """Whether colours are one, but for what shows through a clear die."""
    body = np.median(colours, axis=0)
    own = np.linalg.norm(colours - body, axis=1) < limit
    if own.mean() > least:
        return True
    return bool(own.mean() > _MAINLY and (own | shows_through(colours, body, pip)).mean() > least)


def _face(pattern: Pattern, spots: Spots, layers: Layers) -> Face | None:
    """The face around these pips; `None` where they differ so much that whatever is around them says nothing."""
    chosen = list(pattern.pips)
    contrast = float(spots.contrast[chosen].mean())
    best = _evenness(spots, chosen) * float(np.exp(-((pattern.misfit / 0.1) ** 2)))
    if best < (_FEW_AGREE if pattern.number < _TELLING else SUSPECTED):
        return None
    taken = places_of(spots.centres[chosen], pattern.centre, pattern.frame)
    paint = _paint(spots, chosen, pattern.centre, pattern.frame)
    square = square_around(layers.patch(pattern.centre, pattern.frame), taken, pattern.radius, paint)
    looks = max(_looks(square, _SIDES_COUNT[pattern.number]), _speaking(spots, chosen))
    score = looks * best
    if score > _LEAST:
        score *= _LEFT_OVER if _rivals(spots, chosen, square, (pattern.centre, pattern.frame)) else 1.0
        score *= _ended(square) if goes_on(spots, pattern, layers.levels[0]) else 1.0
        score *= _CUT_OFF if pattern.number < 4 and _cut_off(layers, pattern.centre, pattern.frame, square) else 1.0
    shape = pattern.frame @ pattern.frame.T if pattern.number > 3 else spots.shapes[chosen].mean(axis=0)
    return Face(pattern.number, pattern.centre, pattern.frame, square, pattern.pips, pattern.radius, contrast, score,
                spots.of(chosen), shape)  # fmt: skip


def _speaking(spots: Spots, chosen: list[int]) -> float:
    """What four pips and more say by themselves: of one paint, in their places, on a body of whatever colours."""
    if len(chosen) < _SPEAKING[0]:
        return 0.0
    spread = float(np.linalg.norm(spots.inner[chosen].std(axis=0))) / float(spots.contrast[chosen].mean())
    return _SPEAKING[1] if spread < _ONE_PAINT else 0.0


def _evenness(spots: Spots, chosen: list[int]) -> float:
    """0 to 1: pips of one size, none of them much fainter than the others."""
    even = float(np.exp(-((np.std(np.log(spots.sizes[chosen])) / 0.25) ** 2)))
    return even * float(np.clip(1.6 * spots.contrast[chosen].min() / spots.contrast[chosen].mean(), 0, 1))


def _paint(spots: Spots, chosen: list[int], centre: Floats, frame: Floats) -> Paint:
    contrast = float(spots.contrast[chosen].mean())
    return Paint(spots.inner[chosen].mean(axis=0), contrast, far_pips_near(spots, chosen, centre, frame))


def _looks(square: Square, weight: float) -> float:
    """0 to 1: one colour inside and at least three clear sides, which count less where many pips speak."""
    ordered = np.clip(np.sort(square.sides) / 0.85, 0, 1)
    ends = float(ordered[1:].mean() ** 1.5 * (0.6 + 0.4 * ordered[0]))
    return float((np.clip((square.uniform - LEAST_UNIFORM) / 0.22, 0, 1) * ends) ** weight)


def _rivals(spots: Spots, chosen: list[int], square: Square, place: tuple[Floats, Floats]) -> bool:
    places = places_of(spots.centres, *place)
    reach = square.half_edge * float(np.linalg.norm(place[1], 2))
    if len(chosen) == _MOST_PIPS:
        # Among six pips there is room for a maker's number; around them the dots of a cloth go on.
        outside = np.any(np.abs(places) > _AROUND_SIX * np.abs(places[chosen]).max(axis=0), axis=1)
        places, half_edge = np.where(outside[:, None], places, np.inf), max(square.half_edge, _NEXT_DOT)
    else:
        half_edge = square.half_edge
    return left_over(spots, chosen, places, half_edge) or shows_from_below(spots, chosen, place[0], reach)


def _cut_off(layers: Layers, centre: Floats, frame: Floats, square: Square) -> bool:
    """Whether the picture's border hides a corner: what is seen of a four or a six may look like a two."""
    return layers.colours(_CORNERS * _WITHIN * square.half_edge @ frame.T + centre) is None


def _ended(square: Square) -> float:
    """Among many pips alike a face must end on all four sides, as dice that touch do and the dots of a cloth do not."""
    return float(np.clip((square.sides.min() - 0.45) / 0.3, 0.2, 1.0))


def _lonely(spots: Spots, layers: Layers, corners: Floats | None) -> list[int]:
    """Pips that stand alone on one colour, between the corners; strong ones first, the dots of a cloth last."""
    free = spots.usable.copy()
    if corners is not None:
        free &= within(hull_of(corners), spots.centres)
    order = (int(index) for index in np.argsort(-spots.contrast * spots.sizes / (_SOME + kin_counts(spots))))
    return list(islice((index for index in order if free[index] and _alone(spots, index, layers)), _MOST_LONE))


def _taken(spots: Spots, faces: list[Face]) -> Mask:
    """Pips of faces that are sure."""
    taken = np.zeros(len(spots.pips), dtype=bool)
    for face in faces:
        if face.score >= SURE and face.number >= _TELLING:
            taken[list(face.pips)] = True
    return taken


def _lone(known: tuple[Spots, Mask], layers: Layers, lone: list[int], plane: Outlook | None) -> Iterable[Face]:
    """Faces of one pip: a square around it, its middle where the pip is. Of the spots some are known to be pips."""
    spots, _ = known
    for index in lone:
        shape = spots.shapes[index]
        if plane is not None:
            shape = plane.shape(spots.centres[index]) * np.sqrt(np.linalg.det(shape))
        root = root_of(shape)
        yield max((_ace(known, index, layers, unit * root) for unit in ACES), key=lambda face: face.score)


def _ace(known: tuple[Spots, Mask], index: int, layers: Layers, frame: Floats) -> Face:
    spots, taken = known
    contrast, centre = float(spots.contrast[index]), spots.centres[index]
    radius = float(np.sqrt(np.linalg.det(spots.shapes[index])) / abs(np.linalg.det(frame))) ** 0.5
    paint = _paint(spots, [index], centre, frame)
    square = square_around(layers.patch(centre, frame), np.zeros((1, 2)), radius, paint)
    score = _ACE * _looks(square, 1.0)
    frame = frame @ turned(square.turn)
    if score > _LEAST:
        score *= 1.0 if crowd(spots, index, taken) < 5 else _ended(square)
        score *= _LEFT_OVER if _rivals(spots, [index], square, (centre, frame)) else 1.0
        score *= _CUT_OFF if _cut_off(layers, centre, 1.3 * frame, square) else 1.0
        score *= _DRAWN if square.ground < _GROUND else 1.0
        score *= _DRAWN if square.half_edge * np.sqrt(abs(np.linalg.det(frame))) < _TINY else 1.0
    return Face(1, centre, frame, square, (index,), radius, contrast, score,
                spots.of([index]), spots.shapes[index])  # fmt: skip


def turned(angle: float) -> Floats:
    """The turn by an angle."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _alone(spots: Spots, index: int, layers: Layers) -> bool:
    """Whether the pip has one colour and stands on one, two radii around and beyond its blur."""
    contrast, root, centre = float(spots.contrast[index]), root_of(spots.shapes[index]), spots.centres[index]
    if contrast < _FAINTEST:
        return False
    colours = layers.colours((_RINGS + 1.5 / float(spots.sizes[index]) * _CIRCLES) @ root.T + centre)
    within = layers.colours(_DISC @ root.T + centre)
    if colours is None or within is None:
        return False
    if (np.linalg.norm(within - spots.inner[index], axis=1) < 0.5 * contrast).mean() < _PLAIN:
        return False
    return _even(colours, 1.5 * tolerance(contrast), spots.inner[index], 0.85)


def _again(faces: list[Face], spots: Spots, layers: Layers, plane: Outlook) -> Iterable[Face]:
    """Twos and threes once more: their frame follows from the plane better than from how flat their pips look."""
    for face in faces:
        if face.number in (2, 3):
            ends = spots.centres[list(face.pips[:2])]
            shape = plane.shape(face.centre) * np.sqrt(np.linalg.det(spots.shapes[list(face.pips)].mean(axis=0)))
            frame, centre = diagonal_frame(ends[0], ends[1], shape)
            radius = float(np.sqrt(np.linalg.det(shape)) / abs(np.linalg.det(frame))) ** 0.5
            if not 0.15 < radius < 0.7:
                continue
            again = _face(Pattern(face.number, face.pips, centre, frame, radius, 0.0), spots, layers)
            if again is not None:
                yield again


def _tiny(faces: list[Face], spots: Spots) -> bool:
    """Whether pips are so few pixels that their outlines do not tell how they are foreshortened."""
    chosen = [index for face in faces if face.score >= SUSPECTED for index in face.pips]
    return not chosen or float(np.median(spots.sizes[chosen])) < _BLUNT


def _on_plane(spots: Spots, layers: Layers, plane: Outlook) -> Iterable[Face]:
    """Faces whose pips are circles on the plane; how few pips really look still tells a side from a top."""
    for face in _many(_flattened(spots, plane), layers):
        few = face.number <= _TELLING
        yield replace(face, shape=spots.shapes[list(face.pips)].mean(axis=0)) if few else face


def _flattened(spots: Spots, plane: Outlook) -> Spots:
    """The same spots, each seen as a circle on the plane would be."""
    sizes = np.sqrt(np.linalg.det(spots.shapes))
    return replace(
        spots, shapes=np.array([plane.shape(at) for at in spots.centres]).reshape(-1, 2, 2) * sizes[:, None, None]
    )


def _vouched_by_same_make(faces: list[Face], spots: Spots, plane: Outlook) -> list[Face]:
    """Faces that are doubtful by themselves, but for paint and pips are like one that is sure, count for more."""
    flat = [face for face in faces if unlike(plane.shape(face.centre), face.shape) < _FLAT]
    sure = [face for face in flat if face.score >= SURE and face.number > 1]

    def vouched(face: Face) -> bool:
        whole = not _rivals(spots, list(face.pips), face.square, (face.centre, face.frame))
        return face in flat and whole and any(same_make(face, other) for other in sure)

    return [
        replace(face, score=float(np.sqrt(face.score))) if _DOUBTFUL < face.score < SURE and vouched(face) else face
        for face in faces
    ]


def _standing_out(faces: list[Face], spots: Spots) -> list[Face]:
    """Faces whose pips are not just some of many spots alike, such as a leather's or a page's.

    Among such spots a face must be beyond doubt.
    """
    sure = [face for face in faces if face.score >= SURE]
    beside = np.ones(len(spots.pips), dtype=bool)
    for face in sure:
        beside &= np.linalg.norm(spots.centres - face.centre, axis=1) > _NEARBY * face.size

    def loose(face: Face) -> int:
        return int((akin(spots, list(face.pips)) & beside).sum())

    return [
        face for face in faces if face.score * _ended(face.square) > _BEYOND_DOUBT or loose(face) <= tuning.STRAY_SPOTS
    ]


def _best(faces: list[Face], plane: Outlook | None = None) -> list[Face]:
    """Of faces that share pips or place the best ones: more pips explain more, a gleam in a pip is smaller than it.

    One pip has several outlines in a picture; of those the one counts that is a circle on the plane.
    """

    def rank(face: Face) -> float:
        away = 0.0 if plane is None else min(unlike(plane.shape(face.centre), face.shape), 1.0)
        return -face.score * (1 + 0.15 * face.number) - 0.12 * float(np.log2(face.size)) + _ASKEW * away

    kept: list[Face] = []
    for face in sorted(faces, key=rank):
        if face.score > _LEAST and not any(_clash(face, other) for other in kept):
            kept.append(face)
    return kept


def _clash(one: Face, other: Face) -> bool:
    if not set(one.pips).isdisjoint(other.pips):
        return True
    across, down = (one.centre - other.centre).tolist()
    if max(abs(across), abs(down)) > _FURTHEST * max(one.size, other.size):
        return False
    return one.inside(other.centre) < 0.85 or other.inside(one.centre) < 0.85
