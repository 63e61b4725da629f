"""Inputs that hung the program or went through: each is refused at once with a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.certificate.issue.keyring import read_keyring
from inspect_kit.cli.app import app, run
from inspect_kit.errors import BadInput
from inspect_kit.registry.backup import restore
from inspect_kit.registry.opening import open_registry
from inspect_kit.tomlfile import read_toml
from inspect_kit.values.quantity import parse_number, parse_quantity, unit

HEAD = "characteristic,value,unit,u\n"


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A pipe that nobody ever writes into."""
    os.mkfifo(tmp_path / "pipe.csv")
    return tmp_path / "pipe.csv"


@pytest.mark.parametrize("reader", [read_measurements, read_toml, read_keyring], ids=lambda each: each.__name__)
def test_a_pipe_is_refused_and_not_waited_for(pipe: Path, reader: Callable[[Path], object]) -> None:
    with pytest.raises(BadInput, match="a device or a pipe"):
        reader(pipe)


def test_a_pipe_is_no_backup(pipe: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a device or a pipe"):
        restore(open_registry(tmp_path / "home", remembered=False), pipe)


@pytest.mark.parametrize("command", [("verify",), ("keys", "trust"), ("registry", "witnessed"), ("specs", "check")])
def test_commands_refuse_pipes_and_devices(pipe: Path, command: tuple[str, ...]) -> None:
    for place in (pipe, Path("/dev/zero")):
        done = subprocess.run(
            [sys.executable, "-m", "inspect_kit", *command, str(place)], capture_output=True, timeout=60, check=False
        )
        assert done.returncode == 4, done.stderr


def test_house_rules_over_a_device_are_refused(tmp_path: Path) -> None:
    sheet = tmp_path / "house.toml"
    sheet.write_text('format = 1\nover = "/dev/zero"\nid = "x"\n')
    assert run(app, ["specs", "check", str(sheet)]) == 4


def test_a_key_of_half_a_million_dots_is_refused_at_once(tmp_path: Path) -> None:
    sheet = tmp_path / "dots.toml"
    for text in ("a." * 300_000 + "a = 1", "x = {" + "a." * 300_000 + "a = 1}", '"a" . ' * 100_000 + "a = 1"):
        sheet.write_text(text)
        with pytest.raises(BadInput, match="more than 60 parts"):
            read_toml(sheet)


@pytest.mark.parametrize("number", ["1e99", "1e-99", "-1e30", "999999999999e9"])
def test_a_number_beyond_all_measure_is_refused(number: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="beyond all measure"):
        parse_number(number)
    with pytest.raises(BadInput, match="beyond all measure"):
        parse_quantity(f"{number} kg")


@pytest.mark.parametrize("number", ["1e400", "1e-400", "9" * 400, "1" + "0" * 5000])
def test_a_number_of_absurd_length_is_a_sentence(number: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD}striker.mass,{number},g,0.01\n")
    assert run(app, ["judge", str(path), "--spec", "icf-2001-it", "--item", "striker"]) == 4


def test_a_tonne_is_not_a_milligram() -> None:
    with pytest.raises(BadInput, match="Mg is a tonne"):
        unit("Mg")
    assert unit("mg").symbol == "mg"


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    row = '{"characteristic": "striker.mass", "value": 14.8, "value": 9.9, "unit": "g"}'
    path.write_text(f'{{"format": 1, "photos": [], "measurements": [{row}], "observations": [], "warnings": []}}')
    with pytest.raises(BadInput, match="'value' stands twice"):
        read_measurements(path)


def test_a_pixel_of_astronomic_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "far.json"
    row = f'{{"characteristic": "striker.mass", "value": 14.8, "unit": "g", "pixel": [{"9" * 400}, 1e308]}}'
    path.write_text(f'{{"format": 1, "photos": [], "measurements": [{row}], "observations": [], "warnings": []}}')
    with pytest.raises(BadInput):
        read_measurements(path)


def test_escape_sequences_are_shown_and_not_sent_to_the_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "\x1b]0;owned\x07\x1b[2J.csv"
    assert run(app, ["judge", str(path), "--spec", "icf-2001-it", "--item", "striker"]) == 4
    told = capsys.readouterr().err
    assert "\x1b" not in told
    assert "\x07" not in told


@pytest.mark.parametrize("text", ["S\udced\udca0", "S\ud800x"])
def test_a_lone_surrogate_is_refused_with_its_name(text: str) -> None:
    from inspect_kit.inspection.names import clean

    with pytest.raises(BadInput, match="invisible character"):
        clean(text, where="--subject")


def test_a_day_beyond_what_a_code_can_say_is_refused() -> None:
    from types import SimpleNamespace

    from inspect_kit.certificate.issue.issue import _validity
    from inspect_kit.errors import UsageError

    record = SimpleNamespace(subject=SimpleNamespace(event=""), inspected_on="2026-11-16")
    assert _validity(record, "2179-06-06") == ("2179-06-06", "")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="too far away"):
        _validity(record, "2179-06-07")  # type: ignore[arg-type]


def test_a_count_with_leading_zeros_is_not_read_by_its_beginning() -> None:
    from inspect_kit.station.events import _count

    with pytest.raises(BadInput, match="up to 500"):
        _count("000000000999999")
