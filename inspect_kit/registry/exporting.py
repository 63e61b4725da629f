"""The registry's certificates for other programs: JSON lines, or CSV for a spreadsheet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from datetime import date
from typing import Final

from inspect_kit.csv_rows import csv_line, harmless
from inspect_kit.registry.search import CertificateStatus


def as_json_lines(standings: Iterable[CertificateStatus], on: date) -> Iterator[bytes]:
    """One JSON object a line."""
    for standing in standings:
        yield json.dumps(row_of(standing, on), ensure_ascii=False).encode() + b"\n"


def as_csv(standings: Iterable[CertificateStatus], on: date) -> Iterator[bytes]:
    """A head and one row each; a text that a spreadsheet would take for a formula gets an apostrophe."""
    names = ["state", *(field.name for field in fields(CertificateStatus))]
    yield csv_line(names)
    for standing in standings:
        row = row_of(standing, on)
        yield csv_line(harmless(str(row[name])) for name in names)


def row_of(standing: CertificateStatus, on: date) -> dict[str, object]:
    """A certificate with its state on a day."""
    return {"state": standing.state(on), **asdict(standing)}


FORMATS: Final[dict[str, Callable[[Iterable[CertificateStatus], date], Iterator[bytes]]]] = {
    "jsonl": as_json_lines,
    "csv": as_csv,
}
