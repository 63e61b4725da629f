"""Two thousand small photos, and some trays by the program's own measuring: one process against two."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inspect_kit.bounded_process import usable_cores
from inspect_kit.quality.batch.run import Batch, find_photos, run
from inspect_kit.quality.batch.workers import Pool, Work

PHOTOS = 2_000
ROUNDS = 12
"""How often the small picture is looked at: about as long as a real one takes to be decoded at a low size."""
TRAYS = 8
LIGHT = "tests.quality.batch.photo_measuring:measure"
OWN = "inspect_kit.cli.batch:measure"


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock, and of processor time: ours, and that of the processes that measure."""

    wall: float
    own: float
    workers: float


def _timed(work: Callable[[], object]) -> Cost:
    start, before = time.perf_counter(), os.times()
    work()
    after = os.times()
    own = after.user + after.system - before.user - before.system
    children = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(time.perf_counter() - start, own, children)


def main() -> None:
    """Print seconds and the ratio of one process to two."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from tests.quality.batch.photo_measuring import draw_photos, measure
    from tests.quality.batch.trays import OPTIONS, camera_file, draw_trays

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = draw_photos(folder / "photos", PHOTOS, side=160)
        options = {"thickness": str(ROUNDS)}
        bare = _timed(lambda: [measure("disc", path, options) for path in paths])
        print(f"bare loop    {bare.wall:7.2f} s   {1000 * bare.own / PHOTOS:.2f} ms a photo   ({usable_cores()} cores)")
        _compared(folder / "photos", Work("disc", tuple(options.items()), LIGHT))
        draw_trays(folder / "trays", TRAYS)
        print(f"{TRAYS} trays by the program's own measuring")
        own = {**OPTIONS, "camera": str(camera_file(folder / "camera.json"))}
        _compared(folder / "trays", Work("coins", tuple(own.items()), OWN))


def _compared(photos: Path, work: Work) -> None:
    costs = {workers: _batch(photos, workers, work) for workers in (1, 2)}
    for workers, cost in costs.items():
        spent = f"giving out {cost.own:.2f} s, measuring {cost.workers:.2f} s"
        print(f"{workers} at work    {cost.wall:7.2f} s   processor: {spent}")
    one, two = ((photos.parent / f"{photos.name}-{workers}.jsonl").read_bytes() for workers in (1, 2))
    print(f"ratio        {costs[1].wall / costs[2].wall:7.2f}     the same bytes: {one == two}")
    # On a machine that others use, the clock says little; processor time tells what two free cores would do: one
    # process measures while the other core gives out, two share both cores with the one that gives out.
    free = max(costs[1].workers, costs[1].own) / ((costs[2].workers + costs[2].own) / 2)
    print(f"by processor time, on two free cores: {free:.2f}")


def _silent(done: int) -> None:
    del done


def _batch(photos: Path, workers: int, work: Work) -> Cost:
    batch = Batch(find_photos([photos]), work, photos.parent / f"{photos.name}-{workers}.jsonl")
    return _timed(lambda: run(batch, Pool(workers), _silent))


if __name__ == "__main__":
    main()
