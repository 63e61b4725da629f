"""Photos of figures of known millimetres, measured as a user would; and what is said where that cannot be done."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from inspect_kit.vision.optics.camera import PARAMETERS
from tests.cli.conftest import Kit
from tests.scenes.figure import Base, Figure, FigureScene, Top, photograph
from tests.scenes.figure_poses import COLOURS, TABLES, stand_at
from tests.scenes.render import photograph as photograph_flat
from tests.scenes.scene import Lens
from tests.scenes.scene import Scene as FlatScene

LENS = Lens(1600, 1200, 2600.0, (799.5, 599.5))
STAND = stand_at(250, 0.09, 0.05, 0.0, (0, -25))
MAN = Figure(
    Base(9.8, 7.2, 5.4, 6.2, "round", 0.8), Top(30.0, 9.0, 4.0), 1.5, 20.0,
    colours=(COLOURS["red"], COLOURS["white"]),
)  # fmt: skip
SCENES = {
    "front": FigureScene(LENS, STAND, MAN, table=TABLES["wood"], grain=0.12, seed=1),
    "side": FigureScene(LENS, STAND, replace(MAN, turn=math.pi / 2, x=-2.0), table=TABLES["wood"], seed=2),
    "white": FigureScene(
        LENS, STAND, replace(MAN, base=Base(9.5, 7.0, 5.2, 6.0), colours=(COLOURS["white"], COLOURS["white"])),
        table=TABLES["white"], seed=3,
    ),
    "cut": FigureScene(
        LENS, stand_at(260, 0.13, -0.15, 0.02, (3, -25)),
        replace(MAN, base=Base(8.9, 6.8, 5.0, 5.8, "cut", 0.8, 0.6), colours=(COLOURS["navy"], COLOURS["yellow"]), tilt=math.radians(2.5)),
        table=TABLES["grey"], seed=4,
    ),
}  # fmt: skip
ALONE = ("--standoff", "20±0.3mm", "--print-scale", "1.0000")
LENGTHS = ("fig.height", "fig.base.height", "fig.base.diameter", "fig.base.dmax_depth", "fig.base.top_diameter",
           "fig.top.width")  # fmt: skip


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Photos by name, each drawn when it is first asked for."""
    folder = tmp_path_factory.mktemp("figures")

    def photo(name: str) -> Path:
        path = folder / f"{name}.jpg"
        if not path.exists():
            path.write_bytes(photograph(SCENES[name]))
        return path

    return photo


@pytest.fixture(scope="module")
def camera(tmp_path_factory: pytest.TempPathFactory) -> Path:
    values = dict(zip(PARAMETERS, [2600.0, 2600.0, 799.5, 599.5, 0, 0, 0, 0, 0], strict=True))
    covariance = np.diag([0.1, 0.1, 0.1, 0.1, 1e-8, 1e-8, 1e-12, 1e-12, 1e-8]).tolist()
    path = tmp_path_factory.mktemp("camera") / "camera.json"
    path.write_text(json.dumps({"format": 1, "kind": "camera", "width": 1600, "height": 1200, "parameters": values,
                                "covariance": covariance}))  # fmt: skip
    return path


def _values(document: Any) -> dict[str, tuple[float, float]]:
    return {entry["characteristic"]: (entry["value"], entry["u"]) for entry in document["measurements"]}


@pytest.fixture(scope="module")
def documents() -> dict[str, Any]:
    """What was measured already, so that each photo is measured once."""
    return {}


@pytest.fixture
def measured(kit: Kit, photos: Callable[[str], Path], camera: Path, documents: dict[str, Any]) -> Callable[[str], Any]:
    def measure(name: str) -> Any:
        if name not in documents:
            result = kit("measure", "figure", photos(name), *ALONE, "--camera", camera, "--json")
            assert result.code == 0, result.err
            documents[name] = result.data
        return documents[name]

    return measure


