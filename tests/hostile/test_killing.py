"""Killed at calls all along that change something on disk: nothing is lost, doubled, gapped or half there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inspect_kit.inspection.record import Record
from tests.registry.conftest import home, issuer_home, record, tmp_path  # noqa: F401

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that counts calls and kills, built here."""
    built = tmp_path_factory.mktemp("shim") / "kill_shim.so"
    if shutil.which("gcc") is None:
        assert not os.environ.get("CI"), "gcc is not installed, and CI must have it"
        pytest.skip("gcc is not installed")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", built, HERE / "kill_shim.c", "-ldl"], check=True)
    return built


@pytest.mark.parametrize(("act", "least"), [("certify", 15), ("decision", 10), ("backup", 15), ("migration", 15)])
def test_an_act_that_is_killed_all_along_leaves_no_trace_or_all_of_it(
    shim: Path,
    home: Path,  # noqa: F811
    record: Record,  # noqa: F811
    act: str,
    least: int,
) -> None:
    (home / "record.json").write_bytes(record.canonical())
    done = subprocess.run(
        [sys.executable, str(HERE / "killed_at_every_call.py"), act, str(home)], capture_output=True, text=True,
        timeout=600, check=False, env={**os.environ, "LD_PRELOAD": str(shim)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) >= least
