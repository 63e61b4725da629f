"""What a coin as the reference leaves open, without any photo."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.vision.disc.coin_reference import CoinScene, first_view, leaning_covariance
from inspect_kit.vision.disc.fit import Disc
from inspect_kit.vision.disc.solid import Solid
from inspect_kit.vision.optics.camera import guessed
from inspect_kit.vision.optics.pose import view_slopes
from inspect_kit.vision.reference.everyday import COINS


def _scene() -> CoinScene:
    view = first_view(guessed(1600, 1200, None), 200.0)
    around = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    coin = Disc(
        Solid(0, 0, 12.875, 2.2, 0.3), 0.01, 0, 0, np.zeros(15), 8.0, 1.0, 1.0, 0.5, 0.0,
        around, np.zeros(60), 0.1, np.zeros((0, 2)), view.pixels(np.array([[0.0, 0.0, 2.2]]))[0],
    )  # fmt: skip
    return CoinScene(view, (coin,), 0, COINS["2eur"], 2.0)


def test_a_lean_that_outlines_do_not_tell_moves_what_is_far_from_the_coin() -> None:
    scene = _scene()
    places = np.array([[0.0, 0.0, 2.2], [20.0, 0.0, 2.2], [60.0, 0.0, 2.2]])
    slopes = view_slopes(scene.start.vector, places)
    spread = np.einsum("nij,jk,nik->n", slopes, leaning_covariance(scene.start, scene), slopes) ** 0.5
    assert spread[0] == pytest.approx(0.0, abs=0.05)
    assert spread[2] > 5 * spread[1] > 0
