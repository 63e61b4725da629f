"""Fits and solids against reference data and against brute force."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from inspect_kit.vision.disc.solid import Solid, outline, solid_of, surface_slopes
from inspect_kit.vision.fitting.circle import Circle, Unfit, fit_circle
from inspect_kit.vision.fitting.roundness import minimum_zone

SETS = json.loads((Path(__file__).parents[1] / "published" / "nist_circles.json").read_text())["sets"]


@pytest.mark.parametrize("name", SETS)
def test_the_circle_fit_agrees_with_the_reference_to_a_nanometre(name: str) -> None:
    given = SETS[name]
    circle = fit_circle(np.array(given["points"], dtype=float))
    assert isinstance(circle, Circle)
    x, y = (float(value) for value in given["reference_center"])
    found = (circle.x, circle.y, 2 * circle.radius)
    assert found == pytest.approx((x, y, float(given["reference_diameter"])), abs=1e-6, rel=0)


def test_the_minimum_zone_agrees_with_linear_programmes_from_many_starts() -> None:
    known = {name: given for name, given in SETS.items() if given.get("derived_form")}
    assert len(known) >= 6
    for given in known.values():
        width = minimum_zone(np.array(given["points"], dtype=float))
        assert width == pytest.approx(given["derived_form"]["mzc_ront"], abs=1e-9)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((2, 2)),
        np.zeros((5, 2)),
        np.column_stack([np.arange(9.0), 2 * np.arange(9.0)]),
        np.full((4, 2), np.nan),
    ],
)
def test_points_on_no_circle_are_unfit_with_a_reason(points: np.ndarray) -> None:
    result = fit_circle(points)
    assert isinstance(result, Unfit)
    assert result.reason


def test_the_covariance_of_a_circle_tells_its_scatter() -> None:
    random = np.random.default_rng(3)
    angles = np.linspace(0, np.pi, 60)
    misses = []
    for _ in range(300):
        points = 20 * np.column_stack([np.cos(angles), np.sin(angles)]) + random.normal(0, 0.05, (60, 2))
        circle = fit_circle(points)
        assert isinstance(circle, Circle)
        misses.append((circle.radius - 20) / np.sqrt(circle.covariance[2, 2]))
    assert 0.85 < np.std(misses) < 1.15


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
