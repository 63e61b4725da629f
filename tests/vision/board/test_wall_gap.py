"""The gap along the frame's wall, told from profiles of which every millimetre is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from inspect_kit.vision.board.wall_foot import shares
from inspect_kit.vision.board.wall_gap import WIDTHS, Across

BLUR = 0.36
FINE = 0.01


def _profile(gap: float, wall: float, powder: float = 0.0, top: float = 8.0, sharpened: float = 0.0) -> Across:
    """A surface that ends at 0, powder before it, the gap, the wall, and `top` mm further out the frame's top.

    `sharpened`: the amount of the unsharp mask that a phone lays over the codes.
    """
    at = np.arange(-8, 8, FINE)
    light = np.where(at < 0, 1 + 0.02 * at, 0.008)
    light = np.where((at > -powder) & (at < 0), 1.4, light)
    light = np.where(at > gap, wall * (1 + 0.05 * at), light)
    light = np.where(at > gap + top, 0.2, light)
    codes = gaussian_filter1d(light, BLUR / FINE) ** (1 / 2.2)
    codes += sharpened * (codes - gaussian_filter1d(codes, 1.5 * BLUR / FINE))
    seen = np.clip(codes, 0, None) ** 2.2
    away = np.arange(-2.6, 3.4, 0.08)
    noise = np.random.default_rng(3).normal(0, 0.001, len(away))
    return Across(away, np.interp(away, at, seen) + noise, np.full(len(away), 0.001), BLUR)


def _told(across: Across, top: float | None = None) -> tuple[float, float]:
    """The width that explains the profile best, and where its gap starts."""
    pairs = [across.best(float(width), top) for width in WIDTHS]
    best = int(np.argmin([misfit for misfit, _ in pairs]))
    return float(WIDTHS[best]), pairs[best][1]


def _foot(across: Across) -> tuple[float, float]:
    """Where the wall stands by all widths, each counting as well as it explains the profile; and how far that is open."""
    pairs = np.array([across.best(float(width), None) for width in WIDTHS])
    weights = np.exp(-0.5 * (pairs[:, 0] - pairs[:, 0].min())) * shares()
    places = pairs[:, 1] + WIDTHS
    mean = float(weights @ places / weights.sum())
    return mean, float(np.sqrt(weights @ (places - mean) ** 2 / weights.sum()))


@pytest.mark.parametrize("gap", [0.4, 0.8, 1.2])
@pytest.mark.parametrize("wall", [0.2, 0.5])
def test_a_gap_before_a_wall_that_is_lighter_is_told_to_a_tenth_of_a_millimetre(gap: float, wall: float) -> None:
    width, start = _told(_profile(gap, wall))
    assert abs(width - gap) <= 0.11
    assert abs(start) <= 0.051


@pytest.mark.parametrize("powder", [0.3, 0.6, 1.1])
@pytest.mark.parametrize("gap", [0.4, 0.8])
def test_powder_swept_against_the_wall_neither_hides_the_gap_nor_moves_it(powder: float, gap: float) -> None:
    width, start = _told(_profile(gap, 0.2, powder))
    assert abs(start + width - gap) <= 0.11


@pytest.mark.parametrize("wall", [0.05, 0.2])
@pytest.mark.parametrize("powder", [0.0, 0.6])
def test_where_the_wall_stands_on_the_surface_the_foot_is_its_end(wall: float, powder: float) -> None:
    place, u = _foot(_profile(0.0, wall, powder))
    assert abs(place) <= max(0.21, u)


@pytest.mark.parametrize("gap", [0.4, 0.8])
def test_the_dip_before_a_dark_wall_may_be_a_gap_or_sharpening_and_both_are_carried(gap: float) -> None:
    place, u = _foot(_profile(gap, 0.04))
    assert abs(place - gap) <= 2 * u


@pytest.mark.parametrize("wall", [0.026, 0.1, 0.2])
@pytest.mark.parametrize("sharpened", [0.3, 0.8])
def test_a_phones_sharpening_is_no_gap(wall: float, sharpened: float) -> None:
    place, u = _foot(_profile(0.0, wall, sharpened=sharpened))
    assert abs(place) <= max(0.1, 2 * u)
    assert _profile(0.0, wall, sharpened=sharpened).best(0.0, None)[0] < 15


def test_before_anything_is_seen_a_gap_is_as_likely_as_none_and_wide_ones_are_not_ruled_out() -> None:
    assert shares()[0] == pytest.approx(0.5)
    assert shares().sum() == pytest.approx(1.0)
    assert shares()[WIDTHS > 1.5].sum() > 0.1


@pytest.mark.parametrize("gap", [0.6, 0.8, 1.2])
def test_seen_from_straight_above_a_strip_wider_than_the_wall_needs_a_gap_however_black_the_wall(gap: float) -> None:
    across = _profile(gap, 0.008, top=0.6)
    misfits = np.array([across.best(float(width), 0.6)[0] for width in WIDTHS])
    assert misfits[np.abs(WIDTHS - gap).argmin()] < misfits.min() + 4
    assert (misfits[gap - 0.25 > WIDTHS] > misfits.min() + 8).all()


def test_a_gap_as_black_as_the_wall_is_neither_made_up_nor_ruled_out_from_an_oblique_view() -> None:
    across = _profile(0.8, 0.008)
    misfits = [across.best(float(width), None)[0] for width in WIDTHS if width < 1.6]
    assert max(misfits) - min(misfits) < 6
