"""`measure dice` and `dice log` as a user calls them: documents, tables, pictures, and sentences where something is wrong."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from inspect_kit.cli.app import app
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.vision.optics.camera import PARAMETERS
from tests.scenes.dice import Body, Roll, photograph_roll, small_lens
from tests.scenes.throws import set_out

MAT_LENS = small_lens(2000, 1.3)
BLACK = Body(colour=(0.02, 0.02, 0.022), pip_colour=(0.85, 0.85, 0.82), rounding=0.4)
IVORY = Body(colour=(0.75, 0.68, 0.5), rounding=0.8)


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=True)


def _document(*arguments: object) -> dict:
    result = _run(*arguments, "--json")
    assert result.exit_code == 0, result.exception
    return json.loads(result.stdout)


def _camera(folder: Path) -> Path:
    lens = MAT_LENS
    values = [lens.focal, lens.focal, *lens.centre, *lens.bend]
    covariance = np.diag([0.2, 0.2, 0.2, 0.2, 1e-7, 1e-7, 1e-11, 1e-11, 1e-7])
    path = folder / "camera.json"
    path.write_text(json.dumps({"format": 1, "kind": "camera", "width": lens.width, "height": lens.height,
                                "parameters": dict(zip(PARAMETERS, values, strict=True)),
                                "covariance": covariance.tolist()}))  # fmt: skip
    return path


def _photo(path: Path, roll: Roll) -> Path:
    path.write_bytes(photograph_roll(roll))
    return path


@pytest.fixture(scope="module")
def on_mat(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("mat")
    straight = set_out((4, 6, 2), BLACK, ground="mat", edge=16.0, tilt=0.06, lens=MAT_LENS, gap=2.4)
    oblique = set_out((1, 3, 5), IVORY, ground="mat", edge=14.0, tilt=0.45, lens=MAT_LENS, gap=2.4, seed=2)
    return {"camera": _camera(folder), "straight": _photo(folder / "straight.jpg", straight),
            "oblique": _photo(folder / "oblique.jpg", oblique)}  # fmt: skip


@pytest.fixture(scope="module")
def faces(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The six faces of a die, in the order 1 6 2 5 3 4."""
    folder = tmp_path_factory.mktemp("faces")
    return [
        _photo(folder / f"{n}.jpg", set_out((n,), BLACK, tone=(0.6, 0.5, 0.38), tilt=0.02, lens=small_lens(640)))
        for n in (1, 6, 2, 5, 3, 4)
    ]


def _values(document: dict, characteristic: str) -> dict[str, tuple[float, float]]:
    return {m["instance"]: (m["value"], m["u"]) for m in document["measurements"]
            if m["characteristic"] == characteristic and "u" in m}  # fmt: skip


def _faces(document: dict) -> list[str]:
    return [o["value"] for o in document["observations"] if o["characteristic"] == "die.face"]


@pytest.fixture(scope="module")
def straight(on_mat: dict[str, Path]) -> dict:
    overlay = on_mat["straight"].with_suffix(".png")
    return _document("measure", "dice", on_mat["straight"], "--camera", on_mat["camera"], "--print-scale", "1.0000",
                     "--overlay", overlay)  # fmt: skip


@pytest.fixture(scope="module")
def oblique(on_mat: dict[str, Path]) -> dict:
    return _document("measure", "dice", on_mat["oblique"], "--camera", on_mat["camera"], "--print-scale", "1.0000")


def test_edges_from_above_are_right_within_what_is_claimed(straight: dict) -> None:
    document = straight
    assert _faces(document) == ["4", "6", "2"]
    edges = _values(document, "die.edge")
    assert list(edges) == ["1.a", "1.b", "2.a", "2.b", "3.a", "3.b"]
    assert np.mean([abs(value - 16.0) for value, _ in edges.values()]) < 0.06
    assert all(abs(value - 16.0) < 2 * u < 0.27 for value, u in edges.values())
    angles = _values(document, "die.face_angle")
    assert all(abs(value - 90) < 3 * u for value, u in angles.values())


