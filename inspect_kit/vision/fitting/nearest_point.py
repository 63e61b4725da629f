"""Which of some points lies nearest to each of others."""

from __future__ import annotations

import cv2
import numpy as np

from inspect_kit.vision.arrays import Floats, Whole


def nearest_of(points: Floats, among: Floats) -> tuple[Floats, Whole]:
    """For each point the distance of the nearest of the others, and its number."""
    # In single precision, so with coordinates from the middle.
    middle = among.mean(axis=0)
    one, other = (np.ascontiguousarray(each - middle, dtype=np.float32) for each in (points, among))
    apart, index = cv2.batchDistance(one, other, cv2.CV_32F, normType=cv2.NORM_L2, K=1)
    return apart[:, 0].astype(np.float64), index[:, 0].astype(np.intp)
