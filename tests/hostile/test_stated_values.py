"""Values that nobody measured: files edited by hand, a gauge's line used again, photos known by their digest alone."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from inspect_kit.capture.daily_checks import Check, Point, add_check, standing
from inspect_kit.capture.measurement_file import MeasurementFile, read_measurements
from inspect_kit.capture.photographs import Photograph
from inspect_kit.certificate.issue.desk import issue_outcome
from inspect_kit.certificate.issue.issue import Request
from inspect_kit.cli.issuer import throwaway_desk
from inspect_kit.errors import BadInput, InspectKitError
from inspect_kit.inspection.guided import Answer, GuidedEntry, as_draft, as_measurement_file, from_draft
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Outcome, Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.judgement.verdict import Verdict
from inspect_kit.measure.photos import measure
from inspect_kit.measure.stated import stated_by
from inspect_kit.rulebook.library import load
from inspect_kit.values.quantity import parse_strict
from inspect_kit.vision.optics.camera import Camera

DAY = date(2026, 11, 18)
SENT: dict[str, Any] = {"raw": "S S      14.82 g", "time": "2026-11-18T10:00:00.000+00:00", "serial": "B021"}
PHOTO = {"file": "a.jpg", "sha256": "1" * 64, "width": 100, "height": 100}


def _file(tmp_path: Path, photos: bool = False, **mass: Any) -> MeasurementFile:
    diameter = {"characteristic": "striker.diameter", "value": 41.0, "unit": "mm", "u": 0.02}
    seen = {"shape": "yes", "material": "yes", "visible_metal": "yes", "engraving": "none"}
    data = {
        "format": 1,
        "photos": [PHOTO] if photos else [],
        "measurements": [
            {**diameter, **({"photo": "a.jpg", "pixel": [5, 5]} if photos else {})},
            {"characteristic": "striker.mass", "value": 14.82, "unit": "g", "instrument": "scale-200g", **mass},
        ],
        "observations": [{"characteristic": f"striker.{name}", "value": word} for name, word in seen.items()],
    }
    path = tmp_path / "striker.json"
    path.write_text(json.dumps(data))
    return read_measurements(path)


def _judged(file: MeasurementFile) -> Outcome:
    sheet = load("icf-2001-it")
    return inspect(Task(sheet, sheet.item("striker"), RuleName.GUARDED, DAY), [file])


def _codes(file: MeasurementFile) -> set[str]:
    return {each.code for each in _judged(file).notices}


def _refused(work: Callable[[], object]) -> str:
    with pytest.raises(BadInput) as caught:
        work()
    return caught.value.told.code


def test_a_mass_is_not_measured_in_a_photo(tmp_path: Path) -> None:
    file = _file(tmp_path, photos=True, instrument="", value=14.999, u=1e-6, photo="a.jpg", pixel=[1, 1])
    assert _refused(lambda: _judged(file)) == "photo-tells-no-mass"


def test_a_value_of_a_photo_does_not_conform_by_an_uncertainty_that_nobody_reaches(tmp_path: Path) -> None:
    file = _file(tmp_path, photos=True)
    readings = [replace(each, value="41.2999", standard="0.000001") if each.photo else each for each in file.readings]
    fine = replace(file, readings=tuple(readings))
    assert _refused(lambda: _judged(fine)) == "uncertainty-below-any-digit"


def test_a_value_beside_a_line_that_says_another_one_is_refused(tmp_path: Path) -> None:
    assert _refused(lambda: _judged(_file(tmp_path, **SENT | {"raw": "S S      16.20 g"}))) == "line-says-otherwise"
    assert _judged(_file(tmp_path, **SENT)).judgement.verdict is Verdict.CONFORMS


def test_one_reading_of_a_gauge_does_not_stand_for_two_values(tmp_path: Path) -> None:
    file = _file(tmp_path, **SENT)
    mass = next(each for each in file.readings if each.time)
    twice = replace(file, readings=(*file.readings, replace(mass, instance="2")))
    assert _refused(lambda: _judged(twice)) == "one-line-for-two"


def test_what_a_hand_written_file_calls_sent_by_a_gauge_is_called_stated_and_entered(tmp_path: Path) -> None:
    outcome = _judged(_file(tmp_path, **SENT))
    assert "gauge-values-stated" in {each.code for each in outcome.notices}
    (line,) = [each for each in record_of(outcome, Subject("S")).lines if each.characteristic == "striker.mass"]
    assert line.read_by == "typed"


def test_a_guided_file_keeps_the_gauges_word_until_it_is_edited(tmp_path: Path) -> None:
    entry = GuidedEntry(load("icf-2001-it"), "striker")
    question = next(each for each in entry.questions() if each.characteristic == "striker.mass")
    text = as_measurement_file(entry.with_answer(Answer(question, "14.82 g", "scale-200g", **SENT)))
    path = tmp_path / "guided.json"
    path.write_text(text)
    assert "gauge-values-stated" not in _codes(read_measurements(path))
    path.write_text(text.replace("B021", "B022"))
    assert "gauge-values-stated" in _codes(read_measurements(path))


def test_a_reading_of_days_before_is_told(tmp_path: Path) -> None:
    assert "read-days-before" in _codes(_file(tmp_path, **SENT | {"time": "2019-01-01T10:00:00+00:00"}))
    assert "read-days-before" not in _codes(_file(tmp_path, **SENT))


def test_a_photo_that_is_only_named_makes_one_certificate(tmp_path: Path) -> None:
    desk, outcome = throwaway_desk(tmp_path / "desk", "Federation", "A. Referee"), _judged(_file(tmp_path, photos=True))

    def certified(name: str) -> None:
        issue_outcome(desk, outcome, Subject(name), lambda record: Request(record, tmp_path / f"{name}.pdf"))

    certified("One")
    assert _refused(lambda: certified("Two")) == "photo-of-another"
    certified("One")


@pytest.mark.parametrize(("fraction", "refused"), [("437", True), ("", False)])
def test_a_shot_saved_again_makes_one_certificate(tmp_path: Path, fraction: str, refused: bool) -> None:
    """Saved again or cut, a photo has other bytes; its notes still tell the camera and the instant."""
    desk = throwaway_desk(tmp_path / "desk", "Federation", "A. Referee")

    def certified(name: str, quality: int) -> None:
        content = _shot(fraction, quality)
        digest = hashlib.sha256(content).hexdigest()
        file = _file(tmp_path, photos=True)
        outcome = _judged(replace(file, photos=(replace(file.photos[0], sha256=digest),)))
        photos = {digest: content}
        issue_outcome(
            desk, outcome, Subject(name), lambda record: Request(record, tmp_path / f"{name}.pdf", photos=photos)
        )

    certified("One", 90)
    certified("One", 80)
    if refused:
        assert _refused(lambda: certified("Two", 70)) == "photo-of-another"
    else:
        certified("Two", 70)


def _shot(fraction: str, quality: int) -> bytes:
    """A photo of a camera that notes when it was taken, saved with some quality."""
    exif = Image.Exif()
    exif[0x0110] = "Phone 7"
    exif.get_ifd(0x8769).update({0x9003: "2026:11:18 10:00:00", 0x9291: fraction})
    out = io.BytesIO()
    Image.new("RGB", (400, 300), (90, 120, 60)).save(out, "JPEG", exif=exif, quality=quality)
    return out.getvalue()


def test_a_check_that_fails_puts_the_days_since_the_check_before_in_doubt(tmp_path: Path) -> None:
    def checked(day: int, shown: str) -> None:
        points = [Point(parse_strict("100 g"), parse_strict(f"{shown} g"), parse_strict("0.02 g"))]
        add_check(tmp_path, Check("desk-scale", datetime(2026, 11, day, 9, tzinfo=UTC), tuple(points)))

    for day, shown in ((10, "100.00"), (14, "100.50"), (16, "100.00")):
        checked(day, shown)
    usable = {day: standing(tmp_path, "desk-scale", date(2026, 11, day)).usable for day in (9, 10, 12, 14, 15, 16, 17)}
    assert usable == {9: True, 10: False, 12: False, 14: False, 15: False, 16: True, 17: True}


def test_the_same_photo_twice_is_no_second_photo() -> None:
    photo = Photograph("a.jpg", "1" * 64, np.zeros((8, 8, 3), np.uint8))
    again = replace(photo, file="b.jpg")
    with pytest.raises(InspectKitError) as caught:
        measure("discs", [photo, again], None, stated_by("discs", {}))
    assert caught.value.told.code == "same-photo-again"


@pytest.mark.parametrize(("focal", "refused"), [(3000.0, False), (3300.0, False), (1500.0, True), (9000.0, True)])
def test_a_camera_file_of_another_lens_is_refused(focal: float, refused: bool) -> None:
    """Of half the focal length it had made a striker of 41.02 mm 40.36 mm wide, with U 0.30 mm."""
    camera = Camera(4000, 3000, np.array([3000.0, 3000, 2000, 1500, 0, 0, 0, 0, 0]), np.eye(9), "calibration")
    photo = Photograph("a.jpg", "1" * 64, np.zeros((300, 400, 3), np.uint8), focal=focal / 10)
    with pytest.raises(InspectKitError) as caught:
        measure("discs", [photo], camera, stated_by("discs", {}))
    assert (caught.value.told.code == "camera-of-another-lens") is refused


def _typed(tmp_path: Path, value: str) -> Outcome:
    path = tmp_path / "striker.csv"
    seen = "".join(f"striker.{name},yes,,\n" for name in ("shape", "material", "visible_metal"))
    rows = f"striker.mass,14.82,g,scale-200g\nstriker.diameter,{value},,caliper-150\nstriker.engraving,none,,\n"
    path.write_text(f"characteristic,value,unit,instrument\n{rows}{seen}")
    return _judged(read_measurements(path))


@pytest.mark.parametrize(("value", "verdict"), [("4.1 cm", "undecided"), ("41.10 mm", "conforms")])
def test_digits_left_out_are_rounding(tmp_path: Path, value: str, verdict: str) -> None:
    """With a caliper of 0.01 mm named, 4.1 cm passed for 41.00 mm; the limit of 41.3 mm is within its last digit."""
    outcome = _typed(tmp_path, value)
    assert outcome.judgement.verdict.value == verdict
    assert ("digits-left-out" in {each.code for each in outcome.notices}) == (verdict == "undecided")


def test_noughts_that_a_gauge_shows_outlive_the_file(tmp_path: Path) -> None:
    """A number of JSON has no noughts at its end: 41.00 mm typed in a guided inspection stays known to hundredths."""
    sheet = load("icf-2001-it")
    asked = next(
        each for each in GuidedEntry(sheet, "striker").questions() if each.characteristic == "striker.diameter"
    )
    path = tmp_path / "guided.json"
    path.write_text(as_measurement_file(GuidedEntry(sheet, "striker", (Answer(asked, "41.00", "caliper-150"),))))
    assert "digits-left-out" not in _codes(read_measurements(path))


def test_a_draft_is_not_taken_up_once_the_sheet_says_something_else() -> None:
    """A "yes" was said to a requirement as it was worded then, and a bare number was of that day's unit."""
    sheet = load("icf-2001-it")
    asked = next(iter(GuidedEntry(sheet, "striker").questions()))
    draft = as_draft(GuidedEntry(sheet, "striker", (Answer(asked, "yes"),)))
    assert from_draft(draft, sheet, "striker", Path("draft")).answers
    changed = replace(sheet, texts=(b"another text",))
    assert _refused(lambda: from_draft(draft, changed, "striker", Path("draft"))) == "draft-sheet-changed"
