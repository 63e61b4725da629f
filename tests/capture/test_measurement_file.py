from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.capture.measurement_file import MeasurementFile, Photo, as_json, read_measurements, written
from inspect_kit.errors import BadInput
from inspect_kit.values.measurement import Reading, StatedPart

HEADER = "characteristic,instance,value,unit,u,instrument\n"


def _read(tmp_path: Path, content: str | bytes, name: str = "readings.csv") -> MeasurementFile:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_measurements(path)


def test_a_row_keeps_what_was_written(tmp_path: Path) -> None:
    (reading,) = _read(tmp_path, HEADER + 'coin.mass,7,"5,31",g,0.01,scale-200g\n').readings
    assert (reading.characteristic, reading.instance, reading.value) == ("coin.mass", "7", "5,31")
    assert (reading.unit, reading.standard, reading.instrument) == ("g", "0.01", "scale-200g")
    assert reading.where.endswith("readings.csv: line 2")


def test_the_order_of_columns_is_free_and_optional_ones_may_be_missing(tmp_path: Path) -> None:
    (reading,) = _read(tmp_path, "value,characteristic\n14.82 g,striker.mass\n").readings
    assert (reading.value, reading.characteristic, reading.instance) == ("14.82 g", "striker.mass", "")


def test_a_spreadsheet_with_semicolons_and_decimal_commas_is_read(tmp_path: Path) -> None:
    content = "\ufeffcharacteristic;instance;value;unit\r\ncoin.mass;1;5,31;g\r\n\r\n;;;\r\n"
    (reading,) = _read(tmp_path, content).readings
    assert reading.value == "5,31"


def test_an_empty_value_is_a_thing_not_measured(tmp_path: Path) -> None:
    found = _read(tmp_path, HEADER + "striker.mass,,,g,,\nstriker.diameter,,41,mm,,\n")
    assert [reading.characteristic for reading in found.readings] == ["striker.diameter"]


def test_an_unknown_column_is_told_and_a_misspelt_one_refused(tmp_path: Path) -> None:
    found = _read(tmp_path, "characteristic,value,weather\nstriker.mass,14 g,fine\n")
    assert found.warnings == (f'{tmp_path / "readings.csv"}: the column "weather" is not used',)
    with pytest.raises(BadInput, match='did you mean "instrument"'):
        _read(tmp_path, "characteristic,value,intrument\nstriker.mass,14 g,x\n")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty"),
        ("   \n\n", "is empty"),
        (b"\xff\xfe\x00c\x00h", "NUL"),
        (b"characteristic,value\nstriker.mass,\xff\xfe\n", "not UTF-8"),
        ("characteristic,value\nstriker.mass,14\x00\n", "NUL"),
        ("striker.mass,14.8\n", 'no column "characteristic"'),
        ("characteristic,unit\nstriker.mass,g\n", 'no column "value"'),
        ("characteristic,value,value\nstriker.mass,1,2\n", "stands twice"),
        (HEADER, "no measurement"),
        (HEADER + "coin.mass,1,5,31,g,0.01,scale\n", "7 cells"),
        (HEADER + 'coin.mass,1,"5.31,g\n', "not CSV"),
        (HEADER + "Coin Mass,1,5.31,g,,\n", "not the name of a characteristic"),
        (HEADER + ",1,5.31,g,,\n", "characteristic is empty"),
        (HEADER + f"coin.mass,{'x' * 10_000},5.31,g,,\n", "10,000 characters"),
        ("{", "not JSON"),
        ("[1, 2]", "expected"),
        ('{"format": 2, "measurements": []}', "expected"),
        ('{"format": 1, "measurements": 7}', "expected a list"),
        ('{"format": 1, "measurements": [7]}', "expected an object"),
        ('{"format": 1, "measurements": []}', "no measurement"),
        ('{"format": 1, "measurements": [{"value": 3}]}', "is missing"),
        ('{"format": 1, "measurements": [{"characteristic": "a.b"}]}', "is missing"),
        ('{"format": 1, "measurements": [{"characteristic": "a.b", "value": NaN}]}', "NaN is not a number"),
        ('{"format": 1, "measurements": [{"characteristic": "a.b", "value": -Infinity}]}', "not a number"),
        ('{"format": 1, "measurements": [{"characteristic": "a.b", "value": [1]}]}', "expected text or a number"),
        ('{"format": 1, "measurements": [{"characteristic": "a.b", "value": true}]}', "expected text or a number"),
        ('{"format": 1, "measurements": [{"characteristic": "a.b", "value": 1, "pixel": 3}]}', "expected [x, y]"),
        ('{"format": 1, "measurements": [{"characteristic": "a.b", "value": 1, "budget": 3}]}', "source, u"),
        ('{"format": 1, "photos": [{"file": "a.jpg", "sha256": "zz"}]}', "64 hexadecimal"),
        (
            '{"format": 1, "measurements": [{"characteristic": "coin.diameter", "value": 31, "photo": "a.jpg"}]}',
            "among the photos",
        ),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_sentence(tmp_path: Path, content: str | bytes, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        _read(tmp_path, content)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_of_fifty_megabytes_is_refused_without_reading_it_all(tmp_path: Path) -> None:
    path = tmp_path / "big.csv"
    with path.open("wb") as stream:
        stream.write(HEADER.encode())
        stream.truncate(50_000_000)
    with pytest.raises(BadInput, match="larger than 32 MB"):
        read_measurements(path)


def test_a_folder_or_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        read_measurements(tmp_path)
    with pytest.raises(BadInput, match="no such file"):
        read_measurements(tmp_path / "none.csv")


def test_json_keeps_every_digit_the_budget_and_the_photo(tmp_path: Path) -> None:
    data = {
        "format": 1,
        "photos": [{"file": "../../etc/IMG_2041.jpg", "sha256": "a" * 64, "width": 4032, "height": 3024}],
        "measurements": [
            {"characteristic": "coin.diameter", "instance": "3", "value": 31.020, "unit": "mm", "u": 0.031,
             "pixel": [1834.2, 977.5], "budget": [{"source": "scale", "u": 0.012}, {"source": "height", "u": 0.025}]}
        ],
        "observations": [{"characteristic": "coin.colour", "instance": "3", "value": "white", "confidence": 0.98}],
        "warnings": ["glare near the edge"],
    }  # fmt: skip
    text = json.dumps(data).replace("31.02", "31.020")
    found = _read(tmp_path, text, "any-name.txt")
    measured, seen = found.readings
    assert measured.value == "31.020"
    assert measured.budget == (StatedPart("scale", "0.012"), StatedPart("height", "0.025"))
    assert measured.pixel == (1834.2, 977.5)
    assert (seen.value, seen.confidence) == ("white", "0.98")
    assert found.photos[0].file == "IMG_2041.jpg"
    assert found.warnings[0] == "glare near the edge"


@given(st.binary(max_size=300))
def test_no_bytes_make_the_reader_do_anything_but_answer_or_refuse(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "readings"
    path.write_bytes(content)
    try:
        read_measurements(path)
    except BadInput as problem:
        assert "\n" not in str(problem)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda inner: (
    st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["format", "measurements", "observations", "photos", "characteristic", "value",
                                       "u", "budget", "pixel", "sha256", "file", "width"]), inner, max_size=4))))  # fmt: skip
