"""One certify, one desk's decision, one backup and one migration, killed at every single system call.

    python -m benchmarks kills [--every 1]

After each kill the registry must be as if nothing had happened, or hold all of it; a fault ends the run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from inspect_kit.capture.measurement_file import read_measurements
from inspect_kit.certificate.issue.keys import Founding, found
from inspect_kit.inspection.record import Subject
from inspect_kit.inspection.recording import record_of
from inspect_kit.inspection.walk import Task, inspect
from inspect_kit.judgement.rules import RuleName
from inspect_kit.rulebook.library import load
from tests.registry.conftest import NOW

ACTS = ("certify", "decision", "backup", "migration")
ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Print how many kills each act outlived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    every = parser.parse_known_args()[0].every
    for act in ACTS:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
            start = time.monotonic()
            script = str(ROOT / "tests" / "hostile" / "killed_at_every_call.py")
            done = subprocess.run(
                [sys.executable, script, act, str(issuing_home(Path(place))), str(every)], capture_output=True,
                text=True, check=False, env={**os.environ, "INSPECT_KIT_WITNESS": f"{place}/memory"},
            )  # fmt: skip
        told = f"{int(done.stdout):>6} kills outlived" if done.returncode == 0 else done.stderr[-800:]
        print(f"{act:<10} {told}   {time.monotonic() - start:7.0f} s")


def issuing_home(place: Path) -> Path:
    """A home with keys and a record to certify."""
    home, examples = place / "home", ROOT / "reports" / "examples"
    found(home, Founding("Benchmark Club", "BCB", "Nobody"), None, NOW)
    sheet = load("icf-2001-it")
    task = Task(sheet, sheet.item("striker"), RuleName.GUARDED, date(2026, 11, 16), (examples / "instruments",))
    record = record_of(inspect(task, [read_measurements(examples / "striker-42.csv")]), Subject("Striker 42"))
    (home / "record.json").write_bytes(record.canonical())
    return home


if __name__ == "__main__":
    main()
