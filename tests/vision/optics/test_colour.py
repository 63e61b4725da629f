"""White as the reference shows it, in places whose light is known."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.vision.optics.colour import White

PLACES = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0], [100.0, 100.0]])


def test_even_light_is_the_same_everywhere() -> None:
    white = White(PLACES, np.tile([0.8, 0.7, 0.5], (4, 1)))
    for pixel in ([0.0, 0.0], [50.0, 50.0], [400.0, -20.0]):
        assert white.near(np.array(pixel)) == pytest.approx([0.8, 0.7, 0.5])


def test_uneven_light_is_taken_from_near_by_and_never_from_beyond_what_was_seen() -> None:
    light = np.tile(np.array([0.9, 0.5, 0.9, 0.5])[:, None], (1, 3))
    white = White(PLACES, light)
    left, right = white.near(np.array([5.0, 50.0])), white.near(np.array([95.0, 50.0]))
    assert (left > right).all()
    for pixel in ([-300.0, 50.0], [500.0, 50.0]):
        assert (white.near(np.array(pixel)) <= 0.9).all()
        assert (white.near(np.array(pixel)) >= 0.5).all()


def test_at_one_of_the_places_no_division_fails() -> None:
    white = White(PLACES, np.full((4, 3), 0.6))
    assert np.isfinite(white.near(PLACES[0])).all()
