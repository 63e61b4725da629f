"""A coin's outline among the edges of its own rim, beside its shadow, on ground that nobody chose."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from inspect_kit.vision.disc.coin_reference import first_view
from inspect_kit.vision.disc.find import Candidate
from inspect_kit.vision.disc.fit import Disc, Shape
from inspect_kit.vision.disc.measure import _outermost_only
from inspect_kit.vision.disc.silhouette import fit_silhouette
from inspect_kit.vision.disc.solid import Solid
from inspect_kit.vision.fitting.circle import Unfit
from inspect_kit.vision.optics.camera import guessed

SIZE, ACROSS = 900, 90.0
VIEW = first_view(guessed(SIZE, SIZE, None), ACROSS)
SHAPE = Shape(0.01, 0.005, 0.0, 0.005)
TRUE = 10.0


def _covered(radius: float, at: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    """How much of each pixel a disc covers; mm from the picture's middle, ten pixels each."""
    y, x = np.indices((SIZE, SIZE)) - (SIZE - 1) / 2
    return np.asarray(np.clip(0.5 - (np.hypot(x - 10 * at[0], y - 10 * at[1]) - 10 * radius), 0, 1))


def _coin(*, shadow: float = 0.0) -> np.ndarray:
    """A coin with a gleam inside its rim, sharper than its outline, and a soft shadow beside it."""
    light = np.full((SIZE, SIZE), 0.7)
    soft = cv2.GaussianBlur(_covered(TRUE, (shadow, shadow / 2)), (0, 0), 12.0)
    light = light * (1 - (0.6 * soft if shadow else 0.0))
    for radius, tone in ((TRUE, 0.25), (0.93 * TRUE, 0.8), (0.89 * TRUE, 0.2)):
        cover = _covered(radius)
        light = light * (1 - cover) + tone * cover
    grain = np.random.default_rng(3).normal(0, 1.5, (SIZE, SIZE))
    codes = 255 * cv2.GaussianBlur(light, (0, 0), 1.0) ** (1 / 2.2) + grain
    return np.repeat(np.clip(codes, 0, 255).astype(np.uint8)[:, :, None], 3, axis=2)


def _found(pixels: np.ndarray, guess: float) -> Disc | Unfit:
    return fit_silhouette(pixels, VIEW, Solid(0.3, -0.2, guess, 0.01, 0.0), SHAPE)


@pytest.mark.parametrize("guess", [0.93, 1.0, 1.06])
@pytest.mark.parametrize("shadow", [0.0, 1.5])
def test_the_outline_is_found_outside_of_the_gleam_and_inside_of_the_shadow(guess: float, shadow: float) -> None:
    disc = _found(_coin(shadow=shadow), guess * TRUE)
    assert isinstance(disc, Disc)
    assert disc.solid.radius == pytest.approx(TRUE, abs=max(0.06, 2 * disc.edge))
    assert disc.edge < 0.1


def test_a_groove_inside_a_circle_that_could_not_be_measured_is_no_piece() -> None:
    disc = _found(_coin(), TRUE)
    assert isinstance(disc, Disc)
    around = Candidate(0.0, 0.0, 1.5 * TRUE, 0.9, 1.0)
    assert _outermost_only([disc], [around], 0.0) == ([], [disc])
    assert _outermost_only([disc], [replace(around, x=3 * TRUE)], 0.0) == ([disc], [])
    assert _outermost_only([disc], [replace(around, radius=1.05 * TRUE)], 0.0) == ([disc], [])
    ring = replace(around, radius=1.1 * TRUE, x=0.04 * TRUE)
    assert _outermost_only([disc], [ring], 0.0) == ([], [disc])
    assert _outermost_only([disc], [replace(ring, x=0.11 * TRUE)], 0.0) == ([disc], [])


def test_a_circle_of_shade_around_a_piece_does_not_make_a_groove_of_it() -> None:
    disc = _found(_coin(), TRUE)
    assert isinstance(disc, Disc)
    shade = Candidate(0.0, 0.0, 1.2 * TRUE, 0.9, 1.0)
    assert _outermost_only([disc], [shade], 0.3 * TRUE) == ([disc], [])


def test_grain_is_not_taken_for_a_piece() -> None:
    grain = np.random.default_rng(5).normal(0, 30, (SIZE, SIZE, 1))
    wood = np.clip(140 + cv2.GaussianBlur(grain, (0, 0), sigmaX=1.5, sigmaY=9.0)[:, :, None] * 2, 0, 255)
    assert isinstance(_found(np.repeat(wood.astype(np.uint8), 3, axis=2), TRUE), Unfit)
