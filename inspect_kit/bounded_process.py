"""Work on strangers' files in a process of its own: bounded in memory and time, and ended when it hangs."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import current_process, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import Empty, LifoQueue
from threading import Lock, Thread
from types import ModuleType
from typing import Any, Final, Self, TypeVar

from inspect_kit.errors import BadInput, BadSheet, InspectKitError, fault

Result = TypeVar("Result")

_POLITE: Final = 5
"""How much such work stands back behind the desks, on a machine with few cores."""

_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_STARTING: Final = Lock()
"""Held while a helper starts: the environment that it inherits is the whole program's."""


class ProcessDied(BadInput):
    """The helper ended in the middle of its task, by its own fault or because somebody killed it."""


@dataclass(slots=True)
class BoundedProcess:
    """One helper process, started when it is first needed and again after it was ended; one task at a time."""

    memory: int
    """Bytes that it may use."""
    _lock: Lock = field(default_factory=Lock, repr=False)
    _helper: tuple[BaseProcess, Connection] | None = field(default=None, repr=False)

    def do(self, seconds: float, task: Callable[..., Result], *given: Any) -> Result:
        """What the task gives. Waiting for other tasks counts too, so that nobody waits without an end."""
        if not self._lock.acquire(timeout=seconds):
            raise BadInput("too-much-being-worked-once")
        try:
            return self._answer(seconds, task, given)
        finally:
            self._lock.release()

    def _answer(self, seconds: float, task: Callable[..., Result], given: tuple[Any, ...]) -> Result:
        try:
            line = self._line()
            line.send((task, given))
            if not line.poll(seconds):
                self._end()
                raise BadInput("took-longer-than-s-given", seconds=f"{seconds:g}")
            good, answer = line.recv()
        except (EOFError, OSError):
            self._end()
            raise ProcessDied("not-worked-on-here") from None
        except KeyboardInterrupt:
            self._end()
            raise
        if not good:
            kind, fault = answer
            raise kind.of(fault)
        result: Result = answer
        return result

    def _line(self) -> Connection:
        if self._helper is None or not self._helper[0].is_alive():
            self._end()
            self._helper = _started(self.memory)
        return self._helper[1]

    def _end(self) -> None:
        if self._helper is not None:
            process, line = self._helper
            line.close()
            process.kill()
            process.join()
            self._helper = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Send the helper home; a task in hand is given up."""
        helper = self._helper
        if helper is not None:
            helper[0].kill()
        with self._lock:
            self._end()


def bounded(seconds: float, memory: int, task: Callable[..., Result], *given: Any) -> Result:
    """What one task gives, in a process that is started for it alone."""
    with BoundedProcess(memory) as process:
        return process.do(seconds, task, *given)


def _started(memory: int) -> tuple[BaseProcess, Connection]:
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, memory), daemon=True)
    with _STARTING, _one_thread_each(), _children_allowed(), _without_main():
        process.start()
    # With the other end open only over there, a program that dies in whatever way ends its helper too.
    there.close()
    return process, here


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """The numerical libraries read this when they are loaded: the helper is one worker, not one for every core."""
    missing = {name: value for name, value in _ONE_THREAD.items() if name not in os.environ}
    os.environ.update(missing)
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


@contextmanager
def _children_allowed() -> Iterator[None]:
    """A worker that a Dask nanny started is a daemon, which may have no children lest they outlive it; ours do not."""
    settings: dict[str, Any] = getattr(current_process(), "_config", {})
    daemon = settings.pop("daemon", None)
    try:
        yield
    finally:
        if daemon is not None:
            settings["daemon"] = daemon


@contextmanager
def _without_main() -> Iterator[None]:
    """A helper would load the program that starts it once more, which costs time and runs a script without a guard
    again; what is to be done it finds by its own module."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _serve(line: Connection, memory: int) -> None:
    """The helper's life: a task, an answer, until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _bound(memory)
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            task, given = line.recv()
            line.send(_done(task, given))


def _end_with_parent() -> None:
    """A program that is killed cannot tell its helper, which may be in the middle of a task that never ends."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _done(task: Callable[..., Any], given: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return True, task(*given)
    except InspectKitError as problem:
        return False, (BadInput if isinstance(problem, BadSheet) else type(problem), problem.fault)
    except MemoryError:
        return False, (BadInput, fault("", "too-little-memory"))
    except Exception as problem:
        return False, (BadInput, fault("", "not-worked-on", kind=type(problem).__name__))


def _bound(memory: int) -> None:
    """Not every system can bound a program; the time is bounded from outside in any case."""
    with suppress(ImportError, ValueError, OSError, AttributeError):
        os.nice(_POLITE)
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


# Several bounded helper processes beside one another, one for each core, kept ready for the next task.


_MOST: Final = 8
"""Helpers at most: each holds a photo's pixels several times over."""
_EACH: Final = 1_500_000_000
"""Bytes of the machine's memory that one helper may count on: twelve megapixels take a gigabyte."""
_LONGEST_START: Final = 120.0
"""Seconds that a helper may take to load what it will need."""


def cores() -> int:
    """Helpers that this machine can keep busy: one for each core it gives us, fewer where memory is short."""
    return max(1, min(_MOST, usable_cores(), _memory() // _EACH))


def usable_cores() -> int:
    """The cores that this process may use."""
    with suppress(AttributeError, OSError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> int:
    """Bytes of the machine; where it does not tell, enough for two."""
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 2 * _EACH


@dataclass(slots=True)
class BoundedPool:
    """Helpers that share the tasks; each is a `BoundedProcess`, so a task that hangs or dies harms no other."""

    memory: int
    """Bytes that each may use."""
    count: int = field(default_factory=cores)
    _helpers: tuple[BoundedProcess, ...] = field(init=False, repr=False)
    _free: LifoQueue[BoundedProcess] = field(default_factory=LifoQueue, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)
    _warm: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        self._helpers = tuple(BoundedProcess(self.memory) for _ in range(self.count))
        for helper in self._helpers:
            self._free.put(helper)

    def do(self, seconds: float, task: Callable[..., Result], *given: Any) -> Result:
        """What the task gives, by the helper that was free last: it is the warmest."""
        try:
            helper = self._free.get(timeout=seconds)
        except Empty:
            raise BadInput("too-much-being-worked-once") from None
        try:
            return helper.do(seconds, task, *given)
        finally:
            self._free.put(helper)

    def warm(self, task: Callable[[], object]) -> None:
        """Start every helper and let it do this once, beside everything else; a second call does nothing."""
        with self._lock:
            started, self._warm = self._warm, True
        if not started:
            for helper in self._helpers:
                Thread(target=_warmed, args=(helper, task), name="warming", daemon=True).start()

    def close(self) -> None:
        """Send all helpers home."""
        for helper in self._helpers:
            helper.close()


def _warmed(helper: BoundedProcess, task: Callable[[], object]) -> None:
    """A helper that cannot be warmed starts with its first task, which will say why."""
    with suppress(InspectKitError):
        helper.do(_LONGEST_START, task)
