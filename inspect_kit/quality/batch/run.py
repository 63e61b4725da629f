"""Measuring thousands of photos: each on its own, taken up again where it was left, with the same file in the end.

While it runs, every finished photo is a line in a journal beside the output, in the order in which photos were done. In
the end the lines go into the output in the order of the photos, and the journal is removed. So it does not matter how
many processes or machines took part, or how often the work was interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copyfile
from typing import Any, Final

from inspect_kit.atomic_write import write_whole
from inspect_kit.capture.files import PHOTO_ENDINGS, Stamp, sha256_of_file, stamp_of
from inspect_kit.errors import ENGLISH, BadInput, Notice, UsageError, sentence, system_errors_as
from inspect_kit.file_lock import try_lock
from inspect_kit.quality.batch.lines import Heading, first_line, is_batch, natural, parsed
from inspect_kit.quality.batch.workers import BatchPhoto, Cluster, Pool, Work
from inspect_kit.stored_notices import notices_in

MAX_PHOTOS: Final = 1_000_000
"""Photos of one batch."""
JOURNAL: Final = ".part"


Workforce = Pool | Cluster
"""Those who do the work: the cores of this machine, or a cluster."""
ProgressCallback = Callable[[int], None]
"""Hears how many photos are done."""
LineCallback = Callable[[dict[str, Any]], None]
"""Gets every line of the finished batch, in order: the seam for a registry."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How a batch ended."""

    photos: int
    measured: int
    taken_over: int
    failures: tuple[tuple[str, str], ...]
    """Photos that could not be measured, each with the reason."""
    told: Mapping[str, Notice] = field(default_factory=dict)
    """The same reasons as notices, by photo."""

    def worded(self, photo: str, reason: str, language: str) -> str:
        """The reason in a language; one that a function of somebody's own gave stands as it is."""
        return sentence(self.told[photo], language) if language != ENGLISH and photo in self.told else reason


@dataclass(frozen=True, slots=True)
class Batch:
    """What is to be done: photos, how they are measured, where the results go."""

    photos: tuple[BatchPhoto, ...]
    work: Work
    out: Path
    again: bool = False
    retry: bool = False

    @property
    def journal(self) -> Path:
        """Where finished photos are noted."""
        return self.out.with_name(self.out.name + JOURNAL)

    @property
    def heading(self) -> Heading:
        """The first line of the output and of the journal."""
        work = self.work
        return Heading(work.kind, {**dict(work.options), **dict(work.noted)}, work.function)


def find_photos(places: Iterable[Path]) -> tuple[BatchPhoto, ...]:
    """The photos that are meant: files by name, and all photos in folders and below, sorted."""
    found: dict[str, BatchPhoto] = {}
    for place in places:
        for path in _photos_in(place):
            found.setdefault(path.as_posix(), _photo(path))
            if len(found) > MAX_PHOTOS:
                raise BadInput("more-than-photos", where=str(place), max_photos=f"{MAX_PHOTOS:,}")
    if not found:
        raise UsageError("no-photo-there", endings=", ".join(sorted(PHOTO_ENDINGS)))
    return tuple(found.values())


