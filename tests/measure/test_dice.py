"""Six faces of one die checked together: each number once, opposite ones adding to seven."""

from __future__ import annotations

import numpy as np
import pytest

from inspect_kit.errors import notice
from inspect_kit.measure.dice import spotted
from inspect_kit.vision.dice.measure import DiceLook, Die


def _look(number: int, *sides: int) -> DiceLook:
    return DiceLook((Die(number, 1.0, (0.0, 0.0), np.zeros((4, 2))),), (), tuple((number, side) for side in sides))


def _looks(*numbers: int) -> list[DiceLook]:
    return [_look(number) for number in numbers]


def test_a_die_photographed_in_pairs_is_spotted_right() -> None:
    found = spotted(_looks(1, 6, 2, 5, 3, 4))
    assert found is not None
    assert (found.numbers, found.opposite, found.faults) == (True, True, ())


def test_a_number_that_comes_twice_is_named_and_so_is_the_missing_one() -> None:
    found = spotted(_looks(1, 6, 2, 5, 3, 3))
    assert found is not None
    assert (found.numbers, found.opposite) == (False, False)
    assert found.faults == (notice("die-number-repeated", number=3, times=2), notice("die-number-missing", number=4))


def test_opposite_faces_are_left_open_where_nothing_tells() -> None:
    found = spotted(_looks(1, 2, 3, 4, 5, 6))
    assert found is not None
    assert (found.numbers, found.opposite) == (True, None)


def test_sides_beside_an_upper_face_tell_what_is_opposite() -> None:
    looks = [_look(1, 2, 3), _look(6, 5, 4), _look(2, 3, 1), _look(5, 4, 6), _look(3, 5, 6), _look(4, 2, 1)]
    found = spotted(looks)
    assert found is not None
    assert found.opposite is True


def test_a_number_beside_its_partner_is_a_fault() -> None:
    looks = [_look(1, 6), *_looks(6, 2, 5, 3, 4)]
    found = spotted(looks)
    assert found is not None
    assert found.numbers
    assert found.opposite is False
    assert found.faults == (notice("die-not-opposite", number=1, other=6),)


@pytest.mark.parametrize("numbers", [(), (1,), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6, 6)])
def test_only_six_photos_are_six_faces(numbers: tuple[int, ...]) -> None:
    assert spotted(_looks(*numbers)) is None


def test_a_photo_with_two_dice_is_no_face_of_one() -> None:
    both = DiceLook(_look(1).dice * 2, (), ())
    assert spotted([both, *_looks(2, 3, 4, 5, 6)]) is None
