"""Tables that people send: text as it is, and `.xlsx` and `.ods` read directly, one sheet of them as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

from inspect_kit.capture.files import read_bytes, read_text
from inspect_kit.errors import BadInput, refuse_special_file
from inspect_kit.nearest import nearest
from inspect_kit.notices import notice

MAX_BYTES: Final = 20_000_000
"""Bytes of a spreadsheet: a thousand times what a list of measurements needs."""
MAX_UNPACKED: Final = 200_000_000
"""Bytes of everything inside, as the archive states it: what cannot be held in memory is not opened."""
_ZIP: Final = b"PK\x03\x04"
_SHEET_SIGN: Final = "#"


def read_table_text(path: Path) -> str:
    """The text of a table; of a spreadsheet its first sheet, or the one named as `FILE.xlsx#NAME`."""
    path, wanted = _with_sheet(path)
    refuse_special_file(path)
    if not is_spreadsheet(path):
        return read_text(path)
    content = read_bytes(path, MAX_BYTES)
    _refuse_bomb(content, path)
    return _as_csv(_rows(content, wanted, path))


def _with_sheet(path: Path) -> tuple[Path, str]:
    """A file whose own name has the sign is itself, not a sheet of another."""
    name, sign, sheet = path.name.rpartition(_SHEET_SIGN)
    return (path.with_name(name), sheet) if sign and name and not path.exists() else (path, "")


def is_spreadsheet(path: Path) -> bool:
    """Whether a file begins as packed spreadsheets do."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(_ZIP)) == _ZIP
    except OSError:
        return False


def _refuse_bomb(content: bytes, path: Path) -> None:
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        raise BadInput("broken-spreadsheet", where=str(path)) from None
    if unpacked > MAX_UNPACKED:
        raise BadInput("unpacks-bytes", where=str(path), unpacked=f"{unpacked:,}")


def _rows(content: bytes, wanted: str, path: Path) -> list[list[object]]:
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        if wanted and wanted not in book.sheet_names:
            raise BadInput(
                "no-sheet",
                where=str(path),
                hint=nearest(wanted, book.sheet_names) or notice("there-are", names=", ".join(book.sheet_names)[:200]),
                wanted=wanted[:40],
            )
        sheet = book.get_sheet_by_name(wanted) if wanted else book.get_sheet_by_index(0)
        return [list(row) for row in sheet.to_python(skip_empty_area=False)]
    except CalamineError:
        raise BadInput("not-spreadsheet-can-read", where=str(path)) from None


def _as_csv(rows: list[list[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    filled = [name not in ("", None) for name in rows[0]] if rows else []
    width = max((place for place, there in enumerate(filled, 1) if there), default=0)
    writer.writerows([_text(cell) for cell in row[:width]] for row in rows)
    return out.getvalue()


def _text(cell: object) -> str:
    """A cell as somebody would have typed it: 3 and not 3.0."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    return "" if cell is None else str(cell)
