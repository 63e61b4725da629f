"""Roundness of outlines whose waves are known, without any photo."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.vision.disc.fit import Disc
from inspect_kit.vision.disc.roundness import roundness_of
from inspect_kit.vision.disc.solid import Solid

AROUND = np.linspace(0, 2 * np.pi, 360, endpoint=False)


def _disc(deviations: np.ndarray, scatter: float = 0.0) -> Disc:
    return Disc(
        Solid(0, 0, 20.0, 8.0, 1.0), 0.01, 0, 0, np.zeros(15), 10.0, 0.5,
        AROUND, deviations, scatter, np.zeros((0, 2)), np.zeros(2),
    )  # fmt: skip


@pytest.mark.parametrize("waves", [2, 3, 5, 8])
def test_a_wave_of_a_tenth_of_a_millimetre_is_a_zone_of_twice_that(waves: int) -> None:
    found = roundness_of(_disc(0.1 * np.cos(waves * AROUND)), 1.0)
    assert found.value == pytest.approx(0.2, abs=0.01)


def test_an_outline_off_its_middle_is_round() -> None:
    assert roundness_of(_disc(0.1 * np.cos(AROUND)), 1.0).value < 0.002


def test_waves_finer_than_a_roundness_gauge_keeps_do_not_count() -> None:
    assert roundness_of(_disc(0.1 * np.cos(40 * AROUND)), 1.0).value < 0.002


def test_what_noise_feigns_is_taken_off_and_said() -> None:
    noise = np.random.default_rng(5).normal(0, 0.03, len(AROUND))
    found = roundness_of(_disc(noise, scatter=0.3), 1.0)
    assert found.value < 2 * found.standard


def test_lines_without_an_edge_are_bridged() -> None:
    deviations = 0.1 * np.cos(3 * AROUND)
    deviations[40:60] = np.nan
    assert roundness_of(_disc(deviations), 1.0).value == pytest.approx(0.2, abs=0.03)


def test_where_hardly_any_edge_is_seen_nothing_is_claimed() -> None:
    deviations = np.full(len(AROUND), np.nan)
    deviations[:20] = 0.0
    found = roundness_of(_disc(deviations), 1.0)
    assert (found.value, found.standard) == (0.0, 0.1)


def test_the_print_s_scale_counts_for_both() -> None:
    plain, scaled = (roundness_of(_disc(0.1 * np.cos(3 * AROUND)), scale) for scale in (1.0, 0.9))
    assert scaled.value == pytest.approx(0.9 * plain.value)
    assert scaled.standard == pytest.approx(0.9 * plain.standard)


def test_light_and_shadow_at_the_edge_make_roundness_less_certain() -> None:
    plain, shaded = (roundness_of(_disc(0.1 * np.cos(3 * AROUND)), 1.0, shade) for shade in (0.0, 0.08))
    assert shaded.value == plain.value
    assert shaded.standard == pytest.approx(np.hypot(plain.standard, 0.08))
