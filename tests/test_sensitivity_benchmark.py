"""The benchmark that moves each chosen number tells apart those that matter, that change nothing and that are not read."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import sensitivity
from benchmarks.sensitivity import Number, Values, moved, numbers
from inspect_kit.vision.fitting import circle, tuning
from inspect_kit.vision.fitting.circle import fit_circle


def scene() -> Values:
    """A circle through three points near each other: the fewer rounds, the further off."""
    turns = np.array([0.0, 0.2, 0.45, 0.7])
    fitted = fit_circle(
        np.column_stack([np.cos(turns), np.sin(turns)]) + np.array([[0, 0.01], [0.02, 0], [0, 0], [0, 0]])
    )
    return {"radius": (float(fitted.radius), 0.01)}  # type: ignore[union-attr]


def changes(*wanted: Number) -> dict[str, float | None]:
    return {each.number: each.change for each in moved([scene], wanted)}


def test_a_number_on_no_line_that_ran_is_only_named() -> None:
    number = Number(tuning, "SEAM", tuning.SEAM)
    assert changes(number) == {str(number): None}
    assert "not reached" in str(next(moved([scene], [number])))


def test_a_number_that_changes_nothing_is_moved_up_and_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circle, "_ROUNDS", 20_000)
    number = Number(circle, "_ROUNDS", 20_000)
    assert changes(number) == {str(number): 0.0}


def test_a_number_that_the_result_hangs_on_is_told_in_uncertainties(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(circle, "_SETTLED", 0.02)
    (change,) = changes(Number(circle, "_SETTLED", 0.02)).values()
    assert change is not None
    assert 0 < change < float("inf")
    assert circle._SETTLED == 0.02


def test_a_number_that_breaks_the_measuring_when_moved_makes_values_go(monkeypatch: pytest.MonkeyPatch) -> None:
    def picky() -> Values:
        if circle._ROUNDS != 200:
            raise TypeError("a shape that does not fit")
        return scene()

    number = Number(circle, "_ROUNDS", 200)
    assert [each.change for each in moved([picky], [number])] == [float("inf")]
    assert circle._ROUNDS == 200


def test_numbers_of_rooms_within_a_room_are_found() -> None:
    assert {each.module.__name__ for each in numbers("inspect_kit.vision.board", "pockets")} == {
        "inspect_kit.vision.board.holes.pockets"
    }


def test_a_run_goes_on_where_an_earlier_one_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sensitivity, "SCENES", {"fitting": [scene]})
    monkeypatch.setattr(sys, "argv", ["-m", "sensitivity", "--into", str(tmp_path), "fitting.circle"])
    sensitivity.main()
    first = capsys.readouterr().out.splitlines()
    assert "circle._ROUNDS = 200" in (tmp_path / "fitting.txt").read_text()
    monkeypatch.setattr(sensitivity, "SCENES", {"fitting": [pytest.fail]})
    sensitivity.main()
    assert capsys.readouterr().out.splitlines() == first[2:]