def test_the_overlay_marks_what_was_found(straight: dict, on_mat: dict[str, Path]) -> None:
    seen = cv2.imread(str(on_mat["straight"].with_suffix(".png"))).astype(int)
    photo = cv2.imread(str(on_mat["straight"])).astype(int)
    changed = np.abs(seen - photo).max(axis=2) > 60
    for observation in straight["observations"]:
        x, y = (round(value) for value in observation["pixel"])
        assert changed[y - 70 : y + 70, x - 70 : x + 70].any()
        assert not changed[y - 8 : y + 8, x - 8 : x + 8].any()


def test_pips_are_measured_too(straight: dict) -> None:
    document = straight
    pips = _values(document, "die.pip_diameter")
    assert list(pips) == ["1", "2", "3"]
    assert all(abs(value - 2 * 0.105 * 16.0) < 2 * u < 0.37 for value, u in pips.values())
    offsets = [m["value"] for m in document["measurements"] if m["characteristic"] == "die.pip_offset"]
    assert max(offsets) < 0.2


def test_the_height_of_the_face_is_taken_into_account_in_oblique_photos(oblique: dict) -> None:
    document = oblique
    assert _faces(document) == ["1", "3", "5"]
    edges = _values(document, "die.edge")
    assert len(edges) >= 4
    assert np.mean([abs(value - 14.0) for value, _ in edges.values()]) < 0.1
    assert all(abs(value - 14.0) < 2.5 * u for value, u in edges.values())


def test_a_stated_rounding_and_height_make_u_smaller(on_mat: dict[str, Path], oblique: dict) -> None:
    known = _document("measure", "dice", on_mat["oblique"], "--camera", on_mat["camera"], "--print-scale", "1.0000",
                      "--edge-radius", "0.8±0.05mm", "--thickness", "14.0±0.02mm")  # fmt: skip
    u = [np.mean([u for _, u in _values(document, "die.edge").values()]) for document in (oblique, known)]
    assert u[1] < u[0]


def test_the_print_scale_scales_the_edges(on_mat: dict[str, Path], straight: dict) -> None:
    other = _document("measure", "dice", on_mat["straight"], "--camera", on_mat["camera"], "--print-scale", "1.0100")
    ratio = _values(other, "die.edge")["1.a"][0] / _values(straight, "die.edge")["1.a"][0]
    assert ratio == pytest.approx(1.01, abs=1e-4)


def test_the_budget_adds_up_to_u(straight: dict) -> None:
    for entry in straight["measurements"]:
        if entry["characteristic"] == "die.edge":
            parts = [part["u"] for part in entry["budget"]]
            assert parts == sorted(parts, reverse=True)
            assert np.sqrt(np.square(parts).sum()) == pytest.approx(entry["u"], abs=2e-4)


def test_without_a_reference_numbers_are_read_and_nothing_is_measured(faces: list[Path]) -> None:
    document = _document("measure", "dice", faces[1])
    assert _faces(document) == ["6"]
    assert document["measurements"] == []
    assert "no reference sheet" in document["warnings"][0]


def test_a_reference_asked_for_by_name_must_be_there(faces: list[Path]) -> None:
    result = _run("measure", "dice", faces[0], "--reference", "chessboard:12.5mm")
    assert isinstance(result.exception, BadInput)


def test_six_photos_of_a_good_die_say_so(faces: list[Path]) -> None:
    document = _document("measure", "dice", *faces)
    told = {o["characteristic"]: o["value"] for o in document["observations"] if o["characteristic"] != "die.face"}
    assert told == {"die.numbers": "yes", "die.opposite": "yes"}
    assert _faces(document) == ["1", "6", "2", "5", "3", "4"]


@pytest.fixture
def third_again(faces: list[Path], tmp_path: Path) -> Path:
    """The face in the fifth photo, as if it were photographed again."""
    again = tmp_path / "again.jpg"
    again.write_bytes(faces[4].read_bytes() + b"\0")
    return again


def test_a_mis_spotted_die_is_named(faces: list[Path], third_again: Path) -> None:
    document = _document("measure", "dice", *faces[:5], third_again)
    told = {o["characteristic"]: o["value"] for o in document["observations"] if o["characteristic"] != "die.face"}
    assert told == {"die.numbers": "no", "die.opposite": "no"}
    assert any("mis-spotted: 3 comes 2 times" in warning for warning in document["warnings"])
    assert any("4 is missing" in warning for warning in document["warnings"])


