"""Reading dice: which faces are there, which of them are on top, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Mask, Pixels
from inspect_kit.vision.dice import tuning
from inspect_kit.vision.dice.body import (
    LEAST_UNIFORM,
    Layers,
    Paint,
    Square,
    layers_of,
    places_of,
    square_around,
    tolerance,
)
from inspect_kit.vision.dice.marks import bodies_without_number
from inspect_kit.vision.dice.network import Place, chances, halved
from inspect_kit.vision.dice.patterns import (
    SURE,
    SUSPECTED,
    Face,
    Pattern,
    Spots,
    far_pips_near,
    find_patterns,
    find_sixes,
    left_over,
    pip_radius,
    root_of,
    spots_of,
    turned,
)
from inspect_kit.vision.dice.pips import find_pips, hull_of, within
from inspect_kit.vision.dice.tops import Outlook, beside, lies_flat, on_wall, plane_of, unlike, uppermost
from inspect_kit.vision.dice.window import Window, working_picture

_FURTHEST: Final = 6.0
"""Half edges, foreshortening averaged, beyond which no face reaches."""
_TELLING: Final = 3
"""Pips of a face from which on it tells that they are a die's."""
_RINGS: Final = np.array([
    [radius * np.cos(angle), radius * np.sin(angle)]
    for radius in (1.6, 2.2) for angle in np.linspace(0, 2 * np.pi, 16, endpoint=False)
])  # fmt: skip
"""Places around a lone pip, in its radii."""
_INNER: Final = np.stack(np.meshgrid(*[np.linspace(-0.6, 0.6, 7)] * 2), axis=2).reshape(-1, 2)
"""Places on a face, half edges, well inside of its rounded rim."""
_ALONE: Final = 2.0
"""Half edges from which on the square beside a face is free of another: nearer, that other die explains its shade."""


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
    spots = spots_of(find_pips(picture, colours, corners))
    sight = _Sight(spots, layers_of(colours), halved(picture))
    start = Outlook(start.normal, start.focal * window.factor, window.from_photo(start.middle))
    many = _many(sight)
    if not known and _tiny(many, spots):
        many += _on_plane(sight, start)
    lone = _lonely(sight, many, corners)
    aces = [] if known else _lone(sight, [(index, spots.shapes[index]) for index in lone], many)
    faces = _best([*many, *aces])
    plane = start if known else plane_of(faces, start)
    again = [*many, *faces, *_lone(sight, _flat(spots, lone, plane), faces)]
    if not known and _tiny(faces, spots):
        again += _on_plane(sight, plane)
    faces = _best(_like_the_others(again, plane), plane)
    lower = _sides(sight, faces, plane)
    tops, unread = uppermost(_without(faces, lower), plane)
    doubted = [
        top for top in tops if _half(sight, top, tops, plane) or _close_under(top, tops, plane, 2 + tuning.IN_LINE)
    ]
    tops = [replace(top, score=min(top.score, tuning.NETWORK_ALONE)) if top in doubted else top for top in tops]
    above = [(face, place) for face in lower for place, _ in beside(face, -plane.down(face.centre))]
    sides = [(top.number, face.number) for face, place in above for top in tops if top.inside(place) < 1]
    further = _further(sight, colours, tops, (plane, corners))
    marked = tuple(place for place, is_mark in further if is_mark)
    pointed = _pointed_at([place for place, _ in further], unread, tops, lower)
    return FaceReading(tuple(tops), tuple(pointed), plane, window, tuple(sides), marked)


def _pointed_at(
    found: list[Floats], doubtful: list[Floats], tops: Sequence[Face], lower: Sequence[Face]
) -> list[Floats]:
    """Dice that cannot be read, each once: those found by their bodies, doubtful ones, those with a side to be read."""
    size = float(np.median([face.size for face in (*tops, *lower)])) if tops or lower else 0.0
    sides = [face.centre for face in lower if face.score >= SURE]
    sides = [place for place in sides if all(_away(place, top.centre) > tuning.ITS_SIDE * top.size for top in tops)]
    for place in (*doubtful, *sides):
        if all(_away(place, other) > tuning.ITS_SIDE * size for other in found):
            found.append(place)
    return found


