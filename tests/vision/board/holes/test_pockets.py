"""Pockets check each other, and U says where a rim may pass for the edge of the hole."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from inspect_kit.vision.board.features import UNLIKE, checked_by_others
from inspect_kit.vision.board.holes.pockets import perhaps_rimmed
from inspect_kit.vision.board.layout import CORNERS, TOWARDS, Placement
from inspect_kit.vision.board.lines import Absent, Trace
from inspect_kit.vision.fitting.stripe import Ribbon

AROUND: Any = SimpleNamespace(
    placement=Placement(0.0, 0.0, 0.0), shot=SimpleNamespace(view=SimpleNamespace(on_plane=lambda pixels: pixels))
)
ANGLES = np.linspace(0, 2 * np.pi, 90, endpoint=False)


def _pocket(corner: str, u: float, diameter: float = 45.0, outwards: float = 0.0) -> Trace:
    way = np.array(TOWARDS[corner], dtype=float)
    middle = way * 345.0 + outwards * way / np.sqrt(2)
    points = middle + diameter / 2 * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
    return Trace(0, points, 0.1, 1.0, 0.0, u)


@pytest.mark.parametrize(("diameter", "outwards"), [(40.5, 0.0), (45.0, 8.6), (50.0, -6.0)])
def test_badly_seen_and_unlike_the_others_it_is_withheld(diameter: float, outwards: float) -> None:
    found = {corner: _pocket(corner, 0.6) for corner in CORNERS}
    found["ne"] = _pocket("ne", 0.6, diameter, outwards)
    kept = checked_by_others(AROUND, found)
    assert kept.pop("ne") == Absent(UNLIKE)
    assert all(isinstance(mark, Trace) for mark in kept.values())


def test_a_pocket_that_is_seen_well_may_be_as_wrong_as_it_is_made() -> None:
    found = {corner: _pocket(corner, 0.6) for corner in CORNERS}
    found["ne"] = _pocket("ne", 0.1, 40.0)
    assert isinstance(checked_by_others(AROUND, found)["ne"], Trace)


def test_pockets_that_differ_by_what_boards_differ_by_are_all_kept() -> None:
    found = {corner: _pocket(corner, 0.6, 44.5 + n / 2, n - 1.5) for n, corner in enumerate(CORNERS)}
    assert all(isinstance(mark, Trace) for mark in checked_by_others(AROUND, found).values())


def _u_of(inside: np.ndarray) -> float:
    """U of a pocket's diameter: wood of light 0.5 outside, inside of its edge this light line by line."""
    steps = np.arange(-3.5, 3.5, 0.12)
    light = np.where(steps[None, :] > 0, 0.5, inside[:, None])
    lines = Ribbon(np.zeros((90, 2)), np.zeros((90, 2)), steps, np.repeat(light[:, :, None], 3, axis=2), np.ones(90))
    return perhaps_rimmed(_pocket("ne", 0.1), lines, np.ones(90, dtype=bool)).u_width


@pytest.mark.parametrize(
    ("inside", "hidden"),
    [(np.full(90, 0.2), False), (np.full(90, 0.05), True), (np.linspace(0.15, 0.45, 90), True)],
    ids=["an even tone of its own", "as dark as a hole", "metal that shines in places"],
)
def test_u_reaches_a_rim_that_is_not_told_from_the_hole(inside: np.ndarray, hidden: bool) -> None:
    assert (2 * _u_of(inside) > 4) is hidden
