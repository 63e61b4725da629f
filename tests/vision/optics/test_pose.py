"""Cameras that nobody calibrated and that noted nothing: what a single photo of a sheet tells of them, and what not."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.vision.optics.camera import guessed, project
from inspect_kit.vision.optics.pose import Known, View, fit_view, rotation_of

SIZE = (4000, 3000)
GRID = np.array([[12.5 * i, 12.5 * j, 0.0] for i in range(-8, 9) for j in range(-6, 7) if max(abs(i), abs(j)) > 5])


def _seen(share: float, tilt: float, seed: int = 1) -> View:
    """A frame of corners seen by a camera of this focal length (share of the longer side) from 16 pixels a mm."""
    focal = share * SIZE[0]
    lens = np.array([focal, focal, 1999.5, 1499.5, 0.02 / max(1, share) ** 2, 0, 0, 0, 0])
    turn = rotation_of(np.array([np.pi + tilt, 0.1 * tilt, 0.05]))
    points = GRID @ turn.T + [2.0, 3.0, focal / 14]
    image = project(lens, points) + np.random.default_rng(seed).normal(0, 0.05, (len(GRID), 2))
    return fit_view(guessed(*SIZE, None), Known(GRID, image, 12.5))


@pytest.mark.parametrize("share", [0.72, 0.9, 1.4, 2.2, 3.0])
def test_an_oblique_view_tells_the_focal_length(share: float) -> None:
    view = _seen(share, 0.4)
    assert view.lens[0] / SIZE[0] == pytest.approx(share, rel=0.05)
    assert abs(view.lens[0] / SIZE[0] - share) < 3 * np.sqrt(view.covariance[0, 0]) / SIZE[0]


@pytest.mark.parametrize("share", [0.65, 0.8, 1.3, 2.6])
def test_from_straight_above_it_stays_open_and_the_covariance_says_so(share: float) -> None:
    view = _seen(share, 0.01)
    standard = np.sqrt(view.covariance[0, 0]) / SIZE[0]
    assert standard > 0.08
    assert abs(view.lens[0] / SIZE[0] - share) < 4 * standard


def test_the_height_of_the_camera_is_never_absurd() -> None:
    for seed in range(5):
        view = _seen(2.9, 0.03, seed)
        assert 0.4 < view.lens[0] / SIZE[0] < 4.5


def test_a_square_seen_from_exactly_above_is_placed() -> None:
    """The plane's own solver turns it by half a circle."""
    corners = np.array([[-370.0, 370, 0], [370, 370, 0], [370, -370, 0], [-370, -370, 0]])
    image = np.array([[-400.0, -400], [400, -400], [400, 400], [-400, 400]]) + 499.5
    view = fit_view(guessed(1000, 1000, 900.0), Known(corners, image, 740.0))
    assert view.centre == pytest.approx([0, 0, 900 * 740 / 800], rel=0.05, abs=20)
