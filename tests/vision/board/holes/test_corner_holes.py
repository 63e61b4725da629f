"""Four alike pockets of any size and look near a surface's corners, on plans without a photo."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from inspect_kit.vision.board.holes.corner_holes import find_corner_holes
from inspect_kit.vision.board.layout import CORNERS, TOWARDS, Placement
from inspect_kit.vision.board.locate import Mosaic

WOOD, BLACK, BLUE, PALE = (0.7, 0.5, 0.3), (0.015, 0.015, 0.015), (0.02, 0.1, 0.4), (0.5, 0.4, 0.3)
HERE = Placement(0.0, 0.0, 0.0)


def _plan(radius: float, inset: float, net: tuple[float, float, float], frame: tuple[float, float, float]) -> Mosaic:
    """A surface of 740 mm in its frame, pockets so large and so far off the walls, every net lit by half, with meshes."""
    light = np.tile(np.array(frame, np.float32), (860, 860, 1))
    light[60:800, 60:800] = WOOD
    plan = Mosaic(light, np.ones((860, 860), dtype=bool), -430.0, 430.0, 1.0)
    across, down = np.meshgrid(np.arange(860), np.arange(860))
    for corner in CORNERS:
        x, y = plan.pixel(np.array(TOWARDS[corner])[None] * (370 - inset - radius))[0]
        hole = np.hypot(across - x, down - y) < radius
        threads = 0.4 + 0.6 * ((across // 3 + down // 3) % 2) * (1 - 0.6 * (across > x))
        light[hole] = (np.array(net) * threads[:, :, None])[hole]
    return plan


@pytest.mark.parametrize("net", [BLACK, BLUE, PALE], ids=["black", "blue", "pale"])
@pytest.mark.parametrize("frame", [BLACK, (0.22, 0.01, 0.02)], ids=["black frame", "red frame"])
@pytest.mark.parametrize(("radius", "inset"), [(18.0, 3.0), (22.3, 0.0), (31.0, 8.0), (40.0, 1.0)])
def test_pockets_of_any_size_and_net_are_found_together(
    radius: float, inset: float, net: tuple[float, float, float], frame: tuple[float, float, float]
) -> None:
    found = find_corner_holes(_plan(radius, inset, net, frame), HERE)
    assert found.clear
    for corner, (x, y, size) in found.circles.items():
        assert np.hypot(*(np.array([x, y]) - np.array(TOWARDS[corner]) * (370 - inset - radius))) < 4
        assert abs(size - radius) < 3.5


def test_a_covered_pocket_does_not_hide_the_other_three() -> None:
    plan = _plan(33.0, 4.0, BLUE, BLACK)
    cv2.circle(plan.light, (100, 100), 60, WOOD, -1)
    found = find_corner_holes(plan, HERE)
    assert found.clear
    assert found.clarity["nw"] < 0.3
    assert found.clarity["se"] > 0.7


def test_a_surface_without_holes_has_no_pockets() -> None:
    light = np.tile(np.array(WOOD, np.float32), (860, 860, 1))
    light[:60] = light[800:] = light[:, :60] = light[:, 800:] = BLACK
    assert not find_corner_holes(Mosaic(light, light[:, :, 0] > 0, -430.0, 430.0, 1.0), HERE).clear
