"""Eight red discs on one square, whatever its size, on plans without a photo."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from inspect_kit.vision.board.layout import CIRCLES, OUTWARDS
from inspect_kit.vision.board.locate import Mosaic
from inspect_kit.vision.board.red_discs import red_discs

WOOD, RED = (0.7, 0.5, 0.3), (0.45, 0.02, 0.02)


def _plan(
    out: float, along: float, middle: tuple[float, float], hidden: int = 0
) -> tuple[Mosaic, dict[str, np.ndarray]]:
    """Discs this far out and along their sides, around a middle, some hidden; the lines between them of a dark red."""
    light = np.tile(np.array(WOOD, np.float32), (860, 860, 1))
    plan = Mosaic(light, np.ones((860, 860), dtype=bool), light[:, :, 0], -430.0, 430.0, 1.0)
    places = {}
    for name in CIRCLES:
        side, towards = name.split(".")
        places[name] = np.array(middle) + out * np.array(OUTWARDS[side]) + along * np.array(OUTWARDS[towards])
    pixels = {name: tuple(int(v) for v in np.round(plan.pixel(place[None])[0])) for name, place in places.items()}
    for first, last in (("n.w", "n.e"), ("e.n", "e.s"), ("s.e", "s.w"), ("w.s", "w.n")):
        cv2.line(light, pixels[first], pixels[last], (0.05, 0.01, 0.01), 4)
    for name in CIRCLES[hidden:]:
        cv2.circle(light, pixels[name], 13, RED, -1)
    return plan, places


@pytest.mark.parametrize(("out", "along"), [(251.0, 219.0), (262.0, 207.0), (240.0, 195.0)])
def test_discs_are_found_on_boards_of_any_makers_sizes(out: float, along: float) -> None:
    plan, places = _plan(out, along, (6.0, -9.0))
    found = red_discs(plan)
    assert found.keys() == places.keys()
    assert max(np.linalg.norm(found[name] - places[name]) for name in places) < 2


def test_a_disc_under_a_piece_is_where_the_others_put_it() -> None:
    plan, places = _plan(255.0, 210.0, (0.0, 0.0), hidden=1)
    assert np.linalg.norm(red_discs(plan)[CIRCLES[0]] - places[CIRCLES[0]]) < 6


def test_fewer_than_six_are_no_square() -> None:
    assert red_discs(_plan(251.0, 219.0, (0.0, 0.0), hidden=3)[0]) == {}
