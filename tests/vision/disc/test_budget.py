"""What the light at an edge adds to a diameter's uncertainty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from inspect_kit.vision.disc.coin_reference import first_view
from inspect_kit.vision.disc.fit import Disc, Shape
from inspect_kit.vision.disc.measure import DiscRequest, _light_part, _spotted
from inspect_kit.vision.disc.solid import Solid
from inspect_kit.vision.optics.camera import guessed
from inspect_kit.vision.reference.wanted import Reference

_REQUEST = DiscRequest(Reference("auto"), (1.0, 0.0), Shape(8.0, 0.1, 0.5, 0.1), (20.0, 60.0))


def _disc(contrast: float, outwards: float) -> Disc:
    """A disc of which a third of the outline shows a second edge this much further out."""
    around = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    deviations = np.where(np.arange(90) % 3 == 0, outwards, 0.02 * np.sin(7 * around))
    return Disc(
        Solid(0, 0, 15, 8, 0.5), 0.01, 0.0, 0.0, np.zeros(15), 8.0, contrast, around, deviations, 0.3,
        np.zeros((90, 2)), np.zeros(2),
    )  # fmt: skip


def test_of_a_piece_as_bright_as_the_mat_both_outlines_are_covered() -> None:
    assert 2 * _light_part(_disc(0.06, 0.2)) > 0.4
    assert _light_part(_disc(0.06, 0.0)) < 0.6 * _light_part(_disc(0.06, 0.2))


def test_beside_a_clear_edge_a_second_one_further_out_is_a_shadow() -> None:
    assert _light_part(_disc(0.4, 0.2)) == pytest.approx(_light_part(_disc(0.4, 0.0)))


def test_light_that_scatters_the_edges_has_moved_all_of_them() -> None:
    clear = _disc(0.4, 0.0)
    assert _light_part(replace(clear, scatter=0.6)) > 1.7 * _light_part(clear)
    assert _light_part(replace(clear, scatter=0.0)) > 0


def test_a_dark_rim_that_mirrors_the_mat_is_covered() -> None:
    """Path-traced black lacquer as bright as the mat was 0.70 mm (6 u) too small: its face's edge was measured."""
    lacquer = replace(_disc(0.096, 0.0), solid=Solid(0, 0, 15, 8, 1.14))
    assert 4 * _light_part(lacquer) > 0.7


@pytest.mark.parametrize(("thickness", "wall"), [(8.0, 0.12), (2.0, 0.03)])
def test_expanded_uncertainty_reaches_a_wall_that_bulges_below_its_rim(thickness: float, wall: float) -> None:
    """By 0.06 mm a side on 8 mm, as path-traced strikers by another hand have it: from above only the rim is seen."""
    disc = replace(_disc(0.4, 0.0), solid=Solid(0, 0, 15, thickness, 0.5))
    spotted = _spotted(disc, first_view(guessed(1600, 1200, None), 230.0), _REQUEST, 0.15)
    assert 2 * spotted.diameter.part("hidden wall") == pytest.approx(wall)


def test_on_a_table_light_and_shadow_move_an_edge_more_than_on_a_printed_sheet() -> None:
    """Four path-traced coins beside a card were 0.33 mm too large."""
    view, disc = first_view(guessed(1600, 1200, None), 230.0), _disc(0.4, 0.0)
    on_table = _spotted(disc, view, replace(_REQUEST, reference=Reference("card")), 0.15)
    assert on_table.diameter.standard > 1.1 * _spotted(disc, view, _REQUEST, 0.15).diameter.standard
