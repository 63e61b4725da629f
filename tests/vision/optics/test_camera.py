"""Cameras: projecting and back, turning, files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from inspect_kit.errors import BadInput
from inspect_kit.vision.optics.camera import COUNT, Camera, guessed, project, rays
from inspect_kit.vision.optics.camera_files import read_camera

LENS = np.array([3000.0, 3010.0, 2010.0, 1490.0, 0.06, -0.11, 6e-4, -4e-4, 0.04])


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
    names = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
    values = {**dict(zip(names, LENS.tolist(), strict=True)), "fx": focal}
    path = tmp_path / "camera.json"
    path.write_text(json.dumps({"format": 1, "kind": "camera", "width": 4000, "height": 3000, "parameters": values,
                                "covariance": np.eye(COUNT).tolist()}))  # fmt: skip
    with pytest.raises(BadInput, match="focal length"):
        read_camera(path)
