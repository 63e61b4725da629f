from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inspect_kit.capture.instruments import read_instrument
from inspect_kit.capture.protocols.table import PROTOCOLS
from inspect_kit.capture.simulated_replies import Display, ReplyState
from inspect_kit.capture.simulator import LineFault, Simulation, script_of, simulated
from tests.cli.conftest import Kit


def home() -> Path:
    return Path(os.environ["INSPECT_KIT_HOME"])


def added(kit: Kit, *more: object) -> None:
    assert (
        kit("instruments", "add", "desk-scale", "--kind", "scale", "--calibrated-until", "2099-06-30", *more).code == 0
    )


def row(kit: Kit, name: str) -> dict[str, object]:
    rows = kit("instruments", "list", "--json").data
    return next(entry for entry in rows if entry["id"] == name)


def test_add_writes_a_sheet_that_measurement_files_can_name(kit: Kit) -> None:
    result = kit(
        "instruments", "add", "desk-caliper", "--kind", "caliper", "--name", "Desk caliper", "--maker", "Mitutoyo",
        "--serial", "A17-0042", "--resolution", "0.02mm", "--upper", "200 mm", "--calibrated-until", "2027-06-30",
        "--calibration", "certificate 1234/26", "--expanded", "0,03 mm",
    )  # fmt: skip
    assert result.code == 0
    gauge = read_instrument(home() / "instruments" / "desk-caliper.toml")
    assert (gauge.name, gauge.maker, gauge.serial, str(gauge.resolution)) == (
        "Desk caliper",
        "Mitutoyo",
        "A17-0042",
        "0.02 mm",
    )
    assert str(gauge.upper) == "200 mm"
    first = gauge.effects[0]
    assert (first.source, str(first.size), first.coverage, first.shared) == ("calibration", "0.03 mm", 2, True)
    assert [effect.source for effect in gauge.effects] == ["calibration", "handling"]


def test_add_does_not_write_over_a_sheet_unless_told(kit: Kit) -> None:
    added(kit)
    again = kit("instruments", "add", "desk-scale", "--kind", "scale")
    assert again.code == 2
    assert "--replace" in again.err
    assert kit("instruments", "add", "desk-scale", "--kind", "scale", "--serial", "B2", "--replace").code == 0
    assert row(kit, "desk-scale")["serial"] == "B2"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("../../x", "--kind", "scale"), 2),
        (("x/y", "--kind", "scale"), 2),
        (("x",), 2),
        (("x", "--kind", "boat"), 2),
        (("x", "--like", "nope"), 4),
        (("x", "--kind", "scale", "--resolution", "0.01mm"), 4),
        (("x", "--kind", "scale", "--resolution", "much"), 4),
        (("x", "--kind", "scale", "--expanded", "-1g"), 4),
        (("x", "--kind", "scale", "--serial", "a\nb"), 4),
        (("x", "--kind", "scale", "--port", "/dev/ttyS0"), 2),
        (("x", "--kind", "scale", "--calibrated-until", "soon"), 2),
    ],
)
def test_add_refuses_what_would_not_be_a_sheet(kit: Kit, arguments: tuple[str, ...], code: int) -> None:
    result = kit("instruments", "add", *arguments)
    assert (result.code, result.out) == (code, "")
    assert "fault in the program" not in result.err
    assert "tmp" not in result.err
    assert not (home() / "instruments" / "x.toml").exists()


def test_list_shows_calibration_and_todays_check(kit: Kit) -> None:
    added(kit, "--port", "/dev/ttyUSB0", "--protocol", "mt-sics")
    assert kit("instruments", "add", "old", "--kind", "scale", "--calibrated-until", "2020-01-01").code == 0
    entry = row(kit, "desk-scale")
    assert (entry["calibration"], entry["check"], entry["port"], entry["own"]) == (
        "valid", "unchecked", "/dev/ttyUSB0", True,
    )  # fmt: skip
    assert row(kit, "old")["calibration"] == "expired"
    assert (row(kit, "caliper-150")["calibration"], row(kit, "caliper-150")["own"]) == ("unknown", False)
    text = kit("instruments", "list").out
    assert "valid, until 2099-06-30" in text
    assert text.index("desk-scale") < text.index("caliper-150")


