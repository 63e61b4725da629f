"""The sub-pixel step on profiles whose edge is known, without any scene."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from inspect_kit.vision.fitting.edge_shading import Shading
from inspect_kit.vision.fitting.edge_step import Optics, Profiles, averaged, fit_edges, profiles
from inspect_kit.vision.optics.light import encoded

LINES = 60
FLAT = Shading(np.arange(0, 14, 0.25) + 0.125, np.zeros((LINES, 56)), np.zeros((LINES, 56)))
"""A sharp-edged face: no normal turns away."""


def _picture(place: float, blur: float, inner: tuple[float, ...], outer: tuple[float, ...]) -> np.ndarray:
    """A straight edge at column 40 + place, blurred in linear light, coded in eight bits."""
    row = ndtr((40 + place - np.arange(80)) / blur)[:, None]
    light = np.array(outer) + row * (np.array(inner) - np.array(outer))
    return np.tile(np.round(encoded(light) * 255).astype(np.uint8)[None], (LINES + 20, 1, 1))


def _across(pixels: np.ndarray) -> Profiles:
    feet = np.column_stack([np.full(LINES, 40.0), np.arange(LINES) + 10.0])
    return profiles(pixels, feet, np.tile([1.0, 0.0], (LINES, 1)), 14)


@pytest.mark.parametrize("place", [-0.75, -0.2, 0.0, 0.4])
@pytest.mark.parametrize(
    ("inner", "outer"), [((0.6, 0.5, 0.4), (0.1, 0.1, 0.1)), ((0.02, 0.02, 0.02), (0.7, 0.7, 0.7))]
)
def test_a_step_is_found_to_a_twentieth_of_a_pixel_light_on_dark_or_dark_on_light(
    place: float, inner: tuple[float, ...], outer: tuple[float, ...]
) -> None:
    found = fit_edges(_across(_picture(place, 1.0, inner, outer)), np.zeros(LINES), 4.0, FLAT, Optics(1.0))
    assert np.median(found.offset) == pytest.approx(place, abs=0.05)
    assert np.ptp(found.offset) < 0.05


def test_without_a_given_blur_the_one_that_fits_best_is_taken() -> None:
    found = fit_edges(_across(_picture(0.1, 1.4, (0.6,) * 3, (0.1,) * 3)), np.zeros(LINES), 4.0, FLAT, Optics())
    assert found.blur == 1.4


def test_an_edge_of_small_contrast_says_so_and_is_less_certain() -> None:
    strong, weak = (
        fit_edges(_across(_picture(0.2, 1.0, (level,) * 3, (0.1,) * 3)), np.zeros(LINES), 4.0, FLAT, Optics(1.0))
        for level in (0.6, 0.12)
    )
    assert weak.contrast.max() < 0.2 * strong.contrast.min()
    assert np.median(weak.variance) > 4 * np.median(strong.variance)


def test_where_the_light_falls_off_towards_the_rim_the_place_is_known_less_well() -> None:
    falling = Shading(FLAT.depths, np.tile(np.exp(-FLAT.depths / 3), (LINES, 1)), FLAT.outward)
    profile = _across(_picture(0.0, 1.0, (0.6,) * 3, (0.1,) * 3))
    plain, turned = (fit_edges(profile, np.zeros(LINES), 4.0, each, Optics(1.0)) for each in (FLAT, falling))
    assert np.median(turned.variance) > np.median(plain.variance)


def test_neighbouring_lines_are_averaged_in_threes() -> None:
    profile = Profiles(np.arange(3.0), np.arange(18.0).reshape(6, 3, 1))
    assert averaged(profile).codes[:, :, 0].tolist() == [[3, 4, 5], [12, 13, 14]]
