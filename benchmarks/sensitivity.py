"""Which of the chosen numbers the results hang on: each is moved by a fifth, and what is measured is compared.

Run as `python -m benchmarks.sensitivity [ROOM…]` (or `python -m benchmarks sensitivity ROOM`). A number counts by the
largest change of a value over its standard uncertainty, and by values that come or go; 0 on these scenes does not
prove it idle (many only bound the time, or refuse what these scenes do not show).
"""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any, Final

import numpy as np
from PIL import Image

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.errors import BadInput
from inspect_kit.vision.board.measure import BoardPhoto, KnownSide, measure_board
from inspect_kit.vision.disc.fit import Shape
from inspect_kit.vision.disc.measure import DiscRequest, look
from inspect_kit.vision.figure.measure import measure_view
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.reference.find import place
from inspect_kit.vision.reference.wanted import Reference
from tests.scenes.board import any_board, any_shot, phone_lens
from tests.scenes.board_render import photograph as board_photograph
from tests.scenes.figure import photograph as figure_photograph
from tests.scenes.figure_poses import posed
from tests.scenes.render import photograph
from tests.scenes.scene import Lens
from tests.scenes.table import scattered

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


SCENES: Final[Mapping[str, tuple[Callable[[], Values], ...]]] = {
    "disc": (_discs,), "board": (_board,), "figure": (_figure,), "fitting": (_discs,), "optics": (_discs, _figure),
    "reference": (_discs,),
}  # fmt: skip


def main() -> None:
    """Every number of the rooms asked for, those that matter most first."""
    asked = [name for name in sys.argv[1:] if name in SCENES] or list(SCENES)
    for room in asked:
        _room(room)


def _room(room: str) -> None:
    tuning = importlib.import_module(f"inspect_kit.vision.{room}.tuning")
    before = _measured(room)
    rows = []
    for name in _numbers(tuning):
        rows.append((max(_moved(room, tuning, name, factor, before) for factor in (1 - SHARE, 1 + SHARE)), name))
        print(".", end="", file=sys.stderr, flush=True)
    print(f"\n{room}: {len(rows)} numbers, {sum(change > MATTERS for change, _ in rows)} of them matter, "
          f"{sum(change == 0 for change, _ in rows)} change nothing here")  # fmt: skip
    for change, name in sorted(rows, reverse=True):
        print(f"  {name:<28} {'values come or go' if np.isinf(change) else f'{change:8.3f} u'}")


def _numbers(tuning: ModuleType) -> Iterator[str]:
    return (name for name, value in vars(tuning).items() if name.isupper() and isinstance(value, int | float | tuple))


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, tuple):
        return tuple(_scaled(each, factor) for each in value)
    return max(round(value * factor), 1) if isinstance(value, int) else value * factor


def _moved(room: str, tuning: ModuleType, name: str, factor: float, before: Values) -> float:
    """The largest change over its uncertainty; infinite where a value comes or goes."""
    usual = getattr(tuning, name)
    setattr(tuning, name, _scaled(usual, factor))
    try:
        after = _measured(room)
    finally:
        setattr(tuning, name, usual)
    if after.keys() != before.keys():
        return float("inf")
    return max((abs(after[key][0] - before[key][0]) / before[key][1] for key in before), default=0.0)


def _measured(room: str) -> Values:
    found: dict[str, tuple[float, float]] = {}
    for scene in SCENES[room]:
        try:
            found |= scene()
        except (BadInput, ValueError, np.linalg.LinAlgError):
            continue
    return found


if __name__ == "__main__":
    main()
