"""Eight base circles on one square, whatever its size and their colour, on plans without a photo."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from inspect_kit.vision.board.base_circles import find_base_circles, look_again, none_twice, surface_corners
from inspect_kit.vision.board.layout import CIRCLES, OUTWARDS, circle_place
from inspect_kit.vision.board.locate import Mosaic

WOOD, RED, BLACK = (0.7, 0.5, 0.3), (0.45, 0.02, 0.02), (0.02, 0.02, 0.02)
Look = tuple[tuple[float, float, float], int]
"""Colour, and width of a ring's stroke (-1: a disc)."""


def _plan(
    out: float, along: float, middle: tuple[float, float], hidden: int = 0, look: Look = (RED, -1)
) -> tuple[Mosaic, dict[str, np.ndarray]]:
    """Discs this far out and along their sides, around a middle, some hidden; the lines between them of a dark red."""
    light = np.tile(np.array(WOOD, np.float32), (860, 860, 1))
    plan = Mosaic(light, np.ones((860, 860), dtype=bool), -430.0, 430.0, 1.0)
    places = {}
    for name in CIRCLES:
        side, towards = name.split(".")
        places[name] = np.array(middle) + out * np.array(OUTWARDS[side]) + along * np.array(OUTWARDS[towards])
    pixels = {name: tuple(int(v) for v in np.round(plan.pixel(place[None])[0])) for name, place in places.items()}
    for first, last in (("n.w", "n.e"), ("e.n", "e.s"), ("s.e", "s.w"), ("w.s", "w.n")):
        cv2.line(light, pixels[first], pixels[last], (0.05, 0.01, 0.01), 4)
    for name in CIRCLES[hidden:]:
        cv2.circle(light, pixels[name], 13, *look)
    return plan, places


@pytest.mark.parametrize(("out", "along"), [(251.0, 219.0), (262.0, 207.0), (240.0, 195.0)])
def test_discs_are_found_on_boards_of_any_makers_sizes(out: float, along: float) -> None:
    plan, places = _plan(out, along, (6.0, -9.0))
    found = find_base_circles(plan)
    assert found.keys() == places.keys()
    assert max(np.linalg.norm(found[name] - places[name]) for name in places) < 2


LOOKS = {"black": (BLACK, -1), "blue": ((0.03, 0.06, 0.4), -1), "white": ((0.9, 0.9, 0.9), -1), "ring": (BLACK, 1)}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_circles_of_any_colour_filled_or_not_are_found(look: Look) -> None:
    plan, places = _plan(262.0, 207.0, (6.0, -9.0), look=look)
    found = find_base_circles(plan)
    assert found.keys() == places.keys()
    assert max(np.linalg.norm(found[name] - places[name]) for name in places) < 2


def test_smaller_circles_in_the_gaps_are_not_taken_for_them() -> None:
    plan, places = _plan(255.0, 210.0, (0.0, 0.0), look=(BLACK, -1))
    for x, y in np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]]) * 232.5:
        cv2.circle(plan.light, tuple(int(v) for v in np.round(plan.pixel(np.array([[x, y]]))[0])), 8, BLACK, 2)
    found = find_base_circles(plan)
    assert max(np.linalg.norm(found[name] - places[name]) for name in places) < 2


def test_circles_seen_before_are_settled_near_there() -> None:
    plan, places = _plan(255.0, 210.0, (0.0, 0.0))
    found = look_again(plan, {name: place + np.array([3.0, -2.0]) for name, place in places.items()})
    assert max(np.linalg.norm(found[name] - places[name]) for name in places) < 1


def test_a_disc_under_a_piece_is_where_the_others_put_it() -> None:
    plan, places = _plan(255.0, 210.0, (0.0, 0.0), hidden=1)
    assert np.linalg.norm(find_base_circles(plan)[CIRCLES[0]] - places[CIRCLES[0]]) < 6


def test_fewer_than_six_are_no_square() -> None:
    assert find_base_circles(_plan(251.0, 219.0, (0.0, 0.0), hidden=3)[0]) == {}


def _framed(ends: tuple[int, int, int, int], frame: tuple[float, float, float]) -> Mosaic:
    """Discs on wood that ends so far north, east, south and west of the middle, a frame of 60 mm around it."""
    plan, _ = _plan(240.0, 195.0, (0.0, 0.0))
    n, e, s, w = ends
    inner = np.zeros((860, 860), dtype=bool)
    inner[430 - n : 430 + s, 430 - w : 430 + e] = True
    outer = cv2.dilate(inner.astype(np.uint8), np.ones((121, 121), np.uint8)) > 0
    plan.light[outer & ~inner] = frame
    plan.light[~outer] = (0.6, 0.6, 0.65)
    return plan


@pytest.mark.parametrize("frame", [(0.02, 0.02, 0.02), (0.25, 0.01, 0.02)])
def test_the_surface_ends_where_wood_ends_going_outwards_from_the_discs(frame: tuple[float, float, float]) -> None:
    plan = _framed((372, 395, 381, 365), frame)
    corners = surface_corners(plan, find_base_circles(plan))
    assert corners is not None
    assert np.abs(corners - [[-365, 372], [395, 372], [395, -381], [-365, -381]]).max() < 3


def test_a_surface_whose_end_is_not_seen_has_no_corners() -> None:
    assert surface_corners(*_plan(240.0, 195.0, (0.0, 0.0))) is None


def test_a_makers_red_plate_in_one_corner_does_not_move_the_square() -> None:
    plan, places = _plan(251.0, 219.0, (0.0, 0.0))
    cv2.circle(plan.light, (836, 30), 20, RED, -1)
    cv2.circle(plan.light, (836, 90), 20, RED, -1)
    found = find_base_circles(plan)
    assert max(np.linalg.norm(found[name] - places[name]) for name in places) < 2


def test_one_disc_does_not_stand_for_both_circles_of_a_corner() -> None:
    places = {name: circle_place(name) for name in CIRCLES}
    assert none_twice(places)
    assert not none_twice({**places, "w.n": places["n.w"] + 5.0})
    assert none_twice({name: place for name, place in places.items() if name != "w.n"})
