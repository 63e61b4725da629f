"""Dots of a cloth are told from pips, and what shows through a die from what is on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inspect_kit.vision.dice.body import shows_through
from inspect_kit.vision.dice.patterns import far_pips_near, shows_from_below, spots_of
from inspect_kit.vision.dice.pips import Pip
from inspect_kit.vision.dice.spotted_ground import off_the_cloth

LIGHT, BLUE, SAND, FAINT = ((200.0, 128.0, 128.0), (60.0, 140.0, 90.0), (170.0, 132.0, 150.0), (110.0, 136.0, 106.0))
PICTURE = (700, 700)


def _pip(x: float, y: float, inner: tuple[float, ...] = LIGHT, around: tuple[float, ...] = BLUE) -> Pip:
    return Pip(x, y, 36.0 * np.eye(2), np.array(inner), np.array(around), 30.0)


def _five(x: float, y: float) -> list[Pip]:
    return [_pip(x + 20 * i, y + 20 * j) for i, j in ((0, 0), (-1, -1), (1, 1), (1, -1), (-1, 1))]


def _dots() -> list[Pip]:
    return [_pip(40 + 30 * i, 40 + 30 * j, BLUE, SAND) for i in range(20) for j in range(20)]


def test_dots_of_a_cloth_may_be_no_pips() -> None:
    usable = off_the_cloth(spots_of(_dots()), PICTURE).usable
    assert usable.mean() < 0.4


def test_dots_that_grow_towards_the_viewer_are_a_cloth_too() -> None:
    growing = [1.05**row for row in range(14)]
    heights = 30 * np.cumsum(growing)
    dots = [replace(_pip(350 + 30 * size * (column - 2), y, BLUE, SAND), shape=36.0 * size**2 * np.eye(2))
            for size, y in zip(growing, heights, strict=True) for column in range(5)]  # fmt: skip
    usable = off_the_cloth(spots_of(dots), PICTURE).usable
    assert usable.mean() < 0.5


def test_pips_on_a_cloth_full_of_dots_may_be() -> None:
    usable = off_the_cloth(spots_of([*_dots(), *_five(305, 305)]), PICTURE).usable
    assert usable[-5:].all()


def test_the_pips_of_many_dice_are_no_cloth() -> None:
    random = np.random.default_rng(1)
    places = [
        (80 + 110 * i + random.uniform(-15, 15), 80 + 110 * j + random.uniform(-15, 15))
        for i in range(6)
        for j in range(6)
    ]
    usable = off_the_cloth(spots_of([pip for x, y in places for pip in _five(x, y)]), PICTURE).usable
    assert usable.mean() > 0.95


def test_what_shows_through_lies_between_the_body_and_its_pips() -> None:
    colours = np.array([FAINT, BLUE, LIGHT, SAND, (20.0, 120.0, 160.0)])
    assert shows_through(colours, np.array(BLUE), np.array(LIGHT)).tolist() == [True, False, False, False, False]


def test_far_pips_are_seen_around_those_on_top_and_never_taken_for_them() -> None:
    spots = spots_of([_pip(300, 300), *(_pip(300 + x, 310, FAINT) for x in (-30, 30))])
    assert far_pips_near(spots, [0], np.array([300.0, 300.0]), 20 * np.eye(2))
    assert not far_pips_near(spots, [1, 2], np.array([300.0, 310.0]), 20 * np.eye(2))
    assert shows_from_below(spots, [1, 2], np.array([300.0, 310.0]), 40.0)
    assert not shows_from_below(spots, [0], np.array([300.0, 300.0]), 40.0)
