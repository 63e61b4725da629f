"""`measure board` as a user calls it, and what `judge` and `certify` make of its file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from tests.cli.conftest import Kit
from tests.scenes.board import Shot
from tests.scenes.board_cases import HOME_SHOT, LEGAL_SHOT, PLANTED_SHOT, UNCARDED_SHOT
from tests.scenes.board_photos import camera_json, jpeg_of

FAULTS = (("pocket.diameter", "ne"), ("surface.side", "s"), ("baseline.lower.thickness", "e"), ("baseline.length", "s"))


def _written(folder: Path, shot: Shot, *options: str) -> list[object]:
    photo, camera = folder / "board.jpg", folder / "camera.json"
    photo.write_bytes(jpeg_of(shot))
    camera.write_text(camera_json(shot.lens))
    return ["measure", "board", photo, "--camera", camera, *options]


def _document(kit: Kit, folder: Path, shot: Shot, *options: str) -> Path:
    result = kit(*_written(folder, shot, "--print-scale", "1.0000", "--json", *options))
    assert result.code == 0, result.err
    path = folder / "board.json"
    path.write_text(result.out)
    return path


def _findings(kit: Kit, path: Path) -> dict[tuple[str, str], str]:
    data = kit("judge", path, "--spec", "icf-cs", "--item", "board", "--json").data
    return {(each["characteristic"], each["instance"]): each["verdict"] for each in data["findings"]}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The measured board with faults, its overlay and photo beside the file."""
    import io
    from contextlib import redirect_stdout

    from inspect_kit.cli.app import app, run

    folder = tmp_path_factory.mktemp("planted")
    arguments = _written(
        folder, PLANTED_SHOT, "--print-scale", "1.0000", "--json", "--overlay", str(folder / "seen.png")
    )
    out = io.StringIO()
    with redirect_stdout(out):
        assert run(app, [str(argument) for argument in arguments]) == 0
    (folder / "board.json").write_text(out.getvalue())
    return folder / "board.json"


def test_planted_faults_are_found_and_named(kit: Kit, planted: Path) -> None:
    found = _findings(kit, planted)
    failed = {key for key, verdict in found.items() if verdict == "fails"}
    assert failed == set(FAULTS)


def test_the_document_is_a_measurement_file_with_budgets_pixels_and_the_overlay(planted: Path) -> None:
    data = json.loads(planted.read_text())
    assert set(data) == {"format", "photos", "measurements", "observations", "warnings", "notices", "overlay", "mark"}
    assert [photo["file"] for photo in data["photos"]] == ["board.jpg"]
    for each in data["measurements"]:
        assert {"characteristic", "instance", "value", "unit", "u", "pixel", "budget"} <= set(each)
        parts = [part["u"] for part in each["budget"]]
        assert parts == sorted(parts, reverse=True)
    drawn = (planted.parent / "seen.png").read_bytes()
    assert data["overlay"]["sha256"] == hashlib.sha256(drawn).hexdigest()


def test_the_overlay_shows_red_where_a_limit_is_passed(planted: Path) -> None:
    picture = Image.open(planted.parent / "seen.png").convert("RGB")
    reds = sum(count for count, (red, green, blue) in picture.getcolors(1 << 24) if (red, green, blue) == (214, 30, 30))
    assert reds > 100


def test_the_report_names_the_faults_and_carries_photo_and_overlay(kit: Kit, planted: Path, tmp_path: Path) -> None:
    assert kit("--home", tmp_path, "keys", "init", "--name", "Test", "--no-passphrase").code == 0
    out = tmp_path / "board.pdf"
    result = kit(
        "--home", tmp_path, "certify", planted, "--spec", "icf-cs", "--item", "board", "--subject", "Board 4", "-o", out
    )
    assert result.code == 1, result.err
    document = pypdfium2.PdfDocument(out)
    text = " ".join(" ".join(page.get_textpage().get_text_range() for page in document).split())
    data = json.loads(planted.read_text())["measurements"]
    values = {(each["characteristic"], each["instance"]): f"{each['value']:.2f}" for each in data}
    for words in (*(values[key][:4] for key in FAULTS), "sw 89.6", "not square", "seen.png", "board.jpg"):
        assert words in text, words
    pictures = [each for page in document for each in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])]
    assert len(pictures) >= 2


