"""All cores of this machine: a process each, and a photo that brings its process down is found and named."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from typing import Final

from inspect_kit.quality.batch_work import Photo, Work, failed, measured_chunk

Chunk = Sequence[Photo]
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


def _alone(photo: Photo, work: Work) -> bytes:
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
