"""What shows through a clear die is told from what is on it."""

from __future__ import annotations

import numpy as np

from inspect_kit.vision.dice.body import shows_through
from inspect_kit.vision.dice.patterns import far_pips_near, spots_of
from inspect_kit.vision.dice.pips import Pip

LIGHT, BLUE, SAND, FAINT = ((200.0, 128.0, 128.0), (60.0, 140.0, 90.0), (170.0, 132.0, 150.0), (110.0, 136.0, 106.0))


def _pip(x: float, y: float, inner: tuple[float, ...] = LIGHT, around: tuple[float, ...] = BLUE) -> Pip:
    return Pip(x, y, 36.0 * np.eye(2), np.array(inner), np.array(around))


def test_what_shows_through_lies_between_the_body_and_its_pips() -> None:
    colours = np.array([FAINT, BLUE, LIGHT, SAND, (20.0, 120.0, 160.0)])
    assert shows_through(colours, np.array(BLUE), np.array(LIGHT)).tolist() == [True, False, False, False, False]


def test_far_pips_are_seen_around_those_on_top_and_never_taken_for_them() -> None:
    spots = spots_of([_pip(300, 300), *(_pip(300 + x, 310, FAINT) for x in (-30, 30))])
    assert far_pips_near(spots, [0], np.array([300.0, 300.0]), 20 * np.eye(2))
    assert not far_pips_near(spots, [1, 2], np.array([300.0, 310.0]), 20 * np.eye(2))
