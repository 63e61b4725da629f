"""Processor time until a command has done nothing yet, as a ratio to `python -c "import click"` in the same run.

All find their bytecode written, as after an installation; the runs take turns, so that a busy machine is fair to each.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from inspect_kit.places import shipped

_RUNS = 11
_CLICK = "import click"
_EXAMPLES = shipped("reports") / "examples"
_COMMANDS = {
    "--help": ["--help"],
    "judge a striker": ["judge", "striker.csv", "--spec", "icf-2001-it", "--item", "striker"],
    "judge by a caliper": ["judge", str(_EXAMPLES / "striker-42.csv"), "--spec", "icf-2001-it", "--item", "striker",
                           "--instruments", str(_EXAMPLES / "instruments"), "--on", "2026-09-12"],
    "specs list": ["specs", "list"],
    "measure discs --help": ["measure", "discs", "--help"],
    "qa --help": ["qa", "--help"],
    "registry --help": ["registry", "--help"],
    "certify --help": ["certify", "--help"],
    "station --help": ["station", "--help"],
}  # fmt: skip
_STRIKER = "characteristic,value,unit,u\nstriker.diameter,41.0,mm,0.01\nstriker.mass,14.8,g,0.01\n"


def main() -> None:
    """Print each command's median time and its ratio to click alone."""
    calls = {_CLICK: ["-c", _CLICK], **{name: ["-m", "inspect_kit", *given] for name, given in _COMMANDS.items()}}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "striker.csv").write_text(_STRIKER)
        # The first round writes the bytecode, and is not counted.
        rounds = [{name: _seconds(call, folder) for name, call in calls.items()} for _ in range(1 + _RUNS)][1:]
    taken = {name: median(each[name] for each in rounds) for name in calls}
    for name, seconds in taken.items():
        print(f"{name:<26}  {seconds:5.3f} s  {seconds / taken[_CLICK]:5.2f} ×")


def _seconds(arguments: list[str], folder: str) -> float:
    before = _used_by_children()
    subprocess.run([sys.executable, *arguments], cwd=folder, env=_environment(folder), capture_output=True, check=False)
    return _used_by_children() - before


def _environment(folder: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**own, "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode")}


def _used_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
