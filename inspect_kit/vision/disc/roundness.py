"""How round a disc is: the minimum zone of its outline, slow undulations only, less what the edge's noise feigns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.disc.fit import Disc
from inspect_kit.vision.fitting.minimum_zone import minimum_zone

UNDULATIONS: Final = 15
"""Waves per turn that are kept (a filter of 15 UPR, as roundness gauges have it)."""
_POINTS: Final = 72
"""Points of the outline whose zone is sought: more than twice the waves kept."""
_SETTLED: Final = 1e-5
"""mm, far below what a photo tells."""


@dataclass(frozen=True)
class Roundness:
    """Minimum-zone radial width in mm and its standard uncertainty."""

    value: float
    standard: float


def roundness_of(disc: Disc, scale: float, shade: float = 0.0) -> Roundness:
    """Roundness of a fitted disc; lines without an edge are bridged. Light and shadow that may move the edge (`shade`,
    mm, standard, of the diameter) move it on one side and not on the other, which no averaging takes off."""
    seen = np.isfinite(disc.deviations)
    around = np.linspace(0, 2 * np.pi, _POINTS, endpoint=False)
    if seen.sum() < _POINTS // 3:
        return Roundness(0.0, 1.0 / disc.resolution)
    bridged = np.interp(disc.azimuths, disc.azimuths[seen], disc.deviations[seen], period=2 * np.pi)
    profile = _filtered(bridged, around)
    radius = disc.solid.radius + profile
    points = np.column_stack([radius * np.cos(around), radius * np.sin(around)])
    width = minimum_zone(points, _SETTLED) or 0.0
    noise = disc.scatter / disc.resolution * np.sqrt((2 * UNDULATIONS + 1) / max(int(seen.sum()), 31))
    # About thirty independent waves of noise span four of their deviations; that is taken off in squares.
    value = float(np.sqrt(max(width**2 - (4 * noise) ** 2, 0.0)))
    standard = float(np.linalg.norm([1.5 * noise, 0.1 / disc.resolution, shade]))
    return Roundness(value * scale, standard * scale)


def _filtered(values: Floats, around: Floats) -> Floats:
    waves = np.fft.rfft(values) / len(values)
    kept = min(UNDULATIONS, len(waves) - 1)
    result = np.full(len(around), waves[0].real)
    for wave in range(1, kept + 1):
        result = result + 2 * (waves[wave].real * np.cos(wave * around) - waves[wave].imag * np.sin(wave * around))
    return result