def test_no_json_makes_the_reader_do_anything_but_answer_or_refuse(
    tmp_path_factory: pytest.TempPathFactory, data: object
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "readings.json"
    path.write_text(json.dumps({"format": 1, "measurements": data, "observations": data, "photos": data}))
    try:
        read_measurements(path)
    except BadInput as problem:
        assert "\n" not in str(problem)


@pytest.mark.parametrize(
    "number", ["1e999999999", "0e999999999", "1e9999999999999999999999", "-1e-9999999999999999999999"]
)
def test_a_number_that_would_fill_the_memory_is_refused_unwritten(tmp_path: Path, number: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(f'{{"format": 1, "measurements": [{{"characteristic": "coin.mass", "value": {number}}}]}}')
    with pytest.raises(BadInput, match="beyond all measure|can be measured"):
        read_measurements(path)


def _photo_file(**changed: object) -> MeasurementFile:
    reading = Reading("coin.diameter", "31.02", "1", "mm", "0.031", photo="a.jpg", pixel=(100.0, 80.5))
    photo = Photo("a.jpg", "0" * 64, 4000, 3000)
    return MeasurementFile((replace(reading, **changed),), (photo,), measured=True)  # type: ignore[arg-type]


def test_a_measured_file_is_known_again_however_its_json_is_laid_out(tmp_path: Path) -> None:
    found = as_json(_photo_file())
    laid_out = json.dumps(dict(sorted(found.items(), reverse=True)), indent=7)
    for text in (written(_photo_file()).decode(), laid_out, laid_out.replace("80.5", "80.50")):
        again = _read(tmp_path, text)
        assert again.measured
        assert not again.notices


def test_a_photos_values_that_somebody_changed_are_told_as_stated(tmp_path: Path) -> None:
    text = written(_photo_file()).decode()
    unmarked = json.dumps({key: value for key, value in json.loads(text).items() if key != "mark"})
    for edited in (text.replace("31.02", "31.52"), text.replace("0.031", "0.003"), unmarked):
        again = _read(tmp_path, edited)
        assert [each.code for each in again.notices] == ["photo-values-stated"]
        assert "as whoever wrote it states them" in again.warnings[-1]
    typed = json.dumps({"format": 1, "measurements": [{"characteristic": "coin.mass", "value": 5.3, "u": 0.01}]})
    assert not _read(tmp_path, typed).notices
