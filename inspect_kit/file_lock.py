"""Locks between programs on one computer, Windows too; the system lifts them when a program ends in whatever way."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Whether the lock file is held by this program now, without waiting; it is removed when the block ends."""
    from filelock import FileLock, Timeout

    with warnings.catch_warnings():
        # A system without real locks gets one that is only a file: better than none, and nothing a person can mend.
        warnings.simplefilter("ignore")
        lock = FileLock(path, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            yield False
            return
    try:
        yield True
    finally:
        # Removed while it is held: whoever waits on the old file sees that it is gone and takes the new one.
        with suppress(OSError):
            path.unlink(missing_ok=True)
        with suppress(OSError):
            lock.release()
