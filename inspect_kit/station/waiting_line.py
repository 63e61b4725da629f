"""Photos that wait for a free core, in the order they came; each knows how many are still before it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Final

from starlette.responses import Response, StreamingResponse

from inspect_kit.errors import BadInput
from inspect_kit.station.web.visit import Visit

LINES: Final = "application/x-ndjson"
"""How a browser asks for news while it waits."""
_PATIENCE: Final = 180.0
"""Seconds in the line before one is sent away."""
_LONGEST: Final = 24
"""Photos that wait at most; each is held in memory."""

Tell = Callable[[int], None]
"""Told how many are before one, whenever that changes; 0 when it is one's turn."""


def unheard(before: int) -> None:
    """Nobody listens."""
    del before


@dataclass(slots=True)
class WaitingLine:
    """First come, first served, `places` at a time."""

    places: int
    _changed: Condition = field(default_factory=Condition, init=False, repr=False)
    _waiting: list[object] = field(default_factory=list, init=False, repr=False)
    _busy: int = field(default=0, init=False, repr=False)

    @contextmanager
    def turn(self, tell: Tell = unheard) -> Iterator[None]:
        """Wait for one's turn, and hold it."""
        self._take(tell)
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def _take(self, tell: Tell) -> None:
        me, until, told = object(), time.monotonic() + _PATIENCE, -1
        with self._changed:
            if len(self._waiting) >= _LONGEST:
                raise _too_many()
            self._waiting.append(me)
            try:
                while (before := self._before(me)) > 0:
                    if before != told:
                        tell(told := before)
                    if not self._changed.wait(until - time.monotonic()):
                        raise _too_many()
                self._busy += 1
            finally:
                self._waiting.remove(me)
                self._changed.notify_all()
        tell(0)

    def _before(self, me: object) -> int:
        """Photos that must be done before this one is begun."""
        return self._waiting.index(me) + 1 + self._busy - self.places


def _too_many() -> BadInput:
    return BadInput("too-much-being-worked-once")


News = SimpleQueue[dict[str, object] | None]


def in_line(visit: Visit, work: Callable[..., Response]) -> Response:
    """The work done; a script that asks for news is told its place in the line meanwhile."""
    return streamed(work) if visit.request.headers.get("accept") == LINES else work()


def streamed(work: Callable[[Tell], Response]) -> Response:
    """What the work answers, after a line for every step forward: `{"before": 2}` … `{"status": 200, "part": "…"}`."""
    return StreamingResponse(_lines(work), media_type=LINES)


def _lines(work: Callable[[Tell], Response]) -> Iterator[str]:
    news: News = SimpleQueue()
    Thread(target=_worked, args=(work, news), name="photo", daemon=True).start()
    while (told := news.get()) is not None:
        yield json.dumps(told) + "\n"


def _worked(work: Callable[[Tell], Response], news: News) -> None:
    try:
        answer = work(lambda before: news.put({"before": before}))
        go = answer.headers.get("location", "")
        news.put({"status": answer.status_code, "part": bytes(answer.body).decode(), **({"go": go} if go else {})})
    finally:
        news.put(None)
