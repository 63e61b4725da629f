"""Dice from photos on scenes of known numbers and millimetres: what is read, error of the edges, coverage of U, time.

Run as `python -m benchmarks.dice --scenes 12`. Edges are compared with what a user gets who clicks the corners of the
upper face without error and takes the sheet's scale, which forgets that the face is nearer than the sheet.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from dataclasses import dataclass, field

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np

from inspect_kit.capture.photographs import open_photograph
from inspect_kit.measure.dice import MeasuredDie, measure_dice
from inspect_kit.measure.stated import Stated
from inspect_kit.vision.dice.measure import look_at_dice
from inspect_kit.vision.optics.camera import Camera
from tests.scenes.dice import Die, Roll, photograph_roll
from tests.scenes.render import project
from tests.scenes.throws import on_the_mat, thrown

SPREAD = np.array([1.0, 1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-5, 1e-5, 1e-3])


@dataclass
class Tally:
    """What was counted over all scenes."""

    dice: int = 0
    right: int = 0
    wrong: int = 0
    invented: int = 0
    errors: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    naive: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


def main() -> None:
    """Render, read, measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=12)
    parser.add_argument("--first", type=int, default=9500)
    chosen, _ = parser.parse_known_args()
    cv2.setNumThreads(1)
    seeds = range(chosen.first, chosen.first + chosen.scenes)
    on_mat, anywhere = Tally(), Tally()
    for seed in seeds:
        _measure(on_the_mat(seed), on_mat)
        _read(thrown(seed), anywhere)
    for name, tally in (("on the mat", on_mat), ("on any ground, without a reference", anywhere)):
        print(f"{name}: {tally.right} of {tally.dice} numbers right, {tally.wrong} wrong, {tally.invented} invented, "
              f"{np.mean(tally.times):.2f} s of processor time a photo, {max(tally.times):.2f} s at most")  # fmt: skip
    for label, values in (("ours", on_mat.errors), ("corners clicked, sheet's scale", on_mat.naive)):
        sizes = np.abs(values)
        print(f"{label:32s} mean {sizes.mean():.3f} mm  median {np.median(sizes):.3f} mm  worst {sizes.max():.3f} mm")
    ratios = np.array(on_mat.ratios)
    print(f"{len(ratios) // 2} dice measured; U = 2u covers {np.mean(np.abs(ratios) < 2):.1%}")


def _nearest(roll: Roll, pixel: tuple[float, float], reach: float) -> Die | None:
    away = np.linalg.norm(roll.centres() - pixel, axis=1)
    return roll.dice[int(away.argmin())] if away.min() < reach else None


def _read(roll: Roll, tally: Tally) -> None:
    pixels = open_photograph(photograph_roll(roll), "throw").pixels
    start = time.process_time()
    look = look_at_dice(pixels, None)
    tally.times.append(time.process_time() - start)
    tally.dice += len(roll.dice)
    for die in look.dice:
        _count(tally, die.number, _nearest(roll, die.pixel, 0.3 * float(np.ptp(die.outline[:, 0]))))


def _count(tally: Tally, number: int, true: Die | None) -> None:
    tally.invented += true is None
    tally.right += true is not None and true.up == number
    tally.wrong += true is not None and true.up != number


def _measure(roll: Roll, tally: Tally) -> None:
    lens = roll.scene.lens
    values = np.array([lens.focal, lens.focal, *lens.centre, *lens.bend])
    camera = Camera(lens.width, lens.height, values, np.diag(SPREAD**2), "benchmark")
    photo = open_photograph(photograph_roll(roll), f"scene {roll.scene.seed}")
    start = time.process_time()
    session = measure_dice([photo], camera, Stated(print_scale=(1.0, 0.0002)))
    tally.times.append(time.process_time() - start)
    tally.dice += len(roll.dice)
    for rolled in session.photos[0].dice:
        true = _nearest(roll, rolled.die.pixel, 25.0)
        _count(tally, rolled.die.number, true)
        if true is not None and rolled.edges is not None:
            _compare(roll, rolled, true, tally)


def _compare(roll: Roll, rolled: MeasuredDie, true: Die, tally: Tally) -> None:
    assert rolled.die.fitted is not None
    assert rolled.edges is not None
    turn = (float(rolled.die.fitted.cube.vector[2]) - true.yaw + math.pi / 4) % math.pi
    edges = rolled.edges if turn < math.pi / 2 else rolled.edges[::-1]
    for axis, edge in enumerate(edges):
        tally.errors.append(edge.value - true.size[axis])
        tally.ratios.append(tally.errors[-1] / edge.standard)
        tally.naive.append(_clicked(roll, true, axis) - true.size[axis])


def _clicked(roll: Roll, die: Die, axis: int) -> float:
    """The length of an edge of the upper face, as the sheet's scale beside it tells."""
    way = die.turn()[axis] * die.half[axis]
    ends = np.array([die.top() - way, die.top() + way])
    ground = np.array([die.top() * (1, 1, 0) - way, die.top() * (1, 1, 0) + way])
    seen, beside = project(roll.scene, ends), project(roll.scene, ground)
    return float(np.linalg.norm(seen[1] - seen[0]) / np.linalg.norm(beside[1] - beside[0]) * die.size[axis])


if __name__ == "__main__":
    main()
