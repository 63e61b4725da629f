"""A coin as the reference, from outlines that were computed, without any photo."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from inspect_kit.vision.arrays import Floats
from inspect_kit.vision.disc.coin_reference import CoinScene, coin_view, first_view
from inspect_kit.vision.disc.fit import Disc
from inspect_kit.vision.disc.solid import Solid, elevations, outline
from inspect_kit.vision.optics.camera import guessed
from inspect_kit.vision.optics.pose import View, pixels_of
from inspect_kit.vision.reference.everyday import COINS

CAMERA = guessed(1600, 1200, None)
AROUND = np.linspace(0, 2 * np.pi, 96, endpoint=False)
SIZES = (25.75, 20.0, 20.0, 22.0, 24.0)
SPREAD = ((0, 0), (-70, -45), (70, -45), (-70, 45), (70, 45))
"""mm, places over the whole picture."""


def _leaning(degrees: float) -> Floats:
    """Camera and pose, 240 mm above the table."""
    turned = cv2.Rodrigues(np.array([np.radians(degrees), 0.0, 0.0]))[0] @ cv2.Rodrigues(np.array([np.pi, 0.0, 0.0]))[0]
    return np.concatenate([CAMERA.parameters, cv2.Rodrigues(turned)[0].ravel(), [0.0, 0.0, 240.0]])


def _sketched(start: View, vector: Floats, solid: Solid, hidden: float) -> Disc:
    """What a view from straight above makes of a piece, the foot of whose wall is seen so many mm too high."""
    centre = View(CAMERA, vector, start.covariance, start.pose_covariance, 0.1, 0, 0).centre
    points = outline(solid, centre, AROUND)
    points[:, 2] += hidden * elevations(solid, centre, AROUND)[1]
    flat = start.on_plane(pixels_of(vector, points), 0.2)
    middle = flat.mean(axis=0)
    reach = np.linalg.norm(flat - middle, axis=1)
    seen = Solid(middle[0], middle[1], float(reach.mean()), 0.2, 0.0)
    turns = np.arctan2(flat[:, 1] - middle[1], flat[:, 0] - middle[0])
    return Disc(
        seen, 0.02, 0, 0, np.zeros(15), 8.0, 0.5,
        turns, reach - seen.radius, 0.1, np.zeros((0, 2)), start.pixels(seen.centre[None])[0],
    )  # fmt: skip


def _scene(places: tuple[tuple[int, int], ...], degrees: float, hidden: float) -> CoinScene:
    start, vector = first_view(CAMERA, 240.0), _leaning(degrees)
    solids = (Solid(x, y, size / 2, 2.2, 0.3) for (x, y), size in zip(places, SIZES, strict=False))
    discs = tuple(_sketched(start, vector, solid, hidden) for solid in solids)
    return CoinScene(start, discs, 0, COINS["2eur"], (2.2, 0.1))


def test_a_piece_that_is_oval_is_not_called_round() -> None:
    """An outline squashed by light looks the same, so that its form is put down to the piece."""
    scene = _scene(SPREAD, 0.0, 0.0)
    sketch = scene.discs[1]
    oval = replace(sketch, deviations=sketch.deviations + 0.15 * np.cos(2 * sketch.azimuths))
    _, _, discs = coin_view(CAMERA, replace(scene, discs=(scene.discs[0], oval, *scene.discs[2:])))
    seen = np.isfinite(discs[0].deviations)
    assert np.ptp(discs[0].deviations[seen]) > 0.2


def _by_view(scene: CoinScene) -> tuple[Floats, Floats]:
    """Diameters, and what the view leaves open of them, standard."""
    view, _, discs = coin_view(CAMERA, scene)
    spread = [2 * float(disc.by_view @ view.covariance @ disc.by_view) ** 0.5 for disc in discs]
    return np.array([2 * disc.solid.radius for disc in discs]), np.array(spread)


@pytest.mark.parametrize("hidden", [0.0, 1.8])
def test_outlines_all_over_a_picture_tell_its_lean_whether_feet_are_seen_or_not(hidden: float) -> None:
    """Coins leaned by 5 degrees; a straight view would be 0.5 mm off, and so was one that believed in every foot."""
    found, spread = _by_view(_scene(SPREAD, 5.0, hidden))
    assert np.abs(found - SIZES[1:]).max() < 0.15
    assert spread.max() < 0.3


def test_a_lone_piece_beside_the_coin_tells_less_of_the_lean_and_u_says_so() -> None:
    lone = ((-30, 0), (40, 0))
    among = (*lone, (70, -45), (-70, 45), (70, 45))
    assert _by_view(_scene(lone, 0.0, 0.0))[1][0] > 1.3 * _by_view(_scene(among, 0.0, 0.0))[1][0]
