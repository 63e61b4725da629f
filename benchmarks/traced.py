"""Path-traced scenes of every kind, measured as a user would: error, how often U covers, and the worst error over u.

`python -m benchmarks traced` draws what its folder lacks (the extra `traced`; a minute a picture) and measures it. Once
drawn, `--kind board --seeds 0 1 4 7 8 9 --megapixels 6` takes half a minute: boards, before a change of theirs lands.
Nothing in the package is tuned by these pictures unless its constant says so.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.pictures import Error, errors_of, shown
from tests.scenes.traced.__main__ import write_scene
from tests.scenes.traced.kinds import KINDS

FOLDER = Path.home() / ".cache" / "inspect-kit-traced"


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
        errors: list[Error] = []
        for seed in said.seeds or range(said.first, said.first + said.scenes):
            place = said.folder / f"{kind}-{seed}.jpg"
            if not place.exists():
                write_scene(kind, seed, said.megapixels, 10, said.folder)
            errors += _errors(kind, place)
        shown(kind, errors)


def _errors(kind: str, place: Path) -> list[Error]:
    notes = json.loads(place.with_suffix(".json").read_text(encoding="utf-8"))
    words = notes["options"]
    stated = {
        name.removeprefix("--").replace("-", "_"): value for name, value in zip(words[::2], words[1::2], strict=True)
    }
    return errors_of(place, kind, _in_common_form(notes["truth"]), stated)


def _in_common_form(truth: dict[str, Any]) -> dict[str, Any]:
    if "figure" in truth:
        return {"values": truth["figure"]}
    if "board" in truth:
        keys = ("characteristic", "instance", "value")
        return {"values": [dict(zip(keys, row, strict=True)) for row in truth["board"]]}
    if "dice" in truth:
        return {"dice": [{"pixel": d["px"], "edges": [d["edge"]] * 2, "face": d["up"]} for d in truth["dice"]]}
    return {"discs": [{"pixel": each["px"], "diameter": each["diameter"]} for each in truth["pieces"]]}


if __name__ == "__main__":
    main()
