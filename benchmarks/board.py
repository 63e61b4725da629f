"""Boards of known millimetres: errors by characteristic, coverage of U, features found, seconds a photo."""

from __future__ import annotations

import io
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import numpy as np
from PIL import Image

from inspect_kit.vision.board.measure import BoardPhoto, KnownSide, measure_board
from inspect_kit.vision.optics.camera import Camera
from tests.scenes.board import Shot, any_board, any_shot, phone_lens
from tests.scenes.board_render import photograph
from tests.scenes.painted import calibrated
from tests.scenes.painted_board import habitual_board, painted_board

SEEDS = range(60, 72)
"""Boards that nothing was tuned on."""
SCALE: Final = 0.0002
"""Standard uncertainty of the cards' print scale; what is said of it is wrong by as much."""
PAINTED = range(8)
"""Boards drawn in another way: plain wood, four walls of four colours, gaps up to 1 mm."""
HABITUAL = range(100, 108)
"""The same with the habits of other makers and phones: heads and arcs of arrows, shade, sharpening, mostly no gap."""

Case = tuple[BoardPhoto, Mapping[tuple[str, str], float]]


def _photo(shot: Shot, random: np.random.Generator) -> BoardPhoto:
    """The photo, with a calibrated camera that is off by as much as its covariance says."""
    lens = shot.lens
    standard = np.array([0.25, 0.25, 0.5, 0.5, 1e-3, 2.5e-3, 5e-5, 5e-5, 2.5e-3])
    parameters = np.array([lens.focal, lens.focal, *lens.centre, *lens.bend]) + random.normal(0, standard)
    pixels = np.asarray(Image.open(io.BytesIO(photograph(shot))))
    return BoardPhoto(pixels, Camera(lens.width, lens.height, parameters, np.diag(standard**2)).with_focus_drift())


def _rendered() -> Iterator[Case]:
    for seed in SEEDS:
        shot = any_shot(any_board(seed), seed, phone_lens())
        yield _photo(shot, np.random.default_rng(seed)), shot.visible()


def _painted() -> Iterator[Case]:
    for seed in PAINTED:
        content, sizes = painted_board(seed)
        pixels = np.asarray(Image.open(io.BytesIO(content)))
        yield BoardPhoto(pixels, calibrated().with_focus_drift()), sizes.truth


def _habitual() -> Iterator[Case]:
    for seed in HABITUAL:
        content, truth, _ = habitual_board(seed)
        yield BoardPhoto(np.asarray(Image.open(io.BytesIO(content))), calibrated().with_focus_drift()), truth


def main() -> None:
    """All ways to draw, one line a characteristic."""
    ways = {"rendered, worn and powdered": _rendered, "painted, plain": _painted, "by other makers": _habitual}
    for title, cases in ((title, way()) for title, way in ways.items()):
        print(f"\n{title}")
        _compared(cases)


def _compared(cases: Iterable[Case]) -> None:
    errors: dict[str, list[tuple[float, float]]] = defaultdict(list)
    wanted = found = 0
    seconds = []
    random = np.random.default_rng(1)
    for photo, truth in cases:
        start = time.process_time()
        result = measure_board([photo], KnownSide(random.normal(1.0, SCALE), SCALE))
        seconds.append(time.process_time() - start)
        values = {(each.characteristic, each.instance): each for each in result.measurements}
        wanted += len(truth)
        found += sum(key in values for key in truth)
        for key in truth.keys() & values.keys():
            errors[key[0]].append((values[key].value - truth[key], values[key].standard))
        print(".", end="", file=sys.stderr, flush=True)
    every = np.array([row for rows in errors.values() for row in rows])
    print(f"all within U {np.mean(np.abs(every[:, 0]) < 2 * every[:, 1]):.1%}")
    print(f"{len(seconds)} boards, {found / wanted:.1%} of the visible features, {np.median(seconds):.1f} s a photo")
    for name, rows in sorted(errors.items()):
        away, standard = np.array(rows).T
        print(f"{name:<26} n {len(away):3}  mean |error| {np.abs(away).mean():6.3f}  "
              f"median {np.median(np.abs(away)):6.3f}  "
              f"bias {away.mean():+6.3f}  within U {np.mean(np.abs(away) < 2 * standard):4.0%}")  # fmt: skip


if __name__ == "__main__":
    main()
