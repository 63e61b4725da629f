"""The outline of a solid disc against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.vision.disc.solid import Solid, outline, solid_of, surface_slopes


@pytest.mark.parametrize("camera", [(0, 0, 400), (200, 50, 400), (14.9, 0, 300), (-250, 250, 300)])
@pytest.mark.parametrize("rim", [0.0, 0.4, 1.5])
def test_the_outline_of_a_solid_is_the_hull_of_its_surface(camera: tuple[float, float, float], rim: float) -> None:
    solid, eye = Solid(3, 4, 15, 8, rim), np.array(camera, dtype=float)
    around = np.linspace(0, 2 * np.pi, 3000)
    rows = []
    for rise in np.linspace(-np.pi / 2, np.pi / 2, 301):
        level = (8 - rim if rise > 0 else rim) + rim * np.sin(rise)
        reach = 15 - rim + rim * np.cos(rise)
        rows.append(np.column_stack([3 + reach * np.cos(around), 4 + reach * np.sin(around), 0 * around + level]))
    hull, seen = (_on_table(points, eye) for points in (np.concatenate(rows), outline(solid, eye, around)))
    for angle in np.linspace(0, 2 * np.pi, 60):
        way = np.array([np.cos(angle), np.sin(angle)])
        assert (seen @ way).max() == pytest.approx((hull @ way).max(), abs=2e-4)


def _on_table(points: np.ndarray, eye: np.ndarray) -> np.ndarray:
    return eye[:2] + (points[:, :2] - eye[:2]) * (eye[2] / (eye[2] - points[:, 2]))[:, None]


def test_a_rounded_rim_hides_what_the_formula_says() -> None:
    """Seen at angle a, the outline is smaller by r (1 + tan a − 1 / cos a)."""
    angle, far = 0.4, 1e7
    eye = np.array([far * np.sin(angle), 0, far * np.cos(angle)])
    near = outline(Solid(0, 0, 15, 8, 1.5), eye, np.array([0.0]))
    edge = near[0, 0] - near[0, 2] * np.tan(angle)
    assert 15 - edge == pytest.approx(1.5 * (1 + np.tan(angle) - 1 / np.cos(angle)), abs=1e-4)


@pytest.mark.parametrize("rim", [0.3, 1.5])
def test_the_outline_moves_as_the_surface_does(rim: float) -> None:
    """Sliding along the surface does not move an outline across itself: the touching plane moves with the surface."""
    solid, eye = Solid(3, 4, 15, 8, rim), np.array([90.0, 40.0, 400.0])
    around = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    points = outline(solid, eye, around)
    along = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    planes = np.cross(points - eye, along)
    planes /= np.linalg.norm(planes, axis=1)[:, None]
    for index in range(5):
        step = np.eye(5)[index] * 1e-5
        moved = (
            outline(solid_of(solid.vector + step), eye, around) - outline(solid_of(solid.vector - step), eye, around)
        ) / 2e-5
        claimed = surface_slopes(solid, eye, around)[:, :, index]
        assert np.abs(((moved - claimed) * planes).sum(axis=1)).max() < 0.03
