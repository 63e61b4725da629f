"""`measure … --watch`: photos measured as they arrive in a folder, each once it is whole, results beside it."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from inspect_kit.capture.files import PHOTO_ENDINGS, Stamp, sha256_of_file, stamp_of
from inspect_kit.errors import UsageError

RESULT: Final = ".json"
"""Written behind a photo's name: what was measured in it."""
PICTURE: Final = ".seen.png"
"""The same with what was found drawn in."""
_PAUSE: Final = 0.7
"""Seconds between two looks into the folder; a file that has not changed between them is whole."""


def pause() -> None:
    """Between two looks."""
    time.sleep(_PAUSE)


@dataclass(slots=True)
class WatchedFolder:
    """A folder, what its photos looked like at the last look, and which states of them are done with."""

    folder: Path
    _before: dict[Path, Stamp] = field(default_factory=dict)
    _done: dict[Path, Stamp] = field(default_factory=dict)

    def whole(self) -> list[Path]:
        """Photos that came, have not changed since the last look, and are not done with; oldest first."""
        now = dict(self._photos())
        ready = [
            path for path, state in now.items() if self._before.get(path) == state and self._done.get(path) != state
        ]
        self._before = now
        for path in ready:
            self._done[path] = now[path]
        new = [path for path in ready if not _measured_before(path)]
        return sorted(new, key=lambda path: (now[path][1], path.name))

    def _photos(self) -> Iterator[tuple[Path, Stamp]]:
        for path in self._entries():
            photo = path.suffix.lower() in PHOTO_ENDINGS and not path.name.startswith(".")
            state = stamp_of(path) if photo and not path.name.endswith(PICTURE) else None
            if state is not None:
                yield path, state

    def _entries(self) -> list[Path]:
        try:
            return list(self.folder.iterdir())
        except OSError as problem:
            raise UsageError("cannot-watch-folder", where=str(self.folder), why=problem.strerror or "") from None


def _measured_before(path: Path) -> bool:
    """Whether its result lies beside it already: a watch that was stopped goes on where it was. A result names the
    digest of its photo; times tell nothing, for many programs copy a photo with the time it was taken."""
    try:
        result = path.with_name(path.name + RESULT).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    digest = sha256_of_file(path)
    return bool(digest) and digest in result


def watch(folder: Path, handle: Callable[[Path], None], wait: Callable[[], None] = pause) -> int:
    """Hand over every photo once it is whole, until Ctrl-C; gives how many there were."""
    watched, count = WatchedFolder(folder), 0
    try:
        while True:
            for path in watched.whole():
                handle(path)
                count += 1
            wait()
    except KeyboardInterrupt:
        return count
