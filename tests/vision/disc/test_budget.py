"""What the light at an edge adds to a diameter's uncertainty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from inspect_kit.vision.disc.fit import Disc
from inspect_kit.vision.disc.measure import _light_part, _shape_part
from inspect_kit.vision.disc.solid import Solid


def _disc(contrast: float, outwards: float) -> Disc:
    """A disc of which a third of the outline shows a second edge this much further out."""
    around = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    deviations = np.where(np.arange(90) % 3 == 0, outwards, 0.02 * np.sin(7 * around))
    return Disc(
        Solid(0, 0, 15, 8, 0.5), 0.01, 0.0, 0.0, np.zeros(15), 8.0, 0.8, 1.0, contrast, 0.2, around, deviations, 0.3,
        np.zeros((90, 2)), np.zeros(2),
    )  # fmt: skip


def test_of_a_piece_as_bright_as_the_mat_both_outlines_are_covered() -> None:
    assert 2 * _light_part(_disc(0.06, 0.2)) > 0.4
    assert _light_part(_disc(0.06, 0.0)) < 0.6 * _light_part(_disc(0.06, 0.2))


def test_beside_a_clear_edge_a_second_one_further_out_is_a_shadow() -> None:
    assert _light_part(_disc(0.4, 0.2)) == pytest.approx(_light_part(_disc(0.4, 0.0)))


def test_a_wall_that_bulges_below_its_rim_is_within_three_u() -> None:
    """By 0.06 mm a side, as path-traced strikers by another hand have it: from above only the rim is seen."""
    assert 3 * _shape_part(_disc(0.4, 0.0)) >= 0.12


def test_a_thin_coin_has_no_wall_to_bulge() -> None:
    thin = replace(_disc(0.4, 0.0), solid=Solid(0, 0, 12, 2, 0.3))
    assert _shape_part(thin) <= 0.01
