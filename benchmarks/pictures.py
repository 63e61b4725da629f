"""Pictures with a known truth, measured as a user would: error, how often U covers, and the worst error over u.

`python -m benchmarks pictures FOLDER…` takes what `python -m benchmarks.cycles` drew, or anything else
of that form: `NAME.jpg`, its truth in `NAME.json`, and its camera in `NAME.camera.json`, if it has one. Before a change
of what is measured lands, it is run over pictures that nothing was tuned on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import inspect_kit as ik

STATED = {
    "print_scale": ("print_scale", "{}"),
    "thickness_stated": ("thickness", "{}mm"),
    "edge_radius_stated": ("edge_radius", "{}mm"),
    "known_side": ("known", "surface.side={}mm"),
    "reference": ("reference", "{}"),
}
"""What a truth says that a user would state: under which name, and how."""
DOUBTFUL = 2.5
"""Errors over u from which on a value is printed by itself."""


@dataclass(frozen=True)
class Error:
    """One value beside its truth."""

    picture: str
    name: str
    instance: str
    true: float
    value: float
    standard: float

    @property
    def ratio(self) -> float:
        """The error over the standard uncertainty."""
        return (self.value - self.true) / self.standard


def main() -> None:
    """Measure what the folders hold, and print a table a kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--kind", help="only pictures of this kind")
    said = parser.parse_args([each for each in sys.argv[1:] if each != "pictures"])
    for kind, errors in measured(pictures(said.folders), said.kind).items():
        shown(kind, errors)


def pictures(folders: Iterable[Path]) -> list[Path]:
    """All pictures that have a truth."""
    return [each for folder in folders for each in sorted(folder.glob("*.jpg")) if each.with_suffix(".json").exists()]


def measured(places: Iterable[Path], only: str | None = None) -> dict[str, list[Error]]:
    """The errors of all pictures by kind; what is refused or missing is printed."""
    found: dict[str, list[Error]] = defaultdict(list)
    for place in places:
        truth = json.loads(place.with_suffix(".json").read_text(encoding="utf-8"))
        kind = truth.get("scene") or ("dice" if "dice" in truth else "board")
        if only in (None, kind):
            found[kind] += errors_of(place, kind, truth, stated_in(truth))
    return found


def stated_in(truth: Mapping[str, Any]) -> dict[str, str]:
    """What a user would state of a picture."""
    return {name: form.format(truth[key]) for key, (name, form) in STATED.items() if key in truth}


def errors_of(place: Path, kind: str, truth: Mapping[str, Any], stated: Mapping[str, str]) -> list[Error]:
    """The errors of one picture."""
    camera = place.with_name(f"{place.stem}.camera.json")
    # Beside paper, a card or a coin lie discs.
    what = "discs" if "reference" in truth else kind
    try:
        file = ik.measure(what, place, camera=camera if camera.exists() else None, **stated).as_data()
    except ik.InspectKitError as refusal:
        print(f"  {place.name}: refused: {refusal}")
        return []
    errors = list(_compared(place.name, truth, file["measurements"]))
    print(f"  {place.name}: {len(errors)} values" + _faces(truth, file["observations"]))
    return errors


def _compared(picture: str, truth: Mapping[str, Any], values: Iterable[Mapping[str, Any]]) -> Iterator[Error]:
    for each in values:
        true = true_of(truth, each)
        if true is not None and each.get("u"):
            yield Error(picture, each["characteristic"], each.get("instance", ""), true, each["value"], each["u"])


def true_of(truth: Mapping[str, Any], found: Mapping[str, Any]) -> float | None:
    """What is true of a measured value, by its name and instance, or by the piece it lies on."""
    name, instance = found["characteristic"], found.get("instance", "")
    known = truth.get("values", {})
    if isinstance(known, list):
        return next(
            (row["value"] for row in known if (row["characteristic"], row["instance"]) == (name, instance)), None
        )
    if name in known:
        true = known[name].get(instance) if isinstance(known[name], dict) else known[name]
        return min(true, key=lambda each: abs(each - found["value"])) if isinstance(true, list) else true
    pieces = truth.get("discs") or truth.get("dice") or ()
    if not pieces or "pixel" not in found:
        return None
    piece = min(pieces, key=lambda each: float(np.hypot(*(np.array(each["pixel"]) - found["pixel"]))))
    return float(np.mean(piece["edges"][:2])) if name == "die.edge" else piece.get(name.split(".")[-1])


def _faces(truth: Mapping[str, Any], observations: Iterable[Mapping[str, Any]]) -> str:
    if not truth.get("dice"):
        return ""
    read = sorted(int(each["value"]) for each in observations if each["characteristic"] == "die.face")
    return f"; faces {sorted(each['face'] for each in truth['dice'])}, read {read}"


def shown(kind: str, errors: list[Error]) -> None:
    """The table of a kind, and what is far off."""
    by_name: dict[str, list[Error]] = defaultdict(list)
    for each in errors:
        by_name[each.name].append(each)
    print(f"  {kind:28} {'n':>4} {'mean':>8} {'|mean|':>8} {'worst':>8} {'in U':>6} {'worst/u':>8}")
    for name, some in by_name.items():
        off, ratio = np.array([(_off(each), abs(each.ratio)) for each in some]).T
        print(f"  {name:28} {len(off):4d} {off.mean():+8.3f} {np.abs(off).mean():8.3f} {np.abs(off).max():8.3f}"
              f" {(ratio <= 2).mean():6.0%} {ratio.max():8.1f}")  # fmt: skip
    for each in errors:
        if abs(each.ratio) > DOUBTFUL:
            print(f"    {each.picture} {each.name} {each.instance}: {_off(each):+.3f} mm, {each.ratio:+.1f} u")
    print(f"  {len(errors)} values, {sum(abs(each.ratio) > 4 for each in errors)} more than 4 u off")


def _off(each: Error) -> float:
    return each.value - each.true


if __name__ == "__main__":
    main()
