"""A Dask cluster that somebody has started: whoever dies there, no good photo is noted as unmeasurable."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice
from queue import Empty, SimpleQueue
from typing import Any, Final

from inspect_kit.bounded_process import BoundedProcess
from inspect_kit.errors import BadInput, InspectKitError, Notice, UsageError, notice
from inspect_kit.quality.batch.workers import BatchPhoto, Work, bounded_line, failed

_AHEAD: Final = 4
"""Photos on their way for each thread of the cluster, so that none has to wait for us."""
_TIMEOUT: Final = 10
"""Seconds in which a scheduler answers."""
_FETCH: Final = 5
"""Seconds in which a worker hands over a line."""
_TICK: Final = 2.0
"""Seconds without a result after which we look whether anybody is still at work."""
_DIED: Final = notice("photo-worker-died")
_GOES_ON: Final = notice("goes-on-from-here")

NoticeCallback = Callable[[Notice], None]
"""Hears how it stands while the work goes on."""


def _unheard(told: Notice) -> None:
    del told


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
    said: NoticeCallback = _unheard
    patience: float = 60.0

    def measured(self, photos: Iterable[BatchPhoto], work: Work) -> Iterator[bytes]:
        """The lines as they get done. Photos that were at hand when a worker died too often are tried one by one."""
        suspects: list[BatchPhoto] = []
        yield from self._round(dict.fromkeys(photos), work, suspects, alone=False)
        condemned: list[BatchPhoto] = []
        yield from self._round(dict.fromkeys(suspects), work, condemned, alone=True)
        yield from (failed(photo, _DIED) for photo in condemned)

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
            ahead = 1 if alone else _AHEAD * max(1, threads)
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
    if photo.size >= 0 and not _seen(photo):
        raise BadInput("not-on-worker", where=photo.path or photo.name)
    helper: BoundedProcess | None = getattr(_own, "helper", None)
    if helper is None:
        helper = _own.helper = BoundedProcess(work.bounds.memory)
    return bounded_line(helper, photo, work)


def _seen(photo: BatchPhoto) -> bool:
    from pathlib import Path

    return Path(photo.path or photo.name).exists()


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
