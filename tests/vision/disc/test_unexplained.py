"""Circles in which nothing could be measured are named, unless something explains them."""

from __future__ import annotations

import numpy as np

from inspect_kit.vision.disc.coin_reference import first_view
from inspect_kit.vision.disc.find import Candidate
from inspect_kit.vision.disc.fit import Shape
from inspect_kit.vision.disc.measure import Refused, _Task, _unexplained
from inspect_kit.vision.fitting.edge_step import Optics
from inspect_kit.vision.optics.camera import guessed

TASK = _Task(
    np.zeros((1200, 1600, 3), np.uint8), first_view(guessed(1600, 1200, None), 400.0), Shape(8, 0.1, 0.5, 0.1),
    Optics(), printed=True,
)  # fmt: skip


def _circle(support: float, radius: float = 15.0) -> Candidate:
    return Candidate(20.0, -30.0, radius, support, 1.0)


def test_a_whole_circle_in_which_nothing_could_be_measured_is_named_once() -> None:
    (named,) = _unexplained(TASK, [_circle(0.99), _circle(0.95, 9.0)], [], [])
    assert named.reason == "shows its outline too faintly"


def test_a_circle_seen_in_part_may_be_chance() -> None:
    assert not _unexplained(TASK, [_circle(0.75)], [], [])


def test_a_circle_that_was_refused_for_another_reason_is_not_named_again() -> None:
    (named,) = _unexplained(TASK, [_circle(0.99)], [], [])
    assert not _unexplained(TASK, [_circle(0.99)], [], [Refused(named.pixel, "is cut off by the picture's edge")])
