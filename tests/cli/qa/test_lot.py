"""`qa lot`, `qa export` and `batch` as a person or a script meets them."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspect_kit.cli.app import app, run
from inspect_kit.cli.batch import command as batch_command
from inspect_kit.cli.qa.lot import export, lot
from tests.certificate.reading import text_of
from tests.quality.lot.lots import coins, wide

Call = Callable[..., tuple[int, str, str]]
BASE = ("--spec", "icf-cs", "--item", "coin-set", "--on", "2026-11-16")
ONE = ("--characteristic", "coin.diameter", "--u", "0.01")


@pytest.fixture
def kit(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: Path) -> Call:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(repository))

    def call(*arguments: object) -> tuple[int, str, str]:
        group = ["qa"] if arguments[0] in ("lot", "export") else []
        code = run(app, [*group, *(str(argument) for argument in arguments)])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def keys(kit: Call) -> None:
    """Whoever issues a certificate needs keys."""
    assert (
        kit("keys", "init", "--name", "Czech Carrom Association", "--inspector", "Řehoř Áron", "--no-passphrase")[0]
        == 0
    )


def data_of(outcome: tuple[int, str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(outcome[1])
    return found


# qa lot


@pytest.mark.usefixtures("keys")
def test_a_lot_is_judged_and_certified_in_one_step(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path)
    outcome = kit("lot", "coins.csv", *BASE, "--u", "0.01", "--lot", 500, "--aql", "1.0", "--level", "III",
                  "--subject", "Lot 7", "-o", "lot.pdf", "--json")  # fmt: skip
    found = data_of(outcome)
    assert outcome[0] == 0
    assert found["verdict"] == "conforms"
    assert found["plan"]["n"] == found["inspected"] == 80
    assert (found["lot"], found["failed"], found["plan"]["ac"]) == (500, 1, 2)
    assert [part["characteristic"] for part in found["characteristics"]] == ["coin.diameter", "coin.mass"]
    assert found["characteristics"][0]["capability"]["ppk_ci"][0] < found["characteristics"][0]["capability"]["ppk"]
    assert [piece["piece"] for piece in found["nonconforming"]] == ["A-041"]
    assert "Lot 7" in text_of((tmp_path / "lot.pdf").read_bytes())


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("bad", "code", "series"), [((), 0, "CCA-2"), (((3, "31.95"),), 1, "CCA-R"), (((3, "31.79"),), 3, "CCA-R")]
)
def test_a_lot_is_issued_registered_and_verified_like_any_certificate(
    kit: Call, tmp_path: Path, bad: Any, code: int, series: str
) -> None:
    coins(tmp_path, 20, bad)
    made = kit("lot", "coins.csv", *BASE, *ONE, "--subject", "Lot 7", "--maker", "Müller", "-o", "lot.pdf", "--json")
    issued = data_of(made)
    assert made[0] == code
    assert issued["pdf"] == "lot.pdf"
    assert issued["qr"]
    text = text_of((tmp_path / "lot.pdf").read_bytes())
    assert issued["number"] in text
    assert "Signed electronically by Řehoř Áron for Czech Carrom Association" in text
    for what in ("lot.pdf", issued["qr"]):
        seen = kit("verify", what, "--subject", "Lot 7", "--json")
        assert (seen[0], data_of(seen)["number"]) == (code, issued["number"])
    (entry,) = json.loads(kit("registry", "list", "--json")[1])
    assert (entry["number"], entry["subject"], entry["owner"], entry["record"]) == (
        issued["number"], "Lot 7", "Müller", issued["digest"],
    )  # fmt: skip
    assert kit("registry", "audit")[0] == 0


@pytest.mark.usefixtures("keys")
def test_a_lot_certificate_that_was_changed_does_not_hold(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 20, ())
    assert kit("lot", "coins.csv", *BASE, *ONE, "-o", "lot.pdf")[0] == 0
    pdf = bytearray((tmp_path / "lot.pdf").read_bytes())
    pdf[len(pdf) // 2] ^= 1
    (tmp_path / "lot.pdf").write_bytes(pdf)
    assert kit("verify", "lot.pdf")[0] == 5


@pytest.mark.usefixtures("keys")
def test_a_lot_with_other_readings_replaces_its_certificate(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 20, ())
    first = data_of(kit("lot", "coins.csv", *BASE, *ONE, "-o", "first.pdf", "--json"))
    coins(tmp_path, 20, ((3, "31.01"),))
    second = data_of(kit("lot", "coins.csv", *BASE, *ONE, "-o", "second.pdf", "--json"))
    assert second["replaces"] == [first["number"]]
    assert kit("verify", "first.pdf")[0] == 5
    assert kit("verify", "second.pdf")[0] == 0


def test_without_keys_no_certificate_is_issued_and_no_lot_counted(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 80)
    plan = ("--lot", 500, "--aql", "1.0", "--level", "III", "--ledger", "lots.csv")
    code, out, err = kit("lot", "coins.csv", *BASE, *ONE, *plan, "-o", "lot.pdf")
    assert (code, out) == (2, "")
    assert "inspect-kit keys init" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["coins.csv"]


def test_without_out_a_lot_is_judged_and_nothing_is_issued(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 20, ())
    found = data_of(kit("lot", "coins.csv", *BASE, *ONE, "--json"))
    assert (found["verdict"], found["number"], found["pdf"], found["qr"]) == ("conforms", None, None, None)


@pytest.mark.parametrize(
    ("bad", "code", "word"), [((), 0, "ACCEPTED"), (((3, "31.95"),), 1, "REFUSED"), (((3, "31.79"),), 3, "NOT DECIDED")]
)
def test_the_exit_code_tells_the_verdict(kit: Call, tmp_path: Path, bad: Any, code: int, word: str) -> None:
    coins(tmp_path, 20, bad)
    outcome = kit("lot", "coins.csv", *BASE, *ONE)
    assert outcome[0] == code
    assert f"THE LOT IS {word}" in outcome[1]


def test_a_ledger_tells_the_severity_and_gets_the_lot(kit: Call, tmp_path: Path) -> None:
    plan = ("--lot", 500, "--aql", "1.0", "--level", "III", "--ledger", "lots.csv")
    for number in range(2):
        coins(tmp_path, 80, ((1, "33"), (2, "33"), (3, f"33.{number}")))
        assert kit("lot", "coins.csv", *BASE, *ONE, *plan)[0] == 1
    coins(tmp_path, 80, ((1, "33"), (2, "33"), (3, "34")))
    third = kit("lot", "coins.csv", *BASE, *ONE, *plan, "--json")
    assert data_of(third)["plan"]["severity"] == "tightened"
    assert (tmp_path / "lots.csv").read_text().count("\n") == 4


def test_an_undecided_lot_does_not_go_into_the_ledger(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 80, tuple((n, "31.79") for n in range(1, 5)))
    outcome = kit(
        "lot", "coins.csv", *BASE, *ONE, "--lot", 500, "--aql", "1.0", "--level", "III", "--ledger", "lots.csv"
    )
    assert outcome[0] == 3
    assert "not in the ledger" in outcome[2]
    assert not (tmp_path / "lots.csv").exists()


@pytest.mark.usefixtures("keys")
def test_a_dcc_can_go_along(kit: Call, tmp_path: Path) -> None:
    import pikepdf

    coins(tmp_path, 20, ())
    assert kit("lot", "coins.csv", *BASE, *ONE, "--dcc", "-o", "lot.pdf")[0] == 0
    with pikepdf.open(tmp_path / "lot.pdf") as pdf:
        assert "dcc.xml" in pdf.attachments
    assert kit("verify", "lot.pdf")[0] == 0


def test_a_plan_by_variables_is_decided(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 35, ())
    outcome = kit("lot", "coins.csv", *BASE, *ONE, "--lot", 500, "--aql", "1.0", "--variables", "--json")
    assert outcome[0] in (0, 4)
    wanted = 35 if outcome[0] == 0 else int(outcome[2].rsplit("sample of ", 1)[1].split()[0])
    coins(tmp_path, wanted, ())
    found = data_of(kit("lot", "coins.csv", *BASE, *ONE, "--lot", 500, "--aql", "1.0", "--variables", "--json"))
    assert found["plan"]["kind"] == "variables"
    assert found["characteristics"][0]["accepted"] is True


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nothing.csv", *BASE, *ONE), 4, "no such file"),
        (("coins.csv", *BASE, "--characteristic", "coin.weight"), 2, "no limits for 'coin.weight'"),
        (("coins.csv", *BASE, "--characteristic", "coin.height"), 4, "has no reading of coin.height"),
        (("coins.csv", *BASE, *ONE, "--lot", "500"), 4, "has 20 pieces of a lot of 500"),
        (("coins.csv", *BASE, *ONE, "--aql", "1.1"), 2, "not an AQL of the series"),
        (("coins.csv", *BASE, *ONE, "--level", "II"), 2, "go with --aql"),
        (("coins.csv", *BASE, *ONE, "--variables"), 2, "needs --aql"),
        (("coins.csv", *BASE, "--u", "0.01g", "--characteristic", "coin.diameter"), 2, "no uncertainty in mm"),
        (("coins.csv", *BASE, "--u", "0mm", "--characteristic", "coin.diameter"), 2, "no uncertainty in mm"),
        (("coins.csv", *BASE, "--u", "some", "--characteristic", "coin.diameter"), 4, "expected a number"),
        (("coins.csv", *BASE, "--u", "1e-7", "--characteristic", "coin.diameter"), 4, "less than a twentieth"),
        (("coins.csv", *BASE, *ONE, "--u", "1e-7", "--instrument", "caliper-150"), 4, "less than a twentieth"),
        (("coins.csv", *BASE, *ONE, "--lot", "500", "--aql", "1000"), 2, "counts defects"),
        (("coins.csv", *BASE, *ONE, "--delivered", "5000"), 2, "5000 pieces were delivered of a lot of 20"),
        (("coins.csv", *BASE, *ONE, "--instrument", "nobody"), 4, "no instrument is called"),
        (("coins.csv", *BASE, *ONE, "--subgroup", "trai"), 4, 'no column "trai"'),
        (("coins.csv", *BASE, *ONE, "--subject", "x" * 300), 4, "at most 200 fit"),
        (("coins.csv", *BASE, *ONE, "-o", "coins.csv"), 2, "would overwrite the readings"),
        (("coins.csv", *BASE, *ONE, "-o", "no/such/folder.pdf"), 4, "cannot be written"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    kit: Call, tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    coins(tmp_path, 20, ())
    found, out, err = kit("lot", *arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert "Traceback" not in err


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("cell", "code"),
    [("", 3), ("nan", 4), ("inf", 4), ("-3", 4), ("thirty", 4), ("31,0,0", 4), ("\x00", 4), ("1e30", 4), ("1e-30", 4)],
)
def test_a_cell_that_is_no_length_is_refused_left_open_or_fails(
    kit: Call, tmp_path: Path, cell: str, code: int
) -> None:
    wide(tmp_path / "lot.csv", [("A1", f'"{cell}"', 5.3), ("A2", 31.0, 5.3), ("A3", 31.1, 5.3)])
    found, _, err = kit("lot", "lot.csv", *BASE, *ONE, "-o", "lot.pdf")
    assert found == code
    assert "fault in the program" not in err
    assert (tmp_path / "lot.pdf").exists() is (code != 4)


# qa export


@pytest.mark.parametrize(
    ("name", "start"), [("lot.dfq", b"K0100 1\r\n"), ("lot.qif", b"<?xml"), ("out.csv", b"characteristic,")]
)
def test_a_lot_is_exported_in_the_form_of_the_name(kit: Call, tmp_path: Path, name: str, start: bytes) -> None:
    coins(tmp_path, 20, ())
    assert kit("export", "coins.csv", *BASE, *ONE, "-o", name)[0] == 0
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("command", ["lot", "export"])
def test_a_device_or_a_pipe_is_never_replaced_by_a_file(kit: Call, tmp_path: Path, command: str) -> None:
    coins(tmp_path, 20, ())
    os.mkfifo(tmp_path / "pipe.csv")
    code, out, err = kit(command, "coins.csv", *BASE, *ONE, "-o", "pipe.csv")
    assert (code, out) == (4, "")
    assert "is a device or a pipe" in err
    assert (tmp_path / "pipe.csv").is_fifo()


def test_an_export_that_ends_in_an_error_leaves_nothing_behind(kit: Call, tmp_path: Path) -> None:
    wide(tmp_path / "lot.csv", [("A1", 9), ("A2", 9)], "piece,coin.count.white")
    code, _, err = kit("export", "lot.csv", *BASE, "-o", "lot.qif")
    assert (code, "QIF has no characteristic in count" in err) == (4, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lot.csv"]


def test_export_does_not_overwrite_what_it_reads(kit: Call, tmp_path: Path) -> None:
    coins(tmp_path, 20, ())
    assert kit("export", "coins.csv", *BASE, *ONE, "-o", "./coins.csv")[0] == 2


def test_every_command_shows_an_example_and_its_examples_parse() -> None:
    for command in (lot, export, batch_command):
        assert "Example" in (command.help or "")
        for line in (command.help or "").replace("\\\n", " ").splitlines():
            words = shlex.split(line) if line.strip().startswith("inspect-kit") else []
            if words:
                called = {"lot": lot, "export": export, "batch": batch_command}[
                    words[2] if words[1] == "qa" else words[1]
                ]
                called.make_context("x", words[3 if words[1] == "qa" else 2 :])
