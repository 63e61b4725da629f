"""Which edge along a wall is its foot, by what lies on both sides of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from inspect_kit.vision.board.wall_foot import FootLine, perhaps_mirrored
from inspect_kit.vision.board.walls import ChosenFoot, Edge, Wall, choose_feet, edges_along, lit_top, mirrors_wood
from inspect_kit.vision.fitting.stripe import STEP, Ribbon, Shot

WOOD = np.array([1.05, 1.0, 0.95])
SOFT_EDGES = ((-0.3, 0.22, 0.3), (1.5, 0.15, 1.5), (3.0, 0.25, 0.6), (3.8, 0.2, 0.4))
"""mm, share of the light that is lost there, and mm of softness: a rounded, lit wall as it was path-traced."""


def _wall(offsets: tuple[float, ...], lights: tuple[float, ...], camera: float = 370.0) -> Wall:
    """A wall seen from the board's middle, with edges at these offsets and strips of this light between them."""
    nothing = np.empty((0, 2))
    lines = Ribbon(nothing, nothing, np.empty(0), np.empty((0, 0, 3)), np.empty(0))
    edges = tuple(Edge(offset, 0.0, 1.0) for offset in offsets)
    strips = tuple(light * WOOD for light in lights)
    return Wall("n", lines, np.empty(0), np.empty(0, dtype=bool), edges, strips, camera, 1000.0)


def test_the_foot_is_where_the_surface_ends_not_the_top_edge_or_a_shadow() -> None:
    walls = {"n": _wall((-8.0, 0.2, 8.4), (1.0, 0.6, 0.1, 0.3))}
    assert choose_feet(walls) == {"n": ChosenFoot(1)}


def test_an_edge_with_neither_surface_nor_wall_beside_it_is_no_foot() -> None:
    walls = {"n": _wall((0.2, 8.4), (0.7, 0.1, 0.3)), "e": _wall((29.8,), (0.05, 0.06))}
    assert choose_feet(walls) == {"n": ChosenFoot(0)}


def _glossy() -> Wall:
    """As path-traced: shaded wood, a wall that mirrors it in its tint, a darker seam, the frame's top."""
    return _wall((-3.9, -0.6, 2.7, 3.4), (0.8, 0.6, 0.13, 0.097, 0.13), camera=150.0)


def test_a_glossy_wall_that_mirrors_the_wood_is_no_surface_and_its_top_edge_no_foot() -> None:
    others = {side: _wall((0.1, 9.2), (0.75, 0.1, 0.3), camera=400.0) for side in "new"}
    assert choose_feet({**others, "s": _glossy()})["s"].index == 1


def test_sheen_before_a_wall_is_no_other_foot() -> None:
    """A black wall's neighbour mirrors the sky: bluer than the wood, and nowhere darker than it."""
    wall = _wall((-1.3, 0.0), (1.0,) * 3, camera=20.0)
    strips = (np.array([0.94, 0.97, 1.0]), np.array([0.92, 1.02, 1.26]), np.array([0.26, 0.29, 0.36]))
    assert choose_feet({"s": replace(wall, strips=strips)})["s"] == ChosenFoot(1)


def test_where_two_edges_are_as_good_a_foot_both_are_named() -> None:
    """Alone, a wall as light as shaded wood leaves open which of its two edges is the foot."""
    chosen = choose_feet({"n": _wall((0.2, 3.4), (0.9, 0.5, 0.12), camera=20.0)})["n"]
    assert chosen.rival is not None


def test_the_other_walls_settle_what_one_leaves_open() -> None:
    open_one = _wall((0.2, 3.4), (0.9, 0.5, 0.12), camera=150.0)
    others = {side: _wall((0.2, 8.9), (0.9, 0.1, 0.3), camera=400.0) for side in "esw"}
    assert choose_feet({"n": open_one, **others})["n"] == ChosenFoot(0)


