"""The surface's normal along the lines across a disc's outline, from the solid itself."""

from __future__ import annotations

from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.disc.solid import Solid, elevations
from inspect_kit.vision.fitting.edge_shading import Shading
from inspect_kit.vision.optics.pose import View

_GRID: Final = 0.25
"""Pixels between the depths at which the normal is told."""
_DEPTH: Final = 14.0
"""Pixels inside the outline that are told: what an edge's window reaches."""
_ARC: Final = np.linspace(0, 1, 13)
"""Shares of the arc of a rim at which its surface is computed."""


def shading(view: View, solid: Solid, azimuths: Floats, feet: Floats, normals: Floats) -> Shading:
    """The normals that the lines across this outline meet."""
    rim = float(np.clip(solid.rim, 1e-3, min(solid.thickness / 2, solid.radius)))
    rise, near = elevations(solid, view.centre, azimuths)
    # Along a line: the lower rim (seen on the near side only), the wall, the upper rim, the face.
    low = np.where(near[:, None], rise[:, None] * (1 - _ARC[None, ::3]), 0.0)
    high = np.where(near, 0.0, rise)[:, None] + (np.pi / 2 - np.where(near, 0.0, rise))[:, None] * _ARC[None, :]
    level = np.concatenate([np.full(low.shape, rim), np.full(high.shape, solid.thickness - rim)], axis=1)
    angle = np.concatenate([low, high], axis=1)
    start = np.concatenate([np.repeat(~near[:, None], low.shape[1], axis=1), np.zeros(high.shape, dtype=bool)], axis=1)
    reach = solid.radius - rim + rim * np.cos(angle)
    points = np.stack(
        [solid.x + reach * np.cos(azimuths)[:, None], solid.y + reach * np.sin(azimuths)[:, None],
         level + rim * np.sin(angle)], axis=2,
    )  # fmt: skip
    seen = view.pixels(points.reshape(-1, 3)).reshape(*angle.shape, 2)
    depth = -((seen - feet[:, None, :]) * normals[:, None, :]).sum(axis=2)
    depth = np.maximum.accumulate(np.where(start, 0.0, np.maximum(depth, 0.0)), axis=1)
    grid = np.arange(0, _DEPTH, _GRID) + _GRID / 2
    turned = _between(grid, depth, np.where(start, angle[:, [low.shape[1]]], angle))
    return Shading(grid, 1 - np.sin(turned), np.cos(turned))


def _between(grid: Floats, nodes: Floats, values: Floats) -> Floats:
    """Linear interpolation, each line with its own nodes; beyond the last one its value holds."""
    index = np.clip((nodes[:, None, :] <= grid[None, :, None]).sum(axis=2) - 1, 0, nodes.shape[1] - 2)
    rows = np.arange(len(nodes))[:, None]
    left, right = nodes[rows, index], nodes[rows, index + 1]
    share = np.clip((grid[None, :] - left) / np.maximum(right - left, 1e-9), 0, 1)
    return np.asarray(values[rows, index] * (1 - share) + values[rows, index + 1] * share)
