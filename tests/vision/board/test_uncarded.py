"""Boards without cards: what checks the feet that place the camera."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from inspect_kit.vision.board.features import Features
from inspect_kit.vision.board.layout import CIRCLES, OUTWARDS, SIDES, Placement
from inspect_kit.vision.board.lines import Trace
from inspect_kit.vision.board.shapes import Key
from inspect_kit.vision.board.uncarded import circles_confirmed, feet_alike
from inspect_kit.vision.board.wall_foot import weigh_frame
from inspect_kit.vision.optics.pose import View


class _FromAbove:
    """A camera whose pixels are millimetres."""

    def on_plane(self, pixels: np.ndarray, _height: float = 0.0) -> np.ndarray:
        return pixels


def _features(west: float) -> Features:
    """Feet 370 mm and lines 265 mm from the middle, the west's foot elsewhere."""
    traces: dict[Key, tuple[Trace, ...]] = {}
    for side in SIDES:
        out = np.array(OUTWARDS[side], dtype=float)
        across = np.linspace(-300, 300, 20)[:, None] * np.array([out[1], -out[0]])
        for kind, level in (("foot", west if side == "w" else 370.0), ("lower", 265.0)):
            traces[kind, side] = (Trace(0, out * level + across, 0.05, 1.0),)
    return Features(traces, {}, weigh_frame([]), 0.3)


@pytest.mark.parametrize(("west", "alike"), [(370.0, True), (367.0, True), (355.0, False), (385.0, False)])
def test_a_foot_that_the_markings_contradict_places_no_camera(west: float, alike: bool) -> None:
    view = cast("View", _FromAbove())
    assert feet_alike(_features(west), view, Placement(0.0, 0.0, 0.0)) is alike


@pytest.mark.parametrize(("gone", "confirmed"), [(0, True), (4, True), (5, False), (8, False)])
def test_a_board_is_believed_where_most_of_its_base_circles_are_seen_again(gone: int, confirmed: bool) -> None:
    """Placed by other round things under glare, a stranger's board had nine features left, values up to 19 u off."""
    absent: dict[Key, str] = {("circle", name): "missing" for name in CIRCLES[:gone]}
    covered: dict[Key, str] = {("circle", name): "covered or not one clean circle" for name in CIRCLES[gone:]}
    assert circles_confirmed(Features({}, absent | covered, weigh_frame([]), 0.3)) is confirmed
