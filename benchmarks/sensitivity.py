"""Which of the chosen numbers the results hang on: each is moved by a fifth, and what is measured is compared.

Run as `python -m benchmarks sensitivity [ROOM[.MODULE]…]`, such as `dice.read` or `board.tuning`. Every number that a
module of the room names and explains is moved, wherever it stands. It counts by the largest change of a value over its
standard uncertainty, and by values that come or go; 0 on these scenes does not prove it idle (many only bound the time,
or refuse what these scenes do not show).
"""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import itertools
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any, Final

import numpy as np
from PIL import Image

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.errors import BadInput
from inspect_kit.measure.dice import measure_dice
from inspect_kit.measure.stated import Stated
from inspect_kit.vision.board.measure import BoardPhoto, KnownSide, measure_board
from inspect_kit.vision.disc.fit import Shape
from inspect_kit.vision.disc.measure import DiscRequest, look
from inspect_kit.vision.display.read import read_display
from inspect_kit.vision.figure.measure import measure_view
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.reference.find import place
from inspect_kit.vision.reference.wanted import Reference
from tests.scenes.board import any_board, any_shot, phone_lens
from tests.scenes.board_render import photograph as board_photograph
from tests.scenes.dice import photograph_roll
from tests.scenes.display import any_scene as any_display
from tests.scenes.display import photograph as display_photograph
from tests.scenes.figure import photograph as figure_photograph
from tests.scenes.figure_poses import posed
from tests.scenes.render import photograph
from tests.scenes.scene import Lens
from tests.scenes.table import scattered
from tests.scenes.throws import on_the_mat

SHARE: Final = 0.2
"""By how much each number is moved, down and up."""
MATTERS: Final = 0.25
"""Change of a value over its standard uncertainty from which on the results hang on a number."""

Values = Mapping[str, tuple[float, float]]
"""What is measured, with its standard uncertainty, by name."""


def _camera(lens: Lens) -> Camera:
    standard = np.array([0.25, 0.25, 0.5, 0.5, 1e-3, 2.5e-3, 5e-5, 5e-5, 2.5e-3])
    parameters = np.array([lens.focal, lens.focal, *lens.centre, *lens.bend])
    return Camera(lens.width, lens.height, parameters, np.diag(standard**2), "calibration")


@cache
def _disc_photo() -> tuple[Any, Camera]:
    lens = Lens(1600, 1200, 1900.0, (802.5, 594.5), (0.03, -0.05, 0.0003, -0.0002, 0.0))
    scene = scattered(301, lens=lens, count=(8, 11), distance=(420.0, 470.0))
    return open_photograph(photograph(scene), "discs.jpg"), _camera(lens)


def _discs() -> Values:
    photo, camera = _disc_photo()
    request = DiscRequest(Reference("auto"), (1.0, 0.0002), Shape(8.6, 0.1, 0.5, 0.1), (20.0, 60.0))
    seen = look(photo, camera, request)
    return {_near(each.disc.centre): (each.diameter.value, each.diameter.standard) for each in seen.spotted}


def _near(pixel: Any) -> str:
    return f"at {round(float(pixel[0]) / 40)}, {round(float(pixel[1]) / 40)}"


@cache
def _board_photo() -> BoardPhoto:
    shot = any_shot(any_board(61), 61, phone_lens(5.0))
    return BoardPhoto(np.asarray(Image.open(io.BytesIO(board_photograph(shot)))), _camera(shot.lens))


def _board() -> Values:
    found = measure_board([_board_photo()], KnownSide(1.0, 0.0002)).measurements
    return {f"{each.characteristic} {each.instance}": (each.value, each.standard) for each in found}


@cache
def _figure_photo() -> tuple[Any, Camera, float]:
    scene = posed(7, megapixels=5.0)
    return open_photograph(figure_photograph(scene), "figure.jpg"), _camera(scene.lens), scene.figure.standoff


def _figure() -> Values:
    photo, camera, standoff = _figure_photo()
    placed = place(photo.pixels, camera, Reference("auto"))
    found = measure_view(photo.pixels, placed, (standoff, 0.3), (1.0, 0.0002)).measured
    return {each.characteristic: (each.value, each.standard) for each in found}


@cache
def _dice_photo() -> tuple[Any, Camera]:
    roll = on_the_mat(9500)
    return open_photograph(photograph_roll(roll), "dice.jpg"), _camera(roll.scene.lens)


