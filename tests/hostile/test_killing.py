"""Killed at system calls all along: nothing is lost, doubled, gapped or half there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inspect_kit.inspection.record import Record
from tests.registry.conftest import home, issuer_home, record, tmp_path  # noqa: F401

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("act", "every", "least"), [("certify", 31, 15), ("decision", 20, 10), ("backup", 73, 15), ("migration", 23, 15)]
)
def test_an_act_that_is_killed_all_along_leaves_no_trace_or_all_of_it(
    home: Path,  # noqa: F811
    record: Record,  # noqa: F811
    act: str,
    every: int,
    least: int,
) -> None:
    (home / "record.json").write_bytes(record.canonical())
    done = subprocess.run(
        [sys.executable, str(HERE / "killed_at_every_call.py"), act, str(home), str(every)], capture_output=True,
        text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) >= least
