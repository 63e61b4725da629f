"""A conversation with an instrument: asking, hearing whole lines until a deadline, going on after unplugging."""

from __future__ import annotations

import contextlib
import time
from types import TracebackType
from typing import Final

from inspect_kit.capture.line import Address, Framer, LineFrame, Port, Unplugged, open_port
from inspect_kit.errors import BadInput

_QUIET: Final = 0.1
"""Seconds of silence after which the next byte begins a line."""
_BROKEN: Final = 1.0
"""Seconds after which a line that was begun will not be ended."""
_AGAIN: Final = 0.2
"""Seconds between two attempts to open a port that went away."""


class Conversation:
    """An open line and a deadline that holds for all that is said on it."""

    def __init__(self, address: Address, seconds: float, *, marked_start: bool = True) -> None:
        self.address = address
        self.seconds = seconds
        self.interruptions = 0
        self.keep_trying = True
        """Whether an unplugged instrument is waited for."""
        self._deadline = time.monotonic() + seconds
        self._marked_start = marked_start
        self._settled = marked_start
        self._framer = Framer()
        self._waiting: list[LineFrame] = []
        self._port: Port = open_port(address, self._deadline)

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, tb: TracebackType | None) -> None:
        self._port.close()

    @property
    def left(self) -> float:
        """Seconds until the deadline; never negative."""
        return max(0.0, self._deadline - time.monotonic())

    @property
    def pending(self) -> str:
        """The beginning of a line whose end has not come."""
        return self._framer.pending

    def _settle(self) -> None:
        """Begin at the beginning of a line: after silence, or after the next line end."""
        self._settled = True
        quiet_at = time.monotonic() + _QUIET
        while time.monotonic() < quiet_at and self.left:
            data = self._received()
            if data:
                self._framer.skip_line()
                self._waiting = self._framer.feed(data)
                return

    def ask(self, command: bytes) -> None:
        """Send a command. The half of an earlier answer must not grow together with the new one."""
        if not self._settled:
            self._settle()
        if self.pending and not self._marked_start:
            self._framer.skip_line()
        try:
            self._port.write(command)
        except Unplugged:
            self._reopen()

    def hear(self, patience: float) -> LineFrame | None:
        """The next whole line; `None` when nothing at all came for that many seconds, or the deadline has passed."""
        heard_at, before = time.monotonic(), self.interruptions
        while not self._waiting:
            silence = time.monotonic() - heard_at
            broken = self.pending and silence >= _BROKEN
            if not self.left or silence >= patience or broken or self.interruptions > before:
                return None
            data = self._received()
            if data:
                heard_at = time.monotonic()
                self._waiting = self._framer.feed(data)
        return self._waiting.pop(0)

    def _received(self) -> bytes:
        try:
            return self._port.read()
        except Unplugged:
            self._reopen()
            return b""

    def _reopen(self) -> None:
        """Wait for an instrument that was unplugged; half a line from before does not count."""
        self.interruptions += 1
        self._framer = Framer()
        self._waiting.clear()
        self._settled = self._marked_start
        self._port.close()
        while self.keep_trying and self.left:
            time.sleep(min(_AGAIN, self.left))
            with contextlib.suppress(BadInput):
                self._port = open_port(self.address, self._deadline)
                return
        raise BadInput("instrument-unplugged-switched-off-middle", where=self.address.port)
