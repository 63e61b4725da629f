"""Certificates that are just being issued, noted on disk, so that an interrupted one is finished or undone later.

A note is written before the registry's transaction ends and removed when the PDF has its name. Its writer holds a
lock on it, which the system lifts when that program ends in whatever way.
"""

import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from inspect_kit.atomic_write import apply_umask, sync_folder, written_beside
from inspect_kit.errors import BadInput, InspectKitError, Notice, notice, system_errors_as
from inspect_kit.file_lock import try_lock
from inspect_kit.registry.opening import Registry
from inspect_kit.registry.search import find

_FOLDER: Final = "pending"
_OLD: Final = 3600
"""Seconds after which a draft without a name was surely left by a program that ended."""


class Promise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """That a certificate's PDF, by its SHA-256, will be in `out`; until then it is in `part`."""

    number: str
    sha256: str
    out: str
    part: str


@dataclass(frozen=True, slots=True)
class PromiseNote:
    """A promise on disk."""

    path: Path
    promise: Promise


@contextmanager
def promised(home: Path, registry: Registry, promise: Promise) -> Iterator[PromiseNote]:
    """Note a promise before the registry's transaction ends; where the block fails, the promise is settled at once."""
    path = home / _FOLDER / f"{secrets.token_hex(8)}.json"
    with system_errors_as("not-written", path.parent):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Locked before it is there, so that nobody ever finds it unlocked while this program lives.
    with try_lock(_lock_of(path)):
        with system_errors_as("not-written", path.parent):
            written_beside(path, msgspec.json.encode(promise)).replace(path)
        sync_folder(path.parent)
        try:
            yield PromiseNote(path, promise)
        except BaseException:
            with contextlib.suppress(InspectKitError, OSError):
                list(_settle(path, registry))
            raise


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")


def promise_of(number: str, pdf: bytes, out: Path) -> Promise:
    """The promise that a PDF will be in `out`."""
    part = out.absolute().parent / f".{out.name[:60]}.{secrets.token_hex(8)}.part"
    return Promise(number, hashlib.sha256(pdf).hexdigest(), str(out.absolute()), str(part))


def write_part(note: PromiseNote, content: bytes) -> None:
    """The PDF beside its later name, on disk for good."""
    with system_errors_as("not-written", note.promise.out):
        handle = os.open(note.promise.part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())


def complete_issue(note: PromiseNote) -> None:
    """Give the PDF its name and strike out the note."""
    out = Path(note.promise.out)
    try:
        Path(note.promise.part).replace(out)
    except OSError as problem:
        raise BadInput(
            "registered-not-written", where=str(out), number=note.promise.number, reason=problem.strerror
        ) from None
    sync_folder(out.parent)
    note.path.unlink(missing_ok=True)


def recover(home: Path, registry: Registry) -> tuple[Notice, ...]:
    """Finish or undo what was interrupted on this desk; says what was done."""
    folder = home / _FOLDER
    told: list[Notice] = []
    # Another desk may be about to name a young draft, or to take a young lock; nothing depends on an old one.
    for left in filter(_is_old, folder.glob(".*.part")):
        left.unlink(missing_ok=True)
    for lock in filter(_is_old, folder.glob("*.lock")):
        with try_lock(lock):
            pass
    for path in sorted(folder.glob("*.json")):
        with _free(path) as free:
            if free:
                told.extend(_settle(path, registry))
    return tuple(told)


def _is_old(draft: Path) -> bool:
    try:
        return time.time() - draft.stat().st_mtime > _OLD
    except OSError:
        return False


@contextmanager
def _free(path: Path) -> Iterator[bool]:
    """Whether the writer of a note is gone; holds the note meanwhile."""
    try:
        with try_lock(_lock_of(path)) as held:
            yield held and path.exists()
    except OSError:
        yield False


def _settle(path: Path, registry: Registry) -> Iterator[Notice]:
    try:
        promise = msgspec.json.decode(path.read_bytes(), type=Promise)
    except (msgspec.MsgspecError, OSError):
        path.unlink(missing_ok=True)
        return
    with registry.reading() as connection:
        known = find(connection, promise.number)
        content = None
        if known is not None and known.pdf == promise.sha256:
            content = registry.shelf.take(connection, promise.sha256)
    if content is None:
        Path(promise.part).unlink(missing_ok=True)
    else:
        yield _finish(promise, path.stat().st_mtime, content)
    path.unlink(missing_ok=True)


def _finish(promise: Promise, noted: float, content: bytes) -> Notice:
    """A registered certificate gets its file, unless something newer has taken the name since."""
    out = Path(promise.out)
    Path(promise.part).unlink(missing_ok=True)
    facts = {"number": promise.number, "file": out}
    try:
        if out.exists() and out.stat().st_mtime > noted:
            return notice("issue-whole" if out.read_bytes() == content else "issue-other-file", **facts)
        written_beside(out, content).replace(out)
        apply_umask(out)
        sync_folder(out.parent)
    except (OSError, InspectKitError):
        return notice("issue-unwritable", **facts)
    return notice("issue-finished", **facts)
