"""Which of the chosen numbers the results hang on: each is moved by a fifth, and what is measured is compared.

Run as `python -m benchmarks sensitivity [--into FOLDER] [ROOM[.MODULE]…]`, such as `dice.read` or `board.tuning`. Every
number that a module of the room names and explains is moved, wherever it stands: up, and down where up changes nothing.
It counts by the largest change of a value or of its standard uncertainty u, over u, and by values that come or go.
Numbers on no line that the scenes run are only named. 0 on these scenes does not prove a number idle (many only bound
the time, or refuse what these scenes do not show).

With `--into`, each number goes to `FOLDER/<room>.txt` as soon as it is known; started again, those there are not moved
again unless their value has changed.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import io
import itertools
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

import numpy as np
from PIL import Image

import inspect_kit.vision
from inspect_kit.capture.photographs import open_photograph
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
from tests.scenes.scene import Lens, phone
from tests.scenes.table import BEND, scattered
from tests.scenes.throws import thrown

SHARE: Final = 0.2
"""By how much each number is moved, down and up."""
MATTERS: Final = 0.25
"""Change of a value over its standard uncertainty from which on the results hang on a number."""

Values = Mapping[str, tuple[float, float]]
"""What is measured, with its standard uncertainty, by name."""
Scenes = Sequence[Callable[[], Values]]
"""What is measured again for each number moved."""


def _camera(lens: Lens) -> Camera:
    standard = np.array([0.25, 0.25, 0.5, 0.5, 1e-3, 2.5e-3, 5e-5, 5e-5, 2.5e-3])
    parameters = np.array([lens.focal, lens.focal, *lens.centre, *lens.bend])
    return Camera(lens.width, lens.height, parameters, np.diag(standard**2), "calibration")


@cache
def _disc_photo() -> tuple[Any, Camera]:
    lens = Lens(1200, 900, 1425.0, (602.0, 446.0), (0.03, -0.05, 0.0003, -0.0002, 0.0))
    scene = scattered(301, lens=lens, count=(5, 6), distance=(420.0, 470.0))
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
    shot = any_shot(any_board(61), 61, phone_lens(2.0))
    return BoardPhoto(np.asarray(Image.open(io.BytesIO(board_photograph(shot)))), _camera(shot.lens))


def _board() -> Values:
    found = measure_board([_board_photo()], KnownSide(1.0, 0.0002)).measurements
    return {f"{each.characteristic} {each.instance}": (each.value, each.standard) for each in found}


@cache
def _figure_photo() -> tuple[Any, Camera, float]:
    scene = posed(7, megapixels=2.0)
    return open_photograph(figure_photograph(scene), "figure.jpg"), _camera(scene.lens), scene.figure.standoff


def _figure() -> Values:
    photo, camera, standoff = _figure_photo()
    placed = place(photo.pixels, camera, Reference("auto"))
    found = measure_view(photo.pixels, placed, (standoff, 0.3), (1.0, 0.0002)).measured
    return {each.characteristic: (each.value, each.standard) for each in found}


@cache
def _dice_photo() -> tuple[Any, Camera]:
    roll = thrown(9500, lens=phone(3.0, bend=BEND), grounds=("mat",), count=(3, 3), tilt=(5.0, 20.0))
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
    scenes = (any_display(np.random.default_rng(seed), reading) for seed, reading in ((1, "14.82"), (3, "-0.5")))
    return tuple(np.ascontiguousarray(display_photograph(scene)[:, :, ::-1]) for scene in scenes)


def _displays() -> Values:
    """What is read, and how sure: a fifth more or less sure counts as one."""
    shown = [read_display(photo) for photo in _display_photos()]
    return {
        f"{place}: {each.number} {each.unit} {each.doubt}": (each.confidence, 0.2)
        for place, each in enumerate(shown)
        if each is not None
    }


SCENES: Final[Mapping[str, Scenes]] = {
    "disc": (_discs,), "board": (_board,), "figure": (_figure,), "fitting": (_discs,), "optics": (_discs, _figure),
    "reference": (_discs,), "dice": (_dice,), "display": (_displays,),
}  # fmt: skip

Line = tuple[str, int]
"""A file and the number of a line in it."""


@dataclass(frozen=True)
class Number:
    """One chosen number: the module that names it, its name and its value."""

    module: ModuleType
    name: str
    value: Any

    def __str__(self) -> str:
        return f"{self.module.__name__.removeprefix('inspect_kit.vision.')}.{self.name} = {self.value}"


@dataclass(frozen=True)
class Moved:
    """What moving a number did: the largest change over its uncertainty; none where no line that ran reads it."""

    number: str
    change: float | None

    def __str__(self) -> str:
        if self.change is None:
            return f"not reached by these scenes  {self.number}"
        return f"{'values come or go' if np.isinf(self.change) else f'{self.change:.3g} u':>27}  {self.number}"


def main() -> None:
    """Every number of the rooms or modules asked for, as they become known, those that matter most at the end."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sensitivity")
    parser.add_argument("--into", type=Path, help="a folder for each room's lines as they come; goes on where it ended")
    parser.add_argument("rooms", nargs="*", metavar="ROOM[.MODULE]", default=list(SCENES))
    asked = parser.parse_args(sys.argv[2:] if sys.argv[1:2] == ["sensitivity"] else None)
    for room, _, module in (each.partition(".") for each in asked.rooms):
        if room not in SCENES:
            parser.error(f"{room}: one of {', '.join(SCENES)}")
        _room(room, module, asked.into)


