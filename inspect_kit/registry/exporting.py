"""The registry's certificates for other programs: JSON lines, or CSV for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from datetime import date
from pathlib import Path
from typing import Final

from inspect_kit.atomic_write import written_beside
from inspect_kit.errors import BadInput
from inspect_kit.registry.search import CertificateStatus

_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")


def as_json_lines(standings: Iterable[CertificateStatus], on: date) -> Iterator[str]:
    """One JSON object a line."""
    for standing in standings:
        yield json.dumps(row_of(standing, on), ensure_ascii=False) + "\n"


def as_csv(standings: Iterable[CertificateStatus], on: date) -> Iterator[str]:
    """A head and one row each; a text that a spreadsheet would take for a formula gets an apostrophe."""
    names = ["state", *(field.name for field in fields(CertificateStatus))]
    yield _csv_line(names)
    for standing in standings:
        row = row_of(standing, on)
        yield _csv_line([harmless(str(row[name])) for name in names])


def row_of(standing: CertificateStatus, on: date) -> dict[str, object]:
    """A certificate with its state on a day."""
    return {"state": standing.state(on), **asdict(standing)}


def write_lines(out: Path, lines: Iterable[str]) -> None:
    """Write lines to a file that is whole or not there, without holding them all in memory."""
    if out.is_dir():
        raise BadInput("is-folder", where=str(out))
    if out.exists() and not out.is_file():
        raise BadInput("device-or-pipe", where=str(out))
    try:
        part = written_beside(out, b"")
        try:
            with part.open("w", encoding="utf-8", newline="") as stream:
                stream.writelines(lines)
            part.replace(out)
        finally:
            part.unlink(missing_ok=True)
    except OSError as problem:
        raise BadInput("not-written", where=str(out), reason=problem.strerror) from None


def harmless(cell: str) -> str:
    """A cell that a spreadsheet would take for a formula is shown as text."""
    return f"'{cell}" if cell.startswith(_FORMULA_SIGNS) else cell


def _csv_line(cells: list[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()


FORMATS: Final[dict[str, Callable[[Iterable[CertificateStatus], date], Iterator[str]]]] = {
    "jsonl": as_json_lines,
    "csv": as_csv,
}