@pytest.mark.parametrize("name", SCENES)
def test_every_length_is_right_within_its_uncertainty(name: str, measured: Callable[[str], Any]) -> None:
    found, truth = _values(measured(name)), SCENES[name].figure.truth
    assert set(found) == set(LENGTHS)
    if name == "side":
        # Of one view from the side the width is neither the figure's width nor, turned by hand, its thickness.
        del found["fig.top.width"]
    for characteristic, (value, u) in found.items():
        assert abs(value - truth[characteristic]) < 3 * u, characteristic
        assert u < (0.65 if characteristic in ("fig.base.top_diameter", "fig.base.dmax_depth") else 0.26), (
            characteristic
        )


def test_the_mean_error_of_lengths_is_a_tenth_of_a_millimetre_at_most(measured: Callable[[str], Any]) -> None:
    sure = [name for name in LENGTHS if name not in ("fig.base.dmax_depth", "fig.top.width")]
    errors = [
        _values(measured(name))[length][0] - SCENES[name].figure.truth[length] for name in SCENES for length in sure
    ]
    assert np.mean(np.abs(errors)) < 0.10


def test_a_white_figure_on_a_white_table_is_measured(measured: Callable[[str], Any]) -> None:
    value, _ = _values(measured("white"))["fig.base.diameter"]
    assert value == pytest.approx(SCENES["white"].figure.truth["fig.base.diameter"], abs=0.25)


def test_the_document_has_photo_outline_and_budget_for_every_length(measured: Callable[[str], Any]) -> None:
    document = measured("front")
    assert document["format"] == 1
    assert document["photos"][0]["file"] == "front.jpg"
    for entry in document["measurements"]:
        assert entry["photo"] == "front.jpg"
        assert 3 <= len(entry["outline"]) <= 400
        assert all(0 <= x < 1600 and 0 <= y < 1200 for x, y in entry["outline"])
        sizes = [part["u"] for part in entry["budget"]]
        assert sizes == sorted(sizes, reverse=True)
        assert math.sqrt(sum(size**2 for size in sizes)) == pytest.approx(entry["u"], rel=1e-2)
    assert "standoff" in {part["source"] for part in document["measurements"][1]["budget"]}


def test_outlines_lie_where_the_figure_is(measured: Callable[[str], Any]) -> None:
    entries = {entry["characteristic"]: np.array(entry["outline"]) for entry in measured("front")["measurements"]}
    base, face, top = (entries[f"fig.{name}"] for name in ("base.diameter", "base.top_diameter", "top.width"))
    assert np.ptp(face[:, 0]) < np.ptp(base[:, 0])
    assert base[:, 1].max() > face[:, 1].max() > top[:, 1].min()
    assert base[:, 0].min() < top[:, 0].mean() < base[:, 0].max()


@pytest.mark.parametrize(("name", "colour"), [("front", "red"), ("white", "white"), ("cut", "dark blue")])
def test_the_colour_of_the_base_is_told(name: str, colour: str, measured: Callable[[str], Any]) -> None:
    (entry,) = measured(name)["observations"]
    assert (entry["characteristic"], entry["value"]) == ("fig.base.colour", colour)


