from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from inspect_kit.certificate.issue.issue import Desk, Issued
from inspect_kit.errors import BadInput, BrokenSeal, InspectKitError, UsageError
from inspect_kit.registry.amendments import revoke
from inspect_kit.registry.auditing import Audit
from inspect_kit.registry.backup import back_up, restore
from inspect_kit.registry.chain import last_entry
from inspect_kit.registry.opening import open_registry

Issue = Callable[..., Issued]

pytestmark = pytest.mark.usefixtures("without_signing")


@pytest.fixture
def backup(quick_desk: Desk, issue: Issue, tmp_path: Path) -> Path:
    issued = [issue(quick_desk, f"Striker {place}", photos={"front": b"photo"}) for place in range(3)]
    revoke(quick_desk.registry, issued[0].number, "lost", "desk", quick_desk.now)
    back_up(quick_desk.registry, tmp_path / "backup.zip")
    return tmp_path / "backup.zip"


def test_a_restored_registry_is_the_same_and_clean(
    backup: Path, quick_desk: Desk, audited: Callable[[Desk], Audit], tmp_path: Path
) -> None:
    registry = open_registry(tmp_path / "new")
    kept = restore(registry, backup)
    with quick_desk.registry.reading() as before, registry.reading() as after:
        assert last_entry(before) == last_entry(after)
    assert kept.entries == 4
    assert audited(replace(quick_desk, registry=registry)).faults == ()


def test_a_desk_moves_from_sqlite_to_postgresql_by_backup(
    blank: Desk, issue: Issue, empty_database: str, audited: Callable[[Desk], Audit], tmp_path: Path
) -> None:
    issue(blank, "Striker 1")
    back_up(blank.registry, tmp_path / "b.zip")
    shared = open_registry(blank.home, empty_database)
    restore(shared, tmp_path / "b.zip")
    moved = replace(blank, registry=shared)
    assert issue(moved, "Striker 2").number.startswith("PCK-2026-000002-")
    assert audited(moved).faults == ()
    shared.engine.dispose()


def test_a_restore_never_overwrites_a_registry(backup: Path, quick_desk: Desk) -> None:
    with pytest.raises(UsageError, match="is not empty"):
        restore(quick_desk.registry, backup)


def _changed(backup: Path, name: str, change: Callable[[bytes], bytes | None]) -> Path:
    """A copy of a backup with one member changed or left out."""
    copy = backup.with_name("changed.zip")
    with zipfile.ZipFile(backup) as old, zipfile.ZipFile(copy, "w") as new:
        for member in old.namelist():
            content: bytes | None = old.read(member)
            if member.startswith(name):
                content = change(old.read(member))
            if content is not None:
                new.writestr(member, content)
    return copy


@pytest.mark.parametrize(
    ("name", "change", "error"),
    [
        ("entries.jsonl", lambda content: content.replace(b"Striker 1", b"Striker 9"), BrokenSeal),
        ("entries.jsonl", lambda content: b"\n".join(content.split(b"\n")[1:]), BrokenSeal),
        ("entries.jsonl", lambda content: b"\n".join(content.split(b"\n")[:2]) + b"\n", BrokenSeal),
        ("entries.jsonl", lambda content: content + b"{}\n", BadInput),
        ("entries.jsonl", lambda _: b"x" * 5_000_000, BadInput),
        ("entries.jsonl", lambda _: None, BadInput),
        ("evidence/", lambda content: content + b" ", BrokenSeal),
        ("evidence/", lambda _: None, BadInput),
        ("manifest.json", lambda _: b"{}", BadInput),
        ("manifest.json", lambda _: json.dumps({"format": 2, "entries": 0, "files": 0, "head": ""}).encode(), BadInput),
        ("manifest.json", lambda _: b"[" * 100_000, BadInput),
    ],
)
def test_a_changed_backup_restores_nothing(
    blank: Desk,
    issue: Issue,
    tmp_path: Path,
    name: str,
    change: Callable[[bytes], bytes | None],
    error: type[InspectKitError],
) -> None:
    for place in range(3):
        issue(blank, f"Striker {place}")
    back_up(blank.registry, tmp_path / "backup.zip")
    registry = open_registry(tmp_path / "new")
    with pytest.raises(error):
        restore(registry, _changed(tmp_path / "backup.zip", name, change))
    with registry.reading() as connection:
        assert last_entry(connection) is None
        assert connection.scalar(text("SELECT count(*) FROM certificates")) == 0


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04" + b"\x00" * 100])
def test_what_is_no_backup_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(BadInput, match="is not a backup"):
        restore(open_registry(tmp_path / "new"), tmp_path / "x.zip")
    with pytest.raises(BadInput, match="cannot be read"):
        restore(open_registry(tmp_path / "new"), tmp_path / "nowhere.zip")


def test_a_backup_of_a_registry_with_a_missing_file_is_not_made(blank: Desk, issue: Issue, tmp_path: Path) -> None:
    issue(blank)
    for path in (blank.home / "evidence").rglob("*"):
        if path.is_file():
            path.unlink()
    with pytest.raises(BrokenSeal, match="missing"):
        back_up(blank.registry, tmp_path / "b.zip")
    assert list(tmp_path.glob("*b.zip*")) == []


def test_a_backup_is_on_the_disk_before_it_has_its_name(
    blank: Desk, issue: Issue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue(blank)
    out, told = tmp_path / "kept.zip", []
    sync, name = os.fsync, Path.replace

    def synced(handle: int) -> None:
        told.append(("sync", Path(f"/proc/self/fd/{handle}").resolve().name))
        sync(handle)

    def named(path: Path, target: Path) -> Path:
        told.append(("name", path.name))
        return name(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", named)
    back_up(blank.registry, out)
    (draft,) = (what for act, what in told if act == "name" and what.startswith(".kept.zip"))
    assert told.index(("sync", draft)) < told.index(("name", draft)) < told.index(("sync", tmp_path.name))


def test_a_backup_that_cannot_be_restored_gets_no_name(
    blank: Desk, issue: Issue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue(blank)

    def spoilt(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

    monkeypatch.setattr("inspect_kit.registry.backup.flush_file", spoilt)
    with pytest.raises(InspectKitError):
        back_up(blank.registry, tmp_path / "kept.zip")
    assert list(tmp_path.glob("*kept.zip*")) == []


def test_what_a_killed_backup_left_is_removed_by_the_next(
    blank: Desk, issue: Issue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue(blank)
    left = blank.home / ".backup-trial" / "registry.db"
    left.parent.mkdir()
    left.write_bytes(b"names of people")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    back_up(blank.registry, tmp_path / "kept.zip")
    assert list(blank.home.glob(".backup-trial*")) == []
    assert (tmp_path / "kept.zip").is_file()