def test_six_photos_of_many_dice_are_not_checked_as_one(faces: list[Path], third_again: Path) -> None:
    document = _document("measure", "dice", *faces[:5], third_again, "--many-dice")
    assert all(o["characteristic"] == "die.face" for o in document["observations"])
    assert not any("mis-spotted" in warning for warning in document["warnings"])


def test_one_die_in_too_few_photos_is_said_to_be_unchecked(faces: list[Path]) -> None:
    document = _document("measure", "dice", faces[0], faces[1], "--one-die")
    assert any("six photos" in warning for warning in document["warnings"])


def test_a_table_for_people_names_number_and_photo(faces: list[Path]) -> None:
    result = _run("measure", "dice", faces[3])
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].split()[:2] == ["1", "5"]
    assert "5.jpg" in result.stdout


def test_a_photo_without_dice_is_refused(tmp_path: Path) -> None:
    empty = replace(set_out((1,), BLACK, tone=(0.6, 0.5, 0.38)), dice=())
    result = _run("measure", "dice", _photo(tmp_path / "empty.jpg", empty))
    assert isinstance(result.exception, BadInput)
    assert "no die" in str(result.exception)


@pytest.mark.parametrize("options", [("--thickness", "1mm"), ("--edge-radius", "-1"), ("--print-scale", "2"),
                                     ("--reference", "coin"), ("--edge-radius", "1±2±3mm")])  # fmt: skip
def test_wrong_options_are_wrong_usage(faces: list[Path], options: tuple[str, str]) -> None:
    assert isinstance(_run("measure", "dice", faces[0], *options).exception, UsageError)


def test_too_many_photos_are_wrong_usage(faces: list[Path]) -> None:
    assert isinstance(_run("measure", "dice", *[faces[0]] * 25).exception, UsageError)


def test_a_folder_of_rolls_becomes_a_log_that_the_fairness_test_reads(faces: list[Path], tmp_path: Path) -> None:
    for number, source in enumerate([*faces, *faces[:4]], 1):
        (tmp_path / f"roll{number}.jpg").write_bytes(source.read_bytes())
    (tmp_path / "broken.jpg").write_bytes(b"\xff\xd8\xff junk")
    (tmp_path / "notes.txt").write_text("not a photo")
    log = tmp_path / "rolls.csv"
    summary = _document("dice", "log", tmp_path, "-o", log)
    assert summary["counts"] == {"1": 2, "2": 2, "3": 1, "4": 1, "5": 2, "6": 2}
    assert summary["photos"] == 10
    assert len(summary["warnings"]) == 1
    assert "broken.jpg" in summary["warnings"][0]
    rows = list(csv.DictReader(log.read_text().splitlines()))
    assert [row["photo"] for row in rows] == [f"roll{number}.jpg" for number in range(1, 11)]
    assert [int(row["face"]) for row in rows] == [1, 6, 2, 5, 3, 4, 1, 6, 2, 5]
    assert _document("qa", "dice", log)["n"] == 10


def test_rolls_with_another_count_are_left_out_whole(faces: list[Path], tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(faces[0].read_bytes())
    _photo(tmp_path / "b.jpg", set_out((2, 5), BLACK, tone=(0.6, 0.5, 0.38)))
    summary = _document("dice", "log", tmp_path, "-o", tmp_path / "log.csv", "--count", "2")
    assert (summary["photos"], summary["rolls"]) == (1, 2)
    assert "a.jpg: 1 dice are read, not 2" in summary["warnings"][0]


def test_a_folder_that_is_missing_empty_or_without_dice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "none", tmp_path / "empty"):
        assert isinstance(_run("dice", "log", folder, "-o", tmp_path / "log.csv").exception, BadInput)
    (tmp_path / "empty" / "x.jpg").write_bytes(b"no photo")
    assert isinstance(_run("dice", "log", tmp_path / "empty", "-o", tmp_path / "log.csv").exception, BadInput)
    assert not (tmp_path / "log.csv").exists()


def test_a_log_that_cannot_be_written_is_a_sentence(faces: list[Path], tmp_path: Path) -> None:
    result = _run("dice", "log", faces[0].parent, "-o", tmp_path / "no" / "such" / "log.csv")
    assert isinstance(result.exception, BadInput)
