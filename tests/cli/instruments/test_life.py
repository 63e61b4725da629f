from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Kit

STRIKER = """characteristic,instance,value,unit,u,instrument
striker.shape,,yes,,,
striker.diameter,,41.1,mm,0.01,
striker.mass,,14.97,g,0.005,desk-scale
striker.material,,yes,,,
striker.visible_metal,,yes,,,
striker.engraving,,none,,,
"""


@pytest.fixture(autouse=True)
def _desk(kit: Kit) -> None:
    assert kit("keys", "init", "--name", "Test Federation", "--no-passphrase").code == 0
    assert kit("instruments", "add", "desk-scale", "--kind", "scale", "--calibrated-until", "2099-06-30").code == 0


def test_due_lists_what_has_run_out_and_what_has_no_date(kit: Kit) -> None:
    assert (kit("instruments", "due").code, kit("instruments", "due").out) == (0, "Nothing is due.\n")
    kit("instruments", "add", "old-caliper", "--kind", "caliper", "--calibrated-until", "2020-01-01")
    kit("instruments", "add", "new-caliper", "--kind", "caliper")
    result = kit("instruments", "due", "--json")
    assert result.code == 1
    assert {row["id"]: row["state"] for row in result.data} == {"old-caliper": "expired", "new-caliper": "no date"}


def test_what_hangs_on_a_bad_gauge_is_listed_with_its_verdict_corrected(kit: Kit, tmp_path: Path) -> None:
    file = tmp_path / "striker.csv"
    file.write_text(STRIKER)
    sheet = ("--spec", "icf-2001-it", "--item", "striker", "--subject", "Striker 7")
    made = kit("certify", file, *sheet, "-o", tmp_path / "c.pdf", "--json")
    assert made.data["verdict"] == "conforms"
    since = ("--since", "2020-01-01", "--json")
    too_little = kit("instruments", "suspect", "desk-scale", *since, "--error", "-0.05g")
    (row,) = too_little.data["certificates"]
    assert (too_little.code, row["number"], row["verdict"]) == (1, made.data["number"], "conforms")
    assert (row["would_be"], row["lines"][0]["corrected"]) == ("fails", "15.02")
    assert kit("instruments", "suspect", "desk-scale", *since, "--error", "0.01g").code == 0
    unknown = kit("instruments", "suspect", "desk-scale", *since)
    assert (unknown.code, unknown.data["certificates"][0]["would_be"]) == (3, "undecided")
    kit("instruments", "check", "desk-scale", "--zero", "0.00g", "--reference", "100g=99.95g")
    assert kit("instruments", "suspect", "desk-scale", *since).data["error"] == "-0.05"
    assert kit("instruments", "suspect", "caliper-150", *since).data["certificates"] == []


def test_a_certificate_that_hangs_on_a_bad_gauge_is_told_wherever_it_is_asked_for(kit: Kit, tmp_path: Path) -> None:
    """`suspect` only reported: a sticker was still printed, and `verify` and the registry said nothing."""
    file, out = tmp_path / "striker.csv", ("-o", tmp_path / "label.pdf")
    file.write_text(STRIKER)
    sheet = ("--spec", "icf-2001-it", "--item", "striker", "--subject", "Striker 7")
    number = kit("certify", file, *sheet, "-o", tmp_path / "c.pdf", "--json").data["number"]
    suspect = ("instruments", "suspect", "desk-scale", "--since", "2020-01-01", "--error")
    assert kit("label", number, *out).code == 0
    kit(*suspect, "-0.05g")
    for asked in ((tmp_path / "c.pdf",), (number,)):
        told = kit("verify", *asked, "--json").data
        assert (told["holds"], told["checks"]["gauge"]["holds"]) == (True, None)
        assert "desk-scale" in kit("verify", *asked).out
    assert "found bad" in kit("registry", "list").err
    assert "found bad" in kit("registry", "show", number).err
    refused = kit("label", number, *out)
    assert (refused.code, "found bad" in refused.err) == (5, True)
    kit(*suspect, "0g")
    assert kit("label", number, *out).code == 0
    assert "found bad" not in kit("registry", "list").err


@pytest.fixture
def home() -> Path:
    return Path(os.environ["INSPECT_KIT_HOME"])


