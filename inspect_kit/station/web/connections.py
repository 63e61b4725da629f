"""Connections that say nothing are ended, and one source gets only its share: nobody locks the others out."""

import asyncio
from collections import Counter
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

FIRST_WORD: Final = 15.0
"""Seconds in which a connection must have asked for something, headers and all."""
WHOLE_REQUEST: Final = 180.0
"""Seconds for a request with its photo, over a slow network."""
MOST_OF_ONE: Final = 80
"""Connections of one address at once: a hall's router may stand for some phones, each with six and a listening page."""

_OPEN: Final[Counter[str]] = Counter()


class BoundedConnection(H11Protocol):
    """A connection with deadlines."""

    _deadline: asyncio.TimerHandle | None = None
    _source = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count it, or hang up if its source has had its share."""
        super().connection_made(transport)
        self._source = self.client[0] if self.client else ""
        _OPEN[self._source] += 1
        if _OPEN[self._source] > MOST_OF_ONE:
            transport.abort()
            return
        self._wait(FIRST_WORD)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._stop_waiting()
        _OPEN[self._source] -= 1
        if _OPEN[self._source] <= 0:
            del _OPEN[self._source]
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Something came: a request that has begun has longer, and one that is whole has all the time."""
        before = self.conn.their_state
        super().handle_events()
        after = self.conn.their_state
        if after is h11.IDLE and self._deadline is None:
            self._wait(FIRST_WORD)
        elif after is h11.SEND_BODY and before is not h11.SEND_BODY:
            self._wait(WHOLE_REQUEST)
        elif after not in (h11.IDLE, h11.SEND_BODY):
            self._stop_waiting()

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(seconds, self._give_up)

    def _give_up(self, *_: Any) -> None:
        if not self.transport.is_closing():
            self.transport.abort()
