"""Sheets to print: their size, their words, and that the program finds itself again on them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pikepdf
import pypdfium2
import pytest

from inspect_kit.vision.optics.camera import guessed
from inspect_kit.vision.reference.find import place
from inspect_kit.vision.reference.wanted import Reference
from tests.cli.conftest import Kit

SIZES = {"mat": (210, 297), "charuco": (210, 297), "backdrop": (148, 105), "cards": (148, 105)}


def _drawn(path: Path, page: int = 0, dots: float = 150) -> np.ndarray:
    document = pypdfium2.PdfDocument(path)
    try:
        return np.ascontiguousarray(document[page].render(scale=dots / 72).to_numpy()[:, :, ::-1])
    finally:
        document.close()


@pytest.mark.parametrize("name", SIZES)
def test_a_sheet_has_the_stated_size_and_tells_how_to_use_it(kit: Kit, tmp_path: Path, name: str) -> None:
    out = tmp_path / "sheet.pdf"
    result = kit("target", name, "-o", out, "--json")
    assert result.code == 0, result.err
    with pypdfium2.PdfDocument(out) as document:
        size = document[0].get_size()
        words = document[0].get_textpage().get_text_bounded()
    assert np.allclose(np.array(size) * 25.4 / 72, SIZES[name], atol=0.02)
    assert "100 %" in words
    assert "caliper" in words
    assert len(json.loads(result.out)["sheets"]) == (4 if name == "cards" else 1)


@pytest.mark.parametrize("language", ["de", "cs", "it"])
@pytest.mark.parametrize("name", SIZES)
def test_the_sentence_is_in_the_users_language_and_fits_on_the_sheet(
    kit: Kit, tmp_path: Path, name: str, language: str
) -> None:
    out = tmp_path / "sheet.pdf"
    assert kit("target", name, "--lang", language, "-o", out).code == 0
    with pypdfium2.PdfDocument(out) as document:
        page = document[0]
        words = page.get_textpage()
        assert "caliper" not in words.get_text_bounded()
        boxes = [words.get_charbox(place) for place in range(words.count_chars())]
        wide = page.get_size()[0]
    assert min(box[0] for box in boxes) > 0
    assert min(box[1] for box in boxes if box[3] > box[1]) > 3
    assert max(box[2] for box in boxes) < wide - 3


def test_letter_paper_is_letter_paper(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "mat.pdf"
    assert kit("target", "mat", "--paper", "letter", "-o", out).code == 0
    with pypdfium2.PdfDocument(out) as document:
        assert np.allclose(document[0].get_size(), (612, 792), atol=0.1)


@pytest.mark.parametrize("name", SIZES)
def test_the_program_knows_its_own_sheet_and_where_it_lies(kit: Kit, tmp_path: Path, name: str) -> None:
    out = tmp_path / "sheet.pdf"
    kit("target", name, "-o", out)
    drawn = cv2.copyMakeBorder(_drawn(out), 80, 80, 80, 80, cv2.BORDER_CONSTANT, value=(120, 120, 120))
    placed = place(drawn, guessed(drawn.shape[1], drawn.shape[0], None), Reference())
    assert placed.sheet is not None
    assert placed.sheet.name.startswith(name.rstrip("s"))
    a, b = placed.known.image[0], placed.known.image[-1]
    apart = np.linalg.norm(placed.known.sheet[0, :2] - placed.known.sheet[-1, :2])
    assert np.linalg.norm(a - b) / apart == pytest.approx(150 / 25.4, rel=2e-3)


def test_half_of_the_mat_under_pieces_is_still_the_mat(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "mat.pdf"
    kit("target", "mat", "-o", out)
    drawn = cv2.copyMakeBorder(_drawn(out), 80, 80, 80, 80, cv2.BORDER_CONSTANT, value=(120, 120, 120))
    drawn[: drawn.shape[0] // 2] = 120
    placed = place(drawn, guessed(drawn.shape[1], drawn.shape[0], None), Reference())
    assert placed.sheet is not None
    assert placed.sheet.name.startswith("mat")


@pytest.mark.parametrize("count", ["0", "99", "x"])
def test_a_number_of_cards_that_makes_no_sense_is_wrong_usage(kit: Kit, tmp_path: Path, count: str) -> None:
    assert kit("target", "cards", "--count", count, "-o", tmp_path / "cards.pdf").code == 2


def test_the_backdrops_tone_goes_on_beyond_its_lower_edge(kit: Kit, tmp_path: Path) -> None:
    """A hair of white there, by the cut or the raster, would lift the table by a tenth of a millimetre."""
    out = tmp_path / "backdrop.pdf"
    assert kit("target", "backdrop", "-o", out).code == 0
    with pikepdf.open(out) as document:
        drawn = pikepdf.parse_content_stream(document.pages[0])
    lowest = min(float(step.operands[1]) for step in drawn if str(step.operator) == "re")
    assert lowest <= -SIZES["backdrop"][1] / 2 - 1
