"""What this computer remembers of a registry, apart from it: it moves only forward, and cutting a chain off shows.

A file for each registry, named by the registry's identity, with a line for each state that was seen; and a file for
each place, with the identity of the registry that lies there. They are kept in the user's own folder for program
states, or where INSPECT_KIT_WITNESS says, not beside the database.
"""

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from platformdirs import user_state_path

from inspect_kit.atomic_write import written_beside

FOLDER: Final = "INSPECT_KIT_WITNESS"
_TAIL: Final = 4000
"""Bytes of the end of a file that hold the newest states: two desks may write them out of order."""
_LARGEST: Final = 1_000_000
"""Bytes after which a file begins anew with its newest state."""


@dataclass(frozen=True, slots=True)
class LastSeenEntry:
    """The newest state that was seen: how many entries, and the last one's hash."""

    entries: int
    hash: str


@dataclass(frozen=True, slots=True)
class Memory:
    """The folder in which this computer remembers registries."""

    folder: Path

    def recall(self, identity: str) -> LastSeenEntry | None:
        """The newest state seen of a registry."""
        states = [seen for line in _tail(self._file(identity)) if (seen := _seen(line))]
        return max(states, key=lambda seen: seen.entries, default=None)

    def note(self, place: str, identity: str, seen: LastSeenEntry) -> None:
        """A newer state; an older one is never noted. Failing to is no reason to fail what was done."""
        with suppress(OSError):
            known = self.recall(identity)
            if known is None or seen.entries > known.entries:
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._append(self._file(identity), f"{seen.entries} {seen.hash}\n")
            if self.lying_at(place) != identity:
                self._replace(self._place(place), identity)

    def accept(self, place: str, identity: str, seen: LastSeenEntry) -> None:
        """An older state, by somebody's express word: the only way back there is."""
        self._replace(self._file(identity), f"{seen.entries} {seen.hash}\n")
        self._replace(self._place(place), identity)

    def lying_at(self, place: str) -> str:
        """The identity of the registry that was last seen at a place; empty for a new place."""
        return next(iter(_tail(self._place(place))), "")

    def forget(self, place: str) -> None:
        """That a registry ever lay at a place: for one that is begun anew there on purpose."""
        self._place(place).unlink(missing_ok=True)

    def _append(self, path: Path, line: str) -> None:
        if path.exists() and path.stat().st_size > _LARGEST:
            self._replace(path, line)
            return
        # One short write to the end of a file is whole or not there, and needs no lock.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    def _replace(self, path: Path, content: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        written_beside(path, content.encode()).replace(path)

    def _file(self, identity: str) -> Path:
        return self.folder / f"{identity[:32]}.seen"

    def _place(self, place: str) -> Path:
        return self.folder / f"{hashlib.sha256(place.encode(errors='replace')).hexdigest()[:32]}.place"


def usual_memory() -> Memory:
    """Where this computer remembers."""
    told = os.environ.get(FOLDER)
    return Memory(Path(told) if told else user_state_path("inspect-kit", appauthor=False) / "witness")


def _tail(path: Path) -> list[str]:
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - _TAIL))
            return stream.read(_TAIL).decode("ascii", "replace").splitlines()
    except OSError:
        return []


def _seen(line: str) -> LastSeenEntry | None:
    entries, _, digest = line.partition(" ")
    return (
        LastSeenEntry(int(entries), digest) if entries.isascii() and entries.isdigit() and len(digest) == 64 else None
    )
