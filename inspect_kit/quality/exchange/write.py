"""Which form a file is to have, and the lines of a lot in that form."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from inspect_kit.errors import UsageError
from inspect_kit.quality.exchange.dcc import dcc_lines
from inspect_kit.quality.exchange.qdas import dfq_lines
from inspect_kit.quality.exchange.qif import qif_lines
from inspect_kit.quality.exchange.rows import csv_lines, xlsx_lines
from inspect_kit.quality.lot.record import LotRecord

FORMS: Final[Mapping[str, Callable[[LotRecord], Iterator[bytes]]]] = {
    "dfq": dfq_lines,
    "qif": qif_lines,
    "csv": csv_lines,
    "xlsx": xlsx_lines,
    "dcc": dcc_lines,
}
_ENDINGS: Final = {".dfq": "dfq", ".qif": "qif", ".csv": "csv", ".xlsx": "xlsx"}


def form_of(stated: str | None, out: Path) -> str:
    """The form that was asked for, or the one that the file's name tells."""
    form = stated or _ENDINGS.get(out.suffix.lower())
    if form is None:
        raise UsageError("does-not-tell-form", out=out.name[:60])
    return form


def lines_in(form: str, record: LotRecord) -> Iterator[bytes]:
    """The file's content, piece by piece."""
    return FORMS[form](record)
