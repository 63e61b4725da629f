"""Which edge along a wall is its foot, by what lies on both sides of it."""

from __future__ import annotations

import numpy as np

from inspect_kit.vision.board.walls import Edge, Wall, choose_feet
from inspect_kit.vision.fitting.stripe import Ribbon


def _wall(offsets: tuple[float, ...], lights: tuple[float, ...]) -> Wall:
    """A wall seen from the board's middle, with edges at these offsets and strips of this light between them."""
    nothing = np.empty((0, 2))
    lines = Ribbon(nothing, nothing, np.empty(0), np.empty((0, 0, 3)), np.empty(0))
    edges = tuple(Edge(offset, 0.0, 1.0) for offset in offsets)
    strips = tuple(np.full(3, light) for light in lights)
    return Wall("n", lines, np.empty(0), np.empty(0, dtype=bool), edges, strips, 370.0, 1000.0)


def test_the_foot_is_where_the_surface_ends_not_the_top_edge_or_a_shadow() -> None:
    walls = {"n": _wall((-8.0, 0.2, 8.4), (1.0, 0.6, 0.1, 0.3))}
    assert choose_feet(walls) == {"n": 1}


def test_an_edge_with_neither_surface_nor_wall_beside_it_is_no_foot() -> None:
    walls = {"n": _wall((0.2, 8.4), (0.7, 0.1, 0.3)), "e": _wall((29.8,), (0.05, 0.06))}
    assert choose_feet(walls) == {"n": 0}
