from __future__ import annotations

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
