from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_kit.capture.daily_checks import (
    Check,
    CheckState,
    Point,
    add_check,
    check_log,
    complete,
    permitted_error,
    read_checks,
    standing,
)
from inspect_kit.capture.instruments import load_instruments
from inspect_kit.errors import UsageError
from inspect_kit.values.quantity import parse_quantity

ZONE = timezone(timedelta(hours=1))
MONDAY = datetime(2026, 11, 16, 0, 30, tzinfo=ZONE)
SCALE = load_instruments(["scale-200g"])["scale-200g"]


def point(nominal: str, shown: str, permitted: str = "0.02 g") -> Point:
    return Point(parse_quantity(nominal), parse_quantity(shown), parse_quantity(permitted), raw=shown)


def checked(*points: Point, at: datetime = MONDAY) -> Check:
    return Check("desk-scale", at, points)


GOOD = (point("0 g", "0.00 g"), point("100 g", "100.02 g"))
OFF = (point("0 g", "0.00 g"), point("100 g", "100.03 g"))


def test_a_check_is_passed_when_every_point_is_within_what_is_permitted() -> None:
    assert checked(*GOOD).passed
    assert not checked(*OFF).passed
    assert not checked().passed


def test_a_frozen_display_fails_even_where_each_point_seems_good() -> None:
    frozen = checked(point("0 g", "50 g", "60 g"), point("100 g", "50 g", "60 g"))
    assert frozen.frozen
    assert not frozen.passed


def test_units_of_a_check_may_differ() -> None:
    assert point("0.1 kg", "100.01 g").passed


def test_what_is_permitted_is_the_gauges_own_uncertainty_and_at_least_a_digit() -> None:
    # u² = 0.01²/3 + 0.005² + 0.005²/3, U = 2u = 0.0163…, rounded up to two digits
    assert str(permitted_error(SCALE, parse_quantity("100 g"))) == "0.017 g"
    assert str(permitted_error(SCALE, parse_quantity("100 g"), parse_quantity("50 mg"))) == "0.05 g"
    tape = load_instruments(["tape-3m"])["tape-3m"]
    near, far = (permitted_error(tape, parse_quantity(text)) for text in ("0 mm", "3 m"))
    assert near.number >= tape.resolution.in_base
    assert near.number <= far.number


def test_a_check_of_a_scale_needs_its_zero_and_a_reference() -> None:
    assert complete(SCALE, GOOD) == GOOD
    with pytest.raises(UsageError, match="needs its zero"):
        complete(SCALE, GOOD[1:])
    with pytest.raises(UsageError, match="known size"):
        complete(SCALE, GOOD[:1])
    with pytest.raises(UsageError, match="nothing that scale-200g shows"):
        complete(SCALE, (*GOOD, point("10 mm", "10 mm", "1 mm")))


def test_the_day_decides_whether_a_gauge_is_checked(tmp_path: Path) -> None:
    assert standing(tmp_path, "desk-scale", MONDAY.date()).state is CheckState.UNCHECKED
    add_check(tmp_path, checked(*GOOD))
    today = standing(tmp_path, "desk-scale", MONDAY.date())
    assert (today.state, today.warning, today.usable) == (CheckState.CHECKED, "", True)
    tomorrow = standing(tmp_path, "desk-scale", date(2026, 11, 17))
    assert tomorrow.state is CheckState.UNCHECKED
    assert "was not checked today" in tomorrow.warning
    assert tomorrow.usable
    assert standing(tmp_path, "desk-scale", date(2026, 11, 15)).last is None


def test_a_failed_check_counts_until_a_later_one_is_passed(tmp_path: Path) -> None:
    add_check(tmp_path, checked(*GOOD))
    add_check(tmp_path, checked(*OFF, at=MONDAY + timedelta(hours=1)))
    failed = standing(tmp_path, "desk-scale", date(2026, 12, 24))
    assert failed.state is CheckState.FAILED
    assert not failed.usable
    assert "failed its check on 2026-11-16" in failed.warning
    add_check(tmp_path, checked(*GOOD, at=MONDAY + timedelta(hours=2)))
    assert standing(tmp_path, "desk-scale", MONDAY.date()).state is CheckState.CHECKED


def test_a_check_is_read_back_as_it_was_kept(tmp_path: Path) -> None:
    check = Check("desk-scale", MONDAY, (*GOOD, point("0.1 kg", "-0.01 g", "0.0170 g")), by="Jana Nováková")
    add_check(tmp_path, check)
    assert read_checks(tmp_path, "desk-scale") == ((check,), ())


def test_checks_are_only_ever_added(tmp_path: Path) -> None:
    log = add_check(tmp_path, checked(*GOOD))
    before = log.read_bytes()
    add_check(tmp_path, checked(*OFF))
    assert log.read_bytes().startswith(before)
    assert log.read_bytes().count(b"\n") == 2


def test_a_line_cut_by_a_power_failure_harms_no_other(tmp_path: Path) -> None:
    log = add_check(tmp_path, checked(*GOOD))
    with log.open("ab") as stream:
        stream.write(b'{"format": 1, "instr')
    add_check(tmp_path, checked(*OFF, at=MONDAY + timedelta(hours=1)))
    found = standing(tmp_path, "desk-scale", MONDAY.date())
    assert (found.state, found.damaged) == (CheckState.FAILED, (2,))


def test_a_forged_passed_is_worked_out_anew(tmp_path: Path) -> None:
    log = add_check(tmp_path, checked(*OFF))
    log.write_text(log.read_text().replace("false", "true"))
    assert standing(tmp_path, "desk-scale", MONDAY.date()).state is CheckState.FAILED


@given(st.text(max_size=200).map(lambda text: text.replace("\0", "")))
def test_no_log_whatever_stops_the_desk(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        log = check_log(Path(folder), "desk-scale")
        log.parent.mkdir()
        log.write_text(f"x{text}\n", encoding="utf-8", errors="replace")
        found = standing(Path(folder), "desk-scale", MONDAY.date())
        assert found.state is CheckState.UNCHECKED
        assert found.damaged


@pytest.mark.parametrize(
    "line",
    ['{"format": 2}', "[]", "1", "null", '{"format": 1, "instrument": "other", "time": "2026-11-16", "points": []}',
     '{"format": 1, "instrument": "desk-scale", "time": "2026-11-16T10:00:00", "points": []}',
     '{"format": 1, "instrument": "desk-scale", "time": "2026-11-16T10:00:00+01:00", "points": [{"nominal": "1 g"}]}',
     '{"format": 1, "instrument": "desk-scale", "time": "2026-11-16T10:00:00+01:00", "points": '
     '[{"nominal": "1 g", "shown": "1 mm", "permitted": "1 g"}]}', "[" * 5000],
)  # fmt: skip
def test_what_is_not_a_check_is_counted_as_damaged(line: str, tmp_path: Path) -> None:
    log = check_log(tmp_path, "desk-scale")
    log.parent.mkdir()
    log.write_text(line + "\n")
    assert read_checks(tmp_path, "desk-scale") == ((), (1,))


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a" * 65, "x\n", "ä"])
def test_a_name_cannot_lead_out_of_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not the name"):
        check_log(tmp_path, name)
