"""How often somebody may ask: buckets that fill again with time, and doors that close after wrong PINs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

Seconds = Callable[[], float]
_MOST_KEYS: Final = 20_000
"""Askers that are remembered; then the memory begins anew."""


@dataclass(slots=True)
class TokenBucket:
    """Lets `burst` through at once and `rate` a second in the long run, for each key on its own."""

    rate: float
    burst: float
    seconds: Seconds
    _levels: dict[str, tuple[float, float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def take(self, key: str) -> bool:
        """Whether one more is allowed now."""
        now = self.seconds()
        with self._lock:
            if len(self._levels) > _MOST_KEYS:
                self._levels.clear()
            level, then = self._levels.get(key, (self.burst, now))
            level = min(self.burst, level + (now - then) * self.rate)
            allowed = level >= 1
            self._levels[key] = (level - 1 if allowed else level, now)
        return allowed


@dataclass(slots=True)
class PinThrottle:
    """After some wrong PINs in a row a name has to wait, twice as long each time."""

    seconds: Seconds
    free: int = 5
    first_wait: float = 15.0
    longest_wait: float = 900.0
    _wrong: dict[str, tuple[int, float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def tries(self, key: str, free: int = 0) -> bool:
        """Whether a try is allowed now. It counts as a wrong one until it was right: thirty at once are thirty."""
        with self._lock:
            count, since = self._wrong.get(key, (0, 0.0))
            if since + self._pause(count, free or self.free) > self.seconds():
                return False
            if len(self._wrong) > _MOST_KEYS:
                self._wrong.clear()
            self._wrong[key] = (count + 1, self.seconds())
            return True

    def right(self, key: str) -> None:
        """The PIN was right: what was wrong before is forgotten."""
        with self._lock:
            self._wrong.pop(key, None)

    def _pause(self, count: int, free: int) -> float:
        """Seconds to wait after so many wrong ones."""
        return 0.0 if count < free else min(self.longest_wait, self.first_wait * 2.0 ** min(count - free, 10))
