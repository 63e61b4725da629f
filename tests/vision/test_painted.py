"""Photos drawn in another way, from the sheets as they are printed: what is measured is right on these too."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.measure.dice import measure_dice
from inspect_kit.measure.figure import measure_figure
from inspect_kit.measure.pieces import KINDS, measure_pieces
from inspect_kit.measure.stated import Stated
from inspect_kit.vision.board.measure import BoardPhoto, KnownSide, measure_board
from inspect_kit.vision.dice.solid import ROUNDING
from inspect_kit.vision.reference.sheets import Paper, backdrop, mat
from inspect_kit.vision.reference.wanted import Reference
from tests.scenes.painted import Colour, Painting, calibrated, eye
from tests.scenes.painted_board import painted_board
from tests.scenes.painted_dice import BESIDE, PIPS, painted_dice

X, Y, Z = np.eye(3)
TABLE = (0.32, 0.2, 0.11)
SCALE = (1.0, 0.0002)
COLOURS: dict[str, Colour] = {
    "white": (0.8, 0.78, 0.7), "black": (0.012, 0.011, 0.011), "red": (0.5, 0.012, 0.017), "wood": (0.5, 0.27, 0.08),
    "green": (0.012, 0.16, 0.045), "grey": (0.22, 0.22, 0.22),
}  # fmt: skip


def test_coins_on_the_printed_mat_are_right() -> None:
    view = eye((60, -150, 470), (0, 0, 0))
    painting = Painting(view, TABLE)
    painting.sheet(mat(Paper.A4), X, Y, np.zeros(3))
    true = [(-40 + 40 * (i % 3), 45 - 45 * (i // 3), 30 + 0.3 * i) for i in range(6)]
    for (x, y, wide), colour in zip(true, COLOURS.values(), strict=True):
        painting.turned_solid([(0, wide / 2), (7.5, wide / 2)], (x, y), colour)
    stated = Stated(thickness=(7.5, 0.1), rim=(0.0, 0.05), print_scale=SCALE)
    photo = open_photograph(painting.photograph(1), "coins.jpg")
    pieces = measure_pieces([photo], KINDS["coins"], calibrated(), stated).pieces
    assert len(pieces) == len(true)
    for piece in pieces:
        x, y, wide = min(true, key=lambda each: math.dist(each[:2], piece.first.place))
        assert piece.diameter.value == pytest.approx(wide, abs=0.15)
        assert abs(piece.diameter.value - wide) < 2.5 * piece.diameter.standard


def _figure(painting: Painting, radius: float, widest: float, top: float, height: float) -> None:
    """A base that is a cut ellipsoid, a thin foot and an upright egg on it."""
    reach = widest / math.sqrt(1 - 0.6**2)
    base = [(z, radius * math.sqrt(1 - ((z - widest) / reach) ** 2)) for z in np.linspace(0, top, 50)]
    painting.turned_solid(base, (0, 0), (0.7, 0.55, 0.06))
    painting.turned_solid([(top, 2.2), (top + 1.2, 2.2)], (0, 0), (0.03, 0.06, 0.35))
    middle, half = (top + 1 + height) / 2, (height - top - 1) / 2
    egg = [(z, 4.5 * math.sqrt(max(0, 1 - ((z - middle) / half) ** 2))) for z in np.linspace(top + 1, height, 60)]
    painting.turned_solid(egg, (0, 0), (0.03, 0.06, 0.35))


def test_a_figure_before_the_printed_backdrop_is_right() -> None:
    """Heights count from the page's very edge: a hair of white there showed as a tenth of a millimetre."""
    sheet = backdrop()
    painting = Painting(eye((8, -280, 38), (0, 20, 18), (0, 0, 1)), (0.2, 0.21, 0.22))
    painting.flat(np.array([[-300, -220, 0], [300, -220, 0], [300, 20, 0], [-300, 20, 0]], float), TABLE)
    painting.sheet(sheet, X, Z, np.array([0, 20, sheet.size[1] / 2]))
    radius, widest, top, height = 10.4, 5.1, 6.1, 29.2
    _figure(painting, radius, widest, top, height)
    photo = open_photograph(painting.photograph(2), "figure.jpg")
    stated = Stated(standoff=(20.0, 0.3), print_scale=SCALE, reference=Reference())
    found = {each.characteristic: each for each in measure_figure([photo], calibrated(), stated).values}
    wanted = {"fig.height": height, "fig.base.height": top, "fig.base.diameter": 2 * radius,
              "fig.base.dmax_depth": top - widest, "fig.top.width": 9.0}  # fmt: skip
    assert {name: found[name].value for name in wanted} == pytest.approx(wanted, abs=0.12)


