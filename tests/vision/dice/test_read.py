"""Dice of known numbers, read from generated photos: what is there is read, what is not is not invented."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.cli.app import app
from inspect_kit.vision.dice.body import Square
from inspect_kit.vision.dice.measure import DiceLook, Die, look_at_dice, reading_order
from inspect_kit.vision.dice.network import chances, halved
from inspect_kit.vision.dice.patterns import Face, root_of, spots_of
from inspect_kit.vision.dice.pips import Pip
from inspect_kit.vision.dice.read import _on_plain, _over, _together
from inspect_kit.vision.dice.tops import Outlook, beside, on_wall, uppermost
from tests.scenes.dice import Body, Roll, photograph_roll, small_lens
from tests.scenes.throws import set_out

LIGHT = (0.85, 0.85, 0.82)
SIX = (1, 2, 3, 4, 5, 6)
WHITE, ROUND = Body(), Body(rounding=1.4, ball=1.42)
BLACK = Body(colour=(0.02, 0.02, 0.022), pip_colour=LIGHT)
RED = Body(colour=(0.5, 0.03, 0.03), pip_colour=LIGHT, rounding=0.1)
CLEAR = Body(colour=(0.1, 0.4, 0.1), pip_colour=(0.9, 0.9, 0.9), clear=0.5, rounding=0.2)
GLASS = Body(colour=(0.03, 0.08, 0.4), pip_colour=LIGHT, clear=0.72, rounding=0.5)
GLEAMING = Body(colour=(0.7, 0.51, 0.05), ball=1.37, rounding=1.0, dimple=0.6, gloss=0.25, spread=0.27)
SAND = (0.6, 0.5, 0.38)

THROWS = {
    "white on white": set_out(SIX, Body(rounding=1.2), tone=(0.8, 0.8, 0.78)),
    "black, seen obliquely": set_out(SIX, BLACK, tone=SAND, tilt=0.6),
    "sharp ones that touch": set_out(SIX, RED, gap=1.01),
    "round corners": set_out(SIX, ROUND, tilt=0.35),
    "see-through": set_out(SIX, CLEAR, tone=(0.85, 0.84, 0.82), lens=small_lens(960)),
    "so clear that far pips stand between those on top": set_out(
        SIX, GLASS, tone=(0.1, 0.15, 0.4), lens=small_lens(960)
    ),
    "clear, seen obliquely": set_out(SIX, GLASS, tone=SAND, lens=small_lens(960), tilt=0.5),
    "gleaming, corners cut by a ball": set_out(SIX, GLEAMING, tone=SAND, tilt=0.4),
    "on print": set_out(SIX, RED, ground="print", tone=SAND),
}


def _look(roll: Roll) -> DiceLook:
    return look_at_dice(open_photograph(photograph_roll(roll), "throw").pixels, None)


@pytest.mark.parametrize("name", THROWS)
def test_every_number_is_read_and_where_it_is(name: str) -> None:
    roll = THROWS[name]
    look = _look(roll)
    assert [die.number for die in look.dice] == list(SIX)
    away = np.linalg.norm(np.array([die.pixel for die in look.dice]) - roll.centres(), axis=1)
    assert away.max() < 0.02 * roll.scene.lens.width
    assert not look.unread


@pytest.mark.parametrize("ground", ["plain", "leather", "wood", "checks", "dots", "print"])
def test_no_die_is_invented_where_there_is_none(ground: str) -> None:
    empty = replace(set_out((1,), WHITE, ground=ground, tone=SAND), dice=())
    assert _look(empty).dice == ()


@pytest.mark.parametrize("number", [1, 2, 4])
def test_pips_that_show_through_a_clear_die_are_not_counted(number: int) -> None:
    """The lower face has five and more, and is seen between the pips on top."""
    look = _look(set_out((number,), GLASS, tone=(0.85, 0.84, 0.82), lens=small_lens(960)))
    assert [die.number for die in look.dice] == [number]


def test_a_side_that_looks_better_than_the_top_is_not_read_as_the_top() -> None:
    roll = set_out((1,), BLACK, tone=SAND, tilt=0.72)
    assert [die.number for die in _look(roll).dice] in ([1], [])


def _steep(numbers: tuple[int, ...], body: Body, tilt: float, yaw: float) -> Roll:
    roll = set_out(numbers, body, tone=SAND, tilt=tilt, lens=small_lens(660))
    return replace(roll, dice=tuple(replace(die, yaw=yaw + index) for index, die in enumerate(roll.dice)))


@pytest.mark.parametrize(("numbers", "tilt", "yaw"), [((1, 6), 0.94, 0.3), ((2,), 0.96, 1.2), ((2, 1), 0.89, 0.8)])
def test_from_a_low_camera_the_upper_face_is_read_and_no_side(
    numbers: tuple[int, ...], tilt: float, yaw: float
) -> None:
    """Beyond 49 degrees nothing had been read, and below a side that looked better passed for a die of its own."""
    look = _look(_steep(numbers, RED, tilt, yaw))
    assert [die.number for die in look.dice] == list(numbers)
    assert not look.unread


def test_faces_beside_a_face_are_where_a_cube_has_them() -> None:
    """Seen from 45 degrees, straight at an edge: the top's wall lies below it, as high as it, and nothing at its side."""
    half = np.array([[20.0, 0.0], [0.0, 20 * np.sqrt(0.5)]])
    square = Square(2.0, 0.0, 1.0, np.ones(4), np.zeros(3))
    face = Face(5, np.array([100.0, 100.0]), half / 2, square, (), 0.4, 100.0, 1.0, (), half @ half.T)
    middles = [place.tolist() for place, _ in beside(face, np.array([0.0, 1.0]))]
    assert pytest.approx([100.0, 100 + 40 * np.sqrt(0.5)]) in middles
    assert beside(replace(face, frame=10 * np.eye(2)), np.array([0.0, 1.0])) == []


