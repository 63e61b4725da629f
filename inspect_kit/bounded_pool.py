"""Several bounded helper processes beside one another, one for each core, kept ready for the next task."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, LifoQueue
from threading import Lock, Thread
from typing import Any, Final, TypeVar

from inspect_kit.bounded_process import BoundedProcess
from inspect_kit.errors import BadInput, InspectKitError

Result = TypeVar("Result")

_MOST: Final = 8
"""Helpers at most: each holds a photo's pixels several times over."""
_EACH: Final = 1_500_000_000
"""Bytes of the machine's memory that one helper may count on: twelve megapixels take a gigabyte."""
_STARTING: Final = 120.0
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
        helper.do(_STARTING, task)
