"""All cores of this machine: a process each, and a photo that brings its process down is found and named."""

from __future__ import annotations

import hashlib
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from inspect_kit.errors import BadInput, InspectKitError, UsageError
from inspect_kit.quality.batch.lines import canonical

# The work on one photo, as it is done in another process or on another machine: nothing here needs the rest.

Measure = Callable[[str, Path, Mapping[str, str]], dict[str, Any]]
"""What is measured, the photo, the options → the result as `measure --json` prints it."""

MAX_ERROR = 300


@dataclass(frozen=True, slots=True)
class BatchPhoto:
    """A photo by its name as given and its size, by which a changed one is known; `path` is where workers find it."""

    name: str
    size: int
    path: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Work:
    """What to do to every photo; the function by its name, so that another process can find it.

    `noted` is what the results say of an option instead of its text: of a file, its digest and not where it lies.
    """

    kind: str
    options: tuple[tuple[str, str], ...]
    function: str
    noted: tuple[tuple[str, str], ...] = ()


@cache
def found(name: str) -> Measure:
    """The measuring function `module:function`."""
    module, colon, function = name.partition(":")
    if not colon or not module or not function:
        raise UsageError(f"{name[:60]!r} does not name a function", hint="for example my_measuring:measure")
    try:
        measure = getattr(import_module(module), function)
    except (ImportError, AttributeError) as problem:
        raise UsageError(f"cannot find {name[:60]!r}: {str(problem)[:120]}") from None
    if not callable(measure):
        raise UsageError(f"{name[:60]!r} is not a function")
    return measure  # type: ignore[no-any-return]


def measured_chunk(photos: Sequence[BatchPhoto], work: Work) -> list[bytes]:
    """The lines of some photos, in their order."""
    _stay_on_one_core()
    return [_measured(photo, work) for photo in photos]


def _measured(photo: BatchPhoto, work: Work) -> bytes:
    """The line of one photo. Whatever goes wrong with it is its own matter and stops nobody else."""
    path = Path(photo.path or photo.name)
    try:
        if path.exists() and not path.is_file():
            # Opening a pipe would wait for somebody to write into it.
            raise BadInput("is no file")
        result = found(work.function)(work.kind, path, dict(work.options))
        return canonical({"photo": photo.name, "size": photo.size, "sha256": _digest(path), "result": result})
    except InspectKitError as problem:
        reason = str(problem)
    except MemoryError:
        reason = "there is not enough memory for it"
    except Exception as problem:
        reason = f"a fault in the program, {type(problem).__name__}: {problem}"
    return failed(photo, reason)


def failed(photo: BatchPhoto, reason: str) -> bytes:
    """The line of a photo that could not be measured."""
    # The line names the photo already, and where it lies on a worker's disk is nobody's matter.
    named = (reason.replace(photo.path, photo.name) if photo.path else reason).removeprefix(f"{photo.name}: ")
    sentence = " ".join("".join(sign if sign.isprintable() else " " for sign in named).split())
    digest = _digest(Path(photo.path or photo.name))
    noted = {"sha256": digest} if digest else {}
    return canonical({"photo": photo.name, "size": photo.size, **noted, "error": sentence[:MAX_ERROR]})


