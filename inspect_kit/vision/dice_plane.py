"""The plane of the upper faces: how a circle on it looks anywhere in the picture, and the plane that dice agree on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.view import View

USUAL_FOCAL: Final = 1.05
"""Focal length over the longer side of the picture, where nobody tells: between phones and longer lenses."""

STEEPEST: Final = np.radians(58)
_UPRIGHT: Final = 0.15
_ALIKE: Final = 0.35
_MOST_PLANES: Final = 8


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


def agreed_planes(
    shapes: Sequence[Floats], pixels: Sequence[Floats], weights: Sequence[float], start: Outlook
) -> list[tuple[float, Outlook]]:
    """Planes on which most of these ellipses are circles, with what speaks for each, those that serve alike first.

    A plane seen less obliquely is likelier. People hold a camera upright: what is further away is higher in the
    picture, so a table's normal points upwards.
    """
    choices = [start]
    for shape, pixel in zip(shapes, pixels, strict=True):
        choices += [plane for plane in normals_of(shape, pixel, start) if plane.tilt < STEEPEST]

    def votes(plane: Outlook) -> float:
        away = [unlike(plane.shape(pixel), shape) for shape, pixel in zip(shapes, pixels, strict=True)]
        agreeing = sum(weight * np.exp(-((gap / 0.22) ** 2)) for gap, weight in zip(away, weights, strict=True))
        return float(agreeing * (0.5 + 0.5 * np.cos(plane.tilt)) - _UPRIGHT * plane.normal[1])

    ranked = sorted(((votes(plane), plane) for plane in choices), key=lambda pair: -pair[0])
    return [pair for pair in ranked if pair[0] > ranked[0][0] - _ALIKE][:_MOST_PLANES]
