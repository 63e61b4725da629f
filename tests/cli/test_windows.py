"""The users' laptops run Windows: nothing on the way from a reading to a certificate needs a POSIX-only module."""

import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from inspect_kit.places import shipped

HIDDEN = ("fcntl", "pty", "resource", "termios", "tty", "grp")
"""Modules that Windows does not have."""

EXAMPLES = shipped("reports") / "examples"
PHOTO = EXAMPLES / "striker-44.jpg"


@pytest.fixture
def as_on_windows(tmp_path: Path) -> dict[str, str]:
    """An environment in which no Python, nor any that it starts, finds the hidden modules."""
    hiding = tmp_path / "hiding"
    hiding.mkdir()
    (hiding / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({HIDDEN!r}))\n")
    return {**os.environ, "PYTHONPATH": str(hiding), "INSPECT_KIT_HOME": str(tmp_path / "home")}


def run(environment: dict[str, str], *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inspect_kit", *map(str, arguments)],
        check=False, capture_output=True, text=True, env=environment, timeout=120,
    )  # fmt: skip


def test_the_hidden_modules_are_hidden(as_on_windows: dict[str, str]) -> None:
    for name in HIDDEN:
        importing = [sys.executable, "-c", f"import {name}"]
        done = subprocess.run(importing, env=as_on_windows, capture_output=True, check=False)
        assert b"ModuleNotFoundError" in done.stderr


def test_judge_and_certify_and_verify(as_on_windows: dict[str, str], tmp_path: Path) -> None:
    readings, pdf = tmp_path / "striker.csv", tmp_path / "striker.pdf"
    readings.write_text(
        "characteristic,value,unit,u\nstriker.diameter,41.0,mm,0.01\nstriker.mass,14.8,g,0.01\n"
        "striker.shape,yes,,\nstriker.material,yes,,\nstriker.visible_metal,yes,,\nstriker.engraving,none,,\n"
    )
    what = (readings, "--spec", "icf-2001-it", "--item", "striker")
    assert (judged := run(as_on_windows, "judge", *what)).returncode == 0, judged.stderr
    assert run(as_on_windows, "keys", "init", "--name", "Hall", "--no-passphrase").returncode == 0
    certified = run(as_on_windows, "certify", *what, "--subject", "Striker 7", "-o", pdf)
    assert certified.returncode == 0, certified.stderr
    assert (verified := run(as_on_windows, "verify", pdf)).returncode == 0, verified.stderr


def test_measure_and_batch_with_two_workers(as_on_windows: dict[str, str], tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    for name in ("a.jpg", "b.jpg"):
        (photos / name).write_bytes(PHOTO.read_bytes())
    measured = run(as_on_windows, "measure", "striker", photos / "a.jpg", "--json")
    assert measured.returncode == 0, measured.stderr
    out = tmp_path / "out.jsonl"
    batch = run(as_on_windows, "batch", photos, "--measure", "striker", "-o", out, "--workers", "2")
    assert batch.returncode == 0, batch.stderr
    assert len(out.read_text().splitlines()) == 3


def test_the_station_starts(as_on_windows: dict[str, str]) -> None:
    command = [sys.executable, "-m", "inspect_kit", "station", "--port", "0"]
    environment = {**as_on_windows, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as desk:
        try:
            assert desk.stdout is not None
            line = desk.stdout.readline()
            assert "The station is at" in line, desk.stderr.read() if desk.stderr else ""
            assert answer(line.split(" at ")[1].split()[0]) == 200
        finally:
            desk.terminate()


def answer(address: str) -> int:
    for _ in range(50):
        try:
            with urllib.request.urlopen(address, timeout=10) as page:
                return int(page.status)
        except OSError:
            time.sleep(0.2)
    return 0
