"""How often somebody may ask: buckets that fill again with time, and doors that close after wrong PINs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

Seconds = Callable[[], float]
_MOST_KEYS: Final = 20_000


@dataclass(slots=True)
class Bucket:
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
class Doors:
    """After some wrong PINs in a row a name has to wait, twice as long each time."""

    seconds: Seconds
    free: int = 5
    first_wait: float = 15.0
    longest_wait: float = 900.0
    _wrong: dict[str, tuple[int, float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def wait(self, key: str) -> float:
        """Seconds until the name may try again."""
        with self._lock:
            count, since = self._wrong.get(key, (0, 0.0))
        if count < self.free:
            return 0.0
        pause = min(self.longest_wait, self.first_wait * 2.0 ** min(count - self.free, 10))
        return max(0.0, since + pause - self.seconds())

    def note(self, key: str, *, right: bool) -> None:
        """A PIN was right or wrong."""
        with self._lock:
            if len(self._wrong) > _MOST_KEYS:
                self._wrong.clear()
            if right:
                self._wrong.pop(key, None)
            else:
                self._wrong[key] = (self._wrong.get(key, (0, 0.0))[0] + 1, self.seconds())