def _upper_face(centre: tuple[float, float], plane: Outlook, told: float) -> Face:
    """A two on a plane whose die, 40 pixels to the half edge, is told too small by its pips."""
    frame = root_of(plane.shape(np.array(centre))) * 40 / 2.8
    square = Square(told, 0.0, 1.0, np.ones(4), np.zeros(3))
    return Face(2, np.array(centre), frame, square, (), 0.7, 100.0, 1.0, (), frame @ frame.T)


@pytest.mark.parametrize("told", [1.9, 2.8])
def test_a_face_below_a_top_is_its_wall_if_its_pips_are_circles_there_and_not_on_the_table(told: float) -> None:
    tilt = np.radians(28)
    plane = Outlook(np.array([0.0, -np.sin(tilt), -np.cos(tilt)]), 1500.0, np.array([500.0, 500.0]))
    top = _upper_face((500.0, 500.0), plane, told)
    wall = np.column_stack([[40.0, 0.0], [0.0, 40 * np.sin(tilt)]])
    middle = top.centre + np.array([0.0, 40 * np.cos(tilt) + 40 * np.sin(tilt)])
    side = replace(top, number=3, centre=middle, frame=wall / 2.8, shape=wall @ wall.T)
    assert on_wall(side, top, plane)
    assert not on_wall(replace(side, shape=top.shape), top, plane)
    assert not on_wall(replace(side, centre=top.centre - (middle - top.centre)), top, plane)


def test_a_face_that_lies_on_the_plane_is_no_side_of_one_that_does_not() -> None:
    """Where the plane leans the wrong way a die's own wall seems to be above it; eight sure dice were lost by that."""
    tilt = np.radians(28)
    plane = Outlook(np.array([0.0, -np.sin(tilt), -np.cos(tilt)]), 1500.0, np.array([500.0, 500.0]))
    top = replace(_upper_face((500.0, 500.0), plane, 2.8), number=5)
    wall = np.column_stack([[40.0, 0.0], [0.0, 40 * np.sin(tilt)]]) / 2.8
    down = plane.down(top.centre)
    assert beside(top, down)
    assert not _over(top, -down, plane)
    assert _over(replace(top, frame=wall, shape=wall @ wall.T), down, plane)


def test_a_faint_die_beside_strong_ones_is_read_if_it_is_beyond_doubt_and_a_small_one_is_not() -> None:
    """Pale dice beside black and white ones were thrown away for their faint pips, read at 0.9 and more as they were."""
    plane = Outlook(np.array([0.0, 0.0, -1.0]), 1500.0, np.array([500.0, 500.0]))
    strong = _upper_face((300.0, 500.0), plane, 2.8)
    faint = replace(strong, centre=np.array([500.0, 500.0]), contrast=20.0, score=0.95)
    doubtful, small = replace(faint, score=0.7), replace(faint, frame=faint.frame / 3)
    for other, kept in ((faint, True), (doubtful, False), (small, False)):
        tops, _ = uppermost([strong, other], plane)
        assert (other in tops) is kept


