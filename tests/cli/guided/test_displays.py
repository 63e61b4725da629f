"""The guided way with a photo of a gauge's display: a proposal, its picture, one key, and the way to the certificate."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import cv2
import pytest
from pypdfium2 import PdfDocument

from tests.cli.conftest import Kit
from tests.scenes.display import Scene, photograph

GUIDED = ("inspect", "--spec", "icf-2001-it", "--item", "striker", "--plain")


@pytest.fixture
def photo(tmp_path: Path, kit: Kit) -> Path:
    path = tmp_path / "scale.png"
    cv2.imwrite(str(path), photograph(Scene("14.82")))
    assert kit("keys", "init", "--name", "Test Federation", "--no-passphrase").code == 0
    kit("instruments", "add", "desk-scale", "--kind", "scale", "--resolution", "0.01g", "--serial", "S7",
        "--calibrated-until", "2099-01-01", "--expanded", "0.01g")  # fmt: skip
    kit("instruments", "add", "desk-caliper", "--kind", "caliper", "--calibrated-until", "2099-01-01")
    return path


def test_a_display_is_proposed_confirmed_by_one_key_kept_and_printed_small(
    kit: Kit, tmp_path: Path, photo: Path
) -> None:
    out = tmp_path / "striker.json"
    result = kit(*GUIDED, "-o", out, typed=f"/3\n*{photo}\n+\n" + "\n" * 12)
    assert "the display shows 14.82 g; compare it with" in result.err
    file = json.loads(out.read_text())
    (mass,) = [each for each in file["measurements"] if each["characteristic"] == "striker.mass"]
    (picture,) = file["photos"]
    content = (tmp_path / picture["file"]).read_bytes()
    assert (mass["value"], mass["unit"], mass["instrument"]) == (14.82, "g", "desk-scale")
    assert picture["file"] in mass["raw"]
    assert hashlib.sha256(content).hexdigest() == picture["sha256"]
    made = kit(
        "certify",
        out,
        "--spec",
        "icf-2001-it",
        "--item",
        "striker",
        "--subject",
        "S 1",
        "-o",
        tmp_path / "c.pdf",
        "--json",
    )
    assert made.code == 3
    paper = PdfDocument(tmp_path / "c.pdf")
    said = " ".join(paper[number].get_textpage().get_text_range() for number in range(len(paper)))
    assert "read from a photo of that instrument" in " ".join(said.split())
    assert "sent by that instrument itself" not in " ".join(said.split())
    evidence = kit("registry", "show", made.data["number"], "--json").out
    assert picture["sha256"] in evidence
    again = kit(*GUIDED, "-o", out, typed="q\n")
    assert "opened for correction" in again.err


def test_nothing_is_taken_over_without_the_key(kit: Kit, tmp_path: Path, photo: Path) -> None:
    out = tmp_path / "striker.json"
    result = kit(*GUIDED, "-o", out, typed=f"/3\n*{photo}\n?\n+\n" + "\n" * 14)
    assert "no display was read" in result.err
    assert "striker.mass" not in out.read_text()


def test_an_uncertain_display_says_why_in_the_persons_language(kit: Kit, tmp_path: Path, photo: Path) -> None:
    kit("instruments", "add", "desk-scale", "--kind", "scale", "--resolution", "0.1g", "--replace")
    result = kit(*GUIDED, "--lang", "de", "-o", tmp_path / "s.json", typed=f"/3\n*{photo}\n+\nq\n")
    assert "kein Vielfaches des Ziffernschritts" in result.err
    assert "keine Anzeige wurde gelesen" in result.err
