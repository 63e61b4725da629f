"""From a photo to a certificate, as a referee does it: measure, judge, certify with the picture of what was measured."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import numpy as np
import pikepdf
import pytest
from PIL import Image, ImageEnhance, ImageFilter

from inspect_kit.capture.simulator import Simulation, simulated
from tests.cli.conftest import Kit, Result
from tests.scenes.shots import COINS, STRIKER, coins_photo, cut_photo, striker_photo

SHAPE = ("--print-scale", "1.000", "--thickness", "9.0±0.1mm", "--edge-radius", "1.0±0.1mm")


@pytest.fixture
def striker(tmp_path: Path) -> Path:
    path = tmp_path / "IMG_7.jpg"
    path.write_bytes(striker_photo())
    return path


@pytest.fixture
def measured(kit: Kit, striker: Path) -> Path:
    result = kit("measure", "striker", striker, *SHAPE, "--json")
    assert result.code == 0, result.err
    path = striker.parent / "striker.json"
    path.write_text(result.out)
    return path


def _rest(folder: Path) -> Path:
    path = folder / "rest.csv"
    path.write_text(
        "characteristic,value,unit,u\nstriker.mass,14.5,g,0.01\nstriker.shape,yes,,\nstriker.material,yes,,\n"
        "striker.engraving,none,,\nstriker.visible_metal,yes,,\n"
    )
    return path


def test_a_striker_is_measured_with_its_photo_and_its_outline(measured: Path, striker: Path) -> None:
    data = json.loads(measured.read_text())
    (photo,) = data["photos"]
    assert photo == {"file": "IMG_7.jpg", "sha256": hashlib.sha256(striker.read_bytes()).hexdigest(),
                     "width": 1600, "height": 1200}  # fmt: skip
    diameter = next(m for m in data["measurements"] if m["characteristic"] == "striker.diameter")
    assert abs(diameter["value"] - STRIKER) < 2 * diameter["u"] + 0.1
    around = np.array(diameter["outline"])
    assert np.linalg.norm(around.mean(axis=0) - diameter["pixel"]) < 3
    assert [o["value"] for o in data["observations"] if o["characteristic"] == "striker.visible_metal"] == ["none"]


def test_the_photo_decides_a_clause_and_stands_in_the_certificate_with_what_was_measured(
    kit: Kit, measured: Path, striker: Path
) -> None:
    kit("keys", "init", "--name", "Hall", "--no-passphrase")
    out = striker.parent / "striker.pdf"
    result = kit("certify", measured, _rest(striker.parent), "--spec", "icf-cs", "--item", "striker",
                 "--subject", "Striker 7", "-o", out, "--json")  # fmt: skip
    assert result.code in (0, 3), result.err
    with pikepdf.open(out) as document:
        pictures = [i for i in document.objects if isinstance(i, pikepdf.Stream) and i.get("/Subtype") == "/Image"]
    assert len(pictures) == 1
    shown = kit("registry", "show", result.data["number"], "--json").data
    assert {"pdf", "record", "photo", "overlay"} <= {file["role"] for file in shown["evidence"]}


def test_a_photo_that_was_changed_after_measuring_breaks_the_seal(kit: Kit, measured: Path, striker: Path) -> None:
    kit("keys", "init", "--name", "Hall", "--no-passphrase")
    striker.write_bytes(coins_photo())
    result = kit("certify", measured, "--spec", "icf-cs", "--item", "striker", "--subject", "S",
                 "-o", striker.parent / "x.pdf")  # fmt: skip
    assert result.code == 5
    assert "SHA-256" in result.err


def test_a_whole_check_in_photo_and_live_mass_end_in_one_certificate(kit: Kit, measured: Path, tmp_path: Path) -> None:
    kit("keys", "init", "--name", "Hall", "--no-passphrase")
    asked, out = tmp_path / "asked.json", tmp_path / "striker.pdf"
    with simulated(Simulation("mt-sics")) as scale:
        kit("instruments", "add", "desk-scale", "--kind", "scale", "--port", scale.port, "--protocol", "mt-sics",
            "--calibrated-until", "2099-12-31")  # fmt: skip
        result = kit("inspect", "--spec", "icf-cs", "--item", "striker", "-o", asked, "--instrument", "desk-scale",
                     typed="yes\n\n!\nyes\n\n\n\n")  # fmt: skip
    assert result.code in (0, 3), result.err
    result = kit("certify", measured, asked, "--spec", "icf-cs", "--item", "striker", "--subject", "Striker 7",
                 "--owner", "R. Řeháčková", "-o", out, "--json")  # fmt: skip
    assert result.data["verdict"] == "conforms", result.err
    with pikepdf.open(out) as document:
        record = json.loads(document.attachments["record.json"].get_file().read_bytes())
    mass = next(r for r in record["readings"] if r["characteristic"] == "striker.mass")
    assert mass["raw"].startswith("S S")
    assert record["photos"][0]["file"] == "IMG_7.jpg"
    assert kit("verify", out).code == 0


def test_coins_are_counted_coloured_and_a_large_one_fails(kit: Kit, tmp_path: Path) -> None:
    photo, out, picture = tmp_path / "coins.jpg", tmp_path / "coins.json", tmp_path / "seen.png"
    photo.write_bytes(coins_photo())
    result = kit("measure", "coins", photo, "--print-scale", "1.000", "--thickness", "8.0±0.1mm", "--json",
                 "--overlay", picture)  # fmt: skip
    out.write_text(result.out)
    assert sorted(o["value"] for o in result.data["observations"]) == sorted(COINS)
    judged = kit("judge", out, "--spec", "icf-cs", "--item", "coin-set", "--json")
    assert judged.code == 1
    failed = [f for f in judged.data["findings"] if f["characteristic"] == "coin.diameter" and f["verdict"] == "fails"]
    assert [round(f["value"]) for f in failed] == [33]
    with Image.open(picture) as drawn:
        assert drawn.size == (1600, 1200)


def _spoiled(how: str) -> bytes:
    image = Image.open(io.BytesIO(striker_photo()))
    if how == "blurred":
        image = image.filter(ImageFilter.GaussianBlur(3.2))
    elif how == "dark":
        image = ImageEnhance.Brightness(image).enhance(0.14)
    elif how == "no sheet":
        image = Image.new("RGB", image.size, (90, 120, 150))
    else:
        image = ImageEnhance.Contrast(image).enhance(0.1)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=93)
    return buffer.getvalue()


@pytest.mark.parametrize("how", ["blurred", "dark", "no sheet", "fogged"])
def test_a_photo_that_cannot_be_measured_is_refused_with_advice(kit: Kit, tmp_path: Path, how: str) -> None:
    path = tmp_path / "IMG.jpg"
    path.write_bytes(_spoiled(how))
    result = kit("measure", "striker", path, "--json")
    _refused(result)
    assert "(" in result.err, "no advice"


def _refused(result: Result) -> None:
    assert result.code == 4, result.err
    assert result.out == ""
    assert len(result.err.strip().splitlines()) == 1
    assert "Traceback" not in result.err
    assert "fault in the program" not in result.err


def test_a_piece_cut_by_the_pictures_edge_is_named_and_not_measured(kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "cut.jpg"
    path.write_bytes(cut_photo())
    result = kit("measure", "coins", path, *SHAPE[:2], "--thickness", "8.0±0.1mm", "--json")
    assert result.code == 0, result.err
    assert len(result.data["observations"]) == 1
    assert any("cut off by the picture's edge" in warning for warning in result.data["warnings"])


@pytest.mark.parametrize(
    "content",
    [b"", b"%PDF-1.7\n%junk", b"\xff\xd8\xff\xe0\x00\x10JFIF", b"GIF89a", b"\x00" * 5000, "naïve".encode()],
)
def test_what_is_no_photo_is_refused_in_one_sentence(kit: Kit, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "IMG.jpg"
    path.write_bytes(content)
    _refused(kit("measure", "coins", path))
    _refused(kit("camera", "calibrate", path, "-o", tmp_path / "camera.json"))


def test_a_missing_photo_a_folder_and_an_unwritable_place_are_told(kit: Kit, striker: Path) -> None:
    _refused(kit("measure", "striker", striker.parent / "none.jpg"))
    _refused(kit("measure", "striker", striker.parent))
    result = kit("measure", "striker", striker, *SHAPE, "--overlay", striker.parent / "no" / "such" / "x.png")
    assert result.code == 4
    assert "fault in the program" not in result.err