@pytest.mark.parametrize("numbers", [(5, 4), (4, 0), (0, 2)])
@pytest.mark.parametrize("ground", [(128, 92, 60), (222, 226, 205)])
def test_the_halves_of_a_domino_are_no_sure_dice(numbers: tuple[int, int], ground: tuple[int, int, int]) -> None:
    picture = np.full((480, 640, 3), ground, np.uint8)
    cv2.rectangle(picture, (240, 120), (330, 300), (236, 232, 222), -1, cv2.LINE_AA)
    cv2.line(picture, (248, 210), (322, 210), (25, 25, 25), 3, cv2.LINE_AA)
    for number, middle in zip(numbers, ((285, 165), (285, 255)), strict=True):
        for x, y in PIPS.get(number, ()):
            cv2.circle(picture, (middle[0] + 24 * x, middle[1] + 24 * y), 8, (25, 25, 25), -1, cv2.LINE_AA)
    assert all(die.confidence < 0.8 for die in look_at_dice(cv2.GaussianBlur(picture, (0, 0), 1.0), None).dice)


def test_a_die_that_another_lies_against_askew_is_as_sure_as_one_alone() -> None:
    picture = np.full((480, 640, 3), (128, 92, 60), np.uint8)
    for number, middle in ((5, (240, 240)), (6, (336, 266))):
        cv2.rectangle(picture, np.subtract(middle, 45), np.add(middle, 45), (236, 232, 222), -1, cv2.LINE_AA)
        for x, y in PIPS[number]:
            cv2.circle(picture, (middle[0] + 24 * x, middle[1] + 24 * y), 8, (25, 25, 25), -1, cv2.LINE_AA)
    dice = look_at_dice(cv2.GaussianBlur(picture, (0, 0), 1.0), None).dice
    assert [(die.number, die.confidence >= 0.8) for die in dice] == [(5, True), (6, True)]


def test_small_dice_in_a_large_photo_are_enlarged_and_read() -> None:
    picture = np.full((900, 1400, 3), (128, 92, 60), np.uint8)
    for index, columns in enumerate((0.7, 1.0, 0.85)):
        die = cv2.resize(_face_of_another_make(columns)[175:305, 255:385], (37, 37), interpolation=cv2.INTER_AREA)
        picture[400 + 20 * index : 437 + 20 * index, 500 + 90 * index : 537 + 90 * index] = die
    assert [die.number for die in look_at_dice(picture, None).dice] == [6, 6, 6]


def test_a_face_that_is_painted_over_is_not_guessed() -> None:
    blank = set_out((5, 6), replace(WHITE, pip_colour=(0.74, 0.73, 0.68)))
    assert _look(blank).dice == ()


def _die(x: float, y: float) -> Die:
    corners = np.array([[x - 20, y - 20], [x + 20, y - 20], [x + 20, y + 20], [x - 20, y + 20.0]])
    return Die(1, 1.0, (x, y), corners)


def test_dice_are_numbered_row_by_row_although_rows_are_not_straight() -> None:
    dice = [_die(300, 112), _die(100, 95), _die(200, 105), _die(110, 210), _die(290, 195)]
    places = [die.pixel[0] for die in reading_order(dice)]
    assert places == [100, 200, 300, 110, 290]


def _around(roll: Roll, edges: float) -> np.ndarray:
    """The photo, cut to so many edges around the middle of the first die."""
    pixels = open_photograph(photograph_roll(roll), "throw").pixels
    x, y = roll.centres()[0]
    reach = edges / 2 * roll.scene.lens.height / 4.2
    return np.ascontiguousarray(pixels[int(y - reach) : int(y + reach), int(x - reach) : int(x + reach)])


@pytest.mark.parametrize("number", [1, 3, 6])
def test_a_die_that_fills_the_picture_is_read(number: int) -> None:
    roll = set_out((number,), WHITE, tone=(0.03, 0.03, 0.03), lens=small_lens(960))
    assert [die.number for die in look_at_dice(_around(roll, 2.0), None).dice] == [number]


