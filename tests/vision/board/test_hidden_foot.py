"""A wall whose own soft shade hides its foot: grain before the shade is no foot, the frame's height tells where it is."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
import pytest

from inspect_kit.vision.board.layout import OUTWARDS, Placement
from inspect_kit.vision.board.wall_foot import FootLine, foot_lines, hidden_foot, trace_foot, weigh_frame
from inspect_kit.vision.board.walls import Wall, choose_feet, look_at_walls
from inspect_kit.vision.fitting.stripe import Shot
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.optics.pose import View

HALF, HEIGHT, ABOVE = 368.0, 22.5, 1000.0
"""mm: half a side, the frame's height, the camera's."""
PIXELS, SIZE = 2.0, 1680
"""Pixels a mm, and of a side of the picture."""
TOP = HALF * ABOVE / (ABOVE - HEIGHT)
"""mm from the middle, where the frame's top edge is seen on the surface's plane."""


def _shot(shaded: bool) -> Shot:
    """A frame with dark walls from straight above; `shaded`: the east wall throws a soft shadow as dark as its face."""
    at = (np.arange(SIZE) + 0.5) / PIXELS - SIZE / 2 / PIXELS
    x, y = np.meshgrid(at, at)
    away = np.maximum(np.abs(x), np.abs(y))
    east = (x == away) & shaded
    wood = np.where(east, np.interp(x, [HALF - 7, HALF - 2], [1.0, 0.1]), 1.0)
    # Grain of the wood runs along the wall, well before the shade.
    wood = np.where(east & (x > HALF - 8.5), wood * 0.985, wood)
    share = np.where(away < HALF, wood, np.where(away < TOP, 0.1, 0.6))
    light = 0.5 * share[:, :, None] * np.array([1.0, 0.8, 0.55])
    light = cv2.GaussianBlur(light, (0, 0), 0.7) + np.random.default_rng(1).normal(0, 0.002, light.shape)
    lens = np.array([ABOVE * PIXELS, ABOVE * PIXELS, (SIZE - 1) / 2, (SIZE - 1) / 2, 0, 0, 0, 0, 0])
    pose = np.array([np.pi, 0.0, 0.0, 0.0, 0.0, ABOVE])
    camera = Camera(SIZE, SIZE, lens, np.zeros((9, 9)))
    view = View(camera, np.concatenate([lens, pose]), np.zeros((15, 15)), np.zeros((6, 6)), 0.1, 40, 40)
    return Shot(0, light.astype(np.float32), view, (), 0.7, 0.1)


def _lines(shot: Shot) -> tuple[Mapping[str, Wall], dict[str, FootLine]]:
    looked = look_at_walls(shot, Placement(0.0, 0.0, 0.0), dict.fromkeys(OUTWARDS, HALF + 0.8))
    walls = {side: wall for side, wall in looked.items() if isinstance(wall, Wall)}
    return walls, foot_lines(shot, walls, choose_feet(walls))


def test_grain_before_a_soft_shade_is_no_foot() -> None:
    _, lines = _lines(_shot(shaded=True))
    assert sorted(side for side, line in lines.items() if not line.doubtful) == ["n", "s", "w"]


def test_a_foot_in_its_walls_shade_is_told_by_the_top_edge_and_the_frames_height() -> None:
    shot = _shot(shaded=True)
    walls, lines = _lines(shot)
    sure = [line for line in lines.values() if not line.doubtful]
    frame = weigh_frame(sure)
    hidden = hidden_foot(shot, walls["e"], sure, frame)
    assert hidden is not None
    foot = trace_foot(shot, hidden, frame)
    places = shot.view.on_plane(foot.pixels, foot.height)[:, 0]
    u = np.hypot(foot.u_width, frame.u_height * (TOP - HALF) / HEIGHT)
    assert np.median(places) == pytest.approx(HALF, abs=2 * u)
    assert u < 0.6, "seen from all sides alike, gap and height of a frame are not told apart"


def test_two_other_walls_do_not_tell_it() -> None:
    shot = _shot(shaded=True)
    walls, lines = _lines(shot)
    sure = [line for side, line in lines.items() if side in ("n", "w")]
    assert hidden_foot(shot, walls["e"], sure, weigh_frame(sure)) is None