def test_a_broken_sheet_is_warned_of_and_the_others_are_shown(kit: Kit) -> None:
    added(kit)
    (home() / "instruments" / "broken.toml").write_text("format = 1\n")
    (home() / "instruments" / "binary.toml").write_bytes(b"\xff\xfe\x00")
    result = kit("instruments", "list", "--json")
    assert result.code == 0
    assert "broken.toml" in result.err
    assert "binary.toml" in result.err
    assert any(entry["id"] == "desk-scale" for entry in result.data)


def test_a_check_that_is_passed_is_kept(kit: Kit) -> None:
    added(kit)
    result = kit("instruments", "check", "desk-scale", "--zero", "0.00g", "--reference", "100g=100.01g", "--json")
    assert (result.code, result.data["passed"]) == (0, True)
    assert row(kit, "desk-scale")["check"] == "checked"
    kept = (home() / "checks" / "desk-scale.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in kept] == [result.data]


def test_a_check_that_is_off_fails_and_stays(kit: Kit) -> None:
    added(kit)
    result = kit("instruments", "check", "desk-scale", "--zero", "0,00", "--reference", "100 g=+00100,05 g")
    assert result.code == 1
    assert "0.05 g off" in result.out
    assert "FAILED" in result.out
    assert row(kit, "desk-scale")["check"] == "failed"
    assert (
        kit(
            "instruments", "check", "desk-scale", "--zero", "0", "--reference", "100=100.05", "--tolerance", "0.1g"
        ).code
        == 0
    )
    assert row(kit, "desk-scale")["check"] == "checked"


def test_a_caliper_is_checked_with_a_gauge_block(kit: Kit) -> None:
    good = kit("instruments", "check", "caliper-150", "--zero", "0.00", "--block", "20mm=20.01", "--json")
    assert (good.code, good.data["points"][1]["error"]) == (0, "0.01 mm")


def test_readings_can_be_taken_from_the_instrument_itself(kit: Kit, tmp_path: Path) -> None:
    port = tmp_path / "scale"
    added(kit, "--serial", "B021002593", "--port", port, "--protocol", "mt-sics")
    with simulated(Simulation("mt-sics", Display("0.00", "g")), str(port)):
        result = kit("instruments", "check", "desk-scale", "--reference", "100g=100.00g", "--json", typed="\n")
    assert (result.code, result.data["points"][0]["raw"]) == (0, "S S       0.00 g")
    with simulated(Simulation("mt-sics"), str(port)):
        hung = kit("instruments", "check", "desk-scale", "--reference", "100g", typed="\n\n")
    assert hung.code == 1
    assert "same reading" in hung.out


def test_another_instrument_than_the_sheets_is_refused(kit: Kit, tmp_path: Path) -> None:
    port = tmp_path / "scale"
    added(kit, "--serial", "OTHER", "--port", port, "--protocol", "mt-sics")
    with simulated(Simulation("mt-sics", Display("0.00", "g")), str(port)):
        result = kit("instruments", "check", "desk-scale", "--reference", "100g", typed="\n")
    assert result.code == 4
    assert "the sheet is for number OTHER" in result.err
    assert not (home() / "checks").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("desk-scale",), 2),
        (("desk-scale", "--zero", "0"), 2),
        (("desk-scale", "--reference", "100g=100g"), 2),
        (("desk-scale", "--zero", "0", "--reference", "100g"), 2),
        (("desk-scale", "--zero", "0", "--reference", "0g=0g"), 2),
        (("desk-scale", "--zero", "0", "--block", "10mm=10mm"), 2),
        (("desk-scale", "--zero", "US,+00000.00  g", "--reference", "100g=100g"), 4),
        (("desk-scale", "--zero", "0", "--reference", "heavy=100g"), 4),
        (("desk-scale", "--zero", "0", "--reference", "100g=100g", "--by", "a\nb"), 2),
        (("desk-scal", "--zero", "0", "--reference", "100g=100g"), 4),
        (("../x", "--zero", "0", "--reference", "100g=100g"), 4),
    ],
)
def test_half_a_check_is_refused_and_not_kept(kit: Kit, arguments: tuple[str, ...], code: int) -> None:
    added(kit)
    result = kit("instruments", "check", *arguments)
    assert (result.code, result.out) == (code, "")
    assert "fault in the program" not in result.err
    assert not (home() / "checks").exists()


def test_find_says_how_to_read_what_answers(kit: Kit) -> None:
    with simulated(Simulation("radwag")) as simulator:
        result = kit("instruments", "find", "--port", simulator.port)
        data = kit("instruments", "find", "--port", simulator.port, "--json").data
    assert "answers as radwag, 9600 8N1" in result.out
    assert f"read scale --port {simulator.port} --protocol radwag" in result.err
    assert (data["protocol"], data["kind"], data["baud"]) == ("radwag", "scale", 9600)


