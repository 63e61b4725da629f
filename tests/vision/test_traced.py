"""Path-traced pictures of ours (`python -m tests.scenes.traced`), small and kept: nothing was drawn by the rules it tests."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from inspect_kit.capture.photographs import Photograph, open_photograph
from inspect_kit.errors import sentence
from inspect_kit.measure.dice import measure_dice
from inspect_kit.measure.figure import measure_figure
from inspect_kit.measure.photos import measure
from inspect_kit.measure.stated import Stated
from inspect_kit.vision.optics.camera import Camera
from tests.scenes.board_photos import camera_of
from tests.scenes.traced.kinds import pinhole

CACHED = Path(__file__).parents[1] / "scenes" / "traced" / "cached"


def _kept(name: str) -> tuple[Photograph, Camera, dict]:
    photo = open_photograph((CACHED / f"{name}.jpg").read_bytes(), f"{name}.jpg")
    notes = json.loads((CACHED / f"{name}.json").read_text(encoding="utf-8"))
    return photo, camera_of(pinhole(photo.pixels.shape[0] * photo.pixels.shape[1] / 1e6)), notes


def _said(notes: dict, standoff: bool = False) -> Stated:
    scale = float(notes["options"][notes["options"].index("--print-scale") + 1])
    return Stated(print_scale=(scale, 0.0002), **({"standoff": (20.0, 0.4)} if standoff else {}))


def test_dice_of_mixed_sizes_are_measured_within_two_u_or_withheld() -> None:
    """At four pixels a millimetre a blue one on the blue mat is half a millimetre off: nothing is said of it."""
    photo, camera, notes = _kept("dice-1")
    rolled = measure_dice([photo], camera, _said(notes)).photos[0].dice
    assert len(rolled) == len(notes["truth"]["dice"]) == 6
    assert sum(one.edges is not None for one in rolled) >= 5
    for one in rolled:
        away = [float(np.hypot(*(np.array(each["px"]) - one.die.pixel))) for each in notes["truth"]["dice"]]
        true = notes["truth"]["dice"][int(np.argmin(away))]
        assert one.die.number == true["up"]
        assert all(abs(edge.value - true["edge"]) < 2 * edge.standard for edge in one.edges or ())


def test_a_black_base_that_mirrors_the_backdrop_is_within_u_and_its_upper_face_withheld() -> None:
    photo, camera, notes = _kept("figure-2")
    values = measure_figure([photo], camera, _said(notes, standoff=True)).values
    true = notes["truth"]["figure"]
    checked = {each.characteristic: each for each in values if each.characteristic in true}
    assert true.keys() - checked.keys() == {"fig.base.top_diameter", "fig.top.thickness"}
    assert all(abs(each.value - true[name]) < 2 * each.standard for name, each in checked.items())


def test_a_glossy_white_figure_is_within_four_u() -> None:
    photo, camera, notes = _kept("figure-5")
    values = measure_figure([photo], camera, _said(notes, standoff=True)).values
    true = notes["truth"]["figure"]
    checked = [each for each in values if each.characteristic in true]
    assert len(checked) == 6
    assert all(abs(each.value - true[each.characteristic]) < 4 * each.standard for each in checked)


def test_discs_are_within_four_u_and_one_whose_rim_mirrors_the_mat_says_so() -> None:
    photo, camera, notes = _kept("coins-1")
    words = notes["options"]
    sizes = [float(words[words.index(name) + 1].removesuffix("mm")) for name in ("--thickness", "--edge-radius")]
    stated = replace(_said(notes), thickness=(sizes[0], 0.1), rim=(sizes[1], 0.2))
    found = measure("coins", [photo], camera, stated)
    pieces = notes["truth"]["pieces"]
    checked = [each for each in found.readings if each.characteristic == "coin.diameter"]
    assert len(checked) >= 6
    for each in checked:
        assert each.pixel is not None
        away = [float(np.hypot(*(np.array(piece["px"]) - each.pixel))) for piece in pieces]
        assert abs(float(each.value) - pieces[int(np.argmin(away))]["diameter"]) < 4 * float(each.standard)
    assert any("two ways" in sentence(each) or "two outlines" in sentence(each) for each in found.notices)
