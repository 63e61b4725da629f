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
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pikepdf
from msgspec import structs

from inspect_kit.certificate.issuing import Desk, Request, issue_certificate
from inspect_kit.certificate.keys import Founding, found, unlock
from inspect_kit.certificate.qr import Claim, compose, read
from inspect_kit.inspection.record import open_record
from inspect_kit.registry.chain import link, write
from inspect_kit.registry.entries import FIRST, Certified, Entry, File, Gauge, Made, Thing
from inspect_kit.registry.finding import Wanted, find, listing
from inspect_kit.registry.numbers import Number
from inspect_kit.registry.opening import Registry, open_registry

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
BATCH = 5_000
REPEATS = 200
RECORD = Path(__file__).resolve().parents[1] / "tests" / "inspection" / "formats" / "format-1.json"
GAUGES = (Gauge("desk-caliper", "Caliper", "caliper", serial="1"), Gauge("desk-scale", "Scale", "scale", serial="2"))


def main() -> None:
    """Print the times of both registries and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    size = parser.parse_known_args()[0].size
    with tempfile.TemporaryDirectory() as place:
        small = measured(Path(place) / "small", 1_000)
        large = measured(Path(place) / "large", size)
    for name, before in small.items():
        after = large[name]
        ratio = f"× {after / before:5.2f}" if name != "fill" else ""
        print(f"{name:<16} 1,000: {before * 1e3:9.3f} ms   {size:,}: {after * 1e3:12.3f} ms   {ratio}")


def measured(home: Path, size: int) -> dict[str, float]:
    """Median seconds of each look-up and of issuing; and the seconds it took to fill the registry."""
    found(home, Founding("Benchmark Club", "BCB", "Nobody"), None, NOW)
    registry = open_registry(home)
    start = time.perf_counter()
    _fill(registry, size)
    filled = time.perf_counter() - start
    middle = size // 2
    number = str(Number("BCB", 2026, middle))
    with registry.reading() as connection:
        standing = find(connection, number)
        assert standing is not None
        plan: dict[str, Callable[[], Any]] = {
            "by number": lambda: find(connection, number),
            "by owner": lambda: list(listing(connection, Wanted(owner=standing.owner), date(2026, 11, 16), 50)),
            "by subject": lambda: list(listing(connection, Wanted(subject=standing.subject), date(2026, 11, 16), 50)),
            "by QR": lambda: find(connection, read(standing.qr).claim.number),
            "newest 50": lambda: list(listing(connection, Wanted(), date(2026, 11, 16), 50)),
        }
        times = {name: _median(action, REPEATS) for name, action in plan.items()}
    return {"fill": filled, **times, "issue": _issuing(home, registry)}


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
    made = Made(
        Thing("striker", subject, owner), "icf-cs", "undated", "conforms", "guarded", "2026-11-16", f"{serial:064x}",
        inspector="Nobody", event=f"Event {serial % 50}", instruments=GAUGES,
    )  # fmt: skip
    files = (File("pdf", f"{serial:064x}", 1, "x.pdf"), File("record", f"{serial + 10**12:064x}", 1))
    return Certified(str(number), made, f"{serial:064x}", qr, "2026-11-16", "2027-11-16", evidence=files)


def _issuing(home: Path, registry: Registry) -> float:
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

    once()
    return _median(once, 30)


def _median(action: Callable[[], Any], times: int) -> float:
    return statistics.median(_durations(action, times))


def _durations(action: Callable[[], Any], times: int) -> Iterator[float]:
    for _ in range(times):
        start = time.perf_counter()
        action()
        yield time.perf_counter() - start


if __name__ == "__main__":
    main()
