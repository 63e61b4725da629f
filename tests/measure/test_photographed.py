"""Budgets of values from photos: ordered, and combined so that what photos share does not average out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from inspect_kit.measure.photographed import DISAGREE, best_distance, combine, of_the_reference
from inspect_kit.measure.stated import stated_by
from inspect_kit.values.value import REFERENCE_SIZE, Value, value_of


def _photo(value: float, **parts: float) -> Value:
    return value_of(value, {name.replace("_", " "): part for name, part in parts.items()})


def test_a_budget_is_ordered_by_size_and_forgets_what_is_nothing() -> None:
    result = _photo(31.0, edge=0.01, lens=-0.03, camera_pose=0.0)
    assert [part.source for part in result.budget] == ["lens", "edge"]
    assert result.standard == pytest.approx(math.hypot(0.01, 0.03))


def test_what_is_each_photos_own_averages_out() -> None:
    result = combine([_photo(31.0, edge=0.02) for _ in range(4)])
    assert result.standard == pytest.approx(0.01)


@pytest.mark.parametrize("source", ["lens", "piece_height", "rim_shape"])
def test_what_all_photos_share_stays(source: str) -> None:
    result = combine([_photo(31.0, edge=0.001, **{source: 0.02}) for _ in range(9)])
    assert result.standard > 0.02


def test_the_print_scale_stays_however_many_photos_are_taken() -> None:
    result = combine([value_of(31.0, {"print scale": 0.03, "edge": 0.01}) for _ in range(50)])
    assert result.standard >= 0.03


def test_the_better_photo_counts_more() -> None:
    result = combine([_photo(31.0, edge=0.01), _photo(31.06, edge=0.03)])
    assert result.value == pytest.approx(31.006)


def test_no_photo_counts_negatively() -> None:
    """Two photos that lean to the same side by different amounts would be extrapolated beyond both."""
    result = combine([_photo(31.0, lens=0.02, edge=0.002), _photo(31.05, lens=0.05, edge=0.002)])
    assert 31.0 <= result.value <= 31.05


def test_photos_that_disagree_say_so_in_the_budget() -> None:
    agreeing = combine([_photo(31.0, edge=0.01), _photo(31.01, edge=0.01)])
    apart = combine([_photo(31.0, edge=0.01), _photo(31.2, edge=0.01)])
    assert DISAGREE not in [part.source for part in agreeing.budget]
    assert apart.budget[0].source == DISAGREE
    assert apart.standard > 0.08


def test_combined_uncertainties_cover_over_many_trials() -> None:
    random, ratios = np.random.default_rng(4), []
    for _ in range(400):
        shared = random.normal()
        photos = [_photo(31 + 0.03 * shared + random.normal(0, 0.02), lens=0.03, edge=0.02) for _ in range(3)]
        result = combine(photos)
        ratios.append((result.value - 31) / result.standard)
    assert 0.93 < np.mean(np.abs(ratios) < 2) < 0.985


def test_a_better_distance_is_farther_for_height_and_nearer_for_pixels() -> None:
    high, coarse = _photo(31.0, piece_height=0.1, edge=0.01), _photo(31.0, piece_height=0.01, edge=0.1)
    assert best_distance(high, 500.0)[0] > 500 > best_distance(coarse, 500.0)[0]
    assert best_distance(high, 500.0)[1] < 2 * high.standard


@pytest.mark.parametrize("kind", ["discs", "dice"])
def test_beside_paper_nobody_is_asked_for_a_check_bar_but_told_what_the_mat_would_gain(kind: str) -> None:
    stated = stated_by(kind, {"reference": "paper:a4"})
    assert stated.scale == (1.0, 0.0)
    (told,) = of_the_reference([_photo(16.0, edge=0.03, lens=0.04)], stated, "the check bar")
    assert told.code == "mat-would-gain"
    assert dict(told.facts) == {"expanded": "0.10", "reached": "0.06"}


def test_a_print_whose_bar_nobody_measured_is_said() -> None:
    (told,) = of_the_reference([_photo(16.0, edge=0.03)], stated_by("dice", {}), "the check bar")
    assert told.code == "print-scale-unstated"
    assert not of_the_reference([_photo(16.0, edge=0.03)], stated_by("dice", {"print_scale": "0.998"}), "")


def test_the_printed_mat_is_praised_only_where_it_gains() -> None:
    """ "U falls from 1.10 to 1.10 mm" had been said beside a card."""
    stated = stated_by("discs", {"reference": "card"})
    of_the_edge, of_the_card = (value_of(20.0, {source: 0.55}) for source in ("edge", REFERENCE_SIZE))
    assert of_the_reference([of_the_edge], stated, "") == []
    assert [told.code for told in of_the_reference([of_the_card], stated, "")] == ["mat-would-gain"]
