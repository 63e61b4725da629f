"""Who measures a batch: all cores of this machine, or a Dask cluster; a photo that brings a process down is named."""

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from inspect_kit.bounded_process import BoundedPool, BoundedProcess, ProcessDied
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

    @property
    def place(self) -> Path:
        """The file."""
        return Path(self.path or self.name)


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
    path = photo.place
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
    digest = sha256_of_file(photo.place)
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


# A Dask cluster that somebody has started: whoever dies there, no good photo is noted as unmeasurable.


_AHEAD_ON_CLUSTER: Final = 4
"""Photos on their way for each thread of the cluster, so that none has to wait for us."""
_TIMEOUT: Final = 10
"""Seconds in which a scheduler answers."""
_FETCH: Final = 5
"""Seconds in which a worker hands over a line."""
_TICK: Final = 2.0
"""Seconds without a result after which we look whether anybody is still at work."""
_WORKER_DIED: Final = notice("photo-worker-died")
_GOES_ON: Final = notice("goes-on-from-here")

NoticeCallback = Callable[[Notice], None]
"""Hears how it stands while the work goes on."""


class _SchedulerLost(Exception):
    """The scheduler no longer answers; what was on its way has to be asked for again."""


class _ResultLost(Exception):
    """A result stays on its worker until we fetch it, and was lost with it or with the scheduler: measured again."""


class _NoWorkers:
    """Since when the cluster has had nobody to do the work."""

    def __init__(self, said: NoticeCallback, patience: float) -> None:
        self._said, self._patience, self._since = said, patience, 0.0

    def checked(self, workers: int) -> None:
        """Say it once when the last worker is gone, once when one is back, and give up in the end."""
        now = time.monotonic()
        if workers:
            if self._since:
                self._said(notice("cluster-workers-again"))
            self._since = 0.0
        elif not self._since:
            self._since = now
            self._said(notice("cluster-no-worker", patience=f"{self._patience:g}"))
        elif now - self._since > self._patience:
            raise BadInput("no-worker-for", hint=_GOES_ON, patience=f"{self._patience:g}")


@dataclass(frozen=True, slots=True)
class Cluster:
    """A scheduler by its address, `tcp://host:8786`.

    Its workers need this program, and must see the photos by the same path. `patience` is how long we wait for a
    scheduler or for workers that are gone, in seconds.
    """

    address: str
    said: NoticeCallback = lambda _: None
    patience: float = 60.0

    def measured(self, photos: Iterable[BatchPhoto], work: Work) -> Iterator[bytes]:
        """The lines as they get done. Photos that were at hand when a worker died too often are tried one by one."""
        suspects: list[BatchPhoto] = []
        yield from self._round(dict.fromkeys(photos), work, suspects, alone=False)
        condemned: list[BatchPhoto] = []
        yield from self._round(dict.fromkeys(suspects), work, condemned, alone=True)
        yield from (failed(photo, _WORKER_DIED) for photo in condemned)

    def _round(
        self, left: dict[BatchPhoto, None], work: Work, died: list[BatchPhoto], *, alone: bool
    ) -> Iterator[bytes]:
        """All of these photos, through as many schedulers as it takes; `died` gets those whose workers died."""
        client = _client(self.address) if left else None
        while client is not None:
            try:
                for photo, line in self._through(client, tuple(left), work, alone):
                    del left[photo]
                    if line is None:
                        died.append(photo)
                    else:
                        yield line
                return
            except _SchedulerLost:
                self.said(notice("cluster-scheduler-gone", address=self.address, patience=f"{self.patience:g}"))
            finally:
                _closed(client)
            client = self._again()

    def _again(self) -> Any:
        """A new connection once the scheduler is back."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            with suppress(BadInput):
                client = _client(self.address)
                self.said(notice("cluster-scheduler-back"))
                return client
            time.sleep(1)
        raise BadInput("scheduler-gone", where=self.address, hint=_GOES_ON, patience=f"{self.patience:g}")

    def _through(
        self, client: Any, photos: Iterable[BatchPhoto], work: Work, alone: bool
    ) -> Iterator[tuple[BatchPhoto, bytes | None]]:
        done: SimpleQueue[Any] = SimpleQueue()
        under_way: dict[str, tuple[BatchPhoto, Any]] = {}
        waiting: Iterator[BatchPhoto] = iter(photos)
        nobody = _NoWorkers(self.said, self.patience)
        threads = _threads(client)
        nobody.checked(threads)
        while True:
            ahead = 1 if alone else _AHEAD_ON_CLUSTER * max(1, threads)
            for photo in islice(waiting, ahead - len(under_way)):
                future = client.submit(line_on_worker, photo, work, pure=False)
                under_way[future.key] = photo, future
                future.add_done_callback(done.put)
            if not under_way:
                return
            try:
                future = done.get(timeout=_TICK)
            except Empty:
                threads = _threads(client)
                nobody.checked(threads)
                continue
            photo, _ = under_way.pop(future.key)
            try:
                line = _line(future)
            except _ResultLost:
                waiting = chain((photo,), waiting)
                nobody.checked(_threads(client))
                continue
            yield photo, line


def _line(future: Any) -> bytes | None:
    """What a worker gave back; nothing if workers died of it, and what is no fault of the photo stops the batch."""
    if future.status == "finished":
        try:
            line: bytes = future.result(timeout=_FETCH)
        except Exception:
            raise _ResultLost from None
        return line
    if future.status != "error":
        raise _ResultLost
    problem = future.exception()
    if type(problem).__name__ == "KilledWorker":
        return None
    why = str(problem) if isinstance(problem, InspectKitError) else f"{type(problem).__name__}: {str(problem)[:160]}"
    raise BadInput("workers-cannot", reason=why, goes_on=_GOES_ON)


_own = threading.local()


def line_on_worker(photo: BatchPhoto, work: Work) -> bytes:
    """The line of one photo on a worker, in a process beside it: what kills that process leaves the worker alive."""
    if photo.size >= 0 and not photo.place.exists():
        raise BadInput("not-on-worker", where=photo.path or photo.name)
    helper: BoundedProcess | None = getattr(_own, "helper", None)
    if helper is None:
        helper = _own.helper = BoundedProcess(work.bounds.memory)
    return bounded_line(helper, photo, work)


def _threads(client: Any) -> int:
    """How many threads the cluster has now: 0 if all its workers are gone."""
    try:
        found: dict[str, int] = client.sync(client.scheduler.ncores, callback_timeout=_TIMEOUT)
    except Exception:
        raise _SchedulerLost from None
    return sum(found.values())


def _closed(client: Any) -> None:
    """A client that lost its scheduler has much to complain of, and nothing that matters any more."""
    with suppress(Exception):
        client.close(timeout=2)


def _client(address: str) -> Any:
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise UsageError("cluster-needs-dask-distributed-not") from None
    # Its log speaks to those who run clusters; what matters here is said in one sentence.
    for name in ("distributed", "distributed.client", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return distributed.Client(address, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as problem:
        raise BadInput("no-cluster-answers", where=address[:80], problem=str(problem)[:120]) from None
