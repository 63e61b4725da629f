"""Stripes and steps on profiles in millimetres, without any board."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.vision.fitting.stripe import (
    Ribbon,
    binned,
    fit_shape,
    fit_steps,
    fit_width,
    inside_any,
    seen_median,
    shifted_rows,
    step,
    stripe,
)

STEPS = np.arange(-6, 6.01, 0.12)


def _ribbon(light: np.ndarray) -> Ribbon:
    count = len(light)
    feet = np.column_stack([np.arange(count, dtype=float), np.zeros(count)])
    return Ribbon(feet, np.tile([0.0, 1.0], (count, 1)), STEPS, light, np.full(count, 4.0))


@pytest.mark.parametrize("place", [-0.7, 0.0, 0.33])
def test_a_stripe_on_sloping_ground_is_found_where_it_lies(place: float) -> None:
    values = 0.2 + 0.01 * STEPS + 0.8 * stripe(STEPS - place, 1.2, 0.25)
    found = fit_shape(STEPS, np.tile(values, (5, 1)), np.zeros(5), 3.0, lambda at: stripe(at, 1.2, 0.25))
    assert found.place == pytest.approx(place, abs=0.01)
    assert found.height == pytest.approx(0.8, abs=0.02)


def test_a_line_that_is_partly_hidden_has_no_fit() -> None:
    values = np.tile(stripe(STEPS, 1.2, 0.25), (3, 1))
    values[1, 40] = np.nan
    found = fit_shape(STEPS, values, np.zeros(3), 3.0, lambda at: stripe(at, 1.2, 0.25))
    assert np.isinf(found.misfit).tolist() == [False, True, False]


@pytest.mark.parametrize("place", [-0.4, 0.25])
def test_a_step_between_two_colours_is_found_by_what_differs_between_them(place: float) -> None:
    share = step(STEPS - place, 0.25)[None, :, None]
    light = np.tile(np.array([0.1, 0.3, 0.2]) + share * np.array([0.4, 0.0, -0.1]), (9, 1, 1))
    found, contrast = fit_steps(_ribbon(light), np.zeros(9), 2.0, 0.25)
    assert found.place == pytest.approx(place, abs=0.02)
    assert contrast[4] == pytest.approx(np.hypot(0.4, 0.1), rel=0.05)


@pytest.mark.parametrize("width", [0.5, 1.0, 5.7])
def test_the_width_of_a_stripe_is_told_beside_its_blur(width: float) -> None:
    away = np.arange(-6, 6, 0.06)
    found = fit_width(away, 0.7 * stripe(away, width, 0.3), 1.0, (0.3, 0.03), (0.7, 0.02))
    assert found.width == pytest.approx(width, abs=0.02)
    assert found.misfit < 0.01


def test_of_a_line_thinner_than_the_blur_only_the_known_ink_tells_the_width() -> None:
    away = np.arange(-3, 3, 0.06)
    profile = 0.7 * stripe(away, 0.2, 0.4)
    with_ink, without = (fit_width(away, profile, 0.5, (0.4, 0.02), ink) for ink in ((0.7, 0.01), None))
    assert with_ink.width == pytest.approx(0.2, abs=0.02)
    assert without.u > 3 * with_ink.u


def test_two_thin_lines_are_not_one_thick_one() -> None:
    away = np.arange(-4, 4, 0.06)
    double = stripe(away - 1, 0.5, 0.2) + stripe(away + 1, 0.5, 0.2)
    assert fit_width(away, double, 2.0, (0.2, 0.03), None).misfit > 0.15


def test_neighbouring_lines_are_joined_and_a_hidden_one_hides_its_bin() -> None:
    light = np.ones((6, len(STEPS), 3))
    light[4, 10] = np.nan
    joined = binned(_ribbon(light), 3)
    assert len(joined.feet) == 2
    assert np.isnan(joined.light).any(axis=(1, 2)).tolist() == [False, True]


def test_rows_are_read_further_on_by_their_own_shift() -> None:
    rows = np.tile(np.arange(10.0), (2, 1))
    assert shifted_rows(rows, np.array([0.5, -1.0]))[:, 3].tolist() == [3.5, 2.0]


def test_what_lies_under_a_card_is_known() -> None:
    quad = np.array([[0.0, 10], [10, 10], [10, 0], [0, 0]])
    assert inside_any(np.array([[5.0, 5], [12, 5]]), [quad]).tolist() == [True, False]


def test_the_u_of_a_broad_stripe_reaches_what_a_phones_sharpening_takes_from_it() -> None:
    away = np.arange(-6, 6, 0.06)
    plain = stripe(away, 5.7, 0.25)
    soft = np.convolve(np.pad(plain, 40, "edge"), np.exp(-0.5 * (np.arange(-40, 41) * 0.06 / 0.6) ** 2), "same")
    sharp = plain + 0.6 * (plain - soft[40:-40] / soft[40:-40].max())
    seen = (1 - sharp.min()) ** 2.2 - np.clip(1 - 0.8 * sharp, 0.05, None) ** 2.2
    found = fit_width(away, seen - seen[0], 5.7, (0.25, 0.03), None)
    assert abs(found.width - 5.7) > 0.05, "the eye's scale is not linear: sharpening there moves edges"
    assert abs(found.width - 5.7) < 2.5 * found.u


@pytest.mark.parametrize("full", [0.65, 0.9])
def test_a_pale_stripe_may_be_a_thinner_one_smoothed_broad_and_u_reaches_it(full: float) -> None:
    away = np.arange(-6, 6, 0.06)
    found = fit_width(away, full * stripe(away, 0.56, 0.57), 0.8, (0.4, 0.03), None, full)
    assert found.width > 0.7
    assert abs(found.width - 0.56) < 4 * found.u


def test_a_broad_pale_stripe_is_not_taken_for_a_thin_one() -> None:
    away = np.arange(-6, 6, 0.06)
    assert fit_width(away, 0.35 * stripe(away, 4.0, 0.3), 4.0, (0.3, 0.03), None, 0.7).u < 0.1


def test_the_median_of_nothing_seen_is_not_a_number_and_warns_nobody(recwarn: pytest.WarningsRecorder) -> None:
    assert np.isnan(seen_median(np.zeros((3, 0)), 1)).all()
    assert np.isnan(seen_median(np.full((2, 4), np.nan), 1)).all()
    assert not recwarn.list
