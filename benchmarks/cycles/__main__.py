"""`python -m benchmarks.cycles KIND --seed N -o DIR`: one photograph, its truth and its camera's calibration file."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.cycles import scene
from benchmarks.cycles.camera import calibration_file
from benchmarks.cycles.develop import develop
from benchmarks.cycles.prints import Prints

KINDS = {
    "discs": "pieces", "striker": "pieces", "dice": "pieces", "figure": "figure", "board": "board",
    "paper": "everyday", "card": "everyday", "coin": "everyday",
}  # fmt: skip


def main() -> None:
    """Draw one picture."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("kind", choices=KINDS)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("-o", "--out", type=Path, default=Path())
    words.add_argument("--width", type=int, default=4032, help="pixels; the height is three quarters of it")
    words.add_argument("--samples", type=int, default=8, help="paths a pixel")
    words.add_argument("--threads", type=int, default=2)
    words.add_argument("--prints", type=Path, default=Path("prints"), help="where the rasterised sheets are kept")
    words.add_argument("--interpreter", default=sys.executable, help="a Python that has inspect-kit, for the sheets")
    told = words.parse_args()
    rng = np.random.default_rng([told.seed, list(KINDS).index(told.kind)])
    scene.fresh()
    draw = getattr(__import__(f"benchmarks.cycles.{KINDS[told.kind]}", fromlist=[told.kind]), told.kind)
    camera, focus, subject, truth = draw(rng, Prints(told.prints, told.interpreter), (told.width, told.width * 3 // 4))
    aperture, began = float(rng.uniform(0.6, 2.4)), time.monotonic()
    light = scene.shoot(camera, focus, subject, aperture, (told.samples, told.threads))
    seconds, name = round(time.monotonic() - began, 1), f"{told.kind}_{told.seed:03d}"
    told.out.mkdir(parents=True, exist_ok=True)
    done = develop(light, camera, scene.OVERSCAN, rng, told.out / f"{name}.jpg")
    (told.out / f"{name}.camera.json").write_text(json.dumps(calibration_file(camera), indent=1))
    truth = {"scene": told.kind, "units": "mm", "image": f"{name}.jpg", "camera": camera.truth()} | truth
    truth |= {"phone": done, "aperture": aperture, "renderer": "Blender Cycles", "render_seconds": seconds}
    (told.out / f"{name}.json").write_text(json.dumps(truth, indent=1))
    print(f"{name}: {seconds} s")


if __name__ == "__main__":
    main()
