"""Looks of makers that were once taken for something else: one wood all around, rings around discs, one disc for two."""

from __future__ import annotations

import numpy as np

from inspect_kit.vision.board.features import common_radius
from inspect_kit.vision.board.layout import CIRCLES
from inspect_kit.vision.board.uncarded import find_surface


def test_wood_that_reaches_the_pictures_border_on_all_sides_is_no_surface() -> None:
    """Surface, frame and table of one wood: its corners would be the picture's own."""
    grain = np.random.default_rng(2).normal(0, 2.0, (600, 700, 1))
    wood = np.clip(np.array([205.0, 170.0, 120.0]) + grain, 0, 255).astype(np.uint8)
    assert find_surface(wood) is None


def test_an_even_area_with_a_frame_around_it_is_the_surface() -> None:
    picture = np.full((600, 700, 3), 40, np.uint8)
    picture[100:500, 150:550] = (205, 170, 120)
    found = find_surface(picture)
    assert found is not None
    assert np.abs(found - np.array([[150, 100], [549, 100], [549, 499], [150, 499]])).max() < 4


def test_of_two_rings_the_outer_one_is_meant_even_if_only_half_of_the_discs_show_it() -> None:
    rings = {name: [(11.0, 11.8), (12.6, 13.7), *([(14.5, 15.1)] if number < 5 else [])]
             for number, name in enumerate(CIRCLES)}  # fmt: skip
    assert abs(common_radius(rings, 0.0) - 15.1) < 0.1


def test_rings_that_touch_the_base_lines_are_meant_rather_than_larger_ones() -> None:
    rings = {name: [(14.2, 15.0), (18.0, 19.0)] for name in CIRCLES}
    assert abs(common_radius(rings, 15.2) - 15.0) < 0.1


def test_without_any_ring_alike_there_is_no_common_radius() -> None:
    rings = {name: [(11.0, 12.0 + 2.5 * number)] for number, name in enumerate(CIRCLES)}
    assert common_radius(rings, 0.0) == 0.0
