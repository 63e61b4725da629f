"""Tables that people send: text as it is, and `.xlsx` and `.ods` read directly, one sheet of them as CSV."""

import csv
import io
from pathlib import Path
from typing import Final

from inspect_kit.capture.files import read_bytes, read_text
from inspect_kit.errors import BadInput, nearest, notice, refuse_special_file

MAX_BYTES: Final = 20_000_000
"""Bytes of a spreadsheet: a thousand times what a list of measurements needs."""
MAX_UNPACKED: Final = 200_000_000
"""Bytes of everything inside, as the archive states it: what cannot be held in memory is not opened."""
_CELL_BYTES: Final = 32
"""Bytes of a cell in memory, filled or not: a sheet with one cell far away is as large as all before that cell."""
_DECLARES: Final = b"<!DOCTYPE"
"""How XML begins that brings entities of its own or from elsewhere; no spreadsheet program writes it."""
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
"""How text in UTF-16 begins, in which nothing of this would be found."""
_BINARY: Final = "xl/workbook.bin"
"""In `.xlsb`, which is not read: what it would unpack to cannot be told beforehand."""
_ZIP: Final = b"PK\x03\x04"
_SHEET_SIGN: Final = "#"


def read_table_text(path: Path) -> str:
    """The text of a table; of a spreadsheet its first sheet, or the one named as `FILE.xlsx#NAME`."""
    path, wanted = _with_sheet(path)
    refuse_special_file(path)
    if not is_spreadsheet(path):
        return read_text(path)
    content = read_bytes(path, MAX_BYTES)
    return _as_csv(_rows(_unpacked(content, path), wanted, path))


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


def _unpacked(content: bytes, path: Path) -> bytes:
    """The same archive without packing: what is read afterwards is what was counted here, whatever its headers say."""
    # Loaded only where there is a spreadsheet: text is what commands mostly read.
    import zipfile
    import zlib

    from inspect_kit.capture.sheet_area import cells_in

    plain, taken = io.BytesIO(), 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(plain, "w") as out:
            _refuse_larger(sum(entry.file_size for entry in archive.infolist()), path)
            if len(set(archive.namelist())) < len(archive.namelist()) or _BINARY in archive.namelist():
                raise BadInput("broken-spreadsheet", where=str(path))
            for entry in archive.infolist():
                part = archive.read(entry)
                if _DECLARES in part or part.startswith(_WIDE):
                    raise BadInput("broken-spreadsheet", where=str(path))
                taken += len(part) + _CELL_BYTES * cells_in(part)
                _refuse_larger(taken, path)
                out.writestr(entry.filename, part)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, EOFError, SyntaxError):
        # What an archive can do wrong: no password is asked for, other packings than the usual ones are not unpacked.
        raise BadInput("broken-spreadsheet", where=str(path)) from None
    return plain.getvalue()


def _refuse_larger(unpacked: int, path: Path) -> None:
    if unpacked > MAX_UNPACKED:
        raise BadInput("unpacks-bytes", where=str(path), unpacked=f"{unpacked:,}")


def _rows(content: bytes, wanted: str, path: Path) -> list[list[object]]:
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        if wanted and wanted not in book.sheet_names:
            there = notice("there-are", names=", ".join(book.sheet_names)[:200])
            hint = nearest(wanted, book.sheet_names) or there
            raise BadInput("no-sheet", where=str(path), hint=hint, wanted=wanted[:40])
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
