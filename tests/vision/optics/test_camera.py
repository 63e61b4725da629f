"""Cameras: projecting and back, turning, files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from inspect_kit.errors import BadInput
from inspect_kit.vision.optics.camera import COUNT, PARAMETERS, Camera, guessed, project, rays
from inspect_kit.vision.optics.camera_files import read_camera

LENS = np.array([3000.0, 3010.0, 2010.0, 1490.0, 0.06, -0.11, 6e-4, -4e-4, 0.04])
FILE = {
    "format": 1, "kind": "camera", "width": 4000, "height": 3000, "covariance": np.eye(COUNT).tolist(),
    "parameters": dict(zip(PARAMETERS, LENS.tolist(), strict=True)),
}  # fmt: skip


def test_rays_undo_the_lens() -> None:
    pixels = np.random.default_rng(1).uniform([0, 0], [4000, 3000], (200, 2))
    assert project(LENS, rays(LENS, pixels)) == pytest.approx(pixels, abs=1e-4)


def test_a_turned_camera_sees_the_turned_picture() -> None:
    camera = Camera(4000, 3000, LENS, np.eye(COUNT))
    points = np.random.default_rng(2).uniform([-0.4, -0.3, 1], [0.4, 0.3, 1], (50, 3))
    upright = project(camera.turned(1).parameters, np.column_stack([-points[:, 1], points[:, 0], points[:, 2]]))
    seen = project(camera.parameters, points)
    assert upright == pytest.approx(np.column_stack([2999 - seen[:, 1], seen[:, 0]]), abs=1e-6)
    assert camera.turned(4).parameters == pytest.approx(LENS)


def test_an_unknown_focal_length_is_known_less_well_than_a_noted_one() -> None:
    assert guessed(4000, 3000, None).covariance[0, 0] > 50 * guessed(4000, 3000, 3000.0).covariance[0, 0]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"format": 1, "kind": "camera"}', '{"format": 1, "kind": "camera", "width": "wide"}',
     "[" * 5000, '{"format": 9}'],
)  # fmt: skip
def test_a_file_that_is_no_camera_is_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "camera.json"
    path.write_text(text)
    with pytest.raises(BadInput, match="camera.json"):
        read_camera(path)


@pytest.mark.parametrize("focal", [0.0, -5.0, 1e12])
def test_an_impossible_focal_length_is_refused(tmp_path: Path, focal: float) -> None:
    values = {**dict(zip(PARAMETERS, LENS.tolist(), strict=True)), "fx": focal}
    path = tmp_path / "camera.json"
    path.write_text(json.dumps({**FILE, "parameters": values}))
    with pytest.raises(BadInput, match="focal length"):
        read_camera(path)


def test_a_covariance_by_which_a_variance_is_negative_is_none(tmp_path: Path) -> None:
    """Two focal lengths that vary together by more than each does had shifted a diameter without a word."""
    covariance = np.eye(COUNT)
    path = tmp_path / "camera.json"
    for together, refused in ((0.999, False), (1.0, False), (1.5, True)):
        covariance[0, 1] = covariance[1, 0] = together
        path.write_text(json.dumps({**FILE, "covariance": covariance.tolist()}))
        if refused:
            with pytest.raises(BadInput, match="not a covariance matrix"):
                read_camera(path)
        else:
            assert read_camera(path).camera.covariance[0, 1] == together
