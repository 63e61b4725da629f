"""The outer corners of a single marker: straight lines through its sub-pixel edges, and where they meet."""

from __future__ import annotations

import numpy as np

from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.corners import sample
from inspect_kit.vision.light import linear


def refine_marker(grey: Pixels, corners: Floats) -> Floats:
    """Corners of the black square; blur rounds them, so they are taken from the middle parts of its sides."""
    lines = [_side(grey, corners[index], corners[(index + 1) % 4]) for index in range(4)]
    refined = np.stack([np.cross(lines[index - 1], lines[index]) for index in range(4)])
    places = refined[:, :2] / refined[:, 2:]
    size = float(np.linalg.norm(corners[0] - corners[2]))
    near = np.linalg.norm(places - corners, axis=1) < 0.08 * size
    return np.where(near[:, None], places, corners)


def _side(grey: Pixels, start: Floats, end: Floats) -> Floats:
    """The homogeneous line through the edge points of one side, fitted twice: the second time close by."""
    line_start, line_end = start, end
    for reach in (0.06, 0.04):
        length = float(np.linalg.norm(line_end - line_start))
        along = (line_end - line_start) / length
        normal = np.array([along[1], -along[0]])
        shares = np.linspace(0.12, 0.88, max(12, int(length)))
        feet = line_start + shares[:, None] * (line_end - line_start)
        offsets = _edge_offsets(grey, feet, normal, max(3.0, reach * length))
        good = np.abs(offsets - np.median(offsets)) < 1.5
        slope, level = np.polyfit(shares[good], offsets[good], 1)
        line_start, line_end = line_start + level * normal, line_end + (level + slope) * normal
    return np.cross([*line_start, 1.0], [*line_end, 1.0])


def _edge_offsets(grey: Pixels, feet: Floats, normal: Floats, reach: float) -> Floats:
    """Where the light is half-way between black and white, by the share of the profile that is white."""
    steps = np.arange(-reach, reach + 0.25, 0.5)
    points = feet[:, None, :] + steps[None, :, None] * normal
    profile = sample(linear(grey), points.reshape(-1, 2)).reshape(len(feet), -1)
    dark = profile[:, :3].mean(axis=1, keepdims=True)
    light = profile[:, -3:].mean(axis=1, keepdims=True)
    share = np.clip((profile - dark) / np.where(np.abs(light - dark) < 1e-3, 1e-3, light - dark), -0.3, 1.3)
    return np.asarray(steps[-1] + 0.25 - share.sum(axis=1) * 0.5, dtype=np.float64)
