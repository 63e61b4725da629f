"""Crossings of checkerboards to a fraction of a pixel, and whether a crossing is really seen there."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from inspect_kit.vision.arrays import AnyArray, Floats, Mask, Pixels
from inspect_kit.vision.optics.light import linear
from inspect_kit.vision.reference import tuning

_STEPS: Final = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_COUNT, 40, 0.002)
"""When OpenCV's search for a corner ends: steps, and pixels moved."""
_FIT_ROUNDS: Final = 4
"""Times a crossing's place is fitted, each from where the last one put it."""
_ROW: Final = 16_384
"""Points that OpenCV's remapping takes in a row."""


def refine_crossings(grey: Pixels, guesses: Floats, reach: float) -> tuple[Floats, Mask]:
    """Crossings near the guesses, looking at most `reach` pixels around; and which of them stayed near.

    At a crossing the light is symmetric, so neither blur nor the picture's gamma nor spread ink moves it.
    """
    half = int(np.clip(round(reach), 2, tuning.LARGEST))
    height, width = grey.shape
    inside = np.all((guesses > half + 2) & (guesses < np.array([width, height]) - half - 3), axis=1)
    found = guesses.copy()
    if inside.any():
        start = guesses[inside].astype(np.float32).reshape(-1, 1, 2)
        found[inside] = cv2.cornerSubPix(grey, start, (half, half), (-1, -1), _STEPS).reshape(-1, 2)
    near = np.linalg.norm(found - guesses, axis=1) < max(reach, 2.0)
    return found, np.asarray(inside & near)


def fit_crossings(grey: Pixels, centres: Floats, ways: Floats, reach: float) -> Floats:
    """The same crossings, each fitted as two soft edges that run along known `ways` (two each) through it.

    All the light within `reach` pixels counts, where OpenCV's search weighs the steepest most: in a grainy photo the
    scatter is half as large. A crossing that would move by more than a pixel is left where it is.
    """
    half = int(reach)
    first = np.round(centres).astype(int)
    grid = np.array([(x, y) for y in range(-half, half + 1) for x in range(-half, half + 1) if np.hypot(x, y) <= reach])
    at = np.clip(first[:, None, :] + grid, 0, np.array(grey.shape[::-1]) - 1)
    light = grey[at[:, :, 1], at[:, :, 0]].astype(np.float64)
    normals = np.stack([-ways[:, :, 1], ways[:, :, 0]], axis=2) / np.linalg.norm(ways, axis=2)[:, :, None]
    found = centres
    for _ in range(_FIT_ROUNDS):
        away = np.einsum("npc,nkc->nkp", first[:, None, :] + grid - found[:, None, :], normals)
        edges = np.tanh(away / tuning.CROSSING_SOFT)
        # How the crossing's light moves with its place: each edge's slope times the other edge.
        slopes = np.einsum("nkp,nkc->ncp", (1 - edges**2) * edges[:, ::-1], normals) / tuning.CROSSING_SOFT
        design = np.stack([np.ones_like(light), edges[:, 0] * edges[:, 1], -slopes[:, 0], -slopes[:, 1]], axis=2)
        across = design.transpose(0, 2, 1)
        answer = np.linalg.solve(across @ design + 1e-9 * np.eye(4), across @ light[:, :, None])[:, :, 0]
        contrast = np.where(np.abs(answer[:, 1:2]) < 1.0, np.inf, answer[:, 1:2])
        found = found + np.clip(answer[:, 2:] / contrast, -0.5, 0.5)
    near = np.linalg.norm(found - centres, axis=1) < 1.0
    return np.where(near[:, None], found, centres)


def is_crossing(grey: Pixels, centres: Floats, arms: Floats) -> Mask:
    """Whether two opposite quadrants are dark, the others light; `arms` are two half-diagonals each, in pixels."""
    points = np.stack([centres + arms[:, 0], centres + arms[:, 1], centres - arms[:, 0], centres - arms[:, 1]], axis=1)
    values = sample(grey, points.reshape(-1, 2)).reshape(-1, 4)
    first, second = values[:, [0, 2]], values[:, [1, 3]]
    gap = np.abs(first.mean(axis=1) - second.mean(axis=1))
    unlike = np.maximum(np.abs(np.diff(first)).ravel(), np.abs(np.diff(second)).ravel())
    return np.asarray((gap > tuning.LEAST_CONTRAST) & (unlike < 0.6 * gap))


def sample(picture: AnyArray, points: Floats) -> Floats:
    """Values between the pixels, linearly; the picture's border goes on outside."""
    # OpenCV takes no row of 32,768 places, so they are laid out in several.
    rows = -(-len(points) // _ROW) or 1
    wanted = np.zeros((rows * _ROW if rows > 1 else len(points), 2), np.float32)
    wanted[: len(points)] = points
    across, down = (wanted[:, axis].reshape(rows, -1) for axis in (0, 1))
    values = cv2.remap(picture, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(values.reshape(len(wanted), *values.shape[2:])[: len(points)], dtype=np.float64)


# The outer corners of a single marker: straight lines through its sub-pixel edges, and where they meet.


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
