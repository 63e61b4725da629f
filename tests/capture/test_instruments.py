from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from inspect_kit.capture.instruments import Instrument, instrument_ids, load_instruments, read_instrument
from inspect_kit.errors import BadInput, BadSheet
from inspect_kit.measure.interpretation import instrument_budget
from inspect_kit.places import shipped

SHEET = """
format = 1
id = "mine"
name = "My caliper"
kind = "caliper"
resolution = "0.02 mm"
range = { lower = "0 mm", upper = "150 mm" }
calibrated_until = 2027-06-30

[[uncertainty]]
source = "calibration"
expanded = "0.04 mm"
shared = true

[[uncertainty]]
source = "temperature"
half_width = "0.03 mm"
relative = 0.0001
"""


def _mine(tmp_path: Path, text: str = SHEET) -> Instrument:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return read_instrument(path)


def test_every_shipped_instrument_is_sound() -> None:
    folder = shipped("specs") / "instruments"
    for name in instrument_ids((folder,)):
        assert read_instrument(folder / f"{name}.toml").effects


def test_the_budget_has_each_effect_and_half_a_digit(tmp_path: Path) -> None:
    calibration, temperature, resolution = instrument_budget(_mine(tmp_path), Decimal(100))
    assert calibration.standard == Decimal("0.02")
    assert calibration.shared == "mine: calibration"
    assert float(temperature.standard) == pytest.approx((0.03 + 0.0001 * 100) / 3**0.5)
    assert temperature.shared == ""
    assert float(resolution.standard) == pytest.approx(0.01 / 3**0.5)


def test_the_last_day_of_a_calibration_still_counts(tmp_path: Path) -> None:
    gauge = _mine(tmp_path)
    assert not gauge.expired(date(2027, 6, 30))
    assert gauge.expired(date(2027, 7, 1))


def test_ones_own_sheet_comes_before_the_shipped_one(tmp_path: Path) -> None:
    text = SHEET.replace('"mine"', '"caliper-150"').replace("My caliper", "Ours")
    (tmp_path / "caliper-150.toml").write_text(text)
    assert load_instruments(["caliper-150"], [tmp_path])["caliper-150"].name == "Ours"


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(BadInput, match='did you mean "caliper-150"'):
        load_instruments(["calliper-150"])


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/b", "..", "", "x" * 500, "a\x00b"])
def test_an_instrument_is_never_a_path(name: str) -> None:
    with pytest.raises(BadInput, match="no instrument is called"):
        load_instruments([name])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('id = "mine"', 'id = "other"', "not the name of the file"),
        ('resolution = "0.02 mm"', "", "resolution: is missing"),
        ('resolution = "0.02 mm"', 'resolution = "0 mm"', "more than 0"),
        ('resolution = "0.02 mm"', 'resolution = "0.02 g"', "does not go with"),
        ('expanded = "0.04 mm"', "", "expected one of"),
        ('expanded = "0.04 mm"', 'expanded = "-0.04 mm"', "not negative"),
        ("relative = 0.0001", 'relative = "nan"', "expected a number"),
        ("calibrated_until = 2027-06-30", 'calibrated_until = "soon"', "expected a date"),
        ("shared = true", "sharred = true", 'did you mean "shared"'),
    ],
)
def test_every_fault_of_an_instrument_sheet_has_its_place(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(BadSheet, match=says):
        _mine(tmp_path, SHEET.replace(old, new))
