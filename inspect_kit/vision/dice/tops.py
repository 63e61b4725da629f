"""Which faces are on top: the plane that they agree on, and which of them are sides of others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.dice.patterns import SURE, SUSPECTED, Face
from inspect_kit.vision.dice.tuning import BEYOND_DOUBT
from inspect_kit.vision.optics.pose import View

# The plane of the upper faces: how a circle on it looks anywhere in the picture, and the plane that dice agree on.

USUAL_FOCAL: Final = 1.05
"""Focal length over the longer side of the picture, where nobody tells: between phones and longer lenses."""

STEEPEST: Final = np.radians(58)
"""Radians of tilt beyond which no plane is looked for."""
_UPRIGHT: Final = 0.15
"""How much a camera that looks down counts more than one that looks up."""
_NEARLY: Final = math.cos(0.35)
"""Cosine of the angle between normals up to which faces may lie on one plane: the mean of such is tried, too."""
_AGREEING: Final = 0.22
"""ln of the stretch by which an ellipse on the plane may differ from a circle's: dice are worn and rounded."""


@dataclass(frozen=True)
class Outlook:
    """A plane by its normal in the camera's frame (x right, y down, z ahead), towards the camera; pixels."""

    normal: Floats
    focal: float
    middle: Floats

    @cached_property
    def axes(self) -> Floats:
        """Two directions on the plane as columns, at right angles and of length one."""
        first = np.cross(self.normal, [0.0, 1.0, 0.0] if abs(self.normal[1]) < 0.9 else [1.0, 0.0, 0.0])
        first /= np.linalg.norm(first)
        return np.column_stack([first, np.cross(self.normal, first)])

    def shape(self, pixel: Floats) -> Floats:
        """The ellipse that a circle on the plane is seen as there, as a matrix of determinant one."""
        slope = self._slope(pixel) @ self.axes
        (a, b), (c, d) = (slope @ slope.T).tolist()
        size = math.sqrt(max(a * d - b * c, 1e-12))
        return np.array([[a / size, b / size], [c / size, d / size]])

    def down(self, pixel: Floats) -> Floats:
        """How a step into the table is seen there, over how long a step along the plane is seen on average."""
        seen = self._slope(pixel)
        step = seen @ -self.normal
        return np.asarray(step / np.sqrt(max(abs(np.linalg.det(seen @ self.axes)), 1e-9)), dtype=np.float64)

    def _slope(self, pixel: Floats) -> Floats:
        """How small steps in the camera's frame are seen there, but for their distance."""
        x, y = ((pixel - self.middle) / self.focal).tolist()
        return np.array([[1.0, 0.0, -x], [0.0, 1.0, -y]])

    @property
    def tilt(self) -> float:
        """Angle between the line of sight and the plane's normal."""
        return float(np.arccos(np.clip(-self.normal[2], -1, 1)))


def straight_down(width: int, height: int, focal: float | None) -> Outlook:
    """The plane of a table seen straight from above."""
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    return Outlook(np.array([0.0, 0.0, -1.0]), focal or USUAL_FOCAL * max(width, height), middle)


def outlook_of(view: View) -> Outlook:
    """The plane of the reference sheet."""
    normal = view.rotation[:, 2]
    return Outlook(normal if normal[2] < 0 else -normal, float(view.lens[:2].mean()), view.lens[2:4].copy())


def unlike(one: Floats, other: Floats) -> float:
    """How much two ellipses differ in shape, whatever their size: 0 for the same, ln of the stretch otherwise."""
    (a, b), (c, d) = one.tolist()
    (e, f), (g, h) = other.tolist()
    # Half the trace and the determinant of the one's inverse times the other, whose eigenvalues are wanted.
    size = a * d - b * c
    middle, product = (d * e - b * g - c * f + a * h) / (2 * size), (e * h - f * g) / size
    apart = math.sqrt(max(middle * middle - product, 0.0))
    return math.log(max(middle + apart, 1e-9) / max(middle - apart, 1e-9)) / 2