def _further(
    sight: _Sight, colours: AnyArray, tops: list[Face], where: tuple[Outlook, Floats | None]
) -> list[tuple[Floats, bool]]:
    """Dice that look like those read but have no number on top, and whether a mark is there."""
    plane, corners = where
    found = bodies_without_number(colours, sight.levels, tops, plane)
    hull = None if corners is None else hull_of(corners)
    return [each for each in found if hull is None or within(hull, each[0][None])[0]]


def _sides(sight: _Sight, faces: Sequence[Face], plane: Outlook) -> list[Face]:
    """Faces over which another one of the same die is seen, and none below; and those where a top has its wall."""
    told = [face for face in faces if face.score >= SUSPECTED]
    downs = [plane.down(face.centre) for face in told]
    under = [_face_seen(sight, beside(face, down)) for face, down in zip(told, downs, strict=True)]
    lower = [
        face for face, down, seen in zip(told, downs, under, strict=True)
        if _face_seen(sight, _over(face, down, plane)) > SURE > seen
    ]  # fmt: skip
    flat = [face for face in told if face not in lower and lies_flat(face, plane)]
    hidden = [
        face for face in told
        if _close_under(face, flat, plane, 2 - tuning.IN_LINE)
        or any(on_wall(face, top, plane) for top in flat if top is not face)
    ]  # fmt: skip
    return [face for face in told if face in lower or face in hidden]


def _over(face: Face, down: Floats, plane: Outlook) -> list[Place]:
    """Where its top would be if a face were a side: of two faces of one die the top is seen as one on the plane is."""
    own = unlike(plane.shape(face.centre), face.shape)
    return [(at, frame) for at, frame in beside(face, -down) if unlike(plane.shape(at), frame @ frame.T) < own]


def _face_seen(sight: _Sight, places: Sequence[Place]) -> float:
    """How likely any face is at one of some places."""
    return float((1 - chances(sight.levels, places)[:, 0]).max(initial=0.0))


def _half(sight: _Sight, top: Face, tops: Sequence[Face], plane: Outlook) -> bool:
    """Whether the body goes on beyond just one side, as a domino's halves do, and two dice that touch may.

    What goes on there is a face that was read, or one of the body's colour that the network sees, or that colour alone
    where no other die explains it; unless its own wall reaches so far.
    """
    ways = np.concatenate([top.axes.T, -top.axes.T])
    nearest = np.array([_nearest(top.centre + 2 * way, top, tops) for way in ways])
    shades = _shades_beside(sight, top, ways)
    seen = chances(sight.levels, [(top.centre + 2 * way, top.frame) for way in ways])[:, 0] < 1 - SURE
    reach = np.linalg.solve(top.axes, plane.down(top.centre) * top.size)
    free = np.concatenate([-reach, reach]) > -tuning.OWN_WALL
    told = (nearest < tuning.IN_LINE) | (seen & free & (shades < tolerance(top.contrast)))
    return _stands_out(np.sort(shades[free & (nearest > _ALONE)]), tolerance(top.contrast)) or bool(told.sum() == 1)


def _stands_out(shades: Floats, likeness: float) -> bool:
    """Whether just the first of some shades, in rising order, is a face's own."""
    return bool(len(shades) > 1 and shades[0] < likeness / 2 and shades[1] > tuning.ONE_SIDE * (shades[0] + 1))


def _nearest(point: Floats, top: Face, tops: Sequence[Face]) -> float:
    """How far a point is from the middle of the nearest other face, in half edges of that one."""
    return min((other.inside(point) for other in tops if other is not top), default=np.inf)


def _shades_beside(sight: _Sight, top: Face, ways: Floats) -> Floats:
    """How far the shade of the square beside a face on each of some ways is from the face's own, in codes."""
    at = top.centre + 2 * ways[:, None] + _INNER @ top.axes.T
    picture = sight.layers.levels[0]
    at = np.clip(np.round(at).astype(int), 0, np.array(picture.shape[1::-1]) - 1)
    shades = np.median(picture[at[..., 1], at[..., 0]], axis=1)
    return np.asarray(np.linalg.norm(shades - top.square.colour, axis=1))