def test_find_leaves_with_a_sentence_when_nothing_answers(kit: Kit) -> None:
    with simulated(Simulation("sbi", script=script_of("silence"))) as simulator:
        result = kit("instruments", "find", "--port", simulator.port, "--timeout", "0.5", "--json")
    assert (result.code, result.out) == (4, "")


def test_find_without_a_port_lists_the_ports(kit: Kit) -> None:
    result = kit("instruments", "find", "--json")
    assert result.code == 0
    assert isinstance(result.data, list)


RUN = """
import sys
from inspect_kit.cli.app import main
commands = sys.modules["inspect_kit.cli.app"]._COMMANDS
commands.setdefault("instruments", "inspect_kit.cli.instruments.commands")
main()
"""


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_simulated_instrument_runs_until_it_is_told_to_stop(kit: Kit, tmp_path: Path, ending: signal.Signals) -> None:
    port = tmp_path / "scale"
    command = [sys.executable, "-c", RUN, "instruments", "simulate", "kcp", "--port", str(port), "--value", "15.01"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert str(port) in process.stdout.readline()
        assert kit("read", "scale", "--port", port, "--protocol", "kcp", "--json").data["value"] == "15.01"
    finally:
        process.send_signal(ending)
        code = process.wait(timeout=60)
        process.stdout.close()
    assert code == 0
    assert not port.is_symlink()


def test_simulate_ends_after_its_time_and_names_its_port(kit: Kit) -> None:
    for arguments in (("--port",), ()):
        result = kit("instruments", "simulate", "sylvac", "--seconds", "0.05", "--json", *arguments)
        assert result.code == 0
        assert result.data["port"].startswith("/dev/")


@pytest.mark.parametrize(
    "arguments",
    [("nope",), ("kcp", "--script", "explode"), ("kcp", "--value", "1234567890"), ("kcp", "--port", "loop://")],
)
def test_simulate_refuses_what_it_cannot_play(kit: Kit, arguments: tuple[str, ...]) -> None:
    result = kit("instruments", "simulate", *arguments, "--seconds", "0.01")
    assert (result.code, result.out) == (2, "")


def test_simulate_does_not_take_the_place_of_a_file(kit: Kit, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    assert kit("instruments", "simulate", "kcp", "--port", file, "--seconds", "0.01").code == 4
    assert file.read_text() == "mine"


@pytest.mark.parametrize("name", ["", "list", "add", "check", "find", "simulate"])
def test_every_command_shows_an_example(kit: Kit, name: str) -> None:
    result = kit("instruments", *([name] if name else []), "--help")
    assert result.code == 0
    assert "Example:" in result.out


def test_the_documentation_names_every_protocol_setting_and_fault(repository: Path) -> None:
    text = (repository / "docs" / "instruments.md").read_text(encoding="utf-8")
    for protocol in PROTOCOLS.values():
        (line,) = [line for line in text.splitlines() if line.startswith(f"| `{protocol.name}` |")]
        # What comes by USB or Bluetooth has no serial port to set.
        assert str(protocol.settings[0]) in line or protocol.name in ("hid-pos", "sylvac-ble")
    for word in (*ReplyState, *LineFault):
        assert f"`{word}`" in text


def test_the_documented_commands_work(kit: Kit, repository: Path, tmp_path: Path) -> None:
    port = tmp_path / "scale"
    text = (repository / "docs" / "instruments.md").read_text(encoding="utf-8")
    documented = [line.split()[1:] for line in text.splitlines() if line.startswith("    inspect-kit ")]
    kit("instruments", "add", "desk-caliper", "--kind", "caliper")
    with (
        simulated(Simulation("mt-sics", script=script_of("unstable,stable")), str(port)),
        simulated(Simulation("mitutoyo", Display("41.27", "mm")), str(tmp_path / "caliper")),
    ):
        places = {"/dev/ttyUSB0": str(port), "./scale": str(port), "COM4": str(tmp_path / "caliper")}
        for words in documented:
            arguments = [places.get(word, word) for word in words]
            if "simulate" in arguments:
                arguments = [*arguments, "--port", str(tmp_path / "other"), "--seconds", "0.01"]
            assert kit(*arguments).code == 0, words
