"""Rows of CSV for spreadsheets, in which no name is taken for a formula."""

import csv
import io
from collections.abc import Iterable
from typing import Final

_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")


def harmless(text: str) -> str:
    """A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def csv_line(cells: Iterable[str]) -> bytes:
    """One row, quoted where it must be."""
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerow(cells)
    return stream.getvalue().encode()