def test_a_legal_board_near_its_limits_is_not_failed(kit: Kit, tmp_path: Path) -> None:
    found = _findings(kit, _document(kit, tmp_path, LEGAL_SHOT))
    assert not [key for key, verdict in found.items() if verdict == "fails"]
    assert sum(verdict == "conforms" for verdict in found.values()) >= 20


def test_a_home_board_is_not_approved_by_accident(kit: Kit, tmp_path: Path) -> None:
    path = _document(kit, tmp_path, HOME_SHOT)
    found = _findings(kit, path)
    for name in ("baseline.length", "outer.diameter", "basecircle.colour"):
        assert {verdict for key, verdict in found.items() if key[0] == name} == {"undecided"}
    assert any("not those of a standard carrom board" in text for text in json.loads(path.read_text())["warnings"])
    assert kit("judge", path, "--spec", "icf-cs", "--item", "board").code in (1, 3)


def test_without_cards_a_taped_side_is_enough(kit: Kit, tmp_path: Path) -> None:
    result = kit(*_written(tmp_path, UNCARDED_SHOT, "--known", "surface.side=73.92±0.05cm", "--json"))
    assert result.code == 0, result.err
    values = {(each["characteristic"], each["instance"]): each for each in result.data["measurements"]}
    assert values["outer.diameter", ""]["value"] == pytest.approx(172.4, abs=3 * values["outer.diameter", ""]["u"])
    assert "known length" in [part["source"] for part in values["outer.diameter", ""]["budget"]]


def test_people_get_a_table_and_warnings_beside_it(kit: Kit, tmp_path: Path) -> None:
    result = kit(*_written(tmp_path, PLANTED_SHOT))
    assert result.code == 0
    assert result.out.startswith("dimension")
    assert "warning: " in result.err
    assert "--print-scale" in result.err


@pytest.mark.parametrize(
    ("options", "word"),
    [(("--known", "738"), "surface.side"), (("--known", "surface.side=abc"), "--known"), (("--known", "surface.side=7mm"), "between"),
     (("--known", "surface.side=738±90mm"), "uncertainty"), (("--known", "pocket=44mm"), "surface.side"),
     (("--print-scale", "2"), "print scale"), (("--print-scale", "x"), "--print-scale"), (("--print-scale", "nan"), "--print-scale")],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused_in_a_sentence(
    kit: Kit, tmp_path: Path, options: tuple[str, ...], word: str
) -> None:
    photo = tmp_path / "grey.jpg"
    Image.new("RGB", (1200, 900), (128, 128, 128)).save(photo)
    result = kit("measure", "board", photo, *options)
    assert result.code == 2
    assert word in result.err
    assert not result.out


def test_a_photo_without_cards_is_refused_with_its_name_and_advice(kit: Kit, tmp_path: Path) -> None:
    photo = tmp_path / "grey.jpg"
    Image.new("RGB", (1200, 900), (128, 128, 128)).save(photo)
    result = kit("measure", "board", photo)
    assert result.code == 4
    assert "grey.jpg" in result.err
    assert "target cards" in result.err


def test_nine_photos_at_once_are_refused(kit: Kit, tmp_path: Path) -> None:
    photo = tmp_path / "grey.jpg"
    Image.new("RGB", (1200, 900), (128, 128, 128)).save(photo)
    assert kit("measure", "board", *[photo] * 9).code == 2


def test_a_sheet_that_does_not_exist_is_refused_before_anything_is_measured(kit: Kit, tmp_path: Path) -> None:
    result = kit(*_written(tmp_path, PLANTED_SHOT, "--overlay", str(tmp_path / "o.png"), "--spec", "nobody"))
    assert result.code != 0
    assert "nobody" in result.err
    assert not (tmp_path / "o.png").exists()
