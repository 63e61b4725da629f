"""A Dask cluster that somebody has started: its scheduler hands the same work to its workers."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from inspect_kit.errors import BadInput, UsageError
from inspect_kit.quality.batch_work import Photo, Work, failed, measured_chunk

_AHEAD: Final = 4
_TIMEOUT: Final = 10
_DIED: Final = "the worker died on this photo"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A scheduler by its address, `tcp://host:8786`.

    Its workers need this program, and must see the photos by the same path.
    """

    address: str

    def measured(self, chunks: Iterable[Sequence[Photo]], work: Work) -> Iterator[bytes]:
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


def _through(client: Any, waiting: Iterator[Sequence[Photo]], work: Work) -> Iterator[bytes]:
    most = _AHEAD * max(1, sum(client.nthreads().values()))
    chunks: dict[object, Sequence[Photo]] = {}
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


def _lines(future: Any, chunk: Sequence[Photo]) -> list[bytes]:
    """What a worker gave back; a chunk that killed its workers, or that they could not run, fails by itself."""
    if future.status == "finished":
        lines: list[bytes] = future.result()
        return lines
    problem = future.exception()
    died = type(problem).__name__ == "KilledWorker"
    reason = _DIED if died else f"the cluster could not measure it: {type(problem).__name__}: {str(problem)[:160]}"
    return [failed(photo, reason) for photo in chunk]
