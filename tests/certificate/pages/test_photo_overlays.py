"""Photos drawn over for a certificate: tones by the verdict, words beside what overlaps, bounds for what a file claims."""

from __future__ import annotations

import io
from datetime import date

import numpy as np
import pytest
from PIL import Image

from inspect_kit.capture.measurement_file import MeasurementFile, Photo
from inspect_kit.certificate.content.model import OVERLAY
from inspect_kit.certificate.content.wording import wording_for
from inspect_kit.certificate.pages.photo_overlays import _marks, overlays_of
from inspect_kit.errors import BadInput
from inspect_kit.inspection.walk import Outcome, Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.rulebook.library import load
from inspect_kit.values.measurement import Reading

RING = tuple((400 + 100 * np.cos(a), 300 + 100 * np.sin(a)) for a in np.linspace(0, 2 * np.pi, 36, endpoint=False))
KEY = "a" * 64


def _photo(code: int = 128) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (800, 600), (code, code, code)).save(buffer, "PNG")
    return buffer.getvalue()


def _outcome(*readings: Reading) -> Outcome:
    sheet = load("icf-cs")
    task = Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(2026, 11, 16))
    return inspect(task, [MeasurementFile(readings, (Photo("IMG.png", KEY, 800, 600),))])


def _striker(value: str, outline: tuple[tuple[float, float], ...] = RING) -> Reading:
    return Reading("striker.diameter", value, unit="mm", standard="0.05", photo="IMG.png", outline=outline)


def _drawn(outcome: Outcome) -> np.ndarray:
    overlays = overlays_of(outcome, {KEY: _photo()}, wording_for("en"))
    return np.asarray(Image.open(io.BytesIO(overlays[OVERLAY + KEY])).convert("RGB")).astype(int)


def _coloured(pixels: np.ndarray, strong: int, weak: int) -> int:
    return int(((pixels[:, :, strong] - pixels[:, :, weak]) > 80).sum())


def test_what_conforms_is_green_and_what_fails_is_red_and_ringed_twice() -> None:
    good, bad = _drawn(_outcome(_striker("40.9"))), _drawn(_outcome(_striker("42.5")))
    assert _coloured(good, 1, 0) > 200
    assert _coloured(good, 0, 1) == 0
    assert _coloured(bad, 0, 1) > 1.5 * _coloured(good, 1, 0)


@pytest.mark.parametrize(("language", "name"), [("de", "Striker, Durchmesser"), ("it", "Striker, diametro")])
def test_what_is_drawn_into_a_photo_is_in_the_language_of_the_paper(language: str, name: str) -> None:
    (alone,) = _marks((_striker("40.9"),), {}, wording_for(language))
    assert alone.lines == ("40,90", "± 0,10 mm")
    *_, beside = _marks((_striker("40.9"), _striker("41.2")), {}, wording_for(language))
    assert beside.lines[0] == f"{name}: 40,90 ± 0,10 mm"


def test_a_photo_in_which_nothing_was_outlined_is_left_as_it_is() -> None:
    assert overlays_of(_outcome(_striker("40.9", ())), {KEY: _photo()}, wording_for("en")) == {}


def test_an_outline_far_outside_of_the_photo_is_refused() -> None:
    with pytest.raises(BadInput, match="outside of the photo"):
        _drawn(_outcome(_striker("40.9", tuple((x + 5000, y) for x, y in RING))))


def test_values_of_parts_that_overlap_stand_beside_them() -> None:
    apart = _drawn(_outcome(_striker("40.9")))
    more = Reading("striker.roundness", "0.05", unit="mm", standard="0.01", photo="IMG.png", outline=RING)
    together = _drawn(_outcome(_striker("40.9"), more))
    assert together.shape[1] > apart.shape[1]
