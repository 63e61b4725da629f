"""Processor time until a command has done nothing yet, as a ratio to `python -c "import click"`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

_RUNS = 7
_COMMANDS = {
    "--help": ["--help"],
    "judge a striker": ["judge", "striker.csv", "--spec", "icf-2001-it", "--item", "striker"],
    "specs list": ["specs", "list"],
    "measure discs --help": ["measure", "discs", "--help"],
    "qa --help": ["qa", "--help"],
    "registry --help": ["registry", "--help"],
    "certify --help": ["certify", "--help"],
    "station --help": ["station", "--help"],
}
_STRIKER = "characteristic,value,unit,u\nstriker.diameter,41.0,mm,0.01\nstriker.mass,14.8,g,0.01\n"


def main() -> None:
    """Print each command's median time and its ratio to click alone."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "striker.csv").write_text(_STRIKER)
        click = _seconds(["-c", "import click"], folder)
        print(f"import click                {click:5.2f} s")
        for name, arguments in _COMMANDS.items():
            taken = _seconds(["-m", "inspect_kit", *arguments], folder)
            print(f"{name:<26}  {taken:5.2f} s  {taken / click:5.1f} ×")


def _seconds(arguments: list[str], folder: str) -> float:
    return median(_once(arguments, folder) for _ in range(_RUNS))


def _once(arguments: list[str], folder: str) -> float:
    before = os.times()
    subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, check=False)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
