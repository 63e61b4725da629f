"""The benchmark that holds measured values against a picture's truth pairs them rightly."""

from __future__ import annotations

import pytest

from benchmarks.pictures import stated_in, true_of


def value(characteristic: str, instance: str = "", **more: object) -> dict[str, object]:
    return {"characteristic": characteristic, "instance": instance, "value": 44.9} | more


def test_a_value_is_paired_by_its_name_and_instance() -> None:
    truth = {"values": {"pocket.diameter": {"nw": 44.0, "ne": 45.0}, "fig.height": 38.0}}
    assert true_of(truth, value("pocket.diameter", "ne")) == 45.0
    assert true_of(truth, value("fig.height")) == 38.0
    assert true_of(truth, value("pocket.diameter", "sw")) is None


def test_an_angle_that_may_be_counted_from_either_side_is_held_against_the_nearer() -> None:
    assert true_of({"values": {"arrow.angle": {"nw": [44.8, 45.2]}}}, value("arrow.angle", "nw")) == 44.8


def test_a_table_of_rows_is_a_truth_too() -> None:
    rows = [{"characteristic": "surface.side", "instance": "n", "value": 740.2}]
    assert true_of({"values": rows}, value("surface.side", "n")) == 740.2
    assert true_of({"values": rows}, value("surface.side", "s")) is None


def test_a_piece_is_the_nearest_one_in_the_picture() -> None:
    truth = {"dice": [{"pixel": [10, 10], "edges": [16.0, 16.2]}, {"pixel": [90, 90], "edges": [12.0, 12.0]}]}
    assert true_of(truth, value("die.edge", "1.a", pixel=[14, 9])) == pytest.approx(16.1)
    assert true_of(truth, value("die.edge", "2.a", pixel=[80, 99])) == 12.0


def test_what_a_user_would_state_is_stated() -> None:
    told = stated_in({"print_scale": 0.998, "known_side": 738.2, "thickness_stated": 8.1, "reference": "card"})
    assert told == {
        "print_scale": "0.998",
        "known": "surface.side=738.2mm",
        "thickness": "8.1mm",
        "reference": "card",
    }
