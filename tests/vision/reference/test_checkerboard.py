"""A checkerboard's crossings: the grid is that of its squares, whatever else in the picture looks like a crossing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from inspect_kit.errors import BadInput
from inspect_kit.vision.reference.checkerboard import _Crossings, _largest_grid, find_checkerboard

SIDE = 60


def _board(columns: int, rows: int) -> np.ndarray:
    """White paper with a board in its middle; black squares have odd sums of column and row."""
    across, up = np.meshgrid(np.arange((columns + 2) * SIDE), np.arange((rows + 2) * SIDE))
    column, row = across // SIDE - 1, up // SIDE - 1
    inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
    light = np.where(inside & ((column + row) % 2 == 1), 40, 220).astype(np.uint8)
    return cv2.GaussianBlur(light, (0, 0), 1.2)


def _turned(grey: np.ndarray, degrees: float) -> np.ndarray:
    high, wide = grey.shape
    turn = cv2.getRotationMatrix2D(((wide - 1) / 2, (high - 1) / 2), degrees, 0.8)
    return cv2.warpAffine(grey, turn, (wide, high), borderValue=220)


def _pitch(places: np.ndarray, pixels: np.ndarray) -> float:
    """Pixels from one crossing to the next, over the whole grid."""
    return float(np.linalg.norm(np.ptp(pixels, axis=0)) / np.linalg.norm(np.ptp(places, axis=0)))


def test_all_inner_crossings_are_found_to_a_tenth_of_a_pixel() -> None:
    places, pixels = find_checkerboard(_board(8, 6))
    assert len(places) == 7 * 5
    lines = np.column_stack([places, np.ones(len(places))])
    left = pixels - lines @ np.linalg.lstsq(lines, pixels, rcond=None)[0]
    assert np.abs(left).max() < 0.1
    assert _pitch(places, pixels) == pytest.approx(SIDE, abs=0.05)


@pytest.mark.parametrize("degrees", [10, 30, 45, 80])
def test_a_turned_board_has_squares_of_the_same_side(degrees: float) -> None:
    places, pixels = find_checkerboard(_turned(_board(9, 7), degrees))
    assert len(places) == 8 * 6
    steps = pixels[None] - pixels[:, None]
    beside = np.abs(places[None] - places[:, None]).sum(axis=2) == 1
    assert np.linalg.norm(steps[beside], axis=1) == pytest.approx(0.8 * SIDE, abs=0.3)


def test_a_crossing_whose_edges_were_misjudged_does_not_lead_across_the_squares() -> None:
    """From the middle of seven by seven crossings, diagonal steps reach more than half of all."""
    places = np.array([[80.0 * column, 80.0 * row] for column in range(7) for row in range(7)])
    angles = np.tile([0.0, np.pi / 2], (len(places), 1))
    middle = 24
    angles[middle] = np.pi / 4, 3 * np.pi / 4
    order = [middle, *(index for index in range(len(places)) if index != middle)]
    grid = _largest_grid(_Crossings(places[order], angles[order]))
    assert len(grid) >= 48
    for (column, row), index in grid.items():
        if (column + 1, row) in grid:
            step = places[order][grid[column + 1, row]] - places[order][index]
            assert np.linalg.norm(step) == pytest.approx(80)


def test_paper_without_squares_is_refused() -> None:
    with pytest.raises(BadInput, match="no checkerboard"):
        find_checkerboard(np.full((300, 400), 200, np.uint8))