@pytest.mark.parametrize("number", [3, 4, 5, 6])
def test_what_is_seen_of_a_die_that_is_cut_off_is_not_read_as_a_number(number: int) -> None:
    roll = set_out((number,), WHITE, tone=(0.03, 0.03, 0.03), lens=small_lens(960))
    pixels = _around(roll, 3.2)
    assert look_at_dice(np.ascontiguousarray(pixels[:, : pixels.shape[1] // 2]), None).dice == ()


@pytest.mark.parametrize("frame", ["circle", "square"])
def test_a_disc_in_a_drawn_frame_is_no_ace(frame: str) -> None:
    pixels = np.full((900, 900, 3), (205, 175, 135), np.uint8)
    cv2.circle(pixels, (450, 450), 45, (150, 30, 40), -1, cv2.LINE_AA)
    if frame == "circle":
        cv2.circle(pixels, (450, 450), 150, (90, 70, 60), 3, cv2.LINE_AA)
    else:
        cv2.rectangle(pixels, (310, 310), (590, 590), (90, 70, 60), 3, cv2.LINE_AA)
    assert look_at_dice(pixels, None).dice == ()


def test_glints_of_a_leather_beside_a_large_die_are_no_dice() -> None:
    random = np.random.default_rng(3)
    roll = set_out((5,), WHITE, tone=(0.03, 0.03, 0.03), lens=small_lens(960))
    pixels = _around(roll, 3.0).astype(np.float32)
    glints = cv2.GaussianBlur((random.random(pixels.shape[:2]) > 0.985).astype(np.float32), (0, 0), 1.2) * 500
    dark = pixels.max(axis=2) < 70
    pixels[dark] += glints[dark][:, None]
    look = look_at_dice(np.clip(pixels, 0, 255).astype(np.uint8), None)
    assert [die.number for die in look.dice] == [5]


def _face_of_another_make(columns: float, size: int = 90, *, serial: bool = False) -> np.ndarray:
    """A six on a table, its rows of three nearer together than they are long; drawn plainly, as no scene of ours is."""
    picture = np.full((480, 640, 3), (128, 92, 60), np.uint8)
    corner, radius = (275, 195), round(0.1 * size)
    cv2.rectangle(picture, corner, (corner[0] + size, corner[1] + size), (236, 232, 222), -1, cv2.LINE_AA)
    middle = np.array(corner) + size / 2
    for across in (-1, 1):
        for down in (-1, 0, 1):
            at = middle + np.array([across * columns, down]) * 0.27 * size
            cv2.circle(picture, at.round().astype(int).tolist(), radius, (25, 25, 25), -1, cv2.LINE_AA)
    if serial:
        cv2.putText(
            picture,
            "003",
            (middle + size * np.array([-0.12, 0.06])).astype(int).tolist(),
            0,
            size / 220,
            (25, 25, 25),
            1,
            cv2.LINE_AA,
        )
    return cv2.GaussianBlur(picture, (0, 0), 1.0)


@pytest.mark.parametrize("columns", [0.55, 0.7, 0.85, 1.0])
@pytest.mark.parametrize("size", [70, 130])
def test_a_six_whose_columns_stand_close_is_never_a_four(columns: float, size: int) -> None:
    (die,) = look_at_dice(_face_of_another_make(columns, size), None).dice
    assert (die.number, die.confidence > 0.8) == (6, True)


def test_a_makers_number_between_the_pips_of_a_six_does_not_hide_it() -> None:
    (die,) = look_at_dice(_face_of_another_make(1.0, 150, serial=True), None).dice
    assert die.number == 6


def test_dice_on_a_woven_ground_are_read_though_its_threads_make_faces_too() -> None:
    random = np.random.default_rng(3)
    y, x = np.mgrid[0:480, 0:640]
    weave = ((np.sin(x / 2.1 + y / 5) * np.sin(y / 2.3 - x / 6)) > 0.1) * 90 + random.normal(60, 18, (480, 640))
    picture = np.clip(weave, 0, 255).astype(np.uint8)[..., None].repeat(3, axis=2)
    die = _face_of_another_make(0.6)[185:295, 265:375]
    picture[185:295, 265:375] = np.where((die == die[0, 0]).all(axis=2, keepdims=True), picture[185:295, 265:375], die)
    assert [die.number for die in look_at_dice(picture, None).dice] == [6]


def _marbled_throw(numbers: tuple[int, ...]) -> np.ndarray:
    """Blue dice full of light veins on a dark table, 0 for one that shows a skull; drawn plainly from above."""
    random = np.random.default_rng(8)
    picture = np.clip(random.normal((92, 62, 40), 7, (420, 640, 3)), 0, 255).astype(np.uint8)
    size = 84
    for index, number in enumerate(numbers):
        veins = cv2.GaussianBlur(random.normal(0, 1, (size, size)), (0, 0), 9)
        share = np.clip(0.5 + 0.35 * veins / veins.std(), 0, 1)[..., None]
        face = np.ascontiguousarray(((1 - share) * (18, 70, 150) + share * (110, 170, 225)).astype(np.uint8))
        for x, y in PIPS[number]:
            middle = (round(size * (0.5 + 0.25 * x)), round(size * (0.5 + 0.25 * y)))
            cv2.circle(face, middle, 7, (240, 240, 238), -1, cv2.LINE_AA)
        if not number:
            cv2.ellipse(face, (42, 36), (24, 21), 0, 0, 360, (240, 240, 238), -1, cv2.LINE_AA)
            cv2.rectangle(face, (31, 40), (53, 64), (240, 240, 238), -1)
            for eye in (32, 52):
                cv2.circle(face, (eye, 40), 6, (18, 70, 150), -1, cv2.LINE_AA)
        left, top = 60 + 150 * (index % 4), 70 + 180 * (index // 4)
        picture[top : top + size, left : left + size] = face
    return cv2.GaussianBlur(picture, (0, 0), 1.0)


PIPS = {
    0: [], 1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)], 4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)], 6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}  # fmt: skip


