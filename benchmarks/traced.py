"""Path-traced scenes of every kind, measured as a user would: error, how often U covers, and the worst error over u.

`python -m benchmarks traced` draws what its folder lacks (the extra `traced`; a minute a picture) and measures it. Once
drawn, `--kind board --seeds 0 1 4 7 8 9 --megapixels 6` takes half a minute: boards, before a change of theirs lands.
Nothing in the package is tuned by these pictures unless its constant says so.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from tests.scenes.traced.__main__ import write_scene
from tests.scenes.traced.kinds import KINDS

FOLDER = Path.home() / ".cache" / "inspect-kit-traced"
Rows = dict[str, list[tuple[float, float]]]


def main() -> None:
    """Draw, measure, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--scenes", type=int, default=4)
    parser.add_argument("--seeds", type=int, nargs="*", help="instead of --first and --scenes")
    parser.add_argument("--megapixels", type=float, default=4.0)
    parser.add_argument("--kinds", "--kind", nargs="*", default=list(KINDS))
    said, _ = parser.parse_known_args()
    for kind in said.kinds:
        rows: Rows = defaultdict(list)
        for seed in said.seeds or range(said.first, said.first + said.scenes):
            place = said.folder / f"{kind}-{seed}.jpg"
            if not place.exists():
                write_scene(kind, seed, said.megapixels, 10, said.folder)
            _measured(kind, place, rows)
        _shown(kind, rows)


def _measured(kind: str, place: Path, rows: Rows) -> None:
    """One photo through the command line, its errors and u by characteristic."""
    notes = json.loads(place.with_suffix(".json").read_text(encoding="utf-8"))
    camera = place.with_name(f"{place.stem}.camera.json")
    command = [sys.executable, "-m", "inspect_kit", "measure", kind, str(place), "--camera", str(camera), "--json"]
    done = subprocess.run([*command, *notes["options"]], check=False, capture_output=True, text=True)
    if not done.stdout.strip():
        print(f"  {place.name}: {done.stderr.strip().splitlines()[-1]}")
        return
    for found in json.loads(done.stdout)["measurements"]:
        true = _true(notes["truth"], found)
        if true is not None and found.get("u"):
            rows[found["characteristic"]].append((found["value"] - true, found["u"]))


def _true(truth: dict, found: dict) -> float | None:
    """What is true of a measured value, by its name or by the piece it lies on."""
    name = found["characteristic"]
    if "figure" in truth:
        return truth["figure"].get(name)
    if "board" in truth:
        return next((value for a, b, value in truth["board"] if (a, b) == (name, found["instance"])), None)
    pieces, field = (truth["dice"], "edge") if "dice" in truth else (truth["pieces"], "diameter")
    if not name.endswith(field):
        return None
    return min(pieces, key=lambda each: float(np.hypot(*(np.array(each["px"]) - found["pixel"]))))[field]


def _shown(kind: str, rows: Rows) -> None:
    print(f"  {kind:28} {'n':>4} {'mean':>8} {'|mean|':>8} {'worst':>8} {'in U':>6} {'worst/u':>8}")
    for name, values in rows.items():
        error, u = np.array(values).T
        inside = float((np.abs(error) <= 2 * u).mean())
        print(f"  {name:28} {len(error):4d} {error.mean():+8.3f} {np.abs(error).mean():8.3f} {np.abs(error).max():8.3f}"
              f" {inside:6.0%} {np.abs(error / u).max():8.1f}")  # fmt: skip
    every = np.array([pair for values in rows.values() for pair in values]).reshape(-1, 2)
    print(f"  {len(every)} values, {int((np.abs(every[:, 0]) > 4 * every[:, 1]).sum())} more than 4 u off")


if __name__ == "__main__":
    main()
