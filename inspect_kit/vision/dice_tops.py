"""Which faces are on top: the plane that they agree on, and which of them are sides of others."""

from __future__ import annotations

from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.dice_face import SURE, SUSPECTED, Face
from inspect_kit.vision.dice_plane import Outlook, agreed_planes, unlike

_SIDEWAYS: Final = 0.32
_SIDE_SEEN: Final = 0.15
"""What a side below an upper face says for a plane, in votes of a face."""
_SIZES, _ACES = (0.4, 2.5), (0.5, 2.0)
"""Sizes of faces, and of lone pips with what is around them, over that of the main one."""
_SMALLER, _WEAKER, _AT_ITS_SIDE = 0.7, 0.75, 2.3
"""Size and contrast of a side's pips over the upper face's, and their distance from it in half edges."""
_OUTLINE: Final = 0.8
_FLAT: Final = 0.12
_FAR: Final = 5.0
_MOST_DOUBTS: Final = 4
_BESIDE: Final = 1.7
"""Half edges from the middle of an upper face at which another die's may be."""


def plane_of(faces: list[Face], start: Outlook) -> Outlook:
    """The plane that the faces agree on, and on which some of them are sides of others."""
    alike = _alike(faces, faces)
    sure = [face for face in alike if face.score >= SURE]

    def sides(plane: Outlook) -> int:
        flat = [face for face in sure if unlike(plane.shape(face.centre), face.shape) < _SIDEWAYS]
        hanging = [face for face in sure if any(top is not face and is_side(face, top, plane) for top in flat)]
        tops = [face for face in flat if face not in hanging]
        return sum(any(is_side(face, top, plane) for top in tops) for face in hanging)

    ranked = agreed_planes(*_evidence(alike), start)
    return max(ranked, key=lambda pair: pair[0] + _SIDE_SEEN * sides(pair[1]))[1]


def _evidence(faces: list[Face]) -> tuple[list[Floats], list[Floats], list[float]]:
    good = [face for face in faces if face.score > SUSPECTED]
    # Beyond what is sure, a better look is no stronger vote: a side may look better than the top.
    return [face.shape for face in good], [face.centre for face in good], [min(face.score, SURE) for face in good]


def uppermost(faces: list[Face], plane: Outlook) -> tuple[list[Face], list[Floats]]:
    """Upper faces, best first, and middles of dice that show only other faces or cannot be told for sure."""
    flat = [face for face in faces if unlike(plane.shape(face.centre), face.shape) < _SIDEWAYS]
    usual = [face for face in flat if face.score >= SURE]
    alike = _alike(faces, usual)
    firm = [face for face in alike if face in flat and face.score >= SUSPECTED]
    free = [face for face in alike if not _hangs(face, firm, faces, plane)]
    tops = sorted((face for face in free if face in usual), key=lambda face: -face.score)
    doubtful = [face for face in free if face not in usual and face.score >= SUSPECTED and _same_make(face, tops)]
    apart = [face.centre for face in doubtful if all(top.inside(face.centre) > _BESIDE for top in tops)]
    return tops, apart if tops else apart[:_MOST_DOUBTS]


def _hangs(face: Face, firm: list[Face], faces: list[Face], plane: Outlook) -> bool:
    """Whether a face is a side of a die that was found; one with a side of its own is the top of a die in front."""
    if any(_fragment(face, top) for top in firm if top is not face):
        return True
    below = any(is_side(face, top, plane) for top in firm if top is not face)
    return below and not _has_side(face, [other for other in faces if other.score >= SUSPECTED], plane)


def _fragment(face: Face, top: Face) -> bool:
    """Whether a face is but some pips of another die's side: weaker, and too near to its upper face for a small die."""
    if face.size > _SMALLER * top.size or face.contrast > _WEAKER * top.contrast:
        return False
    return float(np.linalg.norm(np.linalg.solve(top.axes, face.centre - top.centre))) < _AT_ITS_SIDE


def _has_side(face: Face, faces: list[Face], plane: Outlook) -> bool:
    """Whether a face that lies flat has a side below it that is no such face itself."""
    if unlike(plane.shape(face.centre), face.shape) > _FLAT:
        return False
    rest = [other for other in faces if other is not face]
    return any(is_side(other, face, plane) and not _has_side(other, rest, plane) for other in rest)


def _same_make(face: Face, tops: list[Face]) -> bool:
    """Only what looks like the other dice is called a die that cannot be read: grounds have dots and letters too."""
    near = [top for top in tops if 0.6 < face.size / top.size < 1.7]
    return not tops or any(np.linalg.norm(face.square.colour - top.square.colour) < 0.3 * top.contrast for top in near)


def is_side(face: Face, top: Face, plane: Outlook) -> bool:
    """Whether a face looks like, and lies where, a side of the die with this upper face."""
    if float(np.abs(face.centre - top.centre).max()) > _FAR * top.size:
        return False
    axes = top.axes
    down = plane.down(top.centre) * np.sqrt(abs(np.linalg.det(axes)))
    for along, across in ((axes[:, 0], axes[:, 1]), (axes[:, 1], axes[:, 0])):
        for sign in (-1, 1):
            away = face.centre - (top.centre + sign * along + down)
            side = np.column_stack([across, down])
            if abs(np.linalg.det(side)) < 0.05 * top.size**2:
                continue
            near = float(np.linalg.norm(away)) < 0.45 * top.size
            stretch = unlike(side @ side.T, face.shape) - unlike(plane.shape(face.centre), face.shape)
            if near and stretch < 0.1:
                return True
    return _oblique(face, top, plane)


def _oblique(face: Face, top: Face, plane: Outlook) -> bool:
    """Whether a face next to an upper one is clearly not on its plane."""
    reach = float(np.linalg.norm(np.linalg.solve(top.axes, face.centre - top.centre)))
    if reach > 2.3 or face.size > 1.3 * top.size or float(plane.down(top.centre) @ (face.centre - top.centre)) < 0:
        return False
    clearly = max(0.15, unlike(plane.shape(top.centre), top.shape) + 0.08, _blunt(face))
    return unlike(plane.shape(face.centre), face.shape) > clearly


def _blunt(face: Face) -> float:
    """How much the shape of few small pips tells, each outline being good to part of a pixel."""
    pixels = face.radius * float(np.sqrt(abs(np.linalg.det(face.frame))))
    return _OUTLINE / max(pixels, 1.0) if face.number < 4 else 0.0


def _alike(faces: list[Face], usual: list[Face]) -> list[Face]:
    """Dice of one photo are of like size, and their pips stand out alike."""
    main = _main([face for face in usual if face.score >= SURE])
    return faces if main is None else [face for face in faces if _of_a_kind(face, main)]


def _main(faces: list[Face]) -> Face | None:
    """The face that speaks loudest together with those like it: large, strong, and one of many."""

    def voice(face: Face) -> float:
        return sum(other.score**2 for other in faces if _of_a_kind(other, face)) * face.contrast * face.size

    return max(faces, key=voice, default=None)


def _of_a_kind(face: Face, main: Face) -> bool:
    least, most = _SIZES if face.number > 1 else _ACES
    return least < face.size / main.size < most and face.contrast > 0.3 * main.contrast
