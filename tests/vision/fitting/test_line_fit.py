"""A form moved along lines until it fits, without any picture."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.vision.fitting.line_fit import Equations, Expectation, LineFits, Moves, fit_lines

SAMPLES = np.arange(-5, 5.01, 0.25)
UNKNOWN = Expectation(np.full(3, 1e-9))


def _bell(away: np.ndarray) -> np.ndarray:
    return np.exp(-0.5 * away**2)


def _fit(values: np.ndarray, moves: Moves, expectation: Expectation = UNKNOWN) -> LineFits:
    def equations(place: np.ndarray, _: np.ndarray) -> Equations:
        away = SAMPLES[None, :] - place[:, None]
        design = np.stack([np.ones_like(away), _bell(away), away * _bell(away)], axis=2)
        return Equations(design, values, np.ones_like(away))

    return fit_lines(moves, expectation, equations, lambda parts: parts[:, 2] / parts[:, 1])


def _lines(*places: float) -> np.ndarray:
    return np.stack([0.3 + 2.0 * _bell(SAMPLES - place) for place in places])


def test_each_line_has_its_own_place_level_and_height() -> None:
    found = _fit(_lines(-0.6, 0.0, 0.45), Moves(np.zeros(3), 2.0, 0.8, 8))
    assert found.place == pytest.approx([-0.6, 0.0, 0.45], abs=1e-6)
    assert found.parts[:, 0] == pytest.approx(0.3, abs=1e-6)
    assert found.parts[:, 1] == pytest.approx(2.0, abs=1e-6)
    assert found.misfit == pytest.approx(0.0, abs=1e-6)


def test_a_form_goes_no_farther_than_it_may() -> None:
    assert _fit(_lines(1.0), Moves(np.zeros(1), 0.5, 0.8, 8)).place == pytest.approx(0.5)
    assert _fit(_lines(1.0), Moves(np.zeros(1), 2.0, 0.1, 3)).place == pytest.approx(0.3)


def test_rounds_end_when_nothing_moves_any_more() -> None:
    asked = []
    moves = Moves(np.zeros(1), 2.0, 0.8, 50, 1e-3)

    def equations(place: np.ndarray, _: np.ndarray) -> Equations:
        asked.append(place)
        away = SAMPLES[None, :] - place[:, None]
        design = np.stack([np.ones_like(away), _bell(away), away * _bell(away)], axis=2)
        return Equations(design, _lines(0.4), np.ones_like(away))

    fit_lines(moves, UNKNOWN, equations, lambda parts: parts[:, 2] / parts[:, 1])
    assert len(asked) < 12


def test_what_is_firmly_expected_stays_where_it_is_expected() -> None:
    expected = Expectation(np.array([1e9, 1e-9, 1e-9]), np.array([0.1, 0.0, 0.0]))
    assert _fit(_lines(0.0), Moves(np.zeros(1), 2.0, 0.8, 5), expected).parts[0, 0] == pytest.approx(0.1, abs=1e-4)


def test_the_misfit_is_the_deviation_that_is_left() -> None:
    odd = _lines(0.0) + 0.1 * (-1.0) ** np.arange(len(SAMPLES))
    assert _fit(odd, Moves(np.zeros(1), 2.0, 0.8, 8)).misfit == pytest.approx(0.1, rel=0.05)