def normals_of(shape: Floats, pixel: Floats, outlook: Outlook) -> tuple[Outlook, Outlook]:
    """The two planes on which a circle is seen as this ellipse."""
    ray = np.array([*(pixel - outlook.middle) / outlook.focal, 1.0])
    ray /= np.linalg.norm(ray)
    across = np.cross([0.0, 1.0, 0.0], ray)
    across /= np.linalg.norm(across)
    basis = np.column_stack([across, np.cross(ray, across)])
    # The picture's pixels seen from a sphere around the camera: directions, not places on the sensor.
    x, y = (pixel - outlook.middle) / outlook.focal
    slope = np.array([[1, 0, -x], [0, 1, -y]]) @ basis
    back = np.linalg.inv(slope)
    sizes, ways = np.linalg.eigh(back @ shape @ back.T)
    lean = float(np.arccos(np.clip(np.sqrt(sizes[0] / sizes[1]), 0, 1)))
    way = basis @ ways[:, 0]
    both = [-np.cos(lean) * ray + sign * np.sin(lean) * way for sign in (-1, 1)]
    first, second = (Outlook(normal / np.linalg.norm(normal), outlook.focal, outlook.middle) for normal in both)
    return first, second


def agreed_plane(
    shapes: Sequence[Floats], pixels: Sequence[Floats], weights: Sequence[tuple[float, float]], start: Outlook
) -> Outlook:
    """The plane on which most of these ellipses are circles.

    Each ellipse has a vote, and how far its shape may be off.

    A plane seen less obliquely is likelier. People hold a camera upright: what is further away is higher in the
    picture, so a table's normal points upwards.
    """
    choices = [start]
    for shape, pixel in zip(shapes, pixels, strict=True):
        choices += [plane for plane in normals_of(shape, pixel, start) if plane.tilt < STEEPEST]

    def votes(plane: Outlook) -> float:
        away = [unlike(plane.shape(pixel), shape) for shape, pixel in zip(shapes, pixels, strict=True)]
        agreeing = sum(
            weight * np.exp(-((gap / (_AGREEING + blunt)) ** 2))
            for gap, (weight, blunt) in zip(away, weights, strict=True)
        )
        return float(agreeing * (0.5 + 0.5 * np.cos(plane.tilt)) - _UPRIGHT * plane.normal[1])

    best = max(choices, key=votes)
    near = [max((plane.normal for plane in normals_of(shape, pixel, start)), key=lambda normal: normal @ best.normal)
            for shape, pixel in zip(shapes, pixels, strict=True)]  # fmt: skip
    agreeing = np.sum([normal for normal in near if normal @ best.normal > _NEARLY], axis=0)
    mean = replace(best, normal=agreeing / np.linalg.norm(agreeing)) if np.any(agreeing) else best
    return max(best, mean, key=votes)


_SIDEWAYS: Final = 0.4
"""How unlike a circle on the plane a face may be to count as flat."""
_SIZES: Final = (0.5, 2.0)
"""Sizes of faces over that of the main one."""
_OUTLINE: Final = 0.8
"""Pixels by which the outline of few pips is uncertain."""
_MOST_DOUBTS: Final = 4
"""Doubtful tops that are told where none is sure."""
_EDGE_ON: Final = 0.1
"""Area of a face over that of one seen straight on below which nobody can read it."""
_LARGER: Final = 1.3
"""How much larger a die may be than its pips tell: they stand further in on some makes."""
_LARGEST: Final = 2.8
"""Half the edge over half the distance of corner pips on dice whose pips stand furthest in."""
_OBLIQUE: Final = 0.1
"""ln of its stretch from which on a face is seen so obliquely that one beside it can be read: 25 degrees."""
_BESIDE: Final = 1.7
"""Half edges from the middle of an upper face at which another die's may be."""


def plane_of(faces: list[Face], start: Outlook) -> Outlook:
    """The plane that the faces agree on."""
    return agreed_plane(*_evidence(_alike(faces, faces)), start)


def _evidence(faces: list[Face]) -> tuple[list[Floats], list[Floats], list[tuple[float, float]]]:
    good = [face for face in faces if face.score > SUSPECTED]
    # Beyond what is sure, a better look is no stronger vote: a side may look better than the top.
    votes = [(min(face.score, SURE), _blunt(face)) for face in good]
    return [face.shape for face in good], [face.centre for face in good], votes


def uppermost(faces: list[Face], plane: Outlook) -> tuple[list[Face], list[Floats]]:
    """Of faces that are no sides the upper ones, best first, and middles of dice that cannot be told for sure."""
    usual = [face for face in faces if face.score >= SURE and lies_flat(face, plane)]
    alike = _alike(faces, usual)
    tops = sorted((face for face in alike if face in usual), key=lambda face: -face.score)
    doubtful = [face for face in alike if face not in usual and face.score >= SUSPECTED and _same_make(face, tops)]
    apart = [face.centre for face in doubtful if all(top.inside(face.centre) > _BESIDE for top in tops)]
    return tops, apart if tops else apart[:_MOST_DOUBTS]


