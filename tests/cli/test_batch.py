"""`batch` as a person or a script meets it: photos in, lines, a table, inspections and lots out."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspect_kit.cli.app import app, run
from inspect_kit.cli.batch import MEASURE, check, measure
from inspect_kit.errors import UsageError
from inspect_kit.quality.batch.workers import Work
from tests.certificate.reading import text_of
from tests.quality.batch.photo_measuring import draw_photos
from tests.quality.batch.trays import camera_file

Call = Callable[..., tuple[int, str, str]]
BASE = ("--spec", "icf-cs", "--item", "coin-set", "--on", "2026-11-16")


@pytest.fixture
def kit(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: Path) -> Call:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(repository))

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run(app, [str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def keys(kit: Call) -> None:
    assert kit("keys", "init", "--name", "Czech Carrom Association", "--no-passphrase")[0] == 0


def data_of(outcome: tuple[int, str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(outcome[1])
    return found


STRIKERS = ("--measure", "striker", "--function", "tests.quality.batch.photo_measuring:measure", "--print-scale", "1.6")
OWN = ("--measure", "coin", "--function", "tests.quality.batch.photo_measuring:measure", "--print-scale", "1.3")


@pytest.mark.usefixtures("keys")
def test_photos_of_trays_become_a_lot_certificate(kit: Call, tmp_path: Path) -> None:
    draw_photos(tmp_path / "trays", 12)
    found = data_of(kit("batch", "trays", *OWN, "-o", "trays.jsonl", "--workers", 1, "--json"))
    assert (found["photos"], found["measured"], found["failed"]) == (12, 12, [])
    lotted = kit("qa", "lot", "trays.jsonl", *BASE, "--characteristic", "coin.diameter", "-o", "lot.pdf", "--json")
    made = data_of(lotted)
    assert (lotted[0], made["verdict"], made["inspected"]) == (1, "fails", 12)
    assert made["nonconforming"][0]["piece"] == "tray-00000 1"
    assert "tray-00000.png" in text_of((tmp_path / "lot.pdf").read_bytes())


def test_bad_photos_are_told_and_the_exit_code_says_that_something_is_missing(kit: Call, tmp_path: Path) -> None:
    paths = draw_photos(tmp_path / "trays", 3)
    paths[1].write_bytes(b"no photo")
    code, out, err = kit("batch", "trays", *OWN, "--workers", 1)
    assert code == 3
    assert "2 of 3 photos measured" in out
    assert "trays/tray-00001.png: is not a photo" in out
    assert err == ""
    code, out, _ = kit("batch", "trays/tray-00001.png", *OWN, "--workers", 1, "-o", "none.jsonl")
    assert (code, "0 of 1 photos measured" in out) == (4, True)


def test_called_again_nothing_is_measured_twice(kit: Call, tmp_path: Path) -> None:
    draw_photos(tmp_path / "trays", 3)
    kit("batch", "trays", *OWN, "--workers", 1)
    before = (tmp_path / "batch.jsonl").read_bytes()
    assert "3 of 3 photos measured, 3 of them before" in kit("batch", "trays", *OWN, "--workers", 1)[1]
    assert (tmp_path / "batch.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("empty", *OWN), "there is no photo"),
        (("trays", "--measure", "cions"), "cannot measure 'cions'"),
        (("trays", "--measure", "coins", "--known", "surface.side=738mm"), "--known"),
        (("trays", "--measure", "coins", "--function", "nowhere"), "does not name a function"),
        (("trays", *OWN, "-o", "trays"), "is a folder"),
        (("trays", *OWN, "-o", "trays/tray-00000.png"), "is no batch's results"),
    ],
)
def test_wrong_usage_is_said_before_the_work_begins(
    kit: Call, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    draw_photos(tmp_path / "trays", 1)
    (tmp_path / "empty").mkdir()
    code, out, err = kit("batch", *arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_the_programs_own_measuring_is_called_as_its_command(tmp_path: Path) -> None:
    check(Work("coins", (("thickness", "8.1mm"),), MEASURE))
    (path,) = draw_photos(tmp_path, 1)
    with pytest.raises(Exception, match="pixels"):
        measure("coins", path, {"thickness": "8.1mm"})
    with pytest.raises(UsageError, match="no such option"):
        measure("coins", path, {"no_such": "1"})


def test_a_table_of_the_values_feeds_a_lot_and_lies_beside_the_full_results(kit: Call, tmp_path: Path) -> None:
    draw_photos(tmp_path / "trays", 5)
    assert data_of(kit("batch", "trays", *OWN, "-o", "lot.csv", "--workers", 1, "--json"))["out"] == "lot.csv"
    head, first, *_ = (tmp_path / "lot.csv").read_text().splitlines()
    assert head == "characteristic,instance,value,unit,u,photo,note"
    assert first.startswith("coin.diameter,tray-00000 1,")
    by_table, by_lines = (
        data_of(kit("qa", "lot", name, *BASE, "--characteristic", "coin.diameter", "--json"))
        for name in ("lot.csv", "lot.jsonl")
    )
    assert by_table["characteristics"] == by_lines["characteristics"]
    assert by_table["inspected"] == 5
    assert "5 of them before" in kit("batch", "trays", *OWN, "-o", "lot.csv", "--workers", 1)[1]


def test_a_photo_named_like_a_formula_is_no_formula_in_the_table(kit: Call, tmp_path: Path) -> None:
    (path,) = draw_photos(tmp_path / "trays", 1)
    path.rename(tmp_path / "trays" / "=cmd|' ,x.png")
    assert kit("batch", "trays", *OWN, "-o", "lot.csv", "--workers", 1)[0] == 0
    assert "\"'=cmd|' ,x 1\"" in (tmp_path / "lot.csv").read_text()


def test_a_table_of_somebody_else_is_not_overwritten(kit: Call, tmp_path: Path) -> None:
    draw_photos(tmp_path / "trays", 1)
    (tmp_path / "lot.csv").write_text("piece,coin.diameter\n1,31\n")
    code, out, err = kit("batch", "trays", *OWN, "-o", "lot.csv")
    assert (code, out) == (2, "")
    assert "is no batch's table" in err
    assert not (tmp_path / "lot.jsonl").exists()


def test_judged_photos_are_in_the_registry_once_each_and_the_chain_holds(kit: Call, tmp_path: Path) -> None:
    paths = draw_photos(tmp_path / "trays", 4)
    paths[2].write_bytes(b"no photo")
    judged = ("--spec", "icf-cs", "--item", "striker", "--subject", "Lot 7", "--owner", "Müller")
    first = data_of(kit("batch", "trays", *STRIKERS, *judged, "--on", "2026-11-16", "--workers", 1, "--json"))
    again = data_of(kit("batch", "trays", *STRIKERS, *judged, "--on", "2026-11-17", "--workers", 1, "--json"))
    assert (first["registered"], again["registered"]) == (3, 0)
    found = json.loads(kit("registry", "inspections", "--subject", "lot 7", "--json")[1])
    assert [row["subject"] for row in found] == ["Lot 7 tray-00003", "Lot 7 tray-00001", "Lot 7 tray-00000"]
    assert {(row["owner"], row["sheet"], row["inspected_on"]) for row in found} == {("Müller", "icf-cs", "2026-11-16")}
    assert "conforms" not in {row["verdict"] for row in found}
    assert json.loads(kit("registry", "inspections", "--verdict", "conforms", "--json")[1]) == []
    assert json.loads(kit("registry", "list", "--json")[1]) == []
    audited = data_of(kit("registry", "audit", "--json"))
    assert (audited["clean"], audited["entries"], audited["files"]) == (True, 3, 6)
    assert kit("registry", "backup", "all.zip")[0] == 0
    assert kit("--home", "new", "registry", "restore", "all.zip")[0] == 0
    assert len(json.loads(kit("--home", "new", "registry", "inspections", "--json")[1])) == 3


def test_a_tray_of_some_coins_is_not_entered_as_a_coin_set_that_fails(kit: Call, tmp_path: Path) -> None:
    draw_photos(tmp_path / "trays", 2)
    code, out, err = kit("batch", "trays", *OWN, "--spec", "icf-cs", "--item", "coin-set", "--workers", 1, "--json")
    assert (code, json.loads(out)["registered"]) == (0, 0)
    assert "shows 1 pieces, a coin-set has 19" in err
    assert json.loads(kit("registry", "inspections", "--json")[1]) == []


def test_an_inspection_whose_evidence_was_changed_is_found_by_the_audit(
    kit: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_KIT_HOME", str(tmp_path / "home"))
    draw_photos(tmp_path / "trays", 1)
    assert kit("batch", "trays", *STRIKERS, "--spec", "icf-cs", "--item", "striker", "--workers", 1)[0] == 0
    kept = next(path for path in (tmp_path / "home" / "evidence").glob("??/*") if b'"photo"' in path.read_bytes())
    kept.write_bytes(kept.read_bytes().replace(b"mm", b"cm"))
    assert kit("registry", "audit")[0] == 5


def test_results_are_not_taken_over_from_another_camera_of_the_same_name(kit: Call, tmp_path: Path) -> None:
    draw_photos(tmp_path / "trays", 2)
    camera = camera_file(tmp_path / "camera.json")
    assert kit("batch", "trays", *OWN, "--camera", "camera.json", "--workers", 1)[0] == 0
    assert str(tmp_path) not in (tmp_path / "batch.jsonl").read_text().splitlines()[0]
    camera.write_text(camera.read_text() + " ")
    code, _, err = kit("batch", "trays", *OWN, "--camera", "camera.json", "--workers", 1)
    assert (code, "was begun with other settings" in err) == (2, True)
    assert kit("batch", "trays", *OWN, "--camera", "none.json")[0] == 4


def test_a_terminal_shows_how_far_it_is_and_standard_output_only_the_document(tmp_path: Path, repository: Path) -> None:
    draw_photos(tmp_path / "trays", 6)
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "inspect_kit", "batch", "trays", *OWN, "--workers", "1", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(repository), "TERM": "xterm"}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=terminal) as child:
        os.close(terminal)
        shown = b""
        while part := _read(screen):
            shown += part
        assert child.stdout is not None
        assert json.loads(child.stdout.read())["measured"] == 6
    os.close(screen)
    assert b"photos" in shown
    assert b"6/6" in shown


def _read(screen: int) -> bytes:
    try:
        return os.read(screen, 4096)
    except OSError:  # Linux says so when the other end is closed.
        return b""


def test_the_table_can_be_a_spreadsheet_that_reads_back_as_the_same_lot(kit: Call, tmp_path: Path) -> None:
    draw_photos(tmp_path / "trays", 3)
    for name in ("lot.csv", "lot.xlsx"):
        assert kit("batch", "trays", *OWN, "-o", name, "--workers", 1)[0] == 0
    by_text, by_sheet = (
        data_of(kit("qa", "lot", name, *BASE, "--characteristic", "coin.diameter", "--json"))["characteristics"]
        for name in ("lot.csv", "lot.xlsx")
    )
    assert by_text == by_sheet
    (tmp_path / "other.xlsx").write_bytes(b"PK mine")
    assert kit("batch", "trays", *OWN, "-o", "other.xlsx", "--workers", 1)[0] == 2
