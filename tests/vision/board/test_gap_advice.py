"""What a feeler gauge or another photo would gain where the gap at the walls stays open, in figures."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.values.value import contributions
from inspect_kit.vision.board.features import Features
from inspect_kit.vision.board.refusals import WALL_GAP, gap_advice
from inspect_kit.vision.board.wall_foot import FootLine, after_second_photo, weigh_frame
from inspect_kit.vision.board.walls import Wall
from inspect_kit.vision.feature import Feature
from inspect_kit.vision.fitting.stripe import Ribbon


def _line(camera: float = 370.0) -> FootLine:
    """A wall of which nothing but its place is seen, 3 pixels a mm."""
    lines = Ribbon(np.zeros((9, 2)), np.zeros((9, 2)), np.zeros(1), np.zeros((9, 1, 3)), np.full(9, 3.0))
    wall = Wall("n", lines, np.zeros(9), np.ones(9, dtype=bool), (), (), camera, 1000.0)
    return FootLine(wall, np.zeros(9), np.ones(9, dtype=bool), 0.0, (), None)


def _side(u_gap: float) -> Feature:
    """A side with a gap at both ends, known to so much, and 0.2 mm of everything else."""
    return Feature(value=740.0, budget=contributions([("pose", 0.2), (WALL_GAP, 2 * u_gap)]), unit="mm",
                   characteristic="surface.side", instance="n", pixel=(0.0, 0.0), photo=0)  # fmt: skip


def test_a_stated_gap_is_the_gap_and_its_spread_that_of_every_foot() -> None:
    frame = weigh_frame([_line()], (0.37, 0.06))
    place, u = frame.foot(_line())
    assert (frame.gap, frame.u_gap) == (0.37, 0.06)
    assert place == pytest.approx(0.37 + 0.08)
    assert 0.06 <= u < 0.1


def test_where_nothing_tells_the_gap_none_and_a_wide_one_lie_within_u() -> None:
    place, u = weigh_frame([]).foot(_line())
    assert place - 2 * u < 0.0
    assert place + 2 * u > 1.2


def test_another_photo_from_the_opposite_side_tells_more_where_walls_are_then_seen_obliquely() -> None:
    lines = [_line(camera) for camera in (100.0, 300.0, 440.0, 640.0)]
    frame = weigh_frame(lines)
    assert after_second_photo(lines, frame) < 0.7 * frame.u_gap
    assert after_second_photo([_line(740.0)], frame) == pytest.approx(frame.u_gap)


def test_the_advice_says_u_now_and_then() -> None:
    frame = weigh_frame([])
    (told,) = gap_advice([_side(frame.u_gap)], Features({}, {}, frame, 0.3, u_gap_then=0.2))
    said = dict(told.facts)
    assert told.code == "gap-open"
    assert float(said["now"]) == pytest.approx(2 * np.hypot(0.2, 2 * frame.u_gap), abs=0.01)
    assert said["gauge"] == f"{2 * np.hypot(0.2, 0.1):.2f}"
    assert said["photo"] == f"{2 * np.hypot(0.2, 0.4):.2f}"


def test_nothing_is_advised_where_the_gap_is_stated_or_counts_little() -> None:
    assert not gap_advice([_side(0.5)], Features({}, {}, weigh_frame([], (0.3, 0.05)), 0.3))
    assert not gap_advice([_side(0.02)], Features({}, {}, weigh_frame([]), 0.3))
    assert not gap_advice([], Features({}, {}, weigh_frame([]), 0.3))
