"""A folder that fills: photos are taken up once they have stopped growing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inspect_kit.capture.files import Stamp, stamp_of
from inspect_kit.errors import UsageError
from inspect_kit.quality.batch.run import find_photos
from inspect_kit.quality.batch.workers import BatchPhoto


@dataclass(slots=True)
class FolderWatch:
    """The places that are looked at, and how each photo looked the last time."""

    places: Sequence[Path]
    pause: Callable[[], None]
    idle: int
    """How many looks without anything new end the watch; 0 is never."""
    _before: dict[str, Stamp] = field(default_factory=dict)
    _given: dict[str, Stamp] = field(default_factory=dict)

    def filling(self) -> Iterator[tuple[BatchPhoto, ...]]:
        """All photos that are whole, each time that there is a new or a changed one among them."""
        quiet = 0
        while not self.idle or quiet <= self.idle:
            whole, stamps = self._whole()
            quiet += 1
            if stamps != self._given and whole:
                self._given, quiet = stamps, 0
                yield whole
            self.pause()

    def _whole(self) -> tuple[tuple[BatchPhoto, ...], dict[str, Stamp]]:
        """The photos that look as they did the last time."""
        try:
            photos = find_photos(self.places)
        except UsageError:
            # An empty folder is where a watch begins.
            photos = ()
        now = {photo.name: stamp for photo in photos if (stamp := stamp_of(Path(photo.path)))}
        stamps = {name: stamp for name, stamp in now.items() if self._before.get(name) == stamp}
        self._before = now
        return tuple(photo for photo in photos if photo.name in stamps), stamps
