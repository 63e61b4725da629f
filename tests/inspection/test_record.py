from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from inspect_kit.capture.measurement_file import MeasurementFile
from inspect_kit.errors import BadInput
from inspect_kit.inspection.names import clean
from inspect_kit.inspection.record import Record, Subject, open_record
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.rulebook.library import load
from inspect_kit.values.measurement import Reading

FORMATS = Path(__file__).parent / "formats"


def _record(subject: str = "Striker 7") -> Record:
    sheet = load("icf-2001-it")
    readings = (
        Reading("striker.mass", "14,820", instrument="scale-200g", unit="g", where="/home/referee/desk.csv: line 2"),
        Reading("striker.diameter", "4.11 cm", standard="0.002"),
        Reading("striker.shape", "Yes"),
    )
    task = Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(2026, 11, 16))
    return record_of(inspect(task, [MeasurementFile(readings)]), Subject(subject))


def test_the_same_inspection_is_the_same_bytes() -> None:
    assert _record().canonical() == _record().canonical()
    assert _record().digest == _record().digest
    assert _record().digest != _record("Striker 8").digest


def test_a_record_comes_back_from_its_bytes_unchanged() -> None:
    record = _record()
    assert open_record(record.canonical()) == record


def test_no_digit_and_no_typed_character_is_lost() -> None:
    record = _record()
    mass = next(line for line in record.lines if line.characteristic == "striker.mass")
    assert mass.value == "14.820"
    assert record.readings[0].value == "14,820"
    assert mass.budget[0].source == "calibration"


def test_a_record_does_not_tell_where_files_lay_on_somebodys_disk() -> None:
    assert b"/home/referee" not in _record().canonical()
    assert _record().readings[0].where == "desk.csv: line 2"


def test_canonical_json_is_sorted_and_has_no_white_space() -> None:
    content = _record().canonical()
    assert (
        json.dumps(json.loads(content), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == content
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"{",
        b'{"format": 1}',
        b'{"format": "1"}',
        b'{"format": 2}',
        b"\xff\xfe",
        b'{"format": 1, "x": 2}',
    ],
)
def test_what_is_not_a_record_is_refused_in_a_sentence(content: bytes) -> None:
    with pytest.raises(BadInput) as caught:
        open_record(content)
    assert "\n" not in str(caught.value)


def test_an_unknown_key_in_a_record_is_an_error_and_not_lost() -> None:
    content = _record().canonical().replace(b'"rule":', b'"mood":"good","rule":')
    with pytest.raises(BadInput, match="mood"):
        open_record(content)


@pytest.mark.parametrize("path", sorted(FORMATS.glob("*.json")), ids=lambda path: path.name)
def test_records_of_every_format_there_has_been_open_for_ever(path: Path) -> None:
    content = path.read_bytes()
    record = open_record(content)
    assert record.lines
    assert path.stem == f"format-{record.format}"


def test_there_is_a_stored_record_of_this_format() -> None:
    assert (FORMATS / f"format-{_record().format}.json").is_file()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  Řeháčková \t R. ", "Řeháčková R."),
        ("a <b and c>d & <img src=x>", "a <b and c>d & <img src=x>"),
        ("e\u0301", "é"),
        ("שלום", "שלום"),
        ("🙂\ufe0f", "🙂"),
        ("line\nbreak", "line break"),
    ],
)
def test_a_name_is_kept_as_one_visible_line(text: str, kept: str) -> None:
    assert clean(text, where="owner") == kept


@pytest.mark.parametrize("text", ["x" * 10_000, "a\u202eb", "a\x00b", "a\x1b[31m", "\ud800", "\ue000", "a\u2066b"])
def test_a_name_that_is_too_long_or_hides_something_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="owner"):
        clean(text, where="owner")


def test_a_subject_is_needed() -> None:
    with pytest.raises(BadInput, match="is empty"):
        _record(" ")
