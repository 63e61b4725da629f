"""Fuzzing for as long as one likes: cases that make a reader say or do something new go into the corpus.

    python -m benchmarks fuzz [--minutes 10] [--reader csv] [--seed 1]

New is what reaches a line of the package that no kept case reached before, or gets another answer. A fault is
written to the corpus too and ends the run with its trace; it stays there as a test once it is mended.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from tests.hostile.fuzzing import LARGEST, READERS, cases, keep, kept, said

PACKAGE = str(Path(__file__).resolve().parents[1] / "inspect_kit")
PATIENCE = 20
"""Seconds after which a case counts as a hang."""
MOST_KEPT = 60
"""Cases kept of a reader: all of them are played in every test run."""


class Lines:
    """The lines of the package that were reached."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count while the block runs."""
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(None)

    def _enter(self, frame: FrameType, _: str, __: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _line(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


def main() -> None:
    """Print how many cases were tried, how many are new, and how many lines they reach."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--reader", choices=tuple(READERS))
    parser.add_argument("--seed", default=str(time.time_ns()))
    given = parser.parse_known_args()[0]
    names = (given.reader,) if given.reader else tuple(READERS)
    signal.signal(signal.SIGALRM, _hung)
    for name in names:
        _fuzz(name, given.minutes * 60 / len(names), random.Random(f"{given.seed} {name}"))


def _hung(*_: object) -> None:
    raise TimeoutError(f"a case took longer than {PATIENCE} s")


def _fuzz(name: str, seconds: float, dice: random.Random) -> None:
    said(name, b"")  # Whatever is still to be imported is no part of a case.
    lines, corpus = Lines(), kept(name)
    heard = {_tried(name, case, lines) for case in corpus}
    before, tried, new, end = len(lines.seen), 0, 0, time.monotonic() + seconds
    for case in cases(name, dice):
        if time.monotonic() > end:
            break
        tried += 1
        known = len(lines.seen), len(heard)
        heard.add(_tried(name, case, lines))
        if (len(lines.seen), len(heard)) > known and len(case) <= LARGEST and len(corpus) + new < MOST_KEPT:
            keep(name, case)
            new += 1
    print(f"{name:<6} {tried:>7} cases, {new:>3} kept anew ({len(corpus)} before), lines {before} → {len(lines.seen)}")


def _tried(name: str, case: bytes, lines: Lines) -> str:
    signal.alarm(PATIENCE)
    try:
        with lines.watching():
            return said(name, case)
    except BaseException:
        keep(name, case)
        print(f"{name}: a fault, kept in the corpus: {case[:200]!r}")
        raise
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    main()
