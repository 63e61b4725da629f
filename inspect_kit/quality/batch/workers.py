"""All cores of this machine: a process each, bounded in time and memory; a photo that brings it down is named."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final

from inspect_kit.bounded_pool import BoundedPool
from inspect_kit.bounded_process import BoundedProcess, ProcessDied
from inspect_kit.capture.files import sha256_of_file
from inspect_kit.errors import BadInput, InspectKitError, Notice, UsageError, notice, sentence
from inspect_kit.quality.batch.lines import canonical

# The work on one photo, as it is done in another process or on another machine: nothing here needs the rest.

Measure = Callable[[str, Path, Mapping[str, str]], dict[str, Any]]
"""What is measured, the photo, the options → the result as `measure --json` prints it."""

MAX_ERROR = 300
"""Characters that are kept of the reason why a photo could not be measured."""


@dataclass(frozen=True, slots=True)
class BatchPhoto:
    """A photo by its name as given and its size, by which a changed one is known; `path` is where workers find it."""

    name: str
    size: int
    path: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class PhotoBounds:
    """What one photo may take before it is given up: seconds on the clock, and bytes of memory."""

    seconds: float = 300.0
    memory: int = 4_000_000_000


@dataclass(frozen=True, slots=True)
class Work:
    """What to do to every photo; the function by its name, so that another process can find it.

    `noted` is what the results say of an option instead of its text: of a file, its digest and not where it lies.
    """

    kind: str
    options: tuple[tuple[str, str], ...]
    function: str
    noted: tuple[tuple[str, str], ...] = ()
    bounds: PhotoBounds = PhotoBounds()


@cache
def measuring_function(name: str) -> Measure:
    """The measuring function `module:function`."""
    module, colon, function = name.partition(":")
    if not colon or not module or not function:
        raise UsageError("does-not-name-function", name=name[:60])
    try:
        measure = getattr(import_module(module), function)
    except (ImportError, AttributeError) as problem:
        raise UsageError("cannot-find", name=name[:60], problem=str(problem)[:120]) from None
    if not callable(measure):
        raise UsageError("not-function", name=name[:60])
    return measure  # type: ignore[no-any-return]


def measured_line(photo: BatchPhoto, work: Work) -> bytes:
    """The line of one photo. Whatever goes wrong with it is its own matter; that there is no function is not."""
    measure = measuring_function(work.function)
    _stay_on_one_core()
    path = Path(photo.path or photo.name)
    try:
        if path.exists() and not path.is_file():
            # Opening a pipe would wait for somebody to write into it.
            raise BadInput("not-a-file")
        result = measure(work.kind, path, dict(work.options))
        return canonical({"photo": photo.name, "size": photo.size, "sha256": sha256_of_file(path), "result": result})
    except InspectKitError as problem:
        return failed(photo, problem.told, str(problem))
    except MemoryError:
        return failed(photo, notice("photo-no-memory"))
    except Exception as problem:
        return failed(photo, notice("photo-fault", kind=type(problem).__name__, text=str(problem)[:160]))


def failed(photo: BatchPhoto, told: Notice, whole: str = "") -> bytes:
    """The line of a photo that could not be measured: why, in English and as a notice for other languages."""
    reason = whole or sentence(told)
    # The line names the photo already, and where it lies on a worker's disk is nobody's matter.
    named = (reason.replace(photo.path, photo.name) if photo.path else reason).removeprefix(f"{photo.name}: ")
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in named).split())
    digest = sha256_of_file(Path(photo.path or photo.name))
    noted = {"sha256": digest} if digest else {}
    return canonical({"photo": photo.name, "size": photo.size, **noted, "error": plain[:MAX_ERROR],
                      "notice": told.as_data()})  # fmt: skip


def _stay_on_one_core() -> None:
    """Each process has its core; OpenCV would start threads on all of them."""
    cv2 = sys.modules.get("cv2")
    if cv2 is not None and cv2.getNumThreads() != 1:
        cv2.setNumThreads(1)


def check_function(work: Work) -> None:
    """Say at once that there is no such function, not two thousand times."""
    try:
        measuring_function(work.function)
    except UsageError:
        raise
    except Exception as problem:
        raise BadInput("cannot-loaded", function=work.function[:60], problem=str(problem)[:120]) from None


_AHEAD: Final = 3
"""Photos waiting for each process, so that none has to wait for us."""
_DIED: Final = notice("photo-process-died")


def bounded_line(helper: BoundedProcess | BoundedPool, photo: BatchPhoto, work: Work) -> bytes:
    """The line of one photo, measured in a process that may end with it, and does so when time or memory is over."""
    try:
        return helper.do(work.bounds.seconds, measured_line, photo, work)
    except ProcessDied:
        return failed(photo, _DIED)
    except BadInput as problem:
        return failed(photo, problem.told, str(problem))


@dataclass(frozen=True, slots=True)
class Pool:
    """So many processes on this machine."""

    workers: int

    def measured(self, photos: Iterable[BatchPhoto], work: Work) -> Iterator[bytes]:
        """The lines as they get done. A photo that brings its process down costs only itself."""
        helpers, threads = BoundedPool(work.bounds.memory, self.workers), ThreadPoolExecutor(self.workers)
        try:
            yield from _as_done(
                threads, lambda photo: bounded_line(helpers, photo, work), iter(photos), self.workers * _AHEAD
            )
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            # Whoever leaves early (Ctrl-C) does not wait for the photos in hand: they are not noted, and come again.
            helpers.close()


def _as_done(
    threads: ThreadPoolExecutor, line: Callable[[BatchPhoto], bytes], photos: Iterator[BatchPhoto], ahead: int
) -> Iterator[bytes]:
    """The lines as they get done; some photos ahead, never all: thousands need no memory before their turn."""
    under_way = {threads.submit(line, photo) for photo in islice(photos, ahead)}
    while under_way:
        done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
        under_way |= {threads.submit(line, photo) for photo in islice(photos, len(done))}
        for future in done:
            yield future.result()
