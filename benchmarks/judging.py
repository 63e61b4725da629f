"""Judging 100,000 measurements, beside the bare comparison that a spreadsheet does."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from decimal import Decimal

from inspect_kit.judgement.judge import Evidence, judge
from inspect_kit.judgement.rules import RuleName
from inspect_kit.rulebook.library import load
from inspect_kit.values.measurement import Component, Measurement

COUNT = 100_000


def _measurements() -> list[Measurement]:
    source = random.Random(1)
    u = (Component("stated", Decimal("0.01")),)
    return [
        Measurement("coin.mass", Decimal(f"{source.gauss(5.38, 0.06):.2f}"), "g", u, str(number))
        for number in range(COUNT)
    ]


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print seconds and the ratio."""
    clauses = [clause for clause in load("icf-cs").clauses if clause.characteristic == "coin.mass"]
    measurements = _measurements()
    lower, upper = Decimal("5.25"), Decimal("5.5")
    bare = _seconds(lambda: [lower <= found.value <= upper for found in measurements])
    full = _seconds(lambda: judge(clauses, Evidence.of(measurements), RuleName.GUARDED).verdict)
    print(f"bare comparison of {COUNT:,} values        {bare:8.3f} s")
    print(f"judged with guard band and probability   {full:8.3f} s   {COUNT / full:,.0f} a second")
    print(f"ratio                                    {full / bare:8.1f}")


if __name__ == "__main__":
    main()