def _close_under(face: Face, tops: Sequence[Face], plane: Outlook, reach: float) -> bool:
    """Whether a face is so near below a top, in half edges, that it may be its wall: no die is nearer than an edge."""
    near = [top for top in tops if top is not face and top.inside(face.centre) < reach]
    ways = [(face.centre - top.centre) @ plane.down(top.centre) / _away(face.centre, top.centre) for top in near]
    return any(way > tuning.IN_LINE for way in ways)


def _without(faces: Sequence[Face], others: Sequence[Face]) -> list[Face]:
    return [face for face in faces if face not in others]


def _away(one: Floats, other: Floats) -> float:
    return float(np.linalg.norm(one - other))


# ------------------------------------------------------------------------------------------------------------ all faces


def candidates(spots: Spots, layers: Layers) -> list[Pattern]:
    """Pips that stand as on a face: each such choice of them once."""
    found = chain(find_sixes(spots), find_patterns(spots, layers.levels[0]))
    distinct = {tuple(sorted(pattern.pips)): pattern for pattern in found}
    return [pattern for pattern in distinct.values() if _agree(pattern) >= tuning.PIPS_AGREE]


def _agree(pattern: Pattern) -> float:
    """0 to 1: pips where a number has them."""
    return math.exp(-((pattern.misfit / 0.1) ** 2))


def lone_frames(shape: Floats) -> list[Floats]:
    """Frames of the faces that may be around a lone pip: how large a die it is on is open."""
    return [unit * root_of(shape) for unit in tuning.LONE_UNITS]


def _many(sight: _Sight) -> list[Face]:
    """Faces of two pips and more."""
    return _seen(sight, candidates(sight.spots, sight.layers))


def _seen(sight: _Sight, patterns: Sequence[Pattern]) -> list[Face]:
    """Those of the patterns that may be a face of that number."""
    seen = chances(sight.levels, [(pattern.centre, pattern.frame) for pattern in patterns])
    pairs = [(pattern, float(chance[pattern.number])) for pattern, chance in zip(patterns, seen, strict=True)]
    return [_face(sight, pattern, chance) for pattern, chance in pairs if chance > 1 - tuning.NETWORK_MOST_SURE]


def _face(sight: _Sight, pattern: Pattern, chance: float) -> Face:
    """The face around these pips."""
    spots, chosen = sight.spots, list(pattern.pips)
    contrast = float(spots.contrast[chosen].mean())
    taken = places_of(spots.centres[chosen], pattern.centre, pattern.frame)
    far = far_pips_near(spots, chosen, pattern.centre, pattern.frame)
    paint = Paint(spots.inner[chosen].mean(axis=0), contrast, far)
    square = square_around(sight.layers.patch(pattern.centre, pattern.frame), taken, pattern.radius, paint)
    looks = _looks(square, tuning.SIDES_COUNT[pattern.number])
    if looks < tuning.SIZE_TOLD:
        square = replace(square, half_edge=tuning.USUAL_HALF_EDGE)
    body = (
        max(looks, _speaking(spots, chosen))
        * _agree(pattern)
        * (_ace(square, pattern.frame) if pattern.number == 1 else 1.0)
    )
    body *= tuning.LEFT_OVER if _leaves_pips(spots, chosen, square, pattern) else 1.0
    score = _together(body, chance) if body > tuning.LEAST_SCORE else 0.0
    if pattern.number == 1:
        # The network knows too little of other round things to make a lone pip sure.
        in_a_frame = square.ground < tuning.GROUND_BEYOND
        score = min(score, max(body, 0.0 if in_a_frame else tuning.NETWORK_ALONE))
    shape = pattern.frame @ pattern.frame.T if pattern.number > _TELLING else spots.shapes[chosen].mean(axis=0)
    return Face(pattern.number, pattern.centre, pattern.frame @ turned(square.turn), square, pattern.pips,
                pattern.radius, contrast, score, spots.of(chosen), shape, chance)  # fmt: skip