def _photos_in(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    # Links to folders are not followed: they can lead in circles.
    walked = os.walk(place, followlinks=False)
    paths = (Path(folder) / name for folder, _, names in walked for name in names)
    return sorted(
        (path for path in paths if path.suffix.lower() in PHOTO_ENDINGS), key=lambda path: natural(path.as_posix())
    )


def _photo(path: Path) -> BatchPhoto:
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        # A photo that is not there is one bad photo among many: it gets its line.
        size = -1
    return BatchPhoto(path.as_posix(), size, os.path.abspath(path))  # noqa: PTH100 — a link keeps its own name


def run(batch: Batch, crew: Workforce, told: ProgressCallback, keep: Sequence[LineCallback] = ()) -> Summary:
    """Measure what is not measured yet, and write the output."""
    done = _taken_over(batch)
    left = [photo for photo in batch.photos if photo not in done]
    total = len(batch.photos)
    told(total - len(left))
    with _Journal(batch) as journal:
        for finished, line in enumerate(crew.measured(left, batch.work), total - len(left) + 1):
            journal.add(line)
            told(finished)
        failures: dict[str, dict[str, Any]] = {}
        # The output in the order of the photos, whole or not at all.
        write_whole(batch.out, _finished(batch, journal, failures, keep))
    batch.journal.unlink()
    reasons = tuple((name, str(data["error"])) for name, data in failures.items())
    notices = {name: found for name, data in failures.items() for found in _told(name, data)}
    return Summary(total, total - len(reasons), total - len(left), reasons, notices)


def _taken_over(batch: Batch) -> frozenset[BatchPhoto]:
    """The photos that an earlier run has measured; its journal begins the new one."""
    _refuse_strange(batch)
    if batch.again:
        batch.journal.unlink(missing_ok=True)
        return frozenset()
    if not batch.journal.exists() and batch.out.exists():
        with system_errors_as("not-readable", batch.out):
            copyfile(batch.out, batch.journal)
    if not batch.journal.exists():
        return frozenset()
    wanted = frozenset(batch.photos)
    with _Journal(batch) as journal:
        done = wanted & journal.done(without_failures=batch.retry)
        return frozenset(photo for photo in batch.photos if photo in done and _unchanged(photo, journal.line(photo)))


def _unchanged(photo: BatchPhoto, line: bytes) -> bool:
    """Whether the photo is still the one that was measured; its size alone does not tell."""
    noted = str(parsed(line, photo.name).get("sha256", ""))
    return not noted or sha256_of_file(photo.place) == noted


def _refuse_strange(batch: Batch) -> None:
    """What is in the way must be a batch's results, and without `--again` those of the same work."""
    out = batch.out
    first = first_line(out, 100_000)
    if first is None:
        return
    if not is_batch(first.decode("utf-8", "replace")):
        raise UsageError("already-no-batch-results", where=str(out))
    if first != batch.heading.line() and not batch.again:
        raise _other_settings(out)


def _other_settings(out: Path) -> UsageError:
    return UsageError("begun-other-settings", where=str(out))


class _Journal:
    """The lines of finished photos, and where each begins; a line that was cut off at the end is dropped."""

    def __init__(self, batch: Batch) -> None:
        self._path, self._heading = batch.journal, batch.heading.line()
        self._places: dict[BatchPhoto, int] = {}
        self._failed: set[BatchPhoto] = set()

    def __enter__(self) -> _Journal:
        with ExitStack() as stack:
            with system_errors_as("not-written", self._path):
                held = stack.enter_context(try_lock(self._path.with_name(f".{self._path.name}.lock")))
                self._stream = stack.enter_context(self._path.open("a+b"))
            if not held:
                raise UsageError("another-batch-work", where=str(self._path))
            self._read()
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def done(self, *, without_failures: bool) -> frozenset[BatchPhoto]:
        """What need not be done again."""
        return frozenset(self._places) - (self._failed if without_failures else frozenset())

    def add(self, line: bytes) -> None:
        """Note a finished photo, at once: what is noted survives a kill."""
        self._note(line, self._stream.seek(0, os.SEEK_END))
        self._stream.write(line)
        self._stream.flush()

    def line(self, photo: BatchPhoto) -> bytes:
        """The line of a photo; the last one if it was measured twice."""
        self._stream.seek(self._places[photo])
        return self._stream.readline()

    def _read(self) -> None:
        self._stream.seek(0)
        first = self._stream.readline()
        if not first.endswith(b"\n"):
            self._stream.truncate(0)
            self._stream.write(self._heading)
            self._stream.flush()
            return
        if first != self._heading:
            raise _other_settings(self._path.with_suffix(""))
        place = self._stream.tell()
        while (line := self._stream.readline()).endswith(b"\n"):
            self._note(line, place)
            place = self._stream.tell()
        self._stream.truncate(place)

    def _note(self, line: bytes, place: int) -> None:
        data = parsed(line, f"{self._path}: byte {place}")
        try:
            photo = BatchPhoto(data["photo"], data["size"])
        except KeyError:
            raise BadInput("not-line-batch", where=f"{self._path}: byte {place}") from None
        self._places[photo] = place
        (self._failed.add if "error" in data else self._failed.discard)(photo)


def _told(name: str, data: Mapping[str, Any]) -> tuple[Notice, ...]:
    """Why a photo could not be measured, as a notice; lines of earlier versions and of others have a sentence only."""
    with suppress(BadInput):
        return notices_in([data["notice"]] if "notice" in data else [], name)
    return ()


def _finished(
    batch: Batch, journal: _Journal, failures: dict[str, dict[str, Any]], keep: Sequence[LineCallback]
) -> Iterator[bytes]:
    """The lines of the output; `failures` gets those of photos that could not be measured."""
    yield batch.heading.line()
    for photo in batch.photos:
        line = journal.line(photo)
        data = parsed(line, photo.name)
        if "error" in data:
            failures[photo.name] = data
        for kept in keep:
            kept(data)
        yield line


# A folder that fills: photos are taken up once they have stopped growing.


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