def _room(room: str, only: str, into: Path | None) -> None:
    known = _written(into / f"{room}.txt") if into else {}
    rows = []
    for each in _changes(SCENES[room], list(numbers(f"inspect_kit.vision.{room}", only)), known):
        rows.append(each)
        if each.number not in known:
            _say(str(each), room, into)
    _say(_summary(room, rows), room, into)


def _say(text: str, room: str, into: Path | None) -> None:
    print(text, flush=True)
    if into:
        into.mkdir(parents=True, exist_ok=True)
        with (into / f"{room}.txt").open("a", encoding="utf-8") as file:
            file.write(text + "\n")


def _written(file: Path) -> dict[str, float | None]:
    """What earlier runs wrote; the summary's lines say the same once more."""
    known: dict[str, float | None] = {}
    for line in file.read_text("utf-8").splitlines() if file.is_file() else ():
        said, _, number = line.strip().partition("  ")
        if number:
            known[number] = _CHANGES[said] if said in _CHANGES else float(said.removesuffix(" u"))
    return known


_CHANGES: Final[Mapping[str, float | None]] = {
    "not reached by these scenes": None, "values come or go": float("inf"),
}  # fmt: skip


def _summary(room: str, rows: Sequence[Moved]) -> str:
    changes = [each.change for each in rows if each.change is not None]
    return "\n".join([
        f"{room}: {len(rows)} numbers, {sum(change > MATTERS for change in changes)} of them matter, "
        f"{changes.count(0.0)} change nothing here, {len(rows) - len(changes)} are not reached",
        *(str(each) for each in sorted(rows, key=lambda each: -1.0 if each.change is None else each.change)[::-1]),
    ])  # fmt: skip


def _changes(scenes: Scenes, wanted: Sequence[Number], known: Mapping[str, float | None]) -> Iterator[Moved]:
    yield from (Moved(str(each), known[str(each)]) for each in wanted if str(each) in known)
    left = [each for each in wanted if str(each) not in known]
    if left:
        yield from moved(scenes, left)


