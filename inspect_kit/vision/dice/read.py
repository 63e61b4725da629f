"""Reading dice: which faces are there, which of them are on top, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from inspect_kit.vision.dice.marks import bodies_without_number
from inspect_kit.vision.dice.network import chances, halved
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
    shows_from_below,
    spots_of,
    turned,
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
_FLAT: Final = 0.2
"""How unlike a circle on the plane a face may be of which the network alone speaks."""
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
_ALIKE: Final = (0.5, 0.2)
"""How much the pips of a candidate must agree, two and more: any two spots of a page would make a two."""
_LONE_UNITS: Final = (1.1, 1.9, 3.3)
"""Radii of a lone pip in what would be half the distance of corner pips on the same die, from large to small pips."""
_USUAL: Final = 2.0
"""Half the edge over half the distance of corner pips on usual dice, as the network was taught with."""
_WEIGHT: Final = 0.4
"""What the network's odds count beside those that follow from body and pips."""
_MOST_SURE: Final = 0.98
"""Chance beyond which the network is not believed, as it was taught on drawings."""
_CLEARLY: Final = 0.9
"""The network's chance from which on a face may be read of which nothing else speaks: marbled bodies have no colour."""
_ALONE_COUNTS: Final = 0.79
"""What such a face counts, if pips and size are those of dice beside it; and a lone pip that the network raises."""
_SAME_SIZE: Final = 0.2
"""Logarithm of sizes, and of pips' sizes, within which such a face is like the dice beside it."""
_SAME_PAINT: Final = 0.3
"""Share of the contrast by which its pips' colour may differ from theirs."""
_ITS_SIDE: Final = 2.4
"""Half edges from the middle of an upper face within which a doubtful face is a side of the same die."""
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
    marked: tuple[Floats, ...] = ()
    """Those of the unread dice that show a mark in place of a number."""


@dataclass(frozen=True)
class DiceSheet:
    """The plane that dice lie on, where it is known, and corners of the part where they are, in the photo's pixels."""

    outlook: Outlook
    corners: Floats


@dataclass(frozen=True)
class _Sight:
    """A picture as faces are looked for in it: its spots, its colours, and itself at falling sizes."""

    spots: Spots
    layers: Layers
    levels: Sequence[Pixels]


def read_dice(pixels: Pixels, window: Window, where: Outlook | DiceSheet) -> FaceReading:
    """Every die in a part of a photo, from a first idea of the plane of the upper faces, or from the sheet's."""
    picture = working_picture(pixels, window)
    known = isinstance(where, DiceSheet)
    start = where.outlook if isinstance(where, DiceSheet) else where
    colours = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2LAB))
    corners = window.from_photo(where.corners) if isinstance(where, DiceSheet) else None
    pips = find_pips(picture, colours, corners)
    spots, layers = off_the_cloth(spots_of(pips), picture.shape), layers_of(colours)
    sight = _Sight(spots, layers, halved(picture))
    start = Outlook(start.normal, start.focal * window.factor, window.from_photo(start.middle))
    many = list(_many(sight))
    if not known and _tiny(many, spots):
        many += _on_plane(sight, start)
    taken = _taken(spots, many)
    lone = [index for index in _lonely(spots, layers, corners) if not taken[index]]
    aces = [] if known else list(_lone((spots, taken), layers, lone, None))
    # What is no ace whatever the plane need not be looked at twice.
    lone = lone if known else [index for index, ace in zip(lone, aces, strict=True) if ace.score > _HOPELESS]
    aces = _judged(sight, aces)
    faces = _best([*many, *aces])
    # A woven ground makes many faces of its own, which agree on any plane but the dice's.
    plane = start if known else plane_of(_standing_out(faces, spots) or faces, start)
    again = [*many, *aces, *_judged(sight, _again(faces, spots, layers, plane))]
    again += _judged(sight, _lone((spots, taken), layers, lone, plane))
    if not known and _tiny(faces, spots):
        again += _on_plane(sight, plane)
    again += _aces_by_network(sight, taken, faces, plane)
    faces = _best(_like_the_others(again, plane), plane)
    # The white cells of a sheet's own markers are many, and look like pips.
    tops, unread = uppermost(faces if known else _standing_out(faces, spots), plane)
    if plane.tilt > STEEPEST and not known:
        # Nothing but sides can look like that in photos from above.
        tops, unread = [], [*(top.centre for top in tops), *unread]
    sides = [(top.number, face.number) for top in tops for face in faces
             if face.score >= SURE and face is not top and is_side(face, top, plane)]  # fmt: skip
    further = _further(sight, colours, tops, (plane, corners))
    unread = [place for place in unread if all(_away(place, other) > _ITS_SIDE * tops[0].size for other, _ in further)]
    marked = tuple(place for place, is_mark in further if is_mark)
    unread += [place for place, _ in further]
    return FaceReading(tuple(tops), tuple(unread), plane, window, tuple(sides), marked)


