"""Circles and minimum zones against reference data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from inspect_kit.vision.fitting.circle import Circle, Unfit, fit_circle
from inspect_kit.vision.fitting.minimum_zone import minimum_zone

SETS = json.loads((Path(__file__).parents[2] / "published" / "nist_circles.json").read_text())["sets"]


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
