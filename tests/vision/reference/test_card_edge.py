"""A card's own edge beside that of its shadow, on profiles and pictures of known pixels."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from inspect_kit.errors import BadInput
from inspect_kit.vision.arrays import Floats, Pixels
from inspect_kit.vision.fitting.edge_step import Profiles
from inspect_kit.vision.optics.camera import guessed
from inspect_kit.vision.optics.light import encoded
from inspect_kit.vision.reference.card_edge import SideReading, open_size, read_side
from inspect_kit.vision.reference.everyday import CARD, PAPERS, FlatThing
from inspect_kit.vision.reference.rectangle import find_sides
from inspect_kit.vision.reference.rectangle_sides import refined
from inspect_kit.vision.reference.rectangle_view import rectangle_view

Colour = tuple[float, float, float]
WOOD, GREEN, BLUE = (0.36, 0.23, 0.13), (0.05, 0.27, 0.1), (0.09, 0.13, 0.5)
GREY, WHITE, BLACK = (0.3, 0.3, 0.3), (0.8, 0.8, 0.8), (0.03, 0.02, 0.015)
PER_MM = 8.0


def _pictured(light: Floats) -> Pixels:
    """As a lens blurs it, and JPEG stores it."""
    soft = cv2.GaussianBlur(light.astype(np.float32), (0, 0), 0.8)
    picture = np.round(255 * np.clip(encoded(soft), 0, 1)).astype(np.uint8)
    _, stored = cv2.imencode(".jpg", picture[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])
    return np.ascontiguousarray(cv2.imdecode(stored, cv2.IMREAD_COLOR)[:, :, ::-1])


def _side(ground: Colour, shadow: float, card: Colour, border: Colour | None = None) -> SideReading:
    """Lines across a side whose outermost edge is the end of a shadow, or of a border, so many pixels broad."""
    steps = np.arange(-60, 61) * 0.5
    light = np.empty((96, 321, 3))
    place = (np.arange(321) - 160) / 4
    light[:], light[:, place < 0] = ground, border or 0.2 * np.array(ground)
    light[:, place < -shadow] = card
    small = _pictured(cv2.resize(light.astype(np.float32), None, fx=0.25, fy=1, interpolation=cv2.INTER_AREA))
    codes = cv2.cvtColor(small, cv2.COLOR_RGB2YCrCb).astype(np.float64) / 255
    at = steps + 40 + 0.125 - 0.5
    low = np.floor(at).astype(int)
    along = codes[:, low] + (at - low)[:, None] * (codes[:, low + 1] - codes[:, low])
    return read_side(Profiles(steps, along), PER_MM)


@pytest.mark.parametrize("card", [GREEN, BLUE])
@pytest.mark.parametrize("ground", [WOOD, GREY])
@pytest.mark.parametrize("shadow", [0.0, 1.5, 5.0])
def test_a_coloured_card_begins_where_the_hue_turns_however_broad_its_shadow(
    card: Colour, ground: Colour, shadow: float
) -> None:
    reading = _side(ground, shadow, card)
    assert reading.is_certain
    assert reading.inside == pytest.approx(shadow, abs=0.8)


@pytest.mark.parametrize("ground", [WOOD, GREY])
def test_a_white_card_begins_where_it_gets_light_again(ground: Colour) -> None:
    reading = _side(ground, 5.0, WHITE)
    assert reading.is_certain
    assert reading.inside == pytest.approx(5.0, abs=0.8)
    assert _side(ground, 0.0, WHITE).inside == 0.0


def test_a_light_border_around_a_coloured_card_is_no_shadow() -> None:
    assert _side(WOOD, 12.0, GREEN, border=WHITE).inside == 0.0


def test_a_black_card_is_not_told_from_its_shadow_and_u_says_so() -> None:
    sides = [_side(WOOD, 3.0, BLACK)] * 4
    assert not sides[0].is_certain
    assert min(open_size(sides, PER_MM)) > 0.2


def test_strips_along_opposite_sides_may_be_print_so_that_both_readings_stay_open() -> None:
    strip, plain = SideReading(inside=8.0), SideReading()
    assert open_size([strip, plain, plain, plain], PER_MM) == (0.0, 0.0)
    assert open_size([strip, plain, strip, plain], PER_MM) == (0.0, 1.0)


def _found_at(pixels: Pixels, thing: FlatThing) -> list[float]:
    sides = next(find_sides(pixels, guessed(pixels.shape[1], pixels.shape[0], None), thing))
    across = ((0, 1), (3, 0), (2, 1), (1, 0))
    return sorted(float(np.median(sides.points[sides.side == number][:, axis])) for number, axis in across)


def test_the_sides_of_a_card_are_found_behind_its_shadow() -> None:
    x, y, width, height = 200, 150, round(85.6 * PER_MM), round(53.98 * PER_MM)
    light = np.empty((800, 1100, 3))
    light[:] = WOOD
    light[y + 4 : y + height + 5, x + 4 : x + width + 5] *= 0.25
    light[y : y + height, x : x + width] = GREEN
    true = sorted(each - 0.5 for each in (y, x, y + height, x + width))
    assert _found_at(_pictured(light), CARD) == pytest.approx(true, abs=0.4)


def _card_at(x: int, y: int) -> tuple[Pixels, Floats]:
    """A green card on wood, and its corners."""
    width, height = round(85.6 * PER_MM), round(53.98 * PER_MM)
    light = np.empty((800, 1100, 3))
    light[:] = WOOD
    light[y : y + height, x : x + width] = GREEN
    return _pictured(light), np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]]) - 0.5


def test_the_sides_of_a_card_are_found_from_a_guess_that_took_its_shadow_for_a_part_of_it() -> None:
    pixels, corners = _card_at(200, 150)
    away = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    sides = refined(pixels, corners + 14 * away, CARD)
    assert sides is not None
    assert np.median(sides.points[sides.side == 0][:, 1]) == pytest.approx(corners[0, 1], abs=0.4)


def test_a_part_of_a_card_that_is_no_rectangle_in_space_makes_way_for_the_whole() -> None:
    pixels, corners = _card_at(200, 150)
    whole = refined(pixels, corners, CARD)
    assert whole is not None
    striped = replace(whole, points=whole.points + np.where(whole.side == 1, -90.0, 0.0)[:, None] * [1.0, 0.0])
    camera = guessed(1100, 800, 900.0)
    view, _, _ = rectangle_view(camera, [striped, whole], CARD)
    assert view.centre[2] == pytest.approx(900 / PER_MM, rel=0.02)
    with pytest.raises(BadInput) as caught:
        rectangle_view(camera, [striped], CARD)
    assert caught.value.told.code == "reference-other-proportions"


def _sheet(table: Colour) -> Floats:
    """A4 at three pixels a mm."""
    light = np.empty((800, 1100, 3))
    light[:] = table
    light[80:710, 100:991] = 0.78
    return light


def test_a_lined_sheet_with_a_covered_corner_is_found_as_a_plain_one() -> None:
    light = _sheet(WOOD)
    light[104:700:24, 100:991] *= 0.6
    light[80:710, 160] = (0.6, 0.2, 0.2)
    light[60:150, 900:1010] = BLACK
    assert _found_at(_pictured(light), PAPERS["a4"]) == pytest.approx([79.5, 99.5, 709.5, 990.5], abs=0.4)


def test_a_sheet_on_a_table_as_white_is_refused_and_not_guessed() -> None:
    with pytest.raises(BadInput) as caught:
        _found_at(_pictured(_sheet((0.77, 0.77, 0.77))), PAPERS["a4"])
    assert caught.value.told.code == "no-paper-found"
