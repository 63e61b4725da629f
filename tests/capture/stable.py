"""One stable reading from a port, as a command without anybody watching takes it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from inspect_kit import clock
from inspect_kit.capture.driver import DEFAULT_SECONDS, Connection, InstrumentReading, read_live
from inspect_kit.capture.line import Address


def read_stable(
    port: str, protocol: str, unit: str | None = None, timeout: float = DEFAULT_SECONDS,
    now: Callable[[], datetime] = clock.now,
) -> InstrumentReading:  # fmt: skip
    """`unit` (mm or in) is for frames that carry none."""
    return read_live(Connection(Address(port), protocol, unit), lambda _: None, timeout, now)