@pytest.fixture(scope="module")
def around(photos: Callable[[str], Path], camera: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The figure from the front and from the side, as a file for `judge`, with the overlay beside it."""
    from click.testing import CliRunner

    from inspect_kit.cli.photo.measure import command

    folder = tmp_path_factory.mktemp("around")
    views = [str(photos(name)) for name in ("front", "side")]
    options = [*ALONE, "--camera", str(camera), "--overlay", str(folder / "seen.png"), "--instance", "7", "--json"]
    result = CliRunner().invoke(command, ["figure", *views, *options], catch_exceptions=False)
    (folder / "figure.json").write_text(result.stdout)
    return folder


def test_two_views_give_width_thickness_run_out_and_tilt(around: Path, measured: Callable[[str], Any]) -> None:
    document = json.loads((around / "figure.json").read_text())
    found, truth = _values(document), MAN.truth
    for name in ("fig.top.width", "fig.top.thickness"):
        assert abs(found[name][0] - truth[name]) < 3 * found[name][1]
    assert found["fig.base.run_out"][0] < 0.25
    assert found["fig.tilt"][0] < 1.0
    assert found["fig.base.diameter"][1] <= 1.01 * _values(measured("front"))["fig.base.diameter"][1]
    assert {entry["instance"] for entry in document["measurements"]} == {"7"}
    assert {entry["photo"] for entry in document["measurements"]} == {"front.jpg", "side.jpg"}
    assert not any("one view" in text for text in document["warnings"])


def test_a_base_that_stands_tilted_is_told(
    photos: Callable[[str], Path], camera: Path, kit: Kit, tmp_path: Path
) -> None:
    again = tmp_path / "again.jpg"
    again.write_bytes(photos("cut").read_bytes() + b"\0")
    result = kit("measure", "figure", photos("cut"), again, *ALONE, "--camera", camera, "--json")
    tilt, u = _values(result.data)["fig.tilt"]
    assert abs(tilt - 2.5) < 3 * u < 1.0
    assert any("tilted by 2." in text for text in result.data["warnings"])
    # The same side twice shows no thickness.
    assert "fig.top.thickness" not in _values(result.data)
    assert any(text.startswith("no thickness") for text in result.data["warnings"])


def test_the_overlay_shows_the_photo_with_green_outlines(around: Path) -> None:
    picture = np.asarray(Image.open(around / "seen.png").convert("RGB")).astype(int)
    assert picture.shape == (1200, 1600, 3)
    green = (picture[:, :, 1] > 180) & (picture[:, :, 0] < 90) & (picture[:, :, 2] < 130)
    assert 500 < green.sum() < 20_000


def test_the_file_is_judged_and_its_type_named(around: Path, kit: Kit) -> None:
    result = kit("judge", around / "figure.json", "--spec", "dstfb-4.0", "--item", "figure", "--json")
    verdicts = {entry["characteristic"]: entry["verdict"] for entry in result.data["findings"]}
    assert verdicts["fig.base.height"] == "conforms"
    assert verdicts["fig.base.diameter"] == "conforms"
    assert {"instance": "7", "type": "h0", "fit": "fits"} in result.data["types"]
    assert "by its dimensions" in kit("judge", around / "figure.json", "--spec", "fistf-4.0", "--item", "figure").out


def test_people_get_a_table_and_are_told_what_they_did_not_state(photos: Callable[[str], Path], kit: Kit) -> None:
    result = kit("measure", "figure", photos("front"))
    assert result.code == 0
    assert "fig.base.diameter" in result.out
    assert "mostly from" in result.out
    for option in ("--standoff", "--print-scale", "camera calibrate"):
        assert option in result.err


# ----------------------------------------------------------------------------------------------- what is not measured


def _changed(photo: Path, folder: Path, change: Callable[[np.ndarray], np.ndarray]) -> Path:
    """The photo after someone changed it."""
    pixels = change(np.asarray(Image.open(photo).convert("RGB")).copy())
    path = folder / "changed.jpg"
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=92)
    path.write_bytes(buffer.getvalue())
    return path


def _moved(by: int, *, leave: bool) -> Callable[[np.ndarray], np.ndarray]:
    """The columns of the figure copied sideways; the figure itself stays or is painted over."""

    def change(pixels: np.ndarray) -> np.ndarray:
        figure = pixels[:, 660:960].copy()
        if not leave:
            pixels[:, 660:960] = pixels[:, 960:961]
        pixels[:, 660 + by : 960 + by] = figure
        return pixels

    return change


def _empty(pixels: np.ndarray) -> np.ndarray:
    pixels[:, 660:960] = pixels[:, 960:961]
    return pixels


def _lying(pixels: np.ndarray) -> np.ndarray:
    """The figure on its side, head to the left."""
    figure = np.rot90(pixels[590:946, 690:930])
    empty = _empty(pixels.copy())
    # What is red or nearly white is the figure, the rest ground.
    own = (figure[:, :, 0] > figure[:, :, 2].astype(int) + 40) & (figure[:, :, 1] < 60) | (figure.min(axis=2) > 120)
    low = 930 - figure.shape[0]
    empty[low:930, 620 : 620 + figure.shape[1]][own] = figure[own]
    return empty


def _hand(pixels: np.ndarray) -> np.ndarray:
    """An arm from the right whose hand holds the base."""
    return cv2.line(np.ascontiguousarray(pixels), (1599, 700), (900, 890), (205, 150, 120), 110)


def _half_hidden(pixels: np.ndarray) -> np.ndarray:
    pixels[:, :780] = (60, 50, 40)
    return pixels


def _shaken(pixels: np.ndarray) -> np.ndarray:
    """Moved to the side during the exposure: edges that run across are as sharp as ever."""
    return cv2.blur(pixels, (9, 1))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_empty, "no figure stands out"),
        (_moved(300, leave=True), "more than one thing"),
        (_moved(360, leave=False), "beyond its plain middle"),
        (_lying, "base"),
        (_hand, "take hands"),
        (_half_hidden, "beyond its plain middle"),
        (lambda pixels: cv2.GaussianBlur(pixels, (0, 0), 4.0), "is not sharp"),
        (_shaken, "is not sharp"),
        (lambda pixels: pixels[:905], "the edge of the picture"),
        (lambda pixels: cv2.resize(pixels, (720, 540), interpolation=cv2.INTER_AREA), "too small in the picture"),
    ],
    ids=["no figure", "two figures", "beyond the backdrop", "lying", "a hand", "half hidden", "blurred", "shaken",
         "cut off", "small"],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused_with_advice(
    change: Callable[[np.ndarray], np.ndarray], sentence: str, photos: Callable[[str], Path], kit: Kit, tmp_path: Path
) -> None:
    result = kit("measure", "figure", _changed(photos("front"), tmp_path, change), *ALONE, "--json")
    assert (result.code, result.out) == (4, "")
    assert sentence in result.err
    assert "changed.jpg" in result.err
    assert "Traceback" not in result.err
    assert result.err.count("\n") == 1


def test_a_base_painted_like_table_and_backdrop_is_refused(
    photos: Callable[[str], Path], kit: Kit, tmp_path: Path
) -> None:
    def hide(pixels: np.ndarray) -> np.ndarray:
        # Below the knees everything is the ground beside the figure.
        pixels[700:, 660:960] = pixels[700:, 960:961]
        return pixels

    result = kit("measure", "figure", _changed(photos("front"), tmp_path, hide), *ALONE)
    assert result.code == 4
    assert "base" in result.err or "no figure" in result.err


def test_a_photo_on_the_mat_is_told_to_need_the_backdrop(kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "mat.jpg"
    lens = Lens(1000, 750, 1500.0, (499.5, 374.5))
    path.write_bytes(photograph_flat(FlatScene(lens, stand_at(480, 0.05, 0.0, 1.57, (0, 0)))))
    result = kit("measure", "figure", path)
    assert result.code == 4
    assert "backdrop" in result.err


@pytest.mark.parametrize(
    "options",
    [("--standoff", "near"), ("--standoff", "3mm"), ("--standoff", "20±90mm"), ("--print-scale", "2"),
     ("--reference", "chessboard:10mm"), ("--instance", "x" * 41), ("--instance", "a\nb")],
)  # fmt: skip
def test_an_option_that_makes_no_sense_is_wrong_usage(options: tuple[str, str], kit: Kit, tmp_path: Path) -> None:
    result = kit("measure", "figure", tmp_path / "x.jpg", *options)
    assert result.code == 2
    assert options[0] in result.err


def test_more_photos_than_one_figure_needs_are_refused(kit: Kit, tmp_path: Path) -> None:
    assert kit("measure", "figure", *[tmp_path / f"{i}.jpg" for i in range(13)]).code == 2


@pytest.mark.parametrize("content", [b"", b"not a photo", b"\xff\xd8\xff\xe0" + b"\0" * 100])
def test_a_file_that_is_no_photo_is_bad_input(content: bytes, kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "x.jpg"
    path.write_bytes(content)
    assert kit("measure", "figure", path).code == 4
