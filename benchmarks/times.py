"""Processor time of `measure` for one 12-megapixel photo of each kind, start-up included, one thread each."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.scenes import board_render, figure
from tests.scenes.board import any_board, any_shot, phone_lens
from tests.scenes.board_photos import camera_json
from tests.scenes.dice import photograph_roll
from tests.scenes.figure_poses import posed
from tests.scenes.render import photograph
from tests.scenes.scene import Lens
from tests.scenes.table import scattered
from tests.scenes.throws import on_the_mat

_RUNS = 3
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OPENCV_FOR_THREADS_NUM": "1"}
Case = tuple[str, bytes, Lens, list[str]]


def main() -> None:
    """The median of a few runs, the first of which writes the bytecode and does not count."""
    with tempfile.TemporaryDirectory() as name:
        for kind, content, lens, options in _photos():
            seconds = median([_seconds(Path(name), kind, content, lens, options) for _ in range(1 + _RUNS)][1:])
            print(f"{kind:<8} {lens.width * lens.height / 1e6:4.1f} megapixels  {seconds:5.2f} s of processor time")


def _photos() -> Iterator[Case]:
    scene = scattered(0)
    yield "coins", photograph(scene, "mat"), scene.lens, []
    shot = any_shot(any_board(60), 60, phone_lens())
    yield "board", board_render.photograph(shot), shot.lens, []
    who = posed(1, megapixels=12.0)
    standoff = f"{who.figure.standoff:.2f}±0.3mm"
    yield "figure", figure.photograph(who), who.lens, ["--standoff", standoff]
    roll = on_the_mat(9500)
    yield "dice", photograph_roll(roll), roll.scene.lens, []


def _seconds(folder: Path, kind: str, content: bytes, lens: Lens, options: list[str]) -> float:
    photo, camera = folder / f"{kind}.jpg", folder / f"{kind}.json"
    photo.write_bytes(content)
    camera.write_text(camera_json(lens), encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= _ONE_THREAD | {"PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    command = [sys.executable, "-m", "inspect_kit", "--home", str(folder / "home"), "measure", kind, str(photo),
               "--camera", str(camera), "--print-scale", "1", "--json", *options]  # fmt: skip
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
