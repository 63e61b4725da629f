"""Paper, cards and coins as references: found on tables of several looks, with a U that covers what they are worth."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from inspect_kit.capture.photographs import Photograph, open_photograph
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.measure.pieces import KINDS, Session, measure_pieces
from inspect_kit.measure.stated import stated_by
from inspect_kit.vision.disc.coin_reference import SeenCircle, known_coin, which
from inspect_kit.vision.disc.fit import Shape
from inspect_kit.vision.disc.measure import DiscRequest, look
from inspect_kit.vision.optics.camera import COUNT, guessed
from inspect_kit.vision.optics.pose import rotation_of, same_turn
from inspect_kit.vision.reference.everyday import CARD, COINS, EURO_COINS, PAPERS, FlatThing
from inspect_kit.vision.reference.rectangle import find_sides
from inspect_kit.vision.reference.rectangle_view import rectangle_view
from inspect_kit.vision.reference.wanted import Reference
from tests.scenes.everyday import card_on, paper_on
from tests.scenes.render import Ground, photograph
from tests.scenes.scene import Lamp, Lens, Piece, Scene, Sensor, Stand

GOLD, COPPER = (0.45, 0.33, 0.12), (0.35, 0.16, 0.08)
PIECES = (Piece(-50, 20, 25.75, 2.2, 0.3, GOLD), Piece(30, -40, 21.25, 1.7, 0.3, COPPER))
LENS = Lens(1600, 1200, 1194.0, (803.0, 595.0))


def _photo(ground: Ground, stand: Stand, pieces: tuple[Piece, ...]) -> Photograph:
    scene = Scene(LENS, stand, pieces, Lamp(slope=(0.1, -0.1), vignette=0.2), Sensor(0.9, 0.006), seed=4)
    return open_photograph(photograph(scene, ground), "photo.jpg", where="photo.jpg")


@pytest.fixture(scope="module")
def on_paper() -> Photograph:
    """A sheet 0.5 mm too short and 0.4 mm too wide, on wood, a shadow over one corner."""
    ground = paper_on("wood", (296.5, 210.4), 0.2, 3, shade=0.4)
    return _photo(ground, Stand(390, 0.2, 1.0, 0.1), PIECES)


@pytest.fixture(scope="module")
def beside_card() -> Photograph:
    ground = card_on("cloth", (0.05, 0.1, 0.4), (-60.0, 10.0), 0.3, 3)
    return _photo(ground, Stand(290, 0.12, 2.0), (Piece(40, 20, 25.75, 2.2, 0.3, GOLD),))


def _measured(photo: Photograph, reference: str) -> Session:
    return measure_pieces(
        [photo], KINDS["discs"], None, stated_by("discs", {"reference": reference, "thickness": "2mm"})
    )


def _covered(session: Session, truths: tuple[float, ...]) -> None:
    assert len(session.pieces) == len(truths)
    found = sorted(piece.diameter.value for piece in session.pieces)
    widest = max(2 * piece.diameter.standard for piece in session.pieces)
    assert widest < 1.0
    for value, truth in zip(found, sorted(truths), strict=True):
        assert abs(value - truth) < widest


def test_a_plain_sheet_of_paper_gives_the_scale(on_paper: Photograph) -> None:
    session = _measured(on_paper, "paper:a4")
    _covered(session, (25.75, 21.25))
    assert "size of the reference" in {part.source for part in session.pieces[0].diameter.budget}


def test_what_looks_round_beside_the_sheet_is_no_piece(on_paper: Photograph) -> None:
    marked = on_paper.pixels.copy()
    for x, y in ((40, 0), (1560, 1150)):
        cv2.circle(marked, (x, y), 38, (20, 20, 20), -1, cv2.LINE_AA)
    session = _measured(replace(on_paper, pixels=marked), "paper:a4")
    assert len(session.pieces) == len(PIECES)
    assert "piece-not-measured" not in {notice.code for notice in session.notices}


def test_a_newcomer_is_told_what_the_printed_mat_would_gain(on_paper: Photograph) -> None:
    told = {notice.code: dict(notice.facts) for notice in _measured(on_paper, "paper:a4").notices}
    gain = told["mat-would-gain"]
    assert float(str(gain["reached"])) < float(str(gain["expanded"]))
    assert "print-scale-unstated" not in told


def test_a_card_beside_the_pieces_gives_the_scale_whatever_is_printed_on_it(beside_card: Photograph) -> None:
    _covered(_measured(beside_card, "card"), (25.75,))


def test_beside_a_card_the_foot_does_not_tell_how_thick_a_piece_is(beside_card: Photograph) -> None:
    request = DiscRequest(Reference("card"), (1.0, 0.0), Shape(2.6, 1.2, 0.3, 0.3), (20.0, 30.0))
    (spotted,) = look(beside_card, None, request).spotted
    assert spotted.disc.solid.thickness == pytest.approx(2.6, abs=0.01)
    assert spotted.diameter.part("piece height") > 0.1


@pytest.mark.parametrize("wrong", [PAPERS["letter"], CARD])
def test_a_thing_of_other_proportions_is_not_taken_for_the_one_named(on_paper: Photograph, wrong: FlatThing) -> None:
    camera = guessed(on_paper.width, on_paper.height, None)
    with pytest.raises(BadInput) as caught:
        rectangle_view(camera, find_sides(on_paper.pixels, camera, wrong), wrong)
    assert caught.value.told.code in ("no-paper-found", "no-card-found", "reference-other-proportions")


def test_a_sheet_that_leaves_the_picture_is_refused(on_paper: Photograph) -> None:
    part = np.ascontiguousarray(on_paper.pixels[:, 420:])
    with pytest.raises(BadInput) as caught:
        next(find_sides(part, guessed(part.shape[1], part.shape[0], None), PAPERS["a4"]))
    assert caught.value.told.code in ("paper-cut-off", "no-paper-found")


# Which of the pieces is the coin.

_WOOD, _SILVER = (150, 110, 70), (150, 150, 152)


def _painted(*discs: tuple[float, tuple[int, int, int], tuple[int, int, int]]) -> tuple[np.ndarray, list[SeenCircle]]:
    picture = np.full((300, 240 * len(discs), 3), 235, np.uint8)
    seen = []
    turns = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    for number, (diameter, ring, middle) in enumerate(discs):
        centre, radius = np.array([120.0 + 240 * number, 150.0]), 3.0 * diameter
        at = (int(centre[0]), int(centre[1]))
        cv2.circle(picture, at, round(radius), ring, -1)
        cv2.circle(picture, at, round(0.73 * radius), middle, -1)
        around = centre + radius * np.column_stack([np.cos(turns), np.sin(turns)])
        seen.append(SeenCircle(diameter / 2, centre, around))
    return picture, seen


_TWO_EURO = (25.75, _SILVER, (170, 140, 80))
_ONE_EURO = (23.25, (170, 140, 80), _SILVER)
_MAN = (31.0, _WOOD, _WOOD)


def test_a_coin_of_two_metals_is_told_from_wooden_pieces() -> None:
    picture, seen = _painted(_MAN, _TWO_EURO, _MAN)
    assert which(picture, seen, COINS["2eur"]) == 1


def test_one_euro_is_not_taken_for_two() -> None:
    picture, seen = _painted(_ONE_EURO, _TWO_EURO, _MAN)
    assert which(picture, seen, COINS["1eur"]) == 0
    assert which(picture, seen, COINS["2eur"]) == 1


def test_two_coins_of_the_same_kind_leave_it_open() -> None:
    picture, seen = _painted(_TWO_EURO, _TWO_EURO, _MAN)
    assert which(picture, seen, COINS["2eur"]) is None


def test_pieces_without_the_coin_are_not_taken_for_it() -> None:
    picture, seen = _painted(_MAN, _MAN, _MAN)
    assert which(picture, seen, COINS["2eur"]) is None
    assert which(picture, seen, COINS["20c"]) is None


def _of(*names: str) -> list[tuple[float, tuple[int, int, int], tuple[int, int, int]]]:
    return [(COINS[name].diameter, _GOLDEN, _GOLDEN) for name in names]


_GOLDEN = (180, 150, 70)


def test_a_coin_of_one_metal_is_told_where_sizes_fit_at_one_scale_only() -> None:
    picture, seen = _painted(*_of("50c", "20c", "10c", "5c", "2c", "1c"))
    assert which(picture, seen, COINS["20c"]) == 1


@pytest.mark.parametrize("others", [("50c", "10c", "5c"), ("50c", "5c", "2c", "1c"), ("5c", "2c", "1c")])
def test_a_coin_that_is_not_there_is_not_found_among_others(others: tuple[str, ...]) -> None:
    picture, seen = _painted(*_of(*others))
    assert which(picture, seen, COINS["20c"]) is None


def test_a_coin_known_by_its_diameter_is_the_odd_one_or_none() -> None:
    any_coin = known_coin("", 24.0)
    picture, seen = _painted(_MAN, _MAN, (24.0, _SILVER, _SILVER), _MAN)
    assert which(picture, seen, any_coin) == 2
    assert which(*_painted(_MAN, (24.0, _SILVER, _SILVER)), any_coin) is None


def test_sizes_are_the_published_ones() -> None:
    assert {coin.name: coin.diameter for coin in EURO_COINS} == {
        "2eur": 25.75, "1eur": 23.25, "50c": 24.25, "20c": 22.25, "10c": 19.75, "5c": 21.25, "2c": 18.75, "1c": 16.25,
    }  # fmt: skip
    assert PAPERS["a4"].size == (297.0, 210.0)
    assert CARD.size == (85.60, 53.98)


# As it is typed.


def test_references_are_read_as_they_are_typed() -> None:
    assert stated_by("discs", {"reference": "coin:25,75mm"}).reference.size == 25.75
    assert stated_by("dice", {"reference": "paper:letter"}).reference.name == "letter"


@pytest.mark.parametrize(
    ("kind", "typed", "code"),
    [("discs", "paper:a5", "unknown-reference"), ("discs", "coin:3eur", "unknown-coin"),
     ("dice", "coin:2eur", "unknown-reference"), ("discs", "card:blue", "unknown-reference")],
)  # fmt: skip
def test_a_reference_that_nobody_knows_is_refused(kind: str, typed: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        stated_by(kind, {"reference": typed})
    assert caught.value.told.code == code


def test_nothing_printed_has_no_scale_of_print() -> None:
    with pytest.raises(UsageError, match="only a printed reference"):
        stated_by("coins", {"reference": "paper:a4", "print_scale": "0.998"})


def test_a_turn_by_half_a_circle_is_written_the_same_way() -> None:
    one = np.zeros(COUNT + 6)
    one[COUNT : COUNT + 3] = [2.22, 2.22, 0.01]
    other = one.copy()
    turn = np.array([2.23, 2.21, 0.02])
    other[COUNT : COUNT + 3] = turn * (1 - 2 * np.pi / np.linalg.norm(turn))
    same = same_turn(other, one)[COUNT : COUNT + 3]
    assert np.allclose(same, turn)
    assert np.allclose(rotation_of(same), rotation_of(other[COUNT : COUNT + 3]))
