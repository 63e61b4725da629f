"""Boards of makers with sizes and looks of their own: everything is found, and nothing is wrong with a small U."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from inspect_kit.errors import BadInput
from inspect_kit.vision.board import uncarded
from inspect_kit.vision.board.measure import BoardPhoto, BoardResult, KnownSide, measure_board
from inspect_kit.vision.board.uncarded import cut_out
from inspect_kit.vision.optics.camera import guessed
from tests.scenes.makers_board import (
    FRAMES,
    INK,
    NETS,
    RED,
    Colour,
    MakersBoard,
    MakersShot,
    makers_board,
    photograph,
)

WANTED = {
    "basecircle.diameter": 8, "pocket.diameter": 4, "baseline.lower.thickness": 4, "baseline.spacing": 4,
    "arrow.thickness": 4, "outer.diameter": 1,
}  # fmt: skip
MOST_OFF = 4.0
"""Standard uncertainties by which nothing may be wrong: none of these photos was looked at while making anything."""


def _measured(shot: MakersShot) -> BoardResult:
    pixels = np.asarray(Image.open(io.BytesIO(photograph(shot))))
    photo = BoardPhoto(pixels, guessed(pixels.shape[1], pixels.shape[0], None), "board.jpg")
    return measure_board([photo], None, KnownSide(shot.board.side, 0.5))


def _wrong(result: BoardResult, board: MakersBoard) -> dict[tuple[str, str], float]:
    off = {(each.characteristic, each.instance): (each.value - board.truth[each.characteristic, each.instance]) / each.standard
           for each in result.measurements if (each.characteristic, each.instance) in board.truth}  # fmt: skip
    return {key: round(z, 1) for key, z in off.items() if abs(z) > MOST_OFF}


PLAIN = replace(makers_board(21), film=False, stars=False, lettering=False, plates=False, gap_circles=False)


@pytest.mark.parametrize(
    "board",
    [replace(PLAIN, net=NETS[0], frame=FRAMES[1], frame_width=30.0, lettering=True),
     replace(PLAIN, net=NETS[1], ring="red", stars=True, plates=True, gap_circles=True),
     replace(PLAIN, net=NETS[3], ring="two", film=True)],
    ids=["blue net, narrow red frame, lettering", "patterned net, red ring, stars, plates", "pale net, two rings, film"],
)  # fmt: skip
def test_every_look_of_makers_is_found_and_nothing_is_far_off(board: MakersBoard) -> None:
    result = _measured(MakersShot(board, 21))
    found = [each.characteristic for each in result.measurements]
    assert sum(min(found.count(name), count) for name, count in WANTED.items()) >= 0.9 * sum(WANTED.values())
    assert _wrong(result, board) == {}


@pytest.mark.parametrize(
    "area",
    [None, np.array([[0.19, 0.18], [1.0, 0.01], [1.0, 0.97], [0.15, 0.83]]),
     np.array([[0.15, 0.03], [0.85, 0.03], [0.85, 0.97], [0.15, 0.97]])],
    ids=["frame and table of the same wood", "light falls off to one side, and the area runs over the table",
         "the frame of the same wood"],
)  # fmt: skip
def test_where_the_surface_is_not_told_by_its_tone_the_base_circles_place_it(
    area: np.ndarray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    shot = MakersShot(PLAIN, 21, megapixels=0.75)
    seen = None if area is None else area * shot.size
    monkeypatch.setattr(uncarded, "find_surface", lambda _: seen)
    result = _measured(shot)
    found = [each.characteristic for each in result.measurements]
    assert sum(min(found.count(name), count) for name, count in WANTED.items()) >= 0.9 * sum(WANTED.values())
    assert _wrong(result, PLAIN) == {}


def test_a_board_whose_base_circles_are_not_seen_is_not_placed_by_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """With three of eight covered, lines where most makers draw them gave values up to 9 u off."""
    monkeypatch.setattr(uncarded, "find_base_circles", lambda _: {})
    with pytest.raises(BadInput, match="no board can be made out"):
        _measured(MakersShot(PLAIN, 21, megapixels=0.75))


def test_a_small_picture_cut_out_of_another_gets_a_larger_u_and_no_refusal() -> None:
    board = makers_board(22)
    result = _measured(MakersShot(board, 22, megapixels=0.75, cut=True))
    found = [each.characteristic for each in result.measurements]
    assert sum(min(found.count(name), count) for name, count in WANTED.items()) >= 0.9 * sum(WANTED.values())
    assert _wrong(result, board) == {}


@pytest.mark.parametrize(("seed", "discs"), [(32, RED), (51, INK), (53, None)], ids=["red", "black", "not filled"])
def test_with_cards_a_makers_own_sizes_are_found_without_any_known_side(seed: int, discs: Colour | None) -> None:
    board = makers_board(seed)
    shot = MakersShot(replace(board, discs=discs or board.wood), seed, megapixels=3.0, cards=4)
    pixels = np.asarray(Image.open(io.BytesIO(photograph(shot))))
    camera = guessed(*shot.size, shot.focal)
    calibrated = replace(camera, covariance=camera.covariance * 1e-4, source="calibrated")
    result = measure_board([BoardPhoto(pixels, calibrated, "board.jpg")], KnownSide(1.0, 0.0001))
    found = [each.characteristic for each in result.measurements]
    assert {name: found.count(name) for name in WANTED} == WANTED
    assert _wrong(result, shot.board) == {}


@pytest.mark.parametrize(("width", "height", "cut"), [(4000, 3000, False), (3024, 4032, False), (971, 941, True)])
def test_only_a_picture_of_a_shape_that_no_camera_makes_may_be_cut_out(width: int, height: int, cut: bool) -> None:
    camera = guessed(width, height, None)
    assert (cut_out(camera) is not camera) is cut
    assert cut_out(guessed(width, height, 1000.0)).source == "EXIF"


def test_base_circles_of_twenty_millimetres_are_measured_and_no_chance_ring_around_them() -> None:
    small = replace(PLAIN, circle=20.2, disc=14.5, outline=1.3)
    result = _measured(MakersShot(small, 21, megapixels=2.0))
    sizes = [each.value for each in result.measurements if each.characteristic == "basecircle.diameter"]
    assert len(sizes) >= 6
    assert max(abs(size - 20.2) for size in sizes) < 3


def test_a_picture_without_cards_may_have_been_sharpened_by_others_and_has_a_wider_u() -> None:
    result = _measured(MakersShot(PLAIN, 21, megapixels=0.8))
    widths = [each.standard for each in result.measurements if each.characteristic == "arrow.thickness"]
    a_pixel = PLAIN.side / 800
    assert min(widths) > 0.2 * a_pixel
