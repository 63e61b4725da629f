"""What a desk remembers of a registry outside it: cutting off the end of a chain leaves no other trace."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspect_kit.atomic_write import written_beside
from inspect_kit.registry.entries import Entry

_FILE: Final = "witness.json"


@dataclass(frozen=True, slots=True)
class LastSeenEntry:
    """The newest entry that this desk has seen."""

    entries: int
    hash: str


def remember(home: Path, place: str, entry: Entry) -> None:
    """Note an entry; failing to is no reason to fail what was done."""
    try:
        notes = {**_notes(home), place: [entry.id, entry.hash]}
        written_beside(home / _FILE, json.dumps(notes).encode()).replace(home / _FILE)
    except OSError:
        return


def forget(home: Path, place: str) -> None:
    """After an older state was restored on purpose."""
    notes = {key: value for key, value in _notes(home).items() if key != place}
    home.mkdir(parents=True, exist_ok=True)
    written_beside(home / _FILE, json.dumps(notes).encode()).replace(home / _FILE)


def recalled(home: Path, place: str) -> LastSeenEntry | None:
    """What was noted of a registry."""
    note = _notes(home).get(place)
    return LastSeenEntry(*note) if note else None


def _notes(home: Path) -> dict[str, tuple[int, str]]:
    try:
        notes = json.loads((home / _FILE).read_bytes())
        return {str(place): (int(entries), str(digest)) for place, (entries, digest) in notes.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
