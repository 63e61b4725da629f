"""Backup and restore: the entries and the evidence in one file, from which either kind of database is made anew."""

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Final

import msgspec
from sqlalchemy import Connection

from inspect_kit.atomic_write import flush_file, sync_folder, written_beside
from inspect_kit.errors import BadInput, BrokenSeal, UsageError, refuse_special_file
from inspect_kit.file_lock import try_lock
from inspect_kit.registry.chain import all_entries, last_entry, rows_of, write
from inspect_kit.registry.entries import FIRST, Entry
from inspect_kit.registry.evidence import EvidenceFolder
from inspect_kit.registry.opening import Registry, open_registry, refuse_older
from inspect_kit.registry.tables import EVIDENCE
from inspect_kit.strict_json import parse_json

FORMAT: Final = 1
"""Version of a backup; another one is refused."""
_BATCH: Final = 500
"""Entries written at a time."""
_LONGEST_LINE: Final = 4_000_000
"""Bytes of one entry."""
_LARGEST_FILE: Final = 500_000_000
"""Bytes of one file of evidence."""
_TRIAL: Final = ".backup-trial"
_TRIAL_LOCK: Final = ".backup-trial.lock"
"""Beside the registry: where a backup is restored to prove it, and who is just doing so."""


@dataclass(frozen=True, slots=True)
class BackupContent:
    """What a backup holds."""

    entries: int
    files: int
    head: str


def back_up(registry: Registry, out: Path) -> BackupContent:
    """Write the whole registry into one file; desks may go on writing meanwhile."""
    if out.exists() and not out.is_file():
        # Renaming over a device would put a file in its place, for everybody on the machine.
        raise BadInput("folder-device-or-pipe", where=str(out))
    try:
        temporary = written_beside(out, b"")
    except OSError as problem:
        raise BadInput("not-written", where=str(out), reason=problem.strerror) from None
    try:
        with registry.reading() as connection, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            kept = _pack(registry, connection, archive)
        flush_file(temporary)
        _prove(registry, temporary, kept)
        temporary.replace(out)
    except OSError as problem:
        raise BadInput("not-written", where=str(out), reason=problem.strerror) from None
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(out.parent)
    return kept


def _prove(registry: Registry, backup: Path, kept: BackupContent) -> None:
    """A backup is one once it was restored: into a registry of its own, which is thrown away."""
    with _trial_folder(registry) as place:
        trial = open_registry(place, remembered=False)
        try:
            if restore(trial, backup) != kept:
                raise BrokenSeal("does-not-hold-written-into", where=str(backup))
        finally:
            trial.engine.dispose()


@contextmanager
def _trial_folder(registry: Registry) -> Iterator[Path]:
    """Beside the registry, as private as it is; what a program left there that was killed is removed first.

    Where another backup is just being proven, or the registry lies on a server or cannot be written beside, a
    temporary folder has to do.
    """
    home = registry.shelf.root.parent if isinstance(registry.shelf, EvidenceFolder) else None
    with ExitStack() as stack:
        if home is None or not os.access(home, os.W_OK) or not stack.enter_context(try_lock(home / _TRIAL_LOCK)):
            yield Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="inspect-kit-")))
            return
        place = home / _TRIAL
        shutil.rmtree(place, ignore_errors=True)
        stack.callback(shutil.rmtree, place, ignore_errors=True)
        place.mkdir(mode=0o700)
        yield place


def _pack(registry: Registry, connection: Connection, archive: zipfile.ZipFile) -> BackupContent:
    last = last_entry(connection)
    digests: set[str] = set()
    with archive.open("entries.jsonl", "w", force_zip64=True) as stream:
        for entry in all_entries(connection):
            stream.write(msgspec.json.encode(entry) + b"\n")
            digests.update(_evidence_of(entry))
    for digest in sorted(digests):
        archive.writestr(f"evidence/{digest}", registry.shelf.take(connection, digest), zipfile.ZIP_STORED)
    kept = BackupContent(last.id if last else 0, len(digests), last.hash if last else FIRST)
    head = {"format": FORMAT, "entries": kept.entries, "files": kept.files, "head": kept.head}
    archive.writestr("manifest.json", json.dumps(head))
    return kept


def _evidence_of(entry: Entry) -> Iterator[str]:
    """The files that an entry names, whatever kind of entry it is."""
    return (values["sha256"] for table, values in rows_of(entry) if table is EVIDENCE)


def restore(registry: Registry, source: Path, *, older: bool = False) -> BackupContent:
    """Make an empty registry what the backup says: all of it, or nothing; an `older` one only by express word."""
    refuse_special_file(source)
    try:
        with zipfile.ZipFile(source) as archive:
            return _unpack(registry, archive, str(source), older=older)
    except OSError as problem:
        raise BadInput("not-readable", where=str(source), reason=problem.strerror) from None
    except (zipfile.BadZipFile, KeyError, ValueError, NotImplementedError, EOFError, msgspec.MsgspecError):
        raise BadInput("not-backup-damaged-one", where=str(source)) from None


def _unpack(registry: Registry, archive: zipfile.ZipFile, where: str, *, older: bool) -> BackupContent:
    manifest = msgspec.convert(parse_json(_member(archive, "manifest.json", 10_000), where), _Manifest)
    if manifest.format != FORMAT:
        raise BadInput("other-format", where=where, stated=manifest.format, format=FORMAT)
    with registry.writing(anew=True) as connection:
        if last_entry(connection) is not None:
            raise UsageError("not-empty-restore-never-overwrites", where=registry.place)
        digests = _restore_entries(connection, archive, manifest, where)
        for digest in sorted(digests):
            content = _member(archive, f"evidence/{digest}", _LARGEST_FILE)
            if registry.shelf.put(connection, content) != digest:
                raise BrokenSeal("changed-backup", where=f"evidence {digest}")
        if registry.memory and not older:
            refuse_older(registry.memory, connection, registry.place)
    return BackupContent(manifest.entries, len(digests), manifest.head)


class _Manifest(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    entries: int
    files: int
    head: str


def _restore_entries(connection: Connection, archive: zipfile.ZipFile, manifest: _Manifest, where: str) -> set[str]:
    digests: set[str] = set()
    last = (0, FIRST)
    with archive.open("entries.jsonl") as stream:
        entries = _lines(stream, where)
        while batch := list(islice(entries, _BATCH)):
            for entry in batch:
                if (entry.id - 1, entry.previous) != last or entry.right_hash() != entry.hash:
                    raise BrokenSeal("does-not-fit-chain", where=f"{where}: entry {entry.id}")
                last = (entry.id, entry.hash)
                digests.update(_evidence_of(entry))
            write(connection, batch)
    if last != (manifest.entries, manifest.head):
        raise BrokenSeal("ends-entry-not-entry", where=where, last=last[0], entries=manifest.entries)
    return digests


def _lines(stream: IO[bytes], where: str) -> Iterator[Entry]:
    while line := stream.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise BadInput("entry-too-long", where=where)
        yield msgspec.convert(parse_json(line, where), Entry)


def _member(archive: zipfile.ZipFile, name: str, largest: int) -> bytes:
    if archive.getinfo(name).file_size > largest:
        raise ValueError(f"{name} is too large")
    with archive.open(name) as stream:
        content = stream.read(largest + 1)
    if len(content) > largest:
        raise ValueError(f"{name} is too large")
    return content
