"""Power cuts in the middle of a certify, played from a recorded trace with unflushed writes dropped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inspect_kit.certificate.issue.issue_journal import recover
from inspect_kit.certificate.issue.keys import own_keyring
from inspect_kit.certificate.issue.seals import seals_in
from inspect_kit.inspection.record import Record
from inspect_kit.registry.auditing import audit
from inspect_kit.registry.opening import open_registry
from inspect_kit.registry.search import RegistryQuery, listing
from tests.hostile.one_certify import certified
from tests.hostile.power_cuts import CALLS, cuts
from tests.registry.conftest import NOW, home, issuer_home, record, tmp_path  # noqa: F401

HERE = Path(__file__).parent


@pytest.fixture
def recorded(home: Path, record: Record, tmp_path: Path) -> tuple[Path, Path]:  # noqa: F811
    """A home as it was before a certify, and the trace of what that wrote."""
    (home / "record.json").write_bytes(record.canonical())
    certified(home, "Striker 1")
    start, trace = tmp_path / "start", tmp_path / "trace"
    shutil.copytree(home, start)
    traced(home, trace)
    _as_if_in(trace, home, start)
    return start, trace


def traced(home: Path, trace: Path) -> None:  # noqa: F811
    """One certify under strace."""
    command = ["strace", "-f", "-y", "-xx", "-s", "20000000", "-e", f"trace={CALLS}", "-o", str(trace)]
    done = subprocess.run(
        [*command, sys.executable, str(HERE / "one_certify.py"), str(home)], capture_output=True, text=True,
        timeout=300, check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def _as_if_in(trace: Path, home: Path, start: Path) -> None:  # noqa: F811
    """The trace with the paths of the copy."""
    text = trace.read_text(errors="replace")
    for there, here in ((str(home), str(start)),):
        text = text.replace(there, here).replace(_spelt(there), _spelt(here))
    trace.write_text(text)


def _spelt(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def checked(left: Path) -> int:
    """How many certificates a home holds after a cut: all of it clean, each with its file, and it goes on."""
    registry = open_registry(left, remembered=False)
    recover(left, registry)
    rings = (own_keyring(left),)
    found = audit(registry, lambda connection: seals_in(connection, rings).fault)
    assert found.faults == (), found.faults[:3]
    with registry.reading() as connection:
        numbers = [each.number for each in listing(connection, RegistryQuery(), NOW.date())]
    next_number = certified(left, "Striker 3")
    assert int(next_number.split("-")[2]) == len(numbers) + 1
    registry.engine.dispose()
    return len(numbers)


def test_a_certify_outlives_a_power_cut_at_any_call(recorded: tuple[Path, Path], tmp_path: Path) -> None:  # noqa: F811
    start, trace = recorded
    seen = [(number, checked(left)) for number, left in cuts(trace, start, tmp_path / "left", every=4)]
    assert len(seen) > 15
    assert {held for _, held in seen} == {1, 2}, "some cuts came before the certificate was there, some after"
    assert seen[-1] == (-1, 2), "what was said to be done lasts"


def test_without_its_flushes_the_same_certify_would_be_lost(recorded: tuple[Path, Path], tmp_path: Path) -> None:  # noqa: F811
    start, trace = recorded
    lines = trace.read_text(errors="replace").splitlines()
    trace.write_text("\n".join(line for line in lines if "sync(" not in line))
    *_, (number, left) = cuts(trace, start, tmp_path / "left", every=10_000)
    assert (number, checked(left)) == (-1, 1)


def test_the_model_drops_what_was_not_flushed(tmp_path: Path) -> None:  # noqa: F811
    """A program that forgets to flush is found out."""
    start = tmp_path / "start"
    start.mkdir()
    trace = tmp_path / "trace"
    path = f"{start}/a"
    trace.write_text(
        f'openat(AT_FDCWD, "{_spelt(path)}", O_WRONLY|O_CREAT, 0666) = 3<{path}>\n'
        f'write(3<{path}>, "{_spelt("lost")}", 4) = 4\n'
        f"fsync(9<{start}>) = 0\n"
    )
    found = [(number, (left / "a").read_bytes() if (left / "a").exists() else None) for number, left in
             cuts(trace, start, tmp_path / "left")]  # fmt: skip
    assert found[0] == (0, None)
    assert found[-1] == (-1, b"")
