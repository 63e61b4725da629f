"""Two photographs that several tests share, drawn once a run: a striker on the mat, and coins on the mat."""

from __future__ import annotations

from functools import cache

from tests.scenes.render import photograph
from tests.scenes.scene import Lamp, Lens, Piece, Scene, Sensor, Stand
from tests.scenes.table import COLOURS

LENS = Lens(1600, 1200, 2000.0, (799.5, 599.5))
STRIKER = 40.9
COINS = ("white", "black", "red", "white")


def _shot(pieces: tuple[Piece, ...], seed: int, aim: tuple[float, float] = (0.0, 0.0), distance: float = 470) -> bytes:
    stand = Stand(distance, 0.1, 2.0, 1.57, aim)
    return photograph(Scene(LENS, stand, pieces, Lamp(), Sensor(1.0, 0.006), seed=seed))


@cache
def striker_photo() -> bytes:
    return _shot((Piece(5, -8, STRIKER, 9.0, 1.0, COLOURS["blue"], "striker"),), 3)


@cache
def coins_photo() -> bytes:
    pieces = tuple(
        Piece(-40 + 40 * (i % 2), -30 + 45 * (i // 2), 31.0 if i < 3 else 33.0, 8.0, 1.0, COLOURS[name], name)
        for i, name in enumerate(COINS)
    )
    return _shot(pieces, 4)


@cache
def cut_photo() -> bytes:
    """Two coins, one of them leaving the picture."""
    pieces = tuple(Piece(0, y, 31.0, 8.0, 1.0, COLOURS["white"], "white") for y in (-90, 20))
    return _shot(pieces, 5, (0.0, 69.0), 400)