def _ace(square: Square, frame: Floats) -> float:
    """What a lone pip counts: its square must be the better, no frame that is drawn, no hole of a figure 6 or 8."""
    tiny = square.half_edge * np.sqrt(abs(np.linalg.det(frame))) < tuning.TINY
    doubts = int(tiny) + int(square.ground < tuning.GROUND_BEYOND)
    return float(tuning.ACE * tuning.DOUBTFUL_ACE**doubts)


def _speaking(spots: Spots, chosen: list[int]) -> float:
    """What four pips and more say by themselves: of one paint, in their places, on a body of whatever colours."""
    if len(chosen) <= _TELLING:
        return 0.0
    spread = float(np.linalg.norm(spots.inner[chosen].std(axis=0))) / float(spots.contrast[chosen].mean())
    return tuning.SPEAKING if spread < tuning.ONE_PAINT else 0.0


def _leaves_pips(spots: Spots, chosen: list[int], square: Square, pattern: Pattern) -> bool:
    """Whether like spots on the same body stay unexplained."""
    places, half_edge = places_of(spots.centres, pattern.centre, pattern.frame), square.half_edge
    if len(chosen) == max(tuning.SIDES_COUNT):
        # Among six pips there is room for a maker's number; around them the dots of a cloth go on.
        outside = np.any(np.abs(places) > tuning.AROUND_SIX * np.abs(places[chosen]).max(axis=0), axis=1)
        places, half_edge = np.where(outside[:, None], places, np.inf), max(half_edge, tuning.NEXT_DOT)
    return left_over(spots, chosen, places, half_edge)


def _looks(square: Square, weight: float) -> float:
    """0 to 1: one colour inside and at least three clear sides, which count less where many pips speak."""
    ordered = np.clip(np.sort(square.sides) / 0.85, 0, 1)
    ends = float(ordered[1:].mean() ** 1.5 * (0.6 + 0.4 * ordered[0]))
    return float((np.clip((square.uniform - LEAST_UNIFORM) / 0.22, 0, 1) * ends) ** weight)


def _together(score: float, chance: float) -> float:
    """What body and pips say and what the network says, as odds; against its no stands only a body beyond doubt."""
    sure = float(np.clip(chance, 1 - tuning.NETWORK_MOST_SURE, tuning.NETWORK_MOST_SURE))
    odds = score / (1 - score + 1e-9) * math.pow(sure / (1 - sure), tuning.NETWORK_YES if sure > 0.5 else 1.0)
    most = 1.0 if chance > SURE or score > tuning.BEYOND_DOUBT else tuning.NETWORK_DENIED
    return min(odds / (1 + odds), most)


def _like_the_others(faces: list[Face], plane: Outlook) -> list[Face]:
    """Faces of which only the network speaks count where they lie flat and have pips and size of dice beside them."""
    firm = [face for face in faces if face.score >= SURE]
    sure = [face for face in firm if face.number > 1 and face.seen > SURE]

    def like(face: Face, other: Face) -> bool:
        paint = np.mean([pip.inner for pip in face.spots], axis=0) - np.mean([pip.inner for pip in other.spots], axis=0)
        pips = np.log(np.mean([pip.longest for pip in face.spots]) / np.mean([pip.longest for pip in other.spots]))
        alike = abs(np.log(face.size / other.size)) < tuning.SAME_SIZE and abs(pips) < tuning.SAME_SIZE * (
            2 if face.number == 1 else 1
        )
        return bool(alike and np.linalg.norm(paint) < tuning.SAME_PAINT * other.contrast)

    def counts(face: Face) -> bool:
        flat = unlike(plane.shape(face.centre), face.shape) < tuning.FLAT_ON_PLANE + (
            tuning.FLAT_ON_PLANE if face.number < _TELLING else 0.0
        )
        doubtful = face.score < SURE and face.seen > tuning.NETWORK_CLEAR and flat
        return doubtful and any(like(face, other) for other in sure) and not any(_clash(face, other) for other in firm)

    return [replace(face, score=tuning.NETWORK_ALONE * face.seen) if counts(face) else face for face in faces]


