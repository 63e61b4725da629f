"""Where light changes steeply along lines across an outline, and what is steep enough to be an edge."""

from __future__ import annotations

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Mask
from inspect_kit.vision.fitting.edge_step import STEP, Profiles


def steepness(profile: Profiles, smooth: float = 0.8) -> Floats:
    """How steeply the light changes along each line, all colours together, as the eye (and the noise) counts it.

    `smooth` is the blur along the lines in pixels.
    """
    soft = cv2.GaussianBlur(profile.codes.astype(np.float32), (0, 0), smooth / STEP, sigmaY=0.7)
    return np.asarray(np.linalg.norm(np.gradient(soft.astype(np.float64), axis=1), axis=2), dtype=np.float64)


def peaks_of(slope: Floats) -> Mask:
    """Places steeper than their neighbours on the line."""
    peak = (slope >= np.roll(slope, 1, axis=1)) & (slope > np.roll(slope, -1, axis=1))
    peak[:, :2] = peak[:, -2:] = False
    return np.asarray(peak)


def significant(profile: Profiles, slope: Floats, outside: float) -> float:
    """What is steeper than the ground's own texture, which the outer ends of the lines show (or, where an edge lies
    just there, the whole lines), and not much less steep than the steepest edges here."""
    ground = slope[:, profile.steps > profile.steps[-1] - max(outside, 2.0)]
    texture = min(float(np.median(ground)), float(np.median(slope)))
    return max(3.0 * texture, 0.15 * float(np.median(slope.max(axis=1))), 0.002)
