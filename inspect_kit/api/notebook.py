"""What a notebook hands in and gets: rows of any origin as plain text, a home, results as HTML."""

import asyncio
import base64
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from decimal import Decimal
from html import escape
from pathlib import Path
from typing import Any, Final, TypeGuard, TypeVar

from inspect_kit.clock import today
from inspect_kit.errors import Notice, UsageError, sentences
from inspect_kit.places import home_at

Paths = str | os.PathLike[str]


def is_path(what: object) -> TypeGuard[Paths]:
    """Whether it names a file."""
    return isinstance(what, str | os.PathLike)


def rows_of(what: Any) -> Iterator[dict[str, str]]:
    """One dict of texts a row; a value that is missing (`None`, NaN) is empty."""
    if hasattr(what, "columns") or isinstance(what, Mapping):
        names = list(what.columns if hasattr(what, "columns") else what)
        columns = [_column(what[name]) for name in names]
        if len(set(names)) != len(names) or len({*map(len, columns)}) > 1:
            raise UsageError("columns-uneven")
        for cells in zip(*columns, strict=True):
            yield {str(name): as_text(cell) for name, cell in zip(names, cells, strict=True)}
        return
    for row in what:
        if not isinstance(row, Mapping):
            raise UsageError("rows-not-dicts", name=type(row).__name__)
        yield {str(name): as_text(cell) for name, cell in row.items()}


def _column(cells: Any) -> list[Any]:
    if isinstance(cells, str) or not hasattr(cells, "__iter__"):
        raise UsageError("columns-uneven")
    return list(cells)


def as_text(cell: Any) -> str:
    """A cell as it would stand in a file; numbers keep the digits that they show."""
    if _is_missing(cell):
        return ""
    if isinstance(cell, bool) or type(cell).__name__ == "bool":  # numpy's is not Python's
        return "yes" if cell else "no"
    if isinstance(cell, str | int | Decimal):
        return str(cell)
    try:
        return f"{Decimal(str(float(cell))):f}"
    except (TypeError, ValueError):
        return str(cell)


def _is_missing(cell: Any) -> bool:
    """`None`, NaN, which differs from itself, and pandas' NA, which says nothing of itself at all."""
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124
    except TypeError:
        return True
    except ValueError:  # An array of several values is none that can be told.
        return False


def paths_of(what: Paths | Iterable[Paths]) -> tuple[Path, ...]:
    """One path or several."""
    if isinstance(what, str | os.PathLike):
        return (Path(what),)
    return tuple(Path(each) for each in what)


# Where keys, cameras and the registry live: the place that was named, else that of the commands.

Result = TypeVar("Result")


def outside_event_loop(work: Callable[[], Result]) -> Result:
    """Signing starts an event loop of its own, which a notebook's does not allow beside it: then in another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def home_of(named: Paths | None) -> Path:
    """The place that was named, else that of the commands."""
    return home_at(str(named) if named else os.environ.get("INSPECT_KIT_HOME"))


def day_of(named: date | str | None) -> date:
    """A day as a date or as 2026-11-16; today where none is named."""
    if isinstance(named, datetime):
        return named.date()
    if isinstance(named, date):
        return named
    try:
        return date.fromisoformat(named) if named else today()
    except (TypeError, ValueError):
        raise UsageError("not-a-date", iso=str(named)[:40]) from None


def folders_of(named: Paths | Iterable[Paths]) -> tuple[Path, ...]:
    """One folder or several; each is there."""
    folders = paths_of(named)
    for folder in folders:
        if not folder.is_dir():
            raise UsageError("no-such-folder", where=str(folder))
    return folders


def print_warnings(notices: Iterable[Notice]) -> None:
    """What a person must be told, as Python tells it."""
    for text in sentences(notices):
        warnings.warn(text, stacklevel=4)


# How results show themselves: tables and pictures as HTML, everything escaped.

_MOST_ROWS: Final = 200
"""Rows of a table that a notebook shows; the rest is counted below it."""
_TONES: Final = {"conforms": "#1a7f37", "fails": "#cf222e", "undecided": "#9a6700"}


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows under their heads; more than a page holds are counted, not shown."""
    every = list(rows)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in every[:_MOST_ROWS])
    more = f"<p>… and {len(every) - _MOST_ROWS} more</p>" if len(every) > _MOST_ROWS else ""
    heads = "".join(f'<th scope="col" style="text-align:left">{escape(each)}</th>' for each in head)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: object) -> str:
    text = "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    tone = _TONES.get(text)
    return f'<td style="text-align:left{f";color:{tone};font-weight:bold" if tone else ""}">{escape(text)}</td>'


def picture(content: bytes, kind: str, alt: str) -> str:
    """A picture that is part of the page."""
    data = base64.b64encode(content).decode()
    return f'<img alt="{escape(alt)}" style="max-width:100%;height:auto" src="data:image/{kind};base64,{data}">'


def paragraph(text: str) -> str:
    """A sentence."""
    return f"<p>{escape(text)}</p>"
