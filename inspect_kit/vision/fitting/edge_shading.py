"""How light falls off towards a rounded outline, by the surface's normal along the lines across it.

A matt surface sends back light by its normal, whatever lamp and sky are: a + b·n_z + c·n_r. At a rounded rim the
normal turns from up to outwards within the rim's radius, so a white piece ends in a dark seam that looks like ground.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inspect_kit.vision.arrays import Floats, Whole


@dataclass(frozen=True)
class Shading:
    """1 − n_z and n_r on each line, at depths of a quarter pixel inside the outline: lines × depths."""

    depths: Floats
    fallen: Floats
    outward: Floats

    def part(self, lines: Whole) -> Shading:
        """Some of the lines."""
        return Shading(self.depths, self.fallen[lines], self.outward[lines])


def blurred(amount: Floats, depths: Floats, blur: float, places: Floats) -> Floats:
    """A quantity inside the outline, seen through a Gaussian blur, at places outwards from it (n × places)."""
    step = float(depths[1] - depths[0])
    kernel = np.exp(-0.5 * ((places[None, :] + depths[:, None]) / blur) ** 2) * step / (blur * np.sqrt(2 * np.pi))
    return np.asarray(amount @ kernel)
