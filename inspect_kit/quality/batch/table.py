"""A batch's values as a table: one row a value, as `judge` and `qa lot` read them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from inspect_kit.csv_rows import csv_line, harmless
from inspect_kit.errors import UsageError
from inspect_kit.quality.batch.lines import NOT_MEASURED, begins_as_batch, first_line, measured_photos, tray_names
from inspect_kit.quality.exchange.rows import spreadsheet
from inspect_kit.quality.lot.file import on_tray

COLUMNS: Final = ("characteristic", "instance", "value", "unit", "u", "photo", "note")


def table_lines(results: Path) -> Iterator[bytes]:
    """The table of what a batch has written, as CSV."""
    yield csv_line(COLUMNS)
    yield from map(csv_line, _rows(results))


def table_in(form: str, results: Path) -> Iterable[bytes]:
    """The table as the file's ending asks for it: a spreadsheet opens in every language's Excel."""
    return table_lines(results) if form == ".csv" else [spreadsheet(COLUMNS, _rows(results))]


def _rows(results: Path) -> Iterator[tuple[str, ...]]:
    """One row a value; what was only seen, such as a colour, has no value and no row."""
    trays = tray_names(name for name, _ in measured_photos(results))
    names = _characteristics(results)
    for photo, found in measured_photos(results):
        if isinstance(found, str):
            # A photo that could not be measured has pieces on it: they must not vanish from the lot.
            for name in names:
                yield tuple(map(harmless, (name, trays[photo], "", "", "", photo, f"{NOT_MEASURED}{found}")))
            continue
        for reading in (on_tray(each, trays[photo]) for each in found.readings if each.unit):
            cells = (reading.characteristic, reading.instance, reading.value, reading.unit, reading.standard, photo, "")
            yield tuple(map(harmless, cells))


def _characteristics(results: Path) -> tuple[str, ...]:
    """What this batch measures, by the photos that could be measured."""
    found: dict[str, None] = {}
    for _, measured in measured_photos(results):
        if not isinstance(measured, str):
            found.update((reading.characteristic, None) for reading in measured.readings if reading.unit)
    return tuple(found)


def refuse_other_table(path: Path, results: Path) -> None:
    """Only a table of ours is written anew; a spreadsheet is ours if its results lie beside it."""
    first = first_line(path, 1_000)
    ours = begins_as_batch(results) if path.suffix.lower() == ".xlsx" else first == csv_line(COLUMNS)
    if first is not None and not ours:
        raise UsageError("already-no-batch-table", where=str(path))
