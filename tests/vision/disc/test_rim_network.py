"""What light at a rim does to its edge, as a network taught on computed rims tells it."""

from __future__ import annotations

import numpy as np

from inspect_kit.vision.disc.rim_network import PLACES, further, looks
from inspect_kit.vision.fitting.edge_step import Edges, Profiles

STEPS = np.arange(-10.0, 10.01, 0.5)


def _seen(lines: int, offset: float = 0.0) -> tuple[Profiles, Edges]:
    """A light piece on a darker ground, its edge at an offset, blurred."""
    luma = 0.35 + 0.35 / (1 + np.exp((STEPS - offset) / 0.45))
    codes = np.stack([luma, np.full_like(luma, 0.49), np.full_like(luma, 0.53)], axis=1)
    places = np.full(lines, offset)
    edges = Edges(places, np.full(lines, 0.2), np.full(lines, 0.03), np.full(lines, 1e-3), 0.8, 0.35)
    return Profiles(STEPS, np.repeat(codes[None], lines, axis=0)), edges


def test_each_line_is_answered_for_itself_however_many_there_are() -> None:
    for lines in (60, 61, 132):
        answer = further(looks(*_seen(lines), np.zeros(lines), (0.8, 7.0)))
        assert answer.shape == (lines,)
        assert np.allclose(answer, answer[0], atol=1e-5)


def test_what_it_is_shown_is_taken_about_the_edge_wherever_that_lies() -> None:
    here, there = (looks(*_seen(3, offset), np.zeros(3), (0.8, 7.0)) for offset in (0.0, 1.5))
    assert np.abs(here - there)[:, : 3 * len(PLACES)].max() < 0.02


def test_a_plain_sharp_edge_stays_within_a_fraction_of_a_pixel() -> None:
    assert np.abs(further(looks(*_seen(60), np.full(60, 0.1), (0.1, 7.0)))).max() < 0.3