def test_marbled_dice_are_read_whatever_their_veins_and_a_mark_is_said_not_guessed() -> None:
    look = look_at_dice(_marbled_throw((1, 2, 3, 4, 5, 6, 1, 0)), None)
    assert [die.number for die in look.dice] == [1, 2, 3, 4, 5, 6, 1]
    ((x, y),) = look.unread
    assert look.marked == look.unread
    assert abs(x - 552) < 30
    assert abs(y - 292) < 30


def test_the_log_and_the_measurement_say_that_a_die_shows_a_mark(tmp_path: Path) -> None:
    rolls = tmp_path / "rolls"
    rolls.mkdir()
    cv2.imwrite(str(rolls / "a.png"), cv2.resize(_marbled_throw((4, 5, 0, 6))[..., ::-1], None, fx=2, fy=2))
    logged = CliRunner().invoke(app, ["dice", "log", str(rolls), "-o", str(tmp_path / "log.csv"), "--json"])
    assert json.loads(logged.stdout)["unread"] == 1
    assert "logo or another mark" in logged.stdout
    measured = CliRunner().invoke(app, ["measure", "dice", str(rolls / "a.png"), "--json"])
    assert "shows a logo or another mark in place of pips" in measured.stdout


def test_the_network_is_small_and_sees_no_face_in_a_plain_or_noisy_square() -> None:
    assert files("inspect_kit.vision.dice").joinpath("faces.onnx").stat().st_size < 3_000_000
    noise = np.random.default_rng(1).integers(0, 255, (200, 200, 3)).astype(np.uint8)
    for picture in (noise, np.full_like(noise, 128)):
        seen = chances(halved(picture), [(np.array([100.0, 100.0]), 12 * np.eye(2))])
        assert seen.sum() == pytest.approx(1)
        assert seen[0, 0] > 0.5


def test_no_place_to_look_at_needs_no_network() -> None:
    assert chances([np.zeros((50, 50, 3), np.uint8)], []).shape == (0, 8)


def test_a_no_of_the_network_weighs_more_than_its_yes_and_neither_alone_settles_a_number() -> None:
    assert 0.5 < _together(0.5, 0.9) < 1 - _together(0.5, 0.1) < 0.95
    assert _together(0.99, 0.05) > 0.5


def test_a_lone_pip_on_a_plain_body_is_told_from_a_spot_among_threads() -> None:
    random = np.random.default_rng(4)
    colours = random.uniform(0, 255, (120, 240, 3)).astype(np.float32)
    colours[:, :120] = (200, 128, 128)
    pips = [Pip(x, 60.0, 36.0 * np.eye(2), np.full(3, 40.0), np.array([200.0, 128, 128])) for x in (60.0, 180.0)]
    assert _on_plain(spots_of(pips), colours).tolist() == [True, False]


def test_a_photo_without_any_spot_has_no_dice() -> None:
    assert look_at_dice(np.full((300, 400, 3), 128, np.uint8), None).dice == ()