def _dice() -> Values:
    photo, camera = _dice_photo()
    dice = measure_dice([photo], camera, Stated(print_scale=(1.0, 0.0002))).photos[0].dice
    names = [f"{_near(each.die.pixel)}, reads {each.die.number}" for each in dice]
    edges = {
        f"{name}, edge {axis}": (edge.value, edge.standard)
        for name, each in zip(names, dice, strict=True)
        for axis, edge in enumerate(each.edges or ())
    }
    return edges | dict.fromkeys(names, (1.0, 1.0))


@cache
def _display_photos() -> tuple[Any, ...]:
    scenes = (
        any_display(np.random.default_rng(seed), reading) for seed, reading in ((1, "14.82"), (2, "8.06"), (3, "-0.5"))
    )
    return tuple(np.ascontiguousarray(display_photograph(scene)[:, :, ::-1]) for scene in scenes)


def _displays() -> Values:
    """What is read, and how sure: a fifth more or less sure counts as one."""
    shown = [read_display(photo) for photo in _display_photos()]
    return {
        f"{place}: {each.number} {each.unit} {each.doubt}": (each.confidence, 0.2)
        for place, each in enumerate(shown)
        if each is not None
    }


SCENES: Final[Mapping[str, tuple[Callable[[], Values], ...]]] = {
    "disc": (_discs,), "board": (_board,), "figure": (_figure,), "fitting": (_discs,), "optics": (_discs, _figure),
    "reference": (_discs,), "dice": (_dice,), "display": (_displays,),
}  # fmt: skip


def main() -> None:
    """Every number of the rooms or modules asked for, those that matter most first."""
    named = [each.partition(".") for each in sys.argv[1:] if each.partition(".")[0] in SCENES]
    for room, _, module in named or [(room, "", "") for room in SCENES]:
        _room(room, module)


def _room(room: str, only: str) -> None:
    before = _measured(room)
    rows = []
    for module, name in _numbers(room, only):
        change = max(_moved(room, (module, name), factor, before) for factor in (1 - SHARE, 1 + SHARE))
        rows.append((change, f"{module.__name__.rpartition('.')[2]}.{name}"))
        print(".", end="", file=sys.stderr, flush=True)
    print(f"\n{room}: {len(rows)} numbers, {sum(change > MATTERS for change, _ in rows)} of them matter, "
          f"{sum(change == 0 for change, _ in rows)} change nothing here")  # fmt: skip
    for change, name in sorted(rows, reverse=True):
        print(f"  {name:<40} {'values come or go' if np.isinf(change) else f'{change:8.3f} u'}")


def _numbers(room: str, only: str) -> Iterator[tuple[ModuleType, str]]:
    """The numbers that modules name, explain in a line below, and do not import from elsewhere."""
    package = importlib.import_module(f"inspect_kit.vision.{room}")
    for found in pkgutil.iter_modules(package.__path__):
        if only in ("", found.name):
            module = importlib.import_module(f"{package.__name__}.{found.name}")
            yield from ((module, name) for name in _named_in(module) if _is_number(getattr(module, name)))


def _named_in(module: ModuleType) -> Iterator[str]:
    for each, after in itertools.pairwise(ast.parse(inspect.getsource(module)).body):
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and isinstance(after, ast.Expr):
            yield each.target.id


def _is_number(value: Any) -> bool:
    if isinstance(value, tuple):
        return bool(value) and all(map(_is_number, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_scaled(each, factor) for each in value)
    return max(round(value * factor), 1) if isinstance(value, int) else value * factor


def _moved(room: str, what: tuple[ModuleType, str], factor: float, before: Values) -> float:
    """The largest change over its uncertainty; infinite where a value comes or goes."""
    module, name = what
    usual = getattr(module, name)
    holders = [each for each in _vision() if vars(each).get(name) is usual] if name[0] != "_" else [module]
    try:
        for each in holders:
            setattr(each, name, _scaled(usual, factor))
        after = _measured(room)
    finally:
        for each in holders:
            setattr(each, name, usual)
    if after.keys() != before.keys():
        return float("inf")
    return max((abs(after[key][0] - before[key][0]) / before[key][1] for key in before), default=0.0)


def _vision() -> list[ModuleType]:
    return [module for name, module in list(sys.modules.items()) if name.startswith("inspect_kit.vision.")]


def _measured(room: str) -> Values:
    found: dict[str, tuple[float, float]] = {}
    for scene in SCENES[room]:
        try:
            found |= scene()
        except (ArithmeticError, BadInput, LookupError, ValueError, np.linalg.LinAlgError):
            continue
    return found


if __name__ == "__main__":
    main()
