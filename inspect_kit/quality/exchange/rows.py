"""CSV: one row a reading, in the form that `judge` and `qa lot` read, with limits and verdict beside it."""

import io
from collections.abc import Iterable, Iterator
from typing import Final

from inspect_kit.csv_rows import csv_line, harmless
from inspect_kit.quality.lot.record import LotRecord, MeasuredSeries

COLUMNS: Final = (
    "characteristic", "instance", "value", "unit", "u", "lower", "upper", "verdict", "reason", "lot",
)  # fmt: skip


def csv_lines(record: LotRecord) -> Iterator[bytes]:
    """A header and the readings, characteristic by characteristic, in order of making."""
    yield csv_line(COLUMNS)
    yield from map(csv_line, _readings(record))


_NUMBERS: Final = frozenset({"value", "u", "lower", "upper"})


def xlsx_lines(record: LotRecord) -> Iterator[bytes]:
    """The same as a spreadsheet, which opens in every language's Excel: numbers are numbers, not text with a point."""
    yield spreadsheet(COLUMNS, _readings(record))


def spreadsheet(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> bytes:
    """A workbook of one sheet; what stands below the names of numbers is written as numbers."""
    import xlsxwriter

    stream = io.BytesIO()
    with xlsxwriter.Workbook(
        stream, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    ) as book:
        sheet = book.add_worksheet("readings")
        sheet.write_row(0, 0, columns)
        for row, cells in enumerate(rows, 1):
            for column, (name, cell) in enumerate(zip(columns, cells, strict=True)):
                number = name in _NUMBERS and cell not in ("", "yes", "no")
                sheet.write_number(row, column, float(cell)) if number else sheet.write_string(row, column, cell)
    return stream.getvalue()


def _readings(record: LotRecord) -> Iterator[tuple[str, ...]]:
    odd = {(piece.characteristic, piece.piece): piece for piece in record.lot.nonconforming}
    for series in record.lot.series:
        for place, (piece, value) in enumerate(zip(record.lot.pieces, series.values, strict=True)):
            found = odd.get((series.characteristic, piece))
            if value is not None:
                yield (
                    series.characteristic, harmless(piece), value, series.unit, uncertainty(series, place) or "",
                    series.lower or "", series.upper or "", found.verdict if found else "conforms",
                    found.reason if found else "within", harmless(record.subject.text),
                )  # fmt: skip


def uncertainty(series: MeasuredSeries, place: int) -> str | None:
    """The standard uncertainty of one value."""
    return series.u[0] if len(series.u) == 1 else series.u[place]
