"""A whole striker check-in: live mass from a simulated scale, certificate whose record holds the raw line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from inspect_kit.capture.simulator import Simulation, simulated
from tests.cli.conftest import Kit


@pytest.fixture
def home() -> Path:
    return Path(os.environ["INSPECT_KIT_HOME"])


def test_a_striker_is_weighed_live_and_the_scales_own_line_stays_in_the_record(
    kit: Kit, tmp_path: Path, home: Path
) -> None:
    out = tmp_path / "striker.json"
    with simulated(Simulation("mt-sics")) as scale:
        added = kit(
            "instruments", "add", "desk-scale", "--kind", "scale", "--port", scale.port, "--protocol", "mt-sics"
        )
        assert added.code == 0, added.err
        result = kit(
            "inspect", "--spec", "icf-cs", "--item", "striker", "-o", out,
            "--instrument", "desk-scale", "--instrument", "caliper-150",
            typed="yes\n41.1\n!\nyes\nyes\n\n\n",
        )  # fmt: skip
    assert result.code == 0, result.err
    mass = next(m for m in json.loads(out.read_text())["measurements"] if m["characteristic"] == "striker.mass")
    assert mass["raw"].startswith("S S")
    assert mass["serial"]
    assert mass["time"]
    assert "was not checked today" in kit("judge", out, "--spec", "icf-cs", "--item", "striker").err


def test_a_gauge_that_failed_its_daily_check_decides_nothing(kit: Kit, tmp_path: Path) -> None:
    kit("instruments", "add", "desk-scale", "--kind", "scale")
    failed = kit("instruments", "check", "desk-scale", "--zero", "0.00g", "--reference", "100g=101.00g")
    assert failed.code in (1, 4), failed.err
    readings = tmp_path / "s.csv"
    readings.write_text("characteristic,value,instrument\nstriker.mass,14.2 g,desk-scale\n")
    result = kit("judge", readings, "--spec", "icf-cs", "--item", "striker", "--json")
    mass = next(f for f in result.data["findings"] if f["characteristic"] == "striker.mass")
    assert (mass["verdict"], mass["reason"]) == ("undecided", "check-failed")


def test_a_line_typed_by_a_keyboard_wedge_is_understood_and_kept(kit: Kit, tmp_path: Path) -> None:
    out = tmp_path / "s.json"
    typed = "yes\n41,27 mm\nST,+00014.82  g\nyes\nyes\n\n\n"
    result = kit("inspect", "--spec", "icf-cs", "--item", "striker", "-o", out,
                 "--instrument", "caliper-150", "--instrument", "scale-200g", typed=typed)  # fmt: skip
    assert "14.82" in result.out, result.err
    mass = next(m for m in json.loads(out.read_text())["measurements"] if m["characteristic"] == "striker.mass")
    assert (mass["value"], mass["raw"]) == (14.82, "ST,+00014.82  g")


def test_reading_live_without_a_connection_is_told(kit: Kit, tmp_path: Path) -> None:
    result = kit("inspect", "--spec", "icf-cs", "--item", "striker", "-o", tmp_path / "s.json", typed="yes\n!\nq\n")
    assert "no gauge is chosen" in result.err


def test_a_desk_tells_scripts_its_own_key(kit: Kit) -> None:
    desk = kit("station", "desk", "--json").data
    assert kit("station", "desk").out.split() == [desk["id"], desk["key"]]


def test_a_token_is_given_out_to_scripts_too(kit: Kit) -> None:
    made = kit("serve", "token", "add", "press 4", "--read-only", "--json").data
    assert (made["name"], made["write"]) == ("press 4", False)
    assert len(made["token"]) > 20
