"""What counts as an edge along a line, on profiles whose edges are known."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.vision.fitting.edge_peaks import peaks_of, significant, steepness
from inspect_kit.vision.fitting.edge_step import STEP, Profiles

LINES = 40
STEPS = np.arange(-40, 41) * STEP


def _profile(*edges: tuple[float, float], texture: float = 0.0) -> Profiles:
    """Grey lines with steps of a height at a place, and a texture all along."""
    luma = 0.5 + sum(height * (place < STEPS) for place, height in edges)
    noise = np.random.default_rng(3).normal(0, texture, (LINES, len(STEPS)))
    return Profiles(STEPS, np.stack([luma + noise, np.full_like(noise, 0.5), np.full_like(noise, 0.5)], axis=2))


@pytest.mark.parametrize("place", [-3.0, 0.0, 4.0])
def test_the_steepest_place_of_a_step_is_the_step(place: float) -> None:
    slope = steepness(_profile((place, 0.3)))
    steepest = np.where(peaks_of(slope), slope, 0).argmax(axis=1)
    assert STEPS[steepest] == pytest.approx(np.full(LINES, place + STEP / 2), abs=STEP)


def test_two_steps_apart_are_two_peaks() -> None:
    profile = _profile((-4.0, 0.3), (3.0, -0.2))
    slope = steepness(profile)
    steep = peaks_of(slope) & (slope > significant(profile, slope, 2.0))
    assert (steep.sum(axis=1) == 2).all()


def test_a_colour_that_changes_at_one_brightness_is_an_edge_too() -> None:
    plain = _profile()
    codes = plain.codes.copy()
    codes[:, STEPS > 1.0, 1] += 0.2
    slope = steepness(Profiles(STEPS, codes))
    assert STEPS[slope.argmax(axis=1)] == pytest.approx(np.full(LINES, 1.0), abs=STEP)


def test_what_is_no_steeper_than_the_ground_is_no_edge() -> None:
    profile = _profile((0.0, 0.004), texture=0.03)
    slope = steepness(profile)
    middle = slope[:, np.abs(STEPS) < 0.3].max(axis=1)
    assert np.median(middle) < significant(profile, slope, 2.0)


def test_the_ends_of_a_line_are_never_a_peak() -> None:
    slope = np.zeros((2, 9))
    slope[:, [0, 8]] = 1.0
    assert not peaks_of(slope).any()