def moved(scenes: Scenes, wanted: Sequence[Number]) -> Iterator[Moved]:
    """What moving each does, those that no line reads first."""
    _measured(scenes)  # draws the scenes, which stay the same
    before, lines = _lines_run(scenes)
    read = _names_read(lines)
    yield from (Moved(str(each), None) for each in wanted if not _is_read(each, read))
    for each in wanted:
        if _is_read(each, read):
            yield Moved(str(each), _change(scenes, each, 1 + SHARE, before) or _change(scenes, each, 1 - SHARE, before))


def _is_read(number: Number, read: Mapping[str, set[str]]) -> bool:
    """Whether a line that ran has its name; a private one counts in its own module."""
    files = read.get(number.name, set())
    return number.module.__file__ in files if number.name.startswith("_") else bool(files)


def _lines_run(scenes: Scenes) -> tuple[Values, set[Line]]:
    """What is measured, and every line of the measuring rooms that ran for it."""
    rooms = str(Path(inspect_kit.vision.__path__[0]))
    ran: set[Line] = set()

    def within(frame: FrameType, _event: str, _argument: object) -> Any:
        ran.add((frame.f_code.co_filename, frame.f_lineno))
        return within

    sys.settrace(lambda frame, _event, _argument: within if frame.f_code.co_filename.startswith(rooms) else None)
    try:
        return _measured(scenes), ran
    finally:
        sys.settrace(None)


def _names_read(lines: set[Line]) -> Mapping[str, set[str]]:
    """The names that these lines read, plain (`LIMIT`) or of a module (`tuning.LIMIT`), and in which files."""
    found = defaultdict(set)
    for file in {file for file, _ in lines}:
        for each in ast.walk(ast.parse(Path(file).read_text("utf-8"))):
            if isinstance(each, ast.Attribute | ast.Name) and (file, each.lineno) in lines:
                found[each.attr if isinstance(each, ast.Attribute) else each.id].add(file)
    return found


def numbers(room: str, only: str = "") -> Iterator[Number]:
    """The numbers that a room's modules name, explain in a line below, and do not import from elsewhere."""
    package = importlib.import_module(room)
    for found in pkgutil.walk_packages(package.__path__, f"{room}."):
        module = importlib.import_module(found.name)
        if only in ("", found.name.rpartition(".")[2]):
            named = ((name, getattr(module, name)) for name in _named_in(module))
            yield from (Number(module, name, value) for name, value in named if _is_number(value))


def _named_in(module: ModuleType) -> Iterator[str]:
    for each, after in itertools.pairwise(ast.parse(Path(str(module.__file__)).read_text("utf-8")).body):
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


def _change(scenes: Scenes, number: Number, factor: float, before: Values) -> float:
    """The largest change of a value or of its uncertainty, over the latter; infinite where values come or go."""
    holders = [each for each in _vision() if _holds(each, number)]
    try:
        _set(holders, number.name, _scaled(number.value, factor))
        after = _measured(scenes)
    except Exception:  # Moved, a number may break anything, such as the size of the picture that a network takes.
        return float("inf")
    finally:
        _set(holders, number.name, number.value)
    if after.keys() != before.keys():
        return float("inf")
    return max(
        (abs(now - was) / before[key][1] for key in before for now, was in zip(after[key], before[key], strict=True)),
        default=0.0,
    )


def _holds(module: ModuleType, number: Number) -> bool:
    """Whether a module names the number, or has it from there."""
    imported = vars(module).get(number.name) is number.value and number.name not in module.__annotations__
    return module is number.module or imported


def _set(holders: Iterable[ModuleType], name: str, value: Any) -> None:
    """In every module that has it; what was computed and kept with the other value is forgotten."""
    for each in holders:
        setattr(each, name, value)
        for kept in vars(each).values():
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()


def _vision() -> list[ModuleType]:
    return [module for name, module in list(sys.modules.items()) if name.startswith("inspect_kit.vision.")]


def _measured(scenes: Scenes) -> Values:
    return {name: value for scene in scenes for name, value in scene().items()}


if __name__ == "__main__":
    main()
