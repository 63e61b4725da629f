"""Crossings and marker corners on drawings whose places are known, without any scene."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from inspect_kit.vision.optics.light import encoded
from inspect_kit.vision.reference.corners import is_crossing, refine_crossings, refine_marker, sample

FINE = 16
"""Sub-pixels a pixel that the drawings are made with."""
ARMS = np.array([[[6.0, 6.0], [6.0, -6.0]]])


def _drawn(dark: np.ndarray, blur: float = 0.9) -> np.ndarray:
    """A mask in sub-pixels as a grey picture."""
    light = cv2.resize(
        np.where(dark, 0.05, 0.9).astype(np.float32), None, fx=1 / FINE, fy=1 / FINE, interpolation=cv2.INTER_AREA
    )
    return np.round(encoded(cv2.GaussianBlur(light, (0, 0), blur)) * 255).astype(np.uint8)


def _grid(size: int) -> tuple[np.ndarray, np.ndarray]:
    places = (np.arange(size * FINE) + 0.5) / FINE - 0.5
    across, down = np.meshgrid(places, places)
    return across, down


def _crossing(x: float, y: float, turned: float) -> np.ndarray:
    across, down = _grid(60)
    c, s = np.cos(turned), np.sin(turned)
    return _drawn(((across - x) * c + (down - y) * s > 0) ^ ((down - y) * c - (across - x) * s > 0))


@pytest.mark.parametrize(("x", "y", "turned"), [(30.0, 30.0, 0.0), (29.3, 31.7, 0.2), (30.45, 28.8, -0.6)])
def test_a_crossing_is_found_to_a_thirtieth_of_a_pixel(x: float, y: float, turned: float) -> None:
    found, near = refine_crossings(_crossing(x, y, turned), np.array([[31.0, 30.0]]), 6.0)
    assert near.all()
    assert found[0] == pytest.approx([x, y], abs=0.033)


def test_a_guess_at_the_picture_s_border_stays_and_is_not_called_near() -> None:
    found, near = refine_crossings(_crossing(30, 30, 0), np.array([[3.0, 30.0]]), 6.0)
    assert not near.any()
    assert found[0] == pytest.approx([3.0, 30.0])


def test_only_two_dark_quarters_opposite_each_other_are_a_crossing() -> None:
    centre = np.array([[30.0, 30.0]])
    across, down = _grid(60)
    assert is_crossing(_crossing(30, 30, 0), centre, ARMS).all()
    assert not is_crossing(_drawn(across > 30), centre, ARMS).any(), "a straight edge"
    assert not is_crossing(_drawn((across > 30) & (down > 30)), centre, ARMS).any(), "one corner"
    assert not is_crossing(_drawn(across > 99), centre, ARMS).any(), "plain paper"


@pytest.mark.parametrize("turned", [0.0, 0.3])
def test_a_marker_s_corners_are_those_of_its_square_though_blur_rounds_them(turned: float) -> None:
    across, down = _grid(100)
    c, s = np.cos(turned), np.sin(turned)
    u, v = (across - 50.2) * c + (down - 49.6) * s, (down - 49.6) * c - (across - 50.2) * s
    square = np.array([[-25, -25], [25, -25], [25, 25], [-25, 25.0]]) @ np.array([[c, s], [-s, c]]) + [50.2, 49.6]
    found = refine_marker(_drawn((np.abs(u) < 25) & (np.abs(v) < 25), blur=1.2), square + np.array([0.8, -0.5]))
    assert np.abs(found - square).max() < 0.12


def test_values_between_pixels_are_linear_and_the_border_goes_on() -> None:
    ramp = np.tile(np.arange(10, dtype=np.float32), (5, 1))
    assert sample(ramp, np.array([[2.25, 1.0], [-4.0, 2.0], [40.0, 2.0]])) == pytest.approx([2.25, 0.0, 9.0], abs=0.01)


def test_more_points_than_opencv_takes_in_a_row_are_sampled_all() -> None:
    ramp = np.tile(np.arange(10, dtype=np.float32), (5, 1))
    assert sample(ramp, np.tile([[3.0, 1.0]], (40_000, 1))) == pytest.approx(np.full(40_000, 3.0))
