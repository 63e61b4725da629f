"""The one way from photos to a measurement file: kinds, what can be stated of them, and the file that is written."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from pathlib import Path

import pytest

from inspect_kit.capture.measurement_file import MeasurementFile, Photo, as_json, measurements_in, written
from inspect_kit.errors import UsageError
from inspect_kit.measure.derived import derive
from inspect_kit.measure.document import reading_of
from inspect_kit.measure.interpretation import measurement_of
from inspect_kit.measure.photos import KINDS, check_count, measure
from inspect_kit.measure.stated import LENGTHS, Stated, stated_by
from inspect_kit.values.formula import parse_formula
from inspect_kit.values.measurement import Measurement, Reading, StatedPart
from inspect_kit.values.value import Value, value_of
from tests.measure.photographs import grey_photo

FILE = MeasurementFile(
    (
        Reading("coin.diameter", "31.02", "3", "mm", "0.031", pixel=(1834.2, 977.5), photo="a.jpg",
                outline=((1.0, 2.0), (3.0, 4.5)),
                budget=(StatedPart("print scale", "0.03", "print scale 00"), StatedPart("edge", "0.00781"))),
        Reading("striker.mass", "14.820", "", "g", instrument="scale-200g", raw="S S 14.820 g", time="2026-11-16T10:00",
                serial="B1"),
        Reading("coin.colour", "white", "3", confidence="0.98"),
        Reading("die.face", "3", "1", confidence="1.0", pixel=(5.5, 6.25), photo="a.jpg"),
        Reading("striker.visible_metal", "suspected", confidence="0.7", region=(1.5, 2.5, 30.0, 40.0)),
        Reading("die.numbers", "yes", "1"),
        Reading("team.size", "11"),
    ),
    (Photo("a.jpg", "ab" * 32, 4032, 3024),),
    ("the print's scale was not stated",),
)  # fmt: skip


def _read(content: bytes) -> MeasurementFile:
    return measurements_in(json.loads(content, parse_float=Decimal), Path("x"))


def test_a_file_that_is_written_reads_as_it_was() -> None:
    again = _read(written(FILE))
    assert again.warnings == FILE.warnings
    assert [(photo.file, photo.sha256, photo.width) for photo in again.photos] == [("a.jpg", "ab" * 32, 4032)]
    for one, other in zip(
        sorted(again.readings, key=lambda each: each.characteristic),
        sorted(FILE.readings, key=lambda each: each.characteristic),
        strict=True,
    ):
        for name in Reading.__slots__:
            if name not in ("where", "value"):
                assert getattr(one, name) == getattr(other, name), (one.characteristic, name)
        assert one.value == other.value or Decimal(one.value) == Decimal(other.value)


def test_what_is_written_is_what_scripts_know() -> None:
    data = as_json(FILE)
    assert list(data) == ["format", "photos", "measurements", "observations", "warnings"]
    measurements, observations = data["measurements"], data["observations"]
    assert isinstance(measurements, list)
    assert isinstance(observations, list)
    assert [each["characteristic"] for each in observations] == [
        "coin.colour", "die.face", "striker.visible_metal", "die.numbers",
    ]  # fmt: skip
    assert list(measurements[0]) == [
        "characteristic", "instance", "value", "unit", "u", "pixel", "budget", "photo", "outline",
    ]  # fmt: skip
    assert measurements[0]["value"] == 31.02
    assert measurements[1]["raw"] == "S S 14.820 g"
    assert measurements[2]["value"] == 11


def test_every_kind_has_what_can_be_stated_of_it() -> None:
    assert set(LENGTHS) == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("coins", {"standoff": "20mm"}, "--standoff: no such option for coins"),
        ("coins", {"thickness": "8 g"}, "--thickness"),
        ("coins", {"thickness": "8±1±1"}, "expected a length"),
        ("coins", {"thickness": "900mm"}, "is not between 0.2 and 60 mm"),
        ("board", {"known": "738"}, "expected surface.side=LENGTH"),
        ("board", {"gap": "7mm"}, "not between 0 and 2.4 mm"),
        ("board", {"gap": "0.3±0mm"}, "no measurement is exact"),
        ("board", {"gap": "0.3mm", "known": "surface.side=738mm"}, "only where cards give the scale"),
        ("coins", {"gap": "0.3mm"}, "--gap: no such option for coins"),
        ("board", {"known": "surface.side=738±50mm"}, "no uncertainty of a tape"),
        ("figure", {"reference": "chessboard:12mm"}, "before the printed backdrop"),
        ("dice", {"print_scale": "2"}, "is no print scale"),
        ("figure", {"instance": "x" * 60}, "expected a short name"),
    ],
)
def test_what_cannot_be_stated_is_said_with_its_option(kind: str, given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        stated_by(kind, given)


def test_a_kind_that_nobody_measures_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="coins"):
        measure("cions", [grey_photo()], None, Stated())
    with pytest.raises(UsageError, match="8 at most"):
        check_count("board", 9)


def _measured(name: str, instance: str, value: Value) -> Measurement:
    reading = reading_of(name, value, [grey_photo()], instance=instance)
    return measurement_of(reading, None, None)


def _spread(*values: Value) -> Measurement:
    edges = [_measured("die.edge", f"1.{axis}", value) for axis, value in zip("ab", values, strict=True)]
    (found,) = derive([("die.edge_spread", parse_formula("spread_each(die.edge)"))], {}, edges, [])
    return found


def test_one_print_makes_both_edges_of_a_die_longer_and_their_difference_hardly() -> None:
    first, second = (value_of(size, {"print scale": 0.003 * size, "edge": 0.01}) for size in (16.0, 16.2))
    found = _spread(first, second)
    assert float(found.standard_uncertainty or 0) == pytest.approx(math.hypot(0.01, 0.01, 0.003 * 0.2), rel=0.01)


def test_prints_of_different_photos_are_different_errors() -> None:
    value = value_of(16.0, {"print scale": 0.05})
    labels = {reading_of("die.edge", value, [grey_photo(level)]).budget[0].shared for level in (10, 200)}
    assert len(labels) == 2
