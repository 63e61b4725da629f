"""Finding and issuing in a registry of a million certificates, as a ratio to one of a thousand.

    python -m benchmarks.registry [--size 1000000]

Both registries are filled in bulk with chained, signed-looking entries through the same code that issues; the pages are
blank, as only the registry is measured.
"""

from __future__ import annotations

import argparse
import io
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pikepdf
from msgspec import structs

from inspect_kit.certificate.issue.issue import Desk, Request, issue_certificate
from inspect_kit.certificate.issue.keys import Founding, found, unlock
from inspect_kit.certificate.issue.qr import Claim, compose, read
from inspect_kit.inspection.record import open_record
from inspect_kit.registry.chain import link, write
from inspect_kit.registry.entries import FIRST, Certified, Entry, File, InspectionSummary, RegisteredGauge, Thing
from inspect_kit.registry.numbers import Number
from inspect_kit.registry.opening import Registry, open_registry
from inspect_kit.registry.search import RegistryQuery, find, listing

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
BATCH = 5_000
ACTIONS = {"by number": 200, "by owner": 200, "by subject": 200, "by QR": 200, "newest 50": 200, "issue": 40}
"""What is timed, and how often."""
RECORD = Path(__file__).resolve().parents[1] / "tests" / "inspection" / "formats" / "format-1.json"
GAUGES = (
    RegisteredGauge("desk-caliper", "Caliper", "caliper", serial="1"),
    RegisteredGauge("desk-scale", "Scale", "scale", serial="2"),
)


def main() -> None:
    """Print the times of both registries and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    size = parser.parse_known_args()[0].size
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        plans = [plan(stack, Path(place) / name, count) for name, count in (("small", 1_000), ("large", size))]
        for name, repeats in ACTIONS.items():
            before, after = _medians([each[name] for each in plans], repeats)
            print(
                f"{name:<12} 1,000: {before * 1e3:8.3f} ms   {size:,}: {after * 1e3:8.3f} ms   × {after / before:.2f}"
            )


def plan(stack: ExitStack, home: Path, size: int) -> dict[str, Callable[[], Any]]:
    """What is timed in a registry of this size, by name."""
    found(home, Founding("Benchmark Club", "BCB", "Nobody"), None, NOW)
    registry = open_registry(home)
    _fill(registry, size)
    connection = stack.enter_context(registry.reading())
    standing = find(connection, str(Number("BCB", 2026, size // 2)))
    assert standing is not None
    today = date(2026, 11, 16)
    return {
        "by number": lambda: find(connection, standing.number),
        "by owner": lambda: list(listing(connection, RegistryQuery(owner=standing.owner), today, 50)),
        "by subject": lambda: list(listing(connection, RegistryQuery(subject=standing.subject), today, 50)),
        "by QR": lambda: find(connection, read(standing.qr).claim.number),
        "newest 50": lambda: list(listing(connection, RegistryQuery(), today, 50)),
        "issue": _issuing(home, registry),
    }


def _fill(registry: Registry, size: int) -> None:
    last = (0, FIRST)
    for start in range(0, size, BATCH):
        batch: list[Entry] = []
        for serial in range(start + 1, min(start + BATCH, size) + 1):
            batch.append(link(_body(serial), NOW, last))
            last = (batch[-1].id, batch[-1].hash)
        with registry.writing() as connection:
            write(connection, batch)


def _body(serial: int) -> Certified:
    """Each owner has about five things."""
    number = Number("BCB", 2026, serial)
    subject, owner = f"Striker {serial}", f"Player {serial % max(200, 1) + serial // 1000 * 200} Řehák"
    claim = Claim(str(number), "conforms", "2026-11-16", "2027-11-16", "icf-cs", "striker", subject, "", "ab" * 32)
    qr = compose(number, claim, "A1B2C3", lambda _: bytes(64))
    made = InspectionSummary(
        Thing("striker", subject, owner), "icf-cs", "undated", "conforms", "guarded", "2026-11-16", f"{serial:064x}",
        inspector="Nobody", event=f"Event {serial % 50}", instruments=GAUGES,
    )  # fmt: skip
    files = (File("pdf", f"{serial:064x}", 1, "x.pdf"), File("record", f"{serial + 10**12:064x}", 1))
    return Certified(str(number), made, f"{serial:064x}", qr, "2026-11-16", "2027-11-16", evidence=files)


def _issuing(home: Path, registry: Registry) -> Callable[[], None]:
    buffer = io.BytesIO()
    pdf = pikepdf.new()
    pdf.add_blank_page()
    pdf.save(buffer)
    desk = Desk(home, registry, unlock(home, "", None), NOW, draw=lambda *_, **__: buffer.getvalue())
    record = open_record(RECORD.read_bytes())
    count = iter(range(10**6))

    def once() -> None:
        subject = structs.replace(record.subject, text=f"New {next(count)}")
        issue_certificate(desk, Request(structs.replace(record, subject=subject), home / "out.pdf"))

    return once


def _medians(actions: Sequence[Callable[[], Any]], repeats: int) -> list[float]:
    """Turn by turn, so that whatever else the machine does falls on both alike."""
    times: list[list[float]] = [[] for _ in actions]
    for turn in range(repeats + 1):
        for action, seen in zip(actions, times, strict=True):
            start = time.perf_counter()
            action()
            if turn:  # The first turn only warms up.
                seen.append(time.perf_counter() - start)
    return [statistics.median(seen) for seen in times]


if __name__ == "__main__":
    main()
