"""The ledger of a series of lots: a CSV file that people can read, replayed each time so that nothing hides in it."""

from __future__ import annotations

import csv
import io
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final

from inspect_kit.errors import BadInput, InspectKitError
from inspect_kit.quality.attributes import Severity
from inspect_kit.quality.switching import Judged, Scheme, Series, State, follow
from inspect_kit.quality.table import Table, read_table

COLUMNS: Final = ("lot", "found", "aql", "level", "severity", "code", "n", "ac", "re", "accepted", "next")


def read_ledger(path: Path, scheme: Scheme, start: Severity = Severity.NORMAL) -> Series:
    """The series so far; a file that is not there yet is an empty one that begins with `start`.

    Only `lot` and `found` are needed. Where the ledger states how a lot was inspected, the replay must come to the
    same, or the file was changed.
    """
    if not path.exists():
        return Series(state=State(start))
    table = read_table(path)
    first = _first_severity(table, start)
    lots = tuple(zip(table.counts("lot"), table.counts("found"), strict=True))
    try:
        series = follow(scheme, lots, first)
    except InspectKitError as problem:
        raise BadInput(problem.fault.why, where=str(path), hint=problem.fault.hint) from None
    written = {name: table.columns[name] for name in COLUMNS[2:] if table.has(name)}
    for number, judged in enumerate(series.lots):
        _same(
            judged,
            {name: cells[number] for name, cells in written.items()},
            scheme,
            f"{path}: line {table.lines[number]}",
        )
    return series


def _first_severity(table: Table, start: Severity) -> Severity:
    """A series that was stopped begins again tightened, so the first lot's own word counts."""
    stated = table.columns["severity"][0] if table.has("severity") else ""
    if stated and stated not in set(Severity):
        raise BadInput(f"{stated[:20]!r} is not a severity", where=f"{table.where}: line {table.lines[0]}")
    return Severity(stated) if stated else start


def _same(judged: Judged, written: dict[str, str], scheme: Scheme, place: str) -> None:
    worked_out = row_of(judged, scheme)
    for name, cell in written.items():
        if cell and cell != worked_out[name] and not _equal_number(cell, worked_out[name]):
            raise BadInput(
                f"{name} is {cell[:20]!r}, but from the lots before it follows {worked_out[name]!r}", where=place,
                hint="one ledger goes with one AQL, level and agreement on reduced inspection",
            )  # fmt: skip


def _equal_number(left: str, right: str) -> bool:
    """Spreadsheets turn 1.0 into 1."""
    try:
        return Decimal(left.replace(",", ".")) == Decimal(right)
    except InvalidOperation:
        return False


def row_of(judged: Judged, scheme: Scheme) -> dict[str, str]:
    """One line of the ledger."""
    plan = judged.lookup.plan
    after = "stopped" if judged.after.stopped else judged.after.severity.value
    cells = (
        judged.lot, judged.found, scheme.aql, scheme.level, judged.severity.value, judged.lookup.code,
        plan.size, plan.accept, plan.reject, "yes" if judged.accepted else "no", after,
    )  # fmt: skip
    return dict(zip(COLUMNS, map(str, cells), strict=True))


def ledger_text(series: Series, scheme: Scheme) -> str:
    """The whole ledger as CSV."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row_of(judged, scheme) for judged in series.lots)
    return stream.getvalue()