def test_behind_its_own_shade_a_wall_is_dark_and_the_first_light_edge_its_top() -> None:
    assert lit_top(_wall((1.4,), (0.3, 0.7), camera=48.0), 0)


def test_a_lit_wall_behind_lit_wood_or_a_gap_is_no_top() -> None:
    assert not lit_top(_wall((0.2,), (0.9, 1.2), camera=48.0), 0)
    assert not lit_top(_wall((0.2, 1.0), (0.9, 0.02, 0.3), camera=300.0), 1)
    assert not lit_top(_wall((1.4,), (0.3, 0.7), camera=-48.0), 0), "there the top hides the foot"


@pytest.mark.parametrize(
    ("top", "mirrors"),
    [((0.05, 0.07, 0.12), True), ((0.4, 0.4, 0.4), False)],
    ids=["a black top", "a frame of the wood's own tint"],
)
def test_a_face_in_the_woods_tint_under_a_top_of_another_is_a_mirror(
    top: tuple[float, float, float], mirrors: bool
) -> None:
    wall = _wall((0.0, 13.0), (1.0, 0.2, 1.0), camera=600.0)
    wall = replace(wall, strips=(*wall.strips[:2], np.array(top)))
    assert mirrors_wood({"s": wall}, {"s": ChosenFoot(0)}) is mirrors
    assert not mirrors_wood({"s": wall}, {"s": ChosenFoot(1)}), "of a wall without a face nothing is known"


@pytest.mark.parametrize(
    ("camera", "middle", "withheld"),
    [(82.0, 2.4, True), (300.0, 0.0, False), (20.0, 0.0, False), (-40.0, 0.0, False)],
    ids=["along the face", "the lines speak against it", "too little to matter", "from behind the wall"],
)
def test_the_one_edge_of_a_mirroring_wall_may_be_its_top(camera: float, middle: float, withheld: bool) -> None:
    """As path-traced: both readings were 2.2 mm apart, and the wrong one was taken at 8 u."""
    wall = _wall((middle,), (0.9, 0.1), camera)
    line = FootLine(wall, np.full(60, middle), np.ones(60, dtype=bool), middle, (), None)
    assert perhaps_mirrored(line, 0.0).doubtful is withheld


@pytest.mark.parametrize(("camera", "advice"), [(150.0, "above that side"), (-36.0, "above the opposite side")])
def test_a_foot_seen_in_two_ways_is_to_be_photographed_from_where_the_camera_was_not(
    camera: float, advice: str
) -> None:
    wall = _wall((-0.6, 1.0), (0.2, 0.15, 0.3), camera)
    assert advice in FootLine(wall, np.zeros(60), np.ones(60, dtype=bool), 1.0, (), None, rival=-1.6).doubt


def test_soft_edges_in_coarse_grain_do_not_turn_a_wall() -> None:
    """A line from one edge to the next may meet more steep places than any edge has by itself; all of them together
    are sharpest along the wall."""
    random, places = np.random.default_rng(2), np.arange(-303.0, 303.0, 6.0)
    steps = np.arange(-17.0, 31.0, STEP)
    away = steps[None, :] + 0.0022 * places[:, None]
    light = 1.0 - sum(share * ndtr((away - at) / soft) for at, share, soft in SOFT_EDGES)
    profiles = WOOD * np.maximum(light + random.normal(0, 0.1, light.shape), 0.01)[:, :, None]
    feet, normals = np.column_stack([places, np.zeros_like(places)]), np.tile([0.0, 1.0], (len(places), 1))
    lines = Ribbon(feet, normals, steps, profiles, np.full(len(places), 2.3))
    shot = Shot(0, np.zeros((2, 2, 3), np.float32), None, (), blur=0.35)  # type: ignore[arg-type]
    found = edges_along(shot, lines, places, np.ones(len(places), dtype=bool))
    assert all(abs(edge.slope + 0.0022) < 0.0003 for edge in found)
    assert min(abs(edge.offset + 0.3) for edge in found) < 0.2