def _die(
    painting: Painting, place: tuple[float, float], edge: float, number: int, colours: tuple[Colour, Colour]
) -> None:
    """A sharp cube, turned by its number, with the faces that are seen."""
    turn = 0.3 * number
    body, pip = colours
    sides = [(turn + k * math.pi / 2, BESIDE[number][k]) for k in range(4)]
    faces = [(np.array([math.cos(a), math.sin(a), 0]), np.array([-math.sin(a), math.cos(a), 0]), Z, n, 0.35)
             for a, n in sides]  # fmt: skip
    faces.append(
        (Z, np.array([math.cos(turn), math.sin(turn), 0]), np.array([-math.sin(turn), math.cos(turn), 0]), number, 1.0)
    )
    centre = np.array([*place, edge / 2])
    for out, u, v, count, shade in faces:
        middle = centre + out * edge / 2
        if (painting.view.place - middle) @ out <= 0:
            continue
        square = [middle + edge / 2 * (a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        painting.flat(np.array(square), tuple(shade * part for part in body))  # type: ignore[arg-type]
        around = np.linspace(0, 2 * np.pi, 60, endpoint=False)
        for a, b in PIPS[count]:
            spot = middle + 0.27 * edge * (a * u + b * v)
            round_ = spot + 0.09 * edge * (np.outer(np.cos(around), u) + np.outer(np.sin(around), v))
            painting.flat(round_, tuple((0.3 + 0.7 * shade) * part for part in pip))  # type: ignore[arg-type]


def test_dice_on_the_printed_mat_are_read_and_right() -> None:
    """Black ones too: the white cells of the mat's markers look like their pips."""
    view = eye((40, -220, 330), (0, 0, 0))
    painting = Painting(view, TABLE)
    painting.sheet(mat(Paper.A4), X, Y, np.zeros(3))
    white, black = (0.8, 0.8, 0.75), (0.012, 0.012, 0.014)
    kinds = [(white, black), (black, white), ((0.4, 0.01, 0.012), white)]
    true = {number: (-40 + 40 * ((number - 1) % 3), 30 - 50 * ((number - 1) // 3)) for number in range(1, 7)}
    for number, place in sorted(true.items(), key=lambda each: -each[1][1]):
        _die(painting, place, 15.7, number, kinds[number % 3])
    photo = open_photograph(painting.photograph(3), "dice.jpg")
    stated = Stated(rim=(0.0, 0.1), print_scale=SCALE, one_die=False)
    (look,) = measure_dice([photo], calibrated(), stated).photos
    assert sorted(rolled.die.number for rolled in look.dice) == [1, 2, 3, 4, 5, 6]
    edges = np.array([edge.value for rolled in look.dice for edge in rolled.edges or ()])
    assert len(edges) >= 8
    assert np.abs(edges - 15.7).mean() <= 0.06


def test_dice_of_several_sizes_and_colours_are_all_measured() -> None:
    """Twelve to nineteen millimetres, sharp and round: none vouches for another."""
    content, true = painted_dice(403)
    photo = open_photograph(content, "dice.jpg")
    (look,) = measure_dice([photo], calibrated(), Stated(print_scale=SCALE)).photos
    assert len(look.dice) == len(true)
    errors = []
    for rolled in look.dice:
        die = min(true, key=lambda each: math.dist(each[1], rolled.die.pixel))[0]
        assert rolled.die.number == die.up
        assert rolled.edges is not None, die
        errors += [(edge.value - die.edge) for edge in rolled.edges]
        assert all(abs(edge.value - die.edge) < 3 * edge.standard for edge in rolled.edges), die
    assert np.abs(errors).mean() <= 0.05


def test_dice_of_one_size_and_several_makes_each_tell_how_round_they_are() -> None:
    """One rounding for all dice of a size had made round ones 0.6 mm too small, with a U of 0.25 mm."""
    content, true = painted_dice(410, sizes=(16, 16))
    photo = open_photograph(content, "dice.jpg")
    (look,) = measure_dice([photo], calibrated(), Stated(print_scale=SCALE)).photos
    assert np.ptp([die.rounding for die, _ in true]) > 0.8
    for rolled in look.dice:
        die = min(true, key=lambda each: math.dist(each[1], rolled.die.pixel))[0]
        assert rolled.die.fitted is not None
        assert rolled.die.fitted.cube.vector[ROUNDING] == pytest.approx(die.rounding, abs=0.25)
        assert all(abs(edge.value - die.edge) < 0.15 for edge in rolled.edges or ()), die


def test_a_board_with_printed_cards_keeps_all_bars() -> None:
    """With a dark gap of 1 mm at the wall, and a frame that hides part of it."""
    content, sizes = painted_board(2)
    photo = BoardPhoto(open_photograph(content, "board.jpg").pixels, calibrated().with_focus_drift())
    found = {
        (each.characteristic, each.instance): each
        for each in measure_board([photo], KnownSide(1.0, 0.0002)).measurements
    }
    truth = sizes.truth
    assert sum(key in found for key in truth) >= 0.95 * len(truth)
    errors: dict[str, list[float]] = defaultdict(list)
    for key in truth.keys() & found.keys():
        errors[key[0]].append(abs(found[key].value - truth[key]))
        assert errors[key[0]][-1] < 3 * found[key].standard, key
    means = {name: float(np.mean(each)) for name, each in errors.items()}
    assert means.pop("surface.side") <= 0.25
    assert means.pop("surface.angle") <= 0.05
    assert means.pop("surface.diagonal") <= 0.35
    assert {name: mean for name, mean in means.items() if mean > 0.15} == {}