def _further(
    sight: _Sight, colours: AnyArray, tops: list[Face], where: tuple[Outlook, Floats | None]
) -> list[tuple[Floats, bool]]:
    """Dice that look like those read but have no number on top, and whether a mark is there."""
    plane, corners = where
    found = bodies_without_number(colours, sight.levels, tops, plane)
    hull = None if corners is None else hull_of(corners)
    return [each for each in found if hull is None or within(hull, each[0][None])[0]]


def _away(one: Floats, other: Floats) -> float:
    return float(np.linalg.norm(one - other))


# ------------------------------------------------------------------------------------------------------------ all faces


def candidates(spots: Spots, layers: Layers) -> list[Pattern]:
    """Pips that stand as on a face and are alike: each such choice of them once."""
    found = chain(find_sixes(spots), find_patterns(spots, layers.levels[0]))
    distinct = {tuple(sorted(pattern.pips)): pattern for pattern in found}
    return [pattern for pattern in distinct.values() if _agree(spots, pattern) >= _ALIKE[pattern.number > 2]]


def _agree(spots: Spots, pattern: Pattern) -> float:
    """0 to 1: pips of one size and about as strong, where a number has them."""
    return _evenness(spots, list(pattern.pips)) * float(np.exp(-((pattern.misfit / 0.1) ** 2)))


def lone_frames(shape: Floats) -> list[Floats]:
    """Frames of the faces that may be around a lone pip: how large a die it is on is open."""
    return [unit * root_of(shape) for unit in _LONE_UNITS]


def _many(sight: _Sight) -> Iterable[Face]:
    """Faces of two pips and more."""
    spots, layers = sight.spots, sight.layers
    patterns = [each for each in candidates(spots, layers) if not cloth(spots, each, layers.levels[0])]
    seen = chances(sight.levels, [(pattern.centre, pattern.frame) for pattern in patterns])
    for pattern, chance in zip(patterns, seen, strict=True):
        plain = _speaking(spots, list(pattern.pips)) or _one_colour(pattern, spots, layers)
        face = _face(pattern, spots, layers) if plain else None
        if face is not None and face.score > _LEAST:
            yield _with_chance(face, float(chance[pattern.number]))
        elif chance[pattern.number] > _CLEARLY:
            yield _bare(pattern, spots, float(chance[pattern.number]))


def _together(score: float, chance: float) -> float:
    """What body and pips say and what the network says, as odds."""
    low, high = 1 - _MOST_SURE, _MOST_SURE
    odds = (score / (1 - score + 1e-9)) * (np.clip(chance, low, high) / (1 - np.clip(chance, low, high))) ** _WEIGHT
    return float(odds / (1 + odds))


def _bare(pattern: Pattern, spots: Spots, chance: float) -> Face:
    """A face of which only the network speaks: of a usual size, and not read unless others vouch for it."""
    chosen = list(pattern.pips)
    contrast, colour = float(spots.contrast[chosen].mean()), spots.around[chosen].mean(axis=0)
    square = Square(_USUAL, 0.0, 0.0, np.zeros(4), colour)
    shape = pattern.frame @ pattern.frame.T if pattern.number > 3 else spots.shapes[chosen].mean(axis=0)
    return Face(pattern.number, pattern.centre, pattern.frame, square, pattern.pips, pattern.radius, contrast, 0.0,
                spots.of(chosen), shape, chance)  # fmt: skip


def _judged(sight: _Sight, faces: Iterable[Face]) -> list[Face]:
    """Faces with what the network says of them; it is shown lone pips at the size of the square around them."""
    some = [face for face in faces if face.score > _LEAST]
    places = [
        (face.centre, face.frame * (face.square.half_edge / _USUAL if face.number == 1 else 1.0)) for face in some
    ]
    seen = chances(sight.levels, places)
    return [_with_chance(face, float(chance[face.number])) for face, chance in zip(some, seen, strict=True)]


def _with_chance(face: Face, chance: float) -> Face:
    """What the network says of a face added; it knows too little of other round things to make a lone pip sure.

    A frame that is only drawn around one looks like a face to the network too.
    """
    score = _together(face.score, chance)
    if face.number == 1:
        score = min(score, max(face.score, 0.0 if face.square.ground < _GROUND else _ALONE_COUNTS))
    return replace(face, score=score, seen=chance)