def checked(home: Path, errors: list[float], states: dict[int, str] | None = None) -> None:
    """A check a week, the last one today, as the log keeps them."""
    log = home / "checks" / "desk-scale.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC)
    lines = []
    for number, error in enumerate(errors):
        day = now - timedelta(weeks=len(errors) - 1 - number)
        points = [{"nominal": "0 g", "shown": "0.00 g", "permitted": "0.05 g"},
                  {"nominal": "100 g", "shown": f"{100 + error:.3f} g", "permitted": "0.05 g"}]  # fmt: skip
        line = {"format": 1, "instrument": "desk-scale", "time": day.isoformat(), "by": "", "points": points}
        lines.append(json.dumps(line | ({"state": states[number]} if states and number in states else {})))
    log.write_text("\n".join(lines) + "\n")


def test_a_drift_is_seen_before_it_reaches_the_limit(kit: Kit, home: Path, tmp_path: Path) -> None:
    checked(home, [0.000, 0.005, 0.008, 0.014, 0.018, 0.022, 0.027, 0.031, 0.036])
    result = kit("instruments", "history", "desk-scale", "--json", "--plot", tmp_path / "h.png")
    assert result.code == 3
    point = result.data["points"][1]
    assert point["drift_per_day"] == pytest.approx(0.0045 / 7, rel=0.1)
    assert date.today() < date.fromisoformat(point["reaches_limit"]) < date.today() + timedelta(days=40)
    assert point["signals"]
    assert (tmp_path / "h.png").read_bytes().startswith(b"\x89PNG")
    assert "limit on" in kit("instruments", "history", "desk-scale").out


def test_a_steady_gauge_has_no_drift_and_a_failed_one_says_so(kit: Kit, home: Path) -> None:
    checked(home, [0.01, -0.01, 0.00, 0.01, -0.01, 0.00, 0.01, -0.01])
    steady = kit("instruments", "history", "desk-scale", "--json")
    assert (steady.code, steady.data["points"][1]["drift_per_day"]) == (0, None)
    checked(home, [0.01, 0.00, 0.09])
    assert kit("instruments", "history", "desk-scale").code == 1
    assert kit("instruments", "history", "scale-200g").code == 2


def test_after_an_adjustment_the_drift_is_counted_anew(kit: Kit, home: Path) -> None:
    climbing = [0.000, 0.005, 0.008, 0.014, 0.018, 0.022, 0.027, 0.031, 0.036]
    checked(home, [*climbing, 0.001], {8: "as-found", 9: "as-left"})
    result = kit("instruments", "history", "desk-scale", "--json")
    assert (result.code, result.data["points"][1]["drift_per_day"]) == (0, None)
    assert [c["state"] for c in result.data["checks"]][-2:] == ["as-found", "as-left"]
    left = kit(
        "instruments", "check", "desk-scale", "--zero", "0.00g", "--reference", "100g=100.00g", "--as-left", "--json"
    )
    assert left.data["state"] == "as-left"


def test_a_dcc_becomes_the_sheet_of_the_gauge(kit: Kit, tmp_path: Path) -> None:
    from tests.capture.gauges.test_calibration import dcc

    file = tmp_path / "dcc.xml"
    file.write_text(dcc())
    result = kit("instruments", "certificate", "desk-scale", file, "--until", "2099-10-01", "--json")
    assert (result.code, result.data["serial"], len(result.data["points"])) == (0, "B021002593", 3)
    assert "signature is not checked" in result.err
    (row,) = [each for each in kit("instruments", "list", "--json").data if each["id"] == "desk-scale"]
    assert row["calibrated_until"] == "2099-10-01"
    assert kit("instruments", "certificate", "scale-200g", file).code == 2


def test_a_paper_certificate_is_taken_over_by_questions(kit: Kit) -> None:
    typed = "K-17\nExample Laboratory\nyesterday\n2026-10-02\nS1\n2\n100 g\n100.01 g\nmuch\n0.008 g\n200\n199.98\n0.012\n\n2027-10-01\n"
    result = kit("instruments", "certificate", "desk-scale", "--json", typed=typed)
    assert result.code == 0
    assert result.data["calibration"] == "K-17, Example Laboratory, 2026-10-02"
    assert result.data["uncertainty"][:2] == [
        {"source": "calibration", "size": "0.012 g"}, {"source": "error not corrected", "size": "0.02 g"},
    ]  # fmt: skip
    assert "write it as 2026-11-30" in result.err
