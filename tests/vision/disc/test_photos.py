"""Photos of known millimetres, measured as a user would: the values, and the uncertainty that is claimed for them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from inspect_kit.cli.photo.measure import command
from inspect_kit.errors import BadInput, UsageError
from inspect_kit.vision.optics.camera import COUNT, PARAMETERS
from tests.scenes.render import photograph
from tests.scenes.scene import Lamp, Lens, Piece, Scene, Sensor, Stand
from tests.scenes.table import COLOURS

LENS = Lens(1600, 1200, 2400.0, (799.5, 599.5))
NAMES = ("white", "black", "red", "wood", "yellow", "blue")


def _pieces(thickness: float, rim: float) -> tuple[Piece, ...]:
    return tuple(
        Piece(-45 + 40 * (i % 3), -40 + 45 * (i // 3), 30.0 + 0.3 * i, thickness, rim, COLOURS[name], name)
        for i, name in enumerate(NAMES)
    )


def _camera(folder: Path) -> Path:
    values = dict(zip(PARAMETERS, [2400.0, 2400.0, 799.5, 599.5, 0, 0, 0, 0, 0], strict=True))
    covariance = np.diag([0.1, 0.1, 0.1, 0.1, 1e-8, 1e-8, 1e-12, 1e-12, 1e-8])
    path = folder / "camera.json"
    path.write_text(json.dumps({"format": 1, "kind": "camera", "width": 1600, "height": 1200, "parameters": values,
                                "covariance": covariance.tolist()}))  # fmt: skip
    assert len(covariance) == COUNT
    return path


def _measured(folder: Path, scenes: list[Scene], *options: str, kind: str = "coins") -> dict:
    photos = []
    for number, scene in enumerate(scenes):
        path = folder / f"photo{number}.jpg"
        path.write_bytes(photograph(scene))
        photos.append(str(path))
    arguments = [kind, *photos, "--camera", str(_camera(folder)), "--json", *options]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return json.loads(result.stdout)


def _scene(tilt: float, thickness: float = 6.0, rim: float = 0.8, seed: int = 1, **parts: object) -> Scene:
    pieces = parts.pop("pieces", _pieces(thickness, rim))
    return Scene(LENS, Stand(450, tilt, 1.0 + seed, 1.57), pieces, Lamp(), Sensor(1.0, 0.006), seed=seed, **parts)


def _errors(
    document: dict, pieces: tuple[Piece, ...], characteristic: str = "coin.diameter"
) -> list[tuple[float, float]]:
    """Error and u of each piece; they are told apart by their size."""
    found = sorted((m["value"], m["u"]) for m in document["measurements"] if m["characteristic"] == characteristic)
    truth = sorted(piece.diameter for piece in pieces)
    assert len(found) == len(truth)
    return [(value - true, u) for (value, u), true in zip(found, truth, strict=True)]


SHAPE = ("--thickness", "6.0±0.1mm", "--edge-radius", "0.8±0.1mm", "--print-scale", "1.0000")


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> dict:
    return _measured(tmp_path_factory.mktemp("straight"), [_scene(0.05)], *SHAPE)


def test_every_piece_is_found_and_right_whatever_its_colour(straight: dict) -> None:
    errors = _errors(straight, _pieces(6.0, 0.8))
    assert max(abs(error) for error, _ in errors) < 0.12
    assert np.mean([abs(error) for error, _ in errors]) < 0.05


def test_the_stated_uncertainty_covers_the_errors_and_is_not_boastful(straight: dict) -> None:
    errors = _errors(straight, _pieces(6.0, 0.8))
    assert all(abs(error) < 3 * u for error, u in errors)
    assert np.median([u for _, u in errors]) < 0.075
    assert all(u < 0.095 for _, u in errors), "the blue one on the blue mat"


def test_colours_are_told(straight: dict) -> None:
    colours = {entry["instance"]: entry["value"] for entry in straight["observations"]}
    sizes = {m["instance"]: m["value"] for m in straight["measurements"] if m["characteristic"] == "coin.diameter"}
    told = [colours[instance] for instance in sorted(sizes, key=lambda each: sizes[each])]
    assert told[:3] == ["white", "black", "red"]
    assert "red" not in told[3:]


def test_the_budget_is_named_and_largest_first(straight: dict) -> None:
    budget = straight["measurements"][0]["budget"]
    sizes = [part["u"] for part in budget]
    assert sizes == sorted(sizes, reverse=True)
    assert {"edge", "piece height", "rim shape", "print scale"} <= {part["source"] for part in budget}
    assert math.sqrt(sum(size**2 for size in sizes)) == pytest.approx(straight["measurements"][0]["u"], rel=1e-2)


def test_a_tilted_camera_and_thick_pieces_do_not_matter(tmp_path: Path) -> None:
    errors = _errors(_measured(tmp_path, [_scene(0.4)], *SHAPE), _pieces(6.0, 0.8))
    assert np.mean([abs(error) for error, _ in errors]) < 0.07


def test_a_print_that_is_too_small_is_put_right_by_its_scale(tmp_path: Path) -> None:
    options = (*SHAPE[:4], "--print-scale", "0.9900")
    errors = _errors(_measured(tmp_path, [_scene(0.1, print_scale=0.99)], *options), _pieces(6.0, 0.8))
    assert np.mean([abs(error) for error, _ in errors]) < 0.05


def test_without_the_prints_scale_and_the_shape_the_budget_grows(tmp_path: Path, straight: dict) -> None:
    loose = _measured(tmp_path, [_scene(0.05)])
    known, unknown = (
        {m["instance"]: m["u"] for m in document["measurements"] if m["characteristic"] == "coin.diameter"}
        for document in (straight, loose)
    )
    assert known.keys() == unknown.keys()
    assert all(unknown[piece] > 1.6 * known[piece] for piece in known)
    assert any("--print-scale" in warning for warning in loose["warnings"])


def test_two_photos_of_the_same_pieces_are_one_set_and_know_more(tmp_path: Path, straight: dict) -> None:
    both = _measured(tmp_path, [_scene(0.05), _scene(0.2, seed=2)], *SHAPE)
    errors = _errors(both, _pieces(6.0, 0.8))
    assert len(both["photos"]) == 2
    assert np.mean([abs(error) for error, _ in errors]) < 0.06
    assert np.mean([u for _, u in errors]) < np.mean([u for _, u in _errors(straight, _pieces(6.0, 0.8))])


def test_a_sheet_without_pieces_is_said_to_have_none(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no round piece"):
        _measured(tmp_path, [_scene(0.05, pieces=())])


@pytest.mark.parametrize(
    "options",
    [("--thickness", "thick"), ("--thickness", "-3mm"), ("--print-scale", "7"), ("--print-scale", "nan"),
     ("--reference", "chessboard:0mm"), ("--reference", "ruler"), ("--reference", "aruco:DICT_NO:40mm"),
     ("--edge-radius", "1±2±3mm")],
)  # fmt: skip
def test_an_option_that_makes_no_sense_is_wrong_usage(tmp_path: Path, options: tuple[str, str]) -> None:
    with pytest.raises(UsageError):
        CliRunner().invoke(command, ["coins", str(tmp_path / "x.jpg"), *options], catch_exceptions=False)
