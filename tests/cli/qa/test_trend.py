"""`qa trend`: the registry as the maker's memory."""

from __future__ import annotations

import statistics
from math import sqrt
from pathlib import Path

import pytest

from tests.cli.conftest import Kit
from tests.quality.lot.lots import wide

BASE = ("--spec", "icf-cs", "--item", "coin-set", "--characteristic", "coin.diameter", "--u", "0.01mm")
HEAD = "piece,coin.diameter [mm],machine"
MONTHS = {
    "2026-09-03": [("30.90", "M1"), ("31.00", "M2"), ("31.10", "M1"), ("31.06", "M2")],
    "2026-09-20": [("31.00", "M1"), ("31.05", "M2"), ("31.20", "M1"), ("31.11", "M2")],
    "2026-11-05": [("31.10", "M1"), ("31.20", "M2"), ("31.30", "M1"), ("31.95", "M2")],
}


@pytest.fixture
def lots(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two lots in September, one in November with a piece that is too large."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "home"))
    for day, rows in MONTHS.items():
        wide(tmp_path / "lot.csv", [(number, *row) for number, row in enumerate(rows, 1)], HEAD)
        kit("qa", "lot", "lot.csv", *BASE, "--on", day, "--subject", f"Lot {day}", "--register")


@pytest.mark.usefixtures("lots")
def test_lots_are_put_together_by_month_with_their_indices_and_limits(kit: Kit) -> None:
    (found,) = kit("qa", "trend", "--json").data["characteristics"]
    september, november = found["points"]
    first, second = ([float(value) for value, _ in rows] for rows in list(MONTHS.values())[:2])
    within = sqrt((3 * statistics.variance(first) + 3 * statistics.variance(second)) / 6)
    mean = statistics.mean(first + second)
    cpk = (31.8 - mean) / (3 * within)
    half = 1.959964 * sqrt(1 / (9 * 8) + cpk**2 / (2 * 6))
    assert (september["period"], september["lots"], september["n"], september["failed"]) == ("2026-09", 2, 8, 0)
    assert september["mean"] == pytest.approx(mean, rel=1e-7)
    assert september["s_within"] == pytest.approx(within, rel=1e-6)
    assert september["s_overall"] == pytest.approx(statistics.stdev(first + second), rel=1e-6)
    assert september["cpk"] == pytest.approx(cpk, rel=1e-6)
    assert september["cpk_ci"] == pytest.approx([cpk - half, cpk + half], rel=1e-5)
    assert (november["period"], november["failed"], november["inspected"]) == ("2026-11", 1, 4)
    assert (found["lower"], found["upper"], found["unit"]) == (30.2, 31.8, "mm")


@pytest.mark.usefixtures("lots")
def test_machines_are_told_apart_and_faults_are_counted(kit: Kit) -> None:
    data = kit("qa", "trend", "--by", "machine", "--since", "2026-11", "--json").data
    points = data["characteristics"][0]["points"]
    assert [(point["stratum"], point["n"], point["failed"]) for point in points] == [("M1", 2, 0), ("M2", 2, 1)]
    assert points[1]["mean"] == pytest.approx((31.20 + 31.95) / 2)
    (fault,) = data["pareto"]
    assert fault == {"characteristic": "coin.diameter", "reason": "above-upper", "count": 1, "cumulative": 1.0}


@pytest.mark.usefixtures("lots")
def test_a_value_beyond_a_limit_but_within_u_has_not_failed_on_any_machine(kit: Kit, tmp_path: Path) -> None:
    wide(tmp_path / "lot.csv", [(1, "31.81", "M1"), (2, "31.95", "M1"), (3, "31.0", "M1")], HEAD)
    kit("qa", "lot", "lot.csv", *BASE, "--on", "2026-12-01", "--subject", "Lot 9", "--register")
    for more in ((), ("--by", "machine")):
        data = kit("qa", "trend", "--since", "2026-12", *more, "--json").data
        assert [point["failed"] for point in data["characteristics"][0]["points"]] == [1]


@pytest.mark.usefixtures("lots")
def test_a_lot_that_is_entered_twice_counts_once(kit: Kit) -> None:
    again = kit("qa", "lot", "lot.csv", *BASE, "--on", "2026-11-05", "--subject", "Lot 2026-11-05", "--register")
    assert "is in the registry already" in again.err
    points = kit("qa", "trend", "--period", "lot", "--json").data["characteristics"][0]["points"]
    assert [point["n"] for point in points] == [4, 4, 4]


@pytest.mark.usefixtures("lots")
def test_a_lot_that_was_certified_counts_until_its_certificate_is_revoked(kit: Kit) -> None:
    assert kit("keys", "init", "--name", "Turnery", "--inspector", "Eva", "--no-passphrase").code == 0
    wide(Path("next.csv"), [(n, f"31.{n:02}", "M3") for n in range(1, 9)], HEAD)
    number = kit("qa", "lot", "next.csv", *BASE, "--on", "2026-10-01", "-o", "next.pdf", "--json").data["number"]
    october = ("qa", "trend", "--since", "2026-10", "--until", "2026-10", "--json")
    assert kit(*october).data["characteristics"][0]["points"][0]["n"] == 8
    assert kit("registry", "revoke", number, "--because", "wrong gauge").code == 0
    assert kit(*october).code == 4


@pytest.mark.usefixtures("lots")
def test_the_trend_is_drawn_and_printed(kit: Kit, tmp_path: Path) -> None:
    found = kit("qa", "trend", "--by", "machine", "--plot", "trend.svg")
    assert found.code == 0
    assert "above-upper" in found.out
    drawn = (tmp_path / "trend.svg").read_text()
    assert drawn.startswith("<?xml")


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (("--since", "2026-13"), 2, "is no day"),
        (("--since", "2026-02-30"), 2, "is no day"),
        (("--characteristic", "coin.diametr"), 2, 'did you mean "coin.diameter"'),
        (("--until", "2020-01"), 4, "the registry has no lot in that time"),
    ],
)
@pytest.mark.usefixtures("lots")
def test_a_question_without_an_answer_is_said_in_a_sentence(
    kit: Kit, given: tuple[str, ...], code: int, said: str
) -> None:
    found = kit("qa", "trend", *given)
    assert (found.code, said in found.err) == (code, True)
