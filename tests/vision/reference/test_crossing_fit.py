"""Crossings of a checkerboard in a grainy photo: the fit of both edges scatters less than OpenCV's search."""

from __future__ import annotations

import cv2
import numpy as np

from inspect_kit.vision.reference.corners import fit_crossings, refine_crossings

FINE = 8
"""Each pixel is drawn as so many squared."""


def _crossing(place: np.ndarray, noise: np.random.Generator) -> np.ndarray:
    """41 × 41 pixels around a crossing that is turned by ten degrees, blurred and grainy."""
    at = (np.arange(41 * FINE) + 0.5) / FINE - 0.5
    x, y = np.meshgrid(at - place[0], at - place[1])
    c, s = np.cos(np.radians(10.0)), np.sin(np.radians(10.0))
    dark = (x * c + y * s > 0) == (y * c - x * s > 0)
    light = np.where(dark, 40.0, 210.0).reshape(41, FINE, 41, FINE).mean(axis=(1, 3))
    return np.clip(cv2.GaussianBlur(light, (0, 0), 0.8) + noise.normal(0, 8.0, light.shape), 0, 255).astype(np.uint8)


def test_a_fitted_crossing_has_no_bias_and_less_scatter_than_opencvs() -> None:
    noise = np.random.default_rng(5)
    turn = np.radians(10.0)
    ways = np.array([[[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]])
    errors = []
    for _ in range(120):
        place = 20.0 + noise.uniform(-0.5, 0.5, 2)
        grey = _crossing(place, noise)
        first, good = refine_crossings(grey, np.round(place)[None], 7.0)
        assert good.all()
        errors.append((first[0] - place, fit_crossings(grey, first, ways, 7.0)[0] - place))
    searched, fitted = np.array(errors).transpose(1, 0, 2)
    assert np.abs(fitted.mean(axis=0)).max() < 0.02
    assert fitted.std() < 0.75 * searched.std()


def test_a_crossing_that_is_none_stays_where_it_was() -> None:
    grey = np.full((41, 41), 128, np.uint8)
    place = np.array([[20.2, 19.7]])
    assert np.array_equal(fit_crossings(grey, place, np.array([[[1.0, 0.0], [0.0, 1.0]]]), 7.0), place)