def _digest(path: Path) -> str:
    """What tells a photo from another of the same name and size; nothing of what cannot be read."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


def _stay_on_one_core() -> None:
    """Each process has its core; OpenCV would start threads on all of them."""
    cv2 = sys.modules.get("cv2")
    if cv2 is not None and cv2.getNumThreads() != 1:
        cv2.setNumThreads(1)


def check_function(work: Work) -> None:
    """Say at once that there is no such function, not two thousand times."""
    try:
        found(work.function)
    except UsageError:
        raise
    except Exception as problem:
        raise BadInput(f"{work.function[:60]!r} cannot be loaded: {str(problem)[:120]}") from None


Chunk = Sequence[BatchPhoto]
_AHEAD: Final = 3
"""Chunks waiting for each process, so that none has to wait for us."""
_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_DIED: Final = "the measuring process died on this photo"


@dataclass(frozen=True, slots=True)
class Pool:
    """So many processes on this machine."""

    workers: int

    def measured(self, chunks: Iterable[Chunk], work: Work) -> Iterator[bytes]:
        """The lines as they get done. After a process has died, those photos that it may have been are tried alone."""
        waiting = iter(chunks)
        while True:
            suspects: list[Chunk] = []
            yield from self._until_broken(waiting, work, suspects)
            if not suspects:
                return
            for photo in (photo for chunk in suspects for photo in chunk):
                yield _alone(photo, work)

    def _until_broken(self, waiting: Iterator[Chunk], work: Work, suspects: list[Chunk]) -> Iterator[bytes]:
        """Work until all is done, or until the pool breaks; `suspects` are then the chunks that were under way."""
        with _pool(self.workers) as pool:
            under_way: dict[Future[list[bytes]], Chunk] = {}
            try:
                # Some chunks ahead, never all: thousands of photos need no memory before their turn.
                for chunk in islice(waiting, self.workers * _AHEAD):
                    under_way[_started(pool, chunk, work)] = chunk
                while under_way:
                    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield from future.result()
                        del under_way[future]
                        for chunk in islice(waiting, 1):
                            under_way[_started(pool, chunk, work)] = chunk
            except BrokenProcessPool:
                suspects += under_way.values()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _started(pool: ProcessPoolExecutor, chunk: Chunk, work: Work) -> Future[list[bytes]]:
    """The chunk handed over; if the pool is broken already, as something that will say so."""
    try:
        return pool.submit(measured_chunk, chunk, work)
    except BrokenProcessPool as problem:
        broken: Future[list[bytes]] = Future()
        broken.set_exception(problem)
        return broken


def _pool(workers: int) -> ProcessPoolExecutor:
    # Fresh processes, not forks: a fork copies locks that other threads hold.
    for name in _THREADS:
        os.environ.setdefault(name, "1")
    return ProcessPoolExecutor(workers, get_context("spawn"), initializer=_leave_interrupts)


def _leave_interrupts() -> None:
    """Ctrl-C is for the one who gives out the work; it lets the others finish their photo."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _alone(photo: BatchPhoto, work: Work) -> bytes:
    """One photo in a process of its own."""
    with _pool(1) as pool:
        try:
            (line,) = pool.submit(measured_chunk, [photo], work).result()
        except BrokenProcessPool:
            return failed(photo, _DIED)
        return line


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# A Dask cluster that somebody has started: its scheduler hands the same work to its workers.

_CLUSTER_AHEAD: Final = 4
_TIMEOUT: Final = 10
_CLUSTER_DIED: Final = "the worker died on this photo"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A scheduler by its address, `tcp://host:8786`.

    Its workers need this program, and must see the photos by the same path.
    """

    address: str

    def measured(self, chunks: Iterable[Sequence[BatchPhoto]], work: Work) -> Iterator[bytes]:
        """The lines as they get done."""
        client = _client(self.address)
        try:
            yield from _through(client, iter(chunks), work)
        finally:
            client.close()


def _client(address: str) -> Any:
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise UsageError(
            "--cluster needs dask.distributed, which is not installed", hint="pip install 'inspect-kit[dask]'"
        ) from None
    # Its log speaks to those who run clusters; what matters here is said in one sentence.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = distributed.Client(address, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as problem:
        raise BadInput(
            f"no cluster answers: {str(problem)[:120]}", where=address[:80], hint="for example tcp://10.0.0.5:8786"
        ) from None
    if not client.scheduler_info()["workers"]:
        client.close()
        raise BadInput("the cluster has no worker", where=address[:80], hint=f"start one: dask worker {address[:60]}")
    return client


def _through(client: Any, waiting: Iterator[Sequence[BatchPhoto]], work: Work) -> Iterator[bytes]:
    most = _CLUSTER_AHEAD * max(1, sum(client.nthreads().values()))
    chunks: dict[object, Sequence[BatchPhoto]] = {}
    done = import_module("distributed").as_completed(loop=client.loop, raise_errors=False)

    def submit() -> None:
        chunk = next(waiting, None)
        if chunk is not None:
            future = client.submit(measured_chunk, chunk, work, pure=False)
            chunks[future.key] = chunk
            done.add(future)

    for _ in range(most):
        submit()
    for future in done:
        yield from _lines(future, chunks.pop(future.key))
        submit()


def _lines(future: Any, chunk: Sequence[BatchPhoto]) -> list[bytes]:
    """What a worker gave back; a chunk that killed its workers, or that they could not run, fails by itself."""
    if future.status == "finished":
        lines: list[bytes] = future.result()
        return lines
    problem = future.exception()
    died = type(problem).__name__ == "KilledWorker"
    reason = (
        _CLUSTER_DIED if died else f"the cluster could not measure it: {type(problem).__name__}: {str(problem)[:160]}"
    )
    return [failed(photo, reason) for photo in chunk]