def lies_flat(face: Face, plane: Outlook) -> bool:
    """Whether a face is seen as one on the plane would be, as far as its pips tell."""
    return unlike(plane.shape(face.centre), face.shape) < _SIDEWAYS + _blunt(face)


def _same_make(face: Face, tops: list[Face]) -> bool:
    """Only what looks like the other dice is called a die that cannot be read: grounds have dots and letters too."""
    near = [top for top in tops if 0.6 < face.size / top.size < 1.7]
    return not tops or any(np.linalg.norm(face.square.colour - top.square.colour) < 0.3 * top.contrast for top in near)


def beside(face: Face, way: Floats) -> list[tuple[Floats, Floats]]:
    """Middles and frames of the two faces that are seen on this way from a face of the same die, if any can be.

    Seen from afar, the half edges of a cube put side by side have rows of one length at right angles: those of one face
    tell the third but for its sign, and faces on that way turn towards the camera. Where its sides were not seen, a die
    may be larger than is usual for its pips.
    """
    sizes, ways = np.linalg.eigh(face.frame @ face.frame.T)
    if np.log(sizes[1] / sizes[0]) / 2 < _OBLIQUE + _blunt(face):
        return []
    depth = ways[:, 0] * np.sqrt(sizes[1] - sizes[0]) * (1 if ways[:, 0] @ way > 0 else -1)
    first, second = (edge if edge @ depth > 0 else -edge for edge in face.frame.T)
    found = [(edge, np.column_stack([along, depth])) for edge, along in ((first, second), (second, first))]
    return [
        (face.centre + half_edge * (edge + depth), frame)
        for half_edge in (face.square.half_edge, _LARGER * face.square.half_edge)
        for edge, frame in found
        if abs(np.linalg.det(frame)) > _EDGE_ON * sizes[1]
    ]


def on_wall(face: Face, top: Face, plane: Outlook) -> bool:
    """Whether a face is where an upper one has a wall, its pips circles there rather than on the plane, as far as they
    tell."""
    flat = unlike(plane.shape(face.centre), face.shape) + _blunt(face)
    return any(
        np.abs(np.linalg.solve(frame, face.centre - middle)).max() < 1 and unlike(frame @ frame.T, face.shape) < flat
        for middle, frame in _walls(top, plane)
    )


def _walls(top: Face, plane: Outlook) -> Iterator[tuple[Floats, Floats]]:
    """Middles and frames of the walls below an upper face that are seen, as the plane tells, for a die of any size.

    Its lower edges are its upper ones moved into the table by an edge: a wall is seen on either way that they move.
    """
    told = top.square.half_edge
    for half_edge in (told, _LARGER * told, max(told, _LARGEST)):
        down = plane.down(top.centre) * top.size * half_edge / told
        edges = half_edge * top.frame.T
        for edge, along, moved in zip(edges, edges[::-1], np.linalg.solve(top.frame, down), strict=True):
            frame = np.column_stack([along, down])
            if abs(np.linalg.det(frame)) > _EDGE_ON * float(along @ along):
                yield top.centre + np.sign(moved) * edge + down, frame


def _blunt(face: Face) -> float:
    """How much the shape of few small pips tells, each outline being good to part of a pixel."""
    pixels = face.radius * float(np.sqrt(abs(np.linalg.det(face.frame))))
    return _OUTLINE / max(pixels, 1.0) if face.number < 4 else 0.0


def _alike(faces: list[Face], usual: list[Face]) -> list[Face]:
    """Dice of one photo are of like size, and their pips stand out alike; what is beyond doubt may be faint."""
    main = _main([face for face in usual if face.score >= SURE])
    return faces if main is None else [face for face in faces if _of_a_kind(face, main)]


def _main(faces: list[Face]) -> Face | None:
    """The face that speaks loudest together with those like it: large, strong, and one of many."""

    def voice(face: Face) -> float:
        return sum(other.score**2 for other in faces if _of_a_kind(other, face)) * face.contrast * face.size

    return max(faces, key=voice, default=None)


def _of_a_kind(face: Face, main: Face) -> bool:
    strong = face.contrast > 0.3 * main.contrast or face.score > BEYOND_DOUBT
    return strong and _SIZES[0] < face.size / main.size < _SIZES[1]
