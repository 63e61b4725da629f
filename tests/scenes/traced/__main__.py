"""`python -m tests.scenes.traced KIND [--seed N] [--count N] [--megapixels M] [--samples S] -o DIR`."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.scenes.board_photos import camera_json
from tests.scenes.traced.kinds import KINDS, Traced, pinhole
from tests.scenes.traced.phone import any_processing, developed
from tests.scenes.traced.tracer import traced


def made(kind: str, seed: int, megapixels: float, samples: int) -> tuple[bytes, Traced]:
    scene = KINDS[kind](seed, pinhole(megapixels))
    light = traced(scene.meshes, replace(scene.view, samples=samples))
    return developed(light, any_processing(np.random.default_rng(seed)), seed), scene


def write_scene(kind: str, seed: int, megapixels: float, samples: int, folder: Path) -> Path:
    """The picture, what is true of it and its camera, side by side."""
    folder.mkdir(parents=True, exist_ok=True)
    content, scene = made(kind, seed, megapixels, samples)
    place = folder / f"{kind}-{seed}.jpg"
    place.write_bytes(content)
    notes = {"truth": scene.truth, "options": scene.options}
    place.with_suffix(".json").write_text(json.dumps(notes, indent=1) + "\n", encoding="utf-8")
    place.with_name(f"{place.stem}.camera.json").write_text(camera_json(scene.view.lens), encoding="utf-8")
    return place


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("kind", choices=[*KINDS, "all"])
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--count", type=int, default=1)
    words.add_argument("--megapixels", type=float, default=3.0)
    words.add_argument("--samples", type=int, default=16)
    words.add_argument("-o", "--out", type=Path, required=True)
    said = words.parse_args()
    for kind in KINDS if said.kind == "all" else [said.kind]:
        for seed in range(said.seed, said.seed + said.count):
            begun = time.perf_counter()
            place = write_scene(kind, seed, said.megapixels, said.samples, said.out)
            print(f"{place}: {place.stat().st_size / 1e3:.0f} kB, {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