def _aces_by_network(sight: _Sight, taken: Mask, faces: list[Face], plane: Outlook) -> list[Face]:
    """Lone pips around which the network sees a face, of the size that the other dice have."""
    spots = sight.spots
    sizes = [face.size for face in faces if face.score >= SURE and face.number > 1]
    if not sizes:
        return []
    free = np.nonzero(spots.usable & ~taken)[0]
    chosen = free[np.argsort(-(spots.contrast * spots.sizes)[free])][:_MOST_LONE].tolist()
    frames = [root_of(plane.shape(spots.centres[index])) * float(np.median(sizes)) / _USUAL for index in chosen]
    seen = chances(sight.levels, [(spots.centres[index], frame) for index, frame in zip(chosen, frames, strict=True)])
    pairs = [
        (_ace_pattern(spots, index, frame), chance[1])
        for index, frame, chance in zip(chosen, frames, seen, strict=True)
    ]
    return [_bare(pattern, spots, float(chance)) for pattern, chance in pairs if chance > _CLEARLY]


def _ace_pattern(spots: Spots, index: int, frame: Floats) -> Pattern:
    return Pattern(1, (index,), spots.centres[index], frame, _share(spots.shapes[index], frame), 0.0)


def _share(shape: Floats, frame: Floats) -> float:
    """A pip's radius in a frame's units."""
    return float(np.sqrt(np.sqrt(np.linalg.det(shape)) / abs(np.linalg.det(frame))))


def _like_the_others(faces: list[Face], plane: Outlook) -> list[Face]:
    """Faces of which only the network speaks count where they lie flat and have pips and size of dice beside them."""
    firm = [face for face in faces if face.score >= SURE]
    sure = [face for face in firm if face.number > 1 and face.seen > SURE]

    def like(face: Face, other: Face) -> bool:
        paint = np.mean([pip.inner for pip in face.spots], axis=0) - np.mean([pip.inner for pip in other.spots], axis=0)
        pips = np.log(np.mean([pip.longest for pip in face.spots]) / np.mean([pip.longest for pip in other.spots]))
        alike = abs(np.log(face.size / other.size)) < _SAME_SIZE and abs(pips) < _SAME_SIZE * (
            2 if face.number == 1 else 1
        )
        return bool(alike and np.linalg.norm(paint) < _SAME_PAINT * other.contrast)

    def counts(face: Face) -> bool:
        flat = unlike(plane.shape(face.centre), face.shape) < _FLAT + (_FLAT if face.number < _TELLING else 0.0)
        doubtful = face.score < SURE and face.seen > _CLEARLY and flat
        return doubtful and any(like(face, other) for other in sure) and not any(_clash(face, other) for other in firm)

    return [replace(face, score=_ALONE_COUNTS * face.seen) if counts(face) else face for face in faces]


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
    radius = _share(spots.shapes[index], frame)
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
            radius = _share(shape, frame)
            if not 0.15 < radius < 0.7:
                continue
            again = _face(Pattern(face.number, face.pips, centre, frame, radius, 0.0), spots, layers)
            if again is not None:
                yield again


def _tiny(faces: list[Face], spots: Spots) -> bool:
    """Whether pips are so few pixels that their outlines do not tell how they are foreshortened."""
    chosen = [index for face in faces if face.score >= SUSPECTED for index in face.pips]
    return not chosen or float(np.median(spots.sizes[chosen])) < _BLUNT


def _on_plane(sight: _Sight, plane: Outlook) -> Iterable[Face]:
    """Faces whose pips are circles on the plane; how few pips really look still tells a side from a top."""
    for face in _many(replace(sight, spots=_flattened(sight.spots, plane))):
        few = face.number <= _TELLING
        yield replace(face, shape=sight.spots.shapes[list(face.pips)].mean(axis=0)) if few else face


def _flattened(spots: Spots, plane: Outlook) -> Spots:
    """The same spots, each seen as a circle on the plane would be."""
    sizes = np.sqrt(np.linalg.det(spots.shapes))
    return replace(
        spots, shapes=np.array([plane.shape(at) for at in spots.centres]).reshape(-1, 2, 2) * sizes[:, None, None]
    )


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
        return -face.score * (1 + 0.08 * face.number) - 0.12 * float(np.log2(face.size)) + _ASKEW * away

    kept: list[Face] = []
    faces = [face for face in faces if not _made_of_dice(face, faces)]
    for face in sorted(faces, key=rank):
        if face.score > _LEAST and not any(_clash(face, other) for other in kept):
            kept.append(face)
    return kept


def _made_of_dice(face: Face, faces: list[Face]) -> bool:
    """Whether what looks like pips are dice themselves: whole faces lie on the face, more than one."""
    inner = [other for other in faces if other.score >= SURE and other.number > 1 and other.size < face.size / 2]
    on = [other for other in inner if face.inside(other.centre) < 1]
    return any(one.inside(other.centre) > 1 for one in on[:1] for other in on)


def _clash(one: Face, other: Face) -> bool:
    if not set(one.pips).isdisjoint(other.pips):
        return True
    across, down = (one.centre - other.centre).tolist()
    if max(abs(across), abs(down)) > _FURTHEST * max(one.size, other.size):
        return False
    return one.inside(other.centre) < 0.85 or other.inside(one.centre) < 0.85
