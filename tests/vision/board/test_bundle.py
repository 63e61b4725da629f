"""Views solved from cards' crossings alone: numbers in, poses out, no picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from inspect_kit.vision.board.bundle import Bundle, placed, solve_bundle
from inspect_kit.vision.board.cards import SeenCard
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.optics.pose import pixels_of

STANDARD = np.array([0.5, 0.5, 0.5, 0.5, 1e-4, 1e-4, 1e-5, 1e-5, 1e-4])
CAMERA = Camera(4000, 3000, np.array([3000.0, 3000, 2000, 1500, 0, 0, 0, 0, 0]), np.diag(STANDARD**2), "calibration")
GRID = np.array([(x, y) for x in np.arange(-52.5, 53, 21) for y in np.arange(-31.5, 32, 21)])
PLACES = {1: (0.0, 0.0, 0.0), 2: (500.0, 20.0, 0.3), 3: (20.0, 480.0, -1.2), 4: (510.0, 500.0, 2.0)}
POSES = (np.array([3.0, 0.1, 0.1, -240, 230, 1100]), np.array([2.8, -0.2, 0.3, -300, 200, 1200]))


def _seen(pose: np.ndarray, random: np.random.Generator, noise: float) -> tuple[SeenCard, ...]:
    vector = np.concatenate([CAMERA.parameters, pose])
    cards = []
    for number, (x, y, angle) in PLACES.items():
        image = pixels_of(vector, placed(GRID, x, y, angle, 0.12))
        cards.append(SeenCard(number, GRID, image + random.normal(0, noise, image.shape), image[:4]))
    return tuple(cards)


def _solved(photos: int, noise: float = 0.05, seed: int = 0) -> Bundle:
    random = np.random.default_rng(seed)
    return solve_bundle([CAMERA] * photos, [_seen(pose, random, noise) for pose in POSES[:photos]], 1.0)


def _apart(bundle: Bundle) -> float:
    """The distance on the surface between two far points, true 700 mm, as the first photo has it."""
    truth = np.concatenate([CAMERA.parameters, POSES[0]])
    ends = pixels_of(truth, np.array([[-100.0, -100, 0], [-100 + 700 / np.sqrt(2), -100 + 700 / np.sqrt(2), 0]]))
    return float(np.linalg.norm(np.diff(bundle.view(0).on_plane(ends, 0.0)[:, :2], axis=0)))


def test_far_points_are_told_to_a_few_hundredths_of_a_millimetre() -> None:
    assert _apart(_solved(1)) == pytest.approx(700, abs=0.15)


def test_the_corners_noise_is_told() -> None:
    assert _solved(1, 0.2).noise == pytest.approx(0.2, rel=0.35)


def test_photos_of_one_camera_share_its_parameters_and_know_more() -> None:
    one, two = _solved(1), _solved(2)
    assert (two.slots[0][:9] == two.slots[1][:9]).all()
    assert two.pose_covariance[0, 0] <= one.pose_covariance[0, 0] * 1.05


def test_a_corner_taken_wrongly_does_not_move_the_view() -> None:
    random = np.random.default_rng(0)
    cards = list(_seen(POSES[0], random, 0.05))
    wrong = cards[3].image.copy()
    wrong[0] += 15.0
    cards[3] = replace(cards[3], image=wrong)
    assert _apart(solve_bundle([CAMERA], [tuple(cards)], 1.0)) == pytest.approx(700, abs=0.15)


def test_a_print_that_is_too_small_makes_everything_measured_smaller() -> None:
    random = np.random.default_rng(0)
    assert _apart(solve_bundle([CAMERA], [_seen(POSES[0], random, 0.05)], 0.99)) == pytest.approx(693, abs=0.3)
