"""About where the four pockets are, of any size and look: alike circles near the four corners, found together.

One radius and one distance from the walls are taken for all four, since one tool cuts them; each may then lie a little
off. What is seen inside may be a net of any colour or pattern, lit by half; wood lies around the edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from scipy.ndimage import maximum_filter

from inspect_kit.vision.arrays import Floats, Light
from inspect_kit.vision.board import layout, tuning
from inspect_kit.vision.board.layout import CORNERS, TOWARDS, Placement
from inspect_kit.vision.board.locate import Mosaic

_INSETS: Final = np.arange(*tuning.HOLE_INSETS, 1.5)
"""mm between wall and pocket that are tried."""
_ACROSS: Final = np.arange(-tuning.HOLE_OFF, tuning.HOLE_OFF + 0.1, 1.5)
"""mm off the diagonal that are tried."""
_RADII: Final = np.arange(*tuning.HOLE_RADII, 1.0)
"""mm: radii that are tried."""
_NEAR: Final = (4, len(_ACROSS), 1)
"""Choices of inset, offset and radius by which one corner may differ from the four's common ones."""
_ARC: Final = np.radians(np.arange(-78.0, 79.0, 6.0))
"""Directions from a pocket's middle, off the one to the board's middle: what the frame never hides."""


@dataclass(frozen=True)
class CornerHoles:
    """Circles (x, y, radius) by corner on the frame of the views, and how clearly each is seen (1: all around)."""

    circles: Mapping[str, Floats]
    clarity: Mapping[str, float]

    @property
    def clear(self) -> bool:
        """Whether so many are seen that the four are no chance."""
        return sum(each > tuning.HOLE_CLEAR for each in self.clarity.values()) >= tuning.THREE_OF_FOUR


@dataclass(frozen=True)
class _Corner:
    """The surface seen from above near one of its corners, on a scale like the eye's."""

    mosaic: Mosaic
    eye: Light
    placement: Placement
    name: str
    half: float
    """mm from the board's middle to its walls, about."""

    def light(self, x: Floats, y: Floats) -> Floats:
        """At places given by their distances from the corner's two walls."""
        way = np.array(TOWARDS[self.name])
        board = way * (self.half - np.column_stack([x.ravel(), y.ravel()]))
        at = self.mosaic.pixel(self.placement.to_plane(board)).astype(np.float32)
        return np.asarray(cv2.remap(self.eye, at[None, :, 0], at[None, :, 1], cv2.INTER_LINEAR)[0].reshape(*x.shape, 3))

    def place(self, inset: float, across: float, radius: float) -> Floats:
        """Middle and radius on the frame of the views."""
        board = np.array(TOWARDS[self.name]) * (self.half - inset - radius - np.array([across, -across]))
        return np.array([*self.placement.to_plane(board[None])[0], radius])


def find_corner_holes(mosaic: Mosaic, placement: Placement, half: float = layout.HALF) -> CornerHoles:
    """The four circles near the surface's corners that are clearest together."""
    eye = cv2.GaussianBlur(np.sqrt(np.maximum(mosaic.light, 0)), (0, 0), tuning.HOLE_SOFT * mosaic.per_mm)
    corners = {name: _Corner(mosaic, np.asarray(eye, dtype=np.float32), placement, name, half) for name in CORNERS}
    seen = {name: _edges_seen(corner) for name, corner in corners.items()}
    size = tuple(2 * near + 1 for near in _NEAR)
    together = np.mean([maximum_filter(each, size=size).max(axis=1) for each in seen.values()], axis=0)
    inset, radius = (int(at) for at in np.unravel_index(int(together.argmax()), together.shape))
    best = {name: _nearest(each, inset, radius) for name, each in seen.items()}
    circles = {name: corners[name].place(_INSETS[i], _ACROSS[j], _RADII[k]) for name, (i, j, k) in best.items()}
    return CornerHoles(circles, {name: float(seen[name][at]) for name, at in best.items()})


def _nearest(seen: Floats, inset: int, radius: int) -> tuple[int, int, int]:
    """The clearest choice of one corner near those of all four."""
    low, first = max(inset - _NEAR[0], 0), max(radius - _NEAR[2], 0)
    part = seen[low : inset + _NEAR[0] + 1, :, first : radius + _NEAR[2] + 1]
    i, j, k = np.unravel_index(int(part.argmax()), part.shape)
    return low + int(i), int(j), first + int(k)


def _edges_seen(corner: _Corner) -> Floats:
    """For every inset, offset and radius: the share of directions with wood outside of the circle and none inside."""
    inset, across, radius = np.meshgrid(_INSETS, _ACROSS, _RADII, indexing="ij")
    x, y = inset + radius + across, inset + radius - across
    wood = _wood(corner)
    total = np.zeros(inset.shape)
    for angle in np.pi / 4 + _ARC:
        inner, outer, beyond = (
            corner.light(x + (radius + away) * np.cos(angle), y + (radius + away) * np.sin(angle)) / wood
            for away in tuning.HOLE_STEPS
        )
        unlike = np.maximum(np.linalg.norm(outer - 1, axis=-1), np.linalg.norm(beyond - 1, axis=-1))
        step = np.linalg.norm(outer - inner, axis=-1) / tuning.HOLE_STEP
        total += np.minimum(step, 1) * np.exp(-((unlike / tuning.HOLE_WOOD) ** 2))
    return total / len(_ARC)


def _wood(corner: _Corner) -> Floats:
    """The wood's own light, inwards of any pocket."""
    x, y = np.meshgrid(np.linspace(*tuning.HOLE_BESIDE, 20), np.linspace(*tuning.HOLE_BESIDE, 20))
    return np.maximum(np.median(corner.light(x, y).reshape(-1, 3), axis=0), 1e-3)
