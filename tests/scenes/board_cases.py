"""The boards that several tests look at: one with planted faults, a legal one near its limits, a home board."""

from __future__ import annotations

import math
from dataclasses import replace

from tests.scenes.board import Board, Look, Shot, any_board, any_shot, laid_cards, phone_lens, square, without
from tests.scenes.scene import Lamp, Sensor, Stand

MEGAPIXELS = 5.0
_RED_WALL = Look(frame_wall=(0.12, 0.04, 0.025))

PLANTED = Board(
    ((-367.35, 369.0), (369.0, 369.0), (369.0, -369.0), (-372.5, -369.0)), frame_height=24.0,
    pocket=(44.5, 46.6, 44.5, 44.5), lower_thickness=(5.6, 4.4, 5.6, 5.6), length=(470.0, 470.0, 474.0, 470.0),
    lower_edge=(267.5,) * 4, look=_RED_WALL,
)  # fmt: skip
"""North 736.35, south 741.5, so that the corner sw has 89.6 degrees."""
LEGAL = Board(
    square(739.0), frame_height=20.0, gap=0.8, pocket=(45.6, 43.4, 44.5, 45.5), lower_edge=(268.0,) * 4,
    lower_thickness=(5.2, 6.3, 5.2, 6.3), length=(472.3,) * 4, arrow_thin=1.2, arrow_length=(265.0,) * 4, centre=32.8,
    outer=172.4, look=Look(frame_wall=(0.28, 0.17, 0.085), frame_top=(0.3, 0.18, 0.09), star=False, rim=1.5),
)  # fmt: skip
HOME = without(replace(PLANTED, look=replace(_RED_WALL, star=False)), "basecircle", "outer")


def shot_of(board: Board, tilt: float, azimuth: float, cards: int = 4) -> Shot:
    """From the height at which the frame just fits into the picture."""
    lens = phone_lens(MEGAPIXELS)
    reach = 960 * lens.focal / lens.height * (1 + 0.35 * math.sin(math.radians(tilt)))
    stand = Stand(reach, math.radians(tilt), math.radians(azimuth), 0.03, (4.0, -6.0))
    lamp = Lamp((0.3, 0.25, 0.9), 0.45, 0.4, 0.3)
    return Shot(board, lens, stand, laid_cards(2, cards), (), lamp, Sensor(0.8, 0.005, 0.002, 93), seed=4)


PLANTED_SHOT = shot_of(PLANTED, 12, 40)
PLANTED_AGAIN = shot_of(PLANTED, 18, 230)
LEGAL_SHOT = shot_of(LEGAL, 16, 130)
HOME_SHOT = shot_of(HOME, 8, 200)
UNCARDED_SHOT = replace(LEGAL_SHOT, cards=())
STEEP_SHOT = replace(shot_of(PLANTED, 52, 30), lens=phone_lens(3.0))
"""Beyond what is measured at all."""
TWELVE_SHOTS = tuple(any_shot(any_board(seed), seed, phone_lens()) for seed in (40, 42))
"""Boards by chance in full resolution, one with a gap along the wall and one without."""
