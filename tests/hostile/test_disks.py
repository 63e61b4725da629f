"""Disks and files as they should not be: read-only, links and devices for output, evidence that belongs to nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.cli.app import app, run
from inspect_kit.errors import BadInput, InspectKitError
from inspect_kit.registry.auditing import Audit, tidy
from inspect_kit.registry.opening import open_registry
from tests.registry.conftest import (  # noqa: F401
    NOW,
    _unprivileged,
    audited,
    blank,
    desk,
    home,
    issue,
    issuer_home,
    record,
    tmp_path,
)

Issue = Callable[..., Issued]
Kit = Callable[..., int]


@pytest.fixture
def kit(home: Path, monkeypatch: pytest.MonkeyPatch) -> Kit:  # noqa: F811
    monkeypatch.setenv("INSPECT_KIT_HOME", str(home))
    return lambda *arguments: run(app, [str(argument) for argument in arguments])


def _outputs(number: str, out: Path, repository: Path) -> list[tuple[object, ...]]:
    table = repository / "reports" / "examples" / "striker-42.csv"
    gauges = ("--instruments", repository / "reports" / "examples" / "instruments", "--on", "2026-11-16")
    sheet = ("--spec", "icf-2001-it", "--item", "striker", *gauges, "--subject", "Striker 43")
    return [
        ("certify", table, *sheet, "-o", out), ("registry", "show", number, "--pdf", out),
        ("registry", "show", number, "--record", out), ("registry", "export", "-o", out),
        ("registry", "backup", out), ("registry", "checkpoint", "-o", out), ("registry", "proof", number, "-o", out),
        ("label", number, "-o", out), ("keys", "export", "-o", out), ("target", "-o", out),
    ]  # fmt: skip


@pytest.mark.parametrize("place", range(10))
def test_a_pipe_or_a_device_is_never_written_over(
    kit: Kit, blank: Desk, issue: Issue, tmp_path: Path, repository: Path, place: int  # noqa: F811
) -> None:  # fmt: skip
    number = issue(blank).number
    pipe, link = tmp_path / "pipe.pdf", tmp_path / "link.pdf"
    os.mkfifo(pipe)
    link.symlink_to("/dev/null")
    for out in (pipe, link):
        code = kit(*_outputs(number, out, repository)[place])
        assert code in (2, 4)
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert Path("/dev/null").is_char_device()
    # A link to a file is replaced by the file; what it led to stays as it was.
    treasure, door = tmp_path / "treasure", tmp_path / "door.pdf"
    treasure.write_text("mine")
    door.symlink_to(treasure)
    kit(*_outputs(number, door, repository)[place])
    assert treasure.read_text() == "mine"


def test_evidence_of_an_ended_program_is_reported_and_cleared(
    blank: Desk, issue: Issue, audited: Callable[[Desk], Audit]  # noqa: F811
) -> None:  # fmt: skip
    issued = issue(blank)
    with blank.registry.reading() as connection:
        digest = blank.registry.shelf.put(connection, b"left behind")
    (blank.home / "evidence" / "ab").mkdir(exist_ok=True)
    (blank.home / "evidence" / "ab" / ".draft.part").write_bytes(b"half")
    found = audited(blank)
    assert (found.faults, found.orphans) == ((), 1)
    assert tidy(blank.registry) == 2
    assert audited(blank).orphans == 0
    with blank.registry.reading() as connection, pytest.raises(InspectKitError):
        blank.registry.shelf.take(connection, digest)
    assert issued.pdf.exists()


def test_reading_commands_work_on_a_disk_that_can_only_be_read(
    blank: Desk, issue: Issue, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    issued = issue(blank)
    blank.registry.engine.dispose()
    become = _unprivileged(tmp_path)
    if become:
        subprocess.run(["chown", "-R", "nobody", str(blank.home), str(tmp_path)], check=True)
    subprocess.run(["chmod", "-R", "a-w", str(blank.home)], check=True)
    try:
        for command in (
            ("registry", "list"), ("registry", "show", issued.number), ("registry", "audit"), ("registry", "export"),
            ("verify", issued.number), ("keys", "list"),
        ):  # fmt: skip
            done = _as_nobody(become, blank.home, tmp_path, *command)
            assert done.returncode == 0, (command, done.stderr)
        refused = _as_nobody(become, blank.home, tmp_path, "registry", "revoke", issued.number, "--because", "x")
        assert refused.returncode == 4
        assert "may only be read" in refused.stderr
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(blank.home)], check=True)


def _as_nobody(become: list[str], home: Path, place: Path, *command: str) -> subprocess.CompletedProcess[str]:  # noqa: F811
    environment = {
        **os.environ, "INSPECT_KIT_HOME": str(home), "INSPECT_KIT_WITNESS": str(place / "memory"), "HOME": str(place),
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    program = [sys.executable, "-m", "inspect_kit"]
    return subprocess.run(
        [*become, *program, *command], capture_output=True, text=True, timeout=120, check=False, env=environment
    )


def test_a_read_only_registry_with_entries_beside_it_is_not_read_without_them(
    blank: Desk, issue: Issue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch  # noqa: F811
) -> None:  # fmt: skip
    issue(blank)
    blank.registry.engine.dispose()
    copy = tmp_path / "copy"
    shutil.copytree(blank.home, copy)
    (copy / "registry.db-wal").write_bytes(b"what was not finished")
    monkeypatch.setattr("inspect_kit.registry.opening._is_read_only", lambda _: True)
    with pytest.raises(BadInput, match="the newest entries are not in it yet"):
        open_registry(copy, remembered=False)
