"""Cameras that are kept: taken for the photos that name them, never for others."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from inspect_kit.capture.photographs import Photograph, open_photograph
from inspect_kit.checkin.photo_reading import measured_piece
from inspect_kit.vision.optics.calibration import Calibration
from inspect_kit.vision.optics.camera import Camera
from inspect_kit.vision.optics.camera_files import Kept, camera_data, camera_of, read_camera
from tests.cli.conftest import Kit
from tests.scenes.example import DIAMETER, FOCAL, HEIGHT, PLACE, WIDTH

SHAPE = ("--thickness", "8.6±0.1mm", "--edge-radius", "1.0±0.1mm", "--print-scale", "1.000")
_STANDARD = np.array([0.3, 0.3, 0.3, 0.3, 3e-4, 1e-3, 1e-5, 1e-5, 1e-3])


def camera_file(path: Path, model: str = "Example Phone", focal: float = FOCAL) -> Path:
    """The example's camera as a calibration would have it."""
    bend = (0.03, -0.02, 0.0, 0.0, 0.0)
    parameters = np.array([focal, focal, WIDTH / 2, HEIGHT / 2, *bend])
    camera = Camera(WIDTH, HEIGHT, parameters, np.diag(_STANDARD**2), "calibration")
    path.write_text(json.dumps(camera_data(Calibration(camera, 0.2, 0.9, (), 300, ()), 9, model)))
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def _diameter(data: dict) -> dict:
    return next(each for each in data["measurements"] if each["characteristic"] == "striker.diameter")


def test_a_kept_camera_is_taken_for_the_photo_that_names_it_and_makes_u_smaller(
    kit: Kit, home: Path, tmp_path: Path
) -> None:
    without = kit("--home", home, "measure", "striker", PLACE, *SHAPE, "--json")
    assert "not calibrated" in " ".join(without.data["warnings"])
    kept = kit("--home", home, "camera", "keep", camera_file(tmp_path / "phone.json"))
    assert kept.code == 0, kept.err
    assert "Example Phone" in kept.out
    found = kit("--home", home, "measure", "striker", PLACE, *SHAPE, "--json")
    assert "not calibrated" not in " ".join(found.data["warnings"])
    assert "kept for Example Phone" in found.err
    assert _diameter(found.data)["u"] < _diameter(without.data)["u"]
    assert abs(_diameter(found.data)["value"] - DIAMETER) < 2 * _diameter(found.data)["u"]


def test_the_desk_takes_it_too(kit: Kit, home: Path, tmp_path: Path) -> None:
    content = PLACE.read_bytes()
    given = (("thickness", "8.6"), ("print_scale", "1.000"))
    without = measured_piece(content, "striker", given, home).readings[0]
    kit("--home", home, "camera", "keep", camera_file(tmp_path / "phone.json"))
    found = measured_piece(content, "striker", given, home).readings[0]
    assert float(found.standard) < float(without.standard)


def test_a_newer_calibration_of_the_same_lens_replaces_the_older(kit: Kit, home: Path, tmp_path: Path) -> None:
    kit("--home", home, "camera", "keep", camera_file(tmp_path / "old.json", focal=FOCAL + 9))
    kit("--home", home, "camera", "keep", camera_file(tmp_path / "tele.json", focal=2 * FOCAL))
    result = kit("--home", home, "camera", "keep", camera_file(tmp_path / "new.json"))
    assert "instead of the one before" in result.out
    shown = kit("--home", home, "camera", "list", "--json").data
    assert sorted(each["focal"] for each in shown) == [FOCAL, 2 * FOCAL]


def test_a_forgotten_camera_is_used_no_more(kit: Kit, home: Path, tmp_path: Path) -> None:
    kit("--home", home, "camera", "keep", camera_file(tmp_path / "phone.json"))
    (kept,) = kit("--home", home, "camera", "list", "--json").data
    assert kept["name"] in kit("--home", home, "camera", "list").out
    assert kit("--home", home, "camera", "forget", "../../secret").code == 2
    assert kit("--home", home, "camera", "forget", kept["name"]).code == 0
    assert kit("--home", home, "camera", "list", "--json").data == []


def test_a_calibration_that_names_no_camera_cannot_be_kept(kit: Kit, home: Path, tmp_path: Path) -> None:
    result = kit("--home", home, "camera", "keep", camera_file(tmp_path / "phone.json", model=""))
    assert result.code == 4
    assert "which camera" in result.err


def test_strange_files_on_the_shelf_are_left_alone(kit: Kit, home: Path) -> None:
    (home / "cameras").mkdir(parents=True)
    (home / "cameras" / "notes.json").write_text("{}")
    result = kit("--home", home, "camera", "list")
    assert result.code == 0
    assert "No camera is kept yet" in result.out


@pytest.fixture(scope="module")
def photo() -> Photograph:
    return open_photograph(PLACE.read_bytes(), "photo.jpg")


@pytest.mark.parametrize(
    "change", [{"camera": "Other Phone"}, {"camera": ""}, {"focal": None}, {"focal": 2 * FOCAL}, {"focal": 0.8 * FOCAL}]
)
def test_another_camera_or_another_lens_of_it_does_not_fit(tmp_path: Path, photo: Photograph, change: dict) -> None:
    path = camera_file(tmp_path / "phone.json")
    kept = Kept("name", path, read_camera(path))
    assert camera_of([photo], [kept]) is kept
    assert camera_of([replace(photo, **change)], [kept]) is None
    assert camera_of([photo, replace(photo, **change)], [kept]) is None


def test_a_cropped_photo_does_not_fit_and_one_held_upright_does(tmp_path: Path) -> None:
    path = camera_file(tmp_path / "phone.json")
    kept = Kept("name", path, read_camera(path))
    assert camera_of([_changed(lambda image: image.crop((0, 0, WIDTH, HEIGHT - 200)))], [kept]) is None
    assert camera_of([_changed(lambda image: image.transpose(Image.Transpose.ROTATE_90))], [kept]) is kept
    assert camera_of([_changed(lambda image: image.resize((WIDTH // 2, HEIGHT // 2)))], [kept]) is kept


def _changed(change: Callable[[Image.Image], Image.Image]) -> Photograph:
    buffer = io.BytesIO()
    with Image.open(PLACE) as image:
        change(image).save(buffer, "JPEG", exif=image.getexif())
    return open_photograph(buffer.getvalue(), "photo.jpg")