def _lonely(sight: _Sight, faces: list[Face], corners: Floats | None) -> list[int]:
    """Pips of no face that is sure, between the corners: those on a plain ground first, the strongest of them."""
    spots = sight.spots
    free = np.ones(len(spots.pips), dtype=bool) if corners is None else within(hull_of(corners), spots.centres)
    for face in faces:
        if face.score >= SURE and face.number >= _TELLING:
            free[list(face.pips)] = False
    strength = spots.contrast * spots.sizes
    order = np.lexsort((-strength, ~_on_plain(spots, sight.layers.levels[0])))
    return [int(index) for index in order[free[order]][: tuning.MOST_LONE]]


def _on_plain(spots: Spots, colours: AnyArray) -> Mask:
    """For each spot whether what is around it has one colour."""
    roots = np.array([root_of(shape) for shape in spots.shapes]).reshape(-1, 2, 2)
    at = np.round(np.einsum("nij,kj->nki", roots, _RINGS) + spots.centres[:, None]).astype(int)
    at = np.clip(at, 0, np.array(colours.shape[1::-1]) - 1)
    seen = colours[at[..., 1], at[..., 0]]
    away = np.linalg.norm(seen - np.median(seen, axis=1)[:, None], axis=2)
    return np.asarray((away < tuning.PLAIN_GROUND * spots.contrast[:, None]).mean(axis=1) > tuning.MOSTLY_PLAIN)


def _flat(spots: Spots, lone: list[int], plane: Outlook) -> list[tuple[int, Floats]]:
    """Lone pips as circles on the plane."""
    sizes = np.sqrt(np.linalg.det(spots.shapes))
    return [(index, plane.shape(spots.centres[index]) * sizes[index]) for index in lone]


def _lone(sight: _Sight, pips: Sequence[tuple[int, Floats]], others: list[Face]) -> list[Face]:
    """Faces of one pip, of which only the network tells how large they are; often as large as the other dice."""
    sizes = [face.size for face in others if face.score >= SURE and face.number > 1]
    patterns = []
    for index, shape in pips:
        frames = lone_frames(shape)
        if sizes:
            root = root_of(shape)
            frames.append(root * float(np.median(sizes)) / tuning.USUAL_HALF_EDGE / np.sqrt(abs(np.linalg.det(root))))
        patterns += [
            Pattern(1, (index,), sight.spots.centres[index], frame, pip_radius(sight.spots.shapes[index], frame), 0.0)
            for frame in frames
        ]
    found = _seen(sight, [pattern for pattern in patterns if pattern.radius < tuning.LARGEST_ACE])
    best: dict[tuple[int, ...], Face] = {}
    for face in sorted(found, key=_usual):
        best.setdefault(face.pips, face)
    return [face for face in found if face.score < SURE or face is best[face.pips]]


def _usual(face: Face) -> tuple[float, float]:
    """Of frames around one lone pip the best comes first, of equal ones that in which the square is fitted finest."""
    return -round(face.score, 2), abs(np.log(face.square.half_edge / tuning.USUAL_HALF_EDGE))


def _tiny(faces: list[Face], spots: Spots) -> bool:
    """Whether pips are so few pixels that their outlines do not tell how they are foreshortened."""
    chosen = [index for face in faces if face.score >= SUSPECTED for index in face.pips]
    return not chosen or float(np.median(spots.sizes[chosen])) < tuning.BLUNT


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


def _best(faces: list[Face], plane: Outlook | None = None) -> list[Face]:
    """Of faces that share pips or place the best ones: more pips explain more, a gleam in a pip is smaller than it.

    One pip has several outlines in a picture; of those the one counts that is a circle on the plane.
    """

    def rank(face: Face) -> float:
        away = 0.0 if plane is None else min(unlike(plane.shape(face.centre), face.shape), 1.0)
        return -face.score * (1 + 0.04 * face.number) - 0.12 * float(np.log2(face.size)) + tuning.ASKEW * away

    kept: list[Face] = []
    faces = [face for face in faces if not _made_of_dice(face, faces)]
    for face in sorted(faces, key=rank):
        if face.score > tuning.LEAST_SCORE and not any(_clash(face, other) for other in kept):
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
